# SPDX-License-Identifier: Apache-2.0
"""Profiling timestamps in target cycles: what hipEventElapsedTime gives a program agrees with the kernel table (1 cycle is 1 ns)."""
import re
import subprocess

import pytest
from live import ROOT, gantry_run

SOURCE = """
#include <hip/hip_ext.h>
#include "check.h"
__global__ void spin(uint32_t *out, unsigned rounds)
{
    uint32_t x = threadIdx.x;
    for (unsigned r = 0; r < rounds; r++)
        x = x * 1664525u + 1013904223u;
    out[threadIdx.x] = x;
}
int main()
{
    uint32_t *out;
    hipEvent_t event[4];
    float ms;
    HIP_OK(hipMalloc(&out, 256));
    for (auto &e : event)
        HIP_OK(hipEventCreate(&e));
    HIP_OK(hipEventRecord(event[0], nullptr));
    for (unsigned i = 0; i < 3; i++) {
        spin<<<1, 64>>>(out, 500u << i);
        HIP_OK(hipEventRecord(event[i + 1], nullptr));
    }
    HIP_OK(hipEventSynchronize(event[3]));
    for (unsigned from = 0; from < 3; from++)
        for (unsigned to = from + 1; to < 4; to++) {
            HIP_OK(hipEventElapsedTime(&ms, event[from], event[to]));
            std::printf("%u %u %.9g\\n", from, to, ms);
        }
    hipEvent_t begin, end;
    HIP_OK(hipEventCreate(&begin));
    HIP_OK(hipEventCreate(&end));
    hipExtLaunchKernelGGL(spin, dim3(1), dim3(64), 0, nullptr, begin, end, 0, out, 3000u);
    HIP_OK(hipDeviceSynchronize());
    HIP_OK(hipEventElapsedTime(&ms, begin, end));
    std::printf("kernel %.9g\\n", ms);
    return 0;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("events")
    (folder / "events.hip").write_text(SOURCE)
    subprocess.run([ROOT / "sw/tools/builder/hipcc.sh", "-O2", "-std=c++17", "-I", ROOT / "sw/apps", "-x", "hip", folder / "events.hip", "-o", folder / "events"],
                   check=True, capture_output=True)
    return folder / "events"


def test_elapsed_times(program, model):
    result = gantry_run([program], model, 2, ["--set", "gpu.dram.trefi=65535"])  # a refresh of the bank would be seen, too
    assert result.status == 0 and result.line["repeatable"] == "yes", result
    table = [row for row in result.kernels if "spin" in row["kernel"]]
    start, end = ([int(row[column]) for row in table] for column in ("start", "end"))
    assert len(table) == 4, result
    told = {(int(a), int(b)): round(float(ms) * 1e6) for a, b, ms in re.findall(r"^(\d) (\d) (\S+)$", result.out, re.M)}
    assert len(told) == 6, result
    # An event behind a kernel has the time at which its barrier packet ended, as long behind the kernel each time but for some cycles of write-back
    # and invalidation; event n is behind kernel n - 1, event 0 before all.
    for a, b in ((1, 2), (1, 3), (2, 3)):
        assert abs(told[a, b] - (end[b - 1] - end[a - 1])) <= 8, (told, end)
    begin = end[0] - told[0, 1]
    assert 0 < begin <= start[0] and all(abs(end[b - 1] - told[0, b] - begin) <= 8 for b in (2, 3)), (told, start, end)
    # One kernel between its own events: it, and at most what was between it and the kernel before.
    own = round(float(re.search(r"^kernel (\S+)$", result.out, re.M)[1]) * 1e6)
    assert end[3] - start[3] <= own <= end[3] - end[2], (own, start, end)
