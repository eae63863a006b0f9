# SPDX-License-Identifier: Apache-2.0
"""Units, keys and records of `make nightly` (sw/tools/verify/nightly_units.py, nightly.py), in a tree of a few files, and what stands in this one."""
import datetime
import pathlib
import subprocess
import sys
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "sw/tools"))
from verify import manifest  # noqa: E402
from verify import nightly  # noqa: E402
from verify import nightly_units as nu  # noqa: E402

FILES = {
    "rtl/a/a.sv": "module a; endmodule\n", "rtl/b/b.sv": "module b; endmodule\n", "rtl/common/x.svh": "// x\n", "host/base/log.c": "int log;\n",
    "docs/page.md": "text\n", "docs/verification/nightly.md": "old\n", "configs/params.def": "X\n", "bridge/proto/messages.def": "Y\n",
    "tests/rtl/a/tb.cpp": "// top: a\n// sources: build/gen/p.sv rtl/a/*.sv\n// nightly: yes\n", "tests/rtl/a/near.h": "// near\n",
    "tests/rtl/b/tb.cpp": "// top: b\n// sources: rtl/b/b.sv\n// lib: yes\n// limit: 5000\n", "tests/system/test_s.py": 'os.environ.get("GANTRY_NIGHTLY")\n',
    "tests/system/test_day.py": "def test(): assert True\n", "tests/host/x/test_c.c": '#include "more.h"\n', "tests/host/x/more.h": "nightly()\n",
    "tests/harness/test_planted.py": "\n", "tests/nightly.tsv": "",
}
LISTED = {"tests/rtl/a/tb.cpp::one": (set(), "nightly"), "tests/system/test_day.py::test": (set(), ""), "tests/harness/test_planted.py::p[1]": (set(), "nightly")}


@pytest.fixture
def tree(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    return tmp_path


def index(tree):
    subprocess.run(["git", "-C", tree, "add", "-A"], check=True)
    return nu.index(tree)


def test_units(tree):
    """Marked cases, longer texts (also by what they include), limits; each slice of a long file."""
    found = nu.units(tree, LISTED)
    slices = nu.SLICES["tests/harness/test_planted.py"]
    assert sorted(map(str, found)) == sorted(["tests/rtl/a/tb.cpp", "tests/rtl/b/tb.cpp", "tests/system/test_s.py", "tests/host/x/test_c.c",
                                              *(f"tests/harness/test_planted.py {k}/{slices}" for k in range(1, slices + 1))])


# (what changes, units whose key changes)
CHANGES = [("rtl/a/a.sv", {"a", "system"}), ("rtl/b/b.sv", {"b", "system"}), ("rtl/common/x.svh", {"a", "b", "system"}), ("host/base/log.c", {"b", "system"}),
           ("tests/rtl/a/near.h", {"a"}), ("tests/system/test_day.py", {"system"}), ("configs/params.def", {"b", "system"}), ("configs/tiny.yaml", {"a", "b", "system"}),
           ("bridge/proto/messages.def", {"a", "b", "system"}), ("docs/page.md", set()), ("docs/verification/nightly.md", set()), ("tests/nightly.tsv", set()),
           ("rtl/a/new.sv", {"a", "system"})]


def test_parameters_of_the_rtl(tree):
    """A key of the host's alone makes no bench old; one that is a constant of the RTL does."""
    unit = nu.Unit("tests/rtl/a/tb.cpp")
    keys = []
    for row in ("", "x.y | u32 | 1 | 0 | 2 | | - | own | of the host\n", "x.z | u32 | 1 | 0 | 2 | | Zed | own | of the RTL\n", "# x.q | u32 | 1 | 0 | 2 | | Queue | own |\n"):
        with open(tree / "configs/params.def", "a") as out:
            out.write(row)
        keys.append(nu.key(unit, index(tree), tree))
    assert keys[0] == keys[1] != keys[2] == keys[3]


@pytest.mark.parametrize("name,changed", CHANGES)
def test_key_changes_with_what_it_depends_on(tree, name, changed):
    units = {"a": nu.Unit("tests/rtl/a/tb.cpp"), "b": nu.Unit("tests/rtl/b/tb.cpp"), "system": nu.Unit("tests/system/test_s.py")}
    before = {of: nu.key(unit, index(tree), tree) for of, unit in units.items()}
    with open(tree / name, "a") as out:
        out.write("// more\n")
    after = {of: nu.key(unit, index(tree), tree) for of, unit in units.items()}
    assert {of for of in units if before[of] != after[of]} == changed


def record(**other):
    return nu.Record(**{"key": "0" * 16, "commit": "12345678", "date": "2026-11-20", "result": "3 passed, 0 failed", "seconds": 60, **other})


def test_record_comes_back(tmp_path):
    records = {"tests/x.py 2/3": record(result="3 passed, 1 failed, 2 skipped"), "tests/y.py": record(seconds=7)}
    nu.save(records, tmp_path / "nightly.tsv")
    assert nu.load(tmp_path / "nightly.tsv") == records


def test_result_written_by_hand_is_none(tmp_path):
    file = tmp_path / "nightly.tsv"
    nu.save({"tests/x.py": record(result="3 passed, 1 failed"), "tests/y.py": record()}, file)
    file.write_text(file.read_text().replace("3 passed, 1 failed", "4 passed, 0 failed"))
    assert set(nu.load(file)) == {"tests/y.py"}


@pytest.mark.parametrize("result,passed", [("3 passed, 0 failed", True), ("3 passed, 0 failed, 12 skipped", True), ("3 passed, 1 failed", False),
                                           ("0 passed, 0 failed", False), ("0 passed, 0 failed, 3 skipped", False), ("3 passed, 10 failed", False)])
def test_passed(result, passed):
    assert record(result=result).passed == passed


def test_parts_have_every_unit_once():
    units = [nu.Unit(f"tests/{n:03}.py") for n in range(50)]
    records = {str(u): record(seconds=10 * (n % 7)) for n, u in enumerate(units) if n % 3}
    for count in (1, 2, 7, 12, 50, 99):
        parts = nu.parts(units, records, count)
        assert len(parts) == count and [u for part in parts for u in part] == units
    seconds = [sum(records[str(u)].seconds if str(u) in records else nu.ASSUMED for u in part) for part in nu.parts(units, records, 4)]
    assert max(seconds) - min(seconds) <= 2 * nu.ASSUMED


def test_standing_and_table(monkeypatch):
    """What never ran, failed or has changed is named; the rest is current."""
    units = [nu.Unit(f"tests/{name}.py") for name in ("a", "b", "c", "d")]
    monkeypatch.setattr(nu, "index", dict)
    monkeypatch.setattr(nu, "key", lambda unit, files: "1" * 16)
    monkeypatch.setattr(nu, "PARTS", 2)
    records = {"tests/a.py": record(key="1" * 16), "tests/b.py": record(key="1" * 16, result="2 passed, 1 failed"), "tests/c.py": record()}
    wrong = dict(nightly.standing(records, units))
    assert set(map(str, wrong)) == {"tests/b.py", "tests/c.py", "tests/d.py"}
    assert [wrong[u].split(",")[0].split(" on ")[0] for u in units[1:]] == ["2 passed", "passed", "never ran"]
    text = nightly.table(records, units)
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| ") and line[2].isdigit()]
    assert sum(int(row[2]) for row in rows) == 4 and sum(int(row[3]) for row in rows) == 1
    assert [row[6] for row in rows] == ["5 passed, 1 failed", "3 passed, 0 failed"]
    assert all(f"- `{unit}`: " in text for unit in wrong) and "- `tests/a.py`" not in text


def test_old_ones():
    units, today = [nu.Unit(f"tests/{name}.py") for name in ("a", "b", "c")], datetime.date(2026, 12, 1)
    records = {"tests/a.py": record(date="2026-11-21"), "tests/b.py": record(date="2026-11-20")}
    assert nightly.old_ones(records, units, today) == ["tests/b.py: last run 11 days ago", "tests/c.py: never ran"]


@pytest.mark.parametrize("words", [[], ["0/3"], ["4/3"], ["1/100"], ["1"], ["a/b"], ["1/2", "some"], ["--all"], ["--unit"]])
def test_wrong_arguments(words):
    done = subprocess.run([sys.executable, ROOT / "sw/tools/verify/nightly.py", *words], capture_output=True, text=True)
    assert done.returncode == 64 and done.stderr.startswith("usage: ") and done.stderr.count("\n") == 1


def test_units_by_name(monkeypatch, tmp_path, capsys):
    """They run in the order given, one at a time, also what is current; what runs is recorded, a unit that failed with its result."""
    units, ran, now = [nu.Unit("tests/a.py"), nu.Unit("tests/b.py", 1, 2), nu.Unit("tests/b.py", 2, 2), nu.Unit("tests/c.py")], [], []
    file, load, save = tmp_path / "nightly.tsv", nu.load, nu.save
    save({"tests/c.py": record(key="1" * 16)}, file)
    for module, name, stand_in in ((nu, "units", lambda: units), (nu, "index", dict), (nu, "key", lambda unit, files: "1" * 16), (nu, "load", lambda: load(file)),
                                   (nu, "save", lambda records: save(records, file)), (nightly, "git", lambda *words: "" if words[0] == "status" else "abcdef01"),
                                   (nightly, "write_table", lambda: None), (nightly.signal, "signal", lambda *_: None)):
        monkeypatch.setattr(module, name, stand_in)

    def outcome(unit, running):
        assert not now
        now.append(unit)
        time.sleep(0.05)
        ran.append(str(now.pop()))
        return ("0 passed, 1 failed" if unit.file == "tests/a.py" else "2 passed, 0 failed"), 1

    monkeypatch.setattr(nightly, "outcome", outcome)
    monkeypatch.setattr(sys, "argv", ["nightly.py", "--unit", "tests/c.py", "tests/b.py 2/2", "tests/a.py"])
    assert nightly.main() == 1 and ran == ["tests/c.py", "tests/b.py 2/2", "tests/a.py"]
    assert {unit: (r.commit, r.result) for unit, r in load(file).items()} == {
        "tests/c.py": ("abcdef01", "2 passed, 0 failed"), "tests/b.py 2/2": ("abcdef01", "2 passed, 0 failed"), "tests/a.py": ("abcdef01", "0 passed, 1 failed")}
    assert "nightly by name: 2 units passed, 1 failed, 0 were not needed" in capsys.readouterr().out
    monkeypatch.setattr(sys, "argv", ["nightly.py", "--unit", "tests/c.py", "tests/b.py"])
    assert nightly.main() == 64 and len(ran) == 3
    assert capsys.readouterr().err == "nightly: tests/b.py: no unit (--state names those that have to run)\n"


def test_slices_are_all_of_a_file():
    """Every test of a file is in one slice."""
    def collected(*words):
        done = subprocess.run([sys.executable, "-m", "pytest", "--rootdir", ROOT, "--collect-only", *words, "tests/sw/tools/test_nightly.py"], cwd=ROOT,
                              capture_output=True, text=True)
        return [line for line in done.stdout.splitlines() if "::" in line]
    whole, slices = collected(), [collected(f"--slice={k}/3") for k in (1, 2, 3)]
    assert len(whole) > 20 and sorted(test for s in slices for test in s) == sorted(whole) and all(slices)


def test_every_nightly_case_is_in_a_unit():
    """Of this tree: and each unit's file exists, and depends on something that git has."""
    units, files = nu.units(), nu.index()
    have = {unit.file for unit in units}
    assert {case.split("::")[0] for case, (_, skip) in manifest.load().items() if skip == manifest.NIGHTLY} <= have
    assert set(nu.SLICES) <= have
    assert all(u.file in files for u in units) and len({nu.key(u, files) for u in units}) > 20
