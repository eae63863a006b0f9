# SPDX-License-Identifier: Apache-2.0
"""Counters of far accesses on whole machines beside what else a machine does: a checkpoint while they are not empty, a cache of far lines that answers some
accesses before they are counted (gpu.l2.mode requester)."""
import subprocess

from live import GANTRY, ROOT
from test_policies import PERIOD, folder, script  # noqa: F401

COMPARED = ("cycles", "hash", "data", "instructions")


def again(*words):
    done = subprocess.run([GANTRY, *words], cwd=ROOT, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_restored_while_counters_are_not_empty(folder):  # noqa: F811
    """The checkpoint lies shortly before the end of the phase whose counts make the pages move."""
    plain = script(folder, "periodic")
    first = min(row["begin"] for row in plain.moves if row["policy"] == "periodic")
    at = first - first % PERIOD - 50
    state = folder / "state"
    done = script(folder, "periodic", options=["--record", folder / "counted", "--checkpoint", f"cycle:{at},{state}"])
    assert done.figures == plain.figures and done.moves == plain.moves
    for err in (again("replay", folder / "counted"), again("restore", state)):
        assert all(f"{key}={plain.figures[key]}" in err for key in COMPARED), err


def test_lines_that_a_cache_answers_are_not_counted(folder):  # noqa: F811
    """Six rounds over the same lines: in home mode each round is counted."""
    settings = ["migrate.threshold=1000000", "gpu.cu.count=4"]  # nothing moves but by order
    home = script(folder, "threshold", *settings)
    cached = script(folder, "threshold", "gpu.l2.mode=requester", *settings)
    assert cached.data == home.data
    assert 0 < cached.far < home.far
    moved = script(folder, "threshold", "gpu.l2.mode=requester", "migrate.threshold=1")
    assert moved.data == home.data and sum(row["policy"] == "threshold" for row in moved.moves) == 2
    assert moved.far < cached.far
