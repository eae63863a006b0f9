/* SPDX-License-Identifier: Apache-2.0
 * For tests of a machine's state: toy partitions whose history depends on all of it: a link that is used up, a message
 * that waits for the port, messages and wake-ups beyond the wheel, a partition that wakes itself, one that is busy.
 */
#ifndef TESTS_BRIDGE_RUN_TOYS_BENCH_H
#define TESTS_BRIDGE_RUN_TOYS_BENCH_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bridge/run/sched_save.h"
#include "saved/state_io.h"

#define TOYS 10u
#define GROUPS 5u
#define FAR 5000u /* cycles: beyond the wheel */
#define END 24000u

struct toy {
    uint64_t random, history, alarm; /* alarm: cycle at which it has woken itself, 0: none */
    uint32_t busy;                   /* windows that it stays busy */
    int32_t owed;                    /* messages taken and not passed on */
    bool broken;                     /* not to be saved */
};

static inline void note(struct toy *t, uint64_t value)
{
    t->history = (t->history ^ value) * 0x9e3779b97f4a7c15u;
    t->history ^= t->history >> 29;
}

/* Output 0 to the next toy, 1 to the one after it, 2 far away to the third; of 16 bytes, the first of which is the
 * kind. */
static inline void toy_send(struct part *part, struct toy *t, uint64_t cycle)
{
    t->random = t->random * 6364136223846793005u + 1442695040888963407u;
    uint64_t r = t->random >> 33, message[2] = {r & 3, t->random};
    uint32_t slot = r % 64 == 0 ? 2 : r >> 4 & 1;
    if (t->owed > -6) { /* so that messages become neither few nor many */
        t->owed--;
        sched_send(part, slot, cycle, message);
    }
}

static inline void toy_visit(struct part *part, uint64_t from)
{
    struct toy *t = part->own;
    for (unsigned c = 0; c < PART_WINDOW; c++) {
        for (uint32_t i = 0; i < part->due_count[c]; i++) {
            const uint64_t *message = part->due[c][i].data;
            t->owed++;
            note(t, from + c);
            note(t, message[1] + part->due[c][i].slot);
            toy_send(part, t, from + c);
            if (message[1] >> 40 & 1)
                toy_send(part, t, from + c); /* the port of the receiver takes one a cycle */
            if ((message[1] >> 42 & 15) == 0)
                t->busy = 3;
            if ((message[1] >> 48 & 31) == 0 && !t->alarm) {
                t->alarm = from + 8 * PART_WINDOW + (message[1] >> 60) * 1000;
                sched_wake(part->sched, part, t->alarm);
            }
        }
    }
    if (t->alarm && t->alarm < from + PART_WINDOW) {
        note(t, t->alarm);
        t->alarm = 0;
        toy_send(part, t, from + PART_WINDOW - 1);
    }
    if (t->busy) {
        note(t, from);
        t->busy--;
        toy_send(part, t, from);
    }
    part->idle = t->busy == 0;
}

static inline void toy_save(struct part *part, struct state_writer *to)
{
    const struct toy *t = part->own;
    STATE_PUT(to, t->random);
    STATE_PUT(to, t->history);
    STATE_PUT(to, t->alarm);
    STATE_PUT(to, t->busy);
    STATE_PUT(to, t->owed);
}

static inline bool toy_restore(struct part *part, struct state_reader *from)
{
    struct toy *t = part->own;
    return STATE_GET(from, t->random) && STATE_GET(from, t->history) && STATE_GET(from, t->alarm) &&
           STATE_GET(from, t->busy) && STATE_GET(from, t->owed);
}

static const char *toy_unsavable(const struct part *part)
{
    return ((const struct toy *)part->own)->broken ? "it is broken" : NULL;
}

static const struct part_ops toy_ops = {
    .visit = toy_visit, .save = toy_save, .restore = toy_restore, .unsavable = toy_unsavable};

struct bench {
    struct sched sched;
    struct toy toys[TOYS];
};

static inline void bench_open(struct bench *b, unsigned threads, uint32_t depth)
{
    memset(b, 0, sizeof *b);
    sched_init(&b->sched);
    for (unsigned i = 0; i < TOYS; i++) {
        char name[16];
        snprintf(name, sizeof name, "toy%u", i);
        struct part *part = part_new(&toy_ops, name, 3, 3, &b->toys[i]);
        part->group = i * GROUPS / TOYS;
        b->toys[i].random = i + 1;
        sched_add(&b->sched, part);
    }
    for (unsigned i = 0; i < TOYS; i++) {
        for (unsigned o = 0; o < 3; o++) {
            struct wire *w = sched_connect(&b->sched, b->sched.parts[i], o, b->sched.parts[(i + o + 1) % TOYS], o, 16,
                                           o == 2 ? FAR : 16 + 8 * o, depth);
            if (o == 0) /* a slow link: 20 to 84 bytes, 8 of them a cycle */
                w->channel.rate = (struct channel_rate){.bytes_per_cycle = 8, .header = 20, .payload = {0, 16, 32, 64}};
        }
    }
    b->sched.threads = threads;
    assert_true(sched_start(&b->sched));
    for (unsigned i = 0; i < 2 * TOYS; i++)
        toy_send(b->sched.parts[i % TOYS], &b->toys[i % TOYS], 0);
}

static inline void bench_close(struct bench *b)
{
    sched_fini(&b->sched);
}

static inline void bench_run(struct bench *b, uint64_t end)
{
    for (uint64_t next; (next = sched_next(&b->sched)) < end;) {
        b->sched.now = next;
        sched_run(&b->sched, 1);
    }
}

static inline uint64_t bench_history(struct bench *b)
{
    uint64_t all = sched_visits(&b->sched);
    for (uint32_t i = 0; i < b->sched.wire_count; i++)
        all = all * 31 + b->sched.wires[i]->channel.sent;
    for (unsigned i = 0; i < TOYS; i++)
        all = (all ^ b->toys[i].history) * 0x9e3779b97f4a7c15u + b->sched.parts[i]->visits;
    return all;
}

static inline void bench_restore(struct bench *b, struct state_buffer *state)
{
    state->taken = 0;
    assert_true(sched_restore(&b->sched, &state->reader));
    assert_int_equal(state->taken, state->count);
}
#endif
