// SPDX-License-Identifier: Apache-2.0
// A partition by itself: what a new one is, which messages a window hands it and in which order, what it shows, and its
// state byte by byte.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bridge/part/part.h"
#include "saved/state_io.h"

struct own {
    unsigned freed;
    uint32_t word;
    bool broken;
};

static void toy_free(struct part *part)
{
    ((struct own *)part->own)->freed++;
}
static uint64_t toy_look(struct part *part, uint32_t what)
{
    return ((struct own *)part->own)->word + what;
}
static uint64_t toy_shown(const struct part *part)
{
    return ((const struct own *)part->own)->word;
}
static const char *toy_unsavable(const struct part *part)
{
    return ((const struct own *)part->own)->broken ? "it is broken" : NULL;
}
static void toy_save(struct part *part, struct state_writer *to)
{
    STATE_PUT(to, ((struct own *)part->own)->word);
}
static bool toy_restore(struct part *part, struct state_reader *from)
{
    return STATE_GET(from, ((struct own *)part->own)->word);
}
static const struct part_ops toy = {.free = toy_free,
                                    .look = toy_look,
                                    .shown = toy_shown,
                                    .unsavable = toy_unsavable,
                                    .save = toy_save,
                                    .restore = toy_restore};
static const struct part_ops bare = {.visit = NULL};

static void test_new(void **state)
{
    struct own own = {0};
    (void)state;
    struct part *part = part_new(&toy, "gpu0.cu3", 130, 70, &own);
    assert_ptr_equal(part->ops, &toy);
    assert_ptr_equal(part->own, &own);
    assert_string_equal(part_name(part), "gpu0.cu3");
    assert_string_equal(part_name(NULL), "sim");
    assert_true(part->idle && !part->elsewhere && part->process == 0 && part->visits == 0);
    assert_int_equal(part->ins, 130);
    assert_int_equal(part->outs, 70);
    for (unsigned i = 0; i < 130; i++)
        assert_null(part->in[i]);
    for (unsigned i = 0; i < 70; i++)
        assert_null(part->out[i]);
    assert_true(part->waiting[0] == 0 && part->waiting[1] == 0 && part->waiting[2] == 0);
    part_free(part);
    assert_int_equal(own.freed, 1);
    part_free(NULL);
    part = part_elsewhere("gpu1.rdma", 3, 4, 7);
    assert_true(part->elsewhere && part->ins == 3 && part->outs == 4);
    assert_int_equal(part->process, 7);
    assert_null(part->own);
    assert_null(part->ops->visit);
    part_free(part);
}

/* ---- windows */
enum { INS = 130 };
static const uint32_t SLOTS[] = {0, 1, 63, 64, 127, 128, 129};
#define SLOT_COUNT (sizeof SLOTS / sizeof *SLOTS)

struct inputs {
    struct part *part;
    struct wire wires[SLOT_COUNT];
};

static void inputs_open(struct inputs *in)
{
    memset(in, 0, sizeof *in);
    in->part = part_new(&bare, "to", INS, 0, NULL);
    for (unsigned i = 0; i < SLOT_COUNT; i++) {
        channel_init(&in->wires[i].channel, (uint16_t)i, "from", "to", i == 2 ? 0 : 8, 8, 40);
        in->part->in[SLOTS[i]] = &in->wires[i];
    }
}

static void inputs_close(struct inputs *in)
{
    for (unsigned i = 0; i < SLOT_COUNT; i++)
        channel_fini(&in->wires[i].channel);
    part_free(in->part);
}

/* A message on the n-th connected input, due at `cycle`. */
static void put(struct inputs *in, unsigned n, uint64_t cycle, uint64_t value)
{
    assert_int_equal(channel_send(&in->wires[n].channel, cycle - 8, &value), cycle);
    in->part->waiting[SLOTS[n] / 64] |= UINT64_C(1) << SLOTS[n] % 64;
}

static bool waits(const struct inputs *in, unsigned n)
{
    return in->part->waiting[SLOTS[n] / 64] >> SLOTS[n] % 64 & 1;
}

/* Of every input what is due in the window's first to last cycle, in each cycle by input number; what is due in the
 * next window stays, and only its inputs go on waiting. */
static void test_gather(void **state)
{
    struct inputs in;
    const uint64_t from = 8000;
    (void)state;
    inputs_open(&in);
    for (unsigned n = SLOT_COUNT; n-- > 0;) { /* the last input first: the order of arrival does not matter */
        put(&in, n, from, 10 * n);
        put(&in, n, from + 7, 10 * n + 1);
        if (n % 2)
            put(&in, n, from + 8, 10 * n + 2);
    }
    part_gather(in.part, from);
    for (unsigned c = 0; c < PART_WINDOW; c++) {
        assert_int_equal(in.part->due_count[c], c == 0 || c == 7 ? SLOT_COUNT : 0);
        for (unsigned n = 0; n < in.part->due_count[c]; n++) {
            const struct part_in *message = &in.part->due[c][n];
            assert_int_equal(message->slot, SLOTS[n]);
            if (n == 2)
                assert_null(message->data); /* a credit */
            else
                assert_int_equal(*(const uint64_t *)message->data, 10 * n + (c == 7));
        }
    }
    for (unsigned n = 0; n < SLOT_COUNT; n++) {
        assert_int_equal(channel_count(&in.wires[n].channel), n % 2);
        assert_int_equal(waits(&in, n), n % 2);
    }
    part_release(in.part);
    for (unsigned c = 0; c < PART_WINDOW; c++)
        assert_int_equal(in.part->due_count[c], 0);
    part_gather(in.part, from + 8);
    assert_int_equal(in.part->due_count[0], SLOT_COUNT / 2);
    for (unsigned n = 0; n < SLOT_COUNT / 2; n++) {
        assert_int_equal(in.part->due[0][n].slot, SLOTS[2 * n + 1]);
        assert_int_equal(*(const uint64_t *)in.part->due[0][n].data, 10 * (2 * n + 1) + 2);
    }
    for (unsigned n = 0; n < SLOT_COUNT; n++)
        assert_true(channel_empty(&in.wires[n].channel) && !waits(&in, n));
    part_release(in.part);
    part_gather(in.part, from + 16); /* nothing more */
    assert_int_equal(in.part->due_count[0], 0);
    inputs_close(&in);
}

/* As many in one cycle as come, none lost when there is no room left. */
static void test_many_in_one_cycle(void **state)
{
    static const char data[100];
    (void)state;
    struct part *part = part_new(&bare, "to", 1, 0, NULL);
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned n = 0; n < 100; n++) {
            part_due(part, 5, n, data + n);
            assert_int_equal(part->due_count[5], n + 1);
            assert_true(part->due_room[5] >= n + 1);
        }
        for (unsigned n = 0; n < 100; n++) {
            assert_int_equal(part->due[5][n].slot, n);
            assert_ptr_equal(part->due[5][n].data, data + n);
        }
        assert_int_equal(part->due_count[4] + part->due_count[6], 0);
        part_release(part);
    }
    part_free(part);
}

/* ---- what it shows, and its state */
static void test_shows(void **state)
{
    struct own own = {.word = 1000};
    (void)state;
    struct part *some = part_new(&toy, "some", 0, 0, &own), *none = part_new(&bare, "none", 0, 0, NULL);
    assert_int_equal(part_look(some, 5), 1005);
    assert_int_equal(part_shown(some), 1000);
    assert_null(part_unsavable(some));
    own.broken = true;
    assert_string_equal(part_unsavable(some), "it is broken");
    assert_int_equal(part_look(none, 5), 0);
    assert_int_equal(part_shown(none), 0);
    assert_null(part_unsavable(none));
    part_free(some);
    part_free(none);
}

static void test_state(void **state)
{
    struct own own = {.word = 0x01020304}, other = {0};
    struct state_buffer saved;
    (void)state;
    state_buffer_init(&saved);
    struct part *a = part_new(&toy, "a", 0, 0, &own), *b = part_new(&toy, "b", 0, 0, &other);
    for (unsigned idle = 0; idle < 2; idle++) {
        saved.count = saved.taken = 0;
        a->visits = 77 + idle;
        a->idle = idle;
        part_save(a, &saved.writer);
        assert_int_equal(saved.count, sizeof(uint64_t) + 1 + sizeof(uint32_t)); /* visits, idle, its own */
        b->idle = !idle;
        assert_true(part_restore(b, &saved.reader));
        assert_int_equal(saved.taken, saved.count);
        assert_int_equal(b->visits, 77 + idle);
        assert_int_equal(b->idle, idle);
        assert_int_equal(other.word, own.word);
    }
    const size_t whole = saved.count;
    for (saved.count = 0; saved.count < whole; saved.count++) {
        saved.taken = 0;
        assert_false(part_restore(b, &saved.reader));
    }
    const uint64_t hash = part_state_hash(a);
    a->visits++; /* how often it was looked at is no state */
    assert_true(part_state_hash(a) == hash);
    a->idle = false;
    assert_true(part_state_hash(a) != hash);
    a->idle = true;
    own.word ^= 1;
    assert_true(part_state_hash(a) != hash);
    part_free(a);
    part_free(b);
    a = part_new(&bare, "bare", 0, 0, NULL); /* nothing of its own: flag and visits only */
    saved.count = saved.taken = 0;
    a->visits = 5;
    part_save(a, &saved.writer);
    assert_int_equal(saved.count, sizeof(uint64_t) + 1);
    a->visits = 0;
    assert_true(part_restore(a, &saved.reader));
    assert_int_equal(a->visits, 5);
    part_free(a);
    free(saved.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_new),   cmocka_unit_test(test_gather), cmocka_unit_test(test_many_in_one_cycle),
        cmocka_unit_test(test_shows), cmocka_unit_test(test_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
