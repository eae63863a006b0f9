// SPDX-License-Identifier: Apache-2.0
// Bytes and 16-bit words: unpacking, saturation, averages, packing (the compiler uses SDWA and 16-bit instructions).
kernel void pack(global uchar4 *out, global const uchar4 *a, global const uchar4 *b, global ushort *sums, short bias)
{
    size_t i = get_global_id(0);
    uchar4 p = a[i], q = b[i];
    uchar4 r = add_sat(p, q.wzyx);
    r.y = (uchar)((p.y + q.y + 1) >> 1);
    r.z = p.z > q.z ? p.z - (q.z >> 1) : q.z ^ p.w; // not |p.z - q.z|: clang-19 drops the absolute value on this GPU
    out[i] = r;
    ushort s = (ushort)((ushort)p.x * q.y + (short)((ushort)p.w << 3) - bias);
    sums[i] = (ushort)((s << 4) | (s >> 12));
}
