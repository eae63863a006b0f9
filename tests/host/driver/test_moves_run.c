/* SPDX-License-Identifier: Apache-2.0
 * Whole programs, unmodified, whose pages move: their results and the data figure are those of a run without moves.  On
 * golden GPUs while nothing runs; on RTL before the machine begins, so that it finds pages away from their first
 * places, and while kernels run; in lock step.
 * libs: -Wl,--wrap=gate_step,--wrap=gate_advance,--wrap=client_space_open
 * libs: -Wl,--wrap=migrate_step,--wrap=carry_flush,--wrap=views_map,--wrap=launch_build
 * libs: -Wl,--wrap=cp_pages_shootdown
 */
#include "moves_run.h"

#include "system/phases.h"
#include "vm/pagetable.h"

/* Work-groups that dispatchers have placed when a page is locked, and until it goes on. */
static struct {
    const struct move *move;
    uint64_t groups;
} locked[MIGRATE_MOST];
static unsigned stood, went_on; /* moves during which none was placed, some were */
static uint64_t firsts;         /* first accesses, when a page was written back last */

static void groups_add(void *arg, const char *place, const char *name, uint64_t value, const char *unit)
{
    (void)unit;
    if (strstr(place, ".dispatch") && strcmp(name, "groups") == 0)
        *(uint64_t *)arg += value;
}

static uint64_t groups(const struct move *v)
{
    uint64_t sum = 0;
    sim_counters(machine_sim(((struct driver *)v->owner->host.ctx)->machine), groups_add, &sum);
    return sum;
}

void __real_carry_flush(struct move *v);
void __wrap_carry_flush(struct move *v);
void __wrap_carry_flush(struct move *v)
{
    unsigned i = 0;
    while (locked[i].move && locked[i].move != v)
        i++;
    locked[i].move = v;
    locked[i].groups = groups(v);
    const struct faults *faults = phases_faults(((struct driver *)v->owner->host.ctx)->phases);
    firsts = faults ? faults_sums(faults).faults : 0;
    __real_carry_flush(v);
}

void __real_views_map(struct move *v);
void __wrap_views_map(struct move *v);
void __wrap_views_map(struct move *v)
{
    for (unsigned i = 0; i < MIGRATE_MOST && locked[i].move; i++)
        if (locked[i].move == v && v->pushed && locked[i].groups == groups(v))
            stood++;
        else if (locked[i].move == v && v->pushed)
            went_on++;
    __real_views_map(v);
}

/* A GPU that has no entry for a page has none in a TLB either, and is not interrupted. */
void __real_cp_pages_shootdown(struct cp *cp, struct cp_space *space, const uint64_t *va, size_t count, uint64_t bytes,
                               bool more);
void __wrap_cp_pages_shootdown(struct cp *cp, struct cp_space *space, const uint64_t *va, size_t count, uint64_t bytes,
                               bool more);
void __wrap_cp_pages_shootdown(struct cp *cp, struct cp_space *space, const uint64_t *va, size_t count, uint64_t bytes,
                               bool more)
{
    for (size_t i = 0; i < count; i++) {
        bool any = false;
        for (uint64_t at = 0; at < bytes; at += PAGE)
            any |= pagetable_entry(space->pt, va[i] + at) != 0;
        assert_true(any);
    }
    __real_cp_pages_shootdown(cp, space, va, count, bytes, more);
}

static void moves_begin(void)
{
    stood = went_on = 0;
    firsts = 0;
    memset(locked, 0, sizeof locked);
}

static void moves_started(struct driver *d)
{
    (void)d;
}

static uint64_t moves_wanted(void)
{
    return 0;
}

/* A run without moves: of several settings one. */
static struct result without_moves(const char *what, enum sim_model model, const char *const settings[3])
{
    static struct {
        const char *what, *gpus;
        enum sim_model model;
        struct result result;
    } last;
    if (!last.what || strcmp(last.what, what) != 0 || strcmp(last.gpus, settings[0]) != 0 || last.model != model) {
        last.result = run(what, model, model == SIM_RTL, settings, NO_MOVES);
        last.what = what, last.gpus = settings[0], last.model = model;
    }
    return last.result;
}

/* With moves as without, and how many pages were away at a time. */
static void same_with(const char *what, enum sim_model model, const char *gpus, const char *place, const char *policy,
                      int moves)
{
    const char *const settings[] = {gpus, place, policy};
    const struct result without = without_moves(what, model, settings);
    seed = *what;
    const struct result with = run(what, model, model == SIM_RTL, settings, moves);
    printf("%s, %s, %s: %u kernels, %u moves, %u refused, %u beside a kernel, %u pages away at a time, %u + %u\n", what,
           gpus, place, with.kernels, moved, refused, beside, away, stood, went_on);
    assert_true(with.data == without.data && with.kernels == without.kernels);
    assert_true(moved > 20 && away > 2);
}

static void same(const char *what, enum sim_model model, const char *gpus, const char *place, int moves)
{
    same_with(what, model, gpus, place, NULL, moves);
}

static void on_golden_gpus(void **state)
{
    (void)state;
    same("life", SIM_GOLDEN, "system.gpus=3", "place.processes=1", ALWAYS);
    same("sort", SIM_GOLDEN, "system.gpus=2", "place.processes=1", ALWAYS);
}

/* The program goes on meanwhile, with what it has mapped. */
static void beside_a_running_program(void **state)
{
    (void)state;
    same("sort", SIM_GOLDEN, "system.gpus=2", "clock.mode=free", ALWAYS);
}

static void in_worker_processes(void **state)
{
    (void)state;
    same("sort", SIM_GOLDEN, "system.gpus=2", "place.processes=2", ALWAYS);
}

static void on_rtl_from_the_start(void **state)
{
    (void)state;
    same("sort", SIM_RTL, "system.gpus=2", "place.processes=1", AT_START);
}

/* By day a program of 2 s and few moves; nightly one of 12 s and many, in lock step. */
static const char *program(void)
{
    return getenv("GANTRY_NIGHTLY") ? "life" : "sort";
}

/* shows S1.14: While kernels run: RTL GPUs carry the pages, and lock step compares every instruction. */
static void on_rtl_while_kernels_run(void **state)
{
    (void)state;
    same(program(), SIM_RTL, "system.gpus=2", "place.processes=1", WHILE_IT_RUNS);
    assert_true(beside > 20 && went_on > 0);
}

/* Entries come on the first access: of what nobody has touched nothing moves, and the rest as always. */
static void on_rtl_with_first_accesses(void **state)
{
    (void)state;
    same_with(program(), SIM_RTL, "system.gpus=2", "migrate.map=lazy", "migrate.policy=first-touch", WHILE_IT_RUNS);
    printf("%u first accesses\n", (unsigned)firsts);
    assert_true(beside > 0 && went_on > 0 && firsts > 0);
}

/* shows S1.15: no work-group is placed between lock and resume. */
static void on_rtl_that_places_nothing(void **state)
{
    (void)state;
    same(program(), SIM_RTL, "system.gpus=2", "migrate.hold=dispatch", WHILE_IT_RUNS);
    assert_true(beside > 20 && stood > 50 && went_on == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_golden_gpus),
        cmocka_unit_test(beside_a_running_program),
        cmocka_unit_test(in_worker_processes),
        cmocka_unit_test(on_rtl_from_the_start),
        cmocka_unit_test(on_rtl_while_kernels_run),
        cmocka_unit_test(on_rtl_that_places_nothing),
        cmocka_unit_test(on_rtl_with_first_accesses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
