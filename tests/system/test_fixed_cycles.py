# SPDX-License-Identifier: Apache-2.0
"""Moves of a fixed time (key migrate.fixed_cycles) on whole machines: the key's cycles, the `data` of a run without moves, wherever the machine runs."""
import re
import subprocess

import pytest
from live import GANTRY, ROOT
from test_policies import folder, program, script  # noqa: F401

STEPS = ("lock", "shoot_down", "write_back", "copy")


def fixed(folder, cycles, *settings, options=()):  # noqa: F811
    return script(folder, "threshold", f"migrate.fixed_cycles={cycles}", *settings, options=options)


def taken(row):
    return sum(row[step] for step in STEPS)


@pytest.mark.shows("B.9")
@pytest.mark.parametrize("cycles", [2000, 9000])
def test_each_move_takes_its_time(folder, cycles):  # noqa: F811
    """2,000 cycles are enough for a GPU that is idle (the order), and hardly for accesses under way."""
    done = fixed(folder, cycles)
    assert done.data == script(folder, "never").data
    assert len(done.moves) == 4 and {row["fixed"] for row in done.moves} == {cycles}
    for row in done.moves:
        assert taken(row) == cycles + row["late"] and (row["late"] == 0 or row["copy"] == 0)
        assert row["wait"] + taken(row) + row["map"] == row["end"] - row["begin"]
    assert not any(row["late"] for row in done.moves if row["policy"] == "order" or cycles == 9000)
    late = sum(row["late"] > 0 for row in done.moves if row["policy"] == "threshold")
    assert re.search(rf"^gantry: migration: .* each; fixed: {cycles} each, {late} late$", done.err, re.M)


def test_lines_that_slices_hold(folder):  # noqa: F811
    """Both GPUs write to the blocks that move: what the host copies are lines that were dirty in the L2."""
    done = program(folder, "threshold", "turns", "4", settings=["migrate.fixed_cycles=1500"])
    assert done.data == program(folder, "never", "turns", "4").data
    assert len(done.moves) >= 4 and {row["fixed"] for row in done.moves} == {1500} and any(row["late"] for row in done.moves)


def test_without_it_nothing_is_fixed(folder):  # noqa: F811
    done = script(folder, "threshold")
    assert {(row["fixed"], row["late"]) for row in done.moves} == {(0, 0)} and "fixed" not in done.err


@pytest.mark.parametrize("settings, options", [(["place.processes=2"], []), ([], ["--lockstep"]), (["migrate.hold=dispatch"], ["--lockstep"])],
                         ids=["processes", "lockstep", "dispatch"])
def test_wherever_it_runs(folder, settings, options):  # noqa: F811
    done, plain = fixed(folder, 4000, *settings, options=options), fixed(folder, 4000, *[s for s in settings if s.startswith("migrate")])
    assert done.figures == plain.figures


def test_golden_gpus_take_no_time(folder):  # noqa: F811
    done = fixed(folder, 4000, options=["--model", "golden"])
    assert done.data == script(folder, "never").data
    assert [(row["policy"], row["fixed"], row["late"], row["copy"]) for row in done.moves] == [("order", 0, 0, 0)] * 2


def test_recorded_and_replayed(folder):  # noqa: F811
    """The host's copy is a change of memory that the recording has at its cycle."""
    done = fixed(folder, 4000, options=["--record", folder / "fixed"])
    replayed = subprocess.run([GANTRY, "replay", folder / "fixed"], cwd=ROOT, capture_output=True, text=True, timeout=900)
    assert replayed.returncode == 0, replayed.stderr
    for key in ("cycles", "hash", "data"):
        assert f"{key}={done.figures[key]}" in replayed.stderr
