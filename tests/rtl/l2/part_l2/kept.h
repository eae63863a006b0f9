// SPDX-License-Identifier: Apache-2.0
// Cases of the bench of part_l2: which lines stay in the L2, told by the reads that reach DRAM; one request a cycle; counters.
// Sizes are the default configuration's: 128 KiB of 16 ways.  Included by tb.cpp, whose traffic it uses.
#ifndef KEPT_H
#define KEPT_H

static const unsigned L2Lines = 2048, L2Ways = 16, L2Sets = L2Lines / L2Ways;

static uint64_t reads_by(unsigned op, uint64_t line, uint64_t mask)
{
    msg_mem_req q = {};
    q.op = (uint8_t)op;
    q.addr = slice_line(line) * 64;
    q.mask = mask;
    q.size = op == MEM_ATOMIC ? 4 : 0;
    uint64_t before = dram_reads;
    issue(q, 256);
    while (!flying.empty())
        clock_once(nullptr, 256);
    return dram_reads - before;
}
static uint64_t reads_of(uint64_t line) { return reads_by(MEM_READ, line, 0); }

// Line n of set 0, n below 128: the set is the exclusive or of the line number's lowest fields.
static uint64_t of_set(uint64_t n) { return n * L2Sets + n; }

// Lines just used stay while others come; unused ways are taken before used ones.
static void replacement()
{
    invalidate(CACHE_INV_L2);
    for (unsigned n = 0; n < L2Ways; n++)
        reads_of(of_set(n));
    for (unsigned n = 0; n < L2Ways; n++)
        if (reads_of(of_set(n)))
            fail("a set does not hold as many lines as it has ways, line", n, L2Ways);
    // the line that was used last is not the next to go, nor does the bit of its use stay alone when all have theirs
    for (unsigned n = 1; n < L2Ways; n++)
        reads_of(of_set(n));
    reads_of(of_set(0));
    reads_of(of_set(L2Ways));
    if (reads_of(of_set(0)))
        fail("the line that was used last is gone", 1, 0);
    uint64_t gone = 0;
    for (unsigned n = L2Ways; n < 3 * L2Ways; n++) { // more lines than the set has others
        for (unsigned use = 0; use < 8; use++)       // each twice: what fills the bits of the set lets the uses before it be forgotten
            gone += reads_of(of_set(2 + use % 4)) && n > L2Ways;
        reads_of(of_set(n));
    }
    if (gone)
        fail("lines that were just used are gone", gone, 0);
}

// Reads keep their line, the page walker's do not; a store of a whole line does, one of a part does not.
static void allocation()
{
    invalidate(CACHE_INV_L2);
    uint64_t none[] = {reads_by(MEM_WRITE, 7, ~0ull), reads_of(7), reads_by(MEM_READ_NC, 7, 0), reads_of(7)};
    for (uint64_t reads : none)
        if (reads)
            fail("DRAM was read for a line that a store has left", reads, 0);
    uint64_t one[] = {reads_by(MEM_READ_NC, 9, 0), reads_by(MEM_READ_NC, 9, 0), reads_by(MEM_WRITE, 9, 0xff) + reads_of(9), reads_of(11)};
    for (uint64_t reads : one)
        if (reads != 1)
            fail("reads of DRAM for a line that is not there", reads, 1);
    uint64_t before = dram_reads; // walks of neighbouring pages read one line at once: one fetch serves all of them
    for (unsigned n = 0; n < 12; n++) {
        msg_mem_req q = {};
        q.op = MEM_READ_NC;
        q.addr = slice_line(13) * 64;
        issue(q, 256);
    }
    while (!flying.empty())
        clock_once(nullptr, 256);
    if (dram_reads - before != 1)
        fail("fetches of a line that twelve wait for", dram_reads - before, 1);
    invalidate(CACHE_WB_L2);
    if (reads_of(7) + reads_of(9) + reads_of(11))
        fail("a write-back emptied the L2", 1, 0);
    invalidate(CACHE_INV_L2);
    if (reads_of(7) + reads_of(9) + reads_of(11) != 3)
        fail("an invalidation kept something", 0, 3);
}

// A working set of the size of the L2 stays, and is served at one line a cycle (64 bytes a clock of each channel of the L2).
static void working_set()
{
    invalidate(CACHE_INV_L2);
    for (unsigned n = 0; n < L2Lines; n++)
        reads_of(n);
    msg_mem_req q = {};
    q.op = MEM_READ;
    uint64_t before = dram_reads, from = cycle;
    for (unsigned n = 0; n < L2Lines; n++) {
        q.addr = slice_line(n) * 64;
        issue(q, 256);
    }
    while (!flying.empty())
        clock_once(nullptr, 256);
    if (dram_reads != before)
        fail("a working set of the size of the L2 does not stay, reads", dram_reads - before, 0);
    if (cycle - from > L2Lines * 102 / 100 + 20)
        fail("cycles of 2048 hits", cycle - from, L2Lines);
}

// Lines whose addresses differ in one bit are different ones.
static void tags()
{
    invalidate(CACHE_INV_L2);
    const uint64_t base = 0x2a5a5a5 & ~3ull; // a number of this slice
    reads_of(base);
    for (unsigned b = 0; b < 28; b++)
        if (reads_of(base ^ 1ull << b) != 1)
            fail("a line was taken for another, bit", b, 1);
}

static uint64_t counter(unsigned number)
{
    dut->perf_en_i = 1;
    dut->perf_addr_i = (uint8_t)number;
    clock_once(nullptr, 256);
    clock_once(nullptr, 256);
    dut->perf_en_i = 0;
    return dut->perf_data_o;
}

// read, write, atomic: hit, miss, joined a miss; reads and writes of DRAM.
static void counters()
{
    for (unsigned kind = 0; kind < 3; kind++)
        if (counter(kind * 3) + counter(kind * 3 + 1) + counter(kind * 3 + 2) != kinds[kind])
            fail("counters of a kind", counter(kind * 3 + 1), kinds[kind]);
    if (counter(9) != dram_reads || counter(10) != dram_writes)
        fail("accesses to DRAM", counter(9), dram_reads);
    invalidate(CACHE_INV_L2);
    uint64_t hit = counter(0), miss = counter(1), joined = counter(2);
    msg_mem_req q = {};
    q.op = MEM_READ;
    q.addr = slice_line(0) * 64;
    for (unsigned i = 0; i < 3; i++)
        issue(q, 256);
    drain_all();
    issue(q, 256);
    drain_all();
    if (counter(0) - hit != 1 || counter(1) - miss != 1 || counter(2) - joined != 2)
        fail("three reads of a line at once, one later: hits, misses", counter(0) - hit, counter(1) - miss);
    // of a line of which a store has left some bytes a read and an atomic fetch the others: misses; a store hits it
    whose = Own; // a store over a link leaves none
    for (unsigned op : {MEM_READ, MEM_ATOMIC, MEM_WRITE}) {
        unsigned kind = op == MEM_READ ? 0 : op == MEM_WRITE ? 1 : 2;
        reads_by(MEM_WRITE, 20 + op, 0xff);
        uint64_t hits = counter(kind * 3), misses = counter(kind * 3 + 1), read = reads_by(op, 20 + op, op == MEM_WRITE ? 0xff00 : 0);
        bool there = op == MEM_WRITE && !Through; // written through, a store of a part has left none
        if (read != (op != MEM_WRITE) || counter(kind * 3) - hits != there || counter(kind * 3 + 1) - misses != !there)
            fail("counters of a request to a line of which a store has left a part, hits", counter(kind * 3) - hits, there);
    }
    whose = Any;
    drain_all(); // stores that have been answered wait for the DRAM
    if (counter(11) + counter(12) != dram_reads + dram_writes)
        fail("row hits and misses", counter(11) + counter(12), dram_reads + dram_writes);
}

static void kept()
{
    replacement();
    allocation();
    working_set();
    tags();
    counters();
}
#endif
