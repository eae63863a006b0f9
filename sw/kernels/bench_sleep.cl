// SPDX-License-Identifier: Apache-2.0
// Benchmark: a wavefront that sleeps 8128 cycles a round: the compute unit's clock runs and nothing moves.
kernel void bench_sleep(global uint *out, uint rounds)
{
    for (uint r = 0; r < rounds; r++)
        __builtin_amdgcn_s_sleep(127);
    out[get_global_id(0)] = rounds;
}
