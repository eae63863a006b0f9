# SPDX-License-Identifier: Apache-2.0
"""Geometric builtins against exact fractions.

Limits: full profile of the OpenCL SPIR-V environment specification (n: components); fast_ forms exist for float.
"""
import fractions
import math
import random

import campaign
import exact
import source

EPSILON = {"float": 2.0 ** -23, "double": 2.0 ** -52, "half": 2.0 ** -10}
Fraction = fractions.Fraction


def root(x):
    """Square root of a Fraction to 200 bits."""
    shift = 2 * (220 + max(0, x.denominator.bit_length() - x.numerator.bit_length()))
    return Fraction(math.isqrt((x.numerator << shift) // x.denominator), 1 << shift // 2)


def ulp(x, t):
    p, low, _ = exact.parts(t)
    if x == 0:
        return Fraction(2) ** low
    n, d = abs(x.numerator), x.denominator
    e = n.bit_length() - d.bit_length()
    e -= Fraction(2) ** e > abs(x)
    return Fraction(2) ** max(e - p + 1, low)


def dot(a, b):
    return sum((x * y for x, y in zip(a, b)), Fraction(0))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]] + [Fraction(0)] * (len(a) - 3)


def length(a):
    return root(dot(a, a))


def distance(a, b):
    return length([x - y for x, y in zip(a, b)])


def normalize(a):
    n = length(a)
    return [x / n for x in a] if n else a


# name: function, widths, arguments, vector result, limit in ulp by type (n components) or None for an absolute one
HALVE = {"float": 1.0, "double": 1.0, "half": 2.0}
TABLE = {
    "dot": (dot, (1, 2, 3, 4), 2, False, None), "cross": (cross, (3, 4), 2, True, None),
    "length": (length, (1, 2, 3, 4), 1, False, lambda t, n: HALVE[t] * ({"double": 0.5}.get(t, 3) + 0.5 * (0.5 * n + 0.5 * (n - 1)))),
    "distance": (distance, (1, 2, 3, 4), 2, False, lambda t, n: HALVE[t] * ({"double": 0.5}.get(t, 3) + (1 if t != "half" else 0.5) * (1.5 * n + 0.5 * (n - 1)))),
    "normalize": (normalize, (1, 2, 3, 4), 1, True, lambda t, n: HALVE[t] * ({"double": 1.5}.get(t, 2.5) + (1 if t != "half" else 0.5) * (0.5 * n + 0.5 * (n - 1)))),
    "fast_length": (length, (1, 2, 3, 4), 1, False, lambda t, n: 8192 + 0.5 * n + 0.5 * (n - 1)),
    "fast_distance": (distance, (1, 2, 3, 4), 2, False, lambda t, n: 8192 + 1.5 * n + 0.5 * (n - 1)),
    "fast_normalize": (normalize, (1, 2, 3, 4), 1, True, lambda t, n: 8192.5 + 0.5 * n + 0.5 * (n - 1)),
}


def components(r, t, count, n, huge):
    """`count` vectors: moderate numbers, and (huge) some whose squares overflow or vanish (half: overflow; of small halves the
    device library, rocm-device-libs 5.2.3, makes infinities: it multiplies by 2^17 where squares are subnormal)."""
    far = {"float": 100, "double": 800, "half": 6}[t]
    values = []
    for _ in range(count):
        scale = 2.0 ** (r.choice((far if t == "half" else -far, far)) if huge and r.randrange(4) == 0 else 0)
        values += [exact.float_of(campaign.to_bits(t, r.choice((-1, 1)) * r.uniform(1, 5) * scale * 2.0 ** r.randrange(-2, 1)), t) for _ in range(n)]
    return values


def batch(name, t, width, items, models, seed=1):
    """[(builtin, worst error, limit, text or None)] of all builtins of a type that have this width."""
    rows = [(k, v) for k, v in TABLE.items() if width in v[1] and (t == "float" or not k.startswith("fast"))]
    layout = source.Layout([source.Builtin(k, f"r = {k}({'a, b' if v[2] == 2 else 'a'});", [t] * v[2], t, not v[3]) for k, v in rows], items, (width,))
    code = campaign.compile_kernel(name, layout.source())
    r, data, drawn = random.Random(f"{seed}{t}{width}"), bytearray(layout.in_size), []
    for (k, v), offsets in zip(rows, layout.in_offset):
        huge = k in ("length", "distance", "normalize")
        drawn.append([components(r, t, items, width, huge) for _ in range(v[2])])
        if huge and v[2] == 2:  # both of one size, or the smaller is lost
            drawn[-1][1] = [x * 0.75 for x in drawn[-1][0]]
            drawn[-1][1] = [exact.float_of(campaign.to_bits(t, x), t) for x in drawn[-1][1]]
        for values, at in zip(drawn[-1], offsets):
            b = b"".join(campaign.to_bits(t, x).to_bytes(source.SIZE[t], "little") for x in values)
            data[at:at + len(b)] = b
    outputs = [campaign.launch(name, layout, code, bytes(data), m) for m in models]
    assert all(o == outputs[0] for o in outputs), f"{name}: the models differ"
    size, found = source.SIZE[t], []
    for (k, (f, _, _, vector, limit)), values, at in zip(rows, drawn, layout.out_offset):
        worst, text = 0.0, None
        allowed = limit(t, width) if limit else 3.0 if k == "cross" else 2.0 * width - 1
        for i in range(items):
            args = [[Fraction(x) for x in v[i * width:(i + 1) * width]] for v in values]
            want = f(*args)
            for c, y in enumerate(want if vector else [want]):
                e = i * (width if vector else 1) + c
                bits = int.from_bytes(outputs[0][at + e * size:at + (e + 1) * size], "little")
                got = exact.float_of(bits, t)
                if not math.isfinite(got):
                    error = math.inf
                elif limit:
                    error = float(abs(Fraction(got) - y) / ulp(y, t))
                else:
                    most = max(abs(x) for v in args for x in v)
                    error = float(abs(Fraction(got) - y) / (most * most * Fraction(EPSILON[t])))
                worst = max(worst, error)
                if error > allowed and text is None:
                    text = f"{[float(x) for v in args for x in v]} gave {got!r} instead of {float(y)!r}"
        found.append((f"{k}{width}", worst, allowed, text))
    return found


def family(t, items, models, widths=(1, 2, 3, 4)):
    return [row for w in widths for row in batch(f"geometric_{t}{w}", t, w, items, models)]


if __name__ == "__main__":
    for kind in exact.FLOATS:
        for name, worst, allowed, text in family(kind, 64, ["golden"]):
            print(f"{kind} {name}: {worst:.4g} of {allowed:.4g}{' FAILED ' + text if text else ''}")
