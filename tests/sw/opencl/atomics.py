# SPDX-License-Identifier: Apache-2.0
"""Atomic builtins on global and local memory: what all work-items saw must be explained by some order of their operations.

Each operation changes one variable from the value it returns to another one; an order exists exactly when these steps form a
path through all of them (an Eulerian path) from the first value to the last.
"""
import array
import collections
import random

import campaign
from exact import INTS, wrap

TYPES = {"int": "i", "uint": "I", "long": "q", "ulong": "Q"}
# name: expression of the old function form (a: operand, b: second, p: pointer), its C11 form or None, new value
ARITHMETIC = {
    "add": lambda o, a, b: o + a, "sub": lambda o, a, b: o - a, "xchg": lambda o, a, b: a, "min": lambda o, a, b: min(o, a), "max": lambda o, a, b: max(o, a),
    "and": lambda o, a, b: o & a, "or": lambda o, a, b: o | a, "xor": lambda o, a, b: o ^ a, "inc": lambda o, a, b: o + 1, "dec": lambda o, a, b: o - 1,
    "cmpxchg": lambda o, a, b: b if o == a else o}


def operations(t):
    """[(name, statement leaving the old value in r, new value)] on `p`, operands a and b."""
    prefix = "atom" if INTS[t][0] == 64 else "atomic"
    rows = []
    for name, f in ARITHMETIC.items():
        operands = {"inc": "", "dec": "", "cmpxchg": ", a, b"}.get(name, ", a")
        rows.append((f"{prefix}_{name}", f"r = {prefix}_{name}(p{operands});", f))
    for name in ("add", "sub", "or", "xor", "and", "min", "max"):
        rows.append((f"atomic_fetch_{name}", f"r = atomic_fetch_{name}_explicit((volatile SPACE atomic_{t} *)p, a, memory_order_relaxed, memory_scope_device);", ARITHMETIC[name]))
    rows.append(("atomic_exchange", f"r = atomic_exchange_explicit((volatile SPACE atomic_{t} *)p, a, memory_order_acq_rel, memory_scope_device);", ARITHMETIC["xchg"]))
    rows.append(("atomic_compare_exchange", f"{t} e = a; atomic_compare_exchange_strong_explicit((volatile SPACE atomic_{t} *)p, &e, b, memory_order_acq_rel, "
                 "memory_order_relaxed, memory_scope_device); r = e;", ARITHMETIC["cmpxchg"]))
    return rows


def source_text(t, rows):
    """Work-group y runs operation y on one global variable and on one local variable for each of its groups."""
    text = ["#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable", "#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable",
            f"kernel void builtins(global {t} *seen, global {t} *variable, global const {t} *in, local {t} *q)", "{",
            "  size_t i = get_global_id(0), n = get_global_size(0), k = get_group_id(1), groups = get_num_groups(0), g = get_group_id(0);",
            f"  {t} a = in[2 * (k * n + i)], b = in[2 * (k * n + i) + 1], r;",
            f"  global {t} *first = variable + k * (1 + groups);", "  if (get_local_id(0) == 0) *q = first[1 + g];", "  barrier(CLK_LOCAL_MEM_FENCE);"]
    for space, pointer, at in (("global", "first", "2 * (k * n + i)"), ("local", "q", "2 * (k * n + i) + 1")):
        text += [f"  {{ volatile {space} {t} *p = {pointer};", "  switch (k) {"]
        text += [f"  case {k}: {{ {s.replace('SPACE', space)} break; }}" for k, (_, s, _) in enumerate(rows)]
        text += [f"  }} seen[{at}] = r; }}"]
    text += ["  barrier(CLK_LOCAL_MEM_FENCE);", "  if (get_local_id(0) == 0) first[1 + g] = *q;", "}", ""]
    return "\n".join(text)


def explained(first, last, steps):
    """Whether steps (old, new) form a path through all of them from first to last."""
    degree, link = collections.Counter(), collections.defaultdict(set)
    for old, new in steps:
        degree[old] += 1
        degree[new] -= 1
        link[old].add(new)
        link[new].add(old)
    degree[last] += 1
    degree[first] -= 1
    if any(degree.values()):
        return False
    seen, todo = {first}, [first]
    while todo:
        todo += [v for v in link[todo.pop()] if v not in seen and not seen.add(v)]
    return all(old in seen for old, _ in steps)


def run(t, model, items=256, group=128, seed=1):
    """[(operation, text or None)]"""
    import re
    import subprocess
    rows, code = operations(t), TYPES[t]
    co = campaign.compile_kernel(f"atomics_{t}", source_text(t, rows))
    r, groups = random.Random(f"{seed}{t}"), items // group
    small = INTS[t][0] - 1
    operands = array.array(code)
    for _ in range(items * len(rows)):
        operands.extend([wrap(r.getrandbits(small) if r.randrange(4) else r.randrange(4), t), wrap(r.randrange(6), t)])
    start = array.array(code, [wrap(r.getrandbits(small) if r.randrange(2) else r.randrange(4), t) for _ in range(len(rows) * (1 + groups))])
    for k, (name, _, _) in enumerate(rows):
        if name.endswith(("cmpxchg", "compare_exchange")):  # few values, so that many exchanges happen
            for i in range(items):
                operands[2 * (k * items + i)] = r.randrange(6)
            for v in range(1 + groups):
                start[k * (1 + groups) + v] = r.randrange(6)
    files = {n: campaign.OUT / f"atomics_{t}.{model}.{n}" for n in ("in", "start", "last", "seen")}
    files["in"].write_bytes(operands.tobytes())
    files["start"].write_bytes(start.tobytes())
    size = operands.itemsize
    done = subprocess.run([campaign.ROOT / "build/bin/gantry", "kernel", "-c", "tiny", "-q", *campaign.MODELS[model], co, "--grid", f"{items},{len(rows)}",
                           "--group", f"{group},1", "--arg", f"out:{2 * size * items * len(rows)}:{files['seen']}", "--arg", f"inout:{files['start']}:{files['last']}",
                           "--arg", f"in:{files['in']}", "--arg", f"lds:{size}"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    if model == "lockstep":
        line = re.search(r"compared=(\d+) retired=(\d+)", done.stderr)
        assert line and line[1] == line[2] != "0", done.stderr
    seen, last, found = array.array(code), array.array(code), []
    seen.frombytes(files["seen"].read_bytes())
    last.frombytes(files["last"].read_bytes())
    for k, (name, _, f) in enumerate(rows):
        wrong = None
        for v in range(1 + groups):  # the global variable, then one of each group
            who = range(items) if v == 0 else range((v - 1) * group, v * group)
            steps = []
            for i in who:
                old = seen[2 * (k * items + i) + (v > 0)]
                steps.append((old, wrap(f(old, operands[2 * (k * items + i)], operands[2 * (k * items + i) + 1]), t)))
            at = k * (1 + groups) + v
            if not explained(start[at], last[at], steps):
                wrong = f"{'global' if v == 0 else 'local'}: no order of the operations explains the values from {start[at]} to {last[at]}"
        found.append((name, wrong))
    return found


if __name__ == "__main__":
    for kind in TYPES:
        for m in ("golden", "lockstep"):
            results = run(kind, m)
            print(kind, m, len(results), [x for x in results if x[1]])
