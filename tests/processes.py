# SPDX-License-Identifier: Apache-2.0
"""Processes that a test has started, and what these have started in turn; a terminal for one of them."""
import errno
import fcntl
import os
import pathlib
import pty
import subprocess
import termios
import time


def alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def holding(entry):
    """Process numbers with this entry ("NAME=value") in their environment: it passes to all that a process starts."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes()
        except OSError:  # gone in the meantime, or somebody else's
            continue
        if entry.encode() in environment.split(b"\0") and alive(folder.name):
            found.append(int(folder.name))
    return found


def names(pids):
    """For messages."""
    def words(pid):
        try:
            return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            return "gone"
    return [f"{pid}: {words(pid)}" for pid in pids]


def programs(pids):
    """The files they execute, without folders."""
    found = set()
    for pid in pids:
        try:
            found.add(os.path.basename(os.readlink(f"/proc/{pid}/exe")))
        except OSError:
            continue
    return found


def children(pid, name):
    """Processes of this name that a process has started and that are there."""
    found = []
    for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        try:
            if pathlib.Path(f"/proc/{child}/comm").read_text() == f"{name}\n":
                found.append(int(child))
        except OSError:  # ended meanwhile: it has built a model
            continue
    return found


def within(seconds, condition):
    """The condition's value as soon as it is true, else its last one."""
    end = time.monotonic() + seconds
    while not (value := condition()) and time.monotonic() < end:
        time.sleep(0.01)
    return value


class Terminal:
    """A command in the foreground of a terminal of its own."""

    def __init__(self, command, **kw):
        self.ours, theirs = pty.openpty()
        self.process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
                                        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0), **kw)
        os.close(theirs)
        self.text = ""

    def ctrl_c(self):
        """The terminal driver sends SIGINT to every process of the foreground group."""
        os.write(self.ours, b"\x03")

    def read(self):
        """The next piece of what was written, "" at the end."""
        try:
            piece = os.read(self.ours, 4096).decode(errors="replace")
        except OSError as end:  # the other side is closed
            assert end.errno == errno.EIO
            piece = ""
        self.text += piece
        return piece

    def wait(self, seconds):
        """Exit status and all that was written."""
        status = self.process.wait(seconds)
        while self.read():
            continue
        os.close(self.ours)
        return status, self.text
