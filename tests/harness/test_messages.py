# SPDX-License-Identifier: Apache-2.0
"""The message generator refuses malformed tables, and C and SystemVerilog agree on every size (S0.3 table rules)."""
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "sw/tools/gen/gen_messages.py"


def generate(text, tmp_path):
    source = tmp_path / "m.def"
    source.write_text(text)
    return subprocess.run([sys.executable, TOOL, source, tmp_path / "gantry_msg.h", tmp_path / "gantry_msg_pkg.sv"], capture_output=True, text=True)


@pytest.mark.parametrize("text,cause", [
    ("message a\n  u8 x\n  u32 y\n", "not aligned"),
    ("message a\n  u32 x\n", "not a multiple of 8"),
    ("message a\n  u9 x\n", "expected"),
    ("message a\n  u64 x\nmessage a\n  u64 x\n", "defined twice"),
    ("enum a\n  X = one\n", "expected"),
    ("something\n", "expected"),
])
def test_refused(text, cause, tmp_path):
    done = generate(text, tmp_path)
    assert done.returncode == 65 and cause in done.stderr and len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("table, name", [("messages", "msg"), ("stream", "stream")])
def test_same_sizes(tmp_path, table, name):
    header, package = tmp_path / f"gantry_{name}.h", tmp_path / f"gantry_{name}_pkg.sv"
    done = subprocess.run([sys.executable, TOOL, ROOT / f"bridge/proto/{table}.def", header, package])
    assert done.returncode == 0
    c = dict(re.findall(rf"sizeof\(struct {name}_(\w+)\) == (\d+)", header.read_text()))
    sv = dict(re.findall(r"}} (\w+)_t;  // (\d+) bytes".replace("}}", "}"), package.read_text()))
    assert c and c == sv
    probe = tmp_path / "m.c"
    probe.write_text(f'#include "{header.name}"\nint main(void) {{ return 0; }}\n')
    assert subprocess.run(["gcc", "-std=c11", "-fsyntax-only", probe]).returncode == 0
