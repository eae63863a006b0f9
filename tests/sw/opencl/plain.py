# SPDX-License-Identifier: Apache-2.0
"""Runs the rows of plain_table.py; used by test_opencl.py.

python tests/sw/opencl/plain.py [--models golden,lockstep] [FAMILY...]
"""
import array
import random

import campaign
import exact
import plain_table
import source

CODE = {"char": "b", "uchar": "B", "short": "h", "ushort": "H", "int": "i", "uint": "I", "long": "q", "ulong": "Q", "half": "H", "float": "I", "double": "Q"}
FAMILIES = {"integer": (plain_table.integer_rows, 48), "relational": (plain_table.relational_rows, 64), "conversion": (plain_table.conversion_rows, 64)}


def integer(r, t):
    bits, signed = exact.INTS[t]
    x = r.getrandbits(bits)
    kind = r.randrange(12)
    x = {0: 0, 1: 1, 2: (1 << bits) - 1, 3: 1 << bits - 1, 4: (1 << bits - 1) - 1, 5: 1 << r.randrange(bits), 6: x >> r.randrange(bits),
         7: (1 << bits) - 1 - (x >> r.randrange(bits))}.get(kind, x)
    return exact.wrap(x, t)


def floating(r, t):
    """Bits: special ones, and numbers that fit integers of all sizes, some of them halves."""
    if r.randrange(3) == 0:
        return campaign.special(r, t)
    high = 15 if t == "half" else 66
    x = r.uniform(-2, 2) * 2.0 ** r.randrange(-4, high)
    if r.randrange(3) == 0 and abs(x) < 1e15:
        x = round(x) + r.choice((0.5, -0.5, 0.0))
    return campaign.to_bits(t, x)


def draw(row, layout, seed):
    r = random.Random(f"{seed}{row.name}")
    return [array.array(CODE[t], [row.draw(r) if row.draw else integer(r, t) if t in exact.INTS else floating(r, t) for _ in range(layout.elements)])
            for t in row.args]


def matches(t, got, good):
    if t in exact.INTS:
        return got in good or "any" in good
    p, _, inf = exact.parts(t)
    return got in good or "any" in good or ("nan" in good and got & (1 << exact.WIDTH[t] - 1) - 1 > inf)


def check(row, layout, arguments, results):
    """Text of the first wrong element, or None."""
    for w, first in layout.sections():
        for n in range(layout.items):
            if row.reduce:
                good, got = row.good(w, *arguments[0][first + n * w:first + n * w + w]), results[first + n]
                if got not in good:
                    return f"width {w} item {n}: {list(arguments[0][first + n * w:first + n * w + w])} gave {got} instead of {good}"
                continue
            for e in range(first + n * w, first + n * w + w):
                values = [a[e] for a in arguments]
                good, got = row.good(w, *values), results[e]
                if not matches(row.result, got, good):
                    return f"width {w} element {e}: {[hex(v) for v in values]} gave {got:#x} instead of {[g if isinstance(g, str) else hex(g) for g in good]}"
    return None


def batch(name, rows, items, models, widths=source.WIDTHS, seed=1):
    """[(row, text of the first failure or None)]; all models must leave the same bytes."""
    layout = source.Layout([source.Builtin(r.name, r.statement, r.args, r.result, r.reduce) for r in rows], items, widths)
    code = campaign.compile_kernel(name, layout.source())
    data, drawn = bytearray(layout.in_size), []
    for row, offsets in zip(rows, layout.in_offset):
        drawn.append(draw(row, layout, seed))
        for a, at in zip(drawn[-1], offsets):
            data[at:at + len(a) * a.itemsize] = a.tobytes()
    outputs = [campaign.launch(name, layout, code, bytes(data), m) for m in models]
    assert all(o == outputs[0] for o in outputs), f"{name}: the models differ"
    found = []
    for row, arguments, at in zip(rows, drawn, layout.out_offset):
        results = array.array(CODE[row.result])
        results.frombytes(outputs[0][at:at + layout.elements * results.itemsize])
        found.append((row, check(row, layout, arguments, results)))
    return found


def family(name, items, models, widths=source.WIDTHS, tag="", every=1, seed=1):
    """All rows of a family, or those of every `every`-th batch position (a part that differs with the seed)."""
    rows, size = FAMILIES[name]
    chosen = [r for n, r in enumerate(rows()) if (n + seed) % every == 0]
    results = []
    for n in range(0, len(chosen), size):
        results += batch(f"{name}{n // size}{tag}", chosen[n:n + size], items, models, widths, seed)
    return results


if __name__ == "__main__":
    import argparse
    p = argparse.ArgumentParser()
    p.add_argument("--items", type=int, default=64)
    p.add_argument("--models", default="golden")
    p.add_argument("--every", type=int, default=1)
    p.add_argument("--widths", default="1,2,3,4,8,16")
    p.add_argument("families", nargs="*")
    args = p.parse_args()
    for f in args.families or FAMILIES:
        results = family(f, args.items, args.models.split(","), tuple(map(int, args.widths.split(","))), "m", args.every)
        bad = [(r.name, text) for r, text in results if text]
        print(f"{f}: {len(results)} builtins, {len(bad)} wrong")
        for name, text in bad:
            print(f"  {name}: {text}")
