# SPDX-License-Identifier: Apache-2.0
"""What sw/tools/synthesis/synth.py synthesizes: blocks of a compute unit and its dispatcher with the parameters that the partition
tops give them, single functions of the arithmetic packages between registers, and every partition as a whole.

Responsible for: names, tops, parameters, the module around a function.  Not responsible for: running a tool.
"""
import dataclasses
import re

from builder import rtl_sources

ROOT = rtl_sources.ROOT


@dataclasses.dataclass(frozen=True)
class Block:
    """`top` with `params`, a function of the configuration's constants; `text`: the module itself, where it is generated."""
    name: str
    top: str
    group: str
    params: object = None
    text: str = ""
    uses: str = ""  # package that a generated module needs

    def sources(self):
        """RTL files in the order in which they are read."""
        return rtl_sources.sources(self.uses or self.top)

    def stands_in(self, constants):
        """A configuration with these constants has this block."""
        return self.name not in HAS or HAS[self.name](constants)

    @property
    def large(self):
        """Hundreds of thousands of gates."""
        return self.name == "cu_simd" or self.name.startswith("part_")

    def values(self, constants):
        return self.params(constants) if self.params else {}


def wide(constants):
    return constants["NumLanes"] == 16


def slots(constants):
    return constants["VmemSlots"]


def transactions(constants):
    return 16 if not wide(constants) else 128 if constants["L1vMshrs"] > 64 else 64  # as cu_vmem


FRONT = {"cu_fill": None, "cu_fetch": None, "cu_issue": None, "cu_scalar": None, "cu_sgpr": lambda c: {"Simds": c["NumSimd"]}, "cu_perf": None}
VMEM = {
    "cu_vmem_slots": None, "cu_vmem_coalesce": None, "cu_vmem_request": None, "cu_vmem_return": None, "cu_vmem_writeback": None, "cu_vmem_parts": None,
    "cu_vmem_coalesce_narrow": lambda c: {"NumTx": transactions(c), "Slots": slots(c), "AddressLanes": c["VmemLanes"]},
    "cu_vmem_request_narrow": lambda c: {"Slots": slots(c)},
    "cu_vmem_return_narrow": lambda c: {"NumTx": transactions(c), "Slots": slots(c)},
    "tlb_l1": lambda c: {"Entries": c["L1vTlbEntries"]},
    "l1v": lambda c: {"Bytes": c["L1vKib"] * 1024, "Ways": c["L1vWays"], "Mshrs": c["L1vMshrs"], "NumTx": transactions(c),
                      "NumSlices": c["L2Slices"], "Credits": c["NocQueue"]},
}
LDS = {"lds_collect": None, "lds_serial": lambda c: {"Bytes": c["LdsKib"] * 1024}, "lds_execute": lambda c: {"Bytes": c["LdsKib"] * 1024},
       "lds_writeback": None, "ram_banked": lambda c: {"Rows": c["LdsKib"] * 8}}
# Which blocks a configuration has where not all do: a lone narrow SIMD has an LDS of its own (lds_pkg::Serial), narrow SIMDs have
# vector memory of their own.
HAS = {"lds_serial": lambda c: c["NumSimd"] == 1 and c["NumLanes"] < 16}
HAS |= {name: lambda c: not HAS["lds_serial"](c) for name in ("lds_execute", "lds_writeback", "ram_banked")}
HAS |= {name: wide for name in ("cu_vmem_coalesce", "cu_vmem_request", "cu_vmem_return", "cu_vmem_writeback")}
HAS |= {name: lambda c: not wide(c) for name in ("cu_vmem_parts", "cu_vmem_coalesce_narrow", "cu_vmem_request_narrow", "cu_vmem_return_narrow")}
DISPATCH = {
    "dispatch_broadcast": lambda c: {"Cus": c["CuCount"]},
    "dispatch_hub": lambda c: {"Cus": c["CuCount"], "Sqcs": c["SqcCount"], "Slices": c["L2Slices"], "Dispatchers": c["Dispatchers"]},
    "dispatch_recip": lambda c: {"Dispatchers": c["Dispatchers"]},
    "dispatch_walk": lambda c: {"Cus": c["CuCount"], "Simds": c["NumSimd"], "Dispatchers": c["Dispatchers"], "GroupCycles": c["DispatchCycles"],
                                "Patience": c["DispatchPatience"]},
    "dispatch_send": lambda c: {"Cus": c["CuCount"], "Simds": c["NumSimd"], "Dispatchers": c["Dispatchers"]},
    "dispatch_pool": lambda c: {"Cus": c["CuCount"], "Simds": c["NumSimd"], "Slots": c["WavesPerSimd"], "VgprGranules": c["VgprsPerSimd"] // 4,
                                "SgprGranules": c["SgprsPerSimd"] // 16, "LdsGranules": c["LdsKib"] * 2, "Groups": c["GroupsPerCu"]},
    "dispatch_events": lambda c: {"Cus": c["CuCount"], "Dispatchers": c["Dispatchers"]},
}
# Every partition that a board can have, but the compute unit, which comes last; the smallest first.
PARTITIONS, OUTSIDE = "partitions", ("part_rdma", "part_utcl2", "part_dispatch", "part_l2", "part_noc", "part_sqc")
# One lane of what the vector ALU computes in a cycle: the clock of a stage is at most that of its slowest function.
FUNCTIONS = {
    "fpu_sum_pkg": ["sum", "product_bits", "multiply", "multiply_add", "align_add", "round_f32", "round_f16"],
    "fpu_fma_pkg": ["product", "align_add", "rescale", "leading32", "normalise", "round_f32", "half_to_f32"],
    "fpu_misc_pkg": ["whole", "to_int", "f32_to_half", "norm", "med3"],
    "fpu_div_pkg": ["div_scale", "div_fixup"],
    "fpu_trans_pkg": ["trans_f32"],
    "fpu_fma64_pkg": ["product", "align", "add", "round", "omod"],
    "fpu_misc64_pkg": ["whole", "to_f32", "div_scale", "div_fixup"],
    "fpu_seed64_pkg": ["split", "look_up", "piece", "pack"],
    "valu_int_pkg": ["mul32_op", "add_op", "shift64", "sad", "qsad_pair", "perm"],
    "valu_lane_pkg": ["sdwa_select", "sdwa_merge", "omod_f32"],
    "lds_fadd_pkg": ["add"],
    "lds_atomic_pkg": ["atomic32", "atomic64"],
}
ARGUMENT = r"\b(input|output)\s+(logic\b\s*(?:\[[^\]]*\])?|\w+)\s+(\w+)"


def function_top(package, name):
    """(module name, text): the function of the package with a register before each argument and behind each result."""
    kind, path = rtl_sources.defined()[package]
    found = re.search(rf"function automatic\s+(void|logic\s*(?:\[[^\]]*\])?)\s+{name}\s*\((.*?)\);", rtl_sources.strip(path.read_text()), flags=re.S)
    if kind != "package" or not found:
        raise KeyError(f"{package}::{name}")
    arguments = [(way, what if what.startswith("logic") else f"{package}::{what}", arg) for way, what, arg in re.findall(ARGUMENT, found[2])]
    results = [(what, arg) for way, what, arg in arguments if way == "output"]
    if found[1] != "void":
        results.append((found[1], "result"))
    module = f"{package.removesuffix('_pkg')}_{name}"
    ports = ["input logic clk_i"] + [f"input {what} {arg}_i" for way, what, arg in arguments if way == "input"]
    ports += [f"output {what} {arg}_o" for what, arg in results]
    lines = [f"module {module} ({', '.join(ports)});"]
    lines += [f"  {what} {arg}_{'q' if way == 'input' else 'd'};" for way, what, arg in arguments]
    call = f"{package}::{name}({', '.join(arg + ('_q' if way == 'input' else '_d') for way, _, arg in arguments)})"
    if found[1] != "void":
        lines += [f"  {found[1]} result_d;"]
        call = f"result_d = {call}"
    lines += ["  always_comb begin", *[f"    {arg}_d = '0;" for way, _, arg in arguments if way == "output"], f"    {call};", "  end"]
    lines += ["  always_ff @(posedge clk_i) begin", *[f"    {arg}_q <= {arg}_i;" for way, _, arg in arguments if way == "input"],
              *[f"    {arg}_o <= {arg}_d;" for _, arg in results], "  end", "endmodule", ""]
    return module, "\n".join(lines)


def table():
    """All blocks by name, in the order of the page; small ones of a group come first, the whole unit last."""
    out = [Block(m, m, "front end", p) for m, p in FRONT.items()]
    out += [Block(m, m, "local data share", p) for m, p in LDS.items()]
    out += [Block(m, m, "vector memory", p) for m, p in VMEM.items()]
    out += [Block(m, m, "dispatcher", p) for m, p in DISPATCH.items()]
    for package, names in FUNCTIONS.items():
        for name in names:
            module, text = function_top(package, name)
            out.append(Block(module, module, "functions of one lane", text=text, uses=package))
    out += [Block(m, m, PARTITIONS) for m in OUTSIDE]
    out += [Block("cu_simd", "cu_simd", "vector ALU"), Block("part_cu", "part_cu", "whole compute unit")]
    return {b.name: b for b in out}


def find(name):
    """A block of the table, or any module of rtl/ with its own defaults; None: there is neither."""
    blocks = table()
    if name in blocks:
        return blocks[name]
    return Block(name, name, "other") if name in rtl_sources.modules() else None
