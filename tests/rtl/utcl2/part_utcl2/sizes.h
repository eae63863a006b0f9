// SPDX-License-Identifier: Apache-2.0
// Entries of all sizes and misses that wait, in the bench of part_utcl2: one walk for a fragment, as many entries of a size as
// there are, one for misses that find the same; hits, order and bounds while memory withholds all walks.  Included by
// tb.cpp.  Not responsible for: answers, which take_answer compares.
#ifndef SIZES_H
#define SIZES_H

static uint64_t counter(unsigned number)
{
    dut->perf_en_i = 1;
    dut->perf_addr_i = (uint8_t)number;
    clock_once(nullptr, 256);
    dut->perf_en_i = 0;
    return dut->perf_data_o;
}

// Walks for so many pages from va on, asked for one after the other.
static uint64_t walks_of(unsigned vmid, uint64_t va, uint64_t pages)
{
    uint64_t before = counter(3);
    for (uint64_t p = 0; p < pages; p++)
        ask(vmid, va + p * 4096);
    return counter(3) - before;
}

// All pages of a fragment take one walk, whichever comes first; a fragment between two sizes counts as the lesser.
static void one_walk()
{
    for (unsigned f = 0; f <= 9; f++) {
        uint64_t at = Far + 32 * Large, pages = 1ull << f, each = f == 9 ? 512 : f == 8 ? 256 : f >= 4 ? 16 : 1;
        map_fragment(2, at, plain_entry(0x5000), f);
        command(CTL_INV, 2, at, Large, true);
        ask(2, at + pick(pages) * 4096);
        if (uint64_t walks = walks_of(2, at, pages); walks != pages / each - 1)
            fail("walks of a fragment", walks, pages / each - 1);
    }
    map_large(2, Far + 33 * Large, plain_entry(0x600)); // no fragment in the entry itself
    ask(2, Far + 33 * Large + 0x7000);
    if (uint64_t walks = walks_of(2, Far + 33 * Large, 512))
        fail("walks of a leaf of 2 MiB beside the first", walks, 0);
}

// As many entries of each size as the keys say stay, and those of another size with them.
static void reach()
{
    const unsigned blocks = 1024, large = 512; // gpu.utcl2.blocks, gpu.utcl2.large
    command(CTL_INV, 255, 0, 0, true);
    for (unsigned b = 0; b < blocks; b++)
        map_fragment(2, Far + 64 * Large + b * 0x10000ull, plain_entry(0x100000 + b * 16), 4);
    for (unsigned b = 0; b < large; b++)
        map_large(2, Far + (128 + b) * Large, plain_entry(0x200000 + b * 512));
    for (unsigned round = 0; round < 2; round++) {
        uint64_t before = counter(3);
        for (unsigned b = 0; b < blocks; b++)
            ask(2, Far + 64 * Large + b * 0x10000ull + pick(16) * 4096);
        for (unsigned b = 0; b < large; b++)
            ask(2, Far + (128 + b) * Large + pick(512) * 4096);
        if (uint64_t walks = counter(3) - before; walks != (round ? 0 : blocks + large))
            fail("walks of as many entries of 64 KiB and 2 MiB as there are, round", walks, round);
    }
}

// Misses of several pages of one leaf at once make one entry: eight leaves of one set stay.
static void one_entry()
{
    command(CTL_INV, 255, 0, 0, true);
    for (unsigned b = 0; b < 8; b++) {
        map_large(2, Far + (1024 + 64 * b) * Large, plain_entry(0x400000 + b * 512));
        for (unsigned p = 0; p < 16; p++)
            issue(2, Far + (1024 + 64 * b) * Large + p * 4096, 1, 256);
        drain_all();
    }
    uint64_t before = counter(3);
    for (unsigned b = 0; b < 8; b++)
        ask(2, Far + (1024 + 64 * b) * Large + 0x100000);
    if (counter(3) != before)
        fail("a leaf is kept more than once, walks", counter(3) - before, 0);
}

// Memory answers nothing: all walks are taken, further misses wait, hits go on and are quick.  Then walks begin in the
// order of the misses.
static void hits_under_misses()
{
    const unsigned misses = 48;
    const uint64_t at = Far + 40 * Large;
    for (unsigned p = 0; p <= misses; p++)
        map_page(2, at + p * 4096, plain_entry(0x8000 + p));
    command(CTL_INV, 2, at, Large, true);
    ask(2, at + misses * 4096); // the tables are known, each walk is one read
    withheld = true;
    walk_reads_of.clear();
    for (unsigned p = 0; p < misses; p++)
        issue(2, at + ((p * 29) % misses) * 4096, 1, 256);
    for (unsigned p = 0; p < misses; p += 5)
        issue(2, at + ((p * 29) % misses) * 4096, 1, 256); // to be joined, or to hit at last
    for (unsigned i = 0; i < 40; i++)
        clock_once(nullptr, 256);
    if (walk_reads_of.size() != Walks)
        fail("walks under way", walk_reads_of.size(), Walks);
    uint64_t from = cycle, before = answered;
    for (unsigned n = 0; n < 60; n++)
        issue(2, at + misses * 4096, 1, 256);
    for (unsigned i = 0; i < 12; i++)
        clock_once(nullptr, 256);
    if (answered - before != 60 || (Depth >= 16 && cycle - from > 60 + 30))
        fail("hits beside walks that wait, answers", answered - before, cycle - from);
    withheld = false;
    drain_all();
    if (walk_reads_of.size() != misses)
        fail("walks of misses that have waited", walk_reads_of.size(), misses);
    for (unsigned p = 0; p < misses && p < walk_reads_of.size(); p++) {
        uint64_t want = leaf_slot(2, at + ((p * 29) % misses) * 4096) & ~63ull;
        if ((walk_reads_of[p] & 0xffffffffffffull) != want)
            fail("a walk out of turn, number", p, want);
    }
}

// Hits without end do not keep the answer of a walk, nor one of several requests that share it.
static void hits_give_way()
{
    const uint64_t at = Far + 42 * Large;
    for (unsigned p = 0; p < 2; p++)
        map_page(2, at + p * 4096, plain_entry(0x8800 + p));
    for (unsigned drain : {256u, 60u}) {
        command(CTL_INV, 2, at, Large, true);
        ask(2, at);
        for (unsigned k = 0; k < 6; k++)
            issue(2, at + 4096, 1, 256);
        uint32_t last = serial - 1;
        unsigned n = 0, most = 0, left = 6; // most: walk's answers that have come one behind the other
        for (unsigned row = 0; n < 2000 && flying.count(last); n++) {
            issue(2, at, 1, drain);
            unsigned now = 0;
            for (unsigned k = 0; k < 6; k++)
                now += (unsigned)flying.count(last - k);
            row = now < left ? row + left - now : 0;
            most = row > most ? row : most;
            left = now;
        }
        if (Depth >= 16 && drain == 256 && most > 2)
            fail("hits stand while a walk's requests are answered, so many", most, 2);
        if (n >= 300)
            fail("hits pass the answer of a walk, so many", n, 300);
        drain_all();
    }
}

// A second request of a page, or of another one of its block, at each moment of the first one's walk and behind it: one walk
// for a page, and as soon as its entry is there for the block.
static void one_walk_at_each_moment()
{
    const uint64_t at = Far + 44 * Large;
    map_fragment(2, at, plain_entry(0x9000), 4);
    map_page(2, at + 0x10000, plain_entry(0x9900));
    latency_fixed = 12;
    for (unsigned delay = 0; delay < 40; delay++) {
        for (unsigned other = 0; other < 2; other++) {
            command(CTL_INV, 2, at, Large, true);
            ask(2, at + 0x10000); // the tables are known
            uint64_t walks = counter(3);
            uint32_t first = serial;
            issue(2, at, 1, 256);
            for (unsigned i = 0; i < delay; i++)
                clock_once(nullptr, 256);
            bool under_way = flying.count(first);
            issue(2, at + other * 0x3000, 1, 256);
            wait_all();
            walks = counter(3) - walks;
            if (walks != 1 && !(other && under_way && walks == 2))
                fail("walks for two requests of a page or block, delay", walks, delay);
        }
    }
    latency_fixed = 0;
}

static void sizes()
{
    one_walk_at_each_moment();
    one_walk();
    reach();
    one_entry();
    hits_under_misses();
    hits_give_way();
}
#endif
