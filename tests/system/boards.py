# SPDX-License-Identifier: Apache-2.0
"""For tests of partitions on boards (key place.boards): runs of the command, what must be the same wherever a partition is.  Two kinds of boards: simulated
ones as a user has them (fpga/sim: chip, framing and harness in RTL, reached through libftdi1), and a program in C behind a bare byte stream
(tests/bridge/board/soft_board.c), which takes no time and breaks rules when it is told to."""
import json
import os
import re
import shlex
import sqlite3
import subprocess

import pytest
from live import GANTRY, ROOT

LIMIT = 1800  # with the build of models
KINDS = {"rdma": "gpu0.rdma", "noc": "gpu0.noc", "l2": "gpu0.l2s0", "utcl2": "gpu0.utcl2", "sqc": "gpu0.sqc0", "dispatch": "gpu0.dispatch", "cu": "gpu0.cu0",
         "gpu": "gpu0"}
SAME = ("gpus", "kernels", "cycles", "instructions", "repeatable", "hash", "data", "counters", "now")


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


def start(command, *options, env=None, config="smallest", before=()):
    """config: None of a replay, which has its own; before: words of a command that runs it."""
    return subprocess.Popen([*before, GANTRY, command, *(["-c", config] if config else []), *map(str, options)], cwd=ROOT, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
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


def counted(ran):
    """The same without bytes: a board in C takes real time, and a host that waits for it too long asks again."""
    same, boards = ran
    return same, [{key: board[key] for key in ("part", "where", "exchanges", "cycles")} for board in boards]


@pytest.fixture(scope="session")
def standin():
    """Their libusb."""
    subprocess.run(["make", "-s", "standin"], cwd=ROOT, check=True)


def simulated(path, folder, *options, fault=""):
    """The same, and the cycles of the boards' own clocks."""
    stats = folder.parent / f"{folder.name}.stats"
    ran, boards = program(path, folder, *options, env={"GANTRY_BOARD_STATS": str(stats), "GANTRY_BOARD_FAULT": fault})
    return ran, boards, sorted(stats.read_text().splitlines())
