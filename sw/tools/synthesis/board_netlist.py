#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""board_netlist.py KIND FOLDER [--seed N]: a simulated board out of a routed netlist, FOLDER/routedN.json of sw/tools/synthesis/fpga.py.

Writes FOLDER/netN.v (yosys, of the netlist without places and wires) and FOLDER/netN/Vboard, the process of a board (fpga/sim) with the cell
models of fpga/ecp5/cells; prints `KIND PATH`.  Tests let gantry start it by GANTRY_BOARD_SIM=PATH.
What a cell's model does not know (an output register, a reset, an inverter that no model has) is refused, exit 1 with one line.
Not responsible for: times, what the wires of the device do, the bitstream.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from builder import rtl_sources  # noqa: E402
from synthesis import run_yosys  # noqa: E402
from synthesis import synth_flow  # noqa: E402

ROOT = rtl_sources.ROOT
CELLS = sorted((ROOT / "fpga/ecp5/cells").glob("*.sv"))
SIM = ["fpga/sim/board.cpp", "fpga/sim/chip.cpp"]
RESET = 600  # cycles of the chip until top.sv's counter has ended its reset
FLAGS = ["--arg=-Wno-fatal", "--arg=-Wno-lint", "--arg=-Wno-style", "--arg=-Wno-MULTIDRIVEN", "--arg=-Wno-UNOPTFLAT", "--cflag=-DVL_IGNORE_UNKNOWN_ARCH"]
# What a pin has that no wire leads to, when it is not 0; clocks and write enables of block RAM have an inverter behind it.
HIGH = {"TRELLIS_COMB": "ABCD", "TRELLIS_RAMW": ["A0", "B0", "C0", "D0", "A1", "B1", "C1", "D1"], "TRELLIS_FF": ["CE"], "DCCA": ["CE"],
        "DP16KD": ["CLKA", "CLKB", "CEA", "CEB", "WEA", "WEB"]}
# Pins that the models have not and that may have no wire; of block RAM: chip selects (tied to what is decoded), resets, enables of output registers
LOOSE = {"TRELLIS_COMB": r"M|F1|FXA|FXB|DI[01]|OFX", "TRELLIS_FF": "", "TRELLIS_RAMW": "", "TRELLIS_IO": "IOLDO|IOLTO", "DCCA": "",
         "DP16KD": "CS[AB][012]|RST[AB]|OCE[AB]", "EHXPLLL": None}
# Parameters: what the models take (None: a model's own), all others are refused
TAKEN = {"TRELLIS_COMB": {"INITVAL": None, "MODE": {"LOGIC", "CCU2", "DPRAM", "RAMW_BLOCK"}, "CCU2_INJECT1": {"YES", "NO"}, "WCKMUX": {"WCK", "INV"},
                          "WREMUX": {"WRE", "INV"}},
         "TRELLIS_FF": {"SD": {"0", "1"}, "REGSET": {"SET", "RESET"}, "SRMODE": {"LSR_OVER_CE", "ASYNC"}, "CEMUX": {"1", "CE", "INV"}, "CLKMUX": {"CLK", "INV"},
                        "LSRMUX": {"LSR", "INV"}},
         "TRELLIS_IO": {"DIR": {"INPUT", "OUTPUT", "BIDIR"}},
         "TRELLIS_RAMW": {}, "DCCA": {}, "EHXPLLL": {},
         "DP16KD": {**{f"DATA_WIDTH_{p}": None for p in "AB"}, **{f"{n}{p}MUX": {f"{n}{p}", "INV"} for n in ("CLK", "CE", "WE") for p in "AB"},
                    **{f"WRITEMODE_{p}": {"NORMAL", "WRITETHROUGH", "READBEFOREWRITE"} for p in "AB"}}}
# Parameters that say nothing to a model, with the only values that say nothing
SAID = {"TRELLIS_FF": {"GSR": "DISABLED", "LSRMODE": "LSR"}, "TRELLIS_IO": {"DATAMUX_ODDR": "PADDO", "DATAMUX_MDDR": "PADDO"},
        "DP16KD": {"GSR": "DISABLED", "REGMODE_[AB]": "NOREG", "RESETMODE": "SYNC|ASYNC", "ASYNC_RESET_RELEASE": "SYNC|ASYNC", "CSDECODE_[AB]": "0b000",
                   "INITVAL_..": "[0x]*", "(CS[AB][012]|RST[AB])MUX": "INV", "OCE[AB]MUX": "OCE[AB]|INV", "(AD|DI)[AB][0-9]+MUX": "[01]", "WID": "[0x]*"}}


class Stop(Exception):
    """One line."""


def parameters(name, cell):
    """Those of the model."""
    kind, out = cell["type"], {}
    for key, value in cell["parameters"].items():
        text = value.strip() if isinstance(value, str) else str(value)
        if key in TAKEN[kind]:
            if TAKEN[kind][key] is not None and text not in TAKEN[kind][key]:
                raise Stop(f"{name}: no model of a {kind} with {key} {text}")
            out[key] = value
        elif kind != "EHXPLLL" and not any(re.fullmatch(k, key) and re.fullmatch(v, text) for k, v in SAID.get(kind, {}).items()):
            raise Stop(f"{name}: no model of a {kind} with {key} {text}")
    if kind == "EHXPLLL" and cell["connections"].get("CLKFB") != cell["connections"].get("CLKOP"):
        raise Stop(f"{name}: no model of a PLL whose feedback is not its output")
    return out


def pins(name, cell):
    """Connections of the model, {pin: [bit]}; what no wire leads to has its constant."""
    kind, out = cell["type"], {}
    for pin, bits in cell["connections"].items():
        loose = LOOSE[kind]
        if kind == "EHXPLLL" and pin not in ("CLKI", "CLKOP", "LOCK"):
            continue
        if loose and re.fullmatch(loose, pin):
            if bits:
                raise Stop(f"{name}: no model of a {kind} with {pin} in use")
        elif bits:
            out[pin] = bits
        elif cell["port_directions"][pin] == "input":  # as nextpnr's bitstream has it
            tied = cell["parameters"].get(f"{pin}MUX", "0").strip() if kind == "DP16KD" else "0"
            out[pin] = ["1" if pin in HIGH.get(kind, ()) else tied]
    if kind != "DP16KD":
        return out
    bus = {p: [out.pop(f"{p}{i}", ["x"])[0] for i in range(n)] for p, n in (("ADA", 14), ("ADB", 14), ("DIA", 18), ("DIB", 18))}
    for port in ("DOA", "DOB"):
        bus[port] = [out.pop(f"{port}{i}", [None])[0] for i in range(18)]
    return {**out, **bus}


def reduced(module):
    """The module with what the models need, and nets inside led out to ports."""
    cells, free = {}, 1 + max(b for cell in module["cells"].values() for bits in cell["connections"].values() for b in bits if isinstance(b, int))
    for name, cell in module["cells"].items():
        kind = cell["type"]
        if kind not in TAKEN:
            raise Stop(f"{name}: no model of {kind}")
        if kind == "TRELLIS_COMB" and cell["parameters"].get("MODE") == "RAMW_BLOCK":
            continue
        params, connected = parameters(name, cell), pins(name, cell)
        if kind == "DP16KD":
            for pin in ("CLKA", "CLKB", "WEA", "WEB"):
                if connected[pin] == ["1"]:
                    params.setdefault(f"{pin}MUX", "INV")
            if connected["CLKA"] == connected["CLKB"]:
                params["ONE_CLOCK"] = "1"
            for port in ("DOA", "DOB"):
                for i, bit in enumerate(connected[port]):
                    if bit is None:
                        connected[port][i], free = free, free + 1
        if kind == "TRELLIS_IO":  # a module of each direction
            direction = params.pop("DIR").strip()
            connected = {p: connected[p] for p in {"INPUT": "BO", "OUTPUT": "BI", "BIDIR": "BITO"}[direction]}
            kind = f"{kind}_{direction}"
        cells[name] = {"type": kind, "parameters": params, "attributes": {}, "connections": connected,
                       "port_directions": {p: cell["port_directions"].get(p) or cell["port_directions"][f"{p}0"] for p in connected}}
    return {"attributes": {"top": "1"}, "ports": dict(module["ports"]), "cells": cells, "netnames": {}}


def probed(module):
    """With ports of what the board's process wants to know: does the target's clock have an edge, which pads are off."""
    gates = [c for c in module["cells"].values() if c["type"] == "DCCA" and c["connections"]["CE"] != ["1"]]
    pads = {c["connections"]["B"][0]: c["connections"]["T"][0] for c in module["cells"].values() if c["type"] == "TRELLIS_IO_BIDIR"}
    if len(gates) != 1 or set(pads) != set(module["ports"]["ft_d_io"]["bits"]):
        raise Stop(f"{len(gates)} gated clocks and {len(pads)} pads of both directions instead of 1 and 8")
    module["ports"]["probe_fire"] = {"direction": "output", "bits": gates[0]["connections"]["CE"]}
    module["ports"]["probe_off"] = {"direction": "output", "bits": [pads[b] for b in module["ports"]["ft_d_io"]["bits"]]}
    return module


def verilog(routed, target, name="top", change=lambda module: module):
    """A routed netlist, whose top is the only module, as a Verilog module in terms of the cell models."""
    module, = json.loads(routed.read_text())["modules"].values()
    small = target.with_suffix(".json")
    small.write_text(json.dumps({"creator": "board_netlist", "modules": {name: change(reduced(module))}}))
    script, log = target.with_suffix(".ys"), target.with_suffix(".log")
    script.write_text(f"read_json {small}\nwrite_verilog -noattr {target}\n")
    status, _, _ = synth_flow.run(run_yosys.command("-q", "-l", log, script), target.with_suffix(".out"), 600)
    if status:
        raise Stop(f"yosys: {(log.read_text().splitlines() or ['no message'])[-1][:200]}")
    return target


def build(kind, folder, seed=1, jobs=2):
    """The executable."""
    folder = folder.resolve()
    text = verilog(folder / f"routed{seed}.json", folder / f"net{seed}.v", change=probed)
    out = folder / f"net{seed}"
    command = [sys.executable, ROOT / "sw/tools/builder/verilate.py", "--top", "board", "--out", out, f"--jobs={jobs}", *[w for f in SIM for w in ("--exe", ROOT / f)], *FLAGS,
               f'--cflag=-DGANTRY_BOARD_KIND=\\"{kind}\\"', f"--cflag=-DGANTRY_BOARD_RESET={RESET}", "--ldflag=-fuse-ld=lld", *CELLS, ROOT / "fpga/ecp5/routed.sv", text]
    if subprocess.run([*map(str, command)], cwd=ROOT).returncode:
        raise Stop(f"it does not build: {out}/build.log")
    return out / "Vboard"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    try:
        print(args.kind, build(args.kind, args.folder, args.seed))
    except Stop as stop:
        print(f"board_netlist: {stop}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
