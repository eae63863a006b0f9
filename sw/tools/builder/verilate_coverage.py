# SPDX-License-Identifier: Apache-2.0
"""What verilate.py does for --coverage beside the switches: copies of the sources with what Verilator 5.048 needs to keep every point,
and a hook in the generated model that writes the counts (bridge/verilated/coverage.hpp).
Counted are rtl/cu, but not its L1 cache (rtl/cu/l1v); other files of a model are switched off."""
import os
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[3]
HOOK = ROOT / "bridge/verilated/coverage.hpp"
READ = [pathlib.Path(__file__), HOOK]  # what counts for the key of a model
SWITCHES = ["--coverage-line", "--coverage-toggle", "-Wno-fatal"]
# Verilator 5.048 forgets the points of a package whose first item is one (its walk over the items that it moves ends there): all but
# the first, and the counts have no name.  A parameter that stays keeps its place before them.
FIRST = "localparam bit CoverFirst /*verilator public_flat_rd*/ = 1'b1;"
# It counts at the end of a block, where a return before it does not let it come: an item of its own before each.
JUMP = re.compile(r"(//[^\n]*|/\*.*?\*/|\"[^\"]*\")|\b((?:return|break|continue)\b[^;]*;)", re.S)
MACROS = {"gantry_assert.svh"}  # headers that stay
COUNT = "begin case (1'b1) default: begin end endcase "


def countable(text):
    """Text of a file with what it needs to be counted; the lines stay where they are."""
    text = re.sub(r"^(\s*package\s+(?:automatic\s+)?\w+\s*;)", rf"\1 {FIRST}", text, flags=re.M)
    return JUMP.sub(lambda m: m[1] or f"{COUNT}{m[2]} end", text)


def whole(path, root):
    """Countable text of a file with the headers it includes, each line under its own name and number."""
    name = os.path.relpath(path.resolve(), root)
    out = [f'`line 1 "{name}" 0']
    for n, line in enumerate(countable(path.read_text()).split("\n"), 1):
        header = re.match(r'\s*`include\s+"(?:\S*/)?(\w+\.svh)"', line)
        if header and header[1] not in MACROS:
            found = next((root / "rtl").rglob(header[1]))
            out += [whole(found, root), f'`line {n + 1} "{name}" 0']
        else:
            out.append(line)
    return "\n".join(out)


def counted(name):
    """A file, by its place below the root: of the compute unit, but for its L1 cache, which is a part of the memory path."""
    return name.startswith("rtl/cu/") and not name.startswith("rtl/cu/l1v/")


def copies(sources, folder, root=ROOT):
    """Paths of the copies, whose points carry the file's name below the root, and of a file that switches the others off."""
    folder.mkdir(parents=True, exist_ok=True)
    out, off = [], ["`verilator_config"]
    for n, source in enumerate(map(pathlib.Path, sources)):
        name = os.path.relpath(source.resolve(), root)
        copy = folder / f"{n}_{source.name}"
        copy.write_text(whole(source, root))
        out.append(str(copy))
        if not counted(name):
            off.append(f'coverage_off -file "{name}"')
    config = folder / "off.vlt"
    config.write_text("\n".join(off) + "\n")
    return [str(config), *out]


INSERT = re.compile(r'vlSelf->__vlCover(Toggle)?Insert\(((?:[^;"]|"[^"]*")*)\);')


def declared(text):
    """{first counter: (number of counters, text of the arguments)} of the points that the generated code gives a name."""
    out = {}
    for kind, arguments in INSERT.findall(text):
        words, at = arguments.split(","), int(re.search(r"__Vcoverage\[(\d+)\]", arguments)[1])
        out[at] = 2 * (abs(int(words[1]) - int(words[0])) + 1) if kind else 1, arguments
    return out


def drop_uncounted(out, code):
    """Points for which there is no counting code are none: conditions that are constant in this model, functions that are only evaluated
    for constants, blocks that end in a jump.  Their places go to uncounted.txt."""
    counted = set(map(int, re.findall(r"\+\+\(vlSymsp->__Vcoverage\[(\d+)\]\)", "\n".join(code.values()))))
    lost = []

    def keep(m):
        at = int(re.search(r"__Vcoverage\[(\d+)\]", m[2])[1])
        if m[1] or at in counted:
            return m[0]
        file, line, column, what = re.search(r'first,\s*"([^"]*)",\s*(\d+),\s*(\d+),\s*"[^"]*",\s*"[^"]*",\s*"([^"]*)"', m[2]).groups()
        lost.append(f"{file}\t{line}\t{column}\t{what}")
        return ""

    for path, text in code.items():
        if "__vlCoverInsert(" in text:
            path.write_text(INSERT.sub(keep, text))
    (out / "uncounted.txt").write_text("".join(f"{row}\n" for row in sorted(set(lost))))


def instrument(out, name):
    """Check that every counter has a name, and let the model write its counts when it goes."""
    total = int(re.search(r"__Vcoverage\[(\d+)\]", (out / f"{name}__Syms.h").read_text())[1])
    code = {p: p.read_text() for p in out.glob("*.cpp")}
    named = {at + n for at, (count, _) in declared("\n".join(code.values())).items() for n in range(count)}
    if len(named) != total:
        raise SystemExit(f"verilate: {name}: {total - len(named)} of {total} coverage counters have no name")
    drop_uncounted(out, code)
    model = out / f"{name}.cpp"
    text = model.read_text()
    for old, new in ((f'#include "{name}__pch.h"', f'#include "{name}__pch.h"\n#include "bridge/verilated/coverage.hpp"'),
                     ("contextp()->addModel(this);", "contextp()->addModel(this);\n    gantry::coverage_open(this, contextp(), modelName());"),
                     (f"{name}::~{name}() {{", f"{name}::~{name}() {{\n    gantry::coverage_close(this);")):
        if text.count(old) != 1:
            raise SystemExit(f"verilate: {name}: the generated code has {text.count(old)} places like {old}")
        text = text.replace(old, new)
    model.write_text(text)
