# SPDX-License-Identifier: Apache-2.0
"""What yosys and nextpnr write, read back in the names of the RTL: memories, register arrays, cells, paths.

Responsible for: their formats.  Not responsible for: running them (synth_flow).
"""
import collections
import json
import re

LEAST_ARRAY, LEAST_BITS = 8, 512  # elements and bits of a register array that is worth a word
SITES = {"LUT4": 1, "CCU2C": 2}


def cells_of(path):
    """Cells of an RTLIL dump: (type, name, parameters, connections)."""
    kind = name = ""
    params, wires = {}, {}
    with open(path) as text:
        for line in text:
            line = line.strip()
            if line.startswith("cell "):
                _, kind, name = line.split(" ", 2)
                params, wires = {}, {}
            elif line.startswith("parameter "):
                _, key, value = line.split(" ", 2)
                if len(value) < 100:
                    params[key.lstrip("\\")] = value.strip('"')
            elif line.startswith("connect "):
                _, key, value = line.split(" ", 2)
                wires[key.lstrip("\\")] = value
            elif line == "end" and kind:
                yield kind, name, params, wires
                kind = ""


def plain(name):
    return name.replace("\\\\", "").lstrip("\\")


def memories(path):
    """Memories before mapping: [name, words, bits of a word, read ports, write ports]."""
    return [[plain(p["MEMID"]), int(p["SIZE"]), int(p["WIDTH"]), int(p["RD_PORTS"]), int(p["WR_PORTS"])] for _, _, p, _ in cells_of(path)]


def fallen(path):
    """Memories that no kind of RAM took: they become registers."""
    return [m for m in memories(path) if m[4] > 0]


def arrays(registers, index):
    """Unpacked arrays that are registers although an index chooses among their elements: [name, elements, bits].

    read_slang makes one $dff of each element, named after it; a variable index is a $bmux, $bwmux, $demux or shift.  Where
    another statement stands before the one with the index its cell has no name but still the array's width: $bwmux writes."""
    chosen, written = set(), set()
    for kind, _, params, wires in cells_of(index):
        if kind == "$bwmux":
            written.add(int(params["WIDTH"]))
        for port, value in wires.items():
            if port in ("A", "B"):
                chosen |= {n.split("[")[0] for n in re.findall(r"[\\$]([A-Za-z_][\w.]*(?:\[\d+\])*)", value)}
    found = collections.defaultdict(lambda: [set(), 0])
    for _, name, params, _ in cells_of(registers):
        element = re.match(r"\$driver\$([\w.]+)\[(\d+)\]", name)
        if element:
            entry = found[element[1]]
            entry[0].add(int(element[2]))
            entry[1] += int(params["WIDTH"])
    out = [[name, len(elements), bits] for name, (elements, bits) in found.items()
           if len(elements) >= LEAST_ARRAY and bits >= LEAST_BITS and (name in chosen or bits in written)]
    return sorted(out, key=lambda a: -a[2])


def cells(path, top):
    """LUT sites and numbers of the other kinds."""
    kinds = json.loads(path.read_text())["modules"]["\\" + top]["num_cells_by_type"]
    return {"lut": sum(kinds.get(k, 0) * n for k, n in SITES.items()), "ff": kinds.get("TRELLIS_FF", 0), "dsp": kinds.get("MULT18X18D", 0),
            "bram": kinds.get("DP16KD", 0), "lutram": kinds.get("TRELLIS_DPR16X4", 0), "kinds": kinds}


PLACES = 6  # LUT sites that a LUT RAM cell takes of the device's: four hold words, two more of its group are what writes them


def places(cells):
    """LUT sites of the device that a block takes as nextpnr packs it: a LUT RAM cell takes six."""
    return cells["lut"] + PLACES * cells["lutram"]


LUTRAM7 = {"RAM32X1D": 2, "RAM64X1D": 2, "RAM128X1D": 4, "RAM32M": 4, "RAM64M": 4}  # LUTs of a cell


def cells7(path, top):
    """Of synth_xilinx for a 7-series device: LUTs (LUT RAM among them), flip-flops, DSP48E1, block RAM in halves of 18 Kbit."""
    kinds = json.loads(path.read_text())["modules"]["\\" + top]["num_cells_by_type"]
    luts = sum(n for k, n in kinds.items() if re.fullmatch(r"LUT[1-6]|INV", k)) + sum(kinds.get(k, 0) * n for k, n in LUTRAM7.items())
    return {"lut": luts, "ff": sum(n for k, n in kinds.items() if re.fullmatch(r"FD[RSCP]E(_1)?", k)), "dsp": kinds.get("DSP48E1", 0),
            "bram": kinds.get("RAMB18E1", 0) + 2 * kinds.get("RAMB36E1", 0)}


def signal(cell):
    """A cell's name without what the tools added to the name of the signal that it drives or takes."""
    name = cell.removeprefix("u_block.").split(" ")[0]
    name = re.sub(r"_(?:TRELLIS_FF|LUT4|PFUMX|L6MUX21|CCU2C|DP16KD|MULT18X18D|TRELLIS_DPR16X4|TRELLIS_COMB)(?:_.*)?$", "", name.lstrip("\\"))
    return re.sub(r"^\$.*", "(logic)", re.sub(r"\.\d+\.\d+$", "", name))


def longest(path):
    """Of `sta`: [ns, signal where the longest path begins, where it ends], wires not counted; None where it found none."""
    text = path.read_text() if path.exists() else ""
    time = re.search(r"Latest arrival time in '[^']*' is (\d+)", text)
    if not time:
        return None
    text = text[time.end():].split("Arrival histogram")[0]
    cells = re.findall(r"^ +\d+ (\S+) \((?!<)[^)]*\)", text, flags=re.M)
    pins = re.findall(r"^ +\d+ +\\(\S+).*<primary input>", text, flags=re.M)
    first = cells[-1] if cells and (not pins or pins[-1].endswith("clk_i")) else pins[-1] if pins else ""
    return [int(time[1]) / 1000, signal(first), signal(cells[0]) if cells else ""]


def ports(path):
    """[name, bits, "input" or "output"] of a module's ports."""
    out = []
    for bits, way, name in re.findall(r"^\s*wire (?:width (\d+) )?(?:signed )?(input|output) \d+ \\(\S+)", path.read_text(), flags=re.M):
        out.append([name, int(bits or 1), way])
    return out


def pins(top, path):
    """Verilog around a block that would need more pins than a package has: its inputs come out of one shift register, its
    outputs go into registers, whose parity leaves through a tree of registers."""
    ins = [p for p in ports(path) if p[2] == "input" and p[0] != "clk_i"]
    outs = [p for p in ports(path) if p[2] == "output"]
    o = ["(* blackbox *)", f"module {top} (", ",\n".join(f"  {way} [{bits - 1}:0] {name}" for name, bits, way in ports(path)), ");", "endmodule", ""]
    o += ["module pins (input clk_i, input serial_i, output parity_o);"]
    last = "serial_i"
    for name, bits, _ in ins:
        o.append(f"  reg [{bits - 1}:0] {name};")
        o.append(f"  always @(posedge clk_i) {name} <= {{{name}, {last}}};" if bits > 1 else f"  always @(posedge clk_i) {name} <= {last};")
        last = f"{name}[{bits - 1}]"
    for name, bits, _ in outs:
        o += [f"  wire [{bits - 1}:0] {name}_w;", f"  reg [{bits - 1}:0] {name};", f"  always @(posedge clk_i) {name} <= {name}_w;"]
    wires = [f".{name}({name}{'_w' if way == 'output' else ''})" for name, _, way in ports(path)]
    o += [f"  {top} u_block ({', '.join(wires)});"]
    level, row = 0, [f"{name}[{n}]" for name, bits, _ in outs for n in range(bits)]
    while len(row) > 1:
        groups = [row[n:n + 4] for n in range(0, len(row), 4)]
        o += [f"  reg [{len(groups) - 1}:0] parity{level};", "  always @(posedge clk_i) begin"]
        o += [f"    parity{level}[{n}] <= {' ^ '.join(g)};" for n, g in enumerate(groups)] + ["  end"]
        level, row = level + 1, [f"parity{level}[{n}]" for n in range(len(groups))]
    return "\n".join([*o, f"  assign parity_o = {row[0]};" if row else "  assign parity_o = serial_i;", "endmodule", ""])


def overused(path):
    """Of router2's log: the least number of wires, after any of its rounds, that several signals use; None without a round."""
    rounds = re.findall(r"iter=\d+ wires=\d+ overused=(\d+)", path.read_text(errors="replace")) if path.exists() else []
    return min(map(int, rounds), default=None)


def clock(path):
    """Of nextpnr's report: clock in MHz, the ends of its longest path, its time in logic and in wires."""
    report = json.loads(path.read_text())
    name, best = min(report["fmax"].items(), key=lambda f: f[1]["achieved"])
    paths = [p for p in report["critical_paths"] if name in p["from"] and name in p["to"]]
    steps = paths[0]["path"] if paths else []
    time = {kind: round(sum(s["delay"] for s in steps if (s["type"] == "routing") == (kind == "wires")), 1) for kind in ("logic", "wires")}
    used = {k: v["used"] for k, v in report.get("utilization", {}).items() if v["used"]}
    return {"mhz": round(best["achieved"], 1), "from": signal(steps[0]["from"]["cell"]) if steps else "", "to": signal(steps[-1]["to"]["cell"]) if steps else "",
            "levels": sum(s["type"] == "logic" for s in steps), "logic_ns": time["logic"], "wires_ns": time["wires"], "used": used}
