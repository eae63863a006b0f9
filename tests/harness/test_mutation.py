# SPDX-License-Identifier: Apache-2.0
"""Seeded faults of the benches: every RTL module stands in some bench and has a fault that one must notice; and the
mechanism itself (tests/conftest.py, sw/tools/faults/mutation.py) on a small module: what is noticed, and what is a failure."""
import functools
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "sw/tools"))
from verify import bench_files  # noqa: E402
from faults import mutation  # noqa: E402
from builder import rtl_sources  # noqa: E402
from faults.mutation import head_lines  # noqa: E402

FOLDER = ROOT / "build/tests/harness/mutation"
BENCHES = sorted((ROOT / "tests/rtl").rglob("tb.cpp"))
# Modules that only wire others up, every bit of which a test compares with a table, and the list of its planted mistakes.
WIRING = {"gpu": ("tests/rtl/gpu/test_links.py", "MISTAKES = [")}
# A board's harness has a bench around a generated module, whose test plants the faults; what joins pins and frames has the process of a simulated board.
HARNESS, PROCESS = "tests/rtl/board/test_part.py", "tests/fpga/test_process.py"
ELSEWHERE = {**dict.fromkeys(("board_control", "board_pick", "board_records", "board_sender", "board_slot", "board_target"), HARNESS), "board_usb": PROCESS}


@functools.cache
def files_of(bench):
    return bench_files.sources(bench)


@functools.cache
def place_of(bench, text):
    name, old, _ = mutation.parse(text)
    return mutation.source_of(files_of(bench), name, old)


def source_of(module):
    return str(rtl_sources.defined()[module][1].relative_to(ROOT))


@pytest.mark.parametrize("module", WIRING)
def test_wiring_has_planted_mistakes(module):
    """No register, no decision: nothing but what the table's check sees."""
    test, mistakes = WIRING[module]
    assert mistakes in (ROOT / test).read_text()
    assert not re.search(r"\balways_ff\b|\balways_latch\b|\bcase\b", rtl_sources.strip((ROOT / source_of(module)).read_text()))


@pytest.mark.parametrize("module", ELSEWHERE)
def test_fault_is_planted_elsewhere(module):
    """By the test that is named, in this source."""
    assert f'("{source_of(module)}", ' in (ROOT / ELSEWHERE[module]).read_text()


@pytest.mark.parametrize("module", [m for m in rtl_sources.modules() if m not in WIRING and m not in ELSEWHERE])
def test_module_stands_in_a_bench(module):
    assert [b for b in BENCHES if source_of(module) in files_of(b)]


@pytest.mark.parametrize("module", [m for m in rtl_sources.modules() if m not in WIRING and m not in ELSEWHERE])
def test_module_has_a_seeded_fault(module):
    """One by `mutate:`, or one in its text that a `mutant:` of a bench with this source switches on."""
    source = source_of(module)
    planted = [m for b in BENCHES if source in files_of(b) for m in head_lines(b, "mutate") if place_of(b, m) == source]
    switches = set(re.findall(r"\b(SeedBug|SeedStore|SeedFault|FaultSeed)\s*[=!]=|\b(SeedBug|SeedStore)\s*[?)]|(SIMD_FAULT) FaultSeed",
                              rtl_sources.whole(ROOT / source)))
    seeded = [b for b in BENCHES if source in files_of(b) and head_lines(b, "mutant")]
    assert planted or (switches and seeded)


def test_a_long_head_is_read_whole(tmp_path):
    bench = tmp_path / "tb.cpp"
    bench.write_text("// top: sum\n" + "// a word\n" * 200 + "// mutate: a: b => c\n#include <x>\n// mutate: a: d => e\n")
    assert head_lines(bench, "mutate") == ["a: b => c"]


@pytest.mark.parametrize("kind", ["mutate", "mutant"])
def test_no_fault_stands_below_a_head(kind):
    """There it would never be planted."""
    for bench in BENCHES:
        assert re.findall(rf"^\s*//\s*{kind}:\s*(.*\S)", bench.read_text(), flags=re.M) == head_lines(bench, kind)


@pytest.mark.parametrize("bench, text", [pytest.param(b, m, id=f"{b.parent.name}-{n}") for b in BENCHES for n, m in enumerate(head_lines(b, "mutate"), 1)])
def test_fault_can_be_planted(bench, text, tmp_path):
    """Quick to know when a source was changed: the text is still in one of them, once.  Wherever that stands: no line of a bench has a folder of rtl/."""
    _, old, new = mutation.parse(text)
    mutation.plant(place_of(bench, text), tmp_path / "copy.sv", old, new)


def test_no_bench_names_a_folder_of_the_rtl():
    for bench in BENCHES:
        head = [line for kind in ("top", "own", "sources", "mutate") for line in head_lines(bench, kind)]
        assert not any(re.search(r"\brtl/\w+/\w+\.svh?\b", line) for line in head if not line.startswith("tests/")), bench


def test_text_in_two_sources(tmp_path, monkeypatch):
    monkeypatch.setattr(mutation, "ROOT", tmp_path)
    for n in "ab":
        (tmp_path / f"{n}.sv").write_text("x = y;\n")
    with pytest.raises(ValueError, match="2 of them have it, not one: x = y"):
        mutation.source_of(["a.sv", "b.sv"], "", "x = y")
    assert mutation.source_of(["a.sv", "b.sv"], "b.sv", "x = y") == "b.sv"


SOURCE = """module sum (input logic clk_i, input logic [7:0] a_i, b_i, output logic [7:0] sum_o, twice_o);
  always_ff @(posedge clk_i) begin
    sum_o   <= a_i + b_i;
    twice_o <= a_i + a_i;
  end
endmodule
"""
BENCH = """// top: sum
// sources: build/tests/harness/mutation/{name}/sum.sv
// mutate: {fault}
#include "Vsum.h"
int main()
{{
    Vsum d;
    d.clk_i = 0, d.eval();
    d.a_i = 3, d.b_i = 4, d.clk_i = 1, d.eval();
    return d.sum_o != 7;
}}
"""
CASES = {  # fault, what the test of the fault says ("": it passes)
    "noticed": ("a_i + b_i => a_i - b_i", ""),
    "named": ("sum.sv: a_i + b_i => a_i - b_i", ""),
    "harmless": ("a_i + b_i => b_i + a_i", "does not notice"),
    "elsewhere": ("a_i + a_i => a_i", "does not notice"),
    "nowhere": ("a_i * b_i => a_i", "0 of them have it"),
    "twice": ("<= a_i + => <= a_i -", "2 times in it"),
    "same": ("a_i + b_i => a_i + b_i", "nothing changes"),
    "foreign": ("rdma.sv: SeedBug ? r.tag : tag => tag", "not a source of this bench"),
    "malformed": ("a_i + b_i", "not [NAME: ]OLD => NEW"),
    "broken": ("a_i + b_i => a_i +", "does not build"),
}


@pytest.mark.parametrize("name", CASES)
def test_mechanism(name):
    fault, said = CASES[name]
    folder = FOLDER / name
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "sum.sv"
    source.write_text(SOURCE)
    (folder / "tb.cpp").write_text(BENCH.format(name=name, fault=fault))
    env = dict(os.environ, PYTHONPATH=str(ROOT / "tests"), PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    env.pop("GANTRY_RTL_COVERAGE", None)
    done = subprocess.run([sys.executable, "-m", "pytest", "-p", "conftest", "-k", "mutate", str(folder / "tb.cpp")], cwd=ROOT, env=env,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if said:
        assert done.returncode == 1 and said in done.stdout, done.stdout
    else:
        assert done.returncode == 0 and "1 passed" in done.stdout, done.stdout
