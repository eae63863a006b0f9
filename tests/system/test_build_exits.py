# SPDX-License-Identifier: Apache-2.0
"""While models are looked up or built the command waits for another program: that must delay no end.  The builder here is
one that takes its time; how the real one tidies up is seen in tests/bridge/verilated/test_models.py."""
import os
import signal
import subprocess
import time

import pytest
from live import GANTRY, ROOT, leftovers
from processes import Terminal, alive, holding, names, within

LIMIT = 1.0  # seconds from the cause to the end of everything
KINDS = {"silent": "exec sleep 30", "speaking": "echo cu /half/an/answer; exec sleep 30",
         "deaf": "trap '' TERM INT HUP; while :; do sleep 30; done"}
VECADD = "build/kernels/vecadd.v4.co"


class Build:
    """A command that waits for its builder."""

    def __init__(self, folder, command, terminal=False, kind="silent"):
        self.folder, self.file = folder, folder / "builder.pid"
        path = folder / "bin"
        path.mkdir()
        (path / "python3").write_text(f"#!/bin/sh\necho $$ > {self.file}.new\nmv {self.file}.new {self.file}\n{KINDS[kind]}\n")
        (path / "python3").chmod(0o755)
        env = {**os.environ, "PATH": f"{path}:{os.environ['PATH']}", "TMPDIR": str(folder),
               "GANTRY_MODEL_DEFINES": f"NOBODY_ASKED_FOR_{os.getpid()}"}  # no answer of an earlier run fits
        self.terminal = Terminal(command, cwd=ROOT, env=env) if terminal else None
        self.run = self.terminal.process if terminal else subprocess.Popen(
            command, cwd=ROOT, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert within(20, self.file.exists), self.run.poll()
        self.builder = int(self.file.read_text())
        time.sleep(0.2)
        assert alive(self.builder) and self.run.poll() is None

    def end(self, cause, status):
        """All is over in time, with this status, and nothing is left; what was written."""
        begin = time.monotonic()
        cause()
        got = self.run.wait(20)
        left = within(LIMIT - (time.monotonic() - begin), lambda: not self.left()) or self.left()
        seconds = time.monotonic() - begin
        text = self.terminal.wait(1)[1] if self.terminal else "".join(self.run.communicate(timeout=5))
        assert got == status and left is True and seconds < LIMIT, (got, left, seconds, text)
        assert "Traceback" not in text and "the builder of the RTL models was ended" not in text, text
        return text

    def left(self):
        return names(holding(f"TMPDIR={self.folder}")) + leftovers(self.folder)


def kernel_command():
    subprocess.run(["make", "-s", VECADD], cwd=ROOT, check=True)
    return [GANTRY, "kernel", "-c", "tiny", VECADD, "--grid", "64", "--group", "64", *["--arg", "zero:256"] * 3]


def run_command(apps):
    return [GANTRY, "run", "-c", "demo", "--", "/bin/sh", "-c", f"echo $$; exec {apps}/vecadd"]


@pytest.fixture(params=["kernel", "run"])
def command(request, apps):
    return kernel_command() if request.param == "kernel" else run_command(apps)


def final(text, number):
    lines = text.replace("\r", "").splitlines()
    assert f"gantry: ended by signal {number}" in lines and lines[-1].startswith("gantry: gpus="), text


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signal(tmp_path, command, number):
    build = Build(tmp_path, command)
    final(build.end(lambda: build.run.send_signal(number), 128 + number), number.value)


@pytest.mark.parametrize("kind", ["speaking", "deaf"])
def test_other_builders(tmp_path, command, kind):
    """One that has written a part of its answer; one that does not listen."""
    build = Build(tmp_path, command, kind=kind)
    final(build.end(lambda: build.run.send_signal(signal.SIGINT), 128 + 2), 2)


def test_ctrl_c(tmp_path, command):
    build = Build(tmp_path, command, terminal=True)
    text = build.end(build.terminal.ctrl_c, 128 + 2)
    assert text.replace("\r", "").splitlines()[-1].startswith("gantry: gpus="), text


def test_simulator_killed(tmp_path, command):
    build = Build(tmp_path, command)
    text = build.end(build.run.kill, -9)
    assert command[1] == "kernel" or "the simulator has ended" in text, text


def test_program_killed(tmp_path, apps):
    build = Build(tmp_path, run_command(apps))
    program = int(build.run.stdout.readline())
    build.end(lambda: os.kill(program, signal.SIGKILL), 128 + 9)


def test_builder_killed(tmp_path, command):
    """Nobody asked for that end: it is an error of ours, in one line."""
    build = Build(tmp_path, command)
    os.kill(build.builder, signal.SIGKILL)
    _, err = build.run.communicate(timeout=5)
    assert build.run.returncode == 70 and err.count("gantry: models: the builder of the RTL models was ended\n") == 1, err
    assert within(1, lambda: not build.left()) is True, build.left()
