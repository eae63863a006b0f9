// SPDX-License-Identifier: Apache-2.0
// Cases of the bench of part_l2: times of the DRAM, held against the figures of HBM1 (clock of 500 MHz, 4096 bits, 512 GB/s;
// CL 7, CWL 2, RCD 7, RP 7, RAS 17, RTP 3, WR 8, REFI 1950, 100 for the refresh of one bank, bursts of two clocks), not against the model's keys.  Two
// channels a slice of 16; a GPU cycle is 1 ns, so a clock of the memory is two.  Included by tb.cpp.
#ifndef DRAM_H
#define DRAM_H

static const unsigned Clock = 2, Cl = 7, Cwl = 2, Rcd = 7, Rp = 7, Ras = 17, Wr = 8, Rtp = 3, Rfc = 80, Refi = 1950, Burst = 2;
static const unsigned RowLines = 32, DramBanks = 16, OtherChannel = 8; // lines of a slice

// Slice line of a column of a row of bank `bank` of channel 0: eight lines of a slice (twice 256 bytes) lie in a channel, the next eight in the other.
static uint64_t dram_line(uint64_t row, uint64_t bank, uint64_t column)
{
    const uint64_t line = ((row * DramBanks + (bank ^ (row ^ row / DramBanks ^ row / DramBanks / DramBanks) % DramBanks)) * RowLines) + column;
    return line / 8 * 16 + line % 8;
}

static msg_mem_req access(unsigned op, uint64_t line)
{
    msg_mem_req q = {};
    q.op = (uint8_t)op;
    q.addr = slice_line(line) * 64;
    q.mask = 0xff; // of a store: less than a line, so that it reads nothing
    return q;
}

static void rest(unsigned cycles)
{
    while (!flying.empty())
        clock_once(nullptr, 256);
    for (unsigned i = 0; i < cycles; i++)
        clock_once(nullptr, 256);
}

// Cycles from request to answer.
static uint64_t lone_read(uint64_t line)
{
    uint64_t before = latency_sum;
    issue(access(MEM_READ_NC, line), 256);
    rest(100);
    return latency_sum - before;
}

// The second access comes one cycle after the first: cycles from its request to its answer.
static uint64_t second_of(unsigned op, uint64_t first, uint64_t second)
{
    issue(access(op, first), 256);
    uint64_t from = cycle;
    issue(access(MEM_READ_NC, second), 256);
    rest(0);
    uint64_t took = answered_at - from;
    rest(100);
    return took;
}

// A read that comes when a store has gone to an open row: cycles from its request to its answer.
static uint64_t behind_store(uint64_t first, uint64_t second)
{
    uint64_t hits = counter(11);
    issue(access(MEM_WRITE, first), 256);
    for (unsigned i = 0; i < 400 && (dut->perf_data_o == hits || i == 0); i++) {
        dut->perf_en_i = 1;
        clock_once(nullptr, 256);
    }
    dut->perf_en_i = 0;
    uint64_t from = cycle;
    issue(access(MEM_READ_NC, second), 256);
    rest(0);
    uint64_t took = answered_at - from;
    rest(100);
    return took;
}

// Stores that have been answered wait for the DRAM.
static void idle()
{
    for (unsigned i = 0; i < 5000 && !dut->idle_o; i++)
        clock_once(nullptr, 256);
    if (!dut->idle_o)
        fail("no rest", 0, 1);
}

static void close_rows()
{
    invalidate(CACHE_WB_L2 | CACHE_INV_L2);
    idle();
    cycle += 100000; // rows close at the refresh
}

static void expect(const char *what, uint64_t got, uint64_t want)
{
    if (got != want)
        fail(what, got, want, "rows");
}

// Closed, open, another row of the bank; what may not follow at once.
static void rows()
{
    uint64_t closed = ~0ull, open = ~0ull, other = ~0ull;
    for (unsigned n = 0; n < 3; n++) { // one of the three may meet the refresh of its bank
        close_rows();
        closed = std::min(closed, lone_read(dram_line(0, 0, 0)));
        open = std::min(open, lone_read(dram_line(0, 0, 1)));
        other = std::min(other, lone_read(dram_line(1, 0, 0)));
    }
    printf("DRAM: row closed %llu, open %llu, conflict %llu cycles\n", (unsigned long long)closed, (unsigned long long)open, (unsigned long long)other);
    expect("activate", closed - open, Rcd * Clock);
    expect("precharge", other - closed, Rp * Clock);
    reads_of(dram_line(1, 0, 0));
    uint64_t before = latency_sum;
    reads_of(dram_line(1, 0, 0));
    uint64_t hit = latency_sum - before; // in the L2
    const uint64_t least = (Cl + Burst) * Clock + StoreLatency; // a line is sent for when it has left the memory
    if (open - hit < least || open - hit > least + 12)
        fail("open row behind a hit", open - hit, least);
    close_rows(); // the first access activates: the row stays for tRAS
    expect("tRAS", second_of(MEM_READ_NC, dram_line(0, 0, 0), dram_line(1, 0, 0)), open + (Ras + Rp + Rcd) * Clock - 1);
    if (Through) {
        close_rows();
        lone_read(dram_line(0, 0, 0));
        uint64_t took = behind_store(dram_line(0, 0, 1), dram_line(1, 0, 0)), most = open + (Cwl + Burst + Wr + Rp + Rcd) * Clock;
        if (took > most || took < most - 10) // the counter is seen, and the read comes, some cycles behind the command
            fail("tWR", took, most);
    }
    close_rows();
    lone_read(dram_line(0, 0, 0));
    expect("read, then another row", second_of(MEM_READ_NC, dram_line(0, 0, 1), dram_line(1, 0, 0)), open + (Rtp + Rp + Rcd) * Clock - 1);
    close_rows();
    expect("two banks", second_of(MEM_READ_NC, dram_line(0, 0, 0), dram_line(0, 1, 0)), closed + Burst * Clock - 1);
    close_rows();
    expect("one row", second_of(MEM_READ_NC, dram_line(0, 0, 0), dram_line(0, 0, 1)), closed + Burst * Clock - 1);
    close_rows();
    expect("two channels", second_of(MEM_READ_NC, dram_line(0, 0, 0), dram_line(0, 0, 0) + OtherChannel), closed);
    close_rows();
    expect("eight lines of a channel", second_of(MEM_READ_NC, dram_line(0, 0, 0), dram_line(0, 0, 0) + 7), closed + Burst * Clock - 1);
    for (unsigned b = 0; b < 18; b++) { // rows that differ in one bit are different ones
        lone_read(dram_line(0, 0, 0));
        if (lone_read(dram_line(1ull << b, 0, 0)) < closed) // a refresh may have closed the row meanwhile
            fail("a row was taken for another, bit", b, closed);
    }
}

// Where a line of the slice lies.
struct Place {
    uint64_t channel, bank, row;
};
static Place place_of(uint64_t line)
{
    const uint64_t in_channel = line / 16 * 8 + line % 8, above = in_channel / RowLines, row = above / DramBanks;
    return {line / 8 % 2, (above ^ row ^ row / DramBanks ^ row / DramBanks / DramBanks) % DramBanks, row};
}

// Of two lines that differ in one bit the second finds its row open, another one or none: each bit of the number is where it should be.
static void places()
{
    close_rows();
    const uint64_t closed = lone_read(dram_line(0, 0, 0)), open = closed - Rcd * Clock, other = closed + Rp * Clock;
    for (uint64_t base : {0ull, 0x2aaaaull, 0x15555ull, 0x3ffffull}) {
        for (unsigned b = 0; b < 18; b++) {
            const Place one = place_of(base), two = place_of(base ^ 1ull << b);
            const bool same = one.channel == two.channel && one.bank == two.bank;
            const uint64_t want = !same ? closed : one.row == two.row ? open : other;
            unsigned right = 0;
            for (unsigned n = 0; n < 3; n++) { // one of the three may meet a refresh
                close_rows();
                lone_read(base);
                right += lone_read(base ^ 1ull << b) == want;
            }
            if (right < 2)
                fail("a bit of a line's number is not where it should be, bit", b, want);
        }
    }
}

// Cycles that 3,000 accesses take: reads of consecutive lines, or stores.
static uint64_t stream(unsigned op)
{
    const unsigned count = 3000;
    close_rows();
    uint64_t from = cycle;
    for (unsigned n = 0; n < count; n++)
        issue(access(op, n), 256);
    rest(0);
    invalidate(CACHE_WB_L2); // the last of them are in DRAM
    return cycle - from;
}

// 32 GB/s a slice: 64 bytes in two cycles; reads reach nearly that, stores hardly 3/4 of it (hardware: 70 %), and nothing goes beyond.
static void bandwidth()
{
    uint64_t reads = stream(MEM_READ_NC), stores = stream(MEM_WRITE);
    printf("DRAM: 3000 lines read in %llu cycles, stored in %llu\n", (unsigned long long)reads, (unsigned long long)stores);
    if (reads < 3000 * 2 || reads > 3000 * 2 * 110 / 100)
        fail("cycles of reads", reads, 3000 * 2);
    // write-back: most go when the last is answered
    if (stores < 3000 * 2 * 4 / 3 || stores > 3000 * 2 * (Through ? 145 : 180) / 100)
        fail("cycles of stores", stores, 3000 * 2 * 10 / 7);
}

// Every bank once in 3.9 us under load, for 160 ns.
static void refresh()
{
    const unsigned intervals = 6;
    close_rows();
    lone_read(dram_line(0, 0, 0));
    lone_read(dram_line(0, 0, 0) + OtherChannel);
    uint64_t before = counter(13), from = cycle;
    latency_most = 0;
    for (unsigned n = 0; cycle - from < intervals * Refi * Clock; n++) {
        issue(access(MEM_READ_NC, n % 64), 256); // of one row; some are always under way
        for (unsigned i = 0; i < 9; i++)
            clock_once(nullptr, 256);
    }
    uint64_t worst = latency_most;
    rest(0);
    uint64_t count = counter(13) - before, open = lone_read(dram_line(0, 0, 3)), most = open + (Rp + Rfc + Rcd) * Clock; // the row closes first
    if (count < 2 * intervals * DramBanks - 4 || count > 2 * intervals * DramBanks + 4)
        fail("refreshes of two channels", count, 2 * intervals * DramBanks);
    if (worst > most + 8 || worst < most - 80)
        fail("longest wait for a refresh", worst, most);
}

static void dram()
{
    rows();
    places();
    bandwidth();
    refresh();
}
#endif
