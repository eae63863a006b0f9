#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random words as code, in lock step: no crash, no hang, no difference, and a fault of the RTL is the golden model's too (same kind, PC and
instruction).  Waits stand after each pair of words, so that no result is used before it is there.

usage: fuzz.py [--seed N] [--seeds COUNT | --seconds N] [--show]"""
import argparse
import functools
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import kernel  # noqa: E402
from deck import isa  # noqa: E402
import torture  # noqa: E402
from program import Line  # noqa: E402

WORDS = 250
WAIT = 0xbf8c0000  # s_waitcnt for everything
MAX_CYCLES = 400_000
# First word of an opcode of each format, and the random bits beside the opcode.
FORMATS = {"SOP2": (0x80000000, 23, 0x7fffff), "SOPK": (0xb0000000, 23, 0x7fffff), "SOP1": (0xbe800000, 8, 0x7f00ff), "SOPC": (0xbf000000, 16, 0xffff),
           "SOPP": (0xbf800000, 16, 0xffff), "SMEM": (0xc0000000, 18, 0x3ffff), "VOP2": (0, 25, 0x1ffffff), "VOP1": (0x7e000000, 9, 0x1fe01ff),
           "VOPC": (0x7c000000, 17, 0x1ffff), "VOP3": (0xd0000000, 16, 0xffff), "DS": (0xd8000000, 17, 0xffff), "FLAT": (0xdc000000, 18, 0x30000),
           "MUBUF": (0xe0000000, 18, 0x27fff)}
LONG = {"VOP2": 0x100, "VOP1": 0x140, "VOPC": 0, "VOP3": 0}  # numbers of the long forms
MEMORY = {"SMEM", "FLAT", "MUBUF"}


@functools.cache
def rows():
    """{(format, opcode): encoding} of implemented rows; VOP3 holds the long forms too."""
    numbers = {(r[0], r[1]): int(r[2]) for r in isa.read_tsv(isa.TABLE)}
    out = {}
    for e in isa.encodings():
        if e.implemented:
            out[e.fmt, numbers[e.name, e.base] + (LONG[e.base] if e.fmt == "VOP3" else 0)] = e
    return out


@functools.cache
def opcodes():
    """Keys of rows(), memory and control flow apart, which end a program soon."""
    last = {"BRANCH", "MSG", "INTERNAL"}
    rare = [k for k, e in rows().items() if e.fmt in MEMORY or e.unit in last]
    return [k for k in rows() if k not in rare], rare


def words(seed):
    """Instructions of one or two words; the wilder, the sooner the first fault.  What is illegal ends a program, so that most get few of
    those words.  The second word of a short instruction is mostly none of its own."""
    r = random.Random(f"fuzz {seed}")
    wild, out = r.choice([1.0, 0.05, 0.0, 0.0]), []
    rare, bad = r.choice([0.0, 0.01, 0.05]), r.choice([1.0, 0.01, 0.001, 0.0])
    while len(out) < 4 * WORDS:
        pairs = []
        for _ in range(WORDS):
            if r.random() < wild:
                first = r.getrandbits(32)
            else:
                fmt, op = r.choice(opcodes()[r.random() < rare])
                top, shift, mask = FORMATS[fmt]
                first = top | op << shift | r.getrandbits(32) & mask
            pairs.append((first, r.getrandbits(32)))
        for (first, second), length in zip(pairs, isa.decoded_lengths(pairs)):
            if length or r.random() < bad:
                out += [first, WAIT if length == 1 and r.random() >= bad else second, WAIT, WAIT]
    return out[:4 * WORDS]


# Ends that both models must call a fault: a trap without a handler, jumps to where nothing is.
WILD = ["s_trap 2"] + [f"s_swappc_b64 s[40:41], {target}" for target in ("64", "-16", "1.0", "0x12345678", "src_scc", "ttmp[4:5]")]


def program(seed):
    """One wavefront, mostly with all registers that operands can name."""
    p = kernel.make(seed, 0)
    p.groups = p.waves = 1
    p.settings = {}
    p.generator.vgprs, p.sgprs = 256, 96
    if seed % 8 == 5:
        p.generator.vgprs, p.sgprs = random.Random(seed).choice([(32, 96), (200, 80), (252, 90)])
    p.items = [Line(f".long {w:#x}") for w in words(seed)]
    return p


def fault(text):
    """What ended a program: its words, PC and instruction.  Of the faults of one memory instruction any may be told, and only some
    of them have an address, at the end of the line with the nearest allocation."""
    line = next((line for line in text.splitlines() if line.startswith("gantry: ") and "building model" not in line), text[-200:])
    line = re.sub(r"memory fault at address 0x[0-9a-f]*: .*? at pc|misaligned access .*? at pc", "memory fault at pc", line)
    line = re.sub(r"; 0x[0-9a-f]+ is (near no allocation|\d+ bytes .*)$", "", line)
    return re.sub(r"instruction 0x[0-9a-f]*", "", line)


def wild(text):
    """A program of one instruction that ends it."""
    p = program(0)
    p.items = [Line(text)]
    return p


def one(p):
    """"" or what went wrong; how it ended."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        kernel.assemble(p, folder)
        rtl = torture.gantry(p, folder, "--lockstep", "--max-cycles", str(MAX_CYCLES))
        if rtl.returncode in (0, 75):  # the end, or a loop
            return "", f"exit {rtl.returncode}"
        if rtl.returncode != 76:
            return f"exit {rtl.returncode}: {rtl.stderr[-600:]}", "failed"
        golden = torture.gantry(p, folder, "--model", "golden")
        if (golden.returncode, fault(golden.stderr)) != (76, fault(rtl.stderr)):
            return f"rtl: {fault(rtl.stderr)}\ngolden, exit {golden.returncode}: {fault(golden.stderr)}", "failed"
        return "", "illegal" if "illegal" in rtl.stderr else "other fault"


def campaign(first, seeds=None, seconds=None, out=sys.stdout):
    """Failures as text, and how many programs ended how."""
    failures, ends, seed, start = [], {}, first, time.time()
    while (seeds is None or seed < first + seeds) and (seconds is None or time.time() < start + seconds) and len(failures) < 10:
        text, end = one(program(seed))
        ends[end] = ends.get(end, 0) + 1
        if text:
            failures.append(f"fuzz: seed {seed}: {text}\n  again: tests/rtl/cu/torture/fuzz.py --seed {seed} --seeds 1")
            print(failures[-1], file=out, flush=True)
        seed += 1
    print(f"fuzz: seeds {first} to {seed - 1}: {ends}", file=out, flush=True)
    return failures, ends


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--show", action="store_true")
    o = parser.parse_args()
    if o.show:
        print(kernel.text(program(o.seed)))
        return 0
    failures, _ = campaign(o.seed, o.seeds or (None if o.seconds else 1), o.seconds)
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
