/* SPDX-License-Identifier: Apache-2.0
 * Whole programs, unmodified, whose pages move whenever the clock stands: their results and the data figure are those
 * of a run without moves.  On golden GPUs while nothing runs; on RTL before the machine begins, so that it finds pages
 * away from their first places, and all the time, while kernels run; in lock step.
 * libs: -Wl,--wrap=gate_step,--wrap=gate_advance,--wrap=client_space_open
 * libs: -Wl,--wrap=migrate_step,--wrap=carry_flush,--wrap=views_map
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "config/config.h"
#include "driver/driver.h"
#include "driver/run.h"
#include "migrate/move.h"
#include "vm/pmem.h"

#define PAGE UINT64_C(4096)
#define AT_A_TIME 6u
#define AT_THE_START 2000u
#define BY_DAY 250u /* moves beside kernels: each makes the run longer, and what runs longer has more of them */

static enum { NO_MOVES, AT_START, WHILE_IT_RUNS, ALWAYS } when;
static unsigned moved, refused, away, beside; /* beside: a kernel that was at a GPU */
static uint32_t seed;
static struct driver *driver;

static uint32_t number(uint32_t below)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % below;
}

/* A page or block of some memory of the run, to any GPU. */
static int try_one(struct driver *d)
{
    uint32_t skip = number((uint32_t)d->backings.count);
    const struct range *r = ranges_from(&d->backings, 0);
    while (skip--)
        r = ranges_from(&d->backings, r->at + 1);
    const uint64_t page = r->at + number((uint32_t)(r->bytes / PAGE)) * PAGE;
    const bool block = number(4) == 0;
    return migrate_now(d->migrate, block ? page & ~(MIGRATE_BLOCK - 1) : page, block ? MIGRATE_BLOCK : MIGRATE_PAGE,
                       number(machine_gpus(d->machine)));
}

/* Most memory may not move: it is drawn again. */
static void one_move(struct driver *d)
{
    int error = -EPERM;
    for (unsigned tries = 0; error == -EPERM && tries < 20; tries++)
        error = try_one(d);
    assert_true(error == 0 || error == -EPERM || error == -EALREADY || error == -EBUSY || error == -EAGAIN);
    struct cp_progress progress = {.kernel = ""};
    if (machine_started(d->machine))
        machine_progress(d->machine, &progress);
    moved += error == 0;
    beside += error == 0 && *progress.kernel;
    refused += error != 0;
}

static bool enough(void)
{
    return when == WHILE_IT_RUNS && moved >= BY_DAY && !getenv("GANTRY_NIGHTLY");
}

static void some_moves(struct driver *d)
{
    driver = d;
    for (unsigned i = 0; when >= WHILE_IT_RUNS && i < AT_A_TIME && d->backings.count && !enough(); i++)
        one_move(d);
    uint64_t page = 0, now = 0;
    for (; pmem_away_next(machine_memory(d->machine), page, &page); page += PAGE)
        now++;
    away = now > away ? (unsigned)now : away;
}

/* The clock stands, or (free) is let run on beside the program. */
enum gate_step __real_gate_step(struct driver *d);
enum gate_step __wrap_gate_step(struct driver *d);
enum gate_step __wrap_gate_step(struct driver *d)
{
    some_moves(d);
    return __real_gate_step(d);
}

enum gate_step __real_gate_advance(struct driver *d);
enum gate_step __wrap_gate_advance(struct driver *d);
enum gate_step __wrap_gate_advance(struct driver *d)
{
    some_moves(d);
    return __real_gate_advance(d);
}

/* A GPU has answered something: in the middle of kernels and of other moves. */
void __real_migrate_step(struct migrate *m);
void __wrap_migrate_step(struct migrate *m);
void __wrap_migrate_step(struct migrate *m)
{
    __real_migrate_step(m);
    if (when == WHILE_IT_RUNS && !enough() && number(4) == 0)
        one_move(driver);
}

/* Work-groups that dispatchers have placed when a page is locked, and until it goes on. */
static struct {
    const struct move *move;
    uint64_t groups;
} locked[MIGRATE_MOST];
static unsigned stood, went_on; /* moves during which none was placed, some were */

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

/* The first of them starts the machine. */
int __real_client_space_open(struct driver *d, struct client *c, unsigned gpu);
int __wrap_client_space_open(struct driver *d, struct client *c, unsigned gpu);
int __wrap_client_space_open(struct driver *d, struct client *c, unsigned gpu)
{
    for (unsigned i = 0; (when == AT_START || when == ALWAYS) && i < AT_THE_START && !machine_started(d->machine); i++)
        one_move(d);
    return __real_client_space_open(d, c, gpu);
}

struct result {
    uint64_t data;
    unsigned kernels;
};

static struct result run(const char *what, enum sim_model model, const char *const settings[2], int moves)
{
    char app[] = "build/apps/chains", word[32], *argv[] = {app, word, NULL};
    struct config config;
    struct run_report report;
    snprintf(word, sizeof word, "%s", what);
    config_init(&config);
    assert_int_equal(config_load(&config, "tiny"), STATUS_OK);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(config_set(&config, "test", settings[i]), STATUS_OK);
    assert_int_equal(config_finish(&config), STATUS_OK);
    const struct run_options options = {.cfg = &config.cfg,
                                        .sim = {.model = model, .lockstep = model == SIM_RTL},
                                        .argv = argv,
                                        .shim = "build/lib/libgantry_shim.so"};
    struct run *r = run_new(&options);
    assert_non_null(r);
    when = moves;
    moved = refused = away = beside = stood = went_on = 0;
    memset(locked, 0, sizeof locked);
    run_program(r, &report);
    assert_int_equal(report.end, RUN_EXITED);
    assert_true(WIFEXITED(report.wait_status) && WEXITSTATUS(report.wait_status) == 0);
    const struct result result = {report.data_hash, report.row_count};
    run_free(r);
    config_fini(&config);
    return result;
}

/* With moves as without, and how many pages were away at a time. */
static void same(const char *what, enum sim_model model, const char *gpus, const char *place, int moves)
{
    const char *const settings[] = {gpus, place};
    const struct result without = run(what, model, settings, NO_MOVES);
    seed = *what;
    const struct result with = run(what, model, settings, moves);
    printf("%s, %s, %s: %u kernels, %u moves, %u refused, %u beside a kernel, %u pages away at a time, %u + %u\n", what,
           gpus, place, with.kernels, moved, refused, beside, away, stood, went_on);
    assert_true(with.data == without.data && with.kernels == without.kernels);
    assert_true(moved > 20 && away > 2);
}

static void on_golden_gpus(void **state)
{
    (void)state;
    same("sort", SIM_GOLDEN, "system.gpus=2", "place.processes=1", ALWAYS);
    same("life", SIM_GOLDEN, "system.gpus=3", "place.processes=1", ALWAYS);
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

/* By day a program of 2 s and few moves; nightly one of 12 s and as many as there can be, in lock step. */
static const char *program(void)
{
    return getenv("GANTRY_NIGHTLY") ? "life" : "sort";
}

/* shows S1.14: While kernels run: RTL GPUs carry the pages, and lock step compares every instruction. */
static void on_rtl_while_kernels_run(void **state)
{
    (void)state;
    same(program(), SIM_RTL, "system.gpus=2", "place.processes=1", WHILE_IT_RUNS);
    assert_true(beside > (getenv("GANTRY_NIGHTLY") ? 100 : 30) && went_on > 0);
}

/* shows S1.15: no work-group is placed between lock and resume. */
static void on_rtl_that_places_nothing(void **state)
{
    (void)state;
    same(program(), SIM_RTL, "system.gpus=2", "migrate.hold=dispatch", WHILE_IT_RUNS);
    assert_true(beside > 50 && stood > 50 && went_on == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_golden_gpus),           cmocka_unit_test(beside_a_running_program),
        cmocka_unit_test(in_worker_processes),      cmocka_unit_test(on_rtl_from_the_start),
        cmocka_unit_test(on_rtl_while_kernels_run), cmocka_unit_test(on_rtl_that_places_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
