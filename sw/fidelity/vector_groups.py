# SPDX-License-Identifier: Apache-2.0
"""Groups of `make fidelity`: what an instruction of vector memory costs in a compute unit, by its size and by where its lanes go."""
import random

import vector

KIB, MIB = 1024, 1024 * 1024
SIZES = {"byte": 1, "short": 2, "x1": 4, "x2": 8, "x3": 12, "x4": 16}


def near(lanes, size):
    """Starts as those of the measurement on Fury: elements 0 to 15 at random, so that lanes go to one or some lines but to no successive elements."""
    chosen = random.Random(size)
    return [size * chosen.randrange(16) for _ in range(lanes)]


def memory(config="r9nano", names=None, rounds=(8, 40)):
    """Cycles of a CU for a wavefront instruction whose lines the L1V holds (stores: the L2 takes them), by 16 wavefronts that do nothing else.
    linear: lane after lane, 4 wavefronts at other places; random: `near`; odd: the same one dword off, so that elements lie on two lines."""
    found = {}
    for what in names or [f"{op} {size} {how}" for op in ("load", "store") for size in SIZES for how in ("linear", "random", "odd")]:
        op, size, how = what.split()
        wide = SIZES[size]
        if how == "odd" and wide < 16 or op == "store" and how != "linear":
            continue
        starts = [lane % 256 * wide for lane in range(1024)] if how == "linear" else [4 * (how == "odd") + at for at in near(1024, wide)]
        found[what] = vector.each(f"{op}_{size}", starts, wide, 8 * KIB - 1, rounds, config)
    return found


def strides(config="r9nano", levels=("l1v", "l2"), words=(1, 2, 4, 16, 32, 64, "random"), rounds=(8, 40)):
    """Cycles of a CU for a load of a dword, so many words from lane to lane, or at random, from 8 KiB (L1V) or 1 MiB (L2)."""
    found = {}
    for level in levels:
        size = 8 * KIB if level == "l1v" else MIB
        for count in words:
            if count == "random":
                at = random.Random(size)
                starts, step = [4 * n for n in at.sample(range(size // 4), 1024)], 4 * 1021  # odd: all words of the window in turn
            else:
                starts, step = [lane * 4 * count % size for lane in range(1024)], 1024 * 4 * count % size or 64
            found[f"{level} {count}"] = vector.each("load_x1", starts, step, size - 1, rounds, config)
    return found
