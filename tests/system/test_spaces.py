# SPDX-License-Identifier: Apache-2.0
"""Kernels of several address spaces on one compute unit of the whole machine (S3.11, S3.12): processes that use the same virtual addresses for different data."""
import collections
import re

import pytest
from live import MODELS, built, gantry_run

SPACES = 16  # VMIDs
PROGRAM = "for i in $(seq {}); do {} $i & done; wait"


def works(count, model, *options):
    """Rows of the kernel `works` of so many processes that were started together, each of which has compared its data."""
    result = gantry_run(["sh", "-c", PROGRAM.format(count, built("spaces"))], model, 1, ["-c", "configs/tiny.yaml", "--set", "gpu.vram_mib=1024", *options])
    assert result.status == 0 and result.out.count("PASSED, 0 wrong") == count, result
    assert len(set(re.findall(r"at (0x\w+)", result.out))) == 1, result  # all have their words at the same address
    rows = [row for row in result.kernels if "works" in row["kernel"]]
    assert len(rows) == count and len({row["process"] for row in rows}) == count
    return result, rows


def most_at_once(rows):
    ends = collections.Counter()
    for row in rows:
        ends[int(row["start"])] += 1
        ends[int(row["end"])] -= 1
    now = most = 0
    for at in sorted(ends):
        now += ends[at]
        most = max(most, now)
    return most


@pytest.mark.shows("S3.11", "S3.12")
def test_two_spaces_on_one_cu():
    """Interleaved on the one CU, on each SIMD of which every group has a wavefront, each gives the data and the instructions of its run alone."""
    _, alone = works(1, "rtl")
    _, both = works(2, "rtl")
    assert most_at_once(both) == 2 and {row["beside"] for row in both} == {"1"}
    assert {row["instructions"] for row in both} == {alone[0]["instructions"]}
    assert {row["wavefronts"] for row in both} == {alone[0]["wavefronts"]}


@pytest.mark.parametrize("model", [pytest.param(m, marks=pytest.mark.nightly) if m == "rtl" else m for m in MODELS])
@pytest.mark.shows("S3.12")
def test_every_space_at_once(model):
    """With as many dispatchers all run beside each other on the RTL (nightly): 960 wavefronts by turns on 40 slots."""
    _, rows = works(SPACES, model, "--set", "gpu.dispatch.dispatchers=16")
    if model == "rtl":
        assert most_at_once(rows) == SPACES
    assert len({row["instructions"] for row in rows}) == 1


@pytest.mark.shows("S3.9")
def test_as_many_kernels_as_dispatchers_overlap():
    """Of ten kernels that are there before the first ends eight run; none of the others begins before one has ended."""
    _, rows = works(10, "rtl")
    spans = sorted((int(row["start"]), int(row["end"])) for row in rows)
    assert most_at_once(rows) == 8 and {row["beside"] for row in rows} == {"7"}
    ends = sorted(end for _, end in spans)
    for n in (8, 9):
        assert spans[n][0] > ends[n - 8], spans


@pytest.mark.shows("S3.12")
def test_one_space_too_many():
    """The process that finds none is told so, the others go on."""
    program = PROGRAM.format(SPACES + 1, built("spaces"))
    result = gantry_run(["sh", "-c", program], "golden", 1, ["-c", "configs/tiny.yaml", "--set", "gpu.vram_mib=1024"])
    assert result.out.count("PASSED, 0 wrong") == SPACES, result
    assert f"no free address space number ({SPACES} in use)" in result.err, result
