# SPDX-License-Identifier: Apache-2.0
"""Arithmetic of `make migration`: what is read from the tables of a run (metrics.sqlite), and figures of several runs.  Units: target cycles."""
import contextlib
import math
import re
import sqlite3

NOT_COUNTED = re.compile(r"rocr\.|_Z\d+fill")  # copies, and kernels that initialise
STEPS = ("lock", "shoot_down", "write_back", "copy", "map", "wait")


def measured(kernels):
    """(begin, end) of what counts: from the start of the first kernel behind the initialisation to the end of the last one."""
    counted = [row for row in kernels if not NOT_COUNTED.match(row["kernel"])]
    if not counted:
        raise ValueError("no kernel that counts")
    return min(row["start"] for row in counted), max(row["end"] for row in counted)


def union(spans):
    """Cycles in at least one of the spans (begin, end)."""
    total, reached = 0, -math.inf
    for begin, end in sorted(spans):
        total += max(0, end - max(begin, reached))
        reached = max(reached, end)
    return total


def overhead(moves):
    """Cycles in which a page of these moves is locked and its lines are not carried: waiting, lock, shoot-down, write-back, and the mapping behind the copy.
    What several pages spend in common counts once: that is what a batch is for (S1.16)."""
    spans = []
    for row in moves:
        copying = row["begin"] + row["wait"] + row["lock"] + row["shoot_down"] + row["write_back"]
        spans += [(row["begin"], copying), (copying + row["copy"], row["end"])]
    return union(spans)


def rows(database, table):
    with contextlib.closing(sqlite3.connect(database)) as opened:
        opened.row_factory = sqlite3.Row
        return [dict(row) for row in opened.execute(f"SELECT * FROM {table} ORDER BY rowid")]


def figures(database):
    """Of one run: its cycles, and of the moves that began in them how many, their bytes, the cycles with a page on its way, cycles of each step; far lines
    that all GPUs have asked for in the whole run."""
    begin, end = measured(rows(database, "kernels"))
    moves = [row for row in rows(database, "moves") if row["moved"] and begin <= row["begin"] < end]
    far = sum(row["value"] for row in rows(database, "metrics") if row["what"] == "peer-requests")
    steps = {step: sum(row[step] for row in moves) for step in STEPS}
    return {"cycles": end - begin, "moves": len(moves), "bytes": sum(row["bytes"] for row in moves), "far": far,
            "span": union((row["begin"], row["end"]) for row in moves), "overhead": overhead(moves), **steps}


def gains(results):
    """{(workload, gpus): {policy: cycles of never / cycles}} of results {(workload, policy, gpus): figures}, where never was measured."""
    out = {}
    for (workload, policy, gpus), found in results.items():
        if never := results.get((workload, "never", gpus)):
            out.setdefault((workload, gpus), {})[policy] = never["cycles"] / found["cycles"]
    return out


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def near_the_best(gains, share):
    """{policy: programs on which it is at least `share` of the best policy of that program} of {program: {policy: gain}}; policies that all programs have."""
    policies = set.intersection(*(set(of) for of in gains.values())) if gains else set()
    return {policy: sum(of[policy] >= share * max(of.values()) for of in gains.values()) for policy in sorted(policies)}


def wrong_data(results):
    """Keys of results whose `data` is not that of never."""
    return sorted(key for key, found in results.items() if (never := results.get((key[0], "never", key[2]))) and never["data"] != found["data"])
