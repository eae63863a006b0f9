// SPDX-License-Identifier: Apache-2.0
// Handles: a set of addresses that finds each of them and no other, whatever was added and dropped before; a handle
// that goes while it must not ends the process with words.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/alive.h"
#include "lib_bench.h"

#define MOST 3000u

// Random adds and drops beside a plain table; addresses are as close together as those of an allocator, and far apart.
static void the_set_is_that_of_a_plain_table(void **state)
{
    static bool there[MOST];
    struct alive alive = {0};
    size_t count = 0;
    uint64_t random = 1;
    (void)state;
    for (unsigned step = 0; step < 200000; step++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        const unsigned n = random >> 33, i = n % MOST;
        const void *address = (const void *)(uintptr_t)(i % 3 ? 16 + 16 * (uint64_t)i : 4096 + ((uint64_t)i << 32));
        assert_int_equal(alive_has(&alive, address), there[i]);
        if (there[i])
            alive_drop(&alive, address);
        else if (step / 50000 % 2 == 0 || n / MOST % 4 == 0) // it grows, it shrinks
            alive_add(&alive, address);
        else
            continue;
        there[i] = !there[i];
        count += there[i] ? 1 : (size_t)-1;
        assert_true(alive.count == count && (!count || 2 * count <= alive.mask + 1));
    }
    assert_false(alive_has(&alive, NULL));
    for (unsigned i = 0; i < MOST; i++)
        if (there[i])
            alive_drop(&alive, (const void *)(uintptr_t)(i % 3 ? 16 + 16 * (uint64_t)i : 4096 + ((uint64_t)i << 32)));
    assert_true(alive.count == 0 && alive.place == NULL); // nothing stays behind
}

// Launches are freed in any order; the others go on.
static void launches_go_in_any_order(void **state)
{
    struct gantry_machine *m = golden();
    struct gantry_object *object = vecadd_open();
    struct gantry_launch *launch[5];
    struct gantry_error error;
    (void)state;
    for (unsigned i = 0; i < 5; i++)
        launch[i] = vecadd_launch(m, object);
    for (unsigned i = 2; i < 5; i += 2) // from the middle, and the newest
        gantry_launch_free(launch[i]);
    gantry_launch_free(launch[0]); // the oldest
    assert_int_equal(gantry_launch_run(launch[0], &error), GANTRY_USAGE);
    for (unsigned i = 1; i < 5; i += 2) {
        DONE(gantry_launch_run(launch[i], error));
        vecadd_check(m, launch[i]);
    }
    launch[0] = vecadd_launch(m, object);
    gantry_machine_free(m);
    assert_int_equal(gantry_launch_run(launch[0], &error), GANTRY_USAGE);
    assert_int_equal(gantry_launch_run(launch[3], &error), GANTRY_USAGE);
    gantry_object_free(object);
}

static void free_twice(void)
{
    struct gantry_config *config = tiny();
    gantry_config_free(config);
    gantry_config_free(config);
}

static void free_what_runs(void)
{
    struct gantry_launch *launch = vecadd_launch(golden(), vecadd_open());
    if (gantry_launch_start(launch, NULL) == GANTRY_OK)
        gantry_launch_free(launch);
}

static struct gantry_launch *under_way;

static int free_within(void *ctx)
{
    (void)ctx;
    if (under_way)
        gantry_launch_free(under_way);
    return 0;
}

static void free_from_a_callback(void)
{
    const struct gantry_options options = {.size = sizeof options, .model = GANTRY_GOLDEN, .unwanted = free_within};
    struct gantry_machine *m = machine_of(&options);
    struct gantry_object *object = vecadd_open();
    struct gantry_launch *launch = vecadd_launch(m, object);
    under_way = vecadd_launch(m, object);
    gantry_launch_run(launch, NULL);
}

static void frees_that_cannot_be_end_with_words(void **state)
{
    static const struct {
        void (*call)(void);
        const char *words;
    } cases[] = {
        {free_twice, "gantry: gantry_config_free: not a configuration\n"},
        {free_what_runs, "gantry: gantry_launch_free: it runs on a machine\n"},
        {free_from_a_callback, "gantry: gantry_launch_free: a call is under way with a machine\n"},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        int ends[2], status;
        char text[512] = "";
        assert_int_equal(pipe(ends), 0);
        pid_t pid = fork();
        if (pid == 0) {
            dup2(ends[1], 2);
            signal(SIGABRT, SIG_DFL);
            cases[i].call();
            _exit(0);
        }
        close(ends[1]);
        assert_true(read(ends[0], text, sizeof text - 1) > 0);
        close(ends[0]);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
        assert_string_equal(text, cases[i].words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_set_is_that_of_a_plain_table),
        cmocka_unit_test(launches_go_in_any_order),
        cmocka_unit_test(frees_that_cannot_be_end_with_words),
    };
    return cmocka_run_group_tests(tests, kernels_build, NULL);
}
