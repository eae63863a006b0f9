#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make migration: migration.py [--update] [--only RE] [GROUP...]  Runs programs of sw/apps/pages under each policy, one after the other, keeps each result in
build/migration/NAME.json with the state of what it was measured of, and writes the page from all results of this state that are there."""
import argparse
import csv
import datetime
import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from speed import migration_figures  # noqa: E402
from speed import migration_moves  # noqa: E402
from speed import migration_page  # noqa: E402
from builder import source_state  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
FOLDER = ROOT / "build/migration"
SOURCES = ("rtl", "host", "bridge", "sw/apps/pages", "sw/kernels/bench_reread.cl")  # what a result is a result of
LIMIT = 3600  # seconds of a run
REUSE = ("reuse1", "reuse4", "reuse8", "reuse16")
TEN = ("transposed", "stencil", "table", "bfs", "pagerank", "pipeline", "reduction", "join", "product", "writers")
POLICIES = ("never", "threshold", "benefit", "periodic", "first-touch")
UNDAMPED = ("migrate.return_cycles=10000", "migrate.pin_cycles=1000")  # a period: no return counts as one
ACCESS = ("migrate.map=lazy", "migrate.fault_cycles=100")  # decided when a GPU asks for a page first, not at the end of a phase
DRIVER = ("migrate.phase_cycles=20000", "migrate.period=30000")  # a period holds its decision


def cases():
    """{group: [(workload, policy as the page names it, policy, GPUs, settings)]}, the most telling ones first."""
    def of(workloads, policies, gpus):
        return [(w, p, p, gpus, ()) for p in policies for w in workloads]
    def on_access(workloads, gpus, settings=ACCESS, shown="first-touch, on access"):
        return [(w, shown, "first-touch", gpus, settings) for w in workloads]
    def adaptive(workloads, gpus, settings=ACCESS, shown="adaptive"):
        return [(w, shown, "adaptive", gpus, settings) for w in workloads]
    return {
        "reuse": of(REUSE, ("never", "first-touch", "threshold", "periodic"), 2) + on_access(REUSE, 2) + adaptive(REUSE, 2),
        "writers": [*of(("writers",), POLICIES, 2), ("writers", "threshold, undamped", "threshold", 2, UNDAMPED)],
        "two": of(TEN, POLICIES, 2) + on_access(TEN, 2) + adaptive(TEN, 2),
        "driver": [(w, f"{p}, 20,000", p, 2, DRIVER) for p in ("threshold", "first-touch", "periodic") for w in REUSE]
        + on_access(REUSE, 2, ("migrate.map=lazy",), "first-touch, on access, 20,000")
        + adaptive(REUSE, 2, ("migrate.map=lazy", *DRIVER), "adaptive, 20,000"),
        "four": of(TEN, POLICIES, 4) + on_access(TEN, 4) + adaptive(TEN, 4),
    }


def state():
    """A hash of RTL, host and programs: results of another one are not mixed with those of this one."""
    return source_state.of(ROOT, SOURCES)


def commit():
    done = subprocess.run(["git", "log", "-1", "--format=%h"], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def sizes():
    with open(ROOT / "sw/apps/pages/sizes.tsv") as file:
        return {row["workload"]: row for row in csv.DictReader((line for line in file if line[0] != "#"), delimiter="\t")}


def kept(name, now):
    """The result of this state under this name, or None."""
    path = FOLDER / f"{name}.json"
    found = json.loads(path.read_text()) if path.exists() else None
    return found if found and found["state"] == now else None


def keep(name, now, found):
    found |= {"state": now, "commit": commit(), "date": str(datetime.date.today())}
    (FOLDER / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n")
    return found


def gantry(name, words):
    """What the run told on stderr; its tables are in build/migration/runs/NAME.  Ends with its words if it fails."""
    log = FOLDER / f"{name}.log"
    done = subprocess.run([str(ROOT / "build/bin/gantry"), words[0], "-o", str(FOLDER / "runs" / name), *words[1:]], cwd=ROOT, capture_output=True, text=True,
                          timeout=LIMIT, stdin=subprocess.DEVNULL)
    log.write_text(done.stdout + done.stderr)
    if done.returncode:
        sys.exit(f"migration: {name}: exit status {done.returncode}: {(done.stdout + done.stderr)[-500:]}")
    return done.stderr


def run(name, workload, policy, gpus, settings):
    row = sizes()[workload]
    keys = [f"system.gpus={gpus}", f"migrate.policy={policy}", *settings]
    err = gantry(name, ["run", "-c", "r9nano", "-v", *[word for key in keys for word in ("--set", key)], "--", f"build/apps/{row['program']}",
                        workload.rstrip("0123456789"), row["size"], row["rounds"]])
    found = migration_figures.figures(FOLDER / "runs" / name / "metrics.sqlite")
    line = dict(re.findall(r"(\w+)=(\S+)", err.splitlines()[-1]))
    return found | {"data": line["data"], "hash": line["hash"], "cpu_s": float(line["cpu_s"]), "workload": workload, "policy": policy, "gpus": gpus,
                    "settings": list(settings)}


def name_of(workload, shown, gpus):
    return f"{workload}-{re.sub('[^a-z0-9]+', '-', shown)}-{gpus}"


def results(now):
    """{(workload, policy as shown, GPUs): result} of all that is there."""
    out = {}
    for group in cases().values():
        for workload, shown, _, gpus, _ in group:
            if found := kept(name_of(workload, shown, gpus), now):
                out[workload, shown, gpus] = found
    return out


def main(args):
    parser = argparse.ArgumentParser(prog="migration.py")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("group", nargs="*")
    told = parser.parse_args(args)
    groups = cases() | migration_moves.cases()
    if unknown := set(told.group) - set(groups):
        sys.exit(f"migration: no group {', '.join(sorted(unknown))}; there are {', '.join(groups)}")
    (FOLDER / "runs").mkdir(parents=True, exist_ok=True)
    now = state()
    for group in told.group or groups:
        for case in groups[group]:
            moves = group in migration_moves.cases()
            name = case[0] if moves else name_of(case[0], case[1], case[3])
            if not re.search(told.only, " ".join(case[:2])) or kept(name, now):
                continue
            found = keep(name, now, migration_moves.run(gantry, FOLDER, *case) if moves else run(name, case[0], *case[2:]))
            print(name, *(f"{key}={found[key]}" for key in ("cycles", "moves", "far", "span", "cpu_s") if key in found), flush=True)
    found = results(now)
    if wrong := migration_figures.wrong_data(found):
        sys.exit(f"migration: not the data of never: {wrong}")
    docs = ROOT / "docs" if told.update else FOLDER / "docs"
    migration_page.write(found, {case[0]: kept(case[0], now) for group in migration_moves.cases().values() for case in group}, docs)
    print(f"migration: wrote {(docs / 'migration.md').relative_to(ROOT)}{'' if told.update else '; UPDATE=1 writes docs/migration.md'}")


if __name__ == "__main__":
    main(sys.argv[1:])
