#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make fidelity: fidelity.py [GROUP...]  Measures groups (all), keeps each in build/fidelity/GROUP.json, and writes docs/fidelity.md with its
plots from what is there."""
import json
import sys

import groups
import report
from machine import ROOT


def main(names):
    folder = ROOT / "build/fidelity"
    folder.mkdir(parents=True, exist_ok=True)
    for name in names or groups.GROUPS:
        if name not in groups.GROUPS:
            sys.exit(f"fidelity: no group {name}; there are {', '.join(groups.GROUPS)}")
        found = groups.GROUPS[name]()
        (folder / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n")
        print(name, *(f"{what}={value if isinstance(value, str) else format(value, '.4g')}" for what, value in found.items()), flush=True)
    report.write({name: json.loads(path.read_text()) for name in groups.GROUPS if (path := folder / f"{name}.json").exists()})


if __name__ == "__main__":
    main(sys.argv[1:])
