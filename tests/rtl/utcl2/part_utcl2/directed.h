// SPDX-License-Identifier: Apache-2.0
// Directed cases of the bench of part_utcl2: address spaces that differ in one bit, generations that come again, what
// the TLB and the walker keep, walks that share and overlap, page tables that nobody owns, counters.  Included by tb.cpp, whose
// traffic and page tables it uses.  Not responsible for: answers, which take_answer compares.
#ifndef DIRECTED_H
#define DIRECTED_H

static const uint64_t Far = 1ull << 38; // the 2 MiB regions of these cases, away from random_va's

// An entry with all rights; pages of the own VRAM that tell apart whatever asked for them.
static uint64_t plain_entry(uint64_t number) { return owner_bits(number << 12) | 31; }

static void ask(unsigned vmid, uint64_t va)
{
    issue(vmid, va, 1, 256);
    wait_all();
}

#include "sizes.h"

// Address spaces that differ in one bit: each finds its own page at one address, whichever asked before.
static void spaces()
{
    const unsigned base = 0x5a;
    unsigned all[9] = {base};
    for (unsigned b = 0; b < 8; b++)
        all[b + 1] = base ^ 1u << b;
    for (unsigned vmid : all) {
        new_root(vmid);
        map_page(vmid, Far, plain_entry(0x100 + vmid));
        map_page(vmid, Far + 0x1000, plain_entry(0x300 + vmid));
    }
    for (unsigned vmid : all)
        ask(vmid, Far);
    for (unsigned vmid : all) // by what the walker has kept of the level above
        ask(vmid, Far + 0x1000);
    map_page(base, Far + 0x3000, plain_entry(0x400)); // in a set without the others
    ask(base, Far + 0x3000);
    for (unsigned b = 0; b < 8; b++) { // one is invalidated: the others keep theirs
        unsigned vmid = base ^ 1u << b;
        map_page(vmid, Far, plain_entry(0x500 + vmid));
        command(CTL_INV, vmid, 0, 0, true);
        ask(vmid, Far);
        uint64_t reads = walk_reads;
        ask(base, Far + 0x3000);
        if (walk_reads != reads)
            fail("an invalidation of another address space removed an entry, reads", walk_reads - reads, 0);
    }
}

// So many invalidations later nothing of before may be found, and what is filled then is.
static void generations()
{
    for (unsigned count : {1u, 127u, 128u, 255u, 256u, 257u, 512u}) {
        map_page(1, Far, plain_entry(0x700 + count));
        command(CTL_INV, 1, 0, 0, true);
        ask(1, Far);
        map_page(1, Far, plain_entry(0x900 + count));
        for (unsigned i = 0; i < count; i++)
            command(CTL_INV, 1, 0, 0, true);
        ask(1, Far);
        uint64_t reads = walk_reads;
        ask(1, Far);
        if (walk_reads != reads)
            fail("a page just translated is walked again, reads", walk_reads - reads, 0);
    }
}

static uint64_t reads_of(uint64_t va, unsigned pages, uint64_t stride)
{
    uint64_t before = walk_reads;
    for (unsigned p = 0; p < pages; p++)
        issue(2, va + p * stride, 1, 256);
    drain_all();
    return walk_reads - before;
}

// Nothing of a region is known: one walk of three reads, then one read a page.
static void walk_afresh(unsigned regions)
{
    for (unsigned region = 0; region < regions; region++) {
        uint64_t va = Far + region * (512ull << 12), first = reads_of(va, 1, 0), rest = reads_of(va + 4096, 511, 4096);
        if (first != (region ? 2 : 3) || rest != 511) // the root's entry is kept as well
            fail("reads of a first walk, of 511 beside it", first, rest);
    }
}

// A working set of as many pages as there are entries stays, but not beyond an invalidation; so does the pointer to the
// table of a region.
static void kept()
{
    const unsigned entries = 4096; // gpu.utcl2.entries
    for (unsigned p = 0; p < entries; p++)
        map_page(2, Far + p * 4096ull, plain_entry(0x10000 + p));
    command(CTL_INV, 255, 0, 0, true);
    walk_afresh(entries / 512);
    if (uint64_t again = reads_of(Far, entries, 4096))
        fail("a working set of the size of the TLB does not stay, reads", again, 0);
    command(CTL_INV, 255, 0, 0, true);
    walk_afresh(entries / 512);
}

// The walker keeps entries of 64 middle tables and of 8 root entries: a page beside one that was walked takes a read, one below the same root entry two.
static void upper_kept()
{
    const uint64_t gib = 1ull << 30, at = 320 * gib;
    for (uint64_t n = 0; n < 64; n++)
        for (uint64_t p = 0; p < 2; p++)
            map_page(2, at + n * Large + p * 4096, plain_entry(0x20000 + n)), map_page(2, at + (8 + n % 8) * gib + p * Large, plain_entry(0x20100 + n));
    command(CTL_INV, 2, 0, 0, true);
    reads_of(at, 1, 0);
    const uint64_t tables = reads_of(at + Large, 63, Large), beside = reads_of(at + 4096, 64, Large), roots = reads_of(at + 8 * gib, 8, gib);
    const uint64_t below = reads_of(at + 8 * gib + Large, 8, gib), want[] = {63 * 2, 64, 8 * 3, 8 * 2}, got[] = {tables, beside, roots, below};
    for (unsigned n = 0; n < 4; n++)
        if (got[n] != want[n])
            fail("reads of walks that know upper entries", got[n], want[n]);
}

// A table is replaced, of 1 GiB or of 2 MiB, and one page below it is invalidated, the first, the last or one of either half: what the walker has kept
// of the level above goes, and the page is found in the new table.
static void tables_replaced()
{
    const uint64_t gib = 1ull << 30, at = 340 * gib, root = root_of[2] & 0xfffffffff000ull;
    const uint64_t pages[] = {0, 1, 0xff, 0x100, 0x1ff, 0x1ffff, 0x20000, 0x2ff00, 0x3fffe, 0x3ffff};
    for (unsigned large = 0; large < 2; large++)
        for (uint64_t page : pages) {
            const uint64_t va = at + page * 4096;
            map_page(2, va, plain_entry(0x21000 + page % 256));
            command(CTL_INV, 2, va, 4096, true);
            ask(2, va);
            const uint64_t upper = root + (va >> 30 & 1023) * 8, middle = (entry_at(upper) & 0xfffffffff000ull) + (va >> 21 & 511) * 8;
            memory[large ? upper : middle] = 0;
            map_page(2, va, plain_entry(0x22000 + page % 256));
            command(CTL_INV, 2, va, 4096, true);
            ask(2, va);
        }
}

// Equal misses share a walk; different ones overlap: 16 take not much longer than one.
static void together()
{
    uint64_t way = latency_max;
    latency_max = 1; // 4 or 5 cycles a read
    command(CTL_INV, 2, 0, 0, true);
    if (uint64_t reads = reads_of(Far, 12, 0); Depth >= 12 && reads != 3)
        fail("twelve requests of one page, reads", reads, 3);
    reads_of(Far + 4096, 1, 0);
    latency_fixed = 400;
    uint64_t from = cycle;
    for (unsigned p = 0; p < 16; p++)
        issue(2, Far + (2 + p) * 4096ull, 1, 256);
    wait_all();
    if (cycle - from > 400 + 100)
        fail("16 walks of one read each of 400 cycles, cycles", cycle - from, 400);
    latency_fixed = 0;
    latency_max = way;
}

// A table at an address without an owner gives no translation, whatever the data of the failed read are.
static void bus_faults()
{
    memory[(root_of[3] & 0xfffffffff000ull) + (Far >> 30 & 1023) * 8] = owner_bits(Nowhere) | 1;
    command(CTL_INV, 3, 0, 0, true);
    ask(3, Far);
    memory[(root_of[3] & 0xfffffffff000ull) + (Far >> 30 & 1023) * 8] = 0;
}

// Every answer is a hit, a miss or joined one; a miss is a walk.
static void counters()
{
    uint64_t hit = counter(0), miss = counter(1), joined = counter(2);
    if (hit + miss + joined != answered)
        fail("hits, misses and joined", hit + miss + joined, answered);
    if (counter(3) != miss)
        fail("walks", counter(3), miss);
    if (counter(4) != faults)
        fail("faults", counter(4), faults);
    if (counter(5) != walk_reads)
        fail("reads of tables", counter(5), walk_reads);
    uint64_t before = answered;
    ask(2, Far);
    ask(2, Far);
    if (answered - before != 2 || counter(0) - hit < 1 || counter(2) != joined)
        fail("counters of two requests one after the other", counter(0) - hit, counter(2) - joined);
}

static void directed()
{
    spaces();
    generations();
    kept();
    upper_kept();
    tables_replaced();
    together();
    bus_faults();
    counters();
}
#endif
