# SPDX-License-Identifier: Apache-2.0
"""Seeded faults of the compute unit (cu_pkg::FaultSeed: EXEC ignored, SCC wrong, wait skipped, ...), chosen at run
time in one model: lock step finds every one of them in some kernel of sw/kernels, and none when none is chosen (B.6)."""
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
from builder import release

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tests/sw/kernels"), str(ROOT / "tests/system")]
import live  # noqa: E402
import test_kernels  # noqa: E402

KERNELS = ["reduction", "mix64", "hash", "matmul", "shift64", "pack", "histogram", "vecadd", "blur", "grid3d", "transpose", "saxpy"]


# What the disassembly in the message must be where a fault concerns one kind of instruction.
NAMED = {2: r"s_add_u32 ", 3: r"s_\w+_saveexec_b64 ", 7: r"v_cmp\w* |s_\w+_b64 ", 8: r"\w+ .*, 0x[1-9a-f][0-9a-f]{4,}", 9: r"s_load_dword\w* ",
         10: r"flat_store_\w+ |buffer_store_\w+ ", 11: r"flat_store_\w+ |buffer_store_\w+ ", 12: r"\w+ .*-(\d|1[0-6])\b", 13: r"s_lshl_b64 ",
         14: r"ds_\w+ .*offset0?:", 15: r"v_lshlrev_b64 ", 19: r"ds_\w+ ", 20: r"flat_load_dwordx[234] |buffer_load_dwordx[234] "}


def run_shift64(folder):
    """A kernel of this folder: out[i] = (5 << 37) + (5 >> 34) + i."""
    code = ROOT / "build/tests/rtl/cu/shift64.co"
    code.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["clang-19", "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx803", "-O2",
                    release.bitcode(), "-mcode-object-version=4", "-o", code,
                    ROOT / "tests/rtl/cu/shift64.cl"], check=True)
    done = subprocess.run([ROOT / "build/bin/gantry", "kernel", "-c", "tiny", "--lockstep", code, "--grid", "64", "--group", "64",
                           "--arg", f"out:512:{folder}/out", "--arg", "u64:5", "--arg", "u32:37"], cwd=ROOT, capture_output=True,
                          text=True, timeout=600)
    assert done.returncode == 0, f"exit {done.returncode}: {done.stderr}"
    got = [int.from_bytes((folder / "out").read_bytes()[8 * i:8 * i + 8], "little") for i in range(64)]
    assert got == [(5 << 37) + i for i in range(64)]


def run_buffer_lds(folder):
    """A kernel of this folder that copies 4 KiB through the LDS by buffer instructions; the finished process."""
    code = ROOT / "build/tests/rtl/cu/buffer_lds.co"
    code.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["clang-19", "-x", "assembler", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx803", "-mcode-object-version=4", "-o", code,
                    ROOT / "tests/rtl/cu/buffer_lds.s"], check=True)
    (folder / "in").write_bytes(bytes(range(256)) * 15 + bytes(range(255, -1, -1)))
    return subprocess.run([ROOT / "build/bin/gantry", "kernel", "-c", "tiny", "--lockstep", code, "--grid", "1024", "--group", "256", "--arg",
                           f"out:4096:{folder}/out", "--arg", f"in:{folder}/in"], cwd=ROOT, capture_output=True, text=True, timeout=600)


def first_difference(folder):
    """The line that lock step prints, from the first kernel that shows the fault; None when none does."""
    for name in KERNELS:
        place = folder / name
        place.mkdir()
        try:
            if name == "shift64":
                run_shift64(place)
            else:
                test_kernels.launch(name, 4, place, "--lockstep", "--max-cycles", "3000000")
        except AssertionError as error:
            text = str(error)
            if "gantry: lockstep: " in text and "exit 70" in text:
                return text.split("gantry: lockstep: ")[1].splitlines()[0]
        except subprocess.TimeoutExpired:
            continue
    return None


@pytest.fixture(autouse=True)
def faulty_model(monkeypatch):
    monkeypatch.setenv("GANTRY_MODEL_DEFINES", "GANTRY_FAULTS")
    monkeypatch.setenv("GANTRY_MODEL_OPT", "-O0")  # short runs, and test_torture.py has the same model


@pytest.mark.shows("B.6")
def test_no_fault(tmp_path):
    run_shift64(tmp_path)
    assert first_difference(tmp_path) is None


def test_buffer_lds(tmp_path, monkeypatch):
    done = run_buffer_lds(tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out").read_bytes() == (tmp_path / "in").read_bytes()
    monkeypatch.setenv("GANTRY_FAULT", "29")
    done = run_buffer_lds(tmp_path)
    assert done.returncode == 70 and "gantry: lockstep: " in done.stderr, done
    assert "LDS result" in done.stderr.split("gantry: lockstep: ")[1].splitlines()[0], done.stderr


@pytest.mark.parametrize("seed", [*range(1, 21), 31])
@pytest.mark.shows("B.6")
def test_fault_is_found(seed, tmp_path, monkeypatch):
    monkeypatch.setenv("GANTRY_FAULT", str(seed))
    found = first_difference(tmp_path)
    assert found, f"fault {seed} was not found by lock step in {', '.join(KERNELS)}"
    text = re.fullmatch(r"gpu0\.cu\d+ simd \d slot \d+ cycle \d+ instruction \d+ pc [0-9a-f]{12}: ([a-z]\w+.*?): .+", found)
    assert text and re.match(NAMED.get(seed, r"\w+"), text[1]), found
    print(f"fault {seed}: {found}")


# wrong PC saved by s_trap, TTMP written by a program, s_sethalt of the trap handler forgotten
@pytest.mark.parametrize("seed,program,what", [(25, "handler", "ttmp0"), (26, "handler", "ttmp6"), (27, "trap", "halted itself")])
@pytest.mark.shows("B.6")
def test_fault_of_traps_is_found(seed, program, what, monkeypatch):
    if not shutil.which("hipcc"):
        pytest.skip("hipcc is not installed")
    target = live.built(program)
    monkeypatch.setenv("GANTRY_FAULT", str(seed))
    done = subprocess.run([ROOT / "build/bin/gantry", "run", "-c", "tiny", "--lockstep", "--max-cycles", "3000000", "--", target, "abort"], cwd=ROOT,
                          capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL, errors="replace")
    assert done.returncode == 70 and "gantry: lockstep: " in done.stderr, done
    assert what in done.stderr.split("gantry: lockstep: ")[1].splitlines()[0], done.stderr
