// SPDX-License-Identifier: Apache-2.0
// State of verilated partitions (rtl_part.h) of configuration tiny: of two new instances equal, whatever the memory
// held in which they were made; with all that they show after it was restored; not that observation is on; refused
// under another key of the library, when the bytes end early, and not at all without a library that can save.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/xalloc.h"
#include "bridge/verilated/rtl_part.h"
#include "config/config.h"
#include "saved/state_io.h"

#define KINDS 7

static struct library libraries[KINDS] = {{.kind = "cu"},    {.kind = "sqc"},  {.kind = "noc"},     {.kind = "l2"},
                                          {.kind = "utcl2"}, {.kind = "rdma"}, {.kind = "dispatch"}};

static void constant_add(void *arg, const char *name, uint64_t value)
{
    words_add(arg, xasprintf("--set=%s=%llu", name, (unsigned long long)value));
}

static int open_all(void **state)
{
    struct config config;
    (void)state;
    config_init(&config);
    if (config_load(&config, "tiny") != STATUS_OK || config_finish(&config) != STATUS_OK)
        return 1;
    struct library_source source = {.root = config_root()};
    words_add(&source.words, xstrdup("--cc=clang"));
    config_constants(&config.cfg, constant_add, &source.words);
    bool ok = library_load(&source, false, libraries, KINDS);
    words_fini(&source.words);
    config_fini(&config);
    return !ok;
}

static int close_all(void **state)
{
    (void)state;
    library_unload(libraries, KINDS);
    return 0;
}

static struct part *part_of(const struct library *library)
{
    return rtl_part_new(library, library->kind, 0, 3, 5, false);
}

/* What new instances will be made in holds this byte everywhere. */
static void heap_fill(int byte)
{
    void *blocks[64];
    for (unsigned i = 0; i < 64; i++) {
        blocks[i] = malloc(1 << 20);
        memset(blocks[i], byte, 1 << 20);
    }
    for (unsigned i = 0; i < 64; i++)
        free(blocks[i]);
}

static void test_new_instances_are_equal(void **state)
{
    (void)state;
    for (unsigned k = 0; k < KINDS; k++) {
        heap_fill(0x5a);
        struct part *a = part_of(&libraries[k]);
        heap_fill(0xa5);
        struct part *b = part_of(&libraries[k]);
        struct state_buffer one, two;
        state_buffer_init(&one);
        state_buffer_init(&two);
        part_save(a, &one.writer);
        part_save(b, &two.writer);
        assert_int_equal(one.count, two.count);
        assert_true(one.count > 1000);
        assert_memory_equal(one.bytes, two.bytes, one.count);
        assert_true(part_state_hash(a) == part_state_hash(b));
        assert_null(part_unsavable(a));
        part_free(a);
        part_free(b);
        free(one.bytes);
        free(two.bytes);
    }
}

static void ignore_counter(void *arg, const char *location, const char *name, uint64_t value, const char *unit)
{
    (void)arg, (void)location, (void)name, (void)value, (void)unit;
}

static void observe_nothing(void *ctx, struct part *part, uint32_t port, uint32_t lane, uint64_t cycle,
                            const void *data)
{
    (void)ctx, (void)part, (void)port, (void)lane, (void)cycle, (void)data;
}

/* Counters can be read at any time: the model is then as before, bit by bit. */
static void test_counting_leaves_no_trace(void **state)
{
    (void)state;
    for (unsigned k = 0; k < KINDS; k++) {
        struct part *a = part_of(&libraries[k]);
        for (unsigned n = 0; n < 5; n++)
            part_look(a, n); /* some state that is not that of a new one */
        const uint64_t before = part_state_hash(a), shown = part_shown(a);
        a->ops->counters(a, ignore_counter, NULL);
        assert_true(part_state_hash(a) == before);
        assert_true(part_shown(a) == shown);
        part_free(a);
    }
}

static void test_restored_instances_are_equal(void **state)
{
    (void)state;
    for (unsigned k = 0; k < KINDS; k++) {
        struct part *a = part_of(&libraries[k]), *b = part_of(&libraries[k]);
        struct state_buffer saved;
        state_buffer_init(&saved);
        const uint64_t new_hash = part_state_hash(a);
        for (unsigned n = 0; n < 5; n++)
            part_look(a, n);
        a->ops->counters(a, ignore_counter, NULL);
        a->visits = 7;
        assert_true(part_state_hash(a) != new_hash);
        part_save(a, &saved.writer);
        if (k == 0)
            rtl_part_observe(b, observe_nothing, NULL); /* a run may be continued with observation */
        assert_true(part_restore(b, &saved.reader));
        assert_int_equal(saved.taken, saved.count);
        assert_true(part_state_hash(a) == part_state_hash(b));
        assert_int_equal(b->visits, 7);
        assert_true(part_shown(a) == part_shown(b));
        for (unsigned n = 0; n < 20; n++) { /* how many clocks a look takes is drawn: the same numbers follow */
            part_look(a, n);
            part_look(b, n);
            assert_true(part_state_hash(a) == part_state_hash(b));
        }
        part_free(a);
        part_free(b);
        free(saved.bytes);
    }
}

/* What the wrapper counts: questions, whose number draws how long they take, and evaluated cycles. */
static void test_the_wrapper_is_state(void **state)
{
    (void)state;
    struct part *rdma = part_of(&libraries[5]), *noc = rtl_part_new(&libraries[2], "noc", 0, 3, 5, true);
    part_look(rdma, 0);
    uint64_t before = part_state_hash(rdma);
    part_look(rdma, 0);
    assert_true(part_state_hash(rdma) != before);
    for (unsigned n = 0; n < 4; n++) {
        before = part_state_hash(noc);
        noc->ops->visit(noc, n * PART_WINDOW); /* nothing is due */
        assert_true(part_state_hash(noc) != before);
    }
    part_free(rdma);
    part_free(noc);
}

static void test_what_is_refused(void **state)
{
    struct library other = libraries[5];
    struct state_buffer saved;
    (void)state;
    state_buffer_init(&saved);
    other.key = (char[]){"rdma-0123456789ab"};
    struct part *a = part_of(&libraries[5]), *b = part_of(&other);
    part_save(a, &saved.writer);
    assert_false(part_restore(b, &saved.reader));
    char line[200];
    snprintf(line, sizeof line, "rdma: model %s was saved, rdma-0123456789ab is here", libraries[5].key);
    assert_string_equal(saved.reader.why, line);
    const size_t whole = saved.count;
    for (saved.count = 0; saved.count < whole; saved.count += saved.count < 200 ? 1 : 999) {
        saved.taken = 0;
        assert_false(part_restore(a, &saved.reader));
    }
    part_free(a);
    part_free(b);
    struct model_api unable = *libraries[5].api;
    unable.save = NULL;
    unable.restore = NULL;
    unable.unsavable = "it was made without";
    other.api = &unable;
    b = part_of(&other);
    assert_string_equal(part_unsavable(b), unable.unsavable);
    part_free(b);
    free(saved.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_new_instances_are_equal),
        cmocka_unit_test(test_counting_leaves_no_trace),
        cmocka_unit_test(test_restored_instances_are_equal),
        cmocka_unit_test(test_the_wrapper_is_state),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
