// SPDX-License-Identifier: Apache-2.0
// Benchmark: loads that hit the L1V or L2 and little arithmetic; data is a table of mask + 1 words.
kernel void bench_mem(global uint *out, global const uint *table, uint mask, uint rounds)
{
    uint i = get_global_id(0), sum = 0;
    for (uint r = 0; r < rounds; r++) {
        sum += table[(i + r * 64) & mask];
        sum ^= table[(i + r * 64 + 4096) & mask];
    }
    out[i] = sum;
}
