#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make synth: compute unit and other partitions of a configuration on an ECP5-85F: area, memories and clock, block by block and as a whole.

synth.py [CONFIG...] [--block NAME]... [--no-route] [--limit SECONDS] [--update] [--list]
  CONFIG     name or file of a configuration (default smallest); its constants are the package that the RTL sees
  --block    only this one: of the table (synth_blocks.py), or any module of rtl/ with its own defaults
  --no-route areas only        --limit  seconds that one run of a tool may take (default 1800); 0: only what is kept
Prints one line a block and what fell apart.  Without --block the table goes into build/synth/synthesis.md, a copy of
docs/reference/synthesis.md, or with --update into this page.  Answers are kept
in build/synth under a hash of all that they hang on: what is there is not made again.
A memory in registers that synth_registers.tsv does not name, or more of one than it allows, is a finding; so is a block
that has outgrown its line of synth_budget.tsv by more than 3 %.
Exit 0; 1 findings, or a block that yosys or nextpnr refuse; 64 no such block; 65, 66 configuration (as `gantry config`).
"""
import argparse
import datetime
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from gen import gen_params  # noqa: E402
from builder import rtl_sources  # noqa: E402
from synthesis import synth_blocks  # noqa: E402
from synthesis import synth_flow  # noqa: E402
from synthesis import synth_names  # noqa: E402

ROOT = rtl_sources.ROOT
BUILD = ROOT / "build/synth"
PAGE = ROOT / "docs/reference/synthesis.md"
ALLOWED = ROOT / "sw/tools/synthesis/synth_registers.tsv"
LIMIT = 1800  # seconds of CPU
DEVICE = {"lut": 83640, "ff": 83640, "dsp": 156, "bram": 208}  # of an ECP5-85F
UNIT = ("front end", "local data share", "vector memory", "vector ALU")  # groups that make up a compute unit
CACHES = ("l1v",)
WHOLE = (synth_blocks.PARTITIONS, "whole compute unit")  # groups that have a column for 7-series devices
COLUMNS = ("block", "LUT sites", "FF", "DSP", "block RAM", "LUT RAM", "places", "LUT, 7-series", "bits of memories in registers", "logic, ns", "MHz", "longest path", "synthesis", "routing")


def configuration(name):
    return name if "/" in name or name.endswith(".yaml") else f"configs/{name}.yaml"


def constants(config):
    """Name -> value of the SystemVerilog constants of a configuration."""
    done = subprocess.run([ROOT / "build/bin/gantry", "config", "-c", config, "--sv"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        print(f"synth: {done.stderr.strip()}", file=sys.stderr)
        sys.exit(done.returncode)
    settings = done.stdout.split()
    params = gen_params.read_table()
    return {name: value for name, (value, _) in gen_params.constants(params, settings).items()}, gen_params.package(params, settings, None)


def allowed():
    """(block, array) -> most bits in registers."""
    rows = [line.split("\t") for line in ALLOWED.read_text().splitlines() if line and not line.startswith("#")]
    return {(block, array): int(bits) for block, array, bits, *_ in rows}


def in_registers(made):
    """Memories of a block that are registers: (name, words, bits, why)."""
    out = [(name, words, words * width, "no RAM takes it") for name, words, width, *_ in made.get("fallen", [])]
    return out + [(name, words, bits, "no memory for yosys") for name, words, bits in made.get("arrays", [])]


def findings(block, made, known):
    if "older" in made:
        return  # of a text that is no more
    if "error" in made and "limit" not in made:
        yield f"{block.name}: {made['error']}"
    for name, words, bits, why in in_registers(made):
        if bits > known.get((block.name, name), 0):
            yield f"{block.name}: memory {name}, {words} words, {bits} bits, fell apart into registers: {why}"


def fits(cells):
    return all(cells[k] <= most for k, most in DEVICE.items()) and synth_names.places(cells) <= DEVICE["lut"]


GROWTH = 1.03  # of a figure of synth_budget.tsv that is no finding
BUDGET = ROOT / "sw/tools/synthesis/synth_budget.tsv"
BUDGETED = ("places", "ff", "bram")


def budget():
    """(configuration, block) -> {figure: most}, as they were last accepted."""
    rows = [line.split("\t") for line in BUDGET.read_text().splitlines() if line and not line.startswith("#")]
    return {(config, block): dict(zip(BUDGETED, map(int, figures))) for config, block, *figures in rows}


def growth(config, block, made, most):
    """What has outgrown the budget by more than 3 %."""
    if "cells" not in made or "older" in made or (config, block.name) not in most:
        return
    cells = {**made["cells"], "places": synth_names.places(made["cells"])}
    for figure, limit in most[config, block.name].items():
        if cells[figure] > GROWTH * limit:
            yield f"{block.name}: {cells[figure]:,} {figure} where synth_budget.tsv has {limit:,}"


def row(block, made, routed, seven):
    """Cells of the table."""
    cells = made.get("cells")
    wide = seven.get("cells")
    bits = f"{sum(b for _, _, b, _ in in_registers(made)):,}" if "arrays" in made else ""
    area = [f"{cells[k]:,}" for k in ("lut", "ff", "dsp", "bram", "lutram")] if cells else [made.get("error", ""), "", "", "", ""]
    area += [f"{synth_names.places(cells):,}" if cells else "", f"{wide['lut']:,}" if wide else seven.get("error", "").removeprefix("not run")]
    ns = f"{made['path'][0]:.1f}" if cells and made.get("path") else ""
    if "mhz" in routed:
        clock, path = f"{routed['mhz']:.0f}", f"`{routed['from']}` to `{routed['to']}`"
    else:
        clock, path = "", routed.get("error", "").removeprefix("not run")
        if cells and made.get("path") and not path:
            path = f"(not routed) `{made['path'][1]}` to `{made['path'][2]}`"
    spent = f"{made['seconds']:.0f} s, {made['mib']} MiB" if "seconds" in made else ""
    place = f"{routed['route_seconds']:.0f} s" if "route_seconds" in routed else ""
    return [f"`{block.name}`" + " (older text)" * ("older" in made), *area, bits, ns, clock, path, spent, place]


def machine():
    model = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return f"{len(re.findall('^processor', pathlib.Path('/proc/cpuinfo').read_text(), re.M))} cores, {model[1].strip() if model else 'unknown'}, under other load"


def sums(results):
    """Rows of what the blocks of a compute unit take together, with and without its cache; one that is missing is named."""
    for title, left_out in (("sum of blocks", ()), (f"sum without `{CACHES[0]}`", CACHES)):
        of = [(block, made) for block, made, *_ in results if block.group in UNIT and block.name not in left_out]
        missing = [f"`{block.name}`" for block, made in of if "cells" not in made]
        total = [sum(made["cells"][k] for _, made in of if "cells" in made) for k in ("lut", "ff", "dsp", "bram", "lutram")]
        places = sum(synth_names.places(made["cells"]) for _, made in of if "cells" in made)
        bits = sum(b for _, made in of for _, _, b, _ in in_registers(made))
        note = f"without {', '.join(missing)}" if missing else ""
        yield [title, *[f"{n:,}" for n in [*total, places]], "", f"{bits:,}", "", "", note, "", ""]


def table(results):
    """The generated part of the page: groups of blocks, sums before the whole unit, then memories in registers."""
    lines = ["| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    group = ""
    for block, made, routed, seven in results:
        if block.group != group:
            group = block.group
            lines.append(f"| **{group}** |" + " |" * (len(COLUMNS) - 1))
            if group == "whole compute unit":
                lines += ["| " + " | ".join(line) + " |" for line in sums(results)]
        lines.append("| " + " | ".join(row(block, made, routed, seven)) + " |")
    lines += ["", "Memories in registers (words, bits):", ""]
    for block, made, *_ in results:
        parts = [f"`{name}` ({words}, {bits:,})" for name, words, bits, _ in in_registers(made)]
        if parts:
            lines.append(f"- `{block.name}`: {', '.join(parts)}")
    return lines


def write_page(file, name, command, results):
    """Put into a page the table of a configuration between its markers, after the text where it has none yet."""
    begin, end = f"<!-- make synth: {name} -->\n", f"<!-- end of make synth: {name} -->\n"
    versions = ", ".join(f"{k} {v}" for k, v in synth_flow.versions().items())
    made = [f"`{command}`, {datetime.datetime.now(datetime.timezone.utc):%d %B %Y}, {versions}; {machine()}.", ""]
    text = begin + "\n".join([*made, *table(results), ""]) + end
    page = file.read_text()
    if begin in page:
        page = page[:page.index(begin)] + text + page[page.index(end) + len(end):]
    else:
        page += f"\n## Configuration {name}\n\n{text}"
    file.write_text(page)


def one(block, values, package, folder, args):
    """Synthesize and route a block; prints its line; (answer, answer of the router, answer for a 7-series device)."""
    made, routed, seven = synth_flow.synthesize(block, values, package, folder / block.name, args.limit), {}, {}
    if "cells" in made and not args.no_route and fits(made["cells"]):
        routed = synth_flow.route(block, made, folder / block.name, args.limit)
    elif "cells" in made and not fits(made["cells"]):
        routed = {"error": "larger than the device"}
    if block.group in WHOLE:
        seven = synth_flow.seven(block, values, package, folder / block.name, args.limit)
    print(" ".join(c for c in (f"{t}={v}" if t != "block" else f"{v:22}" for t, v in zip(COLUMNS, row(block, made, routed, seven)) if v)), flush=True)
    return made, routed, seven


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("configs", nargs="*", metavar="CONFIG", default=["smallest"])
    parser.add_argument("--block", action="append", default=[])
    parser.add_argument("--no-route", action="store_true")
    parser.add_argument("--limit", type=int, default=LIMIT)
    parser.add_argument("--update", action="store_true", help="write the page of docs/")
    parser.add_argument("--list", action="store_true", help="names of the table's blocks")
    args = parser.parse_args()
    if args.list:
        print("\n".join(synth_blocks.table()))
        return 0
    blocks = [(name, synth_blocks.find(name)) for name in args.block] or list(synth_blocks.table().items())
    for name, block in blocks:
        if block is None:
            print(f"synth: {name}: neither a block of the table nor a module of rtl/ (synth.py --list)", file=sys.stderr)
            return 64
    known, most, found = allowed(), budget(), []
    page = PAGE if args.update else BUILD / PAGE.name
    if not args.block and not args.update:
        BUILD.mkdir(parents=True, exist_ok=True)
        shutil.copy(PAGE, page)
    for config in args.configs or ["smallest"]:
        path = configuration(config)
        values, text = constants(path)
        name = pathlib.Path(path).stem
        folder = BUILD / name
        folder.mkdir(parents=True, exist_ok=True)
        package = folder / "gantry_cfg_pkg.sv"
        package.write_text(text)
        results = []
        for block in [b for _, b in blocks if args.block or b.stands_in(values)]:
            made, routed, seven = one(block, values, package, folder, args)
            results.append((block, made, routed, seven))
            found += [f"{name}: {f}" for f in [*findings(block, made, known), *growth(name, block, made, most)]]
        if not args.block:
            options = f" ARGS='--limit {args.limit}{' --no-route' * args.no_route}'" if args.limit != LIMIT or args.no_route else ""
            write_page(page, name, f"make synth CONFIG={config}{options}", results)
    if not args.block:
        print(f"synth: wrote {page.relative_to(ROOT)}{'' if args.update else f'; UPDATE=1 writes {PAGE.relative_to(ROOT)}'}")
    print("\n".join([*found, f"synth: {len(found)} findings"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
