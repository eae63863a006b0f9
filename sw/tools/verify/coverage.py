#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""coverage.py [--part cells|rtl] [--instructions N] [--seed N] [--keep] [--report]: what the tests of the compute unit reach.

cells: which of the 1,057 compute encodings, and which of their cells (operand, kind, modifier), ran in both models with equal results, an
active lane and, where there is a result, another one than before.  Data: random programs (tests/rtl/cu/torture), then random programs that
deal only what was never hit, and the kernels of sw/kernels in lock step; build/coverage/never.txt lists what
was never hit, with the reason where it can never be.
rtl: lines, branches and toggles of rtl/cu (its L1 cache apart) (coverage_rtl.py); its random programs are a twentieth of N.
--keep adds to what build/coverage holds from earlier runs (of any lock step with GANTRY_COVERAGE=build/coverage); --report only prints."""
import argparse
import collections
import os
import pathlib
import random
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from verify import coverage_rtl  # noqa: E402
from verify import isa_cells as isa  # noqa: E402

ROOT = isa.ROOT
FOLDER = ROOT / "build/coverage"
ROUNDS = 8  # campaigns of what was never hit
DEALT = 1200  # cells that such a program deals
sys.path.insert(0, str(ROOT / "tests/rtl/cu/torture"))
import deck  # noqa: E402
import torture  # noqa: E402


def run(instructions, seed):
    """The lock-step runs that feed the tables; their failures end the tool."""
    os.environ["GANTRY_COVERAGE"] = str(FOLDER)
    if subprocess.run([sys.executable, "-m", "pytest", "-q", "--rootdir", ROOT, "tests/sw/kernels/test_kernels.py", "-k", "test_lockstep"], cwd=ROOT).returncode:
        raise SystemExit("coverage: kernels failed")
    coverage_rtl.checked(torture.campaign(seed, instructions=instructions)[0])
    seed += 1_000_000
    for number in range(ROUNDS):
        left = [(e, c) for e, c, reason in never(read()) if not reason and e.name not in isa.BLOCKS]
        if not left:
            break
        print(f"coverage: {len(left)} cells were never hit: programs of them", flush=True)
        random.Random(f"left {seed}").shuffle(left)
        deck.wanted, seeds = left, max(2, 2 * len(left) // DEALT)
        coverage_rtl.checked(torture.campaign(seed, seeds=seeds)[0])
        seed += seeds
    deck.wanted = None
    del os.environ["GANTRY_COVERAGE"]


def read():
    """{(mnemonic, format): {(slot, kind, modifier): times}} of all tables in build/coverage."""
    hits = collections.defaultdict(collections.Counter)
    for path in FOLDER.glob("[0-9]*.tsv"):
        for line in path.read_text().splitlines():
            name, fmt, *cell, times = line.split("\t")
            hits[name, fmt][tuple(cell)] += int(times)
    return hits


def never(hits):
    """(encoding, cell, reason) of what was never hit; the reason is empty when it can be."""
    out = []
    for e in isa.encodings():
        if e.implemented:
            out += [(e, c) for c in isa.legal_cells()[e.key] if not hits[e.key][c]]
    faults = isa.illegal_cells(out)
    return [(e, c, "a fault in both models (isa.md)" if n in faults else isa.hitless(e, c)) for n, (e, c) in enumerate(out)]


def summary(hits):
    """Lines of the report, lines of never.txt."""
    cells, left = isa.legal_cells(), collections.defaultdict(list)
    for e, c, reason in never(hits):
        left[e.key].append((c, reason))
    rows, lost = collections.defaultdict(lambda: [0] * 6), []
    for e in isa.encodings():
        row, mine = rows[e.fmt], left[e.key]
        row[0] += 1
        row[1] += e.implemented
        row[2] += bool(hits[e.key])
        row[3] += len(cells[e.key]) * e.implemented
        row[4] += len(cells[e.key]) * e.implemented - len(mine)
        row[5] += sum(bool(reason) for _, reason in mine)
        if not e.implemented:
            lost.append(f"{e.name}\t{e.fmt}\tnot implemented (illegal in both models)")
        elif not hits[e.key]:
            lost.append(f"{e.name}\t{e.fmt}\tencoding never executed")
        lost += [f"{e.name}\t{e.fmt}\t" + "\t".join(c) + (f"\t{reason}" if reason else "") for c, reason in mine]
    lines = [f"{'format':8}{'encodings':>10}{'implemented':>13}{'compared':>10}{'cells':>9}{'hit':>9}{'cannot be':>11}{'left':>7}"]
    for name, r in [*rows.items(), ("sum", [sum(r[k] for r in rows.values()) for k in range(6)])]:
        lines.append(f"{name:8}{r[0]:10}{r[1]:13}{r[2]:10}{r[3]:9}{r[4]:9}{r[5]:11}{r[3] - r[4] - r[5]:7}")
    return lines, lost


def report_cells():
    lines, lost = summary(read())
    (FOLDER / "never.txt").write_text("\n".join(lost) + "\n")
    print("\n".join(lines))
    print(f"what was never hit: {FOLDER.relative_to(ROOT)}/never.txt, {len(lost)} lines")
    for line in [n for n in lost if n.endswith(("never executed", "both models)"))][:40]:
        print(line)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=["cells", "rtl"])
    parser.add_argument("--instructions", type=int, default=5_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--report", action="store_true", help="no runs, only the report")
    parser.add_argument("--only", default="", help="of the runs for rtl those whose name holds this")
    o = parser.parse_args()
    if not o.keep and not o.report:
        shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True, exist_ok=True)
    if o.part != "cells":
        if not o.report:
            coverage_rtl.run(o.instructions // 20, o.seed + 2_000_000, o.only)
        coverage_rtl.report()
    if o.part != "rtl":
        if not o.report:
            run(o.instructions, o.seed)
        report_cells()


if __name__ == "__main__":
    main()
