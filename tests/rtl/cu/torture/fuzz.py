#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random words as code, in lock step: no crash, no hang, no difference, and a fault of the RTL is the golden model's too (same kind, for
an illegal instruction the same address).  Waits stand after each pair of words, so that no result is used before it is there.

usage: fuzz.py [--seed N] [--seeds COUNT | --seconds N] [--show]"""
import argparse
import functools
import pathlib
import random
import re
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import kernel  # noqa: E402
from generate import isa  # noqa: E402
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


def encoding(word):
    for fmt in ("SOP1", "SOPC", "SOPP", "SOPK", "SOP2", "SMEM", "VOP3", "DS", "FLAT", "MUBUF", "VOP1", "VOPC", "VOP2"):
        top, shift, mask = FORMATS[fmt]
        over = (word ^ top) & 0xffffffff & ~mask
        if over >> shift << shift == over and over >> shift < {"SOP1": 256, "SOPC": 128, "SOPP": 128, "SOPK": 29, "SOP2": 96, "VOP3": 1024, "VOP1": 128,
                                                              "VOP2": 62, "SMEM": 256}.get(fmt, 256):
            return rows().get((fmt, over >> shift))
    return None


def wrong(first, second):
    """Whether an instruction's operands (most likely) make it illegal: registers beyond the last, an odd register of a scalar pair, two
    scalars of a vector instruction.  Such a word ends a program, so most programs get few of them."""
    e = encoding(first)
    if e is None:
        return False
    if e.fmt in ("DS", "FLAT", "MUBUF"):  # of up to four registers
        return any(second >> n & 255 > 252 for n in (0, 8, 16, 24))
    codes = {"SOP2": (first >> 16 & 127, first & 255, first >> 8 & 255), "SOPC": (0, first & 255, first >> 8 & 255), "SOPK": (first >> 16 & 127, first >> 16 & 127, 0),
             "SOP1": (first >> 16 & 127, first & 255, 0), "VOP1": (first >> 17 & 255, first & 511, 0), "VOP2": (first >> 17 & 255, first & 511, 256),
             "VOPC": (106, first & 511, 256 + (first >> 9 & 255)), "VOP3": (first & 255, second & 511, second >> 9 & 511, second >> 18 & 511),
             "SMEM": (first >> 6 & 127, 2 * (first & 63), 0 if first >> 17 & 1 else second & 127)}.get(e.fmt)
    if codes is None:
        return False
    used = [(codes[0], e.width("dst"), e.dst.startswith("v"))] + [(c & 255, e.width(f"src{n}"), c > 255) for n, c in enumerate(codes[1:])]
    if e.fmt == "VOP3" and "vcc_w" in e.flags and e.dst != "m":
        used.append((first >> 8 & 127, 2, False))
    if e.fmt == "VOP3" and e.dst == "m":
        used[0] = (first & 127, 2, False)
    if e.fmt.startswith("VOP"):
        if any(e.src[n] == "m" and code > 255 for n, code in enumerate(codes[1:])):
            return True  # a vector register as lane mask
        bus = {code >> 1 if e.width(f"src{n}") == 2 else code for n, code in enumerate(codes[1:]) if e.width(f"src{n}") and (code < 128 or 250 < code < 256)}
        if len(bus | ({106} if "vcc_r" in e.flags and e.fmt != "VOP3" or "fmas" in e.name else set())) > 1:
            return True  # more than one scalar operand
    for code, width, vector in used:
        if not vector and width and (code == 125 or 208 < code < 240 or code in (249, 250, 254)):
            return True
        if width > 1 and (code + width > 256 if vector else code < 128 and (code & 1 or code % min(width, 4) or code + width > 102 and width > 2)):
            return True
    return False


def words(seed):
    """Instructions of one or two words; the wilder, the sooner the first fault."""
    r = random.Random(f"fuzz {seed}")
    wild, out = r.choice([1.0, 0.05, 0.0, 0.0]), []
    rare, bad = r.choice([0.0, 0.01, 0.05]), r.choice([1.0, 0.01, 0.001, 0.0])
    while len(out) < 4 * WORDS:
        if r.random() < wild:
            first = r.getrandbits(32)
        else:
            fmt, op = r.choice(opcodes()[r.random() < rare])
            top, shift, mask = FORMATS[fmt]
            first = top | op << shift | r.getrandbits(32) & mask
        second = r.getrandbits(32)
        if r.random() < bad or not (wrong(first, second) or wrong(second, WAIT)):  # the second may be an instruction of its own
            out += [first, second, WAIT, WAIT]
    return out


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
    """What ended a program: its words; the address for illegal instructions.  Of the faults of one memory instruction any may be told."""
    line = next((line for line in text.splitlines() if line.startswith("gantry: ")), text[-200:])
    if "memory fault" in line or "misaligned" in line:
        return "memory fault"
    return re.sub(r"instruction 0x[0-9a-f]*", "", line)


def one(seed):
    """"" or what went wrong; how it ended."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        p = program(seed)
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
        text, end = one(seed)
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
