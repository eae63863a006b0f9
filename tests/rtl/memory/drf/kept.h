// SPDX-License-Identifier: Apache-2.0
// What values do not show, by hand after the random episodes, when all rest: lines stay in the L1V as long as there are ways for
// them; a line of a slice that is used stays; a line in an L1V may be old until an acquire, and neither a glc load nor a load
// after the acquire sees it so.
#ifndef TESTS_DRF_KEPT_H
#define TESTS_DRF_KEPT_H
#include "run.h"

// One instruction of a wavefront of space 0 is given to its unit.
static void issue_alone(unsigned a, unsigned kind, uint64_t va, bool glc = false, bool store = false, uint32_t value = 0)
{
    Instr i;
    memset(i.data, 0, sizeof i.data);
    i.kind = kind, i.exec = 1, i.va[0] = va, i.glc = glc, i.store = store, i.data[0][0] = value, i.results = !store && kind != Inv, i.purpose = Alone;
    vectors[a].n = 0, by_hand = &i, hand = &vectors[a];
    while (by_hand)
        cycle_of_all();
}

// It completes; returns what lane 0 got.
static uint32_t end_alone(unsigned a)
{
    Vector &v = vectors[a];
    for (uint64_t patience = cycle + 60000; !v.flying.empty(); cycle_of_all())
        if (cycle > patience)
            where_all_stands(), fail("no end", "a single %s", v.flying.front().name());
    return vgpr[v.cu][v.simd()][v.registers(v.serial - 1) + 16][0];
}

static uint32_t alone(unsigned a, unsigned kind, uint64_t va, bool glc = false, bool store = false, uint32_t value = 0)
{
    issue_alone(a, kind, va, glc, store, value);
    uint32_t got = end_alone(a);
    settle();
    return got;
}

// As many lines as the cache has, all read twice: the second time none may be asked for.  They are 64 bytes apart from an aligned
// place, so they fill all sets alike.
static void l1v_keeps(unsigned lines)
{
    uint64_t va = space[0].page[0].va;
    alone(0, Inv, va);
    for (unsigned turn = 0; turn < 2; turn++) {
        uint64_t before = hits[3];
        for (unsigned i = 0; i < lines; i++)
            alone(0, Flat, va + i * 64);
        if (turn == 1 && hits[3] - before != lines)
            fail("lines kept by the L1V", "%llu of %u", (unsigned long long)(hits[3] - before), lines);
    }
    case_done("lines kept by the L1V", "S1.2");
}

// A line that is read between any two others stays in its slice, however many come: glc loads ask for it each time.
static void slice_keeps()
{
    static uint64_t reads, line;
    line = frames[space[0].page[0].frame]->pa & 0xffffffffffff;
    on_dram_read = [](uint64_t pa) { reads += pa == line; };
    bool done = false;
    end_of_run(&done); // empties the slices
    while (!done)
        cycle_of_all();
    for (unsigned i = 1; i < 64; i++)
        for (unsigned p : {1, 2, 3}) {
            alone(0, Flat, space[0].page[0].va, true);
            alone(0, Flat, space[0].page[p].va + i * 64, true);
        }
    if (reads != 1)
        fail("a line in use kept by its slice", "read from DRAM %llu times", (unsigned long long)reads);
    on_dram_read = nullptr;
    case_done("lines kept by a slice");
}

// Wavefront 0 reads, one of another CU stores, wavefront 0 reads again.
static void old_until_acquire()
{
    uint64_t va = space[0].page[0].va + 128;
    alone(0, Inv, va);
    uint32_t old = alone(0, Flat, va), fresh = old + 1;
    alone(Cus > 1 ? 1 : 0, Flat, va, false, true, fresh);
    uint32_t got = alone(0, Flat, va);
    if (Cus > 1 && got != old)
        fail("a line that an L1V may keep", "got %x, want %x", got, old);
    if ((got = alone(0, Flat, va, true)) != fresh)
        fail("glc load", "got %x, want %x", got, fresh);
    alone(0, Inv, va);
    if ((got = alone(0, Flat, va)) != fresh)
        fail("load after the acquire", "got %x, want %x", got, fresh);
    case_done("old until the acquire", "S4.14");
}

// A load of another wavefront waits for the line, which has left its slice before a store of another CU: a glc load that comes
// now sees the store.
static void glc_joins_nobody()
{
    const unsigned waiting = 0, storing = Cus > 1 ? 1 : 2 * Cus, reading = Cus;
    uint64_t va = space[0].page[0].va + 256;
    alone(waiting, Inv, va);
    alone(reading, Flat, va + 2048); // translations are there
    held_initiator = 0;
    issue_alone(waiting, Flat, va);
    for (uint64_t patience = cycle + 60000; !to_initiator[0].due() && cycle < patience;)
        cycle_of_all();
    if (Cus > 1) { // else the store itself marks the miss
        issue_alone(storing, Flat, va + 4, false, true, 0x600d);
        end_alone(storing);
    }
    uint64_t joined = hits[5];
    issue_alone(reading, Flat, va + 4, true);
    for (unsigned i = 0; i < 1000; i++)
        cycle_of_all();
    held_initiator = -1;
    uint32_t got = end_alone(reading);
    end_alone(waiting);
    settle();
    if (hits[5] != joined || (Cus > 1 && got != 0x600d))
        fail("glc load while a miss is under way", "got %x, want %x; %llu joined", got, 0x600d, (unsigned long long)(hits[5] - joined));
    case_done("glc joins nobody");
}
#endif
