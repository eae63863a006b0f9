// SPDX-License-Identifier: Apache-2.0
// Bytes and hash of a machine's state: the hash is that of the saved machine and another one after any change; equal
// states have equal bytes, and nothing of what a machine did before stays; bytes that end early or cannot be a state
// are refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bridge/run/sched_links.h"
#include "toys_bench.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_old_stays),
        cmocka_unit_test(test_the_hash_sees_every_change),
        cmocka_unit_test(test_equal_states_have_equal_bytes),
        cmocka_unit_test(test_bytes_that_end_early),
        cmocka_unit_test(test_what_cannot_be_a_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
