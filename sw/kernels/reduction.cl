// SPDX-License-Identifier: Apache-2.0
// Sum and maximum: a tree in dynamic LDS for each work-group, then one global atomic a group.
kernel void reduction(global uint *result, global const uint *in, uint n, local uint *sums, local uint *maxima)
{
    uint l = get_local_id(0), size = get_local_size(0), sum = 0, most = 0;
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
        sum += in[i];
        most = max(most, in[i]);
    }
    sums[l] = sum;
    maxima[l] = most;
    for (uint half_size = size / 2; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < half_size) {
            sums[l] += sums[l + half_size];
            maxima[l] = max(maxima[l], maxima[l + half_size]);
        }
    }
    if (l == 0) {
        atomic_add(&result[0], sums[0]);
        atomic_max(&result[1], maxima[0]);
        atomic_inc(&result[2]);
    }
}
