# SPDX-License-Identifier: Apache-2.0
"""The ROCm user space opened by a library's constructor, before the shim's own has run (programs/early.c), or by dlopen while the program
runs, as plug-ins, modules of interpreters and libomptarget do: in a local and in the global scope and with the library's own scope first, from C
(programs/late.c) and from Python's ctypes."""
import subprocess
import sys

import pytest
from live import MODELS, ROOT, gantry_run

# a buffer filled on the GPU and read back, by two threads that are older than the runtime
MODULE = """
import ctypes, threading
began, right = threading.Barrier(2), []
def use(value):
    began.wait()
    hip, size, at = ctypes.CDLL("libamdhip64.so.5", mode={mode}), 100000, ctypes.c_void_p()
    back = ctypes.create_string_buffer(size)
    steps = [hip.hipMalloc(ctypes.byref(at), size), hip.hipMemset(at, value, size), hip.hipMemcpy(back, at, size, 2), hip.hipFree(at)]
    right.append(steps == [0] * 4 and back.raw == bytes([value]) * size)
threads = [threading.Thread(target=use, args=(value,)) for value in (3, 200)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("module:", right)
"""


@pytest.fixture(scope="module")
def late(tmp_path_factory):
    program = tmp_path_factory.mktemp("late") / "late"
    subprocess.run(["gcc", "-O1", "-Wall", "-Wextra", "-o", program, "tests/system/programs/late.c", "-lpthread"], cwd=ROOT, check=True)
    return program


@pytest.mark.shows("S0.7", "B.1")
@pytest.mark.parametrize("scope", ["local", "global", "deep"])
@pytest.mark.parametrize("how", ["once", "again", "poll", "threads", "fault"])
def test_runtime(late, scope, how):
    result = gantry_run([late, scope, how])
    assert result.status == 0 and "late: PASSED" in result.out, result
    assert result.line["repeatable"] == "yes", result  # every wait was seen, whoever has looked up its function


@pytest.mark.skipif("rtl" not in MODELS, reason="GANTRY_MODELS leaves the RTL out")
def test_runtime_on_the_rtl(late):
    result = gantry_run([late, "local", "poll"], "rtl")
    assert result.status == 0 and "late: PASSED" in result.out and result.line["repeatable"] == "yes", result


@pytest.mark.parametrize("mode", ["ctypes.RTLD_LOCAL", "ctypes.RTLD_GLOBAL"])
def test_python_module(mode):
    result = gantry_run([sys.executable, "-c", MODULE.format(mode=mode)])
    assert result.status == 0 and "module: [True, True]" in result.out, result
    assert int(result.line["kernels"]) >= 4 and result.line["repeatable"] == "yes", result


@pytest.mark.shows("S0.7", "B.1")
@pytest.mark.parametrize("behind", [[], ["env", "A=1"]])
def test_opened_by_a_constructor(behind, tmp_path):
    """Behind a wrapper, too, which has greeted the driver under the same process id."""
    source, library = ROOT / "tests/system/programs/early.c", tmp_path / "libearly.so"
    subprocess.run(["gcc", "-Wall", "-Wextra", "-DLIBRARY", "-shared", "-fPIC", "-o", library, source, "-lhsa-runtime64"], check=True)
    subprocess.run(["gcc", "-Wall", "-Wextra", "-o", tmp_path / "early", source, f"-L{tmp_path}", "-learly", "-lhsa-runtime64", f"-Wl,-rpath,{tmp_path}"],
                   check=True)
    result = gantry_run([*behind, tmp_path / "early"])
    assert result.status == 0 and "early: PASSED" in result.out, result
