# SPDX-License-Identifier: Apache-2.0
"""gantry run: options, exit codes that pass through, programs without GPU work. Whole ROCm programs: tests/system."""
import pathlib
import re
import signal
import subprocess
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
GANTRY = ROOT / "build/bin/gantry"
LINE = re.compile(r"gantry: gpus=2 kernels=0 cycles=0 instructions=0 .* data=[0-9a-f]{16}")


def run(*args, **kw):
    done = subprocess.run([GANTRY, "run", *map(str, args)], cwd=ROOT, capture_output=True, text=True, timeout=60, **kw)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("status, cause, args", [
    (64, "run: no configuration: give -c CONFIG, for example -c tiny", ["--", "/bin/true"]),
    (64, "run: no program: gantry run -c CONFIG", ["-c", "demo"]),
    (64, "run: no program", ["-c", "demo", "--"]),
    (64, "run: unknown option --gpu", ["-c", "demo", "--gpu", "1", "--", "/bin/true"]),
    (64, "run: unknown option -x", ["-x", "-c", "demo", "--", "/bin/true"]),
    (64, "run: -o needs a value", ["-c", "demo", "-o"]),
    (66, "nothing.yaml: No such file or directory", ["-c", "nothing.yaml", "--", "/bin/true"]),
    (65, "--set: gpu.cu.count: 1000 is above the maximum 64", ["-c", "demo", "--set", "gpu.cu.count=1000", "--", "/bin/true"]),
    (66, "/no/such/program: No such file or directory", ["-c", "demo", "--", "/no/such/program"]),
    (66, "no-such-program-anywhere: No such file or directory", ["-c", "demo", "--", "no-such-program-anywhere"]),
    (65, "/etc/passwd: Permission denied", ["-c", "demo", "--", "/etc/passwd"]),
    (74, "/proc/x: No such file or directory", ["-c", "demo", "-o", "/proc/x", "--", "/bin/true"]),
])
def test_wrong_input(status, cause, args):
    got, _, err = run(*args)
    assert got == status and err.count("\n") == 1 and err.startswith("gantry: " + cause), err


@pytest.mark.parametrize("script, status", [("exit 0", 0), ("exit 7", 7), ("exit 64", 64), ("kill -9 $$", 137), ("kill -SEGV $$", 139)])
def test_status_passes_through(script, status):
    """The program's own status; 128 + N when a signal ended it. No ROCm: the end says that no GPU work was seen."""
    got, _, err = run("-c", "demo", "--model", "golden", "--", "/bin/sh", "-c", script)
    lines = err.splitlines()
    assert got == status and len(lines) == 2, err
    assert lines[0].startswith("gantry: no GPU work was seen") and LINE.fullmatch(lines[1])


def test_program_options_are_its_own():
    status, out, _ = run("-c", "demo", "--model", "golden", "--", "/bin/echo", "-c", "--set", "-q")
    assert status == 0 and out == "-c --set -q\n"
    status, out, _ = run("-c", "demo", "--model", "golden", "/bin/echo", "--grid")
    assert status == 0 and out == "--grid\n"


def test_standard_streams_are_the_programs(tmp_path):
    status, out, _ = run("-c", "demo", "--model", "golden", "--", "/bin/cat", input="one\ntwo\n")
    assert status == 0 and out == "one\ntwo\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signal_ends_program_and_simulator(number):
    """Within a second, nothing of it is left running."""
    child = subprocess.Popen([GANTRY, "run", "-c", "demo", "--model", "golden", "--", "/bin/sleep", "97.125"], cwd=ROOT, stderr=subprocess.PIPE,
                             text=True)
    time.sleep(0.5)
    assert child.poll() is None
    begin = time.monotonic()
    child.send_signal(number)
    err = child.communicate(timeout=10)[1]
    assert time.monotonic() - begin < 1.0
    assert child.returncode == 128 + number and f"gantry: ended by signal {number.value}" in err
    assert subprocess.run(["pgrep", "-f", "sleep 97.125"], capture_output=True).returncode == 1


def test_installed_names_and_help():
    done = subprocess.run([GANTRY, "--help"], cwd="/", capture_output=True, text=True)
    assert done.returncode == 0 and "gantry kernel -c CONFIG" in done.stdout
    assert subprocess.run([GANTRY, "config", "-c", "demo", "--get", "system.gpus"], cwd="/", capture_output=True, text=True).stdout == "2\n"
    for args in ([], ["frobnicate"]):
        done = subprocess.run([GANTRY, *args], capture_output=True, text=True)
        assert done.returncode == 64 and done.stderr.count("\n") == 1
