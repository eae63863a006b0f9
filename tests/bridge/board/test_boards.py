# SPDX-License-Identifier: Apache-2.0
"""`gantry boards` and, through it, bridge/board: the libftdi1 of the system over a libusb with chips that behave as a test says (fake_usb.c)."""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
HERE = pathlib.Path(__file__).resolve().parent
GANTRY = ROOT / "build/bin/gantry"
GOOD = "FT0A:700:801:echo"
HASHES = "rtl=0000000000000001 keys=0000000000000002 graph=0000000000000003 links=0000000000000004"


@pytest.fixture(scope="module")
def fake(tmp_path_factory):
    """The folder with the fake libusb."""
    folder = tmp_path_factory.mktemp("usb")
    flags = dict(line.split("=", 1) for line in subprocess.run(["make", "-s", "print-flags"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
                 if "=" in line)
    subprocess.run([*shlex.split(flags["CC"]), *shlex.split(flags["CFLAGS"]), "-O1", "-fPIC", "-shared", "-Wl,-soname,libusb-1.0.so.0", "-o",
                    folder / "libusb-1.0.so.0", HERE / "fake_usb.c", ROOT / "build/lib/libgantry.a", "-lcmocka", "-lz", "-lpthread"], cwd=ROOT, check=True)
    return folder


def boards(fake, chips, *words, log=None):
    env = dict(os.environ, LD_LIBRARY_PATH=str(fake), GANTRY_FAKE_USB=",".join(chips))
    if log:
        env["GANTRY_FAKE_LOG"] = str(log)
    done = subprocess.run([GANTRY, "boards", *words], env=env, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def test_list(fake, tmp_path):
    """Of each chip one line; only those that may be boards are touched."""
    chips = [GOOD, "FT0B:900:1:echo", "FT0C:600:0:echo", "FT0D:700:800:echo", "FT0E:700:ffff:echo", "FT0F:700:801:denied", "FT0G:700:801:busy", "-:700:801:echo"]
    status, out, err = boards(fake, chips, log=tmp_path / "log")
    assert (status, err) == (0, "")
    held, other = "another program or driver holds it", "not asked: its EEPROM does not set channel A to 245 FIFO"
    assert [re.split(r"\s+", line, maxsplit=2) for line in out.splitlines()] == [
        ["FT0A", "FT2232H", f"echo {HASHES}"], ["FT0B", "FT232H", f"echo {HASHES}"], ["FT0C", "FT232R", "has no synchronous FIFO"], ["FT0D", "FT2232H", other],
        ["FT0E", "FT2232H", other], ["-", "FT2232H", "may not be opened (udev rule: fpga/README.md)"], ["FT0G", "FT2232H", held],
        ["-", "FT2232H", "has no serial number, by which it could be opened"]]
    lines = (tmp_path / "log").read_text().splitlines()
    assert {line.split()[0] for line in lines} == {"FT0A", "FT0B", "FT0G"}
    assert [line for line in lines if line.startswith("FT0G")] == ["FT0G reattach 1", "FT0G claim 0"]
    # The kernel's driver comes back; reset, mode off, both buffers emptied, latency, synchronous FIFO, flow control; at the end the mode is off again.
    told = [line[5:] for line in lines if line.startswith("FT0A")]
    begin = told.index("reattach 1")
    assert told[begin:begin + 3] == ["reattach 1", "claim 0", "reset 0"]
    mode = told.index("mode ff")
    assert [w for w in told[mode:] if not w.startswith("reset")] == ["mode ff", "latency 2", "mode 40ff", "flow 101", "mode ff", "release 0"]
    assert [w for w in told[mode:told.index("latency 2")]].count("reset 2") == 1 and "reset 1" in told[mode:told.index("latency 2")]


def test_none(fake):
    assert boards(fake, []) == (0, "no FTDI chip is plugged in\n", "")
    assert boards(fake, [], "--echo", "FT0A") == (74, "", "gantry: FT0A: not plugged in; there is no FTDI chip\n")


def test_echo(fake, tmp_path):
    status, out, err = boards(fake, ["FT0B:900:1:silent", GOOD], "--echo", "FT0A", log=tmp_path / "log")
    assert (status, err) == (0, "")
    first, *trips, rate, frames = out.splitlines()
    assert first == "FT0A FT2232H echo"
    assert [int(line.split()[0]) for line in trips] == [8, 64, 510, 4104] and all(re.fullmatch(r" *\d+ bytes and back: +\d+\.\d us", line) for line in trips)
    assert re.fullmatch(r"4202496 bytes each way: [\d.]+ MB/s each way", rate)
    sent = 3 * 200 + 200 * 9  # at least: a record of 4,104 bytes takes nine frames
    counted = re.fullmatch(r"frames: (\d+) sent, (\d+) taken, \d+ sent again, 0 damaged, 0 gaps, \d+ NAKs", frames)  # on a busy machine it asks
    assert counted and min(map(int, counted.groups())) > sent
    assert (tmp_path / "log").read_text().endswith("FT0A bye 0\nFT0A mode ff\nFT0A release 0\n")  # it got the end of the session before its mode was off


def test_echo_with_losses(fake):
    status, out, err = boards(fake, ["FT0A:700:801:lossy"], "--echo", "FT0A")
    assert (status, err) == (0, "")
    assert not re.search(r" 0 sent again", out) and re.search(r"\d+ sent again, 0 damaged, \d+ gaps, \d+ NAKs", out)


@pytest.mark.parametrize("chips, line", [
    (["FT0B:700:801:echo", "FT0C:600:0:echo", "FT0D:700:801:denied"],
     "not plugged in; there are: FT0B (FT2232H), FT0C (FT232R), one that may not be opened (udev rule: fpga/README.md) (FT2232H)"),
    ([GOOD, GOOD], "2 chips have this serial number"),
    (["FT0A:800:801:echo"], "is an FT4232H, which has no synchronous FIFO (needed: FT232H, FT2232H)"),
    (["FT0A:700:802:echo"], "its EEPROM does not set channel A to 245 FIFO (fpga/README.md)"),
    (["FT0A:700:801:busy"], "another program or driver holds it"),
    (["FT0A:700:801:refused"], "synchronous FIFO mode is refused: "),
    (["FT0A:700:801:full"], "has no packets of 512 bytes: not at a high-speed port"),
    (["FT0A:700:801:silent"], "no answer to HELLO for 1 s: is the bitstream loaded, the chip's EEPROM set to 245 FIFO? (fpga/README.md)"),
    (["FT0A:700:801:stalled"], "the chip has refused a USB transfer"),
    (["FT0A:700:801:early"], "a USB transfer has ended early"),
    (["FT0A:700:801:unplugged"], "unplugged, or without power"),
])
def test_causes(fake, chips, line):
    """One line, 74, and in time."""
    begin = time.monotonic()
    status, out, err = boards(fake, chips, "--echo", "FT0A")
    assert (status, out) == (74, "") and err.startswith(f"gantry: FT0A: {line}") and err.count("\n") == 1, err
    assert time.monotonic() - begin < 20  # not a minute, as for one that answers without end


@pytest.mark.parametrize("behaviour", ["refused", "full", "silent", "stalled"])
def test_given_back(fake, tmp_path, behaviour):
    """Whatever is wrong with a chip that was opened, its interface is released."""
    assert boards(fake, [f"FT0A:700:801:{behaviour}"], "--echo", "FT0A", log=tmp_path / "log")[0] == 74
    told = (tmp_path / "log").read_text().splitlines()
    assert told.count("FT0A claim 0") == 1 and told[-1] == "FT0A release 0"


def test_libraries_missing(tmp_path):
    """Broken ones, found first."""
    for name, says in (("libftdi1.so.2", "libftdi1.so.2"), ("libusb-1.0.so.0", "libusb-1.0.so.0")):
        folder = tmp_path / name[:7]
        folder.mkdir()
        (folder / name).write_text("no library")
        for words in ([], ["--echo", "FT0A"]):
            status, out, err = boards(folder, [], *words)
            assert (status, out) == (74, "") and err.count("\n") == 1 and says in err and "apt-get install libftdi1-2 libusb-1.0-0" in err, err


@pytest.mark.parametrize("words, line", [(["--echo"], "boards: --echo needs a value"), (["--echo", "-x"], "--echo: '-x' begins like an option: a file or folder of that name is ./-x"),
                                         (["FT0A"], "boards: unexpected argument FT0A"), (["--eco", "A"], "boards: unknown option --eco; did you mean --echo?")])
def test_usage(words, line):
    done = subprocess.run([GANTRY, "boards", *words], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (64, "", f"gantry: {line}\n")


if __name__ == "__main__":
    sys.exit(pytest.main([__file__]))
