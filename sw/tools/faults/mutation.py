# SPDX-License-Identifier: Apache-2.0
"""The head of a bench, and a copy of a source with one seeded fault: for the benches (`// mutate:`, tests/conftest.py) and the
proofs (formal.py), so that the RTL itself needs no parameter for it.  Not responsible for: building, and whether the fault is
noticed."""
import functools
import itertools
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[3]


def head_lines(path, kind):
    """What stands behind `// KIND: ` in the head of a bench: its lines as far as all begin with `//`, however many."""
    head = itertools.takewhile(lambda line: line.startswith("//"), pathlib.Path(path).read_text().splitlines())
    return [m[1] for m in (re.match(rf"//\s*{kind}:\s*(.*\S)", line) for line in head) if m]


def parse(text):
    """`[NAME: ]OLD => NEW` -> (NAME or "", OLD, NEW); NAME: of a file, without its folder"""
    found = re.fullmatch(r"(?:([\w.]+\.svh?): )?(.*?) => (.*)", text)
    if not found or not found[2].strip():
        raise ValueError(f"not [NAME: ]OLD => NEW: {text}")
    return found[1] or "", found[2].strip(), found[3].strip()


@functools.cache
def text_of(source):
    return (ROOT / source).read_text()


def source_of(sources, name, old):
    """The one of a bench's sources that has OLD: of all that are not generated, or of those of this name."""
    places = [s for s in sources if name in ("", pathlib.PurePath(s).name) and not s.startswith("build/gen/")]
    if not places:
        raise ValueError(f"{name} is not a source of this bench")
    have = [s for s in places if old in text_of(s)]
    if len(have) != 1:
        raise ValueError(f"{name or 'sources of this bench'}: {len(have)} of them have it, not one: {old}")
    return have[0]


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
