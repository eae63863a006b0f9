# SPDX-License-Identifier: Apache-2.0
"""Partitions on boards (key place.boards, docs/reference/board.md): the same machine, cycle by cycle, wherever a partition runs."""
import os
import re
import sqlite3
import sys

import pytest
from boards import KINDS, SAME, counted, figures, gantry, placed, program, simulated, soft, standin  # noqa: F401
from live import ROOT, built

sys.path.insert(0, str(ROOT / "tests"))
sys.path.insert(0, str(ROOT / "tests/sw/kernels"))
import reference  # noqa: E402
import test_kernels  # noqa: E402

PARTS = [part for kind, part in KINDS.items() if kind != "gpu"]
BY_DAY = ("rdma",)
PROGRAMS = ["vecadd", "reduction", "histogram", "transpose", "pipeline", "matmul", "copies", "saxpy2", "hash", "blur"]


def kernel(name, folder, *options, env=None):
    with pytest.MonkeyPatch.context() as patch:
        for key, value in (env or {}).items():
            patch.setenv(key, value)
        line, got, want = test_kernels.launch(name, 4, folder, *options, config="smallest")
    test_kernels.difference(got, want)
    return {key: line[key] for key in SAME}


# ---- the same, wherever a partition runs
@pytest.mark.parametrize("name", ["vecadd", *(pytest.param(p, marks=pytest.mark.nightly) for p in ("histogram", "pipeline"))])
@pytest.mark.shows("B.3")
def test_all_partitions_on_boards(apps, soft, name, tmp_path):
    """Each on a board of its own, at the same time; twice; on two host threads; with idle cycles evaluated."""
    plain, none = program(apps / name, tmp_path / "plain")
    assert none == [] and int(plain[1]["kernels"]) > 0
    first, boards = counted(program(apps / name, tmp_path / "boards", *placed(*PARTS), env=soft))
    assert first == plain and [b["part"] for b in boards] == PARTS and all(b["exchanges"] and b["cycles"] for b in boards)
    assert counted(program(apps / name, tmp_path / "again", *placed(*PARTS), env=soft)) == (plain, boards)
    assert counted(program(apps / name, tmp_path / "threads", *placed(*PARTS), "--threads", 2, env=soft)) == (plain, boards)
    evaluated, more = program(apps / name, tmp_path / "noskip", *placed("gpu0.rdma"), "--no-skip", env=soft)
    assert evaluated == plain and more[0]["exchanges"] > boards[0]["exchanges"]


@pytest.mark.parametrize("kind", [*KINDS])
@pytest.mark.nightly
def test_each_kind_behind_a_byte_stream(apps, soft, kind, tmp_path):
    whole = ["--set", "system.rtl=whole"] if kind == "gpu" else []
    for name in PROGRAMS:
        plain, _ = program(apps / name, tmp_path / f"{name}.plain", *whole)
        assert program(apps / name, tmp_path / name, *whole, *placed(KINDS[kind]), env=soft)[0] == plain


@pytest.mark.nightly
@pytest.mark.shows("B.3")
def test_boards_of_two_processes(apps, soft, tmp_path):
    """A board belongs to the process that runs its GPU."""
    two, parts = ["--set", "system.gpus=2"], ["gpu0.rdma", "gpu1.rdma", "gpu1.l2s1"]
    plain, _ = program(apps / "peer", tmp_path / "plain", *two, config="tiny")
    one, boards = counted(program(apps / "peer", tmp_path / "one", *two, *placed(*parts), env=soft, config="tiny"))
    apart = counted(program(apps / "peer", tmp_path / "two", *two, *placed(*parts), "--set", "place.processes=2", env=soft, config="tiny"))
    assert one == plain and apart == (one, boards) and [b["part"] for b in boards] == parts


@pytest.mark.parametrize("keys", [pytest.param(["migrate.policy=threshold", "migrate.threshold=2"], id="counters"),
                                  pytest.param(["migrate.policy=first-touch", "migrate.map=lazy", "migrate.fault_cycles=100"], id="first-accesses",
                                               marks=pytest.mark.nightly)])
def test_pages_move_beside_boards(soft, keys, tmp_path):
    """What locks, counts, carries and withholds pages is on boards: each move at its cycle."""
    def ran(folder, *parts):
        words = [word for key in ["system.gpus=2", *keys] for word in ("--set", key)]
        _, err = gantry("run", "-o", folder, *words, *placed(*parts), "--", built("writers"), "use", "4", config="tiny", env=soft)
        return figures(err), sqlite3.connect(folder / "metrics.sqlite").execute("select * from moves order by rowid").fetchall()
    plain = ran(tmp_path / "plain")
    assert len(plain[1]) >= 4
    assert ran(tmp_path / "boards", "gpu0.rdma", "gpu1.rdma", "gpu0.l2s0", "gpu1.utcl2", "gpu1.dispatch") == plain


# ---- simulated boards
SIMULATED = [kind if kind in BY_DAY else pytest.param(kind, marks=pytest.mark.nightly) for kind in KINDS]


@pytest.mark.parametrize("kind", [kind if kind == "rdma" else pytest.param(kind, marks=pytest.mark.nightly) for kind in KINDS])
@pytest.mark.shows("B.3")
def test_kernel_on_a_simulated_board(standin, kind, tmp_path):
    """By day one kernel."""
    whole = ["--set", "system.rtl=whole"] if kind == "gpu" else []
    for name in reference.CASES if os.environ.get("GANTRY_NIGHTLY") == "1" else ["vecadd"]:
        assert kernel(name, tmp_path, *whole, *placed(KINDS[kind])) == kernel(name, tmp_path, *whole)


@pytest.mark.parametrize("kind", SIMULATED)
@pytest.mark.shows("B.3")
def test_program_on_a_simulated_board(apps, standin, kind, tmp_path):
    """Twice: the board takes the same cycles, and the same bytes come and go."""
    whole = ["--set", "system.rtl=whole"] if kind == "gpu" else []
    for name in PROGRAMS if os.environ.get("GANTRY_NIGHTLY") == "1" else PROGRAMS[:1]:
        plain, _ = program(apps / name, tmp_path / f"{name}.plain", *whole)
        first, boards, cycles = simulated(apps / name, tmp_path / name, *whole, *placed(KINDS[kind]))
        assert first == plain and boards[0]["where"] == "sim" and boards[0]["cycles"] > 0 and len(cycles) == 1
        assert simulated(apps / name, tmp_path / f"{name}.again", *whole, *placed(KINDS[kind])) == (plain, boards, cycles)


def test_two_simulated_boards(apps, standin, tmp_path):
    """Whoever opens the second looks at the first, too, whose transfers are under way."""
    plain, _ = program(apps / "vecadd", tmp_path / "plain")
    ran, boards, cycles = simulated(apps / "vecadd", tmp_path / "boards", *placed("gpu0.l2s0", "gpu0.l2s1"))
    assert ran == plain and [b["part"] for b in boards] == ["gpu0.l2s0", "gpu0.l2s1"] and len(cycles) == 2


@pytest.mark.nightly
def test_several_simulated_boards(apps, standin, tmp_path):
    """At once, also on two host threads: their times do not depend on each other."""
    plain, _ = program(apps / "histogram", tmp_path / "plain")
    first = simulated(apps / "histogram", tmp_path / "boards", *placed("gpu0.rdma", "gpu0.l2s0", "gpu0.l2s1"))
    assert first[0] == plain and len(first[2]) == 3
    assert simulated(apps / "histogram", tmp_path / "again", *placed("gpu0.rdma", "gpu0.l2s0", "gpu0.l2s1"), "--threads", 2) == first


FAULTS = ["lose=100", "damage=100", "double=100", "cut=100", "byte=10000", "stale=3000", "latency=1", "latency=255", "pause=30"]


@pytest.mark.parametrize("fault", [fault if fault == "damage=100" else pytest.param(fault, marks=pytest.mark.nightly) for fault in FAULTS])
def test_what_goes_wrong_on_the_cable(apps, standin, fault, tmp_path):
    """Nothing of it shows in a result."""
    plain, _ = program(apps / "vecadd", tmp_path / "plain")
    ran, boards, _ = simulated(apps / "vecadd", tmp_path / "board", *placed("gpu0.rdma"), fault=fault)
    assert ran == plain and (boards[0]["resent"] > 0) == (fault.split("=")[0] in ("lose", "damage", "cut", "byte"))


# ---- beside boards
def test_lock_step_beside_a_board(apps, soft, tmp_path):
    """Compute unit and L2 slices are here: every instruction is compared."""
    plain, _ = program(apps / "vecadd", tmp_path / "plain", "--lockstep")
    assert program(apps / "vecadd", tmp_path / "board", "--lockstep", *placed("gpu0.rdma", "gpu0.noc"), env=soft)[0] == plain


@pytest.mark.shows("S4.7")
def test_recorded_on_a_board_and_replayed_with_waves(apps, soft, tmp_path):
    """What a prototyper does when a run on a board goes wrong: the recording replays in simulation, where waves are."""
    record = tmp_path / "recording"
    _, err = gantry("run", "--record", f"{record},gpu0.rdma", *placed("gpu0.rdma"), "--", apps / "vecadd", env=soft)
    _, again = gantry("replay", "-o", tmp_path / "replay", "--wave", "gpu0.rdma@0:4000", record, config=None)
    assert figures(again) == figures(err) and (tmp_path / "replay/gpu0.rdma.fst").stat().st_size > 0
    assert " on sim: " in err and " on sim: " not in again
    _, again = gantry("replay", *placed("gpu0.rdma"), record, env=soft, config=None)
    assert figures(again) == figures(err) and " on sim: " in again


@pytest.mark.shows("S4.7")
def test_a_wrong_bit_of_a_board_is_found(apps, soft, tmp_path):
    """As docs/reference/board.md has it: one bit of one message is wrong on the board, and the program does not notice.  The recording, replayed in
    simulation, names message, port, cycle and both values, and gives waves around it."""
    record, waves, part = tmp_path / "recording", tmp_path / "waves", "gpu0.rdma"
    gantry("run", "-q", "--record", f"{record},{part}", *placed(part), "--", apps / "vecadd", env={**soft, "GANTRY_SOFT_FAULT": "wrong@600"})
    _, err = gantry("replay", "-q", record, config=None, status=70)
    assert re.match(r"gantry: replay: gpu0: by cycle \d+ it has written other bytes to its VRAM than recorded\n", err), err
    _, err = gantry("replay", "-q", "--only", part, record, config=None, status=70)
    found = re.match(r"gantry: replay: gpu0\.rdma: message \d+ differs: (\w+ \d+) at cycle (\d+) \(recorded \1 at cycle \2\), "
                     r"data\[3\]=0x(\w+) \(recorded 0x(\w+)\)\n", err)
    assert found and int(found[3], 16) ^ int(found[4], 16) == 1, err
    cycle = int(found[2])
    _, again = gantry("replay", "-q", "--only", part, "--wave", f"{part}@{cycle - 200}:{cycle + 100}", "-o", waves, record, config=None, status=70)
    assert again.endswith(err) and (waves / f"{part}.fst").stat().st_size > 0
