#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gen_steps.py OUT.pml: of host/migrate/steps.def, by which the engine of moves goes, what the model of the protocol needs (tests/model): numbers of
states and events, and `inline table(v, e)`: for move v the one row of its state and event e: its action (`act_NAME(v)`), then its next state.  An event
that has no row is an assertion that fails, as it is a CHECK in the engine.  Errors (one line, exit 65): a line that is no row, a name that nothing
declares, two rows for one case.  Not responsible for: what actions do (tests/model/host.pml)."""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
TABLE = ROOT / "host/migrate/steps.def"
# {guard: (the ways in which pages go for which it holds, as the model says it)}
GUARDS = {"ALWAYS": ({"PUSHED", "FIXED", "COPIED"}, "true"), "PUSHED": ({"PUSHED"}, "PUSHED && !FIXED"), "FIXED": ({"FIXED"}, "FIXED"),
          "CACHED": ({"PUSHED", "FIXED"}, "PUSHED"), "COPIED": ({"COPIED"}, "!PUSHED")}
Row = collections.namedtuple("Row", "state event guard action next")


class Bad(Exception):
    pass


def read(text):
    """(states, events, rows): names with what people are told of them, and Rows."""
    states, events, rows, taken = {}, {}, [], set()
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    for line in filter(None, map(str.strip, text.splitlines())):
        if line.startswith("#"):
            continue
        name = re.fullmatch(r'(STATE|EVENT)\((\w+), "([^"]+)"\)', line)
        step = re.fullmatch(r"STEP\((\w+), (\w+), (\w+), (\w+), (\w+)\)", line)
        if name:
            (states if name[1] == "STATE" else events)[name[2]] = name[3]
        elif step:
            row = Row(*step.groups())
            if row.state not in states or row.next not in states or row.event not in events or row.guard not in GUARDS:
                raise Bad(f"'{line}': a name that nothing declares")
            cases = {(row.state, row.event, way) for way in GUARDS[row.guard][0]}
            if cases & taken:
                raise Bad(f"'{line}': a second row for one case")
            taken |= cases
            rows.append(row)
        else:
            raise Bad(f"'{line}' is no row")
    return states, events, rows


def text_of(states, events, rows):
    lines = [f"#define ST_{name} {n}" for n, name in enumerate(states)] + [f"#define ST_NONE {len(states)}"]
    lines += [f"#define EV_{name} {n}" for n, name in enumerate(events)] + [f"#define EV_NONE {len(events)}", "inline table(v, e)", "{", "    if"]
    for r in rows:  # the last line of each is its own, so that Spin names a row that it has not reached
        lines += [f"    :: st[v] == ST_{r.state} && e == EV_{r.event} && {GUARDS[r.guard][1]} -> act_{r.action}(v);", f"        st[v] = ST_{r.next}"]
    return "\n".join([*lines, "    :: else -> assert(false) /* an event that has no row */", "    fi", "}"]) + "\n"


def main():
    try:
        pathlib.Path(sys.argv[1]).write_text(text_of(*read(TABLE.read_text())))
    except Bad as bad:
        print(f"gen_steps: {TABLE.relative_to(ROOT)}: {bad}", file=sys.stderr)
        return 65
    return 0


if __name__ == "__main__":
    sys.exit(main())
