# SPDX-License-Identifier: Apache-2.0
"""CUDA programs from source (B.2): the examples of sw/cuda, each built by a makefile that was written for nvcc, compare their results with the host.

By day a few on the golden model; in `make nightly` all, with warps of 64 and of 32 lanes, on the golden model, on the RTL, in lock step.
"""
import pathlib

import pytest
from live import ROOT, gantry_run

EXAMPLES = ["vector_add", "tiled_product", "stencil_shared", "reduce_warp", "histogram_atomics", "nbody", "bfs", "texture_fetch", "surface_write", "constant_symbol",
            "streams_events", "intrinsics", "api_tour", "groups", "warp_functions", "driver_module", "three_files"]
BY_DAY = ("vector_add", "texture_fetch", "constant_symbol", "driver_module", "three_files")


def run(program, cuda, model="golden", options=()):
    words = [program, program.parent / "module_kernels.fatbin"] if program.name == "driver_module" else [program]
    result = gantry_run(words, model, 1, options, env={"LD_LIBRARY_PATH": str(cuda / "lib64")})
    assert result.status == 0 and f"{program.name}: PASSED (0 wrong)" in result.out, result
    return result


@pytest.mark.shows("B.2", "S4.3", "S4.16")
@pytest.mark.parametrize("name", [pytest.param(n, marks=[] if n in BY_DAY else pytest.mark.nightly) for n in EXAMPLES])
def test_an_example(example, cuda, name):
    """S4.3, S4.16: sources as for CUDA, API of CUDA 3.2 included, through a library that is linked; no kernel module."""
    run(example(name), cuda)


KINDS = [(n, how) for n in ("constant_symbol", "texture_fetch", "stencil_shared", "histogram_atomics") for how in ("rtl", "lockstep")]


@pytest.mark.shows("S4.12")
@pytest.mark.parametrize("name, how", [pytest.param(n, h, marks=[] if h == "rtl" and n in BY_DAY else pytest.mark.nightly) for n, h in KINDS])
def test_kinds_of_memory_on_the_rtl(example, cuda, name, how):
    """S4.12: global and constant memory, shared memory, textures as loads; parameters and scratch with them."""
    run(example(name), cuda, "rtl", ["--lockstep"] if how == "lockstep" else [])


@pytest.mark.nightly
@pytest.mark.shows("B.2")
@pytest.mark.parametrize("warp32", [False, True], ids=["warp64", "warp32"])
@pytest.mark.parametrize("how", ["rtl", "lockstep"])
@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_on_the_rtl(example, cuda, name, how, warp32):
    run(example(name, warp32), cuda, "rtl", ["--lockstep"] if how == "lockstep" else [])


@pytest.mark.parametrize("name", [pytest.param(n, marks=[] if n == "reduce_warp" else pytest.mark.nightly) for n in EXAMPLES if n != "warp_functions"])
def test_an_example_with_warps_of_32(example, cuda, name):
    run(example(name, True), cuda)


@pytest.mark.shows("B.2")
@pytest.mark.parametrize("warp32, lanes", [(False, 64), (True, 32)])
def test_functions_between_lanes(example, cuda, warp32, lanes):
    """Shuffles, votes and masks against the host, for the size of a warp that cudaDeviceProp tells."""
    result = run(example("warp_functions", warp32), cuda)
    assert f"warps of {lanes} lanes" in result.out, result


@pytest.mark.nightly
@pytest.mark.may_skip("rocRAND is not installed")
def test_random_numbers(nvcc, cuda, tmp_path):
    if not pathlib.Path("/usr/include/rocrand").exists():
        pytest.skip("rocRAND is not installed")
    done = nvcc(f"-I{ROOT}/sw/cuda/examples", ROOT / "tests/sw/cuda/random.cu", "-o", tmp_path / "random")
    assert done.returncode == 0, done.stderr
    run(tmp_path / "random", cuda)
