# SPDX-License-Identifier: Apache-2.0
"""check.hazards (C.7): hand-written code that breaks a wait-state rule is named once for each place; what compilers make breaks none."""
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
GANTRY = ROOT / "build/bin/gantry"
SOURCE = """
    .text
    .globl careless
    .p2align 8
    .type careless,@function
careless:
    s_mov_b32 s9, 3
loop:
    v_readfirstlane_b32 s8, v0
    v_readlane_b32 s10, v0, s8
    v_mov_b32 v1, v0
    s_nop 0
    v_mov_b32_dpp v2, v1 row_shl:1 row_mask:0xf bank_mask:0xf
    s_sub_u32 s9, s9, 1
    s_cbranch_scc0 loop
    s_endpgm
    .rodata
    .p2align 6
    .amdhsa_kernel careless
      .amdhsa_next_free_vgpr 4
      .amdhsa_next_free_sgpr 16
    .end_amdhsa_kernel
    .amdgpu_metadata
amdhsa.version: [1, 1]
amdhsa.kernels:
  - {.name: careless, .symbol: careless.kd, .kernarg_segment_size: 0, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0,
     .kernarg_segment_align: 8, .wavefront_size: 64, .sgpr_count: 16, .vgpr_count: 4, .max_flat_workgroup_size: 256}
    .end_amdgpu_metadata
"""


def run(code, *args):
    done = subprocess.run([GANTRY, "kernel", "-c", "tiny", "--model", "golden", "-q", code, *args], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return [line for line in done.stderr.splitlines() if "hazard" in line]


@pytest.fixture
def careless(tmp_path):
    (tmp_path / "careless.s").write_text(SOURCE)
    subprocess.run(["clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx803", "-mcode-object-version=4", "-o", tmp_path / "careless.co",
                    tmp_path / "careless.s"], check=True)
    return tmp_path / "careless.co"


def test_each_place_once(careless):
    lines = run(careless, "--grid", "256", "--group", "128", "--set", "check.hazards=on")
    assert len(lines) == 2, lines
    assert re.search(r"warn hazard at [0-9a-f]{12}: v_readlane_b32 s10, v0, s8: .*; 0 wait states between, 4 are needed", lines[0]), lines
    assert re.search(r"hazard at [0-9a-f]{12}: v_mov_b32_dpp v2, v1 .*: .*; 1 wait states between, 2 are needed", lines[1]), lines


def test_only_the_golden_model_finds_them(careless):
    done = subprocess.run([GANTRY, "kernel", "-c", "tiny", careless, "--grid", "64", "--group", "64", "--set", "check.hazards=on"], cwd=ROOT,
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 64 and done.stderr == "gantry: check.hazards: only with --model golden, which finds them\n", done.stderr


def test_off_by_default(careless):
    assert run(careless, "--grid", "64", "--group", "64") == []


@pytest.mark.parametrize("name, args", [("matmul", ["--grid", "64,64", "--group", "16,16", "--arg", "out:16384:/dev/null", "--arg", "zero:16384",
                                                    "--arg", "zero:16384", "--arg", "u32:64"]),
                                        ("fma", ["--grid", "256", "--group", "256", "--arg", "out:1024:/dev/null", "--arg", "u32:4"])])
def test_compilers_keep_the_rules(tmp_path, name, args):
    out = tmp_path / f"{name}.co"
    subprocess.run(["clang-19", "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx803", "-O2", "-mcode-object-version=4",
                    "--rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode", "-o", out, f"sw/kernels/bench_{name}.cl"], cwd=ROOT, check=True)
    assert run(out, *args, "--set", "check.hazards=on") == []
