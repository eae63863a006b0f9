/* SPDX-License-Identifier: Apache-2.0
 * Double-precision arithmetic of the vector ALU on the host's IEEE arithmetic (rounding mode set by valu.c).
 */
#include <math.h>

#include "valu/valu.h"

#define IN(x) as_f64(flush64((x), keep_in64(v)))
#define OUT(x) finish64(from_f64(x), keep_out64(v))

LANE_OP64(add_f64, OUT(IN(a) + IN(b)))
LANE_OP64(mul_f64, OUT(IN(a) * IN(b)))

static uint64_t order64(uint64_t x)
{
    return x >> 63 ? ~x : x | UINT64_C(1) << 63;
}

static bool signals(uint64_t x)
{
    return is_nan64(x) && !(x >> 51 & 1);
}

static uint64_t pick(uint64_t a, uint64_t b, bool ieee, bool maximum)
{
    if (ieee && signals(a))
        return a | UINT64_C(1) << 51;
    if (ieee && signals(b))
        return b | UINT64_C(1) << 51;
    if (is_nan64(a))
        return b;
    if (is_nan64(b))
        return a;
    return (order64(a) < order64(b)) != maximum ? a : b;
}
LANE_OP64(min_f64, pick(a, b, v->wave->ieee, false))
LANE_OP64(max_f64, pick(a, b, v->wave->ieee, true))

LANE_OP64(floor_f64, OUT(floor(IN(a))))
LANE_OP64(ceil_f64, OUT(ceil(IN(a))))
LANE_OP64(trunc_f64, OUT(trunc(IN(a))))

static double round_even(double x)
{
    double t = trunc(x), d = fabs(x - t);
    bool odd = fmod(t, 2) != 0;
    return copysign(d > 0.5 || (d == 0.5 && odd) ? t + copysign(1, x) : t, x);
}
LANE_OP64(rndne_f64, OUT(fabs(IN(a)) < 0x1p52 ? round_even(IN(a)) : IN(a)))

static double fract(double x)
{
    double f = x - floor(x);
    return f >= 1 ? 0x1.fffffffffffffp-1 : f;
}
LANE_OP64(fract_f64, OUT(fract(IN(a))))

/* Scaling with one rounding: exact steps first, the one that may leave the range last. */
static double scale(double x, int32_t n)
{
    int e;
    double m = frexp(x, &e);
    if (!isfinite(x) || x == 0)
        return x;
    int64_t to = (int64_t)e + n;
    if (to > 1024)
        return copysign(0x1p1023, x) * 2;
    if (to < -1100)
        return copysign(0x1p-1074, x) * 0.25;
    if (to >= -1020)
        return m * as_f64((uint64_t)(1022 + to) << 52) * 2;
    return m * 0x1p-1020 * as_f64((uint64_t)(1023 + to + 1020) << 52);
}

static void ldexp_f64(struct valu *v)
{
    LANES v->d64[l] = OUT(scale(IN(v->a64[l]), (int32_t)v->b[l]));
}

static void frexp_exp_i32_f64(struct valu *v)
{
    LANES
    {
        double x = IN(v->a64[l]);
        int e = 0;
        if (isfinite(x))
            frexp(x, &e);
        v->d[l] = e;
    }
}

static uint64_t frexp_mant(uint64_t x)
{
    int e;
    return isfinite(as_f64(x)) ? from_f64(frexp(as_f64(x), &e)) : finish64(x, true);
}
LANE_OP64(frexp_mant_f64, frexp_mant(flush64(a, keep_in64(v))))

const struct valu_op valu_f64_ops[] = {
    {OP_V_ADD_F64, T_F64, T_F64, 3, add_f64},
    {OP_V_MUL_F64, T_F64, T_F64, 3, mul_f64},
    {OP_V_MIN_F64, T_F64, T_F64, 3, min_f64},
    {OP_V_MAX_F64, T_F64, T_F64, 3, max_f64},
    {OP_V_FLOOR_F64, T_F64, T_F64, 1, floor_f64},
    {OP_V_CEIL_F64, T_F64, T_F64, 1, ceil_f64},
    {OP_V_TRUNC_F64, T_F64, T_F64, 1, trunc_f64},
    {OP_V_RNDNE_F64, T_F64, T_F64, 1, rndne_f64},
    {OP_V_FRACT_F64, T_F64, T_F64, 1, fract_f64},
    {OP_V_LDEXP_F64, T_F64, T_F64, 1, ldexp_f64},
    {OP_V_FREXP_EXP_I32_F64, T_F64, T_INT, 1, frexp_exp_i32_f64},
    {OP_V_FREXP_MANT_F64, T_F64, T_F64, 1, frexp_mant_f64},
    {0},
};
