// SPDX-License-Identifier: Apache-2.0
// How a recording (record.h) cannot be made, of runs of toy models: with which line and class, what is left of it; a
// disk that is full ends the recording and not the run.
#include "toy_recording.h"

#include <signal.h>
#include <sys/resource.h>

#include "record/recorded.h"
#include "saved/journal.h"

static struct toy_machine run;

static void test_refused(void **state)
{
    enum gantry_status failure;
    char line[200], *parts[] = {(char *)"gpu0.noc", (char *)"gpu0.cu7"};
    (void)state;
    toy_folder_clear("run");
    assert_int_equal(mkdir(toy_dir, 0777), 0);
    say_begin();
    assert_null(record_open(toy_dir, NULL, 0, &failure));
    say_end();
    snprintf(line, sizeof line, "gantry: %s: exists already: a recording makes its folder\n", toy_dir);
    assert_said(line);
    assert_int_equal(failure, STATUS_USAGE);
    say_begin();
    assert_null(record_open("/nowhere/run", NULL, 0, &failure));
    say_end();
    assert_said("gantry: /nowhere/run: No such file or directory\n");
    assert_int_equal(failure, STATUS_IO);
    toy_folder_clear("run");
    struct record *r = record_open(toy_dir, parts, 2, &failure);
    toy_prepare(&run, 1, NULL);
    struct sim_options options = {.seed = 1, .record = r};
    say_begin();
    run.sim = sim_new(&run.config.cfg, run.memory, &options, &toy_host, &run);
    say_end();
    assert_null(run.sim);
    assert_said("gantry: --record: no part of the machine is called 'gpu0.cu7'\n");
    assert_int_equal(record_close(r, true), STATUS_OK); /* nothing ran: it is not whole */
    assert_int_equal(record_close(NULL, true), STATUS_OK);
    struct journal_reader *reader = journal_of_run();
    assert_false(journal_whole(reader));
    char head[8];
    assert_true(journal_take(reader, STREAM_TEXT, head, 8)); /* what was to be recorded is there */
    assert_int_equal(*(uint32_t *)head, RECORD_PART);
    journal_reader_free(reader);
    toy_close(&run);
}

/* No machine, no recording: one that was not attached yet is let go. */
static void test_no_machine(void **state)
{
    enum gantry_status failure;
    (void)state;
    toy_folder_clear("run");
    struct record *r = record_open(toy_dir, NULL, 0, &failure);
    toy_prepare(&run, 1, NULL);
    const struct sim_options options = {.seed = 1, .record = r};
    toy_refuse = 0;
    toy_calls = 0;
    say_begin();
    run.sim = sim_new(&run.config.cfg, run.memory, &options, &toy_host, &run);
    say_end();
    toy_refuse = -1;
    assert_null(run.sim);
    assert_said("gantry: models: refused\n");
    assert_int_equal(record_close(r, true), STATUS_OK);
    toy_close(&run);
}

/* Copies of VRAM need address space. */
static void test_no_space(void **state)
{
    enum gantry_status failure;
    struct rlimit old;
    char line[200];
    unsigned long pages = 0;
    (void)state;
    toy_folder_clear("run");
    struct record *r = record_open(toy_dir, NULL, 0, &failure);
    toy_open(&run, 2, NULL, (struct sim_options){.seed = 1});
    FILE *file = fopen("/proc/self/statm", "r");
    assert_int_equal(fscanf(file, "%lu", &pages), 1);
    fclose(file);
    getrlimit(RLIMIT_AS, &old);
    const struct rlimit small = {4096 * pages + ((rlim_t)96 << 20), old.rlim_max}; /* for one of 64 MiB */
    say_begin();
    setrlimit(RLIMIT_AS, &small);
    const bool there = record_attach(r, run.sim);
    setrlimit(RLIMIT_AS, &old);
    say_end();
    assert_false(there);
    snprintf(line, sizeof line, "gantry: %s: no address space for a copy of the memory of gpu1\n", toy_dir);
    assert_said(line);
    assert_int_equal(record_close(r, true), STATUS_OK);
    toy_close(&run);
}

/* The run goes on without its recording, which says so once and by its status. */
static void test_full(void **state)
{
    struct rlimit old, small;
    char line[300];
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    small = (struct rlimit){300, old.rlim_max};
    enum gantry_status failure;
    toy_folder_clear("run");
    struct record *r = record_open(toy_dir, NULL, 0, &failure);
    toy_open(&run, 1, NULL, (struct sim_options){.seed = 1, .record = r});
    setrlimit(RLIMIT_FSIZE, &small);
    say_begin();
    toy_scene_begin(&run);
    toy_run(&run);
    struct recorded place;
    const enum gantry_status placed = record_place(r, &place);
    const enum gantry_status closed = record_close(r, true);
    say_end();
    setrlimit(RLIMIT_FSIZE, &old);
    snprintf(line, sizeof line,
             "gantry: %s: the recording ends at cycle 0: File too large\ngantry: %s: the recording has ended before: "
             "File too large\n",
             toy_dir, toy_dir);
    assert_said(line);
    assert_int_equal(placed, STATUS_IO);
    assert_int_equal(closed, STATUS_IO);
    assert_int_equal(run.event_count, 3);
    toy_close(&run);
}

/* A GPU that is one model has no partition between it and the others. */
static void test_whole(void **state)
{
    enum gantry_status failure;
    (void)state;
    for (unsigned gpus = 1; gpus <= 2; gpus++) {
        toy_folder_clear("run");
        struct record *r = record_open(toy_dir, NULL, 0, &failure);
        toy_prepare(&run, gpus, "system.rtl=whole");
        struct sim_options options = {.seed = 1, .record = r};
        say_begin();
        run.sim = sim_new(&run.config.cfg, run.memory, &options, &toy_host, &run);
        say_end();
        assert_true((run.sim != NULL) == (gpus == 1));
        assert_said(gpus == 1 ? "" : "gantry: --record: no part of the machine is called 'gpu0.rdma'\n");
        assert_int_equal(record_close(r, true), STATUS_OK);
        toy_close(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),    cmocka_unit_test(test_full),     cmocka_unit_test(test_whole),
        cmocka_unit_test(test_no_machine), cmocka_unit_test(test_no_space),
    };
    return cmocka_run_group_tests(tests, toy_folder_make, toy_folder_remove);
}
