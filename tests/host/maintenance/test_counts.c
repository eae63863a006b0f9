/* SPDX-License-Identifier: Apache-2.0
 * Commands for the counters of far accesses: what the engine is told and in what order, whom its reports reach, what is
 * refused and why.
 */
#include "../firmware/cp_bench.h"
#include "firmware/cp_private.h"
#include "maintenance/counts.h"

#include <errno.h>

#define FRAME UINT64_C(0x0002000000450000)

static struct {
    unsigned entries, ends;
    struct far_count count[8];
    struct cp *cp;
    uint32_t end[3];
    bool again; /* the end asks for another read */
    int result;
} heard;

static void on_count(void *arg, struct cp *cp, const struct far_count *count)
{
    assert_ptr_equal(arg, &heard);
    assert_true(heard.entries < 8);
    heard.count[heard.entries++] = *count;
    heard.cp = cp;
}

static void on_end(void *arg, struct cp *cp, uint32_t entries, uint32_t below, uint32_t lost)
{
    assert_ptr_equal(arg, &heard);
    heard.ends++;
    heard.cp = cp;
    heard.end[0] = entries, heard.end[1] = below, heard.end[2] = lost;
    if (heard.again)
        heard.result = cp_counts_read(cp, 1, on_end, &heard);
}

static struct cp *fresh(struct bench *b)
{
    memset(&heard, 0, sizeof heard);
    cp_counts_listen(b->cp[1], on_count, &heard);
    return b->cp[1];
}

/* The newest command is this one, the n-th. */
static struct msg_cp_counts sent(struct bench *b, unsigned n, unsigned action)
{
    struct msg_cp_counts c;
    assert_int_equal(commands(b, CP_COUNTS), n);
    memcpy(&c, command_last(b, CP_COUNTS), sizeof c);
    assert_int_equal(c.action, action);
    assert_int_equal(c.page, 16);
    return c;
}

static void answer(struct cp *cp, uint16_t id, bool begun, uint32_t entries, uint32_t below, uint32_t lost)
{
    const struct msg_cp_evt_counted told = {.kind = CP_EVT_COUNTED,
                                            .status = begun ? CTL_OK : CTL_ERROR_OFF,
                                            .id = id,
                                            .begun = begun,
                                            .entries = entries,
                                            .below = below,
                                            .lost = lost};
    struct msg_cp_evt evt;
    memcpy(&evt, &told, sizeof evt);
    cp_event(cp, &evt);
}

static void report(struct cp *cp, unsigned entries, uint64_t frame)
{
    struct msg_cp_evt_count told = {.kind = CP_EVT_COUNT, .entries = (uint8_t)entries};
    for (unsigned e = 0; e < entries; e++)
        told.frame[e] = frame + 0x10000 * e, told.reads[e] = (uint16_t)(100 + e), told.writes[e] = (uint16_t)(4095 - e);
    struct msg_cp_evt evt;
    memcpy(&evt, &told, sizeof evt);
    cp_event(cp, &evt);
}

/* shows S1.7: entries reach the listener one by one, before a read, for it and after it; its end is told once. */
static void a_read(void **state)
{
    struct bench *b = *state;
    struct cp *cp = fresh(b);
    assert_int_equal(cp_counts_set(cp, true), 0);
    answer(cp, sent(b, 1, COUNTS_ON).id, true, 0, 0, 0);
    report(cp, 1, FRAME); /* it had to leave */
    assert_int_equal(heard.entries, 1);
    assert_int_equal(cp_counts_read(cp, 32, on_end, &heard), 0);
    const struct msg_cp_counts read = sent(b, 2, COUNTS_READ);
    assert_int_equal(read.least, 32);
    report(cp, 3, FRAME + 0x100000);
    assert_int_equal(heard.ends, 0);
    answer(cp, read.id, true, 3, 7, 9);
    assert_int_equal(heard.ends, 1);
    assert_true(heard.end[0] == 3 && heard.end[1] == 7 && heard.end[2] == 9 && heard.cp == cp);
    report(cp, 2, FRAME);
    assert_int_equal(heard.entries, 6);
    for (unsigned i = 0; i < 6; i++) {
        const unsigned e = i == 0 ? 0 : i < 4 ? i - 1 : i - 4;
        assert_int_equal(heard.count[i].frame, FRAME + (i && i < 4 ? 0x100000 : 0) + 0x10000 * e);
        assert_int_equal(heard.count[i].reads, 100 + e);
        assert_int_equal(heard.count[i].writes, 4095 - e);
    }
    cp_counts_listen(cp, NULL, NULL);
    report(cp, 1, FRAME); /* nobody hears */
    assert_int_equal(heard.entries, 6);
}

/* One command is at the GPU at a time, the others behind it in order; of changes that wait behind one another the last
 * one counts. */
static void commands_wait(void **state)
{
    struct bench *b = *state;
    struct cp *cp = fresh(b);
    for (unsigned n = 0; n < 10; n++)
        assert_int_equal(cp_counts_set(cp, n % 2), 0);
    assert_int_equal(cp_counts_read(cp, 100000, on_end, &heard), 0);
    assert_int_equal(cp_counts_read(cp, 0, on_end, &heard), -EBUSY);
    for (unsigned n = 0; n < 10; n++)
        assert_int_equal(cp_counts_set(cp, n % 2 == 0), 0);
    answer(cp, sent(b, 1, COUNTS_OFF).id, true, 0, 0, 0);
    answer(cp, sent(b, 2, COUNTS_ON).id, true, 0, 0, 0);
    const struct msg_cp_counts read = sent(b, 3, COUNTS_READ);
    assert_int_equal(read.least, 8191); /* more than a table can have */
    assert_int_equal(cp_counts_read(cp, 0, on_end, &heard), -EBUSY);
    heard.again = true; /* from its end on another one may follow */
    answer(cp, read.id, true, 0, 0, 0);
    assert_int_equal(heard.result, 0);
    heard.again = false;
    answer(cp, sent(b, 4, COUNTS_OFF).id, true, 0, 0, 0);
    answer(cp, sent(b, 5, COUNTS_READ).id, true, 4, 0, 0);
    assert_int_equal(heard.ends, 2);
    assert_int_equal(commands(b, CP_COUNTS), 5);
    assert_int_equal(commands(b, CP_LAUNCH), 0);
}

/* An engine that is off: the end comes all the same, with nothing. */
static void a_refused_read(void **state)
{
    struct bench *b = *state;
    struct cp *cp = fresh(b);
    assert_int_equal(cp_counts_read(cp, 5, on_end, &heard), 0);
    answer(cp, sent(b, 1, COUNTS_READ).id, false, 0, 0, 0);
    assert_int_equal(heard.ends, 1);
    assert_int_equal(heard.end[0] + heard.end[1] + heard.end[2], 0);
    assert_int_equal(cp_counts_read(cp, 5, NULL, NULL), 0); /* nobody wants to know */
    answer(cp, sent(b, 2, COUNTS_READ).id, true, 1, 0, 0);
    assert_int_equal(heard.ends, 1);
}

/* Golden GPUs, and GPUs without counters, are asked nothing. */
static void none_there(void **state)
{
    struct bench *b = *state;
    struct cp *cp = fresh(b);
    b->sim->model = SIM_GOLDEN;
    assert_int_equal(cp_counts_set(cp, true), -ENOTSUP);
    assert_int_equal(cp_counts_read(cp, 0, on_end, &heard), -ENOTSUP);
    b->sim->model = SIM_RTL;
    cp->config.counters = false;
    assert_int_equal(cp_counts_set(cp, true), -ENOTSUP);
    assert_int_equal(cp_counts_read(cp, 0, on_end, &heard), -ENOTSUP);
    assert_int_equal(commands(b, CP_COUNTS), 0);
    cp->config.counters = true;
    cp->config.count_page = 4096;
    assert_int_equal(cp_counts_set(cp, true), 0);
    struct msg_cp_counts c;
    memcpy(&c, command_last(b, CP_COUNTS), sizeof c);
    assert_int_equal(c.page, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_read, bench_setup, bench_teardown),
        cmocka_unit_test_setup_teardown(commands_wait, bench_setup, bench_teardown),
        cmocka_unit_test_setup_teardown(a_refused_read, bench_setup, bench_teardown),
        cmocka_unit_test_setup_teardown(none_there, bench_setup, bench_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
