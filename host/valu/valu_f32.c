/* SPDX-License-Identifier: Apache-2.0
 * Single-precision arithmetic of the vector ALU on the host's IEEE arithmetic: the host's rounding mode follows MODE
 * (valu.c), NaN results are the one quiet NaN, subnormals are flushed as MODE says; v_mad and v_mac round twice and
 * always flush.  Build without contraction (sw/tools/mk/opcodes.mk).
 */
#include <math.h>

#include "valu/valu.h"

#define IN(x) as_f32(flush32((x), keep_in32(v)))
#define OUT(x) finish32(from_f32(x), keep_out32(v))

LANE_OP(add_f32, OUT(IN(a) + IN(b)))
LANE_OP(sub_f32, OUT(IN(a) - IN(b)))
LANE_OP(subrev_f32, OUT(IN(b) - IN(a)))
LANE_OP(mul_f32, OUT(IN(a) * IN(b)))

static uint32_t mad(uint32_t a, uint32_t b, uint32_t c)
{
    float product = as_f32(flush32(a, false)) * as_f32(flush32(b, false));
    float sum = as_f32(flush32(from_f32(product), false)) + as_f32(flush32(c, false)); /* a NaN stays one */
    return finish32(from_f32(sum), false);
}
LANE_OP(mad_f32, mad(a, b, c))

/* Minimum and maximum do not flush.  A NaN loses against a number; with IEEE a signalling NaN wins, made quiet. */
static inline uint32_t order32(uint32_t x)
{
    return x >> 31 ? ~x : x | 0x80000000;
}

static bool signals(uint32_t x)
{
    return is_nan32(x) && !(x & 0x400000);
}

static uint32_t pick(uint32_t a, uint32_t b, bool ieee, bool maximum)
{
    if (ieee && signals(a))
        return a | 0x400000;
    if (ieee && signals(b))
        return b | 0x400000;
    if (is_nan32(a))
        return b;
    if (is_nan32(b))
        return a;
    return (order32(a) < order32(b)) != maximum ? a : b;
}
#define MIN(a, b) pick((a), (b), v->wave->ieee, false)
#define MAX(a, b) pick((a), (b), v->wave->ieee, true)
LANE_OP(min_f32, MIN(a, b))
LANE_OP(max_f32, MAX(a, b))
LANE_OP(min3_f32, MIN(MIN(a, b), c))
LANE_OP(max3_f32, MAX(MAX(a, b), c))

static uint32_t med3(uint32_t a, uint32_t b, uint32_t c, bool ieee)
{
    if (is_nan32(a) || is_nan32(b) || is_nan32(c))
        return pick(pick(a, b, ieee, false), c, ieee, false);
    uint32_t low = pick(a, b, false, false), high = pick(a, b, false, true);
    return pick(low, pick(high, c, false, false), false, true);
}
LANE_OP(med3_f32, med3(a, b, c, v->wave->ieee))

LANE_OP(floor_f32, OUT(floorf(IN(a))))
LANE_OP(ceil_f32, OUT(ceilf(IN(a))))
LANE_OP(trunc_f32, OUT(truncf(IN(a))))

static float round_even(float x)
{
    float t = truncf(x), d = x - t;
    float away = t + copysignf(1, x);
    bool odd = fmodf(t, 2) != 0;
    float r = fabsf(d) > 0.5f || (fabsf(d) == 0.5f && odd) ? away : t;
    return copysignf(r, x);
}
LANE_OP(rndne_f32, OUT(fabsf(IN(a)) < 0x1p23f ? round_even(IN(a)) : IN(a)))

/* x - floor(x), below 1. */
static float fract(float x)
{
    float f = x - floorf(x);
    return f >= 1 ? 0x1.fffffep-1f : f;
}
LANE_OP(fract_f32, OUT(fract(IN(a))))

/* Exact scaling, rounded once in the rounding mode. */
static float scale(float x, int32_t n)
{
    n = n > 400 ? 400 : n < -400 ? -400 : n;
    return (float)((double)x * as_f64((uint64_t)(1023 + n) << 52));
}
LANE_OP(ldexp_f32, OUT(scale(IN(a), (int32_t)b)))

static uint32_t frexp_exp(uint32_t x)
{
    int e = 0;
    if ((x & 0x7f800000) != 0x7f800000)
        frexpf(as_f32(x), &e);
    return e;
}

static uint32_t frexp_mant(uint32_t x)
{
    int e;
    return (x & 0x7f800000) == 0x7f800000 ? finish32(x, true) : from_f32(frexpf(as_f32(x), &e));
}
LANE_OP(frexp_exp_i32_f32, frexp_exp(flush32(a, keep_in32(v))))
LANE_OP(frexp_mant_f32, frexp_mant(flush32(a, keep_in32(v))))

const struct valu_op valu_f32_ops[] = {
    {OP_V_ADD_F32, T_F32, T_F32, 3, add_f32},
    {OP_V_SUB_F32, T_F32, T_F32, 3, sub_f32},
    {OP_V_SUBREV_F32, T_F32, T_F32, 3, subrev_f32},
    {OP_V_MUL_F32, T_F32, T_F32, 3, mul_f32},
    {OP_V_MAD_F32, T_F32, T_F32, 7, mad_f32},
    {OP_V_MAC_F32, T_F32, T_F32, 7, mad_f32},
    {OP_V_MADMK_F32, T_F32, T_F32, 0, mad_f32},
    {OP_V_MADAK_F32, T_F32, T_F32, 0, mad_f32},
    {OP_V_MIN_F32, T_F32, T_F32, 3, min_f32},
    {OP_V_MAX_F32, T_F32, T_F32, 3, max_f32},
    {OP_V_MIN3_F32, T_F32, T_F32, 7, min3_f32},
    {OP_V_MAX3_F32, T_F32, T_F32, 7, max3_f32},
    {OP_V_MED3_F32, T_F32, T_F32, 7, med3_f32},
    {OP_V_FLOOR_F32, T_F32, T_F32, 1, floor_f32},
    {OP_V_CEIL_F32, T_F32, T_F32, 1, ceil_f32},
    {OP_V_TRUNC_F32, T_F32, T_F32, 1, trunc_f32},
    {OP_V_RNDNE_F32, T_F32, T_F32, 1, rndne_f32},
    {OP_V_FRACT_F32, T_F32, T_F32, 1, fract_f32},
    {OP_V_LDEXP_F32, T_F32, T_F32, 1, ldexp_f32},
    {OP_V_FREXP_EXP_I32_F32, T_F32, T_INT, 1, frexp_exp_i32_f32},
    {OP_V_FREXP_MANT_F32, T_F32, T_F32, 1, frexp_mant_f32},
    {0},
};
