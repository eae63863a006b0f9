/* SPDX-License-Identifier: Apache-2.0
 * Ten runs of unmodified HIP programs on 2 to 4 GPUs, in whose kernels pages go to and fro: what they leave (`data`) is
 * that of a run without moves and of the golden model, and a second run with moves is the same to the cycle.  Where
 * moves begin is a matter of target time alone: when a kernel is read from its queue, and when a GPU has answered.
 * By day two of them, nightly all; in lock step four.
 * limit: 1800
 * libs: -Wl,--wrap=launch_build,--wrap=migrate_step,--wrap=migrate_new
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

#include "clients/run.h"
#include "config/config.h"
#include "driver/driver.h"
#include "firmware/cp_private.h"
#include "migrate/move.h"

#define PAGE UINT64_C(4096)
#define AT_A_TIME 4u

static bool moves;
static unsigned moved;
static uint32_t seed;
static struct migrate *engine; /* of the machine that runs */

static uint32_t number(uint32_t below)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % below;
}

/* Pages or blocks of what the program has, to any GPU: most memory may not move. */
static void some_moves(struct migrate *m)
{
    struct driver *d = m->host.ctx;
    if (!moves || !machine_started(d->machine) || !d->backings.count)
        return;
    for (unsigned tries = 0, done = 0; tries < 40 && done < AT_A_TIME; tries++) {
        const struct range *r = ranges_from(&d->backings, 0);
        for (uint32_t skip = number((uint32_t)d->backings.count); skip; skip--)
            r = ranges_from(&d->backings, r->at + 1);
        const uint64_t page = r->at + number((uint32_t)(r->bytes / PAGE)) * PAGE;
        const bool block = number(4) == 0;
        const int error = migrate_add(m, block ? page & ~(MIGRATE_BLOCK - 1) : page,
                                      block ? MIGRATE_BLOCK : MIGRATE_PAGE, number(machine_gpus(d->machine)));
        assert_true(error == 0 || error == -EPERM || error == -EALREADY || error == -EBUSY || error == -EAGAIN);
        done += error == 0;
        moved += error == 0;
    }
    migrate_go(m);
}

struct migrate *__real_migrate_new(struct pmem *pm, const struct migrate_host *host,
                                   const struct frames_source *source);
struct migrate *__wrap_migrate_new(struct pmem *pm, const struct migrate_host *host,
                                   const struct frames_source *source);
struct migrate *__wrap_migrate_new(struct pmem *pm, const struct migrate_host *host, const struct frames_source *source)
{
    engine = __real_migrate_new(pm, host, source);
    return engine;
}

uint32_t __real_launch_build(const struct cp *cp, const struct cp_queue *queue, uint64_t index, const uint8_t *packet,
                             const struct launch_memory *memory, bool described, struct msg_cp_cmd *cmd);
uint32_t __wrap_launch_build(const struct cp *cp, const struct cp_queue *queue, uint64_t index, const uint8_t *packet,
                             const struct launch_memory *memory, bool described, struct msg_cp_cmd *cmd);
uint32_t __wrap_launch_build(const struct cp *cp, const struct cp_queue *queue, uint64_t index, const uint8_t *packet,
                             const struct launch_memory *memory, bool described, struct msg_cp_cmd *cmd)
{
    const uint32_t error = __real_launch_build(cp, queue, index, packet, memory, described, cmd);
    some_moves(engine);
    return error;
}

void __real_migrate_step(struct migrate *m);
void __wrap_migrate_step(struct migrate *m);
void __wrap_migrate_step(struct migrate *m)
{
    __real_migrate_step(m);
    if (m->count && number(8) == 0)
        some_moves(m);
}

struct result {
    uint64_t data, end, hash, instructions;
    unsigned kernels;
};

static struct result run(const char *const words[2], unsigned gpus, enum sim_model model, bool lockstep, bool with)
{
    char app[64], word[16], *argv[] = {app, *words[1] ? word : NULL, NULL}, setting[32];
    struct config config;
    struct run_report report;
    snprintf(app, sizeof app, "build/apps/%s", words[0]);
    snprintf(word, sizeof word, "%s", words[1]);
    snprintf(setting, sizeof setting, "system.gpus=%u", gpus);
    config_init(&config);
    assert_int_equal(config_load(&config, "tiny"), STATUS_OK);
    assert_int_equal(config_set(&config, "test", setting), STATUS_OK);
    assert_int_equal(config_finish(&config), STATUS_OK);
    const struct run_options options = {.cfg = &config.cfg,
                                        .sim = {.model = model, .lockstep = lockstep},
                                        .argv = argv,
                                        .shim = "build/lib/libgantry_shim.so"};
    struct run *r = run_new(&options);
    assert_non_null(r);
    moves = with;
    moved = 0;
    seed = gpus * 1000 + (uint32_t)strlen(words[1]);
    run_program(r, &report);
    assert_int_equal(report.end, RUN_EXITED);
    assert_true(WIFEXITED(report.wait_status) && WEXITSTATUS(report.wait_status) == 0);
    struct sim *sim = machine_sim(run_machine(r));
    const struct result result = {report.data_hash, report.last_completion, sim_write_hash(sim), sim_instructions(sim),
                                  report.row_count};
    run_free(r);
    config_fini(&config);
    return result;
}

static const struct program {
    const char *words[2];
    unsigned gpus;
    bool lockstep, day;
} programs[] = {
    {{"chains", "sort"}, 2, true, true},    {{"chains", "floyd"}, 2, false, false},
    {{"chains", "rank"}, 2, false, false},  {{"chains", "life"}, 2, true, false},
    {{"crossing", ""}, 2, true, false},     {{"chains", "sort"}, 4, false, false},
    {{"chains", "floyd"}, 4, false, false}, {{"chains", "rank"}, 4, true, false},
    {{"chains", "life"}, 3, false, false},  {{"crossing", ""}, 4, false, false},
};

/* shows S1.14 */
static void as_without_moves(void **state)
{
    (void)state;
    for (const struct program *p = programs; p < programs + sizeof programs / sizeof *programs; p++) {
        if (!p->day && !getenv("GANTRY_NIGHTLY"))
            continue;
        const struct result golden = run(p->words, p->gpus, SIM_GOLDEN, false, false),
                            one = run(p->words, p->gpus, SIM_RTL, p->lockstep, true);
        const unsigned first = moved;
        const struct result two = run(p->words, p->gpus, SIM_RTL, false, true),
                            none = run(p->words, p->gpus, SIM_RTL, false, false);
        printf("%s %s, %u GPUs: %u kernels, %llu instructions, %u moves, %llu cycles, %llu without moves\n",
               p->words[0], p->words[1], p->gpus, one.kernels, (unsigned long long)one.instructions, first,
               (unsigned long long)one.end, (unsigned long long)none.end);
        assert_int_equal(none.instructions, golden.instructions);
        assert_true(one.data == golden.data && none.data == golden.data && one.kernels == golden.kernels);
        assert_true(one.data == two.data && one.end == two.end && one.hash == two.hash);
        assert_true(first > 10 && one.end != none.end);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_without_moves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
