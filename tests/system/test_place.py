# SPDX-License-Identifier: Apache-2.0
"""GPUs in worker processes (keys place.*): the same machine, cycle by cycle, wherever its GPUs run; what is told when a process ends or stands still,
and what is refused."""
import os
import pathlib
import re
import signal
import sqlite3
import struct
import subprocess
import sys
import time

import pytest
from live import GANTRY, ROOT, built
from processes import alive, children, within

sys.path.insert(0, str(ROOT / "tests"))
import snippet  # noqa: E402

LIMIT = 900  # with the build of models
ENDLESS = "again:\n s_add_u32 s4, s4, 1\n s_branch again\n s_endpgm"
WILD = "v_mov_b32 v0, 0\n v_mov_b32 v1, 0x7fff\n flat_store_dword v[0:1], v0\n s_endpgm"
HEADS = (0, 4, 6, 7)  # of a wave: with its date; its hierarchy, packed with a date
REGISTERED = """
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
__global__ void twice(unsigned *p) { p[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }
int main()
{
    const unsigned n = 8192;
    unsigned wrong = 0, *p = static_cast<unsigned *>(aligned_alloc(4096, n * 4));
    for (unsigned round = 0; round < 3; round++) { // the windows change between launches
        for (unsigned i = 0; i < n; i++)
            p[i] = i + round;
        if (hipHostRegister(p, n * 4, hipHostRegisterMapped) != hipSuccess)
            return 2;
        void *device = nullptr;
        (void)hipHostGetDevicePointer(&device, p, 0);
        twice<<<n / 256, 256>>>(static_cast<unsigned *>(device));
        if (hipDeviceSynchronize() != hipSuccess)
            return 3;
        (void)hipHostUnregister(p);
        for (unsigned i = 0; i < n; i++)
            wrong += p[i] != 2 * (i + round);
    }
    std::printf("registered: %u of %u words are wrong\\n", wrong, n);
}
"""
FIGURES = ("gpus", "kernels", "cycles", "instructions", "repeatable", "hash", "data", "counters", "now")


def placed(gpus, processes=1, where=None):
    """Options of a machine of `tiny` GPUs."""
    options = ["--set", f"system.gpus={gpus}", "--set", f"place.processes={processes}"]
    return options + (["--set", f"place.gpus={where}"] if where else [])


def start(command, *options, **kw):
    return subprocess.Popen([GANTRY, command, "-c", "tiny", *map(str, options)], cwd=ROOT, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, **kw)


def gantry(command, *options, status=0):
    process = start(command, *options)
    out, err = process.communicate(timeout=LIMIT)
    assert process.returncode == status, (process.returncode, out, err)
    return out, err


def figures(err):
    line = next(text for text in err.splitlines() if text.startswith("gantry: gpus="))
    found = dict(re.findall(r"(\w+)=(\S+)", line))
    return {key: found[key] for key in FIGURES}


def tables(folder):
    """Every counter and every launch, in the order in which they were told."""
    db = sqlite3.connect(folder / "metrics.sqlite")
    counters = db.execute("select location, what, value, unit from metrics order by rowid").fetchall()
    return [row for row in counters if row[1] != "cpu_us"], (folder / "kernels.csv").read_text()


def program(folder, name, options, *more):
    out, err = gantry("run", "-o", folder, *options, *more, "--", name)
    return out, figures(err), *tables(folder)


def loop(tmp_path):
    return snippet.assemble(tmp_path, "endless", ENDLESS, 4)


def kernel(code, *options, gpu=1):
    return [code, "--grid", "64", "--group", "64", "--gpu", gpu, *options]


def placements(gpus):
    """In one process; in as many as there are GPUs, of which the first is gantry's; one more; two."""
    apart = " ".join(f"gpu{g}={g + 1}" for g in range(gpus))
    some = [placed(gpus), placed(gpus, gpus + 1, apart)]
    return some + ([placed(gpus, gpus)] if gpus > 1 else []) + ([placed(gpus, 2, f"gpu{gpus - 1}=1 gpu0=0")] if gpus > 2 else [])


MANY = [4, *(pytest.param(n, marks=pytest.mark.nightly) for n in (1, 2, 8, 16))]


@pytest.mark.parametrize("gpus", MANY)
@pytest.mark.shows("S0.1", "B.3")
def test_program(apps, model, gpus, tmp_path):
    """Copies from one GPU to the next: same output, cycles, hash, data, every counter in the same order."""
    ran = [program(tmp_path / str(n), apps / "peer", options, "--model", model) for n, options in enumerate(placements(gpus))]
    assert "PASSED" in ran[0][0] and int(ran[0][1]["kernels"]) > gpus, ran[0]
    assert all(other == ran[0] for other in ran[1:]), [r[1] for r in ran]


@pytest.mark.parametrize("name", ["copies", pytest.param("sorting", marks=pytest.mark.nightly), pytest.param("matmul", marks=pytest.mark.nightly)])
def test_more_programs(apps, model, name, tmp_path):
    """Small copies go through the large BAR: the program's own mapping of memory whose GPU runs elsewhere."""
    one, two = (program(tmp_path / str(n), apps / name, placed(2, n, "gpu0=1" if n == 2 else None), "--model", model) for n in (1, 2))
    assert "PASSED" in one[0] and one == two, (one[1], two[1])


@pytest.mark.parametrize("gpus, processes", [(4, (1, 4)), *(pytest.param(n, (1, 4, n), marks=pytest.mark.nightly) for n in (16, 64))])
@pytest.mark.shows("S0.1", "B.3")
def test_one_writes_into_the_memory_of_all_others(gpus, processes, tmp_path):
    """In one process, in four, each GPU in its own (GPU 0 in that of gantry, of which all others are workers)."""
    one, *more = (program(tmp_path / str(n), built("scatter"), placed(gpus, n)) for n in processes)
    assert f"scatter: {gpus} devices, 0 words are wrong" in one[0]
    assert all(other == one for other in more), [one[1], *(other[1] for other in more)]


@pytest.mark.nightly
@pytest.mark.shows("S0.1", "B.3")
def test_each_of_eight_in_a_process(tmp_path):
    """More processes than cores: where the run ends, what is under way then, every counter are those of one process, each time."""
    one, apart, pairs = placed(8), placements(8)[1], placed(8, 3, "gpu0=1 gpu7=2 gpu3=1 gpu4=2 gpu5=0")
    ran = [program(tmp_path / str(n), built("scatter"), options) for n, options in enumerate((one, apart, apart, pairs))]
    assert "scatter: 8 devices, 0 words are wrong" in ran[0][0]
    assert all(other == ran[0] for other in ran[1:]), [r[1] for r in ran]


def test_memory_of_the_program(model, tmp_path):
    """Pages that a program has registered: host memory serves them to RTL, a golden GPU elsewhere reaches into the program itself."""
    source, target = tmp_path / "registered.hip", tmp_path / "registered"
    source.write_text(REGISTERED)
    subprocess.run([ROOT / "sw/tools/builder/hipcc.sh", "-O2", "-x", "hip", source, "-o", target], check=True, capture_output=True)
    one, two = (program(tmp_path / str(n), target, placed(2, n, "gpu0=1" if n == 2 else None), "--model", model) for n in (1, 2))
    assert "registered: 0 of 8192 words are wrong" in one[0] and one == two, (one, two)


def test_lock_step(apps, tmp_path):
    """A worker compares what its GPU retires; the sum is that of one process."""
    compared = []
    for n in (1, 2):
        out, err = gantry("run", "--lockstep", "-o", tmp_path / str(n), *placed(2, n), "--", apps / "peer")
        assert "PASSED" in out
        compared.append((re.search(r"lockstep compared=([1-9]\d*) retired=(\d+)", err).groups(), figures(err), tables(tmp_path / str(n))))
    assert compared[0] == compared[1] and compared[0][0][0] == compared[0][0][1]


def test_lock_step_difference_in_a_worker(tmp_path, monkeypatch):
    """A fault of the RTL ends the run with 70, and the worker's line says what differs."""
    for name, value in {"GANTRY_MODEL_DEFINES": "GANTRY_FAULTS", "GANTRY_MODEL_OPT": "-O0", "GANTRY_FAULT": "3"}.items():
        monkeypatch.setenv(name, value)
    code = ROOT / "build/kernels/hash.v4.co"
    launch = [code, "--gpu", "1", "--grid", "1024", "--group", "64", "--arg", "zero:4096", "--arg", "fill:7:4096"]
    told = [gantry("kernel", "--lockstep", *launch, *placed(2, n), status=70)[1].splitlines() for n in (1, 2)]
    found = [[text for text in lines if text.startswith("gantry: lockstep: gpu1.cu0 ")] for lines in told]
    assert found[0] == found[1] and len(found[0]) == 1, told
    assert sum("ended at cycle" in text for text in told[1]) == 1, told


@pytest.mark.nightly
def test_wave(tmp_path):
    """A worker writes the wave of its GPU: the same file."""
    code, waves = loop(tmp_path), []
    for n in (1, 2):
        gantry("kernel", "--wave", "gpu1.dispatch", "-o", tmp_path / str(n), *kernel(code, "--max-cycles", "5000"), *placed(2, n), status=75)
        data, at, blocks = (tmp_path / str(n) / "gpu1.dispatch.fst").read_bytes(), 0, []
        while at < len(data):
            kind, length = struct.unpack_from(">BQ", data, at)
            blocks.append((kind, length if kind in HEADS else data[at + 9:at + 1 + length]))
            at += 1 + length
        assert at == len(data)
        waves.append(blocks)
    assert waves[0] == waves[1] and sum(len(data) for kind, data in waves[0] if kind not in HEADS) > 1000


def test_end_by_cycles(tmp_path):
    """Where the wavefronts of a worker's GPU are is told as by one process."""
    code = loop(tmp_path)
    told = [gantry("kernel", *kernel(code, "--max-cycles", "20000"), *placed(2, n), status=75)[1] for n in (1, 2)]
    told = [re.sub(r"cpu_s=\S+ inst_per_cpu_s=\S+ ", "", text) for text in told]
    assert told[0] == told[1] and "gpu1.cu0: CU 0 wavefront 0, running, before pc" in told[0]


def test_fault(tmp_path):
    """The wavefront and its work-group are those of one process."""
    code = snippet.assemble(tmp_path, "wild", WILD, 4)
    told = [gantry("kernel", *kernel(code), *placed(2, n), status=76)[1].splitlines()[0] for n in (1, 2)]
    assert told[0] == told[1] and "memory fault at address 0x7fff00000000" in told[0] and "work-group 0,0,0" in told[0]


def test_host_threads_in_each_process(tmp_path):
    code = loop(tmp_path)
    ends = [figures(gantry("kernel", *kernel(code, "--max-cycles", "20000"), *placed(2, 2), *more, status=75)[1]) for more in ([], ["--threads", "2"])]
    assert ends[0] == ends[1]


def test_skipping_changes_nothing(apps, tmp_path):
    one, two = (program(tmp_path / str(n), apps / "peer", placed(2, 2), *more) for n, more in enumerate(([], ["--no-skip"])))
    for key in ("cycles", "hash", "data", "instructions", "counters"):
        assert one[1][key] == two[1][key]


# ---- processes that end or stand still
def ran(pid):
    """CPU time of a process in clock ticks."""
    return sum(map(int, pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]))


@pytest.fixture
def running(tmp_path):
    """An endless kernel on GPU 1, which a worker runs."""
    process = start("kernel", *kernel(loop(tmp_path)), *placed(2, 2))
    workers = within(LIMIT, lambda: children(process.pid, "gantry:1"))
    assert len(workers) == 1
    assert within(LIMIT, lambda: ran(workers[0]) > 30)  # 0.3 s of CPU time: the kernel runs
    yield process, workers[0]
    if process.poll() is None:
        process.kill()
        process.wait()


def test_killed_worker(running):
    process, worker = running
    begin = time.monotonic()
    os.kill(worker, signal.SIGKILL)
    _, err = process.communicate(timeout=60)
    assert time.monotonic() - begin < 5  # that it is seen within a second: tests/bridge/run/test_liveness.c
    assert process.returncode == 74, err
    lines = [text for text in err.splitlines() if text.startswith("gantry: ") and not text.startswith("gantry: gpus=")]
    assert len(lines) == 1, err
    assert re.fullmatch(rf"gantry: gpu1\.rdma:\d+ -> \S+:\d+: process worker1 \(pid {worker}\) ended at cycle [1-9]\d*, before the run did", lines[0]), err


def test_killed_gantry(running):
    process, worker = running
    process.kill()
    process.wait()
    assert within(5, lambda: not alive(worker)), worker
    err = process.stderr.read()
    assert re.fullmatch(rf"gantry: \S+ -> gpu1\.rdma:\d+: process gantry \(pid {process.pid}\) ended at cycle [1-9]\d*, before the run did\n", err), err


def test_killed_gantry_whose_worker_stands_still(running):
    """It cannot see anything; that it goes on must not be waited for."""
    process, worker = running
    os.kill(worker, signal.SIGSTOP)
    process.kill()
    process.wait()
    os.kill(worker, signal.SIGCONT)
    assert within(5, lambda: not alive(worker)), worker


def test_stopped_worker(running):
    """Told once; then the run goes on and ends as asked, with all its processes."""
    process, worker = running
    os.kill(worker, signal.SIGSTOP)
    time.sleep(5)
    os.kill(worker, signal.SIGCONT)
    time.sleep(0.5)
    process.terminate()
    _, err = process.communicate(timeout=60)
    told = re.findall(rf"process worker1 \(pid {worker}\) is stopped at cycle \d+; the run waits until it goes on", err)
    assert len(told) == 1 and process.returncode == 128 + signal.SIGTERM, err
    assert not alive(worker)


def states(*pids):
    """What each process does, for a test in which one does not end."""
    return [(pid, [line for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith(("Name", "State", "SigPnd", "ShdPnd"))],
             [f.read_text() for f in pathlib.Path(f"/proc/{pid}/task").glob("*/wchan")]) for pid in pids if pathlib.Path(f"/proc/{pid}").exists()]


def test_stopped_worker_is_not_waited_for_when_the_run_is_ended(running):
    process, worker = running
    os.kill(worker, signal.SIGSTOP)
    time.sleep(0.5)
    process.terminate()
    try:
        _, err = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        pytest.fail(f"not ended: {states(process.pid, worker)}")
    assert process.returncode in (74, 128 + signal.SIGTERM) and f"process worker1 (pid {worker}) is stopped at cycle" in err, err
    assert not alive(worker)


def test_killed_worker_while_the_program_computes(tmp_path):
    """The clock stands still, and nobody asks the worker for anything."""
    source = tmp_path / "rests.hip"
    source.write_text('#include <hip/hip_runtime.h>\n#include <cstdio>\n#include <unistd.h>\n__global__ void one(int *p) { *p = 1; }\n'
                      'int main() { int *p; (void)hipSetDevice(1); (void)hipMalloc(&p, 4); one<<<1, 1>>>(p); (void)hipDeviceSynchronize(); '
                      'std::puts("ready"); std::fflush(stdout); for (;;) pause(); }\n')
    target = tmp_path / "rests"
    subprocess.run([ROOT / "sw/tools/builder/hipcc.sh", "-O2", "-x", "hip", source, "-o", target], check=True, capture_output=True)
    process = start("run", *placed(2, 2), "--", target)
    assert process.stdout.readline() == "ready\n"
    worker = children(process.pid, "gantry:1")[0]
    begin = time.monotonic()
    os.kill(worker, signal.SIGKILL)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 74 and f"process worker1 (pid {worker}) ended at cycle" in err, err
    assert time.monotonic() - begin < 10  # with the time that the program has to end


def test_program_that_ends_while_its_kernel_runs(tmp_path):
    """A worker's GPU is busy when the program is killed: its work is ended as within one process."""
    source = tmp_path / "leaves.hip"
    source.write_text('#include <hip/hip_runtime.h>\n#include <csignal>\n#include <unistd.h>\n'
                      '__global__ void on(volatile int *p) { while (*p == 0) ; }\n'
                      'int main() { int *p; (void)hipSetDevice(1); (void)hipMalloc(&p, 4); (void)hipMemset(p, 0, 4); (void)hipDeviceSynchronize(); '
                      'on<<<1, 1>>>(p); (void)hipStreamQuery(0); usleep(1000); raise(SIGKILL); }\n')
    target = tmp_path / "leaves"
    subprocess.run([ROOT / "sw/tools/builder/hipcc.sh", "-O2", "-x", "hip", source, "-o", target], check=True, capture_output=True)
    for model in ("rtl", "golden"):
        for processes in (1, 2):
            _, err = gantry("run", "--model", model, *placed(2, processes), "--", target, status=137)
            assert "internal error" not in err and " ended at cycle" not in err, err


def test_golden_wavefronts_that_never_end(tmp_path):
    """Slices of a worker's GPU do not hold up the host: time over is told with the place of the wavefront."""
    told = [gantry("kernel", "--model", "golden", *kernel(loop(tmp_path), "--max-cycles", "400000"), *placed(2, n), status=75)[1] for n in (1, 2)]
    told = [re.sub(r"cpu_s=\S+ inst_per_cpu_s=\S+ ", "", text) for text in told]
    assert told[0] == told[1] and "gpu1" in told[0] and "pc 0x" in told[0], told


# ---- what is refused
@pytest.mark.parametrize("options, key, why", [
    (placed(2, 2, "gpu0=1 gpu2=1"), "place.gpus", r"gpu2=1: expected gpuK=P with a GPU of this machine \(gpu0 to gpu1\)"),
    (placed(2, 2, "gpu0=0 gpu1=2"), "place.gpus", r"gpu1=2: no such process \(place.processes is 2: 0 to 1\)"),
    (placed(2, 2, "gpu0=1,gpu0=1"), "place.gpus", "gpu0 is placed twice"),
    (placed(2, 2, "gpu0=x"), "place.gpus", "gpu0=x: no such process"),
    (placed(2, 2, "memory=1"), "place.gpus", "memory=1: expected gpuK=P"),
    (placed(2, 3), "place.processes", r"process 2 would run nothing \(2 GPUs\)"),
    (placed(1, 2, "gpu0=0"), "place.processes", r"process 1 would run nothing \(1 GPU\)"),
    (placed(2, 65), "place.processes", "65"),
])
def test_wrong_placement(options, key, why, tmp_path):
    _, err = gantry("kernel", *kernel(loop(tmp_path)), *options, status=65)
    assert len(err.splitlines()) == 1 and re.search(f"{key}.*{why}", err), err
