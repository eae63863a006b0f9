#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make profile: where the time of a simulation goes, as a table by block of the design.

profile.py [--top N] [--lines N] -- gantry ARGUMENT...   default: a busy CU of configs/tiny.yaml with integer work

Runs the command under perf with models built with line numbers; each sample inside a Verilator model counts for the
instance whose variables its C++ line names most, others for their function.  Needs Debian's linux-perf and the right
to use it; prints a line and exits 70 without.
"""
import argparse
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from speed import bench  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCOPE = re.compile(r"\b((?:\w+__DOT__)+)")
DEFAULT = ["build/bin/gantry", "kernel", "-c", "configs/tiny.yaml", "-q", "build/bench/int.co", "--grid", "2560", "--group", "256",
           "--arg", "out:10240:/dev/null", "--arg", "u32:420"]  # bench.code("int")


def record(command, data):
    env = dict(os.environ, GANTRY_MODEL_OPT="-O3 -g")
    subprocess.run(command, cwd=ROOT, env=env, check=True, stdout=subprocess.DEVNULL)  # builds the models
    perf = subprocess.run(["perf", "record", "-q", "-F", "2000", "-o", data, *command], cwd=ROOT, env=env, capture_output=True, text=True)
    if perf.returncode:
        print(f"profile: perf record: {perf.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        sys.exit(70)


def samples(data):
    """(library, function, address in the library) of each sample."""
    out = subprocess.run(["perf", "script", "-i", data, "-F", "comm,ip,sym,symoff,dso", "--show-mmap-events"], capture_output=True,
                         text=True, check=True).stdout
    maps = []
    for line in out.splitlines():
        m = re.search(r"PERF_RECORD_MMAP2 .*\[0x([0-9a-f]+)\(0x([0-9a-f]+)\) @ (0x[0-9a-f]+|0) .*\]: r-xp (\S+)", line)
        if m:
            maps.append((int(m[1], 16), int(m[2], 16), int(m[3], 16), m[4]))
            continue
        m = re.match(r"\s*(\S+)\s+([0-9a-f]+) (.*?) \((\S+)\)$", line)
        if m and m[1] == "gantry":
            at = int(m[2], 16)
            base = next(((s, o) for s, n, o, f in maps if f == m[4] and s <= at < s + n), None)
            yield m[4], m[3].split("+0x")[0], (at - base[0] + base[1]) if base else None


def block_of(text):
    """Instance path, at most four levels below the top, that a line of C++ names most."""
    found = collections.Counter()
    for m in SCOPE.finditer(text):
        path = [p for p in m[1].split("__DOT__") if p]
        path = [re.sub(r"__BRA__(\d+)__KET__", r"[\1]", p) for p in path if not p.startswith(("__V", "unnamed"))]
        if path:
            path[0] = re.sub(r"^.*part_", "part_", path[0])
        found[".".join(p for p in path if p.startswith(("u_", "part_", "gen_")))] += 1
    return found.most_common(1)[0][0] if found else None


def lines_of(library, addresses):
    """Source text and place of each address."""
    ask = "".join(f"{a:#x}\n" for a in addresses)
    out = subprocess.run(["llvm-symbolizer-19", "--obj", library, "--no-inlines", "--functions=none"], input=ask, capture_output=True,
                         text=True, check=True).stdout
    files = {}
    for at, answer in zip(addresses, out.strip().split("\n\n")):
        path, line, *_ = answer.strip().rsplit(":", 2)
        if path not in files:
            files[path] = pathlib.Path(path).read_text(errors="replace").splitlines() if pathlib.Path(path).exists() else []
        text = files[path]
        yield at, path, int(line), text[int(line) - 1] if 0 < int(line) <= len(text) else "", text


def context(text, line):
    """The statement and, when it names nothing, what stands before it."""
    for back in range(0, 40):
        chunk = "\n".join(text[max(0, line - 1 - back):line + 4])
        block = block_of(chunk)
        if block:
            return block
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--top", type=int, default=40)
    parser.add_argument("--lines", type=int, default=0, help="also the N hottest C++ lines")
    parser.add_argument("command", nargs="*")
    args = parser.parse_args()
    if not shutil.which("perf"):
        print("profile: perf is missing: apt install linux-perf", file=sys.stderr)
        sys.exit(70)
    if not args.command:
        bench.code("int")
    with tempfile.TemporaryDirectory() as folder:
        data = f"{folder}/perf.data"
        record(args.command or DEFAULT, data)
        by_library = collections.defaultdict(collections.Counter)
        functions = {}
        for library, function, at in samples(data):
            by_library[library][at if "/V" in library else None, function] += 1
    total = sum(sum(c.values()) for c in by_library.values())
    blocks, hot = collections.Counter(), collections.Counter()
    for library, found in by_library.items():
        name = pathlib.Path(library).name
        at_function = {a: f for a, f in found if a is not None}
        places = {a: (p, n, t, x) for a, p, n, t, x in lines_of(library, sorted(at_function))} if at_function else {}
        for (at, function), count in found.items():
            block = None
            if at is not None and at in places:
                path, line, text, whole = places[at]
                hot[name, pathlib.Path(path).name, line, text.strip()[:150]] += count
                if "nba" in function or "act" in function or "ico" in function:
                    block = context(whole, line)
                    simd = re.search(r"gen_simd__BRA__(\d)", function)
                    if simd and "cu_simd" in function:
                        block = f"part_cu.u_cu.gen_simd[{simd[1]}].u_simd"
            blocks[f"{name}: {block}" if block else f"{name}: {function}" if "/V" in library else name] += count
    for block, count in blocks.most_common(args.top):
        print(f"{100 * count / total:6.2f} %  {block}")
    for (name, path, line, text), count in hot.most_common(args.lines):
        print(f"{100 * count / total:6.2f} %  {path}:{line}: {text}")
    print(f"profile: {total} samples")


if __name__ == "__main__":
    main()
