// SPDX-License-Identifier: Apache-2.0
// 64-bit integers: multiplication, rotation, comparison, carries.
kernel void mix64(global ulong *out, global const ulong *in, ulong seed)
{
    size_t i = get_global_id(0);
    ulong x = in[i] ^ seed;
    for (uint k = 0; k < 6; k++) {
        x += 0x9e3779b97f4a7c15ul;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ul;
        x = (x << (k + 5)) | (x >> (59 - k));
        if (x > 0x8000000000000000ul)
            x -= seed + k;
        x = (long)x < -1000 ? x ^ mul_hi(x, seed) : x + (ulong)((long)x >> 7);
    }
    out[i] = x;
}
