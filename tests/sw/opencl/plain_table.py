# SPDX-License-Identifier: Apache-2.0
"""The table of builtins whose result is one exact value: integer, relational and conversion functions.

A row: name, statement (as in math_table), types of the arguments, type of the result, and the right results of one element as a
tuple of accepted values (integers; floats as bit patterns, or "nan" or "any").  `good(width, a, b, c)`.
"""
import collections
import math

import exact
from exact import FLOATS, INTS, SIGNED, WIDTH, clamp, wrap

Row = collections.namedtuple("Row", "name statement args result good reduce draw", defaults=[False, None])


def row(name, statement, args, result, f, draw=None):
    return Row(name, statement, args, result, lambda w, *v: (f(*v),), False, draw)

# The device library (rocm-device-libs 5.2.3 and 6.0) clamps integers to 32767 before it rounds them to a half in a given
# mode, and rounds short to a half toward zero where down is asked for; LLVM's constant folding of its code agrees with the models.
LIBRARY = {"convert_half_rtn short", "convert_half_rtz int", "convert_half_rtp int", "convert_half_rtn int", "convert_half_rtz long",
           "convert_half_rtp long", "convert_half_rtn long"}


def integer_rows():
    rows = []
    for t, (bits, signed) in INTS.items():
        u = "u" + t.lstrip("u")
        mask = (1 << bits) - 1

        def same(name, f, count, statement=None, t=t, draw=None):
            rows.append(row(f"{name} {t}", statement or f"r = {name}({', '.join('abc'[:count])});", [t] * count, t, f, draw))
        rows.append(row(f"abs {t}", "r = abs(a);", [t], u, abs))
        # The device library subtracts without regard to overflow of signed int and long (nsw), and clang makes abs(a - b) of it.
        rows.append(row(f"abs_diff {t}", "r = abs_diff(a, b);", [t, t], u, None))
        rows[-1] = rows[-1]._replace(good=lambda w, a, b, bits=bits, loose=signed and bits >= 32:
                                     (abs(a - b), abs(wrap(a - b, SIGNED[bits]))) if loose else (abs(a - b),))
        same("add_sat", lambda a, b, t=t: clamp(a + b, t), 2)
        same("sub_sat", lambda a, b, t=t: clamp(a - b, t), 2)
        same("hadd", lambda a, b: a + b >> 1, 2)
        same("rhadd", lambda a, b: a + b + 1 >> 1, 2)
        same("clamp", lambda a, b, c: min(max(a, min(b, c)), max(b, c)), 3, "r = clamp(a, min(b, c), max(b, c));")
        same("clz", lambda a, bits=bits, mask=mask: bits - (a & mask).bit_length(), 1)
        same("ctz", lambda a, bits=bits: (a & -a).bit_length() - 1 if a else bits, 1)
        same("mad_hi", lambda a, b, c, t=t, bits=bits: wrap((a * b >> bits) + c, t), 3)
        same("mad_sat", lambda a, b, c, t=t: clamp(a * b + c, t), 3)
        same("max", max, 2)
        same("min", min, 2)
        same("mul_hi", lambda a, b, bits=bits: a * b >> bits, 2)
        same("rotate", lambda a, b, t=t, bits=bits, mask=mask: wrap((a & mask) << b % bits | (a & mask) >> bits - b % bits, t), 2)
        same("popcount", lambda a, mask=mask: (a & mask).bit_count(), 1)
        for op, f in {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "&": lambda a, b: a & b, "|": lambda a, b: a | b,
                      "^": lambda a, b: a ^ b}.items():
            same(op, lambda a, b, f=f, t=t: wrap(f(a, b), t), 2, f"r = a {op} b;")
        # C division; a zero divisor becomes 1, and so does -1 (all ones), whose quotient may overflow
        divisor = (lambda b: 1 if b in (0, -1) else b)
        one = f"(@V)(({t})1)"
        safe = f"@V d = b == ({t})0 || b == ({t})-1 ? ({t})1 : b;"  # scalars
        safe_v = f"@V d = select(b, {one}, b == ({t})0 || b == ({t})-1);"
        for op, f in {"/": lambda a, b: (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1),
                      "%": lambda a, b: (abs(a) % abs(b)) * (-1 if a < 0 else 1)}.items():
            rows.append(Row(f"{op} {t}", (safe, safe_v, f"r = a {op} d;"), [t, t], t, lambda w, a, b, f=f, d=divisor, t=t, mask=mask:
                            (wrap(f(a, d(b) if signed_of(t) else (1 if b in (0, mask) else b)), t),)))
        shift = f"(b & ({t}){bits - 1})"
        same("<<", lambda a, b, t=t, bits=bits: wrap(a << (b & bits - 1), t), 2, f"r = a << {shift};")
        same(">>", lambda a, b, bits=bits: a >> (b & bits - 1), 2, f"r = a >> {shift};")
        same("bitselect", lambda a, b, c: (a & ~c) | (b & c), 3)
        if bits < 64:
            wide = {"char": "short", "short": "int", "int": "long"}[t.lstrip("u")]
            rows.append(row(f"upsample {t}", "r = upsample(a, b);", [t, u], wide if signed else "u" + wide, lambda a, b, bits=bits: a << bits | b))
        if bits == 32:
            def low(r, signed=signed):
                return r.getrandbits(24) - (1 << 23 if signed else 0)
            same("mul24", lambda a, b, t=t: wrap(a * b, t), 2, draw=low)
            same("mad24", lambda a, b, c, t=t: wrap(a * b + c, t), 3, draw=low)
        for c in (SIGNED[bits], "u" + SIGNED[bits]):
            rows.append(Row(f"select {t} {c}", "r = select(a, b, c);", [t, t, c], t, lambda w, a, b, c, bits=bits: (b if (c if w == 1 else c >> bits - 1 & 1) else a,)))
        if signed:
            for name, f in {"any": any, "all": all}.items():
                rows.append(Row(f"{name} {t}", f"r = {name}(a);", [t], "int", lambda w, *v, f=f: (int(f(x < 0 for x in v)),), True))
    return rows


def signed_of(t):
    return INTS[t][1]


def relational_rows():
    rows = []
    two = {"isequal": lambda a, b: a == b, "isnotequal": lambda a, b: a != b, "isgreater": lambda a, b: a > b, "isgreaterequal": lambda a, b: a >= b,
           "isless": lambda a, b: a < b, "islessequal": lambda a, b: a <= b, "islessgreater": lambda a, b: a < b or a > b,
           "isordered": lambda a, b: a == a and b == b, "isunordered": lambda a, b: a != a or b != b}
    operator = {"==": "isequal", "!=": "isnotequal", ">": "isgreater", ">=": "isgreaterequal", "<": "isless", "<=": "islessequal"}
    for t in FLOATS:
        least = 2.0 ** (exact.parts(t)[1] + exact.parts(t)[0] - 1)
        one = {"isfinite": math.isfinite, "isinf": math.isinf, "isnan": math.isnan, "isnormal": lambda x, m=least: math.isfinite(x) and abs(x) >= m}
        result = SIGNED[WIDTH[t]]

        def truth(w, values):
            return tuple((-1 if w > 1 else 1) if v else 0 for v in values)

        def compare(w, a, b, f, t=t):
            x, y = exact.float_of(a, t), exact.float_of(b, t)
            flat = [v * 0.0 if t == "float" and abs(v) < 2.0 ** -126 else v for v in (x, y)]
            return truth(w, {f(x, y), f(flat[0], y), f(x, flat[1]), f(*flat)})
        for name, f in two.items():
            rows.append(Row(f"{name} {t}", f"r = {name}(a, b);", [t, t], result, lambda w, a, b, f=f, c=compare: c(w, a, b, f)))
        for op, name in operator.items():
            rows.append(Row(f"{op} {t}", f"r = a {op} b;", [t, t], result, lambda w, a, b, f=two[name], c=compare: c(w, a, b, f)))
        for name, f in one.items():
            rows.append(Row(f"{name} {t}", f"r = {name}(a);", [t], result, lambda w, a, f=f, t=t: truth(w, [f(exact.float_of(a, t))])))
        rows.append(Row(f"signbit {t}", "r = signbit(a);", [t], result, lambda w, a, t=t: truth(w, [a >> WIDTH[t] - 1])))
        rows.append(Row(f"bitselect {t}", "r = bitselect(a, b, c);", [t] * 3, t, lambda w, a, b, c: ((a & ~c) | (b & c),)))
        for c in (result, "u" + result):
            rows.append(Row(f"select {t} {c}", "r = select(a, b, c);", [t, t, c], t,
                            lambda w, a, b, c, n=WIDTH[t]: (b if (c if w == 1 else c >> n - 1 & 1) else a,)))
    return rows


def conversion_rows():
    rows = []
    types = [*INTS, *FLOATS]
    for s in types:
        for t in types:
            for saturate in (False, True) if t in INTS else (False,):
                for mode in ("", "e", "z", "p", "n"):
                    name = f"convert_{t}@W{'_sat' if saturate else ''}{'_rt' + mode if mode else ''}"
                    rows.append(Row(f"{name.replace('@W', '')} {s}", f"r = {name}(a);", [s], t,
                                    lambda w, a, s=s, t=t, m=mode, z=saturate: exact.convert(a, s, t, m, z)))
    for s in ("float", "double"):
        for mode in ("", "e", "z", "p", "n"):
            name = f"vstore_half@W{'_rt' + mode if mode else ''}"
            rows.append(Row(f"{name.replace('@W', '')} {s}", f"half h[16]; {name}(a, 0, h); r = @L;", [s], "half",
                            lambda w, a, s=s, m=mode: exact.convert(a, s, "half", m, False)))
    rows.append(Row("vload_half", "half h[16]; @K; r = vload_half@W(0, h);", ["half"], "float", lambda w, a: exact.convert(a, "half", "float", "", False)))
    return rows
