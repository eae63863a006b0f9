# SPDX-License-Identifier: Apache-2.0
"""Libraries and compilers that we did not write, from Debian's packages, on configs/tiny.yaml: rocRAND, rocPRIM and rocSPARSE on their own gfx803 code or
headers, OpenMP offload by hipcc's clang.  Each program of libraries/ compares with the CPU.  By day a short form of each in lock step; rocSPARSE, whose package
takes 1.3 GB (sw/tools/packages-nightly.txt), where it is installed.  Nightly all of each, but for rocRAND's generators with states: to set up 131072 of them
takes 100 million instructions, on the RTL alone."""
import os
import pathlib
import re
import subprocess
import tempfile

import pytest
import release
from live import APPS, MODELS, ROOT
from test_programs import passed, tiny_run

SOURCES = ROOT / "tests/system/libraries"
LLVM = f"/usr/lib/llvm-{release.name('hip_llvm')}"
HIP = [ROOT / "sw/tools/hipcc.sh", "-O2", "-std=c++17", "-ffp-contract=off", "-Isw/apps", "-x", "hip"]
OPENMP = [f"{LLVM}/bin/clang", "-O2", "-Wall", "-fopenmp", "-fopenmp-targets=amdgcn-amd-amdhsa", "-Xopenmp-target=amdgcn-amd-amdhsa", "-march=gfx803",
          release.bitcode(), f"-Wl,-rpath,{LLVM}/lib"]
# program: file that its package brings, compiler, source, libraries
PROGRAMS = {
    "random": ("/usr/include/rocrand/rocrand.h", HIP, "random.hip", ["-lrocrand"]),
    "primitives": ("/usr/include/rocprim/rocprim.hpp", HIP, "primitives.hip", []),
    "primitives_short": ("/usr/include/rocprim/rocprim.hpp", [*HIP, "-DSHORT"], "primitives.hip", []),  # compiled in a quarter of the time
    "sparse_library": ("/usr/include/rocsparse/rocsparse.h", HIP, "sparse_library.hip", ["-lrocsparse"]),
    "offload": (f"{LLVM}/lib/libomptarget-amdgpu-gfx803.bc", OPENMP, "offload.c", ["-lm"]),
}
ABSENT = f"{PROGRAMS['sparse_library'][0]} is not installed"
rtl = pytest.mark.skipif("rtl" not in MODELS, reason="GANTRY_MODELS leaves the RTL out")


def built(name):
    brings, compiler, source, libraries = PROGRAMS[name]
    if name == "sparse_library" and not pathlib.Path(brings).exists():
        pytest.skip(f"{ABSENT}: make nightly installs it")
    assert pathlib.Path(brings).exists(), f"{brings}: make bootstrap installs it"
    target, source = APPS / name, SOURCES / source
    if not target.exists() or target.stat().st_mtime < source.stat().st_mtime:
        APPS.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=ROOT / "build") as folder:  # clang leaves empty folders (sw/tools/hipcc.sh)
            done = subprocess.run([*compiler, source, "-o", target, *libraries], cwd=ROOT, env={**os.environ, "TMPDIR": folder},
                                  capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    return target


def lock_step(name, *args):
    result = passed(tiny_run([built(name), *args], "--lockstep"), name.removesuffix("_short"))
    counts = re.search(r"lockstep compared=(\d+) retired=(\d+)", result.err)
    assert counts and counts[1] == counts[2] == result.line["instructions"], result


@rtl
@pytest.mark.parametrize("name, args", [("random", ["50", "quick"]), ("primitives_short", ["300"]), ("offload", []),
                                        pytest.param("sparse_library", [], marks=pytest.mark.may_skip(ABSENT))])
@pytest.mark.shows("B.1", "B.6")
def test_short(name, args):
    lock_step(name, *args)


@pytest.mark.nightly
@pytest.mark.parametrize("name, args", [("random", []), ("primitives", ["5000"]), ("sparse_library", []), ("offload", [])])
def test_golden(name, args):
    passed(tiny_run([built(name), *args], "--model", "golden"), name)


@rtl
@pytest.mark.nightly
@pytest.mark.parametrize("name, args", [("random", ["200", "quick"]), ("primitives", ["5000"])])
def test_lock_step(name, args):
    lock_step(name, *args)


@rtl
@pytest.mark.nightly
def test_generators_with_states():
    """All of rocRAND on the RTL: XORWOW's and MRG32k3a's engines, too."""
    golden, rtl = (passed(tiny_run([built("random")], "--model", model, limit=1800), "random") for model in ("golden", "rtl"))
    assert int(rtl.line["instructions"]) > 100_000_000 and rtl.line["data"] == golden.line["data"], (golden, rtl)
