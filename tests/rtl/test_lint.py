# SPDX-License-Identifier: Apache-2.0
"""Every RTL module through Verilator -Wall and the race checker, every file through verible.  What yosys
makes of them: test_synthesis.py."""
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "sw/tools"))
import lint  # noqa: E402
import rtl_sources  # noqa: E402


@pytest.mark.parametrize("module", rtl_sources.modules())
def test_verilator_and_races(module):
    assert lint.verilator(module) == []


def test_narrow_unit():
    """One SIMD of four lanes, with all that the compute unit instantiates."""
    assert lint.verilator("cu", lint.NARROW) == []


def test_verible():
    assert lint.verible(sorted((ROOT / "rtl").glob("*/*.sv"))) == []


def test_race_is_found(tmp_path):
    """The checker itself: a blocking-assigned register that another block reads."""
    bad = tmp_path / "bad.sv"
    bad.write_text("""module bad (input logic clk_i, input logic a_i, output logic y_o);
  logic x;
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) x = a_i;
  /* verilator lint_on BLKSEQ */
  always_ff @(posedge clk_i) y_o <= x;
endmodule
""")
    build = subprocess.run([sys.executable, ROOT / "sw/tools/verilate.py", "--top", "bad", "--out", tmp_path / "o", "--json-only", bad],
                           cwd=ROOT, capture_output=True, text=True)
    assert build.returncode == 0, build.stderr
    done = subprocess.run([sys.executable, ROOT / "sw/tools/check_blocking.py", tmp_path / "o/Vbad.tree.json"], capture_output=True, text=True)
    assert done.returncode == 1 and "'x'" in done.stdout
