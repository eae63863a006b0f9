// SPDX-License-Identifier: Apache-2.0
// The calendar's ends and the bandwidth of links, with toy partitions in C: what is due comes at its cycle, wherever it
// was sent from, messages take their bytes of a link, alone or shared.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bridge/link/channel.h"
#include "bridge/run/sched.h"

/* Messages follow each other on the link byte by byte: number i of those that are sent together leaves at the first
 * cycle that is not before the end of the ones in front of it, so that no cycle is lost where the last is not full. */
static void test_link_bandwidth(void **state)
{
    static const struct {
        uint32_t header, payload, width;
    } cases[] = {{16, 0, 16}, {16, 1, 16},  {16, 15, 16}, {16, 16, 16}, {16, 17, 16}, {1, 0, 64},   {16, 64, 32},
                 {16, 64, 1}, {16, 64, 80}, {16, 65, 80}, {15, 64, 80}, {0, 64, 32},  {24, 64, 32}, {16, 64, 7}};
    (void)state;
    for (unsigned n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        const uint64_t bytes = cases[n].header + cases[n].payload, width = cases[n].width;
        struct channel c;
        uint8_t message[8] = {[5] = 3};
        channel_init(&c, 0, "a", "b", 8, 20, 70);
        c.rate = (struct channel_rate){cases[n].width, cases[n].header, 5, {[3] = (uint8_t)cases[n].payload}};
        uint64_t last = 119;
        for (unsigned i = 0; i < 64; i++) {
            uint64_t free = 120 + (i * bytes + width - 1) / width;
            last = free > last ? free : last + 1; /* one message a cycle at most */
            assert_int_equal(channel_send(&c, 100, message), last);
        }
        uint64_t end = 120 + (64 * bytes + width - 1) / width;
        assert_int_equal(channel_send(&c, end - 21, message), end > last ? end : last + 1);
        assert_int_equal(channel_send(&c, 100000, message), 100020); /* idle since: nothing is left over */
        assert_int_equal(channel_send(&c, 100000, message), 100020 + (bytes > width ? (bytes + width - 1) / width : 1));
        channel_fini(&c);
    }
}

/* Two channels of one link: what either sends keeps the other's messages waiting, each at its own size. */
static void test_shared_link(void **state)
{
    struct channel requests, answers, alone;
    const uint8_t read = 0, write = 2;
    (void)state;
    channel_init(&requests, 0, "a", "b", 1, 20, 9);
    channel_init(&answers, 1, "a", "b", 1, 20, 9);
    channel_init(&alone, 2, "a", "b", 1, 20, 9);
    requests.rate = (struct channel_rate){32, 16, 0, {[2] = 64}};
    answers.rate = alone.rate = (struct channel_rate){32, 16, 0, {[0] = 64}};
    channel_share(&answers, &requests);
    assert_int_equal(channel_send(&requests, 100, &read), 120);  /* 0 to 0.5 */
    assert_int_equal(channel_send(&answers, 100, &read), 121);   /* 0.5 to 3 */
    assert_int_equal(channel_send(&requests, 100, &write), 123); /* 3 to 5.5 */
    assert_int_equal(channel_send(&answers, 100, &write), 126);  /* 5.5 to 6 */
    assert_int_equal(channel_send(&answers, 101, &read), 127);   /* 6 to 8.5; one a cycle of its port */
    assert_int_equal(channel_send(&requests, 108, &read), 129);  /* 8.5 to 9 */
    assert_int_equal(channel_send(&alone, 108, &read), 128);
    assert_int_equal(answers.link_free, 0);
    channel_fini(&requests);
    channel_fini(&answers);
    channel_fini(&alone);
}

struct alarm {
    uint64_t at[8]; /* cycles of the messages that came */
    unsigned came, visits;
    uint64_t awake_until;
};

static void alarm_visit(struct part *part, uint64_t from)
{
    struct alarm *a = part->own;
    a->visits++;
    for (unsigned c = 0; c < PART_WINDOW; c++)
        for (uint32_t i = 0; i < part->due_count[c]; i++)
            a->at[a->came++ % 8] = from + c;
    part->idle = from >= a->awake_until;
}
static const struct part_ops alarm_ops = {.visit = alarm_visit};

/* One message, from outside or from a partition that is visited, that is due `ahead` windows later, with another
 * partition busy all the time or none: it comes at its cycle. */
static void one_message(uint64_t start, uint64_t ahead, bool busy, bool inside)
{
    struct sched s;
    struct alarm sender = {.awake_until = 0}, receiver = {.awake_until = 0};
    sched_init(&s);
    struct part *from = part_new(&alarm_ops, "from", 0, 1, &sender), *to = part_new(&alarm_ops, "to", 1, 0, &receiver);
    sched_add(&s, from);
    sched_add(&s, to);
    sched_connect(&s, from, 0, to, 0, 8, (uint32_t)(ahead * PART_WINDOW), 1);
    assert_true(sched_start(&s));
    uint64_t message = 1, due = (start + ahead) * PART_WINDOW + 3;
    s.now = start * PART_WINDOW;
    if (busy) {
        sender.awake_until = due + PART_WINDOW;
        sched_wake(&s, from, s.now);
    }
    if (!inside)
        sched_send(from, 0, s.now + 3, &message);
    if (busy || inside)
        sched_run(&s, 1);
    if (inside)
        sched_send(from, 0, s.now - PART_WINDOW + 3, &message); /* as from the visit that has just been */
    for (uint64_t next; (next = sched_next(&s)) != UINT64_MAX;) {
        assert_true(next >= s.now && next <= due); /* nobody oversleeps */
        s.now = next;
        sched_run(&s, 1);
        if (receiver.came)
            break;
    }
    assert_int_equal(receiver.came, 1);
    assert_int_equal(receiver.at[0], due);
    sched_fini(&s);
}

/* Around the ends of the calendar's words and of the calendar, from every kind of place in it. */
static void test_messages_come_at_their_cycle(void **state)
{
    static const uint64_t starts[] = {0, 1, 63, 64, 200, 255, 256, 100000},
                          ahead[] = {1,   2,   62,  63,  64,  65,  128, 191, 192, 254,
                                     255, 256, 257, 258, 320, 511, 512, 513, 1000};
    (void)state;
    for (unsigned i = 0; i < sizeof starts / sizeof starts[0]; i++)
        for (unsigned k = 0; k < sizeof ahead / sizeof ahead[0]; k++)
            for (unsigned how = 0; how < 4; how++)
                one_message(starts[i], ahead[k], how & 1, how & 2);
}

/* Of what was far away when it was sent and what is sent later for a later cycle, the earlier comes first. */
static void test_far_messages_keep_their_place(void **state)
{
    struct sched s;
    struct alarm a = {.awake_until = 0};
    (void)state;
    sched_init(&s);
    struct part *part = part_new(&alarm_ops, "a", 0, 0, &a);
    sched_add(&s, part);
    assert_true(sched_start(&s));
    sched_wake(&s, part, 300 * PART_WINDOW + 5); /* beyond the calendar */
    sched_wake(&s, part, 100 * PART_WINDOW);
    static const uint64_t expected[] = {100, 300, 350};
    for (unsigned n = 0; n < 3; n++) {
        assert_int_equal(sched_next(&s), expected[n] * PART_WINDOW);
        s.now = sched_next(&s);
        if (n == 0)
            sched_wake(&s, part, 350 * PART_WINDOW); /* within it */
        sched_run(&s, 1);
        assert_int_equal(a.visits, n + 1);
    }
    assert_true(sched_quiet(&s));
    sched_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_link_bandwidth),
        cmocka_unit_test(test_shared_link),
        cmocka_unit_test(test_messages_come_at_their_cycle),
        cmocka_unit_test(test_far_messages_keep_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
