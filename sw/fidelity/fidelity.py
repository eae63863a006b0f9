#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make fidelity: fidelity.py [--update] [GROUP...]  Measures groups (all), keeps each in build/fidelity/GROUP.json, and writes the page with its
plots from what is there: build/fidelity/docs/fidelity.md, with --update docs/fidelity.md."""
import json
import sys

import groups
import report
from machine import ROOT


def main(args):
    update, names = "--update" in args, [a for a in args if a != "--update"]
    folder = ROOT / "build/fidelity"
    folder.mkdir(parents=True, exist_ok=True)
    for name in names or groups.GROUPS:
        if name not in groups.GROUPS:
            sys.exit(f"fidelity: no group {name}; there are {', '.join(groups.GROUPS)}")
        found = groups.GROUPS[name]()
        (folder / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n")
        print(name, *(f"{what}={value if isinstance(value, str) else format(value, '.4g')}" for what, value in found.items()), flush=True)
    docs = ROOT / "docs" if update else folder / "docs"
    report.write({name: json.loads(path.read_text()) for name in groups.GROUPS if (path := folder / f"{name}.json").exists()}, docs)
    print(f"fidelity: wrote {(docs / 'fidelity.md').relative_to(ROOT)}{'' if update else '; UPDATE=1 writes docs/fidelity.md'}")


if __name__ == "__main__":
    main(sys.argv[1:])
