# SPDX-License-Identifier: Apache-2.0
"""What the kernels of the benchmark (sw/kernels/bench_*.cl) must compute; as in reference.py."""
import struct

from values import M32, f32s, fma, single, u32s


def bench_copy(r):
    items, rounds = 128, 3
    data = r.randbytes(16 * items * rounds)
    return str(items), "64", [("out", len(data)), ("in", data), f"u32:{items}", f"u32:{rounds}"], [data]


def bench_fir(r):
    n = 128  # small integers: exact in single precision
    v, taps = [r.randrange(-500, 500) for _ in range(n + 16)], [r.randrange(-99, 99) for _ in range(16)]
    out = [sum(v[i + t] * taps[t] for t in range(16)) for i in range(n)]
    return str(n), "64", [("out", 4 * n), ("in", f32s(v)), ("in", f32s(taps))], [f32s(out)]


def mad(x, y, z):
    """v_mad_f32 and v_mac_f32: the product is rounded, too."""
    return single(single(x * y) + z)


def chain(a, rounds, step):
    """The mix of bench_fma and bench_fp64."""
    b, c, d = 1.5, 0.25, 0.75
    for _ in range(rounds):
        a = step(a, 0.9375, b)
        b = step(b, 0.875, c)
        c = step(c, 0.96875, d)
        d = step(d, 0.90625, a)
        a = step(a, 0.8125, -b)
        b = step(b, 0.84375, -c)
        c = step(c, 0.78125, -d)
        d = step(d, 0.75, -a)
    return a, b, c, d


def bench_fma(r):
    n, rounds, out = 100, r.randrange(5, 9), []
    for i in range(n):
        a, b, c, d = chain(single(i * single(0.001)), rounds, mad)
        out.append(single(single(single(a + b) + c) + d))
    return str(n), "64", [("out", 4 * n), f"u32:{rounds}"], [f32s(out)]


def bench_fp64(r):
    n, rounds, out = 100, r.randrange(3, 6), []
    for i in range(n):
        a, b, c, d = chain(i * 0.001, rounds, fma)
        out.append(a + b + c + d)
    return str(n), "64", [("out", 8 * n), f"u32:{rounds}"], [struct.pack(f"<{n}d", *out)]


def mixed(h, rounds):
    for i in range(rounds):
        h ^= h >> 16
        h = h * 0x85EBCA6B & M32
        h ^= h >> 13
        h = h + i * 0x9E3779B9 & M32
        h = (h << 7 | h >> 25) & M32
        h ^= h << 3 & M32
        h = h + (h >> 5) & M32
        h ^= i
    return h


def bench_hash(r):
    n, rounds = 128, r.randrange(5, 9)
    v = [r.getrandbits(32) for _ in range(n)]
    return str(n), "64", [("out", 4 * n), ("in", u32s(v)), f"u32:{rounds}"], [u32s([mixed(x, rounds) for x in v])]


def bench_int(r):
    n, rounds, out = 100, r.randrange(5, 9), []
    for i in range(n):
        x, y, z = i + 1, 3 * (i + 1), 17
        for _ in range(rounds):
            x ^= x << 13 & M32
            x ^= x >> 17
            x ^= x << 5 & M32
            y = y + (x & 0xFF00FF) & M32
            z = (z | y) - x & M32
            y ^= z >> 3
            z = z + (y << 7) & M32
            x = x + z & M32
            x ^= x << 9 & M32
            y = max(x, y) ^ z
            z = z - y & M32
            y = y + (x ^ 0x9E3779B9) & M32
            z ^= y >> 11
            x = x + (y & z) & M32
        out.append(x ^ y ^ z)
    return str(n), "64", [("out", 4 * n), f"u32:{rounds}"], [u32s(out)]


def bench_matmul(r):
    n = 32
    a, b = ([r.randrange(-20, 20) for _ in range(n * n)] for _ in range(2))
    c = [sum(a[i * n + k] * b[k * n + j] for k in range(n)) for i in range(n) for j in range(n)]
    return f"{n},{n}", "16,16", [("out", n * n * 4), ("in", f32s(a)), ("in", f32s(b)), f"u32:{n}"], [f32s(c)]


def bench_mem(r):
    n, mask, rounds, out = 100, 1023, 5, []
    table = [r.getrandbits(32) for _ in range(mask + 1)]
    for i in range(n):
        total = 0
        for k in range(rounds):
            total = total + table[i + k * 64 & mask] & M32
            total ^= table[i + k * 64 + 4096 & mask]
        out.append(total)
    return str(n), "64", [("out", 4 * n), ("in", u32s(table)), f"u32:{mask}", f"u32:{rounds}"], [u32s(out)]


def bench_reread(r):
    n, mask, rounds = 100, 8191, 5
    table = [r.getrandbits(32) for _ in range(mask + 1)]
    out = [sum(table[i + k * 67 * 64 & mask] for k in range(rounds)) & M32 for i in range(n)]
    return str(n), "64", [("out", 4 * n), ("in", u32s(table)), f"u32:{mask}", f"u32:{rounds}"], [u32s(out)]


def bench_sleep(_):
    return "128", "64", [("out", 512), "u32:2"], [u32s([2] * 128)]


CASES = (bench_copy, bench_fir, bench_fma, bench_fp64, bench_hash, bench_int, bench_matmul, bench_mem, bench_reread, bench_sleep)
