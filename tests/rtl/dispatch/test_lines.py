# SPDX-License-Identifier: Apache-2.0
"""S3.1 to S3.4, S3.13 on the whole machine: cycles of a kernel of one s_endpgm on r9nano, from the doorbell to the completion signal, over its work-groups:
a line of least squares through large grids has the slope and the constant that are asked for, and small grids lie on the same line.  By day the GPU has four slices
instead of 16, which an empty kernel hardly uses: its models are those of `demo` and tests/system/test_large.py.  Not
responsible for: the pace of the dispatcher alone (part_dispatch), what is printed and drawn (sw/dispatch/bench.py)."""
import importlib.util
import os
import pathlib
import re
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "sw/dispatch"))
import launches  # noqa: E402

LARGE = [1000, 1500, 2000]
OPTIONS = [] if os.environ.get("GANTRY_NIGHTLY") == "1" else ["--set", "gpu.l2.slices=4"]


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    folder = tmp_path_factory.mktemp("empty")
    co = launches.code(folder)
    return folder, co, launches.first_launch(folder, co, OPTIONS)


def taken(empty, waves, sizes):
    folder, co, first = empty
    return [(n, launches.cycles(folder, co, n, waves, first, OPTIONS)) for n in sizes]


@pytest.mark.parametrize("waves", [pytest.param(n, marks=[] if n in (1, 4, 5, 8, 16) else pytest.mark.nightly) for n in range(1, 17)])
@pytest.mark.shows("S3.1", "S3.2", "S3.3", "S3.4")
def test_slope_and_constant(empty, waves):
    points = taken(empty, waves, LARGE)
    slope, constant, fit = launches.line(points)
    assert abs(slope - launches.slope_of(waves)) < 0.01 * launches.slope_of(waves), (slope, points)
    assert launches.LAUNCH_CYCLES[0] <= constant <= launches.LAUNCH_CYCLES[1] and fit > 0.99999, (constant, fit, points)


@pytest.mark.parametrize("waves", [1, 8])
@pytest.mark.shows("S3.1", "S3.4")
def test_small_grids_lie_on_the_line(empty, waves):
    """Its first instructions are there when the first wavefront comes, and ends are taken as they come: nothing but the groups takes time."""
    _, constant, _ = launches.line(taken(empty, waves, LARGE))
    for n, cycles in taken(empty, waves, [1, 2, 17, 63]):
        assert abs(cycles - constant - launches.slope_of(waves) * n) <= 50, (n, cycles, constant)


@pytest.mark.shows("S3.1")
def test_the_first_launch_is_cold(empty):
    """What the others do not pay: translation and instructions from DRAM."""
    _, _, first = empty
    assert first - taken(empty, 1, [1])[0][1] > 1000


@pytest.mark.shows("S3.13")
def test_the_drawing_says_what_is_uncertain(empty):
    """Both lines of S3.13 over sizes below, in and above the range that is uncertain, which the drawing names; nothing bounds them there."""
    spec = importlib.util.spec_from_file_location("dispatch_bench", pathlib.Path(launches.__file__).with_name("bench.py"))
    bench = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bench)
    assert (min(bench.UNCERTAIN), max(bench.UNCERTAIN)) == (64, 1024)
    svg = bench.drawing({waves: dict(taken(empty, waves, [8, *bench.UNCERTAIN, 2000])) for waves in (1, 8)})
    assert "64 to 1,024 groups: uncertain" in svg
    assert re.findall(r"\b([18]) wavefronts a group", svg) == ["1", "8"]
