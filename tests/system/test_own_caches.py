# SPDX-License-Identifier: Apache-2.0
"""S0.5: each GPU has caches and TLBs of its own.  GPU 0 reads lines, then GPU 1 reads the same virtual addresses: the misses of each are
those that it has when the other reads nothing."""
import sqlite3
import subprocess

import pytest
from live import MODELS, ROOT, gantry_run

pytestmark = pytest.mark.skipif("rtl" not in MODELS, reason="GANTRY_MODELS leaves the RTL out")

LINES = 64  # of 64 bytes, each read twice by one wavefront
SOURCE = """
#include "check.h"
__global__ void read_twice(const uint32_t *from, uint32_t *to, unsigned lines)
{
    uint32_t sum = 0;
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned line = 0; line < lines; line++)
            sum += from[line * 16 + threadIdx.x % 16];
        asm volatile("" ::: "memory"); // what was loaded counts no more
    }
    to[threadIdx.x] = sum;
}
int main(int, char **argv)
{
    uint32_t *from, *to, sums[64], host[1024];
    for (unsigned i = 0; i < 1024; i++)
        host[i] = i;
    HIP_OK(hipMalloc(&from, 8 << 20));
    from += 1 << 20; // words: far from the other buffers, under a TLB entry of their own
    HIP_OK(hipMemcpy(from, host, sizeof host, hipMemcpyHostToDevice));
    for (int gpu = 0; gpu < 2; gpu++) {
        const unsigned lines = std::strtoul(argv[1 + gpu], nullptr, 0);
        HIP_OK(hipSetDevice(gpu));
        if (gpu)
            HIP_OK(hipDeviceEnablePeerAccess(0, 0));
        HIP_OK(hipMalloc(&to, sizeof sums));
        read_twice<<<1, 64>>>(from, to, lines);
        HIP_OK(hipMemcpy(sums, to, sizeof sums, hipMemcpyDeviceToHost));
        for (unsigned i = 0; i < 64; i++)
            if (sums[i] != 16 * lines * (lines - 1) + 2 * lines * (i % 16))
                return 1;
    }
    return 0;
}
"""


def counters(program, folder, *lines):
    """(GPU, cache, what) -> sum over the CUs."""
    out = folder / "x".join(map(str, lines))
    result = gantry_run([program, *map(str, lines)], "rtl", 2, ["-q", "-o", str(out)])
    assert result.status == 0 and result.line["repeatable"] == "yes", result
    rows = sqlite3.connect(out / "metrics.sqlite").execute("select location, what, value from metrics where location like 'gpu_.cu_.l1v%'")
    found = {}
    for location, what, value in rows:
        gpu, _, cache = location.split(".")
        found[gpu, cache, what] = found.get((gpu, cache, what), 0) + value
    return found


@pytest.mark.shows("S0.5")
def test_one_gpu_does_not_warm_the_other(tmp_path):
    (tmp_path / "read.hip").write_text(SOURCE)
    subprocess.run([ROOT / "sw/tools/builder/hipcc.sh", "-O2", "-std=c++17", "-I", ROOT / "sw/apps", "-x", "hip", tmp_path / "read.hip", "-o", tmp_path / "read"],
                   check=True, capture_output=True)
    none, first, second, both = (counters(tmp_path / "read", tmp_path, *lines) for lines in ((0, 0), (LINES, 0), (0, LINES), (LINES, LINES)))
    for gpu, alone in (("gpu0", first), ("gpu1", second)):  # lines of another GPU's memory are kept like own ones
        misses = {at: alone[at] - none[at] for at in none if at[0] == gpu}
        assert misses[gpu, "l1v", "read-miss"] == LINES and misses[gpu, "l1v", "read-hit"] == LINES, misses
        # GPU 0's copy may have brought its TLB the entry (HIP 5.7's does); to GPU 1 nobody can have
        assert misses[gpu, "l1v_tlb", "hit"] + misses[gpu, "l1v_tlb", "miss"] == 2 * LINES, misses
        assert gpu == "gpu0" or misses[gpu, "l1v_tlb", "miss"] >= 1, misses
        # a transaction that waits for a page looks up again: how many do is a matter of cycles, which copies beside it change
        again = (gpu, "l1v_tlb", "hit")
        assert {at: both[at] - none[at] for at in none if at[0] == gpu and at != again} == {at: n for at, n in misses.items() if at != again}
        assert both[again] - none[again] >= misses[again] - 4
