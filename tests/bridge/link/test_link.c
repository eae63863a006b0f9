// SPDX-License-Identifier: Apache-2.0
// Rings, transports inproc and shm: what crosses, crosses once, in order and whole; a promise never overtakes data.
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../errors.h"
#include "bridge/link/peers.h"
#include "links_bench.h"
#include "take.h"

/* ---- rings */
struct pair {
    struct ring *ring;
    struct link from, to;
};

static void pair_open(struct pair *p, uint32_t bytes, uint32_t depth)
{
    p->ring = ring_new_empty(bytes, depth, RING_LINE);
    link_init(&p->from, &transport_inproc, "a:0 -> b:0", true, bytes, 8, depth);
    link_init(&p->to, &transport_inproc, "a:0 -> b:0", false, bytes, 8, depth);
    assert_true(p->from.transport->open(&p->from, p->ring));
    assert_true(p->to.transport->open(&p->to, p->ring));
}

static void pair_close(struct pair *p)
{
    p->from.transport->close(&p->from);
    p->to.transport->close(&p->to);
    free(p->ring);
}

/* Widths and depths of every kind, round the ring many times: what was sent comes, and no more than the depth. */
static void test_ring_carries_all(void **state)
{
    static const uint32_t widths[] = {0, 1, 7, 8, 16, 48, 64, 65, 200}, depths[] = {1, 2, 3, 4, 5, 64, 100};
    (void)state;
    for (unsigned w = 0; w < sizeof widths / sizeof widths[0]; w++) {
        for (unsigned d = 0; d < sizeof depths / sizeof depths[0]; d++) {
            struct pair p;
            uint8_t payload[200];
            uint64_t sent = 0, taken = 0;
            pair_open(&p, widths[w], depths[d]);
            for (unsigned round = 0; round < 300; round++) {
                for (unsigned n = 0; n <= round % depths[d]; n++) {
                    memset(payload, (int)(sent & 0xff), sizeof payload);
                    link_send(&p.from, 10 + 3 * sent++, payload);
                }
                p.from.transport->promise(&p.from, 10 + 3 * sent);
                assert_int_equal(take_all(&p.to), 10 + 3 * sent);
                assert_int_equal(p.to.arrived, sent);
                for (; taken < sent; taken++) {
                    const struct slot *slot = ring_slot(p.ring, taken);
                    memset(payload, (int)(taken & 0xff), sizeof payload);
                    assert_int_equal(slot->sequence, taken + 1);
                    assert_int_equal(slot->stamp, 10 + 3 * taken);
                    assert_memory_equal(slot->payload, payload, widths[w]);
                }
                p.to.transport->done(&p.to, taken);
            }
            pair_close(&p);
        }
    }
}

/* What was promised before is not written again, so that the line stays with who reads it; a message in between is. */
static void test_promise_again(void **state)
{
    struct pair p;
    uint64_t message = 0;
    (void)state;
    pair_open(&p, 8, 3);
    p.from.transport->promise(&p.from, 100);
    assert_int_equal(p.ring->promise, 100);
    p.ring->promise = 7;
    p.from.transport->promise(&p.from, 100);
    p.from.transport->promise(&p.from, 99);
    assert_int_equal(p.ring->promise, 7);
    link_send(&p.from, 100, &message);
    p.from.transport->promise(&p.from, 99);
    assert_int_equal(p.ring->promise, 100);
    pair_close(&p);
}

static int full(void *ctx)
{
    struct pair p;
    uint64_t message = 0;
    (void)ctx;
    pair_open(&p, 8, 3);
    for (unsigned n = 0; n < 4; n++)
        link_send(&p.from, n, &message);
    return 0;
}

static int too_early(void *ctx)
{
    struct pair p;
    uint64_t message = 0;
    (void)ctx;
    pair_open(&p, 8, 3);
    p.from.transport->promise(&p.from, 100);
    take_all(&p.to);
    link_send(&p.from, 99, &message);
    take_all(&p.to);
    return 0;
}

static int backwards(void *ctx)
{
    struct pair p;
    uint64_t message = 0;
    (void)ctx;
    pair_open(&p, 8, 3);
    link_send(&p.from, 99, &message);
    link_send(&p.from, 99, &message);
    take_all(&p.to);
    return 0;
}

static int out_of_order(void *ctx)
{
    struct pair p;
    uint64_t message = 0;
    (void)ctx;
    pair_open(&p, 8, 3);
    p.from.sent = 1; /* one is lost: the second lies in its place */
    link_send(&p.from, 99, &message);
    ring_slot(p.ring, 0)->sequence = 2;
    take_all(&p.to);
    return 0;
}

/* One more than the depth, a message below a promise, two of one cycle, one in the place of another: our own bugs. */
static void test_ring_bounds(void **state)
{
    (void)state;
    assert_said(full, NULL, 70, "a:0 -> b:0: internal error");
    assert_said(full, NULL, 70, "link holds 3 messages, depth 3");
    assert_said(too_early, NULL, 70, "message 1 of cycle 99 comes behind one of cycle -1 or a promise of 100");
    assert_said(backwards, NULL, 70, "message 2 of cycle 99 comes behind one of cycle 99");
    assert_said(out_of_order, NULL, 70, "message 2 in the place of message 1");
}

/* A receiver at whose every look the sender sends and promises once more, behind its back. */
static struct pair *meddled;
static void meddle(void)
{
    uint64_t n = meddled->from.sent + 1;
    link_send(&meddled->from, 10 * n, &n);
    meddled->from.transport->promise(&meddled->from, 10 * n + 5);
}
static uint64_t horizon_and_more(struct link *link)
{
    uint64_t horizon = ring_horizon(link);
    meddle();
    return horizon;
}
static uint64_t peek_and_more(struct link *link)
{
    uint64_t arrived = ring_peek(link);
    meddle();
    return arrived;
}

/* Between its two looks nothing slips through: what is below the horizon of a take is among what it took. */
static void test_nothing_slips_between_looks(void **state)
{
    struct transport transport = transport_inproc;
    struct pair p;
    (void)state;
    pair_open(&p, 8, 300);
    transport.horizon = horizon_and_more;
    transport.peek = peek_and_more;
    p.to.transport = &transport;
    meddled = &p;
    for (unsigned n = 0; n < 100; n++) { /* each a CHECK in peek */
        uint64_t horizon = take_all(&p.to);
        assert_true(10 * (p.to.arrived + 1) >= horizon);
        assert_true(p.to.arrived > n);
    }
    pair_close(&p);
}

/* A promise does not fall. */
static void test_promise_rises(void **state)
{
    struct pair p;
    (void)state;
    pair_open(&p, 8, 3);
    p.from.transport->promise(&p.from, 100);
    p.from.transport->promise(&p.from, 50);
    assert_int_equal(take_all(&p.to), 100);
    pair_close(&p);
}

/* ---- streams */
struct load {
    uint64_t count, random[2];
};

/* Streams with random gaps between messages, promises as close behind as they may be. */
static void stream(struct link *forth, struct link *back)
{
    uint64_t now = 0, x = 1;
    for (uint64_t n = 1; n <= 300000; n++) {
        struct load load = {n, {n * 77, ~n}};
        x = x * 6364136223846793005u + 1;
        now += 1 + (x >> 62);
        while (forth->sent - back->transport->peek(back) >= FORTH.depth)
            sched_yield();
        back->transport->done(back, back->arrived);
        link_send(forth, now + FORTH.latency, &load);
        forth->transport->promise(forth, now + 1 + FORTH.latency);
    }
    forth->transport->promise(forth, UINT64_MAX);
}

static int drain(struct link *forth, struct link *back)
{
    uint64_t taken = 0, horizon = 0, wrong = 0;
    while (horizon != UINT64_MAX || taken < forth->arrived) {
        horizon = take_all(forth); /* checks that nothing comes below an earlier horizon */
        if (taken == forth->arrived)
            sched_yield();
        for (; taken < forth->arrived; taken++) {
            const struct slot *slot = ring_slot(forth->ring, taken);
            struct load load;
            memcpy(&load, slot->payload, sizeof load);
            wrong += load.count != taken + 1 || load.random[0] != load.count * 77 || load.random[1] != ~load.count;
            forth->transport->done(forth, taken + 1);
            link_send(back, taken + 10, NULL);
        }
    }
    return wrong ? 4 : taken == 300000 ? 0 : 5;
}

/* Two processes on one link, as fast as they can: numbers, contents and promises hold. */
static void test_stream_between_processes(void **state)
{
    struct region_link links[] = {FORTH, BACK};
    struct hello hello = hello_make("r", "g", "c", 1);
    struct link forth, back;
    int fd = region_of(links, 2), status;
    (void)state;
    pid_t pid = fork();
    if (pid == 0) {
        alarm(200);
        struct region *r = region_open(fd, 1, &hello, 1);
        if (!r || !peers_greet(r, 60) || !end_open(&forth, r, &FORTH, false) || !end_open(&back, r, &BACK, true))
            _exit(2);
        _exit(drain(&forth, &back));
    }
    struct region *r = region_open(fd, 0, &hello, 1);
    assert_non_null(r);
    assert_true(peers_greet(r, 60));
    assert_true(end_open(&forth, r, &FORTH, true) && end_open(&back, r, &BACK, false));
    alarm(200); /* should the other end die */
    stream(&forth, &back);
    alarm(0);
    forth.transport->close(&forth);
    back.transport->close(&back);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    region_close(r);
    close(fd);
}

static void *drain_thread(void *arg)
{
    struct pair *pairs = arg;
    return (void *)(intptr_t)drain(&pairs[0].to, &pairs[1].from);
}

/* The same between two threads: what TSan can follow (make tsan). */
static void test_stream_between_threads(void **state)
{
    struct pair pairs[2];
    pthread_t thread;
    void *wrong;
    (void)state;
    pair_open(&pairs[0], FORTH.bytes, FORTH.depth);
    pair_open(&pairs[1], BACK.bytes, BACK.depth);
    assert_int_equal(pthread_create(&thread, NULL, drain_thread, pairs), 0);
    stream(&pairs[0].from, &pairs[1].to);
    assert_int_equal(pthread_join(thread, &wrong), 0);
    assert_null(wrong);
    pair_close(&pairs[0]);
    pair_close(&pairs[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_promise_again),
        cmocka_unit_test(test_ring_carries_all),
        cmocka_unit_test(test_ring_bounds),
        cmocka_unit_test(test_promise_rises),
        cmocka_unit_test(test_nothing_slips_between_looks),
        cmocka_unit_test(test_stream_between_processes),
        cmocka_unit_test(test_stream_between_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
