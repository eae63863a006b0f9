/* SPDX-License-Identifier: Apache-2.0
 * Compares results of floating-point builtins with MPFR, element by element.
 *
 * usage: oracle JOBS IN OUT
 * A line of JOBS: NAME FORMAT RESULT LIMIT COUNT OUT_OFFSET ARGS OFFSET...
 *   FORMAT h, f or d; RESULT the same letter or i (32-bit integer); LIMIT: ulp, "abs:X", "exp" (3 + |2x| ulp), 0: one
 * right value; "z" before it: the sign of a zero is free ARGS: one letter an argument: f (of FORMAT) or i (32-bit
 * integer); offsets in bytes into IN Singles may be flushed: subnormal arguments to zero, and results that are
 * subnormal or within the limit of one. Output, a line a job: NAME WORST FAILED [FIRST FAILURE]; WORST in ulp (abs: the
 * absolute error). An infinite result stands for 2^emax, where a finite one is due; the sign of a zero must be right.
 */
#include "oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct format formats[3] = {
    {'h', 2, 16, 11, -23, 16}, {'f', 4, 32, 24, -148, 128}, {'d', 8, 64, 53, -1073, 1024}};
static mpfr_exp_t wide_min, wide_max;

const struct format *format_of(char letter)
{
    for (unsigned n = 0; n < 3; n++)
        if (formats[n].letter == letter)
            return &formats[n];
    fprintf(stderr, "oracle: unknown format %c\n", letter);
    exit(2);
}

void value_of(mpfr_t y, const struct format *f, uint64_t bits)
{
    unsigned m = f->mantissa - 1;
    uint64_t fraction = bits & ((UINT64_C(1) << m) - 1), field = bits >> m & ((UINT64_C(1) << (f->bits - 1 - m)) - 1);
    bool negative = bits >> (f->bits - 1) & 1;
    if (field == (UINT64_C(1) << (f->bits - 1 - m)) - 1) {
        if (fraction)
            mpfr_set_nan(y);
        else
            mpfr_set_inf(y, negative ? -1 : 1);
        return;
    }
    uint64_t full = field ? fraction | UINT64_C(1) << m : fraction;
    if (full == 0) {
        mpfr_set_zero(y, negative ? -1 : 1);
        return;
    }
    mpfr_set_ui_2exp(y, full, (field ? (long)field : 1) + f->emin - 2, MPFR_RNDN); /* smallest: 2^(emin - 1) */
    if (negative)
        mpfr_neg(y, y, MPFR_RNDN);
}

uint64_t bits_of(const struct format *f, mpfr_t y)
{
    unsigned m = f->mantissa - 1;
    uint64_t sign = mpfr_signbit(y) ? UINT64_C(1) << (f->bits - 1) : 0, inf = ((UINT64_C(1) << (f->bits - 1 - m)) - 1)
                                                                              << m;
    if (mpfr_nan_p(y))
        return inf | UINT64_C(1) << (m - 1);
    if (mpfr_inf_p(y))
        return sign | inf;
    if (mpfr_zero_p(y))
        return sign;
    mpfr_exp_t normal = f->emin + m,
               e = mpfr_get_exp(y) > normal ? mpfr_get_exp(y) : normal; /* normal: of the smallest normal number */
    mpfr_t t;
    mpfr_init2(t, 64);
    mpfr_abs(t, y, MPFR_RNDN);
    mpfr_mul_2si(t, t, (long)(m + 1 - e), MPFR_RNDN);
    uint64_t whole = mpfr_get_ui(t, MPFR_RNDN);
    mpfr_clear(t);
    return sign | (whole + ((uint64_t)(e - normal) << m));
}

struct limit {
    enum { ULPS, ABSOLUTE, EXPONENTIAL } kind;
    double value;
    bool any_zero;
};

/* Error of `got` as a multiple of the unit of the limit; infinite where nothing but the right value will do. */
static double error_of(const struct builtin *b, const struct format *f, mpfr_t want, mpfr_t got,
                       const struct limit *limit)
{
    if (mpfr_nan_p(want) || mpfr_nan_p(got))
        return mpfr_nan_p(want) && mpfr_nan_p(got) ? 0 : INFINITY;
    if (mpfr_inf_p(want))
        return mpfr_equal_p(want, got) ? 0 : INFINITY;
    if (mpfr_zero_p(want) && mpfr_zero_p(got))
        return b->any_zero || limit->any_zero || mpfr_signbit(want) == mpfr_signbit(got) ? 0 : INFINITY;
    mpfr_t d;
    mpfr_init2(d, PRECISION);
    if (limit->kind != ABSOLUTE && mpfr_inf_p(got) && mpfr_get_exp(want) > f->emax &&
        mpfr_signbit(want) == mpfr_signbit(got)) {
        mpfr_clear(d); /* both beyond the range */
        return 0;
    }
    if (mpfr_inf_p(got))
        mpfr_set_si_2exp(d, mpfr_signbit(got) ? -1 : 1, f->emax, MPFR_RNDN);
    else
        mpfr_set(d, got, MPFR_RNDN);
    mpfr_sub(d, d, want, MPFR_RNDN);
    if (limit->kind != ABSOLUTE) {
        mpfr_exp_t unit = mpfr_zero_p(want) ? f->emin - 1 : mpfr_get_exp(want) - (mpfr_exp_t)f->mantissa;
        unit = unit < f->emin - 1                         ? f->emin - 1
               : unit > f->emax - (mpfr_exp_t)f->mantissa ? f->emax - (mpfr_exp_t)f->mantissa
                                                          : unit;
        mpfr_mul_2si(d, d, -(long)unit, MPFR_RNDN);
    }
    double e = fabs(mpfr_get_d(d, MPFR_RNDN));
    mpfr_clear(d);
    bool wrong_zero = mpfr_zero_p(got) && !mpfr_zero_p(want) && mpfr_signbit(got) != mpfr_signbit(want) &&
                      !b->any_zero && !limit->any_zero;
    return wrong_zero && limit->kind == ULPS ? INFINITY : e;
}

static double limit_of(const struct limit *l, const struct arguments *a)
{
    return l->kind == EXPONENTIAL ? 3 + floor(fabs(2 * mpfr_get_d(a->x[0], MPFR_RNDN))) : l->value;
}

/* Smallest error of `got` over the arguments with some subnormals flushed. */
static double check(const struct builtin *b, struct arguments *a, unsigned count, uint64_t got_bits, bool integer,
                    const struct limit *limit, bool *fails)
{
    const struct format *f = a->format;
    double best = INFINITY;
    bool good = false, flush = f->letter == 'f';
    mpfr_t want, got;
    mpfr_init2(got, 64);
    if (integer)
        mpfr_set_si(got, (int32_t)got_bits, MPFR_RNDN);
    else
        value_of(got, f, got_bits);
    uint64_t keep[3] = {a->bits[0], a->bits[1], a->bits[2]}, field = ((UINT64_C(1) << (f->bits - f->mantissa)) - 1)
                                                                     << (f->mantissa - 1);
    for (unsigned subset = 0; subset < (flush ? 1u << count : 1); subset++) {
        bool useful = true;
        for (unsigned k = 0; k < count; k++) {
            a->bits[k] = keep[k];
            if (subset >> k & 1) {
                useful &= !(keep[k] & field) && keep[k] << (65 - f->bits) != 0;
                a->bits[k] = keep[k] & UINT64_C(1) << (f->bits - 1);
            }
            value_of(a->x[k], f, a->bits[k]);
        }
        if (!useful)
            continue;
        for (unsigned which = 0; which < 2; which++) {
            function fn = which ? b->other : b->f;
            if (!fn)
                continue;
            bool exact = b->exact && !integer && limit->kind == ULPS && limit->value == 0;
            mpfr_init2(want, exact ? f->mantissa : PRECISION);
            if (exact)
                mpfr_set_emin(f->emin), mpfr_set_emax(f->emax);
            int t = fn(want, a);
            if (exact) {
                t = mpfr_check_range(want, t, MPFR_RNDN);
                mpfr_subnormalize(want, t, MPFR_RNDN);
            }
            mpfr_set_emin(wide_min), mpfr_set_emax(wide_max);
            double allowed = limit_of(limit, a), e = error_of(b, f, want, got, limit);
            if (flush && !integer && mpfr_zero_p(got) && mpfr_number_p(want) &&
                !mpfr_zero_p(want)) { /* flushed result */
                double size = fabs(mpfr_get_d(want, MPFR_RNDZ));
                if (size < 0x1p-126 * (1 + allowed * 0x1p-23) || (b->exact && size <= 0x1p-126))
                    e = 0;
            }
            if (flush && b->f == builtin_find("nextafter")->f && mpfr_regular_p(got) && mpfr_get_exp(got) == -125 &&
                mpfr_number_p(want) && fabs(mpfr_get_d(want, MPFR_RNDN)) < 0x1p-126 &&
                mpfr_signbit(got) == mpfr_signbit(want) && fabs(mpfr_get_d(got, MPFR_RNDN)) == 0x1p-126)
                e = 0; /* the smallest normal number follows zero */
            mpfr_clear(want);
            good |= e <= allowed;
            best = e < best ? e : best;
        }
    }
    for (unsigned k = 0; k < count; k++)
        a->bits[k] = keep[k];
    mpfr_clear(got);
    *fails = !good;
    return best;
}

static uint8_t *slurp(const char *name)
{
    FILE *f = fopen(name, "rb");
    if (!f || fseek(f, 0, SEEK_END)) {
        perror(name);
        exit(2);
    }
    long size = ftell(f);
    rewind(f);
    uint8_t *data = malloc(size + 8);
    if (!data || fread(data, 1, size, f) != (size_t)size) {
        perror(name);
        exit(2);
    }
    fclose(f);
    return data;
}

static uint64_t element(const uint8_t *base, unsigned bytes, unsigned long index)
{
    uint64_t x = 0;
    memcpy(&x, base + index * bytes, bytes);
    return x;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return fprintf(stderr, "usage: oracle JOBS IN OUT\n"), 2;
    FILE *jobs = fopen(argv[1], "r");
    uint8_t *in = slurp(argv[2]), *out = slurp(argv[3]);
    char name[64], oracle[64], limit_text[64], kinds[8], letter, result;
    unsigned long count, to;
    struct arguments a;
    wide_min = -100000, wide_max = 100000;
    mpfr_set_emin(wide_min), mpfr_set_emax(wide_max);
    for (unsigned k = 0; k < 3; k++)
        mpfr_init2(a.x[k], 64);
    while (jobs && fscanf(jobs, "%63s %63s %c %c %63s %lu %lu %7s", name, oracle, &letter, &result, limit_text, &count,
                          &to, kinds) == 8) {
        const struct builtin *b = builtin_find(oracle);
        if (!b)
            return fprintf(stderr, "oracle: no function %s\n", oracle), 2;
        a.format = format_of(letter);
        unsigned long from[3] = {0}, failed = 0;
        unsigned floats = 0;
        for (unsigned k = 0; kinds[k]; k++)
            if (fscanf(jobs, "%lu", &from[k]) != 1)
                return 2;
        bool any_zero = limit_text[0] == 'z';
        const char *text = limit_text + any_zero;
        bool absolute = !strncmp(text, "abs:", 4);
        struct limit limit = {!strcmp(text, "exp") ? EXPONENTIAL
                              : absolute           ? ABSOLUTE
                                                   : ULPS,
                              atof(text + (absolute ? 4 : 0)), any_zero};
        double worst = 0;
        char first[256] = "";
        for (unsigned long i = 0; i < count; i++) {
            bool fails;
            floats = 0;
            for (unsigned k = 0; kinds[k]; k++)
                if (kinds[k] == 'i')
                    a.n = (int32_t)element(in + from[k], 4, i);
                else
                    a.bits[floats++] = element(in + from[k], a.format->bytes, i);
            uint64_t got = element(out + to, result == 'i' ? 4 : a.format->bytes, i);
            double e = check(b, &a, floats, got, result == 'i', &limit, &fails);
            if (!fails || limit.kind == ULPS)
                worst = e > worst && (e < INFINITY || fails) ? e : worst;
            if (fails && failed++ == 0)
                snprintf(first, sizeof first, " element %lu: %#lx %#lx %#lx, %ld gave %#lx", i, a.bits[0],
                         floats > 1 ? a.bits[1] : 0, floats > 2 ? a.bits[2] : 0, strchr(kinds, 'i') ? a.n : 0, got);
        }
        printf("%s %.4g %lu%s\n", name, worst, failed, first);
    }
    return 0;
}
