# SPDX-License-Identifier: Apache-2.0
"""Nothing hangs: programs that wait for what never comes end with 75 and say who waits for what; those that only seem to, go on
(B.7)."""
import re
import subprocess
import time

import pytest
from live import GANTRY, MODELS, ROOT, command, gantry_run
from test_traps import kernels

SOURCE = ROOT / "tests/system/programs/hangs.hip"

pytestmark = pytest.mark.shows("B.7")


@pytest.fixture(scope="module")
def hangs(tmp_path_factory):
    target = tmp_path_factory.mktemp("hangs") / "hangs"
    subprocess.run([ROOT / "sw/tools/builder/hipcc.sh", "-std=c++17", "-O2", "-x", "hip", SOURCE, "-o", target, "-lhsa-runtime64"], check=True, capture_output=True)
    return target


THREADS = [r"  process \d+ thread \d+ waits for one event of \d+ \(memory fault\), \d+.*"]  # the runtime's
DEADLOCKS = {
    "blocked": [r"  process \d+ thread \d+ waits for event \d+"],
    "active": [r"  process \d+ thread \d+ polls a signal at libhsa-runtime64\+0x[0-9a-f]+"],
    "barrier": [r"  process \d+ thread \d+ waits for event \d+", r"  gpu0 queue \d+: packet 0 of 1 waits for signal 0x[0-9a-f]+ \(value 1\)"],
    "mutexes": [r"  process \d+ thread \d+ waits for another thread \(futex\)"] * 2,
}


ON_RTL = [pytest.param(m, marks=pytest.mark.nightly) if m == "golden" and "rtl" in MODELS else m for m in MODELS]


@pytest.mark.parametrize("way", DEADLOCKS)
@pytest.mark.parametrize("model", ON_RTL)
def test_deadlock(hangs, model, way):
    result = gantry_run([hangs, way], model, 1)
    assert result.status == 75 and "went on" not in result.out, result
    lines = result.err.splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith("gantry: no progress"))
    assert re.fullmatch(r"gantry: no progress at cycle \d+: no thread can go on, and nothing can happen on any GPU", lines[at]), result
    told = [line for line in lines[at + 1:] if line.startswith("  ") and ("process" in line or "queue" in line) and "GPU" not in line]
    for pattern in DEADLOCKS[way] + THREADS:
        found = next((line for line in told if re.fullmatch(pattern, line)), None)
        assert found, (pattern, result)
        told.remove(found)
    assert told == [] and result.line["gpus"] == "1", result


def test_time_limit_of_the_program(hangs):
    """A wait that ends by itself is no deadlock, however long it takes."""
    result = gantry_run([hangs, "limited"], gpus=1)
    assert result.status == 0 and "limited: went on" in result.out and result.seconds > 4, result


def test_watchdog_of_host_time(hangs):
    """A loop of the program's own may have an end that nobody sees: the clock's watchdog waits for it."""
    result = gantry_run([hangs, "yields"], gpus=1, options=["--set", "clock.watchdog=4"])
    assert result.status == 75 and result.seconds > 4, result
    assert re.search(r"^gantry: no progress at cycle \d+: target time has stood still for 4 s of host time \(clock.watchdog\)$", result.err, re.M), result
    assert re.search(r"^  process \d+ thread \d+ polls with sched_yield$", result.err, re.M), result


def test_what_comes_from_outside_is_waited_for(hangs):
    """A program that reads its input, beside the runtime's thread that waits for ever."""
    run = subprocess.Popen(command([hangs, "reads"], "golden", 1, ["--set", "clock.watchdog=2"]), cwd=ROOT, stdin=subprocess.PIPE,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(6)
    assert run.poll() is None
    out, err = run.communicate("x", timeout=60)
    assert run.returncode == 0 and "reads: went on" in out, err


@pytest.mark.parametrize("way,place", [("kernel", r"^  gpu0\S+ CU \d wavefront \d+.*, running, before pc"), ("child", None), ("reads", None)])
@pytest.mark.parametrize("model", ON_RTL)
def test_max_seconds(hangs, model, way, place):
    begin = time.monotonic()
    run = subprocess.Popen(command([hangs, way], model, 1, ["--max-seconds", "4"]), cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
    run.wait(timeout=60)
    out, err = run.communicate()
    assert run.returncode == 75 and 4 <= time.monotonic() - begin < 20, err
    assert "gantry: --max-seconds: stopped after 4 seconds\n" in err and "went on" not in out, err
    assert re.search(r"^ +0 +\d+ +.*store", err, re.M) and err.splitlines()[-1].startswith("gantry: gpus=1 "), err
    assert not place or re.search(place, err, re.M), err


def test_max_seconds_of_a_kernel(tmp_path, model):
    code = kernels(tmp_path, spin="L0: s_branch L0")
    begin = time.monotonic()
    done = subprocess.run([GANTRY, "kernel", "-c", "configs/demo.yaml", "--model", model, "--max-seconds", "2", code, "--grid", "64", "--group", "64"],
                          cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 75 and 2 <= time.monotonic() - begin < 20, done
    assert "gantry: --max-seconds: stopped after 2 seconds\n" in done.stderr and ", running, before pc" in done.stderr, done
    for wrong in ("0", "-1", "x", "99999999999"):
        done = subprocess.run([GANTRY, "kernel", "-c", "demo", "--max-seconds", wrong, code], cwd=ROOT, capture_output=True, text=True, timeout=60)
        assert done.returncode == 64 and done.stderr.startswith("gantry: --max-seconds: '"), done
