# SPDX-License-Identifier: Apache-2.0
"""Whole-GPU microbenchmarks (make fidelity, docs/fidelity.md) within the bands of published figures (sw/fidelity/hardware.py): a subset on four CUs in
every run; nightly the streams through DRAM on 64 CUs.  Requirements S1.2, S1.5."""
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(pathlib.Path(__file__).parent), str(ROOT / "sw/fidelity")]
import groups  # noqa: E402
import hardware  # noqa: E402
import plot  # noqa: E402
import report  # noqa: E402
from live import MODELS  # noqa: E402

on_rtl = pytest.mark.skipif("rtl" not in MODELS, reason="GANTRY_MODELS leaves the RTL out")


OUTSIDE = {("stream", "store_word"), ("chase", "16384")}  # (group, result) out of its band: the limit is named in docs/fidelity.md


def held(group, found):
    """Every result that has a figure is in its band; those named above are not."""
    figures = hardware.FIGURES[group]
    assert found and set(found) <= set(figures), found
    out = {key: (value, report.verdict(figures[key], value)) for key, value in found.items() if figures[key].low is not None}
    assert out and all((word == "ok") == ((group, key) not in OUTSIDE) for key, (_, (_, word)) in out.items()), out


@on_rtl
@pytest.mark.shows("S1.2")
def test_latency_of_l1v_and_l2():
    held("chase", groups.chase("demo", sizes=(1, 8, 128)))


@on_rtl
def test_conflicts_of_the_lds():
    held("lds", groups.lds("demo", dwords=(4, 8, 32)))


@on_rtl
@pytest.mark.shows("S4.11")
def test_atomics_of_one_line_share_its_slice():
    """One word: one lane a cycle; the 16 words of a line: 16."""
    found = groups.atomics("demo", items=1024)
    assert 0.9 <= found["silent word"] <= 1.01 and 0.9 <= found["back word"] <= 1.01, found
    assert found["silent line"] >= 8 * found["silent word"], found


@on_rtl
@pytest.mark.nightly
@pytest.mark.shows("S1.5")
def test_streams_through_dram():
    held("stream", groups.stream())


def test_verdicts():
    """Too slow, too fast, in the band, for rates and for times; what has no figure is held by nothing."""
    rate, time = (hardware.Figure("", 100, 110, unit, 0.05, "") for unit in ("GB/s", "clk"))
    none = hardware.Figure("", None, None, "clk", 0, "none")
    assert [report.verdict(rate, value)[1] for value in (94, 95.5, 105, 111, 112)] == ["slow", "ok", "ok", "ok", "fast"]
    assert [report.verdict(time, value)[1] for value in (98, 99.5, 105, 115, 116)] == ["fast", "ok", "ok", "ok", "slow"]
    assert report.verdict(none, 1)[1] == "none"


def test_a_curve_shows_its_points():
    svg = plot.curve("title", "x", "y", {"a": [(1.0, 10.0), (4.0, 20.0)]}, (("band", 5, 6),))
    assert svg.count("<circle") == 2 and "band" in svg and svg.startswith("<svg") and svg.endswith("</svg>\n")
