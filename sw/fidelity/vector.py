# SPDX-License-Identifier: Apache-2.0
"""Kernels of vector.cl: addresses as a list, one a work-item of a group."""
import struct
import zlib

from machine import ROOT, more


def launch(starts, step, mask, rounds, groups=1, begin=0, base=0, room=None):
    """A launch of `groups` groups of len(starts) work-items, for machine.more; room: bytes of the buffer (the windows of all groups, twice)."""
    data = struct.pack(f"<{len(starts)}I", *starts)
    file = ROOT / f"build/fidelity/starts-{zlib.crc32(data):08x}-{len(starts)}"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    words = [f"zero:{room or 2 * (mask + 1) + base * (groups - 1)}", f"in:{file}", *(f"u32:{n}" for n in (step, mask, begin, base, rounds))]
    return len(starts) * groups, len(starts), words


def cycles(kernel, starts, step, mask, rounds, config, options=(), **where):
    """Cycles that rounds[1] rounds take more than rounds[0]."""
    return more(f"vector:{kernel}", [launch(starts, step, mask, n, **where) for n in rounds], config, options)


def each(kernel, starts, step, mask, rounds, config, options=(), **where):
    """Cycles of a CU for each wavefront instruction of one group."""
    waves = (len(starts) + 63) // 64
    return cycles(kernel, starts, step, mask, rounds, config, options, **where) / (waves * 8 * (rounds[1] - rounds[0]))
