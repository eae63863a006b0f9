#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make validate: validate.py [--update] [--table FILE] [--budget MINUTES] [--kernels full-rate|packaged|both] [--most GFLOP] [--only RE]
Matrix products of rocBLAS on an RTL R9 Nano beside what a card took (TABLE=FILE, else sw/validate/r9nano.tsv), the cheapest first, until MINUTES of CPU time are
used.  Each result is kept in build/validate/results with the state of what it was measured of, so it goes on where it was ended.  Writes the page from all
results of this state: build/validate/docs, with --update docs.
Exit status: 0, 1 when a row failed (one line each), 64 wrong arguments, 65 with one line for a table that is none, 69 with one line for missing packages."""
import argparse
import datetime
import json
import pathlib
import re
import subprocess
import sys

import kernels
import measure
import packages  # and where source_state is
import page
from builder import source_state
import table

ROOT = packages.ROOT
RESULTS = packages.FOLDER / "results"
OWN = ROOT / "sw/validate/r9nano.tsv"
SOURCES = ("rtl", "host", "bridge", "configs", "sw/validate/gemm.cpp", "sw/validate/kernels.py", "sw/validate/measure.py")
SETS = ("full-rate", "packaged")


def state():
    """A hash of what a result is a result of."""
    return source_state.of(ROOT, SOURCES)


def kept(name, kind, now):
    path = RESULTS / f"{name}.{kind}.json"
    found = json.loads(path.read_text()) if path.exists() else None
    return found if found and found["state"] == now else None


def forget_plans(now):
    """Numbers of kernels, as the golden model told them, are of one state, too."""
    told = RESULTS / "state"
    if told.exists() and told.read_text() == now:
        return
    for plan in RESULTS.glob("*.golden.json"):
        plan.unlink()
    told.write_text(now)


def stamp(now):
    done = subprocess.run(["git", "log", "-1", "--format=%h"], cwd=ROOT, capture_output=True, text=True)
    return {"state": now, "commit": done.stdout.strip() or "unknown", "date": str(datetime.date.today())}


def found_of(rows, now):
    """{kind: {row's name: result}}"""
    return {kind: {row.name: result for row in rows if (result := kept(row.name, kind, now))} for kind in SETS}


def measure_all(rows, kinds, folders, budget, now):
    """How many rows failed; ends when the budget of CPU seconds is used."""
    used, failed = 0.0, 0
    for row in rows:
        for kind in kinds:
            if kept(row.name, kind, now):
                continue
            if used >= budget:
                print(f"validate: {used / 60:.0f} min of CPU time are used; go on with `make validate`")
                return failed
            try:
                result = measure.measure(RESULTS, f"{row.name}.{kind}", folders[kind], row)
            except measure.Failed as error:
                print(f"validate: {error}", file=sys.stderr, flush=True)
                failed += 1
                continue
            used += result["cpu_s"]
            (RESULTS / f"{row.name}.{kind}.json").write_text(json.dumps(result | stamp(now), indent=1) + "\n")
            print(f"{row.name} {kind}: kernel {result['kernel_us']:.1f} us, beta {result['beta_us']:.1f}, event {result['event_us']:.1f}, card {row.us:.1f}: "
                  f"{result['kernel_us'] / row.us:.2f}; {result['cpu_s']:.0f} s", flush=True)
    return failed


def expression(text):
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"no regular expression: {error}") from None


def arguments(args):
    parser = argparse.ArgumentParser(prog="validate.py")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--table", type=pathlib.Path, default=OWN)
    parser.add_argument("--budget", type=float, default=120.0)
    parser.add_argument("--kernels", choices=(*SETS, "both"), default="both")
    parser.add_argument("--most", type=float, default=2.2)
    parser.add_argument("--only", type=expression, default=re.compile(""))
    parser.error = lambda text: (print(f"validate: {text}", file=sys.stderr), sys.exit(64))
    told = parser.parse_args(args)
    if told.update and told.table != OWN:
        parser.error("docs/validation.md is of sw/validate/r9nano.tsv: UPDATE=1 not with TABLE")
    return told


def main(args):
    told = arguments(args)
    kinds = SETS if told.kernels == "both" else (told.kernels,)
    try:
        rows = table.read(told.table)
        root = packages.root()
        packages.program(root)
        packaged = packages.kernels_of(root)
        folders = {"packaged": packaged, "full-rate": kernels.full_rate(packaged, packages.FOLDER / "full-rate")}
    except table.Bad as error:
        print(f"validate: {error}", file=sys.stderr)
        return 65
    except (packages.Missing, kernels.Bad) as error:
        print(f"validate: {error}", file=sys.stderr)
        return 69
    RESULTS.mkdir(parents=True, exist_ok=True)
    now = state()
    forget_plans(now)
    chosen = [row for row in rows if row.gflop <= told.most and told.only.search(row.name)]
    failed = measure_all(chosen, kinds, folders, told.budget * 60, now)
    docs = ROOT / "docs" if told.update else packages.FOLDER / "docs"
    page.write(rows, found_of(rows, now), docs, told.table)
    print(f"validate: wrote {(docs / 'validation.md').relative_to(ROOT)}{'' if told.update else '; UPDATE=1 writes docs/validation.md'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
