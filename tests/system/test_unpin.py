# SPDX-License-Identifier: Apache-2.0
"""Unpinning memory while a kernel runs: each page is a shoot-down, and so a command for the GPU.  A dispatcher has 64
places for commands; what is more waits at the host."""
import pytest
from live import built, gantry_run


@pytest.mark.parametrize("count", [60, 130])
def test_unpin_while_a_kernel_runs(apps, model, count):  # noqa: ARG001
    result = gantry_run([built("unpin", "-lhsa-runtime64"), str(count)], model, 1)
    assert result.status == 0 and f"unpin {count}: PASSED" in result.out, result
    assert "internal error" not in result.err and result.line["repeatable"] == "yes", result
