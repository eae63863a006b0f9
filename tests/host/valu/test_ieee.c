/* SPDX-License-Identifier: Apache-2.0
 * Addition, multiplication, fused multiply-add and the division and square root sequences that clang emits for gfx803,
 * in single, double and half precision, against the host's IEEE arithmetic: all rounding modes, all modes of
 * subnormals, a quarter of the operands special, sums that cancel.  20 million vectors a family in `make nightly`,
 * 400,000 in `make test`. Sequences are exact in the rounding mode they are made for, nearest even (C.2).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>
#include <math.h>

#include "../isa/reference.h"

#define NEG0 (UINT64_C(1) << 61)

static unsigned rounds(void)
{
    return (nightly() ? 20000000 : 400000) / 64;
}

/* Random MODE: rounding of f32 and of f64/f16, subnormals. */
static uint8_t any_mode(void)
{
    uint8_t mode = rnd64();
    machine_reset(mode);
    return mode;
}

typedef void host32(float *y, const float *a, const float *b, const float *c);
typedef void host64(double *y, const double *a, const double *b, const double *c);
#define HOST(type, name, expression)                                                                                   \
    static __attribute__((noinline)) void name(type *y, const type *a, const type *b, const type *c)                   \
    {                                                                                                                  \
        for (unsigned l = 0; l < 64; l++)                                                                              \
            y[l] = expression;                                                                                         \
        (void)a, (void)b, (void)c;                                                                                     \
    }
HOST(float, add_f32, a[l] + b[l])
HOST(float, sub_f32, a[l] - b[l])
HOST(float, mul_f32, a[l] * b[l])
HOST(float, fma_f32, fmaf(a[l], b[l], c[l]))
HOST(float, div_f32, a[l] / b[l])
HOST(float, sqrt_f32, sqrtf(a[l]))
HOST(double, add_f64, a[l] + b[l])
HOST(double, mul_f64, a[l] * b[l])
HOST(double, fma_f64, fma(a[l], b[l], c[l]))
HOST(double, div_f64, a[l] / b[l])
HOST(double, sqrt_f64, sqrt(a[l]))

/* An addend near the negative product, so that most bits cancel: c[] where `near` says so. */
static void cancel32(float *c, const float *a, const float *b)
{
    LANES64 if (rnd64() % 4 == 0)
    {
        uint32_t x = of32(-(a[l] * b[l]));
        c[l] = as32(x + (uint32_t)(rnd64() % 5) - 2);
    }
}
static void cancel64(double *c, const double *a, const double *b)
{
    LANES64 if (rnd64() % 4 == 0)
    {
        uint64_t x = of64(-(a[l] * b[l]));
        c[l] = as64(x + rnd64() % 5 - 2);
    }
}

/* shows C.2 */
static void arithmetic_f32(void **unused)
{
    (void)unused;
    static const struct {
        unsigned op;
        host32 *f;
    } ops[] = {{OP_V_ADD_F32, add_f32}, {OP_V_SUB_F32, sub_f32}, {OP_V_MUL_F32, mul_f32}, {OP_V_FMA_F32, fma_f32}};
    float x[3][64], y[64];
    for (unsigned round = 0; round < rounds(); round++) {
        uint8_t mode = any_mode();
        LANES64 for (unsigned r = 0; r < 3; r++) x[r][l] = as32(rnd_float(32, 23));
        cancel32(x[2], x[0], x[1]);
        if (round % 2) /* exponents close together */
            LANES64 x[1][l] = as32((of32(x[1][l]) & 0x807fffff) | ((of32(x[0][l]) + (rnd64() % 9 << 23)) & 0x7f800000));
        LANES64 for (unsigned r = 0; r < 3; r++)
        {
            machine.v[r][l] = of32(x[r][l]);
            x[r][l] = as32(source32(machine.v[r][l], mode & 0x10));
        }
        for (unsigned n = 0; n < 4; n++) {
            machine_run(vop3(ops[n].op, 10, 0, 1, 2));
            host_rounding(mode & 3);
            ops[n].f(y, x[0], x[1], x[2]);
            fesetround(FE_TONEAREST);
            LANES64 if (machine.v[10][l] != result32(of32(y[l]), mode & 0x20))
                fail_msg("op %u mode %02x: %08x %08x %08x: %08x instead of %08x", n, mode, machine.v[0][l],
                         machine.v[1][l], machine.v[2][l], machine.v[10][l], result32(of32(y[l]), mode & 0x20));
        }
    }
}

/* shows C.2 */
static void arithmetic_f64(void **unused)
{
    (void)unused;
    static const struct {
        unsigned op;
        host64 *f;
    } ops[] = {{OP_V_ADD_F64, add_f64}, {OP_V_MUL_F64, mul_f64}, {OP_V_FMA_F64, fma_f64}};
    double x[3][64], y[64];
    for (unsigned round = 0; round < rounds(); round++) {
        uint8_t mode = any_mode();
        LANES64 for (unsigned r = 0; r < 3; r++) x[r][l] = as64(rnd_float(64, 52));
        cancel64(x[2], x[0], x[1]);
        if (round % 2)
            LANES64 x[1][l] = as64((of64(x[1][l]) & ~(UINT64_C(0x7ff) << 52)) |
                                   ((of64(x[0][l]) + (rnd64() % 9 << 52)) & UINT64_C(0x7ff) << 52));
        LANES64 for (unsigned r = 0; r < 3; r++)
        {
            set64(2 * r, l, of64(x[r][l]));
            x[r][l] = as64(source64(of64(x[r][l]), mode & 0x40));
        }
        for (unsigned n = 0; n < 3; n++) {
            machine_run(vop3(ops[n].op, 10, 0, 2, 4));
            host_rounding(mode >> 2 & 3);
            ops[n].f(y, x[0], x[1], x[2]);
            fesetround(FE_TONEAREST);
            LANES64 if (get64(10, l) != result64(of64(y[l]), mode & 0x80))
                fail_msg("op %u mode %02x: %016lx %016lx %016lx: %016lx instead of %016lx", n, mode, get64(0, l),
                         get64(2, l), get64(4, l), get64(10, l), result64(of64(y[l]), mode & 0x80));
        }
    }
}

/* Sums and products of halves are exact in 113 bits; the host converts them with one rounding, and gives zeros their
 * sign. */
static __attribute__((noinline)) void round_halves(uint16_t bits[4], const __float128 x[3])
{
    bits[0] = of16((_Float16)(x[0] + x[1]));
    bits[1] = of16((_Float16)(x[0] - x[1]));
    bits[2] = of16((_Float16)(x[0] * x[1]));
    bits[3] = of16((_Float16)(x[0] * x[1] + x[2]));
}
/* shows C.2 */
static void arithmetic_f16(void **unused)
{
    (void)unused;
    static const unsigned ops[] = {OP_V_ADD_F16, OP_V_SUB_F16, OP_V_MUL_F16, OP_V_FMA_F16};
    for (unsigned round = 0; round < rounds() / 4; round++) {
        uint8_t mode = any_mode();
        LANES64 for (unsigned r = 0; r < 3; r++) machine.v[r][l] = rnd_float(16, 10) | rnd64() << 16;
        for (unsigned n = 0; n < 4; n++)
            machine_run(vop3(ops[n], 10 + n, 0, 1, 2));
        LANES64
        {
            __float128 x[3];
            for (unsigned r = 0; r < 3; r++)
                x[r] = as16(source16(machine.v[r][l] & 0xffff, mode & 0x40));
            uint16_t bits[4];
            host_rounding(mode >> 2 & 3);
            round_halves(bits, x);
            fesetround(FE_TONEAREST);
            for (unsigned n = 0; n < 4; n++)
                if (machine.v[10 + n][l] != result16(bits[n], mode & 0x80))
                    fail_msg("half op %u mode %02x: %04x %04x %04x: %04x instead of %04x", n, mode,
                             machine.v[0][l] & 0xffff, machine.v[1][l] & 0xffff, machine.v[2][l] & 0xffff,
                             machine.v[10 + n][l], result16(bits[n], mode & 0x80));
        }
    }
}

static void fill(unsigned reg, uint32_t x)
{
    LANES64 machine.v[reg][l] = x;
}
static void fill64(unsigned reg, uint64_t x)
{
    LANES64 set64(reg, l, x);
}
static uint64_t vop3_mask(unsigned op, unsigned sdst, unsigned a, unsigned b) /* a compare into an SGPR pair */
{
    return vop3(op, sdst, a, b, 0);
}

/* v17 = v0 / v1 as clang divides floats: subnormals kept between. */
static void divide_f32(void)
{
    machine_run(vop3(OP_V_DIV_SCALE_F32, 10, 1, 1, 0) | 104 << 8);
    machine_run(vop3(OP_V_DIV_SCALE_F32, 11, 0, 1, 0) | SREG_VCC << 8);
    machine_run(vop3(OP_V_RCP_F32, 12, 10, 0, 0));
    uint8_t mode = machine.mode;
    machine.mode |= 0x30;
    machine_run(vop3(OP_V_FMA_F32, 13, 10, 12, 9) | NEG0);
    machine_run(vop3(OP_V_FMA_F32, 12, 13, 12, 12));
    machine_run(vop3(OP_V_MUL_F32, 14, 11, 12, 0));
    machine_run(vop3(OP_V_FMA_F32, 15, 10, 14, 11) | NEG0);
    machine_run(vop3(OP_V_FMA_F32, 14, 15, 12, 14));
    machine_run(vop3(OP_V_FMA_F32, 15, 10, 14, 11) | NEG0);
    machine.mode = mode;
    machine_run(vop3(OP_V_DIV_FMAS_F32, 16, 15, 12, 14));
    machine_run(vop3(OP_V_DIV_FIXUP_F32, 17, 16, 1, 0));
}

/* Quotients near the middle of two floats: a = q * b rounded, with a random q of few more bits than a float has. */
static void near_ties(float *a, const float *b)
{
    LANES64 if (rnd64() % 2) a[l] = (float)((double)b[l] * (1 + (double)(rnd64() % 0x2000000) * 0x1p-25));
}

/* shows C.2 */
static void division_f32(void **unused)
{
    (void)unused;
    float a[64], b[64], y[64];
    machine_reset(0xf0);
    fill(9, 0x3f800000);
    for (unsigned round = 0; round < rounds(); round++) {
        LANES64 a[l] = as32(rnd_float(32, 23)), b[l] = as32(rnd_float(32, 23));
        near_ties(a, b);
        LANES64 machine.v[0][l] = of32(a[l]), machine.v[1][l] = of32(b[l]);
        divide_f32();
        div_f32(y, a, b, a);
        LANES64 if (isnan(y[l]) ? !isnan(as32(machine.v[17][l])) : machine.v[17][l] != of32(y[l]))
            fail_msg("%a / %a: %a instead of %a", a[l], b[l], as32(machine.v[17][l]), y[l]);
    }
}

/* shows C.2 */
static void division_f64(void **unused)
{
    (void)unused;
    double a[64], b[64], y[64];
    machine_reset(0xf0);
    fill64(8, of64(1));
    for (unsigned round = 0; round < rounds(); round++) {
        LANES64
        {
            a[l] = as64(rnd_float(64, 52)), b[l] = as64(rnd_float(64, 52));
            if (rnd64() % 2)
                a[l] = b[l] * (1 + (double)(rnd64() >> 11) * 0x1p-53);
            set64(0, l, of64(a[l])), set64(2, l, of64(b[l]));
        }
        machine_run(vop3(OP_V_DIV_SCALE_F64, 10, 2, 2, 0) | 104 << 8);
        machine_run(vop3(OP_V_DIV_SCALE_F64, 12, 0, 2, 0) | SREG_VCC << 8);
        machine_run(vop3(OP_V_RCP_F64, 14, 10, 0, 0));
        machine_run(vop3(OP_V_FMA_F64, 16, 10, 14, 8) | NEG0);
        machine_run(vop3(OP_V_FMA_F64, 14, 14, 16, 14));
        machine_run(vop3(OP_V_FMA_F64, 16, 10, 14, 8) | NEG0);
        machine_run(vop3(OP_V_FMA_F64, 14, 14, 16, 14));
        machine_run(vop3(OP_V_MUL_F64, 18, 12, 14, 0));
        machine_run(vop3(OP_V_FMA_F64, 20, 10, 18, 12) | NEG0);
        machine_run(vop3(OP_V_DIV_FMAS_F64, 22, 20, 14, 18));
        machine_run(vop3(OP_V_DIV_FIXUP_F64, 24, 22, 2, 0));
        div_f64(y, a, b, a);
        LANES64 if (isnan(y[l]) ? !isnan(as64(get64(24, l))) : get64(24, l) != of64(y[l]))
            fail_msg("%a / %a: %a instead of %a", a[l], b[l], as64(get64(24, l)), y[l]);
    }
}

/* shows C.2: Square root of a float, correctly rounded, where subnormals are flushed: clang scales by 2^32 below 2^-96.
 */
static void square_root_f32(void **unused)
{
    (void)unused;
    float a[64], y[64];
    machine_reset(0xc0);
    fill(20, 0x4f800000), fill(21, 0x0f800000), fill(22, 0x3f000000), fill(23, 0x37800000), fill(24, 0x260);
    for (unsigned round = 0; round < rounds(); round++) {
        LANES64
        {
            uint32_t x = rnd_float(32, 23);
            a[l] = as32(rnd64() % 8 ? x & 0x7fffffff : x);
            if (rnd64() % 4 == 0) /* squares and their neighbours */
                a[l] = as32(of32((float)((double)as32(x >> 1) * as32(x >> 1))) + (uint32_t)(rnd64() % 3) - 1);
            machine.v[2][l] = of32(a[l]);
            a[l] = as32(source32(of32(a[l]), false));
        }
        machine_run(vop3(OP_V_MUL_F32, 3, 20, 2, 0));
        machine_run(vop3_mask(OP_V_CMP_GT_F32, SREG_VCC, 21, 2));
        machine_run(vop3(OP_V_CNDMASK_B32, 2, 2, 3, 0));
        machine_run(vop3(OP_V_RSQ_F32, 3, 2, 0, 0));
        machine_run(vop3(OP_V_MUL_F32, 5, 2, 3, 0));
        machine_run(vop3(OP_V_MUL_F32, 3, 22, 3, 0));
        machine_run(vop3(OP_V_FMA_F32, 6, 3, 5, 22) | NEG0);
        machine_run(vop3(OP_V_FMA_F32, 5, 5, 6, 5));
        machine_run(vop3(OP_V_FMA_F32, 3, 3, 6, 3));
        machine_run(vop3(OP_V_FMA_F32, 6, 5, 5, 2) | NEG0);
        machine_run(vop3(OP_V_FMA_F32, 3, 6, 3, 5));
        machine_run(vop3(OP_V_MUL_F32, 5, 23, 3, 0));
        machine_run(vop3(OP_V_CNDMASK_B32, 3, 3, 5, 0));
        machine_run(vop3_mask(OP_V_CMP_CLASS_F32, SREG_VCC, 2, 24));
        machine_run(vop3(OP_V_CNDMASK_B32, 2, 3, 2, 0));
        sqrt_f32(y, a, a, a);
        LANES64 if (isnan(y[l])                                   ? !isnan(as32(machine.v[2][l]))
                    : of32(y[l]) == 0x80000000 || of32(y[l]) == 0 ? machine.v[2][l] << 1
                                                                  : machine.v[2][l] != of32(y[l]))
            fail_msg("sqrt %a: %a instead of %a", a[l], as32(machine.v[2][l]), y[l]);
    }
}

/* shows C.2 */
static void square_root_f64(void **unused)
{
    (void)unused;
    double a[64], y[64];
    machine_reset(0xf0);
    fill64(30, UINT64_C(0x10000000) << 32), fill64(32, of64(0.5)), fill(34, 0x260), fill(35, 0), fill(36, 256),
        fill(37, -128);
    for (unsigned round = 0; round < rounds(); round++) {
        LANES64
        {
            uint64_t x = rnd_float(64, 52);
            a[l] = as64(rnd64() % 8 ? x & INT64_MAX : x);
            if (rnd64() % 4 == 0)
                a[l] = as64(of64(as64(x >> 1) * as64(x >> 1)) + rnd64() % 3 - 1);
            set64(2, l, of64(a[l]));
        }
        machine_run(vop3_mask(OP_V_CMP_GT_F64, SREG_VCC, 30, 2));
        machine_run(vop3(OP_V_CNDMASK_B32, 4, 35, 36, 0));
        machine_run(vop3(OP_V_LDEXP_F64, 2, 2, 4, 0));
        machine_run(vop3(OP_V_RSQ_F64, 4, 2, 0, 0));
        machine_run(vop3(OP_V_MUL_F64, 6, 2, 4, 0));
        machine_run(vop3(OP_V_MUL_F64, 4, 4, 32, 0));
        machine_run(vop3(OP_V_FMA_F64, 8, 4, 6, 32) | NEG0);
        machine_run(vop3(OP_V_FMA_F64, 6, 6, 8, 6));
        machine_run(vop3(OP_V_FMA_F64, 4, 4, 8, 4));
        machine_run(vop3(OP_V_FMA_F64, 8, 6, 6, 2) | NEG0);
        machine_run(vop3(OP_V_FMA_F64, 6, 8, 4, 6));
        machine_run(vop3(OP_V_FMA_F64, 8, 6, 6, 2) | NEG0);
        machine_run(vop3(OP_V_FMA_F64, 4, 8, 4, 6));
        machine_run(vop3(OP_V_CNDMASK_B32, 6, 35, 37, 0));
        machine_run(vop3_mask(OP_V_CMP_CLASS_F64, SREG_VCC, 2, 34));
        machine_run(vop3(OP_V_LDEXP_F64, 4, 4, 6, 0));
        machine_run(vop3(OP_V_CNDMASK_B32, 3, 5, 3, 0));
        machine_run(vop3(OP_V_CNDMASK_B32, 2, 4, 2, 0));
        sqrt_f64(y, a, a, a);
        LANES64 if (isnan(y[l]) ? !isnan(as64(get64(2, l))) : get64(2, l) != of64(y[l]))
            fail_msg("sqrt %a: %a instead of %a", a[l], as64(get64(2, l)), y[l]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_f32),  cmocka_unit_test(arithmetic_f64), cmocka_unit_test(arithmetic_f16),
        cmocka_unit_test(division_f32),    cmocka_unit_test(division_f64),   cmocka_unit_test(square_root_f32),
        cmocka_unit_test(square_root_f64),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
