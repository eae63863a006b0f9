/* SPDX-License-Identifier: Apache-2.0
 * Moves under way; contract in migrate.h.  A move waits twice: when its pages are locked, until no access that found
 * them unlocked is under way (writes of page tables, shoot-downs; the command processors' own accesses count as such);
 * when they are mapped anew, until page tables say so everywhere.
 */
#include "migrate/migrate.h"

#include <errno.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "firmware/cp.h"
#include "migrate/away.h"
#include "migrate/copy.h"
#include "vm/pagetable.h"
#include "vm/pmem.h"

enum step { STEP_LOCK, STEP_RESUME };

struct move {
    struct range pages; /* node of migrate.moving */
    struct move *next;  /* in the order in which they began */
    uint64_t to;        /* frame of the first */
    enum step step;
    size_t count;
    struct migrate_view view[];
};

struct migrate {
    struct pmem *pm;
    struct migrate_host host;
    struct away away;
    struct move *moves;
    struct ranges moving;
};

struct migrate *migrate_new(struct pmem *pm, const struct migrate_host *host, const struct frames_source *source)
{
    struct migrate *m = xzalloc(sizeof *m);
    *m = (struct migrate){.pm = pm, .host = *host};
    away_init(&m->away, pm, source);
    return m;
}

void migrate_free(struct migrate *m)
{
    if (!m)
        return;
    for (struct move *v; (v = m->moves);) {
        m->moves = v->next;
        free(v);
    }
    away_fini(&m->away);
    free(m);
}

bool migrate_busy(const struct migrate *m)
{
    return m->moves;
}

/* ---- page tables */
static void unlock(struct move *v)
{
    for (size_t i = 0; i < v->count; i++) {
        struct migrate_view *w = &v->view[i];
        CHECK(pagetable_lock(w->pt, w->va, v->pages.bytes, false) == 0, "migrate", "gpu%u: va=%llx", w->gpu,
              (unsigned long long)w->va);
        if (w->space)
            cp_space_answer(w->cp, w->space, w->va, v->pages.bytes, false);
    }
}

static void fence(struct move *v)
{
    for (size_t i = 0; i < v->count; i++) {
        struct migrate_view *w = &v->view[i];
        w->tables = w->cp ? cp_tables_asked(w->cp) : 0;
        w->shootdowns = w->cp ? cp_shootdowns_sent(w->cp) : 0;
    }
}

static bool answered(const struct move *v)
{
    for (size_t i = 0; i < v->count; i++) {
        const struct migrate_view *w = &v->view[i];
        if (w->cp && (cp_tables_done(w->cp) < w->tables || cp_shootdowns_done(w->cp) < w->shootdowns))
            return false;
    }
    return true;
}

/* False: no memory for page tables, and nothing is locked. */
static bool lock(struct move *v)
{
    for (size_t i = 0; i < v->count; i++)
        if (pagetable_lock(v->view[i].pt, v->view[i].va, v->pages.bytes, true) < 0) {
            unlock(v);
            return false;
        }
    for (size_t i = 0; i < v->count; i++)
        if (v->view[i].space)
            cp_space_shootdown(v->view[i].cp, v->view[i].space, v->view[i].va, v->pages.bytes);
    fence(v);
    return true;
}

static void map(struct move *v)
{
    for (size_t i = 0; i < v->count; i++) {
        struct migrate_view *w = &v->view[i];
        const bool near = v->to >> PMEM_OWNER_SHIFT == w->gpu + 1;
        CHECK(pagetable_map(w->pt, w->va, v->to, v->pages.bytes, near ? w->near : w->far) == 0, "migrate",
              "gpu%u: va=%llx", w->gpu, (unsigned long long)w->va);
        if (w->space)
            cp_space_answer(w->cp, w->space, w->va, v->pages.bytes, false);
    }
    fence(v);
}

/* ---- steps */
static void over(struct migrate *m, struct move *v)
{
    struct move **link = &m->moves;
    while (*link != v)
        link = &(*link)->next;
    *link = v->next;
    ranges_remove(&m->moving, &v->pages);
    free(v);
    if (!m->moves)
        m->host.hold(m->host.ctx, false);
}

/* Locked, and nobody has an access to them under way: from one moment to the next they are there. */
static void bind(struct migrate *m, struct move *v)
{
    const uint64_t page = v->pages.at, end = page + v->pages.bytes;
    uint64_t left[MIGRATE_BLOCK / MIGRATE_PAGE];
    for (uint64_t p = page; p < end; p += MIGRATE_PAGE) {
        left[(p - page) / MIGRATE_PAGE] = pmem_frame_of(m->pm, p);
        copy_page(m->pm, p, v->to + (p - page));
        pmem_move(m->pm, p, v->to + (p - page), m->host.settled(m->host.ctx));
    }
    map(v);
    v->step = STEP_RESUME;
    for (uint64_t p = page; p < end; p += MIGRATE_PAGE) {
        const uint64_t frame = left[(p - page) / MIGRATE_PAGE];
        away_moved(&m->away, p, frame);
        m->host.left(m->host.ctx, p, frame);
    }
    log_info("migrate", "page 0x%llx: %llu bytes are at 0x%llx", (unsigned long long)page,
             (unsigned long long)v->pages.bytes, (unsigned long long)v->to);
}

void migrate_step(struct migrate *m)
{
    for (struct move *v = m->moves, *next; v; v = next) {
        if (v->step == STEP_LOCK && answered(v))
            bind(m, v);
        next = v->next;
        if (v->step == STEP_RESUME && answered(v))
            over(m, v);
    }
}

/* Mapped anew it is there, whoever still writes that down; before that it was never gone. */
void migrate_settle(struct migrate *m, uint64_t page, uint64_t bytes)
{
    for (struct range *r; (r = ranges_overlap(&m->moving, page, bytes));) {
        struct move *v = RANGE_OF(r, struct move, pages);
        if (v->step == STEP_LOCK) {
            unlock(v);
            away_undo(&m->away, v->pages.at, v->to, v->pages.bytes);
            log_info("migrate", "page 0x%llx stays where it is", (unsigned long long)v->pages.at);
        }
        over(m, v);
    }
}

void migrate_gone(struct migrate *m, uint64_t page, uint64_t bytes)
{
    uint64_t frame, at = page;
    migrate_settle(m, page, bytes);
    while (away_drop(&m->away, page, bytes, &at, &frame))
        m->host.left(m->host.ctx, at, frame);
}

void migrate_emptied(struct migrate *m, uint64_t frame)
{
    away_emptied(&m->away, frame);
}

/* ---- the beginning of a move */
static bool kernels_run(const struct move *v)
{
    for (size_t i = 0; i < v->count; i++)
        if (v->view[i].space && !cp_space_rests(v->view[i].cp, v->view[i].space))
            return true;
    return false;
}

static struct move *move_new(struct migrate *m, uint64_t page, uint64_t bytes)
{
    const size_t count = m->host.views(m->host.ctx, page, NULL, 0);
    struct move *v = xzalloc(sizeof *v + count * sizeof v->view[0]);
    v->pages = (struct range){.at = page, .bytes = bytes};
    v->count = count;
    m->host.views(m->host.ctx, page, v->view, count);
    return v;
}

static int refused(struct move *v, int error)
{
    free(v);
    return error;
}

int migrate_now(struct migrate *m, uint64_t page, uint64_t bytes, unsigned gpu)
{
    if ((bytes != MIGRATE_PAGE && bytes != MIGRATE_BLOCK) || page % bytes || gpu >= pmem_gpus(m->pm))
        return -EINVAL;
    const char *why = m->host.why_not(m->host.ctx, page, bytes);
    if (why) {
        log_info("migrate", "page 0x%llx stays: %s", (unsigned long long)page, why);
        return -EPERM;
    }
    if (ranges_overlap(&m->moving, page, bytes))
        return -EBUSY;
    for (uint64_t p = page; p < page + bytes; p += MIGRATE_PAGE)
        if (pmem_frame_of(m->pm, p) >> PMEM_OWNER_SHIFT == gpu + 1)
            return -EALREADY;
    struct move *v = move_new(m, page, bytes);
    if (kernels_run(v))
        return refused(v, -EAGAIN);
    const int error = away_take(&m->away, page, bytes, gpu, &v->to);
    if (error)
        return refused(v, error);
    if (!lock(v)) {
        away_undo(&m->away, page, v->to, bytes);
        return refused(v, -ENOMEM);
    }
    struct move **link = &m->moves;
    if (!m->moves)
        m->host.hold(m->host.ctx, true);
    while (*link)
        link = &(*link)->next;
    *link = v;
    ranges_add(&m->moving, &v->pages);
    migrate_step(m);
    return 0;
}
