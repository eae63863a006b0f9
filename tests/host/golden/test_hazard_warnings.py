# SPDX-License-Identifier: Apache-2.0
"""check.hazards (C.7): hand-written code that breaks a wait-state rule is named once for each place; what compilers make breaks none."""
import re
import subprocess

import pytest
from builder import release
from snippet import ROOT, assemble, run

BODY = """
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
"""
ON = ["--set", "check.hazards=on"]


def hazards(code, *args):
    return [line for line in run(code, "--model", "golden", *args).splitlines() if "hazard" in line]


@pytest.fixture(scope="module")
def careless(tmp_path_factory):
    return assemble(tmp_path_factory.mktemp("hazards"), "careless", BODY, vgprs=4)


@pytest.mark.shows("C.7")
def test_each_place_once(careless):
    lines = hazards(careless, "--grid", "256", "--group", "128", *ON)
    assert len(lines) == 2, lines
    assert re.search(r"warn hazard at [0-9a-f]{12}: v_readlane_b32 s10, v0, s8: .*; 0 wait states between, 4 are needed", lines[0]), lines
    assert re.search(r"hazard at [0-9a-f]{12}: v_mov_b32_dpp v2, v1 .*: .*; 1 wait states between, 2 are needed", lines[1]), lines


def test_only_the_golden_model_finds_them(careless):
    assert run(careless, "--grid", "64", "--group", "64", *ON, status=64) == "gantry: check.hazards: only with --model golden, which finds them\n"


def test_off_by_default(careless):
    assert hazards(careless, "--grid", "64", "--group", "64") == []


@pytest.mark.parametrize("name, args", [("matmul", ["--grid", "64,64", "--group", "16,16", "--arg", "out:16384:/dev/null", "--arg", "zero:16384",
                                                    "--arg", "zero:16384", "--arg", "u32:64"]),
                                        ("fma", ["--grid", "256", "--group", "256", "--arg", "out:1024:/dev/null", "--arg", "u32:4"])])
@pytest.mark.shows("C.7")
def test_compilers_keep_the_rules(tmp_path, name, args):
    out = tmp_path / f"{name}.co"
    subprocess.run(["clang-19", "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx803", "-O2", "-mcode-object-version=4",
                    release.bitcode(), "-o", out, f"sw/kernels/bench_{name}.cl"], cwd=ROOT, check=True)
    assert hazards(out, *args, *ON) == []
