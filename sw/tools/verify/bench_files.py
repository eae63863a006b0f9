#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a Verilator bench (tests/**/tb.cpp) is built of, by the lines at its head; `bench_files.py TB...` prints them.

  // top: MODULE     with all that it needs (rtl_sources.py), wherever that stands
  // own: FILE...    SystemVerilog and switches (.vlt) of the tests; a module or package of them stands for the one of the RTL with the same name
  // constants: NAME the constants of build/gen/NAME instead of those of the default configuration
  // sources: ...    all files, in place of the three: of what is no part of the RTL
The other fields: tests/conftest.py.  Not responsible for: building it (verilate.py)."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from faults import mutation  # noqa: E402
from builder import rtl_sources  # noqa: E402

ROOT = rtl_sources.ROOT
CONSTANTS = "build/gen/gantry_cfg_pkg.sv"
KINDS = ("top", "own", "constants", "sources", "args", "lib", "cflags", "run", "limit", "opt")


def fields(path):
    """{kind: what stands behind it, the last time}"""
    return {kind: lines[-1] for kind in KINDS if (lines := mutation.head_lines(path, kind))}


def sources(path):
    """Paths below the root, as Verilator wants them: switches, packages, modules."""
    field = fields(path)
    if "sources" in field:
        return [str(p.relative_to(ROOT)) for word in field["sources"].split() for p in (sorted(ROOT.glob(word)) or [ROOT / word])]
    own = [ROOT / word for word in field.get("own", "").split()]
    needed = rtl_sources.sources(field["top"], tuple(p for p in own if p.suffix == ".sv"))
    names = [str(p.relative_to(ROOT)) for p in [*(p for p in own if p.suffix == ".vlt"), *needed]]
    constants = f"build/gen/{field['constants']}/gantry_cfg_pkg.sv" if "constants" in field else CONSTANTS
    return [constants if name == CONSTANTS else name for name in names]


if __name__ == "__main__":
    for text in sys.argv[1:]:
        print("\n".join(sources(pathlib.Path(text).resolve())))
