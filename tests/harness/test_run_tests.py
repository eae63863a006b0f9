# SPDX-License-Identifier: Apache-2.0
"""The test base cannot shrink or lie: sw/tools/verify/run_tests.py on a small tree (what makes a run fail), and tests/cases.tsv
against every test file of this one, deleted or emptied."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "sw/tools"))
from verify import asserting  # noqa: E402
from verify import manifest  # noqa: E402
from verify import run_tests  # noqa: E402

PY = "import os, pytest\n\ndef test_one():\n    assert os\n\n@pytest.mark.parametrize('n', [1, 2])\ndef test_two(n):\n    assert n\n"
C = """#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
static void first(void **state) { (void)state; }
/* shows S0.1: that it can */
static void second(void **state) { (void)state; }
int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(first), cmocka_unit_test(second)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
"""
SH = 'true\necho "case done: one"\ntrue\necho "case done: two"\n'
MAKE = "print-flags:\n\t@echo CC=gcc\n\t@echo CFLAGS=-O0\n\t@echo LDLIBS=\n"
FILES = {"tests/host/base/test_c.c": C, "tests/sw/test_s.sh": SH,
         **{f"tests/{folder}/test_{folder}.py": PY for folder in ("rtl", "formal", "bridge", "harness", "system")}}


def small_tree(folder):
    for name in ("verify/run_tests.py", "verify/asserting.py", "verify/test_record.py", "verify/manifest.py", "verify/test_cases.py", "verify/bench_files.py",
                 "builder/source_state.py", "builder/rtl_sources.py", "check/check_map.py", "faults/mutation.py"):
        (folder / "sw/tools" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "sw/tools" / name, folder / "sw/tools" / name)
    for name, text in {**FILES, "Makefile": MAKE, "docs/map.md": "| S0.1 | it can | | | `tests/host/base/test_c.c` | |\n"}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    shutil.copy(ROOT / "pytest.ini", folder)
    shutil.copy(ROOT / "tests/conftest.py", folder / "tests/conftest.py")
    (folder / "build/lib").mkdir(parents=True)
    subprocess.run(["ar", "rcs", folder / "build/lib/libgantry.a"], check=True)
    assert tool(folder, "verify/manifest.py", "--update").returncode == 0
    return folder


def tool(tree, name, *args):
    return subprocess.run([sys.executable, tree / "sw/tools" / name, *args], cwd=tree, capture_output=True, text=True, timeout=120)


@pytest.fixture(scope="module")
def pristine(tmp_path_factory):
    return small_tree(tmp_path_factory.mktemp("small"))


@pytest.fixture
def tree(pristine, tmp_path):
    shutil.copytree(pristine, tmp_path / "tree")
    return tmp_path / "tree"


def fails(tree, what, *paths):
    done = tool(tree, "verify/run_tests.py", *paths)
    last = done.stdout.splitlines()[-1]
    assert done.returncode == 1 and " 0 failed" not in last and " failed" in last, done
    assert what in done.stdout, done.stdout


def test_all_is_well(tree):
    done = tool(tree, "verify/run_tests.py")
    assert done.returncode == 0 and done.stdout.splitlines()[-1] == "18 passed, 0 failed", done
    rows = (tree / "build/test-results.tsv").read_text().splitlines()
    assert [row.split("\t")[0::2] for row in rows if "test_c.c" in row] == [
        ["passed", f"tests/host/base/test_c.c::{name}"] for name in ("test_c.c", "first", "second")]
    assert "| `tests/host/base` | 1 |" in (tree / "build/test-minutes.md").read_text()


def test_long_tests_are_named(tree):
    """CPU time of a test is its own and that of what it has started, also of what these have; in a process of two as well."""
    path = tree / "tests/rtl/test_rtl.py"
    burn = "import subprocess\n\ndef test_one():\n    assert subprocess.run(['sh', '-c', '(ulimit -t 2; while :; do :; done); true']).returncode == 0\n"
    path.write_text(PY.replace("def test_one():\n    assert os\n", burn))
    tool_text = tree / "sw/tools/verify/run_tests.py"
    for limit, named in (("LONG = 1 ", True), ("LONG = 20 ", False)):
        tool_text.write_text(re.sub("^LONG = [0-9]+ ", limit, tool_text.read_text(), flags=re.M))
        done = tool(tree, "verify/run_tests.py", "-n", "2", "tests/rtl")
        line = "tests/rtl/test_rtl.py::test_one: 2 s of CPU (over 1 s: nightly, with a short form by day)"
        assert done.returncode == 0 and (f"long {line}" in done.stdout) == named and (f"- {line}" in (tree / "build/test-minutes.md").read_text()) == named, done
    cpu = {row.split("\t")[2].split("::")[1]: float(row.split("\t")[3]) for row in (tree / "build/test-results.tsv").read_text().splitlines()}
    assert 1.5 < cpu["test_one"] < 3 and cpu["test_two[1]"] < 0.5, cpu


def test_worker_that_ends(tree):
    """A process of two ends with status 0 in the middle."""
    path = tree / "tests/rtl/test_rtl.py"
    path.write_text(PY.replace("assert n\n", "n == 1 and os._exit(0)\n"))
    fails(tree, "tests/rtl/test_rtl.py::test_two[1]", "-n", "2", "tests/rtl")


def test_without_the_conftest(tree):
    (tree / "tests/conftest.py").write_text("")
    fails(tree, "the tests are not found by pytest", "tests/host", "tests/system")


PLACE = {".py": "tests/system/test_system.py", ".c": "tests/host/base/test_c.c", ".sh": "tests/sw/test_s.sh"}
CASES = {  # kind, text that is replaced, by what, what is said
    "deleted": (".py", None, None, "tests/system has 0 cases, 0 of them nightly; tests/cases.tsv: 3, 0"),
    "emptied": (".py", PY, "", "tests/system has 0 cases, 0 of them nightly; tests/cases.tsv: 3, 0"),
    "function": (".py", "def test_one", "def tost_one", "tests/system has 2 cases, 0 of them nightly; tests/cases.tsv: 3, 0"),
    "body": (".py", "def test_one():\n    assert os", "def test_one():\n    pass", "test_one: nothing in it can fail"),
    "parameter": (".py", "[1, 2]", "[1]", "tests/system has 2 cases, 0 of them nightly; tests/cases.tsv: 3, 0"),
    "new": (".py", "[1, 2]", "[1, 2, 3]", "tests/system has 4 cases, 0 of them nightly; tests/cases.tsv: 3, 0"),
    "exit": (".py", "assert os", "pytest.exit('enough', returncode=0)", "test_one: did not finish"),
    "exit_1": (".py", "assert os", "pytest.exit('enough', returncode=1)", "test_two[1]: was not run"),
    "gone": (".py", "assert os", "os._exit(0)", "ended early, status 0"),
    "interrupt": (".py", "assert os", "raise KeyboardInterrupt", "INTERRUPTED"),
    "not_python": (".py", "assert os", "assert assert", "cannot be collected"),
    "xpass": (".py", "def test_one", "@pytest.mark.xfail(reason='hard')\ndef test_one", "test_one - [XPASS(strict)] hard"),
    "xfail": (".py", "def test_one():\n    assert os", "@pytest.mark.xfail(reason='hard')\ndef test_one():\n    assert not os", "test_one: xfail or xpass: hard"),
    "skip": (".py", "assert os", "pytest.skip('tired')", "test_one: skipped for a reason that is not allowed: tired"),
    "may_skip": (".py", "def test_one", "@pytest.mark.may_skip('tired')\ndef test_one", "test_one may be skipped (tired); tests/cases.tsv: it may not"),
    "nightly": (".py", "def test_one", "@pytest.mark.nightly\ndef test_one", "tests/system has 3 cases, 1 of them nightly; tests/cases.tsv: 3, 0"),
    "whole_skip": (".py", "import os, pytest", "import os, pytest\npytest.skip('tired', allow_module_level=True)", "skipped as a whole"),
    "c_emptied": (".c", C, "", "does not compile"),
    "c_main": (".c", "return cmocka_run", "return 0; cmocka_run", "case first did not run"),
    "c_case": (".c", ", cmocka_unit_test(second)}", "}; (void)second", "case second did not run"),
    "c_ends": (".c", "second(void **state) { (void)state; }", "second(void **state) { (void)state; exit(0); }", "case second did not run"),
    "c_skip": (".c", "second(void **state) { (void)state; }", "second(void **state) { (void)state; skip(); }", "case second did not run"),
    "sh_emptied": (".sh", SH, "", "no case stands in the text"),
    "sh_ends": (".sh", "true\necho \"case done: two", "exit 0\necho \"case done: two", "case two did not run"),
    "sh_skip": (".sh", "true\necho \"case done: two", "exit 77\necho \"case done: two", "is not allowed: case done: one"),
}


@pytest.mark.parametrize("case", CASES)
def test_run_that_fails(tree, case):
    kind, old, new, said = CASES[case]
    path = tree / PLACE[kind]
    if old is None:
        path.unlink()
    else:
        assert path.read_text().count(old) == 1
        path.write_text(path.read_text().replace(old, new))
    fails(tree, said, str(path.parent.relative_to(tree)))


BODIES = {  # what a test's body may be, and whether it can fail
    "pass": False, "print(1)": False, "return None": False, "'''assert'''": False, "idle()": False, "print(state)": False, "os.getpid()": False, "subprocess.run(['false'], check=False)": False,
    "assert state": True, "with pytest.raises(OSError):\n        os.close(99)": True, "raise OSError": True, "if not state:\n        pytest.fail()": True,
    "subprocess.run(['true'], check=True)": True, "deeper()": True, "list(map(deeper, [1]))": True, "snippet.held()": True, "if 1:\n        for n in ():\n            assert n": True,
}


@pytest.mark.parametrize("body", BODIES)
def test_body_that_cannot_fail(tmp_path, body):
    """Helpers count, in the file and in modules of the tests; fixtures and decorators do not."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/snippet.py").write_text("def held():\n    assert held\n\n\ndef unused():\n    assert unused\n")
    file = tmp_path / "tests/test_it.py"
    file.write_text("import os, subprocess\nimport pytest\nimport snippet\n\n\n@pytest.fixture\ndef state():\n    assert os\n\n\ndef idle():\n    return idle\n\n\n"
                    "def deep(n=1):\n    assert n\n\n\ndef deeper(n=1):\n    deep(n)\n\n\n"
                    f"@pytest.mark.parametrize('n', [deep(1)])\ndef test_it(state, n):\n    {body}\n")
    assert asserting.findings([tmp_path], tmp_path) == ([] if BODIES[body] else ["tests/test_it.py::test_it: nothing in it can fail"])


@pytest.mark.parametrize("text, wrong", [("a and b or c", True), ("(a and b) or c", False), ("a and (b or c)", False), ("c or a and b", True), ("c or (a and b)", False),
                                         ("(c or\n            a and b)", True), ("f(a and b or c)", True), ("f(a and b) or c", False), ("[x for x in a if b and c] or c", False),
                                         ("'\u00e4' and b or c", True), ("('\u00e4' and b) or c", False), ("(a and b), 'words' or c and a", False)])
def test_mixed_and_and_or(tmp_path, text, wrong):
    (tmp_path / "test_it.py").write_text(f"def test_it(a, b, c, f):\n    assert {text}\n")
    found = [f for f in asserting.findings([tmp_path], tmp_path) if "parentheses" in f]
    assert bool(found) == wrong and len(found) <= 1, found


def test_every_test_of_the_tree_can_fail():
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    assert len(files) > 50 and asserting.findings(files) == []


@pytest.mark.parametrize("place, said", [("tests/nowhere", "USAGE_ERROR"), ("tests/nothing", "NO_TESTS_COLLECTED"), ("tests/system/test_system.py::test_three", "USAGE_ERROR")])
def test_place_without_tests(tree, place, said):
    (tree / "tests/nothing").mkdir()
    fails(tree, said, place)


def test_single_tests_and_allowed_skips(tree):
    one = tool(tree, "verify/run_tests.py", "tests/system/test_system.py::test_two[1]", "tests/sw")
    assert one.returncode == 0 and one.stdout.splitlines()[-1] == "2 passed, 0 failed", one
    path = tree / PLACE[".py"]
    path.write_text(PY.replace("def test_one", "@pytest.mark.may_skip('tired')\ndef test_one").replace("assert os", "pytest.skip('tired today')"))
    tool(tree, "verify/manifest.py", "--update")
    two = tool(tree, "verify/run_tests.py", "tests/system")
    assert two.returncode == 0 and two.stdout.splitlines()[-1] == "2 passed, 0 failed, 1 skipped", two


def test_cases_against_the_tree(tree):
    """Of a case that is called otherwise build/manifest.tsv tells, and what it shows; of one that is gone tests/cases.tsv."""
    assert tool(tree, "verify/manifest.py").stdout == "manifest: 0 findings\n"
    path, listed = tree / "tests/host/base/test_c.c", tree / "build/manifest.tsv"
    path.write_text(C.replace("shows S0.1", "shows S0.2").replace("first", "furst"))
    assert tool(tree, "verify/manifest.py").stdout == "manifest: 0 findings\n"
    assert "test_c.c::furst\t\t\n" in listed.read_text() and "test_c.c::second\tS0.2\t\n" in listed.read_text()
    assert "tests/host/base/test_c.c::second: S0.2 is no row of docs/map.md" in tool(tree, "check/check_map.py").stdout
    path.write_text(C.replace(", cmocka_unit_test(second)}", "}").replace("static void second(void **state) { (void)state; }", ""))
    done = tool(tree, "verify/manifest.py")
    said = "tests/host/base has 1 cases, 0 of them nightly; tests/cases.tsv: 2, 0"
    assert done.returncode == 1 and done.stdout.splitlines()[:2] == [said, "manifest: 1 findings"], done
    assert said in tool(tree, "check/check_map.py").stdout


def test_two_cases_of_one_name(monkeypatch):
    monkeypatch.setattr(manifest.subprocess, "run", lambda *a, **k: subprocess.CompletedProcess(a, 0, 2 * "manifest\ttests/a.py::b\t\t\n", ""))
    with pytest.raises(manifest.Unreadable, match="two cases are called tests/a.py::b"):
        manifest.collected()


def test_asked_while_tests_are_read(tree):
    """A module of the tests that wants all cases when it is imported would begin one pytest in another."""
    (tree / "tests/system/test_asks.py").write_text("from verify import manifest\nCASES = manifest.load()\n")
    done = subprocess.run([sys.executable, tree / "sw/tools/verify/manifest.py"], cwd=tree, env={**os.environ, "PYTHONPATH": str(tree / "sw/tools")},
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "asks for all cases while it is read itself" in done.stderr, done


def passed(cases):
    """Rows of a run in which these passed."""
    rows = {}
    for case in cases:
        file, _, name = case.partition("::")
        of_text = not file.endswith(".py") and not name.startswith(("mutant[", "mutate["))
        test = f"{file}::{pathlib.Path(file).name}" if of_text else case
        row = rows.setdefault(test, {"outcome": "passed", "reason": "", "cases": {}})
        row["cases"].update({name: "passed"} if of_text else {})
    return rows


@pytest.fixture(scope="module")
def emptied(tmp_path_factory):
    """What is collected in a copy of the tree in which every test file is emptied to the comment that had the ids."""
    tree = tmp_path_factory.mktemp("emptied")
    shutil.copytree(ROOT / "sw/tools", tree / "sw/tools", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "tests", tree / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pytest.ini", tree)
    for file in {case.split("::")[0] for case in manifest.load()}:
        (tree / file).write_text({".py": "# S0.1 B.8\n", ".sh": "# S0.1\n"}.get(pathlib.Path(file).suffix, "// S0.1 S3.12\n"))
    done = subprocess.run([sys.executable, "-m", "pytest", "--rootdir", tree, "--collect-only", "--print-manifest", "tests"], cwd=tree,
                          capture_output=True, text=True)
    return manifest.rows_of(line.removeprefix("manifest\t") for line in done.stdout.splitlines() if line.startswith("manifest\t"))


@pytest.mark.parametrize("kind", ["deleted", "emptied"])
def test_any_one_file(kind, emptied):
    """Without it, or with what is left of it, its folder has fewer cases; with all, nothing is found.  A C test, bench or script
    without a text still counts as one, which fails (c_emptied, sh_emptied)."""
    listed = manifest.load()
    files = {case.split("::")[0] for case in listed}
    assert len(files) > 100 and run_tests.against_manifest(passed(listed), [], False) == []
    for file in files:
        left = {case: row for case, row in emptied.items() if kind == "emptied" and case.startswith(f"{file}::")}
        found = manifest.differences({**{case: row for case, row in listed.items() if not case.startswith(f"{file}::")}, **left})
        assert any(line.startswith(f"{file.rpartition('/')[0]} has ") for line in found) or list(left) == [f"{file}::{pathlib.Path(file).name}"], file
