# SPDX-License-Identifier: Apache-2.0
"""B.4 in its own words: ten runs of a program of two processes with two threads each are identical, in every cycle, count and byte, while both cores are kept
busy.  Each process polls nothing and races with nobody: its threads ask in turns and wait at the same time."""
import subprocess
import sys

import pytest
from live import MODELS, built, gantry_run

RUNS = 10
FIGURES = ("kernels", "cycles", "instructions", "hash", "data", "counters", "now")


@pytest.fixture(scope="module")
def taking_turns():
    return built("taking_turns", "-I", "sw/apps", "-lpthread")


@pytest.fixture
def load():
    """Three processes, more than there are cores, that compute without end."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(3)]
    yield
    for b in busy:
        b.kill()
        b.wait()


def run(taking_turns, model):
    result = gantry_run([taking_turns, "2"], model, 1, ["-c", "tiny"])
    assert result.status == 0 and "taking_turns: PASSED" in result.out, result
    assert result.line["repeatable"] == "yes", result
    assert len({row["process"] for row in result.kernels}) == 2, result
    return {key: result.line[key] for key in FIGURES}, result.kernels


@pytest.mark.parametrize("model", [pytest.param(m, marks=pytest.mark.nightly) if m == "golden" and "rtl" in MODELS else m for m in MODELS])
@pytest.mark.shows("B.4")
def test_ten_runs_are_identical(taking_turns, model):
    first = run(taking_turns, model)
    assert int(first[0]["kernels"]) >= 2 * 2 * 6
    for _ in range(RUNS - 1):
        assert run(taking_turns, model) == first
