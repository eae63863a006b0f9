// SPDX-License-Identifier: Apache-2.0
// 3 x 3 binomial blur of bytes in two dimensions, edges clamped; the grid need not be a multiple of the group.
kernel void blur(global uchar *to, global const uchar *from, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    uint sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int sx = clamp(x + dx, 0, width - 1), sy = clamp(y + dy, 0, height - 1);
            sum += from[sy * width + sx] * ((2 - abs(dx)) * (2 - abs(dy)));
        }
    to[y * width + x] = (uchar)((sum + 8) >> 4);
}
