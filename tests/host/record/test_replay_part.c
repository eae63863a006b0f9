// SPDX-License-Identifier: Apache-2.0
// One partition of a recording alone (replay_run_part), a toy model: it sends what it sent, at the same cycles, from
// the messages kept of it; a model that does something else is named with message, port, lane, cycle and fields; waves;
// what ends it early.
#include "toy_recording.h"

#include "record/message_log.h"
#include "record/replay.h"
#include "saved/journal.h"

typedef unsigned long long u64;

static struct toy_machine run;
static char *parts[] = {(char *)"gpu0.noc", (char *)"gpu0.cu1", (char *)"gpu0.l2s1", (char *)"gpu0.dispatch"};
static const volatile int no_stop;

/* Messages that left a partition, as recorded. */
static struct message out[1000];
static unsigned outs;

static void out_read(unsigned part)
{
    char path[100];
    enum gantry_status failure;
    snprintf(path, sizeof path, "%s/" RECORD_FILE, toy_dir);
    struct journal_reader *reader = journal_open(path, RECORD_KIND, RECORD_VERSION, &failure);
    struct message_log log = {.stream = STREAM_PART_OUT(part)};
    for (outs = 0; outs < 1000 && message_read(&log, reader, &out[outs]);)
        outs++;
    message_log_fini(&log);
    journal_reader_free(reader);
}

struct outcome {
    enum replay_end end;
    uint64_t messages;
};

static struct outcome alone(unsigned part, struct sim_options options, const volatile int *stop)
{
    struct outcome o = {REPLAY_FAILED, 12345};
    struct config config;
    enum gantry_status failure;
    toy_config(&config, 1, NULL);
    options.seed = 1;
    say_begin();
    struct replay *r = replay_open(toy_dir, &failure);
    const int number = r ? replay_part(r, parts[part]) : -1;
    if (number >= 0)
        o.end = replay_run_part(r, number, &config.cfg, &options, stop, &o.messages);
    replay_free(r);
    say_end();
    assert_int_equal(number, part);
    for (unsigned i = 0; i < 64; i++)
        assert_null(toy_models[i]);
    assert_int_equal(toy_libraries, 0);
    config_fini(&config);
    toy_plant.part = NULL;
    return o;
}

static int record(void **state)
{
    toy_folder_make(state);
    toy_record_all(&run, 1, parts, 4);
    return 0;
}

/* shows S4.7: Every message at its cycle. */
static void test_same(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 8; n++) {
        const struct outcome o = alone(n % 4, (struct sim_options){.no_skip = n >= 4}, &no_stop);
        out_read(n % 4);
        assert_said("");
        assert_int_equal(o.end, REPLAY_ENDED);
        assert_true(outs > 5 && o.messages == outs);
    }
}

static void planted(unsigned part, const char *port, unsigned nth, enum toy_how how, unsigned byte, unsigned mask)
{
    toy_plant.part = parts[part];
    toy_plant.port = port;
    toy_plant.nth = nth;
    toy_plant.how = how;
    toy_plant.byte = byte;
    toy_plant.mask = mask;
}

/* The message of that number among all of a crossbar; port and lane of what was recorded. */
static const char *port_name(const struct message *m, unsigned *lane)
{
    static char name[20];
    struct config config;
    /* of the crossbar: answers to its initiators, then requests to its targets */
    toy_config(&config, 1, NULL);
    const unsigned initiators = config.cfg.gpu_cu_count + 1 + 2;
    config_fini(&config);
    strcpy(name, m->slot < initiators ? "mem_rsp" : "mem_req");
    *lane = m->slot < initiators ? m->slot : m->slot - initiators;
    return name;
}

static unsigned nth_request(unsigned n, unsigned *lane)
{
    for (unsigned i = 0; i < outs; i++)
        if (strcmp(port_name(&out[i], lane), "mem_req") == 0 && n-- == 0)
            return i;
    fail();
    return 0;
}

static void test_differs(void **state)
{
    char line[300];
    unsigned lane = 0;
    (void)state;
    out_read(0);
    const unsigned at = nth_request(3, &lane);
    const u64 cycle = out[at].cycle;
    const struct msg_mem_req *req = (struct msg_mem_req *)out[at].data;
    planted(0, "mem_req", 3, TOY_FLIP, offsetof(struct msg_mem_req, tag), 2);
    struct outcome o = alone(0, (struct sim_options){0}, &no_stop);
    snprintf(line, sizeof line,
             "gantry: replay: gpu0.noc: message %u differs: mem_req %u at cycle %llu (recorded mem_req %u at cycle "
             "%llu), tag=0x%x (recorded 0x%x)\n",
             at, lane, cycle, lane, cycle, req->tag ^ 2, req->tag);
    assert_said(line);
    assert_int_equal(o.end, REPLAY_DIFFERS);
    assert_int_equal(o.messages, at + 1);
    /* a cycle late, if nothing else comes then; on another lane */
    planted(0, "mem_req", 3, TOY_ASIDE, 0, 0);
    o = alone(0, (struct sim_options){0}, &no_stop);
    snprintf(
        line, sizeof line,
        "gantry: replay: gpu0.noc: message %u differs: mem_req %u at cycle %llu (recorded mem_req %u at cycle %llu)\n",
        at, lane ^ 1, cycle, lane, cycle);
    assert_said(line);
    assert_int_equal(o.end, REPLAY_DIFFERS);
    out_read(2); /* a slice: its requests to DRAM are its first port */
    const unsigned last = outs - 1;
    planted(2, out[last].slot ? "dram_req" : "mem_rsp", 0, TOY_LATE, 0, 0);
    o = alone(2, (struct sim_options){0}, &no_stop);
    assert_int_equal(o.end, REPLAY_DIFFERS);
    assert_non_null(strstr(toy_said, "gantry: replay: gpu0.l2s1: message "));
}

static void test_missing_and_more(void **state)
{
    char line[300];
    (void)state;
    out_read(3);
    const u64 cycle = out[outs - 1].cycle; /* the last message of the dispatcher is the event of launch 4 */
    planted(3, "cp_evt", 3, TOY_LOSE, 0, 0);
    struct outcome o = alone(3, (struct sim_options){0}, &no_stop);
    snprintf(line, sizeof line,
             "gantry: replay: gpu0.dispatch: message %u, cp_evt of cycle %llu, which was recorded, does not come\n",
             outs - 1, cycle);
    assert_said(line);
    assert_int_equal(o.end, REPLAY_DIFFERS);
    assert_int_equal(o.messages, outs - 1);
    planted(3, "cp_evt", 3, TOY_LATE, 0, 0);
    o = alone(3, (struct sim_options){0}, &no_stop);
    snprintf(line, sizeof line,
             "gantry: replay: gpu0.dispatch: message %u differs: cp_evt 0 at cycle %llu (recorded cp_evt 0 at cycle "
             "%llu), end=",
             outs - 1, cycle + 1, cycle);
    assert_memory_equal(toy_said, line, strlen(line));
    planted(3, "cp_evt", 3, TOY_AGAIN, 0, 0);
    o = alone(3, (struct sim_options){0}, &no_stop);
    snprintf(line, sizeof line, "gantry: replay: gpu0.dispatch: cp_evt 0: message %u at cycle %llu was not recorded\n",
             outs, cycle + 1);
    assert_said(line);
    assert_int_equal(o.end, REPLAY_DIFFERS);
    assert_int_equal(o.messages, outs);
}

/* What comes instead of a message is held against it, and fields are those of one port. */
static void test_other_port(void **state)
{
    (void)state;
    out_read(0);
    unsigned found = 0;
    for (unsigned n = 0; n < 12; n++) {
        unsigned number, lane, then;
        char port[20] = "", recorded[20] = "";
        u64 cycle, before;
        int used = 0;
        planted(0, "mem_req", n, TOY_LOSE, 0, 0);
        const struct outcome o = alone(0, (struct sim_options){0}, &no_stop);
        assert_int_equal(o.end, REPLAY_DIFFERS);
        sscanf(toy_said,
               "gantry: replay: gpu0.noc: message %u differs: %19s %u at cycle %llu (recorded %19s %u at cycle %llu)%n",
               &number, port, &lane, &cycle, recorded, &then, &before, &used);
        unsigned slot = 0;
        const unsigned at = nth_request(n, &slot);
        assert_true(used && number == at && then == slot && before == out[at].cycle &&
                    strcmp(recorded, "mem_req") == 0);
        const bool same = strcmp(port, "mem_req") == 0 && lane == slot;
        assert_true(same || strcmp(toy_said + used, "\n") == 0);
        found += !same;
    }
    assert_true(found > 0);
}

/* Another configuration, which has no such partition: no machine is made. */
static void test_other_machine(void **state)
{
    struct config config;
    enum gantry_status failure;
    uint64_t messages = 5;
    const struct sim_options options = {.seed = 1};
    (void)state;
    toy_config(&config, 1, "gpu.cu.count=1");
    const unsigned before = toy_created;
    struct replay *r = replay_open(toy_dir, &failure);
    assert_int_equal(replay_run_part(r, 1, &config.cfg, &options, &no_stop, &messages), REPLAY_FAILED);
    assert_int_equal(messages, 0);
    assert_int_equal(toy_created, before);
    replay_free(r);
    config_fini(&config);
}

static void test_waves(void **state)
{
    char path[200], text[80] = "", line[300];
    (void)state;
    snprintf(path, sizeof path, "%s/gpu0.cu1.fst", toy_folder);
    struct outcome o = alone(1, (struct sim_options){.wave = "gpu0.cu1@7:90", .wave_dir = toy_folder}, &no_stop);
    assert_said("");
    assert_int_equal(o.end, REPLAY_ENDED);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof text, file));
    fclose(file);
    assert_string_equal(text, "gpu0.cu1 7 90\n");
    unlink(path);
    o = alone(1, (struct sim_options){.wave = "gpu0.cu0", .wave_dir = toy_folder}, &no_stop); /* of another one */
    assert_int_equal(o.end, REPLAY_ENDED);
    assert_true(access(path, F_OK) != 0);
    snprintf(path, sizeof path, "%s/none", toy_folder);
    o = alone(1, (struct sim_options){.wave = "gpu0", .wave_dir = path}, &no_stop);
    snprintf(line, sizeof line, "gantry: --wave: %s/gpu0.cu1.fst: cannot be written\n", path);
    assert_said(line);
    assert_int_equal(o.end, REPLAY_FAILED);
    assert_int_equal(o.messages, 0);
    o = alone(1, (struct sim_options){.wave = "gpu0@9"}, &no_stop);
    assert_said("gantry: --wave: 'gpu0@9' is not SCOPE[@FROM:TO]\n");
    assert_int_equal(o.end, REPLAY_FAILED);
    assert_int_equal(o.messages, 0);
}

static void test_ends_early(void **state)
{
    static const volatile int stop = 1;
    (void)state;
    out_read(1);
    struct outcome o = alone(1, (struct sim_options){0}, &stop);
    assert_int_equal(o.end, REPLAY_STOPPED);
    assert_int_equal(o.messages, 0);
    planted(1, "ifetch_req", 0, TOY_FLIP, 0, 1); /* long before */
    o = alone(1, (struct sim_options){.max_cycles = out[outs - 1].cycle}, &no_stop);
    assert_int_equal(o.end, REPLAY_DIFFERS);
    unsigned beside = 0; /* windows in which something was right behind others */
    for (unsigned part = 0; part < 4; part++) {
        uint64_t limit = 0;
        out_read(part);
        for (unsigned n = 0; n + 1 < outs; n++) { /* the end of each window in which there was something */
            unsigned before = 0;
            beside += out[n].cycle / PART_WINDOW * PART_WINDOW == limit;
            if (out[n].cycle < limit)
                continue;
            limit = out[n].cycle / PART_WINDOW * PART_WINDOW + PART_WINDOW;
            while (before < outs && out[before].cycle < limit)
                before++;
            if (before == outs)
                break;
            o = alone(part, (struct sim_options){.max_cycles = limit}, &no_stop);
            assert_int_equal(o.end, REPLAY_MAX_CYCLES);
            assert_int_equal(o.messages, before);
        }
    }
    assert_true(beside > 3);
    toy_refuse = 0; /* no model */
    toy_calls = 0;
    o = alone(1, (struct sim_options){0}, &no_stop);
    assert_int_equal(o.end, REPLAY_FAILED);
    assert_said("gantry: models: refused\n");
    toy_calls = 0;
    o = alone(1, (struct sim_options){0}, &stop);
    assert_int_equal(o.end, REPLAY_STOPPED);
    toy_refuse = -1;
    assert_said("gantry: models: refused\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_other_port), cmocka_unit_test(test_other_machine),    cmocka_unit_test(test_same),
        cmocka_unit_test(test_differs),    cmocka_unit_test(test_missing_and_more), cmocka_unit_test(test_waves),
        cmocka_unit_test(test_ends_early),
    };
    return cmocka_run_group_tests(tests, record, toy_folder_remove);
}
