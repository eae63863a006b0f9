/* SPDX-License-Identifier: Apache-2.0
 * What memory held before it changed hands, on RTL: the driver clears it behind the caches (B.8).
 */
#include "pages_bench.h"

#define VA_WHOLE UINT64_C(0x40000000)

static void kernel_end(struct bench *b, unsigned c)
{
    for (unsigned n = 0; get(b, c, VA_QUEUE + AT_SIGNAL + 8, 8); n++) {
        assert_true(n < 1000 && !b->client[c]->events[1].set);
        advance(b, 1000);
    }
    advance(b, 1000); /* the answers to what the command processor has written */
}

/* VRAM that a client has whole, no granule of it shared with what else it has: so the next client may get just this. */
#define WHOLE UINT64_C(0x200000)
static uint64_t whole_new(struct bench *b, unsigned c, uint32_t word, uint64_t *place)
{
    uint64_t handle;
    assert_int_equal(page_alloc(b, c, VA_WHOLE, WHOLE, KFD_IOC_ALLOC_MEM_FLAGS_VRAM, &handle), 0);
    struct object *o = memory_find(b->client[c], handle);
    uint32_t *words = (uint32_t *)(void *)pmem_vram(machine_memory(b->d->machine), 0, o->hold->backing->offset, WHOLE);
    for (unsigned i = 0; word && i < WHOLE / 4; i++)
        words[i] = word;
    page_map(b, c, handle, true);
    *place = o->hold->backing->offset;
    return handle;
}

static void words_seen(struct bench *b, unsigned c, enum access access, uint32_t word)
{
    launch(b, c, VA_WHOLE, access, 2, (c + 1) << 24);
    kernel_end(b, c);
    for (unsigned l = 0; l < LANES; l++)
        assert_int_equal(get(b, c, VA_QUEUE + AT_RESULT + 4 * (LANES + l), 4), word);
}

static void all_is_given(struct bench *b)
{
    for (unsigned wait = 0; !quarantine_empty(b->d); wait++) {
        assert_true(wait < 1000);
        advance(b, 100);
    }
}

/* shows B.8: A page that comes from another client holds zeros, in every cache too: for kernels without any fence,
 * whether a third client's kernel ran when it changed hands (on one of the CUs) or nothing did. */
static void old_contents_are_gone(void **state)
{
    struct bench *b = *state;
    uint64_t own, place, again, third = whole_new(b, 2, 0, &own);
    for (unsigned n = 0; n < 8; n++) {
        enum access access = n & 1 ? ACCESS_SCALAR_READ : ACCESS_READ;
        bool beside = n & 2;
        unsigned from = n >> 2, to = !from;
        b->header = HEADER_NONE;
        if (beside) {
            b->header = HEADER_SYSTEM; /* its fence is long through */
            launch(b, 2, VA_WHOLE, ACCESS_READ, 400, 3u << 24);
            advance(b, 20000);
            b->header = HEADER_NONE;
        }
        uint64_t handle = whole_new(b, from, 0x12345600 + n, &place);
        words_seen(b, from, access, 0x12345600 + n);
        assert_int_equal(get(b, 2, VA_QUEUE + AT_SIGNAL + 8, 8), beside);
        page_free(b, from, handle);
        assert_false(quarantine_empty(b->d)); /* its entries are still to be written */
        all_is_given(b);
        handle = whole_new(b, to, 0, &again);
        assert_int_equal(again, place);
        words_seen(b, to, access, 0);
        assert_int_equal(get(b, 2, VA_QUEUE + AT_SIGNAL + 8, 8), beside); /* all the while */
        page_free(b, to, handle);
        all_is_given(b);
        if (beside)
            kernel_end(b, 2);
    }
    page_free(b, 2, third);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(old_contents_are_gone, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
