# SPDX-License-Identifier: Apache-2.0
"""A build as one thing that can be ended: a process that models.py starts and all that this one starts in turn.

They are a process group: a signal to it reaches verilator, make and every compiler, and Ctrl-C on a terminal reaches only
models.py, which then ends the group.  When models.py is killed, however hard, a watcher ends the groups: a process in a session of
its own that reads a pipe whose other end is held by models.py alone.
"""
import ctypes
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
TIDY = 0.15  # seconds for compilers to remove their temporary files
GONE = 0.15  # and for killed ones to vanish
PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)
POLL = 0.02  # seconds between two looks at what runs


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


def halves_remove(pid):
    """Of verilate.py: objects on their way into the cache."""
    for half in (ROOT / "build/obj/verilated").glob(f"*.{pid}"):
        shutil.rmtree(half, ignore_errors=True)


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
    halves_remove(child.pid)


def watch(pipe):
    """Groups come as "+PGID" and go as "-PGID"; those that are there at the end of the pipe are ended."""
    groups, text = set(), ""
    while piece := os.read(pipe, 4096):
        *lines, text = (text + piece.decode()).split("\n")
        for line in lines:
            (groups.add if line[0] == "+" else groups.discard)(int(line[1:]))
    for number, pause in ((signal.SIGTERM, TIDY), (signal.SIGKILL, 0)):
        there = [group for group in groups if group_signal(group, number)]
        time.sleep(pause if there else 0)
    for group in groups:
        halves_remove(group)


class Watcher:
    """It has nothing open but its pipe, no signal that ends a build ends it, and one that was stopped goes on when it is needed."""

    def __init__(self):
        theirs, self.pipe = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.setsid()
                LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGCONT, 0, 0, 0)
                for number in SIGNALS:
                    signal.signal(number, signal.SIG_IGN)
                os.dup2(theirs, 3)
                os.closerange(4, 1 << 16)
                for fd in range(3):
                    os.close(fd)
                watch(3)
            finally:
                os._exit(0)
        os.close(theirs)

    def tell(self, sign, group):
        os.write(self.pipe, f"{sign}{group}\n".encode())

    def end(self):
        """Nothing is left to watch."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.pipe)


class Running:
    """A command in a group of its own, with both its output streams in a file."""
    watcher = None

    def __init__(self, cmd):
        parent = os.getpid()
        if Running.watcher is None:
            Running.watcher = Watcher()

        def prepare():
            for number in SIGNALS:
                signal.signal(number, signal.SIG_DFL)
            Running.watcher.tell("+", os.getpid())  # before it can start anything
            if os.getppid() != parent:
                os._exit(127)

        self.text = tempfile.TemporaryFile("w+", errors="replace")
        self.child = subprocess.Popen(cmd, stdin=subprocess.DEVNULL, stdout=self.text, stderr=subprocess.STDOUT, process_group=0, preexec_fn=prepare)

    def done(self):
        return self.child.poll() is not None

    def result(self):
        """Exit status and output of a command that is done."""
        self.forget()
        self.text.seek(0)
        with self.text:
            return self.child.returncode, self.text.read()

    def end(self):
        group_end(self.child)
        self.forget()
        self.text.close()

    def forget(self):
        Running.watcher.tell("-", self.child.pid)


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
        if Running.watcher:
            Running.watcher.end()
            Running.watcher = None
