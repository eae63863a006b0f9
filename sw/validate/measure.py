# SPDX-License-Identifier: Apache-2.0
"""One row on the RTL: `gantry run` of gemm (gemm.cpp), twice.  First on the golden model, which tells the numbers of the kernels of each call and what memory
holds in the end (`data`); then with the last call's kernels, or those of both calls, on the RTL, which must leave the same.  Small rows have both calls on the
RTL, so that the measured one finds TLBs and instruction caches warm; in large ones that is some microseconds of hundreds, and the L2 is warm by roi.warm.
Not responsible for: what is made of it (figures.py)."""
import csv
import json
import os
import pathlib
import re
import resource
import subprocess

import packages

ROOT = packages.ROOT
CONFIG = "r9nano"
CYCLES = 1000.0  # a microsecond: configs/r9nano.yaml runs at the 1,000 MHz of the card
BOTH = 0.3  # GFLOP up to which both calls are on the RTL
LIMIT = 4 * 3600  # seconds
# rocBLAS parses 117 MB of tables after its first ioctl: the host may take a while before a run counts as one whose time is the host's
KEYS = ("clock.patience=60",)


class Failed(Exception):
    """One line."""


def gantry(folder, kernels, options, row, keys):
    words = [ROOT / "build/bin/gantry", "run", "-q", "-c", CONFIG, "-o", folder, *options, *[w for k in (*KEYS, *keys) for w in ("--set", k)],
             "--", packages.FOLDER / "gemm", row.trans_a, row.trans_b, row.m, row.n, row.k, 2]
    env = {**os.environ, "ROCBLAS_TENSILE_LIBPATH": str(kernels)}
    try:
        done = subprocess.run([str(w) for w in words], cwd=ROOT, env=env, capture_output=True, text=True, timeout=LIMIT, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        raise Failed(f"{row.name}: no end after {LIMIT} s") from None
    (folder.parent / f"{folder.name}.log").write_text(done.stdout + done.stderr)
    line = re.search(r"^event_us=(\S+) checked=(\d+) of=(\d+) wrong=(\d+)$", done.stdout, re.M)
    if done.returncode or not line:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise Failed(f"{row.name}: exit status {done.returncode}: {next((s for s in said if s.startswith('gemm:')), said[-1] if said else '')}")
    figures = dict(re.findall(r"(\w+)=(\S+)", done.stderr.strip().splitlines()[-1]))
    with open(folder / "kernels.csv") as file:
        products = [k for k in csv.DictReader(file) if k["kernel"].startswith("Cijk_")]
    return {"event_us": float(line[1]), "checked": int(line[2]), "of": int(line[3]), "data": figures["data"], "repeatable": figures["repeatable"]}, products


def calls_of(products):
    """Kernels of the first and of the second call: as many each, of the same names."""
    products = sorted(products, key=lambda k: int(k["number"]))
    half = len(products) // 2
    if not half or [k["kernel"] for k in products[:half]] != [k["kernel"] for k in products[half:]]:
        raise Failed(f"two calls have kernels {[k['kernel'][:40] for k in products]}")
    return products[:half], products[half:]


def plan(folder, kernels, row):
    """What the golden model tells: {calls: numbers of the kernels of each, data}; kept beside the results, as it is the same for both sets of kernels."""
    kept = folder / f"{row.name}.golden.json"
    if kept.exists():
        return json.loads(kept.read_text())
    figures, products = gantry(folder / f"{row.name}.golden", kernels, ["--model", "golden"], row, ())
    calls = calls_of(products)
    found = {"calls": [[int(k["number"]) for k in call] for call in calls], "data": figures["data"]}
    kept.write_text(json.dumps(found) + "\n")
    return found


def measure(folder, name, kernels, row, keys=()):
    """{kernel_us, beta_us, event_us, kernel, groups, checked, of, cpu_s, data} of the second call."""
    folder = pathlib.Path(folder)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    known = plan(folder, kernels, row)
    both = row.gflop <= BOTH
    first, last = known["calls"][0 if both else 1][0], known["calls"][1][-1]
    figures, products = gantry(folder / name, kernels, ["--roi", f"kernel:{first}..{last}"], row, (*keys, *([] if both else ["roi.warm=32768"])))
    if figures["data"] != known["data"]:
        raise Failed(f"{row.name}: data={figures['data']}, the golden model has {known['data']}")
    if figures["repeatable"] != "yes":
        raise Failed(f"{row.name}: another run may have other cycles (clock.patience)")
    _, second = calls_of(products)
    if any(k["model"] != "rtl" for k in second):
        raise Failed(f"{row.name}: kernels {first} to {last} were not all on the RTL")
    us = {k["kernel"]: int(k["cycles"]) / CYCLES for k in second}
    product = max(second, key=lambda k: len(k["kernel"]))  # the kernel before it, if any, multiplies C by beta: Cijk_S
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    groups = int(product["grid_x"]) * int(product["grid_y"]) * int(product["grid_z"]) // (int(product["group_x"]) * int(product["group_y"]) * int(product["group_z"]))
    return figures | {"kernel_us": us.pop(product["kernel"]), "beta_us": sum(us.values()), "kernel": product["kernel"], "groups": groups, "both": both,
                      "cpu_s": round(cpu, 1)}
