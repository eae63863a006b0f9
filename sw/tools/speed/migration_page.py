# SPDX-License-Identifier: Apache-2.0
"""The page of `make migration`: tables of speed against `never` with goals beside them, and plots of them."""
import pathlib
import sys
import textwrap

from speed import migration_figures
from speed import migration_notes

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "fidelity"))
import plot  # noqa: E402

KS = (1, 4, 8, 16)
NEAR, PROGRAMS, MEAN = 0.95, 8, 1.4  # goals of one adaptive policy: on so many of ten, near the best one; four GPUs' geometric mean
GOALS = {"adaptive": (None,) * 4, "first-touch, on access": (0.5, 1.9, 3.5, 5.8), "first-touch": (None,) * 4, "threshold": (0.9, 1.3, 2.4, 4.2), "periodic": (0.9, 1.3, 2.4, 4.2)}
HEAD = """# Programs whose pages move

Programs of `sw/apps/pages` on GPUs of 64 CUs (`r9nano`), everything at first in the memory of GPU 0, under each policy of
[reference/migration.md](reference/migration.md#pages-that-move-by-themselves) with its keys at their defaults. `make migration` measures what is missing
and writes the page to `build/migration/docs`, `UPDATE=1` here.

Measured: {dates}, {commits}.

A figure is the cycles of `never` divided by those of the policy: above 1 is faster. Cycles are those from the start of the first kernel behind the
initialisation to the end of the last one; each program has checked its result, and `data` is that of `never`. A decision takes 100 cycles; in
rows with 20,000 it takes these, and phases are 30,000 apart. Moves take the time of the RTL (`migrate.fixed_cycles` 0). Empty: not measured.
"""


def shown(value, goal=None, mark="**"):
    if value is None:
        return ""
    text = f"{value:.2f}"
    return text if goal is None else f"{text} ({goal})" if value >= goal else f"{mark}{text}{mark} ({goal})"


def table(head, lines):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(line) + " |" for line in lines)]) + "\n"


def reuse(gains):
    """GPU 0 initialises, GPU 1 reads k times; rows with goals in brackets, one that is missed in bold."""
    names = [f"reuse{k}" for k in KS]
    policies = [p for p in dict.fromkeys(p for name in names for p in gains.get((name, 2), {})) if p != "never"]
    lines = []
    for policy in policies:
        goals = GOALS.get(policy, (None,) * len(KS))
        lines.append([f"`{policy}`" if "," not in policy else policy,
                      *(shown(gains.get((name, 2), {}).get(policy), goal) for name, goal in zip(names, goals))])
    return lines


def workloads(gains, results, gpus):
    names = [w for w, g in gains if g == gpus and not w.startswith("reuse") and len(gains[w, g]) > 1]
    policies = list(dict.fromkeys(p for name in names for p in gains[name, gpus] if p != "never"))
    lines = [[name, f"{results[name, 'never', gpus]['cycles']:,}", *(shown(gains[name, gpus].get(p)) for p in policies),
              ", ".join(f"{results[name, p, gpus]['moves']}" for p in policies if (name, p, gpus) in results)] for name in names]
    whole = [p for p in policies if all(p in gains[name, gpus] for name in names)]
    whole = whole if len(names) > 1 else []
    means = {p: migration_figures.geometric_mean(gains[name, gpus][p] for name in names) for p in whole}
    if means:
        lines.append([f"geometric mean of {len(names)}", "", *(shown(means.get(p)) for p in policies), ""])
    return ["program", "cycles of `never`", *(f"`{p}`" if "," not in p else p for p in policies), "pages or blocks moved, each"], lines if names else []


def judgement(gains, gpus):
    """Text: each policy with one setting against the best one of each program (NEAR of it on PROGRAMS), its geometric mean; "" without all ten."""
    ten = {name: {p: gain for p, gain in of.items() if "," not in p or p.endswith("on access")} for (name, g), of in gains.items() if g == gpus and not name.startswith("reuse")}
    near = migration_figures.near_the_best(ten, NEAR) if len(ten) == 10 else {}
    if len(near) < 2:
        return ""
    text = ", ".join(f"`{policy}` {count}" for policy, count in near.items())
    lines = [f"Of ten programs with at least {NEAR} of the best one measured, `never` too: {text} (goal of one adaptive policy: {PROGRAMS})."]
    if gpus == 4:
        means = {p: migration_figures.geometric_mean(of[p] for of in ten.values()) for p in near if p != "never"}
        lines.append(f"Geometric mean: {', '.join(f'`{p}` {shown(mean, MEAN)}' for p, mean in means.items())}.")
    return "\n" + "\n".join(textwrap.fill(line, 160) for line in lines) + "\n"


def moves(found):
    """Text of what a move costs a kernel that does not use the pages, and of a batch against the same pages one by one."""
    out = ""
    lines = []
    for what in ("page", "pages64", "block"):
        cells = []
        for kernel in ("latency", "rate"):
            nothing, moved = found.get(f"moves-{kernel}-nothing"), found.get(f"moves-{kernel}-{what}")
            cells.append(f"{moved['cycles'] - nothing['cycles']:,}" if nothing and moved else "")
        moved = found.get(f"moves-latency-{what}")
        lines.append([{"page": "a page of 4 KiB", "pages64": "64 pages of 4 KiB", "block": "a block of 64 KiB"}[what], f"{moved['span']:,}" if moved else "",
                      *cells])
    if any(any(line[1:]) for line in lines):
        out += "\n## What a bystander loses\n\n`bench_reread` on all CUs of GPU 0, while other memory leaves it.\n\n" + table(
            ["what moves", "cycles with a page on its way", "lost, 256 wavefronts", "lost, 1,024 wavefronts"], lines)
    batch, apart = found.get("moves-latency-batch"), found.get("moves-latency-one-by-one")
    if batch and apart:
        share = batch["overhead"] / apart["overhead"]
        out += (f"\n## A batch against pages one by one (S1.16)\n\n{batch['moves']} pages of 4 KiB leave GPU 0 beside the same kernel. Cycles in which a page "
                f"waits, is locked, shot down or\nwritten back, and of its mapping behind the copy: {batch['overhead']:,} in one batch, "
                f"{apart['overhead']:,} one by one, {share:.2f} times (goal: at most 0.4{'' if share <= 0.4 else '; missed'}).\n")
    return out


def write(results, found_moves, docs):
    docs.mkdir(parents=True, exist_ok=True)
    gains = migration_figures.gains(results)
    everything = [*results.values(), *(found for found in found_moves.values() if found)]
    text = HEAD.format(commits="commit " + ", ".join(sorted({r["commit"] for r in everything})) if everything else "nothing yet",
                       dates=", ".join(sorted({r["date"] for r in everything})) or "no date")
    if lines := reuse(gains):
        text += "\n## Initialised by one GPU, used by another\n\nGPU 1 reads 1 MiB k times, in one kernel. In brackets: the goal; bold: missed.\n\n"
        text += table(["policy", *(f"k = {k}" for k in KS)], lines)
        (docs / "migration").mkdir(exist_ok=True)
        curves = {p: [(k, gains[f"reuse{k}", 2][p]) for k in KS if p in gains.get((f"reuse{k}", 2), {})] for p in GOALS}
        (docs / "migration/reuse.svg").write_text(plot.curve("Initialised by one GPU, used k times by another", "k", "times as fast as never",
                                                             {p: points for p, points in curves.items() if points}))
        text += "\n![times as fast as never, by k](migration/reuse.svg)\n" + migration_notes.REUSE
    for gpus, name in ((2, "Two"), (4, "Four")):
        head, lines = workloads(gains, results, gpus)
        if lines:
            text += f"\n## {name} GPUs\n\n" + table(head, lines) + judgement(gains, gpus)
            text += migration_notes.WRITERS + migration_notes.TWO if gpus == 2 else migration_notes.FOUR
    (docs / "migration.md").write_text(text + moves(found_moves))
