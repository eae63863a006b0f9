/* SPDX-License-Identifier: Apache-2.0
 * Transcendental operations in 64-bit integer arithmetic over tables of quadratic pieces (sw/tools/gen/gen_tables.c).
 * docs/reference/isa.md, "Transcendentals", tells the algorithm; rtl/cu/fpu repeats it bit for bit.
 * The 32-bit functions flush subnormal sources and results.  Not responsible for: MODE, modifiers.
 */
#include "valu/trans.h"

#include <stdbool.h>

#include "trans_tables.h"

#define QNAN32 UINT32_C(0x7fc00000)
#define INF32 UINT32_C(0x7f800000)
#define QNAN64 UINT64_C(0x7ff8000000000000)
#define INF64 UINT64_C(0x7ff0000000000000)

/* c0 + c1 x + c2 x^2 with x a fraction of `bits` bits (at most 22); result with 30 fractional bits. */
static int64_t piece(const int32_t c[3], int64_t x, unsigned bits)
{
    int64_t square = (c[2] * (x * x)) >> bits;
    return c[0] + ((c[1] * x + square) >> bits);
}

/* y * 2^exponent, y > 0, as float: rounded half up to 24 bits; subnormals flushed to zero. */
static uint32_t pack32(uint32_t sign, uint64_t y, int exponent)
{
    int zeros = __builtin_clzll(y);
    uint64_t top = y << zeros;                            /* leading one in bit 63 */
    uint64_t rounded = (top >> 40) + (top >> 39 & 1);     /* 2^23 .. 2^24 inclusive */
    int e = exponent + 63 - zeros + (int)(rounded >> 24); /* of the leading one */
    if (e > 127)
        return sign | INF32;
    if (e < -126)
        return sign;
    return sign | (uint32_t)(e + 127) << 23 | (rounded & 0x7fffff);
}

uint32_t trans_rcp32(uint32_t x)
{
    uint32_t sign = x & 0x80000000, e = x >> 23 & 255, m = x & 0x7fffff;
    if (e == 255)
        return m ? QNAN32 : sign;
    if (e == 0)
        return sign | INF32;
    /* +2: a mantissa of ones, whose reciprocal is just above the middle of two floats, must round up for division */
    return pack32(sign, piece(trans_rcp[m >> 15], m & 0x7fff, 15) + 2, 127 - (int)e - 30);
}

/* Power of four and mantissa in [1, 4): odd tells which half. */
struct root {
    int exponent;
    uint32_t odd;
};

static struct root halve(int e)
{
    struct root r = {(e - (e & 1)) / 2, e & 1};
    return r;
}

uint32_t trans_rsq32(uint32_t x)
{
    uint32_t sign = x & 0x80000000, e = x >> 23 & 255, m = x & 0x7fffff;
    if (e == 255 && m)
        return QNAN32;
    if (e == 0)
        return sign | INF32;
    if (sign)
        return QNAN32;
    if (e == 255)
        return 0;
    struct root r = halve((int)e - 127);
    const int32_t *c = r.odd ? trans_rsq2[m >> 15] : trans_rsq1[m >> 15];
    return pack32(0, piece(c, m & 0x7fff, 15), -r.exponent - 30);
}

uint32_t trans_sqrt32(uint32_t x)
{
    uint32_t sign = x & 0x80000000, e = x >> 23 & 255, m = x & 0x7fffff;
    if (e == 255 && m)
        return QNAN32;
    if (e == 0)
        return sign;
    if (sign)
        return QNAN32;
    if (e == 255)
        return INF32;
    struct root r = halve((int)e - 127);
    const int32_t *c = r.odd ? trans_sqrt2[m >> 15] : trans_sqrt1[m >> 15];
    return pack32(0, piece(c, m & 0x7fff, 15), r.exponent - 30);
}

/* |x| as an integer with 32 fractional bits, truncated; e the biased exponent, at most 127 + 8. */
static uint64_t fixed32(uint32_t e, uint32_t m)
{
    uint64_t full = UINT64_C(0x800000) | m; /* weight of bit 0: 2^(e - 150) */
    int left = (int)e - 118;
    return left >= 0 ? full << left : left > -24 ? full >> -left : 0;
}

uint32_t trans_exp32(uint32_t x)
{
    uint32_t sign = x >> 31, e = x >> 23 & 255, m = x & 0x7fffff;
    if (e == 255 && m)
        return QNAN32;
    if (e > 134) /* 2^8 and more */
        return sign ? 0 : INF32;
    uint64_t f = e ? fixed32(e, m) : 0;
    int64_t t = sign ? -(int64_t)f : (int64_t)f;
    int64_t n = t >> 32;
    uint32_t fraction = (uint32_t)t;
    if (n < -126)
        return 0;
    if (n > 127)
        return INF32;
    return pack32(0, piece(trans_exp2[fraction >> 24], fraction >> 2 & 0x3fffff, 22), (int)n - 30);
}

uint32_t trans_log32(uint32_t x)
{
    uint32_t sign = x >> 31, e = x >> 23 & 255, m = x & 0x7fffff;
    if (e == 255 && m)
        return QNAN32;
    if (e == 0)
        return 0x80000000 | INF32;
    if (sign)
        return QNAN32;
    if (e == 255)
        return INF32;
    int upper = m >> 22; /* mantissa in [1.5, 2): take half of it */
    int64_t n = (int64_t)e - 127 + upper;
    int64_t t = upper ? (int64_t)(m | 0x800000) - 0x1000000 : (int64_t)m << 1; /* (mantissa - 1) * 2^24 */
    int64_t sum = n * (INT64_C(1) << 54) + t * piece(trans_log2[m >> 15], m & 0x7fff, 15);
    if (sum == 0)
        return 0;
    return pack32(sum < 0 ? 0x80000000 : 0, sum < 0 ? -(uint64_t)sum : (uint64_t)sum, -54);
}

/* Sine of `turn` / 2^32 revolutions. */
static uint32_t sine(uint32_t turn)
{
    uint32_t quadrant = turn >> 30, q = turn & 0x3fffffff;
    uint32_t u = quadrant & 1 ? (q ? 0x40000000 - q : 0x3fffffff) : q;
    if (u == 0)
        return 0;
    uint64_t h = piece(trans_sin[u >> 22], u & 0x3fffff, 22);
    return pack32(quadrant & 2 ? 0x80000000 : 0, h * u, -60);
}

uint32_t trans_sin32(uint32_t x)
{
    uint32_t e = x >> 23 & 255, m = x & 0x7fffff;
    if (e == 255)
        return QNAN32;
    if (e > 135 || (e == 135 && m)) /* more than 256 revolutions */
        return 0;
    if (e == 0)
        return x & 0x80000000;
    uint32_t turn = (uint32_t)fixed32(e, m);
    return sine(x >> 31 ? -turn : turn);
}

uint32_t trans_cos32(uint32_t x)
{
    uint32_t e = x >> 23 & 255, m = x & 0x7fffff;
    if (e == 255)
        return QNAN32;
    if (e > 135 || (e == 135 && m))
        return 0x3f800000;
    uint32_t turn = e ? (uint32_t)fixed32(e, m) : 0;
    return sine((x >> 31 ? -turn : turn) + 0x40000000);
}

/* y (30 fractional bits, in [1/2, 2)) times 2^exponent as a double; subnormal results are truncated. */
static uint64_t pack64(uint64_t sign, uint64_t y, int exponent)
{
    int zeros = __builtin_clzll(y);
    uint64_t m = y << (zeros - 11); /* hidden bit in bit 52 */
    int e = exponent + 33 - zeros + 1023;
    if (e >= 2047)
        return sign | INF64;
    if (e <= 0)
        return e < -52 ? sign : sign | m >> (1 - e);
    return sign | (uint64_t)e << 52 | (m & ((UINT64_C(1) << 52) - 1));
}

/* Normalised mantissa: 30 bits below the hidden bit, and the exponent. */
struct double_parts {
    uint32_t index, x; /* 8 and 22 bits */
    int exponent;
};

static struct double_parts split64(uint64_t bits)
{
    uint64_t m = bits & ((UINT64_C(1) << 52) - 1);
    int e = bits >> 52 & 0x7ff;
    if (e == 0) {
        int zeros = __builtin_clzll(m);
        m = m << (zeros - 11) & ((UINT64_C(1) << 52) - 1);
        e = 12 - zeros;
    }
    struct double_parts p = {m >> 44, m >> 22 & 0x3fffff, e - 1023};
    return p;
}

uint64_t trans_rcp64(uint64_t x)
{
    uint64_t sign = x & (UINT64_C(1) << 63), y = x ^ sign;
    if (y > INF64)
        return QNAN64;
    if (y == INF64)
        return sign;
    if (y == 0)
        return sign | INF64;
    struct double_parts p = split64(y);
    uint64_t r = pack64(sign, piece(trans_rcp[p.index], p.x, 22), -p.exponent);
    /* a mantissa of ones: the nearest double, from which Newton steps do not depart (needed by division) */
    uint64_t ones = (UINT64_C(1) << 52) - 1;
    bool normal = (y & ones) == ones && (r >> 52 & 0x7ff) != 0;
    return normal ? (sign | (uint64_t)(1023 - 1 - p.exponent) << 52 | 1) : r;
}

uint64_t trans_rsq64(uint64_t x)
{
    uint64_t sign = x & (UINT64_C(1) << 63), y = x ^ sign;
    if (y > INF64)
        return QNAN64;
    if (y == 0)
        return sign | INF64;
    if (sign)
        return QNAN64;
    if (y == INF64)
        return 0;
    struct double_parts p = split64(y);
    struct root r = halve(p.exponent);
    return pack64(0, piece(r.odd ? trans_rsq2[p.index] : trans_rsq1[p.index], p.x, 22), -r.exponent);
}

uint64_t trans_sqrt64(uint64_t x)
{
    uint64_t sign = x & (UINT64_C(1) << 63), y = x ^ sign;
    if (y > INF64)
        return QNAN64;
    if (y == 0)
        return x;
    if (sign)
        return QNAN64;
    if (y == INF64)
        return INF64;
    struct double_parts p = split64(y);
    struct root r = halve(p.exponent);
    return pack64(0, piece(r.odd ? trans_sqrt2[p.index] : trans_sqrt1[p.index], p.x, 22), r.exponent);
}

/* 53 bits of 2/pi from bit 53*segment + max(0, exponent - 1077) on, at their place (times 2^128 for huge x). */
uint64_t trans_preop64(uint64_t x, uint32_t segment)
{
    int e = x >> 52 & 0x7ff;
    int shift = (int)(segment & 31) * 53 + (e > 1077 ? e - 1077 : 0);
    uint64_t bits = 0;
    for (int n = 0; n < 53; n++) {
        int at = shift + n; /* bit 0: the most significant of the fraction */
        uint64_t bit = at < 1201 ? trans_two_over_pi[at / 32] >> (31 - at % 32) & 1 : 0;
        bits = bits << 1 | bit;
    }
    if (bits == 0)
        return 0;
    int zeros = __builtin_clzll(bits) - 11;
    int exponent = 1023 - shift - 1 - zeros + (e >= 1968 ? 128 : 0);
    if (exponent <= 0)
        return 0;
    return (uint64_t)exponent << 52 | (bits << zeros & ((UINT64_C(1) << 52) - 1));
}
