# SPDX-License-Identifier: Apache-2.0
"""Group of `make fidelity`: bytes a cycle that 1 to 64 CUs read, write and copy, of what the L1V, the L2 or the DRAM holds."""
import vector

KIB, MIB = 1024, 1024 * 1024
LANES, ROUND = 1024, 8 * 4 * 1024  # work-items of a group; bytes that it moves in a round
KERNELS = {"read": ("load_x1_line", "load"), "write": ("store_x1_line", "store"), "copy": ("copy", "copy")}
STREAMED = 4 * MIB  # written before anything is measured: twice the L2, whose victims then go to DRAM as fast as lines come


def rounds_of(level, kind, groups):
    """Rounds of the short and of the long run; the short one reaches the rate that the difference shows."""
    if level == "l1v":
        return 40, 168
    if level == "l2":  # all groups together have been at each line, and then some
        first = max(40, MIB // (ROUND * groups))
        return first, first + (128 if groups < 16 else 64)
    first = STREAMED // (ROUND * groups) if kind != "read" else max(2, 32 // groups)
    return first, first + max(4, 128 // groups)


def one(level, kind, groups, config):
    """Bytes a cycle; a copied byte counts twice, as STREAM counts it."""
    starts, where = [4 * lane for lane in range(LANES)], {"groups": groups}
    kernel = KERNELS[kind][level != "l1v"]
    half = 2 if kind == "copy" else 1  # a copy's window is half of what it touches
    if level == "l1v":  # each group its own 16 KiB; reads and writes stand still in 8 KiB of it: lines that a row of eight instructions has
        size, step = 16 * KIB // half, 4 * LANES
        where |= {"base": 16 * KIB, "room": 16 * KIB * groups + size}
    else:  # all groups through one window, each from another place on
        size, step = (MIB if level == "l2" else 64 * MIB) // half, 4 * LANES * (1 if level == "l2" else groups)
        where |= {"begin": 4 * LANES if level == "dram" else 4160, "room": 2 * size}
    rounds = rounds_of(level, kind, groups)
    moved = ROUND * groups * (rounds[1] - rounds[0])
    return moved / vector.cycles(kernel, starts, step, size - 1, rounds, config, **where)


def bandwidth(config="r9nano", levels=("l1v", "l2", "dram"), kinds=tuple(KERNELS), cus=(1, 4, 16, 64)):
    return {f"{level} {kind} {count}": one(level, kind, count, config) for level in levels for kind in kinds for count in cus}
