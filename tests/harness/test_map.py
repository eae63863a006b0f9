# SPDX-License-Identifier: Apache-2.0
"""sw/tools/check/check_map.py on a copy of the tree: no finding as it is, one for each thing that is planted."""
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "sw/tools"))
from verify import manifest  # noqa: E402

PARTS = ["bridge", "configs", "docs", "fpga", "host", "rtl", "sw", "tests"]


@pytest.fixture
def tree(tmp_path):
    """The sources, and results in which every case has passed but those that may be skipped."""
    for part in PARTS:
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("Makefile", "pytest.ini"):
        shutil.copy(ROOT / file, tmp_path)
    write_results(tmp_path, {case: "skipped" if skip else "passed" for case, (_, skip) in manifest.load().items()})
    shutil.copytree(ROOT / "build/gen", tmp_path / "build/gen")
    shutil.copy(manifest.FILE, tmp_path / "build")  # the copy's cases are found already
    return tmp_path


def write_results(tree, rows):
    (tree / "build").mkdir(exist_ok=True)
    (tree / "build/test-results.tsv").write_text("".join(f"{outcome}\t0.10\t{case}\n" for case, outcome in rows.items() if outcome))


def results(tree):
    return {case: outcome for outcome, _, case in (line.split("\t") for line in (tree / "build/test-results.tsv").read_text().splitlines())}


def findings(tree):
    done = subprocess.run([sys.executable, tree / "sw/tools/check/check_map.py", "--ran"], capture_output=True, text=True)
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
    path.write_text(path.read_text().replace("shows S0.15", "shows S0.155"))
    case = "tests/host/firmware/test_cp.c::nothing_is_fetched_without_a_doorbell"
    assert findings(tree) == ["docs/map.md: S0.15: no case of tests/host/firmware/test_cp.c shows it", f"{case}: S0.155 is no row of docs/map.md"]


@pytest.mark.parametrize("outcome", ["", "skipped", "failed"])
def test_test_that_did_not_pass(tree, outcome):
    gone = "tests/rtl/rdma/rdma/tb.cpp"
    write_results(tree, {**results(tree), f"{gone}::traffic": outcome})
    assert findings(tree) == [f"docs/map.md: {row}: {gone} did not pass in this run ({outcome or 'not run'})" for row in ("S1.3", "S1.5")]


def test_another_case_of_the_file_failed(tree):
    gone = "tests/rtl/rdma/rdma/tb.cpp"
    write_results(tree, {**results(tree), f"{gone}::counters": "failed"})
    assert findings(tree) == [f"docs/map.md: {row}: {gone} did not pass in this run (failed, passed)" for row in ("S1.3", "S1.5")]


def test_part_of_the_cases_skipped(tree):
    """Long ones are left to `make nightly`; all of them may not be."""
    cases = [case for case, (ids, _) in manifest.load().items() if "C.8" in ids]
    write_results(tree, {**results(tree), **{case: "skipped" for case in cases[1:]}, cases[0]: "passed"})
    assert findings(tree) == []
    write_results(tree, {**results(tree), **{case: "skipped" for case in cases}})
    assert findings(tree) == ["docs/map.md: C.8: tests/sw/tools/test_coverage.py did not pass in this run (skipped)"]


def test_unknown_key(tree):
    edit(tree, "`gpu.rdma.outstanding`", "`gpu.rdma.outstandings`")
    assert findings(tree) == ["docs/map.md: S1.3: key gpu.rdma.outstandings is not in configs/params.def"]


def test_row_without_test(tree):
    edit(tree, "`tests/rtl/dispatch/test_lines.py`, `tests/rtl/dispatch/part_dispatch/tb.cpp` | `gpu.dispatch.cycles_per_group` |", "| `gpu.dispatch.cycles_per_group` |")
    assert [line.split(": ", 2)[2] for line in findings(tree)] == ["no test"]


def test_source_in_no_row(tree):
    (tree / "host/extra").mkdir()
    (tree / "host/extra/new.c").write_text("int new_thing;\n")
    assert findings(tree) == ["docs/map.md: host/extra/new.c is in no row"]


def test_where_a_behaviour_is(tree):
    """A name that is not in its file, and a file that is gone."""
    page = tree / "docs/where.md"
    rows = [line for line in page.read_text().splitlines() if line.count("`") >= 4 and line.startswith("| ")]
    assert len(rows) > 100
    page.write_text(page.read_text().replace("`victim`", "`victims`").replace("`rtl/l2/l2_mshr_pkg.sv`", "`rtl/l2/l2_mshrs_pkg.sv`"))
    assert findings(tree) == ["docs/where.md: L2: replacement: rtl/l2/l2_tags_pkg.sv has no victims",
                              "docs/where.md: L2: MSHRs: rtl/l2/l2_mshrs_pkg.sv does not exist"]
