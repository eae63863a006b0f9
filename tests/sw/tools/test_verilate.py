# SPDX-License-Identifier: Apache-2.0
"""A bench is built again when a header changes, from wherever in the tree it includes it.  The precompiled header of the runtime: used, and made again
when what it was made from is not what it was."""
import pathlib
import shutil
import subprocess
import sys
import types

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "sw/tools"))
from builder import verilate  # noqa: E402
from builder import verilate_header  # noqa: E402


def test_headers_of_headers_count(tmp_path):
    (tmp_path / "bench").mkdir()
    bench, near, far = tmp_path / "bench/tb.cpp", tmp_path / "bench/near.h", tmp_path / "far.h"
    bench.write_text('#include "near.h"\n#include "isa/gcn3.h"\n#include "Vtop.h"\n')
    near.write_text('#pragma once\n#include "../far.h"\n#include "near.h"\n')
    far.write_text("")
    (tmp_path / "bench/unused.h").write_text("")
    names = {p.relative_to(tmp_path).as_posix() if p.is_relative_to(tmp_path) else p.relative_to(ROOT).as_posix()
             for p in verilate.include_files(types.SimpleNamespace(exe=[str(bench)], dep=[]))}
    assert {"bench/near.h", "far.h", "host/isa/gcn3.h"} <= names
    assert "bench/unused.h" not in names and not any("Vtop" in n for n in names)


def test_benches_of_the_tree():
    files = verilate.include_files(types.SimpleNamespace(exe=[str(ROOT / "tests/rtl/cu/cu/tb.cpp")], dep=[]))
    assert ROOT / "tests/rtl/cu/harness.h" in files


@pytest.fixture
def small(tmp_path):
    """Builds and runs a bench with flags that nobody else has; gives its log and the folder of its precompiled header, which goes afterwards."""
    (tmp_path / "m.sv").write_text("module m (input logic a_i, output logic b_o);\n  assign b_o = !a_i;\nendmodule\n")
    (tmp_path / "tb.cpp").write_text('#include "Vm.h"\nint main()\n{\n    Vm m;\n    m.eval();\n    return !m.b_o;\n}\n')
    flag = f"-DGANTRY_HEADER_OF={tmp_path.name.replace('-', '_')}"
    folders = []

    def build(*more):
        out = tmp_path / "V"
        cmd = [sys.executable, ROOT / "sw/tools/builder/verilate.py", "--top", "m", "--out", out, "--exe", tmp_path / "tb.cpp", "--opt=-O0", f"--cflag={flag}", *more]
        done = subprocess.run([*cmd, tmp_path / "m.sv"], capture_output=True, text=True)
        log = (out / "build.log").read_text()
        folders.extend({pathlib.Path(w).parent for w in log.split() if w.endswith(f"/{verilate_header.NAME}.fast.gch")})
        if done.returncode == 0:
            subprocess.run([out / "Vm"], check=True)
        return done.returncode, log, folders[0] if folders else None

    yield build
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.rmtree(folder.with_name(folder.name.split(".")[0]), ignore_errors=True)


def test_the_header_is_built_once(small):
    status, log, folder = small()
    built = folder / f"{verilate_header.NAME}.fast.gch"
    assert status == 0 and log.count(f"-o {built}") == 1 and log.count(f"-include-pch {built}") >= 2
    before = built.stat().st_mtime_ns
    status, log, _ = small("--arg=-DAGAIN")
    assert status == 0 and f"-o {built}" not in log and f"-include-pch {built}" in log and built.stat().st_mtime_ns == before


@pytest.mark.nightly
def test_a_header_of_other_sources_is_built_again(small):
    """As after an upgrade of the C++ library: the compiler refuses what it made before."""
    _, _, folder = small()
    source, built = folder / verilate_header.NAME, folder / f"{verilate_header.NAME}.fast.gch"
    source.write_text(source.read_text() + "// another text\n")
    before = built.stat().st_mtime_ns
    status, log, _ = small("--arg=-DAGAIN")
    assert status == 0 and "modified since" in log and f"-o {built}" in log and built.stat().st_mtime_ns != before


def test_what_does_not_compile_is_tried_once(small, tmp_path):
    (tmp_path / "tb.cpp").write_text('#include "Vm.h"\nint main() { return nothing; }\n')
    status, log, _ = small()
    assert status == 1 and log.count("use of undeclared identifier") == 1


def test_without_a_place_for_the_header(tmp_path):
    """A tree that is not ours to write: nothing is used that is not there."""
    (tmp_path / "file").write_text("")
    assert verilate_header.take(["false"], tmp_path / "file/place", False, subprocess.DEVNULL, None) == ""
    assert verilate_header.take(["false"], tmp_path / "place", False, subprocess.DEVNULL, None) == ""
    assert not (tmp_path / "place" / f"{verilate_header.NAME}.done").exists()
