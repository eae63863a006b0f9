# SPDX-License-Identifier: Apache-2.0
"""fidelity.md and fidelity/*.svg, pages of docs/, from results of groups.py and figures of hardware.py."""
import csv
import textwrap

import drawings
import hardware
from figure import FASTER, LESS_IS_FASTER
from machine import ROOT
from notes import NOTES, TITLES

HEAD = """# Fidelity

Whole-GPU microbenchmarks on `configs/r9nano.yaml` (64 CUs, 1000 MHz: a byte a cycle is a GB/s) beside published figures of Fiji and its nearest
relatives. `make fidelity UPDATE=1` measures and writes this page (`sw/fidelity`), `G=stream` one group of it. Each value is the difference of a long and a
short run, so start, launch and end do not count. All groups take 7 minutes of one core, `bandwidth` 5 of them (and a minute to build the models).
Sources: BS: UoB-HPC/BabelStream results v1.0, R9 Nano, HIP; #147, #222: RadeonOpenCompute/ROCm issues, Fiji; CP: krrishnarraj/clpeak, R9
Nano; PT: sebbbi/perftest, R9 Fury; MT: mt4g reports of MI100 and MI210; GB: te42kyfo/gpu-benches, MI100 and MI210; OG: AMD's OpenCL optimization guide; CLRX:
CLRX/CLRX-mirror, GcnTimings.md; LLVM, ACO: their schedulers; GPUOpen: AMD's articles; CC: chipsandcheese.com, GCN; gem5: its Vega model. A: measured on the
chip; B: a vendor's or its assembler's document; C: sibling chip, or derived; D: what simulators assume.
Verdict: `ok` inside the band, `slow`, `fast` (faster than hardware beyond 1 %), `none` where no figure was found.
`tests/system/test_fidelity.py` holds a part of it in `make test`.
"""
def verdict(figure, value):
    """(difference to the nearer end in words, ok, slow, fast or none)."""
    if figure.low is None:
        return "", "none"
    if figure.low <= value <= figure.high:
        return "+0.0 %", "ok"
    end = figure.low if value < figure.low else figure.high
    share = value / end - 1
    faster = -share if figure.unit in LESS_IS_FASTER else share
    word = "fast" if faster > FASTER else "slow" if faster < -figure.band else "ok"
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


def write(results, docs):
    """The page and its plots, in a folder that stands for docs/."""
    text = [HEAD]
    drawn = drawings.plots(results)
    (docs / "fidelity").mkdir(parents=True, exist_ok=True)
    for name, found in results.items():
        text += [f"## {TITLES[name]}", ""]
        for file, title, svg in drawn.get(name, ()):
            (docs / f"fidelity/{file}.svg").write_text(svg)
            text += [f"![{title}](fidelity/{file}.svg)", ""]
        text += [textwrap.fill(" ".join(NOTES[name].split()), 158), ""] if name in NOTES else []
        text += [*(instruction_rows(found) if name == "instructions" else rows(name, found)), ""]
    (docs / "fidelity.md").write_text("\n".join(text).rstrip() + "\n")
