#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_board.py [KEY=VALUE]...: the harness of every partition kind on a board (gen_board.py), for the numbers of one configuration, through Verilator
-Wall and yosys' read_slang; the partition is an empty box.  One line a finding; exit 1 on findings.  Also a part of `make lint`."""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from gen import gen_board  # noqa: E402
from gen import gen_wrappers  # noqa: E402
from synthesis import netlist  # noqa: E402
from builder import rtl_sources  # noqa: E402

ROOT = rtl_sources.ROOT
TOP = "board"


def stub(top, folder):
    """The partition as an empty box, and what tells Verilator that it may be empty."""
    box, rules = folder / f"{top}.sv", folder / "box.vlt"
    box.write_text(f"{netlist.header(top)}\nendmodule\n")
    rules.write_text("`verilator_config\n" + "".join(f'lint_off -rule {rule} -file "*/{box.name}"\n' for rule in ("UNUSEDSIGNAL", "UNDRIVEN")))
    return box, rules


def findings(settings):
    """The text of every kind for these settings through Verilator and read_slang."""
    from check import lint  # which looks at this, too
    found = []
    package, wrong = lint.configuration("board", settings)
    if wrong:
        return wrong
    for kind, entry in gen_wrappers.partitions().items():
        folder = ROOT / "build/lint/board" / kind
        folder.mkdir(parents=True, exist_ok=True)
        text = folder / "board.sv"
        text.write_text(gen_board.emit(kind, settings))
        box, rules = stub(entry["top"], folder)
        packages = [package if p.name == package.name else p for p in rtl_sources.sources(entry["top"]) if p.name.endswith("_pkg.sv")]
        paths = " ".join(str(p.relative_to(ROOT)) for p in dict.fromkeys([*packages, *gen_board.board_sources(), box, text]))
        with tempfile.TemporaryDirectory() as out:
            code, said = lint.tool([str(lint.VENV / "python"), "sw/tools/builder/verilate.py", "--top", TOP, "--out", out, "--json-only",
                                    "--arg=-Wno-UNUSEDPARAM", str(rules), *paths.split()])
        if code:
            found += [f"verilator {kind}: {line}" for line in said.splitlines() if "%" in line[:8]] or [f"verilator {kind}: {said.strip()}"]
        code, said = netlist.yosys(f"read_slang --threads 1 --std 1800-2017 {' '.join(rtl_sources.include_switches())} -D SYNTHESIS --blackboxed-module {entry['top']} --top {TOP} {paths}; "
                                   f"hierarchy -check -top {TOP}", lint.SLANG_LIMIT)
        if code:
            found += [f"read_slang {kind}: {line}" for line in said.splitlines() if "error" in line.lower()][:5] or [f"read_slang {kind}: {said.strip()[-400:]}"]
    return found


def main():
    found = findings(sys.argv[1:])
    print("\n".join([*found, f"board: {len(gen_wrappers.partitions())} kinds, {len(found)} findings"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
