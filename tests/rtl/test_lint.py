# SPDX-License-Identifier: Apache-2.0
"""Every RTL module through Verilator -Wall and the race checker, every file through verible, C through clang-format.
What yosys makes of the RTL: test_synthesis.py."""
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "sw/tools"))
from check import lint  # noqa: E402
from builder import rtl_sources  # noqa: E402


# 4 s of CPU each: by day the GPU has the text of part_cu with all below it, and the cases of narrow units are in the bench vmem_lanes4 and in `smallest`
LONG = ("part_cu",)


@pytest.mark.parametrize("module", [pytest.param(m, marks=[pytest.mark.nightly] if m in LONG else []) for m in rtl_sources.modules()])
def test_verilator_and_races(module):
    assert lint.verilator(module) == []


@pytest.mark.nightly
def test_narrow_unit():
    """One SIMD of four lanes, with all that the compute unit instantiates."""
    assert lint.verilator("cu", lint.NARROW) == []


def test_verible():
    assert any(p.suffix == ".svh" for p in lint.texts())
    assert lint.verible(lint.texts()) == []


@pytest.mark.parametrize("name", ["cu_issue_tasks.svh", "simd_stage_read.svh"])
def test_verible_reads_included_texts(name, monkeypatch):
    """A finding in them is told with the file's name, also where macros stand in for arguments of tasks."""
    path = next((ROOT / "rtl").rglob(name))
    folder = ROOT / "build/tests/rtl/lint/rtl/cu"
    folder.mkdir(parents=True, exist_ok=True)
    monkeypatch.setattr(lint, "ROOT", folder.parents[1])
    monkeypatch.setattr(lint, "VERIBLE", ["--rules_config", str(ROOT / "sw/tools/check/verible.rules"), "--waiver_files", str(ROOT / "sw/tools/check/verible.waiver")])
    bad = folder / name
    bad.write_text(path.read_text())
    assert lint.verible([bad]) == []
    bad.write_text(path.read_text() + "  struct packed { logic a; } without_name;\n")
    assert len(found := lint.verible([bad])) == 1 and found[0].startswith(f"rtl/cu/{name}") and "typedef" in found[0]


def test_c_is_formatted():
    assert lint.c_format(lint.c_sources()) == []


def test_unformatted_c_is_found():
    folder = ROOT / "build/tests/rtl/lint"
    folder.mkdir(parents=True, exist_ok=True)
    good, bad = folder / "good.c", folder / "bad.c"
    good.write_text("int one(void)\n{\n    return 1;\n}\n")
    bad.write_text("int one(void)\n{\n  return 1;\n}\n\nint two(void) {\n    return 2;\n}\n")
    assert lint.c_format([good, bad]) == ["build/tests/rtl/lint/bad.c:2"]


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
    build = subprocess.run([sys.executable, ROOT / "sw/tools/builder/verilate.py", "--top", "bad", "--out", tmp_path / "o", "--json-only", bad],
                           cwd=ROOT, capture_output=True, text=True)
    assert build.returncode == 0, build.stderr
    done = subprocess.run([sys.executable, ROOT / "sw/tools/check/check_blocking.py", tmp_path / "o/Vbad.tree.json"], capture_output=True, text=True)
    assert done.returncode == 1 and "'x'" in done.stdout
