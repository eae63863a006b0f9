#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make bench: the figures of docs/performance.md, each the median of N runs beside a calibrated C loop.

bench.py [--runs N] [NAME...]   NAME: prefix of figures, e.g. cu, gpu64.hash; default all.  Writes build/bench.json.
Every figure is the difference of a long and a short run of `gantry kernel`, so start-up does not count.
"""
import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
GANTRY = ROOT / "build/bin/gantry"
REFERENCE_NS = 1.58  # one step of the loop on the reference machine


def calibrate():
    exe = ROOT / "build/bench_loop"
    source = ROOT / "sw/tools/bench_loop.c"
    if not exe.exists() or exe.stat().st_mtime < source.stat().st_mtime:
        subprocess.run(["gcc", "-O2", "-o", exe, source], check=True)
    return float(subprocess.run([exe], capture_output=True, text=True, check=True).stdout.split()[0])


def code(name):
    out = ROOT / f"build/bench/{name}.co"
    source = ROOT / f"sw/kernels/bench_{name}.cl"
    out.parent.mkdir(parents=True, exist_ok=True)
    if not out.exists() or out.stat().st_mtime < source.stat().st_mtime:
        subprocess.run(["clang-19", "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx803", "-O2",
                        "--rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode", "-mcode-object-version=4",
                        "-o", out, source], check=True)
    return out


def kernel(config, name, grid, group, args, *options):
    """Final line of one run as a dict of numbers, with peak memory in MiB."""
    cmd = ["/usr/bin/env", GANTRY, "kernel", "-c", f"configs/{config}.yaml", "-q", *options, str(code(name)), "--grid", grid, "--group", group]
    for spec in args:
        cmd += ["--arg", spec]
    done = subprocess.run(cmd, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"bench: {' '.join(map(str, cmd))}: exit {done.returncode}: {done.stderr.strip()[-300:]}")
    line = done.stderr.strip().splitlines()[-1]
    return {k: float(v) for k, v in re.findall(r"(\w+)=([0-9.]+)\b(?![0-9a-f])", line)}


def run(config, name, size, *options):
    """size: 'short' or 'long'; work of each kernel."""
    big = size == "long"
    rounds = {"int": (20, 220), "fma": (20, 420), "mem": (8, 108), "copy": (1, 3)}
    if config in ("tiny", "demo1"):
        waves, group = 40, "256"
    else:
        waves, group = 64 * 40, "256"
    one = "--one" in options
    options = [o for o in options if o != "--one"]
    n = 16 * 64 if one else waves * 64
    if name in ("int", "fma"):
        return kernel(config, name, str(n), group if not one else "1024", [f"out:{n * 4}:/dev/null", f"u32:{rounds[name][big]}"], *options)
    if name == "mem":
        return kernel(config, name, str(n), group, [f"out:{n * 4}:/dev/null", f"zero:{1 << 16}", f"u32:{(1 << 14) - 1}", f"u32:{rounds[name][big]}"], *options)
    if name == "copy":
        r = rounds[name][big]
        return kernel(config, name, str(n), group, [f"zero:{n * 16 * r}", f"zero:{n * 16 * r}", f"u32:{n}", f"u32:{r}"], *options)
    if name in ("hash", "fir"):
        n = n * (4 if big else 1)
        args = [f"zero:{n * 4}", f"zero:{n * 4 + 64}"] + (["zero:64"] if name == "fir" else [])
        return kernel(config, name, str(n), group, args, *options)
    side = 384 if big else 128
    return kernel(config, name, f"{side},{side}", "16,16", [f"zero:{side * side * 4}"] * 3 + [f"u32:{side}"], *options)


def difference(config, name, *options):
    a, b = run(config, name, "short", *options), run(config, name, "long", *options)
    return {k: b[k] - a[k] for k in ("cycles", "instructions", "cpu_s")}


def rate(d):
    return d["instructions"] / max(d["cpu_s"], 1e-6), "instructions/s"


def cycles(d):
    return d["cycles"] / max(d["cpu_s"], 1e-6), "cycles/s"


def ns(d):
    return d["cpu_s"] * 1e9 / max(d["cycles"], 1), "ns/cycle"


def idle_gpu():
    two = difference("r9nano-2gpu", "int", "--gpu", "0")
    one = difference("r9nano", "int")
    return (two["cpu_s"] / two["cycles"] - one["cpu_s"] / one["cycles"]) * 1e9, "ns/cycle"


def build_cu():
    with tempfile.TemporaryDirectory() as folder:
        start = time.time()
        subprocess.run([ROOT / "build/venv/bin/python", ROOT / "sw/tools/models.py", "--kind", "cu", "--config", "r9nano", "--out", folder],
                       cwd=ROOT, check=True, capture_output=True)
        return time.time() - start, "s"


def memory():
    cmd = ["/usr/bin/time", "-f", "%M"] if pathlib.Path("/usr/bin/time").exists() else None
    done = subprocess.Popen([GANTRY, "kernel", "-c", "configs/r9nano-2gpu.yaml", "-q", code("int"), "--grid", "163840", "--group", "256",
                             "--arg", "out:655360:/dev/null", "--arg", "u32:2"], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    del cmd
    import os
    _, status, usage = os.wait4(done.pid, 0)
    done.returncode = status
    return usage.ru_maxrss / 1024, "MiB"


def figures():
    golden = ("--model", "golden")
    return {
        "cu.int": lambda: ns(difference("tiny", "int")), "cu.fma": lambda: ns(difference("tiny", "fma")),
        "cu.mem": lambda: ns(difference("tiny", "mem")),
        "cu1.int.rate": lambda: rate(difference("r9nano", "int", "--one")),
        "cu1.fma.rate": lambda: rate(difference("r9nano", "fma", "--one")),
        "cu1.cycles": lambda: cycles(difference("r9nano", "int", "--one")),
        "gpu4.int.rate": lambda: rate(difference("demo", "int", "--one")),
        "gpu64.matmul.rate": lambda: rate(difference("r9nano", "matmul")), "gpu64.fir.rate": lambda: rate(difference("r9nano", "fir")),
        "gpu64.hash.rate": lambda: rate(difference("r9nano", "hash")), "gpu64.cycles": lambda: cycles(difference("r9nano", "hash")),
        "gpu64.copy.cycles": lambda: cycles(difference("r9nano", "copy")), "gpu.idle": idle_gpu,
        "golden.int.rate": lambda: rate(difference("r9nano", "int", *golden)),
        "golden.fma.rate": lambda: rate(difference("r9nano", "fma", *golden)),
        "build.cu": build_cu, "memory.2gpu": memory,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    results = []
    for name, measure in figures().items():
        if args.names and not any(name.startswith(n) for n in args.names):
            continue
        runs = 1 if name in ("build.cu", "memory.2gpu") else args.runs
        calibration, values = [calibrate()], []
        for _ in range(runs):
            value, unit = measure()
            values.append(value)
            calibration.append(calibrate())
        value, step = statistics.median(values), statistics.median(calibration)
        results.append({"name": name, "value": value, "unit": unit, "calibration": step})
        scaled = value * step / REFERENCE_NS if unit.endswith("/s") else value * REFERENCE_NS / step if unit.startswith("ns") else value
        print(f"{name:20} {value:14.1f} {unit:16} loop {step:.3f} ns  scaled {scaled:14.1f}", flush=True)
    (ROOT / "build/bench.json").write_text(json.dumps(results, indent=1) + "\n")
    print(f"bench: {len(results)} figures in build/bench.json")


if __name__ == "__main__":
    main()
