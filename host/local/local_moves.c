/* SPDX-License-Identifier: Apache-2.0
 * Pages of the client inside the simulator that move (local_move): what host/migrate needs of it, batches, frames that
 * were left.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "gantry_cfg.h"
#include "local/local_private.h"
#include "migrate/migrate.h"
#include "system/phases.h"
#include "vm/pagetable.h"
#include "vm/pmem.h"

#define BATCH 64u
#define GRANULE (UINT64_C(1) << 20)

/* Pages that are to go, in the order of calls. */
struct order {
    uint64_t page, end;
    unsigned gpu;
};

/* A frame that was left: empty when every GPU has answered these shoot-downs. */
struct left {
    uint64_t frame;
    uint64_t *fence;
};

struct local_moves {
    struct local *local;
    struct migrate *migrate;
    struct phases *phases;
    struct order *orders;
    size_t order_count, order_room;
    struct left *left;
    size_t left_count, left_room;
    uint64_t *given; /* granules that came back, by GPU in turn: {gpu, at} */
    size_t given_count, given_room;
    uint64_t *end; /* by GPU: granules are taken below it */
    bool sent;     /* changes of page tables are messages */
    bool failed;
};

static const struct region *region_at(const struct local *l, uint64_t page)
{
    const uint64_t at = page & PMEM_OFFSET_MASK;
    for (size_t i = 0; page >> PMEM_OWNER_SHIFT == l->gpu + 1 && i < l->region_count; i++)
        if (l->regions[i].place == LOCAL_VRAM && at - l->regions[i].offset < l->regions[i].room)
            return &l->regions[i];
    return NULL;
}

/* ---- host/migrate asks */
static size_t views(void *ctx, uint64_t page, uint64_t bytes, struct migrate_view *to, size_t room)
{
    (void)bytes;
    struct local *l = ((struct local_moves *)ctx)->local;
    const struct region *r = region_at(l, page);
    const uint32_t flags = PTE_R | PTE_W | PTE_X;
    if (room)
        *to = (struct migrate_view){.pt = l->space.pt,
                                    .cp = machine_cp(l->machine, l->gpu),
                                    .space = &l->space,
                                    .gpu = l->gpu,
                                    .va = r->va + ((page & PMEM_OFFSET_MASK) - r->offset),
                                    .near = flags,
                                    .far = flags};
    return 1;
}

static const char *why_not(void *ctx, uint64_t page, uint64_t bytes)
{
    const struct region *r = region_at(((struct local_moves *)ctx)->local, page);
    if (!r || bytes > r->room - ((page & PMEM_OFFSET_MASK) - r->offset))
        return "nobody has it";
    return r->data ? NULL : "scratch memory belongs to the wavefronts of one GPU";
}

static void busy(void *ctx, bool on)
{
    struct local_moves *m = ctx;
    if (on)
        machine_tables_sent(m->local->machine, m->sent = true);
    machine_moving(m->local->machine, on);
}

static bool pushed(void *ctx)
{
    const struct local_moves *m = ctx;
    return sim_model_now(machine_sim(m->local->machine)) == SIM_RTL;
}

static void alarm_at(void *ctx, uint64_t at)
{
    machine_alarm(((struct local_moves *)ctx)->local->machine, at);
}

static bool holds(void *ctx)
{
    const struct local_moves *m = ctx;
    return machine_cfg(m->local->machine)->migrate_hold == CFG_MIGRATE_HOLD_DISPATCH;
}

static struct cp *cp(void *ctx, unsigned gpu)
{
    return machine_cp(((struct local_moves *)ctx)->local->machine, gpu);
}

static uint64_t now(void *ctx)
{
    return machine_now(((struct local_moves *)ctx)->local->machine);
}

static bool settled(void *ctx)
{
    (void)ctx;
    return true; /* the caller does not write while a dispatch runs */
}

/* The client's GPU loses what its caches hold of it; that of the frame, too, where the lines were not written back. */
static void left(void *ctx, uint64_t page, uint64_t frame)
{
    struct local_moves *m = ctx;
    struct machine *machine = m->local->machine;
    m->left = xgrow(m->left, &m->left_room, m->left_count + 1, sizeof *m->left);
    struct left *at = &m->left[m->left_count++];
    *at = (struct left){.frame = frame, .fence = xcalloc(machine_gpus(machine), sizeof *at->fence)};
    const unsigned home = (unsigned)(frame >> PMEM_OWNER_SHIFT) - 1;
    for (unsigned g = 0; g < machine_gpus(machine); g++) {
        if (g == m->local->gpu || (g == home && !page))
            cp_caches_drop(machine_cp(machine, g), g == home && !page);
        at->fence[g] = cp_shootdowns_sent(machine_cp(machine, g));
    }
}

/* Its memory is never freed: nobody waits for that. */
static void over(void *ctx)
{
    (void)ctx;
}

static void moved(void *ctx, struct move_fact *fact)
{
    phases_moved(((struct local_moves *)ctx)->phases, fact);
}

/* What policies see of an allocation. */
static bool memory(void *ctx, uint64_t page, uint64_t *at, uint64_t *bytes)
{
    const struct local *l = ((struct local_moves *)ctx)->local;
    const struct region *r = region_at(l, page);
    if (!r || !r->data)
        return false;
    *at = pmem_addr(l->gpu + 1, r->offset);
    *bytes = r->room;
    return true;
}

static uint64_t granule_take(void *ctx, unsigned gpu)
{
    struct local_moves *m = ctx;
    for (size_t i = 0; i < m->given_count; i += 2)
        if (m->given[i] == gpu) {
            const uint64_t at = m->given[i + 1];
            m->given_count -= 2;
            m->given[i] = m->given[m->given_count];
            m->given[i + 1] = m->given[m->given_count + 1];
            return at;
        }
    const uint64_t low = gpu == m->local->gpu ? m->local->next[LOCAL_VRAM] : 0;
    if (m->end[gpu] < GRANULE || m->end[gpu] - GRANULE < low)
        return FRAMES_NONE;
    m->end[gpu] -= GRANULE;
    if (gpu == m->local->gpu)
        m->local->end[LOCAL_VRAM] = m->end[gpu];
    return m->end[gpu];
}

static void granule_give(void *ctx, unsigned gpu, uint64_t at)
{
    struct local_moves *m = ctx;
    m->given = xgrow(m->given, &m->given_room, m->given_count + 2, sizeof *m->given);
    m->given[m->given_count++] = gpu;
    m->given[m->given_count++] = at;
}

static void on_alarm(void *ctx)
{
    migrate_alarm(ctx);
}

struct local_moves *local_moves_new(struct local *l)
{
    struct local_moves *m = xzalloc(sizeof *m);
    const unsigned gpus = machine_gpus(l->machine);
    const struct migrate_host host = {.ctx = m,
                                      .views = views,
                                      .why_not = why_not,
                                      .busy = busy,
                                      .pushed = pushed,
                                      .fixed = machine_cfg(l->machine)->migrate_fixed_cycles,
                                      .alarm = alarm_at,
                                      .holds = holds,
                                      .cp = cp,
                                      .now = now,
                                      .settled = settled,
                                      .left = left,
                                      .over = over,
                                      .moved = moved};
    const struct frames_source source = {.ctx = m, .granule = GRANULE, .take = granule_take, .give = granule_give};
    m->local = l;
    m->end = xcalloc(gpus, sizeof *m->end);
    for (unsigned g = 0; g < gpus; g++)
        m->end[g] = pmem_shared_bytes(machine_memory(l->machine), g) & ~(GRANULE - 1);
    m->migrate = migrate_new(machine_memory(l->machine), &host, &source);
    machine_alarm_to(l->machine, on_alarm, m->migrate);
    const struct phases_user user = {.ctx = m, .memory = memory};
    m->phases = phases_new(l->machine, m->migrate, &user);
    return m;
}

void local_moves_free(struct local_moves *m)
{
    if (!m)
        return;
    migrate_free(m->migrate);
    phases_free(m->phases);
    for (size_t i = 0; i < m->left_count; i++)
        free(m->left[i].fence);
    free(m->left);
    free(m->orders);
    free(m->given);
    free(m->end);
    free(m);
}

bool local_moves_busy(const struct local_moves *m)
{
    return migrate_busy(m->migrate) || m->order_count;
}

void local_stuck(const struct local *l)
{
    const struct local_moves *m = l->moves;
    migrate_report(m->migrate);
    if (m->order_count && !migrate_busy(m->migrate))
        diag("move", "page 0x%llx waits for memory that caches may still hold", (unsigned long long)m->orders[0].page);
}

const struct ledger *local_ledger(struct local *l)
{
    return phases_ledger(l->moves->phases);
}

bool local_moving(const struct local *l)
{
    return local_moves_busy(l->moves);
}

bool local_moved(const struct local *l)
{
    return !l->moves->failed;
}

/* ---- orders */
static bool empty(const struct local_moves *m, const struct left *at)
{
    for (unsigned g = 0; g < machine_gpus(m->local->machine); g++)
        if (cp_shootdowns_done(machine_cp(m->local->machine, g)) < at->fence[g])
            return false;
    return true;
}

/* Whether one has become empty. */
static bool left_step(struct local_moves *m)
{
    size_t n = 0;
    for (; n < m->left_count && empty(m, &m->left[n]); n++) {
        migrate_emptied(m->migrate, m->left[n].frame);
        free(m->left[n].fence);
    }
    m->left_count -= n;
    for (size_t i = 0; i < m->left_count; i++)
        m->left[i] = m->left[i + n];
    return n;
}

/* The next page or block of an order; false: it has to wait for others. */
static bool order_next(struct local_moves *m, struct order *o)
{
    uint64_t bytes = MIGRATE_BLOCK;
    const bool small = machine_cfg(m->local->machine)->migrate_page == CFG_MIGRATE_PAGE_4K;
    if (small || o->page % MIGRATE_BLOCK || o->end - o->page < MIGRATE_BLOCK)
        bytes = MIGRATE_PAGE;
    int error = migrate_add(m->migrate, o->page, bytes, o->gpu);
    if (error == -EALREADY && bytes == MIGRATE_BLOCK) /* some of it */
        error = migrate_add(m->migrate, o->page, bytes = MIGRATE_PAGE, o->gpu);
    if (error == -EAGAIN || error == -EBUSY)
        return false;
    if (error && error != -EALREADY) {
        diag("move", "page 0x%llx: %s", (unsigned long long)o->page,
             error == -ENOMEM ? "no memory is left there" : "it cannot move");
        m->failed = true;
        o->page = o->end;
        return true;
    }
    o->page += bytes;
    return true;
}

/* A batch, when none is under way. */
static void orders_step(struct local_moves *m)
{
    unsigned count = 0;
    left_step(m);
    if (migrate_busy(m->migrate))
        return;
    while (m->order_count && count < BATCH) {
        if (!order_next(m, m->orders)) {
            if (left_step(m)) /* what it has asked for was empty at once: no cache is in use */
                continue;
            break;
        }
        count++;
        if (m->orders[0].page < m->orders[0].end)
            continue;
        m->order_count--;
        for (size_t i = 0; i < m->order_count; i++)
            m->orders[i] = m->orders[i + 1];
    }
    if (count)
        migrate_go(m->migrate);
}

void local_moves_step(struct local *l)
{
    struct local_moves *m = l->moves;
    migrate_step(m->migrate);
    orders_step(m);
}

/* What was written by message is there before anything is written without. */
void local_moves_rest(struct local *l)
{
    struct local_moves *m = l->moves;
    if (!m->sent || migrate_busy(m->migrate))
        return;
    machine_settle(l->machine);
    machine_tables_sent(l->machine, m->sent = false);
}

const char *local_move(struct local *l, uint64_t va, uint64_t bytes, unsigned gpu)
{
    struct local_moves *m = l->moves;
    const struct region *r = NULL;
    for (size_t i = 0; i < l->region_count && !r; i++)
        if (va - l->regions[i].va < l->regions[i].room)
            r = &l->regions[i];
    if (gpu >= machine_gpus(l->machine))
        return "there is no such GPU";
    if (m->order_count == MIGRATE_MOST)
        return "1024 moves wait already";
    if (!r || r->place != LOCAL_VRAM || !r->data || bytes > r->room - (va - r->va))
        return "not an allocation in VRAM";
    if (va % MIGRATE_PAGE || bytes % MIGRATE_PAGE || !bytes)
        return "not whole pages of 4 KiB";
    const uint64_t page = pmem_addr(l->gpu + 1, r->offset + (va - r->va));
    m->orders = xgrow(m->orders, &m->order_room, m->order_count + 1, sizeof *m->orders);
    m->orders[m->order_count++] = (struct order){page, page + bytes, gpu};
    orders_step(m);
    return NULL;
}
