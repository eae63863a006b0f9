// SPDX-License-Identifier: Apache-2.0
// Several GPUs, runs with odd seeds: a GPU gets the entries of memory that is elsewhere on its first access, by the true fault path
// (host/migrate/faults.h) with a policy that draws.  Whatever changes at random meanwhile, each access ends, where its page is.  Not
// responsible for: what is drawn besides (moves.h).
#ifndef TESTS_DRF_FIRSTS_H
#define TESTS_DRF_FIRSTS_H
#include "driver.h"

static Rng judge;
static uint64_t fault_due;

static void *owner_of(unsigned n, unsigned g) { return &cp_spaces[n][g]; }
static int index_at(unsigned n, uint64_t va)
{
    for (unsigned i = 0; i < FirstSync + SyncPages; i++)
        if (!(in_block(i) && (i - FirstBlock) % 2) && !in_leaf(i) && va - first_of(space[n].page[i], i) < covered_by(i))
            return (int)i;
    return -1;
}
static bool fault_place(void *, void *owner, unsigned g, uint64_t va, struct fault_place *p)
{
    unsigned n = 0;
    while (owner_of(n, g) != owner)
        n++;
    const int i = index_at(n, va);
    if (i < 0)
        return false;
    const Page &page = space[n].page[i];
    const uint64_t first = frames[page.frame]->pa & ~(covered_by(i) - 1), own = first + ((va - first_of(page, i)) & ~4095ull);
    if (own == freed_page)
        return false;
    *p = {};
    p->va = first_of(page, i), p->page = first, p->bytes = covered_by(i);
    p->home = (unsigned)(frame_of(own) >> PMEM_OWNER_SHIFT) - 1;
    p->mapped = pagetable_entry(tables[n][g], va) != 0, p->moves = !why_not(nullptr, first, covered_by(i));
    return true;
}
static int fault_map(void *, void *owner, unsigned g, uint64_t va, uint64_t)
{
    unsigned n = 0;
    while (owner_of(n, g) != owner)
        n++;
    entries_put(n, (unsigned)index_at(n, va), g, false);
    return 0;
}
static void fault_answer(void *, void *owner, unsigned g, uint64_t va, uint64_t bytes, bool deny)
{
    if (deny)
        fail("first access", "GPU %u: %llx is denied", g, (unsigned long long)va);
    cp_space_answer(cps[g], (struct cp_space *)owner, va, bytes, false);
}
static enum fault_verdict fault_drawn(void *, const struct fault_fact *f)
{
    if (f->home == f->requester)
        fail("first access", "GPU %u is to move %llx to itself", f->home, (unsigned long long)f->page);
    return !agents_pause && judge.one_in(2) ? FAULT_MOVE : FAULT_FAR; // what is done by hand says itself what moves
}
static bool page_withheld(void *, void *owner, unsigned g, uint64_t va, uint32_t rights)
{
    for (unsigned n = 0; n < params.spaces; n++)
        if (owner == owner_of(n, g) && killed[n])
            return false; // told before the kill
    return firsts && faults_report(firsts, owner, g, va, rights == 0);
}
static void move_ended(void *, struct move_fact *m)
{
    if (!firsts)
        return;
    faults_claim(firsts, m);
    if (planted(WaiterForgotten) && m->page >> 12 & 1)
        return;
    faults_settle(firsts, m->page, m->bytes, m->refused);
}
static void build_firsts()
{
    static struct policy_ops ops = {};
    static const uint64_t cycles[] = {1, 200, 3000};
    struct faults_host host = {};
    host.now = now, host.place = fault_place, host.map = fault_map, host.answer = fault_answer;
    host.timer = [](void *, uint64_t cycle_due) { fault_due = cycle_due; };
    host.add = [](void *, uint64_t page, uint64_t bytes, unsigned g) { return migrate_add(engine, page, bytes, g); };
    host.go = [](void *) { migrate_go(engine); };
    host.moving = [](void *, uint64_t page, uint64_t bytes) { return migrate_moves(engine, page, bytes) && !planted(MappedWhileItMoves); };
    ops.name = "drawn", ops.fault = fault_drawn;
    judge = rng_of(204);
    firsts = faults_new(&host, &ops, nullptr, cycles[judge.pick(3)], judge.pick(5));
}
static void step_firsts()
{
    if (firsts && cycle >= fault_due)
        faults_timer(firsts);
}
static bool firsts_rest() { return !firsts || !faults_open(firsts); }
#endif
