#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""coverage.py [--instructions N] [--seed N] [--keep]: which of the 1,057 compute encodings, and which of their cells (operand, kind,
modifier), ran in both models with equal results, an active lane and a result other than the old one.  Data: random programs
(tests/rtl/cu/torture) and the kernels of sw/kernels in lock step; --keep adds to what build/coverage holds from earlier runs (of any
lock step with GANTRY_COVERAGE=build/coverage).  Prints a summary; build/coverage/never.txt lists what was never hit."""
import argparse
import collections
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import isa_cells as isa  # noqa: E402

ROOT = isa.ROOT
FOLDER = ROOT / "build/coverage"


def run(instructions, seed):
    """The lock-step runs that feed the tables; their failures end the tool."""
    env = dict(os.environ, GANTRY_COVERAGE=str(FOLDER))
    subprocess.run([sys.executable, ROOT / "tests/rtl/cu/torture/torture.py", "--seed", str(seed), "--instructions", str(instructions)],
                   cwd=ROOT, env=env, check=True)
    subprocess.run([sys.executable, "-m", "pytest", "-q", "--rootdir", ROOT, "tests/sw/kernels/test_kernels.py", "-k", "test_lockstep"], cwd=ROOT, env=env, check=True)


def read():
    """{(mnemonic, format): {(slot, kind, modifier): times}} of all tables in build/coverage."""
    hits = collections.defaultdict(collections.Counter)
    for path in FOLDER.glob("*.tsv"):
        for line in path.read_text().splitlines():
            name, fmt, *cell, times = line.split("\t")
            hits[name, fmt][tuple(cell)] += int(times)
    return hits


def summary(hits):
    """Lines of the report, lines of never.txt."""
    cells = isa.legal_cells()
    rows, never = collections.defaultdict(lambda: [0] * 5), []
    for e in isa.encodings():
        legal = cells[e.key] if e.implemented else []
        seen = [c for c in legal if hits[e.key][c]]
        row = rows[e.fmt]
        row[0] += 1
        row[1] += e.implemented
        row[2] += bool(hits[e.key])
        row[3] += len(legal)
        row[4] += len(seen)
        if not e.implemented:
            never.append(f"{e.name}\t{e.fmt}\tnot implemented (illegal in both models)")
        elif not hits[e.key]:
            never.append(f"{e.name}\t{e.fmt}\tencoding never executed")
        never += [f"{e.name}\t{e.fmt}\t" + "\t".join(c) for c in legal if not hits[e.key][c] and hits[e.key]]
    lines = [f"{'format':8}{'encodings':>10}{'implemented':>13}{'compared':>10}{'cells':>9}{'hit':>9}"]
    for name, row in [*rows.items(), ("sum", [sum(r[k] for r in rows.values()) for k in range(5)])]:
        lines.append(f"{name:8}{row[0]:10}{row[1]:13}{row[2]:10}{row[3]:9}{row[4]:9}{100 * row[4] / max(row[3], 1):7.1f} %")
    return lines, never


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--instructions", type=int, default=5_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--report", action="store_true", help="no runs, only the report")
    o = parser.parse_args()
    if not o.keep and not o.report:
        shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True, exist_ok=True)
    if not o.report:
        run(o.instructions, o.seed)
    lines, never = summary(read())
    (FOLDER / "never.txt").write_text("\n".join(never) + "\n")
    print("\n".join(lines))
    print(f"what was never hit: {FOLDER.relative_to(ROOT)}/never.txt, {len(never)} lines")
    for line in [n for n in never if n.endswith("never executed")][:40]:
        print(line)


if __name__ == "__main__":
    main()
