# SPDX-License-Identifier: Apache-2.0
"""Counts of Verilator's coverage: reading, adding up, summary (coverage_rtl.py runs what makes them).

A point is a place that Verilator counts: a run of statements (`block`, a `case` item), one side of a branch (`if`, `else`, also where
it has no text, the sides of ?: outside functions), one direction of a bit (`toggle`).  Points of all models and instances with the same
place are one.  A line is hit when some point that lists it was: the line of an `if` belongs to its body, so a condition that was never
true leaves its line never hit."""
import collections
import os
import pathlib
import re
from typing import NamedTuple

from builder import verilate_coverage

ROOT = pathlib.Path(__file__).resolve().parents[3]
SEEDED = re.compile(r"\b(FaultSeed|SeedFault\w*|SeedBug)\b")  # faults for tests, off in every model that is counted
CHECK = re.compile(r"`(?:GANTRY_(?:ASSERT|ASSUME|COVER)|STREAM_ASSERT)\s*\(")
FIELD = re.compile("\x01([a-zA-Z]+)\x02([^\x01']*)")


class Point(NamedTuple):
    file: str      # below the root of the tree
    line: int
    column: int
    kind: str      # line, branch, toggle
    what: str      # block, case, if, else ...; of a toggle signal and direction: ready_o[3]:0->1
    lines: tuple   # lines of source that it counts for; none for toggles and an else without text


def spread(text):
    """(4, 5, 6, 9) of "4-6,9"."""
    out = []
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        out += range(int(first), int(last or first) + 1)
    return tuple(out)


def read(path, root=ROOT):
    """{Point: times} of one file that a model wrote."""
    counts = collections.Counter()
    with open(path, encoding="latin-1") as data:
        if data.readline() != "# SystemC::Coverage-3\n":
            raise SystemExit(f"coverage: {path}: not a file of counts")
        for row in data:
            key, _, times = row.rstrip("\n").rpartition(" ")
            f = dict(FIELD.findall(key))
            if not key.startswith("C '") or not times.isdigit() or not {"f", "l", "n", "t", "o"} <= f.keys():
                raise SystemExit(f"coverage: {path}: cannot read: {row.strip()[:100]!r}")
            file = os.path.relpath(os.path.join(root, f["f"]), root)
            counts[Point(file, int(f["l"]), int(f["n"]), f["t"], f["o"], spread(f.get("S", "")))] += int(times)
    return counts


def save(counts, path):
    """One row a point; load() reads it."""
    rows = ("\t".join([*map(str, p[:5]), ",".join(map(str, p.lines)), str(n)]) for p, n in sorted(counts.items()))
    path.write_text("\n".join(rows) + "\n")


def load(path):
    counts = collections.Counter()
    for row in path.read_text().splitlines():
        file, line, column, kind, what, lines, times = row.split("\t")
        counts[Point(file, int(line), int(column), kind, what, spread(lines))] += int(times)
    return counts


def check_lines(text):
    """Numbers of the lines on which assertions stand."""
    out = set()
    for m in CHECK.finditer(text):
        end, depth = m.end(), 1
        while depth and end < len(text):
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        out |= set(range(text.count("\n", 0, m.start()) + 1, text.count("\n", 0, end) + 2))
    return out


class Sources:
    """Text of the counted files."""

    def __init__(self, root):
        self.root, self.lines, self.checks = root, {}, {}

    def line(self, file, number):
        if file not in self.lines:
            text = (self.root / file).read_text()
            self.lines[file], self.checks[file] = text.splitlines(), check_lines(text)
        return self.lines[file][number - 1].strip()

    def aside(self, p):
        """Whether a point is no part of the function: the sides of an assertion (one of them stays at 0 as long as it holds) and those
        of a branch on a seeded fault."""
        return bool(SEEDED.search(self.line(p.file, p.line)) or (p.kind == "branch" and p.line in self.checks[p.file]))


class Tally:
    """[hit, all] of points (lines and branches), lines of source and toggles."""

    def __init__(self):
        self.points, self.lines, self.toggles = [0, 0], [0, 0], [0, 0]

    def add(self, other):
        for mine, more in ((self.points, other.points), (self.lines, other.lines), (self.toggles, other.toggles)):
            mine[0] += more[0]
            mine[1] += more[1]


class Report:
    """Of {Point: times}: tallies by file, and what was never hit.  Assertions and seeded faults are put aside."""

    def __init__(self, counts, root=ROOT):
        self.files, self.aside, self.never, self.still = collections.defaultdict(Tally), 0, [], collections.defaultdict(list)
        sources, lines, sides = Sources(root), collections.Counter(), []
        for p, times in sorted(counts.items()):
            if not verilate_coverage.counted(p.file):
                continue
            tally = self.files[p.file]
            if p.kind == "toggle":
                tally.toggles[0] += times > 0
                tally.toggles[1] += 1
                if not times:
                    self.still[p.file, p.line, re.sub(r"\[\d+\]:|:", " ", p.what, count=1).split(" ")[0]].append(p.what)
                continue
            if sources.aside(p):
                self.aside += 1
                continue
            tally.points[0] += times > 0
            tally.points[1] += 1
            for n in p.lines:
                lines[p.file, n] += times
            if not times:
                sides.append(p)
        for (file, _), times in lines.items():
            self.files[file].lines[0] += times > 0
            self.files[file].lines[1] += 1
        dead = {at for at, times in lines.items() if not times}
        self.never = [(*at, "line") for at in dead] + [(p.file, p.line, p.what) for p in sides if (p.file, p.line) not in dead]
        self.never = [f"{file}:{line}: {what} never: {sources.line(file, line)}" for file, line, what in sorted(self.never)]

    def folders(self):
        out = collections.defaultdict(Tally)
        for file, tally in self.files.items():
            out[os.path.dirname(file)].add(tally)
        return out

    def table(self):
        """Lines of text: folders, then files."""
        def row(name, t):
            return f"{name:34}" + "".join(f"{a:8}{b:8}{100 * a / b if b else 100:7.1f} %" for a, b in (t.points, t.lines, t.toggles))
        head = f"{'':34}" + "".join(f"{name + ' hit':>{8 + 3}}{'of':>5}{'':9}" for name in ("points", "lines", "toggles"))
        return [head, *(row(n, t) for n, t in sorted(self.folders().items())), "", *(row(n, t) for n, t in sorted(self.files.items()))]

    def toggles(self):
        """One line a signal with the bits that did not change."""
        return [f"{file}:{line}: {len(bits)} never: {name} {' '.join(b[len(name):] for b in bits)[:300]}" for (file, line, name), bits in sorted(self.still.items())]
