#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gen_core.py [--check]: gantry.core, the manifest of rtl/gpu/gpu.sv for foreign tools (FuseSoC, CAPI 2), from what the RTL needs.

Writes it, or says with --check (and for lint.py) what in the file that is there differs.  The packages with one source, which lie
in build/gen, are made by `make packages` first.  Not responsible for: that the list elaborates (lint.py).
"""
import pathlib
import sys

import yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from builder import rtl_sources  # noqa: E402

ROOT = rtl_sources.ROOT
CORE = ROOT / "gantry.core"
TOP = "gpu"


def wanted():
    """Files of the top in the order in which they must be read, headers first; paths below the root."""
    sources = rtl_sources.sources(TOP)
    headers = sorted({h for p in sources for h in rtl_sources.included(p)})
    return [str(p.relative_to(ROOT)) for p in headers], [str(p.relative_to(ROOT)) for p in sources]


def text():
    headers, sources = wanted()
    made, own = [p for p in sources if p.startswith("build/")], [p for p in sources if not p.startswith("build/")]
    rows = ["CAPI=2:",
            "# SPDX-License-Identifier: Apache-2.0",
            "# Written by sw/tools/gen/gen_core.py (`make core`), checked by `make lint`.  First `make packages`: it writes build/gen/*_pkg.sv, for",
            "# another configuration than the default one: sw/tools/gen/gen_params.py sv --out build/gen/gantry_cfg_pkg.sv --set KEY=VALUE...",
            "name: gantry:gpu:gpu:1.0.0",
            "description: A GCN3 GPU in synthesizable SystemVerilog (docs/contracts.md)",
            "filesets:",
            "  packages:",
            "    file_type: systemVerilogSource",
            "    files:", *[f"      - {p}" for p in made],
            "  rtl:",
            "    file_type: systemVerilogSource",
            "    files:", *[f"      - {p}: {{is_include_file: true}}" for p in headers], *[f"      - {p}" for p in own],
            "targets:",
            "  default: &default",
            "    filesets: [packages, rtl]",
            f"    toplevel: {TOP}",
            "  lint:",
            "    <<: *default",
            "    default_tool: verilator",
            "    tools:",
            "      verilator: {mode: lint-only}", ""]
    return "\n".join(rows)


def listed():
    """(include folders, sources) as a tool would take them from the file."""
    core = yaml.safe_load(CORE.read_text().partition("\n")[2])
    folders, sources = [], []
    for fileset in core["targets"]["default"]["filesets"]:
        for entry in core["filesets"][fileset]["files"]:
            path, facts = next(iter(entry.items())) if isinstance(entry, dict) else (entry, {})
            if facts.get("is_include_file"):
                folders.append(str(pathlib.PurePath(path).parent))
            else:
                sources.append(path)
    return list(dict.fromkeys(folders)), sources


def findings():
    first = CORE.read_text().partition("\n")[0] if CORE.exists() else ""
    if first != "CAPI=2:":
        return ["gantry.core: is no core file"]
    headers, sources = wanted()
    folders, have = listed()
    out = [f"gantry.core: {p} is missing" for p in sources if p not in have] + [f"gantry.core: {p} is not needed" for p in have if p not in sources]
    out += [f"gantry.core: no headers of {f}" for f in dict.fromkeys(str(pathlib.PurePath(h).parent) for h in headers) if f not in folders]
    if not out and CORE.read_text() != text():
        out = ["gantry.core: not as sw/tools/gen/gen_core.py writes it"]
    return [f"{line} (make core)" for line in out]


def main():
    if sys.argv[1:] == ["--check"]:
        print("\n".join([*findings(), f"core: {len(findings())} findings"]))
        return 1 if findings() else 0
    CORE.write_text(text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
