// SPDX-License-Identifier: Apache-2.0
// Benchmark: streaming copy, four words a work-item and round: keeps DRAM busy.
kernel void bench_copy(global uint4 *to, global const uint4 *from, uint items, uint rounds)
{
    for (uint r = 0; r < rounds; r++)
        to[get_global_id(0) + r * items] = from[get_global_id(0) + r * items];
}
