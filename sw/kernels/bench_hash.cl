// SPDX-License-Identifier: Apache-2.0
// Benchmark: one integer hash a work-item over rounds of mixing with multiplications (quarter rate).
kernel void bench_hash(global uint *out, global const uint *in, uint rounds)
{
    uint h = in[get_global_id(0)];
    for (uint i = 0; i < rounds; i++) {
        h ^= h >> 16; h *= 0x85ebca6b;
        h ^= h >> 13; h += i * 0x9e3779b9;
        h = (h << 7) | (h >> 25);
        h ^= h << 3; h += h >> 5; h ^= i;
    }
    out[get_global_id(0)] = h;
}
