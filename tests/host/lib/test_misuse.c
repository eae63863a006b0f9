// SPDX-License-Identifier: Apache-2.0
// The library used wrongly: no handle, freed ones, wrong order, two threads, from a callback, arguments that cannot be,
// options of another size, configurations that are the command's: each an error with its words.  Where there is no
// status: test_handles.c.
#include <pthread.h>
#include <semaphore.h>

#include "lib_bench.h"

static void no_handle_or_a_freed_one(void **state)
{
    struct gantry_machine *m = golden();
    struct gantry_object *object = vecadd_open();
    struct gantry_launch *launch = vecadd_launch(m, object);
    struct gantry_config *config = tiny();
    uint64_t word;
    (void)state;
    REFUSED(GANTRY_USAGE, "gantry: gantry_run: the handle is NULL, not a machine", gantry_run(NULL, 1, NULL, error));
    REFUSED(GANTRY_USAGE, "gantry: gantry_run: the handle is not (or no longer) a machine",
            gantry_run((struct gantry_machine *)launch, 1, NULL, error));
    gantry_machine_free(m);
    REFUSED(GANTRY_USAGE, "gantry: gantry_read: the handle is not (or no longer) a machine",
            gantry_read(m, 0, &word, 8, error));
    REFUSED(GANTRY_USAGE, "gantry: gantry_launch_run: the handle is not (or no longer) a launch",
            gantry_launch_run(launch, error)); // it went with its machine
    gantry_object_free(object);
    assert_int_equal(gantry_object_kernels(object), 0);
    assert_null(gantry_object_kernel(object, 0));
    gantry_config_free(config);
    REFUSED(GANTRY_USAGE, "gantry: gantry_config_load: the handle is not (or no longer) a configuration",
            gantry_config_load(config, "tiny", error));
    REFUSED(GANTRY_USAGE, "gantry: gantry_config_new: no place for the handle", gantry_config_new(NULL, error));
    assert_int_equal(gantry_run(NULL, 1, NULL, NULL), GANTRY_USAGE); // without an error
    gantry_config_free(NULL);
    gantry_machine_free(NULL);
    gantry_object_free(NULL);
    gantry_launch_free(NULL);
}

static void wrong_order(void **state)
{
    struct gantry_machine *m = golden();
    struct gantry_object *object = vecadd_open();
    struct gantry_launch *launch = vecadd_launch(m, object), *other = vecadd_launch(m, object), *third;
    uint64_t place, code;
    uint32_t word = 1;
    (void)state;
    DONE(gantry_launch_buffer(launch, 0, &place, NULL, error));
    DONE(gantry_alloc(m, GANTRY_HOST, 64, &code, error));
    DONE(gantry_launch_start(launch, error));
    REFUSED(GANTRY_USAGE, "gantry: gantry_launch_start: a launch is under way already",
            gantry_launch_start(other, error));
    REFUSED(GANTRY_USAGE, "gantry: gantry_launch_run: a launch is under way already", gantry_launch_run(other, error));
    REFUSED(GANTRY_USAGE, "gantry: gantry_write: a launch is under way, whose caches hold VRAM",
            gantry_write(m, place, &word, 4, error));
    DONE(gantry_write(m, code, &word, 4, error)); // host memory is not cached
    DONE(gantry_read(m, place, &word, 4, error));
    REFUSED(GANTRY_USAGE, "gantry: gantry_alloc: a launch is under way, and its page tables are in use",
            gantry_alloc(m, GANTRY_VRAM, 4, &place, error));
    REFUSED(GANTRY_USAGE, "gantry: gantry_launch_new: a launch is under way, and its page tables are in use",
            gantry_launch_new(m, object, NULL, grid, group, vecadd_args, 3, &third, error));
    REFUSED(GANTRY_USAGE, "gantry: gantry_launch_set: no value of so many bytes",
            gantry_launch_set(launch, 0, &word, 4, error));
    DONE(gantry_run(m, UINT64_MAX, NULL, error));
    vecadd_check(m, launch);
    gantry_machine_free(m);
    gantry_object_free(object);
}

static void arguments_that_cannot_be(void **state)
{
    struct gantry_machine *m = golden();
    struct gantry_object *object = vecadd_open();
    struct gantry_launch *launch;
    static const uint32_t none[3] = {0, 1, 1}, huge[3] = {70000, 1, 1};
    static const struct gantry_arg out[3] = {{.spec = "out:1024:x"}, {.spec = "zero:4"}, {.spec = "zero:4"}},
                                   no_data[3] = {{.bytes = 8}, {.spec = "zero:4"}, {.spec = "zero:4"}};
    uint64_t place, code, word = 0;
    (void)state;
    REFUSED(GANTRY_USAGE, "gantry: gantry_alloc: no place for the address, no such memory, or no bytes",
            gantry_alloc(m, 7, 4, &place, error));
    DONE(gantry_alloc(m, GANTRY_VRAM, 8, &place, error));
    REFUSED(GANTRY_USAGE, "gantry: gantry_read: 0x7, 8 bytes: not within an allocation",
            gantry_read(m, 7, &word, 8, error));
    assert_int_equal(gantry_read(m, place, &word, UINT64_MAX, NULL), GANTRY_USAGE);
    for (uint64_t less = 0; less < 8192; less += 4095) // more than any number of pages
        assert_int_equal(gantry_alloc(m, less % 2, UINT64_MAX - less, &code, NULL), GANTRY_DATA);
    assert_int_equal(gantry_read(m, place + 4092, &word, 8, NULL), GANTRY_USAGE); // beyond its page
    REFUSED(GANTRY_USAGE, "gantry: gantry_read: nowhere to put it", gantry_read(m, place, NULL, 8, error));
    REFUSED(GANTRY_USAGE, "gantry: --grid: 0 is outside 1..4294967295",
            gantry_launch_new(m, object, NULL, none, group, vecadd_args, 3, &launch, error));
    REFUSED(GANTRY_USAGE, "gantry: --group: 70000 is outside 1..65535",
            gantry_launch_new(m, object, NULL, grid, huge, vecadd_args, 3, &launch, error));
    REFUSED(GANTRY_USAGE, "gantry: kernel: no work-group size: give --group X[,Y[,Z]]",
            gantry_launch_new(m, object, NULL, grid, NULL, vecadd_args, 3, &launch, error));
    REFUSED(GANTRY_USAGE,
            "gantry: --arg: out:1024:x: not in a library: gantry_launch_buffer and gantry_read; argument 0 is int*, a "
            "buffer",
            gantry_launch_new(m, object, NULL, grid, group, out, 3, &launch, error));
    REFUSED(GANTRY_USAGE,
            "gantry: --arg: a value of 8 bytes: no spec, and no data of 1 to 4096 bytes; argument 0 is int*, a buffer",
            gantry_launch_new(m, object, NULL, grid, group, no_data, 3, &launch, error));
    REFUSED(GANTRY_USAGE, "gantry: gantry_launch_new: the object is NULL, or freed",
            gantry_launch_new(m, NULL, NULL, grid, group, vecadd_args, 3, &launch, error));
    gantry_machine_free(m);
    gantry_object_free(object);
}

static void options_that_cannot_be(void **state)
{
    struct gantry_config *config = tiny();
    struct gantry_machine *m;
    struct gantry_options options = {.size = 4};
    (void)state;
    REFUSED(GANTRY_USAGE, "gantry: gantry_machine_new: options: size is none that this library knows",
            gantry_machine_new(config, &options, &m, error));
    options = (struct gantry_options){.size = sizeof options + 8};
    assert_int_equal(gantry_machine_new(config, &options, &m, NULL), GANTRY_USAGE);
    options = (struct gantry_options){.size = sizeof options, .model = 9};
    REFUSED(GANTRY_USAGE, "gantry: gantry_machine_new: options: no such model",
            gantry_machine_new(config, &options, &m, error));
    options = (struct gantry_options){.size = sizeof options, .model = GANTRY_GOLDEN, .gpu = 3};
    REFUSED(GANTRY_USAGE, "gantry: --gpu: 3: the machine has 1 GPU", gantry_machine_new(config, &options, &m, error));
    options = (struct gantry_options){.size = offsetof(struct gantry_options, gpu), .model = GANTRY_GOLDEN};
    DONE(gantry_machine_new(config, &options, &m, error)); // of an older header
    gantry_machine_free(m);
    DONE(gantry_config_set(config, "system.gpus=2", error));
    DONE(gantry_config_set(config, "place.processes=2", error));
    REFUSED(GANTRY_USAGE, "gantry: place.processes: not inside of another program: these are processes of the command",
            gantry_machine_new(config, &options, &m, error));
    DONE(gantry_config_set(config, "place.processes=1", error));
    gantry_config_free(config);
}

struct pause {
    struct gantry_machine *machine;
    struct gantry_launch *launch;
    sem_t inside, go;
    int asked, from_callback;
};

static int on_unwanted(void *ctx)
{
    struct pause *p = ctx;
    if (p->machine == NULL || p->asked++)
        return 0;
    struct gantry_error error;
    p->from_callback = gantry_run(p->machine, 1, NULL, &error);
    assert_string_equal(error.line, "gantry: gantry_run: called from a callback of this handle, which is a machine");
    sem_post(&p->inside);
    sem_wait(&p->go);
    return 0;
}

static void *launch_in_thread(void *arg)
{
    struct pause *p = arg;
    DONE(gantry_launch_run(p->launch, error));
    return NULL;
}

// A thread is inside of the machine: others are refused, and its own callbacks; afterwards all is well.
static void two_threads(void **state)
{
    struct pause p = {.machine = NULL};
    const struct gantry_options options = {
        .size = sizeof options, .model = GANTRY_GOLDEN, .ctx = &p, .unwanted = on_unwanted};
    struct gantry_machine *m = machine_of(&options);
    struct gantry_object *object = vecadd_open();
    uint64_t cycle;
    pthread_t thread;
    (void)state;
    sem_init(&p.inside, 0, 0);
    sem_init(&p.go, 0, 0);
    p.launch = vecadd_launch(m, object);
    p.machine = m;
    assert_int_equal(pthread_create(&thread, NULL, launch_in_thread, &p), 0);
    sem_wait(&p.inside);
    REFUSED(GANTRY_USAGE, "gantry: gantry_now: another thread is inside of a machine", gantry_now(m, &cycle, error));
    REFUSED(GANTRY_USAGE, "gantry: gantry_launch_start: another thread is inside of a launch",
            gantry_launch_start(p.launch, error));
    sem_post(&p.go);
    pthread_join(thread, NULL);
    assert_int_equal(p.from_callback, GANTRY_USAGE);
    vecadd_check(m, p.launch);
    gantry_machine_free(m);
    gantry_object_free(object);
}

static int never_wanted(void *ctx)
{
    (void)ctx;
    return 1;
}

// Nobody waits: no line, and no machine, or no end of the launch.
static void nobody_waits(void **state)
{
    struct gantry_options options = {.size = sizeof options, .model = GANTRY_GOLDEN, .unwanted = never_wanted};
    struct gantry_machine *m = machine_of(&options);
    struct gantry_object *object = vecadd_open();
    struct gantry_launch *launch = vecadd_launch(m, object);
    (void)state;
    REFUSED(GANTRY_STOPPED, "", gantry_launch_run(launch, error));
    gantry_machine_free(m);
    gantry_object_free(object);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_handle_or_a_freed_one),
        cmocka_unit_test(wrong_order),
        cmocka_unit_test(arguments_that_cannot_be),
        cmocka_unit_test(options_that_cannot_be),
        cmocka_unit_test(two_threads),
        cmocka_unit_test(nobody_waits),
    };
    return cmocka_run_group_tests(tests, kernels_build, NULL);
}
