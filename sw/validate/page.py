# SPDX-License-Identifier: Apache-2.0
"""The page of `make validate`: how far rows are from the card, a table of them, a plot.  Words that need a look at runs are in words.py."""
import math
import re
import textwrap

import figures
import scatter
import words

SETS = {"full-rate": "v_mac_f32", "packaged": "as packaged"}
HEAD = """# Held against a card: matrix products on a R9 Nano

{first}

Measured: {dates}, {commits}, {source}, {count} rows of {all} with `v_mac_f32`, {packaged} as packaged. `make validate` goes on with what is missing.
"""
GOALS = (("median error", 0.10, lambda s: s.error, "{:.1%}", "at most"), ("rows within 25 %", 0.90, lambda s: s.within / s.rows, "{:.0%}", "at least"),
         ("correlation of the logarithms", 0.99, lambda s: s.correlation, "{:.3f}", "at least"),
         ("mean signed error", 0.05, lambda s: abs(s.signed), "{:.1%}", "at most"))


def table(head, lines):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(line) + " |" for line in lines)]) + "\n"


def first_words(rows, found):
    s = figures.summary(figures.pairs(rows, found["full-rate"], "kernel"))
    if s is None:
        return "No row by which the goals are judged has been measured in this state."
    return (f"Of {s.rows} single-precision matrix products that AMD timed on a R9 Nano and that take 35 us and more there and less than {figures.LARGE} GFLOP, Gantry's "
            f"RTL `r9nano` takes a median of {s.ratio:.2f} times the card's time; the median error is {s.error:.1%}, {s.within} are within 25 %, the mean signed error is "
            f"{s.signed:+.1%}, and the logarithms of the times correlate by {s.correlation:.3f} (`make validate`; kernel time of rocBLAS's packaged kernels with full-rate "
            "`v_mac_f32`, as AMD had them; all results right).")


def goals(rows, found):
    s = figures.summary(figures.pairs(rows, found["full-rate"], "kernel"))
    if s is None:
        return ""
    lines = []
    for name, goal, of, shape, sense in GOALS:
        value = of(s)
        met = not math.isnan(value) and (value <= goal if sense == "at most" else value >= goal)
        lines.append([name, f"{sense} {shape.format(goal)}", shape.format(value) if met else f"**{shape.format(value)}**"])
    return table(["rows of 35 us and more, under 2.2 GFLOP, kernel time", "goal", "is (bold: missed)"], lines)


def readings(rows, found):
    lines = []
    for kind, shown in SETS.items():
        for reading in figures.READINGS:
            for what, which in (("judged", figures.judged), ("judged, no star", figures.untouched(words.LED)), ("under 35 us", lambda row: row.us < figures.SMALL), ("all measured", lambda row: True)):
                s = figures.summary(figures.pairs(rows, found[kind], reading, which))
                if s:
                    lines.append([shown, reading, what, str(s.rows), f"{s.ratio:.2f}", f"{s.error:.1%}", f"{s.within}", f"{s.signed:+.1%}",
                                  "" if math.isnan(s.correlation) else f"{s.correlation:.3f}"])
    return table(["kernels", "reading", "rows", "number", "median ratio", "median error", "within 25 %", "mean signed error", "correlation"], lines)


def tile(name):
    """32x8x32, split 4: of a kernel's name."""
    size, split = re.search(r"_MT(\d+x\d+x\d+)_", name), re.search(r"_GSU(\d+)_", name)
    return (size[1] if size else "?") + (f", split {split[1]}" if split and split[1] != "1" else "")


def all_rows(rows, found):
    lines = []
    for row in rows:
        full, packaged = (found[kind].get(row.name) for kind in SETS)
        any_of = full or packaged
        if any_of:
            cell = [f"{r['kernel_us']:.1f}" if r else "" for r in (full, packaged)]
            lines.append([f"{row.trans_a}{row.trans_b} {row.m} {row.n} {row.k}" + " *" * (row.name in words.LED), tile(any_of["kernel"]), str(any_of["groups"]), f"{row.us:.1f}", cell[0],
                          f"{full['beta_us']:.1f}" if full else "", f"{full['event_us']:.1f}" if full else "",
                          f"{full['kernel_us'] / row.us:.2f}" if full else "", cell[1], f"{packaged['kernel_us'] / row.us:.2f}" if packaged else ""])
    return table(["M N K", "tile", "groups", "card, us", "kernel", "beta", "event", "kernel / card", "as packaged", "/ card"], lines)


def write(rows, found, docs, source):
    results = [r for kind in SETS for r in found[kind].values()]
    docs.mkdir(parents=True, exist_ok=True)
    (docs / "validation").mkdir(exist_ok=True)
    text = HEAD.format(first=textwrap.fill(first_words(rows, found), 160), dates=", ".join(sorted({r["date"] for r in results})) or "nothing",
                       commits=", ".join("commit " + c for c in sorted({r["commit"] for r in results})) or "no commit", source=f"table {source.name}",
                       count=len(found["full-rate"]), all=len(rows), packaged=len(found["packaged"]))
    text += "\n" + goals(rows, found) + words.KNOWN + "\n## Each reading\n" + words.READINGS + "\n" + readings(rows, found) + "\n## Each row\n" + words.ROWS + "\n"
    groups = {f"{shown}": [(row.us, r["kernel_us"]) for row in rows if (r := found[kind].get(row.name))] for kind, shown in SETS.items()}
    if any(groups.values()):
        plot = scatter.scatter("microseconds of a call on the card and of its kernel on the RTL", "R9 Nano, us", "Gantry, us", groups, figures.WITHIN)
        (docs / "validation" / "rows.svg").write_text(plot)
        text += "![each row](validation/rows.svg)\n\n"
    text += all_rows(rows, found) + words.EXPLAINED
    (docs / "validation.md").write_text(text)
