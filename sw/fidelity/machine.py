# SPDX-License-Identifier: Apache-2.0
"""Kernels of this folder on an RTL GPU: cycles of a run, and of the difference of two runs (start, launch and end do not count)."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "sw/tools"))
from builder import release  # noqa: E402

GANTRY = ROOT / "build/bin/gantry"
LIMIT = 3600  # seconds of a run; the first of a configuration builds its models


def code(name):
    """The code object of sw/fidelity/NAME.cl, made when it is older."""
    source, out = ROOT / f"sw/fidelity/{name}.cl", ROOT / f"build/fidelity/{name}.co"
    out.parent.mkdir(parents=True, exist_ok=True)
    if not out.exists() or out.stat().st_mtime < source.stat().st_mtime:
        subprocess.run(["clang-19", "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx803", "-O2", "-Wall", "-Werror",
                        release.bitcode(), "-mcode-object-version=4", "-o", out, source], check=True)
    return out


def cycles(kernel, items, group, args, config="r9nano", options=()):
    """Target cycles of one launch of FILE:KERNEL; args as of `gantry kernel --arg`."""
    file, name = kernel.split(":")
    words = [GANTRY, "kernel", "-c", config, "-q", *options, f"{code(file)}:{name}", "--grid", items, "--group", group]
    for arg in args:
        words += ["--arg", arg]
    done = subprocess.run(list(map(str, words)), cwd=ROOT, capture_output=True, text=True, timeout=LIMIT, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise RuntimeError(f"{kernel}: exit {done.returncode}: {done.stderr[-500:]}")
    return int(re.search(r"\bcycles=(\d+)", done.stderr.splitlines()[-1])[1])


def more(kernel, launches, config="r9nano", options=()):
    """Cycles that the second of two launches (items, group, args) takes more than the first."""
    few, many = (cycles(kernel, *launch, config, options) for launch in launches)
    return many - few
