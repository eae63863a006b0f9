# SPDX-License-Identifier: Apache-2.0
"""Write-back and write-through of the L2 on a whole machine: a raw HSA client runs a kernel that rewrites 512 words of VRAM, and looks into VRAM by
its mapping, beside the L2 (tests/system/programs/hsa_queue.c).  Held here: what the client saw, and the counters of the slices."""
import re
import sqlite3
import subprocess
import tempfile
import pathlib

import pytest
from live import GANTRY, LIMIT, MODELS, ROOT

pytestmark = pytest.mark.skipif("rtl" not in MODELS, reason="GANTRY_MODELS leaves the RTL out")

REWRITES, LINES, ROUNDS = 32, 32, 3
KERNEL = f"""
 .amdgcn_target "amdgcn-amd-amdhsa--gfx803"
 .amdhsa_code_object_version 4
 .text
 .globl stores
 .p2align 8
 .type stores,@function
stores:
 s_load_dwordx2 s[4:5], s[0:1], 0x0
 s_load_dword s6, s[0:1], 0x8
 s_lshl_b32 s2, s2, 6
 v_add_u32 v0, vcc, s2, v0
 v_lshlrev_b32 v0, 2, v0
 s_waitcnt lgkmcnt(0)
 v_mov_b32 v1, s5
 v_add_u32 v0, vcc, s4, v0
 v_addc_u32 v1, vcc, 0, v1, vcc
 s_mov_b32 s7, {REWRITES - 1}
again:
 v_mov_b32 v2, s6
 v_add_u32 v2, vcc, s7, v2
 flat_store_dword v[0:1], v2
 s_sub_u32 s7, s7, 1
 s_cbranch_scc0 again
 s_endpgm
 .size stores, .-stores
 .rodata
 .p2align 6
 .amdhsa_kernel stores
 .amdhsa_user_sgpr_kernarg_segment_ptr 1
 .amdhsa_next_free_vgpr 4
 .amdhsa_next_free_sgpr 16
 .end_amdhsa_kernel
 .amdgpu_metadata
amdhsa.version: [1, 1]
amdhsa.kernels:
  - .name: stores
    .symbol: stores.kd
    .kernarg_segment_size: 16
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 4
    .max_flat_workgroup_size: 64
    .args: []
 .end_amdgpu_metadata
"""


def client(apps, folder, mode, *options):
    source, code = folder / "stores.s", folder / "stores.co"
    source.write_text(KERNEL)
    subprocess.run(["clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx803", "-mcode-object-version=4", "-o", code, source], check=True)
    with tempfile.TemporaryDirectory(dir=folder) as out:
        cmd = [GANTRY, "run", "-c", "configs/tiny.yaml", "--set", f"gpu.l2.write={mode}", "-o", out, *options, "--", apps / "hsa_queue", "l2", code, mode]
        done = subprocess.run(cmd, cwd=ROOT, text=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT)
        rows = sqlite3.connect(pathlib.Path(out, "metrics.sqlite")).execute("select what, sum(value) from metrics where location like '%.l2s%' group by what")
        counters = {what: int(value) for what, value in rows}
    assert done.returncode == 0 and "hsa_queue l2: PASSED" in done.stdout, done
    rounds = re.findall(r"round \d: (\d+) words stale after the kernel, (\d+) after the barrier", done.stdout)
    return [(int(a), int(b)) for a, b in rounds], counters


@pytest.mark.shows("S0.16")
def test_through_has_stored_when_a_store_completes(apps, tmp_path):
    """Write-through: when the kernel's stores have completed, with no flush (no release), DRAM has the data."""
    rounds, counters = client(apps, tmp_path, "through")
    assert rounds == [(0, 0)] * ROUNDS
    assert counters["writeback-flush"] == counters["writeback-victim"] == counters["dirty-lines"] == 0


@pytest.mark.shows("S0.17", "S0.18")
def test_back_is_stale_until_the_release(apps, tmp_path):
    """Write-back: DRAM stays stale after a kernel without release; after a release of system scope, the kernel's own or a barrier packet's, the host
    reads the new data when it has seen the signal, every line was written once, and none is dirty."""
    rounds, counters = client(apps, tmp_path, "back")
    assert rounds == [(512, 0), (512, 0), (0, 0)]
    assert counters["writeback-flush"] >= ROUNDS * LINES and counters["dirty-lines"] == 0 and counters["flushes"] > 0


@pytest.mark.shows("S0.17")
def test_lock_step_sees_what_dram_does_not_have(apps, tmp_path):
    client(apps, tmp_path, "back", "--lockstep")


@pytest.mark.shows("S0.20")
def test_rewriting_costs_dram_a_write_a_line(apps, tmp_path):
    """A kernel that rewrites its lines: writes of DRAM, write-back against write-through."""
    back, through = (client(apps, tmp_path, mode)[1]["write"] for mode in ("back", "through"))
    print(f"lines written to DRAM: back {back}, through {through}")
    assert through >= ROUNDS * LINES * REWRITES
    assert through - back >= ROUNDS * LINES * (REWRITES - 1)
