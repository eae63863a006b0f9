// SPDX-License-Identifier: Apache-2.0
// Several GPUs: what changes at random while agents use the pages.  Pages and blocks move by the engine of host/migrate, moves are given
// up by their owner, pages of a space exchange what they show.  Agents know nothing of it: they name pages, and the reference keeps a
// page's bytes, wherever it is.
#ifndef TESTS_DRF_MOVES_H
#define TESTS_DRF_MOVES_H
#include "firsts.h"

static uint64_t moves_begun, moves_refused, moves_given_up, blocks_begun, exchanges, frees;
static Rng driver;

// ---- what the driver does at random
static uint64_t next_move, next_given_up, next_exchange, next_free;
static void move_pages()
{
    if (driver.one_in(2)) // else frames that were left rest until one is wanted
        rest_clear(engine);
    for (unsigned k = driver.one_in(3) ? 1 : 1 + driver.pick(8); k; k--) {
        const unsigned n = driver.pick(frames.size());
        const Frame &f = *frames[n];
        const bool of_block = (f.pa & PMEM_OFFSET_MASK) >> 20 == 4, block = of_block && driver.one_in(2), sync = n == space[0].page[FirstSync].frame;
        if (!(f.pa >> PMEM_OWNER_SHIFT) || (sync && !driver.one_in(3)) /* of locks and counters: all wait for it */ ||
            (of_block && !block && !driver.one_in(4)) /* a block of which a page is elsewhere goes nowhere */)
            continue;
        const unsigned at = (frame_of(f.pa) >> PMEM_OWNER_SHIFT) - 1, to = driver.one_in(16) ? at : (at + 1 + driver.pick(params.gpus - 1)) % params.gpus;
        const int error = migrate_add(engine, block ? f.pa & ~0xffffull : f.pa, block ? MIGRATE_BLOCK : MIGRATE_PAGE, to);
        if (error && error != -EALREADY && error != -EBUSY && error != -EAGAIN && error != -ENOMEM && error != -EPERM)
            fail("refused", "%llx: %d", (unsigned long long)f.pa, error);
        (error ? moves_refused : moves_begun)++, blocks_begun += block && !error;
    }
    migrate_go(engine);
}

// Two pages, or blocks, of a space exchange what they show; nobody uses them.  What of it moves is given up first.
static struct {
    bool open;
    unsigned n, a, b, wide;
    uint64_t fence[MaxGpus], tables[MaxGpus], removed[MaxGpus];
} exchange;
static void exchange_begin()
{
    const unsigned n = driver.pick(params.spaces), small = driver.pick(4), wide = driver.one_in(4) ? 2 : 1;
    const unsigned a = wide == 2 ? (unsigned)FirstBlock : small, b = wide == 2 ? FirstBlock + 2 : driver.one_in(2) ? FirstSwapped + driver.pick(SmallPages - FirstSwapped) : (a + 1) % 4;
    Page *page = space[n].page;
    for (unsigned k = 0; k < wide; k++)
        if (ending[n] || page[a + k].users || page[b + k].users || page[a + k].moving || page[b + k].moving)
            return;
    for (unsigned i : {a, b})
        migrate_settle(engine, frames[page[i].frame]->pa & ~(covered_by(i) - 1), covered_by(i));
    for (unsigned k = 0; k < wide; k++)
        std::swap(page[a + k].frame, page[b + k].frame), page[a + k].moving = page[b + k].moving = true;
    for (unsigned i : {a, b}) {
        tables_put(n, i);
        for (unsigned g = 0; g < params.gpus; g++) {
            cp_space_shootdown(cps[g], &cp_spaces[n][g], first_of(page[i], i), covered_by(i));
            cp_space_answer(cps[g], &cp_spaces[n][g], first_of(page[i], i), covered_by(i), false);
        }
    }
    exchange = {true, n, a, b, wide, {}, {}, {}};
    for (unsigned g = 0; g < params.gpus; g++)
        exchange.fence[g] = cp_shootdowns_sent(cps[g]), exchange.tables[g] = cp_tables_asked(cps[g]), exchange.removed[g] = pagetable_removed(memory, g);
}
static void exchange_end()
{
    for (unsigned g = 0; g < params.gpus; g++)
        if (cp_shootdowns_done(cps[g]) < exchange.fence[g] || cp_tables_done(cps[g]) < exchange.tables[g])
            return;
    for (unsigned g = 0; g < params.gpus; g++) // as the driver's quarantine: no walk is in tables that were removed before
        pagetable_recycle(memory, g, exchange.removed[g]);
    for (unsigned k = 0; k < exchange.wide; k++)
        space[exchange.n].page[exchange.a + k].moving = space[exchange.n].page[exchange.b + k].moving = false;
    exchange.open = false, exchanges++;
}

// The memory of a page is freed, in all spaces, and comes back empty to the same addresses: as host/memory/backing.c frees it.  Nobody
// uses it; what of it moves is given up.
static struct {
    enum { No, Unused, Quarantine, Mapped } step;
    Frame *frame;
    std::vector<Mapping> of;
    uint64_t tables[MaxGpus];
} free_;
static void free_begin()
{
    free_.frame = frames[driver.pick(8)], free_.of.clear(); // of those that are shared
    for (unsigned n = 0; n < params.spaces; n++)
        for (unsigned i = 0; i < SmallPages; i++)
            if (frames[space[n].page[i].frame] == free_.frame)
                free_.of.push_back({n, i});
    for (Mapping m : free_.of)
        if (space[m.n].page[m.index].moving)
            return;
    for (Mapping m : free_.of)
        space[m.n].page[m.index].moving = true;
    free_.step = free_.Unused;
}
static void free_unused()
{
    for (Mapping m : free_.of)
        if (space[m.n].page[m.index].users)
            return;
    const uint64_t page = free_.frame->pa;
    freed_page = page, free_.step = free_.Quarantine;
    migrate_settle(engine, page, 4096);
    for (Mapping m : free_.of)
        for (unsigned g = 0; g < params.gpus; g++) {
            const uint64_t va = space[m.n].page[m.index].va;
            if (pagetable_unmap(tables[m.n][g], va, 4096))
                fail("tables", "space %u: page %u stays mapped", m.n, m.index);
            cp_space_shootdown(cps[g], &cp_spaces[m.n][g], va, 4096);
            cp_space_answer(cps[g], &cp_spaces[m.n][g], va, 4096, false);
        }
    put_in_quarantine({page, (1ull << params.gpus) - 1, true, true, {}, {}});
    migrate_gone(engine, page, 4096);
}
static void memory_empty(uint64_t page)
{
    pmem_clear(memory, (page >> PMEM_OWNER_SHIFT) - 1, page & PMEM_OFFSET_MASK, 4096);
    memset(at(page), 0, 4096), memset(free_.frame->value, 0, 4096);
    for (auto &link : gpu[(page >> PMEM_OWNER_SHIFT) - 1].dram_out) // the bench holds writes longer than the way of an answer to the host
        for (auto &m : link.queue)
            if (m.second.addr >> 12 == (page & PMEM_OFFSET_MASK) >> 12)
                m.second.mask = 0;
    home[page >> 12] = page >> 12, freed_page = 0, free_.step = free_.Mapped;
    for (Mapping m : free_.of)
        tables_put(m.n, m.index);
    for (unsigned g = 0; g < params.gpus; g++)
        free_.tables[g] = cp_tables_asked(cps[g]);
}
static void free_mapped()
{
    for (unsigned g = 0; g < params.gpus; g++)
        if (cp_tables_done(cps[g]) < free_.tables[g])
            return;
    for (Mapping m : free_.of)
        space[m.n].page[m.index].moving = false;
    free_.step = free_.No, frees++;
}

static void step_driver()
{
    step_machine();
    step_firsts();
    step_counts();
    if (exchange.open)
        exchange_end();
    if (free_.step == free_.Unused)
        free_unused();
    else if (free_.step == free_.Mapped)
        free_mapped();
    if (paused())
        return;
    if (on(Moves) && cycle >= next_move && engine->count < 12) {
        next_move = cycle + 500 + driver.pick(driver.one_in(4) ? 16000 : 6000);
        move_pages();
    }
    if (on(GivesUp) && cycle >= next_given_up && engine->moves) {
        next_given_up = cycle + driver.pick(20000);
        const struct move *v = engine->moves;
        for (unsigned k = driver.pick(engine->count); k && v->next; k--)
            v = v->next;
        moves_given_up++;
        migrate_settle(engine, v->pages.at, v->pages.bytes);
    }
    if (on(Remaps) && cycle >= next_exchange && !exchange.open) {
        exchange_begin();
        next_exchange = cycle + (exchange.open ? 1000 + driver.pick(8000) : 200);
    }
    if (on(Frees) && cycle >= next_free && free_.step == free_.No && !ending[0] && !ending[1] && !ending[2] && !ending[3]) {
        next_free = cycle + 4000 + driver.pick(20000);
        free_begin();
    }
}
static bool driver_rests() { return machine_rests() && firsts_rest() && counts_rest() && !migrate_busy(engine) && quarantine.empty() && !exchange.open && free_.step == free_.No; }
static void driver_stands()
{
    fflush(stdout);
    migrate_tell(engine, stderr);
    if (firsts)
        faults_tell(firsts, stderr);
}
#endif
