# SPDX-License-Identifier: Apache-2.0
"""B.4: the same program gives the same cycles each time, although it runs natively; with cores kept busy."""
import os
import subprocess
import sys

import pytest
from live import MODELS, ROOT, gantry_run

SINGLE_THREADED = ["vecadd", "matmul", "transpose", "reduction", "histogram", "hash", "blur", "pipeline", "peer", "copies"]
OFTEN = ["vecadd", "pipeline", "peer"]
RUNS = 5 if os.environ.get("GANTRY_NIGHTLY") == "1" else 2


@pytest.fixture
def load():
    """A process, nightly two, that compute without end, at lower priority than nothing."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 if os.environ.get("GANTRY_NIGHTLY") == "1" else 1)]
    yield
    for b in busy:
        b.kill()
        b.wait()


def figures(result):
    assert result.status == 0, result
    assert result.line["repeatable"] == "yes", result
    return {k: result.line[k] for k in ("kernels", "cycles", "instructions", "hash", "data", "counters", "now")}, result.kernels


@pytest.mark.parametrize("program", [p if p in OFTEN else pytest.param(p, marks=pytest.mark.nightly) for p in SINGLE_THREADED])
@pytest.mark.parametrize("model", [pytest.param(m, marks=pytest.mark.nightly) if m == "golden" and "rtl" in MODELS else m for m in MODELS])
@pytest.mark.shows("B.4")
def test_runs_are_equal(apps, model, load, program):
    first = figures(gantry_run([apps / program], model, 2))
    for _ in range(RUNS - 1):
        assert figures(gantry_run([apps / program], model, 2)) == first


def test_one_input_byte_changes_the_hash(apps, model):
    """One bit of byte 1234 of the first input; the kernel adds the same number of words either way."""
    one, other = (figures(gantry_run([apps / "vecadd", "500", "1", *byte], model, 2))[0] for byte in ([], ["1234"]))
    assert one["data"] != other["data"] and one["hash"] != other["hash"]
    assert one["instructions"] == other["instructions"] and one["kernels"] == other["kernels"]


def test_the_end_of_a_process_counts_however_long_its_parent_lives(apps, model):
    """What closing a process costs on the GPUs is carried out before anything is counted."""
    direct, waited = (figures(gantry_run(["sh", "-c", f"{apps / 'vecadd'} 500 1{rest}"], model, 2))
                      for rest in ("", "; sleep 0.3"))
    assert direct == waited


def test_polling_memory_gets_on_and_is_reported(tmp_path):
    """A program that polls memory instead of waiting ends, and is marked not repeatable."""
    source = tmp_path / "poll.hip"
    source.write_text("""
#include <hip/hip_runtime.h>
__global__ void store(volatile int *p) { *p = 42; }
int main()
{
    int *p;
    if (hipHostMalloc(&p, 4096) != hipSuccess) return 2;
    *(volatile int *)p = 0;
    store<<<1, 1>>>(p);
    while (*(volatile int *)p != 42) {}
    return 0;
}
""")
    subprocess.run([ROOT / "sw/tools/builder/hipcc.sh", "-O2", "-x", "hip", source, "-o", tmp_path / "poll"], check=True,
                   capture_output=True)
    result = gantry_run([tmp_path / "poll"], options=["--set", "clock.patience=0.3"])
    assert result.status == 0, result
    assert result.line["repeatable"] == "no", result


LONG_START = """
#include <hip/hip_runtime.h>
#include <string.h>
#include <map>
#include <string>
#include <thread>
static const int words = 600000;
__global__ void store(int *p) { *p += 42; }
static size_t build() /* as a library that reads a table of its kernels */
{
    auto &all = *new std::map<std::string, std::string>; /* kept, as a library does */
    for (int i = 0; i < words; i++) all[std::to_string(i * 7919L % 1000003)] = std::to_string(i);
    return all.size();
}
static size_t compute(size_t found) /* as a program that works out what it will compare with */
{
    for (volatile unsigned i = 0; i < 400000000; i++) {}
    return found;
}
int main(int argc, char **argv)
{
    int *p, *more, got = 0;
    size_t found = 0;
    if (hipMalloc(&p, 4096) != hipSuccess || hipMemset(p, 0, 4096) != hipSuccess) return 2;
    store<<<1, 1>>>(p);
    if (hipDeviceSynchronize() != hipSuccess) return 3;
    if (argc > 1 && !strcmp(argv[1], "beside")) {
        std::thread other([&] { found = build(); });
        for (int i = 0; i < 8; i++) if (hipMalloc(&more, 1 << 22) != hipSuccess) return 4; /* maps while the other one works */
        other.join();
    } else
        found = argc > 1 ? compute(words) : words;
    store<<<1, 1>>>(p);
    if (hipMemcpy(&got, p, 4, hipMemcpyDeviceToHost) != hipSuccess) return 5;
    return got != 84 || found != words;
}
"""


@pytest.fixture(scope="module")
def long_start(tmp_path_factory):
    folder = tmp_path_factory.mktemp("long")
    (folder / "start.hip").write_text(LONG_START)
    subprocess.run([ROOT / "sw/tools/builder/hipcc.sh", "-O2", "-x", "hip", folder / "start.hip", "-o", folder / "start", "-lpthread"], check=True, capture_output=True)
    return folder / "start"


@pytest.mark.shows("B.4")
def test_a_long_computation_while_nothing_is_pending(long_start):
    """Nobody waits for the clock: a thread has patience many times over, and the run is the one without that computation."""
    patience = ["--set", "clock.patience=0.1"]
    assert figures(gantry_run([long_start, "alone"], options=patience)) == figures(gantry_run([long_start], options=["--set", "clock.patience=60"]))


@pytest.mark.shows("B.4")
def test_a_long_start_beside_a_wait(long_start):
    """A thread that is given memory all the time builds something: the other one's mapping waits for it."""
    short, long = (figures(gantry_run([long_start, "beside"], options=["--set", f"clock.patience={seconds}"])) for seconds in (0.1, 60))
    assert short == long


def test_sleep_is_target_time(tmp_path):
    """usleep of one second costs no host second, and signals of a kernel before it keep their cycles."""
    source = tmp_path / "nap.hip"
    source.write_text("""
#include <hip/hip_runtime.h>
#include <time.h>
#include <unistd.h>
__global__ void store(int *p) { *p = 42; }
int main()
{
    int *p;
    if (hipMalloc(&p, 4096) != hipSuccess) return 2;
    store<<<1, 1>>>(p);
    for (int i = 0; i < 5; i++) usleep(1000000);
    struct timespec t = {2, 0};
    nanosleep(&t, 0);
    return hipDeviceSynchronize() != hipSuccess;
}
""")
    subprocess.run([ROOT / "sw/tools/builder/hipcc.sh", "-O2", "-x", "hip", source, "-o", tmp_path / "nap"], check=True,
                   capture_output=True)
    result = gantry_run([tmp_path / "nap"])
    assert result.status == 0 and result.line["repeatable"] == "yes", result
    assert result.seconds < 6, result
