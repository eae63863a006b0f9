# SPDX-License-Identifier: Apache-2.0
"""The clocks of a program tell target time under the gated clock: its own timers agree with the kernel table, its code takes no time, what waits for a time
ends (docs/reference/clock.md)."""

import pytest
from live import built, gantry_run

FINE = ("realtime", "monotonic", "raw", "coarse", "cpu", "timespec_get", "steady", "system", "rdtsc")  # ns
ROUGH = ("gettimeofday", "clock", "rusage")  # us
COARSE = {"times": 10_000_000, "time": 1_000_000_000}
Y2000, Y2026 = 946_684_800, 1_767_225_600


@pytest.fixture(scope="module")
def program():
    return built("clocks")


def told(program, what, model="golden", *options):
    result = gantry_run([program, what], model, 1, options)
    assert result.status == 0, result
    return {name: int(ns) for name, ns in (line.split() for line in result.out.splitlines())}, result


@pytest.mark.shows("B.4")
def test_a_kernel(program, model):
    """Every clock shows what the kernel table shows, and what comes before and behind it: packet, signal, interrupt."""
    clocks, result = told(program, "kernel", model)
    cycles = [int(row["end"]) - int(row["start"]) for row in result.kernels if "work" in row["kernel"]]
    assert len(cycles) == 1 + len(clocks) - 1
    least, most = min(cycles[1:]), max(cycles[1:])
    for name in FINE:
        assert least <= clocks[name] <= most + 12_000, (name, clocks, cycles)
    for name in ROUGH:
        assert least - 1000 <= clocks[name] <= most + 13_000, (name, clocks, cycles)
    for name, step in COARSE.items():
        assert clocks[name] in (0, step), (name, clocks)
    assert told(program, "kernel", model)[0] == clocks  # and the next run the same


def test_code_takes_no_time(program):
    clocks, _ = told(program, "code")
    assert all(ns <= 1000 for ns in clocks.values() if ns < Y2000) and clocks["date"] == Y2000, clocks


def test_sleeps(program):
    clocks, _ = told(program, "sleep")
    assert all(30_000_000 <= clocks[name] <= 30_001_000 for name in FINE + ROUGH), clocks


def test_loops_and_waits_for_a_time_end(program):
    """Who reads the clock again and again lets time pass; a wait until a time lasts as long on the program's clock."""
    loops, _ = told(program, "loop")
    assert all(20_000_000 <= loops[name] <= 23_000_000 for name in FINE + ROUGH), loops
    waits, _ = told(program, "wait")
    assert all(100_000_000 <= waits[name] <= 100_010_000 for name in FINE + ROUGH), waits


def test_handlers_of_signals_look_at_the_clock(program):
    """Also while their thread waits for an answer of the driver."""
    told(program, "signal")


def test_clocks_of_the_host(program):
    """By key, and with a clock that runs freely."""
    for options in (("--set", "clock.program=host"), ("--set", "clock.mode=free")):
        clocks, _ = told(program, "code", "golden", *options)
        assert clocks["date"] > Y2026 and all(clocks[name] > 1_000_000 for name in FINE + ROUGH), (options, clocks)
