# SPDX-License-Identifier: Apache-2.0
"""The floors of the C side: what the tree includes and links goes downwards only, and the checker sees what does not."""
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "sw/tools"))
from check import check_floors  # noqa: E402


def test_the_tree_stands_on_its_floors():
    assert check_floors.findings() == []


def test_every_folder_stands_on_a_floor():
    there = {p.parent.relative_to(ROOT).as_posix() for top in ("host", "bridge") for p in (ROOT / top).glob("*/*") if p.suffix in (".c", ".h", ".def", ".cpp")}
    assert there == set(check_floors.LEVEL)


@pytest.mark.parametrize("source, name, wrong", [
    ("host/vm/a.c", "firmware/b.h", True),  # upwards
    ("host/vm/a.c", "vm/b.h", False),
    ("host/firmware/a.c", "machine/b.h", False),
    ("bridge/run/a.c", "base/b.h", False),
    ("bridge/run/a.c", "config/b.h", True),  # below it, but of the host model
    ("bridge/run/a.c", "bridge/part/b.h", False),
    ("bridge/part/a.c", "bridge/run/b.h", True),
    ("bridge/run/a.c", "../../host/config/b.h", True),  # by another way
    ("bridge/run/a.h", "gantry_cfg.h", True),  # generated
    ("bridge/run/a.hpp", "gantry_msg.h", False),
    ("host/isa/a.c", "loader/b.h", True),  # of the same floor
    ("host/isa/a.c", "valu/b.h", False),  # a room of it
    ("host/record/a.c", "machine/b.h", False),
    ("host/lockstep/a.c", "machine/b.h", True),
    ("sw/shim/a.c", "clients/protocol.h", False),
    ("sw/shim/a.c", "driver/b.h", True),
    ("host/elsewhere/a.c", "base/b.h", True),
])
def test_includes(source, name, wrong, tmp_path):
    for file in ("firmware", "vm", "machine", "base", "config", "loader", "driver", "clients", "valu"):
        (tmp_path / "host" / file).mkdir(parents=True)
        (tmp_path / "host" / file / "b.h").touch()
    for file in ("run", "part"):
        (tmp_path / "bridge" / file).mkdir(parents=True)
        (tmp_path / "bridge" / file / "b.h").touch()
    (tmp_path / "host/clients/protocol.h").touch()
    (tmp_path / source).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / source).write_text(f'#include <stdio.h>\n#include "{name}"\n')
    found = check_floors.includes(tmp_path)
    assert len(found) == wrong and all(line.startswith(source) for line in found)


@pytest.mark.parametrize("source, text, wrong", [
    ("host/driver/a.c", "x = pmem_gtt(pm, at, 8);", True),
    ("host/driver/a.h", "pagetable_write (pt, va, &x, 8);", True),
    ("host/firmware/a.c", "return pmem_atomic(pm, pa, 0, 4, 1, 0, &old);", True),
    ("host/machine/a.c", "pagetable_walk_read(pm, root, va, &x, 4);", True),
    ("host/cli/a.c", "pmem_write_masked(pm, pa, line, 1);", True),
    ("host/vm/a.c", "pmem_read(pm, pa, &x, 8);", False),  # where it is made
    ("host/driver/a.c", "/* pmem_read(pm)\n */ pmem_slab_take(pm, 0, 0, 0); // pmem_vram()", False),
    ("host/driver/a.c", "own_pmem_read(1); pmem_reader(2); fn = pmem_read;", False),
    ("host/driver/known.c", "pmem_read(pm, pa, &x, 8);", False),
])
def test_memory_without_messages(source, text, wrong, tmp_path):
    known = {"host/driver/known.c": "for a reason"}
    for name in ("host/driver/known.c", source):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("pmem_vram(pm, 0, 0, 8);\n")
    (tmp_path / source).write_text(text)
    found = check_floors.pointers(tmp_path, known)
    assert [line.split(":")[0] for line in found] == [source] * wrong
    (tmp_path / "host/driver/known.c").write_text("")  # the list holds what is, not what was
    assert any(line.startswith("host/driver/known.c: reaches no") for line in check_floors.pointers(tmp_path, known))


def compiled(folder, texts):
    for name, text in texts.items():
        subprocess.run(["gcc", "-c", "-x", "c", "-", "-o", folder / name], input=text, text=True, check=True)
    return {name: folder / name for name in texts}


def test_circles(tmp_path):
    texts = {"a": "int b(void); int a(void) { return b(); }", "b": "int c(void); int b(void) { return c(); }",
             "c": "int d(void); static int a(void) { return 1; } int c(void) { return a() + d(); }", "d": "int d(void) { return 1; }"}
    assert check_floors.circle(compiled(tmp_path, texts)) is None  # the c of its own is no need
    texts["d"] = "int b(void); int d(void) { return b(); }"
    found = check_floors.circle(compiled(tmp_path, texts))
    assert set(found) == {"b", "c", "d"} and found[0] == found[-1]
    texts["d"] = "extern int table[]; int d(void) { return table[0]; }"
    texts["b"] = "int table[4] = {1}; int c(void); int b(void) { return c(); }"
    assert check_floors.circle(compiled(tmp_path, texts)) is not None  # data, too
