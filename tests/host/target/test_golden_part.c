// SPDX-License-Identifier: Apache-2.0
// A golden GPU as a partition (golden_part.c) in a machine of two: commands give their places back at once, slices of
// execution as events in time, the times of a launch, what it counts and reports; pauses of a run whose kernels never
// end.
#include <sys/wait.h>
#include <unistd.h>

#include "../machine/hand_bench.h"
#include "bridge/run/sched_save.h"
#include "config/config.h"
#include "golden/golden.h"
#include "target/golden_part.h"
#include "vm/pagetable.h"

#define CODE 0x10000u
#define SHORT_GROUPS 3u
#define TURN 20000u // instructions of a wavefront, then the next one's turn

/* at CODE: for ever; at CODE + 64: three instructions a wavefront */
static const uint32_t forever[] = {0xbf82ffff}, ends[] = {0xbf800000, 0xbf800000, 0xbf810000};

struct made {
    struct config config;
    struct hand *hand; // its notes only
    struct pagetable *table;
};

static struct made make(struct sim_options options, const char *setting)
{
    struct made m = {.hand = calloc(1, sizeof *m.hand)};
    config_init(&m.config);
    assert_int_equal(config_set(&m.config, "test", "system.gpus=2"), STATUS_OK);
    assert_int_equal(config_set(&m.config, "test", "gpu.vram_mib=64"), STATUS_OK);
    assert_int_equal(config_set(&m.config, "test", "link.host=150"), STATUS_OK);
    if (setting)
        assert_int_equal(config_set(&m.config, "test", setting), STATUS_OK);
    assert_int_equal(config_finish(&m.config), STATUS_OK);
    m.hand->memory = pmem_new(2, HAND_VRAM, HAND_VRAM);
    options.model = SIM_GOLDEN;
    m.hand->sim = sim_new(&m.config.cfg, m.hand->memory, &options, &hand_host, m.hand);
    assert_non_null(m.hand->sim);
    m.table = pagetable_new(m.hand->memory, 1);
    assert_int_equal(pagetable_map(m.table, CODE, pmem_addr(2, 0x1000), 0x1000, PTE_R | PTE_X), 0);
    pmem_write(m.hand->memory, pmem_addr(2, 0x1000), forever, sizeof forever);
    pmem_write(m.hand->memory, pmem_addr(2, 0x1040), ends, sizeof ends);
    const struct msg_cp_cmd vmid = {.kind = CP_VMID, .vmid = 3, .root = pagetable_root(m.table)};
    sim_cmd(m.hand->sim, 1, &vmid);
    return m;
}

static void scrap(struct made *m)
{
    sim_free(m->hand->sim);
    pagetable_free(m->table);
    pmem_free(m->hand->memory);
    config_fini(&m->config);
    free(m->hand);
}

static void launch_of(struct made *m, uint16_t id, uint64_t pc, uint32_t groups, uint16_t waves)
{
    const struct msg_cp_cmd cmd = {.kind = CP_LAUNCH,
                                   .vmid = 3,
                                   .id = id,
                                   .pc = pc,
                                   .grid = {64 * waves * groups, 1, 1},
                                   .group = {(uint16_t)(64 * waves), 1, 1},
                                   .groups = {groups, 1, 1},
                                   .waves = waves,
                                   .vgprs = 4,
                                   .sgprs = 16};
    sim_cmd(m->hand->sim, 1, &cmd);
}

static void launch(struct made *m, uint16_t id, uint64_t pc, uint32_t groups)
{
    launch_of(m, id, pc, groups, 1);
}

// It begins and ends in the cycle in which its slice does; the host hears of it a link later.
static void times_of_a_launch(void **state)
{
    (void)state;
    struct made m = make((struct sim_options){0}, NULL);
    sim_timer(m.hand->sim, 1003, 0);
    assert_int_equal(sim_run(m.hand->sim, 1003), SIM_STOPPED);
    launch(&m, 7, CODE + 64, SHORT_GROUPS);
    assert_int_equal(sim_run(m.hand->sim, UINT64_MAX), SIM_STOPPED);
    assert_int_equal(m.hand->told, 2);
    const struct hand_note *n = &m.hand->host[1];
    assert_true(n->what == 'e' && n->where == 1 && n->cycle == 1003 + 300);
    assert_true(n->evt.kind == CP_EVT_LAUNCH_DONE && n->evt.id == 7);
    assert_true(n->evt.start == 1153 && n->evt.end == 1153);
    assert_int_equal(n->evt.instructions, 3 * SHORT_GROUPS);
    assert_int_equal(sim_groups(m.hand->sim, 1), SHORT_GROUPS);
    assert_int_equal(sim_groups(m.hand->sim, 0), 0);
    scrap(&m);
}

// Who reads the time is told a cycle for 64 instructions; the host hears of nothing before what it was told, and what
// begins meanwhile does not begin before it.
static void reads_of_the_time(void **state)
{
    (void)state;
    enum { ROUNDS = 0x4000, BEFORE = 1 + 3 * ROUNDS, PASSED = BEFORE / GOLDEN_RATE };
    static const uint32_t reads[] = {0xb0020000 | ROUNDS,                          // s_movk_i32 s2, ROUNDS
                                     0x80828102,          0xbf078002, 0xbf85fffd,  // s2 - 1; != 0: again
                                     0xc0900000,          0,          0xbf810000}; // s_memtime s[0:1]
    struct made m = make((struct sim_options){0}, NULL);
    pmem_write(m.hand->memory, pmem_addr(2, 0x1080), reads, sizeof reads);
    for (unsigned i = 0; i < 2; i++) {
        sim_timer(m.hand->sim, 1003 + 100 * i, 0);
        assert_int_equal(sim_run(m.hand->sim, 1003 + 100 * i), SIM_STOPPED);
        launch(&m, i, CODE + 128, 1);
    }
    assert_int_equal(sim_run(m.hand->sim, UINT64_MAX), SIM_STOPPED);
    assert_int_equal(m.hand->told, 4);
    const struct hand_note *first = &m.hand->host[2], *second = first + 1;
    assert_true(first->evt.id == 0 && first->evt.start == 1153 && first->evt.end == 1153 + PASSED);
    assert_true(first->cycle == 1303 + PASSED);
    assert_true(second->evt.id == 1 && second->evt.start == first->evt.end && second->evt.end == 1253 + PASSED);
    assert_true(second->cycle == 1403 + PASSED);
    scrap(&m);
}

// Commands that come in one window are taken at their cycles, their places are free then, their answers come in order.
static void commands_of_a_window(void **state)
{
    (void)state;
    struct made m = make((struct sim_options){0}, NULL);
    for (unsigned i = 0; i < 70; i++)
        hand_cmd(m.hand, 1, CP_CACHE, (uint16_t)i); // more than places: the first is the VMID's
    assert_int_equal(m.hand->sim->commands_waiting, 7);
    assert_int_equal(sim_run(m.hand->sim, UINT64_MAX), SIM_STOPPED);
    assert_int_equal(m.hand->told, 70);
    for (unsigned i = 0; i < 70; i++) {
        assert_int_equal(m.hand->host[i].value, i);
        assert_true(m.hand->host[i].cycle == (i < 63 ? 301 + i : 2 * 300 + i - 63)); // the last 7 leave with places
    }
    scrap(&m);
}

static bool wanted(void *arg)
{
    unsigned *asked = arg;
    return ++*asked == 0;
}
static bool unwanted(void *arg)
{
    unsigned *asked = arg;
    return ++*asked == 3;
}

// 16 slices, or fewer when nobody waits for more, then the caller may look around; each takes 4096 cycles.
static void what_never_ends_pauses(void **state)
{
    (void)state;
    static bool (*const asks[])(void *arg) = {NULL, wanted, unwanted};
    static const unsigned slices[] = {16, 16, 3}, asked_for[] = {0, 15, 3};
    for (unsigned i = 0; i < 3; i++) {
        unsigned asked = 0;
        struct made m =
            make((struct sim_options){.unwanted = asks[i], .unwanted_arg = &asked, .golden_slice = 100}, NULL);
        struct part *golden = m.hand->sim->gpus[1].golden;
        launch(&m, 1, CODE, 1);
        for (unsigned round = 1; round < 3; round++) {
            asked = 0;
            assert_int_equal(sim_run(m.hand->sim, UINT64_MAX), SIM_STOPPED);
            assert_int_equal(asked, asked_for[i]);
            assert_int_equal(golden_part_slices(golden), round * slices[i]);
            const uint64_t last = 151 + (uint64_t)(round * slices[i] - 1) * GOLDEN_SLICE_CYCLES;
            assert_true(sim_now(m.hand->sim) == m.hand->sim->sched.now);
            assert_true(sim_now(m.hand->sim) > last && sim_now(m.hand->sim) <= last + PART_WINDOW * SCHED_STRETCH);
            assert_int_equal(sim_instructions(m.hand->sim), 100 * round * slices[i]);
        }
        assert_int_equal(sim_run(m.hand->sim, sim_now(m.hand->sim) + GOLDEN_SLICE_CYCLES), SIM_STOPPED);
        assert_int_equal(golden_part_slices(golden), 2 * slices[i] + 1);
        scrap(&m);
    }
}

static unsigned between; // timers: at each GPU 0 is told something, which is no work
static void others_are_told(struct hand *h, const struct hand_note *n)
{
    if (n->what == 't')
        hand_cmd(h, 0, CP_CACHE, (uint16_t)between++);
}

// Nobody is asked again before there is a new slice, whatever else moves meanwhile.
static void slices_alone_are_asked_behind(void **state)
{
    (void)state;
    unsigned asked = 0;
    struct made m = make((struct sim_options){.unwanted = wanted, .unwanted_arg = &asked, .golden_slice = 100}, NULL);
    launch(&m, 1, CODE, 1);
    m.hand->act = others_are_told;
    for (unsigned i = 0; i < 8; i++)
        sim_timer(m.hand->sim, 2000 + 5000 * i, 0);
    between = 0;
    assert_int_equal(sim_run(m.hand->sim, UINT64_MAX), SIM_STOPPED);
    assert_int_equal(between, 8);
    assert_int_equal(m.hand->told, 16); // and answers
    assert_int_equal(golden_part_slices(m.hand->sim->gpus[1].golden), 16);
    assert_int_equal(asked, 15);
    scrap(&m);
}

static void not_kept(void *ctx, unsigned gpu, uint64_t now, const struct msg_cp_evt *evt)
{
    assert_true(gpu == 1 && evt->kind == CP_EVT_INTERRUPT && evt->data == 0);
    assert_true(((uint64_t *)ctx)[0] < now); // one a cycle
    ((uint64_t *)ctx)[0] = now;
    ((uint64_t *)ctx)[1]++;
}

// Who sends more events than reach the host waits: the last one may be GOLDEN_SLICE cycles away when the next slice
// begins, and no more.
static void events_hold_work_back(void **state)
{
    (void)state;
    static const uint32_t sends[] = {0xbf900001, 0xbf82fffe}; // s_sendmsg interrupt; again
    static const struct sim_host_ops ops = {not_kept, hand_on_timer, hand_on_answer};
    // Instructions of a slice, in whole turns; every second one is an event, so that two slices fill up.  The link
    // makes the last one GOLDEN_SLICE away at slice WAITS.
    enum { DONE = (GOLDEN_SLICE + TURN - 1) / TURN * TURN, WAITS = 6 };
    const unsigned link = GOLDEN_SLICE + WAITS * GOLDEN_SLICE_CYCLES - DONE;
    for (unsigned more = 0; more < 2; more++) { // a cycle farther away: one slice later
        char setting[40];
        uint64_t seen[2] = {0, 0};
        snprintf(setting, sizeof setting, "link.host=%u", link + more);
        struct made m = make((struct sim_options){0}, setting);
        m.hand->sim->ops = &ops;
        m.hand->sim->ctx = seen;
        pmem_write(m.hand->memory, pmem_addr(2, 0x1080), sends, sizeof sends);
        launch(&m, 1, CODE + 128, 1);
        for (unsigned n = 0; n <= WAITS + 2; n++) {
            const uint64_t now = link + more + 1 + (uint64_t)n * GOLDEN_SLICE_CYCLES; // the root comes before it
            assert_int_equal(sim_run(m.hand->sim, now + PART_WINDOW), SIM_STOPPED);
            const unsigned slices = n == 0 ? 1 : n < WAITS + more ? 2 : 3;
            assert_int_equal(part_shown(m.hand->sim->gpus[1].golden), (uint64_t)slices * DONE);
        }
        assert_true(seen[1] > 20000);
        scrap(&m);
    }
}

// A slice is as long as asked for, and no longer than one is.
static void lengths_of_a_slice(void **state)
{
    (void)state;
    static const struct {
        uint32_t asked, slice;
    } cases[] = {
        {0, GOLDEN_SLICE}, {1, 1}, {77, 77}, {GOLDEN_SLICE - 1, GOLDEN_SLICE - 1}, {GOLDEN_SLICE + 5, GOLDEN_SLICE}};
    for (unsigned i = 0; i < 5; i++) {
        struct made m = make((struct sim_options){.golden_slice = cases[i].asked}, NULL);
        launch(&m, 1, CODE, 1);
        assert_int_equal(sim_run(m.hand->sim, 200), SIM_STOPPED);
        const uint64_t done = sim_instructions(m.hand->sim);
        assert_true(done >= cases[i].slice && done < cases[i].slice + 20000);
        assert_true(cases[i].slice > 20000 || done == cases[i].slice);
        scrap(&m);
    }
}

// Beside one that never ends others begin with the next slice at the latest, and end.
static void others_end_beside_it(void **state)
{
    (void)state;
    struct made m = make((struct sim_options){.golden_slice = 50}, NULL);
    launch(&m, 1, CODE, 1);
    assert_int_equal(sim_run(m.hand->sim, 10000), SIM_STOPPED);
    launch(&m, 2, CODE + 64, 2);
    assert_int_equal(sim_run(m.hand->sim, 40000), SIM_STOPPED);
    assert_int_equal(m.hand->told, 1);
    assert_int_equal(m.hand->host[0].evt.id, 2);
    assert_true(m.hand->host[0].cycle >= 10300 && m.hand->host[0].cycle <= 10300 + 2 * GOLDEN_SLICE_CYCLES);
    const struct msg_cp_cmd kill = {.kind = CP_KILL, .vmid = 3, .id = 5};
    sim_cmd(m.hand->sim, 1, &kill);
    assert_int_equal(sim_run(m.hand->sim, UINT64_MAX), SIM_STOPPED); // nothing turns any more
    assert_int_equal(m.hand->told, 2);
    assert_int_equal(m.hand->host[1].evt.kind, CP_EVT_KILL_DONE);
    assert_true(sim_quiet(m.hand->sim) && sim_now(m.hand->sim) < 60000);
    const uint64_t slices = golden_part_slices(m.hand->sim->gpus[1].golden);
    launch(&m, 6, CODE + 64, 2); // ends in its slice: none had work left
    assert_int_equal(sim_run(m.hand->sim, UINT64_MAX), SIM_STOPPED);
    assert_true(golden_part_slices(m.hand->sim->gpus[1].golden) == slices);
    scrap(&m);
}

// ---- what it tells of itself
static char counted[400];
static void count(void *arg, const char *location, const char *name, uint64_t value, const char *unit)
{
    (void)arg;
    if (strstr(location, "golden"))
        snprintf(counted + strlen(counted), 100, "%s %s %llu %s\n", location, name, (unsigned long long)value, unit);
}

static void what_it_tells(void **state)
{
    (void)state;
    struct made m = make((struct sim_options){.golden_slice = 50}, NULL);
    launch(&m, 7, CODE + 64, SHORT_GROUPS);
    assert_int_equal(sim_run(m.hand->sim, UINT64_MAX), SIM_STOPPED);
    struct part *golden = m.hand->sim->gpus[1].golden, *idle = m.hand->sim->gpus[0].golden;
    counted[0] = 0;
    sim_counters(m.hand->sim, count, NULL);
    assert_string_equal(counted, "gpu0.golden cu_inst_count 0 count\ngpu1.golden cu_inst_count 9 count\n");
    assert_true(part_shown(golden) == 9 && part_shown(idle) == 0);
    assert_string_equal(part_unsavable(golden), "the golden model cannot be saved, only RTL can");
    for (unsigned round = 0; round < 2; round++) {
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        golden->ops->report(golden, out);
        fclose(out);
        if (round == 0)
            assert_string_equal(text, "  gpu1.golden: no wavefront can run\n");
        else {
            assert_int_equal(strncmp(text, "  gpu1.golden: wavefronts are running\n  gpu1.golden: ", 53), 0);
            unsigned lines = 0;
            for (const char *c = text; *c; c++)
                lines += *c == '\n';
            assert_int_equal(lines, 1 + SIM_WHERE + 1); // not all of them, and how many more
        }
        free(text);
        launch_of(&m, 8, CODE, 1, 16);
        launch_of(&m, 9, CODE, 1, 16);
        assert_int_equal(sim_run(m.hand->sim, sim_now(m.hand->sim) + 100000), SIM_STOPPED);
    }
    scrap(&m);
}

// Every partition is visited in every window, and nothing is another for it.
static void nothing_is_skipped(void **state)
{
    (void)state;
    uint64_t visits[2], cycle[2];
    for (unsigned i = 0; i < 2; i++) {
        struct made m = make((struct sim_options){.no_skip = i}, NULL);
        sim_timer(m.hand->sim, 4000, 0);
        launch(&m, 7, CODE + 64, SHORT_GROUPS);
        assert_int_equal(sim_run(m.hand->sim, 3999), SIM_STOPPED);
        visits[i] = sched_visits(&m.hand->sim->sched);
        cycle[i] = m.hand->host[0].cycle;
        scrap(&m);
    }
    assert_true(cycle[0] == cycle[1]);
    assert_true(visits[0] < 20);
    assert_true(visits[1] >= 4 * 490 && visits[1] <= 4 * 508);
}

// A kernel whose page tables still lead to the frame that a page has left ends the run.
static int fetches_from(enum pmem_guard guard)
{
    int status;
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        if (!freopen("/dev/null", "w", stderr))
            _exit(1);
        struct made m = make((struct sim_options){0}, NULL);
        if (!pmem_guard_begin(m.hand->memory))
            _exit(1);
        pmem_guard_set(m.hand->memory, pmem_addr(2, 0x1000), guard);
        launch_of(&m, 1, CODE + 64, 1, 1);
        sim_run(m.hand->sim, 100000);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void frames_of_moving_pages_are_guarded(void **state)
{
    (void)state;
    assert_int_equal(fetches_from(PMEM_OPEN), 0);
    assert_int_equal(fetches_from(PMEM_LEFT), 70);
    assert_int_equal(fetches_from(PMEM_COMES), 70);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_of_the_time),
        cmocka_unit_test(times_of_a_launch),
        cmocka_unit_test(commands_of_a_window),
        cmocka_unit_test(what_never_ends_pauses),
        cmocka_unit_test(lengths_of_a_slice),
        cmocka_unit_test(others_end_beside_it),
        cmocka_unit_test(what_it_tells),
        cmocka_unit_test(nothing_is_skipped),
        cmocka_unit_test(slices_alone_are_asked_behind),
        cmocka_unit_test(frames_of_moving_pages_are_guarded),
        cmocka_unit_test(events_hold_work_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
