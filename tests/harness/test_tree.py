# SPDX-License-Identifier: Apache-2.0
"""sw/tools/check/check_tree.py: no file in the tree that nothing explains, like a program that somebody built beside the sources."""
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "sw/tools"))
from check import check_tree  # noqa: E402

ELF = b"\x7fELF\2\1\1\0"
TEXT = b"/* x */\n"
STRAY = {  # what is refused, and why
    **{name: (ELF, "no rule") for name in ("sum", "a.out", "mine", "sw/apps/vecadd", "sw/kernels/vecadd.co", "host/base/log.o", "sw/cuda/lib/libcudart.so")},
    **{name: (TEXT, "no rule") for name in ("docs/x.png", "docs/deep/x.md", "host/x.c", "hosts/base/x.c", "rtl/x.sv", "result/run.json", "gpu0.cu0.fst", "c.bin", "core",
                                            "sw/tools/check/x.md", "sw/tools/x.py", "sw/apps/x.py", "tests/host/base/x.txt", "configs/x.json", "notes.md", "Makefile.bak", "host/base/log.c~",
                                            "host/base/log.c.orig", "tests/planted/x.patch.rej", "docs/gantry.2", ".ci/other", "README.md/x")},
    "host/base/x.c": (ELF, "not text"), "sw/tools/check/x.txt": (b"\xff\xfe", "not text"), "docs/x/x.svg": (TEXT, "no page shows it"), "docs/x.md": (b"a\n" + 7 * b"<" + b" HEAD\nb\n", "merge"),
}


@pytest.fixture
def tree(tmp_path):
    """A checkout with a file that is right."""
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / ".gitignore").write_text("/build/\n__pycache__/\n")
    (tmp_path / "host/base").mkdir(parents=True)
    (tmp_path / "host/base/log.c").write_text("/* */\n")
    return tmp_path


def write(tree, name, data):
    (tree / name).parent.mkdir(parents=True, exist_ok=True)
    (tree / name).write_bytes(data)


def test_the_tree_itself():
    assert len(check_tree.files()) > 1500 and check_tree.findings() == []


@pytest.mark.parametrize("name", STRAY)
def test_stray_file(tree, name):
    """New, and committed."""
    data, said = STRAY[name]
    write(tree, name, data)
    found = check_tree.findings(tree)
    assert len(found) == 1 and found[0].startswith(f"{name}: ") and said in found[0]
    subprocess.run(["git", "-C", tree, "add", "-f", name], check=True)
    assert check_tree.findings(tree) == found


def test_modes_and_links(tree):
    (tree / "host/base/log.c").chmod(0o755)
    write(tree, "sw/tools/check/x.sh", b"echo\n")
    (tree / "sw/tools/check/x.sh").chmod(0o755)
    write(tree, "sw/tools/check/y.sh", b"#!/bin/sh\n")
    (tree / "sw/tools/check/y.sh").chmod(0o755)
    os.symlink("log.c", tree / "host/base/other.c")
    os.symlink("/nowhere", tree / "host/base/broken.c")
    assert [line.split(": ")[0] for line in check_tree.findings(tree)] == ["host/base/broken.c", "host/base/log.c", "host/base/other.c", "sw/tools/check/x.sh"]


def test_what_programs_make_below_build_is_no_matter(tree):
    write(tree, "build/mine", ELF)
    write(tree, "sw/tools/__pycache__/x.pyc", ELF)
    write(tree, "docs/figure/lines.svg", TEXT)
    write(tree, "docs/page.md", b"![lines](figure/lines.svg)\n")
    write(tree, "tests/fuzz/regressions/object/cut_short", ELF)
    assert check_tree.findings(tree) == []
    (tree / ".git").rename(tree.parent / "git")  # an archive of the tree
    assert check_tree.findings(tree) == []
    write(tree, "sum", ELF)
    assert len(check_tree.findings(tree)) == 1
