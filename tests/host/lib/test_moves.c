// SPDX-License-Identifier: Apache-2.0
// gantry_move: what it refuses and why, and that nothing has moved then; pages that are there already, several moves of
// the same pages, a GPU whose memory is full.
#include "lib_bench.h"

#define PAGE UINT64_C(4096)

static struct gantry_machine *two_gpus(void)
{
    const struct gantry_options options = {.size = sizeof options, .model = GANTRY_GOLDEN};
    struct gantry_config *config = tiny();
    struct gantry_machine *m;
    DONE(gantry_config_set(config, "system.gpus=2", error));
    DONE(gantry_config_set(config, "gpu.vram_mib=100", error)); // of which 98.4 are for buffers, 98 for what comes
    DONE(gantry_machine_new(config, &options, &m, error));
    gantry_config_free(config);
    return m;
}

static uint64_t allocation(struct gantry_machine *m, uint64_t bytes, uint32_t seed)
{
    uint64_t at;
    DONE(gantry_alloc(m, GANTRY_VRAM, bytes, &at, error));
    for (uint64_t i = 0; i < bytes; i += PAGE)
        DONE(gantry_write(m, at + i, &(uint32_t){seed + (uint32_t)i}, 4, error));
    return at;
}

static void holds(struct gantry_machine *m, uint64_t at, uint64_t bytes, uint32_t seed)
{
    for (uint64_t i = 0; i < bytes; i += PAGE) {
        uint32_t word;
        DONE(gantry_read(m, at + i, &word, 4, error));
        assert_int_equal(word, seed + (uint32_t)i);
    }
}

static void goes(struct gantry_machine *m, uint64_t at, uint64_t bytes, unsigned gpu)
{
    DONE(gantry_move(m, at, bytes, gpu, error));
}

static void rest(struct gantry_machine *m)
{
    int event;
    DONE(gantry_run(m, 1 << 20, &event, error));
    assert_int_equal(event, GANTRY_NOTHING_LEFT);
}

static void what_is_refused(void **state)
{
    (void)state;
    struct gantry_machine *m = two_gpus();
    const uint64_t a = allocation(m, 4 * PAGE, 1), b = allocation(m, PAGE, 2);
    uint64_t host;
    DONE(gantry_alloc(m, GANTRY_HOST, PAGE, &host, error));
    REFUSED(GANTRY_USAGE, "gantry: gantry_move: there is no such GPU", gantry_move(m, a, PAGE, 2, error));
    static const char elsewhere[] = "gantry: gantry_move: not an allocation in VRAM";
    REFUSED(GANTRY_USAGE, elsewhere, gantry_move(m, host, PAGE, 1, error));
    REFUSED(GANTRY_USAGE, elsewhere, gantry_move(m, 0x7000, PAGE, 1, error));
    REFUSED(GANTRY_USAGE, elsewhere, gantry_move(m, a, UINT64_C(1) << 40, 1, error));
    static const char pages[] = "gantry: gantry_move: not whole pages of 4 KiB";
    REFUSED(GANTRY_USAGE, pages, gantry_move(m, a + 8, PAGE, 1, error));
    REFUSED(GANTRY_USAGE, pages, gantry_move(m, a, 0, 1, error));
    REFUSED(GANTRY_USAGE, pages, gantry_move(m, a, UINT64_MAX, 1, error));
    rest(m);
    holds(m, a, 4 * PAGE, 1);
    holds(m, b, PAGE, 2);
    gantry_machine_free(m);
}

// To where they are is nothing to do; several moves of one page go one behind the other, and nothing of it is lost.
static void the_same_pages_again(void **state)
{
    (void)state;
    struct gantry_machine *m = two_gpus();
    const uint64_t bytes = 40 * PAGE, a = allocation(m, bytes, 3);
    goes(m, a, bytes, 0);
    rest(m);
    for (unsigned turn = 0; turn < 5; turn++) {
        goes(m, a, bytes, 1);
        goes(m, a + PAGE, 7 * PAGE, 1);
        goes(m, a, bytes, 0);
        goes(m, a + 3 * PAGE, 30 * PAGE, 1);
        rest(m);
        holds(m, a, bytes, 3);
    }
    gantry_machine_free(m);
}

// The line comes with the run; what found no place stays, and all of it holds what it held.
static void a_full_gpu(void **state)
{
    (void)state;
    struct gantry_machine *m = two_gpus();
    const uint64_t most = 97 << 20, more = 1280 << 10, a = allocation(m, most, 4), b = allocation(m, more, 5);
    goes(m, a, most, 1);
    goes(m, b, more, 1);
    int event;
    struct gantry_error error;
    assert_int_equal(gantry_run(m, 1 << 20, &event, &error), GANTRY_DATA);
    assert_non_null(strstr(error.line, "no memory is left there"));
    holds(m, a, most, 4);
    holds(m, b, more, 5);
    gantry_machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(the_same_pages_again),
        cmocka_unit_test(a_full_gpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
