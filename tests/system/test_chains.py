# SPDX-License-Identifier: Apache-2.0
"""Chains of dependent launches that rewrite each other's data (sw/apps/families/chains): at least 64 launches each, by turns on all GPUs.  Results
as the CPU's and `data` as the golden model's, with a write-back and a write-through L2.  Requirements S0.16 to S0.18, S1.5."""
import subprocess

import pytest
from live import APPS, MODELS, ROOT, gantry_run

pytestmark = pytest.mark.skipif("rtl" not in MODELS, reason="GANTRY_MODELS leaves the RTL out")
CHAINS = {"sort": 66, "floyd": 64, "rank": 128, "life": 64}  # launches
WRITE = ["back", "through"]  # gpu.l2.write


@pytest.fixture(scope="module", autouse=True)
def built():
    done = subprocess.run(["make", "-s", "build/apps/chains"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def passed(chain, gpus, *options, model="rtl"):
    result = gantry_run([APPS / "chains", chain], model=model, gpus=gpus, options=options)
    assert result.status == 0 and f"chains: {CHAINS[chain]} launches on {gpus} devices\n" in result.out, result
    assert "chains: PASSED" in result.out and result.line["repeatable"] == "yes", result
    on = {int(row["gpu"]) for row in result.kernels if not row["kernel"].startswith("rocr.")}
    assert on == set(range(gpus)), on
    return result


@pytest.mark.parametrize("chain", [pytest.param(c, marks=pytest.mark.nightly) if c == "life" else c for c in CHAINS])  # by far the longest
@pytest.mark.shows("S0.17", "S0.18")
def test_two_gpus(chain):
    assert passed(chain, 2).line["data"] == passed(chain, 2, model="golden").line["data"]


@pytest.mark.nightly
@pytest.mark.parametrize("chain", ["sort"])
@pytest.mark.shows("S0.16")
def test_write_through(chain):
    passed(chain, 2, "--set", "gpu.l2.write=through")


@pytest.mark.nightly
@pytest.mark.parametrize("write", WRITE)
@pytest.mark.parametrize("gpus", [1, 2, 4])
@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.shows("S0.16", "S0.17")
def test_all(chain, gpus, write):
    passed(chain, gpus, "--set", f"gpu.l2.write={write}", *(["--lockstep"] if gpus == 1 else []))
