// SPDX-License-Identifier: Apache-2.0
// Benchmark: integer mix, no memory in the loop (full-rate adds, logic, shifts).
kernel void bench_int(global uint *out, uint rounds)
{
    uint x = get_global_id(0) + 1, y = x * 3, z = 17;
    for (uint i = 0; i < rounds; i++) {
        x ^= x << 13; x ^= x >> 17; x ^= x << 5;
        y += x & 0xff00ff; z = (z | y) - x;
        y ^= z >> 3; z += y << 7; x += z;
        x ^= x << 9; y = max(x, y) ^ z; z -= y;
        y += x ^ 0x9e3779b9; z ^= y >> 11; x += y & z;
    }
    out[get_global_id(0)] = x ^ y ^ z;
}
