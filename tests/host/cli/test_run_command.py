# SPDX-License-Identifier: Apache-2.0
"""gantry run: options, exit codes that pass through, programs without GPU work. Whole ROCm programs: tests/system."""
import os
import pathlib
import re
import signal
import subprocess
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
GANTRY = ROOT / "build/bin/gantry"
LINE = re.compile(r"gantry: gpus=2 kernels=0 cycles=0 instructions=0 .* data=[0-9a-f]{16} counters=[0-9a-f]{16} now=\d+")


def run(*args, **kw):
    done = subprocess.run([GANTRY, "run", *map(str, args)], cwd=ROOT, capture_output=True, text=True, timeout=60, **kw)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("status, cause, args", [
    (64, "run: no program: gantry run -c CONFIG", ["-c", "demo"]),
    (64, "run: no program", ["-c", "demo", "--"]),
    (64, "run: unknown option --gpu", ["-c", "demo", "--gpu", "1", "--", "/bin/true"]),
    (64, "run: unknown option -x", ["-x", "-c", "demo", "--", "/bin/true"]),
    (64, "run: -o needs a value", ["-c", "demo", "-o"]),
    (66, "nothing.yaml: No such file or directory; named systems: demo, ", ["-c", "nothing.yaml", "--", "/bin/true"]),
    (66, "dmeo: No such file or directory; did you mean demo?", ["-c", "dmeo", "--", "/bin/true"]),
    (66, "./demo: No such file or directory\n", ["-c", "./demo", "--", "/bin/true"]),
    (64, "--max-cycles: '1X' is not a number", ["--max-cycles", "1X", "--", "/bin/true"]),
    (64, "--max-cycles: '5 ' is not a number", ["--max-cycles", "5 ", "--", "/bin/true"]),
    (64, "--max-cycles: ' -5' is not a number", ["--max-cycles", " -5", "--", "/bin/true"]),
    (64, "--max-cycles: '0M' must be at least 1", ["--max-cycles", "0M", "--", "/bin/true"]),
    (64, "--max-cycles: '99999999999G' is too large", ["--max-cycles", "99999999999G", "--", "/bin/true"]),
    (65, "--set: gpu.cu.count: 1000 is above the maximum 64", ["-c", "demo", "--set", "gpu.cu.count=1000", "--", "/bin/true"]),
    (66, "/no/such/program: No such file or directory", ["-c", "demo", "--", "/no/such/program"]),
    (66, "no-such-program-anywhere: No such file or directory", ["-c", "demo", "--", "no-such-program-anywhere"]),
    (65, "/etc/passwd: Permission denied", ["-c", "demo", "--", "/etc/passwd"]),
    (74, "/proc/x: No such file or directory", ["-c", "demo", "-o", "/proc/x", "--", "/bin/true"]),
])
def test_wrong_input(status, cause, args):
    got, _, err = run(*args)
    assert got == status and err.count("\n") == 1 and err.startswith("gantry: " + cause), err


@pytest.mark.parametrize("script, status", [("exit 0", 0), ("exit 7", 7), ("exit 64", 64), ("kill -9 $$", 137), ("kill -SEGV $$", 139)])
def test_status_passes_through(script, status):
    """The program's own status; 128 + N when a signal ended it. No ROCm: the end says that no GPU work was seen."""
    got, _, err = run("-c", "demo", "--model", "golden", "--", "/bin/sh", "-c", script)
    lines = err.splitlines()
    assert got == status and len(lines) == 2, err
    assert lines[0].startswith("gantry: no GPU work was seen") and LINE.fullmatch(lines[1])


def test_demo_is_the_default():
    """The two GPUs of demo without -c."""
    status, _, err = run("--model", "golden", "--", "/bin/true")
    assert status == 0 and LINE.fullmatch(err.splitlines()[-1])


def test_program_for_another_gpu(tmp_path):
    """One line says which targets it holds and how to compile; found in PATH, too."""
    source = tmp_path / "other.hip"
    source.write_text("""#include <hip/hip_runtime.h>
__global__ void k(int *p) { *p = 1; }
int main() { int *p; if (hipMalloc(&p, 4) != hipSuccess) return 3; k<<<1, 1>>>(p);
             hipError_t launched = hipGetLastError(); return launched ? launched : hipDeviceSynchronize(); } // HIP 5.7 tells it here only
""")
    subprocess.run(["hipcc", "--offload-arch=gfx900", "--offload-arch=gfx906:sramecc+", "-o", tmp_path / "other", source], check=True,
                   capture_output=True, env={**os.environ, "HIP_PLATFORM": "amd"})
    line = f"gantry: {tmp_path}/other: holds GPU code for gfx900, gfx906:sramecc+ only: compile with hipcc --offload-arch=gfx803"
    for program in (tmp_path / "other", "other"):
        status, _, err = run("--model", "golden", "--", program, env={**os.environ, "PATH": f"{os.environ['PATH']}:{tmp_path}"})
        assert status != 0 and [l for l in err.splitlines() if l.startswith("gantry: ")][0] == line and "no GPU work" not in err, err


@pytest.mark.parametrize("option, status", [(["--max-cycles", "1"], 75), (["--set", "gpu.cu.count=0"], 65)])
def test_no_gpu_work_is_not_told_after_another_end(option, status):
    subprocess.run(["make", "-s", "build/apps/vecadd"], cwd=ROOT, check=True)
    got, _, err = run("--model", "golden", *option, "--", "build/apps/vecadd")
    assert got == status and "no GPU work" not in err, err


def test_program_options_are_its_own():
    status, out, _ = run("-c", "demo", "--model", "golden", "--", "/bin/echo", "-c", "--set", "-q")
    assert status == 0 and out == "-c --set -q\n"
    status, out, _ = run("-c", "demo", "--model", "golden", "/bin/echo", "--grid")
    assert status == 0 and out == "--grid\n"


def test_standard_streams_are_the_programs(tmp_path):
    status, out, _ = run("-c", "demo", "--model", "golden", "--", "/bin/cat", input="one\ntwo\n")
    assert status == 0 and out == "one\ntwo\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signal_ends_program_and_simulator(number):
    """Within a second, nothing of it is left running."""
    child = subprocess.Popen([GANTRY, "run", "-c", "demo", "--model", "golden", "--", "/bin/sleep", "97.125"], cwd=ROOT, stderr=subprocess.PIPE,
                             text=True)
    time.sleep(0.5)
    assert child.poll() is None
    begin = time.monotonic()
    child.send_signal(number)
    err = child.communicate(timeout=10)[1]
    assert time.monotonic() - begin < 1.0
    assert child.returncode == 128 + number and f"gantry: ended by signal {number.value}" in err
    assert subprocess.run(["pgrep", "-f", "sleep 97.125"], capture_output=True).returncode == 1


def test_installed_names_and_help():
    done = subprocess.run([GANTRY, "--help"], cwd="/", capture_output=True, text=True)
    assert done.returncode == 0 and "gantry kernel -c tiny" in done.stdout
    assert subprocess.run([GANTRY, "config", "-c", "demo", "--get", "system.gpus"], cwd="/", capture_output=True, text=True).stdout == "2\n"
    done = subprocess.run([GANTRY, "frobnicate"], capture_output=True, text=True)
    assert done.returncode == 64 and done.stderr == "gantry: frobnicate: unknown command (gantry --help shows all)\n"
