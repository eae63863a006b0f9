# SPDX-License-Identifier: Apache-2.0
"""Unmodified ROCm programs on 1, 2 and 4 GPUs (B.1, S0.7): the acceptance ladder of docs/reference/driver.md."""
import re
import shutil
import subprocess

import pytest
from live import GANTRY, LADDER_FAMILIES, MODELS, ROOT, gantry_run, on_last_gpus, rows

PROGRAMS = ["vecadd", "matmul", "transpose", "reduction", "histogram", "hash", "hashes", "blur", "saxpy2", "pipeline", "peer", "copies",
            *LADDER_FAMILIES]
TWO_DEVICES = ("hashes", "saxpy2", "peer")
BY_DAY = [("rtl", 4), ("rtl", 1)] if "rtl" in MODELS else [("golden", 4)]


def need(program):
    if not shutil.which(program):
        pytest.skip(f"{program} is not installed")


def good(result, text=None):
    assert result.status == 0, result
    assert result.line.get("repeatable") == "yes", result
    if text:
        assert text in result.out, result
    return result


@pytest.mark.shows("S0.1", "S0.6")
def test_rocminfo_lists_agents(model, gpus):
    """Rung 1.  S0.1, S0.6: one driver, N agents as configured."""
    need("rocminfo")
    result = good(gantry_run(["rocminfo"], model, gpus))
    assert len(re.findall(r"^  Name: +gfx803", result.out, re.M)) == gpus, result
    assert len(re.findall(r"Compute Unit: +4 ", result.out)) >= gpus, result
    uuids = re.findall(r"Uuid: +(GPU-\w+)", result.out)
    assert len(set(uuids)) == gpus, result


def test_rocminfo_of_the_big_machine():
    """Done-when 2: two gfx803 agents with 64 CUs each."""
    need("rocminfo")
    done = subprocess.run([GANTRY, "run", "-c", "configs/r9nano-2gpu.yaml", "--", "rocminfo"], cwd=ROOT, text=True,
                          capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert len(re.findall(r"^  Name: +gfx803", done.stdout, re.M)) == 2
    assert len(re.findall(r"Compute Unit: +64 ", done.stdout)) == 2


@pytest.mark.shows("B.1", "S0.6")
def test_agent_enumerator(model, gpus):
    """Rung 2: another client, in Python, that starts rocminfo as its child."""
    need("rocm_agent_enumerator")
    result = gantry_run(["rocm_agent_enumerator"], model, gpus)
    assert result.status == 0, result
    assert result.out.split() == ["gfx000"] + ["gfx803"] * gpus, result


def test_agent_enumerator_of_the_big_machine():
    """Done-when 2: gfx000, gfx803, gfx803."""
    need("rocm_agent_enumerator")
    done = subprocess.run([GANTRY, "run", "-c", "configs/r9nano-2gpu.yaml", "--", "rocm_agent_enumerator"], cwd=ROOT, text=True,
                          capture_output=True, timeout=60)
    assert done.returncode == 0 and done.stdout.split() == ["gfx000", "gfx803", "gfx803"], done


@pytest.mark.parametrize("what", ["barrier", "many", "full"])
@pytest.mark.shows("S0.7", "S0.10", "S0.15")
def test_raw_queues(apps, model, gpus, what):
    """Rung 3: barrier packets, signals; S0.10: eight queues in one process all drain; S0.15: rings that wrap."""
    good(gantry_run([apps / "hsa_queue", what], model, gpus), f"hsa_queue {what}: PASSED")


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("model, gpus", [pytest.param(m, n, marks=[] if (m, n) in BY_DAY else pytest.mark.nightly) for m in MODELS for n in (1, 2, 4)])
@pytest.mark.shows("B.1", "S0.7", "S0.18")
def test_programs(apps, model, gpus, program):
    """Rungs 4 to 7, 9, 10: copies, kernels, LDS, dimensions, memset, two devices, peer copies, events.

    S0.18 in its kernel-boundary form: each kernel of `sorting` reads through the L1 of its CU what the one before has written from
    another; without the acquire at the start of a kernel it reads old lines on the RTL.
    """
    result = good(gantry_run([apps / program], model, gpus), f"{program}: PASSED")
    assert int(result.line["kernels"]) >= 3, result
    assert int(result.line["instructions"]) > 100, result
    assert int(result.line["gpus"]) == gpus, result


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("model, gpus", [pytest.param(m, n, marks=[] if (m, n) == ("rtl", 4) else pytest.mark.nightly) for m in MODELS for n in (2, 4)])
@pytest.mark.shows("S0.11")
def test_programs_on_the_last_gpus(apps, model, gpus, program):
    """The same rungs where GPU 0 does nothing; S0.11: all work is on the GPUs that the program sees."""
    count = 2 if program in TWO_DEVICES else 1
    result = good(gantry_run([apps / program], model, gpus, env=on_last_gpus(gpus, count)), f"{program}: PASSED")
    assert int(result.line["gpus"]) == gpus, result
    assert {gpu for gpu, _ in rows(result)} == {gpus - 1 - n for n in range(count)}, result


def test_copies_and_fills_are_kernels(apps, model):
    """Rungs 4, 7: the kernels that ROCr and HIP bring for words, for bytes, between buffers and for fills have all run; `copies`
    has compared every byte."""
    kernels = [kernel for _, kernel in rows(good(gantry_run([apps / "copies"], model, 1), "copies: PASSED"))]
    assert {"rocr.copy_aligned", "rocr.copy_misaligned", "__amd_rocclr_copyBuffer", "__amd_rocclr_fillBufferAligned"} == set(kernels), kernels
    assert kernels.count("__amd_rocclr_fillBufferAligned") >= 5 and kernels.count("rocr.copy_misaligned") >= 2, kernels


@pytest.mark.shows("S0.11")
def test_work_goes_to_the_named_gpu(apps, model):
    """S0.11: the GPU of a queue is fixed when it is created; saxpy2 puts one kernel on each of two."""
    result = good(gantry_run([apps / "saxpy2"], model, 2))
    assert sorted(gpu for gpu, kernel in rows(result) if kernel == "saxpy") == [0, 1], result
    result = good(gantry_run([apps / "vecadd"], model, 2))
    assert [gpu for gpu, kernel in rows(result) if kernel == "vector_add"] == [0], result


@pytest.mark.parametrize("setting", ["driver.large_bar=off", "driver.fw_version=730", "clock.mode=free"])
def test_driver_options(apps, setting):
    """Every copy as a packet; PM4 packets after each code object; a clock that does not wait."""
    for program in ("vecadd", "reduction"):
        result = gantry_run([apps / program], "golden", 2, ["--set", setting])
        assert result.status == 0, result
        assert f"{program}: PASSED" in result.out, result
        assert result.line["repeatable"] == ("no" if "free" in setting else "yes"), result


def test_sizes_and_seeds_reach_the_program(apps):
    small, large = (gantry_run([apps / "vecadd", str(n)]) for n in (64, 20000))
    assert small.status == large.status == 0
    assert "64 values" in small.out and "20000 values" in large.out
    # 313 wavefronts in place of one, of 20 instructions at least; kernels that copy, of which releases of ROCr have more or fewer, stand in both
    assert int(large.line["instructions"]) > int(small.line["instructions"]) + 312 * 20
