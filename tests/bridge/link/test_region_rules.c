// SPDX-License-Identifier: Apache-2.0
// The rules of a region with all its processes played by the test: when all wait the floor rises to the first event,
// nothing to do is quiet, who sleeps is woken for what is of use to it and for nothing else, and joining and leaving.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "../errors.h"
#include "bridge/link/region_wait.h"
#include "region_bench.h"

static void test_joining_and_leaving(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, 1);
    for (uint32_t i = 0; i < ALL; i++) {
        assert_int_equal(region_self(b.r[i]), i);
        assert_int_equal(region_host(b.r[i]), 1);
        assert_int_equal(entry(&b, i)->stage, REGION_GREETED);
        assert_int_equal(entry(&b, i)->pid, getpid());
        assert_int_equal(entry(&b, i)->hello.seed, 3);
    }
    assert_string_equal(region_process(b.r[0], 2), "p2");
    assert_true(b.head->ahead == NEVER && b.head->floor == 0);
    assert_int_equal(b.head->awake, 1 + 1 + 2);
    region_close(b.r[2]);
    assert_int_equal(b.head->awake, 2);
    assert_int_equal(entry(&b, 2)->stage, REGION_LEFT);
    assert_true(entry(&b, 0)->bell == 1 && entry(&b, 1)->bell == 1 && entry(&b, 2)->bell == 0);
    entry(&b, 1)->stage = REGION_REFUSED; /* who has refused does not leave in order */
    struct region_entry *second = entry(&b, 1);
    region_close(b.r[1]);
    assert_int_equal(second->stage, REGION_REFUSED);
    assert_int_equal(b.head->awake, 1);
    assert_int_equal(entry(&b, 0)->bell, 2);
    region_close(b.r[0]);
    region_close(NULL);
}

/* What is no region, not of this version or not of this run, in one line. */
static void test_what_is_refused(void **state)
{
    static const char *const lines[] = {"gantry: links: not the shared memory of a run\n",
                                        "gantry: links: not the shared memory of a run\n",
                                        "gantry: links: other protocol: version 1 here, 2 there\n",
                                        "gantry: links: shared memory of another run\n",
                                        "gantry: links: shared memory of another run\n",
                                        ""};
    static const char *const names[] = {"p0", "p1", "p2"};
    const struct region_plan plan = {names, ALL, NULL, 0, REGION_NONE};
    const struct hello hello = hello_make("r", "g", "c", 3);
    (void)state;
    for (unsigned n = 0; n < sizeof lines / sizeof *lines; n++) {
        struct region_head head;
        int fd = region_create(&plan);
        assert_int_equal(pread(fd, &head, sizeof head, 0), sizeof head);
        head.magic += n == 1;
        head.version += n == 2;
        head.bytes -= n == 3;
        assert_int_equal(pwrite(fd, &head, sizeof head, 0), sizeof head);
        if (n == 0)
            assert_int_equal(ftruncate(fd, sizeof head - 1), 0);
        catch_errors();
        struct region *r = region_open(fd, n == 4 ? ALL : ALL - 1, &hello, 1);
        assert_string_equal(release_errors(), lines[n]);
        assert_int_equal(r != NULL, n == 5); /* the last process that there is */
        region_close(r);
        close(fd);
    }
}

/* ---- waiting */
struct seen {
    struct bench *b;
    uint64_t version, next, hold, sent, received;
    uint32_t state;
};
static bool look(void *ctx)
{
    struct seen *s = ctx;
    const struct region_entry *e = entry(s->b, 0);
    *s = (struct seen){s->b, e->version, e->next, e->hold, e->sent, e->received, e->state};
    return true;
}

static enum region_end wait_of_first(struct bench *b, struct seen *s, struct region_waiter w)
{
    *s = (struct seen){.b = b};
    w.look = look;
    w.ctx = s;
    return region_wait(b->r[0], &w);
}

/* Whether entry i waits, its next event, what it has sent and received, its hold. */
static void says(struct bench *b, uint32_t i, bool waits, uint64_t next, uint64_t sent, uint64_t received,
                 uint64_t hold)
{
    struct region_entry *e = entry(b, i);
    e->version = waits ? 7 : 8;
    e->next = next;
    e->sent = sent;
    e->received = received;
    e->hold = hold;
}

/* The floor is the first event of all that wait, or where the host's owner may act; it does not rise while one runs or
 * a message is under way, and never falls. */
static void test_floor(void **state)
{
    static const struct {
        uint32_t host;
        uint64_t next[ALL], sent[ALL], received[ALL], hold[ALL], before, floor;
        bool runs;
    } cases[] = {
        {REGION_NONE, {100, 200, 300}, {0}, {0}, {0}, 0, 100, false},
        {REGION_NONE, {300, 100, 200}, {0}, {0}, {0}, 0, 100, false},
        {REGION_NONE, {300, 200, 100}, {0}, {0}, {0}, 0, 100, false},
        {REGION_NONE, {NEVER, NEVER, 100}, {0}, {0}, {0}, 0, 100, false},
        {REGION_NONE, {100, 200, 300}, {0}, {0}, {0}, 0, 0, true},
        {REGION_NONE, {100, 200, 300}, {0}, {0}, {0}, 99, 100, false},
        {REGION_NONE, {100, 200, 300}, {0}, {0}, {0}, 150, 150, false},
        {REGION_NONE, {100, 200, 300}, {5, 0, 2}, {0, 6, 1}, {0}, 0, 100, false},
        {REGION_NONE, {100, 200, 300}, {0, 6, 1}, {5, 0, 2}, {0}, 0, 100, false},
        {REGION_NONE, {100, 200, 300}, {5, 0, 2}, {0, 6, 0}, {0}, 0, 0, false},
        {REGION_NONE, {100, 200, 300}, {5, 0, 1}, {0, 6, 1}, {0}, 0, 0, false},
        {1, {100, 200, 300}, {0}, {0}, {1, 50, 1}, 0, 50, false}, /* only the host's counts */
        {1, {100, 200, 300}, {0}, {0}, {1, 5000, 1}, 0, 100, false},
        {0, {100, 200, 300}, {0}, {0}, {60, 1, 1}, 0, 60, false},
    };
    (void)state;
    for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
        struct bench b;
        struct seen s;
        bench_open(&b, cases[n].host);
        b.head->floor = cases[n].before;
        for (uint32_t i = 1; i < ALL; i++)
            says(&b, i, !cases[n].runs || i == 1, cases[n].next[i], cases[n].sent[i], cases[n].received[i],
                 cases[n].hold[i]);
        enum region_end end = wait_of_first(&b, &s,
                                            (struct region_waiter){.next = cases[n].next[0],
                                                                   .hold = cases[n].hold[0],
                                                                   .sent = cases[n].sent[0],
                                                                   .received = cases[n].received[0]});
        assert_int_equal(end, REGION_GO);
        assert_int_equal(region_floor(b.r[2]), cases[n].floor);
        assert_true(s.version % 2 == 1 && s.state == REGION_WAITS); /* while it waits */
        assert_true(s.next == cases[n].next[0] && s.hold == cases[n].hold[0] && s.sent == cases[n].sent[0] &&
                    s.received == cases[n].received[0]);
        assert_true(entry(&b, 0)->version == s.version + 1 && entry(&b, 0)->state == REGION_RUNS);
        bench_close(&b);
    }
}

/* Told to all without a host, to the host alone with one, once. */
static void test_quiet(void **state)
{
    (void)state;
    for (uint32_t host = 0; host <= ALL; host++) {
        struct bench b;
        struct seen s;
        bench_open(&b, host == ALL ? REGION_NONE : host);
        for (uint32_t i = 1; i < ALL; i++)
            says(&b, i, true, NEVER, 3, 3, 50);
        const bool mine = host == 0 || host == ALL;
        assert_int_equal(wait_of_first(&b, &s, (struct region_waiter){.next = NEVER, .hold = 50}),
                         mine ? REGION_QUIET : REGION_GO);
        assert_int_equal(b.head->floor, 0);
        assert_int_equal(b.head->quiet, 7 + 7 + 1);
        assert_int_equal(entry(&b, 1)->bell, host == 1 || host == ALL);
        assert_int_equal(entry(&b, 2)->bell, host == 2 || host == ALL);
        assert_int_equal(entry(&b, 0)->version, host == ALL ? 1 : 2); /* for ever, or until the owner acts */
        assert_int_equal(entry(&b, 0)->state, mine ? REGION_OUTSIDE : REGION_RUNS);
        assert_int_equal(wait_of_first(&b, &s, (struct region_waiter){.next = 80, .hold = 50}), REGION_GO);
        assert_int_equal(entry(&b, 0)->version, 4); /* what was quiet has ended first */
        assert_int_equal(b.head->floor, host == ALL ? 80 : 50);
        bench_close(&b);
    }
}

/* One is under way: not quiet, and nobody is told so. */
static void test_not_quiet(void **state)
{
    struct bench b;
    struct seen s;
    (void)state;
    bench_open(&b, REGION_NONE);
    says(&b, 1, true, NEVER, 4, 0, 0);
    says(&b, 2, true, NEVER, 0, 3, 0);
    assert_int_equal(wait_of_first(&b, &s, (struct region_waiter){.next = NEVER}), REGION_GO);
    assert_true(b.head->quiet == 0 && entry(&b, 1)->bell == 0);
    bench_close(&b);
}

/* A new floor wakes those that sleep to whom it is of use, with the latency of what comes to them. */
static void test_floor_wakes(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 3; n++) {
        struct bench b;
        struct seen s;
        bench_open(&b, REGION_NONE);
        for (uint32_t i = 1; i < ALL; i++)
            says(&b, i, true, 200, 0, 0, 0);
        entry(&b, 1)->asleep = n != 2;
        entry(&b, 1)->need = n == 1 ? 121 : 120;
        entry(&b, 1)->reach = 20;
        assert_int_equal(wait_of_first(&b, &s, (struct region_waiter){.next = 100}), REGION_GO);
        assert_int_equal(entry(&b, 1)->bell, n == 0);
        assert_int_equal(entry(&b, 2)->bell, 0);
        bench_close(&b);
    }
}

/* ---- beside waiting */
static void test_turns_and_questions(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, REGION_NONE);
    region_set_turn(b.r[1], 50);
    region_set_turn(b.r[1], 40); /* never falls */
    region_set_turn(b.r[2], 60);
    assert_int_equal(entry(&b, 1)->turn, 50);
    assert_true(region_is_turn(b.r[0], 49));
    assert_false(region_is_turn(b.r[0], 50)); /* not passed yet */
    assert_false(region_is_turn(b.r[0], 55));
    assert_int_equal(entry(&b, 1)->bell, 0);
    entry(&b, 1)->asleep = entry(&b, 2)->asleep = 1;
    assert_false(region_is_turn(b.r[0], 55));
    assert_true(entry(&b, 1)->bell == 1 && entry(&b, 2)->bell == 0); /* who holds it up is woken */
    entry(&b, 1)->stage = REGION_LEFT;
    assert_true(region_is_turn(b.r[0], 55));
    entry(&b, 1)->stage = REGION_GREETED;
    region_set_active(b.r[0], 10);
    region_set_active(b.r[2], 70);
    region_set_active(b.r[1], 30);
    assert_int_equal(region_active(b.r[0]), 70);
    region_set_ahead(b.r[1], 33);
    assert_int_equal(b.head->ahead, 33);
    assert_false(region_is_asked(b.r[1]));
    region_ask(b.r[0], 1);
    region_ask(b.r[2], 1);
    assert_int_equal(entry(&b, 1)->bell, 3);
    assert_true(region_is_asked(b.r[1]) && region_is_asked(b.r[1]) && !region_is_asked(b.r[2]));
    assert_true(region_asked(b.r[1]));
    assert_false(region_asked(b.r[1]) || region_is_asked(b.r[1]));
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_joining_and_leaving),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_floor),
        cmocka_unit_test(test_quiet),
        cmocka_unit_test(test_not_quiet),
        cmocka_unit_test(test_floor_wakes),
        cmocka_unit_test(test_turns_and_questions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
