/* SPDX-License-Identifier: Apache-2.0
 * Generator of the tables behind the transcendental operations, with MPFR: quadratic pieces (through the three
 * Chebyshev nodes of a segment) for C (host/valu/trans.c) and SystemVerilog (rtl/cu/fpu), and the bits of 2/pi.
 * Not responsible for: how the tables are used (docs/reference/isa.md, "Transcendentals").
 *
 * usage: gen_tables OUT.h OUT_pkg.sv
 */
#include <mpfr.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SEGMENTS 256
#define FRACTION 30 /* fractional bits of all coefficients */
#define PRECISION 200

typedef void (*function)(mpfr_t y, const mpfr_t x);

static void f_rcp(mpfr_t y, const mpfr_t x)
{
    mpfr_ui_div(y, 1, x, MPFR_RNDN);
}
static void f_sqrt(mpfr_t y, const mpfr_t x)
{
    mpfr_sqrt(y, x, MPFR_RNDN);
}
static void f_rsq(mpfr_t y, const mpfr_t x)
{
    mpfr_rec_sqrt(y, x, MPFR_RNDN);
}
static void f_exp2(mpfr_t y, const mpfr_t x)
{
    mpfr_exp2(y, x, MPFR_RNDN);
}

static void f_log2_over(mpfr_t y, const mpfr_t x) /* log2(x) / (x - 1) */
{
    mpfr_t d;
    mpfr_init2(d, PRECISION);
    mpfr_sub_ui(d, x, 1, MPFR_RNDN);
    mpfr_log2(y, x, MPFR_RNDN);
    mpfr_div(y, y, d, MPFR_RNDN);
    mpfr_clear(d);
}

static void f_sin_over(mpfr_t y, const mpfr_t x) /* sin(pi x / 2) / x */
{
    mpfr_t t;
    mpfr_init2(t, PRECISION);
    mpfr_const_pi(t, MPFR_RNDN);
    mpfr_mul(t, t, x, MPFR_RNDN);
    mpfr_div_ui(t, t, 2, MPFR_RNDN);
    mpfr_sin(y, t, MPFR_RNDN);
    mpfr_div(y, y, x, MPFR_RNDN);
    mpfr_clear(t);
}

struct table {
    const char *name;
    function f;
    double (*start)(int segment);
    double (*width)(int segment);
};

static double start_1_2(int s)
{
    return 1 + s / 256.0;
}
static double width_1_2(int s)
{
    (void)s;
    return 1 / 256.0;
}
static double start_2_4(int s)
{
    return 2 + s / 128.0;
}
static double width_2_4(int s)
{
    (void)s;
    return 1 / 128.0;
}
static double start_0_1(int s)
{
    return s / 256.0;
}
/* 128 segments of [1, 1.5), then 128 of [0.75, 1) */
static double start_log(int s)
{
    return s < 128 ? 1 + s / 256.0 : 0.5 + s / 512.0;
}
static double width_log(int s)
{
    return s < 128 ? 1 / 256.0 : 1 / 512.0;
}

static const struct table tables[] = {
    {"rcp", f_rcp, start_1_2, width_1_2},        {"sqrt1", f_sqrt, start_1_2, width_1_2},
    {"sqrt2", f_sqrt, start_2_4, width_2_4},     {"rsq1", f_rsq, start_1_2, width_1_2},
    {"rsq2", f_rsq, start_2_4, width_2_4},       {"exp2", f_exp2, start_0_1, width_1_2},
    {"log2", f_log2_over, start_log, width_log}, {"sin", f_sin_over, start_0_1, width_1_2},
};

/* Coefficients of c0 + c1 t + c2 t^2 for t in [0,1) over one segment, scaled by 2^FRACTION. */
static void fit_segment(const struct table *t, int segment, int64_t c[3])
{
    static const double node[3] = {0.0669872981077807, 0.5, 0.9330127018922193}; /* (1 - cos) / 2 */
    mpfr_t x, y[3], a, b, d;
    mpfr_inits2(PRECISION, x, y[0], y[1], y[2], a, b, d, (mpfr_ptr)0);
    for (int n = 0; n < 3; n++) {
        mpfr_set_d(x, node[n], MPFR_RNDN);
        mpfr_mul_d(x, x, t->width(segment), MPFR_RNDN);
        mpfr_add_d(x, x, t->start(segment), MPFR_RNDN);
        t->f(y[n], x);
    }
    /* divided differences */
    mpfr_sub(a, y[1], y[0], MPFR_RNDN);
    mpfr_div_d(a, a, node[1] - node[0], MPFR_RNDN);
    mpfr_sub(b, y[2], y[1], MPFR_RNDN);
    mpfr_div_d(b, b, node[2] - node[1], MPFR_RNDN);
    mpfr_sub(d, b, a, MPFR_RNDN);
    mpfr_div_d(d, d, node[2] - node[0], MPFR_RNDN); /* c2 */
    mpfr_mul_d(b, d, node[0] + node[1], MPFR_RNDN);
    mpfr_sub(a, a, b, MPFR_RNDN); /* c1 = first difference - c2 (n0 + n1) */
    mpfr_mul_d(b, a, node[0], MPFR_RNDN);
    mpfr_sub(y[0], y[0], b, MPFR_RNDN);
    mpfr_mul_d(b, d, node[0] * node[0], MPFR_RNDN);
    mpfr_sub(y[0], y[0], b, MPFR_RNDN);
    mpfr_mul_2si(y[0], y[0], FRACTION, MPFR_RNDN);
    mpfr_mul_2si(a, a, FRACTION, MPFR_RNDN);
    mpfr_mul_2si(d, d, FRACTION, MPFR_RNDN);
    c[0] = mpfr_get_si(y[0], MPFR_RNDN);
    c[1] = mpfr_get_si(a, MPFR_RNDN);
    c[2] = mpfr_get_si(d, MPFR_RNDN);
    mpfr_clears(x, y[0], y[1], y[2], a, b, d, (mpfr_ptr)0);
}

static void write_table(FILE *h, FILE *sv, const struct table *t)
{
    fprintf(h, "static const int32_t trans_%s[%d][3] = {\n", t->name, SEGMENTS);
    fprintf(sv, "  localparam logic [95:0] TABLE_");
    for (const char *p = t->name; *p; p++)
        fputc(*p >= 'a' && *p <= 'z' ? *p - 32 : *p, sv);
    fprintf(sv, " [%d] = '{\n", SEGMENTS);
    for (int s = 0; s < SEGMENTS; s++) {
        int64_t c[3];
        fit_segment(t, s, c);
        fprintf(h, "    { %d, %d, %d },\n", (int)c[0], (int)c[1], (int)c[2]);
        fprintf(sv, "    96'h%08x_%08x_%08x%s\n", (unsigned)c[2], (unsigned)c[1], (unsigned)c[0],
                s == SEGMENTS - 1 ? "" : ",");
    }
    fprintf(h, "};\n");
    fprintf(sv, "  };\n");
}

/* The first 1216 fractional bits of 2/pi, most significant first. */
static void write_two_over_pi(FILE *h, FILE *sv)
{
    mpfr_t x;
    mpfr_init2(x, 1400);
    mpfr_const_pi(x, MPFR_RNDN);
    mpfr_ui_div(x, 2, x, MPFR_RNDN);
    fprintf(h, "static const uint32_t trans_two_over_pi[38] = {\n");
    fprintf(sv, "  localparam logic [31:0] TWO_OVER_PI [38] = '{\n");
    for (int w = 0; w < 38; w++) {
        mpfr_mul_2si(x, x, 32, MPFR_RNDN);
        unsigned long word = mpfr_get_ui(x, MPFR_RNDZ);
        mpfr_sub_ui(x, x, word, MPFR_RNDN);
        fprintf(h, "    0x%08lx,\n", word);
        fprintf(sv, "    32'h%08lx%s\n", word, w == 37 ? "" : ",");
    }
    fprintf(h, "};\n");
    fprintf(sv, "  };\n");
    mpfr_clear(x);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: gen_tables OUT.h OUT_pkg.sv\n");
        return 2;
    }
    FILE *h = fopen(argv[1], "w"), *sv = fopen(argv[2], "w");
    if (!h || !sv) {
        perror("gen_tables");
        return 74;
    }
    fprintf(
        h,
        "/* Generated by sw/tools/gen/gen_tables.c; do not edit. */\n#ifndef TRANS_TABLES_H\n#define TRANS_TABLES_H\n"
        "#include <stdint.h>\n");
    fprintf(sv,
            "// Generated by sw/tools/gen/gen_tables.c; do not edit. Entry: {c2, c1, c0}, signed, 30 fractional bits.\n"
            "/* verilator lint_off UNUSEDPARAM */\npackage trans_tables_pkg;\n");
    for (unsigned n = 0; n < sizeof tables / sizeof *tables; n++)
        write_table(h, sv, &tables[n]);
    write_two_over_pi(h, sv);
    fprintf(h, "#endif\n");
    fprintf(sv, "endpackage\n/* verilator lint_on UNUSEDPARAM */\n");
    return fclose(h) || fclose(sv) ? 74 : 0;
}
