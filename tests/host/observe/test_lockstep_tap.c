// SPDX-License-Identifier: Apache-2.0
// What lock step is told of an RTL machine (lockstep_tap.h): messages and observations of toy models, each once, with
// its GPU, compute unit and cycle, to functions of this file that stand in for those of lockstep/lockstep.c.  Other
// taps of the same partition go on.
#include "observe/lockstep_tap.h"

#include "../machine/toy_machine.h"
#include "bridge/verilated/rtl_part.h"
#include "checkpoint/checkpoint.h"
#include "lockstep/lockstep.h"
#include "saved/state_io.h"

/* ---- the comparison: what it was told, a line each */
struct lockstep {
    struct pmem *memory;
    unsigned gpus, cus, simds, settled;
    bool lds, freed;
};
static struct lockstep only;
static char told[60000];
static size_t used;

static void tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void tell(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    used += (size_t)vsnprintf(told + used, sizeof told - used, format, list);
    va_end(list);
    assert_true(used < sizeof told);
}

typedef unsigned long long u64;

struct lockstep *lockstep_new(struct pmem *memory, unsigned gpus, unsigned cus, lockstep_fail_fn fail, void *ctx)
{
    assert_true(fail == NULL && ctx == NULL);
    only = (struct lockstep){.memory = memory, .gpus = gpus, .cus = cus};
    used = 0;
    *told = 0;
    return &only;
}
void lockstep_simds(struct lockstep *ls, unsigned simds)
{
    ls->simds = simds;
}
void lockstep_free(struct lockstep *ls)
{
    ls->freed = true;
}
void lockstep_check_lds(struct lockstep *ls, bool on)
{
    ls->lds = on;
}
void lockstep_cp_cmd(struct lockstep *ls, unsigned gpu, uint64_t cycle, const struct msg_cp_cmd *cmd)
{
    assert_ptr_equal(ls, &only);
    tell("%u cp_cmd %u %llu\n", gpu, cmd->id, (u64)cycle);
}
void lockstep_dispatched(struct lockstep *ls, unsigned gpu, unsigned cu, uint64_t cycle, const struct msg_cu_cmd *cmd)
{
    assert_ptr_equal(ls, &only);
    tell("%u.%u dispatched %u %llu\n", gpu, cu, cmd->wave, (u64)cycle);
}
void lockstep_cp_evt(struct lockstep *ls, unsigned gpu, uint64_t cycle, const struct msg_cp_evt *evt)
{
    assert_ptr_equal(ls, &only);
    tell("%u cp_evt %u %llu\n", gpu, evt->id, (u64)cycle);
}
void lockstep_cu_cmd(struct lockstep *ls, unsigned gpu, unsigned cu, uint64_t cycle, const struct msg_cu_cmd *cmd)
{
    assert_ptr_equal(ls, &only);
    tell("%u.%u cu_cmd %u %llu\n", gpu, cu, cmd->wave, (u64)cycle);
}
void lockstep_cu_evt(struct lockstep *ls, unsigned gpu, unsigned cu, uint64_t cycle, const struct msg_cu_evt *evt)
{
    assert_ptr_equal(ls, &only);
    tell("%u.%u cu_evt %u %llu\n", gpu, cu, evt->wave, (u64)cycle);
}
void lockstep_mem_req(struct lockstep *ls, unsigned gpu, unsigned cu, uint64_t cycle, const struct msg_mem_req *req)
{
    assert_ptr_equal(ls, &only);
    tell("%u.%u mem_req %llx %llu\n", gpu, cu, (u64)(req->addr & 0xffff), (u64)cycle);
}
void lockstep_order(struct lockstep *ls, unsigned gpu, uint64_t cycle, const struct lockstep_order *record)
{
    assert_ptr_equal(ls, &only);
    tell("%u order %u %llu\n", gpu, *(const uint8_t *)record, (u64)cycle);
}
void lockstep_dram(struct lockstep *ls, unsigned gpu, uint64_t cycle, const struct msg_dram_req *req)
{
    assert_ptr_equal(ls, &only);
    tell("%u dram %u %llx %llu\n", gpu, req->write, (u64)(req->addr & 0xffff), (u64)cycle);
}
void lockstep_restored(struct lockstep *ls)
{
    assert_ptr_equal(ls, &only);
    tell("restored\n");
}
void lockstep_observe(struct lockstep *ls, unsigned gpu, unsigned cu, enum lockstep_port port, unsigned lane,
                      uint64_t cycle, const void *data)
{
    assert_ptr_equal(ls, &only);
    tell("%u.%u observe %u %u %u %llu\n", gpu, cu, port, lane, *(const uint8_t *)data, (u64)cycle);
}
void lockstep_settle(struct lockstep *ls)
{
    ls->settled++;
}
uint64_t lockstep_observed(const struct lockstep *ls)
{
    return ls->settled * 100;
}
uint64_t lockstep_compared(const struct lockstep *ls)
{
    return ls->settled;
}
bool lockstep_finish(struct lockstep *ls)
{
    return ls == &only;
}

/* Whether the line was told, once. */
static bool once(const char *format, ...) __attribute__((format(printf, 1, 2)));
static bool once(const char *format, ...)
{
    char line[200] = "\n";
    va_list list;
    va_start(list, format);
    vsnprintf(line + 1, sizeof line - 2, format, list);
    va_end(list);
    strcat(line, "\n");
    const size_t start = strncmp(told, line + 1, strlen(line + 1)) == 0 ? 0 : SIZE_MAX;
    const char *at = strstr(told, line);
    const bool found = start == 0 || at != NULL;
    return found && !(start == 0 && at) && !(at && strstr(at + 1, line));
}

static unsigned lines_with(const char *what)
{
    unsigned n = 0;
    for (const char *at = told; (at = strstr(at, what)); at++)
        n++;
    return n;
}

/* Slots and names in the order of enum lockstep_port: its numbers are those of the observation ports by name. */
static void test_ports(void **state)
{
    struct toy_machine m;
    static const char *const names[] = {"obs_inst", "obs_sgpr", "obs_vgpr", "obs_done", "obs_lds", "obs_row"};
    static const enum lockstep_port ports[] = {LOCKSTEP_INST, LOCKSTEP_SGPR, LOCKSTEP_VGPR,
                                               LOCKSTEP_DONE, LOCKSTEP_LDS,  LOCKSTEP_ROW};
    (void)state;
    toy_open(&m, 2, NULL, (struct sim_options){.seed = 1, .lockstep = true});
    assert_true(only.memory == m.memory && only.gpus == 2 && only.cus == 2);
    assert_int_equal(only.simds, m.config.cfg.gpu_cu_simds);
    assert_int_equal(only.lds, m.config.cfg.check_lds);
    assert_int_equal(sim_run(m.sim, 64), SIM_STOPPED); /* every model has run once */
    for (unsigned i = 0; i < 64; i++) {
        struct toy *t = toy_models[i];
        if (!t)
            continue;
        const bool cu = strstr(t->name, ".cu"), l2 = strstr(t->name, ".l2s");
        assert_int_equal(t->observed, cu || l2);
        for (uint32_t k = 0; (cu || l2) && k < t->kind->api.obs_count; k++) {
            uint8_t data[100] = {(uint8_t)(50 + k)};
            used = 0;
            t->sink->observe(t->sink->ctx, k, 1, 77, data);
            char line[80];
            const unsigned gpu = t->gpu;
            if (l2)
                snprintf(line, sizeof line, "%u order 50 77\n", gpu);
            for (unsigned n = 0; cu && n < 6; n++)
                if (strcmp(t->kind->obs[k].name, names[n]) == 0)
                    snprintf(line, sizeof line, "%u.%u observe %u 1 %u 77\n", gpu, t->place, ports[n], 50 + k);
            assert_string_equal(told, line);
        }
    }
    toy_close(&m);
    assert_true(only.freed);
    toy_open(&m, 1, "check.lds=off", (struct sim_options){.seed = 1, .lockstep = true});
    assert_false(only.lds);
    toy_close(&m);
}

/* shows B.6: Each message of a launch: the command at the dispatcher's cycle, what it sends, what the unit takes, asks
 * and says.
 */
static void test_messages(void **state)
{
    struct toy_machine m;
    (void)state;
    toy_open(&m, 2, NULL, (struct sim_options){.seed = 1, .lockstep = true});
    const struct config *c = &m.config;
    toy_do(&m, 1, 9, 3, (struct toy_work){.op = TOY_WRITE, .count = 2, .to = pmem_addr(2, 0x3000)});
    const struct msg_cp_cmd cache = {.kind = CP_CACHE, .vmid = 3, .id = 10, .flags = CACHE_INV_L1V};
    sim_cmd(m.sim, 1, &cache);
    toy_run(&m);
    const unsigned host = c->cfg.link_host, hop = c->cfg.link_dispatch;
    assert_int_equal(m.event_count, 2);
    assert_true(once("1 cp_cmd 9 %u", host));
    assert_true(once("1 cp_cmd 10 %u", host + 1));
    /* the command that came in a cycle later goes to the units in that cycle, so that the second wavefront waits */
    static const unsigned cu[] = {0, 1, 0}, wave[] = {0, 0, 16};
    for (unsigned i = 0; i < 3; i++) {
        unsigned cycle = 0;
        const char *at = told;
        char line[60];
        snprintf(line, sizeof line, "1.%u dispatched %u ", cu[i], wave[i]);
        while ((at = strstr(at, line)) && !cycle)
            cycle = (unsigned)strtoul(at + strlen(line), NULL, 10);
        assert_true(cycle >= host && cycle < host + 10);
        assert_true(once("1.%u cu_cmd %u %u", cu[i], wave[i], cycle + hop));
        for (unsigned k = 0; k < 2; k++) {
            snprintf(line, sizeof line, "\n1.%u mem_req %x ", cu[i], 0x3000 + 128 * i + 64 * k);
            assert_non_null(strstr(told, line));
        }
    }
    assert_int_equal(lines_with("mem_req"), 6);
    assert_int_equal(lines_with("1 dram 1 3"), 6); /* what the slices send to memory */
    assert_int_equal(lines_with("dispatched"), 3); /* invalidations go to control agents */
    assert_int_equal(lines_with("cu_cmd"), 3);
    assert_int_equal(lines_with("cu_evt"), 3);
    assert_int_equal(lines_with("cp_cmd"), 2);
    for (unsigned i = 0; i < 2; i++)
        assert_true(once("1 cp_evt %u %llu", m.events[i].evt.id, (u64)m.events[i].cycle - host));
    assert_int_equal(lines_with("cp_evt"), 2);
    assert_null(strstr(told, "\n0"));
    assert_true(only.settled == 2); /* at each event, before the host hears of it */
    assert_int_equal(lockstep_tap_compared(m.sim->tap), 3);
    assert_int_equal(lockstep_tap_observed(m.sim->tap), 300);
    lockstep_tap_settle(m.sim->tap);
    assert_int_equal(only.settled, 4);
    toy_close(&m);
}

static struct {
    char at[2000];
    size_t used;
} rows;

static void row(void *arg, const char *location, const char *name, uint64_t value, const char *unit)
{
    (void)arg;
    if (strcmp(location, "lockstep") == 0)
        rows.used += (size_t)sprintf(rows.at + rows.used, "%s %llu %s\n", name, (u64)value, unit);
}

/* Its two counters come last; with others where GPUs run, their sum. */
static void test_counters(void **state)
{
    struct toy_machine m;
    (void)state;
    for (unsigned n = 0; n < 2; n++) {
        rows.used = 0;
        toy_open(&m, 2, n ? "place.processes=2" : NULL, (struct sim_options){.seed = 1, .lockstep = true});
        assert_true(n == 0 || m.sim->sched.stretch == 1); /* window by window, as in one process */
        toy_do(&m, 1, 9, 1, (struct toy_work){.op = TOY_END});
        toy_run(&m);
        sim_counters(m.sim, row, NULL);
        /* one event was settled in every process, and the question settles once more */
        assert_string_equal(rows.at,
                            n ? "compared 4 count\nobserved 400 count\n" : "compared 2 count\nobserved 200 count\n");
        toy_close(&m);
    }
}

/* A restored machine: page tables and trap handlers that the host has told before. */
static void test_restored(void **state)
{
    struct toy_machine m;
    (void)state;
    toy_open(&m, 2, NULL, (struct sim_options){.seed = 1, .lockstep = true});
    const struct msg_cp_cmd vmid = {.kind = CP_VMID, .vmid = 5, .root = 0x1000};
    sim_cmd(m.sim, 1, &vmid);
    toy_run(&m);
    used = 0;
    *told = 0;
    lockstep_tap_restored(m.sim->tap, m.sim);
    assert_string_equal(told, "restored\n1 cp_cmd 0 0\n");
    lockstep_tap_free(NULL);
    toy_close(&m);
}

static void nothing_save(void *ctx, struct state_writer *to)
{
    (void)ctx, (void)to;
}
static bool nothing_restore(void *ctx, struct state_reader *from)
{
    (void)ctx, (void)from;
    return true;
}

/* What lock step knows of wavefronts is in no state: only a machine without any is saved, or taken up. */
static void test_saved(void **state)
{
    struct toy_machine m;
    char file[] = "/tmp/gantry-lockstep-XXXXXX", line[200];
    const struct sim_beside beside = {.save = nothing_save, .restore = nothing_restore, .memory = true};
    (void)state;
    int fd = mkstemp(file);
    close(fd);
    for (unsigned lockstep = 0; lockstep < 2; lockstep++) {
        for (unsigned launched = 0; launched < 3; launched++) {
            enum gantry_status status;
            toy_open(&m, 2, NULL, (struct sim_options){.seed = 1, .lockstep = lockstep});
            if (launched)
                toy_do(&m, launched - 1, 9, 1, (struct toy_work){.op = TOY_FAULT, .value = FAULT_BUS});
            toy_run(&m);
            const struct msg_cp_cmd cache = {.kind = CP_CACHE, .vmid = 3, .id = 10}; /* no launch */
            sim_cmd(m.sim, 1, &cache);
            say_begin();
            status = sim_save(m.sim, file, &beside);
            say_end();
            toy_close(&m);
            snprintf(line, sizeof line,
                     "gantry: %s: lock step cannot be saved or restored: the golden model's registers are no part of "
                     "the machine\n",
                     file);
            assert_int_equal(status, lockstep && launched ? STATUS_USAGE : STATUS_OK);
            assert_said(lockstep && launched ? line : "");
            if (status != STATUS_OK)
                continue;
            toy_open(&m, 2, NULL, (struct sim_options){.seed = 1, .lockstep = true});
            say_begin();
            status = sim_restore(m.sim, file, &beside);
            say_end();
            toy_close(&m);
            snprintf(line, sizeof line,
                     "gantry: %s: kernels run in this state: lock step can only begin before their start\n", file);
            assert_int_equal(status, launched ? STATUS_DATA : STATUS_OK);
            assert_said(launched ? line : "");
        }
    }
    unlink(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_saved),    cmocka_unit_test(test_ports),    cmocka_unit_test(test_messages),
        cmocka_unit_test(test_counters), cmocka_unit_test(test_restored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
