# SPDX-License-Identifier: Apache-2.0
"""Group of `make fidelity`: bytes a cycle of the far links by whole HIP programs, and a chain of loads in own and another GPU's memory."""
import subprocess

from machine import GANTRY, LIMIT, ROOT

MIB = 1024 * 1024
LATENCIES = (100, 140, 500)  # link.gpu


def program():
    """build/fidelity/links, made when it is older than sw/fidelity/links.hip."""
    source, out = ROOT / "sw/fidelity/links.hip", ROOT / "build/fidelity/links"
    out.parent.mkdir(parents=True, exist_ok=True)
    if not out.exists() or out.stat().st_mtime < source.stat().st_mtime:
        subprocess.run([ROOT / "sw/tools/builder/hipcc.sh", "-O2", "-x", "hip", source, "-o", out], check=True, capture_output=True)
    return out


def run(config, words, options=()):
    """{name: (bytes, cycles)} of a run of the program."""
    done = subprocess.run(list(map(str, [GANTRY, "run", "-c", config, "-q", *options, "--", program(), *words])), cwd=ROOT, capture_output=True, text=True,
                          timeout=LIMIT, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise RuntimeError(f"links {words}: exit {done.returncode}: {done.stderr[-500:]}")
    rows = [line.split() for line in done.stdout.splitlines()]
    return {name: (int(count), float(cycles)) for name, count, cycles in rows}


def rates(config, words, options=()):
    return {name: count / cycles for name, (count, cycles) in run(config, words, options).items()}


def copies(config="r9nano", sizes=(MIB, 16 * MIB)):
    return {f"{name} {size // MIB}": rate for size in sizes for name, rate in rates(config, ["copy", size]).items()}


def zero_copy(config="r9nano", size=4 * MIB, groups=64):
    return rates(config, ["zero", size, groups])


def peers(config="r9nano-2gpu", size=2 * MIB, groups=64, latencies=LATENCIES):
    return {f"{name} {latency}": rate for latency in latencies
            for name, rate in rates(config, ["peer", size, groups], ["--set", f"link.gpu={latency}"]).items()}


def chains(config="r9nano-2gpu", lines=512):
    return {name: cycles for name, (_, cycles) in run(config, ["chase", lines]).items()}


def links():
    return {**copies(), **zero_copy(), **peers(), **chains()}
