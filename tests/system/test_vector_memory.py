# SPDX-License-Identifier: Apache-2.0
"""The vector memory path of a whole machine: loops over another GPU's memory run from the L1V and see what its owner or the host has
written after the next acquire; lanes of an atomic on one line share a request; non-temporal loads leave no lines in the L2.  All under
lock step."""
import sqlite3
import subprocess

import pytest
from live import MODELS, ROOT, gantry_run

pytestmark = pytest.mark.skipif("rtl" not in MODELS, reason="GANTRY_MODELS leaves the RTL out")

FAR = """
#include "check.h"
__global__ void change(uint32_t *data, uint32_t by) { data[threadIdx.x] += by; }
__global__ void sum_up(const uint32_t *from, uint32_t *to, unsigned rounds)
{
    uint32_t sum = 0;
    for (unsigned n = 0; n < rounds; n++) {
        sum += from[(threadIdx.x + n) % 256];
        asm volatile("" ::: "memory"); // what was loaded counts no more
    }
    to[threadIdx.x] = sum;
}
// arguments: GPU that reads, rounds.  The memory is GPU 0's.
int main(int, char **argv)
{
    const int reader = std::atoi(argv[1]);
    const unsigned rounds = std::strtoul(argv[2], nullptr, 0);
    uint32_t *data, *to, host[256], sums[256];
    for (unsigned i = 0; i < 256; i++)
        host[i] = i * i;
    HIP_OK(hipMalloc(&data, sizeof host));
    HIP_OK(hipMemcpy(data, host, sizeof host, hipMemcpyHostToDevice));
    HIP_OK(hipSetDevice(reader));
    if (reader)
        HIP_OK(hipDeviceEnablePeerAccess(0, 0));
    HIP_OK(hipMalloc(&to, sizeof sums));
    for (unsigned turn = 0; turn < 3; turn++) { // 0: as it is; 1: its owner has changed it; 2: the host has
        HIP_OK(hipSetDevice(0));
        for (unsigned i = 0; i < 256; i++)
            host[i] += turn * 7;
        if (turn == 1)
            change<<<1, 256>>>(data, 7);
        HIP_OK(hipDeviceSynchronize());
        if (turn == 2)
            HIP_OK(hipMemcpy(data, host, sizeof host, hipMemcpyHostToDevice));
        HIP_OK(hipSetDevice(reader));
        sum_up<<<1, 256>>>(data, to, rounds);
        HIP_OK(hipMemcpy(sums, to, sizeof sums, hipMemcpyDeviceToHost));
        for (unsigned i = 0; i < 256; i++) {
            uint32_t want = 0;
            for (unsigned n = 0; n < rounds; n++)
                want += host[(i + n) % 256];
            if (sums[i] != want)
                return 1 + turn;
        }
    }
    return 0;
}
"""

ATOMICS = """
#include "check.h"
__global__ void add(uint32_t *table, uint32_t *old, unsigned stride, unsigned rounds)
{
    uint32_t seen = 0;
    for (unsigned n = 0; n < rounds; n++)
        seen += atomicAdd(&table[threadIdx.x * stride], threadIdx.x + 1);
    old[threadIdx.x] = seen;
}
// arguments: GPU that adds (the table is GPU 0's), dwords between lanes, rounds
int main(int, char **argv)
{
    const int gpu = std::atoi(argv[1]);
    const unsigned stride = std::strtoul(argv[2], nullptr, 0), rounds = std::strtoul(argv[3], nullptr, 0);
    uint32_t *table, *old, host[64 * 16], seen[64];
    for (unsigned i = 0; i < 64 * 16; i++)
        host[i] = i << 16;
    HIP_OK(hipMalloc(&table, sizeof host));
    HIP_OK(hipMemcpy(table, host, sizeof host, hipMemcpyHostToDevice));
    HIP_OK(hipSetDevice(gpu));
    if (gpu)
        HIP_OK(hipDeviceEnablePeerAccess(0, 0));
    HIP_OK(hipMalloc(&old, sizeof seen));
    add<<<1, 64>>>(table, old, stride, rounds);
    HIP_OK(hipMemcpy(seen, old, sizeof seen, hipMemcpyDeviceToHost));
    HIP_OK(hipMemcpy(host, table, sizeof host, hipMemcpyDeviceToHost));
    for (uint32_t i = 0; i < 64; i++) {
        const uint32_t first = i * stride << 16, sum = rounds * first + (i + 1) * (rounds * (rounds - 1) / 2);
        if (host[i * stride] != first + rounds * (i + 1) || seen[i] != sum)
            return 1;
    }
    return 0;
}
"""

STREAM_LINES = 256  # of 512 that the slices have
STREAM = f"""
#include "check.h"
constexpr unsigned Words = {STREAM_LINES} * 16;
template <class F> __device__ uint32_t twice(F load)
{{
    uint32_t sum = 0;
    for (unsigned turn = 0; turn < 2; turn++) {{
        for (unsigned i = threadIdx.x; i < Words; i += 64)
            sum += load(i);
        asm volatile("s_waitcnt vmcnt(0)\\n buffer_wbinvl1" ::: "memory");
    }}
    return sum;
}}
__global__ void sum_up(const uint32_t *from, uint32_t *to, bool stream)
{{
    to[threadIdx.x] = stream ? twice([=](unsigned i) {{ return __builtin_nontemporal_load(from + i); }}) : twice([=](unsigned i) {{ return from[i]; }});
}}
int main(int, char **argv)
{{
    static uint32_t host[Words];
    uint32_t *data, *to, sums[64];
    for (unsigned i = 0; i < Words; i++)
        host[i] = i * i;
    HIP_OK(hipMalloc(&data, sizeof host));
    HIP_OK(hipMalloc(&to, sizeof sums));
    HIP_OK(hipMemcpy(data, host, sizeof host, hipMemcpyHostToDevice));
    sum_up<<<1, 64>>>(data, to, std::atoi(argv[1]));
    HIP_OK(hipMemcpy(sums, to, sizeof sums, hipMemcpyDeviceToHost));
    for (unsigned i = 0; i < 64; i++) {{
        uint32_t want = 0;
        for (unsigned k = i; k < Words; k += 64)
            want += 2 * host[k];
        if (sums[i] != want)
            return 1;
    }}
    return 0;
}}
"""


def built(name, source, folder):
    (folder / f"{name}.hip").write_text(source)
    subprocess.run([ROOT / "sw/tools/builder/hipcc.sh", "-O2", "-std=c++17", "-I", ROOT / "sw/apps", "-x", "hip", folder / f"{name}.hip", "-o", folder / name],
                   check=True, capture_output=True)
    return folder / name


def run(program, folder, *words):
    """(cycles of the slowest launch of the last kernel, sum of a counter by its name)"""
    out = folder / "-".join(map(str, words))
    result = gantry_run([program, *map(str, words)], "rtl", 2, ["-q", "--lockstep", "-o", str(out)])
    assert result.status == 0, result
    rows = sqlite3.connect(out / "metrics.sqlite").execute("select location, what, value from metrics where location like 'gpu%'")
    found = {}
    for location, what, value in rows:
        found[location.split(".")[1].rstrip("0123456789"), what] = found.get((location.split(".")[1].rstrip("0123456789"), what), 0) + value
    return int(result.line["cycles"]), found


@pytest.mark.shows("S1.2")
def test_a_loop_over_the_other_gpus_memory_runs_from_the_l1v(tmp_path):
    program = built("far", FAR, tmp_path)
    few, more = 64, 1064
    cost = {}
    for reader in (0, 1):
        (short, _), (long, _) = run(program, tmp_path, reader, few), run(program, tmp_path, reader, more)
        cost[reader] = (long - short) / 3 / (more - few)  # cycles of a round of four wavefronts
    print(cost)
    assert cost[1] <= 1.05 * cost[0], cost


@pytest.mark.parametrize("gpu", [0, 1])
@pytest.mark.shows("S4.11")
def test_lanes_of_an_atomic_share_a_request_a_line(gpu, tmp_path):
    program = built("add", ATOMICS, tmp_path)
    rounds = 50
    counts = {}
    for stride in (1, 16):
        _, found = run(program, tmp_path, gpu, stride, rounds)
        counts[stride] = sum(value for (part, what), value in found.items() if part == "l2s" and what.startswith("atomic-"))
    assert counts[16] - counts[1] == (64 - 4) * rounds, counts  # the host's own atomics are the same


@pytest.mark.shows("S4.11")
def test_non_temporal_loads_leave_no_lines_in_the_l2(tmp_path):
    """slc: read twice, each line is fetched twice; else once."""
    program = built("stream", STREAM, tmp_path)
    counts = [run(program, tmp_path, stream)[1] for stream in (0, 1)]
    change = {what: counts[1]["l2s", what] - counts[0]["l2s", what] for what in ("read-hit", "read-miss")}
    assert abs(change["read-hit"] + STREAM_LINES) <= 8 and abs(change["read-miss"] - STREAM_LINES) <= 8, (change, counts)
