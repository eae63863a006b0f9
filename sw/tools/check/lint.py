#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lint.py [MODULE...]: every RTL module through Verilator -Wall, the race checker, verible and yosys' read_slang; C by clang-format and check_floors.py,
the interface of libgantry by check_library.py, what stands in the tree by check_tree.py, how full it is by house.py, and the harness of a board of each partition kind by check_board.py.

Without arguments: all modules for Verilator and the race checker, all files for verible, the partition tops
(rtl/*/part_*), the GPU and the blocks of the compute unit for read_slang, gpu.sv against its table of links and
through the list of gantry.core, all C sources for clang-format.  Prints one line a finding and
`lint: N checks, N findings`; exit 1 on findings.  A warning, no finding: how many units of `make nightly` are older than ten days (nightly.py).
"""
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from check import check_board  # noqa: E402
from check import check_floors  # noqa: E402
from check import check_library  # noqa: E402
from check import check_links  # noqa: E402
from check import check_tree  # noqa: E402
from gen import gen_core  # noqa: E402
from gen import gen_links  # noqa: E402
from check import house  # noqa: E402
from synthesis import netlist  # noqa: E402
from verify import nightly  # noqa: E402
from builder import rtl_sources  # noqa: E402

ROOT = rtl_sources.ROOT
VENV = ROOT / "build/venv/bin"
VERIBLE = ["--rules_config", "sw/tools/check/verible.rules", "--waiver_files", "sw/tools/check/verible.waiver"]


SLANG_LIMIT = 240  # seconds that one elaboration may take
BOARD = ["board_usb", "board_control", "board_slot", "board_pick"]  # a board without the text that gen_board.py makes
BOXES = ["cu_front", "cu_simd", "cu_vmem", "lds_unit"]  # large blocks: once, not in every instance of all above them


def tool(cmd, limit=None):
    try:
        done = subprocess.run(cmd, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=limit)
    except subprocess.TimeoutExpired:
        return 1, f"error: no end after {limit} s"
    return done.returncode, done.stdout


# a compute unit with one SIMD of four lanes
NARROW = ["gpu.cu.lanes=4", "gpu.cu.operand_stages=1", "gpu.cu.simds=1", "gpu.cu.waves_per_simd=4", "gpu.cu.sgprs_per_simd=448", "gpu.cu.lds_kib=16",
          "gpu.cu.vmem_slots=4"]
TINY = ["gpu.cu.count=1", "gpu.l2.slices=1", "gpu.l2.kib_per_slice=8", "gpu.noc.queue=8", "gpu.noc.target_queue=8"]
# of each array a few entries, of what is there several times two
FEW = ["gpu.cu.simds=2", "gpu.cu.waves_per_simd=4", "gpu.cu.sgprs_per_simd=448", "gpu.cu.lds_kib=16", "gpu.l1v.kib=4", "gpu.l1v.mshrs=8", "gpu.sqc.cus_per_group=2",
       "gpu.sqc.tlb_entries=4", "gpu.l1i.kib=1", "gpu.l1k.kib=1", "gpu.l2.kib_per_slice=4", "gpu.l2.ways=4", "gpu.l2.mshrs=4",
       "gpu.dram.banks=4", "gpu.dram.groups=2", "gpu.dram.places=16", "gpu.dram.write_high=8", "gpu.utcl2.entries=16", "gpu.utcl2.blocks=16",
       "gpu.utcl2.large=16", "gpu.utcl2.ways=2", "gpu.utcl2.walks=2", "gpu.utcl2.walk_cache=4"]


def configuration(name, settings):
    """The constants of a configuration in build/gen/NAME; (path, findings)."""
    package = ROOT / f"build/gen/{name}/gantry_cfg_pkg.sv"
    package.parent.mkdir(parents=True, exist_ok=True)
    code, text = tool([sys.executable, "sw/tools/gen/gen_params.py", "sv", "--out", str(package), *[w for s in settings for w in ("--set", s)]])
    return package, [text.strip()] if code else []


def verilator(module, settings=None, instead=None, first=None):
    """Verilator -Wall and the blocking-assignment checker, from one JSON-only run, of a GPU by the list of gantry.core; settings: not the default constants;
    instead: {source: another text of it}; first: a folder with included texts before those of the tree."""
    package, wrong = configuration("narrow", settings) if settings else (None, [])
    if wrong:
        return wrong
    with tempfile.TemporaryDirectory() as folder:
        folders, listed = gen_core.listed() if module == gen_core.TOP else ([], [p.relative_to(ROOT) for p in rtl_sources.sources(module)])
        paths = [package if package and ROOT.joinpath(p).name == package.name else ROOT / p for p in listed]
        sources = [str((instead or {}).get(p) or p.relative_to(ROOT)) for p in paths]
        before = [f"--arg=-I{folder}" for folder in [*([first] if first else []), *folders]]
        code, out = tool([str(VENV / "python"), "sw/tools/builder/verilate.py", "--top", module, "--out", folder, "--json-only", *before,
                          "--arg=-Wno-UNUSEDPARAM", *sources])
        if code:
            return [line for line in out.splitlines() if "%" in line[:8]] or [out.strip()]
        code, out = tool([sys.executable, "sw/tools/check/check_blocking.py", f"{folder}/V{module}.tree.json"])
        return [line for line in out.splitlines() if line.startswith("RACE")] if code else []


def slang(module, settings=FEW):
    """Elaborate with few ports, short queues and small arrays: what synthesizes does not depend on their number; settings: other constants.

    Blocks that are checked on their own are empty boxes in what instantiates them."""
    package, wrong = configuration("few" if settings is FEW else "tiny-narrow" if settings else "tiny", [*TINY, *settings])
    if wrong:
        return wrong
    below = [m for m in rtl_sources.modules() if m.startswith("part_")] if module == "gpu" else BOXES
    boxes = " ".join(f"--blackboxed-module {name}" for name in below if name != module)
    code, out = netlist.yosys(f"{netlist.read(module, boxes, package)}; hierarchy -check -top {module}", SLANG_LIMIT)
    return [line for line in out.splitlines() if "error" in line.lower()][:5] or [out.strip()[-400:]] if code else []


def elaborated():
    """The modules that together cover all RTL: partition tops, the GPU with the links between them, what is a box in them, a board's own."""
    return [m for m in rtl_sources.modules() if m.startswith("part_") or m == "gpu"] + BOXES + BOARD


def links():
    """gpu.sv against the table of links."""
    try:
        return check_links.findings(check_links.elaborate(ROOT / "build/gen/links"))
    except (RuntimeError, gen_links.Bad) as wrong:
        return [str(wrong)]


# Macros that simd_rows_pkg or cu_simd defines before it includes a text, in places where Verible takes none: what it reads instead.
MACROS = {"LANES_ARG": "ref t v,", "STATE_ARG": "ref t v,", "LANES_ONLY": "ref t v", "STATE_ONLY": "ref t v", "LANES": "v,", "STATE": "v,",
          "LANES_CALL": "v", "STATE_CALL": "v", "NO_INLINE": ""}
MACRO = re.compile("`(" + "|".join(MACROS) + r")\b")


def readable(path):
    """The file, or a copy of an included text where words of the same length stand for such macros: Verible would not go on behind one."""
    text = path.read_text()
    if path.suffix != ".svh" or not MACRO.search(text):
        return path
    copy = ROOT / "build/lint" / path.relative_to(ROOT)
    copy.parent.mkdir(parents=True, exist_ok=True)
    plain = MACRO.sub(lambda m: MACROS[m[1]].ljust(len(m[0])), text)
    copy.write_text(re.sub(r"^ +$", "", plain, flags=re.M))  # the line of a macro of its own
    return copy


def verible(paths):
    code, out = tool([str(VENV / "verible-verilog-lint"), *VERIBLE, *[str(readable(p).relative_to(ROOT)) for p in paths]])
    return out.strip().replace("build/lint/rtl/", "rtl/").splitlines() if code else []


def texts():
    """All RTL for Verible, with what is included."""
    return sorted(p for p in (ROOT / "rtl").rglob("*") if p.suffix in (".sv", ".svh"))


def c_sources():
    """C and its headers; benches of RTL and HIP programs are C++."""
    found = [p for folder in ("host", "bridge", "fpga", "sw", "tests") for p in (ROOT / folder).rglob("*.[ch]")]
    return sorted(p for p in found if not {ROOT / "tests/rtl", ROOT / "sw/apps"} & set(p.parents))


def c_format(paths):
    """What clang-format 14, of PyPI on every release of Debian, would change, by .clang-format: the first line of each file."""
    code, out = tool([str(VENV / "clang-format"), "--dry-run", "--style=file", *map(str, paths)])
    first = {}
    for place in re.findall(r"^(\S+:\d+):\d+: warning: code should be clang-formatted", out, flags=re.M):
        first.setdefault(place.split(":")[0], place.replace(f"{ROOT}/", ""))
    return list(first.values()) or ([out.strip()] if code or out.strip() else [])


def boards():
    """The harness of each partition kind, for the smallest machine."""
    code, text = tool(["build/bin/gantry", "config", "-c", "configs/smallest.yaml", "--sv"])
    return [text.strip()] if code else check_board.findings(text.split())


def main():
    wanted = sys.argv[1:] or rtl_sources.modules()
    unknown = [m for m in wanted if m not in rtl_sources.defined()]
    if unknown:
        sys.exit(f"lint: no module {', '.join(unknown)} in rtl; usage: lint.py [MODULE...]")
    checks, findings = 0, []
    for module in wanted:
        checks += 1
        findings += [f"verilator {module}: {line}" for line in verilator(module)]
    for module in (m for m in wanted if sys.argv[1:] or m in elaborated()):
        checks += 1
        findings += [f"read_slang {module}: {line}" for line in slang(module)]
    if "gpu" in wanted:
        checks += 1
        findings += [f"links {line}" for line in links()]
        checks += 1
        findings += [f"core {line}" for line in gen_core.findings()]
    if "cu" in wanted:  # with all that it instantiates
        checks += 1
        findings += [f"verilator cu, narrow: {line}" for line in verilator("cu", NARROW)]
    if "cu_simd" in wanted:
        checks += 1
        findings += [f"read_slang cu_simd, narrow: {line}" for line in slang("cu_simd", NARROW)]
    checks += 1
    findings += [f"verible {line}" for line in verible(texts())]
    if not sys.argv[1:]:
        checks += 1
        findings += [f"clang-format {line}" for line in c_format(c_sources())]
        checks += 1
        findings += [f"floors {line}" for line in check_floors.findings()]
        checks += 1
        findings += [f"library {line}" for line in check_library.findings()]
        checks += 1
        findings += [f"tree {line}" for line in check_tree.findings()]
        checks += 1
        findings += [f"house {line}" for line in house.findings()]
        checks += 1
        findings += [f"board {line}" for line in boards()]
        old = nightly.old_ones()
        print(f"warning: {len(old)} of the nightly units never ran or not for {nightly.OLD} days, the first: {old[0]}\n" if old else "", end="")
    print("\n".join(findings))
    print(f"lint: {checks} checks, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
