/* SPDX-License-Identifier: Apache-2.0
 * A lone wavefront for tests of the golden model: registers, encodings of VOP3, random numbers with many special
 * values.
 */
#ifndef TEST_GCN3_MACHINE_H
#define TEST_GCN3_MACHINE_H
#include <string.h>

#include "isa/gcn3.h"

static uint32_t machine_vgprs[64][64];
static uint8_t machine_lds[4096];
static struct gcn3_wave machine;

static void machine_reset(uint8_t mode)
{
    memset(&machine, 0, sizeof machine);
    memset(machine_vgprs, 0, sizeof machine_vgprs);
    machine.v = machine_vgprs;
    machine.vgprs = 60;
    machine.sgprs = SREG_FLAT_SCRATCH;
    machine.lds = machine_lds;
    machine.lds_bytes = sizeof machine_lds;
    machine.mode = mode;
    machine.ieee = machine.dx10_clamp = true;
    WAVE_EXEC(&machine) = UINT64_MAX;
    WAVE_M0(&machine) = UINT32_MAX;
}

static inline int machine_run(uint64_t inst)
{
    static const struct gcn3_env none;
    struct gcn3_inst d;
    gcn3_decode(inst, &d);
    return d.illegal ? -1 : gcn3_execute(&machine, &none, &d);
}

/* VOP3 of a canonical opcode: vdst = v[d], sources v[a], v[b], v[c]. */
static inline uint64_t vop3(unsigned op, unsigned d, unsigned a, unsigned b, unsigned c)
{
    struct gcn3_inst i;
    uint64_t inst = 0xd0000000u | op << 16 | d | (uint64_t)((256 + a) | (256 + b) << 9 | (256 + c) << 18) << 32;
    gcn3_decode(inst, &i);
    return i.src2_mask ? (inst & ~(UINT64_C(511) << 50)) | (uint64_t)SREG_VCC << 50 : inst;
}

static uint64_t machine_state = 0x9e3779b97f4a7c15;
static inline uint64_t rnd64(void)
{
    machine_state ^= machine_state << 13, machine_state ^= machine_state >> 7, machine_state ^= machine_state << 17;
    return machine_state * UINT64_C(0x2545f4914f6cdd1d);
}

/* A float of `bits` with m mantissa bits: one in eight special (zero, subnormal, infinity, NaN, power of two, all
 * ones). */
static inline uint64_t rnd_float(unsigned bits, unsigned m)
{
    uint64_t x = rnd64() >> (64 - bits), sign = UINT64_C(1) << (bits - 1), inf = sign - (UINT64_C(1) << m);
    uint64_t mantissa = (UINT64_C(1) << m) - 1;
    switch (rnd64() % 24) {
    case 0:
        return x & sign;
    case 1:
        return x & (sign | mantissa);
    case 2:
        return (x & sign) | inf;
    case 3:
        return x | inf;
    case 4:
        return x & ~mantissa;
    case 5:
        return x | mantissa;
    case 6:
        return (x & sign) | (UINT64_C(1) << m);
    default:
        return x;
    }
}
#endif
