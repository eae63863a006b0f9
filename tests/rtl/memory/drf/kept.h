// SPDX-License-Identifier: Apache-2.0
// What values do not show, by hand before the random episodes, when all rest: lines stay in the L1V as long as there are ways for
// them; a line of a slice that is used stays; a line in an L1V may be old until an acquire, and neither a glc load nor a load
// after the acquire sees it so.
#ifndef TESTS_DRF_KEPT_H
#define TESTS_DRF_KEPT_H
#include "run.h"

#ifndef LINES
#define LINES 16 // of an L1V (shapes/drf.set)
#endif
#ifndef SLICE_WAYS
#define SLICE_WAYS 4
#endif

// One instruction of a wavefront of space 0 is given to its unit.
static void issue_alone(unsigned a, unsigned kind, uint64_t va, bool glc = false, bool store = false, uint32_t value = 0)
{
    Instr i;
    memset(i.data, 0, sizeof i.data);
    i.kind = kind, i.exec = 1, i.va[0] = va, i.glc = glc, i.store = store, i.data[0][0] = value, i.results = !store && kind != Inv, i.purpose = Alone;
    vectors[a].n = 0, by_hand = &i, hand = &vectors[a];
    if (store)
        memcpy(frames[space[0].page[page_at(0, va)].frame]->value + (va & 4095), &value, 4);
    while (by_hand)
        cycle_of_all();
}

// It completes; returns what lane 0 got.
static uint32_t end_alone(unsigned a)
{
    Vector &v = vectors[a];
    for (uint64_t patience = cycle + 60000; !v.flying.empty(); cycle_of_all())
        if (cycle > patience)
            all_stand(), fail("no end", "a single %s", v.flying.front().name());
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
    line = frames[space[0].page[0].frame]->pa;
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
    if (SLICE_WAYS > 1 && reads != 1)
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
    for (uint64_t patience = cycle + 60000; !gpu[0].to_initiator[0].due() && cycle < patience;)
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

// The same of the caches behind a CU: a line is on its way when another stores to it and the cache is invalidated.  Who asked
// before may get the old line; who asks afterwards, at once or when it has come, gets the new one.
static void old_miss_is_not_kept(bool scalar)
{
    static uint32_t got[4];
    static unsigned answers;
    auto heard_fetch = on_fetched;
    auto heard_scalar = on_scalar;
    on_fetched = [](unsigned, const msg_ifetch_rsp &r) { got[r.epoch] = r.data[0], answers++; };
    on_scalar = [](unsigned, const msg_smem_rsp &r) { got[r.tag] = r.data[0], answers++; };
    auto ask = [&](unsigned n, uint64_t va) {
        if (scalar) {
            msg_smem_req q = {};
            q.op = SMEM_LOAD, q.vmid = space[0].vmid, q.dwords = 1, q.tag = n, q.va = va;
            gpu[0].smem_out[n % SqcCus].push(q);
        } else {
            msg_ifetch_req q = {};
            q.vmid = space[0].vmid, q.cu = n % SqcCus, q.epoch = n, q.va = va;
            gpu[0].fetch_out[n % SqcCus].push(q);
        }
    };
    auto wait_for = [&](unsigned n, const char *what) {
        for (uint64_t patience = cycle + 60000; answers < n; cycle_of_all())
            if (cycle > patience)
                all_stand(), fail("no end", "%s", what);
    };
    uint64_t va = space[0].page[0].va + (scalar ? 512 : 576);
    const unsigned storing = Cus > 1 ? 1 : 0;
    answers = 0;
    alone(storing, Flat, va, false, true, 0x01d);
    ask(0, va + 2048); // the translation is there
    wait_for(1, "a first line of a cache group");
    held_initiator = Cus;
    ask(1, va);
    for (uint64_t patience = cycle + 60000; !gpu[0].to_initiator[Cus].due() && cycle < patience;)
        cycle_of_all();
    issue_alone(storing, Flat, va, false, true, 0x4e3);
    end_alone(storing);
    static int left;
    command_block(0, {(unsigned)(scalar ? CACHE_INV_L1K : CACHE_INV_L1I), 0, 0, &left});
    for (uint64_t patience = cycle + 60000; left; cycle_of_all())
        if (cycle > patience)
            all_stand(), fail("no end", "an invalidation of lines while one of them is on its way");
    ask(2, va);
    for (unsigned i = 0; i < 200; i++)
        cycle_of_all();
    held_initiator = -1;
    wait_for(3, "a line asked for while an old one was on its way");
    ask(3, va);
    wait_for(4, "a line behind an old one");
    settle();
    if ((got[1] != 0x01d && got[1] != 0x4e3) || got[2] != 0x4e3 || got[3] != 0x4e3)
        fail(scalar ? "old scalar line" : "old instruction line", "before the invalidation %x, after it %x, then %x", got[1], got[2], got[3]);
    on_fetched = heard_fetch, on_scalar = heard_scalar;
}

// The last entry of a walk has been read and is on its way when the table changes; it comes `after` cycles behind the command for
// the L2 TLB, or when the command has been answered (NotBefore).  The load may get the old page only before that answer, and later
// loads, whose first-level TLB has been told as well, the new one.
static const unsigned NotBefore = ~0u;
static void walk_and_change(unsigned after, bool whole)
{
    Space &s = space[0];
    uint64_t va = s.page[0].va + 1024;
    script_shoot_down({s.vmid, 0, 0, 0});
    settle();
    alone(0, Flat, s.page[2].va); // upper levels are known
    const unsigned walker = Cus + Sqcs;
    held_initiator = walker;
    issue_alone(0, Flat, va);
    for (uint64_t patience = cycle + 60000; !gpu[0].to_initiator[walker].due();)
        if (cycle_of_all(), cycle > patience)
            all_stand(), fail("no end", "a walk");
    uint32_t old, fresh;
    memcpy(&old, frames[s.page[0].frame]->value + (va & 4095), 4);
    std::swap(s.page[0].frame, s.page[1].frame);
    memcpy(&fresh, frames[s.page[0].frame]->value + (va & 4095), 4);
    script_entry(0, 0), script_entry(0, 1);
    const unsigned behind = script_shoot_down({s.vmid, whole ? 0 : s.page[0].va, whole ? 0u : 0x2000u, 0});
    for (uint64_t patience = cycle + 60000; script.size() > (after == NotBefore ? 0 : behind);)
        if (cycle_of_all(), cycle > patience)
            all_stand(), fail("no end", "an invalidation of two pages while one of them is walked");
    for (unsigned i = 0; i < after && after != NotBefore; i++)
        cycle_of_all();
    held_initiator = -1;
    uint32_t got = end_alone(0);
    settle();
    uint32_t later = alone(0, Flat, va);
    if ((got != fresh && (got != old || after == NotBefore)) || later != fresh)
        fail("a walk while its page moves", "entry %d cycles behind the command for %s: got %x, then %x, was %x, want %x", (int)after,
             whole ? "all pages" : "two pages", got, later, old, fresh);
}

static void old_walk_is_not_kept()
{
    for (bool whole : {false, true}) {
        for (unsigned after = 0; after < 32; after++)
            walk_and_change(after, whole);
        walk_and_change(NotBefore, whole);
    }
    case_done("an old walk is not kept", "S3.12");
}

static void all_by_hand()
{
    const uint64_t features = params.features;
    agents_pause = true, params.features &= ~(uint64_t)(Weather | Remaps | Storms | Flushes | PageLocks);
    l1v_keeps(LINES);
    slice_keeps();
    old_until_acquire();
    glc_joins_nobody();
    old_miss_is_not_kept(false), old_miss_is_not_kept(true);
    case_done("an old miss is not kept");
    old_walk_is_not_kept();
    agents_pause = false, params.features = features, next_storm += cycle;
}
#endif
