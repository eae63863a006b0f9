# SPDX-License-Identifier: Apache-2.0
"""The timers inside a CUDA benchmark agree with the kernel table: the program's clocks tell target time (clock.program; docs/reference/clock.md)."""
import pytest
from live import ROOT, gantry_run


@pytest.mark.shows("B.2")
def test_timers_tell_target_time(nvcc, cuda, tmp_path):
    done = nvcc(ROOT / "tests/sw/cuda/timers.cu", "-o", tmp_path / "timers")
    assert done.returncode == 0, done.stderr
    result = gantry_run([tmp_path / "timers"], "rtl", 1, env={"LD_LIBRARY_PATH": str(cuda / "lib64")})
    assert result.status == 0, result
    told = {name: float(ns) for name, ns in (line.split() for line in result.out.splitlines())}
    row = [row for row in result.kernels if "work" in row["kernel"]][-1]
    cycles = int(row["end"]) - int(row["start"])
    assert len(told) == 5 and cycles > 500_000, (told, cycles)
    for name, ns in told.items():  # packets, events and the signal before and behind; microseconds of gettimeofday
        assert cycles - 1000 <= ns <= 1.02 * cycles + 12_000, (name, told, cycles)
