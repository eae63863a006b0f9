#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make tune: let the C++ compiler lay out the models' code after what runs (profile-guided optimisation).

tune.py [CONFIG...]   names or files of configurations; default r9nano, demo and tiny
A busy compute unit runs through more code in a cycle than the instruction cache of a host core holds, most of it
jumped over.  This builds the models of each configuration with counters (those of the last one also with observation ports), runs the
benchmark kernels on them and leaves the counts in build/models/profile.profdata.  From then on models.py compiles
ordinary models with them: same cycles, same results, less time.  Counts that no longer fit a changed source are ignored by the compiler, function by function.
Unchanged inputs take no time.  Needs clang's profiling runtime (Debian: libclang-rt-19-dev); exit 70 with one line when
something does not build, 1 when a kernel does not run.
"""
import argparse
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from speed import bench  # noqa: E402
from builder import model_cache  # noqa: E402
from builder import models  # noqa: E402

PROFILE = models.MODELS / models.PROFILE.name
KEY = PROFILE.with_suffix(".key")


def configuration(name):
    return name if "/" in name or name.endswith(".yaml") else f"configs/{name}.yaml"


def constants(config):
    done = subprocess.run([bench.GANTRY, "config", "-c", config, "--sv"], cwd=bench.ROOT, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"tune: {done.stderr.strip()}")
    return done.stdout


def workloads(cus):
    """(kernel, grid, group, arguments): a second or two each, with counters, for a GPU of `cus` CUs."""
    items = 1024 * cus
    words = f"out:{items * 4}:{bench.NULL}"
    table = ["zero:65536", "u32:16383"]
    return [
        ("int", items, 256, [words, "u32:10"]),
        ("fma", items, 256, [words, "u32:10"]),
        ("mem", items, 256, [words, *table, "u32:2"]),
        ("hash", items, 256, [words, f"zero:{items * 4}", "u32:4"]),
        ("fir", *bench.fir(items)),
        ("matmul", *bench.matmul(128 if cus > 16 else 64)),
        ("sleep", 64, 64, [f"out:256:{bench.NULL}", "u32:4"]),
    ]


def digest(configs):
    """What the profile depends on: every source and parameter of the models, the kernels, this file."""
    h = hashlib.sha256(repr(configs).encode())
    for config in configs:
        h.update(constants(config).encode())
    files = [bench.ROOT / path for _, _, path in models.inputs() if (bench.ROOT / path).is_file()]
    for path in [*files, *sorted((bench.ROOT / "sw/kernels").glob("bench_*.cl")), pathlib.Path(__file__)]:
        h.update(path.name.encode() + b"\0" + path.read_bytes())
    return h.hexdigest()


def train(config, folder, *options):
    values = dict(word.split("=") for word in constants(config).split())
    env = dict(os.environ, GANTRY_MODEL_OPT=f"-O3 -fprofile-generate={folder}")
    for name, grid, group, args in workloads(int(values["CuCount"])):
        command = bench.command(config, name, grid, group, args, *options)
        done = subprocess.run(command, cwd=bench.ROOT, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            print(f"tune: {' '.join(command)}: {(done.stderr.strip().splitlines() or ['no message'])[-1]}", file=sys.stderr)
            sys.exit(70 if done.returncode == 70 else 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("configs", nargs="*", metavar="CONFIG", default=["r9nano", "demo", "tiny"])
    configs = [configuration(c) for c in parser.parse_args().configs]
    key = digest(configs)
    if PROFILE.exists() and KEY.exists() and KEY.read_text() == key:
        return
    with tempfile.TemporaryDirectory(prefix="gantry-tune-") as folder:
        for config in configs:
            print(f"tune: {config}", flush=True)
            train(config, folder)
        print(f"tune: {configs[-1]}, lock step", flush=True)
        train(configs[-1], folder, "--lockstep")  # models with observation ports are code of their own
        fresh = PROFILE.with_suffix(f".{os.getpid()}")
        merge = shutil.which("llvm-profdata-19") or "llvm-profdata"
        subprocess.run([merge, "merge", "-o", fresh, *pathlib.Path(folder).iterdir()], check=True)
    model_cache.put(fresh, PROFILE)
    model_cache.seal(PROFILE)
    KEY.write_text(key)
    shutil.rmtree(models.MODELS / "stamps", ignore_errors=True)  # the next start asks models.py, which sees the profile
    print(f"tune: {os.path.relpath(PROFILE, bench.ROOT)} written; the next run builds its models with it")


if __name__ == "__main__":
    main()
