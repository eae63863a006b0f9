/* SPDX-License-Identifier: Apache-2.0
 * Exact values of the floating-point builtins of OpenCL C, by MPFR.
 */
#ifndef OPENCL_ORACLE_H
#define OPENCL_ORACLE_H
#include <mpfr.h>
#include <stdbool.h>
#include <stdint.h>

#define PRECISION 160

/* A binary format: precision with the hidden bit, MPFR's exponent range with subnormals, bits. */
struct format {
    char letter;
    unsigned bytes, bits, mantissa;
    mpfr_exp_t emin, emax;
};
extern const struct format formats[3];
const struct format *format_of(char letter);
void value_of(mpfr_t y, const struct format *f, uint64_t bits); /* exact; y needs 53 bits */
uint64_t bits_of(const struct format *f, mpfr_t y);             /* y is representable */

/* Arguments of one element: floats, integers, and the raw bits. */
struct arguments {
    const struct format *format;
    mpfr_t x[3];
    uint64_t bits[3];
    long n;
};

/* One function.  y comes with the precision and exponent range of the result's format when `exact`, so that its
 * rounding is the function's; else with PRECISION bits.  Returns MPFR's ternary value; an integer result is left in y
 * too. */
typedef int (*function)(mpfr_t y, const struct arguments *a);
struct builtin {
    const char *name;
    function f, other;    /* other: a second right result, or NULL */
    bool exact, any_zero; /* any_zero: the sign of a zero result is free */
};
const struct builtin *builtin_find(const char *name);
#endif
