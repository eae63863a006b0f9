/* SPDX-License-Identifier: Apache-2.0
 * Half-precision arithmetic of the vector ALU; results fill bits 15:0, bits 31:16 become 0.
 */
#include <math.h>

#include "valu/valu.h"

#define IN(x) half_value(flush16((x)&0xffff, keep_in64(v)))
#define ROUND (v->wave->mode >> 2 & 3)
#define OUT(x) finish16(half_round((x), ROUND), keep_out64(v))

/* s = x + y, made by doubles that round to nearest: where terms of opposite signs cancel, rounding down gives -0. */
static inline double zero_sign(double s, double x, double y, unsigned round)
{
    return s == 0 && round == 2 && (signbit(x) || signbit(y)) ? -0.0 : s;
}

/* Sums of halves are exact in a double, so are products. */
static inline double sum(double x, double y, unsigned round)
{
    return zero_sign(x + y, x, y, round);
}
LANE_OP(add_f16, OUT(sum(IN(a), IN(b), ROUND)))
LANE_OP(sub_f16, OUT(sum(IN(a), -IN(b), ROUND)))
LANE_OP(subrev_f16, OUT(sum(IN(b), -IN(a), ROUND)))
LANE_OP(mul_f16, OUT(IN(a) * IN(b)))
LANE_OP(fma_f16, OUT(zero_sign(fma_odd(IN(a), IN(b), IN(c)), IN(a) * IN(b), IN(c), ROUND)))

static uint32_t mad(uint32_t a, uint32_t b, uint32_t c, unsigned round)
{
    double x = half_value(flush16(a & 0xffff, false)), y = half_value(flush16(b & 0xffff, false));
    double z = half_value(flush16(c & 0xffff, false));
    double product = half_value(finish16(half_round(x * y, round), false));
    return finish16(half_round(sum(product, z, round), round), false);
}
LANE_OP(mad_f16, mad(a, b, c, ROUND))

static uint32_t order16(uint32_t x)
{
    return x & 0x8000 ? ~x & 0xffff : x | 0x8000;
}
static bool signals(uint32_t x)
{
    return is_nan16(x) && !(x & 0x200);
}

static uint32_t pick(uint32_t a, uint32_t b, bool ieee, bool maximum)
{
    a &= 0xffff, b &= 0xffff;
    if (ieee && signals(a))
        return a | 0x200;
    if (ieee && signals(b))
        return b | 0x200;
    if (is_nan16(a))
        return b;
    if (is_nan16(b))
        return a;
    return (order16(a) < order16(b)) != maximum ? a : b;
}
LANE_OP(min_f16, pick(a, b, v->wave->ieee, false))
LANE_OP(max_f16, pick(a, b, v->wave->ieee, true))

LANE_OP(floor_f16, OUT(floor(IN(a))))
LANE_OP(ceil_f16, OUT(ceil(IN(a))))
LANE_OP(trunc_f16, OUT(trunc(IN(a))))
LANE_OP(rndne_f16, OUT(rint(IN(a))))

/* x - floor(x), below 1. */
static uint32_t fract(double x, unsigned round)
{
    uint32_t r = half_round(sum(x, -floor(x), round), round);
    return (r & 0x7fff) == 0x3c00 ? 0x3bff : r;
}
LANE_OP(fract_f16, finish16(fract(IN(a), ROUND), keep_out64(v)))

static double scale(double x, int n)
{
    return ldexp(x, n > 100 ? 100 : n < -100 ? -100 : n);
}
LANE_OP(ldexp_f16, OUT(scale(IN(a), (int16_t)b)))

static uint32_t frexp_exp(double x)
{
    int e = 0;
    if (isfinite(x))
        frexp(x, &e);
    return e & 0xffff;
}

static uint32_t frexp_mant(uint32_t x)
{
    int e;
    return (x & 0x7c00) == 0x7c00 ? finish16(x & 0xffff, true) : half_round(frexp(half_value(x & 0xffff), &e), 0);
}
LANE_OP(frexp_exp_i16_f16, frexp_exp(IN(a)))
LANE_OP(frexp_mant_f16, frexp_mant(flush16(a & 0xffff, keep_in64(v))))

LANE_OP(cvt_f16_u16, OUT((double)(a & 0xffff)))
LANE_OP(cvt_f16_i16, OUT((double)(int16_t)a))

/* Truncate, saturate, NaN gives 0. */
static uint32_t to_int(double x, double low, double high)
{
    double t = trunc(x);
    return isnan(x) ? 0 : (uint32_t)(int32_t)(t < low ? low : t > high ? high : t) & 0xffff;
}
LANE_OP(cvt_u16_f16, to_int(IN(a), 0, 65535))
LANE_OP(cvt_i16_f16, to_int(IN(a), -32768, 32767))

const struct valu_op valu_f16_ops[] = {
    {OP_V_ADD_F16, T_F16, T_F16, 3, add_f16},
    {OP_V_SUB_F16, T_F16, T_F16, 3, sub_f16},
    {OP_V_SUBREV_F16, T_F16, T_F16, 3, subrev_f16},
    {OP_V_MUL_F16, T_F16, T_F16, 3, mul_f16},
    {OP_V_FMA_F16, T_F16, T_F16, 7, fma_f16},
    {OP_V_MAD_F16, T_F16, T_F16, 7, mad_f16},
    {OP_V_MAC_F16, T_F16, T_F16, 7, mad_f16},
    {OP_V_MADMK_F16, T_F16, T_F16, 0, mad_f16},
    {OP_V_MADAK_F16, T_F16, T_F16, 0, mad_f16},
    {OP_V_MIN_F16, T_F16, T_F16, 3, min_f16},
    {OP_V_MAX_F16, T_F16, T_F16, 3, max_f16},
    {OP_V_FLOOR_F16, T_F16, T_F16, 1, floor_f16},
    {OP_V_CEIL_F16, T_F16, T_F16, 1, ceil_f16},
    {OP_V_TRUNC_F16, T_F16, T_F16, 1, trunc_f16},
    {OP_V_RNDNE_F16, T_F16, T_F16, 1, rndne_f16},
    {OP_V_FRACT_F16, T_F16, T_F16, 1, fract_f16},
    {OP_V_LDEXP_F16, T_F16, T_F16, 1, ldexp_f16},
    {OP_V_FREXP_EXP_I16_F16, T_F16, T_INT, 1, frexp_exp_i16_f16},
    {OP_V_FREXP_MANT_F16, T_F16, T_F16, 1, frexp_mant_f16},
    {OP_V_CVT_F16_U16, T_INT, T_F16, 0, cvt_f16_u16},
    {OP_V_CVT_F16_I16, T_INT, T_F16, 0, cvt_f16_i16},
    {OP_V_CVT_U16_F16, T_F16, T_INT, 1, cvt_u16_f16},
    {OP_V_CVT_I16_F16, T_F16, T_INT, 1, cvt_i16_f16},
    {0},
};
