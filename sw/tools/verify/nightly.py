#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""nightly.py K/N [all] | --unit UNIT... | --state | --table: a part of `make nightly` (make nightly PART=K/N), and what is known of all.

  K/N      runs the units of part K of N (nightly_units.py) whose result is not of the files as they are, two at a time; with `all` every one.  Each result goes
           into tests/nightly.tsv as soon as it is there, and docs/verification/nightly.md is written anew at the end: commit both.
           The tree must be committed: a result is one of a commit.
  --unit   runs these units (`tests/system/test_board.py 1/6`, as --state names them) one after another, whatever their records say
  --state  one line a unit that never ran, failed, or whose files have changed since
  --table  docs/verification/nightly.md from tests/nightly.tsv
The last line is `nightly K/N: N units passed, N failed, N were not needed, M min`.  Exit status: 0, 1 when a unit failed, 64 wrong arguments,
65 with one line for a tree with changes, 128 + N after signal N: results so far are kept."""
import concurrent.futures
import datetime
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from verify import nightly_units as nu  # noqa: E402

ROOT = nu.ROOT
PAGE = ROOT / "docs/verification/nightly.md"
OLD = 10  # days after which `make lint` warns
LIMIT = 3 * 3600  # seconds for a unit
AT_ONCE = 2


def git(*words):
    return subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=True).stdout.strip()


def outcome(unit, running):
    """("N passed, N failed[, N skipped]", seconds) of a run of the unit; its output goes to build/log/nightly."""
    log = ROOT / "build/log/nightly" / (str(unit).replace("/", "-").replace(" ", "_") + ".log")
    log.parent.mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, open(log, "w") as out:
        record = pathlib.Path(folder) / "record"
        child = subprocess.Popen([sys.executable, ROOT / "sw/tools/verify/test_record.py", record, "--rootdir", ROOT, "-q", f"--slice={unit.slice}/{unit.slices}", unit.file],
                                 cwd=ROOT, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env={**os.environ, "GANTRY_NIGHTLY": "1"}, start_new_session=True)
        running.add(child)
        try:
            child.wait(LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        running.discard(child)
        seen = json.loads(record.read_text()) if record.exists() else {"rows": {}, "findings": [f"ended early or after {LIMIT} s, status {child.returncode}"]}
        for finding in seen["findings"]:
            print(finding, file=out)
    count = {k: sum(row["outcome"] == k for row in seen["rows"].values()) for k in ("passed", "failed", "skipped")}
    count["failed"] += len(seen["findings"])
    skipped = f", {count['skipped']} skipped" if count["skipped"] else ""
    return f"{count['passed']} passed, {count['failed']} failed{skipped}", round(time.monotonic() - begin)


def standing(records, all_units):
    """(unit, what is wrong with its record) of each that has to run."""
    files = nu.index()
    for unit in all_units:
        record = records.get(str(unit))
        if record is None:
            yield unit, "never ran"
        elif not record.passed:
            yield unit, f"{record.result} on {record.commit}"
        elif record.key != nu.key(unit, files):
            yield unit, f"passed on {record.commit}, what it depends on has changed since"


def old_ones(records=None, all_units=None, today=None):
    """One line for each unit that never ran or whose result is older than OLD days: a warning of `make lint`."""
    records, today, found = nu.load() if records is None else records, today or datetime.date.today(), []
    for unit in nu.units() if all_units is None else all_units:
        record = records.get(str(unit))
        days = (today - datetime.date.fromisoformat(record.date)).days if record else None
        if days is None or days > OLD:
            found.append(f"{unit}: " + ("never ran" if days is None else f"last run {days} days ago"))
    return found


def table(records, all_units):
    """The page."""
    wrong, count = dict(standing(records, all_units)), nu.PARTS
    lines = ["# The nightly tests: last result of each part", "", "Written by `sw/tools/verify/nightly.py --table` from `tests/nightly.tsv`. `make nightly PART=K/N` runs what"
             " a part has that is not of the files as they are.", "",
             f"Parts of {count}. Minutes are those of the last run of each unit, two at a time. `current`: nothing that the unit depends on has changed since.", "",
             "| part | from | units | current | oldest result | commits | tests | minutes |", "|---|---|---|---|---|---|---|---|"]
    for number, part in enumerate(nu.parts(all_units, records, count), 1):
        seen = [records[str(u)] for u in part if str(u) in records]
        tests = {word: sum(int(r.result.split(f" {word}")[0].split()[-1]) for r in seen if f" {word}" in r.result) for word in ("passed", "failed", "skipped")}
        said = ", ".join(f"{n:,} {word}" for word, n in tests.items() if n or word != "skipped")
        commits = sorted({r.commit for r in seen})
        shown = ", ".join(commits[:3]) + (f" and {len(commits) - 3} more" if len(commits) > 3 else "")
        lines.append(f"| {number}/{count} | `{part[0]}` | {len(part)} | {sum(u not in wrong for u in part)} | {min((r.date for r in seen), default='none')} | {shown}"
                     f" | {said} | {sum(r.seconds for r in seen) / 60 / AT_ONCE:.0f} |" if part else f"| {number}/{count} | nothing | 0 | 0 | | | | |")
    lines += ["", "Not current:", "", *[f"- `{unit}`: {why}" for unit, why in wrong.items()]] if wrong else []
    return "\n".join(lines) + "\n"


def write_table():
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(table(nu.load(), nu.units()))


def of_part(number, count, every):
    """(all units of a part, those of them that have to run, the longest first)."""
    records, all_units = nu.load(), nu.units()
    needed = {unit for unit, _ in standing(records, all_units)}
    mine = nu.parts(all_units, records, count)[number - 1]
    return mine, sorted((u for u in mine if every or u in needed), key=lambda u: -records[str(u)].seconds if str(u) in records else -nu.ASSUMED)


def run_all(title, mine, todo, at_once):
    """Runs and records `todo` of the units `mine`; exit status."""
    if git("status", "--porcelain", "--untracked-files=no"):
        print("nightly: the tree has changes that are not committed: a result is one of a commit", file=sys.stderr)
        return 65
    files, commit, lock, failed, running = nu.index(), git("rev-parse", "--short=8", "HEAD"), threading.Lock(), [], set()

    def stop(number, _):
        for child in list(running):
            os.killpg(child.pid, signal.SIGKILL)
        os._exit(128 + number)

    for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(one, stop)

    def run(unit):
        result, seconds = outcome(unit, running)
        record = nu.Record(nu.key(unit, files), commit, datetime.date.today().isoformat(), result, seconds)
        with lock:
            nu.save({**nu.load(), str(unit): record})
            print(f"{unit}: {result}, {seconds} s", flush=True)
            if not record.passed:
                failed.append(unit)

    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        for done in [pool.submit(run, unit) for unit in todo]:
            done.result()
    write_table()
    print(f"nightly {title}: {len(todo) - len(failed)} units passed, {len(failed)} failed, {len(mine) - len(todo)} were not needed, "
          f"{(time.monotonic() - begin) / 60:.0f} min")
    return 1 if failed else 0


def main():
    words = sys.argv[1:]
    if words == ["--state"]:
        wrong = list(standing(nu.load(), nu.units()))
        print("".join(f"{unit}: {why}\n" for unit, why in wrong) + f"nightly: {len(nu.units()) - len(wrong)} of {len(nu.units())} units are current")
        return 0
    if words == ["--table"]:
        write_table()
        return 0
    if words[:1] == ["--unit"] and words[1:]:
        known = {str(unit): unit for unit in nu.units()}
        if wrong := [word for word in words[1:] if word not in known]:
            print(f"nightly: {wrong[0]}: no unit (--state names those that have to run)", file=sys.stderr)
            return 64
        chosen = [known[word] for word in dict.fromkeys(words[1:])]
        return run_all("by name", chosen, chosen, 1)
    number, _, count = words[0].partition("/") if words else ("", "", "")
    if not (number.isdigit() and count.isdigit() and 1 <= int(number) <= int(count) <= 99 and words[1:] in ([], ["all"])):
        print("usage: nightly.py K/N [all] | --unit UNIT... | --state | --table, with 1 <= K <= N <= 99", file=sys.stderr)
        return 64
    return run_all(f"{number}/{count}", *of_part(int(number), int(count), words[1:] == ["all"]), AT_ONCE)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except nu.manifest.Unreadable as unreadable:
        sys.exit(f"nightly: {unreadable}")
