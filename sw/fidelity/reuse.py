# SPDX-License-Identifier: Apache-2.0
"""Group of `make fidelity`: which share of a walk round and round through more or less than a cache holds is found there."""
import pathlib
import sqlite3
import tempfile

import vector
from machine import cycles

KIB, MIB = 1024, 1024 * 1024
CAPACITY = {"l1v": 16 * KIB, "l2": 2 * MIB}


def counted(launch, level, config):
    """(hits, misses) of loads."""
    with tempfile.TemporaryDirectory() as folder:
        cycles("vector:lap", *launch, config, ("-o", folder))
        with sqlite3.connect(pathlib.Path(folder) / "metrics.sqlite") as db:
            return [db.execute("select total(value) from metrics where location like ? and what = ?", (f"gpu0.%{'.l1v' if level == 'l1v' else 'l2s%'}", what))
                    .fetchone()[0] for what in ("read-hit", "read-miss")]


def reuse(config="r9nano", levels=("l1v", "l2"), shares=(0.5, 1, 1.5, 2), capacity=CAPACITY, laps=(2, 4)):
    """Per cent of loads that hit, of one wavefront that loads all lines in their order, 16 at a time."""
    found = {}
    for level in levels:
        for share in shares:
            size, lanes = int(share * capacity[level]), 16
            runs = [counted(vector.launch([64 * n for n in range(lanes)], 64 * lanes, size, n * size // (64 * lanes), room=size), level, config) for n in laps]
            hits, misses = (long - short for short, long in zip(*runs))
            found[f"{level} {share}"] = 100 * hits / (hits + misses)
    return found
