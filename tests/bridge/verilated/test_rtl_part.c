// SPDX-License-Identifier: Apache-2.0
// An instance of a verilated partition, with a model written here instead of a library: what it is stepped with and
// what it sends, taps, observation, counters, the report of requests without an answer, state under its key.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rtl_bench.h"

/* Name, {GPU, index} and seed reach the model, and it is visited once at the start to find out whether it is idle. */
static void test_instance(void **state)
{
    struct bench b;
    (void)state;
    for (unsigned skip = 0; skip < 2; skip++) {
        bench_open(&b, skip);
        assert_string_equal(b.model->name, "gpu3.toy5");
        assert_int_equal(b.model->id, 0x305);
        assert_int_equal(b.model->seed, 99);
        assert_false(b.toy->idle);
        bench_start(&b);
        assert_int_equal(sched_next(&b.s), 0);
        b.model->busy = true;
        run_to(&b, 8);
        assert_int_equal(b.model->no_skip, skip);
        assert_false(b.toy->idle);
        b.model->busy = false;
        run_to(&b, 16);
        assert_int_equal(b.model->from, 8);
        assert_true(b.toy->idle);
        destroyed = 0;
        sched_fini(&b.s);
        assert_int_equal(destroyed, 1);
    }
}

struct taps {
    unsigned count;
    bool out[4];
    uint32_t slot[4], value[4];
    uint64_t cycle[4];
};
static void tap(void *ctx, bool out, uint32_t slot, uint64_t cycle, const void *message)
{
    struct taps *t = ctx;
    t->out[t->count] = out;
    t->slot[t->count] = slot;
    t->cycle[t->count] = cycle;
    t->value[t->count++] = *(const uint32_t *)message;
}

/* Messages both ways at their cycles; a tap sees each once, and no credit. */
static void test_messages_and_taps(void **state)
{
    struct bench b;
    struct taps taps = {0};
    uint32_t value = 41;
    void *ctx;
    (void)state;
    bench_open(&b, false);
    sched_connect(&b.s, b.other, 0, b.toy, 3, 4, 10, 4);
    sched_connect(&b.s, b.other, 1, b.toy, 7, 0, 10, 4); /* a credit */
    sched_connect(&b.s, b.toy, 1, b.other, 2, 4, 20, 4);
    sched_connect(&b.s, b.toy, 5, b.other, 3, 0, 20, 4);
    bench_start(&b);
    assert_null(rtl_part_tapped(b.toy, &ctx));
    rtl_part_tap(b.toy, tap, &taps);
    assert_ptr_equal(rtl_part_tapped(b.toy, &ctx), tap);
    assert_ptr_equal(ctx, &taps);
    sched_send(b.other, 0, 3, &value);
    sched_send(b.other, 1, 4, NULL);
    run_to(&b, 16);
    assert_int_equal(b.model->took, 2);
    assert_true(b.model->when[0] == 13 && b.model->slot[0] == 3 && b.model->value[0] == 41);
    assert_true(b.model->when[1] == 14 && b.model->slot[1] == 7);
    b.model->send = true;
    b.model->send_slot = 1;
    b.toy->idle = false;
    sched_wake(&b.s, b.toy, 16);
    run_to(&b, 24);
    b.model->send_credit = true;
    b.model->send_slot = 5;
    sched_wake(&b.s, b.toy, 24);
    run_to(&b, 64);
    assert_int_equal(b.partner.count, 2);
    assert_true(b.partner.came[0] == 39 && b.partner.slot[0] == 2);
    assert_true(b.partner.came[1] == 47 && b.partner.slot[1] == 3);
    assert_int_equal(taps.count, 2);
    assert_true(!taps.out[0] && taps.slot[0] == 3 && taps.cycle[0] == 13 && taps.value[0] == 41);
    assert_true(taps.out[1] && taps.slot[1] == 1 && taps.cycle[1] == 19 && taps.value[1] == 77);
    sched_send(b.other, 0, 62, &value); /* of the first and the last cycle of a window */
    sched_send(b.other, 0, 69, &value);
    run_to(&b, 80);
    assert_int_equal(taps.count, 4);
    assert_true(taps.cycle[2] == 72 && taps.cycle[3] == 79);
    rtl_part_tap(b.toy, NULL, NULL);
    sched_send(b.other, 0, 80, &value);
    run_to(&b, 112);
    assert_int_equal(taps.count, 4);
    assert_int_equal(b.model->took, 5);
    sched_fini(&b.s);
}

static unsigned observed;
static void observe(void *ctx, struct part *part, uint32_t port, uint32_t lane, uint64_t cycle, const void *data)
{
    assert_ptr_equal(ctx, &observed);
    assert_string_equal(part->name, "gpu3.toy5");
    assert_true(port == 1 && lane == 2 && cycle == 5 && *(const uint32_t *)data == 77);
    observed++;
}

static void count(void *arg, const char *location, const char *name, uint64_t value, const char *unit)
{
    char *text = arg;
    sprintf(text + strlen(text), "%s %s %llu %s;", location, name, (unsigned long long)value, unit);
}

static void ignore(void *arg, const char *location, const char *name, uint64_t value, const char *unit)
{
    (void)arg, (void)location, (void)name, (void)value, (void)unit;
}

/* Counters are read once between two visits, while the model is held, and again after a visit and of another state. */
static void test_counters_are_read_once(void **state)
{
    struct state_buffer saved;
    struct bench b;
    (void)state;
    bench_open(&b, false);
    bench_start(&b);
    run_to(&b, 8);
    for (unsigned n = 0; n < 2; n++)
        b.toy->ops->counters(b.toy, ignore, NULL);
    assert_int_equal(b.model->counted, 2);
    assert_int_equal(b.model->holds, 1);
    assert_false(b.model->held);
    b.toy->visits++;
    for (unsigned n = 0; n < 2; n++)
        b.toy->ops->counters(b.toy, ignore, NULL);
    assert_int_equal(b.model->counted, 4);
    assert_int_equal(b.model->holds, 2);
    state_buffer_init(&saved);
    part_save(b.toy, &saved.writer);
    assert_true(part_restore(b.toy, &saved.reader));
    b.toy->ops->counters(b.toy, ignore, NULL);
    assert_int_equal(b.model->counted, 6);
    assert_int_equal(b.model->holds, 3);
    b.model->over = b.toy->over = true; /* nobody visits it any more: no copy of its state */
    b.toy->visits++;
    b.toy->ops->counters(b.toy, ignore, NULL);
    assert_int_equal(b.model->counted, 8);
    assert_int_equal(b.model->holds, 3);
    free(saved.bytes);
    sched_fini(&b.s);
}

/* What it shows: observation while it is on, counters by block, words, a trace by a library that has tracing. */
static void test_what_it_shows(void **state)
{
    struct model_api none = API;
    struct bench b;
    char text[200] = "";
    (void)state;
    bench_open(&b, false);
    bench_start(&b);
    b.model->show = true;
    rtl_part_observe(b.toy, observe, &observed);
    assert_true(b.model->on);
    run_to(&b, 8);
    assert_int_equal(observed, 1);
    rtl_part_observe(b.toy, NULL, NULL);
    assert_false(b.model->on);
    b.toy->ops->counters(b.toy, count, text);
    assert_string_equal(text, "gpu3.toy5 visits 100 1;gpu3.toy5.valu busy 101 cycles;");
    b.model->word = 31;
    assert_int_equal(part_shown(b.toy), 31);
    assert_int_equal(part_look(b.toy, 9), 1009);
    assert_true(rtl_part_trace(b.toy, "good.fst", 5, 6));
    assert_true(b.model->traced[0] == 5 && b.model->traced[1] == 6);
    assert_false(rtl_part_trace(b.toy, "bad.fst", 5, 6));
    none.trace = NULL;
    library.api = &none;
    struct part *other = rtl_part_new(&library, "x", 0, 0, 0, false);
    library.api = &api;
    assert_false(rtl_part_trace(other, "good.fst", 5, 6));
    part_free(other);
    sched_fini(&b.s);
}

static char *report(struct part *part)
{
    static char text[2000];
    FILE *out = fmemopen(text, sizeof text, "w");
    part->ops->report(part, out);
    fputc(0, out);
    fclose(out);
    return text;
}

/* Of each lane what was asked and not answered, with the cycle of the last; nothing of answers, of what leads nowhere
 * and of what is even. */
static void test_report_of_unanswered(void **state)
{
    struct bench b;
    uint32_t value = 1;
    (void)state;
    bench_open(&b, false);
    sched_connect(&b.s, b.toy, 0, b.other, 0, 4, 20, 4);
    sched_connect(&b.s, b.toy, 1, b.other, 1, 4, 20, 4);
    sched_connect(&b.s, b.toy, 2, b.other, 2, 4, 30, 4);
    sched_connect(&b.s, b.other, 2, b.toy, 2, 4, 20, 4);
    sched_connect(&b.s, b.other, 3, b.toy, 3, 4, 20, 4);
    sched_connect(&b.s, b.other, 4, b.toy, 5, 4, 20, 4); /* mem_rsp2: no answer to mem_req */
    sched_connect(&b.s, b.toy, 3, b.other, 3, 4, 20, 4);
    bench_start(&b);
    assert_string_equal(report(b.toy), "");
    sched_send(b.toy, 0, 6, &value);
    sched_send(b.toy, 0, 9, &value);
    sched_send(b.toy, 1, 7, &value);
    sched_send(b.toy, 3, 7, &value); /* an answer of its own */
    sched_send(b.other, 4, 2, &value);
    sched_send(b.other, 2, 2, &value);
    assert_string_equal(report(b.toy),
                        "  gpu3.toy5 waits for other: 1 of 2 mem_req unanswered, the last sent at cycle 9\n"
                        "  gpu3.toy5 waits for other: 1 of 1 mem_req unanswered, the last sent at cycle 7\n");
    sched_send(b.other, 2, 3, &value);
    sched_send(b.other, 3, 3, &value);
    sched_send(b.toy, 2, 11, &value);
    assert_string_equal(report(b.toy),
                        "  gpu3.toy5 waits for other: 1 of 1 cp_cmd unanswered, the last sent at cycle 11\n");
    sched_fini(&b.s);
}

/* Its state is that of the model under the key of its library. */
static void test_state(void **state)
{
    struct model_api none = API, half = API;
    struct state_buffer kept;
    (void)state;
    struct part *part = rtl_part_new(&library, "a", 0, 0, 0, false);
    newest->word = 1234;
    assert_null(part_unsavable(part));
    state_buffer_init(&kept);
    part_save(part, &kept.writer);
    part_free(part);
    size_t whole = kept.count;
    for (unsigned n = 0; n < 4; n++) {
        library.key = (char *)(n == 1 ? "toy-2" : "toy-1");
        half.restore = NULL;
        library.api = n == 2 ? &half : &api;
        kept.taken = 0;
        kept.count = n == 3 ? whole - 1 : whole;
        part = rtl_part_new(&library, "a", 0, 0, 0, false);
        assert_int_equal(part_restore(part, &kept.reader), n == 0);
        assert_true(n == 3 || newest->word == (n == 0 ? 1234 : 0));
        part_free(part);
    }
    none.save = NULL;
    none.unsavable = "it is broken";
    library.key = (char *)"toy-1";
    library.api = &none;
    part = rtl_part_new(&library, "a", 0, 0, 0, false);
    library.api = &api;
    assert_string_equal(part_unsavable(part), "it is broken");
    part_free(part);
    free(kept.bytes);
}

static void *nothing_create(const struct model_api *from, const char *name, uint16_t id, uint64_t seed)
{
    (void)name, (void)id, (void)seed;
    assert_int_equal(from->ins, 9);
    return NULL;
}

/* A model that cannot be had: no partition, and nothing is called of it. */
static void test_none(void **state)
{
    struct model_api nothing = API;
    const unsigned before = destroyed;
    (void)state;
    nothing.create = nothing_create;
    library.api = &nothing;
    assert_null(rtl_part_new(&library, "a", 0, 0, 0, false));
    library.api = &api;
    assert_int_equal(destroyed, before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_instance),
        cmocka_unit_test(test_messages_and_taps),
        cmocka_unit_test(test_counters_are_read_once),
        cmocka_unit_test(test_what_it_shows),
        cmocka_unit_test(test_report_of_unanswered),
        cmocka_unit_test(test_state),
        cmocka_unit_test(test_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
