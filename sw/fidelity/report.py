# SPDX-License-Identifier: Apache-2.0
"""docs/fidelity.md and docs/fidelity/*.svg from results of groups.py and figures of hardware.py."""
import csv
import textwrap

import hardware
import plot
from machine import ROOT

HEAD = """# Fidelity

Whole-GPU microbenchmarks on `configs/r9nano.yaml` (64 CUs, 1000 MHz: a byte a cycle is a GB/s) beside published figures of Fiji and its nearest
relatives. `make fidelity` measures and writes this page (`sw/fidelity`); `make fidelity G=stream` one group. Each value is the difference of a long and a
short run, so start, launch and end do not count.
Sources: BS: UoB-HPC/BabelStream results v1.0, R9 Nano, HIP; #147: RadeonOpenCompute/ROCm issue 147, AMD's own figures of Fiji; CP: krrishnarraj/clpeak, R9
Nano; PT: sebbbi/perftest, R9 Fury; MT: mt4g reports of MI100 and MI210; GB: te42kyfo/gpu-benches, MI100 and MI210; OG: AMD's OpenCL optimization guide; CLRX:
CLRX/CLRX-mirror, GcnTimings.md. A: measured on the chip; B: a vendor's or its assembler's document; C: sibling chip, or derived.
Verdict: `ok` inside the band, `slow`, `fast` (faster than hardware beyond 1 %), `none` where no figure was found.
`tests/system/test_fidelity.py` holds a part of it in `make test`.
"""
TITLES = {
    "stream": "DRAM: streams", "chase": "Latency: a chain of pointers", "reuse": "Bandwidth of L1V and L2 over CUs", "strides": "Strides",
    "atomics": "Atomics", "lds": "LDS: bank conflicts", "instructions": "Instructions",
}


NOTES = {
    "stream": """A load keeps the bus busy (91 % row hits). A store leaves as a victim of the L2, whose order is not that of addresses: half of the writes
open a row. A channel has a queue of reads and one of writes. No document of the chip says when its bus turns: `gpu.dram.write_high`, `write_low`
and `write_idle` are set so that copy, mul, add and triad are in their bands: with a `write_idle` of 64 copy moves 378, mul 382 and add 415. A
store of 4 bytes a work-item is faster than hardware: nothing but open rows holds it up, successive windows of 16 MiB run at 427, 389, 415 and 373, of 16 bytes
at 366, 335, 331 and 345. What slows stores on hardware beyond that no document says.""",
    "chase": """Translations are known before the chain begins, the L1V and L2 hold what they can (an eighth of 16 MiB). A line from DRAM takes the DRAM's
own 45 cycles and
`gpu.dram.path` (208) more than an L2 hit; hardware's siblings have some 340 in all, the guide of GCN1 names 300 to 600 clk for the whole. With a path
of 288 the chain takes 573 clk and the loads leave their bands: of 4 bytes a work-item 380 GB/s, of 16 bytes 453. Slices (256 MSHRs), L1Vs (128) and
queues are not what hinders then: 165 MSHRs are in use on the average and all of them in less than a thousandth of the cycles. (1) A CU has 16 vector memory
instructions under way (`gpu.cu.vmem_slots`, at most 16): 64 lines with loads of a dword, which in 600 cycles are 437 GB/s at best, 4,096 lines in all.
(2) CUs drift apart, since less of what is under way waits in queues that serve them in turn: in successive windows of 16 MiB loads of 16 bytes move 489, 421
and 500, and the row hits of 40 MiB fall from 94 to 80 %. (3) A slice looks up one request a cycle, a miss twice: 0.96 lookups a cycle at hardware's rate.""",
    "reuse": """One work-group of 16 wavefronts a CU; L1V by buffer loads (as PT's), L2 by flat loads, whose addresses take eight cycles to read.""",
    "strides": """Loads of a dword; 4,096 work-items.""",
    "atomics": """No figure of hardware was found for rate or latency. A slice performs one request a cycle, with all its lanes on one line; lanes of one word
are one request each.""",
    "lds": """Cycles of a wavefront instruction of a CU, in a loop of eight loads and eight operations on what they bring: with at most two lanes a bank
the loop, not the LDS, decides.""",
}


def verdict(figure, value):
    """(difference to the nearer end in words, ok, slow, fast or none)."""
    if figure.low is None:
        return "", "none"
    end = figure.low if value < figure.low else figure.high if value > figure.high else value
    share = value / end - 1
    faster = share if figure.unit != "clk" else -share
    word = "fast" if faster > hardware.FASTER else "slow" if faster < -figure.band else "ok"
    return f"{100 * share:+.1f} %", word


def rows(name, found):
    out = ["| what | hardware | Gantry | difference | band | verdict | source |", "|---|---|---|---|---|---|---|"]
    for key, figure in hardware.FIGURES[name].items():
        if key not in found:
            continue
        share, word = verdict(figure, found[key])
        real = "none" if figure.low is None else f"{figure.low:.4g}" if figure.low == figure.high else f"{figure.low:.4g} to {figure.high:.4g}"
        band = "" if figure.low is None else f"{100 * figure.band:.0f} %"
        out.append(f"| {figure.what} | {real} | {found[key]:.4g} {figure.unit} | {share} | {band} | {word} | {figure.source} |")
    return out


def instruction_rows(found):
    lines = [line for line in (ROOT / "tests/rtl/cu/timing/classes.tsv").read_text().splitlines() if not line.startswith("#")]
    known = {row["class"]: row for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)}
    out = ["Cycles from issue to issue of one wavefront alone; the RTL is held to them by `tests/rtl/cu/timing`.", "",
           "| class | hardware | Gantry | source |", "|---|---|---|---|"]
    for name, value in found.items():
        figure, source = known[name]["hardware"], known[name]["source"]
        out.append(f"| {name} | {'none' if figure == '-' else figure} | {value} | {'' if source == '-' else source} |")
    return out


def plots(results):
    """SVG by file name."""
    numbers = {name: {key: float(value) for key, value in found.items()} for name, found in results.items() if name != "instructions"}
    out = {}
    if "chase" in numbers:
        out["chase"] = plot.curve("Chain of pointers", "KiB", "cycles a step", {"Gantry": [(float(k), v) for k, v in numbers["chase"].items()]},
                                  (("L1V", 120, 136), ("L2", 233, 344), ("DRAM", 570, 741)))
    if "reuse" in numbers:
        lines = {}
        for key, value in numbers["reuse"].items():
            level, count = key.split()
            lines.setdefault(level.upper(), []).append((float(count), value / float(count)))
        out["reuse"] = plot.curve("Loads from L1V and L2", "CUs", "bytes a cycle and CU", lines, (("L1V", 63, 64), ("L2, MI100", 14.5, 15.5)))
    if "strides" in numbers:
        out["strides"] = plot.curve("Loads of a dword in every n", "n", "lines a cycle", {"Gantry": [(float(k), v) for k, v in numbers["strides"].items()]},
                                    (("HBM's peak", 8, 8),))
    if "lds" in numbers:
        out["lds"] = plot.curve("LDS: loads of a dword", "dwords from lane to lane", "cycles an instruction",
                                {"Gantry": [(float(k), v) for k, v in numbers["lds"].items() if float(k)],
                                 "hardware (CLRX, OpenCL guide)": [(float(n), 2.0 * n) for n in (1, 2, 4, 8, 16, 32)]})
    return out


def write(results):
    text = [HEAD]
    drawn = plots(results)
    (ROOT / "docs/fidelity").mkdir(exist_ok=True)
    for name, found in results.items():
        text += [f"## {TITLES[name]}", ""]
        if name in drawn:
            (ROOT / f"docs/fidelity/{name}.svg").write_text(drawn[name])
            text += [f"![{TITLES[name]}](fidelity/{name}.svg)", ""]
        text += [textwrap.fill(" ".join(NOTES[name].split()), 158), ""] if name in NOTES else []
        text += [*(instruction_rows(found) if name == "instructions" else rows(name, found)), ""]
    (ROOT / "docs/fidelity.md").write_text("\n".join(text).rstrip() + "\n")
