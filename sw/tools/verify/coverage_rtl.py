# SPDX-License-Identifier: Apache-2.0
"""Coverage of rtl/cu (its L1 cache apart): runs of counting models (GANTRY_RTL_COVERAGE, verilate_coverage.py), and their report.

Runs: the module benches of tests/rtl/cu and tests/rtl/cu/lds with the forms that synthesis reads and those of narrow SIMDs, random programs
and random words in lock step, the kernels of sw/kernels in lock step, some of them and random programs on the smallest CU, programs that
trap in lock step.  Counts of every run are added to build/coverage/rtl.tsv and its files removed.  build/coverage/rtl_never.txt: lines and
sides of branches never hit; rtl_never_toggle.txt: bits; rtl_uncounted.txt: places without counting code, which are not in the table."""
import collections
import os
import random
import re
import subprocess
import sys

from verify import coverage_data
from verify import isa_cells
from builder import verilate_coverage

ROOT = coverage_data.ROOT
sys.path.insert(0, str(ROOT / "tests/rtl/cu/torture"))
import deck  # noqa: E402
import torture  # noqa: E402

FOLDER = ROOT / "build/coverage"
RAW, TOTAL = FOLDER / "rtl", FOLDER / "rtl.tsv"
BENCHES = [f"tests/rtl/{name}/tb.cpp::tb.cpp" for name in
           ("cu/cu", "cu/front", "cu/front_synth", "cu/simd", "cu/simd_synth", "cu/vmem", "cu/lds/lds_unit", "cu/lds/ram_banked")]
# Of SIMDs with 4 lanes.  Not simd_lanes4, which is nightly: the kernels on the smallest CU run its text.
NARROW = [f"tests/rtl/{name}/tb.cpp::tb.cpp" for name in ("cu/vmem_lanes4", "cu/simd_synth4", "cu/lds/lds_serial")]
FUZZ = 24    # programs of random words
JUMP = re.compile(r"\b(return|break|continue)\b")
BLOCK = 4    # lines from the head of a block to its jump
CHUNK = 10   # random programs between two looks at their files


def runs(seed):
    """(name, command) of what is counted beside random programs."""
    pytest = [sys.executable, "-m", "pytest", "-q", "--rootdir", ROOT]
    torture = "tests/rtl/cu/torture"
    return [("module benches", [*pytest, "-n", "2", *BENCHES]),
            ("benches of narrow SIMDs", [*pytest, "-n", "2", *NARROW]),
            ("programs that once failed, wild jumps", [*pytest, f"{torture}/test_torture.py", "-k", "test_case or wild"]),
            ("random words", [sys.executable, f"{torture}/fuzz.py", "--seed", str(seed), "--seeds", str(FUZZ)]),
            ("kernels", [*pytest, "tests/sw/kernels/test_kernels.py", "-k", "test_lockstep"]),
            ("on the smallest CU", [*pytest, "tests/sw/kernels/test_smallest.py", f"{torture}/test_torture.py", "-k", "test_lockstep or on_the_smallest"]),
            ("traps", [*pytest, "tests/system/test_traps.py", "-k", "lockstep"])]


def absorb():
    """Add what models have written to the total; the number of files."""
    counts = coverage_data.load(TOTAL) if TOTAL.exists() else collections.Counter()
    files = sorted(RAW.glob("*.dat"))
    for path in files:
        counts.update(coverage_data.read(path))  # keeps points with 0
        path.unlink()
    if files:
        coverage_data.save(counts, TOTAL)
    return len(files)


def encodings(seed):
    """One cell of every encoding, in random order: a program deals them all."""
    r, cells = random.Random(f"encodings {seed}"), isa_cells.legal_cells()
    out = [(e, r.choice(cells[e.key])) for e in isa_cells.encodings() if e.implemented and e.name not in isa_cells.BLOCKS]
    r.shuffle(out)
    return out


def checked(failures):
    if failures:
        raise SystemExit("coverage: a difference in lock step: " + "\n".join(failures))


def counted(name):
    print(f"coverage: {name}: {absorb()} files of counts", flush=True)


def run(instructions, seed, only=""):
    """All runs whose name holds `only`; what fails ends the tool.  Cells are counted with them (GANTRY_COVERAGE)."""
    RAW.mkdir(parents=True, exist_ok=True)
    os.environ.update(GANTRY_RTL_COVERAGE=str(RAW), GANTRY_COVERAGE=str(FOLDER))
    for name, command in runs(seed):
        if only not in name:
            continue
        before = len(list(RAW.glob("*.dat")))
        if subprocess.run(command, cwd=ROOT).returncode:
            raise SystemExit(f"coverage: {name} failed")
        if len(list(RAW.glob("*.dat"))) == before:
            raise SystemExit(f"coverage: {name}: no model has written its counts")
        counted(name)
    if only in "random programs":
        deck.wanted, compared = encodings(seed), 0
        checked(torture.campaign(seed, seeds=2)[0])
        counted("programs of every encoding")
        deck.wanted = None
        while compared < instructions:
            failures, seeds, more = torture.campaign(seed, seeds=CHUNK)
            checked(failures)
            seed, compared = seed + seeds, compared + more
            counted("random programs")
    del os.environ["GANTRY_RTL_COVERAGE"], os.environ["GANTRY_COVERAGE"]


def uncounted(counts):
    """Places that have a point in no model, as file:line: what: text.  Blocks that end in a jump are left out: the jump has the point."""
    known, sources, out = {(p.file, p.line, p.column) for p in counts}, coverage_data.Sources(ROOT), set()
    jumps = {(p.file, p.line) for p in counts if p.kind != "toggle" and verilate_coverage.counted(p.file) and JUMP.search(sources.line(p.file, p.line))}
    for path in [*ROOT.glob("build/models/cu_cover-*/uncounted.txt"), *(ROOT / "build/tests/tests/rtl").glob("**/Vcoverage/uncounted.txt")]:
        for file, line, column, what in (row.split("\t") for row in path.read_text().splitlines()):
            at = int(line)
            if (file, at, int(column)) not in known and not any((file, at + n) in jumps for n in range(BLOCK)):
                out.add((file, at, what))
    return [f"{file}:{line}: {what}: {sources.line(file, line)}" for file, line, what in sorted(out)]


def report():
    """Print the table and write the lists."""
    if not TOTAL.exists():
        raise SystemExit(f"coverage: no counts in {TOTAL.relative_to(ROOT)}: run make coverage")
    counts = coverage_data.load(TOTAL)
    r = coverage_data.Report(counts)
    for name, lines in (("rtl_never.txt", r.never), ("rtl_never_toggle.txt", r.toggles()), ("rtl_uncounted.txt", uncounted(counts))):
        (FOLDER / name).write_text("\n".join(lines) + "\n")
    print("\n".join(r.table()))
    print(f"never hit: build/coverage/rtl_never.txt, {len(r.never)} lines; {r.aside} sides of assertions and of branches on seeded faults are not counted")
