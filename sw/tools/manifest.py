#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""manifest.py [--update]: tests/manifest.tsv against the tests that stand in the tree: one line a case, `case, ids that it
shows, reason for which it may be skipped`.  `--update` writes it anew; without, each difference is a
finding and the exit status 1.  run_tests.py holds what ran against it, check_map.py the rows of docs/map.md.

A case is FILE::NAME: a Python test with its parameters, a case of a C test, bench or script (test_cases.py), a seeded fault.
Ids: `@pytest.mark.shows("S0.8")` or what test_cases.py reads; allowed skips: `@pytest.mark.may_skip("why")`, and `nightly`.
The file is merged line by line (union), so its order and lines that are twice in it mean nothing."""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILE = ROOT / "tests/manifest.tsv"
NIGHTLY = "nightly"
HEAD = "# case\tids\tmay be skipped; written by sw/tools/manifest.py --update\n"


def load(file=FILE):
    """{case: (set of ids, reason or "")}; of a case with several lines, the last"""
    rows = {}
    for line in file.read_text().splitlines() if file.exists() else []:
        if line and not line.startswith("#"):
            case, ids, skip = (line.split("\t") + ["", ""])[:3]
            rows[case] = (set(ids.split()), skip)
    return rows


def collected():
    """The same of the tests in the tree, which pytest finds (pytest_collection_finish of tests/conftest.py prints it)."""
    done = subprocess.run([sys.executable, "-m", "pytest", "--rootdir", ROOT, "--collect-only", "--print-manifest", "tests"], cwd=ROOT,
                          capture_output=True, text=True)
    rows = {}
    for line in done.stdout.splitlines():
        if line.startswith("manifest\t"):
            _, case, ids, skip = line.split("\t")
            if case in rows:
                sys.exit(f"manifest: {case}: two cases of this name")
            rows[case] = (set(ids.split()), skip)
    if done.returncode or not rows:
        sys.exit(f"manifest: the tests are not found by pytest:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return rows


def text(rows):
    return HEAD + "".join(f"{case}\t{' '.join(sorted(ids))}\t{skip}\n" for case, (ids, skip) in sorted(rows.items()))


def differences():
    """One line a difference between tree and manifest."""
    listed, there = load(), collected()
    found = [f"{case} is in the manifest, but not in the tree" for case in listed if case not in there]
    found += [f"{case} is not in the manifest" for case in there if case not in listed]
    found += [f"{case}: ids or allowed skip differ" for case in there if case in listed and listed[case] != there[case]]
    return sorted(found)


def main():
    if "--update" in sys.argv[1:]:
        before, rows = load(), collected()
        FILE.write_text(text(rows))
        for case in sorted(set(before) - set(rows)):
            print(f"manifest: removed {case}")
        print(f"manifest: {len(rows)} cases, {len(set(rows) - set(before))} new, {len(set(before) - set(rows))} removed")
        return 0
    found = differences()
    print("\n".join([f"tests/manifest.tsv: {line}" for line in found] + [f"manifest: {len(found)} findings"]
                    + ["manifest: sw/tools/manifest.py --update writes it anew"] * bool(found)))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
