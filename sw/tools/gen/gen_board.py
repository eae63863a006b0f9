#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gen_board.py KIND [--out FILE] [NAME=VALUE or KEY=VALUE]...: the harness of a partition kind on a board, in SystemVerilog.

Modules `board_part` (records of the host <-> the partition) and `board` (pins of the USB chip <-> board_part), for the numbers of lanes of one
configuration; inputs and outputs are numbered as in the model's library (gen_wrappers.port_tables).
Also: what a board says of itself (`hashes`).  Not responsible for: behaviour (rtl/board), building (models.py), whether it is right (check_board.py).
"""
import argparse
import hashlib
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from gen import gen_params  # noqa: E402
from gen import gen_wrappers  # noqa: E402
from synthesis import netlist  # noqa: E402
from builder import rtl_sources  # noqa: E402

ROOT = gen_wrappers.ROOT
GRAPH = ["bridge/verilated/partitions.yaml", "rtl/gpu/links.yaml"]
PORT = re.compile(r"^\s*(input|output)\s[^,;]*?\b(\w+_n?[io])\b\s*(?:\[[^\]]*\]\s*)*,?\s*$", re.M)
NAMED = {"clk_i": "tclk_i", "rst_ni": "target_n", "id_i": "id_i", "cycle_i": "cycle", "idle_o": "idle", "perf_en_i": "perf_en", "perf_addr_i": "perf_addr",
         "perf_part_i": "perf_part", "perf_data_o": "answer", "issued_o": "issued", "ended_o": "ended", "obs_en_i": "1'b0"}


def lanes(kind, constants):
    """Input lanes and output lanes in the order of their numbers: (port, lane, message or None of a credit, bytes)."""
    size, found = gen_wrappers.message_bytes(), {"in": [], "out": []}
    ports = [(p, gen_wrappers.count_of(p, constants)) for p in gen_wrappers.partitions()[kind]["ports"]]
    for p, count in ports:
        found[p["dir"]] += [(p, lane, p["message"], size[p["message"]]) for lane in range(count)]
    for p, count in ports:
        if p.get("credit"):
            found["out" if p["dir"] == "in" else "in"] += [(p, lane, None, 0) for lane in range(count)]
    return found["in"], found["out"]


def top_ports(top):
    """{name: direction} of the module."""
    text = re.sub(r"//[^\n]*", "", netlist.header(top))
    return {name: way for way, name in PORT.findall(text)}


def width(count):
    return max(1, (count - 1).bit_length())


def wire(port, what):
    """Name of what stands at a port: of messages, their valids or their credits."""
    return f"{port['dir']}_{port['name']}{what}"


def case_table(name, select, rows, default):
    """`name` by a number; rows that all say the default are left out."""
    kept = [(number, text) for number, text in rows if text != default]
    if not kept:
        return [f"  assign {name} = {default};"]
    body = [f"      {number}: {name} = {text};" for number, text in kept]
    return ["  always_comb begin", f"    case ({select})", *body, f"      default: {name} = {default};", "    endcase", "  end"]


def part_text(kind, constants):
    """Module board_part."""
    entry = gen_wrappers.partitions()[kind]
    top, (ins, outs) = entry["top"], lanes(kind, constants)
    iw, ow = width(len(ins)), width(len(outs))
    known = top_ports(top)
    pins = {name: signal for name, signal in NAMED.items() if name in known}
    declare, body = [], []
    for p in entry["ports"]:
        count, way = gen_wrappers.count_of(p, constants), "i" if p["dir"] == "in" else "o"
        vector = f"[{count - 1}:0] " if "count" in p else ""
        declare += [f"  {p['message']}_t {wire(p, '')}{f' [{count}]' if 'count' in p else ''};", f"  logic {vector}{wire(p, '_valid')};"]
        pins |= {f"{p['name']}_{way}": wire(p, ""), f"{p['name']}_valid_{way}": wire(p, "_valid")}
        if p.get("credit"):
            declare.append(f"  logic {vector}{wire(p, '_credit')};")
            pins[f"{p['name']}_credit_{'o' if way == 'i' else 'i'}"] = wire(p, "_credit")
    for number, (p, lane, message, size) in enumerate(ins):
        place = f"[{lane}]" if "count" in p else ""
        body.append(f"  assign {wire(p, '_valid' if message else '_credit')}{place} = in_valid[{number}];")
        if message:
            body += [f"  logic [{8 * size - 1}:0] in{number};",
                     f"  board_slot #(.Bytes({size})) u_in{number} (.clk_i, .shift_i(shift && in_slot == {iw}'d{number}), .byte_i(rec_data_i), .message_o(in{number}));",
                     f"  assign {wire(p, '')}{place} = {message}_t'(in{number});"]
    chosen = []
    for number, (p, lane, message, size) in enumerate(outs):
        place = f"[{lane}]" if "count" in p else ""
        body.append(f"  assign out_valid[{number}] = {wire(p, '_valid' if message else '_credit')}{place};")
        if message:
            body += [f"  logic [{size - 1}:0][7:0] out{number};", f"  logic [7:0] byte{number};", f"  assign out{number} = {wire(p, '')}{place};",
                     f"  board_pick #(.Bytes({size})) u_out{number} (.clk_i, .step_i(out_step && out_slot == {ow}'d{number}), "
                     f".index_i(out_index[{width(size) - 1}:0]), .message_i(out{number}), .byte_o(byte{number}));"]
            chosen.append((f"{ow}'d{number}", f"byte{number}"))
    body += case_table("in_bytes", "in_slot", [(f"{iw}'d{n}", f"8'd{lane[3]}") for n, lane in enumerate(ins)], "8'd0")
    body += case_table("out_bytes", "out_slot", [(f"{ow}'d{n}", f"8'd{lane[3]}") for n, lane in enumerate(outs)], "8'd0")
    body += case_table("out_byte", "out_slot", chosen, "8'd0")
    declare += ["  logic [63:0] issued, ended;"] if "issued_o" in known else []
    body.append("  assign shown = ended << 40 | (issued & {24'd0, {40{1'b1}}});" if "issued_o" in known else "  assign shown = answer;")
    foreign = [name for name, way in known.items() if name not in pins and way == "input"]
    if foreign or set(pins) - set(known):
        raise SystemExit(f"gen_board: {kind}: ports of {top} and of partitions.yaml differ: {', '.join([*foreign, *sorted(set(pins) - set(known))])}")
    connect = [f"    .{name}({pins.get(name, '')})" for name in known]
    unused = ["out_index", "out_step"] + ["perf_part"] * ("perf_part_i" not in known) + ["cycle"] * ("cycle_i" not in known)
    body += ["  logic unused;", f"  assign unused = ^{{{', '.join(unused)}}};"]
    return f"""// Generated by sw/tools/gen/gen_board.py: partition kind {kind} behind records of the host.
/* verilator lint_off DECLFILENAME */
module board_part
  import gantry_msg_pkg::*;
(
  input  logic        clk_i,
  input  logic        tclk_i,       // clk_i, with an edge only behind each cycle of fire_o
  input  logic        rst_ni,
  input  logic        attach_i,     // a session begins
  input  logic [15:0] id_i,
  input  logic        rec_valid_i,
  input  logic [ 7:0] rec_data_i,
  output logic        rec_ready_o,
  output logic        snd_valid_o,
  output logic [ 7:0] snd_data_o,
  output logic        snd_end_o,
  input  logic        snd_ready_i,
  output logic        fire_o
);
  logic shift, target_n, idle, perf_en, out_step;
  logic [{iw - 1}:0] in_slot;
  logic [{ow - 1}:0] out_slot;
  logic [{len(ins) - 1}:0] in_valid;
  logic [{len(outs) - 1}:0] out_valid;
  logic [7:0] in_bytes, out_bytes, out_byte, out_index, perf_addr, perf_part;
  logic [63:0] cycle, shown, answer;
{chr(10).join(declare)}
{chr(10).join(body)}
  board_control #(.Ins({len(ins)}), .Outs({len(outs)})) u_control (
    .clk_i, .rst_ni, .attach_i, .rec_valid_i, .rec_data_i, .rec_ready_o, .snd_valid_o, .snd_data_o, .snd_end_o, .snd_ready_i,
    .shift_o(shift), .in_slot_o(in_slot), .in_bytes_i(in_bytes), .in_valid_o(in_valid),
    .out_valid_i(out_valid), .out_slot_o(out_slot), .out_index_o(out_index), .out_step_o(out_step), .out_bytes_i(out_bytes), .out_byte_i(out_byte),
    .fire_o, .target_no(target_n), .cycle_o(cycle), .idle_i(idle), .perf_en_o(perf_en), .perf_addr_o(perf_addr),
    .perf_part_o(perf_part), .shown_i(shown), .answer_i(answer));
  {top} u_target (
{f',{chr(10)}'.join(connect)});
endmodule
"""


def board_text(kind, hello):
    """Module board; hello: {field: 64 bits} of what it says of itself."""
    fields = ", ".join(f"{name}: 64'h{hello[name]:016x}" for name in ("links", "graph", "keys", "rtl", "kind"))
    return f"""
// The board: pins of an FT232H or FT2232H (synchronous 245 FIFO) and the partition.
module board
  import gantry_stream_pkg::*;
(
  input  logic       ft_clk_i,     // 60 MHz of the chip
  input  logic       clk_i,
  input  logic       tclk_i,       // as in board_part
  input  logic       rst_ni,       // low for some cycles of both clocks, before anything else
  input  logic       rxf_ni,
  input  logic       txe_ni,
  input  logic [7:0] d_i,
  output logic [7:0] d_o,
  output logic       d_oe_o,
  output logic       oe_no,
  output logic       rd_no,
  output logic       wr_no,
  output logic       siwu_no,
  output logic       fire_o,
  output logic       active_o      // a byte or the target moves: of a light on the board, and of who simulates it
);
  localparam hello_t Hello = '{{version: 16'(STREAM_VERSION), {fields}, default: '0}};
  logic attach, rec_valid, rec_ready, snd_valid, snd_end, snd_ready, moves;
  logic [7:0] rec_data, snd_data;
  logic [15:0] id;
  board_usb u_usb (
    .ft_clk_i, .clk_i, .rst_ni, .rxf_ni, .txe_ni, .d_i, .d_o, .d_oe_o, .oe_no, .rd_no, .wr_no, .siwu_no, .hello_i(Hello),
    .attach_o(attach), .id_o(id), .rec_valid_o(rec_valid), .rec_data_o(rec_data), .rec_ready_i(rec_ready),
    .snd_valid_i(snd_valid), .snd_data_i(snd_data), .snd_end_i(snd_end), .snd_ready_o(snd_ready), .moves_o(moves));
  board_part u_part (
    .clk_i, .tclk_i, .rst_ni, .attach_i(attach), .id_i(id), .rec_valid_i(rec_valid), .rec_data_i(rec_data),
    .rec_ready_o(rec_ready), .snd_valid_o(snd_valid), .snd_data_o(snd_data), .snd_end_o(snd_end), .snd_ready_i(snd_ready), .fire_o);
  assign active_o = fire_o || moves;
endmodule
"""


def cut(text):
    """64 bits of a hash."""
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "big")


def board_sources():
    """All RTL between the pins and the partition."""
    return list(dict.fromkeys(p for name in ("board_usb", "board_control", "board_slot", "board_pick") for p in rtl_sources.sources(name)))


def hashes(kind, settings):
    """What a board of this kind says of itself (struct stream_hello), beside its version."""
    entry = gen_wrappers.partitions()[kind]
    constants = {name: value for name, (value, _) in gen_params.constants(gen_params.read_table(), settings).items()}
    paths = [p for p in dict.fromkeys([*rtl_sources.sources(entry["top"]), *board_sources()]) if p.name != "gantry_cfg_pkg.sv"]
    headers = sorted({h for p in paths for h in rtl_sources.included(p)})
    text = "\n".join(re.sub(r"\s+", " ", rtl_sources.strip(p.read_text())) for p in [*sorted(paths), *headers])
    words = set(re.findall(r"\b[A-Z]\w*\b", text))
    keys = " ".join(f"{name}={constants[name]}" for name in sorted(constants) if name in words)
    ins, outs = lanes(kind, constants)
    ports = " ".join(f"{p['dir']}.{p['name']}[{lane}]:{message}:{size}" for p, lane, message, size in [*ins, *outs])
    return {"kind": int.from_bytes(kind.encode()[:8], "little"), "rtl": cut(text.encode()), "keys": cut(keys.encode()),
            "graph": cut(b"".join((ROOT / f).read_bytes() for f in GRAPH)), "links": cut(ports.encode())}


def emit(kind, settings):
    constants = {name: value for name, (value, _) in gen_params.constants(gen_params.read_table(), settings).items()}
    return part_text(kind, constants) + board_text(kind, hashes(kind, settings))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default="-")
    parser.add_argument("words", nargs="*", help="KIND, then settings")
    args = parser.parse_args()
    settings = [w for w in args.words if "=" in w]
    kinds = [w for w in args.words if "=" not in w]
    if len(kinds) != 1 or kinds[0] not in gen_wrappers.partitions():
        sys.exit(f"gen_board: one partition kind of {', '.join(gen_wrappers.partitions())}")
    text = emit(kinds[0], settings)
    if args.out == "-":
        sys.stdout.write(text)
    else:
        pathlib.Path(args.out).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
