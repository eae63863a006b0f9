/* SPDX-License-Identifier: Apache-2.0
 * Transcendental operations of the golden model against MPFR: the largest error of each over 2^24 sources in `make
 * nightly` (2^14 in `make test`), halves over all 2^16.  The program prints the table of docs/verification.md. Limits:
 * faithful (error below 1 ulp) for rcp, rsq, sqrt, exp, log; 2^-24 absolute for sin and cos; halves below 0.51 ulp
 * (sin, cos: plus their absolute error); double seeds 2^26 ulp (2^-27 relative; C.2).
 *
 * libs: -lmpfr -lgmp
 * limit: 3600
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <math.h>
#include <mpfr.h>

#include "../isa/reference.h"

typedef void function(mpfr_t y, mpfr_t x);
static void f_rcp(mpfr_t y, mpfr_t x)
{
    mpfr_ui_div(y, 1, x, MPFR_RNDN);
}
static void f_rsq(mpfr_t y, mpfr_t x)
{
    mpfr_rec_sqrt(y, x, MPFR_RNDN);
    if (mpfr_zero_p(x))
        mpfr_set_inf(y, mpfr_signbit(x) ? -1 : 1);
}
static void f_sqrt(mpfr_t y, mpfr_t x)
{
    mpfr_sqrt(y, x, MPFR_RNDN);
}
static void f_exp(mpfr_t y, mpfr_t x)
{
    mpfr_exp2(y, x, MPFR_RNDN);
}
static void f_log(mpfr_t y, mpfr_t x)
{
    mpfr_log2(y, x, MPFR_RNDN);
}
/* of revolutions; beyond 256 the operations give 0 and 1 (docs/reference/isa.md) */
static void f_sin(mpfr_t y, mpfr_t x)
{
    mpfr_sinu(y, x, 1, MPFR_RNDN);
    if (mpfr_number_p(x) && mpfr_cmpabs_ui(x, 256) > 0)
        mpfr_set_ui(y, 0, MPFR_RNDN);
}
static void f_cos(mpfr_t y, mpfr_t x)
{
    mpfr_cosu(y, x, 1, MPFR_RNDN);
    if (mpfr_number_p(x) && mpfr_cmpabs_ui(x, 256) > 0)
        mpfr_set_ui(y, 1, MPFR_RNDN);
}

/* Sources: exponents low .. high (of the leading bit), both signs or positive; the limits; `absolute`: of the error
 * itself. */
struct op {
    const char *name;
    unsigned op, bits;
    function *f;
    int low, high;
    bool negative;
    double ulps, absolute;
};
static const struct op ops[] = {
    {"v_rcp_f32", OP_V_RCP_F32, 32, f_rcp, -126, 125, true, 1, 0},
    {"v_rcp_iflag_f32", OP_V_RCP_IFLAG_F32, 32, f_rcp, -126, 125, true, 1, 0},
    {"v_rsq_f32", OP_V_RSQ_F32, 32, f_rsq, -126, 127, false, 1, 0},
    {"v_sqrt_f32", OP_V_SQRT_F32, 32, f_sqrt, -126, 127, false, 1, 0},
    {"v_exp_f32", OP_V_EXP_F32, 32, f_exp, -30, 6, true, 1, 0},
    {"v_log_f32", OP_V_LOG_F32, 32, f_log, -126, 127, false, 1, 0},
    {"v_log_f32 near 1", OP_V_LOG_F32, 32, f_log, -1, 0, false, 1, 0},
    {"v_sin_f32", OP_V_SIN_F32, 32, f_sin, -40, 7, true, 0, 0x1p-24},
    {"v_cos_f32", OP_V_COS_F32, 32, f_cos, -40, 7, true, 0, 0x1p-24},
    {"v_exp_legacy_f32", OP_V_EXP_LEGACY_F32, 32, f_exp, -30, 6, true, 1, 0},
    {"v_log_legacy_f32", OP_V_LOG_LEGACY_F32, 32, f_log, -126, 127, false, 1, 0},
    {"v_rcp_f16", OP_V_RCP_F16, 16, f_rcp, 0, 0, true, 0.51, 0},
    {"v_rsq_f16", OP_V_RSQ_F16, 16, f_rsq, 0, 0, false, 0.51, 0},
    {"v_sqrt_f16", OP_V_SQRT_F16, 16, f_sqrt, 0, 0, false, 0.51, 0},
    {"v_exp_f16", OP_V_EXP_F16, 16, f_exp, 0, 0, true, 0.51, 0},
    {"v_log_f16", OP_V_LOG_F16, 16, f_log, 0, 0, false, 0.51, 0},
    {"v_sin_f16", OP_V_SIN_F16, 16, f_sin, 0, 0, true, 0.51, 0x1p-24},
    {"v_cos_f16", OP_V_COS_F16, 16, f_cos, 0, 0, true, 0.51, 0x1p-24},
    {"v_rcp_f64", OP_V_RCP_F64, 64, f_rcp, -1021, 1020, true, 0x1p26, 0},
    {"v_rsq_f64", OP_V_RSQ_F64, 64, f_rsq, -1022, 1023, false, 0x1p26, 0},
    {"v_sqrt_f64", OP_V_SQRT_F64, 64, f_sqrt, -1022, 1023, false, 0x1p26, 0},
};
#define OPS (sizeof ops / sizeof *ops)

struct finding {
    unsigned long count, failed;
    double ulps, absolute;
    uint64_t at; /* source of the largest error in ulp */
    bool skipped;
};

/* Source number i; i counts through mantissas first, so 2^23 neighbours cover all of a float's. */
static uint64_t source(const struct op *o, uint64_t i)
{
    unsigned m = o->bits == 64 ? 52 : 23;
    uint64_t bias = o->bits == 64 ? 1023 : 127, mantissa, range = o->high - o->low + 1;
    if (o->bits == 16)
        return i & 0xffff;
    mantissa = o->bits == 32 && nightly() ? i & 0x7fffff : rnd64() & ((UINT64_C(1) << m) - 1);
    uint64_t e = range <= 2 ? (i >> 23 ^ i) % range : rnd64() % range;
    return (o->negative && rnd64() & 1 ? UINT64_C(1) << (o->bits - 1) : 0) | (bias + o->low + e) << m | mantissa;
}

static void measure(const struct op *o, uint64_t x, uint64_t got, struct finding *r, mpfr_t mx, mpfr_t my)
{
    static const struct {
        int p, low;
    } format[3] = {{11, -24}, {24, -149}, {53, -1074}};
    unsigned k = o->bits == 16 ? 0 : o->bits == 32 ? 1 : 2;
    mpfr_set_d(mx, k == 0 ? (double)as16(x) : k == 1 ? (double)as32(x) : as64(x), MPFR_RNDN);
    long double value = k == 0 ? (long double)as16(got) : k == 1 ? (long double)as32(got) : (long double)as64(got);
    o->f(my, mx);
    long double want = mpfr_get_ld(my, MPFR_RNDN);
    long largest = k == 0 ? 16 : k == 1 ? 128 : 1024;
    bool fails = false;
    if (mpfr_nan_p(my) || mpfr_inf_p(my) || isnan(value)) {
        fails = (mpfr_nan_p(my) != 0) != (isnan(value) != 0) || (mpfr_inf_p(my) && value != want);
    } else if (mpfr_zero_p(my) || (k == 1 && fabsl(want) < 0x1p-126L)) { /* singles flush */
        fails = fabsl(value) > (mpfr_zero_p(my) ? 0 : 0x1p-126L);
    } else if (mpfr_get_exp(my) > largest || isinf(value)) {
        fails = !isinf(value) || fabsl(want) < ldexpl(2 - ldexpl(1, -format[k].p), largest - 1);
    } else {
        int e = mpfr_get_exp(my) - format[k].p;
        long double error = fabsl(value - want), ulps = ldexpl(error, -(e < format[k].low ? format[k].low : e));
        if (ulps > r->ulps)
            r->ulps = ulps, r->at = x;
        r->absolute = error > r->absolute ? error : r->absolute;
        fails = (o->ulps && o->absolute) ? ulps > o->ulps && error > o->absolute
                : o->ulps                ? ulps >= o->ulps
                                         : error > o->absolute;
    }
    r->count++;
    if (fails && r->failed++ == 0)
        fprintf(stderr, "%s of %lx gives %lx (%.20Lg instead of %.20Lg)\n", o->name, x, got, value, want);
}

static void run_op(const struct op *o, struct finding *r)
{
    mpfr_t mx, my;
    mpfr_inits2(64, mx, my, (mpfr_ptr)0);
    uint64_t count = o->bits == 16 ? 1 << 16 : nightly() ? 1 << 24 : 1 << 14;
    machine_reset(0xf0);
    for (uint64_t i = 0; i < count && !r->skipped; i += 64) {
        LANES64
        {
            uint64_t x = source(o, i + l);
            set64(0, l, x);
        }
        r->skipped = machine_run(vop3(o->op, 2, 0, 0, 0)) != 0;
        LANES64 if (!r->skipped) measure(o, o->bits == 64 ? get64(0, l) : machine.v[0][l],
                                         o->bits == 64 ? get64(2, l) : machine.v[2][l], r, mx, my);
    }
    mpfr_clears(mx, my, (mpfr_ptr)0);
}

/* shows C.2 */
static void largest_errors(void **unused)
{
    (void)unused;
    struct finding *found = mmap(NULL, OPS * sizeof *found, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(found != MAP_FAILED);
    unsigned parts = sysconf(_SC_NPROCESSORS_ONLN) > 0 ? sysconf(_SC_NPROCESSORS_ONLN) : 1;
    for (unsigned part = 0; part < parts; part++) {
        fflush(NULL);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            for (unsigned n = part; n < OPS; n += parts)
                run_op(&ops[n], &found[n]);
            _exit(0);
        }
    }
    for (unsigned part = 0; part < parts; part++) {
        int status;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    unsigned long failed = 0;
    for (unsigned n = 0; n < OPS; n++) {
        if (found[n].skipped) {
            printf("| %s | not implemented | | |\n", ops[n].name);
            continue;
        }
        if (ops[n].absolute)
            printf("| `%s` | %lu | %.3g absolute | |\n", ops[n].name, found[n].count, found[n].absolute);
        else
            printf("| `%s` | %lu | %.4g ulp | %lx |\n", ops[n].name, found[n].count, found[n].ulps, found[n].at);
        failed += found[n].failed;
        assert_true(found[n].count >= 1 << 14);
    }
    munmap(found, OPS * sizeof *found);
    assert_int_equal(failed, 0);
}

/* Zeros, infinities, negative numbers, NaN: exactly these. */
static void special_values(void **unused)
{
    (void)unused;
    static const uint32_t inf = 0x7f800000, minus = 0x80000000, nan = 0x7fc00000, one = 0x3f800000;
    const struct {
        unsigned op;
        uint32_t x[6][2];
    } cases[] = {
        /* +0, -0, inf, -inf, -1, a NaN */
        {OP_V_RCP_F32,
         {{0, inf},
          {minus, inf | minus},
          {inf, 0},
          {inf | minus, minus},
          {one | minus, one | minus},
          {0xff812345, nan}}},
        {OP_V_RSQ_F32,
         {{0, inf}, {minus, inf | minus}, {inf, 0}, {inf | minus, nan}, {one | minus, nan}, {0xff812345, nan}}},
        {OP_V_SQRT_F32,
         {{0, 0}, {minus, minus}, {inf, inf}, {inf | minus, nan}, {one | minus, nan}, {0xff812345, nan}}},
        {OP_V_EXP_F32,
         {{0, one}, {minus, one}, {inf, inf}, {inf | minus, 0}, {one | minus, 0x3f000000}, {0xff812345, nan}}},
        {OP_V_LOG_F32,
         {{0, inf | minus},
          {minus, inf | minus},
          {inf, inf},
          {inf | minus, nan},
          {one | minus, nan},
          {0xff812345, nan}}},
        {OP_V_COS_F32,
         {{0, one}, {minus, one}, {inf, nan}, {inf | minus, nan}, {one | minus, one}, {0xff812345, nan}}}};
    machine_reset(0xf0);
    for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++)
        for (unsigned k = 0; k < 6; k++) {
            machine.v[0][0] = cases[n].x[k][0];
            machine_run(vop3(cases[n].op, 2, 0, 0, 0));
            if (machine.v[2][0] != cases[n].x[k][1])
                fail_msg("case %u.%u: %08x", n, k, machine.v[2][0]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(special_values), cmocka_unit_test(largest_errors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
