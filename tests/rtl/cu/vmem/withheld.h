// SPDX-License-Identifier: Apache-2.0
// Invalidations of the TLB while translations are under way or withheld: they wait for what was translated and for nothing
// else, and nothing that waits is translated by what was known before.  A page that moves leaves its old place poisoned.
#ifndef TESTS_VMEM_WITHHELD_H
#define TESTS_VMEM_WITHHELD_H
#include "directed.h"

static void ticks(unsigned n)
{
    while (n-- > 0)
        tick();
}

// The page of `va`, and of `twin`, gets another place with the same bytes; the old one is returned.
static uint64_t move_page(uint64_t va, uint64_t twin)
{
    const uint64_t entry = mem.entry(1, va), old = mem.pa_of(1, va) & ~4095ull, pa = new_page((unsigned)(entry >> 48 & 255));
    memcpy(mem.at(pa), mem.at(old), 4096);
    map_page(1, va, pa, entry & 0x2e);
    map_page(1, twin, pa, mem.entry(1, twin) & 0x2e);
    return old;
}

static void poison(uint64_t pa)
{
    for (unsigned i = 0; i < 4096; i++)
        *mem.at(pa + i) ^= 0xa5;
}

// Under traffic: whoever reads a shared page by its old translation behind the invalidation gets poison.
static void move_shared()
{
    uint64_t old[PAGES];
    for (unsigned p = 0; p < PAGES; p++)
        old[p] = move_page(SHARED_VA + p * 4096, RO_VA + p * 4096);
    invalidate(CACHE_INV_L1V | CACHE_INV_TLB, rng() % 2 ? 1 : 255);
    for (unsigned p = 0; p < PAGES; p++)
        poison(old[p]);
}

static uint64_t invalidation_takes()
{
    const uint64_t from = cycle;
    invalidate(CACHE_INV_L1V | CACHE_INV_TLB, 255);
    return cycle - from;
}

static uint64_t withheld_page(bool withhold = true)
{
    static uint64_t next = RO_VA + 0x40000000;
    const uint64_t pa = new_page(1), place = (next - RO_VA) % (PAGES * 4096);
    memcpy(mem.at(pa), &shared_bytes[place], 4096);
    map_page(1, next, pa, 2);
    if (withhold)
        mem.withheld.insert(Memory::key(1, next));
    return (next += 4096) - 4096;
}

// It is done when the access that was translated is, though another's page is withheld; that one asks again afterwards.
static void beside_an_access()
{
    const uint64_t page = withheld_page();
    issue(of_page(0x10, 0, SHARED_VA));
    drain();
    invalidate(CACHE_INV_L1V, 255);
    issue(of_page(0, 0, page));
    ticks(300);
    mem.min_delay = 700;
    issue(of_page(0x10, 0, SHARED_VA));
    ticks(150);
    mem.min_delay = 20;
    const uint64_t took = invalidation_takes();
    if (took < 400 || took > 800)
        fail("an invalidation waits for an access of 700 cycles that is under way", took, 550);
    ticks(150);
    uint64_t asked = mem.xlats;
    issue(of_page(0x10, 32, SHARED_VA));
    ticks(300);
    if (mem.xlats != asked + 1 || flying.size() != 1)
        fail("others go on beside a withheld page", mem.xlats - asked, flying.size());
    poison(move_page(page, page));
    asked = mem.xlats;
    mem.release(cycle, SLICES);
    drain();
    if (mem.xlats != asked + 1)
        fail("a translation that was asked for before the invalidation is asked for again", mem.xlats - asked, 1);
}

// The answer of before is under way and comes later.
static void answer_of_before()
{
    const uint64_t page = withheld_page(false);
    mem.xlat_delay = 1500;
    issue(of_page(0, 0, page));
    ticks(150);
    mem.xlat_delay = 0;
    const uint64_t old = move_page(page, page), took = invalidation_takes();
    if (took > 60)
        fail("an invalidation waits for a translation", took, 60);
    poison(old);
    drain();
}

// Two pages of a block of 64 KiB, with the bytes of shared ones.
static uint64_t block()
{
    static uint64_t next = RO_VA + 0x50000000;
    const uint64_t pa = new_page(1) & ~0xffffull;
    for (uint64_t p = 0; p < 2; p++) {
        memcpy(mem.at(pa + (p << 12)), &shared_bytes[(next + (p << 12) - RO_VA) % (PAGES * 4096)], 4096);
        map_page(1, next + (p << 12), pa + (p << 12), 2 | 4 << 7);
    }
    return (next += 0x10000) - 0x10000;
}

// The answer comes before, in each cycle of, or behind the invalidation: nobody finds the block that it named, of which only
// pages elsewhere are left.
static void answer_beside_the_end()
{
    for (unsigned n = 0; n < 64; n++) {
        const uint64_t first = block(), second = first + 4096;
        mem.xlat_delay = 60 + n;
        issue(of_page(0, 0, first));
        ticks(110);
        mem.xlat_delay = 0;
        const uint64_t old[2] = {move_page(first, first), move_page(second, second)};
        invalidation_takes();
        poison(old[0]), poison(old[1]);
        drain();
        issue(of_page(0, 32, second));
        drain();
    }
}

// A store waits for its order alone, its page is known: not any more.
static void known_page()
{
    const uint64_t mine = region_va(0), page = withheld_page();
    issue(of_page(0, 0, mine));
    drain();
    issue(of_page(0, 0, page));
    Vm store = of_page(0, 32, mine + 4);
    store.store = true;
    issue(store);
    ticks(300);
    const uint64_t old = move_page(mine, mine + ALIAS), took = invalidation_takes();
    if (took > 60)
        fail("an invalidation waits for a store behind a withheld page", took, 60);
    poison(old);
    mem.release(cycle, SLICES);
    drain();
    issue(of_page(0, 0, mine + 4));
    drain();
}

// The file is full of withheld pages; behind it stand a store whose lookup hit and a load whose lookup hit.
static void full_file()
{
    const uint64_t mine = region_va(0);
    issue(of_page(0, 0, mine)), issue(of_page(0x11, 0, SHARED_VA));
    drain();
    for (unsigned n = 0; n < MISSES; n++)
        issue(of_page(n << 4, 0, withheld_page()));
    Vm store = of_page(0, 32, mine + 8);
    store.store = true;
    issue(store);
    issue(of_page(0x11, 32, SHARED_VA));
    ticks(400);
    if (flying.size() != MISSES + 2)
        fail("behind a full file", flying.size(), MISSES + 2);
    const uint64_t old = move_page(mine, mine + ALIAS), shared = move_page(SHARED_VA, RO_VA), took = invalidation_takes();
    if (took > 60)
        fail("an invalidation waits behind a full file", took, 60);
    poison(old), poison(shared);
    ticks(400);
    mem.release(cycle, SLICES);
    drain();
    issue(of_page(0, 0, mine + 8));
    drain();
}

// All places of the file but one are withheld: others have theirs.
static void last_place()
{
    for (unsigned n = 0; n < MISSES - 1; n++)
        issue(of_page(n << 4, 0, withheld_page()));
    ticks(300);
    for (unsigned n = 0; n < 3; n++) {
        issue(of_page(0x31, 0, withheld_page(false)));
        ticks(500);
        if (flying.size() != MISSES - 1)
            fail("a miss beside withheld pages", flying.size(), MISSES - 1);
    }
    mem.release(cycle, SLICES);
    drain();
}

static void withheld()
{
    drain();
    mem.min_delay = 20, mem.spread = 1, mem.xlat_delay = 0;
    beside_an_access();
    answer_of_before();
    answer_beside_the_end();
    known_page();
    full_file();
    last_place();
}
#endif
