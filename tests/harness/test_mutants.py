# SPDX-License-Identifier: Apache-2.0
"""`make mutation`: the mutants that are made (sw/tools/faults/mutants.py), the draw and the record (mutate.py), and verdicts on C and
RTL (mutate_c.py, mutate_rtl.py): noticed, not noticed, the same object, what does not compile, a hang."""
import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "sw/tools"))
from faults import mutants  # noqa: E402
from faults import mutate  # noqa: E402
from faults import mutate_c  # noqa: E402
from faults import mutate_rtl  # noqa: E402

RUN = mutate_c.subprocess.run


def changes(line, verilog=False):
    return {line[:c] + new + line[c + len(old):] for c, old, new in mutants.of_line(mutants.code_of(line), verilog)}


def test_changes_of_c():
    assert changes("    if (a < 3 && !b)") == {"    if (a <= 3 && !b)", "    if (a < 4 && !b)", "    if (a < 2 && !b)", "    if (a < 3 || !b)", "    if (a < 3 && b)",
                                               "    if (!(a < 3 && !b))", "    if (0)", "    if (1)"}
    assert changes("    x->n++;  // a < b") == {"    x->n--;  // a < b", "    ;  // a < b"}
    assert changes('    said = "1 + 1";') == {"    ;"}
    assert changes("            ;") == set()  # the body of a loop
    assert changes("    return a ? x + 1 : 0;") >= {"    return a ? x - 1 : 0;", "    return a ? x + 2 : 0;", "    return a ? x + 1 : 1;"}


def test_changes_of_verilog():
    assert changes("      q_o <= a_i + 4'd1;", True) == {"      q_o <= a_i - 4'd1;", "      q_o <= a_i + 4'd0;", "      ;"}
    assert "      if (a < b) q <= '1;" in changes("      if (a <= b) q <= '1;", True)
    assert "      if (a <= b) q <= '0;" in changes("      if (a <= b) q <= '1;", True)


def test_what_is_left_alone():
    for folder in mutants.FOLDERS:
        found = mutants.of_folder(folder)
        assert len(found) > 100 and len({m.name() for m in found}) == len(found)
        for m in found[::97]:
            before, after = (ROOT / m.file).read_text().split("\n"), m.text().split("\n")
            wrong = [n for n, (a, b) in enumerate(zip(before, after), 1) if a != b]
            assert len(before) == len(after) and wrong == [m.line] and " CHECK(" not in before[m.line - 1]


MODULE = """module m (
  input logic [3:0] a_i,
  output logic [3:0] b_o);
  logic [3:0] kept_q, both_q, n;
  always_ff @(posedge clk_i) begin
    n = a_i + 4'd1;
    {kept_q, both_q} <= {n, n};
    kept_q  <= n | 4'd1;
    b_o <= both_q + 4'd2;
  end
  // ---- assertions
  logic twice;
  assign twice = kept_q == both_q && n != 4'd3;
  `GANTRY_ASSERT(a_twice, !twice)
endmodule
"""


def test_checks_of_a_module_are_left_alone(tmp_path, monkeypatch):
    """Neither the section of assertions nor what a register keeps for it alone; what others read, too, is no check. No declaration."""
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    file = tmp_path / "m.sv"
    file.write_text(MODULE)
    assert mutants.checked_only(MODULE) == {"kept_q"}
    assert {m.line for m in mutants.of_file(file)} == {6, 7, 9}
    file.write_text(MODULE.replace("  // ---- assertions\n", ""))
    assert {m.line for m in mutants.of_file(file)} == {6, 7, 8, 9, 12}


def test_checks_over_several_lines_are_left_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    file = tmp_path / "a.c"
    file.write_text("void f(int n)\n{\n    CHECK(n < 4 && g(n),\n          h(n + 1),\n          n + 2);\n    n += 3;\n    diag(\"x\", n\n         + 4);\n    g(n > 5);\n}\n")
    assert {m.line for m in mutants.of_file(file)} == {6, 8, 9}
    file.write_text(file.read_text().replace("diag(", "fprintf("))
    assert {m.line for m in mutants.of_file(file)} == {6, 9}


def test_the_draw_is_that_of_the_seed():
    one, again, other = (mutants.sample("host/vm", seed) for seed in (1, 1, 2))
    assert one == again and one != other and set(one) == set(other)


def of(file, old, new):
    found = [m for m in mutants.of_file(ROOT / file) if (m.old, m.new) == (old, new)]
    assert found, (file, old, new)
    return found[0]


@pytest.fixture
def runner(tmp_path, monkeypatch):
    monkeypatch.setattr(mutate_c, "FOLDER", tmp_path)
    monkeypatch.setattr(mutate_c, "PROGRAMS", [])
    monkeypatch.setattr(mutate_c, "CLIENTS", ())
    monkeypatch.setattr(mutate_c, "LIMIT", 30)
    monkeypatch.setitem(mutate_c.NEAR, "host/vm", ["host/vm"])
    runner = mutate_c.Runner("host/vm", 0)
    runner.tests = [t for t in runner.tests if t.name == "test_pmem.c"]
    monkeypatch.setattr(mutate_c.subprocess, "run", lambda *a, **k: None)  # no programs
    runner.prepare()
    assert len(runner.tests) == 1
    return runner


def test_verdicts_on_c(runner):
    pmem = "host/vm/pmem.c"
    line = next(m for m in mutants.of_file(ROOT / pmem) if m.new == ";" and m.old.startswith("return old + operand"))
    outcome, by, cpu = runner.verdict(line)
    assert outcome == "killed" and "atomics_follow_their_definition" in by and cpu > 0
    same = mutants.Mutant(pmem, line.line, line.column, line.old, line.old.replace("old + operand", "operand + old"))
    assert runner.verdict(same)[0] == "equal"
    assert runner.verdict(mutants.Mutant(pmem, line.line, line.column, line.old, "return nothing;"))[0] == "no build"
    hang = mutants.Mutant(pmem, line.line, line.column, line.old, "for (;;) ;")
    mutate_c.LIMIT = 8
    assert "no end" in runner.verdict(hang)[1]
    runner.members[runner.tests[0]].remove("pmem")  # as if nothing of the file were in the test
    assert runner.verdict(line)[0] == "survived"


def test_a_function_that_ends_without_its_value_does_not_build(runner):
    found = [m for m in mutants.of_file(ROOT / "host/vm/pmem.c") if m.old == "return pm->gpus;" and m.new == ";"]
    assert len(found) == 1 and runner.verdict(found[0])[0] == "no build"


def test_a_leak_is_noticed(runner, monkeypatch):
    """By LeakSanitizer alone: windows of client memory are not given back."""
    monkeypatch.setattr(mutate_c.subprocess, "run", RUN)
    build = mutate_c.sanitize.build
    monkeypatch.setattr(mutate_c.sanitize, "build", lambda kind: build(kind, short=os.environ.get("GANTRY_NIGHTLY") != "1"))
    found = [m for m in mutants.of_file(ROOT / "host/vm/pmem.c") if m.old == "pmem_windows_fini(pm);" and m.new == ";"]
    assert len(found) == 1 and runner.verdict(found[0])[:2] == ("killed", "asan tests/host/vm/test_pmem.c")


def test_system_tests_are_asked_last_and_twice(runner, monkeypatch):
    """What fails without a change is not asked; what fails once has failed by itself."""
    asked = []

    def answers(*told):
        told = list(told)
        monkeypatch.setattr(runner, "pytest", lambda files, *options: asked.append((tuple(files), options)) or (told.pop(0)))

    bad, flaky, good = (f"FAILED tests/a.py::{n} - why\n" for n in ("test_b[x - y]", "test_f", "test_g"))
    answers((1, bad, 1.0), (1, flaky, 1.0), (0, "", 1.0), (1, good, 1.0), (1, good, 1.0))
    assert runner.system(("tests/a.py",), pathlib.Path("none.o")) == ("tests/a.py::test_g", 3.0)
    assert asked[1][1] == ("-x", "--deselect=tests/a.py::test_b[x - y]") and asked[2][0] == ("tests/a.py::test_f",)
    assert asked[3][1][2] == "--deselect=tests/a.py::test_f"
    answers((0, "", 1.0))
    assert runner.system(("tests/a.py",), pathlib.Path("none.o")) == ("", 1.0)
    answers(("no end", "", 600.0))
    assert "no end" in runner.system(("tests/a.py",), pathlib.Path("none.o"))[0]


def test_benches_of_a_source():
    names = [str(b.parent.relative_to(ROOT / "tests/rtl")) for b in mutate_rtl.benches_of("rtl/cu/l1v/l1v.sv")]
    assert names[0] in ("cu/vmem", "cu/l1v") and "cu/cu" in names and "cu/vmem_lanes4" in names[1:]
    assert mutate_rtl.sources_of("rtl/cu/simd/simd_stage_read.svh") [0] == "rtl/cu/simd/cu_simd.sv"
    for folder in mutants.FOLDERS:
        for file in sorted((ROOT / folder).rglob("*.svh")):
            assert mutate_rtl.sources_of(str(file.relative_to(ROOT))), file


@pytest.mark.nightly  # as the campaigns that need it
def test_verdicts_on_rtl(tmp_path, monkeypatch):
    monkeypatch.setattr(mutate_rtl, "FOLDER", tmp_path)
    monkeypatch.setattr(mutate_rtl, "benches_of", lambda file, near=False: [ROOT / "tests/rtl/common/credit_counter/tb.cpp"])
    file, runner = "rtl/common/credit_counter.sv", mutate_rtl.Runner("rtl/noc", 0)
    found = {(m.old, m.new): m for m in mutants.of_file(ROOT / file)}
    some = next(m for m in found.values() if m.old == "!=")
    assert runner.verdict(some)[0] == "killed"
    assert runner.verdict(mutants.Mutant(some.file, some.line, some.column, "!=", "!=  "))[0] == "equal"
    assert runner.verdict(mutants.Mutant(some.file, some.line, some.column, "!=", "!!"))[0] == "no build"


def test_lint_is_asked(tmp_path):
    """A width that does not fit, and a value that nothing reads any more; the text of the tree is clean, also of an included file."""
    runner, file = mutate_rtl.Runner("rtl/tlb", 0), "rtl/tlb/tlb_l1.sv"
    text = (ROOT / file).read_text()
    copy = tmp_path / "tlb_l1.sv"
    mutant = mutants.Mutant(file, 1, 0, "", "")
    for old, new, found in (("", "", ""), ("hit_way  = 32'(last);", "hit_way  = 33'(last);", "WIDTHTRUNC"), ("result_hit_o <= hit;", ";", "UNDRIVEN")):
        copy.write_text(text.replace(old, new) if old else text)
        said = runner.linted(mutant, copy)
        assert found in said and bool(found) == bool(said)


def test_near_benches():
    near, every = (mutate_rtl.benches_of("rtl/cu/l1v/l1v.sv", near) for near in (True, False))
    assert {b.parent.parent.name for b in near} == {"cu"} and set(near) < set(every)


def test_record_and_score(tmp_path, monkeypatch, capsys):
    """What was tried is not tried again; the first N of the draw that count are the score."""
    tried = []

    class Fake:
        def __init__(self, folder, slot):
            pass

        def prepare(self):
            pass

        def share(self, other):
            return self

        def verdict(self, mutant):
            tried.append(mutant)
            return ("equal", "survived", "killed", "killed")[mutant.line % 4], "by", 1.0

    monkeypatch.setattr(mutate, "FOLDER", tmp_path)
    monkeypatch.setattr(mutate.mutate_c, "Runner", Fake)
    for n in (5, 5, 9):
        mutate.campaign("host/vm", n, "s", 2)
        assert mutate.score("host/vm", n, "s")[0] == n
    assert len(tried) == len(set(tried))
    order = [m for m in mutants.sample("host/vm", "s") if m.line % 4][:9]
    count, killed, left, _, survivors = mutate.score("host/vm", 9, "s")
    assert survivors == [m for m in order if m.line % 4 == 1] and killed == 9 - len(survivors)
    mutate.report(["host/vm"], 9, "s")
    assert f"| `host/vm` | 9 | {killed} | {100 * killed / 9:.0f} % | {left} |" in capsys.readouterr().out
