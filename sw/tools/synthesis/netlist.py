#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""netlist.py MODULE [--out DIR]: what yosys makes of a module, as Verilog that takes the module's place in a bench.

Writes DIR/MODULE_net.v, the netlist (read_slang, optimization, memories collected with the don't-care of their collisions),
and DIR/MODULE.sv, a module with the ports and parameters of the source around it: read_slang flattens unpacked ports,
first element highest.  Parameters have no effect: the netlist is made with their defaults, or those given with -G.
Unpacked structs: first field highest.  Responsible for: what the front end and the passes before technology mapping make of the text.  Not responsible for:
gates, timing, assertions (left out).
"""
import argparse
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from builder import processor  # noqa: E402
from builder import rtl_sources  # noqa: E402
from synthesis import run_yosys  # noqa: E402

ROOT = rtl_sources.ROOT
OPTIMIZE = "opt_expr; opt_merge; opt_clean; opt_dff; opt_reduce; opt_expr; opt_merge; opt_clean"  # opt_dff counts readers: clean first
MEMORIES = "opt_mem_feedback; opt_expr; opt_merge; opt_clean; memory_dff; memory_collect; opt_clean"


def read(module, options="", package=None):
    """The yosys command that elaborates `module`; `package` replaces the generated configuration."""
    paths = [package if package and p.name == package.name else p for p in rtl_sources.sources(module)]
    names = " ".join(str(p.relative_to(ROOT)) for p in paths)
    return f"read_slang --threads 1 --std 1800-2017 {' '.join(rtl_sources.include_switches())} -D SYNTHESIS {options} --top {module} {names}"


def yosys(script, limit=None):
    """Run a script; (exit status, output)."""
    try:
        done = subprocess.run([*processor.behind(), *run_yosys.command("-q", "-p", script)], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", timeout=limit)
    except subprocess.TimeoutExpired:
        return 1, f"error: no end after {limit} s"
    return done.returncode, done.stdout


def header(module):
    """The text of the module's source from `module` to the end of its ports."""
    text = rtl_sources.defined()[module][1].read_text()
    return re.search(rf"^module {module}\b.*?^\);", text, flags=re.M | re.S)[0]


def unpacked_structs():
    """Unpacked structs of the packages: type -> [(type, name, sizes)]."""
    out = {}
    for kind, path in rtl_sources.defined().values():
        if kind == "package":
            for body, name in re.findall(r"typedef struct \{(.*?)\}\s*(\w+);", rtl_sources.strip(path.read_text()), flags=re.S):
                out[name] = [(t, n, sizes(d)) for t, n, d in re.findall(r"(\w+)\s*(?:\[[^;]*\]\s*)*\b(\w+)\s*((?:\[\s*\d+\s*\]\s*)*);", body)]
    return out


def sizes(dims):
    return [int(d) for d in re.findall(r"\d+", dims)]


def flat(kind, name, dims, structs):
    """A port as the netlist orders its bits: first element and first field highest."""
    if dims:
        parts = [flat(kind, f"{name}[{i}]", dims[1:], structs) for i in range(dims[0])]
    elif kind in structs:
        parts = [flat(k, f"{name}.{n}", d, structs) for k, n, d in structs[kind]]
    else:
        return name
    return "{" + ", ".join(parts) + "}"


def wrapper(module):
    text = header(module)
    ports = re.sub(r"//[^\n]*", "", text)
    pins, structs = [], unpacked_structs()
    port = r"^\s*(?:input|output)\s+(?:logic\b|(?:\w+::)?(\w+))?\s*(?:\[[^,]*?\]\s*)*\b(\w+_n?[io])\s*((?:\[\s*\d+\s*\]\s*)*),?\s*$"
    for kind, name, dims in re.findall(port, ports, flags=re.M):
        pins.append(f"    .{name}({flat(kind, name, sizes(dims), structs)})")
    return f"{text}\n  {module}_net u_net (\n" + ",\n".join(pins) + "\n  );\nendmodule\n"


def write(module, out, options="", limit=None):
    """Netlist and wrapper in folder `out`; the two paths."""
    out.mkdir(parents=True, exist_ok=True)
    net = out / f"{module}_net.v"
    script = [read(module, f"--ignore-assertions {options}"), f"hierarchy -check -top {module}", OPTIMIZE, MEMORIES, "bwmuxmap",
              f"rename {module} {module}_net", f"write_verilog -noattr {net.relative_to(ROOT)}"]
    code, text = yosys("; ".join(script), limit)
    if code:
        raise RuntimeError(f"{module}: {text[-2000:]}")
    shell = out / f"{module}.sv"
    shell.write_text(wrapper(module))
    return [net, shell]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("module")
    parser.add_argument("--out", default="build/netlist")
    parser.add_argument("-G", action="append", default=[])
    args = parser.parse_args()
    for path in write(args.module, ROOT / args.out, " ".join(f"-G {g}" for g in args.G)):
        print(path.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
