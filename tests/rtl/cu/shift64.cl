// SPDX-License-Identifier: Apache-2.0
// 64-bit scalar shifts by more than 32, which no kernel of sw/kernels has: for the seeded faults of the CU.
kernel void shift64(global ulong *out, ulong x, uint n)
{
    out[get_global_id(0)] = (x << n) + (x >> (n - 3)) + get_global_id(0);
}
