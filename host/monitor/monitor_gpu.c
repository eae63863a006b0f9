/* SPDX-License-Identifier: Apache-2.0
 * What each GPU has been told of caches, TLBs and kernels and what it owes, for the monitor of moves.
 */
#include <string.h>

#include "base/check.h"
#include "base/xalloc.h"
#include "monitor/monitor_private.h"
#include "vm/pmem.h"

struct monitor_named named_pages(const struct msg_cp_cmd *cmd)
{
    struct msg_cp_pages view;
    struct monitor_named n = {.count = cmd->pc != 0, .at = {cmd->root}, .bytes = cmd->pc};
    memcpy(&view, cmd, sizeof view);
    if (view.pages) {
        n.count = view.pages;
        n.bytes = view.bytes;
        memcpy(n.at, view.page, sizeof n.at);
    }
    return n;
}

/* ---- TLBs */
static void shot_down(struct monitor *m, unsigned gpu, const struct msg_cp_cmd *cmd)
{
    const struct monitor_named n = named_pages(cmd);
    struct monitor_gpu *g = &m->gpus[gpu];
    for (unsigned v = 0; n.count == 0 && v < 256; v++)
        if (cmd->vmid == v || cmd->vmid == 255)
            g->dropped[v] = m->number;
    for (unsigned i = 0; m->locks.root && i < n.count; i++)
        for (uint64_t va = n.at[i]; va < n.at[i] + n.bytes; va += MIGRATE_PAGE) {
            struct monitor_lock *lock = lock_of(m, gpu, cmd->vmid, va);
            if (!lock)
                continue;
            CHECK(!lock->shot, "migrate.monitor", "gpu%u: page %llx waits for %s, and its lock is told a second time",
                  gpu, (unsigned long long)lock->page->own, page_state(lock->page));
            lock->shot = m->number;
        }
}

/* Withheld translations are looked up again: of a page that is locked it was unlocked meanwhile, and locked anew. */
static void looked_up(struct monitor *m, unsigned gpu, const struct msg_cp_cmd *cmd)
{
    const struct monitor_named n = named_pages(cmd);
    for (unsigned i = 0; m->locks.root && i < n.count; i++)
        for (uint64_t va = n.at[i]; va < n.at[i] + n.bytes; va += MIGRATE_PAGE) {
            struct monitor_lock *lock = lock_of(m, gpu, cmd->vmid, va);
            if (!lock)
                continue;
            lock->shot = 0;
            if (lock->page->state == STATE_LOCK)
                continue;
            page_unlocked(m, lock->page);
            page_locked(m, lock->page->frame.at);
        }
}

/* ---- caches */
static void written_back(struct monitor *m, unsigned gpu, const struct msg_cp_cmd *cmd)
{
    const struct monitor_named n = named_pages(cmd);
    for (unsigned i = 0; i < n.count; i++) {
        const uint64_t from = pmem_addr(gpu + 1, n.at[i]);
        locks_check(m, from, n.bytes);
        for (uint64_t at = from; at < from + n.bytes; at += MIGRATE_PAGE) {
            struct monitor_page *p = page_find(m, at);
            CHECK(p, "migrate.monitor", "gpu%u: the page at %llx is written back, and was locked nowhere", gpu,
                  (unsigned long long)at);
            p->answered = true;
            page_step(m, p, ACTION_flush);
            p->flush = m->number;
        }
    }
}

static void back(struct monitor *m, unsigned gpu, const struct monitor_cache *c, bool good)
{
    const struct monitor_named n = named_pages(&c->cmd);
    for (unsigned i = 0; i < n.count; i++)
        for (uint64_t at = pmem_addr(gpu + 1, n.at[i]), end = at + n.bytes; at < end; at += MIGRATE_PAGE) {
            struct monitor_page *p = page_find(m, at);
            if (!p || p->flush != c->number || p->state != STATE_FLUSH)
                continue;
            p->flushed = true;
            p->failed |= !good;
            if (good)
                pmem_guard_set(m->pm, at, PMEM_SENT);
            if (good && m->fixed)
                page_step(m, p, ACTION_await);
        }
}

static bool of_slices(const struct msg_cp_cmd *cmd)
{
    return (cmd->flags & (CACHE_INV_L2 | CACHE_INV_TLB)) == CACHE_INV_L2 && named_pages(cmd).count;
}

static void cache_sent(struct monitor *m, unsigned gpu, const struct msg_cp_cmd *cmd)
{
    struct monitor_gpu *g = &m->gpus[gpu];
    g->caches = xgrow(g->caches, &g->cache_room, g->cache_count + 1, sizeof *g->caches);
    g->caches[g->cache_count++] = (struct monitor_cache){.number = m->number, .cmd = *cmd};
    if (cmd->flags & CACHE_INV_TLB)
        shot_down(m, gpu, cmd);
    if (of_slices(cmd))
        written_back(m, gpu, cmd);
}

static void cache_answered(struct monitor *m, unsigned gpu, const struct msg_cp_evt *evt)
{
    struct monitor_gpu *g = &m->gpus[gpu];
    size_t i = 0;
    while (i < g->cache_count && g->caches[i].cmd.id != evt->id)
        i++;
    CHECK(i < g->cache_count, "migrate.monitor", "gpu%u: answer %u of caches, which nobody has asked", gpu, evt->id);
    const struct monitor_cache c = g->caches[i];
    const bool good = evt->status == CTL_OK;
    memmove(&g->caches[i], &g->caches[i + 1], (--g->cache_count - i) * sizeof c);
    if (c.cmd.flags & CACHE_INV_TLB && !good)
        locks_refused(m, gpu, c.number);
    else if (c.cmd.flags & CACHE_INV_TLB && !(c.cmd.flags & CACHE_MORE))
        g->shot[c.cmd.vmid] = c.number;
    if (of_slices(&c.cmd))
        back(m, gpu, &c, good);
}

/* ---- kernels */
static void launched(struct monitor *m, unsigned gpu, const struct msg_cp_cmd *cmd)
{
    struct monitor_gpu *g = &m->gpus[gpu];
    CHECK(g->owed[cmd->vmid] <= g->dropped[cmd->vmid], "migrate.monitor",
          "gpu%u: a kernel of vmid %u starts, and its translations are from before pages were locked", gpu, cmd->vmid);
    g->owed[cmd->vmid] = 0;
    g->launches = xgrow(g->launches, &g->launch_room, g->launch_count + 1, sizeof *g->launches);
    g->launches[g->launch_count++] = (struct monitor_launch){.id = cmd->id, .vmid = cmd->vmid};
}

static void launches_end(struct monitor_gpu *g, const struct msg_cp_evt *evt)
{
    size_t stay = 0;
    for (size_t i = 0; i < g->launch_count; i++) {
        const struct monitor_launch *l = &g->launches[i];
        if (evt->kind == CP_EVT_LAUNCH_DONE ? l->id != evt->id : l->vmid != evt->vmid)
            g->launches[stay++] = *l;
    }
    g->launch_count = stay;
}

void gpu_command(struct monitor *m, unsigned gpu, const struct msg_cp_cmd *cmd)
{
    struct monitor_gpu *g = &m->gpus[gpu];
    if (cmd->kind == CP_VMID) {
        g->roots[cmd->vmid] = cmd->root;
        g->owed[cmd->vmid] = 0;
    } else if (cmd->kind == CP_LAUNCH) {
        launched(m, gpu, cmd);
    } else if (cmd->kind == CP_CACHE) {
        cache_sent(m, gpu, cmd);
    } else if (cmd->kind == CP_XLAT) {
        looked_up(m, gpu, cmd);
    } else if (cmd->kind == CP_MOVE || cmd->kind == CP_STORE) {
        order_sent(m, gpu, cmd);
    }
}

void gpu_event(struct monitor *m, unsigned gpu, const struct msg_cp_evt *evt)
{
    if (evt->kind == CP_EVT_LAUNCH_DONE || evt->kind == CP_EVT_KILL_DONE)
        launches_end(&m->gpus[gpu], evt);
    else if (evt->kind == CP_EVT_CACHE_DONE)
        cache_answered(m, gpu, evt);
    else if (evt->kind == CP_EVT_MOVED || evt->kind == CP_EVT_STORED)
        order_reported(m, gpu, evt);
}
