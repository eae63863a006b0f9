// SPDX-License-Identifier: Apache-2.0
// Recording a machine in two processes (record_place.c, placed.c), of toy models: every stream but the host's marks is
// that of one process; which names of partitions are somebody else's; all rest at the same cycles again and again while
// something happens, also while a message is on its way for longer than that, and idle time is not walked through.
#include "toy_recording.h"

#include <signal.h>

#include "bridge/run/sched.h"
#include "place/place_private.h"
#include "record/recorded.h"
#include "record/replay.h"

static struct toy_machine run;

/* All bytes of a stream of the recording in toy_dir; to be freed. */
static uint8_t *stream_bytes(struct journal_reader *reader, unsigned stream, size_t *count)
{
    uint8_t *bytes = malloc(1 << 20);
    for (*count = 0; *count < 1 << 20 && journal_take(reader, stream, bytes + *count, 1);)
        ++*count;
    assert_true(*count < 1 << 20);
    return bytes;
}

static struct record *recording(const char *setting, const char *more, char *const *parts, unsigned count)
{
    enum gantry_status failure;
    toy_folder_clear("run");
    struct record *r = record_open(toy_dir, parts, count, &failure);
    assert_non_null(r);
    record_text(r, RECORD_CONFIG, "x", 1);
    toy_prepare(&run, 2, setting);
    if (more) {
        assert_int_equal(config_set(&run.config, "test", "link.host_bytes_per_cycle=1"), STATUS_OK); /* few credits */
        assert_int_equal(config_set(&run.config, "test", more), STATUS_OK);
        assert_int_equal(config_finish(&run.config), STATUS_OK);
    }
    const struct sim_options options = {.seed = 1, .record = r};
    run.sim = sim_new(&run.config.cfg, run.memory, &options, &toy_host, &run);
    assert_non_null(run.sim);
    return r;
}

/* What enters and leaves partitions of this process and of the other, what host memory is asked, what GPUs send. */
static void test_streams(void **state)
{
    char *parts[] = {(char *)"gpu1.cu1", (char *)"gpu0.noc", (char *)"gpu1.l2s0"};
    uint8_t *bytes[2][16];
    size_t counts[2][16];
    (void)state;
    const unsigned streams[] = {STREAM_MEMORY(0),   STREAM_MEMORY(1),  STREAM_FAR(0),      STREAM_FAR(1),
                                STREAM_PORT,        STREAM_PART_IN(0), STREAM_PART_OUT(0), STREAM_PART_IN(1),
                                STREAM_PART_OUT(1), STREAM_PART_IN(2), STREAM_PART_OUT(2)};
    const unsigned count = sizeof streams / sizeof *streams;
    for (unsigned n = 0; n < 2; n++) {
        struct record *r = recording(n ? "place.processes=2" : NULL, NULL, parts, 3);
        assert_int_equal(place_workers(run.sim), n);
        toy_scene_begin(&run);
        toy_run(&run);
        toy_scene_go_on(&run);
        toy_do(
            &run, 1, 5, 3,
            (struct toy_work){.op = TOY_COPY, .count = 3, .to = pmem_addr(2, 0x9000), .from = pmem_addr(0, TOY_HOST)});
        toy_run(&run);
        assert_int_equal(run.event_count, 5);
        assert_int_equal(record_close(r, true), STATUS_OK);
        toy_close(&run);
        struct journal_reader *reader = journal_of_run();
        for (unsigned i = 0; i < count; i++)
            bytes[n][i] = stream_bytes(reader, streams[i], &counts[n][i]);
        journal_reader_free(reader);
    }
    for (unsigned i = 0; i < count; i++) {
        assert_true(counts[0][i] > 0 || streams[i] == STREAM_FAR(1)); /* nobody writes to the last GPU's memory */
        assert_int_equal(counts[0][i], counts[1][i]);
        assert_memory_equal(bytes[0][i], bytes[1][i], counts[0][i]);
        free(bytes[0][i]);
        free(bytes[1][i]);
    }
}

/* A partition that is not here: whose process says so. */
static void test_names(void **state)
{
    static const struct {
        const char *name;
        unsigned self, gpus;
        bool elsewhere;
    } cases[] = {
        {"gpu1.cu7", 0, 2, true}, {"gpu0.cu7", 0, 2, false}, {"gpu1.cu7", 1, 2, true}, {"gpu1.cu7", 0, 1, false},
        {"gpu1.cu7", 1, 1, true}, {"cu7", 0, 2, false},      {"cu7", 1, 2, true},      {"gpu9.cu0", 0, 2, false},
        {"gpu9.cu0", 1, 2, true}, {"gpu.cu0", 0, 2, false},  {"cu7", 0, 1, false},
    };
    (void)state;
    toy_open(&run, 2, "place.processes=2", (struct sim_options){.seed = 1});
    struct sim *sim = run.sim;
    assert_true(sim->gpus[0].process == 0 && sim->gpus[1].process == 1);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum gantry_status failure;
        char line[100], *parts[] = {(char *)(uintptr_t)cases[i].name};
        toy_folder_clear("run");
        struct record *r = record_open(toy_dir, parts, 1, &failure);
        sim->self = cases[i].self; /* as if; no GPU is here then */
        sim->gpus[1].process = 1 - cases[i].self;
        sim->gpu_count = cases[i].gpus;
        say_begin();
        const bool there = record_attach(r, sim);
        say_end();
        record_detach(r);
        sim->self = 0;
        sim->gpus[1].process = 1;
        sim->gpu_count = 2;
        snprintf(line, sizeof line, "gantry: --record: no part of the machine is called '%s'\n", cases[i].name);
        if (there != cases[i].elsewhere || strcmp(toy_said, there ? "" : line) != 0)
            fail_msg("%u: %s", i, toy_said);
        record_close(r, false);
    }
    toy_close(&run);
}

/* ---- rests */
static struct {
    uint64_t (*act)(void *ctx);
    uint64_t limit, longest, now; /* of the last rest; between two */
    unsigned count;
} rests;

/* The scheduler asks before each step how far it may go; `limit` is another behind each rest. */
static uint64_t counted(void *ctx)
{
    const struct sim *sim = ctx;
    if (sim->sched.limit != rests.limit) {
        rests.longest =
            rests.count && sim->sched.now - rests.now > rests.longest ? sim->sched.now - rests.now : rests.longest;
        rests.now = sim->sched.now;
        rests.limit = sim->sched.limit;
        rests.count++;
    }
    return rests.act(ctx);
}

static struct record *counting(const char *setting)
{
    struct record *r = recording("place.processes=2", setting, NULL, 0);
    memset(&rests, 0, sizeof rests);
    rests.act = run.sim->sched.act;
    run.sim->sched.act = counted;
    return r;
}

static void closed(struct record *r)
{
    assert_int_equal(record_close(r, true), STATUS_OK);
    toy_close(&run);
}

#define LONG (8 * SIM_WATCH_CYCLES) /* the watchdog looks in between */

/* Nothing to do but to wait for a timer. */
static void test_idle(void **state)
{
    (void)state;
    struct record *r = counting(NULL);
    toy_do(&run, 1, 1, 1, (struct toy_work){.op = TOY_WRITE, .count = 1, .to = pmem_addr(2, 0x9000), .value = 1});
    toy_run(&run);
    for (unsigned i = 0; i < 3; i++) {
        sim_timer(run.sim, (i + 1) * LONG, i);
        rests.count = 0;
        while (run.timer_count == i)
            toy_run(&run);
        assert_true(run.timers[i].cycle == (i + 1) * LONG);
        assert_true(rests.count > 0 && rests.count <= LONG / SIM_WATCH_CYCLES + 2);
    }
    closed(r);
}

static void stops(struct toy_machine *m)
{
    sim_stop(m->sim);
}

/* Something happens all the time, the host's next event is far away. */
static void test_busy(void **state)
{
    (void)state;
    struct record *r = counting(NULL);
    toy_do(&run, 1, 1, 1,
           (struct toy_work){.op = TOY_COPY, .count = 300, .to = pmem_addr(2, 0x9000), .from = pmem_addr(0, 0x9000)});
    sim_timer(run.sim, LONG, 1);
    run.at_event = stops;
    toy_run(&run);
    assert_int_equal(run.event_count, 1);
    const uint64_t end = run.events[0].cycle;
    assert_true(end > 8 * RECORD_REST && sim_now(run.sim) == end);
    assert_int_equal(rests.count, end / RECORD_REST + 1);
    assert_true(rests.longest == RECORD_REST);
    closed(r);
}

/* Nothing happens while a command is on its way, which will enter a GPU. */
static void test_under_way(void **state)
{
    (void)state;
    struct record *r = counting("link.host=30000");
    toy_do(&run, 1, 1, 1, (struct toy_work){.op = TOY_END});
    assert_int_equal(sim_run(run.sim, 3 * RECORD_REST + 500), SIM_STOPPED);
    assert_int_equal(rests.count, 4);
    assert_true(rests.longest == RECORD_REST && rests.now == 3 * RECORD_REST);
    toy_run(&run);
    assert_int_equal(run.event_count, 1);
    closed(r);
}

/* A worker that is lost: what was committed before is the recording, cut off there; it is told by every status. */
static void test_lost(void **state)
{
    static const volatile int no_stop;
    struct recorded place;
    enum gantry_status failure;
    (void)state;
    struct record *r = recording("place.processes=2", NULL, NULL, 0);
    toy_scene_begin(&run);
    toy_run(&run);
    assert_int_equal(record_place(r, &place), STATUS_OK);
    toy_scene_go_on(&run);
    kill(run.sim->place->workers->list[0].pid, SIGKILL);
    say_begin();
    while (sim_lost(run.sim) == STATUS_OK)
        sim_run(run.sim, sim_now(run.sim) + 1000);
    const enum gantry_status placed = record_place(r, &place), closed = record_close(r, true);
    say_end();
    assert_int_equal(placed, STATUS_IO);
    assert_int_equal(closed, STATUS_OK); /* the file itself is as it should be */
    toy_close(&run);
    struct replay *p = replay_open(toy_dir, &failure);
    struct config config;
    const struct sim_options options = {.seed = 1};
    toy_config(&config, 2, NULL);
    assert_non_null(p);
    assert_false(replay_whole(p));
    assert_true(replay_start(p, &config.cfg, &options));
    assert_int_equal(replay_run(p, &no_stop, NULL, NULL), REPLAY_ENDED);
    assert_int_equal(replay_kernels(p), 3);
    replay_free(p);
    config_fini(&config);
}

static bool nobody_waits(void *arg)
{
    (void)arg;
    return true;
}

/* A worker stands still and the run is to end.  Who finds it is the commit of a checkpoint's place or the last one: the
 * recording ends with the commit before, which is said in one line. */
static void test_left(void **state)
{
    (void)state;
    for (unsigned last = 0; last < 2; last++) {
        struct recorded place;
        char lines[400];
        struct record *r = recording("place.processes=2", NULL, NULL, 0);
        run.sim->options.unwanted = nobody_waits;
        toy_scene_begin(&run);
        toy_run(&run);
        const pid_t worker = run.sim->place->workers->list[0].pid;
        kill(worker, SIGSTOP);
        snprintf(lines, sizeof lines,
                 "gantry: place: process worker1 (pid %d) is stopped and the run is to end: it ends without it\n"
                 "gantry: %s: the recording ends before the run: processes did not come to rest\n",
                 (int)worker, toy_dir);
        say_begin();
        const enum gantry_status placed = last ? STATUS_IO : record_place(r, &place), closed = record_close(r, true);
        say_end();
        toy_close(&run); /* the worker, too, whatever is found below */
        assert_int_equal(placed, STATUS_IO);
        assert_int_equal(closed, STATUS_IO);
        if (!strstr(toy_said, lines))
            fail_msg("%s", toy_said);
        struct journal_reader *reader = journal_of_run();
        assert_false(journal_whole(reader));
        journal_reader_free(reader);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streams), cmocka_unit_test(test_names),     cmocka_unit_test(test_idle),
        cmocka_unit_test(test_busy),    cmocka_unit_test(test_under_way), cmocka_unit_test(test_lost),
        cmocka_unit_test(test_left),
    };
    return cmocka_run_group_tests(tests, toy_folder_make, toy_folder_remove);
}
