// SPDX-License-Identifier: Apache-2.0
// Kernels that go wrong in one way each, for tests/host/cli.
kernel void wild(global uint *out, ulong address)
{
    *(global uint *)address = 1;
    out[get_global_id(0)] = 2;
}
kernel void illegal(global uint *out)
{
    out[get_global_id(0)] = 1;
    __asm__ volatile(".long 0x7e00ffff"); // VOP1, no such opcode
}
kernel void endless(global uint *out)
{
    while (__opencl_atomic_load((volatile global atomic_uint *)out, memory_order_relaxed, memory_scope_device) == 0)
        ;
    out[1] = 1;
}
kernel void busy(global uint *out)
{
    uint x = get_global_id(0);
    while (x != 7) { // never: bit 3 is set
        for (int i = 0; i < 64; i++)
            x = x * 1664525u + 1013904223u;
        x |= 8;
    }
    out[1] = x;
}
kernel void values(global uchar *out, uchar a, char b, ushort c, short d, uint e, int f, ulong g, long h, float i, double j)
{
    global uint *u = (global uint *)out;
    global ulong *w = (global ulong *)(out + 32);
    u[0] = a; u[1] = b; u[2] = c; u[3] = d; u[4] = e; u[5] = f; u[6] = as_uint(i);
    w[0] = g; w[1] = h; w[2] = as_ulong(j);
}

kernel void beyond(global uint *out)
{
    *out = 1;
    __asm__ volatile(".long 0x7ffe0300"); // v_mov_b32 v255, v0: no such register here
    *out = 2;
}
