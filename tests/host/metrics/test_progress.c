/* SPDX-License-Identifier: Apache-2.0
 * The progress line: what it says, when it ends, how it fits.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "metrics/progress.h"

static const struct progress_state before = {.cycle = 1000, .groups_done = 100, .groups = 500};

/* 100 groups in 2 s: 300 are left. */
static void work_groups_tell_the_end(void **state)
{
    struct progress_state now = {.cycle = 3000, .groups_done = 200, .groups = 500};

    (void)state;
    assert_true(fabs(progress_eta(&before, &now, 2, 0) - 6) < 1e-9);
    now.groups_done = 500;
    assert_true(progress_eta(&before, &now, 2, 0) == 0);
}

/* 2000 cycles in 2 s; whichever comes first. */
static void the_earlier_end_counts(void **state)
{
    struct progress_state now = {.cycle = 3000, .groups_done = 200, .groups = 500};

    (void)state;
    assert_true(fabs(progress_eta(&before, &now, 2, 7000) - 4) < 1e-9);
    assert_true(fabs(progress_eta(&before, &now, 2, 70000) - 6) < 1e-9);
    now.groups_done = 100; /* no group has ended: only the limit is known */
    assert_true(fabs(progress_eta(&before, &now, 2, 70000) - 67) < 1e-9);
    assert_true(progress_eta(&before, &now, 2, 0) < 0);
    now.cycle = 1000;
    assert_true(progress_eta(&before, &now, 2, 70000) < 0);
}

static void the_line(void **state)
{
    struct progress_state s = {.cycle = 123456, .instructions = 42, .kernels = 3, .kernel = "", .groups_done = 7};
    char text[512];

    (void)state;
    progress_line(text, sizeof text, &s, 2.5e6, -1, 0);
    assert_string_equal(text, "cycle 123456, 42 instructions, 2.50 M/s, 3 kernels done");
    s.kernel = "_Z6vecaddPfPKfS1_i", s.groups = 90;
    progress_line(text, sizeof text, &s, 0, 12.4, 0);
    assert_string_equal(
        text, "cycle 123456, 42 instructions, 0.00 M/s, 3 kernels done, vecadd 7 of 90 work-groups, ETA 12 s");
    progress_line(text, sizeof text, &s, 0, 12.4, 30);
    assert_int_equal(strlen(text), 30);
    char name[431];
    memset(name, 'k', 430);
    name[0] = 'a', name[429] = 'z', name[430] = 0;
    s.kernel = name;
    progress_line(text, sizeof text, &s, 0, 12.4, 120); /* its middle gives way to what is behind it */
    assert_string_equal(
        text, "cycle 123456, 42 instructions, 0.00 M/s, 3 kernels done, akkkkkkkkkkkkkk..kkkkkkkkkkkkkkkz 7 of 90 "
              "work-groups, ETA 12 s");
    progress_line(text, sizeof text, &s, 0, 12.4, 0);
    assert_true(strlen(text) == sizeof text - 1);
    assert_string_equal(strrchr(text, 'z'), "z 7 of 90 work-groups, ETA 12 s");
    for (size_t room = 1; room < 100; room++) { /* never beyond its room */
        memset(text, '#', sizeof text);
        progress_line(text, room, &s, 0, 12.4, 0);
        assert_true(strlen(text) < room && text[room] == '#');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(work_groups_tell_the_end),
                                       cmocka_unit_test(the_earlier_end_counts), cmocka_unit_test(the_line)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
