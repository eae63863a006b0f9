# SPDX-License-Identifier: Apache-2.0
"""A random program as a tree (lines, groups, blocks) and its assembler text.  The s_waitcnt that make it free of races are no part
of the tree: they are found again for whatever is left of it, so every subset of a legal program is legal (torture.py shrinks)."""
import re
from dataclasses import dataclass, field

REGISTER = re.compile(r"\b([sv])(?:(\d+)\b|\[(\d+):(\d+)\])|\b(vcc|exec|flat_scratch|ttmp\d+|ttmp\[\d+:\d+\]|m0)")


def registers(text):
    """Names of the registers that a line mentions."""
    out = set()
    for kind, one, low, high, name in REGISTER.findall(text):
        if name.startswith("ttmp["):
            a, b = re.findall(r"\d+", name)
            out |= {f"ttmp{n}" for n in range(int(a), int(b) + 1)}
        elif name:
            out.add(name)
        elif one:
            out.add(kind + one)
        else:
            out |= {f"{kind}{n}" for n in range(int(low), int(high) + 1)}
    return out | ({"vcc"} if "vccz" in text or "vccnz" in text or "div_fmas" in text else set())


@dataclass
class Line:
    text: str
    counter: str = ""                       # vm, ds, sm: the wait counter that its end counts on
    writes: frozenset = frozenset()         # registers that its end writes, beside those of the others
    extra: frozenset = frozenset()          # registers touched that the text does not name (v_movrel)


@dataclass
class Group:
    """Lines that belong together; a wait line is ('wait', counter, n)."""
    lines: list


@dataclass
class Block:
    head: list
    body: list
    tail: list
    kind: str = "if"                        # if: may be skipped; loop: runs again; phase: barriers around
    settle: bool = False                    # everything under way ends before and after


@dataclass
class Waits:
    """What is under way: for each counter the registers that its instructions will write, oldest first."""
    vm: list = field(default_factory=list)
    ds: list = field(default_factory=list)
    sm: list = field(default_factory=list)

    def copy(self):
        return Waits(list(self.vm), list(self.ds), list(self.sm))

    def need(self, touched):
        """(vmcnt, lgkmcnt) that the use of these registers demands; None: none."""
        vm = max((n for n, r in enumerate(self.vm, 1) if r & touched), default=0)
        ds = max((n for n, r in enumerate(self.ds, 1) if r & touched), default=0)
        lgkm = None
        if any(r & touched for r in self.sm) or (ds and self.sm):
            lgkm = 0
        elif ds:
            lgkm = min(len(self.ds) - ds, 15)
        return (min(len(self.vm) - vm, 15) if vm else None), lgkm

    def done(self, vm=None, lgkm=None):
        if vm is not None:
            self.vm = self.vm[max(len(self.vm) - vm, 0):]
        if lgkm == 0:
            self.ds, self.sm = [], []
        elif lgkm is not None and not self.sm:
            self.ds = self.ds[max(len(self.ds) - lgkm, 0):]

    def everything(self):
        vm, lgkm = (0 if self.vm else None), (0 if self.ds or self.sm else None)
        self.done(vm, lgkm)
        return vm, lgkm


def wait_text(vm, lgkm):
    words = [f"vmcnt({vm})"] * (vm is not None) + [f"lgkmcnt({lgkm})"] * (lgkm is not None)
    return ["s_waitcnt " + " & ".join(words)] if words else []


class Emitter:
    def __init__(self):
        self.out, self.waits = [], Waits()

    def wait(self, vm, lgkm):
        self.waits.done(vm, lgkm)
        self.out += wait_text(vm, lgkm)

    def line(self, line):
        if line.text.startswith("@wait"):  # one that nobody needs: @wait vm 3
            _, counter, n = line.text.split()
            self.wait(int(n) if counter == "vm" else None, int(n) if counter == "lgkm" else None)
            return
        if line.text.endswith(":"):
            self.out.append(line.text)
            return
        vm, lgkm = self.waits.need(registers(line.text) | line.extra)
        if vm is not None or lgkm is not None:
            self.wait(vm, lgkm)
        self.out.append("  " + line.text)
        if line.counter:
            getattr(self.waits, line.counter).append(set(line.writes))

    def settle(self):
        self.out += wait_text(*self.waits.everything())

    def item(self, item):
        if isinstance(item, Line):
            self.line(item)
        elif isinstance(item, Group):
            for line in item.lines:
                self.line(line)
        else:
            self.block(item)

    def block(self, b):
        if b.settle or b.kind == "loop":
            self.settle()
        for line in b.head:
            self.line(line)
        before = self.waits.copy()
        for item in b.body:
            self.item(item)
        if b.kind == "loop" or b.settle:
            self.settle()
        elif self.issued(before):
            self.settle()
            self.waits = before  # who skipped the body still waits for what was under way before it
        for line in b.tail:
            self.line(line)

    def issued(self, before):
        """Whether the body left something under way that was not before."""
        for name in ("vm", "ds", "sm"):
            now, old = getattr(self.waits, name), getattr(before, name)
            if now and (not old or now[-1] is not old[-1]):
                return True
        self.waits = before
        return False


def emit(items):
    e = Emitter()
    for item in items:
        e.item(item)
    e.settle()
    return e.out


def count(items):
    """Instructions of a tree, waits apart."""
    total = 0
    for item in items:
        if isinstance(item, Line):
            total += not item.text.startswith("@") and not item.text.endswith(":")
        elif isinstance(item, Group):
            total += count(item.lines)
        else:
            total += count(item.head) + count(item.body) + count(item.tail)
    return total
