# SPDX-License-Identifier: Apache-2.0
"""Programs that go wrong: each ends in a defined fault that names PC, wavefront and instruction, in both models alike (B.8);
what has no end is stopped."""
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
PLACE = r"at pc 0x[0-9a-f]+, CU 0 wavefront"
# What the line says after "gantry: KERNEL: gpu0: ".
FAULTS = {
    "opcode": rf"illegal instruction {PLACE} 16: unknown to LLVM \(instruction 0x[0-9a-f]{{8}}fe000000\)",
    "registers": rf"illegal instruction {PLACE} 0: v_mov_b32_e32 v200, v0 \(instruction 0x[0-9a-f]{{8}}7f900300\)",
    "reserved": rf"illegal instruction {PLACE} 0: s_mov_b64 s\[4:5\], s\[2:3\] .*\(instruction 0x[0-9a-f]{{8}}be840103\)",
    "trap": rf"trap {PLACE} 0: s_trap 2 \(instruction 0x[0-9a-f]{{8}}bf920002\)",
    "jump": r"memory fault at address 0x7700001000: page not present at pc 0x7700001000, CU 0 wavefront 0",
    "through": rf"illegal instruction {PLACE} 0: v_cndmask_b32_e32 v0, s0, v0, vcc \(instruction 0x0000000000000000\)",
    "store": rf"memory fault at address 0x7700000000: page not present; last instruction issued {PLACE} 0: flat_store_dword v\[0:1\], v0 "
             r"\(instruction 0x00000000dc700000\)",
    "unaligned": rf"misaligned access or access outside an aperture; last instruction issued {PLACE} 0: flat_atomic_add v\[0:1\], v0 "
                 r"\(instruction 0x00000000dd080000\)",
}


@pytest.fixture(scope="module")
def code(tmp_path_factory):
    out = tmp_path_factory.mktemp("ends") / "ends.co"
    subprocess.run(["clang-19", "-x", "assembler", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx803", "-mcode-object-version=4", "-o", out,
                    ROOT / "tests/host/cli/ends.s"], check=True)
    return out


def run(code, name, model, *options):
    """Exit status and the lines before the final one."""
    done = subprocess.run([ROOT / "build/bin/gantry", "kernel", "-c", "tiny", "--model", model, "-q", *options, f"{code}:{name}", "--grid", "128",
                           "--group", "128"], cwd=ROOT, capture_output=True, text=True, timeout=600)
    lines = [line for line in done.stderr.splitlines() if "building model" not in line]
    return done.returncode, lines[:-1]


@pytest.mark.parametrize("name", FAULTS)
def test_fault(code, name):
    ends = [run(code, name, model) for model in ("golden", "rtl")]
    for status, lines in ends:
        assert status == 76 and len(lines) == 1, lines
        assert re.fullmatch(f"gantry: {name}: gpu0: {FAULTS[name]}", lines[0]), lines
    assert ends[0] == ends[1]


ENDLESS = {
    "loop": [r"CU 0 wavefront 0 of work-group 0, at a barrier, before pc 0x[0-9a-f]+: s_endpgm",
             r"CU 0 wavefront 16 of work-group 0, running, before pc 0x[0-9a-f]+: s_branch 65535"],
    "halt": [r"CU 0 wavefront 0 of work-group 0, at a barrier, before pc 0x[0-9a-f]+: s_endpgm",
             r"CU 0 wavefront 16 of work-group 0, has halted, before pc 0x[0-9a-f]+: s_barrier"],
}


@pytest.mark.parametrize("name", ENDLESS)
def test_no_end(code, name):
    """The golden model tells where each wavefront is, when nothing can go on and at --max-cycles."""
    status, lines = run(code, name, "golden", "--max-cycles", "200000")
    assert status == 75, lines
    where = [line.removeprefix("  gpu0.golden: ") for line in lines if line.startswith("  gpu0.golden: CU")]
    assert len(where) == 2 and all(map(re.fullmatch, ENDLESS[name], where)), lines
    assert run(code, name, "rtl", "--max-cycles", "200000")[0] == 75


def test_barrier_with_ended_wavefronts(code):
    for model in ("golden", "rtl"):
        assert run(code, "ended", model) == (0, [])
