// SPDX-License-Identifier: Apache-2.0
// Instructions and scalar data (make fidelity).

// `rounds` times through a piece of code without a branch: vector additions of 4 or 8 bytes.  The L1I holds 16 KiB, not 64.
#define PIECE(name, count, op) \
    kernel void name(uint rounds) \
    { \
        for (uint r = 0; r < rounds; r++) \
            __asm__ volatile(".rept " #count "\n" op " v8, v9, v10\n.endr" : : : "v8", "v9", "v10"); \
    }
PIECE(code_16_short, 4096, "v_add_f32_e32")
PIECE(code_16, 2048, "v_add_f32_e64")
PIECE(code_64, 8192, "v_add_f32_e64")

// A chain of scalar loads: each brings the place of the next in bytes.
kernel void scalar_chain(global uint *to, global const uint *from, uint rounds)
{
    uint at = 0;
    for (uint r = 0; r < rounds; r++)
        __asm__ volatile(".rept 64\ns_load_dword %0, %1, %0\ns_waitcnt lgkmcnt(0)\n.endr" : "+s"(at) : "s"(from) : "memory");
    if (at == 1)
        to[0] = at;
}
