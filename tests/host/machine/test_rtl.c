// SPDX-License-Identifier: Apache-2.0
// Test of the assembled RTL machine (configuration tiny) through sim.h, without driver or firmware: a launch of several
// groups writes what it should; skipping idle cycles on and off gives the same cycles, counters and hash; the same hash
// again on a second run, another for another input (issue 3, point 3); a planted loss of one answer is diagnosed by the
// watchdog with who waits for whom (B.7); more commands at once than the hub has places wait at the host, in order.
#include "kernel_bench.h"

#define GROUPS 6
#define ITEMS (GROUPS * 64 - 20) /* the last group is partial */

struct machine {
    struct config config;
    struct pmem *memory;
    struct pagetable *table;
    struct sim *sim;
    struct msg_cp_evt done;
    uint16_t ids[1024]; /* of the events, in their order */
    unsigned events;
    uint64_t counters; /* hash over names and values */
};

static void on_event(void *ctx, unsigned gpu, uint64_t now, const struct msg_cp_evt *evt)
{
    struct machine *m = ctx;
    (void)gpu;
    (void)now;
    m->done = *evt;
    m->ids[m->events % 1024] = evt->id;
    m->events++;
}

static void on_timer(void *ctx, uint64_t now, uint64_t cookie)
{
    (void)ctx;
    (void)now;
    (void)cookie;
}

static const struct sim_host_ops host_ops = {.event = on_event, .timer = on_timer};

static void machine_model(struct machine *m, enum sim_model model, bool no_skip)
{
    memset(m, 0, sizeof *m);
    kernel_config(&m->config, NULL);
    m->memory = kernel_memory(&m->config);
    m->table = kernel_tables(m->memory, kernel_numbers, sizeof kernel_numbers, pmem_addr(1, 0x3000), 0);
    uint64_t out = OUT_VA;
    pmem_write(m->memory, pmem_addr(1, 0x2000), &out, sizeof out);
    struct sim_options options = {.model = model, .seed = 1, .no_skip = no_skip};
    m->sim = sim_new(&m->config.cfg, m->memory, &options, &host_ops, m);
    assert_non_null(m->sim);
}

static void machine_open(struct machine *m, bool no_skip)
{
    machine_model(m, SIM_RTL, no_skip);
}

static void launch(struct machine *m, unsigned items)
{
    struct msg_cp_cmd vmid = {.kind = CP_VMID, .vmid = 3, .root = pagetable_root(m->table)};
    struct msg_cp_cmd cmd = kernel_launch(3, 7, items);
    sim_cmd(m->sim, 0, &vmid);
    sim_cmd(m->sim, 0, &cmd);
}

static void note_counter(void *arg, const char *location, const char *name, uint64_t value, const char *unit)
{
    struct machine *m = arg;
    (void)unit;
    for (const char *c = location; *c; c++)
        m->counters = (m->counters ^ (uint8_t)*c) * 0x100000001b3u;
    for (const char *c = name; *c; c++)
        m->counters = (m->counters ^ (uint8_t)*c) * 0x100000001b3u;
    m->counters = (m->counters ^ value) * 0x9e3779b97f4a7c15u;
}

static void machine_close(struct machine *m)
{
    sim_free(m->sim);
    pagetable_free(m->table);
    pmem_free(m->memory);
    config_fini(&m->config);
}

/* What the L2 holds back goes to memory; the event of the launch stays. */
static void write_back(struct machine *m)
{
    const struct msg_cp_evt done = m->done;
    const struct msg_cp_cmd cmd = {.kind = CP_CACHE, .vmid = 3, .id = 8, .flags = CACHE_WB_L2};
    sim_cmd(m->sim, 0, &cmd);
    assert_int_equal(sim_run(m->sim, sim_now(m->sim) + 1000000), SIM_STOPPED);
    assert_int_equal(m->events, 2);
    m->done = done;
}

struct outcome {
    uint64_t cycle, hash, counters, visits, start, end;
};

static struct outcome run_once(bool no_skip, unsigned items)
{
    struct machine m;
    machine_open(&m, no_skip);
    launch(&m, items);
    assert_int_equal(sim_run(m.sim, 1000000), SIM_STOPPED);
    assert_int_equal(m.events, 1);
    assert_int_equal(m.done.kind, CP_EVT_LAUNCH_DONE);
    assert_int_equal(m.done.id, 7);
    assert_int_equal(m.done.data, (items + 63) / 64);
    uint32_t out[1024];
    write_back(&m);
    pmem_read(m.memory, pmem_addr(1, 0x3000), out, sizeof out);
    for (unsigned i = 0; i < 1024; i++)
        assert_int_equal(out[i], i < items ? 4 * i : 0);
    assert_int_equal(sim_instructions(m.sim), m.done.instructions);
    assert_int_equal(sim_groups(m.sim, 0), GROUPS);
    assert_int_equal(m.done.instructions, (uint64_t)13 * ((items + 63) / 64));
    sim_counters(m.sim, note_counter, &m);
    struct outcome o = {sim_now(m.sim), sim_write_hash(m.sim), m.counters, sched_visits(&m.sim->sched), m.done.start,
                        m.done.end};
    machine_close(&m);
    return o;
}

static void test_skipping_and_repeat(void **state)
{
    (void)state;
    struct outcome a = run_once(false, ITEMS), b = run_once(true, ITEMS), c = run_once(false, ITEMS),
                   d = run_once(false, ITEMS - 1);
    assert_true(a.start == b.start && a.end == b.end);
    assert_true(a.hash == b.hash);
    assert_true(a.counters == b.counters);
    assert_true(a.visits < b.visits);
    assert_true(a.cycle == c.cycle && a.hash == c.hash && a.counters == c.counters);
    assert_true(a.hash != d.hash);
}

/* shows B.7: Lose the first answer of the crossbar to the CU. */
static void test_lost_answer_is_diagnosed(void **state)
{
    (void)state;
    struct machine m;
    machine_open(&m, false);
    launch(&m, ITEMS);
    struct channel *lost = NULL;
    for (uint32_t i = 0; i < m.sim->sched.wire_count; i++) {
        struct channel *c = &m.sim->sched.wires[i]->channel;
        if (strcmp(c->name, "gpu0.noc -> gpu0.cu0") == 0 && c->bytes)
            lost = c;
    }
    assert_non_null(lost);
    uint64_t cycle = 0;
    while (channel_empty(lost) && cycle < 100000)
        assert_int_equal(sim_run(m.sim, cycle += 8), SIM_STOPPED);
    assert_false(channel_empty(lost));
    channel_drop(lost, 1);
    lost->sent--; /* as if the crossbar had never sent it */
    char *text = NULL;
    size_t size = 0;
    FILE *saved = stderr;
    stderr = open_memstream(&text, &size);
    enum sim_result result = sim_run(m.sim, UINT64_MAX);
    fclose(stderr);
    stderr = saved;
    assert_int_equal(result, SIM_NO_PROGRESS);
    assert_non_null(strstr(text, "gpu0.cu0 waits for gpu0.noc: 1 of "));
    assert_non_null(strstr(text, "host.cp waits for gpu0.dispatch: launch 7"));
    free(text);
    machine_close(&m);
}

static void flood(enum sim_model model, unsigned count, bool later)
{
    struct machine m;
    machine_model(&m, model, false);
    for (unsigned i = 0; i < count; i++) {
        struct msg_cp_cmd cmd = {.kind = CP_CACHE, .vmid = 3, .id = (uint16_t)(100 + i), .flags = CACHE_INV_TLB};
        sim_cmd(m.sim, 0, &cmd);
        if (later && i % 16 == 0) /* some find waiting ones before them, when places have come back */
            assert_int_equal(sim_run(m.sim, sim_now(m.sim) + 33), SIM_STOPPED);
    }
    launch(&m, ITEMS);
    assert_int_equal(sim_run(m.sim, 1000000), SIM_STOPPED);
    assert_int_equal(m.events, count + 1);
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(m.ids[i], 100 + i);
    assert_int_equal(m.done.kind, CP_EVT_LAUNCH_DONE);
    assert_int_equal(m.sim->gpus[0].pending_count, 0);
    struct msg_cp_cmd last = {.kind = CP_CACHE, .vmid = 3, .id = 99, .flags = CACHE_INV_TLB};
    sim_cmd(m.sim, 0, &last);
    assert_int_equal(sim_run(m.sim, 2000000), SIM_STOPPED);
    assert_int_equal(m.ids[count + 1], 99);
    assert_int_equal(m.sim->gpus[0].commands.credits, SIM_CMD_DEPTH - 1);
    machine_close(&m);
}

static void test_flood_of_commands(void **state)
{
    (void)state;
    for (unsigned later = 0; later < 2; later++) {
        flood(SIM_GOLDEN, 500, later);
        flood(SIM_RTL, SIM_CMD_DEPTH, later);
        flood(SIM_RTL, 500, later);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_skipping_and_repeat),
        cmocka_unit_test(test_lost_answer_is_diagnosed),
        cmocka_unit_test(test_flood_of_commands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
