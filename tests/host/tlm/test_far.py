# SPDX-License-Identifier: Apache-2.0
"""A GPU module without the host model: a program of its own sends commands and takes events, a plain memory behind far(0) is host memory, where the page walker
reads; nothing depends on the quantum.  DRAM is loaded and looked at by transport_dbg."""
import re

import pytest
from systemc import run


@pytest.fixture(autouse=True)
def fast_to_build(monkeypatch):
    monkeypatch.setenv("GANTRY_MODEL_OPT", "-O0")


def walk(quantum, memory):
    """Cycles of the first and the last read of far memory: the second table's is asked for when the first one's entry has come."""
    status, out, err = run("host/tlm/far", quantum, memory, "-c", "smallest")
    assert status == 0, err
    told = re.fullmatch(r"event 2 of command 7 in cycle (\d+)\nhost memory: (\d+) reads, (\d+) writes, in cycles (\d+) to (\d+); "
                        r"DRAM keeps what is loaded; \d+ windows\n", out)
    event, reads, writes, first, last = map(int, told.groups())
    assert reads == 2 and writes == 0
    assert first > 600 + 2 * 140 and event > 601 + 140  # there, and on to the host's memory
    return first, last


def test_a_walk_through_far_memory():
    assert len({walk(quantum, 50) for quantum in (1, 140, 10000)}) == 1


def test_its_time_is_that_of_the_walk():
    """Between the reads: what the memory takes, and a latency each way."""
    (first, last), (same, later) = walk(140, 150), walk(140, 750)
    assert same == first and later == last + 600
    inside = 2 * (16 + 74)  # link.noc_l2, link.cu_noc: from the far port through the crossbar to the page walker, and back
    assert 0 < last - (first + 150 + 2 * 140 + inside) < 20
