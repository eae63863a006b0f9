// SPDX-License-Identifier: Apache-2.0
// Links that promise together: one word says of each latency what it can, and no more; every message before a promise
// is found by the bits that are taken behind it, in any order of the two ends; only links with messages are looked at.
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "bridge/link/bundle.h"
#include "bridge/link/link.h"
#include "bridge/link/region.h"

enum { LINKS = 5000, DEPTH = 64 }; /* more than a word of the summary stands for */

static uint32_t latency_of(uint32_t n)
{
    return 40 + (n * 7 + 3) % 50; /* the least is not the first's */
}

struct ends {
    struct region *sender, *receiver;
    uint32_t count;
    struct link *out, *in;
    uint32_t came, looked; /* messages seen; links looked at */
};

static void ends_open(struct ends *e, uint32_t count)
{
    static const char *const processes[] = {"a", "b"};
    struct region_link *plan = calloc(count + 1, sizeof *plan);
    struct hello hello = hello_make("r", "g", "c", 1);
    *e = (struct ends){
        .count = count, .out = calloc(count, sizeof(struct link)), .in = calloc(count, sizeof(struct link))};
    for (uint32_t n = 0; n < count; n++) {
        plan[n] = (struct region_link){"", 8, latency_of(n), DEPTH, 0, 1};
        link_name(plan[n].name, "a", n, "b", n);
    }
    plan[count] = (struct region_link){"b:0 -> a:0", 8, 8, DEPTH, 1, 0}; /* faster, of another bundle */
    struct region_plan of_all = {processes, 2, plan, count + 1, REGION_NONE};
    int fd = region_create(&of_all);
    assert_true(fd >= 0);
    e->sender = region_open(fd, 0, &hello, 1);
    e->receiver = region_open(fd, 1, &hello, 1);
    close(fd);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t n = count - 1 - k; /* in another order than the plan's */
        link_init(&e->out[n], &transport_shm, plan[n].name, true, 8, latency_of(n), DEPTH);
        link_init(&e->in[n], &transport_shm, plan[n].name, false, 8, latency_of(n), DEPTH);
        assert_true(transport_shm.open(&e->out[n], e->sender) && transport_shm.open(&e->in[n], e->receiver));
        assert_ptr_equal(e->out[n].bundle, e->out[count - 1].bundle);
        assert_ptr_equal(e->in[n].bundle, e->in[count - 1].bundle);
        assert_int_equal(e->out[n].number, e->in[n].number);
    }
    free(plan);
}

static void ends_close(struct ends *e)
{
    for (uint32_t n = 0; n < e->count; n++) {
        transport_shm.close(&e->out[n]);
        transport_shm.close(&e->in[n]);
    }
    region_close(e->sender);
    region_close(e->receiver);
    free(e->out);
    free(e->in);
}

static uint32_t fastest(const struct ends *e)
{
    uint32_t found = 0;
    for (uint32_t n = 1; n < e->count; n++)
        found = latency_of(n) < latency_of(found) ? n : found;
    return found;
}

static void come(void *ctx, struct link *link)
{
    struct ends *e = ctx;
    uint64_t before = link->arrived;
    e->looked++;
    e->came += (uint32_t)(link->transport->peek(link) - before);
    link->transport->done(link, link->arrived);
}

/* A promise for one link says the same of the others, each by its own latency, whichever it was made for. */
static void test_a_word_for_all_latencies(void **state)
{
    struct ends e;
    (void)state;
    ends_open(&e, 60);
    for (uint32_t by = 0; by < e.count; by++) {
        uint64_t now = 1000 * (by + 1);
        transport_shm.promise(&e.out[by], now + latency_of(by));
        for (uint32_t n = 0; n < e.count; n++)
            assert_int_equal(transport_shm.horizon(&e.in[n]), now + latency_of(n));
        transport_shm.promise(&e.out[(by + 1) % e.count], now); /* does not fall */
        assert_int_equal(transport_shm.horizon(&e.in[by]), now + latency_of(by));
    }
    transport_shm.promise(&e.out[3], UINT64_MAX);
    for (uint32_t n = 0; n < e.count; n++)
        assert_true(transport_shm.horizon(&e.in[n]) == UINT64_MAX);
    ends_close(&e);
}

/* A slow link's small stamp is no promise at all, rather than one of the end of time. */
static void test_a_small_stamp(void **state)
{
    struct ends e;
    (void)state;
    ends_open(&e, 60);
    uint32_t slow = 0, fast = fastest(&e);
    for (uint32_t n = 1; n < e.count; n++)
        slow = latency_of(n) > latency_of(slow) ? n : slow;
    transport_shm.promise(&e.out[slow], 1);
    assert_int_equal(transport_shm.horizon(&e.in[fast]), latency_of(fast)); /* of the floor, cycle 0 */
    ends_close(&e);
}

/* Only links with messages are looked at, once, wherever in the bundle they are; unpromised ones are not announced. */
static void test_cost_follows_traffic(void **state)
{
    static const uint32_t some[] = {0, 63, 64, 127, 4095, 4096, LINKS - 1};
    const uint32_t count = sizeof some / sizeof some[0];
    struct ends e;
    uint64_t now = 0, sent, received, none;
    (void)state;
    ends_open(&e, LINKS);
    struct link *head = &e.in[fastest(&e)], *head_out = &e.out[fastest(&e)];
    for (uint32_t k = 0; k < count; k++) {
        assert_false(bundle_more(head->bundle));
        for (uint32_t m = 0; m < 3; m++)
            link_send(&e.out[some[k]], now + m + latency_of(some[k]), &now);
        assert_false(bundle_more(head->bundle));
        region_messages(e.sender, &sent, &none);
        assert_int_equal(sent, 3 * k);
        now += 8;
        transport_shm.promise(head_out, now + head_out->latency);
        assert_true(bundle_more(head->bundle));
        e.looked = e.came = 0;
        assert_int_equal(link_take_all(head, come, &e), now + head->latency);
        assert_int_equal(e.looked, 1);
        assert_int_equal(e.came, 3);
        region_messages(e.sender, &sent, &none);
        region_messages(e.receiver, &none, &received);
        assert_int_equal(sent, 3 * (k + 1));
        assert_int_equal(received, sent);
        for (uint32_t n = 0; n < LINKS; n += 499) /* also of links without any message */
            assert_int_equal(link_promised(&e.in[n]), now + latency_of(n));
    }
    /* a message behind the promise that stands is announced though that does not rise */
    link_send(&e.out[5], now + latency_of(5), &now);
    transport_shm.promise(head_out, now + head_out->latency);
    assert_true(bundle_more(head->bundle));
    ends_close(&e);
}

/* What is looked at with the promise has lines for itself, and nothing is larger than its bits need. */
static void test_layout(void **state)
{
    static const uint32_t counts[] = {1, 63, 64, 65, 447, 448, 449, 4096, 4097, 28608, 28672, 28673, 40000};
    (void)state;
    for (unsigned n = 0; n < sizeof counts / sizeof *counts; n++) {
        const size_t size = bundle_size(counts[n]), bits = offsetof(struct bundle_shared, bits);
        struct bundle_shared *shared = aligned_alloc(RING_LINE, size);
        memset(shared, 0, size);
        bundle_init(shared, counts[n], 17);
        assert_true(shared->links == counts[n] && shared->least == 17 && shared->promise == 0);
        const uint32_t words = (counts[n] + 63) / 64, summary = (words + 63) / 64;
        assert_true(shared->words_at >= summary && shared->words_at < summary + 8);
        assert_int_equal((bits + 8 * (size_t)shared->words_at) % RING_LINE, 0);
        const size_t used = bits + 8 * ((size_t)shared->words_at + words);
        assert_true(size % RING_LINE == 0 && size >= used && size < used + RING_LINE);
        struct bundle *b = bundle_new(shared);
        assert_true(b->shared == shared && b->promised == 0 && b->messages == 0);
        for (uint32_t k = 0; k < counts[n]; k++)
            assert_null(b->links[k]);
        bundle_mark(b, counts[n] - 1); /* also the last has its bit */
        assert_true(b->dirty[shared->words_at + words - 1] == UINT64_C(1) << ((counts[n] - 1) & 63));
        assert_true(b->dirty[summary - 1] == UINT64_C(1) << ((words - 1) & 63));
        bundle_free(b);
        free(shared);
    }
    bundle_free(NULL);
}

static void never_comes(void *ctx, struct link *link)
{
    (void)ctx;
    fail_msg("%s", link->name);
}

/* Who looks in vain, or promises nothing new, writes nothing: the lines stay with both ends. */
static void test_looks_do_not_write(void **state)
{
    const size_t size = bundle_size(LINKS);
    struct bundle_shared *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    (void)state;
    assert_true(shared != MAP_FAILED);
    bundle_init(shared, LINKS, 17);
    struct bundle *b = bundle_new(shared);
    assert_false(bundle_promise(b, 100));
    assert_int_equal(mprotect(shared, size, PROT_READ), 0);
    assert_false(bundle_promise(b, 100));
    assert_false(bundle_promise(b, 99));
    assert_false(bundle_more(b));
    bundle_drain(b, never_comes, NULL);
    munmap(shared, size);
    bundle_free(b);
}

/* A link that was closed since its message was sent is not looked at; that of another is. */
static void test_closed_meanwhile(void **state)
{
    struct ends e;
    uint64_t value = 1;
    (void)state;
    ends_open(&e, 3);
    link_send(&e.out[0], 100, &value);
    link_send(&e.out[1], 100, &value);
    struct bundle *b = e.out[0].bundle;
    b->links[e.out[0].number] = NULL;
    e.looked = e.came = 0;
    transport_shm.promise(&e.out[1], 101);
    assert_int_equal(b->messages, 1);
    assert_true(e.out[0].flushed == 0 && e.out[1].flushed == 1);
    b->links[e.out[0].number] = &e.out[0];
    link_take_all(&e.in[1], come, &e);
    assert_int_equal(e.came, 2);
    ends_close(&e);
}

/* ---- the two ends at the same time */
enum { STEPS = 30000, MANY = 200 };

static uint64_t mix(uint64_t x)
{
    x ^= x >> 33;
    x *= UINT64_C(0xff51afd7ed558ccd);
    return x ^ x >> 29;
}
static _Atomic uint64_t behind; /* steps that the receiver has taken: the sender is ahead of it by less than a ring */

static void *send_all(void *arg)
{
    struct ends *e = arg;
    struct link *head = &e->out[fastest(e)];
    for (uint64_t step = 0; step < STEPS; step++) {
        while (step > atomic_load(&behind) + DEPTH / 4)
            sched_yield();
        for (uint32_t k = 0; k < mix(step) % 4; k++) { /* at most one on a link in a step */
            uint32_t n = (uint32_t)((mix(step * 8) + k * 31) % MANY);
            link_send(&e->out[n], 8 * step + latency_of(n), &step);
        }
        transport_shm.promise(head, 8 * (step + 1) + head->latency);
    }
    return NULL;
}

/* What the receiver finds behind a promise of step T is all that was sent before it, and counted. */
static void test_all_before_a_promise_is_found(void **state)
{
    struct ends e;
    pthread_t thread;
    (void)state;
    ends_open(&e, MANY);
    struct link *head = &e.in[fastest(&e)];
    atomic_store(&behind, 0);
    assert_int_equal(pthread_create(&thread, NULL, send_all, &e), 0);
    for (uint64_t seen = 0, must = 0; seen < STEPS;) {
        uint64_t horizon = link_take_all(head, come, &e);
        uint64_t step = horizon > head->latency ? (horizon - head->latency) / 8 : 0;
        for (; seen < step; seen++)
            must += mix(seen) % 4;
        assert_true(e.came >= must);
        atomic_store(&behind, seen);
    }
    pthread_join(thread, NULL);
    link_take_all(head, come, &e);
    assert_int_equal(e.came, e.in[0].bundle->messages);
    assert_int_equal(e.came, e.out[0].bundle->messages);
    assert_false(bundle_more(head->bundle));
    ends_close(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_word_for_all_latencies),
        cmocka_unit_test(test_a_small_stamp),
        cmocka_unit_test(test_cost_follows_traffic),
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_looks_do_not_write),
        cmocka_unit_test(test_closed_meanwhile),
        cmocka_unit_test(test_all_before_a_promise_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
