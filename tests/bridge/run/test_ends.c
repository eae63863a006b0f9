// SPDX-License-Identifier: Apache-2.0
// Ends of links in a scheduler, over a transport of the test: they open and close, what comes wakes, what the owner's
// cycles let it promise, and where a run without a region ends.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bridge/run/advance.h"
#include "bridge/run/sched_links.h"
#include "toy.h"

/* ---- a transport that counts */
static unsigned opens, closes;
static bool refuses;
static bool counted_open(struct link *link, void *place)
{
    (void)place;
    if (refuses)
        return false;
    opens++;
    link->ring = ring_new_empty(link->bytes, link->depth, RING_LINE);
    return true;
}
static void counted_close(struct link *link)
{
    closes++;
    free(link->ring);
}
static const struct transport counted = {"counted", counted_open, ring_send,    ring_promise,
                                         ring_peek, ring_done,    ring_horizon, counted_close};
static const struct carrier carrier = {&counted, NULL};

static void test_ends_open_and_close(void **state)
{
    struct sched s;
    (void)state;
    opens = closes = 0;
    sched_init(&s);
    struct part *part = add(&s, "here", 0);
    refuses = true; /* nothing of it stays */
    assert_null(sched_export(&s, part, 1, (struct far_end){"there", 2}, 8, 16, 4, carrier));
    assert_null(sched_import(&s, (struct far_end){"there", 3}, part, 0, 8, 16, 4, carrier));
    assert_true(s.wire_count == 0 && s.import_count == 0 && s.export_count == 0 && s.connected == 0);
    assert_true(part->out[1] == NULL && part->in[0] == NULL);
    refuses = false;
    struct wire *out = sched_export(&s, part, 1, (struct far_end){"there", 2}, 8, 16, 4, carrier);
    struct wire *in = sched_import(&s, (struct far_end){"there", 3}, part, 0, 8, 24, 4, carrier);
    struct wire *own = sched_connect(&s, part, 0, part, 1, 8, 16, 4);
    assert_true(out->channel.id == 0 && in->channel.id == 1 && own->channel.id == 2 && s.connected == 3);
    assert_string_equal(out->out->name, "here:1 -> there:2");
    assert_string_equal(in->in->name, "there:3 -> here:0");
    assert_string_equal(out->channel.name, "here -> there");
    assert_string_equal(in->channel.name, "there -> here");
    assert_true(out->out->sends && !in->in->sends && out->out->latency == 16 && in->in->latency == 24);
    assert_true(s.imports[0] == in && s.exports[0] == out && s.horizon == 0);
    refuses = true;
    assert_false(sched_tap(&s, own, "copy", carrier));
    assert_true(own->out == NULL && s.export_count == 1);
    refuses = false;
    assert_true(sched_tap(&s, own, "copy", carrier));
    assert_true(own->out->sends && s.export_count == 2);
    struct link *links[1];
    sched_links_in(&s, links);
    assert_ptr_equal(links[0], in->in);
    assert_int_equal(opens, 3);
    sched_fini(&s);
    assert_int_equal(closes, 3);
}

/* As a partner leaves it in the ring of a link, behind `more` others that are not taken yet. */
static void arrives_behind(struct link *link, unsigned more, uint64_t stamp)
{
    struct slot *slot = ring_slot(link->ring, link->arrived + more);
    slot->stamp = stamp;
    slot->sequence = link->arrived + more + 1;
}
static void arrives(struct link *link, uint64_t stamp)
{
    arrives_behind(link, 0, stamp);
}

/* What has come wakes its receiver in the window of its cycle, unless that looks by itself; the horizon is that of the
 * link that is behind most; what was taken makes room, and the promise is `now` and the latency. */
static void test_taking(void **state)
{
    struct sched s;
    (void)state;
    sched_init(&s);
    struct part *part = add(&s, "here", 0);
    struct wire *first = sched_import(&s, (struct far_end){"there", 0}, part, 0, 8, 16, 4, carrier),
                *second = sched_import(&s, (struct far_end){"there", 1}, part, 3, 8, 16, 4, carrier),
                *out = sched_export(&s, part, 0, (struct far_end){"there", 0}, 8, 20, 4, carrier);
    second->silent = true;
    assert_true(sched_start(&s));
    first->in->ring->promise = 100;
    second->in->ring->promise = 90;
    arrives(second->in, 120);
    assert_int_equal(sched_take(&s), 90);
    assert_int_equal(s.horizon, 90);
    assert_true(sched_quiet(&s) && part->waiting[0] == 0); /* nobody is woken */
    assert_int_equal(channel_count(&second->channel), 1);
    arrives(first->in, 107);
    second->in->ring->promise = 110;
    assert_int_equal(sched_take(&s), 100);
    assert_int_equal(part->waiting[0], 1);
    assert_int_equal(sched_next(&s), 104);
    assert_true(sched_rested(&s, 84) && !sched_rested(&s, 85)); /* 100 less the latency of 16 */
    s.now = 48;
    assert_int_equal(sched_sends_from(&s), 48);
    sched_promise(&s);
    assert_int_equal(out->out->ring->promise, 68);
    assert_true(first->in->ring->done == 0 && second->in->ring->done == 0);
    channel_drop(&second->channel, 1);
    sched_promise(&s);
    assert_true(first->in->ring->done == 0 && second->in->ring->done == 1);
    sched_fini(&s);
}

static uint64_t act_at(void *ctx)
{
    return *(const uint64_t *)ctx;
}

/* Window of the first of: what the owner has planned, its limit, what can come to it from now on and beyond the
 * horizon. */
static void test_hold(void **state)
{
    static const struct {
        uint64_t act, limit, now, ahead, horizon, hold;
    } cases[] = {{500, 900, 800, 700, 900, 496},  {504, 900, 800, 700, 900, 504}, {900, 503, 800, 700, 900, 496},
                 {900, 900, 400, 109, 900, 504},  {900, 900, 400, 700, 509, 504}, {900, 900, 800, 700, 511, 504},
                 {903, 2000, 800, 700, 1000, 896}};
    (void)state;
    for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
        uint64_t act = cases[n].act;
        struct sched s;
        sched_init(&s);
        assert_true(sched_hold(&s) == UINT64_MAX); /* no owner that acts */
        s.act = act_at;
        s.act_ctx = &act;
        s.act_ahead = cases[n].ahead;
        s.now = cases[n].now;
        s.limit = cases[n].limit;
        s.horizon = cases[n].horizon;
        assert_int_equal(sched_hold(&s), cases[n].hold);
        sched_fini(&s);
    }
}

/* A tap on what comes by a link has a copy of every message with its stamp, and promises what the link has promised. */
static void test_tap_of_a_link(void **state)
{
    struct sched s;
    (void)state;
    sched_init(&s);
    struct part *part = add(&s, "here", 0);
    struct wire *w = sched_import(&s, (struct far_end){"there", 0}, part, 0, 8, 16, 4, carrier);
    assert_true(sched_tap(&s, w, "copy", carrier));
    assert_true(sched_start(&s));
    for (unsigned n = 0; n < 3; n++)
        arrives_behind(w->in, n, 110 + 9 * n);
    w->in->ring->promise = 120;
    sched_take(&s);
    assert_int_equal(w->out->sent, 3);
    for (unsigned n = 0; n < 3; n++) {
        assert_int_equal(ring_slot(w->out->ring, n)->stamp, 110 + 9 * n);
        assert_int_equal(ring_slot(w->out->ring, n)->sequence, n + 1);
    }
    sched_take(&s); /* once */
    assert_int_equal(w->out->sent, 3);
    sched_promise(&s);
    assert_int_equal(w->out->ring->promise, 120);
    assert_int_equal(sched_next(&s), 104);
    s.horizon = 1000;
    s.now = 104;
    sched_run(&s, 1);
    assert_int_equal(sched_next(&s), 112);
    s.now = 112;
    sched_run(&s, 1);
    assert_int_equal(sched_next(&s), 128);
    sched_fini(&s);
}

/* ---- a run without a region */
static void test_advance(void **state)
{
    struct sched s;
    (void)state;
    sched_init(&s);
    struct part *part = add(&s, "here", 0);
    struct wire *in = sched_import(&s, (struct far_end){"there", 0}, part, 0, 8, 16, 4, carrier);
    assert_true(sched_start(&s));
    visits = 0;
    in->in->ring->promise = 100;
    assert_int_equal(sched_advance(&s, 80), SCHED_UNTIL);
    assert_int_equal(s.now, 80);
    assert_int_equal(sched_advance(&s, 96), SCHED_UNTIL); /* the last window that is promised */
    assert_int_equal(sched_advance(&s, 200), SCHED_BLOCKED);
    assert_int_equal(s.now, 96);
    in->in->ring->promise = 160;
    s.limit = 150;
    assert_int_equal(sched_advance(&s, 200), SCHED_UNTIL);
    assert_int_equal(s.now, 144);
    s.limit = UINT64_MAX;
    s.stop = true;
    assert_int_equal(sched_advance(&s, 200), SCHED_STOPPED);
    assert_true(!s.stop && s.now == 144);
    assert_int_equal(visits, 0);
    arrives(in->in, 163);
    in->in->ring->promise = 1000;
    sched_wake(&s, part, 500);
    assert_int_equal(sched_advance(&s, 160), SCHED_UNTIL); /* its window is not over at 160 */
    assert_true(visits == 0 && s.now == 160);
    assert_int_equal(sched_advance(&s, 168), SCHED_UNTIL);
    assert_true(visits == 1 && visited == 160 && s.now == 168);
    assert_int_equal(sched_advance(&s, UINT64_MAX), SCHED_BLOCKED); /* whatever may still come */
    assert_true(visits == 2 && visited == 496 && s.now == 1000);
    in->in->ring->promise = UINT64_MAX;
    assert_int_equal(sched_advance(&s, UINT64_MAX), SCHED_BLOCKED);
    assert_int_equal(s.now, 1000);
    sched_fini(&s);
    sched_init(&s); /* no links: nothing can come */
    part = add(&s, "here", 0);
    assert_true(sched_start(&s));
    sched_wake(&s, part, 77);
    assert_int_equal(sched_advance(&s, UINT64_MAX), SCHED_QUIET);
    assert_true(visits == 3 && visited == 72 &&
                s.now == 72 + SCHED_STRETCH * PART_WINDOW); /* as many windows at once */
    assert_int_equal(sched_advance(&s, 95), SCHED_UNTIL);   /* time does not go back */
    assert_int_equal(s.now, 136);
    assert_int_equal(sched_advance(&s, 207), SCHED_UNTIL);
    assert_int_equal(s.now, 200);
    sched_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends_open_and_close), cmocka_unit_test(test_taking),  cmocka_unit_test(test_hold),
        cmocka_unit_test(test_tap_of_a_link),       cmocka_unit_test(test_advance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
