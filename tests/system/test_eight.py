# SPDX-License-Identifier: Apache-2.0
"""B.1 at the upper end of its row: the ladder of docs/reference/driver.md on eight GPUs, all of them RTL (configuration tiny).  The programs of rungs 3 to 10
run on the first GPU and on the last one, whose numbers in doorbells, page tables, topology and links have every bit that there is."""
import re
import shutil

import pytest
from live import MODELS, gantry_run, on_last_gpus, rows

pytestmark = [pytest.mark.skipif("rtl" not in MODELS, reason="GANTRY_MODELS leaves the RTL out"), pytest.mark.shows("B.1")]

GPUS = 8
PROGRAMS = ["vecadd", "reduction", "copies", "peer", "pipeline", "hashes"]
SEVERAL = ("hashes", "peer")  # use all GPUs that they see
QUEUES = ["barrier", "many", "full"]


def run(program, env=None):
    result = gantry_run(program, "rtl", GPUS, ["-c", "tiny"], env)
    assert result.status == 0 and result.line["gpus"] == str(GPUS), result
    return result


@pytest.mark.shows("S0.1", "S0.6")
def test_clients_see_eight():
    for program in ("rocminfo", "rocm_agent_enumerator"):
        if not shutil.which(program):
            pytest.skip(f"{program} is not installed")
    info = run(["rocminfo"]).out
    assert len(re.findall(r"^  Name: +gfx803", info, re.M)) == len(set(re.findall(r"Uuid: +(GPU-\w+)", info))) == GPUS, info
    assert run(["rocm_agent_enumerator"]).out.split() == ["gfx000"] + ["gfx803"] * GPUS


@pytest.mark.parametrize("what", QUEUES)
@pytest.mark.parametrize("last", [False, True])
def test_raw_queues(apps, what, last):
    assert f"hsa_queue {what}: PASSED" in run([apps / "hsa_queue", what], {"ROCR_VISIBLE_DEVICES": str(GPUS - 1)} if last else None).out


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("last", [False, True])
@pytest.mark.shows("S0.7", "S0.11")
def test_programs(apps, program, last):
    count = (2 if last else GPUS) if program in SEVERAL else 1
    result = run([apps / program], on_last_gpus(GPUS, count) if last else None)
    assert f"{program}: PASSED" in result.out and result.line["repeatable"] == "yes", result
    assert {gpu for gpu, _ in rows(result)} == {GPUS - 1 - n if last else n for n in range(count)}, result
