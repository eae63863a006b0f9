# SPDX-License-Identifier: Apache-2.0
"""As many GPUs as the machine may have (S0.1): all are there for an unmodified program, and one reaches the memory of each other."""
import re
import subprocess

import pytest
from live import GANTRY, ROOT, Result, built

MOST = 64
SOME = 8  # what `make test` takes for a program on the RTL


@pytest.fixture(scope="module")
def scatter():
    return built("scatter")


def run(program, model, gpus=MOST):
    done = subprocess.run([GANTRY, "run", "-c", "tiny", "--set", f"system.gpus={gpus}", "--model", model, "--", program], cwd=ROOT, text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=900)
    return Result(done.returncode, done.stdout, done.stderr, 0)


@pytest.mark.shows("S0.1", "S0.3")
def test_all_are_agents():
    """Each is an agent with an identity of its own."""
    result = run("rocminfo", "golden")
    assert result.status == 0, result
    assert len(re.findall(r"^  Name: +gfx803", result.out, re.M)) == MOST, result
    assert len(set(re.findall(r"Uuid: +(GPU-\w+)", result.out))) == MOST, result


@pytest.mark.parametrize("gpus", [SOME, pytest.param(MOST, marks=pytest.mark.nightly)])
@pytest.mark.shows("S0.1", "S1.3")
def test_one_writes_into_the_memory_of_all_others(scatter, gpus):
    """GPU 0 stores 64 KiB into each of the others, the guards around stay as they were; both models leave the same data."""
    results = {model: run(scatter, model, gpus) for model in ("golden", "rtl")}
    for result in results.values():
        assert result.status == 0 and f"scatter: {gpus} devices, 0 words are wrong" in result.out, result
        assert result.line["repeatable"] == "yes" and result.line["gpus"] == str(gpus), result
    assert results["golden"].line["data"] == results["rtl"].line["data"], results


def test_more_are_refused():
    result = run("rocminfo", "golden", MOST + 1)
    assert result.status == 65 and re.search(r"system\.gpus.*65.*64", result.err), result
