# SPDX-License-Identifier: Apache-2.0
"""A simulated board's process: its traffic is that of the model library (tests/rtl/board/part.cpp) over the process's own requests, over libftdi1 with the
stand-in of libusb, and over libftdi1 with the system's libusb under umockdev; whatever goes wrong between them; twice the same board cycles; speed."""
import os
import pathlib
import re
import sys
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/rtl/board"))
from part import KINDS, board, board_with, client, library, models, run  # noqa: E402

FAULTS = ["lose=50", "damage=50", "double=50", "cut=50", "byte=5000", "stale=37", "latency=1", "latency=255", "pause=50",
          "lose=100,damage=100,double=100,cut=100,byte=10000,pause=20,seed=5"]


@pytest.fixture(scope="module")
def standin():
    assert run(["make", "-s", "standin"]).returncode == 0
    return "build/lib/gantry/libusb-1.0.so.0"


def traffic(kind="rdma", seed=1, windows=150, before=(), **env):
    done = run([*before, client(), library(kind), seed, windows], env={**os.environ, "BOARD": env.get("BOARD") or board(kind), **env})
    return done.returncode, done.stdout


def said(text):
    """(bursts, bytes to the board, bytes from it, sent again, damaged, gaps, cycles, microseconds a burst)"""
    found = re.search(r"board: (\d+) bursts, (\d+) \+ (\d+) bytes, (\d+) frames sent again, (\d+) damaged, (\d+) gaps, (\d+) cycles of 60 MHz, ([\d.]+) us", text)
    assert found, text
    return [float(x) for x in found.groups()]


def test_own_requests_twice(tmp_path):
    texts = []
    for name in ("one", "two"):
        code, text = traffic(windows=150 if os.environ.get("GANTRY_NIGHTLY") == "1" else 40, GANTRY_BOARD_STATS=str(tmp_path / name))
        assert code == 0, text
        texts.append(text)
    assert texts[0] == texts[1]
    lines = [(tmp_path / name).read_text() for name in ("one", "two")]
    assert lines[0] == lines[1]
    assert re.fullmatch(r"rdma cycles \d+ evaluated \d+ bytes-to-board \d+ bytes-to-host \d+ target-edges \d+\n", lines[0])


def test_speed_of_an_exchange():
    """One exchange at most 150 us of the chip's time, with board.md's figures of the chip: pinned, to be noticed when one changes."""
    code, text = traffic(windows=300)
    bursts, to, back, again, damaged, gaps, _, us = said(text)
    assert code == 0 and (again, damaged, gaps) == (0, 0, 0), text
    assert 110 <= us <= 150 and to / bursts > 300 and back / bursts > 300, text


JOINED = ("rtl/board/board_usb.sv", ".tx_flush_i(phy_tx.flush)", ".tx_flush_i(1'b0)")


@pytest.mark.nightly("seeded")
def test_a_fault_between_pins_and_frames_is_noticed():
    """Answers that are not pushed out of the chip wait for its latency timer."""
    code, text = traffic(BOARD=board_with("rdma", *JOINED))
    assert code != 0 or said(text)[-1] > 150, text


@pytest.mark.parametrize("fault", FAULTS)
def test_faults(fault):
    code, text = traffic(GANTRY_BOARD_FAULT=fault)
    assert code == 0, text
    _, _, _, again, damaged, gaps, _, _ = said(text)
    if "pause" in fault or "latency" in fault or "stale" in fault or fault.startswith("double"):
        return
    assert again > 0 and damaged + gaps >= 0, text


@pytest.mark.parametrize("fault, cause", [("gone=1000000", "closed the socket"), ("silent=1000000", "")])
def test_a_board_that_ends(fault, cause):
    begun = time.time()
    code, text = traffic(GANTRY_BOARD_FAULT=fault)
    assert code == 1 and "board: lost: " in text and cause in text, text
    assert time.time() - begun < 10


def test_an_unknown_fault():
    code, text = traffic(GANTRY_BOARD_FAULT="lose=1,bend=3")
    assert code == 1 and "gantry: simulated board: GANTRY_BOARD_FAULT: bend=3: no such fault" in text


def test_calls():
    for words in ([], ["--fd"], ["--fd", "x"], ["--fd", "-1"], ["--socket", "3"]):
        done = run([board("rdma"), *words])
        assert (done.returncode, done.stdout) == (64, f"usage: {board('rdma')} --fd N: a connected socket\n")


def test_libftdi1_over_the_stand_in(standin):
    first = traffic(LIBUSB=standin)
    assert first[0] == 0 and said(first[1])[7] <= 150, first[1]
    assert traffic(LIBUSB=standin) == first


@pytest.mark.parametrize("fault", ["latency=255", FAULTS[-1]])
def test_libftdi1_and_faults(standin, fault):
    code, text = traffic(LIBUSB=standin, GANTRY_BOARD_FAULT=fault)
    assert code == 0, text


@pytest.mark.parametrize("fault", ["gone=1000000", "silent=1000000"])
def test_libftdi1_and_a_board_that_ends(standin, fault):
    begun = time.time()
    code, text = traffic(LIBUSB=standin, GANTRY_BOARD_FAULT=fault)
    assert code == 1 and "board: lost: " in text, text
    assert time.time() - begun < 10


def umock(**kw):
    assert run(["make", "-s", "umock"]).returncode == 0
    return traffic(windows=60, before=["build/tests/umock", board("rdma"), "GANTRY"], LIBUSB="real", **kw)


def test_the_systems_libusb():
    code, text = umock()
    assert code == 0 and said(text)[3:6] == [0, 0, 0], text


def test_the_systems_libusb_and_unplugging():
    begun = time.time()
    code, text = umock(GANTRY_BOARD_FAULT="gone=200000")
    assert code == 1 and "board: lost: unplugged" in text, text
    assert time.time() - begun < 10


@pytest.mark.nightly
@pytest.mark.parametrize("kind", [k for k in KINDS if k != "rdma"])
def test_kinds(kind):
    """Messages are any bytes: the assertions of the RTL are not compiled in."""
    done = run([client(), library(kind), 3, 40, "any"], env=dict(os.environ, BOARD=board(kind, checks=False)), limit=1200)
    assert done.returncode == 0, done.stdout


def test_hello():
    """Four hashes of each kind, without a build; another constant changes only what depends on it."""
    base = models("--hello", "rdma", "l2")
    assert all(re.fullmatch(r"[0-9a-f]{16}( [0-9a-f]{16}){3}", words) for words in base.values())
    other = models("--set=gpu.l2.mshrs=8", "--hello", "rdma", "l2")
    assert other["rdma"] == base["rdma"]
    assert [a == b for a, b in zip(other["l2"].split(), base["l2"].split())] == [True, False, True, True]
    assert base["rdma"].split()[2] == base["l2"].split()[2]


def test_speed_of_echoes():
    """Round trip and bytes a second each way, of the chip's time."""
    exe = client("tests/fpga/echo.cpp")
    done = run([exe, 128, 4], env=dict(os.environ, BOARD=board("rdma")))
    found = re.match(r"echo: ([\d.]+) us a round trip, ([\d.]+) MB/s each way, 0 frames sent again\n", done.stdout)
    assert done.returncode == 0 and found, done.stdout
    assert float(found[1]) <= 100 and float(found[2]) >= 20, done.stdout
