// SPDX-License-Identifier: Apache-2.0
// What is decided before a machine's workers are there (place.c): what is refused, what needs none, what all must agree
// on.
#include "place_bench.h"

static void what_is_refused(void **state)
{
    (void)state;
    static const struct {
        struct sim_options options;
        const char *gpus;
        enum gantry_status failure;
        const char *line;
    } cases[] = {
        {{.both = true}, NULL, STATUS_USAGE, "gantry: --roi: not with place.processes above 1\n"},
        {{0}, "gpu0=1 gpu0=1", STATUS_CONFIG, "gantry: place: gpu0 is placed twice\n"},
        {{0}, "gpu0=0", STATUS_CONFIG, "gantry: place: process 1 would run nothing (3 GPUs)\n"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct made m;
        listen_to();
        bool made = begin(&m, 2, cases[i].gpus, cases[i].options);
        assert_string_equal(spoken(), cases[i].line);
        assert_false(made);
        assert_int_equal(m.failure, cases[i].failure);
        end(&m);
    }
}

// One process, or one GPU alone: nothing is begun.
static void what_needs_no_workers(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct made m;
        assert_true(begin(&m, 1 + i, NULL, (struct sim_options){.only = i, .both = true}));
        assert_null(m.sim->place);
        assert_null(m.sim->process);
        end(&m);
    }
}

// What all processes must agree on: seed, configuration, graph, the text of RTL (golden GPUs have none).
static void what_all_agree_on(void **state)
{
    (void)state;
    struct made m;
    open_with(&m, 2, (struct sim_options){.seed = 4711});
    const struct hello *here = &region_entry(m.sim->place->region, 0)->hello;
    char *text = NULL, wanted[20];
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    config_print(out, &m.config.cfg);
    fclose(out);
    assert_true(here->seed == 4711);
    snprintf(wanted, sizeof wanted, "%016llx", (unsigned long long)XXH64(text, size, 0));
    assert_string_equal(here->config, wanted);
    snprintf(wanted, sizeof wanted, "%016llx", (unsigned long long)XXH64("", 0, 0));
    assert_string_equal(here->rtl, wanted);
    cut_plan_text(&m.sim->place->plan, wanted);
    assert_string_equal(here->graph, wanted);
    assert_memory_equal(here, &region_entry(m.sim->place->region, 1)->hello, sizeof *here);
    free(text);
    end(&m);
}

// A worker that says something else is told, and the run does not begin.
static void another_worker_is_refused(void **state)
{
    (void)state;
    struct made m;
    assert_true(begin(&m, 2, NULL, (struct sim_options){.seed = 1}));
    assert_true(machine_build(m.sim) && machine_threads(m.sim, false));
    struct region_entry *worker = region_entry(m.sim->place->region, 1);
    while (atomic_load(&worker->stage) == REGION_ABSENT)
        usleep(1000);
    worker->hello.seed = 2;
    listen_to();
    bool joined = place_join(m.sim);
    assert_string_equal(spoken(), "gantry: process worker1: other seed: 1 here, 2 there\n");
    assert_false(joined);
    assert_int_equal(m.failure, STATUS_IO);
    assert_int_equal(place_lost(m.sim), STATUS_IO);
    end(&m);
}

// GPUs run where the configuration says, and are known by name elsewhere.
static void where_gpus_are(void **state)
{
    (void)state;
    struct made m;
    assert_true(begin(&m, 3, "gpu0=2 gpu1=0 gpu2=1", (struct sim_options){0}));
    assert_true(machine_build(m.sim) && machine_threads(m.sim, false) && place_join(m.sim));
    static const uint32_t process[] = {2, 0, 1};
    for (unsigned g = 0; g < 3; g++) {
        assert_int_equal(m.sim->gpus[g].process, process[g]);
        assert_int_equal(sim_elsewhere(m.sim, g), g != 1);
        assert_int_equal(m.sim->gpus[g].golden != NULL, g == 1);
        assert_int_equal(m.sim->gpus[g].dispatch->process, process[g]);
    }
    assert_true(m.sim->sched.ordered);
    assert_int_equal(m.sim->sched.other_count, 2);
    assert_int_equal(m.sim->place->count, 3);
    assert_int_equal(m.sim->place->plan.count,
                     6); // commands, places and events of two GPUs; all else is of this process
    assert_string_equal(m.sim->place->names[0], "gantry");
    assert_string_equal(m.sim->place->names[2], "worker2");
    end(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_refused),   cmocka_unit_test(what_needs_no_workers),
        cmocka_unit_test(what_all_agree_on), cmocka_unit_test(another_worker_is_refused),
        cmocka_unit_test(where_gpus_are),
    };
    return cmocka_run_group_tests(tests, shared_make, NULL);
}
