# SPDX-License-Identifier: Apache-2.0
"""sw/tools/synthesis/synth.py on small modules: areas, what became of each memory, one line for what does not exist (C.9)."""
import json
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "sw/tools"))
from synthesis import synth  # noqa: E402
from synthesis import synth_blocks  # noqa: E402
from synthesis import synth_flow  # noqa: E402
from synthesis import synth_names  # noqa: E402

BUILD = ROOT / "build/tests/sw/synth"  # yosys sees only what is below the root
GOOD = "always_ff @(posedge clk_i) begin if (we_i) mem[wa_i] <= d_i; q_o <= mem[ra_i]; end"
BLOCKING = "always_ff @(posedge clk_i) begin if (we_i) begin mem[wa_i] = d_i; mem[ra_i][0] = 1'b0; end q_o <= mem[ra_i]; end"
PORTS = """always_ff @(posedge clk_i) begin
  if (we_i) mem[wa_i] <= d_i;
  if (d_i[0]) mem[ra_i] <= 16'd3;
  if (d_i[1]) mem[wa_i + 5'd1] <= 16'd5;
  q_o <= mem[ra_i];
end"""


def planted(text):
    return synth_blocks.Block("planted", "planted", "test", text=f"""module planted (input logic clk_i, input logic we_i,
  input logic [4:0] wa_i, input logic [4:0] ra_i, input logic [15:0] d_i, output logic [15:0] q_o);
  logic [15:0] mem[32];
  {text}
endmodule
""")


def made(block, name):
    synth_flow.NICE = 0
    folder = BUILD / name
    shutil.rmtree(folder, ignore_errors=True)
    return synth_flow.synthesize(block, {}, ROOT / "build/gen/gantry_cfg_pkg.sv", folder, 120), folder


@pytest.mark.shows("C.9")
def test_areas_of_a_queue():
    answer, folder = made(synth_blocks.find("stream_fifo"), "fifo")
    cells = answer["cells"]
    assert 40 <= cells["ff"] <= 45 and 30 <= cells["lut"] <= 120 and (cells["dsp"], cells["bram"], cells["lutram"]) == (0, 0, 8)
    assert answer["memories"] == [["mem", 3, 32, 1, 1]] and list(synth.in_registers(answer)) == []
    assert 0.5 < answer["path"][0] < 5 and answer["path"][2] in ("data_o", "read_q", "write_q", "count_o")
    again = json.loads((folder / "synth.json").read_text())
    assert synth_flow.synthesize(synth_blocks.find("stream_fifo"), {}, ROOT / "build/gen/gantry_cfg_pkg.sv", folder, 120) == again == answer


@pytest.mark.parametrize("text, why", [(BLOCKING, "no memory for yosys"), (PORTS, "no RAM takes it")], ids=["blocking", "ports"])
@pytest.mark.shows("C.9")
def test_a_memory_that_falls_apart_is_found(text, why):
    answer, _ = made(planted(text), "planted")
    assert list(synth.in_registers(answer)) == [("mem", 32, 512, why)]
    assert answer["cells"]["ff"] >= 512
    found = list(synth.findings(planted(text), answer, {}))
    assert found == [f"planted: memory mem, 32 words, 512 bits, fell apart into registers: {why}"]
    assert list(synth.findings(planted(text), answer, {("planted", "mem"): 512})) == []
    assert list(synth.findings(planted(text), answer, {("planted", "mem"): 511})) == found


def test_a_memory_stays_one():
    answer, _ = made(planted(GOOD), "planted")
    assert list(synth.in_registers(answer)) == [] and answer["cells"]["ff"] < 100
    assert answer["cells"]["bram"] + answer["cells"]["lutram"] > 0


def test_an_area_of_another_text_is_marked():
    answer, folder = made(planted(GOOD), "older")
    (folder / "route.json").write_text(json.dumps({"key": "of yet another text", "mhz": 77.0, "from": "a", "to": "b"}))
    package = ROOT / "build/gen/gantry_cfg_pkg.sv"

    def kept(text):
        again = synth_flow.synthesize(planted(text), {}, package, folder, 0)
        routed = synth_flow.route(planted(text), again, folder, 0)
        return again, synth.row(planted(text), again, routed, {})
    same, line = kept(GOOD)
    assert same == answer and line[0] == "`planted`" and "77" not in line
    older, line = kept(BLOCKING)
    assert older == {**answer, "older": True} and line[0] == "`planted` (older text)" and line[1] == f"{answer['cells']['lut']:,}" and "77" not in line
    assert list(synth.findings(planted(BLOCKING), {**older, "arrays": [["mem", 32, 512]]}, {})) == []
    assert json.loads((folder / "synth.json").read_text()) == answer
    (folder / "synth.json").unlink()
    assert kept(GOOD)[0]["error"] == "not run"


def test_growth_beyond_the_budget_is_a_finding():
    """By more than 3 %, of the block and configuration that the line names; an area of an older text says nothing."""
    block, most = planted(GOOD), {("fpga", "planted"): {"places": 100, "ff": 1000, "bram": 4}}
    small = {"cells": {"lut": 43, "lutram": 10, "ff": 1030, "bram": 4}}
    large = {"cells": {"lut": 44, "lutram": 10, "ff": 1031, "bram": 5}}
    assert list(synth.growth("fpga", block, small, most)) == []
    assert list(synth.growth("fpga", block, large, most)) == [
        f"planted: {figure} where synth_budget.tsv has {limit}" for figure, limit in (("104 places", "100"), ("1,031 ff", "1,000"), ("5 bram", "4"))]
    assert list(synth.growth("tiny", block, large, most)) == list(synth.growth("fpga", block, {**large, "older": True}, most)) == []


@pytest.mark.nightly
def test_partitions_keep_their_budget():
    """Mapped, from what is kept in build/synth."""
    for config in sorted({config for config, _ in synth.budget()}):
        words = [word for of, block in synth.budget() if of == config for word in ("--block", block)]
        done = subprocess.run([sys.executable, "sw/tools/synthesis/synth.py", config, "--no-route", *words], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0 and "0 findings" in done.stdout, done.stdout + done.stderr


def test_what_yosys_refuses_is_a_finding():
    answer, _ = made(planted("assign q_o = nothing;"), "planted")
    assert re.fullmatch(r"planted: .*error.*", next(iter(synth.findings(planted(""), answer, {}))), re.I)


def test_functions_stand_between_registers():
    module, text = synth_blocks.function_top("fpu_sum_pkg", "align_add")
    assert module == "fpu_sum_align_add" and text.count("_q <= ") == 5 and "sg_o <= sg_d" in text
    with pytest.raises(KeyError):
        synth_blocks.function_top("fpu_sum_pkg", "nothing")
    assert all(b.sources() for b in synth_blocks.table().values())


@pytest.mark.parametrize("args, status, line", [
    (["--block", "nothing"], 64, r"synth: nothing: neither a block of the table nor a module of rtl/.*"),
    (["nowhere", "--block", "stream_fifo"], 66, r"synth: gantry: configs/nowhere\.yaml: No such file or directory; named systems: [a-z0-9, -]+")])
def test_what_does_not_exist(args, status, line):
    done = subprocess.run([sys.executable, "sw/tools/synthesis/synth.py", *args], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (status, "") and re.fullmatch(line + "\n", done.stderr), done.stderr


def test_clock_is_read_from_a_report(tmp_path):
    def step(kind, delay, cell):
        return {"type": kind, "delay": delay, "from": {"cell": cell, "port": "Q"}, "to": {"cell": "u_block.next.q_TRELLIS_FF_Q_3", "port": "DI"}}
    report = {"fmax": {"clk": {"achieved": 61.23, "constraint": 50}}, "utilization": {"DP16KD": {"used": 4, "available": 208}},
              "critical_paths": [{"from": "posedge clk", "to": "posedge clk", "path": [
                  step("clk-to-q", 0.5, "u_block.a_q_TRELLIS_FF_Q_12"), step("routing", 6.0, "u_block.a_q_TRELLIS_FF_Q_12"), step("setup", 0.25, "x")]}]}
    path = tmp_path / "report.json"
    path.write_text(json.dumps(report))
    answer = synth_names.clock(path)
    assert (answer["mhz"], answer["from"], answer["to"]) == (61.2, "a_q", "next.q")
    assert (answer["logic_ns"], answer["wires_ns"], answer["used"]) == (0.8, 6.0, {"DP16KD": 4})


def test_what_a_router_that_was_stopped_had_left(tmp_path):
    path = tmp_path / "nextpnr.log"
    assert synth_names.overused(path) is None
    path.write_text("Info: Routing globals...\n")
    assert synth_names.overused(path) is None
    path.write_text("".join(f"Info:     iter={i} wires=203182 overused={n} overuse={n + 9} archfail=NA\n" for i, n in ((1, 900), (2, 20), (3, 101))))
    assert synth_names.overused(path) == 20


@pytest.mark.may_skip("nextpnr is installed by make synth only")
@pytest.mark.skipif(not synth_flow.NEXTPNR.exists(), reason="nextpnr is installed by make synth only")
def test_a_queue_is_routed():
    block = synth_blocks.find("stream_fifo")
    answer, folder = made(block, "fifo")
    routed = synth_flow.route(block, answer, folder, 300)
    assert 50 < routed["mhz"] < 500 and routed["from"] and routed["to"], routed
