# SPDX-License-Identifier: Apache-2.0
"""Arithmetic of the device in plain Python, and buffers of numbers."""
import fractions
import struct

M32, M64 = (1 << 32) - 1, (1 << 64) - 1


def u32s(values):
    return struct.pack(f"<{len(values)}I", *values)


def f32s(values):
    return struct.pack(f"<{len(values)}f", *values)


def fma(x, y, z):
    """x * y + z with one rounding; finite, the sum not 0."""
    return float(fractions.Fraction(x) * fractions.Fraction(y) + fractions.Fraction(z))


def single(x):
    """x rounded to single precision; of a sum or product of two singles that is the device's result."""
    return struct.unpack("<f", struct.pack("<f", x))[0]
