// SPDX-License-Identifier: Apache-2.0
// Tests of channels, calendar and scheduler with toy partitions in C: stamps, order, bandwidth, messages far beyond the
// calendar's wheel, skipping idle partitions on and off, groups and host threads with the same history.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "bridge/link/channel.h"
#include "bridge/run/heap.h"
#include "bridge/run/sched.h"

static void test_heap(void **state)
{
    (void)state;
    struct heap h = {0};
    uint64_t x = 1, last = 0;
    assert_true(heap_next(&h) == UINT64_MAX);
    for (unsigned i = 0; i < 1000; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        heap_push(&h, x >> 58, i);
    }
    uint64_t order = 0;
    for (unsigned i = 0; i < 1000; i++) {
        struct heap_item item = heap_pop(&h);
        assert_true(item.cycle > last || (item.cycle == last && (i == 0 || item.value > order)));
        last = item.cycle;
        order = item.value;
    }
    heap_fini(&h);
}

static void nothing(struct part *part, uint64_t from)
{
    (void)part;
    (void)from;
}
static const struct part_ops silent = {.visit = nothing};

static void test_channel_stamps(void **state)
{
    (void)state;
    struct channel c;
    uint32_t message[2] = {0, 7};
    channel_init(&c, 0, "a", "b", 8, 20, 107);
    assert_int_equal(channel_send(&c, 100, message), 120);
    assert_int_equal(channel_send(&c, 100, message), 121); /* one a cycle */
    assert_int_equal(channel_send(&c, 101, message), 122);
    assert_int_equal(channel_send(&c, 150, message), 170);
    c.rate = (struct channel_rate){.bytes_per_cycle = 16, .header = 16, .payload = {[0] = 0, [2] = 64}};
    message[0] = 2; /* 80 bytes: 5 cycles of the link */
    assert_int_equal(channel_send(&c, 200, message), 220);
    assert_int_equal(channel_send(&c, 200, message), 225);
    assert_int_equal(channel_send(&c, 300, message), 320);
    for (unsigned i = 0; i < 100; i++) /* grows */
        channel_send(&c, 400 + i, message);
    assert_int_equal(channel_count(&c), 107);
    assert_int_equal(channel_stamp(&c, 0), 120);
    assert_int_equal(((const uint32_t *)channel_payload(&c, 3))[1], 7);
    channel_fini(&c);
}

/* Ends with the text on stderr and the exit status of our own bugs. */
static void assert_bug(void (*act)(void), const char *text)
{
    int ends[2], status;
    char said[1024];
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], 2);
        act();
        _exit(0);
    }
    close(ends[1]);
    size_t n = 0;
    for (ssize_t got; n < sizeof said - 1 && (got = read(ends[0], said + n, sizeof said - 1 - n)) > 0;)
        n += (size_t)got;
    said[n] = 0;
    close(ends[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(!WIFEXITED(status) || WEXITSTATUS(status) == 70);
    assert_non_null(strstr(said, text));
}

static struct wire *three_places(struct sched *s)
{
    sched_init(s);
    struct part *from = part_new(&silent, "from", 0, 1, NULL), *to = part_new(&silent, "to", 1, 0, NULL);
    sched_add(s, from);
    sched_add(s, to);
    return sched_connect(s, from, 0, to, 0, 8, 16, 3);
}

static void one_too_many(void)
{
    struct sched s;
    struct channel *c = &three_places(&s)->channel;
    uint64_t message = 1;
    for (unsigned i = 0; i < 4; i++)
        channel_send(c, i, &message);
}

static void receiver_sees_too_many(void)
{
    struct sched s;
    struct channel *c = &three_places(&s)->channel;
    uint64_t message = 1;
    assert_true(sched_start(&s));
    sched_send(s.parts[0], 0, 0, &message);
    c->tail += 3; /* as if a sender had not looked */
    part_gather(s.parts[1], 16);
}

static void no_depth(void)
{
    struct channel c;
    channel_init(&c, 7, "a", "b", 8, 20, 0);
}

static void too_many_wakes(void)
{
    struct sched s;
    three_places(&s);
    assert_true(sched_start(&s));
    for (unsigned i = 0; i < 100; i++)
        sched_wake(&s, s.parts[1], 1000000 + i);
}

static void too_much_mail(void)
{
    struct sched s;
    uint64_t message = 1;
    three_places(&s);
    s.parts[1]->group = 1;
    s.threads = 2;
    assert_true(sched_start(&s));
    s.apart = true; /* as while both groups run */
    for (unsigned i = 0; i < 4; i++)
        sched_send(s.parts[0], 0, i, &message);
}

/* The declared depth holds to the last place, for ever, and one message more is our own bug at either end; so is what
 * no message stands behind in the calendar and the outbox. */
static void test_bounds(void **state)
{
    (void)state;
    struct sched s;
    struct channel *c = &three_places(&s)->channel;
    const uint8_t *slots = c->slots;
    for (uint64_t i = 0; i < 1000; i++) {
        channel_send(c, 100 * i, &i);
        for (uint64_t k = 1; k <= i % 3; k++)
            channel_send(c, 100 * i + k, &k);
        assert_int_equal(*(const uint64_t *)channel_payload(c, 0), i);
        assert_int_equal(channel_count(c), 1 + i % 3);
        channel_drop(c, 1 + i % 3);
    }
    assert_true(c->slots == slots);
    sched_fini(&s);
    assert_bug(one_too_many, "holds 3 messages, depth 3");
    assert_bug(receiver_sees_too_many, "holds 4 messages, depth 3");
    assert_bug(no_depth, "channel 7 has no depth");
    assert_bug(too_many_wakes, "wake-ups, at most");
    assert_bug(too_much_mail, "outbox of group 0");
}

/* A node that answers every message after some cycles of its own work, to a neighbour that the message names. */
struct node {
    uint64_t timer[64]; /* cycles at which it sends, ascending from head */
    unsigned head, count;
    uint64_t hash, received, state;
    unsigned budget; /* messages that it may still send */
};

static void node_note(struct node *n, uint64_t a, uint64_t b)
{
    n->hash = (n->hash ^ a ^ b << 32) * 0x9e3779b97f4a7c15u;
    n->hash ^= n->hash >> 29;
}

static void node_visit(struct part *part, uint64_t from)
{
    struct node *n = part->own;
    for (unsigned c = 0; c < PART_WINDOW; c++) {
        uint64_t now = from + c;
        for (uint32_t i = 0; i < part->due_count[c]; i++) {
            uint64_t value = *(const uint64_t *)part->due[c][i].data;
            node_note(n, now, value << 8 | part->due[c][i].slot);
            n->received++;
            if (n->count < 64)
                n->timer[(n->head + n->count++) & 63] = now + 1 + value % 13;
        }
        while (n->count && n->timer[n->head & 63] <= now) {
            n->head++;
            n->count--;
            n->state = n->state * 6364136223846793005u + 1;
            uint64_t value = n->state >> 40;
            if (n->budget) {
                n->budget--;
                sched_send(part, (uint32_t)(value % part->outs), now, &value);
            }
        }
    }
    part->idle = n->count == 0;
}

static void node_free(struct part *part)
{
    free(part->own);
}
static const struct part_ops node_ops = {.visit = node_visit, .free = node_free};

struct history {
    uint64_t hash, visits, end, received;
};

/* group: nodes that stand together; 0: all in one, and one window at a time.  threads: of the host. */
static struct history run_ring(bool no_skip, unsigned nodes, unsigned group, unsigned threads)
{
    struct sched s;
    struct part *parts[70];
    sched_init(&s);
    s.no_skip = no_skip;
    s.threads = threads;
    for (unsigned i = 0; i < nodes; i++) {
        struct node *n = calloc(1, sizeof *n);
        char name[16];
        snprintf(name, sizeof name, "n%u", i);
        *n = (struct node){.state = i * 77 + 1, .budget = 300};
        parts[i] = part_new(&node_ops, name, 3, 3, n);
        parts[i]->group = group ? i / group : 0;
        sched_add(&s, parts[i]);
    }
    static const unsigned step[3] = {1, 3, 7}, latency[3] = {8, 37, 5000}; /* 5000: beyond the wheel */
    for (unsigned i = 0; i < nodes; i++) {
        for (unsigned k = 0; k < 3; k++) /* a step out of the group takes longer, with and without groups */
            sched_connect(&s, parts[i], k, parts[(i + step[k]) % nodes], k, 8,
                          latency[k] + (i / 4 != (i + step[k]) % nodes / 4 ? 8 : 0), 8192);
    }
    assert_true(sched_start(&s));
    assert_int_equal(s.stretch, group == 0 ? SCHED_STRETCH : group == 4 ? 2 : 1);
    uint64_t seed = 5;
    sched_send(parts[0], 0, 0, &seed);
    sched_send(parts[nodes / 2], 2, 0, &seed);
    struct history h = {0};
    for (uint64_t next; (next = sched_next(&s)) != UINT64_MAX;) {
        if (!no_skip)
            s.now = next;
        sched_run(&s, group && !no_skip ? s.stretch : 1);
    }
    assert_true(sched_quiet(&s));
    for (unsigned i = 0; i < nodes; i++) {
        struct node *n = parts[i]->own;
        h.hash = h.hash * 31 + n->hash;
        h.received += n->received;
    }
    h.visits = sched_visits(&s);
    h.end = s.now;
    sched_fini(&s);
    return h;
}

/* 64 GPUs of 64 CUs have more channels than 16 bits count: each has a number of its own. */
static void test_many_channels(void **state)
{
    enum { CHANNELS = 70000 };
    static const struct part_ops none = {.visit = NULL};
    struct sched s;
    (void)state;
    sched_init(&s);
    struct part *a = part_new(&none, "a", CHANNELS, CHANNELS, NULL);
    sched_add(&s, a);
    for (uint32_t n = 0; n < CHANNELS; n++)
        assert_int_equal(sched_connect(&s, a, n, a, n, 0, 8, 1)->channel.id, n);
    sched_fini(&s);
}

static void test_skipping_changes_nothing(void **state)
{
    (void)state;
    for (unsigned nodes = 8; nodes <= 70; nodes += 31) {
        struct history skip = run_ring(false, nodes, 0, 1), all = run_ring(true, nodes, 0, 1);
        assert_true(skip.received > 100);
        assert_true(skip.hash == all.hash);
        assert_true(skip.received == all.received && skip.end == all.end);
        assert_true(skip.visits * 4 < all.visits);
    }
}

/* Groups that are visited for two windows at once have the same history; groups with fast channels between are refused.
 */
static void test_groups_change_nothing(void **state)
{
    (void)state;
    for (unsigned nodes = 8; nodes <= 68; nodes += 20) {
        struct history one = run_ring(false, nodes, 0, 1), four = run_ring(false, nodes, 4, 1),
                       three = run_ring(false, nodes, 3, 1);
        assert_true(one.received > 100);
        assert_true(one.hash == four.hash && one.received == four.received);
        assert_true(one.hash == three.hash && one.received == three.received);
    }
}

/* Groups that run at the same time on several threads have the same history. */
static void test_threads_change_nothing(void **state)
{
    (void)state;
    for (unsigned threads = 2; threads <= 4; threads++) {
        struct history one = run_ring(false, 68, 4, 1), more = run_ring(false, 68, 4, threads);
        assert_true(one.received > 1000);
        assert_true(one.hash == more.hash && one.received == more.received && one.visits == more.visits &&
                    one.end == more.end);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heap),
        cmocka_unit_test(test_channel_stamps),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_many_channels),
        cmocka_unit_test(test_skipping_changes_nothing),
        cmocka_unit_test(test_groups_change_nothing),
        cmocka_unit_test(test_threads_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
