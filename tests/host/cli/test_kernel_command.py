# SPDX-License-Identifier: Apache-2.0
"""gantry kernel: argument specs, every wrong input and fault with its exit code and one line, the result folder."""
import calendar
import csv
import json
import os
import pathlib
import re
import signal
import sqlite3
import struct
import subprocess
import time

import pytest
from builder import release

ROOT = pathlib.Path(__file__).resolve().parents[3]
GANTRY = ROOT / "build/bin/gantry"
VECADD = "build/kernels/vecadd.v4.co"
SHAPE = ["--grid", "64", "--group", "64"]
ARGS = ["--arg", "zero:256", "--arg", "fill:1:256", "--arg", "fill:2:256"]
LINE = re.compile(r"gantry: gpus=\d+ kernels=\d+ cycles=\d+ instructions=\d+ cpu_s=[0-9.]+ inst_per_cpu_s=\d+ repeatable=(yes|no) "
                  r"hash=[0-9a-f]{16} data=[0-9a-f]{16} counters=[0-9a-f]{16} now=\d+")


@pytest.fixture(scope="session", autouse=True)
def code(tmp_path_factory):
    subprocess.run(["make", "-s", VECADD, "build/kernels/matmul.v4.co", "build/kernels/hash.v4.co"], cwd=ROOT, check=True)
    out = tmp_path_factory.mktemp("code") / "fault.co"
    subprocess.run(["clang-19", "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx803", "-O1", "-mcode-object-version=4",
                    release.bitcode(), "-o", out, "tests/host/cli/fault.cl"], cwd=ROOT, check=True)
    return out


def kernel(*args, config="tiny", model="golden", **kw):
    command = [GANTRY, "kernel", "-c", config, "--model", model, *map(str, args)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=900, **kw)
    return done.returncode, done.stderr


def refused(expected, cause, *args, **kw):
    """One line, the right exit code, no final line."""
    status, err = kernel(*args, **kw)
    assert status == expected, err
    assert err.count("\n") == 1 and err.startswith("gantry: " + cause), err


def test_final_line_is_last():
    status, err = kernel(VECADD, *SHAPE, *ARGS)
    lines = err.splitlines()
    assert status == 0 and LINE.fullmatch(lines[-1]) and "vecadd" in lines[1] and len(lines) == 3
    status, err = kernel(VECADD, *SHAPE, *ARGS, "-q")
    assert status == 0 and LINE.fullmatch(err.rstrip("\n"))


def test_every_kind_of_value(tmp_path, code):
    out = tmp_path / "out"
    values = ["u8:200", "i8:-3", "u16:0xffff", "i16:-300", "u32:4000000000", "i32:-2147483648", "u64:18446744073709551615", "i64:-5",
              "f32:1.5", "f64:-0x1.8p-1030"]
    specs = [w for v in values for w in ("--arg", v)]
    status, err = kernel(f"{code}:values", "--grid", "1", "--group", "1", "--arg", f"out:64:{out}", *specs)
    assert status == 0, err
    data = out.read_bytes()
    assert struct.unpack_from("<7I", data) == (200, 2**32 - 3, 65535, 2**32 - 300, 4000000000, 2**31, 0x3FC00000)
    assert struct.unpack_from("<QqQ", data, 32) == (2**64 - 1, -5, struct.unpack("<Q", struct.pack("<d", float.fromhex("-0x1.8p-1030")))[0])


def test_inout_and_fill(tmp_path):
    source, target = tmp_path / "a", tmp_path / "b"
    source.write_bytes(struct.pack("<64I", *range(64)))
    target.write_bytes(b"old contents that are longer than the new ones" * 20)
    assert kernel(VECADD, *SHAPE, "--arg", f"inout:{source}:{target}", "--arg", f"in:{source}", "--arg", "fill:0x01:256")[0] == 0
    assert struct.unpack("<64I", target.read_bytes()) == tuple(i + 0x01010101 for i in range(64))


@pytest.mark.parametrize("status, cause, args", [
    (64, "kernel: unknown option --frob", ["--frob", VECADD]),
    (64, "kernel: unknown option -z", ["-z", VECADD]),
    (64, "kernel: --grid needs a value", [VECADD, "--grid"]),
    (64, "kernel: no code object", SHAPE),
    (64, "kernel: unexpected argument more", [VECADD, "more", *SHAPE]),
    (64, "kernel: no grid", [VECADD]),
    (64, "kernel: no work-group size", [VECADD, "--grid", "64"]),
    (64, "--grid: 'x' is not X[,Y[,Z]]", [VECADD, "--grid", "x", "--group", "64"]),
    (64, "--grid: 0 is outside", [VECADD, "--grid", "0", "--group", "64"]),
    (64, "--grid: '1,2,3,4' has more than three", [VECADD, "--grid", "1,2,3,4", "--group", "64"]),
    (64, "--group: 70000 is outside 1..65535", [VECADD, "--grid", "64", "--group", "70000"]),
    (64, "--group: kernel matmul demands 16,16,1", ["build/kernels/matmul.v4.co", "--grid", "64", "--group", "64"]),
    (64, "--gpu: 1: the machine has 1 GPU", [VECADD, *SHAPE, "--gpu", "1"]),
    (64, "--model: 'qemu' is neither rtl nor golden", [VECADD, *SHAPE, "--model", "qemu"]),
    (64, "--lockstep: 'golden' compares", [VECADD, *SHAPE, "--lockstep"]),
    (64, "--progress: 'often' is none of", [VECADD, *SHAPE, "--progress", "often"]),
    (64, "--max-cycles: 'many' is not a number", [VECADD, *SHAPE, "--max-cycles", "many"]),
    (64, "--max-cycles: '0' must be at least 1", [VECADD, *SHAPE, "--max-cycles", "0"]),
    (64, "--threads: '0' is outside 1..64", [VECADD, *SHAPE, "--threads", "0"]),
    (64, "--threads: '65' is outside 1..64", [VECADD, *SHAPE, "--threads", "65"]),
    (64, "--seed: '-1' is not a number", [VECADD, *SHAPE, "--seed", "-1"]),
    (64, "--trace: 'sound' is none of", [VECADD, *SHAPE, "--trace", "sound"]),
    (65, "--set: gpu.cu.count: 0 is below the minimum 1", [VECADD, *SHAPE, "--set", "gpu.cu.count=0"]),
    (65, "--set: gpu.dram.tras: 3 is below gpu.dram.trcd 7", [VECADD, *SHAPE, "--set", "gpu.dram.tras=3"]),
    (66, "no.co: No such file or directory", ["no.co", *SHAPE]),
    (66, "no.co: No such file or directory", ["no.co:vecadd", *SHAPE]),
    (74, "/tmp: Is a directory", ["/tmp", *SHAPE]),
    (65, "README.md: neither ELF nor offload bundle", ["README.md", *SHAPE]),
    (65, "/bin/true: ELF for machine 62 without GPU code", ["/bin/true", *SHAPE]),
    (64, VECADD + ": no kernel add; it holds vecadd", [VECADD + ":add", *SHAPE]),
    (64, "--arg: kernel vecadd takes 3 arguments, 1 given", [VECADD, *SHAPE, "--arg", "zero:4"]),
    (64, "--arg: u32:5: these are 4 bytes of 8; argument 2 is int*, a buffer\n", [VECADD, *SHAPE, *ARGS[:4], "--arg", "u32:5"]),
    (64, "--arg: lds:64: no LDS is wanted; argument 2 is int*, a buffer\n", [VECADD, *SHAPE, *ARGS[:4], "--arg", "lds:64"]),
    (64, "--arg: x32:5: unknown kind of argument", [VECADD, *SHAPE, *ARGS[:4], "--arg", "x32:5"]),
    (64, "--arg: nonsense: not an argument spec", [VECADD, *SHAPE, *ARGS[:4], "--arg", "nonsense"]),
    (64, "--arg: u8:256: outside 0..255; argument 2 is int*, a buffer\n", [VECADD, *SHAPE, *ARGS[:4], "--arg", "u8:256"]),
    (64, "--arg: i8:-129: outside -128..127; argument 2 is", [VECADD, *SHAPE, *ARGS[:4], "--arg", "i8:-129"]),
    (64, "--arg: f32:abc: not a number", [VECADD, *SHAPE, *ARGS[:4], "--arg", "f32:abc"]),
    (64, "--arg: zero:0: expected zero:BYTES", [VECADD, *SHAPE, *ARGS[:4], "--arg", "zero:0"]),
    (64, "--arg: fill:256:4: expected fill:BYTE:BYTES", [VECADD, *SHAPE, *ARGS[:4], "--arg", "fill:256:4"]),
    (64, "--arg: out:64: expected out:BYTES:FILE", [VECADD, *SHAPE, *ARGS[:4], "--arg", "out:64"]),
    (64, "--arg: inout:a: expected inout:FILE:FILE", [VECADD, *SHAPE, *ARGS[:4], "--arg", "inout:a"]),
    (66, "missing.bin: No such file or directory", [VECADD, *SHAPE, *ARGS[:4], "--arg", "in:missing.bin"]),
    (65, "/dev/null: not a regular file", [VECADD, *SHAPE, *ARGS[:4], "--arg", "in:/dev/null"]),
    (74, "/nowhere/x: No such file or directory", [VECADD, *SHAPE, *ARGS[:4], "--arg", "out:4:/nowhere/x"]),
    (65, "--arg: zero:17179869185G: GPU memory is too small: no GPU has more than 64 GiB", [VECADD, *SHAPE, *ARGS[:4], "--arg", "zero:17179869185G"]),
    (65, "--arg: zero:100G: GPU memory is too small: no GPU has more than 64 GiB", [VECADD, *SHAPE, *ARGS[:4], "--arg", "zero:100G"]),
    (65, "--arg: zero:99999999999999999999: GPU memory is too small", [VECADD, *SHAPE, *ARGS[:4], "--arg", "zero:99999999999999999999"]),
    (65, "fill:1:60G: GPU memory is too small: 64424509440 bytes, gpu.vram_mib is 1024\n", [VECADD, *SHAPE, *ARGS[:4], "--arg", "fill:1:60G"]),
    (65, "zero:60G: GPU memory is too small", [VECADD, *SHAPE, *ARGS[:4], "--arg", "zero:60G"]),
    (65, "zero:900M: GPU memory is full: 943718400 bytes do not fit", [VECADD, *SHAPE, *ARGS[:2], "--arg", "zero:900M", "--arg", "zero:900M"]),
    (64, "--arg: lds:100K: no CU has more than 64 KiB of LDS; argument 2 is int*, a buffer\n", [VECADD, *SHAPE, *ARGS[:4], "--arg", "lds:100K"]),
    (64, "--arg: u64:18446744073709551616: outside 0..18446744073709551615; ", [VECADD, *SHAPE, *ARGS[:4], "--arg", "u64:18446744073709551616"]),
    (64, "--arg: u32:-1: outside 0..4294967295; ", [VECADD, *SHAPE, *ARGS[:4], "--arg", "u32:-1"]),
    (64, "--arg: i64:12x: not an integer; ", [VECADD, *SHAPE, *ARGS[:4], "--arg", "i64:12x"]),
    (64, "--arg: zero:4: a buffer is no value; argument 3 is uint, a value of 4 bytes\n",
     ["build/kernels/matmul.v4.co", "--grid", "16,16", *["--arg", "zero:4096"] * 3, "--arg", "zero:4"]),
    (64, "--grid: 99999999999999999999999 is outside 1..4294967295", [VECADD, "--grid", "64,99999999999999999999999", "--group", "64"]),
    (64, "--list: of one code object: gantry kernel --list FILE[:KERNEL]", ["--list"]),
    (64, "--list: of one code object: gantry kernel --list FILE[:KERNEL]", ["--list", VECADD, VECADD]),
    (66, "no.co: No such file or directory", ["--list", "no.co"]),
    (64, VECADD + ": no kernel add; it holds vecadd", ["--list", VECADD + ":add"]),
])
def test_wrong_input(status, cause, args):
    refused(status, cause, *args)


@pytest.mark.parametrize("option", ["--help", "-h"])
@pytest.mark.parametrize("command, told, not_told", [
    ([], "COMMAND run kernel config", "--config --set --get"),
    (["run"], "PROGRAM --config --lockstep --max-cycles", "--grid --gpu --arg --get"),
    (["kernel"], "FILE --config --grid --gpu --arg inout", "PROGRAM --get"),
    (["config"], "--list --get --json --names --sv", "--grid --lockstep PROGRAM"),
])
def test_help(command, told, not_told, option):
    """Each command tells what is its own."""
    done = subprocess.run([GANTRY, *command, option], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and not done.stderr and done.stdout.startswith(f"usage: gantry {' '.join(command)}"), done
    words = set(re.findall(r"(?<![\w-])(?:--)?[\w][\w-]*", done.stdout))
    assert set(told.split()) <= words and not set(not_told.split()) & words
    assert max(map(len, done.stdout.splitlines())) <= 120


def test_gantry_alone_tells_its_commands():
    done = subprocess.run([GANTRY], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 64 and not done.stdout and done.stderr.startswith("usage: gantry COMMAND") and "--config" not in done.stderr


def test_name_with_colons(tmp_path):
    """FILE ends at the first colon behind a file; of two kernels with one name the parameters tell."""
    source, file = tmp_path / "names.hip", tmp_path / "names.co"
    source.write_text("""#include <hip/hip_runtime.h>
namespace blur { __global__ void apply(int *p) { p[threadIdx.x] = 1; } __global__ void apply(float *p) { p[threadIdx.x] = 1; } }
template <int N> __global__ void fill(int *p) { p[threadIdx.x] = N; }
template __global__ void fill<7>(int *);
""")
    subprocess.run(["hipcc", "--genco", "--offload-arch=gfx803", "-O1", "-o", file, source], check=True, capture_output=True,
                   env={**os.environ, "HIP_PLATFORM": "amd"})
    out = tmp_path / "out"
    shape = [*SHAPE, "--arg", f"out:256:{out}"]
    assert kernel(f"{file}:fill<7>", *shape)[0] == 0 and out.read_bytes() == b"\7\0\0\0" * 64
    assert kernel(f"{file}:blur::apply(float*)", *shape)[0] == 0 and out.read_bytes() == struct.pack("<f", 1) * 64
    refused(64, f"{file}: 2 kernels are named blur::apply: give the parameters too, or the symbol", f"{file}:blur::apply", *shape)
    status, err = kernel(f"{file}:fill<8>", *shape)
    assert status == 64 and err.startswith(f"gantry: {file}: no kernel fill<8>; it holds ") and "fill<7>" in err and err.count("\n") == 1


@pytest.mark.parametrize("text, cycles", [("2K", 2000), ("2k", 2000), ("0x7d0", 2000), ("1M", None), ("3G", None)])
def test_max_cycles_counts_thousands(text, cycles):
    status, err = kernel(VECADD, *SHAPE, *ARGS, "--max-cycles", text, "-q", model="rtl")
    assert (status, err.count("\n") > 1) == ((75, True) if cycles else (0, False)), err
    assert cycles is None or f"gantry: --max-cycles: stopped after {cycles} target cycles" in err


def test_unfinished_kernel_is_listed():
    status, err = kernel(VECADD, *SHAPE, *ARGS, "--max-cycles", "3K", model="rtl")
    row = next(line.split() for line in err.splitlines() if " vecadd " in line)
    assert status == 75 and row[6] == "unfinished" and " kernels=0 " in err


def test_several_kernels_need_a_name(code):
    refused(64, f"{code}: several kernels, name one as {code}:KERNEL: wild, endless, busy, illegal, values, beyond", code, *SHAPE)


CL = ["clang-19", "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx803", "-O2",
      release.bitcode()]


def rebuilt(tmp_path, change, version=4):
    """sw/kernels/vecadd.cl through its assembly text, changed."""
    text, out = tmp_path / "x.s", tmp_path / "x.co"
    subprocess.run([*CL, f"-mcode-object-version={min(version, 5)}", "-S", "-o", text, "sw/kernels/vecadd.cl"], cwd=ROOT, check=True)
    text.write_text(change(text.read_text()).replace(".amdhsa_code_object_version 5", f".amdhsa_code_object_version {version}"))
    subprocess.run(["clang-19", "-x", "assembler", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx803", f"-mcode-object-version={version}", "-o", out, text],
                   check=True, capture_output=True)  # clang warns that version 6 is new
    return out


def adds(path, tmp_path):
    out = tmp_path / "sum"
    status, err = kernel(path, *SHAPE, "--arg", f"out:256:{out}", *ARGS[2:])
    assert status == 0 and out.read_bytes() == b"\3" * 256, err


def symbols(path):
    """(table, name) of every kernel descriptor."""
    told = subprocess.run(["readelf", "-sW", path], capture_output=True, text=True, check=True).stdout
    return {(table, name) for table, text in re.findall(r"Symbol table '(\S+)'(.*?)(?:\n\n|\Z)", told, re.S) for name in re.findall(r"(\S+\.kd)$", text, re.M)}


def test_kernel_with_a_local_symbol(tmp_path):
    """It stands in .symtab alone; of one that stands in both tables there is one kernel."""
    def local(text):
        assert ".globl\tvecadd" in text and ".protected\tvecadd" in text
        return re.sub(r"^\s*\.(globl|protected)\tvecadd\b.*\n", "", text, flags=re.M)
    path = rebuilt(tmp_path, local)
    assert symbols(path) == {(".symtab", "vecadd.kd")}
    adds(path, tmp_path)
    adds(f"{path}:vecadd", tmp_path)
    path = rebuilt(tmp_path, lambda text: text)
    assert symbols(path) == {(".symtab", "vecadd.kd"), (".dynsym", "vecadd.kd")}
    adds(path, tmp_path)


def test_kernel_without_a_symbol(tmp_path):
    path = rebuilt(tmp_path, lambda text: text)
    subprocess.run(["llvm-objcopy-19", "--strip-all", path], check=True)  # of tables the dynamic one stays
    adds(path, tmp_path)
    data = bytearray(path.read_bytes())
    data[data.rindex(b"vecadd.kd") + 8] = ord("x")  # in the names of symbols, which stand behind the notes
    path.write_bytes(data)
    refused(65, f"{path}: damaged notes: kernel vecadd.kd has no symbol", path, *SHAPE, *ARGS)


def test_newest_version(tmp_path):
    path = rebuilt(tmp_path, lambda text: text, version=6)
    assert path.read_bytes()[8] == 4
    adds(path, tmp_path)
    data = bytearray(path.read_bytes())
    data[8] = 5
    path.write_bytes(data)
    refused(65, f"{path}: code-object ABI version 7 is not supported (2 to 6 are)", path, *SHAPE, *ARGS)


def damaged(tmp_path, change):
    data = bytearray((ROOT / VECADD).read_bytes())
    data = change(data) or data
    path = tmp_path / "x.co"
    path.write_bytes(data)
    return path


def test_truncated_object(tmp_path):
    path = damaged(tmp_path, lambda d: d[:2000])
    refused(65, f"{path}: truncated", path, *SHAPE, *ARGS)


def test_object_of_another_gpu(tmp_path):
    def change(d):
        d[48] = 0x2C
    path = damaged(tmp_path, change)
    refused(65, f"{path}: built for another GPU", path, *SHAPE, *ARGS)


def test_object_with_damaged_notes(tmp_path):
    def change(d):
        d[d.index(b"amdhsa.kernels")] = 0xC1
    path = damaged(tmp_path, change)
    refused(65, f"{path}: damaged notes", path, *SHAPE, *ARGS)


def fault(cause, *args, started=True, **kw):
    """Exit 76 with one line that says what happened, then the final line; before it the table, in which a kernel that was started is
    unfinished."""
    status, err = kernel(*args, **kw)
    lines = [line for line in err.splitlines() if not line.startswith(("gantry: building model", "gantry: lockstep compared"))]
    assert status == 76, err
    assert len(lines) == 2 + 2 * started and re.match("gantry: " + cause, lines[0]) and LINE.fullmatch(lines[-1]), err
    assert not started or lines[2].split()[6] == "unfinished", err


def test_store_to_nowhere(code):
    fault(r"wild: gpu0: memory fault at address 0xdead0000[0-9a-f]*: page not present", f"{code}:wild", *SHAPE, "--arg", "zero:256",
          "--arg", "u64:0xdead00000")


def test_illegal_instruction(code):
    for model in (["golden"], ["rtl", "--lockstep"]):
        fault(r"illegal: gpu0: illegal instruction at pc 0x[0-9a-f]+, CU 0 wavefront 0: unknown to LLVM \(instruction 0x[0-9a-f]{8}7e00ffff\): unknown opcode",
              f"{code}:illegal", *SHAPE, "--arg", "zero:256", *model[1:], model=model[0])


def test_operand_that_no_program_may_name(code):
    for model in (["golden"], ["rtl", "--lockstep"]):
        fault(r"beyond: gpu0: illegal instruction at pc 0x[0-9a-f]+, CU 0 wavefront 0: v_mov_b32_e32 v255, v0 \(instruction 0x[0-9a-f]{8}7ffe0300\): v255 is beyond the \d+ VGPRs of the wavefront",
              f"{code}:beyond", *SHAPE, "--arg", "zero:256", *model[1:], model=model[0])


@pytest.mark.parametrize("group, told", [("2048", "2048 work-items, at most 1024"), ("65535", "65535 work-items, at most 1024"),
                                         ("32,32,2", "2048 work-items, at most 1024"), ("65535,65535,65535", "281462092005375 work-items, at most 1024")])
def test_work_group_too_large(group, told):
    """What was asked for, and the limit."""
    fault(rf"vecadd: gpu0: work-group too large: {told}$", VECADD, "--grid", group, "--group", group, "--arg", "zero:8192", "--arg", "zero:8192", "--arg",
          "zero:8192", started=False)


def test_work_group_beyond_a_small_cu():
    """Wavefronts of a CU with one SIMD of four, and its registers."""
    small = ["--set", "gpu.cu.simds=1", "--set", "gpu.cu.waves_per_simd=4"]
    fault("vecadd: gpu0: work-group too large: 5 wavefronts, a CU has room for 4$", VECADD, "--grid", "320", "--group", "320", *ARGS, *small, started=False)
    fault(r"vecadd: gpu0: work-group needs more registers than a CU has: 4 wavefronts a SIMD of \d+ VGPRs each, it has 16$", VECADD, "--grid", "256", "--group",
          "256", *ARGS, *small, "--set", "gpu.cu.vgprs_per_simd=16", started=False)


def test_list_of_kernels(code, tmp_path):
    """Each kernel of a file with its limits and arguments, or the one that is named; also of a program."""
    def told(word):
        done = subprocess.run([GANTRY, "kernel", "--list", word], cwd=ROOT, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0 and not done.stderr
        return done.stdout
    assert told("build/kernels/matmul.v4.co") == """matmul
  code object    version 4
  work-group     16,16,1 work-items
  LDS            2112 bytes a work-group
  scratch        0 bytes a work-item
  argument block 88 bytes
  argument 0     float*, a buffer, at 0
  argument 1     float*, a buffer, at 8
  argument 2     float*, a buffer, at 16
  argument 3     uint, a value of 4 bytes, at 24
"""
    names = [line for line in told(code).splitlines() if not line.startswith(" ")]
    assert sorted(names) == sorted("wild endless busy illegal values beyond".split())
    assert told(f"{code}:values").startswith("values\n") and told(f"{code}:values") in told(code)
    subprocess.run(["make", "-s", "build/apps/vecadd"], cwd=ROOT, check=True)
    program = told("build/apps/vecadd:vector_add")
    assert program.startswith("_Z10vector_addPKiS0_Pij (vector_add)\n") and "at most 1024 work-items" in program and "argument 3     a value of 4 bytes, at 24" in program


def test_older_metadata_that_nest(tmp_path):
    """YAML inside of a code object has the bounds of other YAML."""
    subprocess.run(["make", "-s", "build/kernels/vecadd.v2.co"], cwd=ROOT, check=True)
    data, path = (ROOT / "build/kernels/vecadd.v2.co").read_bytes(), tmp_path / "x.co"
    at = data.index(b"Kernels:") + 8
    path.write_bytes(data[:at] + b" " + b"[" * 70 + data[at + 71:])
    refused(65, f"{path}: damaged notes: line 3 of the metadata: nested deeper than 64\n", path, *SHAPE, *ARGS)


def test_names_of_arguments(tmp_path):
    """As the source has them, where the metadata do; older metadata are YAML."""
    source, out = tmp_path / "x.cl", tmp_path / "x.co"
    source.write_text("kernel void scale(global float *data, local int *most, float factor) { most[0] = factor; data[get_global_id(0)] *= factor + most[0]; }")
    for compiler, version in (f"clang-{release.name('hip_llvm')}", 2), ("clang-19", 4):
        subprocess.run([compiler, *CL[1:], f"-mcode-object-version={version}", "-cl-kernel-arg-info", "-o", out, source], check=True)
        done = subprocess.run([GANTRY, "kernel", "--list", out], capture_output=True, text=True, timeout=60)
        assert re.findall("argument [0-9] +(.*)", done.stdout) == ["data: float*, a buffer, at 0", "most: int*, dynamic LDS, at 8",
                                                                     "factor: float, a value of 4 bytes, at 12"], done
        refused(64, "--arg: zero:4: a buffer is no value; argument 2 factor is float, a value of 4 bytes\n", out, *SHAPE, "--arg", "zero:256", "--arg", "lds:64",
                "--arg", "zero:4")
        refused(64, "--arg: zero:64: expected lds:BYTES; argument 1 most is int*, dynamic LDS\n", out, *SHAPE, "--arg", "zero:256", "--arg", "zero:64", "--arg",
                "f32:1")


def test_lds_too_large():
    subprocess.run(["make", "-s", "build/kernels/reduction.v4.co"], cwd=ROOT, check=True)
    fault(r"reduction: gpu0: work-group needs more LDS than a CU has: \d{5} bytes, it has 65536$", "build/kernels/reduction.v4.co", *SHAPE, "--arg", "zero:16", "--arg", "zero:256", "--arg", "u32:64",
          "--arg", "lds:40000", "--arg", "lds:40000", started=False)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("model, config, name, grid", [("golden", "tiny", "endless", 64), ("rtl", "tiny", "endless", 64), ("golden", "demo", "busy", 65536),
                                                       ("rtl", "demo", "busy", 65536)])
def test_signal_ends_within_a_second(code, model, config, name, grid, number):
    """Ctrl-C in a kernel that never ends, one wavefront that waits or all CUs busy: 128 + N, the final line, quickly."""
    run = subprocess.Popen([GANTRY, "kernel", "-c", config, "--model", model, "--progress", "always", f"{code}:{name}", "--grid", str(grid), "--group",
                            "64", "--arg", "zero:256K"], cwd=ROOT, stderr=subprocess.PIPE, text=True)
    while not (line := run.stderr.readline()).startswith("cycle "):
        assert line.startswith("gantry: building model"), line
    time.sleep(0.3)
    assert run.poll() is None
    begin = time.monotonic()
    run.send_signal(number)
    err = run.communicate(timeout=10)[1]
    seconds = time.monotonic() - begin
    assert run.returncode == 128 + number and f"gantry: ended by signal {number.value}\n" in err and LINE.fullmatch(err.splitlines()[-1]), err
    assert seconds < 1.0, err


def test_progress_and_eta(code):
    """--progress always writes a line a second with cycle, instructions, rate."""
    run = subprocess.Popen([GANTRY, "kernel", "-c", "tiny", "--model", "golden", "--progress", "always", f"{code}:endless", *SHAPE, "--arg",
                            "zero:256"], cwd=ROOT, stderr=subprocess.PIPE, text=True)
    time.sleep(2.5)
    run.send_signal(signal.SIGTERM)
    err = run.communicate(timeout=10)[1]
    assert run.returncode == 128 + signal.SIGTERM
    assert re.search(r"^cycle \d+, \d+ instructions, [0-9.]+ M/s, 0 kernels done", err, re.M), err


def test_result_folder(tmp_path):
    out = tmp_path / "a/b"
    status, err = kernel(VECADD, *SHAPE, *ARGS, "-o", out, "--seed", "7")
    assert status == 0, err
    line = dict(re.findall(r"(\w+)=(\S+)", err.splitlines()[-1]))
    run = json.loads((out / "run.json").read_text())
    assert run["hash"] == line["hash"] and run["data"] == line["data"] and run["exit_status"] == 0 and run["repeatable"] is True
    assert run["command"][:2] == ["gantry", "kernel"] and run["command"][-2:] == ["--seed", "7"] and run["configuration"]["seed"] == 7 and run["configuration"]["gpu.cu.count"] == 1
    rows = list(csv.DictReader((out / "kernels.csv").open()))
    assert len(rows) == 1 and rows[0]["kernel"] == "vecadd" and rows[0]["grid_x"] == "64" and rows[0]["wavefronts"] == "1"
    db = sqlite3.connect(out / "metrics.sqlite")
    assert db.execute("SELECT kernel, instructions FROM kernels").fetchall() == [("vecadd", int(line["instructions"]))]
    assert db.execute("SELECT value FROM metrics WHERE location='run' AND what='instructions'").fetchone() == (int(line["instructions"]),)
    assert [c[1] for c in db.execute("PRAGMA table_info(metrics)")] == ["location", "what", "value", "unit"]
    assert (out / "log.txt").exists()


def test_golden_model_has_no_cycles(tmp_path):
    """The table says so, rather than 0 or the clock that orders events; kernels.csv and the database have 0."""
    status, err = kernel(VECADD, *SHAPE, *ARGS, "-o", tmp_path)
    head, row = (line.split() for line in err.splitlines()[:2])
    assert status == 0 and {name: row[head.index(name)] for name in ("start", "end", "cycles", "IPC")} == dict.fromkeys(("start", "end", "cycles", "IPC"), "-")
    assert int(row[head.index("instructions")]) > 0
    found = next(csv.DictReader((tmp_path / "kernels.csv").open()))
    assert (found["cycles"], float(found["ipc"]), found["model"]) == ("0", 0.0, "golden") and int(found["end"]) >= int(found["start"]) > 0
    assert sqlite3.connect(tmp_path / "metrics.sqlite").execute("SELECT cycles, ipc FROM kernels").fetchall() == [(0, 0.0)]


def test_golden_model_counts_by_kernel(tmp_path):
    assert kernel(VECADD, *SHAPE, *ARGS, "-o", tmp_path, "--set", "metrics.kernels=on")[0] == 0
    db = sqlite3.connect(tmp_path / "metrics.sqlite")
    assert db.execute("SELECT count(*) FROM kernel_metrics WHERE kernel = 1").fetchone()[0] > 0


def test_folder_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    refused(74, f"{tmp_path}/file/x: Not a directory", VECADD, *SHAPE, *ARGS, "-o", tmp_path / "file/x")


@pytest.mark.may_skip("mounting a small file system needs root")
def test_folder_without_space(tmp_path):
    """No space in the output folder: one line, exit 74, before the kernel runs."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", disk], capture_output=True).returncode:
        pytest.skip("mounting a small file system needs root")
    try:
        refused(74, f"{disk}/run.json: No space left on device", VECADD, *SHAPE, *ARGS, "-o", disk)
    finally:
        subprocess.run(["umount", disk], check=True)


def test_output_file_without_space():
    status, err = kernel(VECADD, *SHAPE, "--arg", "out:256:/dev/full", *ARGS[2:], "-q")
    assert status == 74 and err.splitlines()[0] == "gantry: /dev/full: No space left on device"


def test_run_json_tells_what_made_the_figures(tmp_path):
    status, err = kernel(VECADD, *SHAPE, *ARGS, "-o", tmp_path, model="rtl")
    run, line = json.loads((tmp_path / "run.json").read_text()), dict(re.findall(r"(\w+)=(\S+)", err.splitlines()[-1]))
    assert status == 0 and run["complete"] is True and all(str(run[k]) == line[k] for k in ("cycles", "hash", "data", "counters", "now", "kernels"))
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    assert head.startswith(run["versions"]["commit"].rstrip("+")) if head else run["versions"]["commit"] == "unknown"
    assert {m["key"].split("-")[0] for m in run["models"]} == {"cu", "sqc", "noc", "l2", "utcl2", "rdma", "dispatch"}
    assert all((ROOT / "build/models" / m["key"]).is_dir() and "Verilator 5.48" in m["tools"] and "clang" in m["tools"] for m in run["models"])
    assert run["host"]["name"] == os.uname().nodename and abs(time.time() - calendar.timegm(time.strptime(run["date"], "%Y-%m-%dT%H:%M:%SZ"))) < 100
    assert run["command"][:2] == ["gantry", "kernel"] and run["configuration"]["gpu.cu.count"] == 1


def test_run_json_of_a_run_that_was_cut_short(tmp_path):
    assert kernel(VECADD, *SHAPE, *ARGS, "-o", tmp_path, "--max-cycles", "3K", model="rtl")[0] == 75
    assert json.loads((tmp_path / "run.json").read_text())["complete"] is False


def test_same_run_same_hash_other_input_other_data():
    def line(*args):
        return dict(re.findall(r"(\w+)=(\S+)", kernel(VECADD, *SHAPE, *args, "-q")[1]))
    a, b, c = line(*ARGS), line(*ARGS), line(*ARGS[:4], "--arg", "fill:3:256")
    assert a["hash"] == b["hash"] and a["data"] == b["data"]
    assert c["data"] != a["data"]


@pytest.mark.parametrize("name", ["_Z10vector_addPKiS0_Pij", "vector_add", "vector_add(int const*, int const*, int*, unsigned int)"])
def test_kernel_of_a_hip_executable(name, tmp_path):
    """A host executable that holds gfx803 code in .hip_fatbin; code-object version 4 with no hidden arguments.  A kernel may be named
    by its symbol or as in the source."""
    subprocess.run(["make", "-s", "build/apps/vecadd"], cwd=ROOT, check=True)
    out = tmp_path / "sum"
    status, err = kernel(f"build/apps/vecadd:{name}", *SHAPE, *ARGS[2:], "--arg", f"out:256:{out}", "--arg", "u32:60")
    assert status == 0, err
    assert struct.unpack("<64I", out.read_bytes()) == (0x03030303,) * 60 + (0,) * 4
