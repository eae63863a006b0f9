/* SPDX-License-Identifier: Apache-2.0
 * Locked entries of page tables, as they are written to the VRAM of GPUs, and whether a page is locked wherever it is
 * mapped: by the tables in VRAM, not by what the engine knows of owners.
 */
#include <stdlib.h>

#include "base/check.h"
#include "base/xalloc.h"
#include "monitor/monitor_private.h"
#include "vm/pagetable.h"
#include "vm/pmem.h"

#define RIGHTS (PTE_R | PTE_W | PTE_X)

static bool is_locked(uint64_t entry)
{
    return (entry & (PTE_VALID | PTE_LOCKED | PTE_LEAF)) == (PTE_LOCKED | PTE_LEAF);
}

static struct monitor_lock *lock_at(const struct monitor *m, uint64_t place)
{
    struct range *r = place ? ranges_at(&m->locks, place) : NULL;
    return r ? RANGE_OF(r, struct monitor_lock, place) : NULL;
}

static void lock_remove(struct monitor *m, struct monitor_lock *lock)
{
    struct monitor_page *p = lock->page;
    ranges_remove(&m->locks, &lock->place);
    free(lock);
    if (--p->locks == 0)
        page_rests(m, p);
}

static void lock_add(struct monitor *m, unsigned gpu, uint64_t place, uint64_t entry)
{
    struct monitor_page *p = page_locked(m, entry & PTE_ADDR);
    struct monitor_lock *lock = xzalloc(sizeof *lock);
    *lock = (struct monitor_lock){
        .place = {.at = place, .bytes = sizeof entry}, .entry = entry, .gpu = gpu, .since = m->number, .page = p};
    ranges_add(&m->locks, &lock->place);
    p->locks++;
}

struct look {
    struct monitor *m;
    uint64_t at, bytes;
    unsigned gpu;
    uint8_t vmid;
};

/* A translation from before the lock has gone: by a shoot-down that is done, or with all of its space; or nothing of
 * the space runs, and what starts there next drops all of it. */
static void gone_check(const struct look *k, const struct monitor_lock *lock, uint64_t va)
{
    struct monitor_gpu *g = &k->m->gpus[k->gpu];
    const bool told = lock->shot && lock->shot <= g->shot[k->vmid], dropped = g->dropped[k->vmid] > lock->since;
    CHECK(told || dropped || !space_runs(g, k->vmid), "migrate.monitor",
          "gpu%u: page %llx is written back while its old entry of address %llx may be used: %s", k->gpu,
          (unsigned long long)lock->page->own, (unsigned long long)va,
          lock->shot ? "the shoot-down is not answered" : "no shoot-down was sent");
    if (!told && !dropped && lock->since > g->owed[k->vmid])
        g->owed[k->vmid] = lock->since;
}

static void entry_look(void *ctx, uint64_t va, uint64_t bytes, uint64_t entry, uint64_t place)
{
    const struct look *k = ctx;
    const uint64_t frame = entry & PTE_ADDR;
    if (frame >= k->at + k->bytes || k->at >= frame + bytes || !(entry & (PTE_VALID | PTE_LOCKED)))
        return;
    CHECK(is_locked(entry), "migrate.monitor", "gpu%u: page at %llx is written back, and mapped at %llx without a lock",
          k->gpu, (unsigned long long)k->at, (unsigned long long)va);
    const struct monitor_lock *lock = lock_at(k->m, place);
    CHECK(lock, "migrate.monitor", "gpu%u: page at %llx is locked at %llx, and nobody has seen that written", k->gpu,
          (unsigned long long)k->at, (unsigned long long)va);
    gone_check(k, lock, va);
}

void locks_check(struct monitor *m, uint64_t at, uint64_t bytes)
{
    for (unsigned g = 0; g < pmem_gpus(m->pm); g++)
        for (unsigned vmid = 0; vmid < 256; vmid++) {
            struct look k = {.m = m, .at = at, .bytes = bytes, .gpu = g, .vmid = (uint8_t)vmid};
            if (m->gpus[g].roots[vmid])
                pagetable_walk_each(m->pm, m->gpus[g].roots[vmid], entry_look, &k);
        }
}

/* It is not locked any more, or not as it was: the page goes on where it was, or elsewhere; or its owner has changed,
 * and the entry leads to other memory or nowhere. */
static void lock_ends(struct monitor *m, struct monitor_lock *lock, uint64_t value)
{
    struct monitor_page *p = lock->page;
    const uint64_t frame = value & PTE_ADDR;
    const bool leaf = value & PTE_LEAF && value & (PTE_VALID | PTE_LOCKED);
    if (leaf && frame == p->frame.at) {
        page_unlocked(m, p);
    } else if (leaf && pmem_page_at(m->pm, frame) == p->own) {
        if (p->state == STATE_LOCK && page_copied(m)) {
            locks_check(m, p->frame.at, MIGRATE_PAGE);
            p->answered = true;
        }
        page_mapped(m, p, frame);
        CHECK((value & RIGHTS) == (lock->entry & RIGHTS), "migrate.monitor",
              "gpu%u: page %llx had rights %llx, and is mapped with %llx", lock->gpu, (unsigned long long)p->own,
              (unsigned long long)(lock->entry & RIGHTS), (unsigned long long)(value & RIGHTS));
    }
    lock_remove(m, lock);
}

void entry_written(struct monitor *m, unsigned gpu, uint64_t place, uint64_t value)
{
    struct monitor_lock *lock = m->locks.root ? lock_at(m, place) : NULL;
    if (lock && is_locked(value) && (value & PTE_ADDR) == lock->page->frame.at)
        return; /* its neighbours have changed */
    if (lock)
        lock_ends(m, lock, value);
    if (is_locked(value))
        lock_add(m, gpu, place, value);
}

struct monitor_lock *lock_of(const struct monitor *m, unsigned gpu, uint8_t vmid, uint64_t va)
{
    struct monitor_lock *lock = lock_at(m, pagetable_walk_place(m->pm, m->gpus[gpu].roots[vmid], va));
    return lock && is_locked(pagetable_walk_entry(m->pm, m->gpus[gpu].roots[vmid], va)) ? lock : NULL;
}

void locks_refused(struct monitor *m, unsigned gpu, uint64_t number)
{
    for (struct range *r = ranges_from(&m->locks, 0); r; r = ranges_from(&m->locks, r->at + 1)) {
        struct monitor_lock *lock = RANGE_OF(r, struct monitor_lock, place);
        if (lock->gpu == gpu && lock->shot == number)
            lock->shot = 0;
    }
}
