# SPDX-License-Identifier: Apache-2.0
"""Registers and values that random programs choose among."""
import random
import re

FREE_S = range(36, 72)          # scalar registers that programs may write; below: pointers, resources, counters, masks
CORNERS = [0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7fa00001,
           0xffc12345, 0x00000001, 0x007fffff, 0x00800000, 0x80400000, 0x7f7fffff, 0x3c003c00, 0x7c00fc00, 0x7e017d01, 0x03ff0001, 0x7ff00000,
           0x7ff80001, 0x7ff40000, 0x000fffff, 0x43000000, 0x5f000000, 0x4f800000, 0xcf000000, 0x33800000, 0x42fe0000, 0x0000ffff, 0xffff0000]
NUMBERS = {"flat_scratch": 102, "vcc": 106, "ttmp": 112, "m0": 124, "exec": 126}


def word(r):
    """A register's worth of anything."""
    kind = r.randrange(8)
    if kind < 3:
        return r.choice(CORNERS)
    if kind == 3:
        return 1 << r.randrange(32)
    if kind == 4:
        return r.getrandbits(r.randrange(1, 33))
    if kind == 5:
        return (r.randrange(100, 156) << 23 | r.getrandbits(23) | r.getrandbits(1) << 31)
    return r.getrandbits(32)


def scalar_number(text):
    """Operand code of a scalar register, the first one's of several."""
    if m := re.match(r"(s|ttmp)\[?(\d+)", text):
        return int(m[2]) + (NUMBERS["ttmp"] if m[1] == "ttmp" else 0)
    return NUMBERS[re.sub("_(lo|hi)$", "", text)] + text.endswith("_hi")


def pool(seed, dwords=4096):
    r = random.Random(f"pool {seed}")
    return b"".join(word(r).to_bytes(4, "little") for _ in range(dwords))


class Pick:
    """Registers for isa_cells.render_*."""

    def __init__(self, r, free_v):
        self.r, self.free_v = r, free_v
        self.taken = set()

    @property
    def literal(self):
        return hex(word(self.r) & (0x7fff if self.half else 0xffffffff))

    half = False

    def vgpr(self, width, slot):
        for _ in range(20):
            first = self.r.randrange(self.free_v - width + 1)
            rows = set(range(first, first + width))
            if slot != "dst" and not rows & self.taken:
                break
            if slot == "dst":
                self.taken = rows if self.apart else set()
                break
        return f"v{first}" if width == 1 else f"v[{first}:{first + width - 1}]"

    apart = False

    def sgpr(self, width, slot):
        written = slot == "dst" or (slot == "mask" and self.mask_written)
        step = min(width, 4)
        low = FREE_S.start if written or self.r.random() < 0.8 else 0
        first = low + step * self.r.randrange((FREE_S.stop - low - width) // step + 1)
        return f"s{first}" if width == 1 else f"s[{first}:{first + width - 1}]"

    mask_written = False

    def pick(self, choices):
        return self.r.choice(choices)

    def inline_int(self):
        return str(self.r.choice([0, 1, -1, 64, -16, self.r.randrange(-16, 65)]))
