// SPDX-License-Identifier: Apache-2.0
// What a machine of toy models tells of itself: every counter with location, name, value and unit, in the order of one
// process wherever GPUs run; hashes, instructions, work-groups, messages; of which work-group a wavefront is.
#include "../record/toy_recording.h"

#include <xxhash.h>

#include "observe/figures.h"
#include "target/memory_parts.h"

typedef unsigned long long u64;

struct text {
    char at[20000];
    size_t used;
};

static void counter_print(void *arg, const char *location, const char *name, uint64_t value, const char *unit)
{
    struct text *t = arg;
    t->used +=
        (size_t)snprintf(t->at + t->used, sizeof t->at - t->used, "%s %s %llu %s\n", location, name, (u64)value, unit);
    assert_true(t->used < sizeof t->at);
}

static void numbered_print(void *arg, uint32_t number, const char *location, const char *name, uint64_t value,
                           const char *unit)
{
    struct text *t = arg;
    t->used += (size_t)snprintf(t->at + t->used, sizeof t->at - t->used, "%u ", number);
    counter_print(arg, location, name, value, unit);
}

/* Of one partition, by the tables that its model was made with. */
static void expect_part(struct text *t, const struct part *part, bool numbered)
{
    const struct toy *toy = toy_named(part->name);
    for (uint32_t i = 0; i < toy->kind->api.counter_count; i++) {
        const struct model_counter *c = &toy->kind->api.counters[i];
        char location[80];
        snprintf(location, sizeof location, "%s%s%s", part->name, *c->block ? "." : "", c->block);
        if (numbered)
            numbered_print(t, part->number, location, c->name, 1000 * toy->s.taken + i, c->unit);
        else
            counter_print(t, location, c->name, 1000 * toy->s.taken + i, c->unit);
    }
}

/* Of a memory: accesses of the scene. */
static void expect_accesses(struct text *plain, struct text *numbered, const struct part *part, const uint64_t *values,
                            unsigned count)
{
    static const char *const names[] = {"reads", "writes", "atomics"};
    for (unsigned i = 0; i < count; i++) {
        counter_print(plain, part->name, names[i], values[i], "count");
        numbered_print(numbered, part->number, part->name, names[i], values[i], "count");
    }
}

static void run_scene(struct toy_machine *m, unsigned gpus, const char *setting, struct sim_options options)
{
    options.seed = 1;
    toy_open(m, gpus, setting, options);
    toy_scene_begin(m);
    m->at_event = NULL;
    toy_run(m);
}

static struct text expected, numbered, seen, here;

/* In the order of assembly; host memory counts, too. */
static void test_counters(void **state)
{
    struct toy_machine m;
    (void)state;
    for (unsigned gpus = 1; gpus <= 2; gpus++) {
        run_scene(&m, gpus, NULL, (struct sim_options){0});
        expected.used = seen.used = here.used = 0;
        numbered.used = 0;
        for (uint32_t i = 0; i < m.sim->sched.count; i++) {
            struct part *part = m.sim->sched.parts[i];
            if (strcmp(part->name, "host.memory") == 0) {
                expect_accesses(&expected, &numbered, part, (const uint64_t[]){5, 1, 3}, 3);
            } else if (strstr(part->name, ".store")) {
                const bool first = part->name[3] == '0';
                expect_accesses(&expected, &numbered, part, (const uint64_t[]){first, first ? 11 : 0}, 2);
            } else if (toy_named(part->name)) {
                expect_part(&expected, part, false);
                expect_part(&numbered, part, true);
            }
        }
        sim_counters(m.sim, counter_print, &seen);
        assert_string_equal(seen.at, expected.at);
        figures_counters_here(m.sim, numbered_print, &here);
        assert_string_equal(here.at, numbered.at);
        assert_non_null(strstr(seen.at, "gpu0.cu1.l1v read-hit "));
        assert_non_null(strstr(seen.at, "gpu0.noc blocked "));
        toy_close(&m);
    }
}

struct figures {
    uint64_t hash, instructions, groups[3], cycle, moved;
};

static struct figures figures_of(struct toy_machine *m)
{
    struct figures f = {
        .hash = sim_write_hash(m->sim), .instructions = sim_instructions(m->sim), .cycle = sim_now(m->sim)};
    for (unsigned g = 0; g < m->config.cfg.system_gpus; g++)
        f.groups[g] = sim_groups(m->sim, g);
    f.moved = figures_moved(m->sim);
    return f;
}

static void test_progress(void **state)
{
    struct toy_machine m;
    (void)state;
    run_scene(&m, 2, NULL, (struct sim_options){0});
    const struct figures f = figures_of(&m);
    assert_int_equal(f.instructions, 2 * 4 + 2 * 5 + 4); /* two copies, two writers of three lines, one adder twice */
    assert_int_equal(f.groups[0], 3);
    assert_int_equal(f.groups[1], 2);
    uint64_t sent = 0;
    for (uint32_t i = 0; i < m.sim->sched.wire_count; i++)
        sent += m.sim->sched.wires[i]->channel.sent;
    assert_true(watchdog_sent(m.sim) == sent && sent > 100);
    assert_true(f.moved == sent + f.instructions);
    const uint64_t hashes[] = {store_hash(m.sim->gpus[0].store), store_hash(m.sim->gpus[1].store),
                               hostmem_hash(m.sim->hostmem)};
    assert_true(figures_hash(m.sim, 0) == hashes[0] && figures_hash(m.sim, 1) == hashes[1] && hashes[0] != hashes[1]);
    assert_true(f.hash == XXH64(hashes, sizeof hashes, 0));
    assert_int_equal(figures_ended_here(m.sim, 1), 2);
    assert_int_equal(figures_issued_here(m.sim), f.instructions);
    assert_non_null(sim_part(m.sim, "gpu1.l2s1"));
    assert_null(sim_part(m.sim, "gpu1.l2s"));
    for (uint32_t i = 0; i < m.sim->sched.count; i++)
        assert_ptr_equal(sim_part(m.sim, m.sim->sched.parts[i]->name), m.sim->sched.parts[i]);
    toy_close(&m);
}

/* In workers: all as in one process, in the same order. */
static void test_placed(void **state)
{
    static const char *const settings[] = {NULL, "place.processes=2", "place.processes=3"};
    struct toy_machine m;
    struct figures one = {0};
    (void)state;
    for (unsigned n = 0; n < 3; n++) {
        run_scene(&m, 3, settings[n], (struct sim_options){0});
        seen.used = 0;
        sim_counters(m.sim, counter_print, &seen);
        const struct figures f = figures_of(&m);
        if (n == 0) {
            expected = seen;
            one = f;
        }
        assert_string_equal(seen.at, expected.at);
        assert_true(f.hash == one.hash && f.instructions == one.instructions && f.cycle == one.cycle);
        assert_memory_equal(f.groups, one.groups, sizeof one.groups);
        assert_true(f.groups[0] == 3 && f.groups[1] == 0 && f.groups[2] == 2);
        assert_true(n == 0 || m.sim->place != NULL);
        sim_free(m.sim);
        m.sim = NULL;
        toy_close(&m);
        assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    }
}

/* With golden GPUs beside it: their counters come behind, their figures are added. */
static void test_both(void **state)
{
    struct toy_machine m;
    (void)state;
    run_scene(&m, 2, NULL, (struct sim_options){.both = true});
    seen.used = 0;
    sim_counters(m.sim, counter_print, &seen);
    const char *const first = strstr(seen.at, "gpu0.golden "), *const second = strstr(seen.at, "gpu1.golden ");
    assert_true(first && second && first < second && strstr(seen.at, "gpu1.rdma ") < first);
    assert_true(m.sim->warm == NULL || strstr(second, "warm") != NULL);
    assert_int_equal(sim_instructions(m.sim), 22);
    assert_int_equal(sim_groups(m.sim, 1), 2);
    const uint64_t hashes[] = {store_hash(m.sim->gpus[0].store), store_hash(m.sim->gpus[1].store),
                               hostmem_hash(m.sim->hostmem), sim_write_hash(m.sim->twin)};
    assert_true(sim_write_hash(m.sim) == XXH64(hashes, sizeof hashes, 0));
    toy_close(&m);
}

/* ---- of which work-group a wavefront is */
static struct msg_cp_cmd launch_of(unsigned x, unsigned y, unsigned z, unsigned sgprs)
{
    struct msg_cp_cmd cmd = toy_launch(9, x, (struct toy_work){.op = TOY_FAULT, .value = FAULT_BUS});
    cmd.groups[1] = y;
    cmd.groups[2] = z;
    cmd.sys_sgprs = (uint8_t)sgprs;
    return cmd;
}

static void groups_of(const char *setting, unsigned sgprs)
{
    struct toy_machine m;
    const struct msg_cp_cmd cmd = launch_of(2, 3, 2, sgprs);
    toy_open(&m, 2, setting, (struct sim_options){.seed = 1});
    sim_cmd(m.sim, 1, &cmd);
    toy_run(&m);
    assert_int_equal(m.event_count, 12);
    unsigned found = 0;
    for (unsigned i = 0; i < 12; i++) {
        uint32_t group[3] = {7, 7, 7};
        assert_int_equal(m.events[i].evt.kind, CP_EVT_FAULT);
        assert_int_equal(sim_group(m.sim, 1, &m.events[i].evt, &cmd, group), sgprs);
        const unsigned n = group[0] + 2 * group[1] + 6 * group[2];
        found |= 1u << n;
        for (unsigned d = 0; d < 3; d++)
            assert_true(sgprs >> d & 1 || group[d] == 0);
    }
    assert_int_equal(found, sgprs == 7 ? 0xfff : sgprs == 1 ? 3 : 0x41);
    /* a dimension of one is known without being told; of a CU that is not there nothing is */
    uint32_t group[3];
    const struct msg_cp_cmd flat = launch_of(2, 1, 1, 1);
    struct msg_cp_evt evt = m.events[0].evt;
    assert_int_equal(sim_group(m.sim, 1, &evt, &flat, group), 7);
    evt.cu = 200;
    assert_int_equal(sim_group(m.sim, 1, &evt, &flat, group), 6);
    assert_int_equal(group[0], 0);
    toy_close(&m);
}

static void test_groups(void **state)
{
    (void)state;
    groups_of(NULL, 7);
    groups_of(NULL, 1);
    groups_of(NULL, 4);
    groups_of("place.processes=2", 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counters), cmocka_unit_test(test_progress), cmocka_unit_test(test_placed),
        cmocka_unit_test(test_both),     cmocka_unit_test(test_groups),
    };
    return cmocka_run_group_tests(tests, toy_folder_make, toy_folder_remove);
}
