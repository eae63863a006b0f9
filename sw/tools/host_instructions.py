#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""host_instructions.py [COMMIT...]: host instructions that a target cycle takes, counted by callgrind, of commits or of the tree.

A copy of each (build/host-instructions/NAME) is built for x86-64-v3, which valgrind knows; AVX-512 it does not.  For each kernel
the difference of a long and a short run, so start-up, launch and the end do not count: exact, whatever else the machine does.
configs/demo.yaml with one GPU: 4 CUs, all busy.  The first build takes minutes, a measurement half a minute a kernel.
"""
import pathlib
import re
import subprocess
import sys

import planted

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build/host-instructions"
NULL = "/dev/null"
NATIVE, V3 = (b"-march=native", b"-march=$(MARCH)"), "x86-64-v3"  # in commits of all times
WAVES = 16  # of each CU


def items(count, *rest):
    n = 4 * WAVES * 64
    return [n, 256, [f"out:{n * 4}:{NULL}", *rest, f"u32:{count}"]]


def square(side):
    return [f"{side},{side}", "16,16", [f"out:{side * side * 4}:{NULL}", *[f"zero:{side * side * 4}"] * 2, f"u32:{side}"]]


def filtered(n):
    return [n, 256, [f"out:{n * 4}:{NULL}", f"zero:{n * 4 + 64}", "zero:64"]]


KERNELS = {"int": (items(4), items(12)), "hash": (items(8, f"zero:{4 * WAVES * 64 * 4}"), items(56, f"zero:{4 * WAVES * 64 * 4}")),
           "matmul": (square(64), square(96)), "fir": (filtered(2048), filtered(6144))}


def moved(text):
    """The text of a file for the processor that valgrind knows."""
    for native in NATIVE:
        text = text.replace(native, b"-march=" + V3.encode())
    return text


def copy(commit):
    """A tree of this commit ("" : the files as they are), built for x86-64-v3."""
    name = subprocess.run(["git", "rev-parse", "--short", commit], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip() if commit else "tree"
    tree = FOLDER / name
    tree.mkdir(parents=True, exist_ok=True)
    if commit:
        if not (tree / "Makefile").exists():
            sources = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=True).stdout
            subprocess.run(["tar", "x", "-C", tree], input=sources, check=True)
            for file in (tree / "Makefile", tree / "sw/tools/verilate.py"):
                file.write_bytes(moved(file.read_bytes()))
    else:
        for file in planted.listed():
            text, target = moved((ROOT / file).read_bytes()), tree / file
            if not target.exists() or target.read_bytes() != text:  # times of what is equal stay: only what changed is built
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(text)
                target.chmod((ROOT / file).stat().st_mode)
    (tree / "build").mkdir(exist_ok=True)
    (tree / "build/march").write_text(V3)  # of models: processor.py
    for shared in ("venv", "bench"):
        (ROOT / "build" / shared).mkdir(exist_ok=True)
        if not (tree / "build" / shared).exists():
            (tree / "build" / shared).symlink_to(ROOT / "build" / shared)
    subprocess.run(["make", "-s", "build/bin/gantry"], cwd=tree, check=True)
    return tree


def code(name):
    import bench
    return bench.code(name)


def run(tree, name, grid, group, args, counted=True):
    """(target cycles, host instructions) of one launch"""
    cmd = [tree / "build/bin/gantry", "kernel", "-c", "demo", "--set", "system.gpus=1", "-q", code(name), "--grid", grid, "--group", group]
    for arg in args:
        cmd += ["--arg", arg]
    wrap = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={NULL}"] if counted else []
    done = subprocess.run([*wrap, *map(str, cmd)], cwd=tree, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        sys.exit(f"host_instructions: {name}: exit {done.returncode}: {done.stderr[-500:]}")
    cycles = int(re.search(r"\bcycles=(\d+)", done.stderr)[1])
    return cycles, int(re.search(r"Collected : (\d+)", done.stderr)[1]) if counted else 0


def measure(tree, name):
    """Host instructions per target cycle, and of the work itself: comparable where a commit takes other cycles for it."""
    short, long = KERNELS[name]
    run(tree, name, *short, counted=False)  # builds the models if need be
    (few, less), (many, more) = run(tree, name, *short), run(tree, name, *long)
    return (more - less) / (many - few), more - less


def main():
    sys.path.insert(0, str(ROOT / "sw/tools"))
    commits = sys.argv[1:] or [""]
    print("| kernel |" + "".join(f" {c or 'tree'} |" for c in commits) + "\n|" + "---|" * (len(commits) + 1), flush=True)
    trees = [copy(c) for c in commits]
    for name in KERNELS:
        values = [measure(tree, name) for tree in trees]
        first, work = values[0]
        print(f"| {name} |" + "".join(f" {v:,.0f} ({v / first:.3f}; the same work {w / work:.3f}) |" for v, w in values), flush=True)


if __name__ == "__main__":
    main()
