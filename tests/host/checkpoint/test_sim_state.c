// SPDX-License-Identifier: Apache-2.0
// The host's side of a machine as a saved state (sim_state.c, checkpoint.h), of toy models: timers in their order,
// commands under way with what the host knows of them, those that wait for a place, address spaces, accesses, the
// watchdog's last look, what wavefronts were started with.  A restored machine goes on as the one that was saved, and
// its state hashes alike; of two machines that differ in one thing it does not.
#include <sys/stat.h>

#include "../machine/toy_machine.h"
#include "checkpoint/checkpoint.h"
#include "observe/figures.h"
#include "saved/state_io.h"
#include "target/rtl_groups.h"

#define FLOOD 90u /* commands: more than there are places */

static char file[] = "/tmp/gantry-sim-state-XXXXXX";

static void begin(struct toy_machine *m, unsigned gpus)
{
    const struct msg_cp_cmd vmid = {.kind = CP_VMID, .vmid = 3, .root = pmem_addr(1, 0x4000)},
                            trap = {.kind = CP_TRAP, .vmid = 4, .id = 8, .root = 0x7000, .pc = 0x8000};
    toy_open(m, gpus, NULL, (struct sim_options){.seed = 1});
    for (unsigned g = 0; g < gpus; g++) {
        sim_cmd(m->sim, g, &vmid);
        sim_cmd(m->sim, g, &trap);
        toy_do(m, g, 1, 3, (struct toy_work){.op = TOY_WRITE, .count = 20, .to = pmem_addr(g + 1, 0x3000), .value = 7});
    }
    toy_do(m, 0, 2, 1, (struct toy_work){.op = TOY_INTERRUPT, .value = 5});
    toy_do(m, 0, 3, 1, (struct toy_work){.op = TOY_FAULT, .value = FAULT_BUS});
    for (unsigned i = 0; i < FLOOD; i++) {
        const struct msg_cp_cmd cache = {.kind = CP_CACHE, .vmid = 3, .id = (uint16_t)(100 + i)};
        sim_cmd(m->sim, gpus - 1, &cache);
    }
    for (unsigned i = 0; i < 3; i++) {
        sim_timer(m->sim, 1501, 3 - i); /* of one cycle: in the order of asking */
        sim_timer(m->sim, 300 * i, 20 + i);
        const struct msg_mem_req req = {
            .op = i ? MEM_READ : MEM_WRITE, .addr = pmem_addr(i == 2 ? 0 : 1, 0x9000), .mask = 255, .data = {i + 1}};
        sim_access(m->sim, &req, false, 50 + i);
    }
}

static void end(struct toy_machine *m, unsigned timers)
{
    for (unsigned i = 0; i < 10 && (i == 0 || m->timer_count < timers); i++)
        toy_run(m);
    assert_int_equal(m->timer_count, timers);
}

/* What the host saw from entry `from` on. */
static void assert_same(const struct toy_machine *a, const struct toy_machine *b, const struct toy_machine *from)
{
    const unsigned events = a->event_count - from->event_count, answers = a->answer_count - from->answer_count,
                   timers = a->timer_count - from->timer_count;
    assert_int_equal(b->event_count, events);
    assert_int_equal(b->answer_count, answers);
    assert_int_equal(b->timer_count, timers);
    assert_memory_equal(a->events + from->event_count, b->events, events * sizeof *b->events);
    assert_memory_equal(a->answers + from->answer_count, b->answers, answers * sizeof *b->answers);
    assert_memory_equal(a->timers + from->timer_count, b->timers, timers * sizeof *b->timers);
}

static void restored(struct toy_machine *m, unsigned gpus)
{
    toy_open(m, gpus, NULL, (struct sim_options){.seed = 1});
    sim_timer(m->sim, 9, 77); /* it is none of the state's */
    assert_int_equal(sim_restore(m->sim, file, NULL), STATUS_OK);
}

static void test_goes_on(void **state)
{
    static struct toy_machine first, then, at;
    static const unsigned cycles[] = {0, 1, 145, 151, 290, 333, 500, 601, 777, 1000, 1501};
    (void)state;
    for (unsigned gpus = 1; gpus <= 2; gpus++) {
        for (unsigned n = 0; n < sizeof cycles / sizeof *cycles; n++) {
            begin(&first, gpus);
            if (cycles[n])
                assert_int_equal(sim_run(first.sim, cycles[n]), SIM_STOPPED);
            assert_int_equal(sim_save(first.sim, file, NULL), STATUS_OK);
            at = first;
            restored(&then, gpus);
            assert_int_equal(sim_now(then.sim), sim_now(first.sim));
            assert_true(sim_state_hash(then.sim) == sim_state_hash(first.sim));
            assert_int_equal(then.sim->commands_waiting, first.sim->commands_waiting);
            assert_true(then.sim->commands_waiting > 0 || cycles[n]);
            assert_true(figures_moved(then.sim) - then.sim->watch_sent ==
                        figures_moved(first.sim) - first.sim->watch_sent);
            end(&first, 6);
            end(&then, 6 - at.timer_count);
            assert_same(&first, &then, &at);
            assert_true(sim_write_hash(then.sim) == sim_write_hash(first.sim));
            assert_true(sim_state_hash(then.sim) == sim_state_hash(first.sim));
            struct toy_machine *const both[] = {&first, &then};
            for (unsigned i = 0; i < 2; i++) {
                assert_true(both[i]->sim->gpus[0].pending_count == 1 && both[i]->sim->gpus[0].pending[0].faulted);
                toy_close(both[i]);
            }
        }
    }
}

/* Every number of the host's side, restored as it was; the hash sees each. */
static void test_numbers(void **state)
{
    struct toy_machine a, b;
    (void)state;
    begin(&a, 2);
    assert_int_equal(sim_run(a.sim, 333), SIM_STOPPED);
    const uint64_t hash = sim_state_hash(a.sim);
    struct sim_gpu *g = &a.sim->gpus[1];
    assert_true(g->pending_count > 3);
    bool *const flags[] = {&g->pending[0].faulted, &g->pending[1].interrupted, &g->pending[2].halted};
    for (unsigned i = 0; i < 3; i++) {
        *flags[i] = true;
        assert_true(sim_state_hash(a.sim) != hash);
        assert_int_equal(sim_save(a.sim, file, NULL), STATUS_OK);
        restored(&b, 2);
        for (unsigned k = 0; k < g->pending_count; k++) {
            const struct sim_pending *x = &g->pending[k], *y = &b.sim->gpus[1].pending[k];
            assert_true(x->kind == y->kind && x->id == y->id && x->vmid == y->vmid);
            assert_true(x->faulted == y->faulted && x->interrupted == y->interrupted && x->halted == y->halted);
        }
        assert_int_equal(b.sim->gpus[1].pending_count, g->pending_count);
        toy_close(&b);
        *flags[i] = false;
    }
    uint64_t *const numbers[] = {&g->roots[3],        &g->roots[255],      &g->traps[4].handler,
                                 &g->traps[4].memory, &a.sim->watch_cycle, &a.sim->watch_sent};
    for (unsigned i = 0; i < 6; i++) {
        *numbers[i] ^= 1;
        assert_true(sim_state_hash(a.sim) != hash);
        *numbers[i] ^= 1;
    }
    a.sim->watch_sent = 17;
    a.sim->watch_cycle = 24;
    assert_int_equal(sim_save(a.sim, file, NULL), STATUS_OK);
    restored(&b, 2);
    assert_memory_equal(b.sim->gpus[1].roots, g->roots, sizeof g->roots);
    assert_memory_equal(b.sim->gpus[1].traps, g->traps, sizeof g->traps);
    assert_true(g->roots[3] == pmem_addr(1, 0x4000) && g->traps[4].handler == 0x7000 && g->traps[4].memory == 0x8000);
    assert_true(b.sim->watch_cycle == a.sim->watch_cycle && b.sim->watch_sent == a.sim->watch_sent);
    for (unsigned n = 0; n < 2; n++) { /* registers that wavefronts were started with */
        const uint32_t *x = rtl_groups_sgprs(a.sim->groups, n, n, 0), *y = rtl_groups_sgprs(b.sim->groups, n, n, 0);
        assert_memory_equal(x, y, sizeof((struct msg_cu_cmd){0}.sgpr));
        assert_true(x[0] != 0);
        assert_null(rtl_groups_sgprs(a.sim->groups, n, 2, 0));
    }
    toy_close(&a);
    toy_close(&b);
}

/* A state that ends anywhere is refused, and a machine of it freed. */
static void test_cut(void **state)
{
    struct toy_machine a, b;
    (void)state;
    begin(&a, 2);
    assert_int_equal(sim_run(a.sim, 333), SIM_STOPPED);
    struct state_buffer whole;
    state_buffer_init(&whole);
    sim_host_save(a.sim, figures_moved(a.sim), &whole.writer);
    const size_t count = whole.count;
    for (unsigned n = 0; n <= 60; n++) {
        toy_open(&b, 2, NULL, (struct sim_options){.seed = 1});
        whole.taken = 0;
        whole.count = n == 60 ? count : n < 30 ? n : count - 1 - (size_t)(59 - n) * (count / 31);
        *whole.reader.why = 0;
        assert_int_equal(sim_host_restore(b.sim, &whole.reader), n == 60);
        assert_string_equal(whole.reader.why, "");
        toy_close(&b);
    }
    free(whole.bytes);
    toy_close(&a);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(file);
}

static int make_file(void **state)
{
    (void)state;
    int fd = mkstemp(file);
    return fd < 0 || close(fd) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_goes_on),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_cut),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
