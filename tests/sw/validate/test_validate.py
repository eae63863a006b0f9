# SPDX-License-Identifier: Apache-2.0
"""`make validate` itself: wrong arguments, a table that is none, packages that are missing: one line and the exit status, and nothing else is begun; what goes on
where it was ended; calls of a run.  Nightly: rows on the RTL."""
import json
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "sw/validate"), str(ROOT / "sw/tools")]
import measure  # noqa: E402
import packages  # noqa: E402
import table  # noqa: E402
import validate  # noqa: E402

ROW = table.Row("N", "N", 64, 8, 128, 30.0)


def told(*args, env=None):
    done = subprocess.run([sys.executable, ROOT / "sw/validate/validate.py", *map(str, args)], capture_output=True, text=True, env=env, timeout=60)
    return done.returncode, done.stderr, done.stdout


@pytest.mark.parametrize("args, status, line", [
    (["--budget", "much"], 64, "argument --budget: invalid float value: 'much'"),
    (["--kernels", "fast"], 64, "argument --kernels: invalid choice"),
    (["--only", "("], 64, "argument --only: no regular expression: missing ), unterminated subpattern"),
    (["--table", "/nowhere.tsv"], 65, "/nowhere.tsv: No such file or directory"),
    (["--table", "/nowhere.tsv", "--update"], 64, "UPDATE=1 not with TABLE"),
], ids=["budget", "kernels", "only", "table", "update"])
def test_bad_input(args, status, line):
    code, err, out = told(*args)
    assert (code, out) == (status, "") and err.startswith("validate: ") and line in err and err.count("\n") == 1


def test_packages_that_are_missing(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(packages, "FOLDER", tmp_path)
    monkeypatch.setattr(packages, "complete", lambda root: False)
    monkeypatch.setattr(packages.shutil, "which", lambda tool: None)
    monkeypatch.setattr(packages, "ROOT", tmp_path)
    assert validate.main(["--budget", "0"]) == 69
    line = capsys.readouterr().err
    assert "librocblas-dev" in line and line.startswith("validate: ") and line.count("\n") == 1


def product(number, name):
    return {"number": str(number), "kernel": name}


def test_calls_of_a_run():
    one = [product(3, "Cijk_Ailk"), product(4, "Cijk_Ailk")]
    assert measure.calls_of(one) == ([one[0]], [one[1]])
    two = [product(n, name) for n, name in ((9, "Cijk_S"), (7, "Cijk_S"), (10, "Cijk_A"), (8, "Cijk_A"))]
    assert [[int(k["number"]) for k in call] for call in measure.calls_of(two)] == [[7, 8], [9, 10]]
    for wrong in ([], one[:1], [product(1, "Cijk_A"), product(2, "Cijk_B")], two[:3]):
        with pytest.raises(measure.Failed):
            measure.calls_of(wrong)


def run_of(**differs):
    kernel = {"kernel": "Cijk_Ailk", "model": "rtl", "cycles": "31000", "grid_x": "256", "grid_y": "2", "grid_z": "1", "group_x": "128", "group_y": "1", "group_z": "1"}
    figures = {"event_us": 40.0, "checked": 8, "of": 8, "data": "d", "repeatable": "yes"}
    both = [{**kernel, "number": str(n), **{k: v for k, v in differs.items() if k in kernel}} for n in (3, 4)]
    return {**figures, **{k: v for k, v in differs.items() if k in figures}}, both


def test_what_a_run_must_be(monkeypatch, tmp_path):
    monkeypatch.setattr(measure, "plan", lambda *_: {"calls": [[3], [4]], "data": "d"})
    monkeypatch.setattr(measure, "gantry", lambda *_: run_of())
    found = measure.measure(tmp_path, "x", tmp_path, ROW)
    assert (found["kernel_us"], found["beta_us"], found["groups"]) == (31.0, 0, 4)
    for differs, cause in (({"data": "e"}, "the golden model has d"), ({"repeatable": "no"}, "other cycles"), ({"model": "golden"}, "not all on the RTL")):
        monkeypatch.setattr(measure, "gantry", lambda *_, d=differs: run_of(**d))
        with pytest.raises(measure.Failed, match=cause):
            measure.measure(tmp_path, "x", tmp_path, ROW)


def test_plans_are_of_one_state(monkeypatch, tmp_path):
    monkeypatch.setattr(validate, "RESULTS", tmp_path)
    plan = tmp_path / "NN-1-8-128.golden.json"
    validate.forget_plans("one")
    plan.write_text("{}")
    validate.forget_plans("one")
    assert plan.exists()
    validate.forget_plans("two")
    assert not plan.exists() and (tmp_path / "state").read_text() == "two"


def test_goes_on_where_it_was_ended(monkeypatch, tmp_path, capsys):
    rows, asked = [table.Row("N", "N", m, 8, 128, 30.0) for m in (1, 2, 3)], []

    def measured(folder, name, kernels, row):
        asked.append(name)
        if row.m == 2:
            raise measure.Failed("NN-2-8-128: exit status 1: gemm: C[0,0] is 1, not 2")
        return {"kernel_us": 31.0, "beta_us": 1.0, "event_us": 40.0, "cpu_s": 50.0}
    monkeypatch.setattr(validate, "RESULTS", tmp_path)
    monkeypatch.setattr(validate.measure, "measure", measured)
    folders = {kind: tmp_path for kind in validate.SETS}
    assert validate.measure_all(rows, ("full-rate",), folders, 60, "now") == 1
    assert asked == ["NN-1-8-128.full-rate", "NN-2-8-128.full-rate", "NN-3-8-128.full-rate"] and "C[0,0] is 1" in capsys.readouterr().err
    asked.clear()
    assert validate.measure_all(rows, validate.SETS, folders, 60, "now") == 2  # the last is begun before 60 s are used
    assert asked == ["NN-1-8-128.packaged", "NN-2-8-128.full-rate", "NN-2-8-128.packaged", "NN-3-8-128.packaged"]
    asked.clear()
    assert validate.measure_all(rows[:1], ("full-rate",), folders, 10, "another state") == 0 and asked == ["NN-1-8-128.full-rate"]
    assert json.loads((tmp_path / "NN-1-8-128.full-rate.json").read_text())["state"] == "another state"
    asked.clear()
    assert validate.measure_all(rows, ("full-rate",), folders, 0, "third") == 0 and not asked and "are used" in capsys.readouterr().out
