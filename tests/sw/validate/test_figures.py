# SPDX-License-Identifier: Apache-2.0
"""What `make validate` makes of results: medians, errors, correlation; readings; rows that are judged; the page and its plot."""
import math
import pathlib
import sys
import xml.etree.ElementTree

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "sw/validate"))
import figures  # noqa: E402
import page  # noqa: E402
import table  # noqa: E402

ROWS = [table.Row("N", "N", 100, 100, 100, us) for us in (20.0, 40.0, 100.0, 200.0)] + [table.Row("T", "N", 2000, 2000, 2000, 3000.0)]
ROWS = [table.Row(r.trans_a, r.trans_b, r.m + i, r.n, r.k, r.us) for i, r in enumerate(ROWS)]


def result(kernel, beta=0.0, event=1.0):
    return {"kernel_us": kernel, "beta_us": beta, "event_us": event, "kernel": "Cijk_Ailk_Bljk_SB_MT32x8x32_SN_GSU4_X", "groups": 12, "date": "2026-12-01", "commit": "abc"}


@pytest.mark.shows("S4.17")
def test_a_summary():
    s = figures.summary([(44, 40), (80, 100), (260, 200)])
    assert (s.rows, s.within) == (3, 2)
    assert (s.ratio, s.error, s.signed) == (pytest.approx(1.1), pytest.approx(0.2), pytest.approx((0.1 - 0.2 + 0.3) / 3))
    logs = [(math.log(a), math.log(b)) for a, b in ((44, 40), (80, 100), (260, 200))]
    means = [sum(v) / 3 for v in zip(*logs)]
    top = sum((a - means[0]) * (b - means[1]) for a, b in logs)
    bottom = math.prod(sum((p[i] - means[i]) ** 2 for p in logs) for i in (0, 1)) ** 0.5
    assert s.correlation == pytest.approx(top / bottom)
    assert figures.summary([]) is None and math.isnan(figures.summary([(1, 1), (2, 2)]).correlation)
    assert figures.summary([(1.25, 1)]).within == 1 and figures.summary([(1.26, 1)]).within == 0


def test_rows_that_are_judged():
    found = {row.name: result(row.us * 2, beta=row.us, event=row.us * 5) for row in ROWS}
    assert [card for _, card in figures.pairs(ROWS, found, "kernel")] == [40, 100, 200]  # neither launches nor 16 GFLOP
    assert figures.pairs(ROWS[:2], found, "kernel and beta") == [(120, 40)] and figures.pairs(ROWS[:2], found, "event") == [(200, 40)]
    assert figures.pairs(ROWS, {ROWS[2].name: result(90)}, "kernel") == [(90, 100)]  # what is not measured is left out
    assert [card for _, card in figures.pairs(ROWS, found, "kernel", figures.untouched((ROWS[2].name,)))] == [40, 200]


def test_the_page(tmp_path):
    found = {"full-rate": {row.name: result(row.us * 1.04) for row in ROWS[:4]}, "packaged": {ROWS[1].name: result(90)}}
    page.write(ROWS, found, tmp_path, pathlib.Path("own.tsv"))
    text = (tmp_path / "validation.md").read_text()
    first = " ".join(text.split("\n\n")[1].split())
    assert "3 single-precision matrix products" in first and "median of 1.04" in first and "median error is 4.0%" in first
    assert "| median error | at most 10.0% | 4.0% |" in text and "**" not in text.split("## Each reading")[0].split("| mean signed")[0].replace("bold", "")
    assert "| NN 101 100 100 | 32x8x32, split 4 | 12 | 40.0 | 41.6 | 0.0 | 1.0 | 1.04 | 90.0 | 2.25 |" in text
    plot = xml.etree.ElementTree.parse(tmp_path / "validation/rows.svg")
    assert len(plot.findall("{http://www.w3.org/2000/svg}circle")) == 5


def test_a_page_without_results(tmp_path):
    page.write(ROWS, {"full-rate": {}, "packaged": {}}, tmp_path, pathlib.Path("own.tsv"))
    assert "No row" in (tmp_path / "validation.md").read_text() and not (tmp_path / "validation/rows.svg").exists()


def test_a_goal_that_is_missed_is_bold(tmp_path):
    page.write(ROWS, {"full-rate": {row.name: result(row.us * 1.5) for row in ROWS[:4]}, "packaged": {}}, tmp_path, pathlib.Path("own.tsv"))
    text = (tmp_path / "validation.md").read_text()
    assert "| **50.0%** |" in text and "| **0%** |" in text
