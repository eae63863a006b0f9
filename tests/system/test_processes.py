# SPDX-License-Identifier: Apache-2.0
"""B.4 for several processes and for threads that poll: runs repeat, or the line says that they may not; and what they cost."""
import os
import re
import resource
import subprocess
import sys

import pytest
from live import MODELS, ROOT, built, gantry_run

NIGHTLY = os.environ.get("GANTRY_NIGHTLY") == "1"
TINY = ["-c", "tiny"]
FIGURES = ("kernels", "cycles", "instructions", "hash", "data", "counters", "now")


@pytest.fixture(scope="module")
def clients():
    return built("clients")


@pytest.fixture
def load():
    """A process, nightly two, that compute without end."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 if NIGHTLY else 1)]
    yield
    for b in busy:
        b.kill()
        b.wait()


def run(program, model="golden", options=()):
    result = gantry_run(program, model, 1, [*TINY, *options])
    assert result.status == 0, result
    return result


def figures(result):
    assert result.line["repeatable"] == "yes", result
    return {k: result.line[k] for k in FIGURES}, result.kernels


@pytest.mark.parametrize("processes, runs", [*(pytest.param(n, 2, marks=pytest.mark.nightly) for n in (2, 3)), (8, 2)])
@pytest.mark.shows("B.4")
def test_processes_repeat(clients, load, processes, runs):
    """As many kernels as all of them launch have ended, too: that of a process which ends as soon as it sees its signal counts."""
    alone = run([clients, "1"])
    first = run([clients, str(processes)])
    assert len(first.kernels) == processes * len(alone.kernels), first
    assert int(first.line["kernels"]) == processes * int(alone.line["kernels"]), first
    for _ in range((10 if NIGHTLY else runs) - 1):
        assert figures(run([clients, str(processes)])) == figures(first)


@pytest.mark.skipif("rtl" not in MODELS, reason="GANTRY_MODELS leaves the RTL out")
@pytest.mark.shows("B.4")
def test_processes_repeat_on_the_rtl(clients, load):
    first = figures(run([clients, "2", "1", "2"], "rtl"))
    assert int(first[0]["cycles"]) > 0
    for _ in range(9 if NIGHTLY else 1):
        assert figures(run([clients, "2", "1", "2"], "rtl")) == first


@pytest.mark.shows("B.4")
def test_programs_of_a_shell_repeat(clients, load):
    """Started by different parents, of different length."""
    script = f"{clients} 1 2 & ({clients} 1 1 7; {clients} 1) & {clients} 2 & wait"
    first = figures(run(["sh", "-c", script]))
    for _ in range(9 if NIGHTLY else 1):
        assert figures(run(["sh", "-c", script])) == first


SPINNER = """
#include <hip/hip_runtime.h>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

__global__ void add(int *p, int v) { p[threadIdx.x] += v; }

static double cpu_seconds(int tid) // not by the clocks of the program: they tell target time
{
    char path[64], text[128] = "";
    std::snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", tid);
    std::FILE *file = std::fopen(path, "r");
    (void)!std::fgets(text, sizeof text, file);
    std::fclose(file);
    return std::strtod(text, nullptr) * 1e-9;
}

int main(int argc, char **argv)
{
    const int kernels = std::atoi(argv[1]);
    std::atomic<int> stop{0}, tid{0};
    std::thread helper([&] {
        prctl(PR_SET_NAME, "progress");
        tid = static_cast<int>(syscall(SYS_gettid));
        while (!stop.load(std::memory_order_relaxed))
            __builtin_ia32_pause();
    });
    int *p, host[64], wrong = 0;
    if (hipMalloc(&p, sizeof host) || hipMemset(p, 0, sizeof host))
        return 2;
    for (int i = 0; i < kernels; i++) {
        add<<<1, 64>>>(p, i);
        wrong += hipDeviceSynchronize() != hipSuccess;
    }
    wrong += hipMemcpy(host, p, sizeof host, hipMemcpyDeviceToHost) != hipSuccess;
    const double seconds = cpu_seconds(tid);
    stop = 1;
    helper.join();
    for (int value : host)
        wrong += value != kernels * (kernels - 1) / 2;
    std::printf("%s %.3f\\n", wrong ? "FAILED" : "PASSED", seconds);
    return wrong != 0;
}
"""


@pytest.mark.shows("B.4")
def test_a_polling_thread_costs_its_patience_once(tmp_path):
    """Not at each of the waits; it is named with the key, and the run says that it may not repeat.  The CPU time of that thread is what counts: it runs
    as long as the run lasts, on a busy machine less."""
    (tmp_path / "spinner.hip").write_text(SPINNER)
    program = tmp_path / "spinner"
    subprocess.run([ROOT / "sw/tools/builder/hipcc.sh", "-O2", "-x", "hip", f"{program}.hip", "-o", program], check=True, capture_output=True)
    result = run([program, "20"], options=["--set", "clock.patience=0.5"])
    verdict, seconds = result.out.split()
    assert verdict == "PASSED" and 0.4 < float(seconds) < 3, result  # 20 waits of 0.5 s and more before
    assert result.line["repeatable"] == "no", result
    told = re.findall(r"^gantry: clock: thread \d+ \(progress\) of process \d+ has run for .*\(clock\.patience\)$", result.err, re.M)
    assert len(told) == 1 and result.err.count("clock.patience") == 1, result


def cpu_seconds(program):
    """Of the whole tree of processes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(program)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_eight_processes_cost_little_more_than_eight_times_one(clients):
    """Whatever else there is in the system: sixty processes that sleep."""
    others = [subprocess.Popen(["sleep", "600"]) for _ in range(60)]
    try:
        one, eight = (cpu_seconds([clients, processes, "50", "20"]) for processes in ("1", "8"))
    finally:
        for other in others:
            other.kill()
            other.wait()
    assert eight < 12 * one, (one, eight)
