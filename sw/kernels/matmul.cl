// SPDX-License-Identifier: Apache-2.0
// Tiled matrix product: LDS, barriers, two dimensions. n is a multiple of 16.
kernel __attribute__((reqd_work_group_size(16, 16, 1))) void matmul(global float *c, global const float *a, global const float *b,
                                                                     uint n)
{
    local float ta[16][16], tb[16][17];
    uint x = get_local_id(0), y = get_local_id(1);
    uint column = get_global_id(0), row = get_global_id(1);
    float sum = 0;
    for (uint k = 0; k < n; k += 16) {
        ta[y][x] = a[row * n + k + x];
        tb[y][x] = b[(k + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = 0; i < 16; i++)
            sum += ta[y][i] * tb[i][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}
