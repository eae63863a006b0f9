# SPDX-License-Identifier: Apache-2.0
"""Every target of `make help` as the first command in a clone without build/, of a user without rights on a machine without packages."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
INSTALLING = ("bootstrap", "demo", "test", "formal", "nightly")
OPEN = ("help", "clean")
TARGETS = re.findall(r"^([a-z-]+):.*## ", "".join(p.read_text() for p in [ROOT / "Makefile", *(ROOT / "sw/tools/mk").glob("*.mk")]), re.M)


@pytest.fixture
def clone(tmp_path):
    """Folders of sources are links; what says that packages are there, or gives rights, says no."""
    tree = tmp_path / "tree"
    (tree / "sw").mkdir(parents=True)
    shutil.copy(ROOT / "Makefile", tree)
    shutil.copytree(ROOT / "sw/tools", tree / "sw/tools", ignore=shutil.ignore_patterns("__pycache__"))
    for place in [*ROOT.iterdir(), *(ROOT / "sw").iterdir()]:
        if place.is_dir() and place.name not in ("build", ".git", "sw", "tools"):
            (tree / place.relative_to(ROOT)).symlink_to(place)
    (tmp_path / "bin").mkdir()
    for name, text in {"id": "echo 1000", "sudo": "exit 1", "dpkg-query": "exit 1", "llvm-config-19": "exit 1"}.items():
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    return tree


def make(tree, *args):
    kept = {k: v for k, v in os.environ.items() if k not in ("V", "GANTRY_STEP", "MAKEFLAGS", "MAKELEVEL", "MFLAGS", "GANTRY_NIGHTLY")}
    return subprocess.run(["make", *args], cwd=tree, capture_output=True, text=True, timeout=120, env={**kept, "PATH": f"{tree.parent}/bin:{os.environ['PATH']}"})


def test_each_target_says_what_to_run(clone):
    assert len(TARGETS) > 25 and {*INSTALLING, *OPEN} <= {*TARGETS}
    for target in TARGETS:
        done = make(clone, target)
        lines = done.stderr.splitlines()
        if target in OPEN:
            assert (done.returncode, lines) == (0, []), (target, done)
        elif target in INSTALLING:
            assert done.returncode == 2 and lines[0].startswith("bootstrap: Debian packages are missing; run as root: apt-get ") and len(lines) <= 3, (target, done)
        else:
            assert done.returncode == 2 and len(lines) == 1 and "run `make bootstrap` first" in lines[0] and done.stdout == "", (target, done)
    assert make(clone, "build/bin/gantry").stderr == make(clone).stderr, "a file, and no target at all"
    assert not (clone / "build/obj").exists()


@pytest.mark.parametrize("order", [("bootstrap", "print-flags"), ("-j4", "print-flags", "bootstrap")])
def test_what_the_bootstrap_installs_is_there_for_the_other_targets(clone, order):
    """Like the libraries that llvm-config names once it is installed."""
    tool = clone.parent / "bin/llvm-config-19"
    (clone / "sw/tools/builder/bootstrap.sh").write_text(f"#!/bin/sh\necho installing\nprintf '#!/bin/sh\\necho -lfound-late\\n' >{tool}\n")
    done = make(clone, *order)
    assert done.returncode == 0 and "-lfound-late" in done.stdout and done.stderr == "installing\n", done


def test_the_check_notices_other_lists_and_lost_tools(clone):
    """--check: the environment was made for these lists, and the compilers are there."""
    check = [str(clone / "sw/tools/builder/bootstrap.sh"), "--check"]
    (clone / "build/venv/bin").mkdir(parents=True)
    (clone / "build/venv/bin/python").symlink_to("/usr/bin/python3")
    lists = [clone / "sw/tools/builder" / name for name in ("packages.txt", "requirements.txt", "releases.tsv")]
    release = subprocess.run([ROOT / "sw/tools/builder/release.sh"], capture_output=True, text=True).stdout

    def installed(of):
        sums = subprocess.run(["cksum"], input=b"".join(p.read_bytes() for p in lists), capture_output=True).stdout.decode().strip()
        (clone / "build/venv/installed").write_text(f"base {sums} {of}")

    installed(release)
    assert subprocess.run(check).returncode == 0
    lists[0].write_text(lists[0].read_text() + "more\n")
    assert subprocess.run(check, capture_output=True).returncode == 1
    installed("11\n")
    assert subprocess.run(check, capture_output=True).returncode == 1, "the system was upgraded since"
    installed(release)
    assert subprocess.run(check).returncode == 0
    few = clone.parent / "few"
    few.mkdir()
    for name in ("sh", "cat", "cksum", "dirname", "grep", "awk"):
        (few / name).symlink_to(shutil.which(name))
    assert subprocess.run(check, capture_output=True, env={"PATH": str(few)}).returncode == 1
