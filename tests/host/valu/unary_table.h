/* SPDX-License-Identifier: Apache-2.0
 * Right results of the unary vector operations on 16 and 32 bits, by integers alone (the transcendental ones:
 * test_trans.c). A function gets the raw source and MODE and returns the result register.
 */
#ifndef TEST_GCN3_UNARY_TABLE_H
#define TEST_GCN3_UNARY_TABLE_H
#include "../isa/reference.h"

typedef uint64_t unary(uint32_t x, uint8_t mode);
struct unary_op {
    unsigned op;
    const char *name;
    unary *f;
    bool wide, rounds; /* 64-bit result; depends on the rounding mode */
};

/* A float format: significant bits with the hidden one, width. */
struct unary_format {
    unsigned p, bits;
};
static const struct unary_format F16 = {11, 16}, F32 = {24, 32}, F64 = {53, 64};

/* Sign, magnitude m * 2^e (e of the lowest bit) of a finite number. */
struct number {
    bool negative, nan, inf;
    uint64_t m;
    int e;
};

static inline struct number split(uint64_t x, struct unary_format f)
{
    unsigned m = f.p - 1, w = f.bits - 1 - m;
    uint64_t field = x >> m & ((UINT64_C(1) << w) - 1), fraction = x & ((UINT64_C(1) << m) - 1);
    int bias = (1 << (w - 1)) - 1;
    struct number n = {x >> (f.bits - 1) & 1, false, false, field ? fraction | UINT64_C(1) << m : fraction,
                       (int)(field ? field : 1) - bias - (int)m};
    n.nan = field == (UINT64_C(1) << w) - 1 && fraction;
    n.inf = field == (UINT64_C(1) << w) - 1 && !fraction;
    return n;
}

/* Rounding to a format; the canonical NaN; subnormals kept. */
static inline uint64_t join(struct number n, struct unary_format f, unsigned mode)
{
    unsigned m = f.p - 1, w = f.bits - 1 - m;
    int bias = (1 << (w - 1)) - 1, low = 1 - bias - (int)m;
    uint64_t sign = (uint64_t)n.negative << (f.bits - 1), inf = ((UINT64_C(1) << w) - 1) << m;
    if (n.nan)
        return inf | UINT64_C(1) << (m - 1);
    if (n.inf)
        return sign | inf;
    if (!n.m)
        return sign;
    int zeros = __builtin_clzll(n.m), e = n.e + 64 - zeros - (int)f.p; /* exponent of the last bit kept */
    e = e < low ? low : e;
    int drop = e - n.e;
    uint64_t kept = drop <= 0 ? n.m << -drop : drop > 63 ? 0 : n.m >> drop;
    uint64_t rest = drop <= 0   ? 0
                    : drop > 63 ? n.m
                                : n.m & ((UINT64_C(1) << drop) - 1),
             half = drop > 0 && drop <= 64 ? UINT64_C(1) << (drop - 1) : 0;
    int compared = drop > 64 ? -1 : rest < half ? -1 : rest > half;
    kept += rest && rounds_away(mode, n.negative, kept & 1, compared, true);
    uint64_t r = kept + ((uint64_t)(e - low) << m);
    if (r >= inf)
        r = rounds_away(mode, n.negative, true, 1, true) ? inf : inf - 1;
    return sign | r;
}

/* The whole number below (down), above (up), next to zero (neither), or nearest with ties to even (near). */
enum direction { DOWN, UP, ZERO, NEAR };
static inline struct number whole(struct number n, enum direction d)
{
    if (n.nan || n.inf || !n.m || n.e >= 0)
        return n;
    unsigned drop = -n.e;
    uint64_t kept = drop > 63 ? 0 : n.m >> drop, rest = drop > 63 ? n.m : n.m & ((UINT64_C(1) << drop) - 1);
    uint64_t half = drop < 64 ? UINT64_C(1) << (drop - 1) : 0;
    int compared = drop > 63 ? -1 : rest < half ? -1 : rest > half;
    unsigned mode = d == DOWN ? 2 : d == UP ? 1 : d == ZERO ? 3 : 0;
    kept += rest && rounds_away(mode, n.negative, kept & 1, compared, true);
    return (struct number){n.negative, false, false, kept, 0};
}

/* Saturated integer of a number with e >= 0 or m = 0. */
static inline int64_t saturate(struct number n, int64_t low, int64_t high)
{
    if (n.nan)
        return 0;
    bool large = n.inf || (n.m && (n.e > 40 || __builtin_clzll(n.m) < n.e + 1 || (n.m << n.e) > (UINT64_C(1) << 60)));
    int64_t v = large ? INT64_C(1) << 60 : n.m ? (int64_t)(n.m << n.e) : 0;
    v = n.negative ? -v : v;
    return v < low ? low : v > high ? high : v;
}

static inline struct number integer(int64_t x)
{
    return (struct number){x < 0, false, false, x < 0 ? -(uint64_t)x : (uint64_t)x, 0};
}

#define IN32 split(source32(x, mode & 0x10), F32)
#define IN16 split(source16(x & 0xffff, mode & 0x40), F16)
#define R32 (mode & 3)
#define R16 (mode >> 2 & 3)
#define OUT32(n) result32(join((n), F32, R32), mode & 0x20)
#define OUT16(n) result16(join((n), F16, R16), mode & 0x80)
#define UNARY(name, expression)                                                                                        \
    static uint64_t u_##name(uint32_t x, uint8_t mode)                                                                 \
    {                                                                                                                  \
        (void)mode;                                                                                                    \
        return expression;                                                                                             \
    }

/* x - floor(x) below 1; an exact zero is -0 when rounding down. */
static inline struct number fraction(struct number n, unsigned mode)
{
    if (n.nan)
        return n;
    if (n.inf)
        return (struct number){.nan = true};
    struct number zero = {.negative = mode == 2};
    if (!n.m || n.e >= 0)
        return zero;
    unsigned drop = -n.e;
    if (drop > 62) {                                                              /* far below 1 */
        struct number rest = {false, false, false, (UINT64_C(1) << 62) - 1, -62}; /* 1 - tiny */
        return n.negative ? rest : n;
    }
    uint64_t rest = n.m & ((UINT64_C(1) << drop) - 1);
    if (!rest)
        return zero;
    return (struct number){false, false, false, n.negative ? (UINT64_C(1) << drop) - rest : rest, n.e};
}
static inline uint64_t below_one(uint64_t r, uint64_t one)
{
    return r >= one && r < 2 * one && (r & ~one) == 0 ? one - 1 : r;
}

static inline struct number mantissa(struct number n)
{
    if (!n.nan && !n.inf && n.m)
        n.e = __builtin_clzll(n.m) - 64;
    return n;
}
static inline int exponent(struct number n)
{
    return n.nan || n.inf || !n.m ? 0 : n.e + 64 - __builtin_clzll(n.m);
}

static inline uint32_t reversed(uint32_t x)
{
    uint32_t r = 0;
    for (unsigned n = 0; n < 32; n++)
        r |= (x >> n & 1) << (31 - n);
    return r;
}
static inline uint32_t first_high(uint32_t x)
{
    return x ? (uint32_t)__builtin_clz(x) : UINT32_MAX;
}

UNARY(cvt_i32_f32, (uint32_t)saturate(whole(IN32, ZERO), INT32_MIN, INT32_MAX))
UNARY(cvt_u32_f32, (uint32_t)saturate(whole(IN32, ZERO), 0, UINT32_MAX))
UNARY(cvt_flr_i32_f32, (uint32_t)saturate(whole(IN32, DOWN), INT32_MIN, INT32_MAX))
static uint64_t u_cvt_rpi_i32_f32(uint32_t x, uint8_t mode) /* floor(x + 0.5), exact: floor((2x + 1) / 2) */
{
    struct number n = IN32;
    if (n.nan || n.inf || n.e >= 0)
        return (uint32_t)saturate(n, INT32_MIN, INT32_MAX);
    if (n.e < -40)
        return 0; /* |x| far below 1/2 */
    int64_t v = (int64_t)n.m * (n.negative ? -1 : 1), half = INT64_C(1) << (-n.e - 1);
    return (uint32_t)((v + half) >> -n.e);
}
UNARY(cvt_f32_i32, OUT32(integer((int32_t)x)))
UNARY(cvt_f32_u32, OUT32(integer(x)))
UNARY(cvt_f16_f32, result16(join(IN32, F16, R16), mode & 0x80))
UNARY(cvt_f64_f32, join(IN32, F64, 0))
UNARY(cvt_f64_i32, join(integer((int32_t)x), F64, 0))
UNARY(cvt_f64_u32, join(integer(x), F64, 0))
UNARY(cvt_f32_ubyte0, join(integer(x & 255), F32, 0))
UNARY(cvt_f32_ubyte1, join(integer(x >> 8 & 255), F32, 0))
UNARY(cvt_f32_ubyte2, join(integer(x >> 16 & 255), F32, 0))
UNARY(cvt_f32_ubyte3, join(integer(x >> 24), F32, 0))
static uint64_t u_cvt_off_f32_i4(uint32_t x, uint8_t mode) /* four bits, signed, in sixteenths */
{
    struct number n = integer((int)((x & 15) ^ 8) - 8);
    n.e = -4;
    (void)mode;
    return join(n, F32, 0);
}
UNARY(floor_f32, OUT32(whole(IN32, DOWN)))
UNARY(ceil_f32, OUT32(whole(IN32, UP)))
UNARY(trunc_f32, OUT32(whole(IN32, ZERO)))
UNARY(rndne_f32, OUT32(whole(IN32, NEAR)))
UNARY(fract_f32, below_one(OUT32(fraction(IN32, R32)), 0x3f800000))
UNARY(frexp_mant_f32, result32(join(mantissa(IN32), F32, 0), true))
UNARY(frexp_exp_i32_f32, (uint32_t)exponent(IN32))
UNARY(mov_b32, x)
UNARY(not_b32, ~x)
UNARY(bfrev_b32, reversed(x))
UNARY(ffbh_u32, first_high(x))
UNARY(ffbl_b32, first_high(reversed(x)))
UNARY(ffbh_i32, first_high(x ^ (uint32_t)((int32_t)x >> 31)))
UNARY(cvt_f32_f16, join(IN16, F32, 0))
UNARY(cvt_f16_u16, OUT16(integer(x & 0xffff)))
UNARY(cvt_f16_i16, OUT16(integer((int16_t)x)))
UNARY(cvt_u16_f16, saturate(whole(IN16, ZERO), 0, 65535))
UNARY(cvt_i16_f16, (uint16_t)saturate(whole(IN16, ZERO), -32768, 32767))
UNARY(floor_f16, OUT16(whole(IN16, DOWN)))
UNARY(ceil_f16, OUT16(whole(IN16, UP)))
UNARY(trunc_f16, OUT16(whole(IN16, ZERO)))
UNARY(rndne_f16, OUT16(whole(IN16, NEAR)))
UNARY(fract_f16, below_one(OUT16(fraction(IN16, R16)), 0x3c00))
UNARY(frexp_mant_f16, join(mantissa(IN16), F16, 0))
UNARY(frexp_exp_i16_f16, (uint16_t)exponent(IN16))

#define ROW(op, name, wide, rounds)                                                                                    \
    {                                                                                                                  \
        OP_V_##op, #name, u_##name, wide, rounds                                                                       \
    }
static const struct unary_op unary32[] = {
    ROW(CVT_I32_F32, cvt_i32_f32, false, false),
    ROW(CVT_U32_F32, cvt_u32_f32, false, false),
    ROW(CVT_FLR_I32_F32, cvt_flr_i32_f32, false, false),
    ROW(CVT_RPI_I32_F32, cvt_rpi_i32_f32, false, false),
    ROW(CVT_F32_I32, cvt_f32_i32, false, true),
    ROW(CVT_F32_U32, cvt_f32_u32, false, true),
    ROW(CVT_F16_F32, cvt_f16_f32, false, true),
    ROW(CVT_F64_F32, cvt_f64_f32, true, false),
    ROW(CVT_F64_I32, cvt_f64_i32, true, false),
    ROW(CVT_F64_U32, cvt_f64_u32, true, false),
    ROW(CVT_F32_UBYTE0, cvt_f32_ubyte0, false, false),
    ROW(CVT_F32_UBYTE1, cvt_f32_ubyte1, false, false),
    ROW(CVT_F32_UBYTE2, cvt_f32_ubyte2, false, false),
    ROW(CVT_F32_UBYTE3, cvt_f32_ubyte3, false, false),
    ROW(CVT_OFF_F32_I4, cvt_off_f32_i4, false, false),
    ROW(FLOOR_F32, floor_f32, false, false),
    ROW(CEIL_F32, ceil_f32, false, false),
    ROW(TRUNC_F32, trunc_f32, false, false),
    ROW(RNDNE_F32, rndne_f32, false, false),
    ROW(FRACT_F32, fract_f32, false, true),
    ROW(FREXP_MANT_F32, frexp_mant_f32, false, false),
    ROW(FREXP_EXP_I32_F32, frexp_exp_i32_f32, false, false),
    ROW(MOV_B32, mov_b32, false, false),
    ROW(NOT_B32, not_b32, false, false),
    ROW(BFREV_B32, bfrev_b32, false, false),
    ROW(FFBH_U32, ffbh_u32, false, false),
    ROW(FFBL_B32, ffbl_b32, false, false),
    ROW(FFBH_I32, ffbh_i32, false, false),
};
static const struct unary_op unary16[] = {
    ROW(CVT_F32_F16, cvt_f32_f16, false, false),
    ROW(CVT_F16_U16, cvt_f16_u16, false, true),
    ROW(CVT_F16_I16, cvt_f16_i16, false, true),
    ROW(CVT_U16_F16, cvt_u16_f16, false, false),
    ROW(CVT_I16_F16, cvt_i16_f16, false, false),
    ROW(FLOOR_F16, floor_f16, false, false),
    ROW(CEIL_F16, ceil_f16, false, false),
    ROW(TRUNC_F16, trunc_f16, false, false),
    ROW(RNDNE_F16, rndne_f16, false, false),
    ROW(FRACT_F16, fract_f16, false, true),
    ROW(FREXP_MANT_F16, frexp_mant_f16, false, false),
    ROW(FREXP_EXP_I16_F16, frexp_exp_i16_f16, false, false),
};
#endif
