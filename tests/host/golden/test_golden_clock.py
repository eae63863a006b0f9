# SPDX-License-Identifier: Apache-2.0
"""What s_memtime and s_memrealtime tell on the golden model (C.6): a cycle for 64 instructions of the GPU, and more where a wavefront does nothing but
wait for a time; the same with several host threads (B.4)."""
import re
import struct
import subprocess

import pytest
from builder import release
from snippet import GANTRY, ROOT

MS = 1_000_000  # cycles: the driver names 1 GHz
SECOND = 1000 * MS
LONGEST = 1024 + 64  # cycles that a wait may take too long: of a read, and of the instructions beside it


@pytest.fixture(scope="module")
def code(tmp_path_factory):
    out = tmp_path_factory.mktemp("clock") / "clock.co"
    subprocess.run(["clang-19", "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx803", "-O2",
                    release.bitcode(), "-mcode-object-version=4", "-o", out,
                    "tests/host/golden/golden_clock.cl"], cwd=ROOT, check=True)
    return out


def run(code, kernel, folder, grid, size, *args, group="64", options=("--model", "golden"), form="Q"):
    """(values of the first argument, fields of the final line)"""
    out = folder / "out.bin"
    done = subprocess.run([GANTRY, "kernel", "-c", "tiny", "-q", f"{code}:{kernel}", *options, "--grid", grid, "--group", group,
                           "--arg", f"out:{size}:{out}", *(x for a in args for x in ("--arg", a))],
                          cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return struct.unpack(f"<{size // struct.calcsize(form)}{form}", out.read_bytes()), dict(re.findall(r"(\w+)=(\S+)", done.stderr))


@pytest.mark.shows("C.6")
def test_instructions_are_time(code, tmp_path):
    """One wavefront: a 64th of the instructions between two reads; four of a work-group pass four times as much."""
    times = {}
    for waves in (1, 4):
        grid = str(64 * waves)
        (first, line), (last, more) = (run(code, "between", tmp_path, grid, 16 * waves, f"u32:{n}", group=grid) for n in (0, 2000))
        executed = int(more["instructions"]) - int(line["instructions"])
        assert executed > 4000 * waves and line["cycles"] == more["cycles"] == "0", (line, more)
        times[waves] = [last[2 * w + 1] - last[2 * w] for w in range(waves)]
        assert all(first[2 * w + 1] - first[2 * w] <= 1 for w in range(waves)), first
    assert abs(times[1][0] - executed / 4 / 64) <= 2, (times, executed)
    # They run one after the other: what comes later begins later.
    assert all(abs(t - times[1][0]) <= 2 for t in times[4]) and last[0] < last[2] < last[4] < last[6], (times, last)


@pytest.mark.parametrize("cycles", [5000, MS, SECOND])
@pytest.mark.shows("C.6")
def test_waits_end(code, tmp_path, cycles):
    """Not much later than asked for, and a second does not take the host a hundred times as much as a millisecond."""
    told, line = run(code, "waits", tmp_path, "64", 16, f"u64:{cycles}")
    assert 0 <= told[1] - told[0] - cycles <= LONGEST + (4096 if cycles > 4096 else 0), told
    assert int(line["instructions"]) < 10 * cycles // 1024 + 10000, line


@pytest.mark.shows("C.6")
def test_one_waits_while_others_sleep(code, tmp_path):
    told, _ = run(code, "one_waits", tmp_path, "256", 32, f"u64:{10 * MS}", group="256")
    assert 10 * MS <= told[0] <= 10 * MS + 8192 and told[2:] == (2, 1), told


@pytest.mark.parametrize("threads", ["1", "3"])
@pytest.mark.shows("C.6")
def test_others_get_on_before_the_time_has_come(code, tmp_path, threads):
    """Two microseconds and more: a card would have started the other work-groups, and they would have ended."""
    told, _ = run(code, "gives_up", tmp_path, "512", 8, f"u64:{MS // 10}", form="I", options=["--model", "golden", "--threads", threads])
    assert told[0] == 1, told


@pytest.mark.shows("B.4", "C.6")
def test_host_threads(code, tmp_path):
    """What each was told, all that was written in its order, and the instructions: the same with 1, 2 and 5."""
    for kernel, grid, size, args in [("each_reads", "25600", 25600 * 8, []), ("waits", "6400", 1600, [f"u64:{MS // 20}"]),
                                     ("between", "12800", 3200, ["u32:700"])]:
        seen = [run(code, kernel, tmp_path, grid, size, *args, group="256", options=["--model", "golden", "--threads", str(n)]) for n in (1, 2, 5)]
        for told, line in seen:
            assert told == seen[0][0], kernel
            assert all(line[k] == seen[0][1][k] for k in ("instructions", "hash", "data")), (kernel, line)
        assert len(set(seen[0][0])) > 20, kernel


@pytest.mark.shows("B.6")
def test_lock_step_takes_the_rtl_s_time(code, tmp_path):
    """There the RTL's clock is the only one."""
    alone, _ = run(code, "waits", tmp_path, "64", 16, "u64:3000", options=[])
    told, _ = run(code, "waits", tmp_path, "64", 16, "u64:3000", options=["--lockstep"])
    assert told == alone and 3000 <= told[1] - told[0] < 3400, (told, alone)
