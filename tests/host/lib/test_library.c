// SPDX-License-Identifier: Apache-2.0
// A program's use of the library on the golden model: launches with all kinds of arguments, memory, figures, steps,
// faults, machines in threads, warnings and lines.
#include <locale.h>
#include <pthread.h>

#include "lib_bench.h"

// A launch by specs, again with other data, its rows, figures and counters.
static void a_kernel_runs(void **state)
{
    struct gantry_machine *m = golden();
    struct gantry_object *object = vecadd_open();
    struct gantry_launch *launch = vecadd_launch(m, object);
    struct gantry_row row;
    struct gantry_summary summary;
    uint32_t two[ITEMS] = {7};
    uint64_t address, cycle;
    void *there;
    (void)state;
    assert_int_equal(gantry_object_kernels(object), 1);
    assert_string_equal(gantry_object_kernel(object, 0), "vecadd");
    assert_null(gantry_object_kernel(object, 1));
    gantry_object_free(object); // the launch keeps what it needs
    DONE(gantry_launch_run(launch, error));
    vecadd_check(m, launch);
    DONE(gantry_launch_buffer(launch, 1, &address, NULL, error));
    DONE(gantry_write(m, address, two, BYTES, error));
    DONE(gantry_launch_run(launch, error));
    DONE(gantry_launch_buffer(launch, 0, &address, NULL, error));
    DONE(gantry_map(m, address, BYTES, &there, error));
    assert_true(((uint32_t *)there)[0] == 0x02020209 && ((uint32_t *)there)[1] == 0x02020202);
    DONE(gantry_kernel_row(m, 1, &row, error));
    assert_string_equal(row.kernel, "vecadd");
    assert_true(row.grid[0] == ITEMS && row.group[0] == 64 && row.wavefronts == 4 && row.work_groups == 4);
    assert_true(row.instructions == 100 && row.untimed && !row.unfinished);
    REFUSED(GANTRY_USAGE, "gantry: gantry_kernel_row: the kernel table is shorter",
            gantry_kernel_row(m, 2, &row, error));
    DONE(gantry_summarize(m, &summary, error));
    assert_true(summary.gpus == 1 && summary.kernels == 2 && summary.instructions == 200 && summary.now == 0);
    DONE(gantry_now(m, &cycle, error));
    gantry_launch_free(launch);
    gantry_machine_free(m);
}

// Values as data, addresses of gantry_alloc, another value for the next run; freed launches give their block back.
static void arguments_are_data(void **state)
{
    struct gantry_machine *m = golden();
    struct gantry_object *object;
    struct gantry_launch *launch;
    const float x[4] = {1, 2, 3, 4}, y[4] = {10, 20, 30, 40};
    float a = 2, sums[4];
    uint64_t place[2];
    const uint32_t four[3] = {4, 1, 1};
    (void)state;
    DONE(gantry_object_open("build/kernels/saxpy.v4.co", &object, error));
    for (unsigned i = 0; i < 2; i++)
        DONE(gantry_alloc(m, i ? GANTRY_HOST : GANTRY_VRAM, sizeof x, &place[i], error));
    DONE(gantry_write(m, place[1], x, sizeof x, error));
    const struct gantry_arg args[3] = {
        {.data = &place[0], .bytes = 8}, {.data = &place[1], .bytes = 8}, {.data = &a, .bytes = 4}};
    for (unsigned n = 0; n < 3; n++) {
        DONE(gantry_launch_new(m, object, "saxpy", four, four, args, 3, &launch, error));
        DONE(gantry_write(m, place[0], y, sizeof y, error));
        DONE(gantry_launch_run(launch, error));
        DONE(gantry_read(m, place[0], sums, sizeof sums, error));
        assert_true(sums[0] == 12 && sums[3] == 48);
        const float three = 3;
        DONE(gantry_write(m, place[0], y, sizeof y, error));
        DONE(gantry_launch_set(launch, 2, &three, 4, error));
        DONE(gantry_launch_run(launch, error));
        DONE(gantry_read(m, place[0], sums, sizeof sums, error));
        assert_true(sums[0] == 13 && sums[3] == 52);
        gantry_launch_free(launch);
    }
    gantry_object_free(object);
    gantry_machine_free(m); // with its launches
}

// Start, run, event; what is refused meanwhile is in test_misuse.c.
static void a_launch_runs_in_steps(void **state)
{
    struct gantry_machine *m = golden();
    struct gantry_object *object = vecadd_open();
    struct gantry_launch *launch = vecadd_launch(m, object);
    int event = -1;
    (void)state;
    DONE(gantry_run(m, 1000, &event, error));
    assert_int_equal(event, GANTRY_NOTHING_LEFT);
    DONE(gantry_launch_start(launch, error));
    DONE(gantry_run(m, UINT64_MAX, &event, error));
    assert_int_equal(event, GANTRY_LAUNCH_OVER);
    vecadd_check(m, launch);
    gantry_machine_free(m);
    gantry_object_free(object);
}

// The line is the command's, the fault is told, and no launch starts any more.
static void a_fault_is_told(void **state)
{
    static const struct gantry_arg args[3] = {{.spec = "u64:4096"}, {.spec = "zero:1024"}, {.spec = "zero:1024"}};
    struct gantry_machine *m = golden();
    struct gantry_object *object = vecadd_open();
    struct gantry_launch *launch, *next = vecadd_launch(m, object);
    struct gantry_fault fault;
    struct gantry_error error;
    (void)state;
    DONE(gantry_launch_fault(next, &fault, error));
    assert_int_equal(fault.kind, 0);
    DONE(gantry_launch_new(m, object, NULL, grid, group, args, 3, &launch, error));
    assert_int_equal(gantry_launch_run(launch, &error), GANTRY_GUEST_FAULT);
    const char *begin = "gantry: vecadd: gpu0: memory fault at address 0x1000: ";
    if (strncmp(error.line, begin, strlen(begin)) != 0)
        fail_msg("%s", error.line);
    DONE(gantry_launch_fault(launch, &fault, error));
    assert_true(fault.kind == 1 && fault.address / 4096 == 1 && fault.cause == 1 && fault.pc);
    REFUSED(GANTRY_USAGE, "gantry: gantry_launch_run: a launch before has not ended well: this machine starts no other",
            gantry_launch_run(next, error));
    gantry_machine_free(m);
    gantry_object_free(object);
}

// Failures have the line that the command prints.
static void lines_are_the_commands(void **state)
{
    struct gantry_config *config = tiny();
    struct gantry_machine *m = golden();
    struct gantry_object *object = vecadd_open();
    struct gantry_launch *launch;
    char text[64];
    (void)state;
    REFUSED(GANTRY_USAGE, "gantry: --set: 'x' is not KEY=VALUE", gantry_config_set(config, "x", error));
    REFUSED(GANTRY_CONFIG, "gantry: --set: gpu.cu.cuont: unknown key; did you mean gpu.cu.count?",
            gantry_config_set(config, "gpu.cu.cuont=4", error));
    DONE(gantry_config_set(config, "gpu.cu.count=2", error));
    DONE(gantry_config_get(config, "gpu.cu.count", text, sizeof text, error));
    assert_string_equal(text, "2");
    REFUSED(GANTRY_MISSING, "gantry: nowhere/x.co: No such file or directory",
            gantry_object_open("nowhere/x.co", &object, error));
    assert_null(object);
    object = vecadd_open();
    REFUSED(GANTRY_OBJECT, "gantry: README.md: neither ELF nor offload bundle",
            gantry_object_open("README.md", &(struct gantry_object *){NULL}, error));
    REFUSED(GANTRY_USAGE,
            "gantry: --arg: kernel vecadd takes 3 arguments, 2 given (gantry kernel --list FILE tells them)",
            gantry_launch_new(m, object, NULL, grid, group, vecadd_args, 2, &launch, error));
    const struct gantry_arg wrong[3] = {{.spec = "u32:5"}, {.spec = "zero:4"}, {.spec = "zero:4"}};
    REFUSED(GANTRY_USAGE, "gantry: --arg: u32:5: these are 4 bytes of 8; argument 0 is int*, a buffer",
            gantry_launch_new(m, object, NULL, grid, group, wrong, 3, &launch, error));
    const struct gantry_arg large[3] = {{.spec = "zero:60G"}, {.spec = "zero:4"}, {.spec = "zero:4"}};
    struct gantry_error error;
    assert_int_equal(gantry_launch_new(m, object, NULL, grid, group, large, 3, &launch, &error), GANTRY_DATA);
    assert_non_null(strstr(error.line, "gantry: zero:60G: GPU memory is too small: "));
    REFUSED(GANTRY_USAGE, "gantry: build/kernels/vecadd.v4.co: no kernel other; it holds vecadd",
            gantry_launch_new(m, object, "other", grid, group, vecadd_args, 3, &launch, error));
    gantry_object_free(object);
    gantry_machine_free(m);
    gantry_config_free(config);
}

// In a program whose numbers have a comma: ours have a point all the same, and the program's are as they were.
static void numbers_have_a_point(void **state)
{
    char text[64];
    struct gantry_object *object;
    struct gantry_launch *launch;
    uint64_t place;
    const uint32_t four[3] = {4, 1, 1};
    (void)state;
    assert_int_equal(
        system("mkdir -p build/tests/locales && printf 'LC_NUMERIC\\ndecimal_point \",\"\\nthousands_sep \"\"\\n"
               "grouping -1\\nEND LC_NUMERIC\\n' >build/tests/locales/comma.txt; localedef -c -i "
               "build/tests/locales/comma.txt build/tests/locales/comma 2>build/tests/locales/told"),
        256); // warnings: there are no other categories
    setenv("LOCPATH", "build/tests/locales", 1);
    assert_non_null(setlocale(LC_NUMERIC, "comma"));
    struct gantry_config *config = tiny();
    struct gantry_machine *m = golden();
    DONE(gantry_config_set(config, "clock.patience=0.25", error));
    DONE(gantry_config_get(config, "clock.patience", text, sizeof text, error));
    assert_string_equal(text, "0.25");
    DONE(gantry_object_open("build/kernels/saxpy.v4.co", &object, error));
    const struct gantry_arg args[3] = {{.spec = "zero:16"}, {.spec = "fill:0:16"}, {.spec = "f32:1.5"}};
    DONE(gantry_launch_new(m, object, "saxpy", four, four, args, 3, &launch, error));
    DONE(gantry_launch_buffer(launch, 1, &place, NULL, error));
    DONE(gantry_write(m, place, (const float[4]){2, 2, 2, 2}, 16, error));
    DONE(gantry_launch_run(launch, error));
    float sums[4];
    DONE(gantry_launch_buffer(launch, 0, &place, NULL, error));
    DONE(gantry_read(m, place, sums, sizeof sums, error));
    assert_true(sums[0] == 3 && sums[3] == 3);
    snprintf(text, sizeof text, "%.1f", 0.5);
    assert_string_equal(text, "0,5");
    setlocale(LC_NUMERIC, "C");
    gantry_machine_free(m);
    gantry_object_free(object);
    gantry_config_free(config);
}

struct work {
    struct gantry_summary summary;
    unsigned warnings;
};

static void *work_run(void *arg)
{
    struct work *w = arg;
    struct gantry_machine *m = golden();
    struct gantry_object *object = vecadd_open();
    for (unsigned i = 0; i < 5; i++) {
        struct gantry_launch *launch = vecadd_launch(m, object);
        DONE(gantry_launch_run(launch, error));
        vecadd_check(m, launch);
    }
    DONE(gantry_summarize(m, &w->summary, error));
    gantry_object_free(object);
    gantry_machine_free(m);
    return NULL;
}

// Two machines in two threads have the figures of one alone.
static void machines_in_threads(void **state)
{
    struct work alone = {0}, together[2] = {0};
    pthread_t thread[2];
    (void)state;
    work_run(&alone);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, work_run, &together[i]), 0);
    for (unsigned i = 0; i < 2; i++) {
        pthread_join(thread[i], NULL);
        assert_memory_equal(&together[i].summary, &alone.summary, sizeof alone.summary);
    }
    assert_true(alone.summary.kernels == 5 && alone.summary.instructions == 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_runs),          cmocka_unit_test(arguments_are_data),
        cmocka_unit_test(a_launch_runs_in_steps), cmocka_unit_test(a_fault_is_told),
        cmocka_unit_test(lines_are_the_commands), cmocka_unit_test(numbers_have_a_point),
        cmocka_unit_test(machines_in_threads),
    };
    return cmocka_run_group_tests(tests, kernels_build, NULL);
}
