// SPDX-License-Identifier: Apache-2.0
// Checkpoints of a recorded run of toy models (recorded.h): made by the run or by a replay, in kernels or cycles; a
// replay that begins there goes on to the same end, in as many processes as one likes, and finds what it differs in.
// What is in the folder, and what is left of one that could not be made; a state that is not of the recording beside
// it.
#include "toy_recording.h"

#include <signal.h>
#include <sys/resource.h>

#include "record/recorded.h"
#include "record/replay.h"
#include "record/replay_private.h"

static struct toy_machine run;
static const volatile int no_stop;
static char point[100]; /* folder of the checkpoint */
static rlim_t most;     /* bytes of a file that the run may write; 0: any */

struct outcome {
    enum replay_end end;
    enum gantry_status restored;
    uint64_t hash, kernels, begun, now;
};

/* A replay of `dir` from its beginning, or from the checkpoint that it is. */
static struct outcome replay_from(const char *dir, bool restore, unsigned gpus, const char *setting,
                                  struct sim_options options)
{
    struct outcome o = {.end = REPLAY_FAILED};
    struct config config;
    enum gantry_status failure;
    toy_config(&config, gpus, setting);
    options.seed = 1;
    say_begin();
    struct replay *r = replay_open(dir, &failure);
    const bool started = r && replay_start(r, &config.cfg, &options);
    if (started && restore)
        o.restored = replay_restore(r, dir);
    struct rlimit old, small;
    getrlimit(RLIMIT_FSIZE, &old);
    small = (struct rlimit){most, old.rlim_max};
    if (most)
        setrlimit(RLIMIT_FSIZE, &small);
    if (started && o.restored == STATUS_OK) {
        o.begun = sim_now(replay_sim(r));
        o.kernels = replay_kernels(r);
        o.end = replay_run(r, &no_stop, NULL, NULL);
        o.hash = sim_write_hash(replay_sim(r));
        o.now = sim_now(replay_sim(r));
        assert_true(o.end != REPLAY_ENDED || replay_kernels(r) == 4);
    }
    setrlimit(RLIMIT_FSIZE, &old);
    replay_free(r);
    say_end();
    toy_plant.part = NULL;
    config_fini(&config);
    assert_true(started);
    return o;
}

static int begin(void **state)
{
    toy_folder_make(state);
    snprintf(point, sizeof point, "%s/point", toy_folder);
    return 0;
}

/* shows S4.7: Made by a replay: when a kernel has ended, or at a cycle; between all others. */
static void test_by_replay(void **state)
{
    (void)state;
    for (unsigned gpus = 1; gpus <= 2; gpus++) {
        const uint64_t hash = toy_record_all(&run, gpus, NULL, 0);
        for (unsigned n = 0; n < 5; n++) {
            struct goals goals = {
                .checkpoint = point, .checkpoint_kernel = n < 3 ? n + 1 : 0, .checkpoint_cycle = n == 3 ? 700 : 0};
            toy_folder_clear("point");
            struct outcome o = replay_from(toy_dir, false, gpus, NULL, (struct sim_options){.goals = &goals});
            assert_said("");
            assert_true(goals.tried && goals.failure == STATUS_OK);
            assert_true(o.end == REPLAY_ENDED && o.hash == hash);
            const uint64_t end = o.now;
            for (unsigned k = 0; k < 3; k++) {
                o = replay_from(point, true, gpus, NULL, (struct sim_options){.no_skip = k == 1});
                assert_said("");
                assert_int_equal(o.restored, STATUS_OK);
                assert_int_equal(o.end, REPLAY_ENDED);
                assert_true(o.hash == hash && o.now == end);
                assert_true(o.begun == (n < 3 ? run.events[n].cycle : n == 3 ? 700 : 0));
                unsigned ended = 0;
                while (ended < 4 && run.events[ended].cycle <= o.begun)
                    ended++;
                assert_int_equal(o.kernels, n < 3 ? n + 1 : ended);
            }
        }
    }
}

/* What the checkpoint's state is; to be freed. */
static char *state_bytes(struct stat *there)
{
    char path[200];
    snprintf(path, sizeof path, "%s/" CHECKPOINT_STATE, point);
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    assert_int_equal(fstat(fileno(in), there), 0);
    char *bytes = malloc((size_t)there->st_size);
    assert_int_equal(fread(bytes, 1, (size_t)there->st_size, in), there->st_size);
    fclose(in);
    return bytes;
}

/* Placed: the state of one process goes on in two, and the other way round. */
static void test_placed(void **state)
{
    (void)state;
    const uint64_t hash = toy_record_all(&run, 2, NULL, 0);
    struct goals goals = {.checkpoint = point, .checkpoint_cycle = 700};
    toy_folder_clear("point");
    replay_from(toy_dir, false, 2, NULL, (struct sim_options){.goals = &goals});
    assert_int_equal(goals.failure, STATUS_OK);
    const struct outcome o = replay_from(point, true, 2, "place.processes=2", (struct sim_options){0});
    assert_said("");
    assert_int_equal(o.end, REPLAY_ENDED);
    assert_true(o.hash == hash);
    /* made in two it is the same file, and goes on in one */
    struct stat one, two;
    char *bytes[2];
    for (unsigned i = 0; i < 2; i++) {
        goals = (struct goals){.checkpoint = point, .checkpoint_cycle = 700};
        toy_folder_clear("point");
        replay_from(toy_dir, false, 2, i ? "place.processes=2" : NULL, (struct sim_options){.goals = &goals});
        assert_int_equal(goals.failure, STATUS_OK);
        bytes[i] = state_bytes(i ? &two : &one);
    }
    assert_int_equal(one.st_size, two.st_size);
    assert_memory_equal(bytes[0], bytes[1], (size_t)one.st_size);
    free(bytes[0]);
    free(bytes[1]);
    const struct outcome again = replay_from(point, true, 2, NULL, (struct sim_options){0});
    assert_int_equal(again.end, REPLAY_ENDED);
    assert_true(again.hash == hash && again.now == o.now);
}

/* Made by the run itself; the recording of it is the run's. */
static void test_by_run(void **state)
{
    enum gantry_status failure;
    struct stat a, b;
    char path[120];
    (void)state;
    struct goals goals = {.checkpoint = point, .checkpoint_kernel = 2};
    toy_folder_clear("point");
    toy_folder_clear("run");
    struct record *r = record_open(toy_dir, NULL, 0, &failure);
    record_text(r, RECORD_CONFIG, "x", 1);
    toy_open(&run, 2, NULL, (struct sim_options){.seed = 1, .record = r, .goals = &goals});
    toy_scene_begin(&run);
    sim_checkpoint(run.sim); /* not yet */
    assert_true(access(point, F_OK) != 0);
    assert_int_equal(sim_run(run.sim, UINT64_MAX), SIM_STOPPED);
    assert_int_equal(run.event_count, 2); /* it has stopped for it */
    sim_checkpoint(run.sim);
    assert_true(goals.tried && goals.failure == STATUS_OK);
    toy_run(&run);
    toy_scene_go_on(&run);
    toy_run(&run);
    const uint64_t hash = sim_write_hash(run.sim);
    assert_int_equal(record_close(r, true), STATUS_OK);
    toy_close(&run);
    snprintf(path, sizeof path, "%s/" RECORD_FILE, toy_dir);
    assert_int_equal(stat(path, &a), 0);
    snprintf(path, sizeof path, "%s/" RECORD_FILE, point);
    assert_int_equal(stat(path, &b), 0);
    assert_true(a.st_ino == b.st_ino && a.st_dev == b.st_dev);
    const struct outcome o = replay_from(point, true, 2, NULL, (struct sim_options){0});
    assert_said("");
    assert_int_equal(o.end, REPLAY_ENDED);
    assert_int_equal(o.kernels, 2);
    assert_true(o.hash == hash && o.begun == run.events[1].cycle);
}

/* What differs is found behind it, counted from the beginning of the run. */
static void test_differs(void **state)
{
    char line[200];
    (void)state;
    toy_record_all(&run, 1, NULL, 0);
    struct goals goals = {.checkpoint = point, .checkpoint_kernel = 3};
    toy_folder_clear("point");
    replay_from(toy_dir, false, 1, NULL, (struct sim_options){.goals = &goals});
    toy_plant.part = "gpu0.dispatch";
    toy_plant.port = "cp_evt";
    toy_plant.nth = 0;
    toy_plant.how = TOY_FLIP;
    toy_plant.byte = offsetof(struct msg_cp_evt, vmid);
    toy_plant.mask = 1;
    const struct outcome o = replay_from(point, true, 1, NULL, (struct sim_options){0});
    assert_int_equal(o.end, REPLAY_DIFFERS);
    const unsigned long long cycle = run.events[3].cycle;
    snprintf(line, sizeof line,
             "gantry: replay: gpu0.dispatch -> host.cp: cp_evt 3 differs: cycle %llu (recorded %llu), vmid=0x2 "
             "(recorded 0x3)\n",
             cycle, cycle);
    assert_said(line);
}

/* So are answers. */
static void test_answers_go_on(void **state)
{
    char line[200];
    (void)state;
    struct record *r = toy_recorded_run(&run, 1, NULL, 0, (struct sim_options){0});
    toy_access(&run, 105, MEM_READ, pmem_addr(1, TOY_COPIED), false);
    toy_run(&run);
    assert_int_equal(record_close(r, true), STATUS_OK);
    const unsigned long long cycle = run.answers[5].cycle;
    toy_close(&run);
    struct goals goals = {.checkpoint = point, .checkpoint_kernel = 4};
    toy_folder_clear("point");
    replay_from(toy_dir, false, 1, NULL, (struct sim_options){.goals = &goals});
    toy_plant.part = "gpu0.rdma";
    toy_plant.port = "far_rsp";
    toy_plant.nth = 0;
    toy_plant.how = TOY_FLIP;
    toy_plant.byte = offsetof(struct msg_mem_rsp, data);
    toy_plant.mask = 1;
    const struct outcome o = replay_from(point, true, 1, NULL, (struct sim_options){0});
    assert_int_equal(o.end, REPLAY_DIFFERS);
    snprintf(line, sizeof line, "gantry: replay: gpu0.rdma -> host.cp: mem_rsp 2 differs: cycle %llu (recorded %llu), ",
             cycle, cycle);
    if (strncmp(toy_said, line, strlen(line)) != 0)
        fail_msg("%s instead of %s", toy_said, line);
}

/* Where a recording has ended nothing is left of it: the replay does, too. */
static void test_at_the_end(void **state)
{
    (void)state;
    for (unsigned whole = 0; whole < 2; whole++) { /* one that was cut off ends behind its last message */
        struct record *r = toy_recorded_run(&run, 1, NULL, 0, (struct sim_options){0});
        const uint64_t now = sim_now(run.sim), hash = sim_write_hash(run.sim);
        assert_int_equal(record_close(r, whole), STATUS_OK);
        toy_close(&run);
        struct goals goals = {.checkpoint = point, .checkpoint_cycle = now};
        toy_folder_clear("point");
        struct outcome o = replay_from(toy_dir, false, 1, NULL, (struct sim_options){.goals = &goals});
        assert_true(o.end == REPLAY_ENDED && goals.tried && goals.failure == STATUS_OK);
        o = replay_from(point, true, 1, NULL, (struct sim_options){0});
        assert_said("");
        assert_true(o.restored == STATUS_OK && o.end == REPLAY_ENDED);
        assert_true(o.begun == now && o.now == now && o.hash == hash && o.kernels == 4);
    }
}

/* A state with another place in its recording than where its records begin. */
static void test_between_records(void **state)
{
    (void)state;
    toy_record_all(&run, 1, NULL, 0);
    for (unsigned n = 0; n < 7; n++) {
        struct config config;
        enum gantry_status failure;
        struct recorded place;
        char file[120], line[300];
        static const int host[] = {0, 1, -1, 0, 0, 0, 0}, kernels[] = {0, 0, 0, 1, -1, 0, 0},
                         memory[] = {0, 0, 0, 0, 0, 1, -1};
        struct goals goals = {.exit_after = 2};
        const struct sim_options options = {.seed = 1, .goals = &goals};
        toy_folder_clear("point");
        toy_config(&config, 1, NULL);
        struct replay *r = replay_open(toy_dir, &failure);
        assert_true(replay_start(r, &config.cfg, &options));
        assert_int_equal(replay_run(r, &no_stop, NULL, NULL), REPLAY_EXIT_AFTER);
        replay_place(r, &place);
        place.host += (uint64_t)host[n];
        place.kernels += (uint64_t)kernels[n];
        place.memory[0] += (uint64_t)memory[n];
        snprintf(file, sizeof file, "%s/" RECORD_FILE, toy_dir);
        assert_int_equal(recorded_save(replay_sim(r), &place, file, point), STATUS_OK);
        replay_free(r);
        config_fini(&config);
        const struct outcome o = replay_from(point, true, 1, NULL, (struct sim_options){0});
        snprintf(line, sizeof line, "gantry: %s/state: its place in the recording is within a message\n", point);
        assert_said(n == 0 ? "" : line);
        assert_int_equal(o.restored, n == 0 ? STATUS_OK : STATUS_DATA);
    }
}

static void copy(const char *from, const char *to)
{
    char command[300];
    snprintf(command, sizeof command, "rm -f %s/%s && cp %s/%s %s/%s", toy_folder, to, toy_folder, from, toy_folder,
             to);
    assert_int_equal(system(command), 0);
}

static void refused(unsigned gpus, const char *setting, struct sim_options options, const char *why)
{
    char line[400];
    const struct outcome o = replay_from(point, true, gpus, setting, options);
    snprintf(line, sizeof line, "gantry: %s/state: %s\n", point, why);
    assert_said(line);
    assert_int_equal(o.restored, STATUS_DATA);
}

static void test_refused(void **state)
{
    (void)state;
    toy_record_all(&run, 1, NULL, 0);
    struct goals goals = {.checkpoint = point, .checkpoint_kernel = 2};
    toy_folder_clear("point");
    replay_from(toy_dir, false, 1, NULL, (struct sim_options){.goals = &goals});
    refused(1, "gpu.noc.queue=64", (struct sim_options){0},
            "configuration: 'gpu.noc.queue: 32' was saved, 'gpu.noc.queue: 64' is here");
    struct record *r = toy_recorded_run(&run, 1, NULL, 0, (struct sim_options){0}); /* another run's */
    record_close(r, false);
    toy_close(&run);
    copy("run/" RECORD_FILE, "point/" RECORD_FILE);
    refused(1, NULL, (struct sim_options){0},
            "is of another recording than recording beside it, or of more than is left of it");
    char state_file[120];
    snprintf(state_file, sizeof state_file, "%s/" CHECKPOINT_STATE, point);
    assert_int_equal(truncate(state_file, 200), 0);
    const struct outcome o = replay_from(point, true, 1, NULL, (struct sim_options){0});
    assert_int_equal(o.restored, STATUS_DATA);
    unlink(state_file);
    assert_int_equal(replay_from(point, true, 1, NULL, (struct sim_options){0}).restored, STATUS_MISSING);
}

/* Where it cannot be made: its class, one line, nothing is left, and the run goes on. */
static void test_not_made(void **state)
{
    char command[200], line[300];
    (void)state;
    const uint64_t hash = toy_record_all(&run, 1, NULL, 0);
    static const char *const places[] = {"%s/none/point", "%s/point"};
    for (unsigned n = 0; n < 3; n++) {
        char folder[120];
        snprintf(folder, sizeof folder, places[n > 0], toy_folder);
        toy_folder_clear("point");
        if (n == 1) { /* something of that name that a folder cannot replace */
            snprintf(command, sizeof command, "mkdir -p %s/point/x", toy_folder);
            assert_int_equal(system(command), 0);
        }
        signal(SIGXFSZ, SIG_IGN);
        most = n == 2 ? 1000 : 0;
        struct goals goals = {.checkpoint = folder, .checkpoint_kernel = 2};
        const struct outcome o = replay_from(toy_dir, false, 1, NULL, (struct sim_options){.goals = &goals});
        most = 0;
        assert_true(goals.tried);
        assert_int_equal(goals.failure, STATUS_IO);
        assert_true(o.end == REPLAY_ENDED && o.hash == hash);
        if (n < 2) {
            snprintf(line, sizeof line, "gantry: %s: %s\n", folder,
                     n == 0 ? "No such file or directory" : "Directory not empty");
            assert_said(line);
        }
        snprintf(command, sizeof command, "! ls %s | grep part", toy_folder);
        assert_int_equal(system(command), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_replay),     cmocka_unit_test(test_placed),     cmocka_unit_test(test_by_run),
        cmocka_unit_test(test_differs),       cmocka_unit_test(test_refused),    cmocka_unit_test(test_not_made),
        cmocka_unit_test(test_answers_go_on), cmocka_unit_test(test_at_the_end), cmocka_unit_test(test_between_records),
    };
    return cmocka_run_group_tests(tests, begin, toy_folder_remove);
}
