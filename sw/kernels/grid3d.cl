// SPDX-License-Identifier: Apache-2.0
// Three dimensions: every work-item query of OpenCL, partial groups in each dimension, the hidden arguments.
kernel void grid3d(global uint *out)
{
    uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    uint i = (z * get_global_size(1) + y) * get_global_size(0) + x;
    uint v = get_local_id(0) | get_local_id(1) << 4 | get_local_id(2) << 8 | get_group_id(0) << 12 | get_group_id(1) << 16 |
             get_group_id(2) << 20 | get_num_groups(0) << 24;
    out[i] = v + get_local_size(0) * 3 + get_local_size(1) * 5 + get_local_size(2) * 7 + get_num_groups(1) + get_work_dim();
}
