/* SPDX-License-Identifier: Apache-2.0
 * Pages that move by themselves; contract in phases.h.
 */
#include "system/phases.h"

#include <errno.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "config/config.h"
#include "gantry_cfg.h"
#include "maintenance/counts.h"
#include "migrate/ledger.h"
#include "migrate/migrate.h"
#include "system/machine.h"
#include "vm/pmem.h"

#define LINE_BYTES 80u /* with its header, on a link (docs/reference/channels.md) */
/* What a page alone takes on r9nano with two GPUs (docs/reference/migration.md), before one has moved. */
#define MOVE_SMALL 2793u
#define MOVE_BLOCK 5914u

/* What a listener of counters gets. */
struct phases_gpu {
    struct phases *owner;
    unsigned gpu;
};

struct phases {
    struct machine *machine;
    struct migrate *migrate;
    struct phases_user user;
    struct phase *phase;   /* NULL: policy never */
    struct faults *faults; /* NULL: entries are written when memory is mapped */
    const char *policy;
    struct phases_gpu *gpu;
    struct ledger ledger;
};

/* ---- what a phase asks */
static uint64_t now(void *ctx)
{
    return machine_now(((const struct phases *)ctx)->machine);
}

static void timer(void *ctx, uint64_t at)
{
    machine_phase_at(((struct phases *)ctx)->machine, at);
}

static bool needed(void *ctx)
{
    const struct phases *p = ctx;
    return machine_working(p->machine) && sim_model_now(machine_sim(p->machine)) == SIM_RTL;
}

static uint64_t executed(void *ctx)
{
    return sim_instructions(machine_sim(((struct phases *)ctx)->machine));
}

static void counted(void *arg, struct cp *cp, const struct far_count *c)
{
    const struct phases_gpu *g = arg;
    (void)cp;
    phase_count(g->owner->phase, g->gpu, c->frame, c->reads, c->writes);
}

static void ended(void *arg, struct cp *cp, uint32_t entries, uint32_t below, uint32_t lost)
{
    const struct phases_gpu *g = arg;
    (void)cp, (void)entries, (void)below;
    phase_read(g->owner->phase, g->gpu, lost);
}

static int counts_set(void *ctx, unsigned gpu)
{
    struct phases *p = ctx;
    struct cp *cp = machine_cp(p->machine, gpu);
    if (sim_model_now(machine_sim(p->machine)) != SIM_RTL)
        return -ENOTSUP;
    cp_counts_listen(cp, counted, &p->gpu[gpu]);
    return cp_counts_set(cp, true);
}

static int counts_read(void *ctx, unsigned gpu)
{
    struct phases *p = ctx;
    return cp_counts_read(machine_cp(p->machine, gpu), 1, ended, &p->gpu[gpu]);
}

static uint64_t page(void *ctx, uint64_t frame, unsigned *home)
{
    const struct pmem *pm = machine_memory(((struct phases *)ctx)->machine);
    const uint64_t page = pmem_page_before(pm, frame);
    *home = (unsigned)(pmem_frame_of(pm, page) >> PMEM_OWNER_SHIFT) - 1;
    return page;
}

/* GPUs count by units of migrate.page: memory in smaller ones is not told apart, and stays. */
uint64_t phases_unit(struct phases *p, uint64_t at, uint64_t *start)
{
    const bool small = machine_cfg(p->machine)->migrate_page == CFG_MIGRATE_PAGE_4K;
    const uint64_t bytes = small ? MIGRATE_PAGE : MIGRATE_BLOCK;
    uint64_t from, all;
    *start = at & ~(bytes - 1);
    if (!p->user.memory(p->user.ctx, at, &from, &all))
        return 0;
    return *start >= from && *start - from + bytes <= all ? bytes : 0;
}

static uint64_t unit(void *ctx, uint64_t at, uint64_t *start)
{
    return phases_unit(ctx, at, start);
}

/* Of a block that has been taken apart, those pages that are not there yet. */
static int add(void *ctx, uint64_t at, uint64_t bytes, unsigned gpu)
{
    struct phases *p = ctx;
    int error = migrate_add(p->migrate, at, bytes, gpu);
    if (error != -EALREADY || bytes == MIGRATE_PAGE)
        return error;
    for (uint64_t page = at; page < at + bytes; page += MIGRATE_PAGE)
        if (migrate_add(p->migrate, page, MIGRATE_PAGE, gpu) == 0)
            error = 0;
    return error;
}

static void go(void *ctx)
{
    migrate_go(((struct phases *)ctx)->migrate);
}

static bool moving(void *ctx)
{
    return migrate_busy(((struct phases *)ctx)->migrate);
}

/* ---- what first accesses ask */
static void fault_timer(void *ctx, uint64_t at)
{
    machine_fault_at(((struct phases *)ctx)->machine, at);
}

static bool place(void *ctx, void *owner, unsigned gpu, uint64_t va, struct fault_place *f)
{
    const struct phases *p = ctx;
    return p->user.place(p->user.ctx, owner, gpu, va, f);
}

static int map(void *ctx, void *owner, unsigned gpu, uint64_t va, uint64_t bytes)
{
    const struct phases *p = ctx;
    return p->user.map(p->user.ctx, owner, gpu, va, bytes);
}

static void answer(void *ctx, void *owner, unsigned gpu, uint64_t va, uint64_t bytes, bool deny)
{
    const struct phases *p = ctx;
    p->user.answer(p->user.ctx, owner, gpu, va, bytes, deny);
}

static bool unit_moves(void *ctx, uint64_t at, uint64_t bytes)
{
    return migrate_moves(((struct phases *)ctx)->migrate, at, bytes);
}

/* ---- what the machine tells */
static void on_wake(void *ctx)
{
    phase_wake(((struct phases *)ctx)->phase);
}

static void on_timer(void *ctx)
{
    phase_timer(((struct phases *)ctx)->phase);
}

static void on_fault(void *ctx)
{
    faults_timer(((struct phases *)ctx)->faults);
}

static struct phase *phase_make(struct phases *p, const struct gantry_cfg *cfg, const struct policy_ops *ops)
{
    const struct phase_host host = {.ctx = p,
                                    .now = now,
                                    .timer = timer,
                                    .needed = needed,
                                    .executed = executed,
                                    .counts_set = counts_set,
                                    .counts_read = counts_read,
                                    .page = page,
                                    .unit = unit,
                                    .add = add,
                                    .go = go,
                                    .moving = moving};
    const uint64_t rate = cfg->link_gpu_bytes_per_cycle;
    const struct policy_machine m = {.gpus = machine_gpus(p->machine),
                                     .threshold = cfg->migrate_threshold,
                                     .share = cfg->migrate_share,
                                     .write_weight = cfg->migrate_write_weight,
                                     .return_cycles = cfg->migrate_return_cycles,
                                     .returns = cfg->migrate_returns,
                                     .pin_cycles = cfg->migrate_pin_cycles,
                                     .first_bytes = cfg->migrate_first_bytes,
                                     .far_cycles = cfg->migrate_far_cycles ? cfg->migrate_far_cycles
                                                                           : (LINE_BYTES + rate - 1) / rate,
                                     .move_cycles = cfg->migrate_page == CFG_MIGRATE_PAGE_4K ? MOVE_SMALL : MOVE_BLOCK};
    const struct phase_settings settings = {.period = cfg->migrate_period, .decision = cfg->migrate_phase_cycles};
    return phase_new(&host, ops, &m, &settings);
}

static struct faults *faults_make(struct phases *p, const struct gantry_cfg *cfg, const struct policy_ops *ops)
{
    const struct faults_host host = {.ctx = p,
                                     .now = now,
                                     .timer = fault_timer,
                                     .place = place,
                                     .map = map,
                                     .answer = answer,
                                     .add = add,
                                     .go = go,
                                     .moving = unit_moves};
    const bool lazy = cfg->migrate_map == CFG_MIGRATE_MAP_LAZY && machine_gpus(p->machine) > 1;
    if (!lazy || !p->user.place || !machine_withholds(p->machine))
        return NULL;
    return faults_new(&host, ops, p->phase ? phase_policy(p->phase) : NULL, cfg->migrate_fault_cycles,
                      cfg->migrate_ahead);
}

struct phases *phases_new(struct machine *machine, struct migrate *migrate, const struct phases_user *user)
{
    struct phases *p = xzalloc(sizeof *p);
    const struct gantry_cfg *cfg = machine_cfg(machine);
    char name[32];
    p->machine = machine;
    p->migrate = migrate;
    p->user = *user;
    config_get(cfg, "migrate.policy", name, sizeof name);
    const struct policy_ops *ops = policy_find(name);
    if (ops && ops != &policy_never) {
        p->policy = ops->name;
        p->gpu = xcalloc(machine_gpus(machine), sizeof *p->gpu);
        for (unsigned g = 0; g < machine_gpus(machine); g++)
            p->gpu[g] = (struct phases_gpu){.owner = p, .gpu = g};
        p->phase = phase_make(p, cfg, ops);
    }
    p->faults = faults_make(p, cfg, ops ? ops : &policy_never);
    const struct machine_phases phases = {.ctx = p,
                                          .wake = p->phase ? on_wake : NULL,
                                          .timer = p->phase ? on_timer : NULL,
                                          .fault = p->faults ? on_fault : NULL};
    machine_phases_to(machine, &phases);
    return p;
}

void phases_free(struct phases *p)
{
    if (!p)
        return;
    faults_free(p->faults);
    phase_free(p->phase);
    ledger_fini(&p->ledger);
    free(p->gpu);
    free(p);
}

void phases_moved(struct phases *p, struct move_fact *fact)
{
    const bool asked = p->faults && faults_claim(p->faults, fact);
    const bool decided = p->phase && phase_moved(p->phase, fact);
    ledger_add(&p->ledger, asked || decided ? p->policy : LEDGER_ORDER, fact);
    if (p->faults)
        faults_settle(p->faults, fact->page, fact->bytes, fact->refused);
}

void phases_gone(struct phases *p, uint64_t at, uint64_t bytes)
{
    if (p->phase)
        phase_gone(p->phase, at, bytes);
}

struct faults *phases_faults(const struct phases *p)
{
    return p->faults;
}

void phases_report(const struct phases *p)
{
    if (!p->faults || !faults_open(p->faults))
        return;
    FILE *out = log_report_open();
    fprintf(out, "gantry: first accesses wait at cycle %llu\n", (unsigned long long)machine_now(p->machine));
    faults_tell(p->faults, out);
    log_report_close(out);
}

const struct ledger *phases_ledger(struct phases *p)
{
    p->ledger.policy = p->policy;
    p->ledger.fixed = machine_cfg(p->machine)->migrate_fixed_cycles;
    p->ledger.decision = machine_cfg(p->machine)->migrate_phase_cycles;
    if (p->phase)
        p->ledger.sums = phase_sums(p->phase);
    if (p->faults)
        p->ledger.faults = faults_sums(p->faults);
    p->ledger.fault_cycles = p->faults ? machine_cfg(p->machine)->migrate_fault_cycles : 0;
    return &p->ledger;
}
