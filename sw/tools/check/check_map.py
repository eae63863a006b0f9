#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_map.py [--ran]: docs/map.md tells the truth.

Every row `| id | what | RTL | host | test | keys |`: paths exist; of the test's file some case shows the id
(manifest.py); each key is a row of configs/params.def; every source file of rtl/, host/, bridge/ and sw/shim is named in
the map (a folder names all its files).  An id that a case shows stands in the map.  One line a finding.
With --ran also build/test-results.tsv: of the cases that show the id some passed and none failed (long ones may be skipped, but
not all), and no other of their file failed.  Without, tests/cases.tsv is held against the tests that stand in the tree.
docs/where.md: of each row `| behaviour | file | name |` the file exists and has the name.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from verify import manifest  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
ID = re.compile(r"^(S[0134]\.\d+|[BC]\.\d+)$")


def rows():
    for line in (ROOT / "docs/map.md").read_text().splitlines():
        cells = [c.strip() for c in line.strip().strip("|").split("|")] if line.startswith("|") else []
        if cells and not set(cells[0]) <= set("-: ") and cells[0] not in ("id", "place"):
            yield cells


def paths(cell):
    return re.findall(r"`([^`]+)`", cell)


def where():
    """One line for each row of docs/where.md that is not true."""
    page = ROOT / "docs/where.md"
    for what, file, name in re.findall(r"^\| (.+) \| `([^`]+)` \| `([^`]+)` \|$", page.read_text() if page.exists() else "", re.M):
        path = ROOT / file
        if not path.is_file():
            yield f"docs/where.md: {what}: {file} does not exist"
        elif not re.search(rf"\b{re.escape(name)}\b", path.read_text()):
            yield f"docs/where.md: {what}: {file} has no {name}"


def main():
    findings, named = list(where()), set()
    ran, failed = {}, set()
    try:
        listed = manifest.load()
    except manifest.Unreadable as error:
        print(f"map: {error}")
        return 1
    results = ROOT / "build/test-results.tsv"
    if "--ran" in sys.argv and results.exists():
        for line in results.read_text().splitlines():
            outcome, _, test = line.split("\t")[:3]
            ran[test] = outcome
            if outcome == "failed":
                failed.add(test.split("::")[0])
    params = (ROOT / "configs/params.def").read_text() if (ROOT / "configs/params.def").exists() else ""
    for cells in rows():
        requirement = ID.match(cells[0])
        if requirement and len(cells) != 6:
            findings.append(f"docs/map.md: {cells[0]}: {len(cells)} columns, expected 6")
            continue
        last = 5 if requirement else len(cells)
        for path in [p for c in cells[2 if requirement else 0:last] for p in paths(c)]:
            if not (ROOT / path).exists():
                findings.append(f"docs/map.md: {cells[0]}: {path} does not exist")
            named.add(path.rstrip("/"))
        if requirement:
            tests = paths(cells[4])
            if not tests:
                findings.append(f"docs/map.md: {cells[0]}: no test")
            for test in [t for t in tests if (ROOT / t).is_file()]:
                cases = [case for case, (ids, _) in listed.items() if case.startswith(f"{test}::") and cells[0] in ids]
                if not cases:
                    findings.append(f"docs/map.md: {cells[0]}: no case of {test} shows it")
                outcomes = {ran.get(case, "not run") for case in cases} | ({"failed"} if test in failed else set())
                if cases and "--ran" in sys.argv and ("failed" in outcomes or "passed" not in outcomes):
                    findings.append(f"docs/map.md: {cells[0]}: {test} did not pass in this run ({', '.join(sorted(outcomes))})")
            for key in paths(cells[5]):
                if not re.search(rf"\b{re.escape(key)}\b", params):
                    findings.append(f"docs/map.md: {cells[0]}: key {key} is not in configs/params.def")
    known = {cells[0] for cells in rows()}
    findings += [f"{case}: {i} is no row of docs/map.md" for case, (ids, _) in listed.items() for i in sorted(ids - known)]
    if "--ran" not in sys.argv:
        findings += [f"{line} (sw/tools/verify/manifest.py --update)" for line in manifest.differences(listed)]
    for pattern in ("rtl/**/*.sv", "host/*/*.[ch]", "bridge/*/*.[ch]", "bridge/*/*.[ch]pp", "host/*/*.[ch]pp", "sw/shim/*.[ch]"):
        for file in sorted(ROOT.glob(pattern)):
            rel = file.relative_to(ROOT)
            if not any(str(p) in named for p in [rel, *rel.parents]):
                findings.append(f"docs/map.md: {rel} is in no row")
    print("\n".join(findings + [f"map: {len(findings)} findings"]))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
