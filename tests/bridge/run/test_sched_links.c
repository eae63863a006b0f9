// SPDX-License-Identifier: Apache-2.0
// A graph of toy partitions cut in two within one process: run by turns, and each half alone from what was recorded,
// every partition sees the same messages in the same cycles as in the whole.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "graph_bench.h"

static bool in_between(const struct sched *s)
{
    for (uint32_t i = 0; i < s->import_count; i++) {
        if (s->imports[i]->in->transport->peek(s->imports[i]->in) != s->imports[i]->channel.tail)
            return true;
    }
    return !sched_quiet(s);
}

/* Two schedulers of one thread, run by turns: each stops where it may not go on alone. */
static void test_two_schedulers_by_turns(void **state)
{
    (void)state;
    for (uint32_t latency = 8; latency < 300; latency = latency * 2 + 1) {
        struct graph g = {.latency = latency, .seed = latency, .rest = 5000, .budget = 100};
        struct result whole[NODES], halves[NODES];
        struct ring *rings[NODES][2 * PORTS] = {{NULL}};
        struct sched s[2];
        struct cut cuts[2] = {{2, NULL, 0, NULL, rings}, {2, NULL, 1, NULL, rings}};
        struct build b[2] = {{&s[0], &cuts[0], &g, {NULL}}, {&s[1], &cuts[1], &g, {NULL}}};
        run_whole(&g, whole);
        graph_open(&b[0]);
        graph_open(&b[1]);
        do {
            assert_int_equal(sched_advance(&s[0], UINT64_MAX), SCHED_BLOCKED);
            assert_int_equal(sched_advance(&s[1], UINT64_MAX), SCHED_BLOCKED);
            int64_t apart = (int64_t)(s[0].now - s[1].now);
            assert_true(apart < 2 * (int64_t)latency + 64 && -apart < 2 * (int64_t)latency + 64);
        } while (in_between(&s[0]) || in_between(&s[1]));
        graph_results(&b[0], halves);
        graph_results(&b[1], halves);
        for (unsigned i = 0; i < NODES; i++)
            assert_memory_equal(&whole[i], &halves[i], sizeof whole[i]);
        sched_fini(&s[0]);
        sched_fini(&s[1]);
        for (unsigned i = 0; i < NODES; i++)
            for (unsigned k = 0; k < 2 * PORTS; k++)
                free(rings[i][k]);
    }
}

/* What enters either half is recorded while the whole runs; each half alone then does the same. */
static void test_halves_are_replayed(void **state)
{
    (void)state;
    for (uint32_t latency = 8; latency < 300; latency = latency * 3 + 1) {
        struct graph g = {.latency = latency, .seed = latency, .rest = 5000, .budget = 200};
        struct result whole[NODES], halves[NODES];
        char folder[] = "/tmp/gantry-links-XXXXXX", remove[64];
        assert_non_null(mkdtemp(folder));
        for (unsigned n = 0; n < 3; n++) {
            struct sched s;
            struct cut cut = {n ? 2 : 1, NULL, n ? n - 1 : 0, folder, NULL};
            struct build b = {&s, &cut, &g, {NULL}};
            graph_open(&b);
            enum sched_end end;
            while ((end = sched_advance(&s, UINT64_MAX)) == SCHED_BLOCKED && !sched_quiet(&s))
                ;
            assert_int_equal(end, n ? SCHED_BLOCKED : SCHED_QUIET);
            graph_results(&b, n ? halves : whole);
            sched_fini(&s);
        }
        for (unsigned i = 0; i < NODES; i++)
            assert_memory_equal(&whole[i], &halves[i], sizeof whole[i]);
        snprintf(remove, sizeof remove, "rm -r %s", folder);
        assert_int_equal(system(remove), 0);
    }
}

static int beyond_the_horizon(void)
{
    struct graph g = {.latency = 100, .seed = 1, .rest = 5000, .budget = 100};
    struct ring *rings[NODES][2 * PORTS] = {{NULL}};
    struct sched s;
    struct cut cut = {2, NULL, 0, NULL, rings};
    struct build b = {&s, &cut, &g, {NULL}};
    graph_open(&b);
    sched_take(&s);
    sched_run(&s, 1);
    return 0;
}

/* An owner with a loop of its own cannot run what the links have not promised. */
static void test_nobody_runs_beyond_the_horizon(void **state)
{
    int status;
    (void)state;
    pid_t pid = fork();
    if (pid == 0) {
        close(2);
        _exit(beyond_the_horizon());
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(WEXITSTATUS(status), 70);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_schedulers_by_turns),
        cmocka_unit_test(test_halves_are_replayed),
        cmocka_unit_test(test_nobody_runs_beyond_the_horizon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
