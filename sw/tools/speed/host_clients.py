#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""host_clients.py [CLIENT...]: host instructions of the same launch by a client of Gantry beside the command's, counted by callgrind.

library: libgantry.so from a C program.  tlm: the GPU as a SystemC module with its DRAM behind a plain memory
(tests/host/tlm/kernel.cpp), for each quantum.  All when none is named.  configs/smallest.yaml, one model of the whole GPU.  As
host_instructions.py: a copy of the tree, built for x86-64-v3; for each kernel the difference of a long and a short run, and beside it
the whole long run, with its start and end.  A client must take the cycles of the command, or nothing is compared.
The first build takes ten minutes, a measurement half a minute to two.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from speed import host_instructions  # noqa: E402

QUANTA = (1, 8, 140, 10000)  # ns
PATH = 272  # gpu.dram.path, cycles of 1 ns
CONFIG = ["smallest", "system.rtl=whole"]
CLIENTS = ("library", "tlm")


def small(count, *rest):
    """Two wavefronts a SIMD of the smallest GPU."""
    return [256, 64, [f"out:1024:{host_instructions.NULL}", *rest, f"u32:{count}"]]


# short and long run
KERNELS = {"int": (small(4), small(24)), "hash": (small(8, "zero:1024"), small(40, "zero:1024"))}


def options(config):
    """As behind the command."""
    return ["-c", config[0], *(word for setting in config[1:] for word in ("--set", setting))]


def launch(grid, group, args):
    return ["--grid", grid, "--group", group, *(word for arg in args for word in ("--arg", arg))]


def plain(spec):
    """An argument that writes no file."""
    return re.sub(r"^out:(\d+):.*", r"zero:\1", spec)


def words(tree, client, name, grid, group, args, quantum):
    code = host_instructions.code(name)
    return {"library": lambda: [tree / "build/bench_library", *CONFIG, "//", code, grid, group, *map(plain, args)],
            "tlm": lambda: [tree / "build/tests/host/tlm/kernel", quantum, PATH, *options(CONFIG[:1]), "//", "kernel", "-q", code, *launch(grid, group, args)],
            "command": lambda: [tree / "build/bin/gantry", "kernel", *options(CONFIG), "-q", code, *launch(grid, group, args)]}[client]()


def count(tree, cmd):
    """(cycles of the launch, host instructions)"""
    env = {**os.environ, "GANTRY_FILES": str(tree), "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"}
    with tempfile.NamedTemporaryFile("r") as profile:
        done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile.name}", *map(str, cmd)], cwd=tree, env=env, capture_output=True,
                              text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        sys.exit(f"host_clients: {cmd[0]}: exit {done.returncode}: {done.stderr[-500:]}")
    return int(re.search(r"\bcycles=(\d+)", done.stdout + done.stderr)[1]), int(re.search(r"Collected : (\d+)", done.stderr)[1])


def measure(tree, client, name, quantum=0):
    """(long less short, long, cycles of it)"""
    runs = []
    for shape in KERNELS[name]:
        cmd = words(tree, client, name, *shape, quantum)
        if not runs:
            subprocess.run(list(map(str, cmd)), cwd=tree, env={**os.environ, "GANTRY_FILES": str(tree)}, check=True, capture_output=True,
                           stdin=subprocess.DEVNULL)  # builds the models if need be
        runs.append(count(tree, cmd))
    (_, less), (cycles, more) = runs
    return more - less, more, cycles


def built(clients):
    """The copy of the tree, with the clients."""
    tree = host_instructions.copy("")
    make = ["make", "-s"]
    if "library" in clients:
        subprocess.run([*make, "lib-files"], cwd=tree, check=True)
        shared = tree / "build/lib/shared"
        subprocess.run(["gcc", "-O2", "-Ihost", "-o", "build/bench_library", "sw/tools/speed/bench_library.c", f"-L{shared}", f"-Wl,-rpath,{shared}", "-lgantry"],
                       cwd=tree, check=True)
    if "tlm" in clients:
        subprocess.run([*make, "systemc-files"], cwd=tree, check=True)
        subprocess.run([sys.executable, "-c", "import systemc; systemc.program('host/tlm/kernel')"], cwd=tree / "tests", check=True)
    return tree


def main():
    clients = sys.argv[1:] or CLIENTS
    if unknown := set(clients) - set(CLIENTS):
        sys.exit(f"host_clients: {', '.join(sorted(unknown))}: no client (library, tlm)")
    tree = built(clients)
    print("| client | kernel | cycles | command, instructions | client | to the command | with start and end |\n|---|---|---|---|---|---|---|", flush=True)
    for name in KERNELS:
        work, whole, cycles = measure(tree, "command", name)
        for client, quantum in [(c, q) for c in clients for q in (QUANTA if c == "tlm" else (0,))]:
            mine, all_of_it, same = measure(tree, client, name, quantum)
            if same != cycles:
                sys.exit(f"host_clients: {client}: {name}: {same} cycles, the command {cycles}")
            print(f"| {client}{f', quantum {quantum} ns' if quantum else ''} | {name} | {cycles:,} | {work:,} | {mine:,} | {mine / work:.3f} |"
                  f" {all_of_it / whole:.3f} |", flush=True)


if __name__ == "__main__":
    main()
