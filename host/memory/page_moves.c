/* SPDX-License-Identifier: Apache-2.0
 * What pages that move (host/migrate) need of the driver: whose a page is and who has it mapped, empty granules, the
 * quarantine of frames that were left.
 */
#include "driver/driver.h"
#include "gantry_cfg.h"
#include "memory/lazy_entries.h"
#include "migrate/migrate.h"
#include "migrate/movable.h"
#include "system/phases.h"
#include "vm/pmem.h"

/* Of one object: on each GPU that has it mapped, and has entries or waits for them. */
static size_t views_add(struct driver *d, const struct hold *hold, const struct object *o, uint64_t page,
                        uint64_t bytes, struct migrate_view *to, size_t room)
{
    const struct backing *b = hold->backing;
    size_t count = 0;
    for (unsigned g = 0; g < machine_gpus(d->machine); g++) {
        if (!(o->mapped >> g & 1) ||
            !(lazy_entries(d, hold->client, o, g, page, bytes) || lazy_waits(d, hold->client, o, g, page, bytes)))
            continue;
        struct client_gpu *on = &hold->client->gpu[g];
        if (count < room)
            to[count] = (struct migrate_view){.pt = on->pt,
                                              .cp = machine_started(d->machine) ? machine_cp(d->machine, g) : NULL,
                                              .space = on->space_open ? &on->space : NULL,
                                              .gpu = g,
                                              .va = o->va + (page - backing_address(b)),
                                              .near = entries_flags(b, true),
                                              .far = entries_flags(b, false)};
        count++;
    }
    return count;
}

static size_t views(void *ctx, uint64_t page, uint64_t bytes, struct migrate_view *to, size_t room)
{
    struct driver *d = ctx;
    const struct backing *b = backing_at(d, page);
    size_t count = 0;
    for (const struct hold *hold = b ? b->hold : NULL; hold; hold = hold->next)
        for (const struct object *o = hold->object; o; o = o->sibling)
            count += views_add(d, hold, o, page, bytes, to + count, room > count ? room - count : 0);
    return count;
}

static const char *why_not(void *ctx, uint64_t page, uint64_t bytes)
{
    const struct driver *d = ctx;
    const struct backing *b = backing_at(d, page);
    if (!b || bytes > b->bytes - (page - backing_address(b)))
        return "nobody has it";
    for (const struct hold *hold = b->hold; hold; hold = hold->next)
        if (hold->client->ended) /* its page tables go, and nobody may wait for them any more */
            return "a process that has it ends";
    const struct memory_fact fact = backing_fact(b);
    const char *why = movable_why_not(&fact);
    if (!why)
        why = machine_gpus(d->machine) < 2 ? "there is no other GPU" : NULL;
    return why ? why : lazy_untouched(d, b, page, bytes) ? "no GPU has an entry for it yet" : NULL;
}

static void busy(void *ctx, bool on)
{
    struct driver *d = ctx;
    d->moving_since = d->answers;
    machine_moving(d->machine, on);
}

static bool pushed(void *ctx)
{
    const struct driver *d = ctx;
    return machine_started(d->machine) && sim_model_now(machine_sim(d->machine)) == SIM_RTL;
}

static void alarm_at(void *ctx, uint64_t at)
{
    machine_alarm(((struct driver *)ctx)->machine, at);
}

static bool holds(void *ctx)
{
    const struct driver *d = ctx;
    return d->cfg->migrate_hold == CFG_MIGRATE_HOLD_DISPATCH;
}

static struct cp *cp(void *ctx, unsigned gpu)
{
    struct driver *d = ctx;
    return machine_cp(d->machine, gpu);
}

static uint64_t now(void *ctx)
{
    const struct driver *d = ctx;
    return machine_now(d->machine);
}

static bool settled(void *ctx)
{
    const struct driver *d = ctx;
    return d->gated && !d->beside && d->answers == d->moving_since; /* else it has run, and may have written */
}

static void left(void *ctx, uint64_t page, uint64_t frame)
{
    struct driver *d = ctx;
    const struct backing *b = page ? backing_at(d, page) : NULL;
    const unsigned gpu = (unsigned)(frame >> PMEM_OWNER_SHIFT) - 1;
    quarantine_put(d, (struct handed){.kind = HELD_FRAME,
                                      .gpu = gpu,
                                      .at = frame & PMEM_OFFSET_MASK,
                                      .cached = !page, /* a page's lines were written back before it went */
                                      .reached = b ? b->reached : UINT64_C(1) << gpu});
}

static void over(void *ctx)
{
    quarantine_release(ctx);
}

static void moved(void *ctx, struct move_fact *fact)
{
    phases_moved(((struct driver *)ctx)->phases, fact);
}

static uint64_t granule_take(void *ctx, unsigned gpu)
{
    struct driver *d = ctx;
    return store_reserve(&d->vram[gpu]);
}

static void granule_give(void *ctx, unsigned gpu, uint64_t at)
{
    struct driver *d = ctx;
    store_free(&d->vram[gpu], at, d->vram[gpu].granule);
}

struct migrate *moves_new(struct driver *d)
{
    const struct migrate_host host = {.ctx = d,
                                      .views = views,
                                      .why_not = why_not,
                                      .busy = busy,
                                      .pushed = pushed,
                                      .fixed = d->cfg->migrate_fixed_cycles,
                                      .alarm = alarm_at,
                                      .holds = holds,
                                      .cp = cp,
                                      .now = now,
                                      .settled = settled,
                                      .left = left,
                                      .over = over,
                                      .moved = moved};
    const struct frames_source source = {
        .ctx = d, .granule = d->vram[0].granule, .take = granule_take, .give = granule_give};
    return migrate_new(machine_memory(d->machine), &host, &source);
}

/* What policies see of an allocation. */
static bool memory(void *ctx, uint64_t page, uint64_t *at, uint64_t *bytes)
{
    const struct backing *b = backing_at(ctx, page);
    if (!b || why_not(ctx, page, MIGRATE_PAGE))
        return false;
    *at = backing_address(b);
    *bytes = b->bytes;
    return true;
}

struct phases *moves_phases(struct driver *d)
{
    const struct phases_user user = {
        .ctx = d, .memory = memory, .place = lazy_place, .map = lazy_map, .answer = lazy_answer};
    return phases_new(d->machine, d->migrate, &user);
}

void moves_settle(struct driver *d, const struct object *o)
{
    if (o->hold)
        migrate_settle(d->migrate, o->hold->place.at, o->hold->place.bytes);
}
