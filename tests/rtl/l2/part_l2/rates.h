// SPDX-License-Identifier: Apache-2.0
// Cases of the bench of part_l2: one request a cycle also to one line and one set, hits pass misses when all MSHRs are taken, a busy DRAM channel
// stops only what needs it, a write-back leaves at least half of the lookups to others.  Included by tb.cpp, whose traffic it uses.
#ifndef RATES_H
#define RATES_H

// Cycles of `count` requests that `make` gives, from the first to the last answer.
template <typename Make> static uint64_t cycles_of(unsigned count, Make make)
{
    uint64_t from = cycle;
    for (unsigned n = 0; n < count; n++)
        issue(make(n), 256);
    answered_all();
    return cycle - from;
}

// Hits, one a cycle: to one word, one line, one set, mixed with stores and reads.
static void one_a_cycle()
{
    clean();
    for (unsigned n = 0; n < L2Ways; n++)
        reads_of(of_set(n));
    uint64_t word = cycles_of(400, [](unsigned) { return add(of_set(0), 5); });
    uint64_t line = cycles_of(400, [](unsigned n) { return add(of_set(0), n % 16); });
    uint64_t set = cycles_of(400, [](unsigned n) { return add(of_set(n % L2Ways), n % 16); });
    uint64_t mixed = cycles_of(400, [](unsigned n) { return n % 3 ? n % 3 == 1 ? access(MEM_READ, of_set(0)) : access(MEM_WRITE, of_set(0)) : add(of_set(0), 0); });
    printf("400 hits: atomics to a word %llu, a line %llu, a set %llu, mixed %llu cycles\n", (unsigned long long)word, (unsigned long long)line,
           (unsigned long long)set, (unsigned long long)mixed);
    const uint64_t most = Through ? 400 * 6 : 410; // with write-through each is a write to DRAM: to one channel 4 cycles at the peak, of which 70 %
    for (uint64_t took : {word, line, set})
        if (took > most)
            fail("cycles of 400 atomics", took, most);
    if (!Through && mixed > most)
        fail("cycles of 400 accesses to a line", mixed, most);
}

static uint64_t cycles_until(uint64_t line)
{
    uint64_t from = cycle;
    issue(access(MEM_READ, line), 256);
    uint32_t tag = serial - 1;
    while (flying.count(tag))
        clock_once(nullptr, 256);
    return cycle - from;
}

// A line that is there is read while every MSHR waits for DRAM and more requests wait for an MSHR.
static void hits_pass()
{
    clean();
    reads_of(5);
    const uint64_t asked = dram_reads;
    size_t most = 0;
    for (unsigned n = 0; n < 600; n++) { // rows of eight banks of both channels
        issue(access(MEM_READ, 128 + dram_line(n / 16 % 16, n % 8, 0) + n / 8 % 2 * OtherChannel), 256);
        most = std::max(most, (size_t)(dram_reads - asked) - (n + 1 - flying.size()));
    }
    for (unsigned n = 0; n < 20; n++)
        clock_once(nullptr, 256);
    uint64_t took = cycles_until(5);
    if (took > 40) // beside a fill in every second cycle; a miss takes 250
        fail("cycles of a hit while all MSHRs are taken", took, 40);
    if (most < 250) // of 256: more than 64 and 128 are told apart, by the data of their answers
        fail("misses under way at a time", most, 250);
    answered_all();
}

// Misses of one bank of channel 0 fill its queue: those of channel 1, and hits of both, go on.
static void busy_channel()
{
    clean();
    reads_of(dram_line(0, 3, 0));
    reads_of(dram_line(0, 3, 0) + OtherChannel);
    for (unsigned n = 0; n < 60; n++) // a row each: some 70 cycles each
        issue(access(MEM_READ_NC, dram_line(2 + n, 0, 0)), 256);
    uint64_t hits = cycles_until(dram_line(0, 3, 0)), other = cycles_until(dram_line(1, 5, 0) + OtherChannel);
    if (hits > 12 || other > 300)
        fail("cycles of a hit and of a miss of the other channel", hits, other);
    answered_all();
    for (unsigned n = 0; n < 60; n++)
        issue(access(MEM_READ_NC, dram_line(2 + n, 0, 0)), 256);
    const auto were = whose;
    whose = Far; // written through: more than the slice's queue for the channel holds
    for (unsigned n = 0; n < 60; n++)
        issue(access(MEM_WRITE, dram_line(1 + n % 3, 0, 8)), 256);
    whose = were;
    hits = cycles_until(dram_line(0, 3, 0)), other = cycles_until(dram_line(1, 6, 0) + OtherChannel);
    if (hits > 40 || other > 300)
        fail("cycles of a hit and of a miss beside stores to a busy channel", hits, other);
    answered_all();
}

// While lines are written back, hits get at least every second cycle.
static void beside_a_flush()
{
    clean();
    for (unsigned n = 0; n < 600; n++)
        store(n, ~0ull);
    for (unsigned n = 600; n < 632; n++)
        reads_of(n);
    answered_all();
    uint64_t from = cycle, done = answered;
    command(CACHE_WB_L2);
    for (unsigned n = 0; !evts && cycle - from < 20000; n++)
        issue(access(MEM_READ, 600 + n % 32), 256);
    uint64_t took = cycle - from, served = answered - done;
    answered_all();
    if (!Through && (took < 600 * 2 || took > 600 * 5 || served < took * 45 / 100))
        fail("hits beside a write-back, cycles", served, took);
}

// Steps of an invalidation that need no DRAM give every second lookup to requests that have just come, and to nobody else's while none has.
static void beside_an_invalidation()
{
    const unsigned lines = 120;
    clean();
    for (unsigned n = 600; n < 632; n++)
        reads_of(n);
    const uint64_t alone = invalidate(CACHE_INV_L2, 0, lines / 4 * Piece);
    uint64_t from = cycle, done = answered;
    command(CACHE_INV_L2, 0, lines / 4 * Piece);
    for (unsigned n = 0; !evts && cycle - from < 2000; n++)
        issue(access(MEM_READ, 600 + n % 32), 256);
    const uint64_t took = cycle - from, served = answered - done;
    answered_all();
    if (alone > lines + 12 || took > 2 * lines + 20 || served < took * 45 / 100 - 6)
        fail("hits beside an invalidation of a range, cycles", served, took);
}

// More than a channel and the slice's queue for it hold: what is above waits aside, be it a fetch, or a store of a whole line that goes to DRAM at once.
static void crowded_channel()
{
    const auto were = whose;
    for (unsigned op : {MEM_READ_NC, MEM_WRITE}) {
        clean();
        reads_of(dram_line(0, 3, 0));
        whose = op == MEM_WRITE ? Far : were;
        for (unsigned n = 0; n < 128; n++) {
            msg_mem_req q = access(op, op == MEM_WRITE ? dram_line(n % 4, 0, n / 4) : dram_line(2 + n, 0, 0));
            q.mask = op == MEM_WRITE ? ~0ull : 0;
            issue(q, 256);
        }
        whose = were;
        const uint64_t hits = cycles_until(dram_line(0, 3, 0)), other = cycles_until(dram_line(1, 5, 0) + OtherChannel);
        if (hits > 12 || other > 300)
            fail("cycles of a hit and of a miss of the other channel beside 128 for a busy one", hits, other);
        answered_all();
    }
}

static void rates()
{
    one_a_cycle();
    hits_pass();
    busy_channel();
    crowded_channel();
    beside_a_flush();
    beside_an_invalidation();
}
#endif
