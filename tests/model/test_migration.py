# SPDX-License-Identifier: Apache-2.0
"""The protocol by which pages move, searched by Spin in all orders of what GPUs and the host do; each seeded fault of it is found, and a table that lacks a
row.  Not responsible for: what is searched (tests/model/*.pml), sizes (sw/tools/verify/model.py)."""
import functools
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "sw/tools"))
from gen import gen_steps  # noqa: E402
from verify import model  # noqa: E402

CASES = [pytest.param(name, marks=[pytest.mark.nightly] if case.nightly else [], id=name) for name, case in model.CASES.items()]
run = functools.cache(model.run)  # two tests want the same searches
# In the engine for an event that cannot come: what is added to a batch is sent in the same callback.
NEVER = {("NEW", "OWNER")}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.shows("S1.9", "S1.10", "S1.11", "S1.14")
def test_nothing_is_found(name):
    ok, line, _ = run(name)
    assert ok, line


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.nightly] if c.nightly else []) for n, c in model.FAULTS.items()])
def test_seeded_fault(name):
    ok, line, _ = model.run(name)
    assert ok, line


def test_each_row_is_reached():
    """Of the table, by some size by day."""
    missed = [set(run(name)[2]) for name, case in model.CASES.items() if not case.nightly]
    assert {(row.state, row.event) for row in set.intersection(*missed)} == NEVER


@pytest.mark.parametrize("row", ["STEP(FLUSH, OWNER, CACHED, unlock, GIVEN_UP)", "STEP(GIVEN_UP, ARRIVED, PUSHED, leave, OVER)", "STEP(RESUME, ANSWERED, ALWAYS, nothing, OVER)"])
def test_a_table_without_a_row(row):
    table = gen_steps.TABLE.read_text()
    assert row in table
    found, *_ = model.search("without", model.Case({"OWNERS": 1}, table=table.replace(row, "")))
    assert found == "assertion violated 0"


@pytest.mark.parametrize("row, cause", [
    ("STEP(FLUSH, FLUSHED, CACHED, nothing, OVER)", "a second row"), ("STEP(WAIT, FAILED, FAST, undo, OVER)", "nothing declares"),
    ("STEP(NEW, GO, ALWAYS, shoot, LOCK", "is no row"), ("STEP(NEW, GONE, ALWAYS, shoot, LOCK)", "nothing declares"),
    ("STEP(NEW, GO, PUSHED, shoot, LOCK)", "a second row"),
])
def test_a_table_that_is_none(row, cause):
    with pytest.raises(gen_steps.Bad, match=cause):
        gen_steps.read(gen_steps.TABLE.read_text() + row + "\n")
