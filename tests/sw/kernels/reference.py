# SPDX-License-Identifier: Apache-2.0
"""What the kernels of sw/kernels must compute, in plain Python, with their launches.

case(name, seed) -> (grid, group, arguments, expected): arguments are ("in", bytes), ("inout", bytes), ("out", size),
("lds", size) or (spec text); expected holds the contents of the out and inout buffers in their order.
"""
import math
import random
import struct

import reference_bench
from values import M32, M64, f32s, fma, u32s


def vecadd(r):
    n = 200  # the fourth wavefront is partial
    a, b = ([r.getrandbits(32) for _ in range(n)] for _ in range(2))
    return "200", "64", [("out", n * 4), ("in", u32s(a)), ("in", u32s(b))], [u32s([(x + y) & M32 for x, y in zip(a, b)])]


def saxpy(r):
    n = 256  # small integers: exact in single precision
    x, y = ([float(r.randrange(-1000, 1000)) for _ in range(n)] for _ in range(2))
    return "256", "128", [("inout", f32s(y)), ("in", f32s(x)), "f32:2.5"], [f32s([2.5 * p + q for p, q in zip(x, y)])]


def matmul(r):
    n = 32
    a, b = ([float(r.randrange(-20, 20)) for _ in range(n * n)] for _ in range(2))
    c = [sum(a[i * n + k] * b[k * n + j] for k in range(n)) for i in range(n) for j in range(n)]
    return f"{n},{n}", "16,16", [("out", n * n * 4), ("in", f32s(a)), ("in", f32s(b)), f"u32:{n}"], [f32s(c)]


def transpose(r):
    w, h = 48, 32
    m = [r.getrandbits(32) for _ in range(w * h)]
    t = [m[y * w + x] for x in range(w) for y in range(h)]
    return f"{w},{h}", "16,16", [("out", w * h * 4), ("in", u32s(m)), f"u32:{w}", f"u32:{h}"], [u32s(t)]


def reduction(r):
    n = 1000
    v = [r.getrandbits(32) for _ in range(n)]
    return "256", "128", [("out", 12), ("in", u32s(v)), f"u32:{n}", ("lds", 512), ("lds", 512)], [u32s([sum(v) & M32, max(v), 2])]


def histogram(r):
    n = 3000
    v = [min(255, int(r.expovariate(0.02))) for _ in range(n)]
    return "256", "128", [("out", 1024), ("in", bytes(v)), f"u32:{n}"], [u32s([v.count(b) for b in range(256)])]


def hash_one(h):
    for i in range(4 + (h & 15)):
        h ^= h >> 16
        h = h * 0x85EBCA6B & M32
        h ^= h >> 13
        h = h + i * 0x9E3779B9 & M32
        h = (h << 7 | h >> 25) & M32
        h ^= h << 3 & M32
        h = h + (h >> 5) & M32
        if h & 0x100:
            h = (~h & M32) + (h * 0xDEADBEEF >> 32) & M32
    return h


def hash(r):
    v = [r.getrandbits(32) for _ in range(256)]
    return "256", "256", [("out", 1024), ("in", u32s(v))], [u32s([hash_one(x) for x in v])]


def blur(r):
    w, h = 37, 21
    p = [r.randrange(256) for _ in range(w * h)]

    def at(x, y):
        return p[min(max(y, 0), h - 1) * w + min(max(x, 0), w - 1)]
    out = [sum(at(x + dx, y + dy) * (2 - abs(dx)) * (2 - abs(dy)) for dy in (-1, 0, 1) for dx in (-1, 0, 1)) + 8 >> 4
           for y in range(h) for x in range(w)]
    return f"{w},{h}", "16,8", [("out", w * h), ("in", bytes(p)), f"i32:{w}", f"i32:{h}"], [bytes(out)]


def pack(r):
    n, bias = 128, -77
    a, b = ([[r.randrange(256) for _ in range(4)] for _ in range(n)] for _ in range(2))
    out, sums = b"", []
    for p, q in zip(a, b):
        o = [min(255, x + y) for x, y in zip(p, (q[3], q[2], q[1], q[0]))]
        o[1] = (p[1] + q[1] + 1 >> 1) & 255
        o[2] = p[2] - (q[2] >> 1) if p[2] > q[2] else q[2] ^ p[3]
        out += bytes(o)
        s = (p[0] * q[1] + (p[3] << 3) - bias) & 0xFFFF
        sums.append((s << 4 | s >> 12) & 0xFFFF)
    flat = [bytes(x for p in v for x in p) for v in (a, b)]
    return (str(n), "64", [("out", 4 * n), ("in", flat[0]), ("in", flat[1]), ("out", 2 * n), f"i16:{bias}"],
            [out, struct.pack(f"<{n}H", *sums)])


def signed(x):
    return x - (1 << 64) if x >> 63 else x


def mix64_one(x, seed):
    x ^= seed
    for k in range(6):
        x = x + 0x9E3779B97F4A7C15 & M64
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & M64
        x = (x << (k + 5) | x >> (59 - k)) & M64
        if x > 1 << 63:
            x = x - (seed + k) & M64
        x = x ^ (x * seed >> 64) if signed(x) < -1000 else x + (signed(x) >> 7) & M64
    return x


def mix64(r):
    v, seed = [r.getrandbits(64) for _ in range(128)], r.getrandbits(63)
    return ("128", "64", [("out", 1024), ("in", struct.pack("<128Q", *v)), f"u64:{seed}"],
            [struct.pack("<128Q", *[mix64_one(x, seed) for x in v])])


def grid3d(r):
    (gx, gy, gz), (lx, ly, lz) = (13, 6, 5), (8, 4, 2)
    out = []
    for z in range(gz):
        for y in range(gy):
            for x in range(gx):
                v = x % lx | y % ly << 4 | z % lz << 8 | x // lx << 12 | y // ly << 16 | z // lz << 20 | -(-gx // lx) << 24
                v += min(lx, gx - x // lx * lx) * 3 + min(ly, gy - y // ly * ly) * 5 + min(lz, gz - z // lz * lz) * 7
                out.append(v + -(-gy // ly) + 3 & M32)
    return f"{gx},{gy},{gz}", f"{lx},{ly},{lz}", [("out", 4 * gx * gy * gz)], [u32s(out)]


def nbody(r):
    n, soft = 96, 0.0625
    body = [[r.uniform(-50, 50) for _ in range(3)] + [r.uniform(0.1, 20) * 2.0 ** r.randrange(-30, 30)] for _ in range(n)]
    out = []
    for me in body:
        a = [0.0, 0.0, 0.0]
        for other in body[:24]:
            d = [p - q for p, q in zip(other, me)][:3]
            r2 = fma(d[0], d[0], fma(d[1], d[1], fma(d[2], d[2], soft)))
            pull = other[3] / (r2 * math.sqrt(r2))
            a = [fma(p, pull, q) for p, q in zip(d, a)]
        out += [*a, me[3] * 0.5 - a[0]]
    flat = struct.pack(f"<{4 * n}d", *[v for b in body for v in b])
    return str(n), "64", [("out", 32 * n), ("in", flat), "u32:24", f"f64:{soft}"], [struct.pack(f"<{4 * n}d", *out)]


def to_f32(x):
    """A kernel starts with subnormal singles flushed."""
    if abs(x) < 2.0 ** -126:
        x = math.copysign(0, x)
    try:
        return struct.pack("<f", x)
    except OverflowError:
        return struct.pack("<f", math.copysign(math.inf, x))


def towards_whole(f, x):
    """floor, ceil, trunc or round of any double, with its sign."""
    return math.copysign(float(f(x)), x) if math.isfinite(x) else x


def real64_one(i, x, y):
    nan = math.isnan(x) or math.isnan(y)
    m, e = math.frexp(x) if math.isfinite(x) else (0.0, 0)
    real = [towards_whole(math.floor, x), towards_whole(math.ceil, y) + towards_whole(math.trunc, x), 0.25 if nan else min(x, y) * 0.5,
            0.75 if nan else max(x, -y), math.ldexp(m, int(e / 2)) + towards_whole(round, y), float(i * -3 + (i * 0x6000001 & M32) + i)]
    small = abs(x) < 2e9
    bits = ((x < y) | (x == y) << 1 | (x > y) << 2 | (x != y) << 3 | (x >= y) << 4 | math.isnan(x) << 5 | math.isinf(x) << 6 |
            (math.isfinite(x) and abs(x) >= 2.0 ** -1022) << 7 | (math.copysign(1, x) < 0) << 8)
    return (real, [int(x) if small else e, (int(x) ^ 0x55) if small and x > 0 else -e, bits, round(math.sin(x) * 1e6) if math.isfinite(x) else 7],
            struct.pack("<f", 0) if math.isnan(x) else to_f32(x))


def real64(r):
    n = 128
    special = [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, math.inf, -math.inf, math.nan, 5e-324, -5e-324, 2.0 ** -1022, 1.7e308, 4503599627370495.5,
               2.0 ** 53, 3.5e38, 1e-45, 1e22, 1e300]
    v = [special[i // 2] if i % 2 == 0 and i // 2 < len(special) else r.uniform(-2, 2) * 2.0 ** r.randrange(-40, 60) for i in range(n)]
    v[100:112] = [r.uniform(1, 2) * 2.0 ** r.randrange(60, 1000) for _ in range(12)]
    rows = [real64_one(i, v[i], v[(i + 1) % n]) for i in range(n)]
    return (str(n), "64", [("out", 48 * n), ("out", 16 * n), ("out", 4 * n), ("in", struct.pack(f"<{n}d", *v)), f"u32:{n}"],
            [struct.pack(f"<{6 * n}d", *[x for a in rows for x in a[0]]), struct.pack(f"<{4 * n}i", *[x for a in rows for x in a[1]]),
             b"".join(a[2] for a in rows)])


def generic(r):
    """sw/kernels/generic.cl: each work-item's cell is in local or global memory."""
    n, where, far = 128, r.getrandbits(32) & ~3 | 1, 0x40000
    first = [list(struct.unpack("<BBHIQ4I", r.randbytes(32))) for _ in range(n)]
    here = [where >> (i & 31) & 1 for i in range(n)]
    sums, back, sum, wide = [0] * 16, [0] * n, [[j for j in range(8)] for _ in range(2)], [[1 << 40] * 4 for _ in range(2)]
    cells = []
    for i in range(n):
        q = [i % 64 + j for j in range(4)] if here[i] else first[i][5:]
        c = [7 * i & 255, 255 - i & 255, 1000 * i & 0xFFFF, 0x10001 * i & M32, 0x123456789AB * i & M64]
        direct = c[3] if here[i] else first[i][3]
        cells.append(c + [x + y & M32 for x, y in zip(q, (direct, c[0], c[2], c[3]))])
    out, keep = [], []
    for i in range(n):
        o = list(cells[i ^ 5])
        o[3] = o[3] + (o[2] | ((o[0] ^ 128) - 128 & 0xFFFF) << 16) & M32
        o[4] ^= o[5] + o[6] + o[7] & M32
        p, g = list(cells[i]), i // 64
        if here[i]:
            sum[g][i & 7] = sum[g][i & 7] + i & M32
            wide[g][i & 3] = wide[g][i & 3] + (i + 1 << 20) & M64
        else:
            sums[8 * g + (i & 7)] += i
            back[i] = i + 1 << 20
        stored = p[3] ^ 1
        ret = stored + 5 * i & M32
        x = p[4] + (p[4] ^ 0xFF00FF00FF00) & M64
        p[4] ^= 0xFF00FF00FF00
        if not here[i]:
            ret = ret + stored + stored + 1 & M32
        p[3] = stored + 4 & M32
        keep.append(first[i] if here[i] else p)
        out.append((o, ret, x))
    for i, (o, ret, x) in enumerate(out):
        o[5] = o[5] + ret & M32
        o[6] ^= x & M32
        o[7] ^= x >> 32
        o[8] = o[8] + sum[i // 64][i & 7] + (wide[i // 64][i & 3] >> 20) & M32
    pack = lambda cs: b"".join(struct.pack("<BBHIQ4I", *c) for c in cs)  # noqa: E731
    return ("128", "64", [("out", 32 * n), ("inout", pack(first)), ("inout", bytes(64)), ("inout", bytes(8 * n)), f"u32:{where}", f"u32:{far}"],
            [pack([o for o, _, _ in out]), pack(keep), u32s(sums), struct.pack(f"<{n}Q", *back)])


CASES = {f.__name__: f for f in (vecadd, saxpy, matmul, transpose, reduction, histogram, hash, blur, pack, mix64, grid3d, nbody, real64, generic,
                                  *reference_bench.CASES)}


def case(name, seed=1):
    return CASES[name](random.Random(f"{name}{seed}"))
