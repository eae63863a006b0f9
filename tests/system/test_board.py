# SPDX-License-Identifier: Apache-2.0
"""Partitions on boards (key place.boards, docs/reference/board.md): the same machine, cycle by cycle, wherever a partition runs; what is told when a
board is lost, is another, or is asked for what it cannot do.  Two kinds of boards: simulated ones as a user has them (fpga/sim: chip, framing and harness
in RTL, reached through libftdi1), and a program in C behind a bare byte stream (tests/bridge/board/soft_board.c), which takes no time and breaks rules
when it is told to."""
import json
import os
import pathlib
import re
import shlex
import signal
import sqlite3
import subprocess
import sys
import time

import pytest
from live import GANTRY, ROOT
from processes import holding, names, within

sys.path.insert(0, str(ROOT / "tests"))
sys.path.insert(0, str(ROOT / "tests/sw/kernels"))
import reference  # noqa: E402
import snippet  # noqa: E402
import test_kernels  # noqa: E402

LIMIT = 1800  # with the build of models
KINDS = {"rdma": "gpu0.rdma", "noc": "gpu0.noc", "l2": "gpu0.l2s0", "utcl2": "gpu0.utcl2", "sqc": "gpu0.sqc0", "dispatch": "gpu0.dispatch", "cu": "gpu0.cu0",
         "gpu": "gpu0"}
PARTS = [part for kind, part in KINDS.items() if kind != "gpu"]
BY_DAY = ("rdma", "l2")
PROGRAMS = ["vecadd", "reduction", "histogram", "transpose", "pipeline", "matmul", "copies", "saxpy2", "hash", "blur"]
SAME = ("gpus", "kernels", "cycles", "instructions", "repeatable", "hash", "data", "counters", "now")
ENDLESS = "again:\n s_add_u32 s4, s4, 1\n s_branch again\n s_endpgm"
AWAY = """
#include <hip/hip_runtime.h>
#include <cstdio>
__global__ void one(unsigned *p) { *p = 1; }
int main()
{
    unsigned *p;
    (void)hipMalloc(&p, 4);
    one<<<1, 1>>>(p);
    (void)hipDeviceSynchronize();
    std::puts("away");
    std::fflush(stdout);
    for (volatile unsigned n = 0;;)
        n = n + 1;
}
"""


@pytest.fixture(scope="session")
def soft(tmp_path_factory):
    """Environment in which the program in C plays every board."""
    flags = dict(line.split("=", 1) for line in subprocess.run(["make", "-s", "print-flags"], cwd=ROOT, capture_output=True, text=True).stdout.splitlines()
                 if "=" in line)
    target = tmp_path_factory.mktemp("board") / "soft_board"
    subprocess.run([*shlex.split(flags["CC"]), *shlex.split(flags["CFLAGS"]), "-O1", "-o", target, "tests/bridge/board/soft_board.c", "build/lib/libgantry.a",
                    *shlex.split(flags["LDLIBS"])], cwd=ROOT, check=True)
    return {"GANTRY_BOARD_PROGRAM": str(target)}


def placed(*parts, board="sim"):
    """Options that put them on boards."""
    return ["--set", "place.boards=" + " ".join(f"{part}={board}" for part in parts)] if parts else []


def start(command, *options, env=None, config="smallest"):
    """config: None of a replay, which has its own."""
    return subprocess.Popen([GANTRY, command, *(["-c", config] if config else []), *map(str, options)], cwd=ROOT, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, env={**os.environ, **(env or {})})


def gantry(command, *options, status=0, **kw):
    process = start(command, *options, **kw)
    out, err = process.communicate(timeout=LIMIT)
    assert process.returncode == status, (process.returncode, out, err)
    return out, err


def figures(err):
    found = dict(re.findall(r"(\w+)=(\S+)", next(text for text in err.splitlines() if text.startswith("gantry: gpus="))))
    return {key: found[key] for key in SAME}


def results(folder):
    """Every counter and every launch, in the order in which they were told; what each board did, without host time."""
    db = sqlite3.connect(folder / "metrics.sqlite")
    counters = [row for row in db.execute("select location, what, value, unit from metrics order by rowid").fetchall() if row[1] != "cpu_us"]
    boards = [{key: value for key, value in row.items() if key != "seconds"} for row in json.loads((folder / "run.json").read_text())["boards"]]
    return (counters, (folder / "kernels.csv").read_text()), boards


def program(path, folder, *options, **kw):
    """What must be the same of a run wherever partitions are, and what its boards did."""
    out, err = gantry("run", "-o", folder, *options, "--", path, **kw)
    same, boards = results(folder)
    told = re.findall(r"^(\S+) on (\S+): (\d+) exchanges, (\d+) bytes sent, (\d+) taken, (\d+) frames sent again, (\d+) cycles, \d+ a second$", err, re.M)
    assert told == [tuple(str(b[key]) for key in ("part", "where", "exchanges", "bytes_sent", "bytes_taken", "resent", "cycles")) for b in boards], err
    return (out, figures(err), same), boards


def kernel(name, folder, *options, env=None):
    with pytest.MonkeyPatch.context() as patch:
        for key, value in (env or {}).items():
            patch.setenv(key, value)
        line, got, want = test_kernels.launch(name, 4, folder, *options, config="smallest")
    test_kernels.difference(got, want)
    return {key: line[key] for key in SAME}


def nothing_left(mark):
    left = within(5, lambda: not holding(mark))
    assert left, names(holding(mark))


# ---- the same, wherever a partition runs
@pytest.mark.parametrize("name", ["vecadd", "histogram", pytest.param("pipeline", marks=pytest.mark.nightly)])
@pytest.mark.shows("B.3")
def test_all_partitions_on_boards(apps, soft, name, tmp_path):
    """Each on a board of its own, at the same time; twice; on two host threads; with idle cycles evaluated."""
    plain, none = program(apps / name, tmp_path / "plain")
    assert none == [] and int(plain[1]["kernels"]) > 0
    first, boards = program(apps / name, tmp_path / "boards", *placed(*PARTS), env=soft)
    assert first == plain and [b["part"] for b in boards] == PARTS and all(b["exchanges"] and b["cycles"] for b in boards)
    assert program(apps / name, tmp_path / "again", *placed(*PARTS), env=soft) == (plain, boards)
    assert program(apps / name, tmp_path / "threads", *placed(*PARTS), "--threads", 2, env=soft) == (plain, boards)
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
    one, boards = program(apps / "peer", tmp_path / "one", *two, *placed(*parts), env=soft, config="tiny")
    apart = program(apps / "peer", tmp_path / "two", *two, *placed(*parts), "--set", "place.processes=2", env=soft, config="tiny")
    assert one == plain and apart == (one, boards) and [b["part"] for b in boards] == parts


# ---- simulated boards
SIMULATED = [kind if kind in BY_DAY else pytest.param(kind, marks=pytest.mark.nightly) for kind in KINDS]


@pytest.fixture(scope="session")
def standin():
    """Their libusb."""
    subprocess.run(["make", "-s", "standin"], cwd=ROOT, check=True)


def simulated(path, folder, *options, fault=""):
    """The same, and the cycles of the boards' own clocks."""
    stats = folder.parent / f"{folder.name}.stats"
    ran, boards = program(path, folder, *options, env={"GANTRY_BOARD_STATS": str(stats), "GANTRY_BOARD_FAULT": fault})
    return ran, boards, sorted(stats.read_text().splitlines())


@pytest.mark.parametrize("kind", SIMULATED)
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


@pytest.mark.parametrize("fault, cause", [("silent=5000000", "no answer for 1 s"), ("gone=5000000", ".*the simulated board.*")])
def test_a_simulated_board_is_lost(apps, standin, fault, cause, tmp_path):
    """It does not answer, or is unplugged."""
    _, err = gantry("run", "-q", *placed("gpu0.rdma"), "--", apps / "vecadd", env={"GANTRY_BOARD_FAULT": fault, "GANTRY_TEST_MARK": str(tmp_path)}, status=74)
    assert re.fullmatch(rf"gantry: gpu0\.rdma: the board is lost at cycle \d+, behind frame \d+: {cause}", err.splitlines()[0]), err
    nothing_left(f"GANTRY_TEST_MARK={tmp_path}")


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


# ---- boards that are lost
LOST = {
    "dies": "the other side has closed the connection; its process was ended by signal 9",
    "leaves": "the other side has closed the connection; its process has ended with status 3",
    "silent": "no answer for 1 s",
    "kind": "it answers with a record of kind 99",
    "link": "a message of its output 12; it has 12",
    "early": "a message of its output 11 comes from outside of the window",
    "late": "a message of its output 11 comes from outside of the window",
    "cycle": r"it stands at cycle \d+ instead of \d+",
    "error": "it refuses a record for its second message of a cycle"}


@pytest.mark.parametrize("fault", LOST)
def test_what_a_board_may_not_say(apps, soft, fault, tmp_path):
    """One line with partition, cycle and frame, status 74, nothing is left."""
    mark = f"GANTRY_TEST_MARK={tmp_path}"
    _, err = gantry("run", "-q", *placed("gpu0.rdma"), "--", apps / "vecadd", status=74,
                    env={**soft, "GANTRY_SOFT_FAULT": f"{fault}@300", "GANTRY_TEST_MARK": str(tmp_path)})
    lines = err.splitlines()
    assert len(lines) == 2 and lines[1].startswith("gantry: gpus=1"), err
    assert re.fullmatch(rf"gantry: gpu0\.rdma: the board is lost at cycle \d+, behind frame \d+: {LOST[fault]}", lines[0]), err
    nothing_left(mark)


def board_of(mark):
    return within(60, lambda: [pid for pid in holding(mark) if pathlib.Path(f"/proc/{pid}/comm").read_text() == "soft_board\n"])


@pytest.mark.parametrize("how, cause", [(signal.SIGKILL, r".*its process was ended by signal 9"), (signal.SIGSTOP, "no answer for 1 s")])
def test_killed_or_stopped_in_a_kernel(soft, how, cause, tmp_path):
    """Told within a second of whoever waits for it (two on a busy machine)."""
    code, mark = snippet.assemble(tmp_path, "endless", ENDLESS, 4), f"GANTRY_TEST_MARK={tmp_path}"
    run = start("kernel", "-q", *placed("gpu0.cu0"), code, "--grid", 64, "--group", 64, env={**soft, "GANTRY_TEST_MARK": str(tmp_path)})
    board, = board_of(mark)
    time.sleep(1)
    assert run.poll() is None
    os.kill(board, how)
    begin = time.monotonic()
    _, err = run.communicate(timeout=60)
    assert run.returncode == 74 and time.monotonic() - begin < 3, err
    lines = err.splitlines()
    assert len(lines) == 2 and re.fullmatch(rf"gantry: gpu0\.cu0: the board is lost at cycle \d+, behind frame \d+: {cause}", lines[0]), err
    nothing_left(mark)


def test_killed_while_the_clock_stands(soft, tmp_path):
    """The program computes, no partition is visited: the end of the board's process is seen all the same, and the program ended."""
    source, target, mark = tmp_path / "away.hip", tmp_path / "away", f"GANTRY_TEST_MARK={tmp_path}"
    source.write_text(AWAY)
    subprocess.run([ROOT / "sw/tools/hipcc.sh", "-O2", source, "-o", target], check=True, capture_output=True)
    run = start("run", "-q", *placed("gpu0.rdma"), "--", target, env={**soft, "GANTRY_TEST_MARK": str(tmp_path)})
    assert run.stdout.readline() == "away\n"
    board, = board_of(mark)
    os.kill(board, signal.SIGKILL)
    begin = time.monotonic()
    _, err = run.communicate(timeout=60)
    assert run.returncode == 74 and time.monotonic() - begin < 3, err
    assert re.search(r"^gantry: gpu0\.rdma: the board is lost at cycle \d+, behind frame \d+: nobody answers any more; its process was ended by signal 9$",
                     err, re.M), err
    nothing_left(mark)


def test_gantry_is_killed(soft, tmp_path):
    """Its boards end with it."""
    code, mark = snippet.assemble(tmp_path, "endless", ENDLESS, 4), f"GANTRY_TEST_MARK={tmp_path}"
    run = start("kernel", "-q", *placed("gpu0.cu0", "gpu0.rdma"), code, "--grid", 64, "--group", 64, env={**soft, "GANTRY_TEST_MARK": str(tmp_path)})
    assert within(60, lambda: len(board_of(mark)) == 2)
    run.kill()
    run.communicate(timeout=60)
    nothing_left(mark)


@pytest.mark.nightly
def test_lost_in_a_worker(apps, soft, tmp_path):
    """The worker's line is the only one."""
    mark = f"GANTRY_TEST_MARK={tmp_path}"
    for fault, status in (("dies@300", 74), ("silent@300", 74), ("hello-rtl", 74), ("mute", 74)):
        _, err = gantry("run", "-q", "--set", "system.gpus=2", "--set", "place.processes=2", *placed("gpu1.rdma"), "--", apps / "peer", status=status, config="tiny",
                        env={**soft, "GANTRY_SOFT_FAULT": fault, "GANTRY_TEST_MARK": str(tmp_path)})
        lines = [line for line in err.splitlines() if not line.startswith("gantry: gpus=")]
        assert len(lines) == 1 and lines[0].startswith("gantry: gpu1.rdma: "), err
        nothing_left(mark)


# ---- boards that are others
@pytest.mark.parametrize("field, cause", [
    ("version", "the board has version 2 of the protocol, this host 1"),
    ("kind", "the board holds a partition of kind sdma, not rdma"),
    ("rtl", "the board was made with other RTL text: [0-9a-f]{16} instead of [0-9a-f]{16}"),
    ("keys", "the board was made with other keys: .*"),
    ("graph", "the board was made with other graph of partitions: .*"),
    ("links", "the board was made with other links: .*")])
def test_another_board(apps, soft, field, cause):
    _, err = gantry("run", "-q", *placed("gpu0.rdma"), "--", apps / "vecadd", env={**soft, "GANTRY_SOFT_FAULT": f"hello-{field}"}, status=65)
    assert re.fullmatch(rf"gantry: gpu0\.rdma: {cause}", err.splitlines()[0]), err


def test_a_board_that_says_nothing(apps, soft):
    _, err = gantry("run", "-q", *placed("gpu0.rdma"), "--", apps / "vecadd", env={**soft, "GANTRY_SOFT_FAULT": "mute"}, status=74)
    assert err.splitlines()[0] == "gantry: gpu0.rdma: no answer to HELLO for 1 s"


def test_no_such_program(apps):
    _, err = gantry("run", "-q", *placed("gpu0.rdma"), "--", apps / "vecadd", env={"GANTRY_BOARD_PROGRAM": "/nowhere/board"}, status=74)
    assert err.splitlines()[0] == "gantry: gpu0.rdma: simulated board: /nowhere/board: No such file or directory"


# ---- what is refused
SOME_PART = "gpu0.rdma=sim"


@pytest.mark.parametrize("boards, options, status, line", [
    (f"{SOME_PART},{SOME_PART}", [], 65, "--set: place.boards: gpu0.rdma is placed twice"),
    ("gpu0.rdma=usb:A gpu0.noc=usb:A", [], 65, "--set: place.boards: gpu0.rdma and gpu0.noc on one board: usb:A holds one partition"),
    ("gpu0.rdma=disk", [], 65, "--set: place.boards: disk: no such kind of board (sim, or usb:SERIAL; gantry boards lists what is plugged in)"),
    ("gpu0.rdma=usb:", [], 65, "--set: place.boards: usb:: a serial number has 1 to 63 characters"),
    ("gpu0.rdma", [], 65, "--set: place.boards: gpu0.rdma: expected PARTITION=BOARD, as in gpu0.rdma=sim"),
    ("=sim", [], 65, "--set: place.boards: =sim: expected PARTITION=BOARD, as in gpu0.rdma=sim"),
    ("gpu1.rdma=sim", [], 65, "place.boards: no partition of the machine is called 'gpu1.rdma'"),
    (SOME_PART, ["--set", "system.rtl=whole"], 65, "place.boards: no partition of the machine is called 'gpu0.rdma' (system.rtl is whole: each GPU is one)"),
    (SOME_PART, ["--model", "golden"], 64, "place.boards: the golden model has no partitions: gpu0.rdma stays in RTL"),
    (SOME_PART, ["--wave", "gpu0"], 64, "--wave: gpu0.rdma is on a board, which has no waves: record the run with --record, and replay it in simulation with --wave"),
    (SOME_PART, ["--record", "{folder}/r", "--checkpoint", "kernel:1,{folder}/c"], 64,
     "--checkpoint: gpu0.rdma is on a board, whose state nobody can save: record the run with --record, and replay it in simulation with --checkpoint"),
    (SOME_PART, ["--set", "metrics.kernels=on"], 65, "metrics.kernels: gpu0.rdma is on a board, whose counters are read at the end only: record the run with --record, "
     "and replay it in simulation with --set metrics.kernels=on"),
    ("gpu0.cu0=sim", ["--lockstep"], 64, "--lockstep: gpu0.cu0 is on a board, into which nobody looks: record the run with --record, and replay it in simulation with "
     "--lockstep"),
    ("gpu0.rdma=sim gpu0.l2s1=sim", ["--lockstep"], 64, "--lockstep: gpu0.l2s1 is on a board, into which nobody looks: record the run with --record, and replay it in "
     "simulation with --lockstep")])
def test_what_is_refused(boards, options, status, line, tmp_path):
    """One line; where there is one, it names the way round."""
    _, err = gantry("run", "--set", f"place.boards={boards}", *(word.format(folder=tmp_path) for word in options), "--", "/bin/true", status=status)
    assert err == f"gantry: {line}\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.shows("S4.7")
def test_what_a_replay_does_not_know(apps, tmp_path):
    """A state has no place on a board; a part by itself runs in simulation."""
    gantry("run", "-q", "--record", f"{tmp_path}/r,gpu0.rdma", "--checkpoint", f"kernel:1,{tmp_path}/c", "--", apps / "vecadd")
    _, err = gantry("restore", "-q", *placed("gpu0.rdma"), tmp_path / "c", config=None, status=64)
    assert err == "gantry: place.boards: a state cannot be restored into a board: gantry replay begins at cycle 0\n"
    _, err = gantry("replay", "-q", "--only", "gpu0.rdma", *placed("gpu0.rdma"), tmp_path / "r", config=None, status=64)
    assert err == "gantry: --only: not with place.boards\n"


def test_random_contents_are_refused(apps):
    _, err = gantry("run", *placed("gpu0.rdma"), "--", "/bin/true", env={"GANTRY_MODEL_STD_X": "1"}, status=64)
    assert err == "gantry: GANTRY_MODEL_STD_X: gpu0.rdma is on a board, whose registers begin as they are\n"
