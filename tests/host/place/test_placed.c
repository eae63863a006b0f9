// SPDX-License-Identifier: Apache-2.0
// sim_run of golden GPUs in several processes (placed.c) step by step against one process: results, the host's time and
// what it is told are the same, also at the end of what there is to do, at --max-cycles, with a machine that waits for
// itself and with kernels that never end; a worker that is lost ends the run.
#include "../machine/hand_bench.h"
#include "bridge/link/peers.h"
#include "config/config.h"
#include "place/place.h"
#include "place/place_private.h"
#include "vm/pagetable.h"
#include <signal.h>

#define GPUS 3u
#define CODE 0x10000u

/* at CODE: for ever; at CODE + 64: three instructions a wavefront */
static const uint32_t forever[] = {0xbf82ffff}, ends[] = {0xbf800000, 0xbf800000, 0xbf810000};

struct made {
    struct config config;
    struct hand *hand; // its notes only
    struct pagetable *table[GPUS];
    enum gantry_status failure;
};

static void make(struct made *m, unsigned processes, struct sim_options options)
{
    char text[40];
    *m = (struct made){.hand = calloc(1, sizeof *m->hand)};
    snprintf(text, sizeof text, "place.processes=%u", processes);
    config_init(&m->config);
    assert_int_equal(config_set(&m->config, "test", "system.gpus=3"), STATUS_OK);
    assert_int_equal(config_set(&m->config, "test", "gpu.vram_mib=64"), STATUS_OK);
    assert_int_equal(config_set(&m->config, "test", "link.host=150"), STATUS_OK);
    assert_int_equal(config_set(&m->config, "test", text), STATUS_OK);
    assert_int_equal(config_finish(&m->config), STATUS_OK);
    m->hand->memory = pmem_new(GPUS, HAND_VRAM, HAND_VRAM);
    options.model = SIM_GOLDEN;
    options.failure = &m->failure;
    m->hand->sim = sim_new(&m->config.cfg, m->hand->memory, &options, &hand_host, m->hand);
    assert_non_null(m->hand->sim);
    for (unsigned g = 0; g < GPUS; g++) {
        m->table[g] = pagetable_new(m->hand->memory, g);
        assert_int_equal(pagetable_map(m->table[g], CODE, pmem_addr(g + 1, 0x1000), 0x1000, PTE_R | PTE_X), 0);
        pmem_write(m->hand->memory, pmem_addr(g + 1, 0x1000), forever, sizeof forever);
        pmem_write(m->hand->memory, pmem_addr(g + 1, 0x1040), ends, sizeof ends);
    }
}

static void scrap(struct made *m)
{
    sim_free(m->hand->sim);
    for (unsigned g = 0; g < GPUS; g++)
        pagetable_free(m->table[g]);
    pmem_free(m->hand->memory);
    config_fini(&m->config);
    free(m->hand);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void launch(struct made *m, unsigned gpu, uint16_t id, uint64_t pc)
{
    const struct msg_cp_cmd vmid = {.kind = CP_VMID, .vmid = 3, .root = pagetable_root(m->table[gpu])};
    const struct msg_cp_cmd cmd = {.kind = CP_LAUNCH,
                                   .vmid = 3,
                                   .id = id,
                                   .pc = pc,
                                   .grid = {128, 1, 1},
                                   .group = {64, 1, 1},
                                   .groups = {2, 1, 1},
                                   .waves = 1,
                                   .vgprs = 4,
                                   .sgprs = 16};
    sim_cmd(m->hand->sim, gpu, &vmid);
    sim_cmd(m->hand->sim, gpu, &cmd);
}

// ---- the same steps
struct step { // no padding: compared as bytes
    uint64_t result, now, told, quiet;
};
static struct step steps[64];
static struct hand_note notes[256];
static unsigned done;

// A run; in one process its outcome is kept, in several it is compared.
static void run(struct made *m, unsigned processes, uint64_t until)
{
    struct sim *sim = m->hand->sim;
    assert_int_equal(place_workers(sim), processes - 1);
    const enum sim_result result = sim_run(sim, until);
    const struct step s = {result, sim_now(sim), m->hand->told, sim_quiet(sim)};
    if (processes == 1)
        steps[done] = s;
    else
        assert_memory_equal(&steps[done], &s, sizeof s);
    done++;
}

static void outcome(struct made *m, unsigned processes)
{
    const struct hand *h = m->hand;
    for (unsigned i = 0; i < h->told; i++) {
        if (processes == 1)
            notes[i] = h->host[i];
        const struct hand_note *one = &notes[i], *now = &h->host[i];
        assert_true(one->what == now->what && one->where == now->where && one->cycle == now->cycle &&
                    one->value == now->value);
        assert_memory_equal(&one->evt, &now->evt, sizeof one->evt);
        assert_memory_equal(&one->rsp, &now->rsp, sizeof one->rsp);
    }
}

static void as_in_one_process(void **state)
{
    (void)state;
    for (unsigned processes = 1; processes <= 3; processes++) {
        struct made m;
        struct sim *sim;
        done = 0;
        make(&m, processes, (struct sim_options){0});
        sim = m.hand->sim;
        run(&m, processes, 0);          // nothing to do
        run(&m, processes, UINT64_MAX); // and nothing ever
        sim_timer(sim, 1003, 1);
        sim_timer(sim, 1004, 2);
        run(&m, processes, 3);
        run(&m, processes, 1000);
        run(&m, processes, 1003);
        run(&m, processes, 1007);
        for (unsigned g = 0; g < GPUS; g++)
            launch(&m, g, (uint16_t)(g + 1), CODE + 64);
        hand_read(m.hand, pmem_addr(2, 0x1000), false, 11);
        hand_read(m.hand, pmem_addr(0, 0x1000), false, 12);
        run(&m, processes, 1100);
        sim_timer(sim, 1309, 3);
        run(&m, processes, 1307);
        run(&m, processes, 1308);
        run(&m, processes, 1308); // nothing passes
        run(&m, processes, 1200);
        run(&m, processes, UINT64_MAX);
        launch(&m, 1, 9, CODE + 64);
        run(&m, processes, sim_now(sim) + 151);
        run(&m, processes, sim_now(sim) + 5000); // it has ended long before
        sim_timer(sim, sim_now(sim) + 60000, 4);
        run(&m, processes, sim_now(sim) + 50000);
        run(&m, processes, UINT64_MAX);
        assert_int_equal(sim_groups(sim, 1), 4);
        assert_int_equal(sim_instructions(sim), 24);
        outcome(&m, processes);
        scrap(&m);
        assert_int_equal(m.failure, STATUS_OK);
    }
    assert_int_equal(steps[1].result, SIM_STOPPED);
}

static void at_the_last_cycle(void **state)
{
    (void)state;
    for (unsigned processes = 1; processes <= 2; processes++) {
        struct made m;
        done = 0;
        make(&m, processes, (struct sim_options){.max_cycles = 803});
        launch(&m, 1, 1, CODE + 64);
        run(&m, processes, 700);
        run(&m, processes, 802);
        sim_timer(m.hand->sim, 5000, 4);
        run(&m, processes, 6000);
        run(&m, processes, UINT64_MAX);
        assert_int_equal(steps[2].result, SIM_MAX_CYCLES);
        outcome(&m, processes);
        scrap(&m);
    }
}

static void stops(struct hand *h, const struct hand_note *n)
{
    (void)n;
    sim_stop(h->sim);
}

static void a_stop(void **state)
{
    (void)state;
    for (unsigned processes = 1; processes <= 3; processes += 2) {
        struct made m;
        done = 0;
        make(&m, processes, (struct sim_options){0});
        m.hand->act = stops;
        for (unsigned g = 0; g < GPUS; g++)
            launch(&m, g, (uint16_t)(g + 1), CODE + 64);
        sim_timer(m.hand->sim, 301, 4);
        for (unsigned i = 0; i < 5; i++)
            run(&m, processes, UINT64_MAX);
        assert_int_equal(m.hand->told, 4);
        outcome(&m, processes);
        scrap(&m);
    }
}

// A launch that waits for ever in a worker: who waits for what is told, by the worker's own words too.
static void a_machine_that_waits_for_itself(void **state)
{
    (void)state;
    for (unsigned processes = 1; processes <= 2; processes++) {
        struct made m;
        make(&m, processes, (struct sim_options){0});
        assert_int_equal(sim_run(m.hand->sim, 10), SIM_STOPPED);
        pending_add(&m.hand->sim->gpus[1], &(struct msg_cp_cmd){.kind = CP_LAUNCH, .id = 7}); // lost on its way
        char *text = hand_said(m.hand, 100000, SIM_NO_PROGRESS);
        assert_non_null(strstr(text, ": all partitions are idle and no message is under way\n"));
        assert_non_null(strstr(text, "  host.cp waits for gpu1.golden: launch 7\n"));
        for (unsigned g = 0; g < GPUS; g++) {
            char line[60];
            snprintf(line, sizeof line, "  gpu%u.golden: no wavefront can run\n", g);
            assert_non_null(strstr(text, line));
        }
        free(text);
        m.hand->sim->gpus[1].pending_count = 0;
        scrap(&m);
    }
}

static unsigned asked;
static bool nobody_waits(void *arg)
{
    asked++;
    return *(bool *)arg;
}

// What never ends: the caller looks around after as many cycles as 16 slices take, in whichever process it runs.
static void what_never_ends_pauses(void **state)
{
    (void)state;
    for (unsigned gpu = 0; gpu < 2; gpu++) { // of this process, of the other
        bool gone = false;
        struct made m;
        make(&m, 2, (struct sim_options){.golden_slice = 100, .unwanted = nobody_waits, .unwanted_arg = &gone});
        launch(&m, gpu, 1, CODE);
        for (unsigned round = 1; round < 4; round++) {
            const uint64_t begin = m.hand->sim->sched.now;
            assert_int_equal(sim_run(m.hand->sim, UINT64_MAX), SIM_STOPPED);
            assert_true(sim_now(m.hand->sim) >= begin + 65536 && sim_now(m.hand->sim) < begin + 65536 + 200);
            assert_true(sim_now(m.hand->sim) == m.hand->sim->sched.now);
        }
        const uint64_t now = sim_now(m.hand->sim);
        assert_int_equal(sim_run(m.hand->sim, now + 5000), SIM_STOPPED); // less than that
        assert_true(sim_now(m.hand->sim) == now + 5000);
        scrap(&m);
    }
}

// A worker that is stopped is waited for once, by the first wait after nobody wants the run, and then by none, also not
// by that for its end; one that works is none of these.
static void nobody_waits_for_a_stopped_worker(void **state)
{
    (void)state;
    for (unsigned gpu = 0; gpu < 2; gpu++) { // busy here, or there
        bool gone = true;
        struct made m;
        make(&m, 2, (struct sim_options){.golden_slice = 100, .unwanted = nobody_waits, .unwanted_arg = &gone});
        struct sim *sim = m.hand->sim;
        launch(&m, gpu, 1, CODE);
        assert_int_equal(sim_run(sim, UINT64_MAX), SIM_STOPPED);
        assert_false(placed_unwanted(sim));
        assert_int_equal(kill(sim->place->workers->list[0].pid, SIGSTOP), 0);
        const uint64_t begin = peers_clock();
        while (sim_run(sim, UINT64_MAX) == SIM_STOPPED)
            assert_true(peers_clock() - begin < UINT64_C(9000000000));
        const uint64_t first = peers_clock();
        assert_true(first - begin < UINT64_C(9000000000));
        assert_int_equal(m.failure, STATUS_IO);
        assert_int_equal(sim_lost(sim), STATUS_IO);
        assert_true(placed_unwanted(sim));
        gone = false; // nobody asks any more
        for (unsigned n = 0; n < 3; n++)
            assert_int_equal(sim_run(sim, UINT64_MAX), SIM_LOST);
        sim_instructions(sim);
        assert_true(peers_clock() - first < UINT64_C(1000000000));
        scrap(&m);
        assert_true(peers_clock() - first < UINT64_C(4000000000));
    }
}

// Workers know the windows of client memory before they run on.
static void windows_are_told_before_a_run(void **state)
{
    (void)state;
    static char page[8192] __attribute__((aligned(4096)));
    struct made m;
    make(&m, 2, (struct sim_options){0});
    assert_int_equal(sim_run(m.hand->sim, 10), SIM_STOPPED);
    pmem_window_add(m.hand->memory, getpid(), (uint64_t)(uintptr_t)page, 4096);
    assert_true(m.hand->sim->place->windows != pmem_windows_changes(m.hand->memory));
    assert_int_equal(sim_run(m.hand->sim, 20), SIM_STOPPED);
    assert_true(m.hand->sim->place->windows == pmem_windows_changes(m.hand->memory));
    scrap(&m);
}

// Time of the workers, in seconds, which only grows; without one there is none.
static void time_of_workers(void **state)
{
    (void)state;
    for (unsigned processes = 1; processes <= 3; processes++) {
        struct made m;
        make(&m, processes, (struct sim_options){0});
        launch(&m, 2, 1, CODE + 64);
        assert_int_equal(sim_run(m.hand->sim, UINT64_MAX), SIM_STOPPED);
        const double before = (double)place_sum(m.hand->sim, PLACE_CPU), seconds = sim_cpu_seconds(m.hand->sim),
                     after = (double)place_sum(m.hand->sim, PLACE_CPU);
        assert_true(before <= seconds * 1000000.001 && seconds * 999999.999 <= after);
        assert_int_equal(before > 0, processes > 1);
        scrap(&m);
    }
}

// ---- lost
static void a_lost_worker_ends_the_run(void **state)
{
    (void)state;
    for (unsigned turns = 0; turns < 2; turns++) { // killed at rest, and while it turns for ever
        struct made m;
        make(&m, 2, (struct sim_options){.golden_slice = 100});
        struct sim *sim = m.hand->sim;
        if (turns)
            launch(&m, 1, 1, CODE);
        sim_timer(sim, UINT64_C(1) << 50, 1);
        assert_int_equal(sim_run(sim, 1000), SIM_STOPPED);
        assert_int_equal(sim_lost(sim), STATUS_OK);
        const pid_t pid = sim->place->workers->list[0].pid;
        kill(pid, SIGKILL);
        const uint64_t begin = peers_clock();
        char *text = NULL, wanted[80];
        size_t size = 0;
        FILE *saved = stderr;
        stderr = open_memstream(&text, &size);
        enum sim_result result = SIM_STOPPED;
        while (result == SIM_STOPPED && peers_clock() - begin < UINT64_C(10000000000))
            result = sim_run(sim, turns ? UINT64_MAX : sim_now(sim) + 100000);
        fclose(stderr);
        stderr = saved;
        assert_int_equal(result, SIM_LOST);
        assert_int_equal(m.failure, STATUS_IO);
        assert_int_equal(sim_lost(sim), STATUS_IO);
        snprintf(wanted, sizeof wanted, ": process worker1 (pid %d) ended at cycle ", (int)pid);
        assert_non_null(strstr(text, wanted));
        assert_int_equal(sim_run(sim, UINT64_MAX), SIM_LOST); // and remains so
        free(text);
        scrap(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_in_one_process),
        cmocka_unit_test(at_the_last_cycle),
        cmocka_unit_test(a_stop),
        cmocka_unit_test(a_machine_that_waits_for_itself),
        cmocka_unit_test(what_never_ends_pauses),
        cmocka_unit_test(nobody_waits_for_a_stopped_worker),
        cmocka_unit_test(windows_are_told_before_a_run),
        cmocka_unit_test(a_lost_worker_ends_the_run),
        cmocka_unit_test(time_of_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
