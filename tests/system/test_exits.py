# SPDX-License-Identifier: Apache-2.0
"""However a run ends, it is noticed within a second and nothing is left in the system."""
import os
import signal
import subprocess
import time

import pytest
from live import ROOT, command, gantry_run, leftovers


@pytest.fixture
def clean(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    yield
    end = time.monotonic() + 1.5
    while leftovers(tmp_path) and time.monotonic() < end:
        time.sleep(0.05)
    assert not leftovers(tmp_path)


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
    if (!strcmp(argv[1], "child") && fork() == 0) {
        execlp("sleep", "sleep", "300", (char *)0);
        _exit(1);
    }
    forever<<<1, 64>>>(p);
    printf("%d\\n", (int)getpid());
    fflush(stdout);
    if (!strcmp(argv[1], "spin"))
        for (volatile unsigned long i = 0;; i++) {}
    return hipDeviceSynchronize() != hipSuccess;
}
""")
    subprocess.run([ROOT / "sw/tools/hipcc.sh", "-O2", "-x", "hip", source, "-o", folder / "stay"], check=True,
                   capture_output=True)
    return folder / "stay"


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def start(stay, what, model="golden"):
    run = subprocess.Popen(command([stay, what], model), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           stdin=subprocess.DEVNULL, text=True, start_new_session=True)
    pid = int(run.stdout.readline())
    time.sleep(0.3)
    return run, pid


def gone_within(pid, seconds):
    end = time.monotonic() + seconds
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.02)
    return not alive(pid)


@pytest.mark.parametrize("what", ["wait", "spin", "child"])
def test_program_killed(clean, stay, model, what):
    run, pid = start(stay, what, model)
    os.kill(pid, signal.SIGKILL)
    begin = time.monotonic()
    _, err = run.communicate(timeout=10)
    assert run.returncode == 128 + 9, err
    assert time.monotonic() - begin < 1.5, err


@pytest.mark.parametrize("what", ["wait", "spin"])
def test_simulator_killed(clean, stay, model, what):
    run, pid = start(stay, what, model)
    run.kill()
    assert gone_within(pid, 1.0)
    _, err = run.communicate(timeout=10)
    assert "the simulator has ended" in err or what == "spin", err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted(clean, stay, model, number):
    run, pid = start(stay, "wait", model)
    run.send_signal(number)
    begin = time.monotonic()
    _, err = run.communicate(timeout=10)
    assert run.returncode == 128 + number, err
    assert time.monotonic() - begin < 1.5, err
    assert not alive(pid)


def test_ctrl_c_reaches_both(clean, stay):
    """The terminal sends SIGINT to the whole process group."""
    run, pid = start(stay, "wait")
    os.killpg(run.pid, signal.SIGINT)
    _, err = run.communicate(timeout=10)
    assert run.returncode == 128 + 2, err
    assert not alive(pid)


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


def test_several_clients(clean, apps):
    """S0.10, S3.12: processes with their own queues and address spaces share the GPUs; one that dies hurts no other."""
    script = f"{apps}/wild_store 2>/dev/null & {apps}/vecadd 3000 & {apps}/hash & wait %2 && wait %3"
    result = gantry_run(["/bin/sh", "-c", script.replace("wait %2 && wait %3", "wait")])
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
    subprocess.run([ROOT / "sw/tools/hipcc.sh", "-O2", "-x", "hip", source, "-o", tmp_path / "forks"], check=True,
                   capture_output=True)
    result = gantry_run([tmp_path / "forks"])
    assert result.status == 0 and "forks: 42" in result.out, result


def test_no_space_in_the_output_folder(clean, apps, tmp_path):
    if os.geteuid() != 0:
        pytest.skip("needs root to mount a small file system")
    folder = tmp_path / "small"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", folder], capture_output=True).returncode:
        pytest.skip("cannot mount a file system here")
    try:
        result = gantry_run([apps / "vecadd"], options=["-o", str(folder / "out")])
        assert result.status == 74, result
    finally:
        subprocess.run(["umount", folder], check=True)
