# SPDX-License-Identifier: Apache-2.0
"""sw/tools/check_map.py on a copy of the tree: no finding as it is, one for each thing that is planted."""
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "sw/tools"))
import check_map  # noqa: E402

PARTS = ["bridge", "configs", "docs", "host", "rtl", "sw", "tests"]


@pytest.fixture
def tree(tmp_path):
    """The sources, and results in which every test of the map has passed, with a part of each file skipped."""
    for part in PARTS:
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    tests = {test for cells in check_map.rows() if check_map.ID.match(cells[0]) for test in check_map.paths(cells[4])}
    write_results(tmp_path, [(outcome, test) for test in sorted(tests) for outcome in ("skipped", "passed", "skipped")])
    return tmp_path


def write_results(tree, rows):
    (tree / "build").mkdir(exist_ok=True)
    (tree / "build/test-results.tsv").write_text("".join(f"{outcome}\t0.10\t{test}::test_{n}\n" for n, (outcome, test) in enumerate(rows)))


def results(tree):
    lines = (tree / "build/test-results.tsv").read_text().splitlines()
    return [(line.split("\t")[0], line.split("\t")[2].split("::")[0]) for line in lines]


def findings(tree):
    done = subprocess.run([sys.executable, tree / "sw/tools/check_map.py", "--ran"], capture_output=True, text=True)
    lines = done.stdout.splitlines()
    assert lines[-1] == f"map: {len(lines) - 1} findings" and done.returncode == (len(lines) > 1), done
    return lines[:-1]


def edit(tree, old, new):
    path = tree / "docs/map.md"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_the_map_as_it_is(tree):
    assert findings(tree) == []


def test_wrong_path(tree):
    edit(tree, "`host/firmware/fence.c`", "`host/firmware/fences.c`")
    assert findings(tree) == ["docs/map.md: S0.18: host/firmware/fences.c does not exist"]


def test_missing_id(tree):
    path = tree / "tests/host/firmware/test_cp.c"
    path.write_text(path.read_text().replace("S0.15", "S0.155"))
    assert findings(tree) == ["docs/map.md: S0.15: tests/host/firmware/test_cp.c does not carry the id"]


@pytest.mark.parametrize("outcomes", [[], ["skipped", "skipped"], ["passed", "failed", "passed"]])
def test_test_that_did_not_pass(tree, outcomes):
    gone = "tests/rtl/rdma/rdma/tb.cpp"
    write_results(tree, [row for row in results(tree) if row[1] != gone] + [(outcome, gone) for outcome in outcomes])
    why = ", ".join(sorted(set(outcomes))) or "not run"
    assert findings(tree) == [f"docs/map.md: {row}: {gone} did not pass in this run ({why})" for row in ("S1.3", "S1.5")]


def test_unknown_key(tree):
    edit(tree, "`gpu.rdma.outstanding`", "`gpu.rdma.outstandings`")
    assert findings(tree) == ["docs/map.md: S1.3: key gpu.rdma.outstandings is not in configs/params.def"]


def test_row_without_test(tree):
    edit(tree, "`tests/rtl/dispatch/part_dispatch/tb.cpp` | `gpu.dispatch.cycles_per_group` |", "| `gpu.dispatch.cycles_per_group` |")
    assert [line.split(": ", 2)[2] for line in findings(tree)] == ["no test"]


def test_source_in_no_row(tree):
    (tree / "host/extra").mkdir()
    (tree / "host/extra/new.c").write_text("int new_thing;\n")
    assert findings(tree) == ["docs/map.md: host/extra/new.c is in no row"]
