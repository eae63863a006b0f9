# SPDX-License-Identifier: Apache-2.0
"""The head of a bench, and a copy of a source with one seeded fault: for the benches (`// mutate:`, tests/conftest.py) and the
proofs (formal.py), so that the RTL itself needs no parameter for it.  Not responsible for: building, and whether the fault is
noticed."""
import itertools
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]


def head_lines(path, kind):
    """What stands behind `// KIND: ` in the head of a bench: its lines as far as all begin with `//`, however many."""
    head = itertools.takewhile(lambda line: line.startswith("//"), pathlib.Path(path).read_text().splitlines())
    return [m[1] for m in (re.match(rf"//\s*{kind}:\s*(.*\S)", line) for line in head) if m]


def parse(text):
    """`FILE: OLD => NEW` -> (FILE, OLD, NEW)"""
    source, colon, pair = text.partition(": ")
    old, arrow, new = pair.partition(" => ")
    if not (colon and arrow and old.strip()):
        raise ValueError(f"not FILE: OLD => NEW: {text}")
    return source.strip(), old.strip(), new.strip()


def plant(source, copy, old, new):
    """Write the copy; `old` must stand exactly once in the source, so that it cannot silently miss or hit something else."""
    text = (ROOT / source).read_text()
    if text.count(old) != 1:
        raise ValueError(f"{source}: {text.count(old)} times in it, not once: {old}")
    if old == new:
        raise ValueError(f"{source}: nothing changes: {old}")
    copy = ROOT / copy
    copy.parent.mkdir(parents=True, exist_ok=True)
    if not copy.exists() or copy.read_text() != text.replace(old, new):
        copy.write_text(text.replace(old, new))
    return copy
