# SPDX-License-Identifier: Apache-2.0
"""Planted bugs (tests/planted, sw/tools/verify/planted.py): every patch applies to the tree and names tests that are there; in
`make nightly` each is planted in a copy of the tree and its tests notice it.  And what counts as noticed."""
import fcntl
import pathlib
import sys
import xml.etree.ElementTree

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "sw/tools"))
from verify import planted  # noqa: E402

ALL = [pytest.param(patch, id=patch.name) for patch in planted.patches()]


@pytest.mark.parametrize("patch", ALL)
def test_patch_applies(patch):
    assert patch.tests and patch.what
    assert patch.files() and not [name for name in patch.files() if name.startswith("tests/")]
    assert not planted.apply(ROOT, patch, "--check")
    assert not [node for node in patch.tests if not planted.test_is_there(node)]


@pytest.fixture(scope="module")
def copy():
    """The tree in which bugs are planted: without one, all the tests pass there."""
    with open(ROOT / "build/planted.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        said = planted.check_clean(sorted({node for patch in planted.patches() for node in patch.tests}))
        assert not said, "\n".join(said)
        yield


@pytest.mark.nightly
@pytest.mark.parametrize("patch", ALL)
def test_bug_is_noticed(patch, copy):
    assert not planted.check_patch(patch)


CMOCKA = """exit status 1
[  ERROR   ] --- {why}
[  FAILED  ] tests: 1 test(s), listed below:
[  FAILED  ] pages_go
"""
REPORTS = {  # kind of element, message and text, node is C or a script, its case, what that counts as
    "check": ("failure", "", CMOCKA.format(why="0x1 != 0x2"), True, "pages_go", "noticed"),
    "other case": ("failure", "", CMOCKA.format(why="0x1 != 0x2"), True, "pages_come", "spoilt"),
    "crash of the case": ("failure", "", CMOCKA.format(why="Test failed with exception: Segmentation fault(11)"), True, "pages_go", "spoilt"),
    "crash of all": ("failure", "", "exit status -11\n", True, "", "spoilt"),
    "assertion of RTL": ("failure", "", "exit status -6\n%Error: x.sv:12: Assertion failed\n", True, "", "noticed"),
    "bench": ("failure", "", "exit status 1\nline 12: 3 is not 4\n", True, "", "noticed"),
    "compiler": ("failure", "", "does not compile:\nexit status 1\n", True, "", "spoilt"),
    "assert": ("failure", "assert 3 == 4", "", False, "", "noticed"),
    "exception": ("failure", "FileNotFoundError: x", "", False, "", "spoilt"),
    "model that does not build": ("failure", "AssertionError: exit 70", "models: cu: does not build", False, "", "spoilt"),
    "fixture": ("error", "AssertionError: no", "", False, "", "spoilt"),
    "skip": ("skipped", "no hipcc", "", False, "", "spoilt"),
}


@pytest.mark.parametrize("name", REPORTS)
def test_what_counts_as_noticed(name):
    kind, message, text, plain, case, counts = REPORTS[name]
    suite = xml.etree.ElementTree.Element("testsuite")
    test = xml.etree.ElementTree.SubElement(suite, "testcase")
    if kind:
        xml.etree.ElementTree.SubElement(test, kind, message=message).text = text
    assert planted.judge(suite, plain, case)[0] == counts


def test_passing_is_not_noticing():
    suite = xml.etree.ElementTree.Element("testsuite")
    assert planted.judge(suite, False, "")[0] == "spoilt"
    xml.etree.ElementTree.SubElement(suite, "testcase")
    assert planted.judge(suite, False, "")[0] == "passed"


def test_names_of_tests():
    here = "tests/harness/test_planted.py"
    assert planted.test_is_there(f"{here}::test_names_of_tests") and planted.test_is_there(f"{here}::test_names_of_tests[x]")
    assert planted.test_is_there("tests/host/driver/test_driver.c::foreign_queues_are_refused")
    for wrong in (f"{here}::test_no", "tests/harness/test_no.py::test_no", "tests/host/driver/test_driver.c::no_such_case", "host/vm/pmem.c"):
        assert not planted.test_is_there(wrong)
