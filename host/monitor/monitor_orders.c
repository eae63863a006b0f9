/* SPDX-License-Identifier: Apache-2.0
 * Orders of the page-move engines and their reports, for the monitor of moves.  An order outlives the move that has
 * given it, when that is given up.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/xalloc.h"
#include "monitor/monitor_private.h"
#include "vm/pmem.h"

static void store_sent(struct monitor *m, unsigned gpu, const struct msg_cp_move *view)
{
    struct monitor_store *s = xzalloc(sizeof *s), **end = &m->stores;
    *s = (struct monitor_store){
        .gpu = gpu, .slot = view->slot, .id = view->id, .lines = view->lines, .clears = view->lines == 0};
    for (; *end; end = &(*end)->next) {
        if ((*end)->gpu != gpu || (*end)->slot != view->slot)
            continue;
        CHECK(s->clears, "migrate.monitor", "gpu%u: slot %u is given to a page, and has one", gpu, s->slot);
        s->order = (*end)->order;
    }
    *end = s;
}

static void move_sent(struct monitor *m, unsigned gpu, const struct msg_cp_move *view)
{
    const unsigned there = (unsigned)(view->target >> PMEM_OWNER_SHIFT) - 1;
    struct monitor_order *o = xzalloc(sizeof *o);
    *o = (struct monitor_order){.next = m->orders,
                                .home = gpu,
                                .id = view->id,
                                .from = pmem_addr(gpu + 1, view->source),
                                .to = view->target,
                                .bytes = view->lines * (uint64_t)PAGE_LINE};
    struct monitor_store *s = m->stores;
    while (s && (s->gpu != there || s->slot != view->slot || s->order || s->clears))
        s = s->next;
    CHECK(s && s->lines == view->lines, "migrate.monitor",
          "gpu%u sends %u lines of the page at %llx to slot %u of gpu%u, which has not been told of them", gpu,
          view->lines, (unsigned long long)o->from, view->slot, there);
    s->order = m->orders = o;
    for (uint64_t at = 0; at < o->bytes; at += MIGRATE_PAGE) {
        struct monitor_page *p = page_find(m, o->from + at);
        CHECK(p, "migrate.monitor", "gpu%u sends the page at %llx, which does not move", gpu,
              (unsigned long long)(o->from + at));
        page_step(m, p, ACTION_push);
        p->order = o;
        p->to = o->to + at;
        pmem_guard_set(m->pm, p->to, PMEM_COMES);
    }
}

void order_sent(struct monitor *m, unsigned gpu, const struct msg_cp_cmd *cmd)
{
    struct msg_cp_move view;
    memcpy(&view, cmd, sizeof view);
    if (view.kind == CP_STORE)
        store_sent(m, gpu, &view);
    else
        move_sent(m, gpu, &view);
}

/* Both have reported: the page is there, or never will be; unless its move was given up meanwhile. */
static void order_ends(struct monitor *m, struct monitor_order *o)
{
    struct monitor_order **link = &m->orders;
    for (uint64_t at = 0; at < o->bytes; at += MIGRATE_PAGE) {
        struct monitor_page *p = page_find(m, o->from + at);
        if (!p || p->order != o)
            continue;
        p->order = NULL;
        p->arrived = true;
        p->failed |= o->failed;
    }
    for (struct monitor_store *s = m->stores; s; s = s->next)
        s->order = s->order == o ? NULL : s->order;
    while (*link != o)
        link = &(*link)->next;
    *link = o->next;
    free(o);
}

static bool bad(const struct msg_cp_evt_move *told, uint64_t lines)
{
    return !told->begun || told->status != MOVE_OK || told->lines != lines;
}

static void moved(struct monitor *m, unsigned gpu, const struct msg_cp_evt_move *told)
{
    struct monitor_order *o = m->orders;
    while (o && (o->home != gpu || o->id != told->id || o->moved))
        o = o->next;
    CHECK(o, "migrate.monitor", "gpu%u: report %u of a page that was sent, for which there is no order", gpu, told->id);
    o->moved = true;
    o->failed |= bad(told, o->bytes / PAGE_LINE);
    if (o->stored)
        order_ends(m, o);
}

/* Of a slot that is given up the last command is told alone. */
static void stored(struct monitor *m, unsigned gpu, const struct msg_cp_evt_move *told)
{
    struct monitor_store *s = m->stores;
    while (s && (s->gpu != gpu || s->id != told->id))
        s = s->next;
    CHECK(s, "migrate.monitor", "gpu%u: report %u of a page that has come, for which there is no order", gpu, told->id);
    struct monitor_order *o = s->order;
    const bool failed = s->clears || bad(told, s->lines);
    const uint8_t slot = s->slot;
    for (struct monitor_store **link = &m->stores, *gone = NULL; gone != s;) {
        if ((*link)->gpu != gpu || (*link)->slot != slot) {
            link = &(*link)->next;
            continue;
        }
        gone = *link;
        *link = gone->next;
        free(gone);
    }
    if (!o)
        return;
    o->stored = true;
    o->failed |= failed;
    if (o->moved)
        order_ends(m, o);
}

void order_reported(struct monitor *m, unsigned gpu, const struct msg_cp_evt *evt)
{
    struct msg_cp_evt_move told;
    memcpy(&told, evt, sizeof told);
    if (told.kind == CP_EVT_MOVED)
        moved(m, gpu, &told);
    else
        stored(m, gpu, &told);
}

void orders_free(struct monitor *m)
{
    for (struct monitor_order *o; (o = m->orders);) {
        m->orders = o->next;
        free(o);
    }
    for (struct monitor_store *s; (s = m->stores);) {
        m->stores = s->next;
        free(s);
    }
}
