# SPDX-License-Identifier: Apache-2.0
"""B.8: device code that traps.  The stock runtime's trap handler runs on the compute unit, the runtime prints its own error,
the program aborts as on hardware; a program's own handler returns; a wavefront that halts for nothing is an error."""
import os
import re
import subprocess

import pytest
from live import APPS, GANTRY, MODELS, ROOT, gantry_run, leftovers

SIGABRT = 128 + 6
RTL = pytest.mark.skipif("rtl" not in MODELS, reason="GANTRY_MODELS leaves the RTL out")
WAYS = [m for m in MODELS if m == "golden"] + [pytest.param("lockstep", marks=RTL)]


def build(name):
    """A program of this folder; the kernel's own headers lack some where only the driver's interface is needed."""
    target, source = APPS / name, ROOT / f"tests/system/programs/{name}.hip"
    if not target.exists() or target.stat().st_mtime < source.stat().st_mtime:
        subprocess.run(["hipcc", "--offload-arch=gfx803", "-O2", "-idirafter", ROOT / "host", "-x", "hip", source, "-o", target], check=True, capture_output=True,
                       text=True)
    return target


def run(program, way, folder=None, gpus=1):
    options = ["-v"] + (["--lockstep"] if way == "lockstep" else [])
    model = "rtl" if way == "lockstep" else way
    return gantry_run(program, model, gpus, options, env={"TMPDIR": str(folder)} if folder else None)


@pytest.fixture(scope="module")
def trap(apps):
    return build("trap")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("what", ["abort", "some", "trap", "assert"])
def test_runtime_reports_a_trap(trap, tmp_path, what, way):
    result = run([trap, what], way, tmp_path)
    assert result.status == SIGABRT, result
    assert "aborting with error : HSA_STATUS_ERROR_EXCEPTION" in result.err and "code: 0x1016" in result.err, result
    assert "went on" not in result.out and "went on" not in result.err, result
    # the handler told the runtime and halted: no fault that the command processor would have turned into a code
    assert re.search(r"wavefront \d+ of vmid 1 halted", result.err) and ": fault " not in result.err, result
    assert "stopped: trap" not in result.err and "internal error" not in result.err, result
    if what == "assert":
        assert result.err.count("Device-side assertion") == 1 and "two and five" in result.err, result
    assert int(result.line["kernels"]) >= 1 and leftovers(tmp_path) == [], result


@pytest.mark.parametrize("way", WAYS)
def test_device_printf(trap, way):
    """Hostcall: the device waits for the host, s_sendmsg wakes it."""
    result = run([trap, "printf"], way)
    lines = sorted(l for l in result.out.splitlines() if l.startswith("group "))
    assert result.status == 0 and "went on: no error" in result.out or "hipSuccess" in result.out, result
    assert lines == [f"group {g} lane {n}: 42 times" for g in range(2) for n in range(3)], result
    if way == "lockstep":
        found = re.search(r"lockstep compared=(\d+) retired=(\d+)", result.err)
        assert found and found[1] == found[2] and int(found[1]) > 1000, result


@pytest.mark.parametrize("way", WAYS)
def test_own_trap_handler(apps, way):
    """SET_TRAP_HANDLER of a program: its handler sees the trap's number and its memory, and goes on behind the trap."""
    result = run([build("handler")], way)
    assert result.status == 0 and "handler: PASSED" in result.out, result
    if way == "lockstep":
        found = re.search(r"lockstep compared=(\d+) retired=(\d+)", result.err)
        assert found and found[1] == found[2], result


@pytest.mark.parametrize("model", MODELS)
def test_halt_without_a_reason_is_no_hang(tmp_path, model):
    source, code = tmp_path / "halt.s", tmp_path / "halt.co"
    source.write_text('.amdgcn_target "amdgcn-amd-amdhsa--gfx803"\n.text\n.globl halt\n.p2align 8\n.type halt,@function\nhalt:\n'
                      " s_mov_b32 s4, 1\n s_sethalt 1\n s_endpgm\nLend:\n.size halt, Lend-halt\n.rodata\n.p2align 6\n"
                      ".amdhsa_kernel halt\n .amdhsa_next_free_vgpr 4\n .amdhsa_next_free_sgpr 16\n.end_amdhsa_kernel\n"
                      ".amdgpu_metadata\namdhsa.version: [1, 1]\namdhsa.kernels:\n  - .name: halt\n    .symbol: halt.kd\n"
                      "    .kernarg_segment_size: 0\n    .group_segment_fixed_size: 0\n    .private_segment_fixed_size: 0\n"
                      "    .kernarg_segment_align: 8\n    .wavefront_size: 64\n    .sgpr_count: 16\n    .vgpr_count: 4\n"
                      "    .max_flat_workgroup_size: 64\n    .args: []\n.end_amdgpu_metadata\n")
    subprocess.run(["clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx803", "-mcode-object-version=4", "-o", code, source], check=True)
    done = subprocess.run([GANTRY, "kernel", "-c", "configs/demo.yaml", "--model", model, code, "--grid", "64", "--group", "64"], cwd=ROOT,
                          capture_output=True, text=True, timeout=600)
    assert done.returncode == 75 and "no progress" in done.stderr, done
