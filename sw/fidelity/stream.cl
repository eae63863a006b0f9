// SPDX-License-Identifier: Apache-2.0
// Streams through DRAM (make fidelity).  copy, mul, add, triad: STREAM with doubles, one element a work-item, as BabelStream has them.
// load, store: `rounds` places of 4 dwords (wide) or one (word) a work-item, `items` apart.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void copy(global double *to, global const double *a, global const double *b)
{
    const size_t i = get_global_id(0);
    to[i] = a[i];
}
kernel void mul(global double *to, global const double *a, global const double *b)
{
    const size_t i = get_global_id(0);
    to[i] = 0.4 * a[i];
}
kernel void add(global double *to, global const double *a, global const double *b)
{
    const size_t i = get_global_id(0);
    to[i] = a[i] + b[i];
}
kernel void triad(global double *to, global const double *a, global const double *b)
{
    const size_t i = get_global_id(0);
    to[i] = a[i] + 0.4 * b[i];
}

// What is loaded is used, and stored only if the buffer is not what the host has made it (zeros).
kernel void load_word(global uint *to, global const uint *from, uint items, uint rounds)
{
    uint sum = 0;
    for (uint r = 0; r < rounds; r++)
        sum |= from[get_global_id(0) + r * items];
    if (sum)
        to[0] = sum;
}
kernel void load_wide(global uint *to, global const uint4 *from, uint items, uint rounds)
{
    uint4 sum = 0;
    for (uint r = 0; r < rounds; r++)
        sum |= from[get_global_id(0) + r * items];
    if (sum.x | sum.y | sum.z | sum.w)
        to[0] = sum.x;
}
kernel void store_word(global uint *to, global const uint *from, uint items, uint rounds)
{
    for (uint r = 0; r < rounds; r++)
        to[get_global_id(0) + r * items] = r;
}
kernel void store_wide(global uint4 *to, global const uint *from, uint items, uint rounds)
{
    for (uint r = 0; r < rounds; r++)
        to[get_global_id(0) + r * items] = r;
}
