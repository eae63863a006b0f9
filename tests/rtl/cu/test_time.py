# SPDX-License-Identifier: Apache-2.0
"""s_memtime and s_memrealtime tell target time: of the RTL cycles between the kernel's start and end, the same clock for both; of the golden
model, whose work takes no time, that of its clock (C.3)."""
import csv
import struct
import subprocess

import pytest
from builder import release
from snippet import GANTRY, ROOT

SOURCE = """
kernel void times(global ulong *out, uint rounds)
{
    for (uint n = 0; n < rounds; n++) {
        out[3 * n] = __builtin_readcyclecounter();
        out[3 * n + 1] = __builtin_amdgcn_s_memrealtime();
        out[3 * n + 2] = __builtin_readcyclecounter();
    }
}
"""
ROUNDS = 4


@pytest.fixture(scope="module")
def code(tmp_path_factory):
    folder = tmp_path_factory.mktemp("time")
    (folder / "times.cl").write_text(SOURCE)
    subprocess.run(["clang-19", "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx803", "-O2", "-mcode-object-version=4",
                    release.bitcode(), "-o", folder / "times.co", folder / "times.cl"], check=True)
    text = subprocess.run(["llvm-objdump-19", "-d", folder / "times.co"], capture_output=True, text=True, check=True).stdout
    assert text.count("s_memtime ") == 2 and text.count("s_memrealtime ") == 1, text
    return folder / "times.co"


@pytest.mark.parametrize("model", ["golden", "rtl"])
@pytest.mark.shows("C.3")
def test_target_time(code, model, tmp_path):
    subprocess.run([GANTRY, "kernel", "-c", "tiny", "-q", "--model", model, "-o", tmp_path / "run", code, "--grid", "1", "--group", "1",
                    "--arg", f"out:{24 * ROUNDS}:{tmp_path}/times", "--arg", f"u32:{ROUNDS}"], cwd=ROOT, check=True, capture_output=True)
    times = struct.unpack(f"<{3 * ROUNDS}Q", (tmp_path / "times").read_bytes())
    row = next(csv.DictReader(open(tmp_path / "run/kernels.csv")))
    start, end = int(row["start"]), int(row["end"])
    assert list(times) == sorted(times) and 0 < times[0]
    if model == "golden":
        assert times[-1] - times[0] <= int(row["instructions"]) // 64 + 1, (times, row)  # a cycle for 64 instructions
    else:
        assert start < times[0] and times[-1] < end, (start, times, end)
        assert len(set(times)) == len(times), times
