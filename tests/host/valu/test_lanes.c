/* SPDX-License-Identifier: Apache-2.0
 * Vector operations whose destination is one of their sources: with all lanes active the result is written where the
 * source lies, else beside it and copied.  Every operation of 32-bit rows must give the same both ways, in every
 * source.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../isa/machine.h"

static uint32_t start[4][64];

static void start_state(void)
{
    memcpy(machine_vgprs, start, sizeof start);
    WAVE_VCC(&machine) = UINT64_C(0x5a5af00f33cc6996);
    WAVE_M0(&machine) = 0;
}

/* Under EXEC; returns the scalar result. */
static uint64_t run_lanes(uint64_t inst, uint64_t exec, unsigned sdst)
{
    WAVE_EXEC(&machine) = exec;
    WAVE_VCC(&machine) = UINT64_C(0x5a5af00f33cc6996);
    assert_int_equal(machine_run(inst), 0);
    return machine.s64[sdst / 2];
}

static bool same_in_place(unsigned op, unsigned d)
{
    struct gcn3_inst i;
    const uint64_t inst = vop3(op, d, 1, 2, 3);
    uint32_t apart[64];
    gcn3_decode(inst, &i);
    if (i.illegal || i.unit != UNIT_VALU || !i.plain || i.vdst_w != 1)
        return true;
    start_state();
    uint64_t mask = run_lanes(inst, UINT32_MAX, i.sdst);
    mask |= run_lanes(inst, ~UINT64_C(0) << 32, i.sdst);
    memcpy(apart, machine_vgprs[d], sizeof apart);
    start_state();
    uint64_t whole = run_lanes(inst, UINT64_MAX, i.sdst);
    return memcmp(apart, machine_vgprs[d], sizeof apart) == 0 && (!i.sdst_mask || whole == mask);
}

static void every_operation(void **unused)
{
    (void)unused;
    unsigned wrong = 0, seen = 0;
    struct gcn3_inst i;
    machine_reset(0xc0);
    for (unsigned op = 0; op < 1024; op++) {
        gcn3_decode(vop3(op, 1, 1, 2, 3), &i);
        seen += !i.illegal && i.unit == UNIT_VALU && i.plain && i.vdst_w == 1;
        for (unsigned round = 0; round < 20; round++) {
            for (unsigned k = 0; k < 4; k++)
                for (unsigned l = 0; l < 64; l++)
                    start[k][l] = rnd_float(32, 23);
            for (unsigned d = 1; d <= 3; d++)
                if (!same_in_place(op, d)) {
                    printf("%s: differs with its result in source %u\n", i.info->name, d - 1);
                    wrong++;
                    round = 20;
                }
        }
    }
    printf("%u operations\n", seen);
    assert_true(seen > 140);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_operation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
