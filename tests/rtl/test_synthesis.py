# SPDX-License-Identifier: Apache-2.0
"""What yosys makes of the RTL: every block elaborates in read_slang, the VGPR is block RAM, and netlists written back
as Verilog pass the benches of their modules, since read_slang may drop what a text does without a message (C.9)."""
import pathlib
import re
import shlex
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "sw/tools"))
from verify import bench_files  # noqa: E402
from gen import gen_params  # noqa: E402
from check import lint  # noqa: E402
from synthesis import netlist  # noqa: E402
from builder import rtl_sources  # noqa: E402
from synthesis import synth  # noqa: E402
from synthesis import synth_blocks  # noqa: E402
from synthesis import synth_flow  # noqa: E402

BUILD = ROOT / "build/tests/rtl/synthesis"
# An elaborated SIMD without all logic but that around the memory: registers that a read reaches, what decides over them,
# and what makes the written row; yosys turns tables of the SIMD into ROMs, which are no part of it.  Clean first: a
# register that nobody reads must not become a reason to read.
AROUND_MEMORY = """
opt_expr
opt_merge
opt_clean
select -set reach t:$memrd_v2 r:MEMID=\\mem %i %co*:-$dff
select -set ffs @reach %co1 t:$dff %i
select -set near @ffs %ci1 t:$memwr_v2 %u t:$memrd_v2 %u %ci*:-$dff
setattr -set keep 1 @ffs %co1:+[Q] @ffs %d
delete */t:* @near %d @ffs %d t:$mem* %d"""
ECP5 = "memory_libmap -lib +/lattice/lutrams_trellis.txt -lib +/lattice/brams_16kd.txt; opt_clean"


@pytest.fixture(autouse=True)
def at_root(monkeypatch):
    monkeypatch.chdir(ROOT)  # yosys sees only what is below the current folder
    BUILD.mkdir(parents=True, exist_ok=True)


LONG = ("part_sqc", "cu_front", "cu_vmem", "lds_unit", "part_noc", "part_l2")  # 10 s of CPU and more; by day Verilator and verible read them, and yosys their memories (below)


@pytest.mark.parametrize("module", [pytest.param(m, marks=[pytest.mark.nightly] if m in LONG else [])
                                    for m in lint.elaborated() if m != "cu_simd"])  # cu_simd: the next test
@pytest.mark.shows("C.9")
def test_elaborates_in_yosys(module):
    assert lint.slang(module) == []


@pytest.mark.nightly  # three times as long
@pytest.mark.parametrize("module", [m for m in lint.elaborated() if m != "cu_simd"])
@pytest.mark.shows("C.9")
def test_elaborates_with_arrays_of_full_size(module):
    assert lint.slang(module, ()) == []


def test_every_module_is_elaborated():
    """What lint.elaborated() names reaches all RTL, through what these instantiate; a box is elaborated on its own."""
    reached = {path for module in lint.elaborated() for path in rtl_sources.sources(module)}
    assert [m for m in rtl_sources.modules() if rtl_sources.defined()[m][1] not in reached] == []


def references(text):
    """Arguments by reference in code: read_slang binds none and says nothing: what is read is free, what is written is lost."""
    return re.findall(r"^[^/\n]*?[(,\s](ref\s+\w+\s+\w+)", text, flags=re.M)


def test_no_argument_by_reference():
    assert references("function automatic void a(ref f_t f, input b);") and not references("  // one `ref` argument\n")
    found = {str(path.relative_to(ROOT)): references(path.read_text()) for path in sorted((ROOT / "rtl").rglob("*.sv*"))}
    found.pop("rtl/cu/simd/simd_rows_pkg.sv")  # only simulation reads it (cu_simd has the same text inside)
    assert {name: refs for name, refs in found.items() if refs} == {}


@pytest.mark.nightly
@pytest.mark.parametrize("module", ["cu_simd", "cu_vmem"])
def test_narrow_unit_elaborates_in_yosys(module):
    assert lint.slang(module, lint.NARROW) == []


def counts(path):
    """Cells by type, of a `stat -width`: type -> [(width or 0, number)]."""
    out = {}
    for number, kind, width in re.findall(r"^\s*(\d+)\s+(\$\w+?)(?:_(\d+))?\s*$", path.read_text(), flags=re.M):
        out.setdefault(kind, []).append((int(width or 0), int(number)))
    return out


@pytest.mark.nightly  # minutes of mapping
def test_vgpr_is_block_ram():
    """Four read ports with their registers inside, 32 block RAMs each, nothing emulated, and the SIMD's own state only.

    Without the observation port, which shows the merged row and would need the row under it as a fifth read."""
    whole, collected, mapped, log = [BUILD / f"vgpr.{n}" for n in ("whole", "collected", "mapped", "log")]
    stats = {p: f"tee -q -o {p.relative_to(ROOT)} stat -width" for p in (whole, collected, mapped)}
    steps = [netlist.read("cu_simd", "-D GANTRY_NO_OBSERVE"), stats[whole], *AROUND_MEMORY.strip().splitlines(), netlist.OPTIMIZE, netlist.MEMORIES,
             stats[collected], f"tee -q -o {log.relative_to(ROOT)} {ECP5.split('; ')[0]}", ECP5.split("; ")[1], stats[mapped]]
    code, text = netlist.yosys("; ".join(steps), 600)
    assert code == 0, text[-2000:]
    assert "mapping memory cu_simd.mem via $__DP16KD_" in log.read_text()
    assert sum(n for _, n in counts(mapped)["$__DP16KD_"]) == 4 * 32
    assert "TRELLIS_DPR16X4" not in mapped.read_text() and "cu_simd.mem using" not in log.read_text()
    state = sum(width * n for width, n in counts(whole)["$dff"])
    assert 512 * 4 < state < 40000, f"{state} flip-flops"  # 512 Ki bits of VGPR are none of them


SMALL = ["gpu.l1v.kib=4", "gpu.l1v.mshrs=8"]  # small enough for synth_registers.tsv


ROWS = ["lds_writeback", "lds_serial", "cu_vmem_coalesce", "cu_vmem_request", "cu_vmem_return", "cu_vmem_writeback", "l1v", "dispatch_hub"]
LONG_ROWS = ["lds_execute"]  # 20 s of CPU
NARROW_ROWS = ["cu_vmem_coalesce_narrow", "cu_vmem_request_narrow", "cu_vmem_return_narrow"]


@pytest.mark.parametrize("module", ROWS + [pytest.param(m, marks=pytest.mark.nightly) for m in LONG_ROWS + NARROW_ROWS])
@pytest.mark.shows("C.9")
def test_row_memories_are_memories(module):
    """Arrays of rows and of commands do not become registers because a task writes them, which read_slang does not tell."""
    params = gen_params.read_table()
    settings = SMALL + (lint.NARROW if module in NARROW_ROWS else [])
    constants = {name: value for name, (value, _) in gen_params.constants(params, settings).items()}
    package = BUILD / "arrays" / f"{module}.cfg" / "gantry_cfg_pkg.sv"  # its own: tests of one file may run beside each other
    package.parent.mkdir(parents=True, exist_ok=True)
    package.write_text(gen_params.package(params, settings, None))
    synth_flow.NICE = 0
    arrays = synth_flow.elaborate(synth_blocks.find(module), constants, package, BUILD / "arrays" / module, 300)
    known = synth.allowed()
    large = {name: bits for name, _, bits in arrays if bits > max(8192, known.get((module, name), 0))}
    assert large == {}, f"{large} bits in registers (docs/reference/synthesis.md)"


# module -> bench, Verilator arguments (wide operations as calls: a netlist is full of them)
NETLISTS = {
    "cu_scalar": ("cu/front", ["-fno-expand"]),
    "lds_execute": ("cu/lds/lds_unit", ["-fno-expand"]),
}


def bench(module, folder, extra):
    """Build and run the bench with the netlist of `module` in place of its source; (exit status, output)."""
    tb = ROOT / "tests/rtl" / folder / "tb.cpp"
    field = bench_files.fields(tb)
    net = [str(p.relative_to(ROOT)) for p in netlist.write(module, BUILD / module, limit=500)]
    sources = [w for s in bench_files.sources(tb) for w in (net if pathlib.Path(s).name == f"{module}.sv" else [s])]
    assert net[0] in sources
    out = BUILD / module / "V"
    cmd = [sys.executable, "sw/tools/builder/verilate.py", "--top", field["top"], "--out", str(out), "--exe", str(tb), "--opt=-O1",
           *[f"--arg={a}" for a in [*shlex.split(field.get("args", "")), "-Wno-lint", "-Wno-style", "-Wno-fatal", *extra]]]
    if field.get("lib"):
        flags = dict(line.split("=", 1) for line in subprocess.run(["make", "-s", "print-flags"], capture_output=True, text=True,
                                                                    check=True).stdout.splitlines() if "=" in line)
        library = str(ROOT / "build/lib/libgantry.a")
        cmd += ["--dep", library, f"--ldflag={library}", *[f"--ldflag={a}" for a in shlex.split(flags["LDLIBS"])]]
    build = subprocess.run(cmd + sources, capture_output=True, text=True)
    assert build.returncode == 0, build.stdout + build.stderr
    done = subprocess.run([str(out / ("V" + field["top"]))], capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout


@pytest.mark.nightly
@pytest.mark.parametrize("module", NETLISTS)
@pytest.mark.shows("C.9")
def test_netlist_passes_the_bench(module):
    status, text = bench(module, *NETLISTS[module])
    assert status == 0, text[-3000:]
