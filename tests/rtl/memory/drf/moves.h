// SPDX-License-Identifier: Apache-2.0
// Several GPUs: what changes at random while agents use the pages.  Pages and blocks move by the engine of host/migrate, moves are given
// up by their owner, pages of a space exchange what they show.  Agents know nothing of it: they name pages, and the reference keeps a
// page's bytes, wherever it is.
#ifndef TESTS_DRF_MOVES_H
#define TESTS_DRF_MOVES_H
#include "driver.h"

static uint64_t moves_begun, moves_refused, moves_given_up, blocks_begun, exchanges;
static Rng driver;

// ---- what the driver does at random
static uint64_t next_move, next_given_up, next_exchange;
static void move_pages()
{
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
    uint64_t fence[MaxGpus], tables[MaxGpus];
} exchange;
static void exchange_begin()
{
    const unsigned n = driver.pick(params.spaces), small = driver.pick(4), wide = driver.one_in(4) ? 2 : 1;
    const unsigned a = wide == 2 ? (unsigned)FirstBlock : small, b = wide == 2 ? FirstBlock + 2 : driver.one_in(2) ? FirstSwapped + driver.pick(SmallPages - FirstSwapped) : (a + 1) % 4;
    Page *page = space[n].page;
    for (unsigned k = 0; k < wide; k++)
        if (page[a + k].users || page[b + k].users)
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
    exchange = {true, n, a, b, wide, {}, {}};
    for (unsigned g = 0; g < params.gpus; g++)
        exchange.fence[g] = cp_shootdowns_sent(cps[g]), exchange.tables[g] = cp_tables_asked(cps[g]);
}
static void exchange_end()
{
    for (unsigned g = 0; g < params.gpus; g++)
        if (cp_shootdowns_done(cps[g]) < exchange.fence[g] || cp_tables_done(cps[g]) < exchange.tables[g])
            return;
    for (unsigned k = 0; k < exchange.wide; k++)
        space[exchange.n].page[exchange.a + k].moving = space[exchange.n].page[exchange.b + k].moving = false;
    exchange.open = false, exchanges++;
}

static void step_driver()
{
    step_machine();
    if (exchange.open)
        exchange_end();
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
}
static bool driver_rests() { return machine_rests() && !migrate_busy(engine) && quarantine.empty() && !exchange.open; }
static void driver_stands()
{
    fflush(stdout);
    migrate_tell(engine, stderr);
}
#endif
