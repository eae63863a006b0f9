# SPDX-License-Identifier: Apache-2.0
"""Compiles, launches and checks a batch of builtins; used by test_opencl.py.

python tests/sw/opencl/campaign.py [--items N] [--models golden,lockstep] [FAMILY...]   prints the table of docs/verification.md
"""
import array
import pathlib
import random
import re
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
HERE = pathlib.Path(__file__).resolve().parent
OUT = ROOT / "build/opencl"
sys.path[:0] = [str(HERE), str(ROOT / "sw/tools")]
import math_table  # noqa: E402
from builder import release  # noqa: E402
import source  # noqa: E402

FLAGS = ["-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx803", "-O2", "-mcode-object-version=4",
         release.bitcode()]
MODELS = {"golden": ["--model", "golden"], "lockstep": ["--lockstep"], "rtl": []}
FLOATS = ("float", "double", "half")
FORMAT = {"half": ("H", "e", 16, 10), "float": ("I", "f", 32, 23), "double": ("Q", "d", 64, 52)}


def compile_kernel(name, text, options=()):
    """Code object of the text; kept while text and options stay."""
    OUT.mkdir(parents=True, exist_ok=True)
    cl, co = OUT / f"{name}.cl", OUT / f"{name}.co"
    text = f"// {' '.join(options)}\n{text}"
    if not (co.exists() and cl.exists() and cl.read_text() == text):
        cl.write_text(text)
        subprocess.run(["clang-19", *FLAGS, *options, "-o", co, cl], check=True)
    return co


def launch(name, layout, code, data, model):
    """Bytes of the output buffer."""
    inp, out = OUT / f"{name}.in", OUT / f"{name}.{model}.out"
    inp.write_bytes(data)
    done = subprocess.run([ROOT / "build/bin/gantry", "kernel", "-c", "tiny", "-q", *MODELS[model], code, "--grid", f"{layout.items},{len(layout.builtins)}",
                           "--group", "64,1", "--arg", f"out:{layout.out_size}:{out}", "--arg", f"in:{inp}"], capture_output=True, text=True)
    assert done.returncode == 0, f"{name} on {model}: exit {done.returncode}: {done.stderr}"
    if model == "lockstep":
        line = re.search(r"compared=(\d+) retired=(\d+)", done.stderr)
        assert line and line[1] == line[2] != "0", done.stderr
    return out.read_bytes()


def special(r, scalar):
    """Bits of a float: one in three special; NaNs are quiet (signalling ones are outside of OpenCL C)."""
    code, _, bits, m = FORMAT[scalar]
    x, sign, mantissa = r.getrandbits(bits), 1 << bits - 1, (1 << m) - 1
    inf = sign - (1 << m)
    kind = r.randrange(24)
    x = {0: x & sign, 1: x & (sign | mantissa), 2: x & sign | inf, 3: x | inf, 4: x & ~mantissa, 5: x | mantissa, 6: x & sign | 1 << m,
         7: x & sign | (inf >> 1) & ~mantissa & inf}.get(kind, x)
    return x | 1 << m - 1 if (x & ~sign) > inf else x


def to_bits(scalar, value):
    code, letter, _, _ = FORMAT[scalar]
    return struct.unpack("<" + code, struct.pack("<" + letter, value))[0]


def argument(r, scalar, kind, domain, count):
    """Bits of `count` values: kind as in math_table, domain "any" or (low, high)."""
    code, _, bits, m = FORMAT[scalar]
    inf = ((1 << bits - 1) - 1) >> m << m
    limit = {"half": 60000.0, "float": 3e38, "double": 1e300}[scalar]
    values = array.array(code)
    while len(values) < count:
        if domain == "any" or (kind != "p" and r.randrange(4) == 0):
            x = special(r, scalar)
            size = x & (1 << bits - 1) - 1
            if (kind == "n" and size > inf) or (kind in "qp" and size >= inf) or (kind == "p" and size < 1 << m):
                continue
        else:
            low, high = (max(-limit, min(limit, v)) for v in domain)
            value = r.uniform(low, high)
            if kind != "p" and r.randrange(16) == 0:
                value = float(round(value * 2)) / 2  # whole numbers and halves
            if kind != "p" and r.randrange(8) == 0:
                value *= 2.0 ** -r.randrange(1, 12 if scalar == "half" else 30)
            x = to_bits(scalar, value)
        values.append(x)
    return values


def float_batches(rows, scalar, size):
    which = FLOATS.index(scalar)
    rows = [row for row in rows if row.limits[which] is not None]
    return [rows[n:n + size] for n in range(0, len(rows), size)]


def float_builtin(row, scalar):
    statement = re.sub(r"\b([VIS])\b", r"@\1", row.statement)
    return source.Builtin(row.name, statement, ["int" if k == "i" else scalar for k in row.args], "int" if row.result == "i" else scalar)


def every_half(count):
    """Bits of all halves (NaNs quiet), again and again."""
    return array.array("H", [x | 0x200 if x & 0x7FFF > 0x7C00 else x for x in range(0x10000)] * -(-count // 0x10000))[:count]


def float_data(rows, scalar, layout, seed, every=False):
    data = bytearray(layout.in_size)
    for row, offsets in zip(rows, layout.in_offset):
        r = random.Random(f"{seed}{row.name}{scalar}")
        for k, (kind, at) in enumerate(zip(row.args, offsets)):
            domain = row.domain if row.domain == "any" else row.domain[k]
            if kind == "i":
                low, high = (-10, 10) if domain == "any" else domain
                values = array.array("i", [r.randint(low, high) for _ in range(layout.elements)])
            else:
                values = every_half(layout.elements) if every else argument(r, scalar, kind, domain, layout.elements)
            if row.name.endswith(".scalar") and k == 1:
                for w, first in layout.sections():
                    for v in range(first, first + w * layout.items, w):
                        values[v:v + w] = array.array(values.typecode, [values[v]] * w)
            data[at:at + len(values) * values.itemsize] = values.tobytes()
    return bytes(data)


def oracle():
    """The MPFR program, built when older than its sources."""
    exe, parts = OUT / "oracle", [HERE / n for n in ("oracle.c", "builtins.c", "oracle.h")]
    OUT.mkdir(parents=True, exist_ok=True)
    if not exe.exists() or exe.stat().st_mtime < max(p.stat().st_mtime for p in parts):
        subprocess.run(["gcc", "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-o", exe, *parts[:2], "-lmpfr", "-lgmp", "-lm"], check=True)
    return exe


def float_batch(name, rows, scalar, items, models, options=(), widths=source.WIDTHS, seed=1, every=False):
    """[(row, worst error, failed, text of the first failure)]; all models must leave the same bytes."""
    layout = source.Layout([float_builtin(row, scalar) for row in rows], items, widths)
    code = compile_kernel(name, layout.source(), options)
    data = float_data(rows, scalar, layout, seed, every)
    results = [launch(name, layout, code, data, m) for m in models]
    assert all(r == results[0] for r in results), f"{name}: the models differ"
    letter = {"half": "h", "float": "f", "double": "d"}[scalar]
    jobs = []
    for row, ins, out in zip(rows, layout.in_offset, layout.out_offset):
        zero = "z" if (row.name, scalar) in math_table.ZERO_SIGN else ""
        limit = zero + str(row.limits[FLOATS.index(scalar)]).replace("abs ", "abs:")
        kinds = "".join("i" if k == "i" else "f" for k in row.args)
        jobs.append(f"{row.name.replace(' ', '_')} {row.oracle} {letter} {'i' if row.result == 'i' else letter} {limit} {layout.elements} {out} {kinds} {' '.join(map(str, ins))}\n")
    (OUT / f"{name}.jobs").write_text("".join(jobs))
    done = subprocess.run([oracle(), OUT / f"{name}.jobs", OUT / f"{name}.in", OUT / f"{name}.{models[0]}.out"], capture_output=True, text=True, check=True)
    lines = [line.split(" ", 3) for line in done.stdout.splitlines()]
    assert len(lines) == len(rows), done.stdout
    return [(row, float(line[1]), int(line[2]), " ".join(line[3:])) for row, line in zip(rows, lines)]


# family: rows, scalar type, rows a launch, compiler options
FLOAT_FAMILIES = {
    "float": (math_table.MATH, "float", 16, []), "double": (math_table.MATH, "double", 8, []), "half": (math_table.MATH, "half", 20, []),
    "rounded": (math_table.ROUNDED, "float", 8, ["-cl-fp32-correctly-rounded-divide-sqrt"]), "quick": (math_table.QUICK, "float", 30, []),
    "relaxed": (math_table.RELAXED, "float", 30, ["-cl-fast-relaxed-math"]),
}


def float_family(family, items, models, widths=source.WIDTHS, tag=""):
    rows, scalar, size, options = FLOAT_FAMILIES[family]
    results = []
    for n, batch in enumerate(float_batches(rows, scalar, size)):
        results += float_batch(f"{family}{n}{tag}", batch, scalar, items, models, options, widths)
    return results


def table(items, models, families):
    """Lines of the table in docs/verification.md: largest error in ulp and its limit, by function and type."""
    cells = {}
    for family in families:
        scalar = FLOAT_FAMILIES[family][1]
        for row, worst, failed, _ in float_family(family, items, models):
            limit = row.limits[FLOATS.index(scalar)]
            name = row.name if family in FLOATS else f"{row.name} ({family})"
            mark = " (library)" if failed and (row.name, scalar) in math_table.LIBRARY else f" FAILED {failed}" if failed else ""
            bound = "-" if limit == math_table.REPORT else str(limit).replace("abs ", "")
            cells.setdefault(name, {})[scalar] = f"{worst:.3g} / {bound}{mark}"
    return [f"| {name} | " + " | ".join(by.get(t, "") for t in FLOATS) + " |" for name, by in cells.items()]


if __name__ == "__main__":
    import argparse
    p = argparse.ArgumentParser()
    p.add_argument("--items", type=int, default=64)
    p.add_argument("--models", default="golden")
    p.add_argument("families", nargs="*")
    args = p.parse_args()
    print("\n".join(table(args.items, args.models.split(","), args.families or FLOAT_FAMILIES)))
