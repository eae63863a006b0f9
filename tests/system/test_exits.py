# SPDX-License-Identifier: Apache-2.0
"""However a run ends, it is noticed within a second and nothing is left in the system."""
import os
import pathlib
import re
import signal
import subprocess
import time

import pytest
from builder import release
from live import ROOT, command, gantry_run, leftovers, shared_names
from processes import alive, holding, within

LIMIT = 1.0  # seconds between a cause and the end of everything


@pytest.fixture
def clean(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    shared = shared_names()
    yield tmp_path
    assert within(LIMIT, lambda: not leftovers(tmp_path, shared)), leftovers(tmp_path, shared)


@pytest.fixture(scope="module")
def stay(tmp_path_factory):
    """A HIP program that launches a kernel without end; argument "wait": says when it is under way and waits,
    "spin": computes on the CPU without a call, "child": has a child of its own that sleeps."""
    folder = tmp_path_factory.mktemp("stay")
    source = folder / "stay.hip"
    source.write_text("""
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstring>
#include <unistd.h>
__global__ void forever(volatile int *p) { while (*p == 0) {} }
int main(int argc, char **argv)
{
    int *p;
    if (hipMalloc(&p, 4096) != hipSuccess || hipMemset(p, 0, 4096) != hipSuccess || hipDeviceSynchronize() != hipSuccess)
        return 2;
    int child = !strcmp(argv[1], "child") ? fork() : -1;
    if (child == 0) {
        execlp("sleep", "sleep", "300", (char *)0);
        _exit(1);
    }
    forever<<<1, 64>>>(p);
    printf("%d %d\\n", (int)getpid(), child);
    fflush(stdout);
    if (!strcmp(argv[1], "spin"))
        for (volatile unsigned long i = 0;; i++) {}
    return hipDeviceSynchronize() != hipSuccess;
}
""")
    subprocess.run([ROOT / "sw/tools/builder/hipcc.sh", "-O2", "-x", "hip", source, "-o", folder / "stay"], check=True,
                   capture_output=True)
    return folder / "stay"


def start(stay, what, model="golden"):
    run = subprocess.Popen(command([stay, what], model), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           stdin=subprocess.DEVNULL, text=True, start_new_session=True)
    run.pids = [int(word) for word in run.stdout.readline().split() if word != "-1"]  # the program, and its child
    time.sleep(0.3)
    assert run.poll() is None and all(map(alive, run.pids))
    return run, run.pids[0]


def ended(run, begin):
    """What was written on stderr; the command and all processes of the program are gone, in time."""
    _, err = run.communicate(timeout=10)
    assert within(LIMIT - (time.monotonic() - begin), lambda: not any(map(alive, run.pids))), err
    assert time.monotonic() - begin < LIMIT, err
    return err


@pytest.mark.parametrize("what", ["wait", "spin", "child"])
def test_program_killed(clean, stay, model, what):
    run, pid = start(stay, what, model)
    assert len(run.pids) == (2 if what == "child" else 1)
    begin = time.monotonic()
    os.kill(pid, signal.SIGKILL)
    err = ended(run, begin)
    assert run.returncode == 128 + 9, err


@pytest.mark.parametrize("what", ["wait", "spin", "child"])
def test_simulator_killed(clean, stay, model, what):
    run, _ = start(stay, what, model)
    begin = time.monotonic()
    run.kill()
    err = ended(run, begin)
    assert "the simulator has ended" in err, err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted(clean, stay, model, number):
    run, _ = start(stay, "wait", model)
    begin = time.monotonic()
    run.send_signal(number)
    err = ended(run, begin)
    assert run.returncode == 128 + number, err


def test_ctrl_c_reaches_both(clean, stay, model):
    """The terminal sends SIGINT to the whole process group."""
    run, _ = start(stay, "wait", model)
    begin = time.monotonic()
    os.killpg(run.pid, signal.SIGINT)
    err = ended(run, begin)
    assert run.returncode == 128 + 2, err


def test_janitor_killed(clean, stay):
    """Who removes the generated tree when the simulator is killed is no longer there: the simulator does it."""
    run, _ = start(stay, "wait")
    janitors = [p for p in holding(f"TMPDIR={clean}") if pathlib.Path(f"/proc/{p}/comm").read_text() == "gantry-janitor\n"]
    assert len(janitors) == 1 and leftovers(clean)
    os.kill(janitors[0], signal.SIGKILL)
    begin = time.monotonic()
    run.send_signal(signal.SIGINT)
    err = ended(run, begin)
    assert run.returncode == 128 + 2 and not list(clean.glob("gantry-*")), err


def test_shared_memory_is_the_runs_own(clean, stay):
    """Debian 12's libhsakmt keeps memory and a semaphore under fixed names: those of a killed program would stay, and stop the next.  Debian 13's has none."""
    run, pid = start(stay, "wait")
    maps = pathlib.Path(f"/proc/{pid}/maps").read_text()
    assert "/dev/shm/" not in maps, maps
    names = ("shm.hsakmt_shared_mem", "sem.hsakmt_semaphore")
    kept = {name: [line for line in maps.splitlines() if line.endswith("/" + name)] for name in names}
    assert all(bool(lines) == (release.name() == "12") for lines in kept.values()), maps
    assert all(f"{clean}/gantry-" in line for lines in kept.values() for line in lines), kept
    os.kill(pid, signal.SIGKILL)
    run.communicate(timeout=10)
    assert run.returncode == 128 + 9


def test_socket_closed(clean, model, tmp_path):
    """The program closes the shim's connections with all others: its next call finds nobody."""
    source = tmp_path / "closes.hip"
    source.write_text("""
#include <hip/hip_runtime.h>
#include <cstdio>
#include <sys/syscall.h>
#include <unistd.h>
__global__ void store(int *p) { *p = 1; }
int main()
{
    int *p, *q;
    if (hipMalloc(&p, 4096) != hipSuccess) return 2;
    store<<<1, 64>>>(p);
    if (hipDeviceSynchronize() != hipSuccess) return 3;
    printf("%d\\n", (int)getpid());
    fflush(stdout);
    for (int fd = 3; fd < 30000; fd++) syscall(SYS_close, fd); // the C library's close does not reach them
    hipMalloc(&q, 1 << 20);
    store<<<1, 64>>>(p);
    hipDeviceSynchronize();
    printf("went on\\n");
    return 0;
}
""")
    subprocess.run([ROOT / "sw/tools/builder/hipcc.sh", "-O2", "-x", "hip", source, "-o", tmp_path / "closes"], check=True, capture_output=True)
    run = subprocess.Popen(command([tmp_path / "closes"], model), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           stdin=subprocess.DEVNULL, text=True)
    run.pids = [int(run.stdout.readline())]
    begin = time.monotonic()
    out = run.stdout.read()
    err = ended(run, begin)
    assert run.returncode == 70 and "went on" not in out, (out, err)
    assert err.count("gantry: the simulator has ended: stopping this program\n") == 1, err
    assert len(re.findall(r"^ +0 +\d+ store ", err, re.M)) == 1 and err.splitlines()[-1].startswith("gantry: gpus=2 "), err


def test_max_cycles(clean, stay, model):
    result = gantry_run([stay, "wait"], model, options=["--max-cycles", "60000"])
    assert result.status == 75, result


def test_ordinary_run_leaves_nothing(clean, apps):
    assert gantry_run([apps / "vecadd"]).status == 0


def test_two_at_once(clean, apps):
    """Two simulators side by side, each with its own tree and socket."""
    runs = [subprocess.Popen(command([apps / "vecadd"]), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for _ in range(2)]
    for run in runs:
        out, err = run.communicate(timeout=60)
        assert run.returncode == 0 and "PASSED" in out, err


@pytest.mark.shows("S0.10", "S3.12")
def test_several_clients(clean, apps, model):
    """S0.10, S3.12: processes with their own queues and address spaces share the GPUs; one that dies hurts no other."""
    result = gantry_run(["/bin/sh", "-c", f"{apps}/wild_store 2>/dev/null & {apps}/vecadd 3000 & {apps}/hash & wait"], model)
    assert "vecadd: PASSED" in result.out and "hash: PASSED" in result.out, result
    assert "went on" not in result.out, result


def test_fork_without_exec(clean, tmp_path):
    """The parent goes on; the child's own HIP calls fail without harm."""
    source = tmp_path / "forks.hip"
    source.write_text("""
#include <hip/hip_runtime.h>
#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>
__global__ void store(int *p) { *p = 42; }
int main()
{
    int *p, v = 0;
    if (hipMalloc(&p, 4096) != hipSuccess) return 2;
    pid_t child = fork();
    if (child == 0) {
        int *q;
        hipError_t e = hipMalloc(&q, 4096);
        _exit(e == hipSuccess ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    store<<<1, 1>>>(p);
    if (hipMemcpy(&v, p, 4, hipMemcpyDeviceToHost) != hipSuccess) return 3;
    printf("forks: %d\\n", v);
    return v != 42;
}
""")
    subprocess.run([ROOT / "sw/tools/builder/hipcc.sh", "-O2", "-x", "hip", source, "-o", tmp_path / "forks"], check=True,
                   capture_output=True)
    result = gantry_run([tmp_path / "forks"])
    assert result.status == 0 and "forks: 42" in result.out, result


@pytest.mark.may_skip("needs root to mount a small file system")
@pytest.mark.may_skip("cannot mount a file system here")
def test_no_space_in_the_output_folder(clean, apps, tmp_path):
    if os.geteuid() != 0:
        pytest.skip("needs root to mount a small file system")
    folder = tmp_path / "small"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", folder], capture_output=True).returncode:
        pytest.skip("cannot mount a file system here")
    try:
        result = gantry_run([apps / "vecadd"], options=["-o", str(folder / "out")])
        assert result.status == 74 and result.out == "", result
        assert result.err == f"gantry: {folder}/out/run.json: No space left on device\n", result
    finally:
        subprocess.run(["umount", folder], check=True)
