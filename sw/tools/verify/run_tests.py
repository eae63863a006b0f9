#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run_tests.py [PATH...]: run the tests by pytest, write build/test-results.tsv (outcome, seconds, test, seconds of CPU; then its
cases, if it is no Python) and build/test-minutes.md, name the tests of a run by day that take more than LONG seconds of CPU, and end
with the line `N passed, N failed[, N skipped]`.  Exit status 0 only when there are as many cases below the paths as tests/cases.tsv
says, all of them ran (or were skipped for a reason that is allowed), nothing else, none failed, and none of those in Python is without
anything that could (asserting.py).

pytest runs in a process of its own for each phase, which hands over what it saw at its end (test_record.py): one that is
ended, by whatever, hands over nothing."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from verify import asserting  # noqa: E402
from verify import manifest  # noqa: E402
from verify import test_record  # noqa: E402

ROOT = manifest.ROOT
LONG = 20  # seconds of CPU that a test may take in every run
WORKERS = "3"  # by day, on two processors: a quarter of its time a test waits, for a process that sleeps, for a lock or a disk
ALONE = ("tests/system/test_exits.py",)  # looks for what any program might have left behind


def phases():
    """By day three processes at a time, those of one file one after another, for they share what they build (tests/conftest.py says which files are no unit).  Nightly the campaigns among benches and proofs take by far the longest: they come first, as many at a time as there can be."""
    alone = [f for f in ALONE if (ROOT / f).exists()]
    but_alone = [f"--ignore={f}" for f in alone]
    if os.environ.get("GANTRY_NIGHTLY") == "1":
        return [["-n", "2", "--maxschedchunk", "1", "tests/rtl", "tests/formal"],
                ["-n", "2", "--dist", "loadfile", "tests", "--ignore=tests/rtl", "--ignore=tests/formal", *but_alone], *([alone] if alone else [])]
    return [["-n", WORKERS, "--dist", "loadfile", "tests", *but_alone], *([alone] if alone else [])]


def run(args):
    """The record of one phase; its findings say what is wrong with the run itself."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "record"
        done = subprocess.run([sys.executable, ROOT / "sw/tools/verify/test_record.py", out, "--rootdir", ROOT, "--durations", "10", *args])
        if not out.exists():
            return {"rows": {}, "findings": [f"pytest {' '.join(args)}: ended early, status {done.returncode}"]}
        return json.loads(out.read_text())


def case_rows(rows, listed):
    """(case, outcome, reason of a skip) as the manifest counts: a C test, bench or script is its cases."""
    for test, row in rows.items():
        file, _, name = test.partition("::")
        if name != pathlib.Path(file).name:
            yield test, row["outcome"], row["reason"]
        elif row["cases"]:
            yield from ((f"{file}::{case}", outcome, "") for case, outcome in row["cases"].items())
        else:  # it failed before its first case, or was skipped as a whole
            cases = [case for case in listed if case.startswith(f"{file}::") and not case.startswith((f"{file}::mutant[", f"{file}::mutate["))]
            yield from ((case, row["outcome"], row["reason"]) for case in cases or [test])


def within(paths):
    """Whether a file or folder is below what is run; tests that are named singly are no part."""
    if any(p.startswith("-") for p in paths):
        return lambda place: False
    places = [str(pathlib.Path(p).resolve().relative_to(ROOT)) for p in paths if "::" not in p] if paths else ["tests"]
    return lambda place: any(p == "." or (place + "/").startswith(p + "/") for p in places)


def against_manifest(rows, paths, nightly):
    """One line for each thing that is not as the tests in the tree say, or these are not as tests/cases.tsv says."""
    try:
        listed = manifest.load()
    except manifest.Unreadable as error:
        return [str(error)]
    seen, found, ours = {}, [], within(paths)
    for case, outcome, reason in case_rows(rows, listed):
        seen[case] = outcome
        allowed = listed.get(case, (set(), ""))[1].split(" | ")
        if case not in listed:
            found.append(f"{case}: ran, but pytest does not find it in the tree")
        elif outcome == "skipped" and not any(reason.startswith("long: ") and not nightly if a == manifest.NIGHTLY else a and reason.startswith(a) for a in allowed):
            found.append(f"{case}: skipped for a reason that is not allowed: {reason}")
    found += [f"{case}: stands in the tree, but did not run" for case in sorted(c for c in listed if ours(c.split("::")[0]) and c not in seen)]
    return found + [f"{line} (sw/tools/verify/manifest.py --update)" for line in manifest.differences(listed, ours)]


def minutes(rows):
    """The table of minutes by folder, of one process at a time."""
    folders = {}
    for test, row in rows.items():
        parts = test.split("::")[0].split("/")[:-1]
        entry = folders.setdefault("/".join(parts[:3 if parts[1] in ("rtl", "host") else 2]), [0, 0.0])
        entry[0] += row["outcome"] != "skipped"
        entry[1] += row["seconds"] / 60
    lines = [f"| `{name}` | {tests} | {time:.1f} |" for name, (tests, time) in sorted(folders.items())]
    total = [sum(e[i] for e in folders.values()) for i in (0, 1)]
    return "\n".join(["| folder | tests | minutes |", "|---|---|---|", *lines, f"| all | {total[0]} | {total[1]:.1f} |"]) + "\n"


def long_ones(rows):
    """Tests by day that belong to `make nightly`, with a short form by day: those that used more CPU time than they may, by themselves and by all that
    they have waited for (what a fixture builds counts for the first test that asks for it), longest first."""
    over = sorted(((row["cpu"], test) for test, row in rows.items() if row["cpu"] > LONG), reverse=True)
    return [f"{test}: {cpu:.0f} s of CPU (over {LONG} s: nightly, with a short form by day)" for cpu, test in over]


def main():
    paths, rows, findings = sys.argv[1:], {}, []
    if paths:  # a part of the tests: all seeded faults of its benches
        os.environ.setdefault("GANTRY_SEEDED", "all")
    for phase in [paths] if paths else phases():
        record = run(phase)
        rows.update(record["rows"])
        findings += record["findings"]
    findings += against_manifest(rows, paths, os.environ.get("GANTRY_NIGHTLY") == "1")
    findings += asserting.findings([place for p in paths or ["tests"] if (place := ROOT / p.split("::")[0]).exists()])
    (ROOT / "build").mkdir(exist_ok=True)
    with open(ROOT / "build/test-results.tsv", "w") as out:
        for test, row in rows.items():
            out.write(f"{row['outcome']}\t{row['seconds']:.2f}\t{test}\t{row['cpu']:.2f}\n")
            out.writelines(f"{outcome}\t0.00\t{test.split('::')[0]}::{case}\t0.00\n" for case, outcome in row["cases"].items())
    late = [] if os.environ.get("GANTRY_NIGHTLY") == "1" else long_ones(rows)
    (ROOT / "build/test-minutes.md").write_text(minutes(rows) + "".join(f"\n- {line}" for line in late) + "\n" * bool(late))
    count = {k: sum(row["outcome"] == k for row in rows.values()) for k in ("passed", "failed", "skipped")}
    if not paths:
        print(minutes(rows), end="")
        check = subprocess.run([sys.executable, ROOT / "sw/tools/check/check_map.py", "--ran"])
        count["failed" if check.returncode else "passed"] += 1
    for test, row in rows.items():
        if row["outcome"] == "skipped":
            print(f"skipped {test}: {row['reason']}")
    for line in late:
        print(f"long {line}")
    for finding in findings:
        print(f"failed {finding}")
    count["failed"] += len(findings)
    skipped = f", {count['skipped']} skipped" if count["skipped"] else ""
    print(f"{count['passed']} passed, {count['failed']} failed{skipped}")
    return 0 if count["failed"] == 0 and count["passed"] else 1


if __name__ == "__main__":
    sys.exit(main())
