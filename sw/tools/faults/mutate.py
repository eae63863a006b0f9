#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make mutation: how many small changes of the text the tests notice (mutants.py makes them, mutate_c.py and mutate_rtl.py try).

mutate.py [--part FOLDER]... [--n N] [--seed S] [--near]
  Of each folder (all when none is named) the mutants are drawn in the order of the seed; those that do not compile or come out
  as the same object are left out, the first N others are tried, two at a time.  build/mutation/FOLDER.S.tsv has a line for each
  (outcome, by what, seconds of CPU, place, old, new); what stands there is not tried again, so a run that was ended goes on.
  At the end the table of docs/verification.md, and the survivors in build/mutation/FOLDER.S.survivors.txt.
"""
import pathlib
import argparse
import concurrent.futures
import os
import queue
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from faults import mutants  # noqa: E402
from faults import mutate_c  # noqa: E402
from faults import mutate_rtl  # noqa: E402

ROOT = mutants.ROOT
FOLDER = ROOT / "build/mutation"


def results_file(folder, seed):
    return FOLDER / f"{folder.replace('/', '-')}.{seed}.tsv"


def known(folder, seed):
    """{mutant's name: (outcome, by what, CPU)} of what was tried before"""
    file = results_file(folder, seed)
    rows = (line.split("\t", 3) for line in file.read_text().splitlines()) if file.exists() else ()
    return {name: (outcome, by, float(cpu)) for outcome, by, cpu, name in rows}


def counts(outcome):
    return outcome in ("killed", "survived")


def campaign(folder, n, seed, slots, near=False):
    """Try mutants until N counted; several at a time, but those that count are the first of the draw whatever comes back first."""
    done, order = known(folder, seed), mutants.sample(folder, seed)
    if sum(counts(done[m.name()][0]) for m in order if m.name() in done) >= n:
        return
    runner = mutate_c.Runner if mutants.FOLDERS[folder] == ".c" else mutate_rtl.Runner
    options = {"near": True} if near and runner is mutate_rtl.Runner else {}
    first = runner(folder, 0, **options)
    first.prepare()
    free = queue.Queue()
    for slot in range(slots):
        free.put(first if slot == 0 else runner(folder, slot, **options).share(first))

    def attempt(mutant):
        mine = free.get()
        try:
            return mine.verdict(mutant)
        finally:
            free.put(mine)

    with concurrent.futures.ThreadPoolExecutor(slots) as pool, open(results_file(folder, seed), "a") as out:
        counted, at, running = 0, 0, {}
        while True:
            while at < len(order) and len(running) < min(slots, n - counted):  # never more than those that are wanted
                mutant, at = order[at], at + 1
                if mutant.name() in done:
                    counted += counts(done[mutant.name()][0])
                else:
                    running[pool.submit(attempt, mutant)] = mutant
            if not running:
                return
            for future in concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED).done:
                mutant, (outcome, by, cpu) = running.pop(future), future.result()
                done[mutant.name()] = (outcome, by, cpu)
                counted += counts(outcome)
                out.write(f"{outcome}\t{by}\t{cpu:.1f}\t{mutant.name()}\n")
                out.flush()
                if counts(outcome):
                    print(f"{outcome} {mutant.name()}\t{by}\t{cpu:.1f} s", flush=True)


def score(folder, n, seed):
    """(tried, killed, left out, CPU seconds, survivors) of the first N that count"""
    done, tried, left, cpu, survivors = known(folder, seed), 0, 0, 0.0, []
    for mutant in mutants.sample(folder, seed):
        if tried == n or mutant.name() not in done:
            break
        outcome, _, used = done[mutant.name()]
        cpu += used
        tried += counts(outcome)
        left += not counts(outcome)
        if outcome == "survived":
            survivors.append(mutant)
    return tried, tried - len(survivors), left, cpu, survivors


def report(folders, n, seed):
    print("| folder | mutants | noticed | score | left out | CPU s each |\n|---|---|---|---|---|---|")
    for folder in folders:
        tried, killed, left, cpu, survivors = score(folder, n, seed)
        print(f"| `{folder}` | {tried} | {killed} | {100 * killed / max(tried, 1):.0f} % | {left} | {cpu / max(tried, 1):.1f} |")
        file = results_file(folder, seed).with_suffix(".survivors.txt")
        file.write_text("".join(f"{m.name()}\n  {(ROOT / m.file).read_text().splitlines()[m.line - 1].strip()}\n" for m in survivors))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", action="append", choices=list(mutants.FOLDERS))
    parser.add_argument("--n", type=int, default=40)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--near", action="store_true", help="RTL: only the benches of the folder, which are built in seconds; lint as always")
    parser.add_argument("--slots", type=int, default=2, help="how many at a time")
    args = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    os.chdir(ROOT)
    folders = args.part or list(mutants.FOLDERS)
    for folder in folders:
        campaign(folder, args.n, args.seed, args.slots, args.near)
    report(folders, args.n, args.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
