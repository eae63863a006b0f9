# SPDX-License-Identifier: Apache-2.0
"""Boards that are others than the run needs, and what a board is asked for and cannot do (key place.boards, docs/reference/board.md): one line; where there
is one, it names the way round."""
import re

import pytest
from boards import gantry, placed, soft  # noqa: F401


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
