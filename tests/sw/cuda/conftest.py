# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests of CUDA programs: the folder that `make cuda` makes, and a compiler of examples."""
import fcntl
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/system"))
sys.path.insert(0, str(ROOT / "tests"))
WORK = ROOT / "build/tests/cuda"


@pytest.fixture(scope="session")
def cuda():
    """The folder with bin/nvcc, include and lib64, as `gantry cuda-path` prints it."""
    if not shutil.which("hipcc"):
        pytest.skip("hipcc is not installed")
    WORK.mkdir(parents=True, exist_ok=True)
    with open(WORK / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(["make", "-s", "cuda"], cwd=ROOT, check=True)
    done = subprocess.run([ROOT / "build/bin/gantry", "cuda-path"], check=True, capture_output=True, text=True)
    return pathlib.Path(done.stdout.strip())


@pytest.fixture
def nvcc(cuda):
    """Runs gantry-nvcc; the CompletedProcess."""
    def run(*words, cwd=None, env=None, timeout=300):
        return subprocess.run([cuda / "bin/nvcc", *map(str, words)], cwd=cwd, env=env, text=True, capture_output=True, timeout=timeout)
    return run


@pytest.fixture
def example(cuda):
    """Builds one example by the makefile that was written for nvcc: example(name, warp32) -> the program."""
    made = [cuda / "src/runtime.cpp", cuda / "bin/gantry-nvcc"]

    def build(name, warp32=False):
        out = WORK / ("warp32" if warp32 else "plain")
        out.mkdir(exist_ok=True)
        flags = "--warp32" if warp32 else ""
        if (out / name).exists() and (out / name).stat().st_mtime < max(p.stat().st_mtime for p in made):
            (out / name).unlink()  # a makefile for nvcc knows nothing of nvcc's own headers
        for target in [name] + ["module_kernels.fatbin"] * (name == "driver_module"):
            done = subprocess.run(["make", "-s", "-C", ROOT / "sw/cuda/examples", f"CUDA_PATH={cuda}", f"OUT={out}", f"NVCCFLAGS={flags}", out / target],
                                  text=True, capture_output=True, timeout=300)
            assert done.returncode == 0, done.stdout + done.stderr
        return out / name
    return build
