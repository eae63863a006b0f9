# SPDX-License-Identifier: Apache-2.0
"""A GPU module without the host model: a program of its own sends commands and takes events, a plain memory behind far(0) is host memory, which the page walker
reads; nothing depends on the quantum.  DRAM is loaded and looked at by transport_dbg."""
import re

import pytest
from systemc import run


@pytest.fixture(autouse=True)
def fast_to_build(monkeypatch):
    monkeypatch.setenv("GANTRY_MODEL_OPT", "-O0")


def test_a_walk_through_far_memory():
    outs = set()
    for quantum in (1, 140, 10000):
        status, out, err = run("host/tlm/far", quantum, 50, "-c", "smallest")
        assert status == 0, err
        outs.add(out)
    assert len(outs) == 1
    told = re.fullmatch(r"event 2 of command 7 in cycle (\d+)\nhost memory: (\d+) reads, (\d+) writes, the last in cycle (\d+); "
                        r"DRAM keeps what is loaded; \d+ windows\n", outs.pop())
    event, reads, writes, cycle = map(int, told.groups())
    assert reads == 1 and writes == 0  # the root's entry is zero: not present
    assert cycle > 600 + 2 * 140 and event > 601 + 140  # there, and on to the host's memory
