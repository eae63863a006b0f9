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
import links  # noqa: E402
import plot  # noqa: E402
import report  # noqa: E402
from live import MODELS  # noqa: E402

on_rtl = pytest.mark.skipif("rtl" not in MODELS, reason="GANTRY_MODELS leaves the RTL out")


# (group, result) out of its band: the cause is named in docs/fidelity.md
OUTSIDE = {("memory", "store x4 linear"), ("links", "zero-copy-read"), ("links", "zero-copy-write"),
           ("stream", "mul"), ("stream", "load float8"), ("stream", "load float16")}


def held(group, found):
    """Every result that has a figure is in its band; those named above are not."""
    figures = hardware.FIGURES[group]
    assert found and set(found) <= set(figures), found
    out = {key: (value, report.verdict(figures[key], value)) for key, value in found.items() if figures[key].low is not None}
    assert out and all((word == "ok") == ((group, key) not in OUTSIDE) for key, (_, (_, word)) in out.items()), out


@on_rtl
@pytest.mark.shows("S1.2", "S4.17")
def test_latency_of_l1v_and_l2():
    held("chase", groups.chase("demo", sizes=(1, 8, 128)))


@on_rtl
def test_conflicts_of_the_lds():
    held("lds", groups.lds("demo", dwords=(0, 1, 4, 8, 32)))


@on_rtl
@pytest.mark.shows("S4.11")
def test_atomics_of_one_line_share_its_slice():
    """One word: one lane a cycle; the 16 words of a line: 16."""
    found = groups.atomics("demo", items=1024)
    assert 0.9 <= found["silent word"] <= 1.01 and 0.9 <= found["back word"] <= 1.01, found
    assert found["silent line"] >= 8 * found["silent word"], found


@on_rtl
@pytest.mark.shows("S4.11")
def test_instructions_of_memory():
    """Four addresses a cycle of all but linear loads, the two cycles more of two registers, twice as many of three; linear ones in four cycles."""
    found = groups.GROUPS["memory"]("demo", ("load byte linear", "load short linear", "load short random", "load x1 aligned", "load x1 linear", "load x1 random",
                                             "load x2 linear", "load x3 linear", "load x3 random", "store x1 linear", "store x4 aligned", "store x4 linear"))
    held("memory", found)


@on_rtl
@pytest.mark.shows("S4.11", "S4.17")
def test_strides_cost_lines():
    """A load of 16 words or more from lane to lane is a line a cycle; past the L1V as many lines as its misses under way allow."""
    found = groups.GROUPS["strides"]("demo", words=(1, 2, 16, "random"), rounds=(8, 16))
    held("strides", found)
    assert 63.5 <= found["l1v 16"] <= 66 and 55 <= found["l1v random"] <= 64, found
    floor = 236 / 128  # cycles of a hit of the L2, misses under way
    assert floor <= found["l2 16"] / 64 <= 2.6 and floor <= found["l2 1"] / 4 <= 2.6, found


@on_rtl
@pytest.mark.shows("S1.5")
def test_links_carry_what_their_keys_say():
    """Copies and kernels get 64 of 88 bytes of the host's link, 64 of 80 of one between GPUs."""
    copied, zero = links.copies("demo", (links.MIB,)), links.zero_copy("demo", links.MIB // 2, groups=32)
    assert set(copied) == {"to-gpu 1", "to-host 1"} and all(9 <= rate <= 12 for rate in copied.values()), copied
    assert set(zero) == {"zero-copy-write", "zero-copy-read"} and all(0.95 <= rate / (16 * 64 / 88) <= 1.02 for rate in zero.values()), zero
    far = links.peers("demo", links.MIB, groups=32, latencies=(140,))
    assert set(far) == {"peer-write 140", "peer-read 140"} and all(0.95 <= rate / 25.6 <= 1.05 for rate in far.values()), far


@on_rtl
@pytest.mark.shows("S1.1", "S4.17")
def test_own_memory_is_nearer_than_another_gpus():
    """A load of another GPU's memory takes both ways of the link more."""
    found = links.chains("demo", 128)
    assert 400 <= found["chase-own"] <= 741 and 280 <= found["chase-peer"] - found["chase-own"] <= 700, found


@on_rtl
@pytest.mark.nightly
@pytest.mark.shows("S1.2", "S4.17")
def test_bandwidth_of_one_and_four_cus():
    """The L2 gives each CU its share, and takes what it stores.  The L1V of a CU does one operation a cycle, and a line that misses is two,
    lookup and fill: 32 bytes a cycle at most.  How much of it a CU reaches hangs on how answers come beside lookups, and moves by a fifth with a
    cycle more or less of latency: so rates are means over four latencies, of which each is 78 % or more."""
    held("bandwidth", groups.bandwidth("demo", levels=("l2",), kinds=("write",), cus=(1, 4)))
    rates = {1: [], 4: []}
    for latency in (73, 74, 75, 76):
        found = groups.bandwidth("demo", levels=("l2",), kinds=("read",), cus=(1, 4), options=("--set", f"link.cu_noc={latency}"))
        held("bandwidth", found)
        for cus, each in rates.items():
            each.append(found[f"l2 read {cus}"] / cus)
    assert all(0.78 * 32 <= rate <= 32 for each in rates.values() for rate in each), rates
    assert sum(rates[1]) / 4 >= 0.87 * 32 and sum(rates[4]) / 4 >= 0.81 * 32, rates


@on_rtl
@pytest.mark.shows("S1.2")
def test_reach_of_the_first_level_tlb():
    """64 entries of whatever size the page tables show, then the L2 TLB answers; what a page is, is what driver.fragment says."""
    for size in ("2 MiB", "4 KiB"):
        found = groups.translation("demo", (size,), (16, 64, 128, 512))
        assert found[f"{size} x 64"] < 1 and 150 <= found[f"{size} x 128"] <= 250, found
    # 512 pages of 4 KiB are 32 blocks of 64 KiB and one of 2 MiB
    assert found["4 KiB x 512"] > 150, found


@on_rtl
@pytest.mark.nightly
@pytest.mark.shows("S1.5")
def test_rows_of_the_dram():
    """By day the times of rows and banks are held by tests/rtl/l2/dram; this one needs CUs of its own."""
    held("dram", groups.dram("demo", ("hit", "banks", "conflict")))


@on_rtl
@pytest.mark.shows("S1.2")
def test_instruction_fetch_and_scalar_loads():
    found = groups.fetch("demo", ("code_16 1 1", "code_64 1 1", "scalar 4"))
    held("fetch", {name: value for name, value in found.items() if name != "code_64 1 1"})
    assert 8 <= found["code_64 1 1"] <= 32, found  # a line of eight is brought from the L2: not free, and at most one whole way each


@on_rtl
def test_what_a_cache_keeps():
    """Half of it and all of it stay; of twice as much a cyclic walk finds nothing (LRU), and random or stuck replacement something."""
    found = groups.reuse("demo", ("l1v",), (0.5, 1, 2))
    assert found["l1v 0.5"] == 100 and found["l1v 1"] == 100 and found["l1v 2"] <= 1, found


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
