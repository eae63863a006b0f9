/* SPDX-License-Identifier: Apache-2.0
 * What a move does when something happens: the table steps.def.  Not responsible for: who says that it has happened
 * (migrate.c, carry.c).
 */
#include <errno.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/log.h"
#include "migrate/move.h"
#include "policy/policy.h"
#include "vm/pmem.h"

/* ---- actions */
static void do_nothing(struct move *v)
{
    (void)v;
}

/* Page tables are locked (views_lock); shoot-downs of its batch go out together. */
static void do_shoot(struct move *v)
{
    (void)v;
}

static void do_flush(struct move *v)
{
    carry_flush(v);
}

static void do_push(struct move *v)
{
    carry_push(v);
}

/* Its lines are in DRAM: nobody can have an access under way or a line of it, so the host may copy it from here on. */
static void do_await(struct move *v)
{
    struct migrate *m = v->owner;
    const uint64_t now = m->host.now(m->host.ctx), due = v->since[STATE_LOCK] + v->fixed;
    v->due = due > now ? due : now;
    m->host.alarm(m->host.ctx, v->due);
}

/* No other move may bring it home while lines still come there. */
static void do_unlock(struct move *v)
{
    views_unlock(v);
    carry_stop(v);
    for (uint64_t at = 0; carry_begun(v) && at < v->pages.bytes; at += MIGRATE_PAGE)
        away_soiled(&v->owner->away, v->pages.at + at, v->to + at);
    log_info("migrate", "page 0x%llx stays where it is", (unsigned long long)v->pages.at);
}

/* Its new place is empty again; once a line may have come there, when no cache holds anything of it. */
static void do_leave(struct move *v)
{
    struct migrate *m = v->owner;
    if (!carry_begun(v))
        away_undo(&m->away, v->pages.at, v->to, v->pages.bytes);
    else
        for (uint64_t at = 0; at < v->pages.bytes; at += MIGRATE_PAGE)
            if (away_soiled(&m->away, v->pages.at + at, v->to + at))
                m->host.left(m->host.ctx, 0, v->to + at);
}

static void do_undo(struct move *v)
{
    do_unlock(v);
    do_leave(v);
}

/* Locked, and nobody has an access to them under way: from one moment to the next they are there. */
static void arrive(struct move *v)
{
    struct migrate *m = v->owner;
    const uint64_t page = v->pages.at, end = page + v->pages.bytes;
    uint64_t left[MIGRATE_BLOCK / MIGRATE_PAGE];
    for (uint64_t p = page; p < end; p += MIGRATE_PAGE) {
        left[(p - page) / MIGRATE_PAGE] = pmem_frame_of(m->pm, p);
        pmem_move(m->pm, p, v->to + (p - page), m->host.settled(m->host.ctx));
    }
    views_map(v);
    for (uint64_t p = page; p < end; p += MIGRATE_PAGE) {
        const uint64_t frame = left[(p - page) / MIGRATE_PAGE];
        away_moved(&m->away, p, frame);
        rest_put(m, p, frame);
    }
    if (!views_meet_kernels(v)) /* then it costs nothing */
        rest_clear(m);
}

static void do_bind(struct move *v)
{
    carry_check(v);
    arrive(v);
}

static void do_copy(struct move *v)
{
    carry_copy(v);
    arrive(v);
}

/* ---- the table */
static const char *const states[] = {
#define STATE(name, text) text,
#include "migrate/steps.def"
};

static const char *const events[] = {
#define EVENT(name, text) text,
#include "migrate/steps.def"
};

enum guard { GUARD_ALWAYS, GUARD_PUSHED, GUARD_FIXED, GUARD_CACHED, GUARD_COPIED };

static const struct step {
    enum move_state state;
    enum move_event event;
    enum guard guard;
    void (*action)(struct move *v);
    enum move_state next;
} steps[] = {
#define STEP(state, event, guard, action, next)                                                                        \
    {STATE_##state, EVENT_##event, GUARD_##guard, do_##action, STATE_##next},
#include "migrate/steps.def"
};

static bool holds(const struct move *v, enum guard guard)
{
    switch (guard) {
    case GUARD_PUSHED:
        return v->pushed && !v->fixed;
    case GUARD_FIXED:
        return v->fixed;
    case GUARD_CACHED:
        return v->pushed;
    case GUARD_COPIED:
        return !v->pushed;
    default:
        return true;
    }
}

static const struct step *step_of(const struct move *v, enum move_event event)
{
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        if (steps[i].state == v->state && steps[i].event == event && holds(v, steps[i].guard))
            return &steps[i];
    return NULL;
}

static unsigned long long cycles(const struct move *v, enum move_state from, enum move_state to)
{
    return v->since[to] > v->since[from] ? v->since[to] - v->since[from] : 0;
}

static void tell(const struct move *v)
{
    if (!v->since[STATE_RESUME])
        return;
    const enum move_state carried = v->pushed ? STATE_FLUSH : STATE_RESUME, back = v->fixed ? STATE_WAIT : STATE_PUSH;
    log_info("migrate", "page 0x%llx: %llu bytes are at 0x%llx: lock %llu, write-back %llu, copy %llu, map %llu cycles",
             (unsigned long long)v->pages.at, (unsigned long long)v->pages.bytes, (unsigned long long)v->to,
             cycles(v, STATE_LOCK, carried), cycles(v, STATE_FLUSH, back), cycles(v, back, STATE_RESUME),
             cycles(v, STATE_RESUME, STATE_OVER));
}

/* Where its cycles have gone: each belongs to one step. */
static struct move_fact fact_of(const struct move *v)
{
    const uint64_t *at = v->since, locked = at[v->pushed ? STATE_FLUSH : STATE_RESUME];
    const uint64_t written = v->written ? v->written : locked;
    struct move_fact f = {.page = v->pages.at,
                          .bytes = v->pages.bytes,
                          .from = v->from,
                          .to = (unsigned)(v->to >> PMEM_OWNER_SHIFT) - 1,
                          .refused = at[STATE_RESUME] ? 0 : -ECANCELED,
                          .begun = at[STATE_NEW],
                          .ended = at[STATE_OVER],
                          .batch = 1};
    if (f.refused)
        return f;
    f.wait = at[STATE_LOCK] - at[STATE_NEW];
    f.lock = written - at[STATE_LOCK];
    f.shoot = locked - written;
    f.map = at[STATE_OVER] - at[STATE_RESUME];
    if (!v->pushed) /* the host has copied it, in no time */
        return f;
    if (v->fixed) {
        f.fixed = v->fixed;
        f.late = v->due - (at[STATE_LOCK] + v->fixed);
        f.flush = at[STATE_WAIT] - at[STATE_FLUSH];
        f.copy = at[STATE_RESUME] - at[STATE_WAIT];
        return f;
    }
    f.flush = at[STATE_PUSH] - at[STATE_FLUSH];
    f.wait += v->sent - at[STATE_PUSH];
    f.copy = at[STATE_RESUME] - v->sent;
    return f;
}

/* Its page may move again, or be somebody else's. */
static void release(struct move *v)
{
    if (v->listed)
        ranges_remove(&v->owner->moving, &v->pages);
    v->listed = false;
}

void move_free(struct move *v)
{
    free(v->piece);
    free(v);
}

void moves_send(struct migrate *m)
{
    views_send(m);
    carry_send(m);
}

static void over(struct move *v)
{
    struct migrate *m = v->owner;
    struct move **link = &m->moves;
    struct move_fact fact = fact_of(v);
    tell(v);
    while (*link != v)
        link = &(*link)->next;
    *link = v->next;
    m->count--;
    move_free(v);
    if (m->host.moved)
        m->host.moved(m->host.ctx, &fact);
    m->host.over(m->host.ctx);
    if (m->moves)
        return;
    hold_give(m);
    m->host.busy(m->host.ctx, false);
}

void move_happens(struct move *v, enum move_event event)
{
    struct migrate *m = v->owner;
    const struct step *step = step_of(v, event);
    CHECK(step, "migrate", "page %llx waits for %s: %s", (unsigned long long)v->pages.at, states[v->state],
          events[event]);
    step->action(v);
    v->state = step->next;
    v->since[v->state] = m->host.now(m->host.ctx);
    if (v->state == STATE_GIVEN_UP || v->state == STATE_OVER)
        release(v);
    if (v->state == STATE_GIVEN_UP && v->open == 0)
        move_happens(v, EVENT_FAILED);
    else if (v->state == STATE_OVER) {
        views_send(m);
        over(v);
    }
}

void migrate_tell(const struct migrate *m, FILE *out)
{
    for (const struct move *v = m->moves; v; v = v->next) {
        fprintf(out, "  page 0x%llx to gpu%u, since cycle %llu: waits for %s", (unsigned long long)v->pages.at,
                (unsigned)(v->to >> PMEM_OWNER_SHIFT) - 1, (unsigned long long)v->since[v->state], states[v->state]);
        if (v->state == STATE_LOCK || v->state == STATE_RESUME)
            views_tell(v, out);
        else
            carry_tell(v, out);
        fputc('\n', out);
    }
}

void migrate_report(const struct migrate *m)
{
    if (!m->moves)
        return;
    FILE *out = log_report_open();
    fprintf(out, "gantry: %u moves of pages wait at cycle %llu\n", m->count,
            (unsigned long long)m->host.now(m->host.ctx));
    migrate_tell(m, out);
    log_report_close(out);
}
