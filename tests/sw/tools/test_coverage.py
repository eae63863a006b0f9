# SPDX-License-Identifier: Apache-2.0
"""Reading and adding up of Verilator's coverage (sw/tools/verify/coverage_data.py) on a planted example, that no point of a package is lost on
the way (verilate_coverage.py), and cells of encodings that are known to have no hit (coverage.py, C.8)."""
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "sw/tools"))
from verify import coverage_data as data  # noqa: E402
from verify import isa_cells as isa  # noqa: E402
from builder import verilate  # noqa: E402
from builder import verilate_coverage  # noqa: E402

SOURCE = """package p_pkg;
  function automatic logic [7:0] half(input logic [7:0] a);
    if (a == 8'd5)
      return 8'd2;
    if (a == 8'd6) return 8'd3;
    case (a[1:0])
      2'd0: return a;
      default: return a >> 1;
    endcase
  endfunction
endpackage
module m (input logic clk_i, input logic rst_ni, input logic [7:0] a_i, output logic [7:0] o);
  always_ff @(posedge clk_i) begin
    o <= p_pkg::half(a_i);
    if (p_pkg::half(a_i) == FaultSeed) o <= '0;
  end
  `GANTRY_ASSERT(a_small,
                 `GANTRY_IMPL(rst_ni, (o < 8'd128)))
endmodule
"""


def row(line, column, kind, what, lines, times, file="rtl/cu/m.sv"):
    fields = (("f", file), ("l", line), ("n", column), ("t", kind), ("page", f"v_{kind}/m"), ("o", what), ("S", lines), ("h", "TOP.m"))
    return "C '" + "".join(f"\x01{k}\x02{v}" for k, v in fields if v != "") + f"' {times}"


def planted(path, hits):
    """A file of counts; hits: times of the eight points of SOURCE."""
    points = [(3, 5, "branch", "if", "3-4"), (3, 6, "branch", "else", ""), (5, 5, "branch", "if", "5"), (7, 9, "line", "case", "7"), (8, 7, "line", "case", "8"),
              (2, 3, "line", "block", "2,6"), (12, 60, "toggle", "a_i[0]:0->1", ""), (12, 60, "toggle", "a_i[1]:0->1", "")]
    aside = [(15, 5, "branch", "if", "15"), (18, 5, "branch", "if", "18"), (18, 6, "branch", "else", "")]
    rows = [row(*p, n) for p, n in zip(points, hits)] + [row(*p, 0) for p in aside] + [row(1, 1, "line", "block", "1", 0, "rtl/cu/l1v/other.sv")]
    path.write_text("\n".join(["# SystemC::Coverage-3", *rows, ""]))
    return data.read(path, path.parent)


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "rtl/cu").mkdir(parents=True)
    (tmp_path / "rtl/cu/m.sv").write_text(SOURCE)
    return tmp_path


@pytest.mark.shows("C.8")
def test_never_hit_lines_are_named(tree):
    """Two runs add up; what neither hit is reported with file and line; a line with two points is hit when one of them is."""
    total = planted(tree / "one.dat", (0, 4, 0, 0, 4, 4, 7, 0))
    total.update(planted(tree / "two.dat", (0, 3, 1, 0, 3, 3, 1, 0)))
    data.save(total, tree / "total.tsv")
    assert data.load(tree / "total.tsv") == total
    assert total[data.Point("rtl/cu/m.sv", 8, 7, "line", "case", (8,))] == 7
    report = data.Report(total, tree)
    assert report.never == ["rtl/cu/m.sv:3: line never: if (a == 8'd5)", "rtl/cu/m.sv:4: line never: return 8'd2;",
                            "rtl/cu/m.sv:7: line never: 2'd0: return a;"]
    tally = report.files["rtl/cu/m.sv"]
    assert (tally.points, tally.lines, tally.toggles, report.aside) == ([4, 6], [4, 7], [1, 2], 3)
    assert report.toggles() == ["rtl/cu/m.sv:12: 1 never: a_i [1]:0->1"]
    assert list(report.folders()) == ["rtl/cu"] and "57.1 %" in report.table()[1]
    assert not data.Report(planted(tree / "all.dat", (1,) * 8), tree).never


def test_side_without_text_is_named(tree):
    """An `if` that was always true: all lines are hit, the other side is not."""
    report = data.Report(planted(tree / "one.dat", (4, 0, 1, 1, 1, 1, 1, 1)), tree)
    assert report.never == ["rtl/cu/m.sv:3: else never: if (a == 8'd5)"] and report.files["rtl/cu/m.sv"].points == [5, 6]


@pytest.mark.parametrize("text", ["", "# SystemC::Coverage-3\nC 'nothing' 1\n", "# SystemC::Coverage-3\n" + row(1, 1, "line", "block", "1", 1)[:-2] + "\n"])
def test_broken_file_is_refused(tmp_path, text):
    (tmp_path / "x.dat").write_text(text)
    with pytest.raises(SystemExit, match="coverage: .*x.dat"):
        data.read(tmp_path / "x.dat", tmp_path)


def verilated(tree, sources, out):
    """Generated code of SOURCE, faults and assertions apart."""
    command = [verilate.VERILATOR_ROOT / "bin/verilator", "--cc", "--no-std-package", "--top-module", "m", "--prefix", "Vm", "--Mdir", out, *verilate_coverage.SWITCHES]
    done = subprocess.run([*command, *sources], cwd=tree, capture_output=True, text=True, env=dict(os.environ, VERILATOR_ROOT=str(verilate.VERILATOR_ROOT)))
    assert done.returncode == 0, done.stderr
    return out


def test_no_point_of_a_package_is_lost(tree):
    """Verilator's own walk drops all points but one of a package that holds nothing else; the build notices, and the copies prevent it."""
    source = tree / "rtl/cu/m.sv"
    source.write_text(SOURCE.replace("== FaultSeed", "== 8'd9").split("  `GANTRY")[0] + "endmodule\n")
    plain = verilated(tree, [source], tree / "plain")
    with pytest.raises(SystemExit, match="counters have no name"):
        verilate_coverage.instrument(plain, "Vm")
    copied = verilated(tree, verilate_coverage.copies([source], tree / "copies", tree), tree / "copied")
    verilate_coverage.instrument(copied, "Vm")
    assert "gantry::coverage_close(this)" in (copied / "Vm.cpp").read_text()
    code = "".join(p.read_text() for p in copied.glob("*.cpp"))
    assert '"rtl/cu/m.sv", 3,' in code and '"rtl/cu/m.sv", 8,' in code


def test_other_folders_are_not_counted(tree):
    (tree / "rtl/cu/l1v").mkdir()
    other = (tree / "rtl/cu/m.sv").rename(tree / "rtl/cu/l1v/m.sv")
    other.write_text(SOURCE.replace("== FaultSeed", "== 8'd9").split("  `GANTRY")[0] + "endmodule\n")
    code = verilated(tree, verilate_coverage.copies([other], tree / "copies", tree), tree / "off")
    assert not any("CoverInsert(&(vlSymsp" in p.read_text() or "CoverToggleInsert(0" in p.read_text() for p in code.glob("*.cpp"))


@pytest.mark.shows("C.8")
def test_cells_without_a_hit():
    """What both models refuse, and what cannot have another result, is told apart from what was not tried."""
    known = {e.key: e for e in isa.encodings()}
    cells = [(known["s_movrels_b32", "SOP1"], ("src0", "scc", "none")), (known["s_mov_b32", "SOP1"], ("src0", "scc", "none"))]
    assert isa.illegal_cells(cells) == {0}
    assert isa.hitless(known["v_cmp_t_i32", "VOP3"], ("sdst", "exec", "none")) and not isa.hitless(known["v_cmp_lt_i32", "VOP3"], ("sdst", "exec", "none"))
    cells = isa.legal_cells()
    assert all(cells[e.key] for e in isa.encodings() if e.implemented)
    assert ("src1", "literal", "none") in cells["v_madmk_f32", "VOP2"] and ("src1", "vgpr", "none") not in cells["v_madmk_f32", "VOP2"]
    assert not any(m.startswith("abs") for _, _, m in cells["v_div_scale_f32", "VOP3"])
