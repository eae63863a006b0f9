/* SPDX-License-Identifier: Apache-2.0
 * Moves of pages: how one begins, who is told that it goes on; contract in migrate.h.  What it does when: steps.c.
 */
#include "migrate/migrate.h"

#include <errno.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "firmware/cp.h"
#include "migrate/move.h"
#include "vm/pmem.h"

struct migrate *migrate_new(struct pmem *pm, const struct migrate_host *host, const struct frames_source *source)
{
    struct migrate *m = xzalloc(sizeof *m);
    *m = (struct migrate){.pm = pm,
                          .host = *host,
                          .happens = move_happens,
                          .held = migrate_go,
                          .engine = xcalloc(pmem_gpus(pm), sizeof *m->engine)};
    away_init(&m->away, pm, source);
    return m;
}

void migrate_free(struct migrate *m)
{
    if (!m)
        return;
    for (struct move *v; (v = m->moves);) {
        m->moves = v->next;
        move_free(v);
    }
    away_fini(&m->away);
    free(m->rest.frame);
    free(m->engine);
    free(m);
}

bool migrate_busy(const struct migrate *m)
{
    return m->moves;
}

bool migrate_moves(const struct migrate *m, uint64_t page, uint64_t bytes)
{
    return ranges_overlap(&m->moving, page, bytes);
}

void migrate_step(struct migrate *m)
{
    for (struct move *v = m->moves, *next; v; v = next) {
        next = v->next;
        if (v->state == STATE_LOCK && !v->written && views_written(v))
            v->written = m->host.now(m->host.ctx);
        if ((v->state == STATE_LOCK || v->state == STATE_RESUME) && views_answered(v))
            move_happens(v, EVENT_ANSWERED);
    }
    moves_send(m);
    for (struct move *v = m->moves, *next; v; v = next) { /* of a page that nobody has to be told of */
        next = v->next;
        if (v->state == STATE_RESUME && views_answered(v))
            move_happens(v, EVENT_ANSWERED);
    }
}

void migrate_alarm(struct migrate *m)
{
    const uint64_t now = m->host.now(m->host.ctx);
    for (struct move *v = m->moves; v; v = v->next)
        if (v->state == STATE_WAIT && v->due <= now)
            move_happens(v, EVENT_DUE);
    moves_send(m);
    migrate_step(m);
}

/* Mapped anew it is there, whoever still writes that down; before that it was never gone. */
void migrate_settle(struct migrate *m, uint64_t page, uint64_t bytes)
{
    for (struct range *r; (r = ranges_overlap(&m->moving, page, bytes));)
        move_happens(RANGE_OF(r, struct move, pages), EVENT_OWNER);
    moves_send(m);
}

void migrate_gone(struct migrate *m, uint64_t page, uint64_t bytes)
{
    uint64_t frame, at = page;
    migrate_settle(m, page, bytes);
    rest_gone(m, page, bytes);
    while (away_drop(&m->away, page, bytes, &at, &frame))
        m->host.left(m->host.ctx, at, frame);
}

bool migrate_comes(const struct migrate *m, uint64_t page, uint64_t bytes)
{
    for (const struct move *v = m->moves; v; v = v->next)
        if (v->state == STATE_GIVEN_UP && v->open && carry_begun(v) && v->to == v->pages.at && v->to < page + bytes &&
            page < v->to + v->pages.bytes)
            return true;
    return false;
}

void migrate_emptied(struct migrate *m, uint64_t frame)
{
    away_emptied(&m->away, frame);
}

/* ---- the beginning of a move */
static struct move *move_new(struct migrate *m, uint64_t page, uint64_t bytes)
{
    const size_t count = m->host.views(m->host.ctx, page, bytes, NULL, 0);
    struct move *v = xzalloc(sizeof *v + count * sizeof v->view[0]);
    v->owner = m;
    v->pages = (struct range){.at = page, .bytes = bytes};
    v->from = (unsigned)(pmem_frame_of(m->pm, page) >> PMEM_OWNER_SHIFT) - 1;
    v->since[STATE_NEW] = m->host.now(m->host.ctx);
    v->pushed = m->host.pushed(m->host.ctx);
    v->fixed = v->pushed ? m->host.fixed : 0;
    v->count = count;
    m->host.views(m->host.ctx, page, bytes, v->view, count);
    return v;
}

static int refused(struct move *v, int error)
{
    move_free(v);
    return error;
}

int migrate_add(struct migrate *m, uint64_t page, uint64_t bytes, unsigned gpu)
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
    if (m->count == MIGRATE_MOST)
        return -EAGAIN;
    for (uint64_t p = page; p < page + bytes; p += MIGRATE_PAGE)
        if (pmem_frame_of(m->pm, p) >> PMEM_OWNER_SHIFT == gpu + 1)
            return -EALREADY;
    struct move *v = move_new(m, page, bytes);
    if (!v->pushed && views_meet_kernels(v))
        return refused(v, -EAGAIN);
    const int error = away_take(&m->away, page, bytes, gpu, &v->to);
    if (error)
        return refused(v, rest_clear(m) ? -EAGAIN : error);
    if (!m->moves) /* entries are locked by messages from here on */
        m->host.busy(m->host.ctx, true);
    if (!views_lock(v)) {
        away_undo(&m->away, page, v->to, bytes);
        if (!m->moves)
            m->host.busy(m->host.ctx, false);
        return refused(v, -ENOMEM);
    }
    pieces_make(v);
    struct move **link = &m->moves;
    while (*link)
        link = &(*link)->next;
    *link = v;
    m->count++;
    ranges_add(&m->moving, &v->pages);
    v->listed = true;
    return 0;
}

void migrate_go(struct migrate *m)
{
    if (!hold_take(m))
        return;
    for (struct move *v = m->moves; v; v = v->next)
        if (v->state == STATE_NEW)
            move_happens(v, EVENT_GO);
    moves_send(m);
    migrate_step(m);
}

int migrate_now(struct migrate *m, uint64_t page, uint64_t bytes, unsigned gpu)
{
    const int error = migrate_add(m, page, bytes, gpu);
    if (!error)
        migrate_go(m);
    return error;
}
