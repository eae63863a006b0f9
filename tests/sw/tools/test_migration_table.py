# SPDX-License-Identifier: Apache-2.0
"""sw/tools/mk/migration*.py: what counts of a run, the figures of several, which results are kept, the page."""
import math
import pathlib
import sqlite3
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "sw/tools"))
from speed import migration  # noqa: E402
from speed import migration_figures as figures  # noqa: E402
from speed import migration_moves as moves  # noqa: E402
from speed import migration_page as page  # noqa: E402


def move(begin, wait, lock, shoot_down, write_back, copy, map_, moved=1, size=65536):
    return {"begin": begin, "end": begin + wait + lock + shoot_down + write_back + copy + map_, "wait": wait, "lock": lock, "shoot_down": shoot_down,
            "write_back": write_back, "copy": copy, "map": map_, "moved": moved, "bytes": size}


def database(folder, kernels, rows, counters=()):
    path = folder / "metrics.sqlite"
    with sqlite3.connect(path) as out:
        out.execute('CREATE TABLE kernels(kernel TEXT, "start" INTEGER, "end" INTEGER)')
        out.executemany("INSERT INTO kernels VALUES(?, ?, ?)", kernels)
        out.execute("CREATE TABLE moves(begin, end, wait, lock, shoot_down, write_back, copy, map, moved, bytes)")
        out.executemany("INSERT INTO moves VALUES(:begin, :end, :wait, :lock, :shoot_down, :write_back, :copy, :map, :moved, :bytes)", rows)
        out.execute("CREATE TABLE metrics(location, what, value)")
        out.executemany("INSERT INTO metrics VALUES(?, ?, ?)", counters)
    return path


KERNELS = [("rocr.copy_aligned", 10, 500), ("_Z4fillPjjj", 600, 900), ("_Z3usePjPKjjj", 1000, 4000), ("_Z4workPjjj", 3500, 9000),
           ("_Z10fill_edgesPjj", 9100, 9200), ("rocr.copy_aligned", 9500, 9900)]


def test_what_counts():
    assert figures.measured([dict(zip(("kernel", "start", "end"), row)) for row in KERNELS]) == (1000, 9000)
    assert figures.NOT_COUNTED.match("_Z9fill_rowsPjj")
    assert not any(map(figures.NOT_COUNTED.match, ("_Z8multiplyPjPKjS1_jj", "_Z6refillPj")))
    with pytest.raises(ValueError, match="no kernel"):
        figures.measured([{"kernel": "_Z4fillPjjj", "start": 1, "end": 2}])


@pytest.mark.parametrize("spans, cycles", [([], 0), ([(5, 9)], 4), ([(5, 9), (7, 12)], 7), ([(5, 20), (7, 12)], 15),
                                           ([(30, 40), (5, 9)], 14), ([(5, 9), (9, 12)], 7)])
def test_union(spans, cycles):
    assert figures.union(spans) == cycles


def test_overhead_counts_once_what_a_batch_has_in_common():
    one = move(100, 1, 20, 300, 40, 1000, 50)
    assert figures.overhead([one]) == 411
    assert figures.overhead([one, dict(one)]) == 411
    assert figures.overhead([one, move(5000, 1, 20, 300, 40, 1000, 50)]) == 822
    # what one page waits while another one is carried is its own
    assert figures.overhead([one, move(100, 1, 20, 300, 540, 1000, 50)]) == 861 + 50 + 50


def test_of_a_run(tmp_path):
    rows = [move(500, 0, 1, 1, 1, 1, 1), move(2000, 5, 10, 20, 30, 400, 50), move(2100, 0, 10, 20, 30, 400, 50, size=4096),
            move(3000, 0, 9, 9, 9, 9, 9, moved=0), move(9600, 0, 1, 1, 1, 1, 1)]
    path = database(tmp_path, KERNELS, rows, [("gpu0.rdma", "peer-requests", 7), ("gpu1.rdma", "peer-requests", 100), ("gpu1.rdma", "host-requests", 9)])
    assert figures.figures(path) == {"cycles": 8000, "moves": 2, "bytes": 69632, "far": 107, "span": 610, "overhead": figures.overhead(rows[1:3]), "lock": 20,
                                     "shoot_down": 40, "write_back": 60, "copy": 800, "map": 100, "wait": 5}


RESULTS = {("a", "never", 2): {"cycles": 300, "data": "x", "moves": 0}, ("a", "threshold", 2): {"cycles": 100, "data": "x", "moves": 4},
           ("a", "never", 4): {"cycles": 90, "data": "y", "moves": 0}, ("a", "threshold", 4): {"cycles": 180, "data": "z", "moves": 5},
           ("b", "threshold", 2): {"cycles": 5, "data": "x", "moves": 1}}


def test_of_several_runs():
    assert figures.gains(RESULTS) == {("a", 2): {"never": 1, "threshold": 3}, ("a", 4): {"never": 1, "threshold": 0.5}}
    assert figures.wrong_data(RESULTS) == [("a", "threshold", 4)]
    assert figures.geometric_mean([2, 8]) == pytest.approx(4) and math.isnan(figures.geometric_mean([]))


def test_results_are_of_one_state(tmp_path, monkeypatch):
    monkeypatch.setattr(migration, "FOLDER", tmp_path)
    migration.keep("a", "now", {"cycles": 5})
    assert migration.kept("a", "now")["cycles"] == 5 and migration.kept("a", "later") is None and migration.kept("b", "now") is None


def test_a_state_is_that_of_the_sources(tmp_path, monkeypatch):
    monkeypatch.setattr(migration, "ROOT", tmp_path)
    monkeypatch.setattr(migration, "SOURCES", ("rtl", "one.cl"))
    (tmp_path / "rtl").mkdir()
    for name in ("rtl/a.sv", "one.cl", "rtl/b.sv"):
        before = migration.state()
        (tmp_path / name).write_text("x")
        assert migration.state() != before
    (tmp_path / "other").write_text("x")
    before = migration.state()
    (tmp_path / "rtl/b.sv").rename(tmp_path / "rtl/c.sv")
    assert migration.state() != before


def test_goals_that_are_missed_are_bold():
    gains = {(f"reuse{k}", 2): {"never": 1, "threshold": gain} for k, gain in zip(page.KS, (0.95, 1.29, 2.4, 9))}
    assert page.reuse(gains) == [["`threshold`", "0.95 (0.9)", "**1.29** (1.3)", "2.40 (2.4)", "9.00 (4.2)"]]


def test_near_the_best():
    gains = {"a": {"never": 1, "threshold": 2, "benefit": 1.9}, "b": {"never": 1, "threshold": 0.9, "benefit": 0.8, "periodic": 3}}
    assert figures.near_the_best(gains, 0.95) == {"never": 0, "threshold": 1, "benefit": 1}
    assert figures.near_the_best(gains, 0.3) == {"never": 2, "threshold": 2, "benefit": 1} and figures.near_the_best({}, 1) == {}


def test_judgement_of_ten():
    gains = {(name, 4): {"never": 1, "threshold": 1.5 if n < 7 else 0.5, "threshold, undamped": 9} for n, name in enumerate(migration.TEN)}
    assert page.judgement(gains, 2) == "" and page.judgement(dict(list(gains.items())[:9]), 4) == ""
    text = page.judgement(gains, 4)
    assert "`never` 3, `threshold` 7 (goal of one adaptive policy: 8)" in text and "Geometric mean: `threshold` **1.08** (1.4)." in text
    assert "Geometric" not in page.judgement({(name, 2): of for (name, _), of in gains.items()}, 2)


def test_page(tmp_path):
    found = {key: row | {"commit": "abc", "date": "2026-11-30"} for key, row in RESULTS.items()}
    batch = {"overhead": 50, "moves": 32, "commit": "abc", "date": "2026-11-30"}
    page.write(found, {"moves-latency-batch": batch, "moves-latency-one-by-one": batch | {"overhead": 100}}, tmp_path)
    text = (tmp_path / "migration.md").read_text()
    assert "| a | 300 | 3.00 | 4 |" in text and "| a | 90 | 0.50 | 5 |" in text and "Measured: 2026-11-30, commit abc." in text
    assert "0.50 times (goal: at most 0.4; missed)" in text
    assert max(map(len, text.splitlines())) <= 160


def test_scripts_of_moves():
    text = moves.script("latency", "one-by-one")
    assert text.count("- move:") == moves.PAGES and "{buffer: p31, to: 1, after: 134000}" in text and "grid: 16384," in text
    assert moves.script("rate", "nothing").count("move") == 0


def test_each_case_is_a_workload():
    names = set(migration.sizes())
    assert {case[0] for group in migration.cases().values() for case in group} == names


def test_usage(monkeypatch):
    with pytest.raises(SystemExit, match="no group x; there are reuse,"):
        migration.main(["x"])
