# SPDX-License-Identifier: Apache-2.0
"""Boards that are lost (key place.boards, docs/reference/board.md): one line in time with partition, cycle and frame, status 74, and nothing is left."""
import functools
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

import pytest
import boards
from boards import gantry, placed, soft, standin  # noqa: F401
from live import ROOT
from processes import holding, names, within

sys.path.insert(0, str(ROOT / "tests"))
sys.path.insert(0, str(ROOT / "tests/sw/kernels"))
sys.path.insert(0, str(ROOT / "tests/rtl/board"))
import snippet  # noqa: E402
import part as parts  # noqa: E402

LOADING = """ s_getpc_b64 s[4:5]
again:
 s_dcache_inv
""" + "".join(f" s_load_dword s6, s[4:5], {at}\n" for at in range(0, 1024, 64)) + " s_waitcnt lgkmcnt(0)\n s_branch again\n s_endpgm"  # from both slices of L2
ENDLESS = "again:\n s_add_u32 s4, s4, 1\n s_branch again\n s_endpgm"
AWAY = """
#include <hip/hip_runtime.h>
#include <cstdio>
__global__ void one(unsigned *p) { *p = 1; }
int main()
{
    unsigned *p;
    (void)hipMalloc(&p, 4);
    one<<<1, 1>>>(p);
    (void)hipDeviceSynchronize();
    std::puts("away");
    std::fflush(stdout);
    for (volatile unsigned n = 0;;)
        n = n + 1;
}
"""


CONFIG = {1: "smallest", 2: "tiny"}  # by processes


@functools.cache
def models(processes):
    """Those of runs here, which wait for a board no longer than a minute: a kernel that ends at once has them built."""
    with tempfile.TemporaryDirectory() as folder:
        code = snippet.assemble(pathlib.Path(folder), "ends", " s_endpgm", 4)
        gantry("kernel", "-q", "--set", f"system.gpus={processes}", code, "--grid", 64, "--group", 64, config=CONFIG[processes])


@pytest.fixture
def start():
    """boards.start; what a test has left running is killed behind it."""
    runs = []

    def begin(*options, config=CONFIG[1], **kw):
        models(next(n for n, name in CONFIG.items() if name == config))
        runs.append(boards.start(*options, config=config, **kw))
        return runs[-1]
    yield begin
    for run in runs:
        if run.poll() is None:
            run.kill()
            run.communicate(timeout=60)


def nothing_left(mark):
    left = within(5, lambda: not holding(mark))
    assert left, names(holding(mark))


@pytest.mark.parametrize("fault, cause", [("silent=5000000", "no answer for 1 s"), ("gone=5000000", ".*the simulated board.*")])
def test_a_simulated_board_is_lost(apps, standin, fault, cause, tmp_path):
    """It does not answer, or is unplugged."""
    _, err = gantry("run", "-q", *placed("gpu0.rdma"), "--", apps / "vecadd", env={"GANTRY_BOARD_FAULT": fault, "GANTRY_TEST_MARK": str(tmp_path)}, status=74)
    assert re.fullmatch(rf"gantry: gpu0\.rdma: the board is lost at cycle \d+, behind frame \d+: {cause}", err.splitlines()[0]), err
    nothing_left(f"GANTRY_TEST_MARK={tmp_path}")


LOST = {
    "dies": "the other side has closed the connection; its process was ended by signal 9",
    "leaves": "the other side has closed the connection; its process has ended with status 3",
    "silent": "no answer for 1 s",
    "kind": "it answers with a record of kind 99",
    "link": "a message of its output 13; it has 13",
    "early": "a message of its output 12 comes from outside of the window",
    "late": "a message of its output 12 comes from outside of the window",
    "cycle": r"it stands at cycle \d+ instead of \d+",
    "error": "it refuses a record for its second message of a cycle",
    "return": r"a credit of its output \d+ without a message"}


@pytest.mark.parametrize("fault", LOST)
def test_what_a_board_may_not_say(apps, soft, fault, tmp_path):
    """One line with partition, cycle and frame, status 74, nothing is left."""
    mark = f"GANTRY_TEST_MARK={tmp_path}"
    _, err = gantry("run", "-q", *placed("gpu0.rdma"), "--", apps / "vecadd", status=74,
                    env={**soft, "GANTRY_SOFT_FAULT": f"{fault}@300", "GANTRY_TEST_MARK": str(tmp_path)})
    lines = err.splitlines()
    assert len(lines) == 2 and lines[1].startswith("gantry: gpus=1"), err
    assert re.fullmatch(rf"gantry: gpu0\.rdma: the board is lost at cycle \d+, behind frame \d+: {LOST[fault]}", lines[0]), err
    nothing_left(mark)


def words(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:  # it has ended
        return []


def board_of(mark):
    """Processes of boards."""
    return within(60, lambda: [pid for pid in holding(mark) if b"--fd" in words(pid)])


def told_in_time(run, begin, mark, part, cause):
    """One line within a second of the signal (of whoever waits for it; two on a busy machine), the end soon after it, and nothing is left."""
    line = run.stderr.readline()
    seconds = time.monotonic() - begin
    _, rest = run.communicate(timeout=60)
    assert re.fullmatch(rf"gantry: {part}: the board is lost at cycle \d+, behind frame \d+: {cause}\n", line), line + rest
    assert run.returncode == 74 and seconds < 2 and time.monotonic() - begin < 4, (seconds, rest)
    assert [text for text in rest.splitlines() if not text.startswith("gantry: gpus=")] == []
    nothing_left(mark)


WAITED = {"soft": ("gpu0.cu0", ENDLESS, {signal.SIGKILL: "the other side has closed the connection; its process was ended by signal 9",
                                         signal.SIGSTOP: "no answer any more; its process is stopped"}),
          "simulated": ("gpu0.l2s0", LOADING, {signal.SIGKILL: "the simulated board is gone; its process was ended by signal 9",
                                                signal.SIGSTOP: "the simulated board is gone; its process is stopped"})}


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
@pytest.mark.parametrize("board", ["soft", pytest.param("simulated", marks=pytest.mark.nightly)])  # a board that no other test by day has
@pytest.mark.shows("B.3")
def test_killed_or_stopped_in_a_kernel(soft, standin, start, board, how, tmp_path):
    """While it is waited for."""
    part, text, causes = WAITED[board]
    if board == "simulated":
        parts.board("l2")  # as the run builds it, which would take too long
    code, mark = snippet.assemble(tmp_path, "endless", text, 4), f"GANTRY_TEST_MARK={tmp_path}"
    run = start("kernel", "-q", *placed(part), code, "--grid", 64, "--group", 64,
                env={**(soft if board == "soft" else {}), "GANTRY_TEST_MARK": str(tmp_path)})
    pid, = board_of(mark)
    time.sleep(1)
    assert run.poll() is None
    os.kill(pid, how)
    told_in_time(run, time.monotonic(), mark, part, causes[how])


@pytest.fixture(scope="session")
def away(tmp_path_factory):
    """A program that computes for ever behind its only kernel."""
    folder = tmp_path_factory.mktemp("away")
    (folder / "away.hip").write_text(AWAY)
    subprocess.run([ROOT / "sw/tools/builder/hipcc.sh", "-O2", folder / "away.hip", "-o", folder / "away"], check=True, capture_output=True)
    return folder / "away"


@pytest.mark.parametrize("processes", [1, pytest.param(2, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("how, cause", [(signal.SIGKILL, "its process was ended by signal 9"), (signal.SIGSTOP, "its process is stopped")])
def test_killed_or_stopped_while_the_clock_stands(soft, start, away, how, cause, processes, tmp_path):
    """No partition is visited, here or in the worker that has the board: the end of its process is seen all the same, and the program ended."""
    mark, part = f"GANTRY_TEST_MARK={tmp_path}", f"gpu{processes - 1}.rdma"
    run = start("run", "-q", "--set", f"system.gpus={processes}", "--set", f"place.processes={processes}", *placed(part), "--", away, config=CONFIG[processes],
                env={**soft, "GANTRY_TEST_MARK": str(tmp_path)})
    assert run.stdout.readline() == "away\n"
    pid, = board_of(mark)
    os.kill(pid, how)
    told_in_time(run, time.monotonic(), mark, part, f"nobody answers any more; {cause}")


@pytest.mark.parametrize("processes", [1, pytest.param(2, marks=pytest.mark.nightly)])
def test_stopped_while_others_work(soft, start, processes, tmp_path):
    """Its partition is idle, the rest of the machine busy."""
    code, mark = snippet.assemble(tmp_path, "endless", ENDLESS, 4), f"GANTRY_TEST_MARK={tmp_path}"
    part = f"gpu{processes - 1}.rdma"
    run = start("kernel", "-q", "--gpu", processes - 1, "--set", f"system.gpus={processes}", "--set", f"place.processes={processes}", *placed(part), code,
                "--grid", 64, "--group", 64, config=CONFIG[processes], env={**soft, "GANTRY_TEST_MARK": str(tmp_path)})
    pid, = board_of(mark)
    time.sleep(1)
    os.kill(pid, signal.SIGSTOP)
    told_in_time(run, time.monotonic(), mark, part, "nobody answers any more; its process is stopped")


@pytest.mark.parametrize("boards, processes", [(("gpu0.cu0", "gpu0.rdma"), 1), pytest.param(("gpu0.rdma", "gpu1.rdma"), 2, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_two_lost_at_once(soft, start, boards, processes, how, tmp_path):
    """In a kernel, of one process and of two workers: a line of one of them, or one of each worker."""
    code, mark = snippet.assemble(tmp_path, "endless", ENDLESS, 4), f"GANTRY_TEST_MARK={tmp_path}"
    run = start("kernel", "-q", "--set", f"system.gpus={processes}", "--set", f"place.processes={processes}", *placed(*boards), code, "--grid", 64, "--group", 64,
                config=CONFIG[processes], env={**soft, "GANTRY_TEST_MARK": str(tmp_path)})
    assert within(60, lambda: len(board_of(mark) or []) == 2)
    time.sleep(1)
    assert run.poll() is None
    begin = time.monotonic()
    for pid in sorted(board_of(mark), reverse=True):  # the compute unit's, which is waited for, last
        os.kill(pid, how)
    _, err = run.communicate(timeout=60)
    lines = [line for line in err.splitlines() if not line.startswith("gantry: gpus=")]
    told = [re.fullmatch(r"gantry: (\S+): the board is lost at cycle \d+, behind frame \d+: .*; its process (?:was ended by signal 9|is stopped)", line) for line in lines]
    assert all(told) and 1 <= len(told) <= processes and {found[1] for found in told} <= set(boards) and len({found[1] for found in told}) == len(told), err
    assert run.returncode == 74 and time.monotonic() - begin < 4, err
    nothing_left(mark)


@pytest.fixture(scope="session")
def umock():
    """The system's own libusb, for which a simulated board is plugged in."""
    done = subprocess.run(["make", "-s", "umock"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        pytest.skip("libumockdev-dev is not installed")
    return ROOT / "build/tests/umock"


def test_unplugged_while_others_work(umock, start, tmp_path):
    """At a cable nobody sees a process: signs of life are asked for and come; then the transfers end."""
    code, mark = snippet.assemble(tmp_path, "endless", ENDLESS, 4), f"GANTRY_TEST_MARK={tmp_path}"
    run = start("kernel", "-q", *placed("gpu0.rdma", board="usb:CABLE"), code, "--grid", 64, "--group", 64, env={"GANTRY_TEST_MARK": str(tmp_path)},
                before=[umock, parts.board("rdma", checks=False), "CABLE"])
    pid, = board_of(mark)
    time.sleep(3)
    assert run.poll() is None
    os.kill(pid, signal.SIGKILL)
    told_in_time(run, time.monotonic(), mark, r"gpu0\.rdma", "unplugged, or without power")


def test_gantry_is_killed(soft, start, tmp_path):
    """Its boards end with it."""
    code, mark = snippet.assemble(tmp_path, "endless", ENDLESS, 4), f"GANTRY_TEST_MARK={tmp_path}"
    run = start("kernel", "-q", *placed("gpu0.cu0", "gpu0.rdma"), code, "--grid", 64, "--group", 64, env={**soft, "GANTRY_TEST_MARK": str(tmp_path)})
    assert within(60, lambda: len(board_of(mark)) == 2)
    run.kill()
    run.communicate(timeout=60)
    nothing_left(mark)


@pytest.mark.nightly
def test_lost_in_a_worker(apps, soft, tmp_path):
    """The worker's line is the only one."""
    mark = f"GANTRY_TEST_MARK={tmp_path}"
    for fault, status in (("dies@300", 74), ("silent@300", 74), ("hello-rtl", 74), ("mute", 74)):
        _, err = gantry("run", "-q", "--set", "system.gpus=2", "--set", "place.processes=2", *placed("gpu1.rdma"), "--", apps / "peer", status=status, config="tiny",
                        env={**soft, "GANTRY_SOFT_FAULT": fault, "GANTRY_TEST_MARK": str(tmp_path)})
        lines = [line for line in err.splitlines() if not line.startswith("gantry: gpus=")]
        assert len(lines) == 1 and lines[0].startswith("gantry: gpu1.rdma: "), err
        nothing_left(mark)
