# SPDX-License-Identifier: Apache-2.0
"""Programs that go wrong: each ends in a defined fault that names PC, wavefront and instruction, in both models alike (B.8);
what has no end is stopped, and told where it is (B.7)."""
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
PLACE = r"at pc 0x[0-9a-f]+, CU 0 wavefront"
# What the line says after "gantry: KERNEL: gpu0: ".
FAULTS = {
    "opcode": rf"illegal instruction {PLACE} 16: unknown to LLVM \(instruction 0x[0-9a-f]{{8}}fe000000\): unknown opcode",
    "registers": rf"illegal instruction {PLACE} 0: v_mov_b32_e32 v200, v0 \(instruction 0x[0-9a-f]{{8}}7f900300\): v200 is beyond the 8 VGPRs of the wavefront",
    "reserved": rf"illegal instruction {PLACE} 0: s_mov_b64 s\[4:5\], s\[2:3\] .*\(instruction 0x[0-9a-f]{{8}}be840103\): "
                r"source 0 cannot be 2 registers from scalar code 3 on",
    "trap": rf"trap {PLACE} 0: s_trap 2 \(instruction 0x[0-9a-f]{{8}}bf920002\)",
    "jump": r"memory fault at address 0x7700001000: page not present at pc 0x7700001000, CU 0 wavefront 0",
    "through": rf"illegal instruction {PLACE} 0: v_cndmask_b32_e32 v0, s0, v0, vcc \(instruction 0x0000000000000000\)(: .*)?",
    "store": rf"memory fault at address 0x7700000000: page not present {PLACE} 0: flat_store_dword v\[0:1\], v0 "
             r"\(instruction 0x00000000dc700000\)",
    "unaligned": rf"misaligned access or access outside an aperture {PLACE} 0: flat_atomic_add v\[0:1\], v0 "
                 r"\(instruction 0x00000000dd080000\)",
    "image": rf"illegal instruction {PLACE} 0: image_load v0, v0, s\[0:7\] dmask:0x1 \(instruction 0x00000000f0000100\): unknown opcode",
    # the PC is that of the access, though its wavefront has gone on
    "vector_late": rf"memory fault at address 0x7700000000: page not present {PLACE} 0: flat_load_dword v5, v\[0:1\] \(instruction 0x05000000dc500000\)",
    "buffer_late": rf"memory fault at address 0x7700000000: page not present {PLACE} 0: buffer_store_dword v0, off, s\[8:11\], 0 "
                   r"\(instruction 0x80020000e0700000\)",
    "scalar_late": rf"memory fault at address 0x7700000040: page not present {PLACE} 0: s_load_dwordx2 s\[10:11\], s\[6:7\], 0x40 "
                   r"\(instruction 0x00000040c0060283\)",
    "scalar_buffer_late": rf"memory fault at address 0x7700000008: page not present {PLACE} 0: s_buffer_load_dword s6, s\[8:11\], 0x8 "
                          r"\(instruction 0x00000008c0220184\)",
    "scalar_store_late": rf"memory fault at address 0x7700000000: page not present {PLACE} 0: s_store_dword s4, s\[6:7\], 0x0 "
                         r"\(instruction 0x00000000c0420103\)",
}

# Where it is in the kernel: bytes from its entry; code outside of it has none.
OFFSETS = {"opcode": 0xc, "registers": 0, "reserved": 0, "trap": 4, "jump": None, "through": None, "store": 0xc, "unaligned": 0xc, "image": 0,
           "vector_late": 0x28, "buffer_late": 0x18, "scalar_late": 0x28, "scalar_buffer_late": 0x18, "scalar_store_late": 0x20}


def tail(name):
    """What follows: kernel, work-group, and for an address the allocation next to it."""
    offset = {"jump": "", "through": r"\+0x[0-9a-f]+"}.get(name, rf"\+0x{OFFSETS[name] or 0:x}")
    near = re.match(r"memory fault at address (0x\w+): ", FAULTS[name])
    return rf"; in {name}{offset}, work-group 0,0,0" + (f"; {near[1]} is near no allocation" if near else "")


@pytest.fixture(scope="module")
def code(tmp_path_factory):
    out = tmp_path_factory.mktemp("ends") / "ends.co"
    subprocess.run(["clang-19", "-x", "assembler", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx803", "-mcode-object-version=4", "-o", out,
                    ROOT / "tests/host/cli/ends.s"], check=True)
    return out


def run(code, name, model, *options):
    """Exit status and the lines before the final one."""
    return whole(code, name, model, *options)[:2]


def whole(code, name, model, *options, **env):
    """The same, and the numbers of the final line."""
    done = subprocess.run([ROOT / "build/bin/gantry", "kernel", "-c", "tiny", "--model", model, "-q", *options, f"{code}:{name}", "--grid", "128",
                           "--group", "128"], cwd=ROOT, capture_output=True, text=True, timeout=600, env={**os.environ, **env})
    lines = [line for line in done.stderr.splitlines() if "building model" not in line]
    return done.returncode, lines[:-1], {key: int(value) for key, value in re.findall(r"\b(cycles|instructions)=([0-9]+)", lines[-1])}


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.shows("B.8")
def test_fault(code, name):
    ends = [run(code, name, model) for model in ("golden", "rtl")]
    for status, lines in ends:
        assert status == 76 and len(lines) == 1, lines
        assert re.fullmatch(f"gantry: {name}: gpu0: {FAULTS[name]}{tail(name)}", lines[0]), lines
    assert ends[0] == ends[1]


def test_work_group_of_a_fault(code):
    """The work-group is that of the wavefront, in three dimensions; one of a dimension that the kernel is not told is not known."""
    for name, group in ("group_number", "1,2,1"), ("registers", r"\d,\?,\?"):
        for model in ("golden", "rtl"):
            done = subprocess.run([ROOT / "build/bin/gantry", "kernel", "-c", "tiny", "--model", model, "-q", f"{code}:{name}", "--grid", "192,4,2",
                                   "--group", "64,1,1"], cwd=ROOT, capture_output=True, text=True, timeout=600)
            assert done.returncode == 76 and re.search(rf"; in {name}\+0x\w+, work-group {group}$", done.stderr, re.M), done.stderr


def test_source_line_of_a_fault(tmp_path):
    """Of a code object with DWARF, in both models; see tests/system/test_fault_matrix.py for programs."""
    out, source = tmp_path / "lines.co", ROOT / "tests/host/cli/ends.s"
    subprocess.run(["clang-19", "-g", "-x", "assembler", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx803", "-mcode-object-version=4", "-o", out, source],
                   check=True)
    text = source.read_text().split("\n")
    line = next(n for n in range(text.index("kernel trap"), len(text)) if "s_trap" in text[n]) + 1
    for model in ("golden", "rtl"):
        status, lines = run(out, "trap", model)
        assert status == 76 and lines[0].endswith(f"; in trap+0x4 (ends.s:{line}), work-group 0,0,0"), lines


@pytest.mark.parametrize("options", [(), pytest.param(("-c", "smallest"), marks=pytest.mark.nightly)])
def test_fault_in_lock_step(code, options):
    """What other wavefronts had not finished when the run ends is no difference in what was seen of it in the LDS."""
    status, lines = run(code, "lds_order", "rtl", "--lockstep", "--set", "link.cu_noc=1000", *options)
    assert status == 76 and "unknown opcode" in lines[0], lines
    assert re.fullmatch(r"gantry: lockstep compared=\d+ retired=\d+", lines[1]), lines


ENDLESS = {
    "loop": [r"CU 0 wavefront 0, at a barrier, before pc 0x[0-9a-f]+: s_endpgm",
             r"CU 0 wavefront 16, running, before pc 0x[0-9a-f]+: s_branch 65535"],
    "halt": [r"CU 0 wavefront 0, at a barrier, before pc 0x[0-9a-f]+: s_endpgm",
             r"CU 0 wavefront 16, has halted, before pc 0x[0-9a-f]+: s_barrier"],
}


@pytest.mark.parametrize("name", ENDLESS)
@pytest.mark.shows("B.7")
def test_no_end(code, name):
    """Both models tell where each wavefront is, when nothing can go on and at --max-cycles."""
    told = []
    for model in ("golden", "rtl"):
        status, lines = run(code, name, model, "--max-cycles", "200000")
        assert status == 75, lines
        told.append([re.sub(r"^  gpu0\.(golden|cu0): |(?<=wavefront )(\d+) of work-group 0", r"\2", line) for line in lines if " before pc " in line])
        assert len(told[-1]) == 2 and all(map(re.fullmatch, ENDLESS[name], told[-1])), lines
    assert told[0] == told[1]


@pytest.mark.parametrize("config", ["tiny", pytest.param("demo", marks=pytest.mark.nightly)])
@pytest.mark.shows("B.7")
def test_where_of_many(code, config):
    """16 wavefronts of the RTL are told, the others counted; those of all CUs."""
    done = subprocess.run([ROOT / "build/bin/gantry", "kernel", "-c", config, "--model", "rtl", "-q", "--max-cycles", "100000", f"{code}:spin",
                           "--grid", "1280", "--group", "64"], cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 75, done.stderr
    told = re.findall(r"CU \d wavefront \d+, running, before pc 0x[0-9a-f]+: s_branch 65535$", done.stderr, re.M)
    assert len(told) == 16 and "and 4 more wavefronts" in done.stderr, done.stderr


@pytest.mark.shows("B.7")
def test_where_in_a_loop(code):
    """The place told is one that the wavefront comes to, whatever the loop's period (here 24 cycles)."""
    for cycles in (50000, 50009, 50018):
        done = subprocess.run([ROOT / "build/bin/gantry", "kernel", "-c", "tiny", "--model", "rtl", "-q", "--max-cycles", str(cycles), f"{code}:rounds",
                               "--grid", "256", "--group", "256"], cwd=ROOT, capture_output=True, text=True, timeout=600)
        assert done.returncode == 75, done.stderr
        assert len(re.findall(r"before pc 0x[0-9a-f]+: (s_barrier|s_branch 65534)$", done.stderr, re.M)) == 4, done.stderr


def test_barrier_with_ended_wavefronts(code):
    for model in ("golden", "rtl"):
        assert run(code, "ended", model) == (0, [])


def test_short_loop_goes_on(code):
    """A wavefront that computes for more than 2^20 cycles without a message is no machine without progress."""
    ends = [whole(code, "count", model) for model in ("golden", "rtl")]
    assert ends[1][:2] == (0, []) and ends[1][2]["cycles"] > 1 << 20, ends[1]
    assert ends[0][2]["instructions"] == ends[1][2]["instructions"] == 2 * (3 * 50000 + 2)


@pytest.mark.nightly  # a model of its own; by day: endless programs (above), the watchdog (tests/host/observe/test_watchdog.c)
@pytest.mark.shows("B.7")
def test_livelock(code):
    """A compute unit that turns for ever and issues nothing: a wavefront that never wakes (seeded fault 32 of rtl/cu)."""
    env = {"GANTRY_MODEL_DEFINES": "GANTRY_FAULTS", "GANTRY_MODEL_OPT": "-O0"}
    assert whole(code, "sleep", "rtl", **env)[:2] == (0, [])
    status, lines, numbers = whole(code, "sleep", "rtl", "--max-cycles", "5000000", GANTRY_FAULT="32", **env)
    assert status == 75 and numbers["cycles"] < 3 << 20, (lines, numbers)
    assert re.fullmatch(r"gantry: no progress at cycle \d+: partitions are busy, but for 1048576 cycles no message was sent and no instruction issued",
                        lines[0]), lines
    assert any(line.startswith("  gpu0.cu0 is busy") for line in lines), lines


def test_instructions_without_end(code):
    """The final line counts the instructions of wavefronts that have not ended."""
    for model in ("golden", "rtl"):
        assert whole(code, "halt", model, "--max-cycles", "200000")[2]["instructions"] == 8
    numbers = whole(code, "loop", "rtl", "--max-cycles", "200000")[2]
    assert 190000 < 20 * (numbers["instructions"] - 7) < 200000, numbers  # a branch takes 20 cycles
