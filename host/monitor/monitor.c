/* SPDX-License-Identifier: Apache-2.0
 * The monitor of moves at the border of the host; contract in monitor.h.  What it makes of what it sees there:
 * monitor_gpu.c (commands and events), monitor_locks.c (page tables), monitor_page.c (the table of steps).
 */
#include "monitor/monitor.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/xalloc.h"
#include "monitor/monitor_private.h"
#include "vm/pmem.h"

static void command(void *ctx, unsigned gpu, const struct msg_cp_cmd *cmd)
{
    struct monitor *m = ctx;
    m->number++;
    gpu_command(m, gpu, cmd);
}

static void event(void *ctx, unsigned gpu, const struct msg_cp_evt *evt)
{
    gpu_event(ctx, gpu, evt);
}

static void frame_access(struct monitor *m, const struct msg_mem_req *req)
{
    const uint64_t frame = req->addr & ~(MIGRATE_PAGE - 1), at = frame & PMEM_OFFSET_MASK;
    const uint8_t *guards = pmem_guards(m->pm, (unsigned)(frame >> PMEM_OWNER_SHIFT) - 1);
    CHECK(!guards || guards[at / MIGRATE_PAGE] == PMEM_OPEN, "migrate.monitor",
          "the host accesses line %llu of frame %llx, whose page moves (guard %u)",
          (unsigned long long)req->addr % MIGRATE_PAGE / PAGE_LINE, (unsigned long long)frame,
          guards[at / MIGRATE_PAGE]);
}

static void access(void *ctx, const struct msg_mem_req *req)
{
    struct monitor *m = ctx;
    const unsigned owner = (unsigned)(req->addr >> PMEM_OWNER_SHIFT) & 0xff;
    m->number++;
    if (owner == 0)
        return;
    if ((req->addr & PMEM_OFFSET_MASK) < pmem_vram_bytes(m->pm) - pmem_table_bytes(m->pm)) {
        frame_access(m, req);
        return;
    }
    for (unsigned i = 0; req->op == MEM_WRITE && i < 8; i++)
        if (req->mask >> (8 * i) & 1)
            entry_written(m, owner - 1, req->addr + 8 * i, req->data[i]);
}

struct monitor *monitor_new(struct pmem *pm, bool fixed)
{
    if (!pmem_guard_begin(pm))
        return NULL;
    struct monitor *m = xzalloc(sizeof *m);
    *m = (struct monitor){.pm = pm,
                          .fixed = fixed,
                          .watch = {.ctx = m, .command = command, .access = access, .event = event},
                          .gpus = xcalloc(pmem_gpus(pm), sizeof *m->gpus)};
    return m;
}

void monitor_free(struct monitor *m)
{
    if (!m)
        return;
    orders_free(m);
    while (m->locks.root) {
        struct monitor_lock *lock = RANGE_OF(m->locks.root, struct monitor_lock, place);
        ranges_remove(&m->locks, &lock->place);
        free(lock);
    }
    while (m->pages.root) {
        struct monitor_page *p = RANGE_OF(m->pages.root, struct monitor_page, frame);
        ranges_remove(&m->pages, &p->frame);
        free(p);
    }
    for (unsigned g = 0; g < pmem_gpus(m->pm); g++) {
        free(m->gpus[g].caches);
        free(m->gpus[g].launches);
    }
    free(m->gpus);
    free(m);
}

const struct sim_watch *monitor_watch(const struct monitor *m)
{
    return &m->watch;
}

void monitor_attach(struct monitor *m, const struct sim *sim)
{
    m->sim = sim;
}
