# SPDX-License-Identifier: Apache-2.0
"""The rule of windows (bridge/tlm/windowed.hpp) with one partition, an L2 slice between a requester that runs ahead by the global quantum and a store: every
answer comes in the cycle in which the slice alone gives it; what a partner does wrong ends the simulation with one line."""
import pytest
from systemc import run

BATCHES = 1500
CONFIG = ["-c", "smallest"]
QUANTA = [0, 1, 8, 140, 10000]  # ns


@pytest.fixture(scope="module")
def plain():
    status, out, err = run("bridge/tlm/l2_plain", BATCHES, *CONFIG)
    assert status == 0, err
    assert out.endswith(" 0 wrong\n") and int(out.split()[0]) > 2 * BATCHES
    return out


@pytest.mark.parametrize("quantum", QUANTA)
@pytest.mark.shows("B.3")
def test_answers_do_not_depend_on_the_quantum(quantum, plain):
    status, out, counters = run("bridge/tlm/l2_module", BATCHES, quantum, "none", *CONFIG)
    assert (status, out) == (0, plain)
    assert ".read-miss " in counters and ".writeback-victim " in counters  # it had something to do


def test_a_promise_changes_nothing(plain):
    assert run("bridge/tlm/l2_module", BATCHES, 140, "promised", *CONFIG)[:2] == (0, plain)


@pytest.mark.parametrize("misuse, status, line", [
    ("read", 1, "l2.mem_req_i: takes writes of 96 bytes at address 0, all enabled: this was a read of 96 at 0"),
    ("short", 1, "l2.mem_req_i: takes writes of 96 bytes at address 0, all enabled: this was a write of 88 at 0"),
    ("promise", 1, "l2.mem_req_i: local time of cycle 100 lies behind the promise of cycle 200"),
    ("order", 1, "l2.mem_req_i: local time of cycle 99 lies behind the message of cycle 100"),
    ("unbound", 1, "nobody is bound"),
    ("wait", 1, "l2.dram_req_o: who is bound there waits in b_transport: it must add to the delay and return"),
    ("latency", 1, "l2: the kernel's time has passed cycle 0, which cannot run: mem_req_i has a latency of 0 and is promised nothing from cycle 0 on"),
    ("coarse", 65, "gantry: time resolution: coarser than 1 ns"),
    ("index", 64, "gantry: partition 9 of kind l2 of gpu0: the configuration has 2 in each of 1 GPUs"),
    ("port", 64, "gantry: l2: kind l2 has no input mem_rsp[0]: there are mem_req[1], dram_rsp[1], ctl_cmd[1]"),
])
def test_misuse(misuse, status, line):
    got, out, err = run("bridge/tlm/l2_module", 20, 8, misuse, *CONFIG)
    assert got == status and line in out + err, out + err
    assert "answers" not in out


@pytest.mark.parametrize("words, status, line", [
    (["-c", "nowhere"], 66, "gantry: nowhere: "),
    (["-c", "smallest", "--set", "gpu.l2.slices=3"], 65, "gantry: --set: gpu.l2.slices: "),
    (["-c", "smallest", "--set", "gpu.clock_mhz=1500"], 65, "gantry: gpu.clock_mhz: a cycle of 1500 MHz is no multiple of the time resolution"),
    (["-c", "smallest", "--seed=1"], 64, "gantry: --seed=1: a configuration is -c FILE and --set KEY=VALUE"),
])
def test_bad_configurations(words, status, line):
    got, out, err = run("bridge/tlm/l2_module", 20, 8, "none", *words)
    assert got == status and any(text.startswith(line) for text in err.splitlines()), err
