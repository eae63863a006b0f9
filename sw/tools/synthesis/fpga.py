#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fpga.py BOARD PART [--config NAME] [--mhz N] [--seed N]... [--limit SECONDS]: the bitstream of a partition on an FPGA board.

  BOARD     a folder of fpga/ with pins.lpf: ulx3s, ecpix5
  PART      partition kind of bridge/verilated/partitions.yaml: rdma, utcl2, ...
  --config  whose constants the RTL gets (default fpga); the host must run with the same
  --mhz     clock of the board (default 25), made by the device's PLL; the partition has an edge in at most every second cycle of it
  --seed    of the placer (default 1); with several all are routed, the fastest one's bitstream is kept
Writes build/fpga/BOARD-PART-CONFIG/board.bit, and prints one line a seed: size, clocks, the paths between the board's clock and the
gated one.  Exit 0; 1 a tool refuses, it does not fit or no seed keeps the clock (the bitstream is written all the same, named board.slow.bit);
64 wrong arguments; 65, 66 configuration (as `gantry config`).
"""
import argparse
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from gen import gen_board  # noqa: E402
from gen import gen_wrappers  # noqa: E402
from synthesis import netlist  # noqa: E402
from builder import rtl_sources  # noqa: E402
from synthesis import run_yosys  # noqa: E402
from synthesis import synth  # noqa: E402
from synthesis import synth_flow  # noqa: E402

ROOT = rtl_sources.ROOT
VENV = ROOT / "build/venv/bin"
# device and package for nextpnr, oscillator in MHz
BOARDS = {"ulx3s": (["--85k", "--package", "CABGA381", "--speed", "6"], 25), "ecpix5": (["--um5g-85k", "--package", "CABGA554", "--speed", "8"], 100)}
BOXES = ("DCCA", "BB")  # cells of the device that top.sv names
PORTS = {"DCCA": "input logic CLKI, input logic CE, output logic CLKO", "BB": "input logic I, input logic T, output logic O, inout wire B"}
# as synth_flow.STEPS, to a netlist for nextpnr
STEPS = synth_flow.UNVERIFIED + """\
delete {boxes}
synth_ecp5 -top top -run begin:coarse
""" + synth_flow.COARSE + """\
synth_ecp5 -top top -run map_ram:map_ffram
synth_ecp5 -top top -nowidelut -run map_ffram:json
tee -q -o {out}/stat.json stat -json
write_json {out}/top.json
"""


class Stop(Exception):
    """One line."""


def tool(command, folder, name, limit):
    status, seconds, _ = synth_flow.run(command, folder / f"{name}.out", limit)
    if status:
        said = (folder / f"{name}.out").read_text(errors="replace").splitlines()
        wrong = [line for line in said if "ERROR" in line or "error" in line] or said[-1:] or ["no message"]
        raise Stop(f"{name}: {'not finished in ' + str(limit) + ' s' if status == -1 else wrong[0].strip()[:200]}")
    return seconds


def sources(kind, package, folder):
    """Files for read_slang; the generated ones lie in the folder."""
    top = gen_wrappers.partitions()[kind]["top"]
    boxes = folder / "boxes.sv"
    boxes.write_text("".join(f"(* blackbox *) module {name} ({ports}); endmodule\n" for name, ports in PORTS.items()))
    found = [package if p.name == package.name else p for p in dict.fromkeys([*rtl_sources.sources(top), *gen_board.board_sources()])]
    return [*found, folder / "board.sv", folder / "pll_box.sv", boxes, ROOT / "fpga/ecp5/top.sv"]


def synthesize(kind, settings, package, folder, oscillator, mhz, limit):
    """folder/top.json."""
    (folder / "board.sv").write_text(gen_board.emit(kind, settings))
    (folder / "pll_box.sv").write_text("(* blackbox *) module board_pll (input logic osc_i, output logic clk_o, output logic locked); endmodule\n")
    out = folder.relative_to(ROOT)
    tool([VENV / "yowasp-ecppll", "-i", oscillator, "-o", mhz, "--clkin_name", "osc_i", "--clkout0_name", "clk_o", "-n", "board_pll", "-f", out / "pll.v"],
         folder, "ecppll", limit)
    names = " ".join(str(p.relative_to(ROOT)) for p in sources(kind, package, folder))
    read = f"read_slang --threads 1 --std 1800-2017 {' '.join(rtl_sources.include_switches())} -D SYNTHESIS {synth_flow.DEFINES} --top top {names}"
    boxes = " ".join(f"={name}" for name in (*BOXES, "board_pll"))
    script = [read, *STEPS.format(boxes=boxes, out=out).splitlines()]
    script.insert(script.index("synth_ecp5 -top top -run begin:coarse"), f"read_verilog {out}/pll.v")
    (folder / "synth.ys").write_text("\n".join([*script, ""]))
    seconds = tool(run_yosys.command("-q", "-l", out / "yosys.log", out / "synth.ys"), folder, "yosys", limit)
    if not gated(json.loads((folder / "top.json").read_text())):
        raise Stop("yosys: the gate of the target's clock does not hang on one register")
    return seconds


def crossing(report, of, to):
    """ns of the longest path from one clock to another; None: there is none."""
    edge = [[path[end].replace("$glbnet$", "") for end in ("from", "to")] for path in report["critical_paths"]]
    times = [sum(step["delay"] for step in path["path"]) for path, ends in zip(report["critical_paths"], edge) if ends == [f"posedge {of}", f"posedge {to}"]]
    return max(times, default=None)


def route(board, folder, seed, mhz, limit):
    """What nextpnr says of one seed: {sites, mhz by clock, crossings}."""
    out, device = folder.relative_to(ROOT), BOARDS[board][0]
    seconds = tool([synth_flow.NEXTPNR, *device, "--freq", mhz, "--seed", seed, "--router", "router2", "--threads", 1, "--timing-allow-fail", "-q",
                    "--log", out / f"nextpnr{seed}.log", "--json", out / "top.json", "--lpf", f"fpga/{board}/pins.lpf", "--textcfg", out / f"top{seed}.config",
                    "--report", out / f"report{seed}.json", "--write", out / f"routed{seed}.json"], folder, f"nextpnr{seed}", limit)
    report = json.loads((folder / f"report{seed}.json").read_text())
    clocks = {name.removeprefix("$glbnet$").split("$")[0]: value["achieved"] for name, value in report["fmax"].items()}
    return {"used": {k: v["used"] for k, v in report["utilization"].items() if v["used"]}, "clocks": clocks, "seconds": seconds,
            "crossings": {f"{a}>{b}": crossing(report, a, b) for a, b in (("clk", "tclk"), ("tclk", "clk"))}}


def gated(design):
    """The gate of the target's clock hangs on a register alone: what opens it has half a clock, and nextpnr does not look at that path."""
    cells = design["modules"]["top"]["cells"].values()
    opens = [cell["connections"]["CE"] for cell in cells if cell["type"] == "DCCA"]
    registers = [cell["connections"]["Q"] for cell in cells if cell["type"] == "TRELLIS_FF"]
    return len(opens) == 1 and opens[0] in registers


def keeps(answer, mhz):
    """Every clock is as fast as asked.  Edges of the gated clock are two clocks apart, and what its registers see of the board stands as long before each
    (board_target.sv, proved: a_apart, a_still; board_control.sv), so these paths have two clocks.  What comes back has one."""
    wanted = {"tclk": mhz / 2}
    fast = all(value >= (60.0 if name.startswith("ft_clk") else wanted.get(name, mhz)) for name, value in answer["clocks"].items())
    limits = {"clk>tclk": 2000 / mhz, "tclk>clk": 1000 / mhz}
    return fast and all(t is None or t <= limits[n] for n, t in answer["crossings"].items())


def line(seed, answer):
    used = answer["used"]
    size = f"{used.get('TRELLIS_COMB', 0):,} LUT places, {used.get('TRELLIS_FF', 0):,} flip-flops, {used.get('DP16KD', 0)} block RAM"
    clocks = ", ".join(f"{name} {value:.0f} MHz" for name, value in sorted(answer["clocks"].items()))
    paths = ", ".join(f"{name} {value:.1f} ns" for name, value in answer["crossings"].items() if value is not None)
    return f"fpga: seed {seed}: {size}; {clocks}{'; ' + paths if paths else ''}; {answer['seconds']:.0f} s"


def pack(folder, seed, name, limit):
    out = folder.relative_to(ROOT)
    tool([VENV / "yowasp-ecppack", "--compress", "--input", out / f"top{seed}.config", "--bit", out / name], folder, "ecppack", limit)
    return out / name


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("board")
    parser.add_argument("part")
    parser.add_argument("--config", default="fpga")
    parser.add_argument("--mhz", type=float, default=25)
    parser.add_argument("--seed", type=int, action="append", default=[])
    parser.add_argument("--limit", type=int, default=synth.LIMIT)
    args = parser.parse_args()
    kinds = gen_wrappers.partitions()
    if args.board not in BOARDS or args.part not in kinds:
        print(f"fpga: {args.board} {args.part}: expected a board of {', '.join(BOARDS)} and a partition of {', '.join(kinds)}", file=sys.stderr)
        return 64
    config = synth.configuration(args.config)
    values, text = synth.constants(config)
    folder = ROOT / "build/fpga" / f"{args.board}-{args.part}-{pathlib.Path(config).stem}"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.bit"):
        old.unlink()
    package = folder / "gantry_cfg_pkg.sv"
    package.write_text(text)
    try:
        seconds = synthesize(args.part, [f"{n}={v}" for n, v in values.items()], package, folder, BOARDS[args.board][1], args.mhz, args.limit)
        print(f"fpga: {args.board} {args.part}: synthesized in {seconds:.0f} s", flush=True)
        answers = {}
        for seed in args.seed or [1]:
            answers[seed] = route(args.board, folder, seed, args.mhz, args.limit)
            print(line(seed, answers[seed]), flush=True)
        good = [seed for seed in answers if keeps(answers[seed], args.mhz)]
        best = max(good or answers, key=lambda s: min(v for n, v in answers[s]["clocks"].items() if not n.startswith("ft_clk")))
        made = pack(folder, best, "board.bit" if good else "board.slow.bit", args.limit)
    except Stop as stop:
        print(f"fpga: {args.board} {args.part}: {stop}", file=sys.stderr)
        return 1
    print(f"fpga: {made}" + ("" if good else f": no seed keeps {args.mhz:g} MHz"))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
