# SPDX-License-Identifier: Apache-2.0
"""Scratch memory on RTL: a private array that is indexed at run time goes through swizzled buffer instructions of the
vector memory pipe; the golden model executes the same program in lock step."""
import re

from live import gantry_run
from test_mix import mix  # noqa: F401  (the fixture)


def test_scratch_in_lock_step(mix):  # noqa: F811
    result = gantry_run([mix, "scratch"], "rtl", options=["--lockstep"])
    assert result.status == 0 and "mix scratch: PASSED" in result.out, result
    counts = re.search(r"lockstep compared=(\d+) retired=(\d+)", result.err)
    assert counts and counts[1] == counts[2] and int(counts[1]) > 1000, result
    assert result.line["repeatable"] == "yes", result


def test_scratch_is_not_handed_out_twice(mix, model):  # noqa: F811
    """160 wavefronts fit on the CUs, scratch memory has room for 128 of them (32 a CU): the others wait."""
    result = gantry_run([mix, "scratch", "60"], model, 1)
    assert result.status == 0 and "mix scratch: PASSED" in result.out, result
