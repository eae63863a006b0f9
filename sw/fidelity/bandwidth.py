# SPDX-License-Identifier: Apache-2.0
"""Group of `make fidelity`: bytes a cycle that 1 to 64 CUs read, write and copy, of what the L1V, the L2 or the DRAM holds."""
import vector
from machine import more
from stream import ARRAYS, WHOLE, array, values

KIB, MIB = 1024, 1024 * 1024
LANES, ROUND = 1024, 8 * 4 * 1024  # work-items of a group; bytes that it moves in a round of vector.cl
ALL = 64  # CUs
KERNELS = {"read": "load", "write": "store", "copy": "copy"}
HALF = {"demo": 256 * KIB}.get  # of the L2 of a configuration; r9nano: a MiB
STREAMED = 8 * MIB  # moved before anything is measured: four times the L2, so its victims go to DRAM as fast as lines come


def cached(level, kind, groups, config, options=()):
    """From the L1V: each group in 16 KiB of its own; from the L2: all groups through half of it, each from another place on.  A copy goes from one half to the
    other."""
    half, starts = 2 if kind == "copy" else 1, [4 * lane for lane in range(LANES)]
    if level == "l1v":
        kernel, rounds = "load_x1_line" if kind == "read" else KERNELS[kind], ((40, 168) if groups < 16 else (16, 48))
        size, where = 16 * KIB // half, {"groups": groups, "base": 16 * KIB, "room": 16 * KIB * groups}
    else:  # the short run comes to all of it
        room = HALF(config, MIB)
        kernel, first = KERNELS[kind], max(40, room // (ROUND * groups))
        size, rounds, where = room // half, (first, first + 64), {"groups": groups, "begin": 4160, "room": room}
    return ROUND * groups * (rounds[1] - rounds[0]) / vector.cycles(kernel, starts, 4 * LANES, size - 1, rounds, config, options, **where)


def streamed(kind, groups, config):
    """From DRAM: all groups one behind the other, up to 16 MiB.  On all CUs as `stream` has it: 16 dwords a work-item; a copy: one."""
    if groups == ALL:
        return values(kind.replace("read", "load").replace("write", "store"), "float", WHOLE, config) if kind != "copy" else array("copy", ARRAYS, 2, config)
    first = STREAMED // (4 * LANES * groups)
    rounds = (first, first + max(first, 64))
    buffers = [f"zero:{4 * LANES * groups * rounds[1]}"] * 2
    launches = [(LANES * groups, LANES, [*buffers, f"u32:{LANES * groups}", f"u32:{n}"]) for n in rounds]
    return 4 * LANES * groups * (rounds[1] - rounds[0]) * (2 if kind == "copy" else 1) / more(f"vector:{KERNELS[kind]}_word", launches, config)


def bandwidth(config="r9nano", levels=("l1v", "l2", "dram"), kinds=tuple(KERNELS), cus=(1, 4, 16, 64), options=()):
    """Bytes a cycle; those of a copy count twice, as STREAM counts them.  options: of gantry, not for dram."""
    return {f"{level} {kind} {count}": streamed(kind, count, config) if level == "dram" else cached(level, kind, count, config, options)
            for level in levels for kind in kinds for count in cus}
