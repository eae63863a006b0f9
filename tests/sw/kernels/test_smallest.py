# SPDX-License-Identifier: Apache-2.0
"""The smallest configuration (configs/smallest.yaml: one SIMD of four lanes, four wavefront slots) runs the same kernels
with the same results: every retired instruction agrees with the golden model (B.6, C.5), `data` is that of other configurations.
In `make nightly` all kernels, and others between it and the largest; random programs: tests/rtl/cu/torture."""
import os
import subprocess

import pytest
import reference
from test_kernels import ROOT, code_object, difference, launch

NIGHTLY = os.environ.get("GANTRY_NIGHTLY") == "1"
SOME = ["vecadd", "reduction", "hash", "nbody", "real64", "generic"]
# SIMDs, lanes, slots, VGPRs, SGPRs, LDS, rate of transcendentals, of doubles; caches and TLBs; latencies; the other compiler of the models
SHAPES = {
    "two": ["gpu.cu.simds=2", "gpu.cu.lanes=8", "gpu.cu.waves_per_simd=7", "gpu.cu.vgprs_per_simd=136", "gpu.cu.sgprs_per_simd=320",
            "gpu.cu.lds_kib=32", "gpu.cu.quarter_cost=7", "gpu.cu.trans_cost=7", "gpu.cu.fp64_turns=31"],
    "four": ["gpu.cu.simds=4", "gpu.cu.lanes=4", "gpu.cu.waves_per_simd=10", "gpu.cu.lds_kib=64"],
    "one": ["gpu.cu.simds=1", "gpu.cu.lanes=16", "gpu.cu.waves_per_simd=4", "gpu.cu.sgprs_per_simd=448", "gpu.cu.lds_kib=8"],
    "wide": ["gpu.cu.simds=2", "gpu.cu.lanes=16", "gpu.cu.waves_per_simd=3", "gpu.cu.vgprs_per_simd=64", "gpu.cu.sgprs_per_simd=352"],
    "direct": ["gpu.l1v.kib=1", "gpu.l1v.ways=1", "gpu.l1v.tlb_entries=4", "gpu.l1v.mshrs=1", "gpu.l1i.kib=1", "gpu.l1i.ways=1", "gpu.l1k.kib=1",
               "gpu.l1k.ways=1", "gpu.sqc.tlb_entries=4", "gpu.l2.kib_per_slice=4", "gpu.l2.ways=1", "gpu.l2.mshrs=2", "gpu.utcl2.entries=16",
               "gpu.utcl2.ways=1", "gpu.utcl2.walks=1", "gpu.cu.vmem_lanes=1"],
    "one_set": ["gpu.l1v.kib=1", "gpu.l1v.ways=16", "gpu.l1i.kib=1", "gpu.l1i.ways=16", "gpu.l1k.kib=1", "gpu.l1k.ways=16", "gpu.l2.kib_per_slice=4",
                "gpu.l2.ways=16", "gpu.utcl2.entries=16", "gpu.utcl2.ways=16", "gpu.cu.vmem_lanes=16", "gpu.cu.time_latency=32",
                "gpu.cu.lds_latency=28", "gpu.l1v.hit_latency=48", "gpu.sqc.hit_latency=36"],
    "slow": ["gpu.cu.lanes=8", "gpu.cu.operand_stages=1", "gpu.cu.time_latency=255", "gpu.cu.lds_latency=255", "gpu.l1v.hit_latency=255",
             "gpu.sqc.hit_latency=255"],
    "gcc": ["host.model_cc=gcc"],
}


def compare(name, folder, config, *options):
    line, got, want = launch(name, 4, folder, "--lockstep", *options, config=config)
    difference(got, want)
    assert int(line["compared"]) == int(line["retired"]) == int(line["instructions"]) > 0
    assert launch(name, 4, folder, "--model", "golden")[0]["data"] == line["data"]
    return line


@pytest.mark.parametrize("name", list(reference.CASES) if NIGHTLY else SOME)
@pytest.mark.shows("B.6", "C.5")
def test_lockstep(name, tmp_path):
    compare(name, tmp_path, "smallest")


def test_narrow_takes_longer(tmp_path):
    """The same instructions, more cycles: the vector ALU is a quarter as wide."""
    small, tiny = compare("nbody", tmp_path, "smallest"), launch("nbody", 4, tmp_path)[0]
    assert small["instructions"] == tiny["instructions"]
    assert int(small["cycles"]) > 1.5 * int(tiny["cycles"])


@pytest.mark.nightly
@pytest.mark.parametrize("name", SOME)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.shows("B.6", "C.5")
def test_shapes(shape, name, tmp_path):
    compare(name, tmp_path, "tiny", *[w for s in SHAPES[shape] for w in ("--set", s)])


def test_what_does_not_fit_is_refused(tmp_path):
    """A group of more wavefronts than the CU has slots: an error, not a hang."""
    done = subprocess.run([ROOT / "build/bin/gantry", "kernel", "-c", "smallest", code_object("vecadd", 4), "--grid", "512", "--group", "512",
                           "--arg", f"out:2048:{tmp_path}/o", "--arg", "out:2048:/dev/null", "--arg", "out:2048:/dev/null"],
                          cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode != 0 and "Traceback" not in done.stderr and done.stderr.strip(), done.stderr
