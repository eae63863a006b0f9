/* SPDX-License-Identifier: Apache-2.0
 * All compares and classes of the golden model against plain C that shares nothing with it: mask and EXEC (C.1).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>
#include <math.h>

#include "../isa/sources.h"

/* Of each type 16 (floats) or 8 (integers) in a row, then those that write EXEC too */

static bool compared(char kind, unsigned which, uint64_t a, uint64_t b)
{
    int order = 2; /* -1, 0, 1; 2: a NaN */
    if (kind == 'h' || kind == 'f' || kind == 'd') {
        const double x = kind == 'h' ? HALF(a) : kind == 'f' ? SINGLE(a) : as64(a);
        const double y = kind == 'h' ? HALF(b) : kind == 'f' ? SINGLE(b) : as64(b);
        order = isnan(x) || isnan(y) ? 2 : (x > y) - (x < y);
        const unsigned set = which < 8 ? which : 15 - which; /* f, lt, eq, le, gt, lg, ge, o: bit 0 less, 1 equal ... */
        const bool yes = order != 2 && (set >> (order + 1) & 1);
        return which < 8 ? yes : !yes; /* u, nge, nlg, ngt, nle, neq, nlt, tru */
    }
    const __int128 x = kind == 'i'   ? (int32_t)a
                       : kind == 'u' ? (__int128)(uint32_t)a
                       : kind == 's' ? S16(a)
                       : kind == 'w' ? (__int128)U16(a)
                       : kind == 'j' ? (int64_t)a
                                     : (__int128)a;
    const __int128 y = kind == 'i'   ? (int32_t)b
                       : kind == 'u' ? (__int128)(uint32_t)b
                       : kind == 's' ? S16(b)
                       : kind == 'w' ? (__int128)U16(b)
                       : kind == 'j' ? (int64_t)b
                                     : (__int128)b;
    order = (x > y) - (x < y);
    return which >> (order + 1) & 1; /* f, lt, eq, le, gt, ne, ge, t */
}

/* shows C.1 */
static void compares(void **unused)
{
    (void)unused;
    static const struct {
        unsigned plain, exec;
        char kind;
        const char *sources;
    } types[] = {
        {OP_V_CMP_F_F16, OP_V_CMPX_F_F16, 'h', "hh"}, {OP_V_CMP_F_F32, OP_V_CMPX_F_F32, 'f', "ff"},
        {OP_V_CMP_F_F64, OP_V_CMPX_F_F64, 'd', "dd"}, {OP_V_CMP_F_I16, OP_V_CMPX_F_I16, 's', "uu"},
        {OP_V_CMP_F_U16, OP_V_CMPX_F_U16, 'w', "uu"}, {OP_V_CMP_F_I32, OP_V_CMPX_F_I32, 'i', "uu"},
        {OP_V_CMP_F_U32, OP_V_CMPX_F_U32, 'u', "uu"}, {OP_V_CMP_F_I64, OP_V_CMPX_F_I64, 'j', "ll"},
        {OP_V_CMP_F_U64, OP_V_CMPX_F_U64, 'l', "ll"},
    };
    unsigned tried = 0;
    for (unsigned t = 0; t < sizeof types / sizeof *types; t++) {
        const unsigned count = strchr("hfd", types[t].kind) ? 16 : 8;
        for (unsigned which = 0; which < 2 * count; which++, tried++) {
            const bool writes_exec = which >= count;
            const unsigned op = writes_exec ? types[t].exec + which - count : types[t].plain + which;
            for (unsigned k = 0; k < ROUNDS; k++) {
                fill(types[t].sources);
                LANES64 if (rnd64() % 4 == 0) set64(B, l, get64(A, l) ^ (rnd64() % 2)); /* equal, or nearly */
                const uint64_t exec = WAVE_EXEC(&machine) = k % 2 ? UINT64_MAX : rnd64();
                uint64_t want = 0;
                LANES64 want |= (uint64_t)compared(types[t].kind, which % count, get64(A, l), get64(B, l)) << l;
                assert_int_equal(machine_run(vop3(op, D, A, B, C) & ~(UINT64_C(511) << 50)), 0);
                const uint64_t got = machine.s[D] | (uint64_t)machine.s[D + 1] << 32;
                if (got != (want & exec))
                    printf("compare %c %u\n", types[t].kind, which);
                assert_int_equal(got, want & exec);
                assert_int_equal(WAVE_EXEC(&machine), writes_exec ? got : exec);
            }
        }
    }
    assert_int_equal(tried, 2 * (3 * 16 + 6 * 8));
}

static unsigned class_of(uint64_t x, unsigned m, unsigned bits)
{
    const bool minus = x >> (bits - 1) & 1;
    const uint64_t body = x & ((UINT64_C(1) << (bits - 1)) - 1), inf = (UINT64_C(1) << (bits - 1)) - (UINT64_C(1) << m);
    if (body > inf)
        return body >> (m - 1) & 1;
    const unsigned size = body == inf ? 0 : body >> m ? 1 : body ? 2 : 3; /* infinity, normal, subnormal, zero */
    return minus ? 2 + size : 9 - size;
}

static void classes(void **unused)
{
    (void)unused;
    static const struct {
        unsigned plain, exec, m, bits;
        const char *sources;
    } types[] = {{OP_V_CMP_CLASS_F16, OP_V_CMPX_CLASS_F16, 10, 16, "hu"},
                 {OP_V_CMP_CLASS_F32, OP_V_CMPX_CLASS_F32, 23, 32, "fu"},
                 {OP_V_CMP_CLASS_F64, OP_V_CMPX_CLASS_F64, 52, 64, "du"}};
    for (unsigned t = 0; t < 6; t++) {
        const unsigned n = t / 2, op = t % 2 ? types[n].exec : types[n].plain;
        for (unsigned k = 0; k < ROUNDS; k++) {
            fill(types[n].sources);
            uint64_t want = 0;
            LANES64
            {
                const uint64_t x = types[n].bits == 16 ? get64(A, l) & 0xffff : get64(A, l);
                want |= (machine.v[B][l] >> class_of(x, types[n].m, types[n].bits) & UINT64_C(1)) << l;
            }
            assert_int_equal(machine_run(vop3(op, D, A, B, C) & ~(UINT64_C(511) << 50)), 0);
            assert_int_equal(machine.s[D] | (uint64_t)machine.s[D + 1] << 32, want);
            assert_int_equal(WAVE_EXEC(&machine), t % 2 ? want : UINT64_MAX);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(compares), cmocka_unit_test(classes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
