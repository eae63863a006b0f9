# SPDX-License-Identifier: Apache-2.0
"""Kernels are executed, not replayed from a trace: the same code on other data takes another number of instructions and of cycles, as its control flow says
(S4.8); a kernel with an array of its own for each lane has it in local memory, behind the caches, with right results (S4.12)."""
import re

import pytest
from live import MODELS, built, gantry_run


@pytest.fixture(scope="module")
def executed():
    return built("executed")


@pytest.fixture(scope="module")
def result(executed):
    """By model."""
    return {model: gantry_run([executed], model, 1) for model in MODELS}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.shows("S4.8")
def test_time_hangs_on_data(result, model):
    """One binary, one wavefront, starts 1, 27 and 97: 0, 111 and 118 steps.  Instructions grow by the same number for each step, and cycles with them."""
    assert result[model].status == 0 and "executed: PASSED" in result[model].out, result[model]
    found = [row for row in result[model].kernels if "collatz" in row["kernel"]]
    none, some, more = ([int(row[what]) for what in ("instructions", "cycles")] for row in found)
    step = (some[0] - none[0]) / 111
    assert step >= 5 and abs((more[0] - some[0]) - 7 * step) <= 7 * step * 0.2, found
    if model == "rtl":
        assert none[1] + 111 * 4 * 5 < some[1] < more[1], found  # a wavefront issues at most every fourth cycle


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.shows("S4.12")
def test_local_arrays(result, model):
    """24 words a lane, more than the kernel's registers would hold at places that it computes: the compiler has put them into local memory."""
    assert result[model].status == 0 and "executed: PASSED" in result[model].out, result[model]
    found = re.search(r"executed: (\d+) bytes of local memory a lane", result[model].out)
    assert found and int(found[1]) >= 24 * 4, result[model]
