# SPDX-License-Identifier: Apache-2.0
"""Kinds of programs that are made of one thing each: pitched copies, launches at the limits, C++ objects, host threads, printf, several GPUs, kernels
that wait.  Each compares with the CPU what it has done (sw/apps); on the golden model and the RTL, those whose order is fixed with the same data, some in
lock step."""
import functools
import re

import pytest
from builder import release
from live import MODELS, gantry_run
from test_programs import passed

# program and arguments, GPUs, whether what it leaves in memory is the same on both models: not where atomics or the heap give places away, or a time is kept
KINDS = {
    "boxes": (["boxes"], 1, True),
    "limits": (["limits"], 1, True),
    "objects": (["objects"], 1, False),
    "threads": (["threads"], 1, False),
    "crossing": (["crossing"], 2, True),
    "crossing 4": (["crossing", "500"], 4, True),
    "time": (["waiting", "time"], 1, False),
    "flag": (["waiting", "flag"], 1, True),
    "locks": (["waiting", "locks"], 1, True),
    "scan": (["waiting", "scan"], 1, True),
    "scan at odd dwords": (["waiting", "scan4"], 1, True),
}
LOCKSTEP = {"boxes": ["8"], "objects": ["20"], "crossing": ["300"], "locks": ["3"], "scan": ["1000"], "time": ["3000"]}
rtl = pytest.mark.skipif("rtl" not in MODELS, reason="GANTRY_MODELS leaves the RTL out")


@functools.cache
def run(apps, kind, model, *more, options=()):
    (program, *args), gpus, _ = KINDS[kind]
    return passed(gantry_run([apps / program, *args, *more], model, gpus, options), program)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.shows("B.1", "S0.7")
def test_both_models(apps, kind):
    results = [run(apps, kind, model) for model in MODELS]
    if KINDS[kind][2]:
        assert len({result.line["data"] for result in results}) == 1, results


@rtl
@pytest.mark.parametrize("kind", LOCKSTEP)
@pytest.mark.shows("B.6")
def test_lock_step(apps, kind):
    result = run(apps, kind, "rtl", *LOCKSTEP[kind], options=("--lockstep",))
    counts = re.search(r"lockstep compared=(\d+) retired=(\d+)", result.err)
    assert counts and counts[1] == counts[2] == result.line["instructions"], result


@pytest.mark.parametrize("ticks", ["1000000", "200000000"])
@pytest.mark.shows("C.6")
def test_long_waits(apps, ticks):
    """A millisecond and a fifth of a second of the kernel's own time, six times: each in about a host second at most."""
    result = run(apps, "time", "golden", ticks)
    assert int(result.line["instructions"]) < 100_000_000 and float(result.line["cpu_s"]) < 60, result


@pytest.mark.shows("B.1")
def test_printf(apps, model):
    """The device's lines are the host's; each work-item's come once, in the order in which it has printed them."""
    result = gantry_run([apps / "printing"], model, 1)
    assert result.status == 0 and result.line["repeatable"] == "yes", result
    host, device, each = re.fullmatch(r"-- host\n(.*)-- device\n(.*)-- each\n(.*)-- end\n", result.out, re.S).groups()
    assert host == device and host.count("\n") == 10, result
    lines = each.splitlines()
    wanted = [f"item {group}.{item} turn {turn} of 2" for group in range(4) for item in range(70) for turn in range(item % 3, 2)]
    assert sorted(lines) == sorted(wanted), result
    place = {line: n for n, line in enumerate(lines)}
    assert all(place[line] < place[line.replace("turn 0", "turn 1")] for line in wanted if "turn 0" in line), result


@pytest.mark.shows("B.1")
def test_limits_say_so(apps, model):
    """HIP's own errors, by the limits that the driver tells."""
    result = run(apps, "limits", model)
    said = dict(re.findall(r"^limits: (.+?): (\w+), \d+ groups$", result.out, re.M))
    groups, lds = ("InvalidConfiguration", "OutOfMemory") if release.name() == "12" else ("InvalidValue", "InvalidValue")  # HIP 5.2, 5.7
    assert said["beyond 2^32 - 1 work-items in x"] == "hipErrorInvalidConfiguration", result
    assert {said[what] for what in ("one work-item more", "one row more", "one layer more")} == {f"hipError{groups}"}, result
    assert said["a byte more"] == f"hipError{lds}" and said["empty group"] == said["no group in x"] == "hipErrorInvalidValue", result
