// SPDX-License-Identifier: Apache-2.0
// A replay (replay.h) of a recorded run of toy models: it ends as the run did, of one GPU alone, too; of a model that
// does something else it names the first message, with cycle, link and fields; it stops where it is told; what is
// recorded of a replay is what was recorded of the run; from a checkpoint it goes on.
#include "toy_recording.h"

#include <sys/resource.h>

#include "record/recorded.h"
#include "record/replay_private.h"

static struct toy_machine run; // what the host saw
static const volatile int no_stop;
typedef unsigned long long u64;

/* What became of a replay. */
struct outcome {
    enum replay_end end;
    uint64_t hash, kernels, now;
    unsigned turns;
};

static void turn(void *arg)
{
    ++*(unsigned *)arg;
}

static struct outcome replay_as(const char *dir, unsigned gpus, struct sim_options options, const volatile int *stop)
{
    struct outcome o = {0};
    struct config config;
    enum gantry_status failure;
    toy_config(&config, gpus, NULL);
    options.seed = 1;
    say_begin();
    struct replay *r = replay_open(dir, &failure);
    assert_non_null(r);
    assert_true(replay_start(r, &config.cfg, &options));
    o.end = replay_run(r, stop, turn, &o.turns);
    o.hash = sim_write_hash(replay_sim(r));
    o.kernels = replay_kernels(r);
    o.now = sim_now(replay_sim(r));
    replay_free(r);
    say_end();
    config_fini(&config);
    return o;
}

/* shows S4.7: Whole, with threads and without skipping. */
static void test_same(void **state)
{
    (void)state;
    for (unsigned gpus = 1; gpus <= 2; gpus++) {
        const uint64_t hash = toy_record_all(&run, gpus, NULL, 0);
        for (unsigned n = 0; n < 3; n++) {
            const struct outcome o =
                replay_as(toy_dir, gpus, (struct sim_options){.no_skip = n == 1, .threads = n == 2 ? 2 : 1}, &no_stop);
            assert_said("");
            assert_int_equal(o.end, REPLAY_ENDED);
            assert_true(o.hash == hash);
            assert_int_equal(o.kernels, 4);
            assert_true(o.turns > 0);
        }
    }
}

/* One of two GPUs: it gets from the recording what the other sent, and writes what it wrote. */
static void test_only(void **state)
{
    (void)state;
    toy_record_all(&run, 2, NULL, 0);
    for (unsigned g = 0; g < 2; g++) {
        const struct outcome o = replay_as(toy_dir, 2, (struct sim_options){.only = g + 1}, &no_stop);
        assert_said("");
        assert_int_equal(o.end, REPLAY_ENDED);
        assert_int_equal(o.kernels, 4);
    }
}

static void planted(const char *part, const char *port, unsigned nth, enum toy_how how, unsigned byte, unsigned mask)
{
    toy_plant.part = part;
    toy_plant.port = port;
    toy_plant.nth = nth;
    toy_plant.how = how;
    toy_plant.byte = byte;
    toy_plant.mask = mask;
}

static void differs(unsigned gpus, unsigned only, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void differs(unsigned gpus, unsigned only, const char *format, ...)
{
    char text[1000];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    const struct outcome o = replay_as(toy_dir, gpus, (struct sim_options){.only = only}, &no_stop);
    toy_plant.part = NULL;
    assert_last_said(text);
    assert_int_equal(o.end, REPLAY_DIFFERS);
}

/* Events: one line, of the first that differs. */
static void test_events_differ(void **state)
{
    (void)state;
    toy_record_all(&run, 2, NULL, 0);
    const struct toy_event *first = &run.events[0], *last = &run.events[3];
    assert_true(last->evt.id == 4 && last->gpu == 0);
    char part[] = "gpu0.dispatch";
    part[3] = (char)('0' + first->gpu);
    planted(part, "cp_evt", 0, TOY_FLIP, offsetof(struct msg_cp_evt, data), 4);
    differs(2, 0,
            "gantry: replay: gpu%u.dispatch -> host.cp: cp_evt 0 differs: cycle %llu (recorded %llu), data=0x%llx "
            "(recorded 0x%llx)\n",
            first->gpu, (u64)first->cycle, (u64)first->cycle, (u64)first->evt.data ^ 4, (u64)first->evt.data);
    /* a cycle later: it says another end, too */
    planted("gpu0.dispatch", "cp_evt", 2, TOY_LATE, 0, 0);
    differs(2, 0,
            "gantry: replay: gpu0.dispatch -> host.cp: cp_evt 3 differs: cycle %llu (recorded %llu), end=0x%llx "
            "(recorded 0x%llx)\n",
            (u64)last->cycle + 1, (u64)last->cycle, (u64)last->evt.end + 1, (u64)last->evt.end);
    planted("gpu0.dispatch", "cp_evt", 2, TOY_LOSE, 0, 0);
    differs(2, 0,
            "gantry: replay: gpu0.dispatch -> host.cp: cp_evt 3 of cycle %llu, which was recorded, does not come\n",
            (u64)last->cycle);
    /* alone: the events of the other GPU do not count */
    planted("gpu0.dispatch", "cp_evt", 2, TOY_LOSE, 0, 0);
    differs(2, 1,
            "gantry: replay: gpu0.dispatch -> host.cp: cp_evt 2 of cycle %llu, which was recorded, does not come\n",
            (u64)last->cycle);
}

/* Requests to host memory: link, number, cycle, fields; data are known by a hash. */
static void test_requests_differ(void **state)
{
    (void)state;
    toy_record_all(&run, 1, NULL, 0);
    planted("gpu0.rdma", "far_req", 1, TOY_FLIP, offsetof(struct msg_mem_req, vmid), 8);
    const struct outcome o = replay_as(toy_dir, 1, (struct sim_options){0}, &no_stop);
    toy_plant.part = NULL;
    assert_int_equal(o.end, REPLAY_DIFFERS);
    u64 cycle, recorded;
    int used = 0;
    assert_int_equal(sscanf(toy_said,
                            "gantry: replay: gpu0.rdma -> host.memory: far_req 1 differs: cycle %llu (recorded %llu), "
                            "vmid=0xb (recorded 0x3)\n%n",
                            &cycle, &recorded, &used),
                     2);
    assert_int_equal(used, strlen(toy_said));
    assert_true(cycle == recorded && cycle > 140);
    planted("gpu0.rdma", "far_req", 1, TOY_LATE, 0, 0);
    differs(1, 0, "gantry: replay: gpu0.rdma -> host.memory: far_req 1 differs: cycle %llu (recorded %llu)\n",
            cycle + 1, cycle);
    /* what a write or an atomic carries; that of a read is nothing */
    unsigned found = 0;
    for (unsigned n = 0; n < 6; n++) {
        char end[40] = "";
        planted("gpu0.rdma", "far_req", n, TOY_FLIP, offsetof(struct msg_mem_req, data) + 15, 1);
        const struct outcome one = replay_as(toy_dir, 1, (struct sim_options){0}, &no_stop);
        toy_plant.part = NULL;
        unsigned number;
        if (one.end == REPLAY_ENDED)
            continue;
        sscanf(toy_said,
               "gantry: replay: gpu0.rdma -> host.memory: far_req %u differs: cycle %llu (recorded %llu)%39[^\n]",
               &number, &cycle, &recorded, end);
        assert_string_equal(end, ", data");
        assert_true(cycle == recorded && number == n);
        found++;
    }
    assert_int_equal(found, 2);
}

/* An answer of VRAM to the host. */
static void test_answers_differ(void **state)
{
    (void)state;
    toy_record_all(&run, 1, NULL, 0);
    const struct toy_answered *a = NULL;
    for (unsigned i = 0; i < run.answer_count; i++)
        if (run.answers[i].cookie == 100)
            a = &run.answers[i];
    assert_non_null(a);
    planted("gpu0.rdma", "far_rsp", 0, TOY_FLIP, offsetof(struct msg_mem_rsp, data) + 8, 2);
    differs(1, 0,
            "gantry: replay: gpu0.rdma -> host.cp: mem_rsp 0 differs: cycle %llu (recorded %llu), data[1]=0x%llx "
            "(recorded 0x%llx)\n",
            (u64)a->cycle, (u64)a->cycle, (u64)a->rsp.data[1] ^ 2, (u64)a->rsp.data[1]);
    /* what comes instead */
    planted("gpu0.rdma", "far_rsp", 0, TOY_LOSE, 0, 0);
    const struct outcome o = replay_as(toy_dir, 1, (struct sim_options){0}, &no_stop);
    toy_plant.part = NULL;
    assert_int_equal(o.end, REPLAY_DIFFERS);
    char line[200];
    snprintf(line, sizeof line,
             "gantry: replay: gpu0.dispatch -> host.cp: cp_evt 0, of kind 1, at cycle %llu was not recorded\n",
             (u64)run.events[0].cycle);
    assert_memory_equal(toy_said, line, strlen(line));
}

/* The last answer, with nothing behind it. */
static void test_answer_missing(void **state)
{
    (void)state;
    struct record *r = toy_recorded_run(&run, 1, NULL, 0, (struct sim_options){0});
    toy_access(&run, 105, MEM_READ, pmem_addr(1, TOY_COPIED), false);
    toy_run(&run);
    assert_int_equal(run.answer_count, 6);
    assert_int_equal(record_close(r, true), STATUS_OK);
    toy_close(&run);
    planted("gpu0.rdma", "far_rsp", 2, TOY_LOSE, 0, 0);
    differs(1, 0, "gantry: replay: gpu0.rdma -> host.cp: mem_rsp 2 of cycle %llu, which was recorded, does not come\n",
            (u64)run.answers[5].cycle);
}

/* Other bytes to VRAM, which nobody reads: found at the next mark. */
static void test_writes_differ(void **state)
{
    (void)state;
    toy_record_all(&run, 1, NULL, 0);
    unsigned found = 0; /* what a read carries is nothing */
    for (unsigned n = 0; n < 6; n++) {
        planted("gpu0.l2s0", "dram_req", n, TOY_FLIP, offsetof(struct msg_dram_req, data) + 1, 16);
        const struct outcome o = replay_as(toy_dir, 1, (struct sim_options){0}, &no_stop);
        toy_plant.part = NULL;
        u64 cycle;
        int used = 0;
        sscanf(toy_said, "gantry: replay: gpu0: by cycle %llu it has written other bytes to its VRAM than recorded\n%n",
               &cycle, &used);
        if (o.end == REPLAY_ENDED ? *toy_said != 0 : used == 0 || used != (int)strlen(toy_said))
            fail_msg("%u: %s", n, toy_said);
        found += o.end == REPLAY_DIFFERS;
    }
    assert_true(found >= 2 && found < 6);
}

/* What a machine sends that the recorded one did not. */
static void test_not_recorded(void **state)
{
    (void)state;
    toy_record_all(&run, 1, NULL, 0);
    planted("gpu0.rdma", "far_req", 5, TOY_AGAIN, 0, 0); /* an atomic twice: it is the last request */
    replay_as(toy_dir, 1, (struct sim_options){0}, &no_stop);
    toy_plant.part = NULL;
    u64 cycle;
    int used = 0;
    sscanf(toy_said, "gantry: replay: gpu0.rdma -> host.memory: far_req 6 at cycle %llu was not recorded\n%n", &cycle,
           &used);
    if (used == 0 || used != (int)strlen(toy_said))
        fail_msg("%s", toy_said);
}

static void test_stops(void **state)
{
    static const volatile int stop = 1;
    struct goals goals = {.exit_after = 2};
    (void)state;
    toy_record_all(&run, 1, NULL, 0);
    struct outcome o = replay_as(toy_dir, 1, (struct sim_options){0}, &stop);
    assert_int_equal(o.end, REPLAY_STOPPED);
    assert_int_equal(o.turns, 1);
    o = replay_as(toy_dir, 1, (struct sim_options){.max_cycles = 400}, &no_stop);
    assert_int_equal(o.end, REPLAY_MAX_CYCLES);
    assert_true(o.now >= 400 && o.now < 408);
    o = replay_as(toy_dir, 1, (struct sim_options){.goals = &goals}, &no_stop);
    assert_int_equal(o.end, REPLAY_EXIT_AFTER);
    assert_int_equal(o.kernels, 2);
    assert_true(o.now == run.events[1].cycle);
}

/* Half a recording replays to its end. */
static void test_cut_off(void **state)
{
    (void)state;
    struct record *r = toy_recorded_run(&run, 1, NULL, 0, (struct sim_options){0});
    assert_int_equal(record_close(r, false), STATUS_OK);
    const uint64_t hash = sim_write_hash(run.sim);
    toy_close(&run);
    enum gantry_status failure;
    struct replay *p = replay_open(toy_dir, &failure);
    assert_false(replay_whole(p));
    replay_free(p);
    const struct outcome o = replay_as(toy_dir, 1, (struct sim_options){0}, &no_stop);
    assert_said("");
    assert_int_equal(o.end, REPLAY_ENDED);
    assert_true(o.hash == hash);
}

static void test_texts(void **state)
{
    (void)state;
    char *parts[] = {(char *)"gpu0.cu1", (char *)"gpu0.noc"};
    toy_record_all(&run, 1, parts, 2);
    enum gantry_status failure;
    struct replay *r = replay_open(toy_dir, &failure);
    uint32_t bytes = 7;
    assert_string_equal(replay_text(r, RECORD_CONFIG, &bytes), "key: value\n");
    assert_int_equal(bytes, 11);
    assert_string_equal(replay_text(r, RECORD_COMMAND, &bytes), "run x");
    assert_int_equal(bytes, 5);
    assert_string_equal(replay_text(r, RECORD_RESULT, &bytes), "result");
    assert_null(replay_text(r, RECORD_ROWS, &bytes));
    assert_int_equal(bytes, 6);
    assert_int_equal(replay_part(r, "gpu0.cu1"), 0);
    assert_int_equal(replay_part(r, "gpu0.noc"), 1);
    assert_int_equal(replay_part(r, "gpu0.cu"), -1);
    assert_true(replay_whole(r));
    replay_free(r);
    toy_folder_clear("run");
    say_begin(); /* nothing there; and one that was cut off before its run */
    assert_null(replay_open(toy_dir, &failure));
    say_end();
    assert_int_equal(failure, STATUS_MISSING);
    struct record *empty = record_open(toy_dir, NULL, 0, &failure);
    assert_int_equal(record_close(empty, true), STATUS_OK);
    say_begin();
    assert_null(replay_open(toy_dir, &failure));
    say_end();
    char line[200];
    snprintf(line, sizeof line, "gantry: %s: the recording was cut off before its run began\n", toy_dir);
    assert_said(line);
    assert_int_equal(failure, STATUS_DATA);
}

/* A run that was killed: what had been committed, and no end. */
static void killed(void *ctx)
{
    struct recorded place;
    (void)ctx;
    struct record *r = toy_recorded_run(&run, 1, NULL, 0, (struct sim_options){0});
    toy_access(&run, 107, MEM_READ, pmem_addr(1, TOY_COPIED), false);
    record_place(r, &place);
    _exit(3);
}

static void test_killed(void **state)
{
    (void)state;
    toy_record_all(&run, 1, NULL, 0);
    assert_int_equal(toy_ends(killed, NULL), 3);
    enum gantry_status failure;
    struct replay *p = replay_open(toy_dir, &failure);
    assert_non_null(p);
    assert_false(replay_whole(p));
    replay_free(p);
    struct outcome o = replay_as(toy_dir, 1, (struct sim_options){0}, &no_stop);
    assert_said("");
    assert_int_equal(o.end, REPLAY_ENDED);
    assert_int_equal(o.kernels, 4);
    assert_true(o.now >= run.events[3].cycle);
}

/* Long pauses of the host: it is asked for signals and progress every 20,000 cycles. */
static void test_pause(void **state)
{
    (void)state;
    enum gantry_status failure;
    toy_folder_clear("run");
    struct record *r = record_open(toy_dir, NULL, 0, &failure);
    record_text(r, RECORD_CONFIG, "x", 1);
    toy_open(&run, 1, NULL, (struct sim_options){.seed = 1, .record = r});
    sim_timer(run.sim, 90000, 1);
    toy_run(&run);
    while (run.timer_count == 0)
        toy_run(&run);
    assert_true(run.timers[0].cycle == 90000);
    toy_do(&run, 0, 1, 1, (struct toy_work){.op = TOY_WRITE, .count = 1, .to = pmem_addr(1, TOY_WRITTEN), .value = 1});
    toy_run(&run);
    assert_int_equal(record_close(r, true), STATUS_OK);
    toy_close(&run);
    const struct outcome o = replay_as(toy_dir, 1, (struct sim_options){0}, &no_stop);
    assert_said("");
    assert_int_equal(o.end, REPLAY_ENDED);
    assert_int_equal(o.turns, 5);
}

/* The machine cannot go on, and what is recorded next is the host's. */
static void test_nothing_happens(void **state)
{
    (void)state;
    enum gantry_status failure;
    toy_folder_clear("run");
    struct record *r = record_open(toy_dir, NULL, 0, &failure);
    record_text(r, RECORD_CONFIG, "x", 1);
    toy_open(&run, 1, NULL, (struct sim_options){.seed = 1, .record = r});
    toy_do(&run, 0, 1, 1, (struct toy_work){.op = TOY_ATOMIC, .count = 1, .to = pmem_addr(0, TOY_COUNTER), .value = 1});
    assert_int_equal(sim_run(run.sim, 250), SIM_STOPPED);
    toy_do(&run, 0, 2, 1, (struct toy_work){.op = TOY_END});
    toy_run(&run);
    assert_int_equal(run.event_count, 2);
    assert_int_equal(record_close(r, true), STATUS_OK);
    toy_close(&run);
    const struct outcome o = replay_as(toy_dir, 1, (struct sim_options){0}, &no_stop);
    assert_said("");
    assert_int_equal(o.end, REPLAY_ENDED);
}

/* Without room for the machine's memory there is no replay. */
static void test_no_memory(void **state)
{
    struct config config;
    struct rlimit old;
    enum gantry_status failure;
    unsigned long pages = 0;
    const struct sim_options options = {.seed = 1};
    (void)state;
    toy_record_all(&run, 1, NULL, 0);
    toy_config(&config, 1, NULL);
    struct replay *r = replay_open(toy_dir, &failure);
    FILE *file = fopen("/proc/self/statm", "r");
    assert_int_equal(fscanf(file, "%lu", &pages), 1);
    fclose(file);
    getrlimit(RLIMIT_AS, &old);
    const struct rlimit small = {4096 * pages + ((rlim_t)32 << 20), old.rlim_max};
    say_begin();
    setrlimit(RLIMIT_AS, &small);
    const bool started = replay_start(r, &config.cfg, &options);
    setrlimit(RLIMIT_AS, &old);
    say_end();
    assert_false(started);
    assert_said("gantry: memory of the machine: Cannot allocate memory\n");
    replay_free(r);
    config_fini(&config);
}

/* A recording `again` of a replay. */
static void record_again(const char *again, unsigned only)
{
    struct config config;
    enum gantry_status failure;
    toy_folder_clear("again");
    toy_config(&config, 2, NULL);
    struct record *record = record_open(again, NULL, 0, &failure);
    record_text(record, RECORD_CONFIG, "x", 1);
    struct replay *r = replay_open(toy_dir, &failure);
    const struct sim_options options = {.seed = 1, .record = record, .only = only};
    assert_true(replay_start(r, &config.cfg, &options));
    assert_int_equal(replay_run(r, &no_stop, NULL, NULL), REPLAY_ENDED);
    assert_int_equal(record_close(record, true), STATUS_OK);
    replay_free(r);
    config_fini(&config);
}

/* A replay that is recorded: it replays as the first one does.  Of one GPU alone: the other is not there, nor its
 * memory. */
static void test_recorded_again(void **state)
{
    char again[100];
    (void)state;
    snprintf(again, sizeof again, "%s/again", toy_folder);
    const uint64_t hash = toy_record_all(&run, 2, NULL, 0);
    record_again(again, 0);
    for (unsigned only = 0; only <= 2; only++) {
        const struct outcome o = replay_as(again, 2, (struct sim_options){.only = only}, &no_stop);
        assert_said("");
        assert_int_equal(o.end, REPLAY_ENDED);
        assert_int_equal(o.kernels, 4);
        assert_true(only || o.hash == hash);
    }
    planted("gpu0.dispatch", "cp_evt", 2, TOY_FLIP, offsetof(struct msg_cp_evt, vmid), 1);
    assert_int_equal(replay_as(again, 2, (struct sim_options){0}, &no_stop).end, REPLAY_DIFFERS);
    toy_plant.part = NULL;
    for (unsigned only = 1; only <= 2; only++) {
        record_again(again, only);
        const struct outcome o = replay_as(again, 2, (struct sim_options){.only = only}, &no_stop);
        assert_said("");
        assert_int_equal(o.end, REPLAY_ENDED);
    }
    toy_folder_clear("again");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recorded_again), cmocka_unit_test(test_killed),
        cmocka_unit_test(test_pause),          cmocka_unit_test(test_nothing_happens),
        cmocka_unit_test(test_same),           cmocka_unit_test(test_only),
        cmocka_unit_test(test_events_differ),  cmocka_unit_test(test_requests_differ),
        cmocka_unit_test(test_answers_differ), cmocka_unit_test(test_writes_differ),
        cmocka_unit_test(test_not_recorded),   cmocka_unit_test(test_stops),
        cmocka_unit_test(test_cut_off),        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_answer_missing), cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, toy_folder_make, toy_folder_remove);
}
