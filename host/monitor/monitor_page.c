/* SPDX-License-Identifier: Apache-2.0
 * Pages that move, as the border of the host shows them (monitor.h): each goes by steps.def.  What is seen is an
 * action, so the row is found by state and action, and its event must be a fact.  Not responsible for: the facts
 * (monitor_locks.c, monitor_gpu.c, monitor_orders.c).
 */
#include <stdlib.h>

#include "base/check.h"
#include "base/xalloc.h"
#include "monitor/monitor_private.h"
#include "vm/pmem.h"

static const char *const states[] = {
#define STATE(name, text) text,
#include "migrate/steps.def"
};

static const char *const events[] = {
#define EVENT(name, text) text,
#include "migrate/steps.def"
};

#define A(name) #name,
static const char *const actions[] = {MONITOR_ACTIONS};
#undef A

enum guard { GUARD_ALWAYS, GUARD_PUSHED, GUARD_FIXED, GUARD_CACHED, GUARD_COPIED };

static const struct row {
    enum move_state state;
    enum move_event event;
    enum guard guard;
    enum monitor_action action;
    enum move_state next;
} rows[] = {
#define STEP(state, event, guard, action, next)                                                                        \
    {STATE_##state, EVENT_##event, GUARD_##guard, ACTION_##action, STATE_##next},
#include "migrate/steps.def"
};

/* Of an owner's change nothing is seen here, so it can always be; a fixed time may be over at any. */
static bool happened(const struct monitor_page *p, enum move_event event)
{
    switch (event) {
    case EVENT_ANSWERED:
        return p->answered;
    case EVENT_FLUSHED:
        return p->flushed && !p->failed;
    case EVENT_ARRIVED:
        return p->arrived && !p->failed;
    case EVENT_FAILED:
        return p->failed;
    default:
        return true;
    }
}

bool page_copied(const struct monitor *m)
{
    return m->sim && sim_model_now(m->sim) == SIM_GOLDEN;
}

static bool holds(const struct monitor *m, enum guard guard)
{
    switch (guard) {
    case GUARD_COPIED:
        return page_copied(m);
    case GUARD_CACHED:
        return !page_copied(m);
    case GUARD_FIXED:
        return !page_copied(m) && m->fixed;
    case GUARD_PUSHED:
        return !page_copied(m) && !m->fixed;
    default:
        return true;
    }
}

const char *page_state(const struct monitor_page *p)
{
    return states[p->state];
}

void page_step(struct monitor *m, struct monitor_page *p, enum monitor_action action)
{
    const struct row *found = NULL, *missed = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && !found; i++) {
        const struct row *r = &rows[i];
        if (r->state != p->state || r->action != action || !holds(m, r->guard))
            continue;
        missed = r;
        found = happened(p, r->event) ? r : NULL;
    }
    CHECK(found, "migrate.monitor", "page %llx at %llx waits for %s: %s, before this: %s", (unsigned long long)p->own,
          (unsigned long long)p->frame.at, states[p->state], actions[action],
          missed ? events[missed->event] : "there is no such step");
    p->state = found->next;
}

struct monitor_page *page_find(const struct monitor *m, uint64_t frame)
{
    struct range *r = ranges_at(&m->pages, frame);
    return r ? RANGE_OF(r, struct monitor_page, frame) : NULL;
}

static void page_begin(struct monitor *m, struct monitor_page *p)
{
    p->own = pmem_page_at(m->pm, p->frame.at);
    p->to = p->flush = 0;
    p->answered = p->flushed = p->arrived = p->failed = false;
    p->order = NULL;
    p->state = STATE_NEW;
    page_step(m, p, ACTION_shoot);
}

struct monitor_page *page_locked(struct monitor *m, uint64_t frame)
{
    struct monitor_page *p = page_find(m, frame);
    if (!p) {
        p = xzalloc(sizeof *p);
        p->frame = (struct range){.at = frame, .bytes = MIGRATE_PAGE};
        ranges_add(&m->pages, &p->frame);
        page_begin(m, p);
    } else if (p->state == STATE_GIVEN_UP || p->state == STATE_OVER || p->state == STATE_RESUME) {
        page_begin(m, p);
    }
    CHECK(p->state == STATE_LOCK, "migrate.monitor", "page %llx at %llx waits for %s, and is locked once more",
          (unsigned long long)p->own, (unsigned long long)frame, states[p->state]);
    return p;
}

/* Of several GPUs the first says what has happened. */
void page_unlocked(struct monitor *m, struct monitor_page *p)
{
    if (p->state == STATE_GIVEN_UP || p->state == STATE_OVER)
        return;
    const bool begun = p->state == STATE_FLUSH || p->state == STATE_PUSH;
    page_step(m, p, begun && !p->failed ? ACTION_unlock : ACTION_undo);
    pmem_guard_set(m->pm, p->frame.at, PMEM_OPEN);
}

void page_mapped(struct monitor *m, struct monitor_page *p, uint64_t to)
{
    const bool copied = page_copied(m) || m->fixed;
    if (p->state != STATE_RESUME) {
        page_step(m, p, copied ? ACTION_copy : ACTION_bind);
        p->to = copied ? to : p->to;
    }
    CHECK(to == p->to, "migrate.monitor", "page %llx at %llx is mapped at %llx, and was sent to %llx",
          (unsigned long long)p->own, (unsigned long long)p->frame.at, (unsigned long long)to,
          (unsigned long long)p->to);
}

void page_rests(struct monitor *m, struct monitor_page *p)
{
    if (p->state != STATE_RESUME) /* else it has left */
        pmem_guard_set(m->pm, p->frame.at, PMEM_OPEN);
    ranges_remove(&m->pages, &p->frame);
    free(p);
}
