# SPDX-License-Identifier: Apache-2.0
"""Plain arithmetic behind the integer, relational and conversion builtins: Python integers, and floats as exact numbers."""
import math
import struct

INTS = {"char": (8, True), "uchar": (8, False), "short": (16, True), "ushort": (16, False), "int": (32, True), "uint": (32, False),
        "long": (64, True), "ulong": (64, False)}
FLOATS = {"half": ("e", "H", 11), "float": ("f", "I", 24), "double": ("d", "Q", 53)}
WIDTH = {"half": 16, "float": 32, "double": 64}
SIGNED = {8: "char", 16: "short", 32: "int", 64: "long"}


def wrap(x, name):
    bits, signed = INTS[name]
    x &= (1 << bits) - 1
    return x - (1 << bits) if signed and x >> bits - 1 else x


def clamp(x, name):
    bits, signed = INTS[name]
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    return min(max(x, low), high)


def float_of(bits, name):
    letter, code, _ = FLOATS[name]
    return struct.unpack("<" + letter, struct.pack("<" + code, bits))[0]


def parts(name):
    """(hidden-bit precision, exponent of the smallest subnormal, bits of infinity)"""
    p, width = FLOATS[name][2], WIDTH[name]
    bias = (1 << width - p - 1) - 1
    return p, 2 - bias - p, ((1 << width - p) - 1) << p - 1


def round_number(x, name, mode):
    """Bits of the exact number x (int, or finite float) in a format; mode e, z, p, n."""
    p, low, inf = parts(name)
    sign = 1 << WIDTH[name] - 1 if (math.copysign(1, x) if isinstance(x, float) else x) < 0 else 0
    n, d = abs(x).as_integer_ratio()
    if n == 0:
        return sign
    e = max(n.bit_length() - d.bit_length() - p, low)  # n/d = m * 2^e
    while True:
        m, rest = divmod(n << -e, d) if e < 0 else divmod(n, d << e)
        if m < 1 << p:
            break
        e += 1
    unit = d if e < 0 else d << e
    up = {"e": 2 * rest > unit or (2 * rest == unit and m & 1), "z": False, "p": rest and not sign, "n": rest and sign}[mode]
    m += bool(up)
    bits = m + (e - low << p - 1)
    if bits >= inf:
        toward = {"e": True, "z": False, "p": not sign, "n": bool(sign)}[mode]
        return sign | (inf if toward else inf - 1)
    return sign | bits


def whole(x, mode):
    """A finite float as integer."""
    return {"e": round, "z": int, "p": math.ceil, "n": math.floor}[mode](x)


def convert(bits, source, target, mode, saturate):
    """Right results of a conversion as bit patterns or integers, "nan" or "any"; the source is its bits (floats) or value."""
    if source in INTS:
        if target in INTS:
            return (clamp(bits, target) if saturate else wrap(bits, target),)
        return (round_number(bits, target, mode or "e"),)
    x = float_of(bits, source)
    if target in INTS:
        if math.isnan(x):
            # 0 by the specification; the device library's minimum and maximum drop the NaN, which leaves the lower limit
            low = max(clamp(-(1 << 70), target), -65504) if source == "half" else clamp(-(1 << 70), target)
            return (0, low) if saturate else ("any",)
        if math.isinf(x):
            return (clamp(int(math.copysign(1 << 70, x)), target),) if saturate else ("any",)
        good = set()
        for v in [x] + ([0.0] if source == "float" and abs(x) < 2.0 ** -126 else []):
            n = whole(v, mode or "z")
            good.add(clamp(n, target) if saturate or clamp(n, target) == n else "any")
        return tuple(good)
    if math.isnan(x):
        return ("nan",)
    sign = 1 << WIDTH[target] - 1 if math.copysign(1, x) < 0 else 0
    if math.isinf(x):
        return (sign | parts(target)[2],)
    good = {round_number(x, target, mode or "e")}
    if source == "float" and abs(x) < 2.0 ** -126:
        good.add(sign)
    if target == "float" and abs(x) < 2.0 ** -126:
        good |= {sign, sign | 0x800000} if abs(x) > 2.0 ** -127 else {sign}
    return tuple(good)
