# SPDX-License-Identifier: Apache-2.0
"""B.6: every retired instruction of the RTL equals the golden model's, and all models leave the same data."""
import re

import pytest
from live import MODELS, gantry_run
from test_ladder import PROGRAMS

OFTEN = ("copies", "histogram", "peer", "saxpy2", "sorting")  # copies, atomics of the LDS, two GPUs, two threads, many launches; nightly all
pytestmark = pytest.mark.skipif("rtl" not in MODELS, reason="GANTRY_MODELS leaves the RTL out")


@pytest.mark.parametrize("program", [p if p in OFTEN else pytest.param(p, marks=pytest.mark.nightly) for p in PROGRAMS])
@pytest.mark.shows("B.6")
def test_lockstep(apps, program):
    result = gantry_run([apps / program], "rtl", 2, ["--lockstep"])
    assert result.status == 0 and f"{program}: PASSED" in result.out, result
    found = re.search(r"lockstep compared=(\d+) retired=(\d+)", result.err)
    assert found and found[1] == found[2] == result.line["instructions"] and int(found[1]) > 100, result
    rtl, golden = (gantry_run([apps / program], model, 2) for model in ("rtl", "golden"))
    assert rtl.line["data"] == golden.line["data"] == result.line["data"]
    assert rtl.line["instructions"] == golden.line["instructions"] == result.line["instructions"]
    if program != "saxpy2":  # its two threads race to the driver: their order is the program's affair
        assert rtl.line["cycles"] == result.line["cycles"]  # watching changes nothing
