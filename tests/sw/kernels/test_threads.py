# SPDX-License-Identifier: Apache-2.0
"""`--model golden --threads N` (B.4, C.6): the same outputs, instructions, `data` and `hash` as with one host thread; work-groups that wait for each
other, one that faults, an end by a signal."""
import pathlib
import re
import signal
import struct
import subprocess
import time

import pytest
import reference
from builder import release
from test_kernels import difference, launch

ROOT = pathlib.Path(__file__).resolve().parents[3]
BENCH = {  # work-groups enough for every thread, several meetings of the threads: grid, group, arguments
    "int": ("4096", "256", ["out:16384:/dev/null", "u32:4000"]),
    "fp64": ("4096", "64", ["out:32768:/dev/null", "u32:1500"]),
    "matmul": ("160,160", "16,16", ["out:102400:/dev/null", "zero:102400", "zero:102400", "u32:160"]),
}


@pytest.fixture(scope="module")
def code():
    out = ROOT / "build/tests/sw/kernels/threads.co"
    out.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["clang-19", "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx803", "-O2",
                    release.bitcode(), "-mcode-object-version=4", "-o", out,
                    "tests/sw/kernels/threads.cl"], cwd=ROOT, check=True)
    return out


def command(threads, file, grid, group, args):
    return [ROOT / "build/bin/gantry", "kernel", "-c", "tiny", "-q", "--model", "golden", "--threads", str(threads), file, "--grid", grid,
            "--group", group, *(x for a in args for x in ("--arg", a))]


def run(*launch_as):
    done = subprocess.run(command(*launch_as), cwd=ROOT, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stderr, dict(re.findall(r"(\w+)=(\S+)", done.stderr))


def same(line):
    return {k: line[k] for k in ("kernels", "instructions", "data", "hash", "counters")}


@pytest.mark.parametrize("name", list(reference.CASES))
@pytest.mark.shows("B.4", "C.6")
def test_kernels(name, tmp_path):
    one, got, want = launch(name, 4, tmp_path, "--model", "golden")
    difference(got, want)
    many, got, _ = launch(name, 4, tmp_path, "--model", "golden", "--threads", "3")
    difference(got, want)
    assert same(one) == same(many)


@pytest.mark.parametrize("name", list(BENCH))
def test_long_kernels(name, tmp_path):
    file = tmp_path / "code.co"
    subprocess.run(["clang-19", "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx803", "-O2",
                    release.bitcode(), "-mcode-object-version=4", "-o", file,
                    f"sw/kernels/bench_{name}.cl"], cwd=ROOT, check=True)
    lines = []
    for threads in (1, 2, 5):
        status, err, line = run(threads, file, *BENCH[name])
        assert status == 0, err
        lines.append(same(line))
    assert lines[0] == lines[1] == lines[2] and int(lines[0]["instructions"]) > 100000


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.shows("C.6")
def test_groups_that_wait_for_later_ones(code, threads, tmp_path):
    (tmp_path / "come").write_bytes(bytes(64))
    status, err, _ = run(threads, f"{code}:reverse", "384", "64", [f"inout:{tmp_path}/come:{tmp_path}/came", f"out:1536:{tmp_path}/out"])
    assert status == 0, err
    assert struct.unpack("<384I", (tmp_path / "out").read_bytes()) == tuple(i // 64 * 3 + 1 for i in range(384))
    assert struct.unpack("<I", (tmp_path / "came").read_bytes()[:4]) == (6,)


@pytest.mark.parametrize("threads", [1, 3])
def test_private_memory_is_each_groups_own(code, threads, tmp_path):
    """Also where work-groups stand beside each other on one thread, because the first ones wait."""
    status, err, _ = run(threads, f"{code}:private_reverse", "256", "64", ["zero:64", f"out:1024:{tmp_path}/out", "zero:64"])
    assert status == 0, err
    assert struct.unpack("<256I", (tmp_path / "out").read_bytes()) == tuple(i // 64 * 64000 + 2016 for i in range(256))


@pytest.mark.parametrize("threads", [2, 4])
def test_order_of_atomics_is_left_open_and_none_is_lost(code, threads, tmp_path):
    status, err, _ = run(threads, f"{code}:tickets", "65536", "256", ["zero:64", f"out:262144:{tmp_path}/out"])
    assert status == 0, err
    assert sorted(struct.unpack("<65536I", (tmp_path / "out").read_bytes())) == list(range(65536))


def test_a_fault_is_that_of_one_thread(code):
    """Though later work-groups fault sooner."""
    results = [run(threads, f"{code}:fault", "2048", "64", ["zero:8192"]) for threads in (1, 2, 4)]
    for status, err, line in results:
        assert status == 76 and "memory fault at address 0xdead00005000" in err, err
    first = [r[1].splitlines()[0] for r in results]
    assert first[0] == first[1] == first[2] and results[0][2]["instructions"] == results[1][2]["instructions"] == results[2][2]["instructions"]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it(code, how):
    child = subprocess.Popen(command(3, f"{code}:forever", "1024", "64", ["zero:64"]), cwd=ROOT, stderr=subprocess.PIPE, text=True)
    time.sleep(1)
    child.send_signal(how)
    _, err = child.communicate(timeout=30)
    assert child.returncode == 128 + how and f"ended by signal {how.value}" in err, err
