# SPDX-License-Identifier: Apache-2.0
"""Functions of two instances that are equal but for names are one function afterwards, and an assertion still names its instance.
Not responsible for: what Verilator merges by itself."""
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "sw/tools"))
from builder import verilate_same  # noqa: E402

UNIT = """module unit (input logic clk_i, input logic go_i, input logic [7:0] a_i, output logic [7:0] sum_o);
  function automatic logic [7:0] step(input logic [7:0] x, input logic [7:0] y);
    logic [7:0] held;
    held = x ^ {y[3:0], y[7:4]};
    return held + 8'd1;
  endfunction
  logic [7:0] many[64];
  always_ff @(posedge clk_i) if (go_i) begin
%s
    sum_o <= many[63];
    a_small: assert (a_i != 8'd99);
  end
endmodule
"""
TOP = """module two (input logic clk_i, input logic [1:0] go_i, input logic [7:0] a_i[2], output logic [7:0] sum_o[2]);
  for (genvar n = 0; n < 2; n++) begin : gen_unit
    unit u_unit (.clk_i, .go_i(go_i[n]), .a_i(a_i[n]), .sum_o(sum_o[n]));
  end
endmodule
"""
PORTS = "`verilator_config\nno_inline -module \"unit\"\n" + "".join(f'public_flat_rd -module "unit" -var "{v}"\n' for v in ("go_i", "a_i"))
BENCH = """#include "Vtwo.h"
#include <cstdio>
int main(int argc, char **)
{
    Vtwo t;
    for (int n = 0; n < 300; n++) {
        t.clk_i = n & 1, t.go_i = (n % 3 == 1) | 2, t.a_i[0] = n % 90, t.a_i[1] = argc > 1 && n == 201 ? 99 : n % 80;
        t.eval();
    }
    printf("%d %d\\n", t.sum_o[0], t.sum_o[1]);
    return 0;
}
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("same")
    body = "\n".join(f"    many[{n}] <= step(many[{(n + 63) % 64}] + 8'd{n}, a_i);" for n in range(64))
    texts = (("ports.vlt", PORTS), ("unit.sv", UNIT % body), ("two.sv", TOP), ("tb.cpp", BENCH))
    for name, text in texts:
        (folder / name).write_text(text)
    cmd = [sys.executable, ROOT / "sw/tools/builder/verilate.py", "--top", "two", "--out", folder / "V", "--exe", folder / "tb.cpp", "--opt=-O0", "--arg=-fno-dfg", "--arg=-Wno-fatal"]
    done = subprocess.run([*cmd, *(folder / name for name, _ in texts[:3])], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "V"


def bodies(out):
    text = "".join(p.read_text() for p in out.glob("Vtwo_unit*.cpp"))
    return [len(m[3]) for m in verilate_same.FUNCTION.finditer(text) if "nba_sequent" in m[1] and len(m[3]) > verilate_same.LEAST]


def sums():
    """What the bench prints, by a model of its own."""
    many, total = [[0] * 64, [0] * 64], [0, 0]
    for n in range(1, 300, 2):
        for unit, (go, value) in enumerate(((n % 3 == 1, n % 90), (True, n % 80))):
            if go:
                mixed = (value << 4 | value >> 4) & 255
                total[unit] = many[unit][63]
                many[unit] = [(((many[unit][(i + 63) % 64] + i & 255) ^ mixed) + 1) & 255 for i in range(64)]
    return total


def test_one_function_serves_both(model):
    done = subprocess.run([model / "Vtwo"], capture_output=True, text=True)
    assert len(bodies(model)) == 1 and done.returncode == 0
    assert [int(word) for word in done.stdout.split()] == sums() and len(set(sums())) == 2


def test_an_assertion_names_its_instance(model):
    done = subprocess.run([model / "Vtwo", "fail"], capture_output=True, text=True)
    assert done.returncode != 0 and re.search(r"unit\.sv:\d+: Assertion failed in \S*gen_unit\[1\]\.u_unit\.a_small", done.stdout + done.stderr), done


def test_other_text_stays(tmp_path):
    """Two functions that differ in one constant stay two; a third that differs in names alone becomes a call."""
    def function(n, local, constant):
        lines = "".join(f"    vlSelfRef.many[{i}U] = {local} + {constant}U;\n" for i in range(600))
        return f"void Vt_unit___nba__TOP__t__DOT__gen__BRA__{n}__KET____DOT__u__0(Vt_unit* vlSelf) {{\n    CData/*7:0*/ {local};\n    {local} = 0;\n{lines}}}\n"
    (tmp_path / "Vt_unit__0.cpp").write_text(function(0, "x__9", 1) + function(1, "x__10", 2) + function(2, "x__123", 1))
    assert verilate_same.merge(tmp_path) == 1
    text = (tmp_path / "Vt_unit__0.cpp").read_text()
    assert text.count("+ 1U;") == 600 and text.count("+ 2U;") == 600 and "BRA__0__KET____DOT__u__0(vlSelf);" in text
