# SPDX-License-Identifier: Apache-2.0
"""A program that writes VRAM by its mapping, beside the L2: kernels of another GPU read what it has written, though the L2 of the memory's GPU has
these lines (CACHE_FAR, host/firmware/fence.c), and kernels there keep them."""

import pytest
from live import MODELS, built, gantry_run


@pytest.fixture(scope="module")
def far():
    return built("far")


@pytest.mark.shows("S0.18", "S1.2")
@pytest.mark.parametrize("options", [(), ("--set", "gpu.l2.mode=requester"), pytest.param(("--set", "gpu.l2.write=through"), marks=pytest.mark.nightly), ("--set", "place.processes=2"), ("--lockstep",)],
                         ids=["home", "requester", "through", "processes", "lockstep"])
def test_far_memory(far, options):
    if "rtl" not in MODELS:
        pytest.skip("GANTRY_MODELS leaves the RTL out")
    golden = gantry_run([far])
    done = gantry_run([far], "rtl", options=options)
    assert done.status == golden.status == 0 and done.out == golden.out == "far: 0 values are wrong\n", done
    assert done.line["data"] == golden.line["data"]
