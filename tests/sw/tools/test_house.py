# SPDX-License-Identifier: Apache-2.0
"""sw/tools/check/house.py on small trees: each criterion counts what it says, and a row beyond its limit is a finding."""
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "sw/tools"))
from check import house  # noqa: E402

BLOCK = "module a;\n  always_ff @(posedge clk_i) begin\n    if (x) begin\n      y <= z;\n    end\n  end\nendmodule\n"
CASES = {  # measure, tree, number
    "named": (house.touched_by_a_move, {"rtl/a/a.sv": "", "tests/x.py": "rtl/a/a.sv rtl/a/a.sv", "host/y.c": "/* rtl/a/a.sv */", "docs/z.md": "rtl/a/a.sv",
                                        "tests/planted/p.patch": "rtl/a/a.sv", "gantry.core": "# written by sw/tools/gen.py\nrtl/a/a.sv"}, 2),
    "named in itself": (house.touched_by_a_move, {"rtl/a/a.sv": "rtl/a/a.sv", "tests/x.py": "rtl/a/gone.sv"}, 0),
    "folder": (house.fullest_folder, {"host/a/1.c": "", "host/a/2.c": "", "host/b/1.c": "", "tests/x/1.c": "", "tests/x/2.c": "", "tests/x/3.c": ""}, 2),
    "written": (house.lines_written, {"a.tsv": "# written by sw/tools/a.py\n1\n2\n", "docs/b.md": "written by sw/tools/b.py\n", "c.py": "1\n" * 9}, 3),
    "names": (house.names_twice, {"host/a/x.c": "", "bridge/b/x.c": "", "host/a/y.c": "", "tests/y.c": "", "host/b/x.h": ""}, 1),
    "long": (house.long_files, {"rtl/a/a.sv": "\n" * 401, "rtl/a/b.sv": "\n" * 400, "rtl/b/gpu.sv": "\n" * 900, "host/c.c": "\n" * 900}, 1),
    "block": (house.longest_block, {"rtl/a/a.sv": BLOCK, "rtl/a/b.sv": BLOCK.replace("      y", "\n\n      y")}, 7),
    "includes": (house.includes, {"rtl/a/a.sv": '`include "gantry_assert.svh"\n  `include "b.svh"\n', "rtl/a/b.svh": '`include "c.svh"\n'}, 2),
    "hooks": (house.hooks, {"rtl/a/a.sv": "if (SeedBug != 1) x; // SeedBug\n// FaultSeed\ny = FaultSeed;\n"}, 2),
    "counters": (house.numbered_counters, {"rtl/a/a.sv": "counter[3] = counter[A]; // counter[4]\nif (perf_addr_i == 8'd5) x;\n      8'd0:    perf_data_o <= y;\n"
                                           "perf_addr_i == PERF_ID; perf_addr_i == 5'(A); logic counter[8]; counter_q[perf_addr_i[3:0]];\n"}, 3),
    "lint_off": (house.lint_off, {"rtl/a/a.sv": "/* verilator lint_off BLKSEQ */\n", "host/a.c": "lint_off"}, 1),
}


@pytest.mark.parametrize("name", CASES)
def test_criterion(name):
    measure, tree, number = CASES[name]
    assert measure(tree) == number


def test_each_row_has_a_case():
    assert {measure for _, measure, _, _ in house.ROWS} == {measure for measure, _, _ in CASES.values()}


@pytest.mark.parametrize("limit, said", [(2, []), (1, []), (0, ["lint_off: 1, the limit is 0"])])
def test_a_row_beside_its_limit(tmp_path, limit, said):
    (tmp_path / "rtl/a").mkdir(parents=True)
    (tmp_path / "rtl/a/a.sv").write_text("/* verilator lint_off BLKSEQ */\n")
    assert house.findings(tmp_path, [("lint_off", house.lint_off, limit, 0)]) == said


def test_this_tree():
    done = subprocess.run([sys.executable, ROOT / "sw/tools/check/house.py"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.splitlines()[-1] == "house: 0 findings", done.stdout
