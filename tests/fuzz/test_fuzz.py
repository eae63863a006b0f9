# SPDX-License-Identifier: Apache-2.0
"""The fuzzers of this folder (sw/tools/verify/fuzzers.py): kept inputs and hundreds or thousands of new ones here, all in `make nightly`; a planted fault is found."""
import os
import pathlib
import subprocess

from verify import fuzzers
import pytest
from verify import sanitize

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def flags():
    assert sanitize.build("asan", short=os.environ.get("GANTRY_NIGHTLY") != "1") is None
    return sanitize.variables("asan")


@pytest.mark.parametrize("name", fuzzers.TARGETS)
def test_short(name, flags):
    wrong, _ = fuzzers.campaign(name, fuzzers.TARGETS[name].short, flags)
    assert wrong is None, wrong


@pytest.mark.nightly
@pytest.mark.parametrize("name", fuzzers.TARGETS)
def test_whole(name, flags):
    wrong, _ = fuzzers.campaign(name, fuzzers.TARGETS[name].inputs, flags)
    assert wrong is None, wrong


def test_each_fuzzer_is_a_target():
    sources = {p.stem for p in (ROOT / "tests/fuzz").glob("*.c") if "fuzz_one(" in p.read_text()}
    assert sources == {t.source or n for n, t in fuzzers.TARGETS.items()}


@pytest.mark.parametrize("fault", ["CHECK(bytes < 2 || data[0] != 'x', \"planted\", \"reached\")", "if (bytes > 1 && data[0] == 'x') exit(3)",
                                   "for (volatile unsigned long n = bytes > 1 && data[0] == 'x' ? 1ul << 40 : 0; n; n--)"], ids=["check", "exit", "hang"])
def test_planted_fault_is_found(fault, flags, monkeypatch):
    """A CHECK that fails, an exit() of the library, a hang (120 s of libFuzzer become 3 here)."""
    monkeypatch.setitem(fuzzers.TARGETS, "planted", fuzzers.Target(short=1000, most=8))
    monkeypatch.setattr(fuzzers.fuzz_seeds, "write", lambda target, folder: (folder / "a").write_text("xx") and [])
    monkeypatch.setattr(fuzzers, "HANG", 3)
    monkeypatch.setattr(fuzzers, "compile_target", lambda name, flags: sanitize.compile_c("asan", flags, source, fuzzers.WORK / name / "fuzz", "-fsanitize=fuzzer"))
    source = fuzzers.WORK / "planted.c"
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text('#include "tests/fuzz/fuzz.h"\nstatic void fuzz_start(void)\n{\n}\nstatic void fuzz_one(const uint8_t *data, size_t bytes)\n{\n    %s;\n}\n' % fault)
    wrong, _ = fuzzers.campaign("planted", 1000, flags)
    assert wrong and "no input kept" not in wrong, wrong
