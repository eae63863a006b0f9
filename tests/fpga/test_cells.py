# SPDX-License-Identifier: Apache-2.0
"""Models of the ECP5's cells (fpga/ecp5/cells) as a routed netlist uses them: rtl/tech's memory in the shapes that boards and partitions have, through yosys and
nextpnr, against its RTL; bugs planted in the models are seen; what no model knows is refused."""
import json
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "sw/tools"))
from synthesis import board_netlist  # noqa: E402
from synthesis import fpga  # noqa: E402
from builder import rtl_sources  # noqa: E402
from synthesis import run_yosys  # noqa: E402
from synthesis import synth_flow  # noqa: E402

BUILD = ROOT / "build/tests/fpga/cells"
# (width, depth, lanes): block RAM as wide as 4 (a ring of the board), 1, 2, 9, 18 with two enables, 36; distributed memory: frames of the outbox, lanes of a cache
SHAPES = [(8, 4096, 1), (1, 16384, 1), (2, 8192, 1), (9, 2048, 1), (18, 1024, 2), (72, 512, 1), (32, 16, 1), (64, 40, 8), (5, 32, 1)]
CYCLES = 200000
LIMIT = 600


def bits(depth):
    return (depth - 1).bit_length()


def memories():
    """The memories side by side, and the bench: RTL and netlist get the same random bits.  A read of the row that is written tells nothing until the next."""
    ports, inside, bench, at = [], [], [], 0
    for k, (width, depth, lanes) in enumerate(SHAPES):
        widths = {f"we{k}_i": lanes, f"waddr{k}_i": bits(depth), f"wdata{k}_i": width, f"re{k}_i": 1, f"raddr{k}_i": bits(depth)}
        ports += [f"input logic [{n - 1}:0] {port}" for port, n in widths.items()] + [f"output logic [{width - 1}:0] rdata{k}_o"]
        inside.append(f"  ram_1r1w #(.Width({width}), .Depth({depth}), .Lanes({lanes})) u_{k} (.clk_i, "
                      + ", ".join(f".{port}({port[:-3]}{k}_{port[-1]})" for port in ("we?_i", "waddr?_i", "wdata?_i", "re?_i", "raddr?_i", "rdata?_o")).replace("?", "") + ");")
        for port, n in widths.items():
            bench.append(f"  wire [{n - 1}:0] {port} = " + (f"{n}'(random_i[{at}+:{n}] % {depth});" if "addr" in port else f"random_i[{at}+:{n}];"))
            at += n
        bench.append(f"""  wire [{width - 1}:0] rtl{k}, net{k};
  logic known{k} = 1'b0, fresh{k} = 1'b0;
  always_ff @(posedge clk_i) begin
    fresh{k} <= re{k}_i[0] && !(|we{k}_i && waddr{k}_i == raddr{k}_i);
    if (re{k}_i[0]) known{k} <= !(|we{k}_i && waddr{k}_i == raddr{k}_i);
  end
  assign wrong_o[{k}] = known{k} && rtl{k} != net{k};
  assign compared_o[{k}] = fresh{k};""")
    names = [re.search(r"\w+$", port)[0] for port in ports]
    shapes = "module shapes (\n  input logic clk_i,\n  " + ",\n  ".join(ports) + "\n);\n" + "\n".join(inside) + "\nendmodule\n"
    for kind in ("rtl", "net"):
        connected = ", ".join(f".{name}({kind}{name[5:-2]})" if name.startswith("rdata") else f".{name}" for name in names)
        bench.append(f"  {'shapes' if kind == 'rtl' else 'shapes_net'} u_{kind} (.clk_i, {connected});")
    head = f"module bench (input logic clk_i, input logic [{(at + 31) // 32 * 32 - 1}:0] random_i, output logic [31:0] wrong_o, output logic [31:0] compared_o);\n"
    rest = f"  assign wrong_o[31:{len(SHAPES)}] = '0;\n  assign compared_o[31:{len(SHAPES)}] = '0;\n"
    return shapes, head + "\n".join(bench) + "\n" + rest + "endmodule\n"


@pytest.fixture(scope="module")
def routed():
    """Folder with shapes.sv, bench.sv, routed1.json; made again when what it is made of is another."""
    BUILD.mkdir(parents=True, exist_ok=True)
    out = BUILD.relative_to(ROOT)
    shapes, bench = memories()
    (BUILD / "bench.sv").write_text(bench)
    sources = [str(p.relative_to(ROOT)) for p in rtl_sources.sources("ram_1r1w")]
    script = [f"read_slang --threads 1 --std 1800-2017 -D SYNTHESIS --top shapes {' '.join(sources)} {out}/shapes.sv", "synth_ecp5 -top shapes -noiopad -nowidelut",
              f"write_json {out}/top.json", ""]
    key = synth_flow.key_of(shapes, script, synth_flow.versions(), [(ROOT / p).read_text() for p in sources])
    if not (BUILD / "key").exists() or (BUILD / "key").read_text() != key:
        (BUILD / "shapes.sv").write_text(shapes)
        (BUILD / "synth.ys").write_text("\n".join(script))
        fpga.tool(run_yosys.command("-q", "-l", out / "yosys.log", out / "synth.ys"), BUILD, "yosys", LIMIT)
        fpga.tool([synth_flow.NEXTPNR, *fpga.BOARDS["ulx3s"][0], "--out-of-context", "--seed", 1, "--threads", 1, "--timing-allow-fail", "-q", "--lpf-allow-unconstrained",
                   "--json", out / "top.json", "--write", out / "routed1.json"], BUILD, "nextpnr", LIMIT)
        (BUILD / "key").write_text(key)
    return BUILD


def ran(routed, cells, name):
    """What the bench says with these models: (exit status, text)."""
    net = board_netlist.verilog(routed / "routed1.json", routed / "net1.v", "shapes_net")
    out = routed / name
    done = subprocess.run([sys.executable, "sw/tools/builder/verilate.py", "--top", "bench", "--out", out, "--opt=-O1", "--exe", "tests/fpga/cells.cpp", *board_netlist.FLAGS,
                           *cells, *rtl_sources.sources("ram_1r1w"), routed / "shapes.sv", routed / "bench.sv", net], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    done = subprocess.run([out / "Vbench", str(CYCLES)], capture_output=True, text=True, timeout=LIMIT)
    return done.returncode, done.stdout


@pytest.mark.nightly  # nextpnr is not installed by day
def test_the_models_do_what_the_rtl_does(routed):
    module, = json.loads((routed / "routed1.json").read_text())["modules"].values()
    cells = module["cells"].values()
    widths = {int(c["parameters"]["DATA_WIDTH_A"], 2) for c in cells if c["type"] == "DP16KD"}
    assert widths == {1, 2, 4, 9, 18, 36} and any(c["type"] == "TRELLIS_RAMW" for c in cells)
    status, text = ran(routed, board_netlist.CELLS, "right")
    assert status == 0 and len(text.split()) == len(SHAPES) + 2 and all(int(n) > CYCLES // 4 for n in text.split()[:-2]), text


PLANTED = [("trellis_ramw", "{A0, C0, B0, D0}", "{A0, B0, C0, D0}"), ("trellis_ramw", "{B1, D1, A1, C1}", "{B1, D1, C1, A1}"),
           ("trellis_comb", "if (enable) content", "content"), ("trellis_comb", "{WAD0, WAD2, WAD1, WAD3}", "{WAD3, WAD2, WAD1, WAD0}"),
           ("trellis_ff", 'SD == "1"', 'SD == "0"'), ("dp16kd", "{{9{ad[1]}}, {9{ad[0]}}}", "'1"), ("dp16kd", "4 * int'(ad[2])", "4 * int'(ad[3])"),
           ("dp16kd", "^ (same ? mask_a", "^ (ONE_CLOCK ? mask_a"), ("dp16kd", "if (enable_b && !(", "if (!("), ("dp16kd", "18 * int'(ad[4])", "18 * int'(ad[5])")]


@pytest.mark.nightly
@pytest.mark.parametrize("name, old, new", PLANTED)
def test_a_wrong_model_is_seen(routed, name, old, new, tmp_path):
    text = (ROOT / f"fpga/ecp5/cells/{name}.sv").read_text()
    assert text.count(old) == 1
    (tmp_path / f"{name}.sv").write_text(text.replace(old, new))
    status, text = ran(routed, [tmp_path / p.name if p.stem == name else p for p in board_netlist.CELLS], "wrong")
    assert status == 1 and "differ" in text


CELL = {"type": "TRELLIS_FF", "parameters": {"SD": "1 ", "GSR": "DISABLED"}, "port_directions": {"Q": "output", "DI": "input"}, "connections": {"Q": [2], "DI": [3]}}


@pytest.mark.parametrize("change, line", [
    ({"parameters": {"GSR": "ENABLED"}}, "u: no model of a TRELLIS_FF with GSR ENABLED"),
    ({"parameters": {"LSRMODE": "PRLD"}}, "u: no model of a TRELLIS_FF with LSRMODE PRLD"),
    ({"parameters": {"NEW": "1"}}, "u: no model of a TRELLIS_FF with NEW 1"),
    ({"type": "MULT18X18D"}, "u: no model of MULT18X18D"),
    ({"type": "TRELLIS_COMB", "parameters": {}, "connections": {"OFX": [2]}}, "u: no model of a TRELLIS_COMB with OFX in use"),
    ({"type": "DP16KD", "parameters": {"REGMODE_B": "OUTREG"}}, "u: no model of a DP16KD with REGMODE_B OUTREG"),
    ({"type": "DP16KD", "parameters": {"INITVAL_00": "0x1"}}, "u: no model of a DP16KD with INITVAL_00 0x1"),
    ({"type": "DP16KD", "parameters": {}, "connections": {"RSTA": [2]}}, "u: no model of a DP16KD with RSTA in use")])
def test_what_no_model_knows(change, line):
    board_netlist.reduced({"ports": {}, "cells": {"u": CELL}})
    with pytest.raises(board_netlist.Stop, match=re.escape(line)):
        board_netlist.reduced({"ports": {}, "cells": {"u": {**CELL, **change}}})
