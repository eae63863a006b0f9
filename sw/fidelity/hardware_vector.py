# SPDX-License-Identifier: Apache-2.0
"""Figures of vector_groups.py and bandwidth.py."""
from figure import RATE, TIME, Figure, unknown

FURY, CLRX = "PT, A", "CLRX, B"
LINE, LINEAR = 4, 4.06  # a wavefront at 64 bytes a cycle (GPUOpen, B); the same in the loop of perftest (PT, A)
WORDS = {"byte": "a byte", "short": "2 bytes", "x1": "a dword", "x2": "2 dwords", "x3": "3 dwords", "x4": "4 dwords"}
# perftest, R9 Fury: loads of the L1V.  Its linear loads begin at successive elements, so they lie on lines in one of 16 only; its random ones within 16
# elements.  Buffers of 8 and 16 bits take as long as those of 32.
LOADS = {"byte": {"linear": LINEAR, "random": 16.0}, "short": {"linear": LINEAR, "random": 16.0}, "x1": {"aligned": LINE, "linear": LINEAR, "random": 16.0},
         "x2": {"linear": 18.0, "random": 18.0}, "x3": {"linear": 16.0, "random": 32.0}, "x4": {"linear": 16.0, "random": 17.9, "odd": 19.7}}
WAYS = {"aligned": "lane after lane, on lines", "linear": "lane after lane", "random": "lanes at random in 16", "odd": "the same, not aligned"}


def _memory():
    out = {}
    for size, words in WORDS.items():
        for way, how in WAYS.items():
            value = LOADS[size].get(way)
            what = f"load of {words}, {how}"
            least = LINE if value == LINEAR else value
            source = "GPUOpen, B" if value == LINE else f"{FURY}; GPUOpen: {LINE}, B" if value == LINEAR else FURY
            out[f"load {size} {way}"] = Figure(what, least, value, TIME, 0.05, source) if value else unknown(what, TIME)
    for size, words in WORDS.items():
        for way in ("aligned", "linear"):
            out[f"store {size} {way}"] = Figure(f"store of {words}, {WAYS[way]}", 16, 16, TIME, 0.05, CLRX)
    return out


def _strides():
    known = {"l1v 1": (LINEAR, FURY), "l1v 2": (16.0, "PT, A: all that is not linear")}
    out = {}
    for level in ("l1v", "l2"):
        for count in (1, 2, 4, 16, 32, 64, "random"):
            how = "a permutation" if count == "random" else f"{count} dwords from lane to lane"
            what = f"{level.upper()}: {how}"
            value, source = known.get(f"{level} {count}", (None, "none"))
            out[f"{level} {count}"] = Figure(what, value, value, TIME, 0.05, source) if value else unknown(what, TIME)
    return out


def _bandwidth():
    out = {}
    for n in (1, 4, 16, 64):
        out[f"l1v read {n}"] = Figure(f"L1V, {n} CUs, read", 63 * n, 64 * n, RATE, 0.05, f"PT: {LINEAR} clk an instruction, A")
        # 10 %: wavefronts wait for their eight stores, which CLRX's figure does not say; the group `memory` has stores without a wait
        store = Figure(f"L1V, {n} CUs, write", 16 * n, 16 * n, RATE, 0.1, "CLRX: 16 clk an instruction, B")
        out[f"l1v write {n}"] = store if n < 64 else unknown(store.what, RATE, "none; CLRX, OG: at most 1,024")
        out[f"l1v copy {n}"] = unknown(f"L1V, {n} CUs, copy", RATE)
        out[f"l2 read {n}"] = Figure(f"L2, {n} CUs, read", min(15 * n, 907), min(64 * n, 1024), RATE, 0.05,
                                     "GB: 15 a CU, 89 % of the channels, C; OG: 64 a channel, B")
        out[f"l2 write {n}"] = store._replace(what=f"L2, {n} CUs, write") if n < 64 else unknown(f"L2, {n} CUs, write", RATE, "none; CLRX, OG: at most 1,024")
        out[f"l2 copy {n}"] = unknown(f"L2, {n} CUs, copy", RATE)
        for kind, low, high, source in (("read", 441, 492.5, "CP, A; #147, A"), ("write", 357.7, 357.7, "#147, A"), ("copy", 376, 376, "BS: fp64, A")):
            what = f"DRAM, {n} CUs, {kind}"
            out[f"dram {kind} {n}"] = Figure(what, low, high, RATE, 0.05, source) if n == 64 else unknown(what, RATE)
    return out


FIGURES = {"memory": _memory(), "strides": _strides(), "bandwidth": _bandwidth()}
