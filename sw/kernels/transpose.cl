// SPDX-License-Identifier: Apache-2.0
// Matrix transposition through LDS; width and height are multiples of 16.
kernel __attribute__((reqd_work_group_size(16, 16, 1))) void transpose(global uint *to, global const uint *from, uint width, uint height)
{
    local uint tile[16][17];
    uint x = get_local_id(0), y = get_local_id(1);
    uint gx = get_group_id(0) * 16, gy = get_group_id(1) * 16;
    tile[y][x] = from[(gy + y) * width + gx + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    to[(gx + y) * height + gy + x] = tile[x][y];
}
