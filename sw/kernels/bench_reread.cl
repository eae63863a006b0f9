// SPDX-License-Identifier: Apache-2.0
// Benchmark: loads of whole lines that hit the L2 and miss the L1V; data is a table of mask + 1 words, which the L2
// holds. A wavefront reads 256 bytes at a time, 67 times as far on each time, so no two of a CU read the same soon.
kernel void bench_reread(global uint *out, global const uint *table, uint mask, uint rounds)
{
    uint i = get_global_id(0), at = i, sum = 0;
    for (uint r = 0; r < rounds; r++) {
        sum += table[at & mask];
        at += 67 * 64;
    }
    out[i] = sum;
}
