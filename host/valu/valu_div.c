/* SPDX-License-Identifier: Apache-2.0
 * The helper operations of correctly rounded division: v_div_scale, v_div_fmas, v_div_fixup for f32, f64 and
 * v_div_fixup_f16.  Rules: docs/reference/isa.md, "Division".  Sources are not flushed.
 */
#include <math.h>

#include "valu/valu.h"

/* One float format: mantissa and exponent bits with the thresholds of the scaling rule. */
struct format {
    unsigned mantissa, exponent;
    int bias, scale, far, tiny;
};
static const struct format single = {23, 8, 127, 64, 96, 23};
static const struct format twice = {52, 11, 1023, 128, 768, 53};

struct parts {
    bool zero, subnormal;
    int field;         /* biased exponent */
    int exponent;      /* of the normalised mantissa */
    uint64_t mantissa; /* normalised, hidden bit at bit 63 */
};

static struct parts take_apart(uint64_t x, const struct format *f)
{
    struct parts p;
    uint64_t m = x & ((UINT64_C(1) << f->mantissa) - 1);
    p.field = x >> f->mantissa & ((1u << f->exponent) - 1);
    p.zero = p.field == 0 && m == 0;
    p.subnormal = p.field == 0 && m != 0;
    if (p.field)
        m |= UINT64_C(1) << f->mantissa;
    unsigned zeros = m ? __builtin_clzll(m) : 63;
    p.mantissa = m << zeros;
    p.exponent = (p.field ? p.field : 1) - f->bias + 63 - (int)f->mantissa - (int)zeros;
    return p;
}

/* |x / y| below the smallest normal number, before rounding. */
static bool quotient_subnormal(int ex, uint64_t mx, const struct parts *y, const struct format *f)
{
    return ex - y->exponent - (mx < y->mantissa) < 1 - f->bias;
}

/* Scale (power of two) of source a for denominator b, numerator c; *flag is the lane's VCC. */
static int div_scale(uint64_t a, uint64_t b, uint64_t c, const struct format *f, bool *flag, bool *nan)
{
    struct parts d = take_apart(b, f), n = take_apart(c, f);
    bool inverse = quotient_subnormal(0, UINT64_C(1) << 63, &d, f);
    bool quotient = quotient_subnormal(n.exponent, n.mantissa, &d, f);
    *flag = false;
    *nan = d.zero || n.zero;
    if (*nan)
        return 0;
    if (n.field - d.field >= f->far) {
        *flag = true;
        return a == b ? f->scale : 0;
    }
    if (d.subnormal)
        return f->scale;
    if (inverse && quotient) {
        *flag = true;
        return a == b ? -f->scale : 0;
    }
    if (inverse)
        return -f->scale;
    if (quotient) {
        *flag = true;
        return a == c ? f->scale : 0;
    }
    return n.field <= f->tiny ? f->scale : 0;
}

static void div_scale_f32(struct valu *v)
{
    uint64_t out = 0;
    LANES
    {
        bool flag, nan;
        int n = div_scale(v->a[l], v->b[l], v->c[l], &single, &flag, &nan);
        double scaled = (double)as_f32(v->a[l]) * as_f64((uint64_t)(1023 + n) << 52);
        v->d[l] = nan ? NAN32 : n ? finish32(from_f32((float)scaled), true) : v->a[l];
        out |= (uint64_t)flag << l;
    }
    v->mask_out = out;
}

static void div_scale_f64(struct valu *v)
{
    uint64_t out = 0;
    LANES
    {
        bool flag, nan;
        int n = div_scale(v->a64[l], v->b64[l], v->c64[l], &twice, &flag, &nan);
        double scaled = as_f64(v->a64[l]) * as_f64((uint64_t)(1023 + n) << 52);
        v->d64[l] = nan ? NAN64 : n ? finish64(from_f64(scaled), true) : v->a64[l];
        out |= (uint64_t)flag << l;
    }
    v->mask_out = out;
}

/* fma, scaled by 2^+-64 (sign by the size of c) where VCC is set, rounded once. */
static uint32_t fmas32(uint32_t a, uint32_t b, uint32_t c, bool scale, bool keep)
{
    if (!scale)
        return finish32(from_f32(fmaf(as_f32(a), as_f32(b), as_f32(c))), keep);
    bool up = (c >> 23 & 255) > 127;
    double exact = fma_odd(as_f32(a), as_f32(b), as_f32(c));
    return finish32(from_f32((float)(exact * (up ? 0x1p64 : 0x1p-64))), keep);
}
LANE_OP(div_fmas_f32, fmas32(a, b, c, v->mask_in >> l & 1, keep_out32(v)))

/* The sum of an exact product and z in 113 bits, rounded to odd: scaling and one more rounding give the exact result.
 */
static __float128 sum_odd(__float128 product, __float128 z)
{
    bool z_is_larger = (z < 0 ? -z : z) > (product < 0 ? -product : product);
    __float128 sum = z + product, lost = z_is_larger ? product - (sum - z) : z - (sum - product);
    unsigned __int128 bits;
    memcpy(&bits, &sum, sizeof bits);
    if (lost != 0 && !(bits & 1))
        bits += (lost > 0) == (sum > 0) ? 1 : -1;
    memcpy(&sum, &bits, sizeof bits);
    return sum;
}

static uint64_t fmas64(uint64_t a, uint64_t b, uint64_t c, bool scale, bool keep)
{
    double x = as_f64(a), y = as_f64(b), z = as_f64(c), plain = fma(x, y, z);
    if (!scale || !isfinite(x) || !isfinite(y) || !isfinite(z))
        return finish64(from_f64(plain), keep);
    __float128 factor = (c >> 52 & 0x7ff) > 1023 ? 0x1p128 : 0x1p-128;
    return finish64(from_f64((double)(sum_odd((__float128)x * y, z) * factor)), keep);
}
LANE_OP64(div_fmas_f64, fmas64(a, b, c, v->mask_in >> l & 1, keep_out64(v)))

struct fixup {
    unsigned mantissa, exponent;
    int limit; /* exponent difference below which the quotient is zero */
};

/* Special cases of a quotient: a the quotient, b the denominator, c the numerator. */
static uint64_t div_fixup(uint64_t a, uint64_t b, uint64_t c, struct fixup f)
{
    uint64_t sign_bit = UINT64_C(1) << (f.mantissa + f.exponent), quiet = UINT64_C(1) << (f.mantissa - 1);
    uint64_t inf = ((UINT64_C(1) << f.exponent) - 1) << f.mantissa, nan = sign_bit | inf | quiet;
    uint64_t sign = (b ^ c) & sign_bit, x = b & (sign_bit - 1), y = c & (sign_bit - 1);
    if (y > inf)
        return c | quiet;
    if (x > inf)
        return b | quiet;
    if ((x == 0 && y == 0) || (x == inf && y == inf))
        return nan;
    if (x == 0 || y == inf)
        return sign | inf;
    if (x == inf || y == 0)
        return sign;
    if ((int)(y >> f.mantissa) - (int)(x >> f.mantissa) < f.limit)
        return sign;
    if ((a & (sign_bit - 1)) > inf) /* the steps before overflowed */
        return sign | inf;
    return sign | (a & (sign_bit - 1));
}
LANE_OP(div_fixup_f32, div_fixup(a, b, c, (struct fixup){23, 8, -150}))
LANE_OP(div_fixup_f16, div_fixup(a & 0xffff, b & 0xffff, c & 0xffff, (struct fixup){10, 5, -1000}))
LANE_OP64(div_fixup_f64, div_fixup(a, b, c, (struct fixup){52, 11, -1075}))

const struct valu_op valu_div_ops[] = {
    {OP_V_DIV_SCALE_F32, T_F32, T_F32, 7, div_scale_f32}, {OP_V_DIV_SCALE_F64, T_F64, T_F64, 7, div_scale_f64},
    {OP_V_DIV_FMAS_F32, T_F32, T_F32, 7, div_fmas_f32},   {OP_V_DIV_FMAS_F64, T_F64, T_F64, 7, div_fmas_f64},
    {OP_V_DIV_FIXUP_F32, T_F32, T_F32, 7, div_fixup_f32}, {OP_V_DIV_FIXUP_F16, T_F16, T_F16, 7, div_fixup_f16},
    {OP_V_DIV_FIXUP_F64, T_F64, T_F64, 7, div_fixup_f64}, {0},
};
