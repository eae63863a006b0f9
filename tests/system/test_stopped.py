# SPDX-License-Identifier: Apache-2.0
"""A process of a run is stopped (SIGSTOP), in each phase of the run, and the run is ended in each way: no wait on the way out waits for what is stopped, and
one line says so.  The ways of one phase are run beside each other: each waits for some seconds of patience."""
import contextlib
import os
import pathlib
import re
import signal
import subprocess
import time

import pytest
from live import GANTRY, ROOT
from processes import children, holding, programs, within

LIMIT = 10  # seconds from the signal, or the program's end, to that of the run
SECONDS = 15  # of --max-seconds
BEGIN = 300  # to its beginning, with the build of models
SOURCE = """
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstring>
#include <unistd.h>
__global__ void one(int *p) { *p = 1; }
__global__ void forever(volatile int *p) { while (*p == 0) ; }
// runs: an endless kernel on GPU 1; both: on all; rests: kernels have run, it computes until its input ends; twice: then there are more kernels
int main(int argc, char **argv)
{
    int *p[2];
    char byte;
    for (int g = 0; g < 2; g++)
        if (hipSetDevice(g) != hipSuccess || hipMalloc(&p[g], 4096) != hipSuccess || hipMemset(p[g], 0, 4096) != hipSuccess || hipDeviceSynchronize() != hipSuccess)
            return 2;
    const bool rests = !strcmp(argv[1], "rests"), twice = !strcmp(argv[1], "twice");
    for (int g = 0; g < 2; g++) {
        (void)hipSetDevice(g);
        if (rests || twice)
            one<<<1, 1>>>(p[g]);
        else if (g == 1 || !strcmp(argv[1], "both"))
            forever<<<1, 64>>>(p[g]);
        (void)hipStreamQuery(0);
        if (rests || twice)
            (void)hipDeviceSynchronize();
    }
    std::printf("%d\\n", (int)getpid());
    std::fflush(stdout);
    if (rests || twice)
        while (read(0, &byte, 1) > 0) ;
    if (rests)
        _exit(0); // without a call: HIP's own tidying up needs the GPUs
    for (int g = 0; g < 2; g++) {
        (void)hipSetDevice(g);
        if (twice)
            one<<<1, 1>>>(p[g]);
        (void)hipDeviceSynchronize();
    }
    return 0;
}
"""
STATUS = {"SIGINT": (130, 74), "SIGTERM": (143, 74), "--max-seconds": (75, 74), "own end": (74,), "killed": (137, 74)}


@pytest.fixture(scope="module")
def stays(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stays")
    (folder / "stays.hip").write_text(SOURCE)
    subprocess.run([ROOT / "sw/tools/builder/hipcc.sh", "-O2", "-x", "hip", folder / "stays.hip", "-o", folder / "stays"], check=True, capture_output=True)
    return folder / "stays"


class Run:
    """A run in two processes, in a temporary folder that marks all that belongs to it."""

    def __init__(self, folder, program, *options, seconds=None, **environment):
        folder.mkdir()
        self.folder, self.marks, self.begin = folder, f"TMPDIR={folder}", time.monotonic()
        limit = [] if seconds is None else ["--max-seconds", str(seconds)]
        self.process = subprocess.Popen([GANTRY, "run", "-c", "tiny", "-q", "--set", "system.gpus=2", *map(str, options), *limit, "--", *program], cwd=ROOT,
                                        text=True, env={**os.environ, "TMPDIR": str(folder), **environment}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=(folder / "err").open("w"))
        self.pid = self.process.pid

    def ready(self):
        self.program = int(self.process.stdout.readline() or 0)
        assert self.program, self.err()
        return self

    def err(self):
        return (self.folder / "err").read_text()

    def worker(self):
        found = within(BEGIN, lambda: self.process.poll() is not None or children(self.pid, "gantry:1"))
        return found[0]

    def end_by(self, way):
        """The cause; the time from which the end is expected."""
        if way.startswith("SIG"):
            self.process.send_signal(getattr(signal, way))
        elif way == "killed":
            os.kill(self.program, signal.SIGKILL)
        elif way == "own end":
            self.process.stdin.close()
        else:
            return self.begin + self.seconds
        return time.monotonic()

    def ended(self, way, since, told):
        try:
            self.process.wait(max(0.1, since + LIMIT - time.monotonic()))
        except subprocess.TimeoutExpired:
            pytest.fail(f"{way}: not ended {LIMIT} s after it: {self.err()}")
        finally:
            self.clean()
        lines = [line for line in self.err().splitlines() if re.search(told, line)]
        assert self.process.returncode in STATUS[way] and len(lines) == 1, (way, self.process.returncode, self.err())
        assert "internal error" not in self.err() and "does not answer" not in self.err(), self.err()

    def clean(self):
        within(1, lambda: self.process.poll() is None or not holding(self.marks))
        left = holding(self.marks)
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        ended = self.process.poll() is not None
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        assert not ended or not left, f"left running: {left}"


TOLD = r"^gantry: place: process worker1 \(pid \d+\) is stopped and the run is to end: it ends without it$"
PLACED = ("--set", "place.processes=2")
GOLDEN = (*PLACED, "--model", "golden")


def each_way(tmp_path, ways, start, stop):
    """Runs that `start` begins, all at once; what `stop` stops is left so for a while, then each is ended its way."""
    runs = {}
    try:
        for way in ways:
            runs[way] = start(tmp_path / re.sub(r"\W", "_", way))
            runs[way].seconds = SECONDS
        for run in runs.values():
            stop(run)
        time.sleep(0.5)
        since = {way: run.end_by(way) for way, run in runs.items()}
        for way, run in runs.items():
            run.ended(way, since[way], TOLD)
    finally:
        for run in runs.values():
            if run.process.poll() is None:
                run.clean()


def worker_stop(run):
    os.kill(run.worker(), signal.SIGSTOP)


ALL = ("SIGINT", "SIGTERM", "--max-seconds", "killed")


def nightly(*values):
    return pytest.param(*values, marks=pytest.mark.nightly)


@pytest.mark.parametrize("phase, options, ways", [
    ("runs", GOLDEN, ("SIGINT", "--max-seconds")),
    ("both", GOLDEN, ("SIGTERM",)),
    ("rests", GOLDEN, ("SIGTERM", "own end")),
    ("runs", PLACED, ("SIGINT", "killed")),
    nightly("both", GOLDEN, ALL),
    nightly("runs", PLACED, ALL),
    nightly("rests", PLACED, (*ALL, "own end")),
    nightly("twice", PLACED, ALL),
])
@pytest.mark.shows("B.3")
def test_stopped_worker(stays, phase, options, ways, tmp_path):
    def start(folder):
        return Run(folder, [stays, phase], *options, seconds=SECONDS if folder.name == "__max_seconds" else None).ready()
    each_way(tmp_path, ways, start, worker_stop)


@pytest.mark.parametrize("ways, more", [(("SIGINT",), ()), nightly(ALL, ()), nightly(ALL, ("--checkpoint", "kernel:3,{}/state"))])
def test_stopped_worker_of_a_recorded_run(stays, ways, more, tmp_path):
    def start(folder):
        options = [word.format(folder) for word in more]
        return Run(folder, [stays, "twice"], *PLACED, "--record", folder / "kept", *options, seconds=SECONDS if folder.name == "__max_seconds" else None).ready()
    each_way(tmp_path, ways, start, worker_stop)


@pytest.mark.parametrize("way", ["SIGINT", pytest.param("--max-seconds", marks=pytest.mark.nightly)])
def test_stopped_worker_of_a_replay(stays, way, tmp_path):
    """Whatever it was at: building its part, replaying, answering."""
    kept = Run(tmp_path / "run", [stays, "rests"], *PLACED, "--record", tmp_path / "kept").ready()
    kept.end_by("own end")
    kept.process.wait(LIMIT)
    kept.clean()
    assert kept.process.returncode == 0, kept.err()
    replay = subprocess.Popen([GANTRY, "replay", "-q", *PLACED, *(["--max-seconds", "5"] if way != "SIGINT" else []), tmp_path / "kept"], cwd=ROOT, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    worker = within(BEGIN, lambda: children(replay.pid, "gantry:1"))[0]
    os.kill(worker, signal.SIGSTOP)
    time.sleep(0.3)
    if way == "SIGINT":
        replay.send_signal(signal.SIGINT)
    try:
        _, err = replay.communicate(timeout=LIMIT + 5)
    finally:
        replay.kill()
        replay.wait()
    assert replay.returncode in STATUS[way] and "internal error" not in err, (replay.returncode, err)
    assert not pathlib.Path(f"/proc/{worker}").exists()


def test_worker_stopped_at_its_beginning(stays, tmp_path):
    """Before it has joined the others, or shortly after it."""
    run = Run(tmp_path / "run", [stays, "runs"], *GOLDEN)
    worker_stop(run)
    time.sleep(0.5)
    run.program = run.pid
    run.ended("SIGINT", run.end_by("SIGINT"), r"ended by signal 2$" if "is stopped and" not in run.err() else TOLD)


@pytest.mark.parametrize("way", ["SIGINT", "SIGTERM", pytest.param("--max-seconds", marks=pytest.mark.nightly)])
def test_stopped_program(stays, way, tmp_path):
    """With the process that it has started."""
    run = Run(tmp_path / "run", ["/bin/sh", "-c", f"{stays} runs & {stays} runs; wait"], "--model", "golden", seconds=8 if way == "--max-seconds" else None)
    run.seconds = 8
    run.ready()
    os.kill(run.program, signal.SIGSTOP)
    run.ready()
    os.kill(run.program, signal.SIGSTOP)
    for shell in children(run.pid, "sh"):
        os.kill(shell, signal.SIGSTOP)
    run.ended(way, run.end_by(way), r"^gantry: (ended by signal|--max-seconds: stopped after)")


@pytest.mark.parametrize("way", ["SIGINT", "own end"])
def test_stopped_janitor(stays, way, tmp_path):
    """What removes the run's folder when gantry is killed; its own end is not waited for."""
    run = Run(tmp_path / "run", [stays, "rests"], "--model", "golden").ready()
    os.kill(children(run.pid, "gantry-janitor")[0], signal.SIGSTOP)
    run.end_by(way)
    try:
        status = run.process.wait(LIMIT)
    finally:
        run.clean()
    assert status == {"SIGINT": 130, "own end": 0}[way], run.err()
    assert not list(run.folder.glob("gantry-*"))


@pytest.mark.parametrize("what", ["models.py", "compilers"])
def test_stopped_builder(stays, what, tmp_path):
    """Models are built: the process that does it, or all that it has started."""
    run = Run(tmp_path / "run", [stays, "runs"], GANTRY_MODEL_CACHE=str(tmp_path / "models"))
    assert within(BEGIN, lambda: any("verilat" in name for name in programs(holding(run.marks)))), run.err()
    builder = [pid for pid in holding(run.marks) if "models.py" in command(pid) and os.getsid(pid) != pid]  # not what watches over its compilers
    assert len(builder) == 1
    own = os.getpgid(run.pid)
    others = [pid for pid in holding(run.marks) if pid not in (run.pid, builder[0]) and group(pid) not in (own, None)]
    stopped = 0
    for pid in builder if what == "models.py" else others:
        with contextlib.suppress(ProcessLookupError):  # a compiler that has ended since
            os.kill(pid, signal.SIGSTOP)
            stopped += 1
    assert stopped
    run.program = run.pid
    run.ended("SIGINT", run.end_by("SIGINT"), "^gantry: ended by signal 2$")


def group(pid):
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return None


def command(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""
