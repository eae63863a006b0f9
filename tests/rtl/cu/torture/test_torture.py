# SPDX-License-Identifier: Apache-2.0
"""Random programs in lock step (B.6, C.1), on other shapes of a compute unit too (C.5): no difference in 75,000 instructions (nightly a million, and
100 million), and seeded faults of the compute unit are found and shrunk to a few instructions.  Programs that once failed are in cases/."""
import os
import pathlib
import re
import sys

import pytest

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))
import deck  # noqa: E402
import fuzz  # noqa: E402
import kernel  # noqa: E402
import torture  # noqa: E402
from program import Block, Group, Line, count, emit  # noqa: E402

FIRST = 1
INSTRUCTIONS = int(os.environ.get("GANTRY_TORTURE", 1_000_000 if os.environ.get("GANTRY_NIGHTLY") == "1" else 75_000))


def run_body(lines, folder, groups=1, waves=1, settings=()):
    p = kernel.make(1, 10)
    p.groups, p.waves, p.settings, p.rounding, p.denormals = groups, waves, dict(settings), 0, 0
    p.items = [Line(line) for line in lines]
    return torture.execute(p, folder)


@pytest.mark.shows("B.6", "C.1")
def test_random_programs():
    failures, programs, total = torture.campaign(FIRST, instructions=INSTRUCTIONS)
    assert not failures, "\n".join(failures)
    assert total >= INSTRUCTIONS and programs >= INSTRUCTIONS // 100_000


@pytest.mark.shows("C.5")
def test_random_programs_on_the_smallest(monkeypatch):
    """One SIMD of four lanes with four slots (nightly a million)."""
    monkeypatch.setattr(torture, "CONFIG", "smallest")
    want = 1_000_000 if os.environ.get("GANTRY_NIGHTLY") == "1" else 50_000
    failures, _, total = torture.campaign(FIRST, instructions=want)
    assert not failures, "\n".join(failures)
    assert total >= want


@pytest.mark.nightly
def test_many_random_programs():
    failures, _, total = torture.campaign(100_000, instructions=int(os.environ.get("GANTRY_TORTURE_NIGHTLY", 100_000_000)))
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize("case", sorted(p.name for p in (HERE / "cases").glob("*.s")))
def test_case(case, tmp_path):
    text = (HERE / "cases" / case).read_text()
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith(";")]
    shape = re.search(r"^; groups (\d+), waves (\d+)$", text, re.M)
    groups, waves = (int(shape[1]), int(shape[2])) if shape else (4, 2)
    outcome = run_body(lines, tmp_path, groups=groups, waves=waves, settings=re.findall(r"^; set (\S+)=(\S+)$", text, re.M))
    assert not outcome.kind, outcome.detail


@pytest.mark.shows("C.1")
def test_random_words():
    """Random words as code: no crash, no hang, no difference; faults are the same in both models."""
    failures, ends = fuzz.campaign(1, seeds=66 if os.environ.get("GANTRY_NIGHTLY") == "1" else 33)
    assert not failures, "\n".join(failures)
    assert ends.get("illegal", 0) >= 3


@pytest.mark.parametrize("jump", fuzz.WILD)
def test_wild_jump(jump):
    """s_trap 2 without a handler is a fault; a jump to where nothing is executes, then the fetch is one, in both models."""
    assert fuzz.one(fuzz.wild(jump)) == ("", "other fault")


@pytest.mark.nightly
def test_many_random_words():
    failures, _ = fuzz.campaign(10_000, seconds=float(os.environ.get("GANTRY_FUZZ_NIGHTLY", 3600)))
    assert not failures, "\n".join(failures)


def test_same_seed_same_program():
    one, two, other = (kernel.text(kernel.make(s, 300)) for s in (7, 7, 8))
    assert one == two != other


def test_waits():
    """A result is used after a wait that is long enough and no longer; what skips a block waits for what was under way before it."""
    load = [Line(f"buffer_load_dword v{n}, off, s[4:7], 0", "vm", frozenset([f"v{n}"])) for n in range(3)]
    assert emit([*load, Line("v_mov_b32 v9, v1")])[3] == "s_waitcnt vmcnt(1)"
    read = [Line(f"ds_read_b32 v{n}, v9", "ds", frozenset([f"v{n}"])) for n in range(3)]
    scalar = Line("s_load_dword s40, s[2:3], 0x0", "sm", frozenset(["s40"]))
    assert emit([*read, Line("v_mov_b32 v9, v0")])[3] == "s_waitcnt lgkmcnt(2)"
    assert emit([*read, scalar, Line("v_mov_b32 v9, v0")])[4] == "s_waitcnt lgkmcnt(0)"
    block = Block([Line("s_cbranch_scc0 L")], [load[1]], [Line("L:")])
    out = emit([load[0], block, load[2], Line("v_mov_b32 v9, v0")])
    assert out == ["  buffer_load_dword v0, off, s[4:7], 0", "  s_cbranch_scc0 L", "  buffer_load_dword v1, off, s[4:7], 0", "s_waitcnt vmcnt(0)", "L:",
                   "  buffer_load_dword v2, off, s[4:7], 0", "s_waitcnt vmcnt(1)", "  v_mov_b32 v9, v0", "s_waitcnt vmcnt(0)"]
    assert count([Group(load), block]) == 5


@pytest.mark.shows("C.1")
def test_every_cell_is_dealt():
    """The deck holds every implemented encoding, and seeds in a row go through it."""
    isa = deck.isa
    encodings = [e for e in isa.encodings() if e.implemented and e.name not in isa.BLOCKS]
    assert {e.key for e, _ in deck.cells()} == {e.key for e in encodings}
    sizes = [kernel.make(s, 200).generator for s in (1, 2)]
    assert sizes[0].dealt <= 200 + 100 and sizes[1].dealt >= 200


@pytest.fixture
def faulty_model(monkeypatch):
    monkeypatch.setenv("GANTRY_MODEL_DEFINES", "GANTRY_FAULTS")
    monkeypatch.setenv("GANTRY_MODEL_OPT", "-O0")  # that of tests/rtl/cu/test_lockstep_faults.py


@pytest.mark.parametrize("fault", [pytest.param(n, marks=pytest.mark.nightly) if n != 15 else n for n in (3, 6, 8, 9, 15)])
def test_fault_is_found_and_shrunk(fault, faulty_model, monkeypatch):
    """A fault of the compute unit (cu_pkg::FaultSeed) is found by one of a few programs and shrunk to at most 8 instructions."""
    monkeypatch.setenv("GANTRY_FAULT", str(fault))
    monkeypatch.setattr(torture, "MAX_CYCLES", 3_000_000)
    for seed in range(1, 13):
        outcome, text, shrunk = torture.one(seed, 300, golden=False)
        if outcome.kind:
            print(text)
            assert "lockstep" in text and shrunk and count(shrunk.items) <= 8, text
            assert f"--seed {seed}" in text
            return
    pytest.fail(f"fault {fault} was not found")
