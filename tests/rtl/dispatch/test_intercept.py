# SPDX-License-Identifier: Apache-2.0
"""S3.1, S3.2, S3.4: cycles of a kernel of one s_endpgm over the number of work-groups of 1 to 4 wavefronts, from the
doorbell to the completion signal, on r9nano: 4.00 a work-group, and a constant of 2,870 to 2,920 a kernel.  Not
responsible for: larger groups (S3.3: tests/rtl/dispatch/part_dispatch)."""
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    path = tmp_path_factory.mktemp("empty") / "empty.co"
    subprocess.run(["clang-19", "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx803", "-O2", "-nogpulib",
                    "-mcode-object-version=4", "-o", path, ROOT / "tests/rtl/dispatch/empty.cl"], check=True)
    return path


def cycles(code, groups, waves):
    done = subprocess.run([ROOT / "build/bin/gantry", "kernel", "-c", "configs/r9nano.yaml", "-q", code, "--grid", str(groups * waves * 64),
                           "--group", str(waves * 64)], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    line = done.stderr.splitlines()[-1]
    assert int(re.search(r" instructions=(\d+)", line)[1]) == groups * waves
    return int(re.search(r" cycles=(\d+)", line)[1])


# With fewer work-groups the cold instruction cache shows; from 1,000 on the dispatcher sets the pace.
@pytest.mark.parametrize("waves", [1, 4])
@pytest.mark.shows("S3.1", "S3.2", "S3.4")
def test_constant_and_slope(empty, waves):
    sizes = [1000, 1500, 2000]
    taken = [cycles(empty, groups, waves) for groups in sizes]
    mean_x, mean_y = sum(sizes) / len(sizes), sum(taken) / len(taken)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in zip(sizes, taken)) / sum((x - mean_x) ** 2 for x in sizes)
    intercept = mean_y - slope * mean_x
    assert abs(slope - 4) < 0.005, (slope, taken)
    if waves == 1:  # four ends a group keep the dispatcher's one event a cycle busy: what piled up while cold stays
        assert 2870 <= intercept <= 2920, (intercept, taken)
        assert taken == [4 * n + 2895 for n in sizes]
