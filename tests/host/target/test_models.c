// SPDX-License-Identifier: Apache-2.0
// The model libraries of a machine (models.h), with toys for libraries: which kinds are asked for, with which words;
// those to be traced once more, alone; what is told of them; what becomes of a machine whose libraries are not there.
// And what the partitions are made with (rtl_gpu.c): identity, seed, tracing.
#include <sys/stat.h>

#include "../machine/toy_machine.h"
#include "target/rtl_gpu.h"

#define PARTS "cu sqc noc l2 utcl2 rdma dispatch"

static void constant_print(void *arg, const char *name, uint64_t value)
{
    char *text = arg;
    sprintf(text + strlen(text), " --set=%s=%llu", name, (unsigned long long)value);
}

// The words of this machine: compiler, observation, then every constant in the order of the configuration.
static void assert_words(const struct toy_machine *m, unsigned call, const char *start)
{
    char text[4000];
    strcpy(text, start);
    config_constants(&m->config.cfg, constant_print, text);
    assert_string_equal(toy_asked[call].words, text);
    assert_string_equal(toy_asked[call].root, config_root());
}

static void open_as(struct toy_machine *m, unsigned gpus, const char *setting, struct sim_options options)
{
    toy_calls = 0;
    toy_open(m, gpus, setting, options);
}

static void test_what_is_asked(void **state)
{
    struct toy_machine m;
    (void)state;
    open_as(&m, 1, NULL, (struct sim_options){.seed = 1});
    assert_int_equal(toy_calls, 1);
    assert_string_equal(toy_asked[0].kinds, PARTS);
    assert_false(toy_asked[0].trace);
    assert_words(&m, 0, "--cc=clang");
    toy_close(&m);
    open_as(&m, 1, "host.model_cc=gcc", (struct sim_options){.seed = 1, .lockstep = true});
    assert_words(&m, 0, "--cc=gcc --observe");
    assert_true(toy_named("gpu0.cu1")->observed && toy_named("gpu0.l2s1")->observed);
    assert_false(toy_named("gpu0.sqc0")->observed);
    toy_close(&m);
    open_as(&m, 1, "system.rtl=whole", (struct sim_options){.seed = 1});
    assert_int_equal(toy_calls, 1);
    assert_string_equal(toy_asked[0].kinds, "gpu");
    toy_close(&m);
}

struct told {
    char text[600];
};

static void told_add(void *arg, const char *key, const char *tools)
{
    struct told *t = arg;
    sprintf(t->text + strlen(t->text), "%s, %s\n", key, tools);
}

static void test_traced(void **state)
{
    static const struct {
        const char *wave, *kinds;
    } cases[] = {{"gpu1.cu1", "cu"}, {"gpu0.l2s1@3:9", "l2"}, {"gpu1", PARTS}, {"gpu1.noc", "noc"}};
    struct toy_machine m;
    char dir[] = "/tmp/gantry-models-XXXXXX", path[96];
    (void)state;
    assert_non_null(mkdtemp(dir));
    for (unsigned i = 0; i < 4; i++) {
        open_as(&m, 2, NULL, (struct sim_options){.seed = 1, .wave = cases[i].wave, .wave_dir = dir});
        assert_int_equal(toy_calls, 2);
        assert_string_equal(toy_asked[0].kinds, PARTS);
        assert_false(toy_asked[0].trace);
        assert_string_equal(toy_asked[1].kinds, cases[i].kinds);
        assert_true(toy_asked[1].trace);
        assert_string_equal(toy_asked[1].words, toy_asked[0].words);
        struct told told = {""};
        sim_models(m.sim, told_add, &told);
        if (i == 1)
            assert_string_equal(told.text,
                                "cu-toy, toy of cu\nsqc-toy, toy of sqc\nnoc-toy, toy of noc\nl2-toy, toy of l2\n"
                                "l2-toy-traced, toy of l2\nutcl2-toy, toy of utcl2\nrdma-toy, toy of rdma\n"
                                "dispatch-toy, toy of dispatch\n");
        for (unsigned k = 0; k < 64; k++) {
            if (!toy_models[k])
                continue;
            const char *name = toy_models[k]->name;
            const bool traced = i == 0   ? strcmp(name, "gpu1.cu1") == 0
                                : i == 1 ? strcmp(name, "gpu0.l2s1") == 0
                                : i == 2 ? strncmp(name, "gpu1.", 5) == 0
                                         : strcmp(name, "gpu1.noc") == 0;
            char text[80] = "", line[80];
            snprintf(path, sizeof path, "%s/%s.fst", dir, name);
            FILE *file = fopen(path, "r");
            assert_true((file != NULL) == traced && toy_models[k]->kind->traced == traced);
            if (!file)
                continue;
            assert_non_null(fgets(text, sizeof text, file));
            fclose(file);
            snprintf(line, sizeof line, i == 1 ? "%s 3 9\n" : "%s 0 18446744073709551615\n", name);
            assert_string_equal(text, line);
            unlink(path);
        }
        toy_close(&m);
    }
    rmdir(dir);
}

/* A folder that is not there: told for each, and the machine runs. */
static void test_trace_not_written(void **state)
{
    struct toy_machine m;
    (void)state;
    say_begin();
    toy_open(&m, 1, NULL, (struct sim_options){.seed = 1, .wave = "gpu0.noc", .wave_dir = "/nowhere"});
    say_end();
    assert_said("gantry: --wave: /nowhere/gpu0.noc.fst: cannot be written\n");
    toy_do(&m, 0, 1, 1, (struct toy_work){.op = TOY_END});
    toy_run(&m);
    assert_int_equal(m.event_count, 1);
    toy_close(&m);
}

static bool nobody(void *arg)
{
    (void)arg;
    return true;
}

/* Libraries that are not there, plain or traced: no machine, one line, its class; none when nobody waits any more. */
static void test_refused(void **state)
{
    struct toy_machine m;
    enum gantry_status failure;
    (void)state;
    for (int call = 0; call < 4; call++) {
        toy_prepare(&m, 1, NULL);
        struct sim_options options = {.seed = 1, .wave = "gpu0.cu0", .wave_dir = "/tmp", .failure = &failure};
        if (call == 2)
            options.unwanted = nobody;
        if (call == 3)
            options.wave = "@1:2";
        failure = STATUS_OK;
        toy_calls = 0;
        toy_refuse = call < 2 ? call : -1;
        const unsigned before = toy_created;
        say_begin();
        m.sim = sim_new(&m.config.cfg, m.memory, &options, &toy_host, &m);
        say_end();
        toy_refuse = -1;
        assert_null(m.sim);
        assert_int_equal(toy_created, before);
        assert_int_equal(toy_calls, call == 1 ? 2 : call == 3 ? 0 : 1);
        assert_int_equal(failure, call < 2 ? STATUS_IO : STATUS_OK);
        assert_said(call < 2    ? "gantry: models: refused\n"
                    : call == 2 ? ""
                                : "gantry: --wave: '@1:2' is not SCOPE[@FROM:TO]\n");
        toy_close(&m);
    }
}

/* Each partition knows its GPU and its place there, and has a seed of its own, which the run's seed decides. */
static void test_identity(void **state)
{
    struct toy_machine m;
    uint64_t seeds[2] = {0, 0};
    (void)state;
    for (unsigned n = 0; n < 2; n++) {
        toy_open(&m, 2, NULL, (struct sim_options){.seed = 5 + n});
        for (unsigned i = 0; i < 64; i++) {
            if (!toy_models[i])
                continue;
            assert_int_equal(toy_models[i]->gpu, toy_models[i]->name[3] - '0');
            for (unsigned k = 0; k < i; k++)
                assert_true(!toy_models[k] || toy_models[k]->seed != toy_models[i]->seed);
        }
        const struct part *part = sim_part(m.sim, "gpu1.cu1");
        seeds[n] = toy_named("gpu1.cu1")->seed;
        assert_int_equal(seeds[n], (5 + n) * 1000003 + part->number);
        assert_int_equal(toy_named("gpu1.cu1")->place, 1);
        assert_int_equal(toy_named("gpu1.l2s1")->place, 1);
        assert_int_equal(toy_named("gpu0.cu1")->place, 1);
        assert_int_equal(toy_named("gpu0.dispatch")->place, 0);
        toy_close(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_asked), cmocka_unit_test(test_traced),   cmocka_unit_test(test_trace_not_written),
        cmocka_unit_test(test_refused),       cmocka_unit_test(test_identity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
