# SPDX-License-Identifier: Apache-2.0
"""Groups of `make fidelity`: what an instruction of vector memory costs in a compute unit, by its size and by where its lanes go."""
import random

import vector

KIB = 1024
SIZES = {"byte": 1, "short": 2, "x1": 4, "x2": 8, "x3": 12, "x4": 16}
NAMES = [f"{op} {size} {how}" for op in ("load", "store") for size in SIZES for how in ("aligned", "linear", "random", "odd")
         if (op == "load" or how in ("aligned", "linear")) and (how != "odd" or size == "x4")]


def memory(config="r9nano", names=NAMES, rounds=(8, 40)):
    """Cycles of a CU for a wavefront instruction whose lines the L1V holds (stores: the L2 takes them), by 16 wavefronts that do nothing else.
    aligned: lane after lane, from the begin of a line; linear: the same from successive elements of a line on; random: each lane an element of 16, and
    successive ones; odd: the same a dword off.  linear, random and odd are those of perftest, whose figures are the source.  Wavefronts on the same lines
    part in the first rounds, so those count five times as many."""
    found = {}
    for what in names:
        op, size, how = what.split()
        wide, chosen = SIZES[size], random.Random(what)
        if how in ("aligned", "linear"):
            starts = [lane % 256 * wide for lane in range(1024)]
        else:
            starts = [4 * (how == "odd") + wide * chosen.randrange(16) for _ in range(1024)]
        found[what] = vector.each(f"{op}_{size}_{'line' if how == 'aligned' else 'near'}", starts, 0, 8 * KIB - 1, (40, 200) if how == "aligned" else rounds, config)
    return found


def strides(config="r9nano", levels=("l1v", "l2"), words=(1, 2, 4, 16, 32, 64, "random"), rounds=(8, 40)):
    """Cycles of a CU for a load of a dword, so many words from lane to lane or a permutation of all, from 8 KiB (L1V) or 256 KiB (L2): the first run
    has brought them there."""
    found = {}
    for level in levels:
        size = 8 * KIB if level == "l1v" else 256 * KIB
        for count in words:
            if count == "random":
                starts, step = [4 * n for n in random.Random(size).sample(range(size // 4), 1024)], 4 * 1021  # odd in dwords: comes to all of them
            else:
                starts, step = [lane * 4 * count % size for lane in range(1024)], 1024 * 4 * count % size or 64
            found[f"{level} {count}"] = vector.each("walk", starts, step, size - 1, rounds, config)
    return found
