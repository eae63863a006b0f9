// SPDX-License-Identifier: Apache-2.0
// Two machines of RTL at once, in two threads of which each has host threads of its own: both have the figures of one
// that is alone, and load and drop the same model libraries beside each other.
#include <pthread.h>

#include "lib_bench.h"

struct work {
    unsigned threads;
    struct gantry_summary summary;
};

// Leak checkers: Verilator's runtime keeps the last name that it has made for a thread (catName, some 20 bytes) when
// that thread ends.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:^rtl_part_new$\n";
}

// Through libraries without frame pointers, and without symbols once they are unloaded.
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "fast_unwind_on_malloc=0";
}

static void *work_run(void *arg)
{
    struct work *w = arg;
    const struct gantry_options options = {.size = sizeof options, .threads = w->threads};
    struct gantry_config *config;
    struct gantry_machine *m;
    struct gantry_object *object = vecadd_open();
    DONE(gantry_config_new(&config, error));
    DONE(gantry_config_load(config, "smallest", error));
    DONE(gantry_machine_new(config, &options, &m, error));
    gantry_config_free(config);
    struct gantry_launch *launch = vecadd_launch(m, object);
    DONE(gantry_launch_run(launch, error));
    vecadd_check(m, launch);
    DONE(gantry_summarize(m, &w->summary, error));
    gantry_machine_free(m);
    gantry_object_free(object);
    return NULL;
}

static void two_at_once(void **state)
{
    struct work alone = {.threads = 1}, together[2] = {{.threads = 1}, {.threads = 3}};
    pthread_t thread[2];
    (void)state;
    work_run(&alone);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, work_run, &together[i]), 0);
    for (unsigned i = 0; i < 2; i++) {
        pthread_join(thread[i], NULL);
        assert_memory_equal(&together[i].summary, &alone.summary, sizeof alone.summary);
    }
    assert_true(alone.summary.cycles > 1000 && alone.summary.kernels == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_at_once)};
    return cmocka_run_group_tests(tests, kernels_build, NULL);
}
