#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""host_instructions.py [--gpu] [COMMIT...]: host instructions that a cycle of a CU takes, counted by callgrind, of commits or of the tree.

A copy of each (build/host-instructions/NAME) is built for x86-64-v3, which valgrind knows; AVX-512 it does not.  For each kernel
the difference of a long and a short run, so start-up, launch and the end do not count: exact, whatever else the machine does.
All of the simulator's instructions count; a cycle of a CU is one that is evaluated: it has something to do.  Where a commit takes
fewer cycles for the same work, each has more to do: so the work is compared, too.
configs/demo.yaml with one GPU: 4 CUs, all busy; --gpu: r9nano, 64 CUs, all busy.  The first build takes minutes, a measurement
half a minute a kernel, of 64 CUs up to ten.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from verify import planted  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
FOLDER = ROOT / "build/host-instructions"
NULL = "/dev/null"
CYCLE = "Vpart_cu___024root___eval_nba("  # called once a cycle of a CU
NATIVE, V3 = (b"-march=native", b"-march=$(MARCH)"), "x86-64-v3"  # in commits of all times
WAVES = 16  # of each CU


def items(cus, count, *rest):
    n = cus * WAVES * 64
    return [n, 256, [f"out:{n * 4}:{NULL}", *rest, f"u32:{count}"]]


def square(side):
    return [f"{side},{side}", "16,16", [f"out:{side * side * 4}:{NULL}", *[f"zero:{side * side * 4}"] * 2, f"u32:{side}"]]


def filtered(n):
    return [n, 256, [f"out:{n * 4}:{NULL}", f"zero:{n * 4 + 64}", "zero:64"]]


def kernels(cus):
    """Short and long run of each on so many CUs: {name: (launch, launch)}."""
    salt = f"zero:{cus * WAVES * 64 * 4}"
    return {"int": (items(cus, 4), items(cus, 12)), "hash": (items(cus, 8, salt), items(cus, 56, salt)),
            "matmul": (square(192), square(320)) if cus > 4 else (square(64), square(96)),
            "fir": (filtered(65536), filtered(262144)) if cus > 4 else (filtered(2048), filtered(6144))}


MACHINES = {False: (["-c", "demo", "--set", "system.gpus=1"], kernels(4)), True: (["-c", "r9nano"], kernels(64))}
KERNELS = MACHINES[False][1]


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
            there = {p.name: p for p in (tree / "sw/tools").rglob("*")}  # wherever that commit has them
            for file in (tree / "Makefile", there["verilate.py"]):
                file.write_bytes(moved(file.read_bytes()))
            for file in ("packages.txt", "requirements.txt", "releases.tsv"):  # what is installed is what this tree wants
                shutil.copy(ROOT / "sw/tools/builder" / file, there[file])
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
    from speed import bench
    return bench.code(name)


def calls(profile, function):
    """How often callgrind has seen functions called whose name begins so."""
    names, called, count = {}, "", 0
    for line in profile:
        if found := re.match(r"c?fn=\((\d+)\)(?: (.*))?$", line):
            if found[2]:
                names[found[1]] = found[2]
            called = names[found[1]] if line[0] == "c" else called
        elif line.startswith("calls=") and called.startswith(function):
            count += int(line[6:].split()[0])
    return count


def run(tree, name, options, grid, group, args, counted=True):
    """(cycles of CUs, host instructions) of one launch"""
    cmd = [tree / "build/bin/gantry", "kernel", *options, "-q", code(name), "--grid", grid, "--group", group]
    for arg in args:
        cmd += ["--arg", arg]
    with tempfile.NamedTemporaryFile("r") as profile:
        wrap = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile.name}"] if counted else []
        done = subprocess.run([*wrap, *map(str, cmd)], cwd=tree, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode:
            sys.exit(f"host_instructions: {name}: exit {done.returncode}: {done.stderr[-500:]}")
        if not counted:
            return 0, 0
        with open(profile.name) as text:  # callgrind makes the file anew
            cycles = calls(text, CYCLE)
    return cycles, int(re.search(r"Collected : (\d+)", done.stderr)[1])


def measure(tree, name, gpu=False):
    """Host instructions per cycle of a CU, those of the work itself, and how many cycles of CUs it takes."""
    options, kernels_of = MACHINES[gpu]
    short, long = kernels_of[name]
    run(tree, name, options, *short, counted=False)  # builds the models if need be
    (few, less), (many, more) = run(tree, name, options, *short), run(tree, name, options, *long)
    return (more - less) / (many - few), more - less, many - few


def main():
    sys.path.insert(0, str(ROOT / "sw/tools"))
    parser = argparse.ArgumentParser(description="host instructions that a cycle of a CU takes, counted by callgrind")
    parser.add_argument("--gpu", action="store_true", help="64 CUs (r9nano) instead of 4 (demo)")
    parser.add_argument("commits", nargs="*", help="none: the files as they are")
    options = parser.parse_args()
    commits = options.commits or [""]
    print("| kernel |" + "".join(f" {c or 'tree'} |" for c in commits) + "\n|" + "---|" * (len(commits) + 1), flush=True)
    trees = [copy(c) for c in commits]
    for name in KERNELS:
        values = [measure(tree, name, options.gpu) for tree in trees]
        first, work, cycles = values[0]
        print(f"| {name} |" + "".join(f" {v:,.0f} ({v / first:.3f}; the same work {w / work:.3f} in {c / cycles:.3f} of the cycles) |"
                                      for v, w, c in values), flush=True)


if __name__ == "__main__":
    main()
