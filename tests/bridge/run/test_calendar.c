// SPDX-License-Identifier: Apache-2.0
// The calendar's ends and the bandwidth of links, with toy partitions in C: what is due comes at its cycle, wherever it
// was sent from, and a message takes whole cycles of its link.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bridge/link/channel.h"
#include "bridge/run/sched.h"

/* A message of header + payload bytes takes the link whole cycles, the last one too where it is not full; the link is
 * the sender's for that long, the message arrives latency cycles after it began. */
static void test_link_bandwidth(void **state)
{
    static const struct {
        uint32_t header, payload, width, cycles;
    } cases[] = {{16, 0, 16, 1},  {16, 1, 16, 2},  {16, 15, 16, 2}, {16, 16, 16, 2}, {16, 17, 16, 3},
                 {1, 0, 64, 1},   {16, 64, 32, 3}, {16, 64, 1, 80}, {16, 64, 80, 1}, {16, 65, 80, 2},
                 {15, 64, 80, 1}, {0, 64, 32, 2},  {24, 64, 32, 3}};
    (void)state;
    for (unsigned n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        struct channel c;
        uint8_t message[8] = {[5] = 3};
        channel_init(&c, 0, "a", "b", 8, 20, 7);
        c.rate = (struct channel_rate){cases[n].width, cases[n].header, 5, {[3] = (uint8_t)cases[n].payload}};
        for (unsigned i = 0; i < 5; i++) /* sent together: one after the other */
            assert_int_equal(channel_send(&c, 100, message), 120 + i * cases[n].cycles);
        assert_int_equal(channel_send(&c, 99 + 5 * cases[n].cycles, message), 120 + 5 * cases[n].cycles);
        assert_int_equal(channel_send(&c, 1000, message), 1020); /* idle since */
        channel_fini(&c);
    }
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
        cmocka_unit_test(test_messages_come_at_their_cycle),
        cmocka_unit_test(test_far_messages_keep_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
