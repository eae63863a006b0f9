/* SPDX-License-Identifier: Apache-2.0
 * Unary vector operations of the golden model against integer arithmetic: those on 16 bits for every source in all
 * rounding and subnormal modes; those on 32 bits for every source in `make nightly` (on all host cores), for 2^18
 * spread over the range in `make test`.  A VOP1 row of opcodes.tsv that has no reference here or in test_trans.c fails
 * (C.2).
 *
 * limit: 3600
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define GCN3_OPS_TABLE
#include "unary_table.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* 64 sources from `first` on, `step` apart: the first wrong lane, or -1. */
static int run_row(const struct unary_op *o, uint32_t first, uint32_t step, uint8_t mode)
{
    LANES64 machine.v[0][l] = first + l * step;
    machine_run(vop3(o->op, 2, 0, 0, 0));
    LANES64
    {
        uint64_t want = o->f(first + l * step, mode), got = o->wide ? get64(2, l) : machine.v[2][l];
        if (got != want) {
            fprintf(stderr, "%s mode %02x: %08x gave %lx instead of %lx\n", o->name, mode, first + l * step,
                    (unsigned long)got, (unsigned long)want);
            return l;
        }
    }
    return -1;
}

/* shows C.2 */
static void every_half(void **unused)
{
    (void)unused;
    for (unsigned n = 0; n < COUNT(unary16); n++)
        for (unsigned mode = 0; mode < 256; mode += 4) { /* f32 rounding plays no part */
            machine_reset(mode);
            for (uint32_t x = 0; x < 0x10000; x += 64)
                assert_int_equal(run_row(&unary16[n], x | (mode & 4 ? 0xabcd0000 : 0), 1, mode), -1);
        }
}

/* Sources of one process in one mode: all of its share (64 neighbours a step), or some spread over the range with
 * random low bits. */
static bool sweep(const struct unary_op *o, uint8_t mode, bool all, unsigned part, unsigned parts)
{
    unsigned steps = all ? 26 : nightly() ? 22 : 12; /* log2 */
    uint32_t spread = UINT32_C(1) << (26 - steps);
    machine_reset(mode);
    for (uint32_t b = part; b < UINT32_C(1) << steps; b += parts)
        if (run_row(o, b * 64 * spread + rnd64() % spread, spread, mode) >= 0)
            return false;
    return true;
}

/* Every source with subnormals kept and rounding to nearest; a sixteenth of them with subnormals flushed and in the
 * other roundings. */
static bool sweep_modes(const struct unary_op *o, unsigned part, unsigned parts)
{
    bool good = sweep(o, 0xf0, nightly(), part, parts) && sweep(o, 0x00, false, part, parts);
    for (unsigned round = 1; good && o->rounds && round < 4; round++)
        good = sweep(o, 0xf0 | round * 5, false, part, parts) && sweep(o, round * 5, false, part, parts);
    return good;
}

/* shows C.2: As many processes as host cores, each with its share of the sources. */
static void every_word(void **unused)
{
    (void)unused;
    unsigned parts = sysconf(_SC_NPROCESSORS_ONLN) > 0 ? sysconf(_SC_NPROCESSORS_ONLN) : 1, bad = 0;
    for (unsigned part = 0; part < parts; part++) {
        fflush(NULL);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            bool good = true;
            for (unsigned n = 0; n < COUNT(unary32); n++)
                good &= sweep_modes(&unary32[n], part, parts);
            _exit(good ? 0 : 1);
        }
    }
    for (unsigned part = 0; part < parts; part++) {
        int status;
        assert_true(wait(&status) > 0);
        bad += status != 0;
    }
    assert_int_equal(bad, 0);
}

/* Every implemented VOP1 operation with a source of at most 32 bits has a reference, or is one of these. */
static void nothing_is_missing(void **unused)
{
    (void)unused;
    static const char *const elsewhere[] = {"v_nop",          "v_readfirstlane_b32",
                                            "v_movreld_b32",  "v_movrels_b32",
                                            "v_movrelsd_b32", "v_clrexcp",
                                            "v_swap_b32",     "v_log_",
                                            "v_exp_",         "v_rcp_",
                                            "v_rsq_",         "v_sqrt_",
                                            "v_sin_",         "v_cos_"};
    for (unsigned op = 0x140; op < 0x1c0; op++) {
        struct gcn3_inst i;
        gcn3_decode(vop3(op, 2, 0, 0, 0), &i);
        if (i.illegal || i.srcw[0] == 2)
            continue;
        bool found = false;
        for (unsigned n = 0; n < COUNT(elsewhere); n++)
            found |= !strncmp(i.info->name, elsewhere[n], strlen(elsewhere[n]));
        for (unsigned n = 0; n < COUNT(unary32); n++)
            found |= unary32[n].op == op;
        for (unsigned n = 0; n < COUNT(unary16); n++)
            found |= unary16[n].op == op;
        if (!found)
            fail_msg("no reference for %s", i.info->name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_missing), cmocka_unit_test(every_half),
                                       cmocka_unit_test(every_word)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
