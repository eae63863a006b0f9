// SPDX-License-Identifier: Apache-2.0
// Host memory of a replay for lock step (replay_memory.c), of a recorded run of toy models: what the recording knows of
// it is put where it was, as it is asked for or on the way to a checkpoint; address space for windows of clients.
#include "toy_recording.h"

#include "record/replay_private.h"

static struct toy_machine run;
static const volatile int no_stop;

static int record(void **state)
{
    toy_folder_make(state);
    toy_record_all(&run, 1, NULL, 0);
    return 0;
}

/* For lock step: what the recording knows of host memory is put where it was, at once and on the way to a checkpoint.
 */
static void assert_host(struct replay *r, unsigned from, unsigned bytes)
{
    uint8_t text[256];
    assert_int_equal(pmem_read(r->memory, pmem_addr(0, TOY_HOST + from), text, bytes), 0);
    for (unsigned i = 0; i < bytes; i++)
        assert_int_equal(text[i], (uint8_t)(17 + 3 * (from + i)));
}

static uint64_t host_word(struct replay *r, uint64_t at)
{
    uint64_t word = 0;
    assert_int_equal(pmem_read(r->memory, pmem_addr(0, at), &word, 8), 0);
    return word;
}

static void test_memory_filled(void **state)
{
    (void)state;
    struct config config;
    enum gantry_status failure;
    for (unsigned n = 0; n < 3; n++) {
        toy_config(&config, 1, NULL);
        struct replay *r = replay_open(toy_dir, &failure);
        const struct sim_options options = {.seed = 1};
        assert_true(replay_start(r, &config.cfg, &options));
        r->sim->options.lockstep = n > 0; /* without anybody who compares */
        if (n == 2) {
            for (unsigned k = 1; k <= 2;
                 k++) { /* only skipped: a place within a message is none, the next is behind it */
                const uint64_t taken = journal_taken(r->reader, STREAM_MEMORY(0));
                assert_true(replay_memory_skip(r, 0, taken));
                assert_int_equal(r->memory_count[0], k - 1);
                assert_false(replay_memory_skip(r, 0, taken + 1));
                assert_int_equal(r->memory_count[0], k);
            }
            assert_host(r, 0, 64);
            assert_true(replay_memory_skip(r, 0, journal_taken(r->reader, STREAM_MEMORY(0))));
            assert_int_equal(r->memory_count[0], 2);
            assert_false(replay_memory_skip(r, 0, UINT64_MAX)); /* there is not so much */
            assert_int_equal(r->memory_count[0], 6);
            assert_int_equal(host_word(r, TOY_COUNTER & ~7u), 0); /* what an atomic did is not what was read */
            assert_host(r, 0, 256);
        } else {
            assert_int_equal(replay_run(r, &no_stop, NULL, NULL), REPLAY_ENDED);
            if (n == 1) {
                assert_host(r, 0, 256);
                assert_true(host_word(r, TOY_COUNTER & ~7u) == UINT64_C(10) << 32);
                assert_int_equal(host_word(r, TOY_HOST + 0x300), 3);
                assert_true(host_word(r, TOY_HOST + 0x340) ==
                            (104000 & 0xffffffff)); /* masked: bytes 0 to 3, then 8 to 15 */
                assert_true(host_word(r, TOY_HOST + 0x348) == 104001);
                assert_int_equal(host_word(r, TOY_HOST + 0x350), 0);
            } else {
                assert_int_equal(host_word(r, TOY_HOST), 0);
                assert_int_equal(host_word(r, TOY_COUNTER & ~7u), 0);
            }
        }
        replay_free(r);
        config_fini(&config);
    }
}

/* Address space for windows of clients: pages that are there once. */
static void test_windows(void **state)
{
    (void)state;
    struct config config;
    enum gantry_status failure;
    toy_config(&config, 1, NULL);
    struct replay *r = replay_open(toy_dir, &failure);
    const struct sim_options options = {.seed = 1};
    assert_true(replay_start(r, &config.cfg, &options));
    uint64_t word = 0x1234, back = 0;
    const uint64_t at = pmem_addr(0, PMEM_WINDOW_BASE + (UINT64_C(1) << 39));
    assert_int_not_equal(pmem_write(r->memory, at, &word, 8), 0);
    assert_true(replay_windows(r));
    assert_int_equal(pmem_write(r->memory, at, &word, 8), 0);
    assert_int_equal(pmem_read(r->memory, at, &back, 8), 0);
    assert_int_equal(back, 0x1234);
    say_begin();
    assert_false(replay_windows(r)); /* they were there already */
    say_end();
    assert_said("gantry: --lockstep: no address space for host memory\n");
    replay_free(r);
    config_fini(&config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_filled),
        cmocka_unit_test(test_windows),
    };
    return cmocka_run_group_tests(tests, record, toy_folder_remove);
}
