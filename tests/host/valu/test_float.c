/* SPDX-License-Identifier: Apache-2.0
 * Floats of the golden model against arithmetic that it does not use: 113-bit floats, the compiler's half type.
 * Rounding modes, subnormals, unsigned division, minimum, maximum, conversions.  Campaigns: test_ieee.c, test_unary.c,
 * test_trans.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>

#include "../isa/reference.h"

typedef __float128 quad;

/* Rounding of an exact value by its neighbours, without using a rounding mode. */
static uint32_t round_exact(quad exact, unsigned mode, bool negative_zero)
{
    if (exact == 0)
        return negative_zero ? 0x80000000 : 0;
    float near = (float)exact;
    uint32_t bits = of32(near), sign = bits & 0x80000000;
    quad value = isinf(near) ? (near > 0 ? 1 : -1) * (quad)0x1p127 * 2 : (quad)near;
    if (mode == 0 || (!isinf(near) && value == exact))
        return bits;
    bool up = mode == 1 || (mode == 3 && sign), have_up = value > exact;
    if (up == have_up)
        return bits;
    return up == !sign ? bits + 1 : bits == 0x80000000 || bits == 0 ? bits : bits - 1;
}

static void f32_arithmetic(void **unused)
{
    (void)unused;
    for (unsigned mode = 0; mode < 4; mode++) {
        machine_reset(0xf0 | mode);
        for (unsigned round = 0; round < 4000; round++) {
            for (unsigned l = 0; l < 64; l++) {
                uint32_t scale = 64 + rnd64() % 100; /* exponents close enough for exact sums of 113 bits */
                for (unsigned r = 0; r < 3; r++)
                    machine.v[r][l] = (rnd64() & 0x807fffff) | (scale + rnd64() % 20) << 23;
            }
            machine_run(vop3(OP_V_ADD_F32, 10, 0, 1, 0));
            machine_run(vop3(OP_V_MUL_F32, 11, 0, 1, 0));
            machine_run(vop3(OP_V_SUB_F32, 13, 0, 1, 0));
            for (unsigned l = 0; l < 64; l++) {
                quad a = as32(machine.v[0][l]), b = as32(machine.v[1][l]);
                assert_int_equal(machine.v[10][l], round_exact(a + b, mode, mode == 2));
                assert_int_equal(machine.v[13][l], round_exact(a - b, mode, mode == 2));
                assert_int_equal(machine.v[11][l], round_exact(a * b, mode, false));
                machine.v[2][l] =
                    (machine.v[11][l] & 0x7f800000) > 0x3f800000 ? machine.v[2][l] : machine.v[11][l] ^ 0x80000000;
            }
            machine_run(vop3(OP_V_FMA_F32, 12, 0, 1, 2));
            for (unsigned l = 0; l < 64; l++) {
                quad a = as32(machine.v[0][l]), b = as32(machine.v[1][l]), c = as32(machine.v[2][l]);
                quad exact = a * b + c;
                if (exact == a * b || exact == c || exact - a * b != c || exact - c != a * b)
                    continue; /* not exact in 113 bits */
                assert_int_equal(machine.v[12][l], round_exact(exact, mode, mode == 2));
            }
        }
    }
}

static void subnormals_and_nans(void **unused)
{
    (void)unused;
    for (unsigned denormals = 0; denormals < 4; denormals++) {
        machine_reset(denormals << 4 | 0xc0);
        for (unsigned round = 0; round < 2000; round++) {
            for (unsigned l = 0; l < 64; l++)
                machine.v[0][l] = rnd_float(32, 23), machine.v[1][l] = rnd_float(32, 23);
            machine_run(vop3(OP_V_MUL_F32, 10, 0, 1, 0));
            for (unsigned l = 0; l < 64; l++) {
                uint32_t a = machine.v[0][l], b = machine.v[1][l];
                if (!(denormals & 1))
                    a = a & 0x7f800000 ? a : a & 0x80000000, b = b & 0x7f800000 ? b : b & 0x80000000;
                float product = (float)((quad)as32(a) * as32(b));
                uint32_t want = isnan(product) ? 0x7fc00000 : of32(product);
                if (!(denormals & 2) && !(want & 0x7f800000))
                    want &= 0x80000000;
                assert_int_equal(machine.v[10][l], want);
            }
        }
    }
    machine_reset(0xf0);
    const uint32_t snan = 0x7f812345, qnan = 0x7fc54321, one = 0x3f800000, minus0 = 0x80000000;
    const uint32_t cases[][4] = {/* a, b, min, max */
                                 {snan, one, snan | 0x400000, snan | 0x400000},
                                 {one, snan, snan | 0x400000, snan | 0x400000},
                                 {qnan, one, one, one},
                                 {one, qnan, one, one},
                                 {minus0, 0, minus0, 0},
                                 {0, minus0, minus0, 0},
                                 {1, 2, 1, 2}};
    for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
        machine.v[0][0] = cases[n][0], machine.v[1][0] = cases[n][1];
        machine_run(vop3(OP_V_MIN_F32, 2, 0, 1, 0));
        machine_run(vop3(OP_V_MAX_F32, 3, 0, 1, 0));
        assert_int_equal(machine.v[2][0], cases[n][2]);
        assert_int_equal(machine.v[3][0], cases[n][3]);
    }
}

/* One rounding: a product half-way between two subnormals once it is scaled, and an addend far below its last bit. */
static void fmas_f64_rounds_once(void **unused)
{
    (void)unused;
    machine_reset(0xc0);
    machine.s64[SREG_VCC / 2] = UINT64_MAX;
    static const double addend[4] = {0, 0x1p-1070, -0x1p-1070, 0x1p-1000};
    static const uint64_t want[4] = {2, 2, 1, 2};
    for (unsigned l = 0; l < 64; l++) {
        set64(0, l, of64(3)), set64(2, l, of64(0x1p-947));
        set64(4, l, of64(addend[l % 4]));
    }
    machine_run(vop3(OP_V_DIV_FMAS_F64, 6, 0, 2, 4));
    for (unsigned l = 0; l < 64; l++)
        assert_int_equal(get64(6, l), want[l % 4]);
}

/* Unsigned division through v_rcp_iflag_f32, as clang expands it. */
static void division_u32(void **unused)
{
    (void)unused;
    machine_reset(0xc0);
    for (unsigned round = 0; round < 6000; round++) {
        for (unsigned l = 0; l < 64; l++) {
            machine.v[0][l] = rnd64() >> rnd64() % 32;
            machine.v[1][l] = (uint32_t)(rnd64() >> (32 + rnd64() % 32)) | 1;
            machine.v[9][l] = 0x4f7ffffe;
        }
        machine_run(vop3(OP_V_CVT_F32_U32, 2, 1, 0, 0));
        machine_run(vop3(OP_V_RCP_IFLAG_F32, 2, 2, 0, 0));
        machine_run(vop3(OP_V_MUL_F32, 2, 2, 9, 0));
        machine_run(vop3(OP_V_CVT_U32_F32, 2, 2, 0, 0));
        machine_run(vop3(OP_V_SUB_U32, 3, 20, 1, 0) | SREG_VCC << 8); /* v20 is 0 */
        machine_run(vop3(OP_V_MUL_LO_U32, 3, 3, 2, 0));
        machine_run(vop3(OP_V_MUL_HI_U32, 3, 2, 3, 0));
        machine_run(vop3(OP_V_ADD_U32, 2, 2, 3, 0) | SREG_VCC << 8);
        machine_run(vop3(OP_V_MUL_HI_U32, 4, 0, 2, 0));
        for (unsigned l = 0; l < 64; l++) {
            uint32_t x = machine.v[0][l], y = machine.v[1][l], q = machine.v[4][l], r = x - q * y;
            for (unsigned k = 0; k < 2; k++)
                if (r >= y)
                    q++, r -= y;
            assert_int_equal(q, x / y);
        }
    }
}

static void halves(void **unused)
{
    (void)unused;
    machine_reset(0xf0);
    for (uint32_t h = 0; h < 0x10000; h += 64) { /* every half to float and back */
        for (unsigned l = 0; l < 64; l++)
            machine.v[0][l] = h + l;
        machine_run(vop3(OP_V_CVT_F32_F16, 1, 0, 0, 0));
        machine_run(vop3(OP_V_CVT_F16_F32, 2, 1, 0, 0));
        for (unsigned l = 0; l < 64; l++) {
            uint16_t bits = h + l;
            _Float16 half;
            memcpy(&half, &bits, 2);
            bool nan = (bits & 0x7fff) > 0x7c00;
            assert_int_equal(machine.v[1][l], nan ? 0x7fc00000 : of32((float)half));
            assert_int_equal(machine.v[2][l], nan ? 0x7e00 : bits);
        }
    }
    for (unsigned round = 0; round < 4000; round++) {
        for (unsigned l = 0; l < 64; l++)
            for (unsigned r = 0; r < 3; r++)
                machine.v[r][l] = rnd_float(16, 10) | rnd64() << 16;
        machine_run(vop3(OP_V_ADD_F16, 10, 0, 1, 0));
        machine_run(vop3(OP_V_MUL_F16, 11, 0, 1, 0));
        machine_run(vop3(OP_V_FMA_F16, 12, 0, 1, 2));
        for (unsigned l = 0; l < 64; l++) {
            _Float16 x[3];
            for (unsigned r = 0; r < 3; r++) {
                uint16_t bits = machine.v[r][l];
                memcpy(&x[r], &bits, 2);
            }
            quad exact[3] = {(quad)x[0] + x[1], (quad)x[0] * x[1], (quad)x[0] * x[1] + x[2]};
            for (unsigned k = 0; k < 3; k++) {
                _Float16 want = (_Float16)exact[k];
                uint16_t bits;
                memcpy(&bits, &want, 2);
                uint32_t w = (bits & 0x7fff) > 0x7c00 ? 0x7e00 : bits;
                if (machine.v[10 + k][l] != w)
                    fail_msg("half op %u: %04x instead of %04x", k, machine.v[10 + k][l], w);
            }
        }
    }
}

static void conversions(void **unused)
{
    (void)unused;
    machine_reset(0xf0);
    for (unsigned round = 0; round < 4000; round++) {
        for (unsigned l = 0; l < 64; l++) {
            machine.v[0][l] = round % 2 ? rnd_float(32, 23) : (rnd64() & 0x807fffff) | (120 + rnd64() % 48) << 23;
        }
        machine_run(vop3(OP_V_CVT_I32_F32, 1, 0, 0, 0));
        machine_run(vop3(OP_V_CVT_U32_F32, 2, 0, 0, 0));
        machine_run(vop3(OP_V_RNDNE_F32, 3, 0, 0, 0));
        machine_run(vop3(OP_V_CVT_F32_I32, 4, 0, 0, 0));
        for (unsigned l = 0; l < 64; l++) {
            float x = as32(machine.v[0][l]);
            int64_t whole = isnan(x)        ? 0
                            : x >= 0x1p40f  ? INT64_C(1) << 40
                            : x <= -0x1p40f ? -(INT64_C(1) << 40)
                                            : (int64_t)x;
            int64_t i = whole > INT32_MAX ? INT32_MAX : whole < INT32_MIN ? INT32_MIN : whole;
            int64_t u = whole > UINT32_MAX ? UINT32_MAX : whole < 0 ? 0 : whole;
            assert_int_equal(machine.v[1][l], (uint32_t)i);
            assert_int_equal(machine.v[2][l], (uint32_t)u);
            assert_int_equal(machine.v[3][l], isnan(x) ? 0x7fc00000 : of32(nearbyintf(x)));
            assert_int_equal(machine.v[4][l], of32((float)(int32_t)machine.v[0][l]));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(f32_arithmetic),
        cmocka_unit_test(subnormals_and_nans),
        cmocka_unit_test(fmas_f64_rounds_once),
        cmocka_unit_test(division_u32),
        cmocka_unit_test(halves),
        cmocka_unit_test(conversions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
