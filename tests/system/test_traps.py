# SPDX-License-Identifier: Apache-2.0
"""B.8: device code that traps.  The stock runtime's trap handler runs on the compute unit, the runtime prints its own error,
the program aborts as on hardware; a program's own handler returns; a wavefront that halts for nothing is an error."""
import re
import subprocess

import pytest
from live import GANTRY, MODELS, ROOT, built, gantry_run, leftovers

SIGABRT = 128 + 6
RTL = pytest.mark.skipif("rtl" not in MODELS, reason="GANTRY_MODELS leaves the RTL out")
WAYS = [m for m in MODELS if m == "golden"] + [pytest.param("lockstep", marks=RTL)]


def run(program, way, folder=None, gpus=1):
    options = ["-v"] + (["--lockstep"] if way == "lockstep" else [])
    model = "rtl" if way == "lockstep" else way
    return gantry_run(program, model, gpus, options, env={"TMPDIR": str(folder)} if folder else None)


@pytest.fixture(scope="module")
def trap(apps):
    return built("trap")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("what", ["abort", "some", "trap", "assert"])
@pytest.mark.shows("B.8")
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
    assert result.status == 0 and re.search("^trap printf: went on: (no error|hipSuccess)$", result.out, re.M), result
    assert lines == [f"group {g} lane {n}: 42 times" for g in range(2) for n in range(3)], result
    if way == "lockstep":
        found = re.search(r"lockstep compared=(\d+) retired=(\d+)", result.err)
        assert found and found[1] == found[2] and int(found[1]) > 1000, result


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.shows("B.8")
def test_own_trap_handler(apps, way):
    """SET_TRAP_HANDLER of a program: its handler sees the trap's number and its memory, and goes on behind the trap."""
    result = run([built("handler")], way)
    assert result.status == 0 and "handler: PASSED" in result.out, result
    if way == "lockstep":
        found = re.search(r"lockstep compared=(\d+) retired=(\d+)", result.err)
        assert found and found[1] == found[2], result


def kernels(folder, **bodies):
    """A code object of kernels without arguments whose s[0:1] hold the queue."""
    source, code = folder / "kernels.s", folder / "kernels.co"
    text = '.amdgcn_target "amdgcn-amd-amdhsa--gfx803"\n.text\n'
    for name, body in bodies.items():
        text += f".globl {name}\n.p2align 8\n.type {name},@function\n{name}:\n{body}\nL{name}:\n.size {name}, L{name}-{name}\n"
    text += ".rodata\n.p2align 6\n"
    for name in bodies:
        text += (f".amdhsa_kernel {name}\n .amdhsa_user_sgpr_queue_ptr 1\n .amdhsa_next_free_vgpr 4\n .amdhsa_next_free_sgpr 16\n"
                 ".end_amdhsa_kernel\n")
    text += ".amdgpu_metadata\namdhsa.version: [1, 1]\namdhsa.kernels:\n"
    for name in bodies:
        text += (f"  - .name: {name}\n    .symbol: {name}.kd\n    .kernarg_segment_size: 0\n    .group_segment_fixed_size: 0\n"
                 "    .private_segment_fixed_size: 0\n    .kernarg_segment_align: 8\n    .wavefront_size: 64\n    .sgpr_count: 16\n"
                 "    .vgpr_count: 4\n    .max_flat_workgroup_size: 64\n    .args: []\n")
    source.write_text(text + ".end_amdgpu_metadata\n")
    subprocess.run(["clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx803", "-mcode-object-version=4", "-o", code, source], check=True)
    return code


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.shows("B.8")
def test_program_outlives_its_trap(apps, tmp_path, way):
    """A raw client goes on after the error: other queues work beside the halted wavefronts and after their queue is destroyed."""
    code = kernels(tmp_path, traps=" s_trap 2\n s_endpgm", ends=" s_endpgm")
    result = run([apps / "hsa_queue", "trap", code], way)
    assert result.status == 0 and "queue error 0x1016" in result.out and "hsa_queue trap: PASSED" in result.out, result
    assert "halted before" in result.err and "vmid 1 end with their queue" in result.err and ": fault " not in result.err, result


@pytest.mark.parametrize("model", MODELS)
def test_halt_without_a_reason_is_no_hang(tmp_path, model):
    code = kernels(tmp_path, halt=" s_mov_b32 s4, 1\n s_sethalt 1\n s_endpgm")
    done = subprocess.run([GANTRY, "kernel", "-c", "configs/demo.yaml", "--model", model, code, "--grid", "64", "--group", "64"], cwd=ROOT,
                          capture_output=True, text=True, timeout=600)
    assert done.returncode == 75 and "no progress" in done.stderr, done
