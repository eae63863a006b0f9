# SPDX-License-Identifier: Apache-2.0
"""A program under gdb: `gantry run -- gdb PROGRAM` stops at the program's own signals, not at trapped time-stamp counters (B.1)."""
import shutil
import subprocess

import pytest
from builder import release
from live import ROOT, gantry_run

pytestmark = pytest.mark.shows("B.1")


@pytest.fixture(scope="module")
def debugged(tmp_path_factory):
    target = tmp_path_factory.mktemp("debugged") / "debugged"
    subprocess.run([ROOT / "sw/tools/builder/hipcc.sh", "-O1", "-g", "-x", "hip", ROOT / "tests/system/programs/debugged.hip", "-o", target], check=True,
                   capture_output=True)
    return target


def gdb(*words, model="golden"):
    assert shutil.which("gdb"), "gdb is in sw/tools/builder/packages.txt"
    result = gantry_run(["gdb", "-nx", "-batch", *words], model, 1)
    assert "Error in testing" not in result.err, result
    return result


def test_breakpoint_and_end(debugged, model):
    result = gdb("-ex", "break computed", "-ex", "run", "-ex", "print value", "-ex", "continue", debugged, model=model)
    assert result.out.count(" hit ") == 1 and " hit Breakpoint 2, computed (value=42)" in result.out and "$1 = 42" in result.out, result
    assert "total 42" in result.out and "exited normally" in result.out, result
    assert int(result.line["kernels"]) == {"12": 4, "13": 5}[release.name()] and result.line["repeatable"] == "yes", result


def test_real_fault_stops(debugged):
    result = gdb("-ex", "run", "-ex", "print where", "-ex", "up", "-ex", "print total", "-ex", "continue", "-ex", "continue", "--args", debugged, "x")
    assert "hit Catchpoint 1 (signal SIGSEGV)" in result.out and "crash (where=0x20)" in result.out, result
    assert "= (volatile int *) 0x20" in result.out and "= 42" in result.out, result
    assert result.out.count(" hit ") == 2 and "exited normally" not in result.out, result  # as without a debugger: the shim lets it happen again


def test_program_named_later(debugged):
    result = gdb("-ex", f"file {debugged}", "-ex", "run")
    assert result.out.count(" hit ") == 0 and "total 42" in result.out, result
