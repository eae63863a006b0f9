# SPDX-License-Identifier: Apache-2.0
"""Every key of configs/params.def that reaches the RTL or the bridge at its least and greatest value and, where the type permits, at
one that is no power of two: two GPUs of `tiny` with two CUs run a mixed set of kernels (programs/extremes.hip: caches, atomics, LDS,
scalar loads, long code, memory of the other GPU and of the host) with the CPU's results and the `data` of the golden model.

A value that cannot work is refused by the configuration with its key and the reason: REFUSED lists these, nothing else may be refused.
The cases come from params.def: a new key is tested at once.  `make test` sets all keys of the small blocks to odd values at once, `make nightly` all keys behind the CUs, these in the CUs, also to both ends, and each key alone."""
import argparse
import functools
import math
import re
import subprocess
import sys

import pytest
from live import GANTRY, LIMIT, ROOT, built

sys.path.insert(0, str(ROOT / "sw/tools"))
from check import check_floors  # noqa: E402
from gen import gen_params  # noqa: E402
from builder import models  # noqa: E402

SOURCE = ROOT / "tests/system/programs/extremes.hip"
KINDS = ["cu", "sqc", "noc", "l2", "utcl2", "rdma", "dispatch"]
ENDS = ("least", "greatest", "odd")
BASE = {"system.gpus": 2, "gpu.cu.count": 2}
REFUSED = {  # what the line says after the key
    ("gpu.dram.trefi", "least"): ("gpu.dram.trefi", "100 is not above gpu.dram.trfc 130"),
    ("gpu.dram.trfc", "greatest"): ("gpu.dram.trefi", "1950 is not above gpu.dram.trfc 4095"),
    ("gpu.dram.trfc_bank", "greatest"): ("gpu.dram.trefi", "1950 is not above gpu.dram.trfc_bank 4095"),
    **{(f"gpu.dram.{key}", "greatest"): ("gpu.dram.trefi", f"1950 is not above {16 * closing} that 16 banks take to close one after the other")
       for key, closing in (("tras", 255 + 7 + 3), ("trtp", 255 + 7 + 3), ("trp", 17 + 255 + 3), ("twr", 2 + 2 + 255 + 7 + 3), ("tcwl", 255 + 2 + 8 + 7 + 3))},
    ("gpu.dram.write_low", "greatest"): ("gpu.dram.write_low", "63 is not below gpu.dram.write_high 24"),
    ("gpu.dram.write_high", "least"): ("gpu.dram.write_low", "4 is not below gpu.dram.write_high 1"),
    ("gpu.dram.places", "least"): ("gpu.dram.write_high", "24 is above gpu.dram.places 16"),
    ("gpu.dram.tras", "least"): ("gpu.dram.tras", "1 is below gpu.dram.trcd 7"),
    ("gpu.dram.trcd", "greatest"): ("gpu.dram.tras", "17 is below gpu.dram.trcd 255"),
    ("gpu.dram.trcd", "odd"): ("gpu.dram.tras", "17 is below gpu.dram.trcd 48"),
    ("gpu.cu.operand_stages", "greatest"): ("gpu.cu.operand_stages", "1 with 16 lanes: only for 8 or 4"),
    ("gpu.rdma.outstanding", "odd"): ("gpu.rdma.outstanding", "48 entries do not keep the rate of the links: 320 are needed, 272 more"),
    ("link.host", "greatest"): ("link.host", "100000 cycles at 16 bytes a cycle take 66672 credits: 58480 more than the 8192 there can be"),
    ("link.gpu", "greatest"): ("link.gpu", "100000 cycles at 32 bytes a cycle take 133344 credits: 125152 more than the 8192 there can be"),
    ("place.processes", "greatest"): ("place.processes", "process 2 would run nothing (2 GPUs)"),
    ("place.processes", "odd"): ("place.processes", "process 2 would run nothing (2 GPUs)"),
}
ALLOW = {  # other keys with which such a value works
    ("gpu.dram.trefi", "least"): {"gpu.dram.trfc": 50, "gpu.dram.trfc_bank": 0},
    ("gpu.dram.trfc", "greatest"): {"gpu.dram.trefi": 8000},
    ("gpu.dram.trfc_bank", "greatest"): {"gpu.dram.trefi": 8000},
    **{(f"gpu.dram.{key}", "greatest"): {"gpu.dram.trefi": 8000} for key in ("tras", "trtp", "trp", "twr", "tcwl")},
    ("gpu.dram.write_low", "greatest"): {"gpu.dram.write_high": 64},
    ("gpu.dram.write_high", "least"): {"gpu.dram.write_low": 0},
    ("gpu.dram.places", "least"): {"gpu.dram.write_high": 8, "gpu.dram.write_low": 2},
    ("gpu.dram.tras", "least"): {"gpu.dram.trcd": 1},
    ("gpu.dram.trcd", "greatest"): {"gpu.dram.tras": 255, "gpu.dram.trefi": 8000},
    ("gpu.dram.trcd", "odd"): {"gpu.dram.tras": 48},
    ("gpu.cu.operand_stages", "greatest"): {"gpu.cu.lanes": 8},
    ("gpu.rdma.outstanding", "odd"): {"link.host_bytes_per_cycle": 1, "link.gpu_bytes_per_cycle": 1},
    ("link.host", "greatest"): {"link.host_bytes_per_cycle": 1},
    ("link.gpu", "greatest"): {"link.gpu_bytes_per_cycle": 1},
    ("place.processes", "odd"): {"system.gpus": 9},
}


@functools.cache
def readers():
    """Constant of gantry_cfg_pkg -> kinds of partitions that read it."""
    args = argparse.Namespace(cc="clang", trace=False, observe=False, check=True, std_x=False, coverage=False, define=[], opt="-O3")
    found = {}
    for kind in KINDS:
        for name in models.Plan(kind, args, []).only:
            for source in gen_params.DERIVED[name][0] if name in gen_params.DERIVED else (name,):
                found.setdefault(source, set()).add(kind)
    return found


@functools.cache
def parameters():
    """The keys under test: numbers that a partition, the bridge or what wires up the machine reads."""
    sources = [p for folder in ("bridge", *check_floors.MACHINE) for p in sorted((ROOT / folder).rglob("*.[ch]"))]
    text = "".join(p.read_text() for p in [*sources, ROOT / "build/gen/gantry_links.h"])
    fields = set(re.findall(r"->(\w+)", text))
    return {p.key: p for p in gen_params.read_table() if p.kind == "u32" and (p.sv in readers() or p.field in fields)}


def value(p, end):
    """None: the type has no such value.  Odd: near the geometric mean, a multiple of 16 where steps so large are small."""
    least, greatest = int(p.min), int(p.max)
    if end != "odd":
        return least if end == "least" else greatest
    step = 16 if greatest - least >= 128 else 1
    middle = math.isqrt(max(least, 1) * greatest)
    found = (n for n in range(-(-middle // step) * step, greatest, step) if n & (n - 1))
    return None if p.pow2 else next(found, None)


def cases(end):
    return {key: v for key, p in parameters().items() if (v := value(p, end)) is not None}


def behind_the_cus(end):
    """Keys that no model of a CU reads and that do not make the machine larger: together they take some ten seconds to build."""
    keys = {key: v for key, v in cases(end).items() if key.startswith(("gpu.", "link.")) and not key.startswith("gpu.cu.")
            and "cu" not in readers().get(parameters()[key].sv, ())}
    if end == "greatest":  # no link so long keeps a high rate
        keys.update({"link.host_bytes_per_cycle": 1, "link.gpu_bytes_per_cycle": 1})
    if end == "odd":  # too few beside the other values
        del keys["gpu.rdma.outstanding"]
    return keys


def in_the_cus(end):
    keys = {key: v for key, v in cases(end).items() if "cu" in readers().get(parameters()[key].sv, ())}
    if end == "greatest":
        keys["gpu.cu.operand_stages"] = 0  # refused with 16 lanes
    if end == "least":  # one SIMD takes a group of 256 work-items of ROCm's own kernels
        keys.update({"gpu.cu.waves_per_simd": 4, "gpu.cu.vgprs_per_simd": 32, "gpu.cu.sgprs_per_simd": 448})
    return keys


def command(settings, *words):
    return [GANTRY, *words, "-c", "tiny", *(w for key, v in {**BASE, **settings}.items() for w in ("--set", f"{key}={v}"))]


@pytest.fixture(scope="module")
def program():
    return built("extremes")


def run(program, settings, model):
    done = subprocess.run([*command(settings, "run"), "--model", model, "-q", "--", program], cwd=ROOT, capture_output=True, text=True,
                          timeout=LIMIT, stdin=subprocess.DEVNULL)
    line = dict(re.findall(r"(\w+)=(\S+)", done.stderr))
    assert done.returncode == 0 and "extremes: PASSED" in done.stdout, (settings, model, done.returncode, done.stdout, done.stderr[-3000:])
    assert line["repeatable"] == "yes", done.stderr
    return line


def agree(program, settings):
    rtl, golden = run(program, settings, "rtl"), run(program, settings, "golden")
    assert rtl["data"] == golden["data"] and int(rtl["cycles"]) > 0, (settings, rtl, golden)


@pytest.fixture
def light(monkeypatch):
    """A model of a CU that runs for a second need not be optimized for long."""
    monkeypatch.setenv("GANTRY_MODEL_OPT", "-O1")


@pytest.mark.nightly
@pytest.mark.parametrize("end", ENDS)
def test_all_behind_the_cus(program, end):
    settings = behind_the_cus(end)
    assert len(settings) >= 20, settings
    agree(program, settings)


def test_all_of_the_small_blocks(program):
    """Odd values of the keys that neither a CU nor an L2 slice nor the L2 TLB reads."""
    large = {"cu", "l2", "utcl2"}
    settings = {key: v for key, v in behind_the_cus("odd").items() if not large & readers().get(parameters()[key].sv, set())}
    assert len(settings) >= 12, settings
    agree(program, settings)


@pytest.mark.nightly
@pytest.mark.parametrize("end", ENDS)
def test_all_in_the_cus(program, end, light):
    settings = in_the_cus(end)
    assert len(settings) >= 10, settings
    agree(program, settings)


@pytest.mark.nightly
@pytest.mark.parametrize("key, end", [(key, end) for key in parameters() for end in ENDS
                                      if key in cases(end) and (key, end) != ("place.processes", "greatest")])  # 64 GPUs: test_place.py
def test_each(program, key, end, light):
    agree(program, {key: cases(end)[key], **ALLOW.get((key, end), {})})


@pytest.mark.parametrize("key, end", [(key, end) for key in parameters() for end in ENDS if key in cases(end)])
def test_refused_with_the_reason(key, end):
    """The configuration takes each value alone, or says what is wrong with it, as REFUSED has it."""
    done = subprocess.run([*command({key: cases(end)[key]}, "config"), "--get", key], cwd=ROOT, capture_output=True, text=True, timeout=60)
    if (key, end) not in REFUSED:
        assert (done.returncode, done.stdout) == (0, f"{cases(end)[key]}\n"), (done.stdout, done.stderr)
        return
    named, reason = REFUSED[key, end]
    assert done.returncode == 65 and done.stderr.count("\n") == 1 and done.stderr.rstrip().endswith(f": {named}: {reason}"), done.stderr


def test_every_key_is_looked_at():
    """A key with a constant that no partition reads would be tested by nobody; every refusal belongs to a case."""
    unread = [p.key for p in gen_params.read_table() if p.sv != "-" and p.min != p.max and p.key not in parameters()]
    assert unread == [], unread
    assert {k for k in REFUSED if k[0] not in cases(k[1])} == set() and set(ALLOW) <= set(REFUSED)
