// SPDX-License-Identifier: Apache-2.0
// Several GPUs: clients that end while their wavefronts access memory and its pages move.  As host/driver/client_process.c: moves of its memory are given
// up, first accesses forgotten, its space is closed on every GPU, which kills (CP_KILL); then its page tables are empty, and another client has the
// addresses.  Agents of the space whose accesses must end well (locks, counters, all but wavefronts) end before; wavefronts are cut short, and store
// again what they may have stored (Vector::repair).
#ifndef TESTS_DRF_KILLS_H
#define TESTS_DRF_KILLS_H
#include "firm.h"

static struct {
    enum { No, Quiet, Killed, Mapped, Told } step;
    unsigned n, closed; // GPUs on which it is
    uint64_t tables[MaxGpus], fence[MaxGpus], next;
} end_;
static Rng reaper;
static uint64_t kills;

static bool of_space(unsigned a, unsigned n) { return vectors[a].n == n && vectors[a].state != Vector::Idle; }
static bool space_rests(unsigned g, uint8_t vmid)
{
    for (unsigned a = 0; a < vector_count(); a++)
        if (vectors[a].cu / Cus == g && space[vectors[a].n].vmid == vmid && !vectors[a].flying.empty())
            return false;
    return true;
}
static void space_killed(unsigned g, uint8_t vmid)
{
    for (unsigned n = 0; n < params.spaces; n++)
        if (space[n].vmid == vmid)
            cps[g]->jobs[n].state = JOB_FREE;
}
static void space_is_closed(void *, struct cp_space *) { end_.closed++; }

static void settle_space(unsigned n)
{
    for (unsigned i = 0; i < PageCount; i++)
        migrate_settle(engine, frames[space[n].page[i].frame]->pa & ~(covered_by(i) - 1), covered_by(i));
}
static bool all_end_well(unsigned n)
{
    bool well = true;
    for (unsigned a = 0; a < vector_count(); a++)
        well &= !(of_space(a, n) && vectors[a].ends_well());
    for (unsigned c = 0; c < cu_count(); c++)
        well &= !(scalars[c].active && scalars[c].claims.of_space == n) && !(fetchers[c].active && fetchers[c].claims.of_space == n);
    for (const Firm &f : firms)
        well &= !(f.active && f.claims.of_space == n);
    return well && !(exchange.open && exchange.n == n) && free_.step == free_.No;
}
static void tables_asked()
{
    for (unsigned g = 0; g < params.gpus; g++)
        end_.tables[g] = cp_tables_asked(cps[g]);
}
static bool tables_written()
{
    bool done = true;
    for (unsigned g = 0; g < params.gpus; g++)
        done &= cp_tables_done(cps[g]) >= end_.tables[g];
    return done;
}
static void kill_space(unsigned n)
{
    settle_space(n);
    killed[n] = true, end_.closed = 0, kills++;
    for (unsigned g = 0; g < params.gpus; g++) {
        if (firsts)
            faults_forget(firsts, &cp_spaces[n][g]);
        cp_space_close(cps[g], &cp_spaces[n][g]);
    }
    tables_asked();
}
static void next_client(unsigned n)
{
    settle_space(n);
    absent[n] = true;
    for (unsigned g = 0; g < params.gpus; g++)
        for (unsigned i = 0; i < PageCount; i++)
            if (pagetable_unmap(tables[n][g], first_of(space[n].page[i], i), covered_by(i)))
                fail("tables", "space %u: page %u stays mapped", n, i);
    absent[n] = false;
    for (unsigned g = 0; g < params.gpus; g++)
        space_begins(n, g);
    for (unsigned i = 0; i < PageCount; i++)
        if (!(in_block(i) && (i - FirstBlock) % 2) && !(in_leaf(i) && (i - FirstLeaf) % 3))
            tables_put(n, i);
    tables_asked();
}
static bool gpus_told()
{
    bool told = true;
    for (unsigned g = 0; g < params.gpus; g++)
        told &= cp_shootdowns_done(cps[g]) >= end_.fence[g];
    return told;
}
static void step_kills()
{
    if (end_.step == end_.No) {
        if (paused() || !on(Kills) || !strays() || cycle < end_.next || free_.step != free_.No)
            return;
        end_.n = reaper.pick(params.spaces), end_.step = end_.Quiet, ending[end_.n] = true;
    } else if (end_.step == end_.Quiet && all_end_well(end_.n)) {
        kill_space(end_.n), end_.step = end_.Killed;
    } else if (end_.step == end_.Killed && end_.closed == params.gpus && tables_written()) {
        next_client(end_.n), end_.step = end_.Mapped;
    } else if (end_.step == end_.Mapped && tables_written()) { // a shoot-down behind the root: launches stand behind it, too
        for (unsigned g = 0; g < params.gpus; g++) {
            cp_space_shootdown(cps[g], &cp_spaces[end_.n][g], 0, 0);
            end_.fence[g] = cp_shootdowns_sent(cps[g]);
        }
        end_.step = end_.Told;
    } else if (end_.step == end_.Told && gpus_told()) {
        killed[end_.n] = ending[end_.n] = false, end_.step = end_.No;
        end_.next = cycle + 4000 + reaper.pick(30000);
    }
}
static bool kills_rest() { return end_.step == end_.No; }
#endif
