# SPDX-License-Identifier: Apache-2.0
"""Libraries and compilers that we did not write, from Debian's packages (sw/tools/packages-nightly.txt), on configs/tiny.yaml: rocRAND,
rocPRIM and rocSPARSE on their own gfx803 code or headers, OpenMP offload by clang 15.  Each program of libraries/ compares with the CPU.
In lock step, but for rocRAND's generators with states: to set up 131072 of them takes 100 million instructions, on the RTL alone."""
import os
import pathlib
import re
import subprocess
import tempfile

import pytest
from live import APPS, MODELS, ROOT
from test_programs import passed, tiny_run

SOURCES = ROOT / "tests/system/libraries"
BITCODE = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"
HIP = [ROOT / "sw/tools/hipcc.sh", "-O2", "-std=c++17", "-ffp-contract=off", "-Isw/apps", "-x", "hip"]
OPENMP = ["clang-15", "-O2", "-Wall", "-fopenmp", "-fopenmp-targets=amdgcn-amd-amdhsa", "-Xopenmp-target=amdgcn-amd-amdhsa", "-march=gfx803",
          f"--rocm-device-lib-path={BITCODE}", "-Wl,-rpath,/usr/lib/llvm-15/lib"]
# program: file that its package brings, compiler, source, libraries
PROGRAMS = {
    "random": ("/usr/include/rocrand/rocrand.h", HIP, "random.hip", ["-lrocrand"]),
    "primitives": ("/usr/include/rocprim/rocprim.hpp", HIP, "primitives.hip", []),
    "sparse_library": ("/usr/include/rocsparse/rocsparse.h", HIP, "sparse_library.hip", ["-lrocsparse"]),
    "offload": ("/usr/lib/llvm-15/lib/libomptarget-amdgpu-gfx803.bc", OPENMP, "offload.c", ["-lm"]),
}
pytestmark = pytest.mark.nightly


def built(name):
    brings, compiler, source, libraries = PROGRAMS[name]
    if not pathlib.Path(brings).exists():
        pytest.skip(f"{brings} is not installed: make nightly installs it")
    target, source = APPS / name, SOURCES / source
    if not target.exists() or target.stat().st_mtime < source.stat().st_mtime:
        APPS.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=ROOT / "build") as folder:  # clang 15 leaves empty folders (sw/tools/hipcc.sh)
            done = subprocess.run([*compiler, source, "-o", target, *libraries], cwd=ROOT, env={**os.environ, "TMPDIR": folder},
                                  capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    return target


@pytest.mark.parametrize("name, args", [("random", []), ("primitives", ["5000"]), ("sparse_library", []), ("offload", [])])
def test_golden(name, args):
    passed(tiny_run([built(name), *args], "--model", "golden"), name)


@pytest.mark.skipif("rtl" not in MODELS, reason="GANTRY_MODELS leaves the RTL out")
@pytest.mark.parametrize("name, args", [("random", ["200", "quick"]), ("primitives", ["5000"]), ("sparse_library", []), ("offload", [])])
def test_lock_step(name, args):
    result = passed(tiny_run([built(name), *args], "--lockstep"), name)
    counts = re.search(r"lockstep compared=(\d+) retired=(\d+)", result.err)
    assert counts and counts[1] == counts[2] == result.line["instructions"], result


@pytest.mark.skipif("rtl" not in MODELS, reason="GANTRY_MODELS leaves the RTL out")
def test_generators_with_states():
    """All of rocRAND on the RTL: XORWOW's and MRG32k3a's engines, too."""
    golden, rtl = (passed(tiny_run([built("random")], "--model", model, limit=1800), "random") for model in ("golden", "rtl"))
    assert int(rtl.line["instructions"]) > 100_000_000 and rtl.line["data"] == golden.line["data"], (golden, rtl)
