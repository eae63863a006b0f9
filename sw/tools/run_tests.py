#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run_tests.py [PATH...]: run the tests by pytest, write build/test-results.tsv (outcome, seconds, test) and end
with the line `N passed, N failed[, N skipped]`.  Exit status 0 when none failed and at least one ran."""
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ALONE = ("cli", "__pycache__")  # of tests/host


class Recorder:
    def __init__(self):
        self.rows, self.skips, self.broken = {}, [], 0

    def pytest_runtest_logreport(self, report):
        outcome, seconds = self.rows.get(report.nodeid, ("passed", 0.0))
        if report.skipped:
            outcome = "skipped"
            self.skips.append((report.nodeid, str(report.longrepr[2]) if isinstance(report.longrepr, tuple) else str(report.longrepr)))
        elif report.failed:
            outcome = "failed"
        self.rows[report.nodeid] = (outcome, seconds + report.duration)

    def pytest_collectreport(self, report):
        self.broken += report.failed


def main():
    recorder = Recorder()
    # Benches and proofs are builds above all and share nothing: two at a time.  So are tests of parts, those of one file one after
    # another, for they share what they build.  Tests of the command and of whole programs watch clocks and processes: alone.
    parts = ["tests/bridge", "tests/harness", "tests/sw", *(f"tests/host/{p.name}" for p in sorted((ROOT / "tests/host").iterdir()) if p.is_dir() and p.name not in ALONE)]
    phases = [sys.argv[1:]] if sys.argv[1:] else [
        ["-n", "2", "--maxschedchunk", "1", "tests/rtl", "tests/formal"], ["-n", "2", "--dist", "loadfile", *parts],
        ["tests", "--ignore=tests/rtl", "--ignore=tests/formal", *(f"--ignore={p}" for p in parts)]]
    for phase in phases:
        pytest.main(["--rootdir", str(ROOT), "--durations", "10", *phase], plugins=[recorder])
    (ROOT / "build").mkdir(exist_ok=True)
    with open(ROOT / "build/test-results.tsv", "w") as out:
        for test, (outcome, seconds) in recorder.rows.items():
            out.write(f"{outcome}\t{seconds:.2f}\t{test}\n")
    count = {k: sum(o == k for o, _ in recorder.rows.values()) for k in ("passed", "failed", "skipped")}
    count["failed"] += recorder.broken
    if not sys.argv[1:] and (ROOT / "docs/map.md").exists():
        check = subprocess.run([sys.executable, ROOT / "sw/tools/check_map.py", "--ran"])
        count["failed" if check.returncode else "passed"] += 1
    for test, reason in recorder.skips:
        print(f"skipped {test}: {reason}")
    skipped = f", {count['skipped']} skipped" if count["skipped"] else ""
    print(f"{count['passed']} passed, {count['failed']} failed{skipped}")
    return 0 if count["failed"] == 0 and count["passed"] else 1


if __name__ == "__main__":
    sys.exit(main())
