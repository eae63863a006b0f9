// SPDX-License-Identifier: Apache-2.0
// State of a machine of toy partitions: saved between any two windows and put into a new machine of the same graph it
// goes on to the same history, with any number of host threads, twice from the same bytes; the hash of the state is
// that of the saved machine and another one after any change; bytes that end early or are of another graph are refused.
// What each part of the state is there for is seen by the history: a link that is used up, a message that waits for the
// port, messages and wake-ups beyond the wheel, a partition that wakes itself, one that is busy.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/state_io.h"
#include "bridge/run/advance.h"
#include "bridge/run/links.h"
#include "bridge/run/sched_save.h"
#include "bridge/run/sched_share.h"

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

static void note(struct toy *t, uint64_t value)
{
    t->history = (t->history ^ value) * 0x9e3779b97f4a7c15u;
    t->history ^= t->history >> 29;
}

/* Output 0 to the next toy, 1 to the one after it, 2 far away to the third; of 16 bytes, the first of which is the
 * kind. */
static void toy_send(struct part *part, struct toy *t, uint64_t cycle)
{
    t->random = t->random * 6364136223846793005u + 1442695040888963407u;
    uint64_t r = t->random >> 33, message[2] = {r & 3, t->random};
    uint32_t slot = r % 64 == 0 ? 2 : r >> 4 & 1;
    if (t->owed > -6) { /* so that messages become neither few nor many */
        t->owed--;
        sched_send(part, slot, cycle, message);
    }
}

static void toy_visit(struct part *part, uint64_t from)
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

static void toy_save(struct part *part, struct state_writer *to)
{
    const struct toy *t = part->own;
    STATE_PUT(to, t->random);
    STATE_PUT(to, t->history);
    STATE_PUT(to, t->alarm);
    STATE_PUT(to, t->busy);
    STATE_PUT(to, t->owed);
}

static bool toy_restore(struct part *part, struct state_reader *from)
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

static void bench_open(struct bench *b, unsigned threads, uint32_t depth)
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

static void bench_close(struct bench *b)
{
    sched_fini(&b->sched);
}

static void bench_run(struct bench *b, uint64_t end)
{
    for (uint64_t next; (next = sched_next(&b->sched)) < end;) {
        b->sched.now = next;
        sched_run(&b->sched, 1);
    }
}

static uint64_t bench_history(struct bench *b)
{
    uint64_t all = sched_visits(&b->sched);
    for (uint32_t i = 0; i < b->sched.wire_count; i++)
        all = all * 31 + b->sched.wires[i]->channel.sent;
    for (unsigned i = 0; i < TOYS; i++)
        all = (all ^ b->toys[i].history) * 0x9e3779b97f4a7c15u + b->sched.parts[i]->visits;
    return all;
}

static void bench_restore(struct bench *b, struct state_buffer *state)
{
    state->taken = 0;
    assert_true(sched_restore(&b->sched, &state->reader));
    assert_int_equal(state->taken, state->count);
}

static void test_it_goes_on(void **state)
{
    struct bench whole, first, then;
    unsigned busy = 0, late = 0; /* so that the moments were worth looking at */
    (void)state;
    bench_open(&whole, 1, 64);
    bench_run(&whole, END);
    assert_true(bench_history(&whole) != 0 && sched_visits(&whole.sched) > 5000);
    for (unsigned n = 0; n < 24; n++) {
        struct state_buffer saved;
        state_buffer_init(&saved);
        bench_open(&first, 1 + n % 2, 64);
        bench_run(&first, n * n * 37);
        sched_save(&first.sched, &saved.writer);
        const uint64_t hash = sched_state_hash(&first.sched);
        for (unsigned i = 0; i < TOYS; i++)
            busy += !first.sched.parts[i]->idle;
        for (unsigned i = 0; i < GROUPS; i++)
            late += first.sched.groups[i].late.count > 0;
        for (unsigned threads = 1; threads <= 3; threads++) {
            bench_open(&then, threads, 64);
            bench_run(&then, threads == 3 ? 5000 : 0); /* whatever it has done before */
            bench_restore(&then, &saved);
            assert_true(sched_state_hash(&then.sched) == hash);
            assert_int_equal(then.sched.now, first.sched.now);
            assert_int_equal(sched_next(&then.sched), sched_next(&first.sched));
            bench_run(&then, END);
            assert_true(bench_history(&then) == bench_history(&whole));
            assert_true(sched_state_hash(&then.sched) == sched_state_hash(&whole.sched));
            bench_close(&then);
        }
        bench_run(&first, END); /* saving has changed nothing */
        assert_true(bench_history(&first) == bench_history(&whole));
        bench_close(&first);
        free(saved.bytes);
    }
    assert_true(busy > 0 && late > 0);
    bench_close(&whole);
}

/* What a machine had to do before is gone: wake-ups, partitions that were busy, messages. */
static void test_nothing_old_stays(void **state)
{
    struct state_buffer saved;
    struct bench a, b;
    (void)state;
    state_buffer_init(&saved);
    bench_open(&a, 1, 64);
    uint64_t next;
    while ((next = sched_next(&a.sched)) == a.sched.now) { /* until a moment of rest */
        assert_true(next < END);
        a.sched.now = next;
        sched_run(&a.sched, 1);
    }
    sched_save(&a.sched, &saved.writer);
    bench_open(&b, 1, 64);
    bench_run(&b, a.sched.now);
    b.sched.now = a.sched.now;
    for (unsigned i = 0; i < TOYS; i++) {
        b.sched.groups[b.sched.parts[i]->group].busy[0] |= UINT64_C(1) << b.sched.parts[i]->index;
        sched_wake(&b.sched, b.sched.parts[i], b.sched.now);
        sched_wake(&b.sched, b.sched.parts[i], b.sched.now + (SCHED_WHEEL + 9) * PART_WINDOW);
    }
    bench_restore(&b, &saved);
    assert_int_equal(sched_next(&b.sched), next);
    bench_run(&a, END);
    bench_run(&b, END);
    assert_true(bench_history(&a) == bench_history(&b));
    bench_close(&a);
    bench_close(&b);
    free(saved.bytes);
}

/* Half of the machine, as one of two processes has it: toys below or from `first` on; channels to the others cut. */
struct half {
    struct sched sched;
    struct part *parts[TOYS];
    struct toy toys[TOYS];
    struct ring **rings; /* of all channels that are cut, by partition and output; both halves share them */
    size_t under_way;
};

static struct wire *half_connect(void *ctx, struct sched *s, struct part *from, uint32_t slot_from, struct part *to,
                                 uint32_t slot_to, uint32_t bytes, uint32_t latency, uint32_t depth)
{
    struct half *h = ctx;
    struct ring **ring = &h->rings[from->number * 3 + slot_from];
    if (from->elsewhere && to->elsewhere)
        return NULL;
    if (*ring == NULL)
        *ring = ring_new(bytes, depth, RING_LINE, 1);
    const struct carrier carrier = {&transport_inproc, *ring};
    if (to->elsewhere)
        return sched_export(s, from, slot_from, (struct far_end){to->name, slot_to}, bytes, latency, depth, carrier);
    return sched_import(s, (struct far_end){from->name, slot_from}, to, slot_to, bytes, latency, depth, carrier);
}

static void half_open(struct half *h, struct ring **rings, unsigned self, uint32_t depth)
{
    memset(h, 0, sizeof *h);
    h->rings = rings;
    sched_init(&h->sched);
    h->sched.cut = (struct sched_cut){half_connect, h};
    for (unsigned i = 0; i < TOYS; i++) {
        char name[16];
        const bool here = (i % 4 < 2) == (self == 0);
        snprintf(name, sizeof name, "toy%u", i);
        h->parts[i] = here ? part_new(&toy_ops, name, 3, 3, &h->toys[i]) : part_elsewhere(name, 3, 3, !self);
        sched_add(&h->sched, h->parts[i]);
    }
    for (unsigned i = 0; i < TOYS; i++) {
        for (unsigned o = 0; o < 3; o++) {
            struct wire *w = sched_connect(&h->sched, h->parts[i], o, h->parts[(i + o + 1) % TOYS], o, 16,
                                           o == 2 ? FAR : 16 + 8 * o, depth);
            if (o == 0 && w)
                w->channel.rate = (struct channel_rate){.bytes_per_cycle = 8, .header = 20, .payload = {0, 16, 32, 64}};
        }
    }
    assert_true(sched_start(&h->sched));
}

static void half_restore(struct half *h, struct state_buffer *state)
{
    state->taken = 0;
    assert_true(sched_restore(&h->sched, &state->reader));
    assert_int_equal(state->taken, state->count);
    for (uint32_t i = 0; i < h->sched.import_count; i++)
        h->under_way += channel_count(&h->sched.imports[i]->channel);
}

/* shows B.5: Saved in one process, each half of the machine takes its own: no message under way between them is lost,
 * doubled or early, whatever its number is by then; the next ones wait for the link and the port as before. */
static void test_it_goes_on_in_two_halves(void **state)
{
    struct bench whole, first;
    struct half half[2];
    size_t under_way = 0;
    (void)state;
    bench_open(&whole, 1, 512);
    bench_run(&whole, END);
    for (unsigned n = 0; n < 16; n++) {
        struct state_buffer saved;
        struct ring *rings[3 * TOYS] = {NULL};
        state_buffer_init(&saved);
        bench_open(&first, 1, 512);
        bench_run(&first, n * n * 90);
        sched_save(&first.sched, &saved.writer);
        for (unsigned i = 0; i < 2; i++)
            half_open(&half[i], rings, i, 512);
        assert_true(sched_graph(&half[0].sched) + sched_graph(&half[1].sched) == sched_graph(&first.sched));
        for (unsigned i = 0; i < 2; i++) {
            half_restore(&half[i], &saved);
            under_way += half[i].under_way;
        }
        for (enum sched_end end[2] = {SCHED_BLOCKED, SCHED_BLOCKED}; end[0] != SCHED_UNTIL || end[1] != SCHED_UNTIL;)
            for (unsigned i = 0; i < 2; i++)
                end[i] = sched_advance(&half[i].sched, END);
        for (unsigned i = 0; i < TOYS; i++) {
            const struct half *h = &half[half[0].parts[i]->elsewhere];
            assert_true(h->toys[i].history == whole.toys[i].history);
            assert_int_equal(h->parts[i]->visits, whole.sched.parts[i]->visits);
        }
        for (unsigned i = 0; i < 2; i++)
            sched_fini(&half[i].sched);
        for (unsigned i = 0; i < 3 * TOYS; i++)
            free(rings[i]);
        bench_close(&first);
        free(saved.bytes);
    }
    assert_true(under_way > 100);
    bench_close(&whole);
}

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
}

static struct channel *filled(struct bench *b, size_t count)
{
    for (uint32_t i = 0; i < b->sched.wire_count; i++)
        if (channel_count(&b->sched.wires[i]->channel) >= count)
            return &b->sched.wires[i]->channel;
    fail_msg("no channel holds %zu messages", count);
    return NULL;
}

/* Each is undone; none may leave the hash as it was. */
static void test_the_hash_sees_every_change(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, 1, 64);
    bench_run(&b, 3000);
    const uint64_t hash = sched_state_hash(&b.sched);
    struct channel *c = filled(&b, 2);
    struct slot *second = channel_slot(c, 1);
    uint64_t *payload = (uint64_t *)(void *)second->payload;
    uint64_t *const numbers[] = {&c->last,       &c->link_free, &c->sent,        &b.sched.now,
                                 &second->stamp, payload + 1,   &b.toys[3].alarm};
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        *numbers[i] ^= 8;
        assert_true(sched_state_hash(&b.sched) != hash);
        *numbers[i] ^= 8;
    }
    c->tail--;
    assert_true(sched_state_hash(&b.sched) != hash);
    c->tail++;
    b.sched.parts[2]->idle ^= true;
    assert_true(sched_state_hash(&b.sched) != hash);
    b.sched.parts[2]->idle ^= true;
    assert_true(sched_state_hash(&b.sched) == hash);
    sched_wake(&b.sched, b.sched.parts[1], b.sched.now + 40);
    sched_wake(&b.sched, b.sched.parts[1], b.sched.now + 3 * SCHED_WHEEL * PART_WINDOW);
    const uint64_t woken = sched_state_hash(&b.sched);
    assert_true(woken != hash);
    sched_wake(&b.sched, b.sched.parts[1], b.sched.now + 3 * SCHED_WHEEL * PART_WINDOW); /* once more is the same */
    assert_true(sched_state_hash(&b.sched) == woken);
    bench_close(&b);
}

/* Equal states have equal bytes, whatever the machines did before: wake-ups in a wheel or beyond it, places of a ring.
 */
static void test_equal_states_have_equal_bytes(void **state)
{
    struct state_buffer one, two;
    struct bench a, b;
    (void)state;
    state_buffer_init(&one);
    state_buffer_init(&two);
    bench_open(&a, 1, 64);
    bench_run(&a, 9000);
    sched_save(&a.sched, &one.writer);
    bench_open(&b, 1, 64);
    bench_restore(&b, &one);
    sched_save(&b.sched, &two.writer);
    assert_int_equal(one.count, two.count);
    assert_memory_equal(one.bytes, two.bytes, one.count);
    bench_close(&a);
    bench_close(&b);
    free(one.bytes);
    free(two.bytes);
}

static void test_bytes_that_end_early(void **state)
{
    struct state_buffer saved;
    struct bench b;
    (void)state;
    state_buffer_init(&saved);
    bench_open(&b, 1, 64);
    bench_run(&b, 3000);
    sched_save(&b.sched, &saved.writer);
    const size_t whole = saved.count;
    for (saved.count = 0; saved.count < whole; saved.count += saved.count < 64 ? 1 : 37) {
        saved.taken = 0;
        *saved.reader.why = 0;
        assert_false(sched_restore(&b.sched, &saved.reader));
    }
    bench_close(&b);
    free(saved.bytes);
}

static void refuse(struct bench *b, struct state_buffer *saved, const char *why)
{
    saved->taken = 0;
    *saved->reader.why = 0;
    assert_false(sched_restore(&b->sched, &saved->reader));
    assert_non_null(strstr(saved->reader.why, why));
}

static void test_what_cannot_be_a_state(void **state)
{
    struct state_buffer saved;
    struct bench b, small;
    const char *why;
    (void)state;
    state_buffer_init(&saved);
    bench_open(&b, 1, 64);
    bench_run(&b, 3000);
    assert_null(sched_unsavable(&b.sched, &why));
    sched_save(&b.sched, &saved.writer);
    bench_open(&small, 1, 22);
    assert_true(sched_graph(&b.sched) != sched_graph(&small.sched));
    size_t at = 16; /* behind time and length: last, link_free, sent, count of the first channel */
    uint64_t count;
    memcpy(&count, saved.bytes + at + 24, 8);
    const uint64_t many = 23, kept = count, before = 1;
    memcpy(saved.bytes + at + 24, &many, 8);
    refuse(&small, &saved, "toy0 -> toy1, at most 22");
    memcpy(saved.bytes + at + 24, &kept, 8);
    struct state_buffer wrong = saved;
    wrong.bytes = NULL;
    wrong.count = wrong.room = wrong.taken = 0;
    state_put_u64(&wrong.writer, 3001);
    refuse(&b, &wrong, "is no window's first");
    if (kept) {
        uint64_t last;
        memcpy(&last, saved.bytes + at, 8);
        memcpy(saved.bytes + at, &before, 8);
        refuse(&b, &saved, "from the future");
        memcpy(saved.bytes + at, &last, 8);
    }
    memset(saved.bytes + saved.count - 16, 0, 8); /* the last wake-up: in the past */
    refuse(&b, &saved, "wake-up of partition");
    b.toys[4].broken = true;
    const struct part *broken = sched_unsavable(&b.sched, &why);
    assert_non_null(broken);
    assert_string_equal(broken->name, "toy4");
    assert_string_equal(why, "it is broken");
    bench_close(&b);
    bench_close(&small);
    free(saved.bytes);
    free(wrong.bytes);
}

/* Each difference of two graphs shows in their hash. */
static void test_graphs(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, 1, 64);
    const uint64_t graph = sched_graph(&b.sched);
    struct wire *w = b.sched.wires[4];
    uint32_t *const numbers[] = {
        &w->channel.bytes,       &w->channel.latency,      &w->channel.depth, &w->channel.rate.bytes_per_cycle,
        &w->channel.rate.header, &w->channel.rate.kind_at, &w->to_slot,       &b.sched.parts[1]->number};
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        *numbers[i] ^= 1;
        assert_true(sched_graph(&b.sched) != graph);
        *numbers[i] ^= 1;
    }
    w->silent = true;
    assert_true(sched_graph(&b.sched) != graph);
    w->silent = false;
    b.sched.parts[9]->name[0] = 'T';
    assert_true(sched_graph(&b.sched) != graph);
    b.sched.parts[9]->name[0] = 't';
    w->channel.rate.payload[3]++;
    assert_true(sched_graph(&b.sched) != graph);
    w->channel.rate.payload[3]--;
    assert_true(sched_graph(&b.sched) == graph);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_it_goes_on),
        cmocka_unit_test(test_it_goes_on_in_two_halves),
        cmocka_unit_test(test_two_halves_make_the_whole),
        cmocka_unit_test(test_what_makes_no_whole),
        cmocka_unit_test(test_nothing_old_stays),
        cmocka_unit_test(test_the_hash_sees_every_change),
        cmocka_unit_test(test_equal_states_have_equal_bytes),
        cmocka_unit_test(test_bytes_that_end_early),
        cmocka_unit_test(test_what_cannot_be_a_state),
        cmocka_unit_test(test_graphs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
