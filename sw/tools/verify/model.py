#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""model.py [--nightly] [CASE...]: the protocol by which pages move (tests/model/*.pml), searched by Spin; its steps are made of
host/migrate/steps.def (gen_steps.py).  A case is a size (CASES) or a seeded fault (FAULTS), which has to be found.  Prints one line a case and
`model: N as expected, N not`; exit 1 when a result is not the expected one, 69 when there is no Spin."""
import contextlib
import dataclasses
import hashlib
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from gen import gen_steps  # noqa: E402
from builder import processor  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
TEXTS = ["migration", "gpu", "engine", "host"]
DEFAULT = {"G": 2, "P": 1, "H": 1, "N": 1, "OWNERS": 0, "FAULTS": 0, "BUG": 0, "PUSHED": 1, "FIXED": 0, "LAZY": 0}
BUILT = ("G", "P", "H", "PUSHED", "FIXED", "LAZY")  # the others are told the search when it begins
SAFETY = ("-DSAFETY", "-DNOCLAIM", "-DCOLLAPSE")


@dataclasses.dataclass(frozen=True)
class Case:
    sizes: dict
    how: tuple = SAFETY  # of the search: words for the compiler
    words: tuple = ()  # ... for the search itself
    nightly: bool = False
    table: str = ""  # in place of steps.def
    found: str = ""  # what a seeded fault is told by; "": nothing may be found


def bits(size):
    """A search that keeps three bits a state: what it finds is there, what it does not find it may have missed."""
    return {"how": ("-DSAFETY", "-DNOCLAIM", "-DBITSTATE"), "words": (f"-w{size}",), "nightly": True}


# A search that keeps 64 bits of a hash a state: that two of two hundred million states have the same has a chance of one in a thousand.
HASHED = {"how": ("-DSAFETY", "-DNOCLAIM", "-DHC4"), "words": ("-w29",), "nightly": True}
LIVE = {"how": ("-DNFAIR=3",), "words": ("-a", "-f")}
# GPUs x pages, moves begun, changes of an owner, faults of engines; the host's own copies, at once or in a fixed time; entries on the first access; liveness.
CASES = {
    "2x1": Case({"N": 2}),
    "2x1-owner": Case({"OWNERS": 1}),
    "2x1-faults": Case({"FAULTS": 1}),
    "2x1-golden": Case({"N": 2, "OWNERS": 1, "PUSHED": 0}),
    "2x1-fixed": Case({"OWNERS": 1, "FIXED": 1}),
    "2x1-lazy": Case({"N": 2, "LAZY": 1}),
    "2x1-lazy-owner": Case({"OWNERS": 1, "LAZY": 1}, nightly=True),
    "2x1-lazy-two": Case({"N": 2, "OWNERS": 1, "LAZY": 1}, nightly=True),
    "2x1-lazy-live": Case({"LAZY": 1}, **LIVE, nightly=True),
    "2x1-both": Case({"OWNERS": 1, "FAULTS": 1}, nightly=True),
    "2x1-live": Case({}, **LIVE, nightly=True),
    "2x1-two": Case({"H": 2, "N": 2, "OWNERS": 1}, **HASHED),
    "3x1": Case({"G": 3}, nightly=True),
    "3x1-faults": Case({"G": 3, "FAULTS": 1}, nightly=True),
    "3x1-one": Case({"G": 3, "OWNERS": 1}, **HASHED),
    "3x1-both": Case({"G": 3, "OWNERS": 1, "FAULTS": 1}, **HASHED),
    "3x1-owner": Case({"G": 3, "H": 2, "N": 2, "OWNERS": 1, "FAULTS": 1}, **bits(32)),
    "2x2": Case({"P": 2}, nightly=True),
    "2x2-faults": Case({"P": 2, "FAULTS": 1}, nightly=True),
    "2x2-one": Case({"P": 2, "OWNERS": 1}, **HASHED),
    "2x2-both": Case({"P": 2, "OWNERS": 1, "FAULTS": 1}, **HASHED),
    "2x2-owner": Case({"P": 2, "H": 2, "N": 2, "OWNERS": 1, "FAULTS": 1}, **bits(32)),
}


def fault(number, found, nightly=False, **sizes):
    return Case({"BUG": number, **sizes}, found=found, nightly=nightly)


WITHHELD, ELSEWHERE, LINES, ROW, HELD = "invalid end state", "home[p])", "(lv[from[v]]==0)", "assertion violated 0", "l1[i]>>f"
FAULTS = {
    "walk-fills-an-old-entry": fault(1, ELSEWHERE),
    "answered-before-accesses-end": fault(2, LINES),
    "gpu-forgotten-in-the-lock": fault(3, ELSEWHERE),
    "shoot-down-not-waited-for": fault(4, ELSEWHERE),
    "sent-before-written-back": fault(5, LINES),
    "bound-before-stored": fault(6, ROW),
    "unlocked-before-bound": fault(7, "home[mp[v]]==from[v]"),
    "frame-empty-at-once": fault(8, HELD, N=3),
    "firmware-not-held": fault(9, LINES),
    "late-report-unanswered": fault(10, WITHHELD),
    "given-up-frame-empty-at-once": fault(11, "lv[", OWNERS=1),
    "old-report-counted": fault(12, "!(cmd[", N=2, FAULTS=1),
    "refusal-leaves-a-lock": fault(13, WITHHELD, N=2),
    "slot-not-given-up": fault(14, WITHHELD, FAULTS=1),
    "caches-not-told": fault(15, HELD, N=3),
    "mapped-while-it-moves": fault(18, "home[mp[v]]==from[v]", LAZY=1),
    "first-access-not-decided": fault(19, WITHHELD, LAZY=1),
    "lazy-gpu-not-shot-down": fault(20, ELSEWHERE, LAZY=1),
    "copied-before-written-back": fault(5, LINES, FIXED=1),
    # moves home that are given up: the next order home overtakes theirs; memory freed meanwhile has its next owner too early
    "first-frame-does-not-rest": fault(16, "(lv[f]==0)", True, H=2, N=3, OWNERS=1),
    "freed-while-lines-come": fault(17, "(lv[f]==0)", True, N=2, OWNERS=1),
}


def there():
    return shutil.which("spin") is not None


def prepare(case):
    """The search of a case's sizes, built once, and {line of a row's last statement: row}."""
    states, events, rows = gen_steps.read(case.table or gen_steps.TABLE.read_text())
    text = gen_steps.text_of(states, events, rows) + "".join((ROOT / f"tests/model/{n}.pml").read_text() for n in TEXTS)
    sizes = {**DEFAULT, **case.sizes}
    words = ["gcc", "-E", "-P", "-x", "c", *(f"-D{k}={sizes[k]}" for k in BUILT), *(["-DLIVE"] if "-a" in case.words else []), "-"]
    model = subprocess.run(words, input=text, capture_output=True, text=True, check=True).stdout
    last = [n for n, line in enumerate(model.splitlines(), 1) if re.fullmatch(r"\s*st\[v\] = \d+", line)][:len(rows)]
    work = ROOT / "build/model" / hashlib.sha256(f"{model}{case.how}".encode()).hexdigest()[:16]
    if not (work / "search").exists():
        shutil.rmtree(work, ignore_errors=True)
        work.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=work.parent) as folder:
            new = pathlib.Path(folder) / "new"
            new.mkdir()
            (new / "model.pml").write_text(model)
            for words in (["spin", "-a", "model.pml"], ["gcc", "-O1", "-w", "-DVECTORSZ=2048", *case.how, "-o", "search", "pan.c"]):
                done = subprocess.run([*processor.behind(), *words], cwd=new, capture_output=True, text=True)
                if done.returncode:
                    raise RuntimeError(f"{' '.join(words)}: {done.stdout}{done.stderr}")
            with contextlib.suppress(OSError):  # another one was faster
                new.rename(work)
    return work / "search", dict(zip(last, rows))


def search(name, case):
    """(what was found or "", states, seconds of CPU, rows that were not reached); the trail stands in build/model/NAME."""
    program, lines = prepare(case)
    work = ROOT / "build/model" / name
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    (work / "model.pml").write_text((program.parent / "model.pml").read_text())  # `spin -t -p model.pml` shows a trail
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    sizes = {k: str(v) for k, v in {**DEFAULT, **case.sizes}.items() if k not in BUILT}
    done = subprocess.run([*processor.behind(), program, "-m20000", *case.words], cwd=work, capture_output=True, text=True, env={**os.environ, **sizes})
    cpu = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    (work / "found.txt").write_text(done.stdout + done.stderr)
    errors = re.search(r"errors: (\d+)", done.stdout)
    whole = not re.search("Search not completed|max search depth too small|out of memory", done.stdout)
    if not errors or (errors[1] == "0" and not whole):
        return "the search did not end", 0, cpu, []
    first = re.search(r"^pan:\d+: (.*) \(at depth", done.stdout, re.M)
    found = "" if errors[1] == "0" else re.sub(r"\s+", " ", first[1] if first else "an error")
    missed = {int(n) for n in re.findall(r"model\.pml:(\d+), state", done.stdout)}
    states = re.search(r"^\s*(\d+(?:\.\d+e\+\d+)?) states, stored", done.stdout, re.M)
    return found, int(float(states[1])), cpu, [row for line, row in lines.items() if line in missed]


def run(name):
    """(as expected, a line for people, rows that were not reached)."""
    case = CASES.get(name) or FAULTS[name]
    found, states, cpu, missed = search(name, case)
    ok = case.found in found and bool(case.found) == bool(found)
    return ok, f"{name}: {states} states, {cpu:.0f} s: {found or 'nothing found'}{'' if ok else ', NOT AS EXPECTED'}", missed


def main():
    words = sys.argv[1:]
    nightly = "--nightly" in words
    names = [w for w in words if w != "--nightly"] or [n for n, c in {**CASES, **FAULTS}.items() if nightly or not c.nightly]
    if not there():
        print("model: Spin is not installed; run as root: apt-get install spin", file=sys.stderr)
        return 69
    if {*names} - {*CASES, *FAULTS}:
        print(f"model: no case {', '.join(sorted({*names} - {*CASES, *FAULTS}))}; there are {', '.join([*CASES, *FAULTS])}", file=sys.stderr)
        return 64
    good = 0
    for name in names:
        ok, line, _ = run(name)
        good += ok
        print(line, flush=True)
    print(f"model: {good} as expected, {len(names) - good} not")
    return 0 if good == len(names) else 1


if __name__ == "__main__":
    sys.exit(main())
