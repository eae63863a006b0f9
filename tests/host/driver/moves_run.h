/* SPDX-License-Identifier: Apache-2.0
 * A program of a run under `gantry run`, whose pages move at random: before it begins and whenever the clock stands, or
 * (WHILE_IT_RUNS) when a kernel is read from its queue or a GPU has answered, a matter of target time alone, so that
 * runs are equal.  Who includes it links with the wraps of gate_step, gate_advance, client_space_open, launch_build and
 * migrate_step.  Not responsible for: what is looked at.
 */
#ifndef MOVES_RUN_H
#define MOVES_RUN_H
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

#include "clients/run.h"
#include "config/config.h"
#include "driver/driver.h"
#include "firmware/cp_private.h"
#include "migrate/move.h"
#include "vm/pmem.h"

#define PAGE UINT64_C(4096)
#define AT_A_TIME 6u
#define AT_THE_START 2000u
#define BY_DAY 250u /* moves beside kernels: each makes the run longer, and what runs longer has more of them */
#define AT_NIGHT 4000u

static enum { NO_MOVES, AT_START, WHILE_IT_RUNS, ALWAYS } when;
static unsigned moved, refused, away, beside; /* beside: a kernel that was at a GPU */
static uint32_t seed, rare = 1;               /* rare: of so many times at which pages may move they do at one */
static struct driver *driver;

/* The test's: a run begins; its machine has started (perhaps before). */
static void moves_begin(void);
static void moves_started(struct driver *d);
/* A page that would be worth while, or 0. */
static uint64_t moves_wanted(void);

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
    const uint64_t wanted = number(4) ? moves_wanted() : 0;
    if (wanted)
        return migrate_now(d->migrate, wanted, MIGRATE_PAGE, number(machine_gpus(d->machine)));
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
    return when == WHILE_IT_RUNS && moved >= (getenv("GANTRY_NIGHTLY") ? AT_NIGHT : BY_DAY);
}

static void begin_some(struct driver *d)
{
    for (unsigned i = 0; number(rare) == 0 && i < AT_A_TIME && d->backings.count && !enough(); i++)
        one_move(d);
}

static void some_moves(struct driver *d)
{
    driver = d;
    if (when == ALWAYS)
        begin_some(d);
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

/* A kernel is read from its queue. */
uint32_t __real_launch_build(const struct cp *cp, const struct cp_queue *queue, uint64_t index, const uint8_t *packet,
                             const struct launch_memory *memory, bool described, struct msg_cp_cmd *cmd);
uint32_t __wrap_launch_build(const struct cp *cp, const struct cp_queue *queue, uint64_t index, const uint8_t *packet,
                             const struct launch_memory *memory, bool described, struct msg_cp_cmd *cmd);
uint32_t __wrap_launch_build(const struct cp *cp, const struct cp_queue *queue, uint64_t index, const uint8_t *packet,
                             const struct launch_memory *memory, bool described, struct msg_cp_cmd *cmd)
{
    const uint32_t error = __real_launch_build(cp, queue, index, packet, memory, described, cmd);
    if (when == WHILE_IT_RUNS && driver && machine_started(driver->machine))
        begin_some(driver);
    return error;
}

/* A GPU has answered something: in the middle of kernels and of other moves. */
void __real_migrate_step(struct migrate *m);
void __wrap_migrate_step(struct migrate *m);
void __wrap_migrate_step(struct migrate *m)
{
    __real_migrate_step(m);
    if (when == WHILE_IT_RUNS && !enough() && number(2 * rare) == 0)
        one_move(driver);
}

/* The first of them starts the machine. */
int __real_client_space_open(struct driver *d, struct client *c, unsigned gpu);
int __wrap_client_space_open(struct driver *d, struct client *c, unsigned gpu);
int __wrap_client_space_open(struct driver *d, struct client *c, unsigned gpu)
{
    for (unsigned i = 0; (when == AT_START || when == ALWAYS) && i < AT_THE_START && !machine_started(d->machine); i++)
        one_move(d);
    const int error = __real_client_space_open(d, c, gpu);
    moves_started(d);
    return error;
}

struct result {
    uint64_t data;
    unsigned kernels;
};

/* `lockstep`: of RTL GPUs.  settings: the last may be NULL. */
static struct result run(const char *what, enum sim_model model, bool lockstep, const char *const settings[3],
                         int moves)
{
    char app[] = "build/apps/chains", word[32], *argv[] = {app, word, NULL};
    struct config config;
    struct run_report report;
    snprintf(word, sizeof word, "%s", what);
    config_init(&config);
    assert_int_equal(config_load(&config, "tiny"), STATUS_OK);
    for (unsigned i = 0; i < 3 && settings[i]; i++)
        assert_int_equal(config_set(&config, "test", settings[i]), STATUS_OK);
    assert_int_equal(config_finish(&config), STATUS_OK);
    const struct run_options options = {.cfg = &config.cfg,
                                        .sim = {.model = model, .lockstep = lockstep},
                                        .argv = argv,
                                        .shim = "build/lib/libgantry_shim.so"};
    struct run *r = run_new(&options);
    assert_non_null(r);
    when = moves;
    moved = refused = away = beside = 0;
    moves_begin();
    run_program(r, &report);
    assert_int_equal(report.end, RUN_EXITED);
    assert_true(WIFEXITED(report.wait_status) && WEXITSTATUS(report.wait_status) == 0);
    const struct result result = {report.data_hash, report.row_count};
    run_free(r);
    config_fini(&config);
    return result;
}
#endif
