# SPDX-License-Identifier: Apache-2.0
"""Tables of matrix products for `make validate`: what is one, and one line with file and line for what is none."""
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "sw/validate"))
import table  # noqa: E402

HEAD = "#transA\ttransB\tprecision\tM\tN\tbatch\tK\tkernel\tGFLOPS\tus\n"
ROW = "N\tT\ts\t512\t16\t1\t256\t7\t292.9\t28.64\n"


def test_the_card_of_the_issue():
    rows = table.read(ROOT / "sw/validate/r9nano.tsv")
    assert len(rows) == 122 and sum(row.gflop < 2.2 for row in rows) == 55
    assert [row.us for row in rows] == sorted(row.us for row in rows)
    for row in rows:  # the table's own columns agree: us = 2 M N K / GFLOPS
        line = next(words for words in (text.split("\t") for text in (ROOT / "sw/validate/r9nano.tsv").read_text().splitlines() if text[0] != "#")
                    if words[:2] == [row.trans_a, row.trans_b] and words[3:5] == [str(row.m), str(row.n)] and words[6] == str(row.k))
        assert row.us == pytest.approx(1e3 * row.gflop * 1e3 / float(line[8]), rel=1e-3)


def test_columns_in_another_order(tmp_path):
    file = tmp_path / "own.tsv"
    file.write_text("# of another card\n#transA\tus\tN\tM\tK\tbatch\tprecision\ttransB\nT\t100\t20\t10\t30\t1\ts\tN\n")
    (row,) = table.read(file)
    assert (row.name, row.us, row.m, row.n, row.k) == ("TN-10-20-30", 100, 10, 20, 30) and row.gflop == pytest.approx(12e-6)


@pytest.mark.parametrize("text, line, cause", [
    (ROW, 1, "no head line"),
    (HEAD + "N\tT\ts\t512\n", 2, "4 columns, the head has 10"),
    (HEAD + ROW.replace("512", "many"), 2, "whole numbers"),
    (HEAD + ROW.replace("512", "0"), 2, "not 1 to 1000000"),
    (HEAD + ROW.replace("28.64", "-1"), 2, "us not above 0"),
    (HEAD + ROW.replace("28.64", "nan"), 2, "us not above 0"),
    (HEAD + ROW.replace("N\tT", "N\tC"), 2, "N or T"),
    (HEAD + ROW.replace("\ts\t", "\td\t"), 2, "single precision"),
    (HEAD + ROW.replace("16\t1\t", "16\t2\t"), 2, "a batch of 1"),
    (HEAD + ROW + ROW, 3, "stands there twice"),
    (HEAD.replace("us", "ms") + ROW, 1, "no column us"),
], ids=["no-head", "short", "word", "zero", "negative", "nan", "conjugate", "double", "batch", "twice", "no-time"])
def test_what_is_none(tmp_path, text, line, cause):
    file = tmp_path / "own.tsv"
    file.write_text(text)
    with pytest.raises(table.Bad, match=cause) as told:
        table.read(file)
    assert str(told.value).startswith(f"{file}:{line}: ") and "\n" not in str(told.value)


def test_no_rows_no_file(tmp_path):
    with pytest.raises(table.Bad, match="No such file"):
        table.read(tmp_path / "none.tsv")
    (tmp_path / "empty.tsv").write_text(HEAD)
    with pytest.raises(table.Bad, match="no row"):
        table.read(tmp_path / "empty.tsv")
