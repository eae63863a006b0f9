// SPDX-License-Identifier: Apache-2.0
// Histogram of bytes: LDS atomics in each work-group, then global atomics.
kernel void histogram(global uint *bins, global const uchar *in, uint n)
{
    local uint count[256];
    uint l = get_local_id(0), size = get_local_size(0);
    for (uint b = l; b < 256; b += size)
        count[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&count[in[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint b = l; b < 256; b += size)
        if (count[b])
            atomic_add(&bins[b], count[b]);
}
