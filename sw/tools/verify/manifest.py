#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""manifest.py [--update]: the cases of the tests in the tree.

build/manifest.tsv lists them, one line a case: `case, ids that it shows, reason for which it may be skipped`; it is written when
the sources are others than those that it was written of.  tests/cases.tsv, which git has, says how many cases each folder of tests
has, how many of them are nightly, and which single case may be skipped for which reason: so a test cannot disappear, or not run by
day any more, without a line of a commit that says so.  Without an argument each difference between the two is a finding and the
exit status 1; `--update` writes tests/cases.tsv anew.  run_tests.py holds what ran against build/manifest.tsv, check_map.py the
rows of docs/map.md.

A case is FILE::NAME: a Python test with its parameters, a case of a C test, bench or script (test_cases.py), a seeded fault.
Ids: `@pytest.mark.shows("S0.8")` or what test_cases.py reads; allowed skips: `@pytest.mark.may_skip("why")`, and `nightly`."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from builder import source_state  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
FILE = ROOT / "build/manifest.tsv"
KEPT = ROOT / "tests/cases.tsv"
NIGHTLY = "nightly"
ASKED = "GANTRY_MANIFEST"  # in the environment of the pytest that finds the tests
HEAD = "# folder\tcases\tof them nightly; or: case\tmay be skipped\treason; written by sw/tools/verify/manifest.py --update\n"
SOURCES = ("Makefile", "bridge", "configs", "fpga", "host", "pytest.ini", "rtl", "sw", "tests")  # what tests and their parameters are read from


class Unreadable(Exception):
    """The tests are not found; what pytest said."""


def rows_of(lines):
    """{case: (set of ids, reason or "")}"""
    return {case: (set(ids.split()), skip) for case, ids, skip in (line.split("\t") for line in lines)}


def collected():
    """The same of the tests in the tree, which pytest finds (pytest_collection_finish of tests/conftest.py prints it)."""
    if os.environ.get(ASKED):
        raise Unreadable("a module of the tests asks for all cases while it is read itself")
    done = subprocess.run([sys.executable, "-m", "pytest", "--rootdir", ROOT, "--collect-only", "--print-manifest", "tests"], cwd=ROOT,
                          env={**os.environ, ASKED: "1"}, capture_output=True, text=True)
    lines = [line.removeprefix("manifest\t") for line in done.stdout.splitlines() if line.startswith("manifest\t")]
    rows = rows_of(lines)
    if done.returncode or not rows:
        raise Unreadable(f"the tests are not found by pytest:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    if len(rows) < len(lines):
        names = sorted(line.split("\t")[0] for line in lines)
        raise Unreadable(f"two cases are called {next(a for a, b in zip(names, names[1:]) if a == b)}")
    return rows


def load():
    """All cases of the sources as they are."""
    head = f"# of {source_state.of(ROOT, [s for s in SOURCES if (ROOT / s).exists()])}"
    lines = FILE.read_text().splitlines() if FILE.exists() else [""]
    if lines[0] == head:
        return rows_of(lines[1:])
    rows = collected()
    FILE.parent.mkdir(exist_ok=True)
    new = FILE.with_suffix(f".{os.getpid()}")  # others may read it
    new.write_text("\n".join([head, *(f"{case}\t{' '.join(sorted(ids))}\t{skip}" for case, (ids, skip) in sorted(rows.items()))]) + "\n")
    new.replace(FILE)
    return rows


def folder_of(case):
    return case.split("::")[0].rpartition("/")[0]


def kept_of(rows):
    """What tests/cases.tsv says of these cases: {folder: [cases, of them nightly]} and {case: reason}."""
    folders, skips = {}, {}
    for case, (_, skip) in rows.items():
        count = folders.setdefault(folder_of(case), [0, 0])
        count[0] += 1
        count[1] += skip == NIGHTLY
        if skip and skip != NIGHTLY:
            skips[case] = skip
    return folders, skips


def kept():
    """What it says now."""
    folders, skips = {}, {}
    for line in KEPT.read_text().splitlines() if KEPT.exists() else []:
        first, second, third = (line.split("\t") + ["", ""])[:3]
        if "::" in first:
            skips[first] = third
        elif not first.startswith("#"):
            folders[first] = [int(second), int(third)]
    return folders, skips


def text(rows):
    folders, skips = kept_of(rows)
    return HEAD + "".join(f"{name}\t{cases}\t{nightly}\n" for name, (cases, nightly) in sorted(folders.items())) + \
        "".join(f"{case}\tmay be skipped\t{why}\n" for case, why in sorted(skips.items()))


def differences(rows, within=lambda folder: True):
    """One line a difference between these cases and tests/cases.tsv, of the folders for which within() is true."""
    (folders, skips), (old, allowed) = kept_of(rows), kept()
    found = []
    for name in sorted({*folders, *old}):
        is_now, was = folders.get(name, [0, 0]), old.get(name, [0, 0])
        if is_now != was and within(name):
            found.append(f"{name} has {is_now[0]} cases, {is_now[1]} of them nightly; tests/cases.tsv: {was[0]}, {was[1]}")
    found += [f"{case} may be skipped ({skips.get(case, 'no more')}); tests/cases.tsv: {allowed.get(case, 'it may not')}"
              for case in sorted({*skips, *allowed}) if skips.get(case) != allowed.get(case) and within(folder_of(case))]
    return found


def main():
    try:
        rows = load()
    except Unreadable as error:
        print(f"manifest: {error}", file=sys.stderr)
        return 1
    found = differences(rows)
    if "--update" in sys.argv[1:]:
        KEPT.write_text(text(rows))
        print("\n".join([*found, f"manifest: {len(rows)} cases"]))
        return 0
    print("\n".join([*found, f"manifest: {len(found)} findings"] + ["manifest: sw/tools/verify/manifest.py --update writes tests/cases.tsv anew"] * bool(found)))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
