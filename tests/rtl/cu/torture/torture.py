#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random-program torture of the compute unit: RTL and golden model in lock step, then the golden model alone, whose memory must be
the same.  A failing program is shrunk to what still fails in the same way.

usage: torture.py [--seed N] [--seeds COUNT] [--size N] [--instructions N] [--config NAME] [--keep FOLDER] [--show]
  --seeds COUNT programs from --seed on, or as many as it takes for --instructions compared; --show prints a program and ends."""
import argparse
import copy
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))
import kernel  # noqa: E402
from program import Block, count, emit  # noqa: E402

ROOT = HERE.parents[3]
SIZE = 1500
MAX_CYCLES = 20_000_000
CONFIG = "tiny"
MOST_WAVES = {"smallest": 4}  # of a group, where a CU has fewer slots than 16


@dataclass
class Outcome:
    kind: str            # "" when all is well, else what differs, without numbers
    detail: str = ""
    compared: int = 0
    data: str = ""


def gantry(p, folder, *options):
    command = [ROOT / "build/bin/gantry", "kernel", "-c", CONFIG, "-q", "--max-cycles", str(MAX_CYCLES), *options]
    for key, value in p.settings.items():
        command += ["--set", f"{key}={value}"]
    items = p.groups * p.waves * 64
    command += [folder / "torture.co", "--grid", str(items), "--group", str(p.waves * 64), "--arg", f"in:{folder}/region", "--arg", f"in:{folder}/pool"]
    try:
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=900)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, -1, "", "gantry: no end after 900 s")


def category(text):
    """The kind of a difference: its words without values and register numbers."""
    what = re.search(r"pc [0-9a-f]+: .*?: (.*)", text)
    words = what[1] if what else text.split("gantry: ", 1)[-1].splitlines()[0] if text.strip() else "no message"
    words = re.sub(r"\(.*?\)", "", words)
    words = re.sub(r"\b(s|v)\d+\b", r"\1", words)
    return " ".join(re.sub(r"\b([0-9a-f]*\d[0-9a-f]*|[0-9a-f]{8})\b", "", words).replace("_lo", "").replace("_hi", "").split())


def execute(p, folder, golden=True):
    kernel.assemble(p, folder)
    done = gantry(p, folder, "--lockstep")
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.startswith("gantry: ")]
        detail = next((line for line in lines if "lockstep: " in line), lines[0] if lines else done.stderr[-300:])
        return Outcome(f"exit {done.returncode}: {category(detail)}", detail)
    line = dict(re.findall(r"(\w+)=(\S+)", done.stderr))
    outcome = Outcome("", "", int(line["compared"]), line["data"])
    if line["compared"] != line["retired"]:
        return Outcome("not every retired instruction was compared", done.stderr)
    if golden:
        alone = gantry(p, folder, "--model", "golden")
        other = dict(re.findall(r"(\w+)=(\S+)", alone.stderr))
        if alone.returncode:
            return Outcome(f"golden model alone: exit {alone.returncode}", alone.stderr[-300:])
        if other["data"] != line["data"]:
            return Outcome("memory at the end differs from the golden model's", f"{line['data']} and {other['data']}")
        if other["instructions"] != line["compared"]:
            return Outcome("number of instructions differs from the golden model's", f"{line['compared']} and {other['instructions']}")
    return outcome


class Shrinker:
    """Delta debugging: parts of the tree go as long as the program fails in the same way."""

    def __init__(self, program, kind, folder, budget=400):
        self.p, self.kind, self.folder, self.budget, self.last = program, kind, folder, budget, None

    def fails(self, p):
        if self.budget <= 0:
            return False
        self.budget -= 1
        outcome = execute(p, self.folder, golden=not self.kind.startswith("exit"))
        if outcome.kind == self.kind:
            self.last = outcome
        return outcome.kind == self.kind

    def attempt(self, change):
        p = copy.copy(self.p)
        p.items = copy.deepcopy(self.p.items)
        change(p)
        if self.fails(p):
            self.p = p
            return True
        return False

    def shape(self):
        """Fewer wavefronts, latencies and modes of the configuration."""
        for field, value in (("groups", 1), ("waves", 1), ("settings", {}), ("rounding", 0), ("denormals", 0)):
            if getattr(self.p, field) != value:
                self.attempt(lambda p, f=field, v=value: setattr(p, f, v))

    def thin(self, path):
        """ddmin over one list of items: path leads from the root to it."""
        size = len(self.at(self.p, path))
        chunk = max(size // 2, 1)
        while chunk and self.budget > 0:
            start = 0
            while start < len(self.at(self.p, path)):
                if not self.attempt(lambda p, s=start: self.remove(p, path, s, chunk)):
                    start += chunk
            chunk //= 2

    def at(self, p, path):
        items = p.items
        for n in path:
            items = items[n].body
        return items

    def remove(self, p, path, start, chunk):
        del self.at(p, path)[start:start + chunk]

    def unwrap(self, path):
        """A block's body in the place of the block; what cannot go is shrunk inside."""
        n = 0
        while n < len(self.at(self.p, path)) and self.budget > 0:
            item = self.at(self.p, path)[n]
            if isinstance(item, Block) and item.kind != "phase":
                def replace(p, n=n):
                    items = self.at(p, path)
                    items[n:n + 1] = items[n].body
                if self.attempt(replace):
                    continue
                self.thin(path + [n])
                self.unwrap(path + [n])
            n += 1

    def run(self):
        self.shape()
        before = None
        while before != count(self.p.items) and self.budget > 0:
            before = count(self.p.items)
            self.thin([])
            self.unwrap([])
        return self.p


def report(p, outcome, size, shrunk=None):
    lines = [f"torture: seed {p.seed}: {outcome.kind}", f"  {outcome.detail}", f"  again: tests/rtl/cu/torture/torture.py --config {CONFIG} --seed {p.seed} --seeds 1 --size {size}"]
    if shrunk:
        lines += [f"  shrunk to {count(shrunk.items)} instructions, {shrunk.groups} x {shrunk.waves} wavefronts, settings {shrunk.settings}, "
                  f"MODE round {shrunk.rounding} denormals {shrunk.denormals} ieee {shrunk.ieee} dx10_clamp {shrunk.dx10_clamp}:"]
        lines += ["    " + line for line in emit(shrunk.items)]
    return "\n".join(lines)


def one(seed, size=SIZE, shrink=True, keep=None, golden=True):
    """Outcome of a seed, its text when it fails, the shrunk program or None."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(keep or name)
        p = kernel.make(seed, size, MOST_WAVES.get(CONFIG, 16))
        dropped, refused = kernel.settle(p)
        assert dropped * 100 <= max(size, 200), f"the assembler refuses {dropped} of {size} instructions: {refused}"
        outcome = execute(p, folder, golden)
        if not outcome.kind:
            return outcome, "", None
        shrinker = Shrinker(p, outcome.kind, pathlib.Path(name)) if shrink else None
        shrunk = shrinker.run() if shrink else None
        return outcome, report(p, shrinker.last or outcome if shrinker else outcome, size, shrunk), shrunk


def campaign(first, seeds=None, instructions=None, size=SIZE, out=sys.stdout):
    """Programs from seed `first` on; (failures as text, programs, compared instructions)."""
    failures, total, seed, start = [], 0, first, time.time()
    while (seeds is None or seed < first + seeds) and (instructions is None or total < instructions):
        outcome, text, _ = one(seed, size)
        seed += 1
        total += outcome.compared
        if text:
            failures.append(text)
            print(text, file=out, flush=True)
            if len(failures) >= 5:
                break
    print(f"torture: seeds {first} to {seed - 1}: {total} instructions of wavefronts compared in {time.time() - start:.0f} s, "
          f"{len(failures)} failures", file=out, flush=True)
    return failures, seed - first, total


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--size", type=int, default=SIZE)
    parser.add_argument("--instructions", type=int)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--config", default=CONFIG, help="a system file of configs/")
    parser.add_argument("--keep", help="folder for the sources and files of the last program")
    o = parser.parse_args()
    globals()["CONFIG"] = o.config
    if o.show:
        p = kernel.make(o.seed, o.size, MOST_WAVES.get(CONFIG, 16))
        kernel.settle(p)
        print(kernel.text(p))
        return 0
    if o.keep:
        os.makedirs(o.keep, exist_ok=True)
        outcome, text, _ = one(o.seed, o.size, keep=o.keep, shrink=False)
        print(text or f"torture: seed {o.seed}: {outcome.compared} compared")
        return bool(text)
    failures, _, _ = campaign(o.seed, o.seeds or (None if o.instructions else 1), o.instructions, o.size)
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
