// SPDX-License-Identifier: Apache-2.0
// Integer hash with multiplications, rotations and a loop whose length depends on the data.
kernel void hash(global uint *out, global const uint *in)
{
    uint h = in[get_global_id(0)], rounds = 4 + (h & 15);
    for (uint i = 0; i < rounds; i++) {
        h ^= h >> 16;
        h *= 0x85ebca6b;
        h ^= h >> 13;
        h += i * 0x9e3779b9;
        h = (h << 7) | (h >> 25);
        h ^= h << 3;
        h += h >> 5;
        if (h & 0x100)
            h = ~h + mul_hi(h, 0xdeadbeefu);
    }
    out[get_global_id(0)] = h;
}
