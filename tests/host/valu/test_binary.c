/* SPDX-License-Identifier: Apache-2.0
 * Vector operations of two and three sources of the golden model against plain C that shares nothing with it: integers,
 * bit fields, sums of differences, carries, minimum, maximum, median, packing conversions,
 * ldexp, multiply-add with two roundings, bits of 2/pi (from MPFR; C.2).  Sources are random, one in three a corner.
 * Other sums and products, divisions: test_ieee.c; compares: test_compare.c, one source: test_unary.c.
 *
 * libs: -lmpfr -lgmp
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <mpfr.h>

#include "../isa/sources.h"

/* ---- results in vector registers */

typedef uint64_t function(uint64_t a, uint64_t b, uint64_t c);
#define F(name, expression)                                                                                            \
    static uint64_t name(uint64_t a64, uint64_t b64, uint64_t c64)                                                     \
    {                                                                                                                  \
        const uint32_t a = a64, b = b64, c = c64;                                                                      \
        (void)a, (void)b, (void)c, (void)a64, (void)b64, (void)c64;                                                    \
        return (expression);                                                                                           \
    }
#define S(x) ((int32_t)(x))
#define S24(x) (S((x) << 8) >> 8)
#define U24(x) ((x)&0xffffff)
#define LOW(x, y) ((x) < (y) ? (x) : (y))
#define HIGH(x, y) ((x) > (y) ? (x) : (y))
#define MEDIAN(x, y, z) HIGH(LOW(x, y), LOW(HIGH(x, y), z))

F(and, a &b)
F(or, a | b)
F(xor, a ^ b)
F(lshlrev, b << (a & 31))
F(lshrrev, b >> (a & 31))
F(ashrrev, (uint32_t)(S(b) >> (a & 31)))
F(lshlrev16, U16(b << (a & 15)))
F(lshrrev16, U16(b) >> (a & 15))
F(ashrrev16, U16(S16(b) >> (a & 15)))
F(lshlrev64, b64 << (a & 63))
F(lshrrev64, b64 >> (a & 63))
F(ashrrev64, (uint64_t)((int64_t)b64 >> (a & 63)))
F(mul_lo, a *b)
F(mul_hi_u, (uint64_t)a *b >> 32)
F(mul_hi_i, (uint32_t)((int64_t)S(a) * S(b) >> 32))
F(mul_i24, (uint32_t)((int64_t)S24(a) * S24(b)))
F(mul_u24, (uint32_t)((uint64_t)U24(a) * U24(b)))
F(mul_hi_i24, (uint32_t)((int64_t)S24(a) * S24(b) >> 32))
F(mul_hi_u24, (uint64_t)U24(a) * U24(b) >> 32)
F(mad_i24, (uint32_t)((int64_t)S24(a) * S24(b)) + c)
F(mad_u24, (uint32_t)((uint64_t)U24(a) * U24(b)) + c)
F(mad_u64, (uint64_t)a *b + c64)
F(mad_i64, (uint64_t)((int64_t)S(a) * S(b)) + c64)
F(add16, U16(a + b))
F(sub16, U16(a - b))
F(subrev16, U16(b - a))
F(mul16, U16(U16(a) * (uint32_t)U16(b)))
F(mad16, U16(U16(a) * (uint32_t)U16(b) + c))
F(min_i, (uint32_t)LOW(S(a), S(b)))
F(max_i, (uint32_t)HIGH(S(a), S(b)))
F(min_u, LOW(a, b))
F(max_u, HIGH(a, b))
F(min_i16, U16(LOW(S16(a), S16(b))))
F(max_i16, U16(HIGH(S16(a), S16(b))))
F(min_u16, LOW(U16(a), U16(b)))
F(max_u16, HIGH(U16(a), U16(b)))
F(min3_i, (uint32_t)LOW(LOW(S(a), S(b)), S(c)))
F(max3_i, (uint32_t)HIGH(HIGH(S(a), S(b)), S(c)))
F(med3_i, (uint32_t)MEDIAN(S(a), S(b), S(c)))
F(min3_u, LOW(LOW(a, b), c))
F(max3_u, HIGH(HIGH(a, b), c))
F(med3_u, MEDIAN(a, b, c))
F(bfe_u, a >> (b & 31) & ((UINT64_C(1) << (c & 31)) - 1))
F(bfm, ((1u << (a & 31)) - 1) << (b & 31))
F(bfi, (a & b) | (~a & c))
F(alignbit, (uint32_t)(((uint64_t)a << 32 | b) >> (c & 31)))
F(alignbyte, (uint32_t)(((uint64_t)a << 32 | b) >> 8 * (c & 3)))
F(bcnt, b + (uint32_t)__builtin_popcount(a))
F(pack_u, LOW(a, 0xffffu) | LOW(b, 0xffffu) << 16)
F(pack_i, U16(HIGH(LOW(S(a), 32767), -32768)) | (uint32_t)U16(HIGH(LOW(S(b), 32767), -32768)) << 16)

static uint64_t bfe_i(uint64_t a, uint64_t b, uint64_t c)
{
    const unsigned at = b & 31, width = c & 31;
    uint32_t x = 0;
    for (unsigned n = 0; n < 32 && width; n++) { /* bit by bit; beyond the width, and beyond bit 31, the sign */
        const unsigned from = at + (n < width ? n : width - 1);
        x |= (uint32_t)(a >> (from < 32 ? from : 31) & 1) << n;
    }
    return x;
}
static uint64_t perm(uint64_t a, uint64_t b, uint64_t c)
{
    const uint64_t data = (uint64_t)(uint32_t)a << 32 | (uint32_t)b;
    uint32_t x = 0;
    for (unsigned n = 0; n < 4; n++) {
        const unsigned selector = c >> 8 * n & 0xff;
        uint32_t byte = 0xff;
        if (selector < 8)
            byte = data >> 8 * selector & 0xff;
        else if (selector < 12)
            byte = data >> (16 * (selector - 8) + 15) & 1 ? 0xff : 0;
        else if (selector == 12)
            byte = 0;
        x |= byte << 8 * n;
    }
    return x;
}
static uint32_t differences(uint64_t a, uint64_t b, unsigned bits, bool masked)
{
    uint32_t sum = 0;
    for (unsigned at = 0; at < 32; at += bits) {
        const int64_t mask = (INT64_C(1) << bits) - 1, x = (int64_t)(a >> at) & mask, y = (int64_t)(b >> at) & mask;
        sum += masked && y == 0 ? 0 : (uint32_t)llabs(x - y);
    }
    return sum;
}
F(sad8, (uint32_t)(differences(a, b, 8, false) + c))
F(sad8_high, (uint32_t)((differences(a, b, 8, false) << 16) + c))
F(sad16, (uint32_t)(differences(a, b, 16, false) + c))
F(sad32, (uint32_t)(differences(a, b, 32, false) + c))
F(msad, (uint32_t)(differences(a, b, 8, true) + c))
static uint64_t lerp(uint64_t a, uint64_t b, uint64_t c)
{
    uint32_t x = 0;
    for (unsigned at = 0; at < 32; at += 8)
        x |= (uint32_t)((a >> at & 0xff) + (b >> at & 0xff) + (c >> at & 1)) / 2 << at;
    return x;
}
static uint64_t four(uint64_t a, uint64_t b, uint64_t c, bool masked)
{
    uint64_t x = 0;
    for (unsigned n = 0; n < 4; n++) {
        const uint64_t sum = differences((uint32_t)(a >> 8 * n), (uint32_t)b, 8, masked) + (c >> 16 * n & 0xffff);
        x |= (sum & 0xffff) << 16 * n;
    }
    return x;
}
F(qsad, four(a64, b64, c64, false))
F(mqsad, four(a64, b64, c64, true))

static uint32_t normal16(uint64_t x, double low, double factor)
{
    const double v = as32((uint32_t)x);
    return isnan(v) ? 0 : U16((int32_t)nearbyint(fmin(fmax(v, low), 1) * factor));
}
F(pknorm_i, normal16(a, -1, 32767) | normal16(b, -1, 32767) << 16)
F(pknorm_u, normal16(a, 0, 65535) | normal16(b, 0, 65535) << 16)
static uint64_t pack_u8(uint64_t a, uint64_t b, uint64_t c)
{
    const double v = as32((uint32_t)a);
    const uint32_t byte = isnan(v) ? 0 : (uint32_t)nearbyint(fmin(fmax(v, 0), 255));
    return ((uint32_t)c & ~(0xffu << 8 * (b & 3))) | byte << 8 * (b & 3);
}
F(ldexp64, of64(ldexp(as64(a64), HIGH(LOW(S(b), 5000), -5000))))
F(ldexp16, of16((_Float16)ldexp(as16(U16(a)), S16(b) > 100 ? 100 : S16(b) < -100 ? -100 : S16(b))))

/* 53 bits of 2/pi, of which 1,201 are kept (AMD's rule in reference texts: shift by segment and exponent). */
static uint64_t preop(uint64_t a, uint64_t b, uint64_t c)
{
    static mpfr_t ratio, t;
    (void)c;
    if (!ratio->_mpfr_prec) {
        mpfr_inits2(1400, ratio, t, (mpfr_ptr)0);
        mpfr_const_pi(ratio, MPFR_RNDN);
        mpfr_ui_div(ratio, 2, ratio, MPFR_RNDN);
        mpfr_mul_2ui(ratio, ratio, 1201, MPFR_RNDN);
        mpfr_floor(ratio, ratio);
    }
    const int field = a >> 52 & 0x7ff, shift = 53 * (b & 31) + (field > 1077 ? field - 1077 : 0);
    if (shift >= 1201)
        return 0;
    mpfr_div_2ui(t, ratio, 1201 - shift, MPFR_RNDN); /* what stands before the point goes, 53 bits behind it stay */
    mpfr_frac(t, t, MPFR_RNDN);
    mpfr_mul_2ui(t, t, 53, MPFR_RNDN);
    mpfr_floor(t, t);
    const double x = ldexp(mpfr_get_d(t, MPFR_RNDN), -shift - 53 + (field >= 1968 ? 128 : 0));
    return fabs(x) < DBL_MIN ? 0 : of64(x);
}

/* Minimum and maximum: a number goes before a NaN, a signalling NaN before all, -0 before +0; any NaN for any. */
static double least(double x, double y)
{
    return isnan(x) ? y : isnan(y) ? x : x == y ? (signbit(x) ? x : y) : LOW(x, y);
}
static double most(double x, double y)
{
    return isnan(x) ? y : isnan(y) ? x : x == y ? (signbit(x) ? y : x) : HIGH(x, y);
}
static bool signalling(uint64_t x, unsigned m, unsigned bits)
{
    const uint64_t quiet = UINT64_C(1) << (m - 1), inf = (UINT64_C(1) << (bits - 1)) - (UINT64_C(1) << m);
    x &= (UINT64_C(1) << (bits - 1)) - 1;
    return x > inf && !(x & quiet);
}
#define EXTREME(name, pick, convert, back, m, bits)                                                                    \
    F(name, back(signalling(a64, m, bits) || signalling(b64, m, bits) ? NAN : pick(convert(a64), convert(b64))))
#define TO16(x) of16((_Float16)(x))
#define TO32(x) of32((float)(x))
EXTREME(min16, least, HALF, TO16, 10, 16)
EXTREME(max16, most, HALF, TO16, 10, 16)
EXTREME(min32, least, SINGLE, TO32, 23, 32)
EXTREME(max32, most, SINGLE, TO32, 23, 32)
EXTREME(min64, least, as64, of64, 52, 64)
EXTREME(max64, most, as64, of64, 52, 64)
/* of numbers only */
#define SOME_NAN (isnan(SINGLE(a)) || isnan(SINGLE(b)) || isnan(SINGLE(c)))
#define ANY UINT64_MAX
F(min3_f, SOME_NAN ? ANY : TO32(least(least(SINGLE(a), SINGLE(b)), SINGLE(c))))
F(max3_f, SOME_NAN ? ANY : TO32(most(most(SINGLE(a), SINGLE(b)), SINGLE(c))))
F(med3_f, SOME_NAN ? ANY : TO32(most(least(SINGLE(a), SINGLE(b)), least(most(SINGLE(a), SINGLE(b)), SINGLE(c)))))

/* Multiply-add rounded twice, subnormals flushed everywhere whatever MODE says. */
static double flushed(double x, double least_normal)
{
    return fabs(x) < least_normal ? copysign(0, x) : x;
}
static uint32_t mad_single(uint64_t a, uint64_t b, uint64_t c)
{
    const float product = (float)(flushed(SINGLE(a), FLT_MIN) * flushed(SINGLE(b), FLT_MIN));
    const float sum = (float)flushed(product, FLT_MIN) + (float)flushed(SINGLE(c), FLT_MIN);
    return TO32(flushed(sum, FLT_MIN));
}
static uint16_t mad_half(uint64_t a, uint64_t b, uint64_t c)
{
    const double product = HALF(TO16(flushed(HALF(a), 0x1p-14) * flushed(HALF(b), 0x1p-14)));
    return TO16(flushed(HALF(TO16(flushed(product, 0x1p-14) + flushed(HALF(c), 0x1p-14))), 0x1p-14));
}
F(mad_f16, mad_half(a, b, c))
F(subrev_f32, TO32(SINGLE(b) - SINGLE(a)))
F(subrev_f16, TO16(HALF(b) - HALF(a)))
/* the quotient a of c by b, where it is a special one */
static uint64_t fixup16(uint64_t a, uint64_t b, uint64_t c)
{
    const double quotient = HALF(a), d = HALF(b), n = HALF(c), sign = signbit(d) == signbit(n) ? 1 : -1;
    if (isnan(n) || isnan(d) || (n == 0 && d == 0) || (isinf(n) && isinf(d)))
        return TO16(NAN);
    if (d == 0 || isinf(n))
        return TO16(sign * INFINITY);
    if (isinf(d) || n == 0)
        return TO16(sign * 0.0);
    return TO16(sign * (isnan(quotient) ? INFINITY : fabs(quotient)));
}

#define W(op, kinds, f)                                                                                                \
    {                                                                                                                  \
        OP_V_##op, #op, kinds, 'u', f                                                                                  \
    }
static const struct row {
    unsigned op;
    const char *name, *kinds;
    char result; /* 'u', 'l', and floats, of which all NaN are equal */
    function *f;
} table[] = {
    W(AND_B32, "uu", and),
    W(OR_B32, "uu", or),
    W(XOR_B32, "uu", xor),
    W(LSHLREV_B32, "uu", lshlrev),
    W(LSHRREV_B32, "uu", lshrrev),
    W(ASHRREV_I32, "uu", ashrrev),
    W(LSHLREV_B16, "uu", lshlrev16),
    W(LSHRREV_B16, "uu", lshrrev16),
    W(ASHRREV_I16, "uu", ashrrev16),
    W(MUL_LO_U32, "uu", mul_lo),
    W(MUL_HI_U32, "uu", mul_hi_u),
    W(MUL_HI_I32, "uu", mul_hi_i),
    W(MUL_I32_I24, "uu", mul_i24),
    W(MUL_U32_U24, "uu", mul_u24),
    W(MUL_HI_I32_I24, "uu", mul_hi_i24),
    W(MUL_HI_U32_U24, "uu", mul_hi_u24),
    W(MAD_I32_I24, "uuu", mad_i24),
    W(MAD_U32_U24, "uuu", mad_u24),
    W(ADD_U16, "uu", add16),
    W(SUB_U16, "uu", sub16),
    W(SUBREV_U16, "uu", subrev16),
    W(MUL_LO_U16, "uu", mul16),
    W(MAD_U16, "uuu", mad16),
    W(MAD_I16, "uuu", mad16),
    W(MIN_I32, "uu", min_i),
    W(MAX_I32, "uu", max_i),
    W(MIN_U32, "uu", min_u),
    W(MAX_U32, "uu", max_u),
    W(MIN_I16, "uu", min_i16),
    W(MAX_I16, "uu", max_i16),
    W(MIN_U16, "uu", min_u16),
    W(MAX_U16, "uu", max_u16),
    W(MIN3_I32, "uuu", min3_i),
    W(MAX3_I32, "uuu", max3_i),
    W(MED3_I32, "uuu", med3_i),
    W(MIN3_U32, "uuu", min3_u),
    W(MAX3_U32, "uuu", max3_u),
    W(MED3_U32, "uuu", med3_u),
    W(BFE_U32, "uuu", bfe_u),
    W(BFE_I32, "uuu", bfe_i),
    W(BFM_B32, "uu", bfm),
    W(BFI_B32, "uuu", bfi),
    W(ALIGNBIT_B32, "uuu", alignbit),
    W(ALIGNBYTE_B32, "uuu", alignbyte),
    W(PERM_B32, "uuu", perm),
    W(BCNT_U32_B32, "uu", bcnt),
    W(SAD_U8, "uuu", sad8),
    W(SAD_HI_U8, "uuu", sad8_high),
    W(SAD_U16, "uuu", sad16),
    W(SAD_U32, "uuu", sad32),
    W(MSAD_U8, "uuu", msad),
    W(LERP_U8, "uuu", lerp),
    W(CVT_PK_U16_U32, "uu", pack_u),
    W(CVT_PK_I16_I32, "uu", pack_i),
    W(CVT_PKNORM_I16_F32, "ff", pknorm_i),
    W(CVT_PKNORM_U16_F32, "ff", pknorm_u),
    W(CVT_PK_U8_F32, "fuu", pack_u8),
    {OP_V_LSHLREV_B64, "LSHLREV_B64", "ul", 'l', lshlrev64},
    {OP_V_LSHRREV_B64, "LSHRREV_B64", "ul", 'l', lshrrev64},
    {OP_V_ASHRREV_I64, "ASHRREV_I64", "ul", 'l', ashrrev64},
    {OP_V_MAD_U64_U32, "MAD_U64_U32", "uul", 'l', mad_u64},
    {OP_V_MAD_I64_I32, "MAD_I64_I32", "uul", 'l', mad_i64},
    {OP_V_QSAD_PK_U16_U8, "QSAD_PK_U16_U8", "lul", 'l', qsad},
    {OP_V_MQSAD_PK_U16_U8, "MQSAD_PK_U16_U8", "lul", 'l', mqsad},
    {OP_V_TRIG_PREOP_F64, "TRIG_PREOP_F64", "du", 'd', preop},
    {OP_V_LDEXP_F64, "LDEXP_F64", "du", 'd', ldexp64},
    {OP_V_LDEXP_F16, "LDEXP_F16", "hu", 'h', ldexp16},
    {OP_V_MIN_F16, "MIN_F16", "hh", 'h', min16},
    {OP_V_MAX_F16, "MAX_F16", "hh", 'h', max16},
    {OP_V_MIN_F32, "MIN_F32", "ff", 'f', min32},
    {OP_V_MAX_F32, "MAX_F32", "ff", 'f', max32},
    {OP_V_MIN_F64, "MIN_F64", "dd", 'd', min64},
    {OP_V_MAX_F64, "MAX_F64", "dd", 'd', max64},
    {OP_V_MIN3_F32, "MIN3_F32", "fff", 'f', min3_f},
    {OP_V_SUBREV_F32, "SUBREV_F32", "ff", 'f', subrev_f32},
    {OP_V_SUBREV_F16, "SUBREV_F16", "hh", 'h', subrev_f16},
    {OP_V_MAD_F16, "MAD_F16", "hhh", 'h', mad_f16},
    {OP_V_DIV_FIXUP_F16, "DIV_FIXUP_F16", "hhh", 'h', fixup16},
    {OP_V_MAX3_F32, "MAX3_F32", "fff", 'f', max3_f},
    {OP_V_MED3_F32, "MED3_F32", "fff", 'f', med3_f},
};

static bool equal(char kind, uint64_t x, uint64_t y)
{
    const bool nan = kind == 'h'   ? isnan(HALF(x)) && isnan(HALF(y))
                     : kind == 'f' ? isnan(SINGLE(x)) && isnan(SINGLE(y))
                                   : kind == 'd' && isnan(as64(x)) && isnan(as64(y));
    return nan || y == ANY || x == y;
}

/* shows C.2 */
static void results(void **unused)
{
    (void)unused;
    unsigned wrong = 0;
    for (unsigned n = 0; n < sizeof table / sizeof *table; n++) {
        const struct row *r = &table[n];
        const bool wide = r->result == 'l' || r->result == 'd', carry = r->f == mad_u64 || r->f == mad_i64;
        for (unsigned k = 0; k < ROUNDS; k++) {
            fill(r->kinds);
            uint64_t before[64][3], inst = vop3(r->op, D, A, B, C) | (carry ? SREG_VCC << 8 : 0);
            LANES64 for (unsigned s = 0; s < 3; s++) before[l][s] = get64(2 * s, l);
            if (r->kinds[2] == 0)
                inst &= ~(UINT64_C(511) << 50);
            assert_int_equal(machine_run(inst), 0);
            LANES64
            {
                const uint64_t want = r->f(before[l][0], before[l][1], before[l][2]);
                const uint64_t got = wide ? get64(D, l) : machine.v[D][l];
                if (!equal(r->result, got, want) && wrong++ < 20)
                    printf("v_%s: %llx %llx %llx: %llx instead of %llx\n", r->name, (long long)before[l][0],
                           (long long)before[l][1], (long long)before[l][2], (long long)got, (long long)want);
                if (r->f == mad_u64) {
                    const bool over =
                        (uint64_t)(uint32_t)before[l][0] * (uint32_t)before[l][1] + before[l][2] < before[l][2];
                    assert_int_equal(WAVE_VCC(&machine) >> l & 1, over);
                }
            }
        }
    }
    assert_int_equal(wrong, 0);
}

/* v_madmk, v_madak: a literal is the factor, or the addend. */
static void literals(void **unused)
{
    (void)unused;
    static const struct {
        unsigned op;
        bool factor;
        const char *sources;
    } rows[] = {{OP_V_MADMK_F32, true, "ff"},
                {OP_V_MADAK_F32, false, "ff"},
                {OP_V_MADMK_F16, true, "hh"},
                {OP_V_MADAK_F16, false, "hh"}};
    for (unsigned n = 0; n < sizeof rows / sizeof *rows; n++) {
        for (unsigned k = 0; k < ROUNDS; k++) {
            fill(rows[n].sources);
            const char kind = rows[n].sources[0];
            const uint64_t literal = source(kind);
            assert_int_equal(machine_run(literal << 32 | (rows[n].op & 0xff) << 25 | D << 17 | B << 9 | (256 + A)), 0);
            LANES64
            {
                const uint64_t a = machine.v[A][l], b = machine.v[B][l], x = rows[n].factor ? literal : b,
                               y = rows[n].factor ? b : literal;
                assert_true(equal(kind, machine.v[D][l], kind == 'f' ? mad_single(a, x, y) : mad_half(a, x, y)));
            }
        }
    }
}

/* ---- carries */

static void carries(void **unused)
{
    (void)unused;
    static const struct {
        unsigned op;
        int a, b; /* a * source 0 + b * source 1, and the carry with the sign of the result */
        bool in;
    } rows[] = {{OP_V_ADD_U32, 1, 1, false}, {OP_V_SUB_U32, 1, -1, false}, {OP_V_SUBREV_U32, -1, 1, false},
                {OP_V_ADDC_U32, 1, 1, true}, {OP_V_SUBB_U32, 1, -1, true}, {OP_V_SUBBREV_U32, -1, 1, true}};
    for (unsigned n = 0; n < sizeof rows / sizeof *rows; n++) {
        for (unsigned k = 0; k < ROUNDS; k++) {
            fill("uu");
            const uint64_t in = WAVE_VCC(&machine) = rnd64();
            uint64_t inst = vop3(rows[n].op, D, A, B, C) | SREG_VCC << 8;
            if (!rows[n].in)
                inst &= ~(UINT64_C(511) << 50);
            assert_int_equal(machine_run(inst), 0);
            LANES64
            {
                const int64_t x = machine.v[A][l], y = machine.v[B][l], c = rows[n].in && (in >> l & 1);
                const int64_t sum = rows[n].a * x + rows[n].b * y + (rows[n].a == rows[n].b ? c : -c);
                assert_int_equal(machine.v[D][l], (uint32_t)sum);
                assert_int_equal(WAVE_VCC(&machine) >> l & 1, sum < 0 || sum > UINT32_MAX);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(results), cmocka_unit_test(literals),
                                       cmocka_unit_test(carries)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
