# SPDX-License-Identifier: Apache-2.0
"""A build as one thing that can be ended: a process that models.py starts and all that this one starts in turn.

They are a process group: a signal to it reaches verilator, make and every compiler, and Ctrl-C on a terminal reaches only
models.py, which then ends the group.  When models.py is killed the kernel ends the process it started.
"""
import ctypes
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
TIDY = 0.15  # seconds for compilers to remove their temporary files
GONE = 0.15  # and for killed ones to vanish
POLL = 0.02  # seconds between two looks at what runs
PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)


class Ended(BaseException):
    """A signal asks to end; no ordinary handler of exceptions may take it."""

    def __init__(self, number):
        super().__init__(number)
        self.number = number


def ended(number, _frame):
    for again in SIGNALS:  # once is enough: what follows must not be cut short
        signal.signal(again, signal.SIG_IGN)
    raise Ended(number)


def signals_catch():
    """From now on a signal raises Ended; those that whoever started us ignores stay ignored."""
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, ended)


def group_signal(group, number):
    """False when nobody is left in it."""
    try:
        os.killpg(group, number)
        return True
    except ProcessLookupError:
        return False


def group_end(child):
    """Nobody of the group runs on when this returns."""
    group_signal(child.pid, signal.SIGTERM)
    try:
        child.wait(TIDY)
    except subprocess.TimeoutExpired:
        pass
    end = time.monotonic() + GONE
    while group_signal(child.pid, signal.SIGKILL) and time.monotonic() < end:
        child.poll()
        time.sleep(0.005)
    child.wait()
    for half in (ROOT / "build/obj/verilated").glob(f"*.{child.pid}"):  # verilate.py: objects on their way into the cache
        shutil.rmtree(half, ignore_errors=True)


class Running:
    """A command in a group of its own, with both its output streams in a file."""

    def __init__(self, cmd):
        parent = os.getpid()

        def prepare():
            for number in SIGNALS:
                signal.signal(number, signal.SIG_DFL)
            LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
            if os.getppid() != parent:
                os._exit(127)

        self.text = tempfile.TemporaryFile("w+", errors="replace")
        self.child = subprocess.Popen(cmd, stdin=subprocess.DEVNULL, stdout=self.text, stderr=subprocess.STDOUT, process_group=0, preexec_fn=prepare)

    def done(self):
        return self.child.poll() is not None

    def result(self):
        """Exit status and output of a command that is done."""
        self.text.seek(0)
        with self.text:
            return self.child.returncode, self.text.read()

    def end(self):
        group_end(self.child)
        self.text.close()


def run_each(count, most, begin, ended, waiting=lambda running: None):
    """`count` commands, at most `most` at a time, in their order: begin(i) says which, ended(i, status, output) hears what became of it,
    waiting(numbers of those that run) many times a second that somebody waits.  Whatever one of these raises, and a signal, ends those that still run."""
    running, todo = {}, list(range(count))
    try:
        while todo or running:
            while todo and len(running) < most:
                i = todo.pop(0)
                running[i] = Running(begin(i))
            for i in [i for i, job in running.items() if job.done()]:
                ended(i, *running.pop(i).result())
            if running and (len(running) == most or not todo):
                waiting(list(running))
                time.sleep(POLL)
    finally:
        for job in running.values():
            job.end()
