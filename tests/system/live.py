# SPDX-License-Identifier: Apache-2.0
"""Whole programs under `gantry run`: how they are built, started and judged.  GANTRY_MODELS names the models."""
import csv
import functools
import hashlib
import os
import pathlib
import re
import subprocess
import tempfile
import time

from processes import holding, names

ROOT = pathlib.Path(__file__).resolve().parents[2]
GANTRY = ROOT / "build/bin/gantry"
APPS = ROOT / "build/apps"
PROGRAMS = ROOT / "build/tests/programs"
LADDER_FAMILIES = ("sorting",)  # the ladder runs these of the families of kernels (sw/tools/mk/apps.mk), too
MODELS = os.environ.get("GANTRY_MODELS", "golden rtl").split()
LIMIT = 600  # the first run of a configuration builds its models


@functools.cache
def built(name, *options):
    """Path of tests/system/programs/NAME.hip, compiled: once for all tests that want it with these options."""
    source = ROOT / f"tests/system/programs/{name}.hip"
    words = ["-O2", "-std=c++17", "-I", "sw/apps", "-idirafter", "host"]
    texts = [source, *sorted((ROOT / "sw/apps").glob("*.h"))]
    key = hashlib.sha256(b"\0".join([*(path.read_bytes() for path in texts), *map(str.encode, [*words, *options])])).hexdigest()[:16]
    target = PROGRAMS / key / name
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        fresh = target.with_name(f"{name}.{os.getpid()}")  # two workers may want it
        subprocess.run([ROOT / "sw/tools/builder/hipcc.sh", *words, "-x", "hip", source, "-o", fresh, *options], cwd=ROOT, check=True, capture_output=True, text=True)
        fresh.rename(target)
    return target


class Result:
    def __init__(self, status, out, err, seconds, kernels=()):
        self.status, self.out, self.err, self.seconds, self.kernels = status, out, err, seconds, list(kernels)
        line = next((l for l in reversed(err.splitlines()) if l.startswith("gantry: gpus=")), "")
        self.line = dict(re.findall(r"(\w+)=(\S+)", line))

    def __repr__(self):
        return f"status {self.status}\n--- stdout\n{self.out[-3000:]}\n--- stderr\n{self.err[-5000:]}"


def command(program, model="golden", gpus=2, options=()):
    cfg = ["-c", "configs/demo.yaml", "--set", f"system.gpus={gpus}"]
    return [str(GANTRY), "run", *cfg, "--model", model, *options, "--", *map(str, program)]


def gantry_run(program, model="golden", gpus=2, options=(), env=None):
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="result-") as folder:
        done = subprocess.run(command(program, model, gpus, ["-o", folder, *options]), cwd=ROOT, env={**os.environ, **(env or {})},
                              text=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT, errors="replace")
        kernels = kernels_of(folder)
    return Result(done.returncode, done.stdout, done.stderr, time.monotonic() - begin, kernels)


def kernels_of(folder):
    """The rows of a result folder's kernels.csv."""
    table = pathlib.Path(folder, "kernels.csv")
    return list(csv.DictReader(table.open())) if table.exists() else []


def rows(result):
    """The launches that have ended, in that order: (GPU, kernel without its parameters)."""
    found = [row for row in result.kernels if row["finished"] == "1"]
    assert len(found) == int(result.line["kernels"]), result
    names = subprocess.run(["c++filt", "-p"], input="\n".join(row["kernel"] for row in found), capture_output=True, text=True, check=True)
    return [(int(row["gpu"]), name) for row, name in zip(found, names.stdout.splitlines())]


def on_last_gpus(gpus, count=1):
    """The environment in which a program sees only the last `count` of the GPUs, the last one first."""
    return {"HIP_VISIBLE_DEVICES": ",".join(str(gpus - 1 - n) for n in range(count))}


def shared_names():
    """Names of shared memory and semaphores in the system."""
    return {p.name for p in pathlib.Path("/dev/shm").glob("*")}


def shared_in_use():
    """Those that somebody has mapped: programs that have nothing to do with the test."""
    found = set()
    for maps in pathlib.Path("/proc").glob("[0-9]*/maps"):
        try:
            found |= set(re.findall(r" /dev/shm/(\S+)$", maps.read_text(), re.M))
        except OSError:
            continue
    return found


def leftovers(folder, shared=None):
    """What runs with TMPDIR=folder may have left in the system: trees, sockets whose simulator is gone, processes, names of
    shared memory that were not among `shared` before."""
    found = [str(f) for f in pathlib.Path(folder).glob("gantry-*")]
    for line in open("/proc/net/unix"):
        name = re.search(r"@gantry-(\d+)$", line.strip())
        if name and not os.path.exists(f"/proc/{name[1]}"):
            found.append(name[0])
    found += names(holding(f"TMPDIR={folder}"))
    if shared is not None and (fresh := shared_names() - shared):
        found += sorted(fresh - shared_in_use())
    return found
