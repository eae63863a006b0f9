# SPDX-License-Identifier: Apache-2.0
"""Libraries and compilers that we did not write, from Debian's packages, on configs/tiny.yaml: rocRAND, rocPRIM, rocSPARSE, rocBLAS and hipBLAS on their own
gfx803 code or headers, rocFFT, which compiles its kernels when a plan is made, OpenMP offload by hipcc's clang.  Each program of libraries/ compares with the
CPU.  By day a short form of each, in lock step or (rocBLAS, hipBLAS, rocFFT) on the golden model; those whose packages are large, or that a release of Debian
does not have, where they are installed (sw/tools/builder/packages-nightly.txt).  Nightly all of each in lock step, but for rocRAND's generators with states: to set up
131072 of them takes 100 million instructions, on the RTL alone."""
import os
import pathlib
import re
import subprocess
import tempfile

import pytest
from builder import release
from live import APPS, MODELS, ROOT
from test_programs import passed, tiny_run

SOURCES = ROOT / "tests/system/libraries"
LLVM = f"/usr/lib/llvm-{release.name('hip_llvm')}"
HIP = [ROOT / "sw/tools/builder/hipcc.sh", "-O2", "-std=c++17", "-ffp-contract=off", "-Isw/apps", "-x", "hip"]
OPENMP = [f"{LLVM}/bin/clang", "-O2", "-Wall", "-fopenmp", "-fopenmp-targets=amdgcn-amd-amdhsa", "-Xopenmp-target=amdgcn-amd-amdhsa", "-march=gfx803",
          release.bitcode(), f"-Wl,-rpath,{LLVM}/lib"]
# program: file that its package brings, compiler, source, libraries
PROGRAMS = {
    "random": ("/usr/include/rocrand/rocrand.h", HIP, "random.hip", ["-lrocrand"]),
    "primitives": ("/usr/include/rocprim/rocprim.hpp", HIP, "primitives.hip", []),
    "primitives_short": ("/usr/include/rocprim/rocprim.hpp", [*HIP, "-DSHORT"], "primitives.hip", []),  # compiled in a quarter of the time
    "sparse_library": ("/usr/include/rocsparse/rocsparse.h", HIP, "sparse_library.hip", ["-lrocsparse"]),
    "offload": (f"{LLVM}/lib/libomptarget-amdgpu-gfx803.bc", OPENMP, "offload.c", ["-lm"]),
    "blas": ("/usr/include/rocblas/rocblas.h", HIP, "blas.hip", ["-lrocblas"]),
    "hipblas": ("/usr/include/hipblas/hipblas.h", HIP, "hipblas.hip", ["-lhipblas"]),
    "fft_library": ("/usr/include/rocfft/rocfft.h", HIP, "fft_library.hip", ["-lrocfft"]),
}
NEW = ["blas", "hipblas", "fft_library"]  # not on Debian 12
ABSENT = {name: f"{PROGRAMS[name][0]} is not installed" for name in ("sparse_library", *NEW)}
rtl = pytest.mark.skipif("rtl" not in MODELS, reason="GANTRY_MODELS leaves the RTL out")


def built(name):
    brings, compiler, source, libraries = PROGRAMS[name]
    if name in ABSENT and not pathlib.Path(brings).exists():
        pytest.skip(f"{ABSENT[name]}: make bootstrap or make nightly installs it, if this release of Debian has it (sw/tools/builder/releases.tsv)")
    assert pathlib.Path(brings).exists(), f"{brings}: make bootstrap installs it"
    target, source = APPS / name, SOURCES / source
    if not target.exists() or target.stat().st_mtime < source.stat().st_mtime:
        APPS.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=ROOT / "build") as folder:  # clang leaves empty folders (sw/tools/builder/hipcc.sh)
            done = subprocess.run([*compiler, source, "-o", target, *libraries], cwd=ROOT, env={**os.environ, "TMPDIR": folder},
                                  capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    return target


@pytest.fixture(autouse=True)
def library_path(monkeypatch):
    """libomptarget 17 has libLLVM look for its plugins, which does not know the program's run path."""
    monkeypatch.setenv("LD_LIBRARY_PATH", f"{LLVM}/lib")


def may_be_absent(name, *args):
    return pytest.param(name, list(args), marks=pytest.mark.may_skip(ABSENT[name]))


def lock_step(name, *args):
    result = passed(tiny_run([built(name), *args], "--lockstep"), name.removesuffix("_short"))
    counts = re.search(r"lockstep compared=(\d+) retired=(\d+)", result.err)
    assert counts and counts[1] == counts[2] == result.line["instructions"], result


@rtl
@pytest.mark.parametrize("name, args", [("random", ["50", "quick"]), ("primitives_short", ["300"]), ("offload", []), may_be_absent("sparse_library")])
@pytest.mark.shows("B.1", "B.6")
def test_short(name, args):
    lock_step(name, *args)


@pytest.mark.parametrize("name, args", [may_be_absent("blas", "9"), may_be_absent("hipblas", "9"), may_be_absent("fft_library", "8")])
@pytest.mark.shows("B.1")
def test_a_long_start_repeats(name, args):
    """rocBLAS reads 117 MB of tables in a thread of its own while others map memory; rocFFT compiles kernels.  With the usual clock.patience.  Of rocFFT the
    results repeat: it loads its kernels in threads that race with each other."""
    one, other = (passed(tiny_run([built(name), *args], "--model", "golden"), name).line for _ in range(2))
    same = ("kernels", "instructions", "data") if name == "fft_library" else ("kernels", "instructions", "hash", "data")
    assert [one[key] for key in same] == [other[key] for key in same]


@pytest.mark.nightly
@pytest.mark.parametrize("name, args", [("random", []), ("primitives", ["5000"]), may_be_absent("sparse_library"), ("offload", []),
                                        *map(may_be_absent, NEW)])
@pytest.mark.shows("B.1")
def test_golden(name, args):
    passed(tiny_run([built(name), *args], "--model", "golden"), name)


@rtl
@pytest.mark.nightly
@pytest.mark.parametrize("name, args", [("random", ["200", "quick"]), ("primitives", ["5000"]), *map(may_be_absent, NEW)])
@pytest.mark.shows("B.1", "B.6")
def test_lock_step(name, args):
    lock_step(name, *args)


@rtl
@pytest.mark.nightly
@pytest.mark.parametrize("name, args", [may_be_absent("sparse_library"), ("offload", []), *map(may_be_absent, NEW)])
@pytest.mark.shows("B.1")
def test_rtl_alone(name, args):
    """The golden model leaves the same data."""
    golden, rtl = (passed(tiny_run([built(name), *args], "--model", model), name) for model in ("golden", "rtl"))
    assert rtl.line["data"] == golden.line["data"], (golden, rtl)


@rtl
@pytest.mark.nightly
@pytest.mark.shows("B.1")
def test_generators_with_states():
    """All of rocRAND on the RTL: XORWOW's and MRG32k3a's engines, too."""
    golden, rtl = (passed(tiny_run([built("random")], "--model", model, limit=1800), "random") for model in ("golden", "rtl"))
    assert int(rtl.line["instructions"]) > 100_000_000 and rtl.line["data"] == golden.line["data"], (golden, rtl)
