# SPDX-License-Identifier: Apache-2.0
"""B.8: every kind of fault, whatever way the program finds out, on both models: the run ends with the runtime's own error.
All of the matrix is nightly; `make test` has every second pair of fault and idiom, each with one of the models."""
import re
import subprocess
import time

import pytest
from live import MODELS, ROOT, Result, built, command

GOAL, LIMIT = 5, 60  # seconds: told, failed
SIGABRT = 128 + 6
FAULTS = {
    "read": r"Memory access fault by GPU node-1 .* on address 0xdead00000\. Reason: Page not present",
    "write": r"Memory access fault by GPU node-1 .* on address 0xdead00000\. Reason: Page not present",
    "atomic": r"Memory access fault by GPU node-1 .* on address 0xdead00000\. Reason: Page not present",
    "readonly": r"Memory access fault by GPU node-1 .* on address 0xfe00000000\. Reason: Write access to a read-only page",
    "noexec": r"Memory access fault by GPU node-1 .* on address 0xfe00000000\. Reason: Execute access to a page marked NX",
    "illegal": r"[Aa]borting with error : HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION",
    "trap": r"[Aa]borting with error : HSA_STATUS_ERROR_EXCEPTION",
    "group": r"[Aa]borting with error : HSA_STATUS_ERROR_INVALID_ARGUMENT.* code: 0x1001",
    "scratch": r"[Aa]borting with error : HSA_STATUS_ERROR_OUT_OF_RESOURCES",
}
# Ours, one line each: what it says behind "gantry: ", up to the kernel's part, whose source line is one of the program's go_wrong.
AT = r"gpu0: memory fault at address {}: {} at pc 0x[0-9a-f]+, CU \d wavefront \d+"
IN = r": {}.* \(instruction 0x[0-9a-f]{{16}}\)(: unknown opcode)?; in \w+wrong\+0x[0-9a-f]+ \(({})\), work-group 0,0,0"
OURS = {
    "read": AT.format("0xdead00000", "page not present") + IN.format("flat_load_dword", "{line}") + "; 0xdead00000 is near no allocation",
    "write": AT.format("0xdead00000", "page not present") + IN.format("flat_store_dword", "{line}") + "; 0xdead00000 is near no allocation",
    "atomic": AT.format("0xdead00000", "page not present") + IN.format("flat_atomic_add", "{line}") + "; 0xdead00000 is near no allocation",
    "readonly": AT.format("0xfe00000000", "page is read-only") + IN.format("flat_store_dword", "{line}") +
    "; 0xfe00000000 is 0 bytes into a 4096-byte VRAM allocation at 0xfe00000000",
    "noexec": AT.format("0xfe00000000", "page is not executable") + r"; in \w+wrong, work-group 0,0,0; 0xfe00000000 is 0 bytes into a 4096-byte VRAM "
    "allocation at 0xfe00000000",
    "illegal": r"queue \d stopped: gpu0: illegal instruction at pc 0x[0-9a-f]+, CU \d wavefront \d+" + IN.format("unknown to LLVM", "{line}"),
    "trap": r"gpu0: a wavefront has halted itself, as after a trap, CU \d wavefront \d+; in \w+wrong, work-group 0,0,0",
    "group": r"queue \d stopped: gpu0: work-group too large: 2048 work-items, at most 1024; packet \d+: \w+wrong, grid 64,1,1, work-group 2048,1,1, 0 bytes of LDS, \d+ bytes of scratch",
}
LINES = {"read": "out[threadIdx.x] = where[", "write": "where[threadIdx.x] = 1", "readonly": "where[threadIdx.x] = 1", "atomic": "atomicAdd(",
         "illegal": ".long 0xfe000000"}
SIGNALS = {  # scratch is wanted, and the queue's signal to ask by is 0, or where nothing is
    "scratch_none": r"Memory access fault by GPU node-1 .* on address 0x8\. Reason: Page not present",
    "scratch_unmapped": r"Memory access fault by GPU node-1 .* on address 0xdead00008\. Reason: Page not present",
}
IDIOMS = ("sync", "stream", "event", "copy", "callback", "printf", "thread")
CASES = [(f, i) for f in FAULTS for i in IDIOMS] + [(f, i) for f in SIGNALS for i in ("sync", "event")]
SECONDS = {}


@pytest.fixture(scope="module")
def program():
    target = built("fault_matrix", "-g")
    for model in MODELS:  # the first run may build models
        done = subprocess.run(command([target, "none", "sync"], model, 1), cwd=ROOT, capture_output=True, text=True, timeout=600)
        assert done.returncode == 0 and re.search("went on: (hipSuccess|no error)$", done.stdout, re.M), done  # HIP 5.2, 5.7
    yield target
    for (model, fault), row in sorted(SECONDS.items()):
        print(f"\n{model:6} {fault:16} " + " ".join(f"{idiom} {seconds:.1f}{'!' if seconds > GOAL else ''}" for idiom, seconds in row), end="")


def ends(program, fault, idiom, model):
    begin = time.monotonic()
    run = subprocess.Popen(command([program, fault, idiom], model, 1), cwd=ROOT, text=True, errors="replace", stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        out, err = run.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        run.terminate()
        pytest.fail(f"no end after {LIMIT} s: {run.communicate()[1][-2000:]}")
    result = Result(run.returncode, out, err, time.monotonic() - begin)
    SECONDS.setdefault((model, fault), []).append((idiom, result.seconds))
    assert result.status == SIGABRT, result
    assert re.search((FAULTS | SIGNALS)[fault], result.err), result
    assert "went on" not in result.out, result
    assert result.err.splitlines()[-1].startswith("gantry: gpus=1 ") and "internal error" not in result.err, result
    lines = [line for line in result.err.splitlines() if re.match(r"gantry: (gpu|queue|process)", line) and "gpus=" not in line]
    if fault in OURS:
        assert len(lines) == 1 and re.fullmatch("gantry: " + OURS[fault].replace("{line}", source_lines(fault)), lines[0]), (lines, result)
    return result


def source_lines(fault):
    """The lines that the fault may be at; an atomic is inlined from a header of HIP."""
    text = (ROOT / "tests/system/programs/fault_matrix.hip").read_text().split("\n")
    return "|".join(f"fault_matrix.hip:{n + 1}" for n, line in enumerate(text) if fault in LINES and LINES[fault] in line) + r"|amd_hip_atomic.h:\d+" * (fault == "atomic")


def sampled(n, model):
    """Every second pair, on one model: half of each row and of each column."""
    return (n // len(IDIOMS) + n % len(IDIOMS)) % (2 * len(MODELS)) == MODELS.index(model)


@pytest.mark.shows("B.8")
@pytest.mark.parametrize("fault,idiom,model", [(*case, m) for n, case in enumerate(CASES) for m in MODELS if sampled(n, m)])
def test_pairs(program, fault, idiom, model):
    ends(program, fault, idiom, model)


@pytest.mark.nightly
@pytest.mark.parametrize("fault,idiom,model", [(*case, m) for n, case in enumerate(CASES) for m in MODELS if not sampled(n, m)])
def test_others(program, fault, idiom, model):
    ends(program, fault, idiom, model)
