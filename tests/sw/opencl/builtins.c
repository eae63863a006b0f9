/* SPDX-License-Identifier: Apache-2.0
 * The functions behind the rows of math_table.py.
 */
#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "oracle.h"

#define X (a->x[0])
#define Y (a->x[1])
#define Z (a->x[2])
#define ONE(name, call)                                                                                                \
    static int f_##name(mpfr_t y, const struct arguments *a)                                                           \
    {                                                                                                                  \
        return call(y, X, MPFR_RNDN);                                                                                  \
    }
#define TWO(name, call)                                                                                                \
    static int f_##name(mpfr_t y, const struct arguments *a)                                                           \
    {                                                                                                                  \
        return call(y, X, Y, MPFR_RNDN);                                                                               \
    }

/* clang-format indents each of such a list behind the one before. */
/* clang-format off */
ONE(acos, mpfr_acos) ONE(acosh, mpfr_acosh) ONE(acospi, mpfr_acospi) ONE(asin, mpfr_asin) ONE(asinh, mpfr_asinh)
ONE(asinpi, mpfr_asinpi) ONE(atan, mpfr_atan) ONE(atanh, mpfr_atanh) ONE(atanpi, mpfr_atanpi) ONE(cbrt, mpfr_cbrt)
ONE(cos, mpfr_cos) ONE(cosh, mpfr_cosh) ONE(cospi, mpfr_cospi) ONE(erf, mpfr_erf) ONE(erfc, mpfr_erfc)
ONE(exp, mpfr_exp) ONE(exp2, mpfr_exp2) ONE(exp10, mpfr_exp10) ONE(expm1, mpfr_expm1) ONE(log, mpfr_log)
ONE(log2, mpfr_log2) ONE(log10, mpfr_log10) ONE(log1p, mpfr_log1p) ONE(sin, mpfr_sin) ONE(sinh, mpfr_sinh)
ONE(sinpi, mpfr_sinpi) ONE(tan, mpfr_tan) ONE(tanh, mpfr_tanh) ONE(tanpi, mpfr_tanpi) ONE(tgamma, mpfr_gamma)
ONE(sqrt, mpfr_sqrt) ONE(rint, mpfr_rint) ONE(fabs, mpfr_abs) TWO(atan2, mpfr_atan2) TWO(atan2pi, mpfr_atan2pi)
TWO(hypot, mpfr_hypot) TWO(pow, mpfr_pow) TWO(fmod, mpfr_fmod) TWO(remainder, mpfr_remainder) TWO(add, mpfr_add)
TWO(sub, mpfr_sub) TWO(mul, mpfr_mul) TWO(div, mpfr_div) TWO(copysign, mpfr_copysign)
#define BODY(name) static int f_##name(mpfr_t y, const struct arguments *a)

BODY(rsqrt)
{
    int t = mpfr_rec_sqrt(y, X, MPFR_RNDN);
    if (mpfr_zero_p(X))
        mpfr_set_inf(y, mpfr_signbit(X) ? -1 : 1);
    return t;
}
/* clang-format on */
BODY(powr) /* MPFR follows IEEE 754: powr(1, NaN) = 1 */
{
    if (mpfr_nan_p(X) || mpfr_nan_p(Y))
        return mpfr_set_nan(y), 0;
    return mpfr_powr(y, X, Y, MPFR_RNDN);
}
BODY(pown)
{
    return mpfr_pow_si(y, X, a->n, MPFR_RNDN);
}
BODY(rootn)
{
    return mpfr_rootn_si(y, X, a->n, MPFR_RNDN);
}
BODY(recip)
{
    return mpfr_ui_div(y, 1, X, MPFR_RNDN);
}
BODY(ldexp)
{
    return mpfr_mul_2si(y, X, a->n, MPFR_RNDN);
}
BODY(fma)
{
    return mpfr_fma(y, X, Y, Z, MPFR_RNDN);
}
BODY(ceil)
{
    return mpfr_ceil(y, X), 0;
}
BODY(floor)
{
    return mpfr_floor(y, X), 0;
}
BODY(round)
{
    return mpfr_round(y, X), 0;
}
BODY(trunc)
{
    return mpfr_trunc(y, X), 0;
}

BODY(mad) /* product and sum rounded apart; the product of floats may be flushed, as every result */
{
    mpfr_t p;
    mpfr_init2(p, mpfr_get_prec(y));
    mpfr_subnormalize(p, mpfr_mul(p, X, Y, MPFR_RNDN), MPFR_RNDN);
    if (a->format->letter == 'f' && mpfr_regular_p(p) && mpfr_get_exp(p) < -125)
        mpfr_set_zero(p, mpfr_signbit(p) ? -1 : 1);
    int t = mpfr_add(y, p, Z, MPFR_RNDN);
    mpfr_clear(p);
    return t;
}
BODY(lgamma)
{
    int sign;
    return mpfr_lgamma(y, &sign, X, MPFR_RNDN);
}
BODY(lgamma_sign)
{
    mpfr_t t;
    int sign = 1;
    mpfr_init2(t, 64);
    mpfr_lgamma(t, &sign, X, MPFR_RNDN);
    if (mpfr_zero_p(X) || (mpfr_integer_p(X) && mpfr_signbit(X)))
        sign = 0;
    mpfr_clear(t);
    return mpfr_set_si(y, sign, MPFR_RNDN);
}
BODY(fract) /* min(x - floor(x), the largest number below 1) */
{
    if (!mpfr_number_p(X) || mpfr_zero_p(X)) {
        if (mpfr_inf_p(X))
            return mpfr_set_zero(y, mpfr_signbit(X) ? -1 : 1), 0;
        return mpfr_set(y, X, MPFR_RNDN);
    }
    mpfr_t w;
    mpfr_init2(w, 64);
    mpfr_floor(w, X);
    int t = mpfr_sub(y, X, w, MPFR_RNDN);
    mpfr_clear(w);
    if (mpfr_cmp_ui(y, 1) >= 0) {
        mpfr_set_ui(y, 1, MPFR_RNDN);
        mpfr_nextbelow(y);
        t = -1;
    }
    return t;
}
BODY(modf)
{
    return mpfr_frac(y, X, MPFR_RNDN);
}
BODY(frexp)
{
    mpfr_exp_t e;
    if (!mpfr_regular_p(X))
        return mpfr_set(y, X, MPFR_RNDN);
    return mpfr_frexp(&e, y, X, MPFR_RNDN);
}
BODY(frexp_exponent)
{
    return mpfr_set_si(y, mpfr_regular_p(X) ? mpfr_get_exp(X) : 0, MPFR_RNDN);
}
BODY(ilogb)
{
    return mpfr_set_si(y, mpfr_regular_p(X) ? mpfr_get_exp(X) - 1 : mpfr_zero_p(X) ? INT_MIN : INT_MAX, MPFR_RNDN);
}
BODY(logb)
{
    if (mpfr_regular_p(X))
        return mpfr_set_si(y, mpfr_get_exp(X) - 1, MPFR_RNDN);
    if (mpfr_nan_p(X))
        return mpfr_set_nan(y), 0;
    return mpfr_set_inf(y, mpfr_zero_p(X) ? -1 : 1), 0;
}
BODY(fdim)
{
    if (mpfr_nan_p(X) || mpfr_nan_p(Y))
        return mpfr_set_nan(y), 0;
    return mpfr_greater_p(X, Y) ? mpfr_sub(y, X, Y, MPFR_RNDN) : (mpfr_set_zero(y, 1), 0);
}
static int of_bits(mpfr_t y, const struct format *f, uint64_t bits)
{
    value_of(y, f, bits);
    return 0;
}
BODY(nextafter)
{
    const struct format *f = a->format;
    if (mpfr_nan_p(X) || mpfr_nan_p(Y))
        return mpfr_set_nan(y), 0;
    if (mpfr_equal_p(X, Y))
        return mpfr_set(y, Y, MPFR_RNDN);
    uint64_t sign = UINT64_C(1) << (f->bits - 1);
    if (mpfr_zero_p(X))
        return of_bits(y, f, (mpfr_signbit(Y) ? sign : 0) | 1);
    uint64_t x = bits_of(f, (mpfr_ptr)X);
    return of_bits(y, f, mpfr_less_p(X, Y) == !(x & sign) ? x + 1 : x - 1);
}
static int larger(mpfr_t y, const mpfr_t p, const mpfr_t q, bool greatest)
{
    if (mpfr_nan_p(p))
        return mpfr_set(y, q, MPFR_RNDN);
    if (mpfr_nan_p(q))
        return mpfr_set(y, p, MPFR_RNDN);
    return mpfr_set(y, mpfr_greaterequal_p(p, q) == greatest ? p : q, MPFR_RNDN);
}
BODY(fmax)
{
    return larger(y, X, Y, true);
}
BODY(fmin)
{
    return larger(y, X, Y, false);
}
BODY(maxmag)
{
    return mpfr_nan_p(X) || mpfr_nan_p(Y) || mpfr_cmpabs(X, Y) == 0
               ? larger(y, X, Y, true)
               : mpfr_set(y, mpfr_cmpabs(X, Y) > 0 ? X : Y, MPFR_RNDN);
}
BODY(minmag)
{
    return mpfr_nan_p(X) || mpfr_nan_p(Y) || mpfr_cmpabs(X, Y) == 0
               ? larger(y, X, Y, false)
               : mpfr_set(y, mpfr_cmpabs(X, Y) < 0 ? X : Y, MPFR_RNDN);
}
BODY(remquo_quotient) /* sign and low 7 bits; 0 where the remainder is NaN */
{
    mpfr_t t;
    long q = 0;
    mpfr_init2(t, 64);
    mpfr_remquo(t, &q, X, Y, MPFR_RNDN);
    if (mpfr_nan_p(t))
        q = 0;
    mpfr_clear(t);
    return mpfr_set_si(y, (q < 0 ? -1 : 1) * ((q < 0 ? -q : q) & 127), MPFR_RNDN);
}
static int angle(mpfr_t y, const mpfr_t x, bool degrees)
{
    mpfr_t pi;
    mpfr_init2(pi, PRECISION);
    mpfr_const_pi(pi, MPFR_RNDN);
    if (degrees)
        mpfr_ui_div(pi, 180, pi, MPFR_RNDN);
    else
        mpfr_div_ui(pi, pi, 180, MPFR_RNDN);
    int t = mpfr_mul(y, x, pi, MPFR_RNDN);
    mpfr_clear(pi);
    return t;
}
BODY(degrees)
{
    return angle(y, X, true);
}
BODY(radians)
{
    return angle(y, X, false);
}
BODY(sign)
{
    return mpfr_nan_p(X)    ? mpfr_set_ui(y, 0, MPFR_RNDN)
           : mpfr_zero_p(X) ? mpfr_set(y, X, MPFR_RNDN)
                            : mpfr_set_si(y, mpfr_sgn(X), MPFR_RNDN);
}
BODY(step)
{
    return mpfr_set_ui(y, mpfr_less_p(Y, X) ? 0 : 1, MPFR_RNDN);
}
BODY(clamp)
{
    bool down = mpfr_less_p(Y, Z);
    mpfr_srcptr low = down ? Y : Z, high = down ? Z : Y;
    return mpfr_set(y, mpfr_less_p(X, low) ? low : mpfr_greater_p(X, high) ? high : X, MPFR_RNDN);
}
BODY(mix)
{
    mpfr_sub(y, Y, X, MPFR_RNDN);
    mpfr_mul(y, y, Z, MPFR_RNDN);
    return mpfr_add(y, y, X, MPFR_RNDN);
}
BODY(smoothstep)
{
    mpfr_t w, t;
    mpfr_inits2(PRECISION, w, t, (mpfr_ptr)0);
    bool down = mpfr_greater_p(X, Y);
    mpfr_srcptr low = down ? Y : X, high = down ? X : Y;
    mpfr_sub(t, Z, low, MPFR_RNDN);
    mpfr_sub(w, high, low, MPFR_RNDN);
    mpfr_div(t, t, w, MPFR_RNDN);
    if (mpfr_cmp_ui(t, 0) < 0)
        mpfr_set_ui(t, 0, MPFR_RNDN);
    if (mpfr_cmp_ui(t, 1) > 0)
        mpfr_set_ui(t, 1, MPFR_RNDN);
    mpfr_mul_ui(w, t, 2, MPFR_RNDN);
    mpfr_ui_sub(w, 3, w, MPFR_RNDN);
    mpfr_mul(w, w, t, MPFR_RNDN);
    mpfr_mul(y, w, t, MPFR_RNDN);
    mpfr_clears(w, t, (mpfr_ptr)0);
    return 0;
}

#define NEAR(name)                                                                                                     \
    {                                                                                                                  \
#name, f_##name, NULL, false, false                                                                            \
    }
#define EXACT(name)                                                                                                    \
    {                                                                                                                  \
#name, f_##name, NULL, true, false                                                                             \
    }
#define FREE_ZERO(name)                                                                                                \
    {                                                                                                                  \
#name, f_##name, NULL, true, true                                                                              \
    }
static const struct builtin builtins[] = {
    NEAR(acos),
    NEAR(acosh),
    NEAR(acospi),
    NEAR(asin),
    NEAR(asinh),
    NEAR(asinpi),
    NEAR(atan),
    NEAR(atanh),
    NEAR(atanpi),
    NEAR(cbrt),
    NEAR(cos),
    NEAR(cosh),
    NEAR(cospi),
    NEAR(erf),
    NEAR(erfc),
    NEAR(exp),
    NEAR(exp2),
    NEAR(exp10),
    NEAR(expm1),
    NEAR(log),
    NEAR(log2),
    NEAR(log10),
    NEAR(log1p),
    NEAR(sin),
    NEAR(sinh),
    NEAR(sinpi),
    NEAR(tan),
    NEAR(tanh),
    NEAR(tanpi),
    NEAR(tgamma),
    NEAR(lgamma),
    NEAR(rsqrt),
    NEAR(atan2),
    NEAR(atan2pi),
    NEAR(hypot),
    NEAR(pow),
    NEAR(powr),
    NEAR(pown),
    NEAR(rootn),
    NEAR(degrees),
    NEAR(radians),
    NEAR(mix),
    NEAR(smoothstep),
    EXACT(ceil),
    EXACT(floor),
    EXACT(rint),
    EXACT(round),
    EXACT(trunc),
    EXACT(fabs),
    EXACT(logb),
    EXACT(fract),
    EXACT(modf),
    EXACT(frexp),
    EXACT(ldexp),
    EXACT(copysign),
    EXACT(fdim),
    EXACT(nextafter),
    EXACT(fmod),
    EXACT(remainder),
    EXACT(fma),
    EXACT(add),
    EXACT(sub),
    EXACT(mul),
    EXACT(div),
    EXACT(recip),
    EXACT(sqrt),
    EXACT(sign),
    EXACT(step),
    FREE_ZERO(fmax),
    FREE_ZERO(fmin),
    FREE_ZERO(maxmag),
    FREE_ZERO(minmag),
    FREE_ZERO(clamp),
    EXACT(frexp_exponent),
    EXACT(ilogb),
    EXACT(lgamma_sign),
    EXACT(remquo_quotient),
    {"mad", f_fma, f_mad, true, false},
};

const struct builtin *builtin_find(const char *name)
{
    for (unsigned n = 0; n < sizeof builtins / sizeof *builtins; n++)
        if (!strcmp(builtins[n].name, name))
            return &builtins[n];
    return NULL;
}
