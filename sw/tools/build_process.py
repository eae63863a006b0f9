# SPDX-License-Identifier: Apache-2.0
"""A build as one thing that can be ended: the process that models.py starts and all that this one starts in turn.

They are a process group: a signal to it reaches verilator, make and every compiler, and Ctrl-C on a terminal reaches only
models.py, which then ends the group.  When models.py is killed the kernel ends the process it started.
"""
import ctypes
import os
import pathlib
import shutil
import signal
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
TIDY = 0.15  # seconds for compilers to remove their temporary files
GONE = 0.15  # and for killed ones to vanish
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


def run(cmd):
    """Exit status and output (both streams) of a command in a group of its own."""
    parent = os.getpid()

    def prepare():
        for number in SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(127)

    child = None
    try:
        child = subprocess.Popen(cmd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, process_group=0,
                                 preexec_fn=prepare)
        text = child.communicate()[0]
        return child.returncode, text
    except Ended:
        if child:
            group_end(child)
        raise
