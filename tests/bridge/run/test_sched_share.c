// SPDX-License-Identifier: Apache-2.0
// Saved in two processes a machine is, byte for byte, what one process saves; what makes no whole is refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bridge/run/advance.h"
#include "bridge/run/sched_share.h"
#include "halves_bench.h"

/* Two halves that have run to `cycle` from the beginning of bench_open. */
static void halves_run(struct half half[2], struct ring **rings, uint64_t cycle)
{
    for (unsigned i = 0; i < 2; i++)
        half_open(&half[i], rings, i, 512);
    for (unsigned i = 0; i < 2 * TOYS; i++) {
        struct half *h = &half[half[0].parts[i % TOYS]->elsewhere];
        h->toys[i % TOYS].random = i < TOYS ? i + 1 : h->toys[i % TOYS].random;
        toy_send(h->parts[i % TOYS], &h->toys[i % TOYS], 0);
    }
    for (enum sched_end end[2] = {SCHED_BLOCKED, SCHED_BLOCKED}; end[0] != SCHED_UNTIL || end[1] != SCHED_UNTIL;) {
        for (unsigned i = 0; i < 2; i++) {
            sched_promise(&half[i].sched);
            end[i] = sched_advance(&half[i].sched, cycle);
        }
    }
}

static void halves_close(struct half half[2], struct ring **rings)
{
    for (unsigned i = 0; i < 2; i++)
        sched_fini(&half[i].sched);
    for (unsigned i = 0; i < 3 * TOYS; i++) {
        free(rings[i]);
        rings[i] = NULL;
    }
}

static void halves_share(struct half half[2], struct state_buffer shares[2])
{
    for (unsigned i = 0; i < 2; i++) {
        state_buffer_init(&shares[i]);
        sched_take(&half[i].sched);
        sched_share(&half[i].sched, &shares[i].writer);
    }
}

/* shows B.5: Saved in two processes it is, byte for byte, what one process saves at that cycle, with messages of cut
 * channels under way, some of them finished with. */
static void test_two_halves_make_the_whole(void **state)
{
    size_t under_way = 0;
    (void)state;
    for (unsigned n = 0; n < 16; n++) {
        const uint64_t cycle = n * n * 90 / PART_WINDOW * PART_WINDOW;
        struct bench whole;
        struct half half[2];
        struct ring *rings[3 * TOYS] = {NULL};
        struct state_buffer saved, made, shares[2];
        char why[240];
        state_buffer_init(&saved);
        state_buffer_init(&made);
        bench_open(&whole, 1, 512);
        bench_run(&whole, cycle);
        whole.sched.now = cycle;
        sched_save(&whole.sched, &saved.writer);
        halves_run(half, rings, cycle);
        halves_share(half, shares);
        struct sched_shares *all = sched_shares_read(&half[n & 1].sched, shares, 2, why);
        assert_non_null(all);
        sched_shares_save(all, &made.writer);
        sched_shares_free(all);
        assert_int_equal(made.count, saved.count);
        assert_memory_equal(made.bytes, saved.bytes, saved.count);
        for (unsigned i = 0; i < 2; i++) {
            assert_int_equal(shares[i].taken, shares[i].count);
            for (uint32_t k = 0; k < half[i].sched.import_count; k++)
                under_way += channel_count(&half[i].sched.imports[k]->channel);
            free(shares[i].bytes);
        }
        halves_close(half, rings);
        bench_close(&whole);
        free(saved.bytes);
        free(made.bytes);
    }
    assert_true(under_way > 100);
}

static void refused_share(const struct sched *s, struct state_buffer *shares, uint32_t count, const char *wanted)
{
    char why[240] = "";
    for (uint32_t i = 0; i < count; i++) {
        shares[i].taken = 0;
        *shares[i].reader.why = 0;
    }
    if (sched_shares_read(s, shares, count, why) != NULL)
        fail_msg("taken: '%s' was expected", wanted);
    if (!strstr(why, wanted))
        fail_msg("'%s' is not in '%s'", wanted, why);
}

/* Shares of different cycles, one that is missing, the same twice, one that is cut off, messages that nobody has taken.
 */
static void test_what_makes_no_whole(void **state)
{
    struct half half[2];
    struct ring *rings[3 * TOYS] = {NULL};
    struct state_buffer shares[2];
    (void)state;
    halves_run(half, rings, 4000);
    halves_share(half, shares);
    struct state_buffer twice[2] = {shares[0], shares[0]};
    refused_share(&half[0].sched, shares, 1, "channel 1: ");
    refused_share(&half[0].sched, twice, 2, "process 1: channel ");
    refused_share(&half[0].sched, twice, 2, " comes from two processes");
    const uint64_t active[2] = {sched_active(&half[0].sched), sched_active(&half[1].sched)};
    const uint64_t next[2] = {sched_next(&half[0].sched), sched_next(&half[1].sched)};
    half[0].sched.now = (active[0] > active[1] ? active[0] : active[1]) - PART_WINDOW; /* one has run further */
    refused_share(&half[0].sched, shares, 2, " goes on at ");
    half[0].sched.now = (next[0] < next[1] ? next[0] : next[1]) + PART_WINDOW; /* one has not got there */
    refused_share(&half[0].sched, shares, 2, ": the others rest at ");
    half[0].sched.now = 4000;
    half[0].sched.added++;
    refused_share(&half[0].sched, shares, 2, "partition 10 of 11 is in no process");
    half[0].sched.added -= 2;
    refused_share(&half[0].sched, shares, 2, "partition 9 of 9");
    half[0].sched.added++;
    half[0].sched.connected--;
    refused_share(&half[0].sched, shares, 2, "channel 29 of 29");
    half[0].sched.connected++;
    const size_t count = shares[1].count;
    for (shares[1].count = 0; shares[1].count < count; shares[1].count += 1 + shares[1].count / 16)
        refused_share(&half[0].sched, shares, 2, "process 1: ");
    shares[1].count = count;
    sched_send(half[0].parts[0], 1, 4000, (uint64_t[2]){0}); /* to toy 2, which the other half has */
    free(shares[0].bytes);
    state_buffer_init(&shares[0]);
    sched_share(&half[0].sched, &shares[0].writer);
    refused_share(&half[0].sched, shares, 2, "channel 1: ");
    for (unsigned i = 0; i < 2; i++)
        free(shares[i].bytes);
    halves_close(half, rings);
    sched_shares_free(NULL); /* what was refused */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_halves_make_the_whole),
        cmocka_unit_test(test_what_makes_no_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
