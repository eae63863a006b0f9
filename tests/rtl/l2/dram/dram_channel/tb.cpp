// SPDX-License-Identifier: Apache-2.0
// Bench of dram_channel: random and ordered accesses; every command against the rules of HBM1 (JESD235: figures as in docs/reference/dram.md), kept
// here as tables of distances and not by the controller's formulas; every read is answered once, when its data has left the bus; every write
// goes out; no access waits without end; bandwidth of streams and of conflicts; refresh of each bank.  Requirement S1.5.
// top: dram_channel
// args: -Wno-UNUSEDPARAM --x-initial unique -GWriteAge=240
// mutate: cycles(t.trcd, t.ratio) => cycles(t.trcd - 1, t.ratio)
// mutate: now < activated[0] + Wait.four => now < activated[1] + Wait.four
// mutate: write_data + t.twtr_l => write_data + t.twtr_s
// mutate: write_data + t.twtr_s => t.twtr_s
// mutate: cycles(write_data + t.twr, => cycles(write_data,
// mutate: cycles(t.tras, t.ratio) => cycles(t.trcd, t.ratio)
// mutate: activate_at[b] = now + Wait.activate; => ;
// mutate: cycles(t.trrd_s, t.ratio) => cycles(1, t.ratio)
// mutate: cycles(t.trrd_l, t.ratio) => cycles(t.trrd_s, t.ratio)
// mutate: cycles(t.trtp, t.ratio) => cycles(1, t.ratio)
// mutate: now + same : later(c.write_at, now + turn) => now + same : c.write_at
// mutate: n.due  = 1'b1; => n.due  = r.due;
// mutate: r.bank == last ? 5'd0 : r.bank + 5'd1 => 5'd0
// mutate: now + Wait.data; => now + Wait.same_any;
// mutate: activated[b], Times.trcd => activated[b], Times.trcd + 1
// mutate: (t.writes >= high && => (t.writes >= 7'd1 &&
// mutate: !t.owed) || t.passed >= (t.owed ? most : age)) => !t.owed) || (t.owed && t.passed >= (t.owed ? most : age)))
// mutate: (t.owed ? most : age) => (t.owed ? most : age & most)
// mutate: (t.owed ? most : age) => (t.owed ? age | most : age)
// mutate: t.until_left && t.passed < most => t.until_left
// mutate: (t.writes >= high && !t.owed) => t.writes >= high
// mutate: n.owed = reads_wait && => n.owed =
// mutate: (t.writing ? !reads_wait : t.writes == 7'd0) => (!t.writing && t.writes == 7'd0)
// mutate: t.writes > low ? low : 7'd0 => low
// mutate: (!reads_wait && t.quiet >= idle) => !reads_wait
// mutate: n.quiet = reads_wait || n.writing => n.quiet = n.writing
// mutate: (7'(tail) - 7'(head)) => (7'(tail) - 7'(head) - 7'd9)
#include "tests/rtl/case_done.h"

#ifndef MAPPED // else by what includes this
enum { BankBit = 5, Hash = 1, Places = 64, High = 40, Low = 8, Age = 240 };
#endif
#include "../channel.h"

// Cycles for `count` accesses, as fast as they are taken.
template <class Line> static uint64_t stream(unsigned count, Line line)
{
    uint64_t from = cycle;
    for (unsigned n = 0; n < count;) {
        std::pair<bool, uint32_t> a = line(n);
        if (try_issue(a.first, a.second))
            n++;
        else
            clock_once();
    }
    drain();
    return cycle - from;
}

static void bandwidth()
{
    const unsigned count = 8000, least = count * 2 * Clock, stream_most = Places == 64 ? 104 : 170; // with 16 an activate in 4 lines is not hidden, and what waits for a refreshed bank holds up the others
    uint64_t linear = stream(count, [](unsigned n) { return std::make_pair(false, n); });
    uint64_t stored = stream(count, [](unsigned n) { return std::make_pair(true, n); });
    uint64_t copied = stream(count, [](unsigned n) { return std::make_pair((n & 1) != 0, n / 2 + (n & 1) * 65536 * 5); });
    // two linear streams are added into a third
    uint64_t added = stream(count, [](unsigned n) { return std::make_pair(n % 3 == 2, n / 3 + n % 3 * 65536 * 5); });
    uint64_t few = stream(count, [](unsigned n) { return std::make_pair(n % 24 == 0, n + (n % 24 == 0) * 65536 * 5); });
    uint64_t rare = stream(count, [](unsigned n) { return std::make_pair(n % 24 != 0, n + (n % 24 == 0) * 65536 * 5); });
    uint64_t streams = stream(count, [](unsigned n) { return std::make_pair(false, n / 4 + n % 4 * 65536); });
    uint64_t random = stream(count, [](unsigned) { return std::make_pair(false, (uint32_t)pick(1 << 22)); });
    uint64_t bank = stream(500, [](unsigned n) { return std::make_pair(false, line_of(n, 3, 0)); });
    printf("of the bus: read %.1f %%, stored %.1f, copied %.1f, added %.1f, one store in 24 %.1f, one read in 24 %.1f, four streams %.1f, random lines %.1f; one bank %.1f cycles a row\n", 100.0 * least / (double)linear,
           100.0 * least / (double)stored, 100.0 * least / (double)copied, 100.0 * least / (double)added, 100.0 * least / (double)few, 100.0 * least / (double)rare, 100.0 * least / (double)streams, 100.0 * least / (double)random, (double)bank / 500);
    if (linear < least || linear > least * stream_most / 100)
        fail("cycles of a linear read", linear, least);
    if (stored < least || stored > least * stream_most / 100)
        fail("cycles of a linear store", stored, least);
    if (Places == 64 && (copied < least || copied > least * 115 / 100))
        fail("cycles of a copy", copied, least);
    if (Places == 64 && (added < least || added > least * 120 / 100)) // hardware's STREAM add: 426 of 512 GB/s
        fail("cycles of an addition", added, least);
    if (Places == 64 && (few < least || few > least * 108 / 100)) // the bus turns, but stores go some at a time
        fail("cycles of reads with few stores", few, least);
    if (Places == 64 && (rare < least || rare > least * 122 / 100))
        fail("cycles of stores with few reads", rare, least);
    if (streams < least || streams > least * (Places == 64 ? 106 : 390) / 100)
        fail("cycles of four streams", streams, least);
    // tFAW: four activates each 15 clocks at best
    if (random < count / 4 * 15 * Clock || random > count / 4 * 15 * Clock * (Places == 64 ? 13 : 20) / 10)
        fail("cycles of random lines", random, count / 4 * 15 * Clock);
    if (bank < 500 * 24 * Clock || bank > 500 * 25 * Clock + 4000) // tRC
        fail("cycles of conflicts", bank, 500 * 24 * Clock);
    case_done("bandwidth of streams, copies, random lines and conflicts");
}

static void issue(bool write, uint32_t line)
{
    for (unsigned n = 0; n < 2000; n++) {
        if (try_issue(write, line))
            return;
        clock_once();
    }
    fail("no room", write, line);
}

// Hits of one row without end, reads or writes: a read or a write of another row of the bank goes when its time has come.
static void age()
{
    for (unsigned which = 0; which < 4; which++) {
        const bool hits = (which & 2) != 0, other = (which & 1) != 0; // write
        const unsigned later = !hits && other ? Age : Places;
        for (unsigned n = 0; n < 200; n++)
            try_issue(hits, n % RowLines);
        issue(other, line_of(16, 0, 0));
        longest_wait = 0;
        for (unsigned n = 0; n < 6000; n++)
            if (!try_issue(hits, n % RowLines))
                clock_once();
        for (const auto &r : reads) // who still waits counts as well
            longest_wait = std::max(longest_wait, cycle - r.second.came);
        for (const auto &w : writes)
            longest_wait = std::max(longest_wait, cycle - w.second);
        if (longest_wait < Places * 5 / 8 * 2 * Clock || longest_wait > (Places * 2 + later * 2 + 60 + 100) * Clock) // of the ring all that came before and all that came later, each two clocks; a refresh
            fail("longest wait", longest_wait, Places * 2 * Clock);
        drain();
    }
    case_done("no access waits without end");
}

// In a stream of writes a lone read waits for as many as the queue has places, in one of reads a lone write for Age: one is not worth a turn of the bus.
static void lone_other()
{
    for (bool stream_writes : {false, true}) {
        const unsigned with = stream_writes ? Write : Read, other = stream_writes ? Read : Write;
        uint64_t gone = 0, before = commands[other];
        for (unsigned n = 0; n < 2000 && commands[other] == before; n++) {
            if (n == 600) {
                issue(!stream_writes, line_of(64, 5, 0));
                gone = commands[with];
            }
            if (!try_issue(stream_writes, n))
                clock_once();
        }
        gone = commands[with] - gone;
        const unsigned most = stream_writes ? Places : Age;
        if (gone < most - 1 || gone > most + 1)
            fail(stream_writes ? "writes before a lone read" : "reads before a lone write", gone, most);
        drain();
    }
    case_done("a lone access of the other direction waits for as many as its age allows");
}

// Few writes wait until no read has come for 40 clocks; then all go.
static void quiet()
{
    for (unsigned reads_between : {0u, 3u}) {
        cycle += 100000;
        uint64_t last = cycle, wrote[4], count = 0;
        for (unsigned n = 0; n < 4; n++)
            try_issue(true, n);
        for (unsigned n = 0; n < 400 && count < 4; n++) {
            if (reads_between != 0 && n % 40 == 20) {
                last = cycle;
                reads_between--;
                try_issue(false, 100 + n);
            } else {
                clock_once();
            }
            if (dut->wrote_valid_o)
                wrote[count++] = cycle;
        }
        if (count != 4 || wrote[0] < last + 40 * Clock || wrote[0] > last + (40 + 12) * Clock) // a read: activated and gone first
            fail("the first write goes", count == 0 ? 0 : wrote[0] - last, 40 * Clock);
        if (count == 4 && wrote[3] - wrote[0] > 12 * Clock)
            fail("the others go", wrote[3] - wrote[0], 6 * Clock);
        drain();
    }
    case_done("few writes wait until no read has come for a while");
}

// Under load each bank is refreshed once a tREFI; between them other banks work on.
static void refresh()
{
    uint64_t before[Banks];
    std::copy(memory.refreshed, memory.refreshed + Banks, before);
    uint64_t from = cycle, counted = dut->refreshes_o;
    for (unsigned n = 0; cycle - from < 10 * 1950 * Clock;)
        if (!try_issue(false, n))
            clock_once();
        else
            n++;
    for (unsigned b = 0; b < Banks; b++)
        if (memory.refreshed[b] - before[b] < 9 || memory.refreshed[b] - before[b] > 11)
            fail("refreshes of a bank in ten intervals", memory.refreshed[b] - before[b], 10);
    if (dut->refreshes_o - counted < 10 * Banks - 2 || dut->refreshes_o - counted > 10 * Banks + 2)
        fail("refreshes counted", dut->refreshes_o - counted, 10 * Banks);
    drain();
    case_done("every bank is refreshed in time");
}

// A lone read: row closed, open, other row.
static void lone()
{
    auto read = [](uint32_t line) {
        uint64_t from = cycle;
        try_issue(false, line);
        while (!on_bus.empty() || !reads.empty())
            clock_once();
        drain();
        for (unsigned i = 0; i < 20; i++)
            clock_once();
        return cycle - 20 - from;
    };
    cycle += 100000;
    uint64_t closed = read(0), open = read(1), other = read(line_of(16, 0, 0));
    printf("lone read: row closed %llu, open %llu, other row %llu cycles\n", (unsigned long long)closed, (unsigned long long)open, (unsigned long long)other);
    if (closed - open != 7 * Clock || other - closed != 7 * Clock)
        fail("activate, precharge", closed - open, other - closed);
    if (open < 9 * Clock || open > 9 * Clock + 4)
        fail("open row", open, 9 * Clock);
    case_done("times of a lone read");
}

int main()
{
    start();
    lone();
    bandwidth();
    age();
    lone_other();
    quiet();
    refresh();
    random_traffic();
    resets();
    print_counts();
    return bench_end("dram_channel");
}
