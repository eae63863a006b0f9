#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_links.py: rtl/gpu/gpu.sv has exactly the links of rtl/gpu/links.yaml, from which partitions are connected, too.

yosys elaborates gpu.sv with partitions and channels as empty boxes; then every bit is looked at: which channel is between which lanes
of which partitions, its width, latency and depth, credits, what leads outside, straps, clocks, that everything counts for idle_o,
and that there is nothing else.  Prints one line a finding; exit 1 on findings.  Not responsible for: the table itself (gen_links.py).
"""
import pathlib
import collections
import json
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from gen import gen_links  # noqa: E402
from gen import gen_params  # noqa: E402
from gen import gen_wrappers  # noqa: E402
from synthesis import netlist  # noqa: E402
from builder import rtl_sources  # noqa: E402

ROOT = rtl_sources.ROOT
# Two cache groups, the last with one CU; several slices; every constant of the table has another value than those beside it.
SETTINGS = ["gpu.cu.count=5", "gpu.l2.slices=2", "gpu.noc.queue=32", "gpu.noc.target_queue=64", "link.dispatch=19", "link.cu_sqc=9", "link.cu_noc=70",
            "link.sqc_noc=71", "link.noc_l2=17"]
LIMIT = 240  # seconds of yosys


def constants():
    known = {name: v for name, (v, _) in gen_params.constants(gen_params.read_table(), SETTINGS).items()}
    return known | {name: rule(known) for name, rule in gen_wrappers.EXTRA.items()}


def elaborate(folder, instead=None):
    """The netlist of gpu.sv, or of the text at `instead`, in `folder` (inside the tree); Netlist, or RuntimeError."""
    folder.mkdir(parents=True, exist_ok=True)
    package = folder / "gantry_cfg_pkg.sv"
    package.write_text(gen_params.package(gen_params.read_table(), SETTINGS, None))
    boxes = ["channel", *(m for m in rtl_sources.modules() if m.startswith("part_"))]
    command = netlist.read("gpu", " ".join(f"--blackboxed-module {m}" for m in boxes), package)
    if instead:
        command = command.replace(str(rtl_sources.defined()["gpu"][1].relative_to(ROOT)), str(instead.relative_to(ROOT)))
    out = folder / "gpu.json"
    out.unlink(missing_ok=True)
    status, text = netlist.yosys(f"{command}; write_json {out.relative_to(ROOT)}", LIMIT)
    if status or not out.exists():
        raise RuntimeError(f"gpu does not elaborate: {text[-400:]}")
    return Netlist(json.loads(out.read_text()))


class Netlist:
    """Cells and ports of gpu; a bit is the number of its net or the text of a constant, whatever buffers it goes through."""

    def __init__(self, design):
        top = design["modules"]["gpu"]
        self.cells, self.driver, alias = collections.defaultdict(dict), {}, {}
        for name, cell in top["cells"].items():
            self.cells[cell["type"]][name] = cell
            if cell["type"] == "$buf":
                alias.update(zip(cell["connections"]["Y"], cell["connections"]["A"]))
            elif cell["type"].startswith("$"):
                self.driver.update((bit, (cell, n)) for n, bit in enumerate(cell["connections"]["Y"]))
        self.alias = alias
        self.ports = {name: self.resolve(port["bits"]) for name, port in top["ports"].items()}

    def resolve(self, bits):
        out = []
        for bit in bits:
            while bit in self.alias:
                bit = self.alias[bit]
            out.append(bit)
        return out

    def bits(self, cell, port):
        return self.resolve(cell["connections"][port])

    def value(self, bit, known):
        """Of a bit behind logic of comparisons and conjunctions, from those of `known`."""
        bit = self.resolve([bit])[0]
        if bit in known or bit in ("0", "1"):
            return known.get(bit, bit == "1")
        if bit not in self.driver:
            return None
        cell, n = self.driver[bit]
        a, b = ([self.value(x, known) for x in cell["connections"].get(side, [])] for side in "AB")
        results = {"$eq": lambda: a == b, "$logic_and": lambda: any(a) and any(b), "$and": lambda: a[n] and b[n], "$reduce_and": lambda: all(a),
                   "$logic_not": lambda: not any(a)}
        if cell["type"] == "$eq" and len(a) != len(b):
            raise RuntimeError("idle_o: a comparison of two widths")
        return results[cell["type"]]() if cell["type"] in results else None


def lane(bits, n, count):
    """Element n of an unpacked array of `count`: the first is highest."""
    width = len(bits) // count
    return bits[(count - 1 - n) * width:(count - n) * width]


class Check:
    def __init__(self, net, table):
        self.net, self.table, self.constants = net, table, constants()
        self.findings, self.used, self.linked = [], set(), set()
        channels = net.cells["channel"]
        self.shown_by = {net.bits(c, "valid_o")[0]: name for name, c in channels.items()}
        self.parts = self.partitions()

    def say(self, text):
        self.findings.append(text)

    def same(self, what, got, want):
        if got != want:
            self.say(f"{what}: other signals than it should have")

    def partitions(self):
        """(kind, instance) -> cell, by the strap of each."""
        parts, top = {}, self.net.ports
        for kind, entry in self.table.kinds.items():
            for name, cell in self.net.cells[entry["top"]].items():
                strap = self.net.bits(cell, "id_i")
                self.same(f"{name}.id_i[15:8]", strap[8:], top["id_i"][8:])
                index = int("".join(str(b) for b in reversed(strap[:8])), 2) if set(strap[:8]) <= {"0", "1"} else None
                if (kind, index) in parts or index is None:
                    self.say(f"{name}: id_i is not its own number")
                parts[kind, index] = cell
        wanted = {(kind, n) for kind in self.table.kinds if kind != "gpu" for n in range(self.table.count(kind, self.constants))}
        if set(parts) != wanted:
            self.say(f"partitions: {sorted(set(parts) ^ wanted, key=str)} too many or missing")
        return parts

    def port(self, kind, name, way):
        entry = next(p for p in self.table.kinds[kind]["ports"] if p["name"] == name and p["dir"] == way)
        return entry, self.constants[entry["count"]] if "count" in entry else 1

    def signals(self, kind, instance, name, way, n):
        """valid, message, credit (or None) of one lane of a partition's port, or of the GPU's own."""
        entry, count = self.port(kind, name, way)
        of = (lambda s: self.net.ports[s]) if kind == "gpu" else (lambda s: self.net.bits(self.parts[kind, instance], s))
        back, end = ("o", "i") if way == "in" else ("i", "o")
        return of(f"{name}_valid_{end}")[n], lane(of(f"{name}_{end}"), n, count), of(f"{name}_credit_{back}")[n] if entry.get("credit") else None

    def channel(self, what, start, end, data, latency, depth):
        name = self.shown_by.get(end)
        if name is None or name in self.used:
            return self.say(f"{what}: no channel of its own leads there")
        self.used.add(name)
        cell = self.net.cells["channel"][name]
        self.same(f"{what}: valid", self.net.bits(cell, "valid_i"), [start])
        self.same(f"{what}: message", (self.net.bits(cell, "data_i"), self.net.bits(cell, "data_o") if data[1] else None), (data[0], data[1]))
        for key, want in (("Width", len(data[0])), ("Latency", latency), ("Depth", depth or latency - 1)):
            got = int(cell["parameters"][key], 2)
            if got != want:
                self.say(f"{what}: {key} {got}, not {want}")
        return None

    def links(self):
        for link in self.table.expanded(self.constants):
            (a, i, m), (b, k, n) = link.sender, link.receiver
            what = f"{a}[{i}].{link.port}[{m}] -> {b}[{k}].{link.port}[{n}]"
            self.linked |= {(a, i, link.port, "out", m), (b, k, link.port, "in", n)}
            if {(a, i), (b, k)} - set(self.parts):
                self.say(f"{what}: no such partition")
                continue
            start, end = self.signals(a, i, link.port, "out", m), self.signals(b, k, link.port, "in", n)
            latency, depth = self.constants[link.latency.sv], self.table.bounds[link.bound]
            depth = self.constants.get(depth, depth)
            self.channel(what, start[0], end[0], (start[1], end[1]), latency, depth)
            if link.credit:
                self.channel(f"{what}: credits", end[2], start[2], (["0"], None), latency, depth)
        for name in sorted(set(self.net.cells["channel"]) - self.used):
            self.say(f"{name}: a channel that is not in the table")

    def outside(self):
        for entry in self.table.kinds["gpu"]["ports"]:
            name, way = entry["name"], entry["dir"]
            for n in range(self.constants[entry["count"]] if "count" in entry else 1):
                inner = self.table.outside[name]
                i, m = (gen_links.value(e, self.constants, n) for e in (inner.instance, inner.lane))
                self.linked.add((inner.kind, i, name, way, m))
                if (inner.kind, i) in self.parts:
                    self.same(f"gpu.{name}[{n}], {way}", self.signals("gpu", 0, name, way, n), self.signals(inner.kind, i, name, way, m))

    def unused(self):
        """What leads nowhere is tied to 0."""
        for kind, i in self.parts:
            for entry in self.table.kinds[kind]["ports"]:
                name, way = entry["name"], entry["dir"]
                for n in range(self.port(kind, name, way)[1]):
                    valid, _, credit = self.signals(kind, i, name, way, n)
                    if (kind, i, name, way, n) not in self.linked and (valid if way == "in" else credit or "0") != "0":
                        self.say(f"{kind}[{i}].{name}[{n}], {way}: is in no row of the table, and not tied to 0")

    def shared(self):
        """Clocks and straps, observation, idle."""
        top, idle = self.net.ports, {}
        common = ["clk_i", "rst_ni", "cycle_i", "perf_en_i", "obs_en_i"]
        boxes = [item for kind, cells in self.net.cells.items() if not kind.startswith("$") for item in cells.items()]
        for name, cell in boxes:
            for port in common:
                if port in cell["connections"]:
                    self.same(f"{name}.{port}", self.net.bits(cell, port), top[port])
            idle[self.net.bits(cell, "idle_o")[0]] = name
        if len(idle) != len(boxes):
            self.say("idle_o: some share one")
        for low in [None, *idle]:
            if self.net.value(top["idle_o"][0], {bit: bit != low for bit in idle}) is not (low is None):
                self.say(f"idle_o: wrong while {idle.get(low, 'nothing')} is busy")
        for (kind, i), cell in self.parts.items():
            count = self.table.count(kind, self.constants)
            for obs in self.table.kinds[kind].get("obs", []):
                valid, data = top[f"{obs['name']}_valid_o"], top[f"{obs['name']}_o"]
                self.same(f"{kind}[{i}].{obs['name']}_valid", self.net.bits(cell, f"{obs['name']}_valid_o"),
                          lane(valid, i, count) if "count" in obs else [valid[i]])
                self.same(f"{kind}[{i}].{obs['name']}", self.net.bits(cell, f"{obs['name']}_o"), lane(data, i, count))


def findings(net, table=None):
    check = Check(net, table or gen_links.Table())
    for step in (check.links, check.outside, check.unused, check.shared):
        step()
    return check.findings


def main():
    try:
        found = findings(elaborate(ROOT / "build/gen/links"))
    except (RuntimeError, gen_links.Bad) as wrong:
        found = [str(wrong)]
    print("\n".join([*found, f"links: {len(found)} findings"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
