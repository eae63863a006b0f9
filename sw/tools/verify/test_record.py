#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_record.py OUT ARGS...: pytest with these arguments; at its end, and only there, OUT holds as JSON `rows`, a test's outcome,
seconds, seconds of CPU, reason of a skip and cases, and `findings`, what is wrong with the run as a whole.  Used by run_tests.py."""
import json
import pathlib
import sys

import pytest

ENDED_WELL = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)


class Recorder:
    def __init__(self):
        self.rows, self.planned, self.findings = {}, set(), []

    def pytest_runtest_logreport(self, report):
        row = self.rows.setdefault(report.nodeid, {"outcome": "unfinished", "seconds": 0.0, "cpu": 0.0, "reason": "", "cases": {}})
        row["seconds"] += report.duration
        row["cpu"] += getattr(report, "cpu", 0.0)
        row["cases"].update(value for key, value in report.user_properties if key == "case")
        if report.failed or hasattr(report, "wasxfail"):  # passed or not: nothing here is expected to fail
            row["outcome"] = "failed"
            if hasattr(report, "wasxfail"):
                self.findings.append(f"{report.nodeid}: xfail or xpass: {report.wasxfail}")
        elif report.skipped:
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
            row.update(outcome="skipped", reason=reason.removeprefix("Skipped: "))
        elif report.when == "call" and row["outcome"] == "unfinished":
            row["outcome"] = "passed"

    def pytest_collectreport(self, report):
        if report.failed:
            self.findings.append(f"{report.nodeid}: cannot be collected")
        elif report.skipped:
            self.findings.append(f"{report.nodeid}: skipped as a whole")

    def pytest_collection_finish(self, session):
        self.planned |= {item.nodeid for item in session.items}

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids):
        self.planned |= set(ids)

    def finish(self, status, args):
        if status not in ENDED_WELL:
            self.findings.append(f"pytest {' '.join(args)}: {getattr(status, 'name', status)}")
        for test in sorted(self.planned - set(self.rows)):
            self.findings.append(f"{test}: was not run")
        for test, row in self.rows.items():
            if row["outcome"] == "unfinished":
                row["outcome"] = "failed"
                self.findings.append(f"{test}: did not finish")
        if status == pytest.ExitCode.TESTS_FAILED and not self.findings and all(row["outcome"] != "failed" for row in self.rows.values()):
            self.findings.append("pytest says that tests failed, but none is known")


def main():
    recorder, args = Recorder(), sys.argv[2:]
    status = pytest.main(args, plugins=[recorder])
    recorder.finish(status, args)
    out = pathlib.Path(sys.argv[1])
    out.with_suffix(".part").write_text(json.dumps({"rows": recorder.rows, "findings": recorder.findings}))
    out.with_suffix(".part").rename(out)


if __name__ == "__main__":
    main()
