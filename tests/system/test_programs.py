# SPDX-License-Identifier: Apache-2.0
"""Families of kernels (sw/apps, those that include suite.h): each program compares every kernel's result with the CPU's and exits with 1 when
one is wrong (C.6).  Here: six of them at -O2 on the golden model (one host thread and three), some in lock step (a compilation takes 4 s); nightly: each at -O0, -O2 and -O3 on
the golden model, on the RTL and in lock step, with the programs of one or a few kernels.  On configs/tiny.yaml.  Nightly at -O2 on configs/smallest.yaml, too (one of them always; B.6, C.5)."""
import functools
import os
import re
import subprocess

import pytest
from live import APPS, GANTRY, LIMIT, MODELS, ROOT, Result

FAMILIES = sorted(p.stem for p in (ROOT / "sw/apps/families").glob("*.hip"))
SINGLE = ["blur", "copies", "hash", "hashes", "histogram", "matmul", "peer", "pipeline", "reduction", "saxpy2", "transpose", "vecadd"]  # at -O2: test_ladder
AT_NIGHT = pytest.param("matrices", marks=pytest.mark.nightly)
OFTEN = ["atomics", "calls", "fft", "lanes", AT_NIGHT, "sorting"]
LOCKSTEP = ["atomics", "calls", "fft", "lanes", AT_NIGHT]
SMALLEST = ["configs/smallest.yaml"]
# What such a CU can never hold: exit status, message.
TOO_LARGE = {
    "lanes": (134, "stopped: gpu0: work-group too large"),    # 320 work-items
    "lu": (134, "stopped: gpu0: work-group too large"),       # 361
    "sorting": (2, "hipGetLastError(): hipErrorOutOfMemory"),  # sort_records: 20 KiB of LDS of 16; clang puts a record of each of 1,024 work-items there
}
# What they leave in memory depends on the order of atomics.
ORDER = {l.split("\t")[0] for l in (ROOT / "sw/apps/order.tsv").read_text().splitlines() if "\t" in l and not l.startswith(("#", "program\t"))}
rtl = pytest.mark.skipif("rtl" not in MODELS, reason="GANTRY_MODELS leaves the RTL out")


@functools.cache
def built(name, level):
    target = APPS / name if level == "O2" else APPS / level / name
    done = subprocess.run(["make", "-s", target.relative_to(ROOT)], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return target


def tiny_run(program, *options, config=("configs/tiny.yaml",), limit=LIMIT):
    """program: a path, or a list with arguments."""
    cmd = [GANTRY, "run", "-c", *config, *options, "--", *(program if isinstance(program, list) else [program])]
    done = subprocess.run(cmd, cwd=ROOT, env=os.environ, text=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=limit, errors="replace")
    return Result(done.returncode, done.stdout, done.stderr, 0)


def passed(result, name):
    assert result.status == 0 and f"{name}: PASSED" in result.out, result
    assert result.line["repeatable"] == "yes" and int(result.line["kernels"]) > 2, result
    return result


def lock_step(name, level, options=(), **config):
    """Every instruction compared, and the golden model leaves the same data."""
    result = passed(tiny_run(built(name, level), "--lockstep", *options, **config), name)
    counts = re.search(r"lockstep compared=(\d+) retired=(\d+)", result.err)
    assert counts and counts[1] == counts[2] == result.line["instructions"], result
    if name not in ORDER:
        assert passed(tiny_run(built(name, level), "--model", "golden", **config), name).line["data"] == result.line["data"], result
    return result


def test_number_of_kernels():
    """At least 60 in sw/apps, each launched by its program."""
    count = 0
    for source in (p for folder in ("sw/apps", "sw/apps/families") for p in (ROOT / folder).glob("*.hip")):
        text = source.read_text()
        for kernel in re.findall(r"__global__\s+void\s+(\w+)\(", text):
            assert re.search(rf"\b{kernel}(<\w+>)?<<<|[(,] ?{kernel}[,)]", text), (source, kernel)
            count += 1
    assert count >= 60, count


def threads_agree(name, level):
    """The golden model on one host thread and on three."""
    one = passed(tiny_run(built(name, level), "--model", "golden"), name)
    many = passed(tiny_run(built(name, level), "--model", "golden", "--threads", "3"), name)
    assert name in ORDER or one.line["data"] == many.line["data"], many


def test_list_of_equal_data():
    """docs/verification.md names every program and kernel as equal in `data`, but those of order.tsv."""
    text = (ROOT / "docs/verification.md").read_text().split("## Data of the two models", 1)[1].split("\n## ", 1)[0]
    items = re.findall(r"^- \*\*([^*]*)\*\* \([^)]*\): ((?:.+\n?)(?:  .+\n?)*)", text, re.M)
    named = {what: set(re.findall(r"`(\w+)`", names)) for what, names in items}
    assert len(items) == len(named) == 3
    assert ORDER < set(FAMILIES) and named["depends on the order of atomics"] == ORDER
    assert named["equal"] == set(FAMILIES + SINGLE) - ORDER
    assert named["equal, kernels"] == {p.stem for p in (ROOT / "sw/kernels").glob("*.cl")}


@pytest.mark.parametrize("name", OFTEN)
@pytest.mark.shows("C.6")
def test_golden(name):
    threads_agree(name, "O2")


@rtl
@pytest.mark.parametrize("name", LOCKSTEP)
@pytest.mark.shows("B.6")
def test_lock_step(name):
    lock_step(name, "O2")


@rtl
@pytest.mark.nightly
@pytest.mark.parametrize("level", ["O0", "O2", "O3"])
@pytest.mark.parametrize("name", FAMILIES + SINGLE)
def test_all_levels(name, level):
    lock_step(name, level)  # runs the golden model, too
    threads_agree(name, level)
    passed(tiny_run(built(name, level), "--model", "rtl"), name)


@rtl
@pytest.mark.parametrize("name", [n if n == "calls" else pytest.param(n, marks=pytest.mark.nightly) for n in FAMILIES + SINGLE if n not in TOO_LARGE])
@pytest.mark.shows("C.5")
def test_smallest(name):
    """One SIMD of 4 lanes and 4 slots: the RTL alone and in lock step leave the golden model's data."""
    result = lock_step(name, "O2", config=SMALLEST)
    alone = passed(tiny_run(built(name, "O2"), "--model", "rtl", config=SMALLEST), name)
    assert name in ORDER or alone.line["data"] == result.line["data"], alone


@rtl
@pytest.mark.nightly
@pytest.mark.parametrize("model", ["golden", "rtl"])
@pytest.mark.parametrize("name", TOO_LARGE)
@pytest.mark.shows("C.5")
def test_too_large_for_smallest(name, model):
    """No CU can ever hold a group of it: ROCr's or HIP's own error, in both models."""
    status, message = TOO_LARGE[name]
    result = tiny_run(built(name, "O2"), "-v", "--model", model, config=SMALLEST)
    assert result.status == status and message in result.err, result
