#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make bench: the figures of docs/performance.md, each the median of N runs beside a calibrated C loop.

bench.py [--runs N] [--out FILE] [NAME...]   NAME: prefix of figures, e.g. cu, gpu64.hash; default all.  Writes build/bench.json.
A rate is the difference of a long and a short run of `gantry kernel` that differ in rounds only, so start-up, launch and
the end do not count.  What the tree cannot do yet is named with the reason and left out of the file.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from speed import host_instructions  # noqa: E402
from builder import release  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
GANTRY = ROOT / "build/bin/gantry"
REFERENCE_NS = 1.58  # one step of the loop on the reference machine
NULL = "/dev/null"
WARM = set()


class NotYet(Exception):
    """The tree cannot do this; the reason."""


def calibrate():
    exe = ROOT / "build/bench_loop"
    source = ROOT / "sw/tools/speed/bench_loop.c"
    if not exe.exists() or exe.stat().st_mtime < source.stat().st_mtime:
        subprocess.run(["gcc", "-O2", "-o", exe, source], check=True)
    return float(subprocess.run([exe], capture_output=True, text=True, check=True).stdout.split()[0])


def code(name):
    out = ROOT / f"build/bench/{name}.co"
    source = ROOT / f"sw/kernels/bench_{name}.cl"
    out.parent.mkdir(parents=True, exist_ok=True)
    if not out.exists() or out.stat().st_mtime < source.stat().st_mtime:
        subprocess.run(["clang-19", "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx803", "-O2",
                        release.bitcode(), "-mcode-object-version=4",
                        "-o", out, source], check=True)
    return str(out)


def command(config, name, grid, group, args, *options):
    cmd = [str(GANTRY), "kernel", "-c", config if "/" in config else f"configs/{config}.yaml", "-q", *options, code(name), "--grid", str(grid), "--group", str(group)]
    for spec in args:
        cmd += ["--arg", spec]
    return cmd


def timed(cmd, what):
    """What a command writes to stderr, and its rusage (CPU time in microseconds)."""
    with tempfile.TemporaryFile("w+") as err:
        child = subprocess.Popen(cmd, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=err)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        err.seek(0)
        text = err.read().strip()
    if child.returncode == 76 and "illegal" in text:
        raise NotYet("illegal instruction")
    if child.returncode:
        sys.exit(f"bench: {what}: exit {child.returncode}: {text[-300:]}")
    return text, usage


def cpu(usage):
    return usage.ru_utime + usage.ru_stime


def kernel(config, name, grid, group, args, *options):
    """Final line of one run as numbers, and its CPU time; models are built by a run before the first of their kind."""
    cmd = command(config, name, grid, group, args, *options)
    if (config, options) not in WARM:
        timed(cmd, " ".join(cmd))
        WARM.add((config, options))
    text, usage = timed(cmd, " ".join(cmd))
    line = dict(re.findall(r"\b(cycles|instructions)=([0-9]+)", text.splitlines()[-1]))
    return {**{k: float(v) for k, v in line.items()}, "cpu_s": cpu(usage)}


def rounds(config, name, waves, group, counts, *options, data=()):
    """Difference of two runs of a kernel (out, data..., rounds)."""
    items, word = waves * 64, 8 if name == "fp64" else 4
    few, many = (kernel(config, name, items, group, [f"out:{items * word}:{NULL}", *data, f"u32:{n}"], *options) for n in counts)
    return {k: many[k] - few[k] for k in few}


def sized(config, name, few, many, *options):
    """Difference of two runs of other sizes; each a (grid, group, args)."""
    a, b = kernel(config, name, *few, *options), kernel(config, name, *many, *options)
    return {k: b[k] - a[k] for k in a}


def rate(d):
    return d["instructions"] / max(d["cpu_s"], 1e-6), "instructions/s"


def cycles(d):
    return d["cycles"] / max(d["cpu_s"], 1e-6), "cycles/s"


def traffic(d):
    return d["bytes"] / 1e6 / max(d["cpu_s"], 1e-6), "MB/s"


def ns(d):
    return d["cpu_s"] * 1e9 / max(d["cycles"], 1), "ns/cycle"


def fir(items):
    return items, 256, [f"out:{items * 4}:{NULL}", f"zero:{items * 4 + 64}", "zero:64"]


def matmul(side):
    return f"{side},{side}", "16,16", [f"out:{side * side * 4}:{NULL}"] + [f"zero:{side * side * 4}"] * 2 + [f"u32:{side}"]


def copy():
    """Two MiB more are read, and as many written."""
    items = 1024 * 64
    few, many = (kernel("r9nano", "copy", items, 256, [f"zero:{items * 16 * n}", f"zero:{items * 16 * n}", f"u32:{items}", f"u32:{n}"])
                 for n in (1, 3))
    return {**{k: many[k] - few[k] for k in few}, "bytes": 2 * 2 * items * 16}


def idle_gpu():
    """A busy compute unit (integer mix) with and without a second, idle GPU in the machine; each the shortest of three
    runs by turns, since the difference is far below what one run varies."""
    pairs = [[ns(rounds(c, "int", 16, 1024, (50, 250)))[0] for c in ("r9nano", "r9nano-2gpu")] for _ in range(3)]
    one, two = (min(p[i] for p in pairs) for i in (0, 1))
    return {"value": (two - one, "ns/cycle")}


def build_cu():
    """Verilate and compile the compute unit of r9nano as the command does, without what is cached."""
    constants = subprocess.run([GANTRY, "config", "-c", "configs/r9nano.yaml", "--sv"], cwd=ROOT, capture_output=True, text=True, check=True)
    start = time.time()
    done = subprocess.run([ROOT / "build/venv/bin/python", ROOT / "sw/tools/builder/models.py", *[f"--set={c}" for c in constants.stdout.split()],
                           "--define=GANTRY_CU_FAULT=0", "--opt=-O3", "cu"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"bench: {done.stderr.strip()}")
    seconds = time.time() - start
    shutil.rmtree(pathlib.Path(done.stdout.split()[1]).parent)
    return {"value": (seconds, "s")}


def memory():
    """Both GPUs at work: a HIP program with a kernel of 1,024 work-groups on each, from two host threads."""
    subprocess.run(["make", "-s", "build/apps/saxpy2"], cwd=ROOT, check=True)
    _, usage = timed([GANTRY, "run", "-c", "configs/r9nano-2gpu.yaml", "-q", "--", "build/apps/saxpy2", str(1 << 18)], "saxpy2")
    return {"value": (usage.ru_maxrss / 1024, "MiB")}


def hash_64():
    n = 1024 * 64
    return rounds("r9nano", "hash", 1024, 256, (8, 64), data=[f"zero:{n * 4}"])


def two_threads():
    """Elapsed time of 64 busy CUs on one host thread over that on two; 1 / that where the host has one processor to give."""
    def elapsed(threads, size):
        cmd = command("r9nano", "hash", size, 256, [f"out:{size * 4}:{NULL}", f"zero:{size * 4}", "u32:64"], "--threads", threads)
        start = time.monotonic()
        subprocess.run(cmd, cwd=ROOT, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return time.monotonic() - start
    elapsed("1", 256)  # builds the models if need be
    return {"value": (elapsed("1", 1024 * 64) / elapsed("2", 1024 * 64), "x")}


def golden_two_threads():
    """Elapsed time of the golden model on one host thread over that on two: FMA mix, 200 work-groups."""
    def elapsed(threads, rounds):
        cmd = command("r9nano", "fma", 200 * 256, 256, [f"out:{200 * 256 * 4}:{NULL}", f"u32:{rounds}"], "--model", "golden", "--threads", threads)
        start = time.monotonic()
        subprocess.run(cmd, cwd=ROOT, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return time.monotonic() - start
    one, two = (elapsed(t, 4050) - elapsed(t, 50) for t in ("1", "2"))
    return {"value": (one / max(two, 1e-6), "x")}


def two_processes():
    """Elapsed time of two busy GPUs of 64 CUs in one process over that in two; the difference of two lengths."""
    subprocess.run(["make", "-s", "build/apps/hashes"], cwd=ROOT, check=True)

    def elapsed(processes, rounds):
        cmd = [GANTRY, "run", "-c", "configs/r9nano-2gpu.yaml", "-q", "--set", f"place.processes={processes}", "--", "build/apps/hashes", "65536", "1", str(rounds)]
        start = time.monotonic()
        subprocess.run(cmd, cwd=ROOT, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return time.monotonic() - start
    elapsed(1, 1)  # builds the models if need be
    one, two = (elapsed(n, 600) - elapsed(n, 100) for n in (1, 2))
    return {"value": (one / max(two, 1e-6), "x")}


def links():
    """Between two processes by shared memory, 64 bytes: median round trip, messages one way."""
    subprocess.run(["make", "-s", "build/bench_link"], cwd=ROOT, check=True)
    said = subprocess.run([ROOT / "build/bench_link"], capture_output=True, text=True, check=True, timeout=600).stdout.split()
    return {"round_trip": (float(said[1]), "us"), "one_way": (float(said[3]), "messages/s")}


def one_cu():
    """CPU time of a replay of 64 busy CUs with waves over that of one of them, whose inputs were kept."""
    with tempfile.TemporaryDirectory() as folder:
        rec, items = f"{folder}/rec", 1024 * 64
        timed(command("r9nano", "hash", items, 256, [f"out:{items * 4}:{NULL}", f"zero:{items * 4}", "u32:8"], "--record", f"{rec},gpu0.cu3"), "recording")

        def replay(name, *options):
            cmd = [str(GANTRY), "replay", rec, "-q", *options, "-o"]
            _, usage = min((timed([*cmd, f"{folder}/{name}{n}"], "replay") for n in range(2)), key=lambda run: run[1].ru_utime)  # the first may build
            return cpu(usage)
        return {"value": (replay("whole", "--wave", "gpu0") / max(replay("one", "--only", "gpu0.cu3", "--wave", "gpu0.cu3"), 1e-6), "x")}


def recording(name, grid, group, args):
    """CPU time of a kernel on one GPU of demo with --record over that without, a pair of runs by turns, and bytes of the recording for an instruction."""
    with tempfile.TemporaryDirectory() as folder:
        kernel("demo", name, grid, group, args)
        text, recorded = timed(command("demo", name, grid, group, args, "--record", f"{folder}/rec"), f"recording {name}")
        _, alone = timed(command("demo", name, grid, group, args), name)
        instructions = int(re.findall(r"\binstructions=([0-9]+)", text)[-1])
        size = sum(f.stat().st_size for f in pathlib.Path(folder).rglob("*") if f.is_file())
        return {"time": (cpu(recorded) / cpu(alone), "x"), "bytes": (size / instructions, "B/instruction")}


def counters_by_kernel():
    """CPU time that metrics.kernels adds to a kernel: 50 launches of an integer hash on one GPU of r9nano, 64 work-groups each."""
    subprocess.run(["make", "-s", "build/apps/hashes"], cwd=ROOT, check=True)

    def used(launches, *options):
        cmd = [GANTRY, "run", "-c", "configs/r9nano.yaml", "-q", *options, "--", "build/apps/hashes", "4096", "1", "50", str(launches)]
        return cpu(timed(cmd, "hashes")[1])
    counted = ("--set", "metrics.kernels=on")
    used(2)  # builds the models if need be
    return {"value": (((used(55, *counted) - used(5, *counted)) - (used(55) - used(5))) / 50 * 1e3, "ms/kernel")}


def outside_of_region():
    """CPU time of kernels outside a region of interest over that of the same kernels without any: 50 launches of an integer hash behind one on the RTL."""
    subprocess.run(["make", "-s", "build/apps/hashes"], cwd=ROOT, check=True)

    def used(launches, *options):
        cmd = [GANTRY, "run", "-c", "configs/demo.yaml", "-q", "--set", "system.gpus=1", *options, "--", "build/apps/hashes", "4096", "1", "4000", str(launches)]
        return cpu(timed(cmd, "hashes")[1])
    region, golden = ("--roi", "kernel:1..1"), ("--model", "golden")
    used(2, *region)  # builds the models if need be
    inside, outside = (used(55, *o) - used(5, *o) for o in (region, golden))
    return {"value": (inside / max(outside, 1e-6), "x")}


def lock_step(measure):
    """CPU time of a run in lock step over that of the RTL alone."""
    locked, alone = measure("--lockstep"), measure()
    return {"value": (locked["cpu_s"] / max(alone["cpu_s"], 1e-6), "x")}


# (measurement, {figure: how it follows}); one measurement may give several figures.
def plan():
    golden = ("--model", "golden")
    table = {"zero": [f"zero:{1 << 16}", f"u32:{(1 << 14) - 1}"]}
    value = lambda d: d["value"]
    copied = 1024 * 64, 256, [f"zero:{1 << 24}", f"zero:{1 << 24}", f"u32:{1024 * 64}", "u32:16"]
    return [
        (lambda: rounds("tiny", "int", 40, 256, (20, 1020)), {"cu.int": ns}),
        (lambda: rounds("tiny", "fma", 40, 256, (20, 1620)), {"cu.fma": ns}),
        (lambda: rounds("tiny", "mem", 40, 256, (8, 608), data=table["zero"]), {"cu.mem": ns}),
        (lambda: rounds("tiny", "sleep", 1, 64, (10, 1010)), {"cu.idle": ns}),
        (lambda: rounds("r9nano", "int", 16, 1024, (50, 450)), {"cu1.int.rate": rate, "cu1.cycles": cycles}),
        (lambda: rounds("r9nano", "fma", 16, 1024, (50, 1050)), {"cu1.fma.rate": rate}),
        (lambda: rounds("demo", "int", 16, 1024, (50, 450)), {"gpu4.int.rate": rate}),
        (lambda: sized("r9nano", "matmul", matmul(128), matmul(384)), {"gpu64.matmul.rate": rate}),
        (lambda: sized("r9nano", "fir", fir(1024 * 64), fir(5120 * 64)), {"gpu64.fir.rate": rate}),
        (hash_64, {"gpu64.hash.rate": rate, "gpu64.cycles": cycles}),
        (copy, {"gpu64.copy.cycles": cycles, "gpu64.copy.traffic": traffic}),
        (two_threads, {"gpu64.threads2": value}),
        (idle_gpu, {"gpu.idle": value}),
        (lambda: rounds("r9nano", "int", 40, 256, (50, 24050), *golden), {"golden.int.rate": rate}),
        (lambda: rounds("r9nano", "fma", 40, 256, (50, 36050), *golden), {"golden.fma.rate": rate}),
        (lambda: rounds("r9nano", "fp64", 40, 256, (50, 36050), *golden), {"golden.fp64.rate": rate}),
        (golden_two_threads, {"golden.threads2": value}),
        (lambda: lock_step(lambda *o: rounds("tiny", "int", 40, 256, (20, 2420), *o)), {"lockstep.int.ratio": value}),
        (lambda: lock_step(lambda *o: sized("tiny", "matmul", matmul(48), matmul(128), *o)), {"lockstep.matmul.ratio": value}),
        (links, {"link.round_trip": lambda d: d["round_trip"], "link.one_way": lambda d: d["one_way"]}),
        (two_processes, {"place.two_processes": value}),
        (one_cu, {"replay.one_cu": value}),
        (lambda: recording("matmul", *matmul(256)), {"record.matmul.time": lambda d: d["time"], "record.matmul.bytes": lambda d: d["bytes"]}),
        (lambda: recording("copy", *copied), {"record.copy.time": lambda d: d["time"], "record.copy.bytes": lambda d: d["bytes"]}),
        (outside_of_region, {"roi.outside": value}),
        (counters_by_kernel, {"metrics.kernels": value}),
        (build_cu, {"build.cu": value}),
        (memory, {"memory.2gpu": value}),
        *((lambda name=name: {"value": (host_instructions.measure(host_instructions.copy(""), name)[0], "instructions/CU cycle")}, {f"host.{name}": value})
          for name in host_instructions.KERNELS),
    ]


def scaled(value, unit, step):
    """What the reference machine would have shown."""
    if unit.endswith("/s"):
        return value * step / REFERENCE_NS
    return value * REFERENCE_NS / step if unit.startswith("ns") or unit == "s" else value


def measure_all(names, runs):
    results, missing = [], 0
    for measure, figures in plan():
        wanted = {n: f for n, f in figures.items() if not names or any(n.startswith(w) for w in names)}
        if not wanted:
            continue
        calibration, values = [calibrate()], []
        try:
            for _ in range(runs):
                values.append(measure())
                calibration.append(calibrate())
        except NotYet as why:
            missing += len(wanted)
            for name in wanted:
                print(f"{name:20} not there yet: {why}", flush=True)
            continue
        step = statistics.median(calibration)
        for name, figure in wanted.items():
            value, unit = statistics.median(figure(v)[0] for v in values), figure(values[0])[1]
            results.append({"name": name, "value": value, "unit": unit, "calibration": step})
            digits = 3 if unit in ("us", "x") or unit.startswith("B/") else 1
            print(f"{name:20} {value:14.{digits}f} {unit:16} loop {step:.3f} ns  scaled {scaled(value, unit, step):14.{digits}f}", flush=True)
    return results, missing


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build/bench.json")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    for name in args.names:
        if not any(figure.startswith(name) for _, figures in plan() for figure in figures):
            print(f"bench: no figure begins with {name}", file=sys.stderr)
            return 64
    begin = time.time()
    results, missing = measure_all(args.names, args.runs)
    args.out.write_text(json.dumps(results, indent=1) + "\n")
    absent = f", {missing} not there yet" if missing else ""
    print(f"bench: {len(results)} figures in {args.out}, {time.time() - begin:.0f} s{absent}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
