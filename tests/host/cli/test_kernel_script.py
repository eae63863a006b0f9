# SPDX-License-Identifier: Apache-2.0
"""gantry kernel --script: launches one after another over named buffers, structs by value, expected results; every wrong script is refused
with one line that names its place."""
import csv
import pathlib
import re
import sqlite3
import struct
import subprocess

import pytest
from builder import release

ROOT = pathlib.Path(__file__).resolve().parents[3]
GANTRY = ROOT / "build/bin/gantry"
VECADD = "build/kernels/vecadd.v4.co"
SOURCE = """
typedef struct { uchar a; uint b; double c; ushort d; } mixed;
kernel void take(mixed m, global double *out) { out[0] = m.a; out[1] = m.b; out[2] = m.c; out[3] = m.d; }
kernel void twice(global uint *x) { x[get_global_id(0)] *= 2; }
kernel void nothing(void) { }
kernel void spills(global uint *x, uint n)
{
    volatile uint many[64];
    for (uint i = 0; i < 64; i++) many[i] = x[i] + n;
    for (uint i = 0; i < 64; i++) x[i] = many[63 - i];
}
"""


@pytest.fixture(scope="module")
def code(tmp_path_factory):
    subprocess.run(["make", "-s", VECADD], cwd=ROOT, check=True)
    folder = tmp_path_factory.mktemp("code")
    (folder / "x.cl").write_text(SOURCE)
    subprocess.run(["clang-19", "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx803", "-O2", "-mcode-object-version=4",
                    release.bitcode(), "-o", folder / "x.co", folder / "x.cl"], check=True)
    return folder / "x.co"


def run(tmp_path, text, *options, model="golden"):
    path = tmp_path / "x.yaml"
    path.write_text(text)
    done = subprocess.run([GANTRY, "kernel", "-c", "tiny", "--model", model, "--script", path, *options], cwd=ROOT, capture_output=True, text=True, timeout=900)
    err = "".join(line for line in done.stderr.splitlines(True) if not line.startswith("gantry: building model"))
    return done.returncode, err.replace(str(path), "SCRIPT")


SUMS = f"""
object: {VECADD}
buffers:
  a: fill:1:256
  b: fill:2:256
  c: out:256:OUT
launches:
  - {{kernel: vecadd, grid: 64, group: 64, args: [buf:c, buf:a, buf:b]}}
  - {{grid: [64], group: [64], args: [buf:a, buf:c, buf:c]}}  # of one kernel the name may be left out
  - {{grid: [32], group: [16, 1, 1], args: [buf:b, buf:b, buf:b], repeat: 3}}
expect:
  a: fill:6:256
  b: in:WANT
  c: fill:3:256
"""


@pytest.fixture
def sums(tmp_path):
    (tmp_path / "want").write_bytes(b"\x10" * 128 + b"\2" * 128)
    return SUMS.replace("OUT", str(tmp_path / "sum.bin")).replace("WANT", str(tmp_path / "want"))


def test_launches_share_buffers(tmp_path, sums):
    status, err = run(tmp_path, sums)
    assert status == 0, err
    assert (tmp_path / "sum.bin").read_bytes() == b"\3" * 256
    assert re.search(r" vecadd +2 +64,1,1 +64,1,1 .* 1-2$", err, re.M) and re.search(r" vecadd +3 +32,1,1 +16,1,1 .* 3-5$", err, re.M) and " kernels=5 " in err


def test_numbers_of_kernels(tmp_path, sums):
    """In the table and in kernels.csv, as options count them."""
    status, err = run(tmp_path, sums, "-o", str(tmp_path / "out"))
    with open(tmp_path / "out/kernels.csv") as file:
        assert [row["number"] for row in csv.DictReader(file)] == list("12345")
    assert status == 0 and sqlite3.connect(tmp_path / "out/metrics.sqlite").execute("SELECT number FROM kernels").fetchall() == [(n,) for n in range(1, 6)]


def test_rtl_gives_the_same(tmp_path, sums):
    data = [re.search(r" data=(\w+) ", run(tmp_path, sums, "-q", model=model)[1])[1] for model in ("golden", "rtl")]
    assert data[0] == data[1]


def test_what_differs_is_told(tmp_path, sums):
    status, err = run(tmp_path, sums.replace("a: fill:6", "a: fill:5").replace("c: fill:3", "c: fill:7"), "-q")
    lines = err.splitlines()
    assert status == 1 and len(lines) == 3 and lines[2].startswith("gantry: gpus=1 kernels=5")
    assert lines[:2] == ["gantry: SCRIPT:12: buffer a: 256 bytes differ, the first at 0: 0x06, expected 0x05",
                         "gantry: SCRIPT:14: buffer c: 256 bytes differ, the first at 0: 0x03, expected 0x07"]
    (tmp_path / "want").write_bytes(b"\x10" * 128 + b"\2" * 127 + b"\3")
    status, err = run(tmp_path, sums, "-q")
    assert status == 1 and err.startswith("gantry: SCRIPT:13: buffer b: 1 byte differs, the first at 255: 0x02, expected 0x03\n")


def test_structs_and_other_objects(tmp_path, code):
    status, err = run(tmp_path, f"""
buffers: {{x: "fill:1:256", out: "out:32:{tmp_path}/out"}}
launches:
  - {{object: {code}, kernel: take, grid: 1, group: 1, args: ["struct:u8:200,u32:4000000000,f64:-0.5,u16:65535", buf:out]}}
  - {{object: {code}, kernel: twice, grid: 64, group: 64, args: [buf:x]}}
  - {{object: {VECADD}, grid: 64, group: 64, args: [buf:x, buf:x, buf:x]}}
  - {{object: {code}, kernel: nothing, grid: 64, group: 64}}
expect: {{x: fill:4:256}}
""")
    assert status == 0, err
    assert struct.unpack("<4d", (tmp_path / "out").read_bytes()) == (200, 4000000000, -0.5, 65535)


@pytest.mark.parametrize("model", ["golden", "rtl"])
def test_scratch_is_there_for_each(tmp_path, code, model):
    (tmp_path / "in").write_bytes(struct.pack("<64I", *range(64)))
    (tmp_path / "want").write_bytes(struct.pack("<64I", *(i + 7 for i in range(64))))
    launch = f"  - {{object: {code}, kernel: spills, grid: 1, group: 1, args: [buf:x, u32:N], repeat: R}}\n"
    status, err = run(tmp_path, f"buffers: {{x: in:{tmp_path}/in}}\nlaunches:\n" + launch.replace("N", "1").replace("R", "1") +
                      f"  - {{object: {code}, kernel: nothing, grid: 64, group: 64}}\n" + launch.replace("N", "2").replace("R", "3") +
                      f"expect: {{x: in:{tmp_path}/want}}\n", model=model)
    assert status == 0, err


def test_a_fault_ends_it(tmp_path, code):
    status, err = run(tmp_path, f"""
object: {code}
buffers: {{x: zero:256}}
launches:
  - {{kernel: nothing, grid: 64, group: 64}}
  - {{kernel: twice, grid: 4194304, group: 256, args: [buf:x]}}
  - {{kernel: nothing, grid: 64, group: 64}}
expect: {{x: fill:1:256}}
""")
    assert status == 76 and " kernels=1 " in err and err.count(" nothing ") == 1, err
    assert sum(line.startswith("gantry: ") for line in err.splitlines()) == 2, err  # the fault, the final line


LAUNCH = "launches: [{object: " + VECADD + ", grid: 64, group: 64, args: [zero:256, zero:256, zero:256]}]\n"
WRONG = {  # what is wrong -> (script, exit status, line)
    "empty": ("", 65, "SCRIPT: empty script"),
    "nothing": ("buffers: {}\n", 65, "SCRIPT: no launches"),
    "no list": ("launches: 5\n", 65, "SCRIPT:1: launches: expected a list"),
    "no YAML": ("launches: [\n", 65, "SCRIPT:2: not YAML: "),
    "second document": (LAUNCH + "---\n" + LAUNCH, 65, "SCRIPT:2: a second document: a file has one"),
    "nesting": ("launches: " + "[" * 200000, 65, "SCRIPT:1: nested deeper than 64"),
    "buffers": ("buffers: {" + ", ".join(f"a{n}: zero:4" for n in range(1025)) + "}\n" + LAUNCH, 65, "SCRIPT:1: a1024: more than 1024 buffers"),
    "no mapping": ("[1]\n", 65, "SCRIPT:1: expected keys and values"),
    "key": (LAUNCH + "wait: 5\n", 65, "SCRIPT:2: wait: unknown key"),
    "key of a launch": (LAUNCH.replace("grid", "gird"), 65, "SCRIPT:1: gird: unknown key; did you mean grid?\n"),
    "key of the top": ("buffrs: {}\n" + LAUNCH, 65, "SCRIPT:1: buffrs: unknown key; did you mean buffers?\n"),
    "twice": ("buffers:\n  a: zero:4\n  a: zero:8\n" + LAUNCH, 65, "SCRIPT:3: a: stands twice"),
    "no object": (LAUNCH.replace(f"object: {VECADD}, ", ""), 65, "SCRIPT:1: no code object: "),
    "no such object": (LAUNCH.replace(VECADD, "none.co"), 66, "none.co: No such file"),
    "no such kernel": (LAUNCH.replace("grid", "kernel: other, grid"), 64, "build/kernels/vecadd.v4.co: no kernel other"),
    "no grid": (LAUNCH.replace("grid: 64, ", ""), 64, "SCRIPT:1: no grid: "),
    "no group": (LAUNCH.replace("group: 64, ", ""), 64, "SCRIPT:1: no work-group size: "),
    "grid 0": (LAUNCH.replace("grid: 64", "grid: 0"), 64, "SCRIPT:1: 0 is outside 1..4294967295"),
    "grid of four": (LAUNCH.replace("grid: 64", "grid: [1, 2, 3, 4]"), 64, "SCRIPT:1: '1,2,3,4' has more than three dimensions"),
    "grid of maps": (LAUNCH.replace("grid: 64", "grid: [{a: 1}]"), 65, "SCRIPT:1: grid: no value"),
    "repeat 0": (LAUNCH.replace("grid", "repeat: 0, grid"), 65, "SCRIPT:1: repeat: not a number from 1 to 100000000"),
    "args": (LAUNCH.replace("[zero:256, zero:256, zero:256]", "zero:256"), 65, "SCRIPT:1: args: expected a list of specs"),
    "number of args": (LAUNCH.replace("[zero:256, ", "["), 64, "SCRIPT:1: kernel vecadd takes 3 arguments, 2 given"),
    "spec": (LAUNCH.replace("[zero:256", "[zero:x"), 64, "SCRIPT:1: zero:x: expected zero:BYTES"),
    "no such buffer": (LAUNCH.replace("[zero:256", "[buf:a"), 64, "SCRIPT:1: buf:a: no such buffer"),
    "no buffer's name": (LAUNCH.replace("[zero:256", "['buf:'"), 64, "SCRIPT:1: buf:: expected buf:NAME"),
    "value as a buffer": ("buffers: {a: 'u32:5'}\n" + LAUNCH, 64, "SCRIPT:1: u32:5: no buffer"),
    "list as a buffer": ("buffers: {a: [1]}\n" + LAUNCH, 65, "SCRIPT:1: a: expected a spec like zero:4K or in:FILE"),
    "no member": (LAUNCH.replace("[zero:256", "['struct:u32'"), 64, "SCRIPT:1: struct:u32: expected struct:u32:VALUE"),
    "member": (LAUNCH.replace("[zero:256", "['struct:u8:256'"), 64, "SCRIPT:1: struct:u8:256: outside 0..255; argument 0 is int*, a buffer"),
    "expect": (LAUNCH + "expect: {a: zero:4}\n", 65, "SCRIPT:2: a: no such buffer"),
    "size": ("buffers: {a: zero:8}\nexpect: {a: zero:4}\n" + LAUNCH, 65, "SCRIPT:2: a: the buffer has another size"),
    "expected file": ("buffers: {a: zero:8}\nexpect: {a: in:none}\n" + LAUNCH, 66, "none: No such file"),
    "expected output": ("buffers: {a: zero:8}\nexpect: {a: out:8:/dev/null}\n" + LAUNCH, 65, "SCRIPT:2: a: expected in:FILE, "),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_script(tmp_path, code, what):
    text, status, line = WRONG[what]
    got, err = run(tmp_path, text)
    assert (got, err.count("\n")) == (status, 1) and err.startswith("gantry: " + line), err


@pytest.mark.parametrize("args,line", [
    (["--script", "none.yaml"], "none.yaml: No such file"), (["--script", "tests"], "tests: Is a directory"),
    (["--script", "none.yaml", VECADD], "--script: code objects stand in the script"),
    (["--script", "none.yaml", "--grid", "4"], "--script: grid, group and arguments stand in the script"),
    ([VECADD, "--grid", "64", "--group", "64", "--arg", "buf:a", "--arg", "zero:4", "--arg", "zero:4"], "--arg: buf:a: buffers have names in a script only")])
def test_wrong_words(args, line):
    done = subprocess.run([GANTRY, "kernel", "-c", "tiny", "--model", "golden", *args], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode in (64, 66, 74) and done.stderr.startswith("gantry: " + line) and done.stderr.count("\n") == 1, done.stderr
