// SPDX-License-Identifier: Apache-2.0
// Bench of dram_channel: random and ordered accesses; every command against the rules of HBM1 (JESD235: figures as in docs/reference/dram.md), kept
// here as tables of distances and not by the controller's formulas; every read is answered once, when its data has left the bus; every write
// goes out; no access waits without end; bandwidth of streams and of conflicts; refresh of each bank.  Requirement S1.5.
// top: dram_channel
// sources: rtl/common/pick_pkg.sv rtl/dram/dram_pkg.sv rtl/dram/dram_bank_pkg.sv rtl/dram/dram_choose_pkg.sv rtl/dram/dram_refresh_pkg.sv rtl/dram/dram_checker.sv rtl/dram/dram_channel.sv
// args: -Wno-UNUSEDPARAM --x-initial unique
// mutate: rtl/dram/dram_bank_pkg.sv: cycles(t.trcd, t.ratio) => cycles(t.trcd - 1, t.ratio)
// mutate: rtl/dram/dram_channel.sv: now < activated[0] + Wait.four => now < activated[1] + Wait.four
// mutate: rtl/dram/dram_bank_pkg.sv: write_data + t.twtr_l => write_data + t.twtr_s
// mutate: rtl/dram/dram_bank_pkg.sv: write_data + t.twtr_s => t.twtr_s
// mutate: rtl/dram/dram_bank_pkg.sv: cycles(write_data + t.twr, => cycles(write_data,
// mutate: rtl/dram/dram_bank_pkg.sv: cycles(t.tras, t.ratio) => cycles(t.trcd, t.ratio)
// mutate: rtl/dram/dram_channel.sv: activate_at[b] = now + Wait.activate; => ;
// mutate: rtl/dram/dram_bank_pkg.sv: cycles(t.trrd_s, t.ratio) => cycles(1, t.ratio)
// mutate: rtl/dram/dram_bank_pkg.sv: cycles(t.trrd_l, t.ratio) => cycles(t.trrd_s, t.ratio)
// mutate: rtl/dram/dram_bank_pkg.sv: cycles(t.trtp, t.ratio) => cycles(1, t.ratio)
// mutate: rtl/dram/dram_bank_pkg.sv: now + same : later(c.write_at, now + turn) => now + same : c.write_at
// mutate: rtl/dram/dram_refresh_pkg.sv: n.due  = 1'b1; => n.due  = r.due;
// mutate: rtl/dram/dram_refresh_pkg.sv: r.bank == last ? 5'd0 : r.bank + 5'd1 => 5'd0
// mutate: rtl/dram/dram_channel.sv: now + Wait.data; => now + Wait.same_any;
// mutate: rtl/dram/dram_checker.sv: activated[b], Times.trcd => activated[b], Times.trcd + 1
// mutate: rtl/dram/dram_choose_pkg.sv: (t.writes >= high && => (t.writes >= 7'd1 &&
// mutate: rtl/dram/dram_choose_pkg.sv: !t.owed) || t.passed >= most) => !t.owed))
// mutate: rtl/dram/dram_choose_pkg.sv: t.until_left && t.passed < most => t.until_left
// mutate: rtl/dram/dram_choose_pkg.sv: (t.writes >= high && !t.owed) => t.writes >= high
// mutate: rtl/dram/dram_choose_pkg.sv: n.owed = reads_wait && => n.owed =
// mutate: rtl/dram/dram_choose_pkg.sv: (t.writing ? !reads_wait : t.writes == 7'd0) => (!t.writing && t.writes == 7'd0)
// mutate: rtl/dram/dram_choose_pkg.sv: t.writes > low ? low : 7'd0 => low
// mutate: rtl/dram/dram_choose_pkg.sv: (!reads_wait && t.quiet >= idle) => !reads_wait
// mutate: rtl/dram/dram_choose_pkg.sv: n.quiet = reads_wait || n.writing => n.quiet = n.writing
// mutate: rtl/dram/dram_choose_pkg.sv: (7'(tail) - 7'(head)) => (7'(tail) - 7'(head) - 7'd9)
#include <algorithm>
#include <deque>
#include <map>
#include <vector>

#include "tests/rtl/case_done.h"
#include "../../mem_bench.h"
#include "../model.h"
#include "Vdram_channel.h"

#ifndef MAPPED // else by what includes this
enum { BankBit = 5, Hash = 1, Places = 64, High = 40, Low = 8 };
#endif
#ifndef OTHER_MEMORY
enum { Banks = 16, Groups = 4 };
static const model::Times T = {2, 7, 2, 7, 7, 17, 8, 3, 1, 1, 2, 3, 3, 4, 15, 1, 1950, 130, 80, 2};
#endif
using model::None, model::Activate, model::Precharge, model::Read, model::Write, model::Refresh, model::RefreshAll, model::Command;
static const unsigned Clock = T.ratio, RowLines = 32;
static const model::Shape Shape = {Banks, Groups, Places, High, Low, 40, 8};
static model::Channel channel(T, Shape);
static const uint64_t Never = ~0ull >> 1; // as a time: long ago

// What a memory knows: when the last command of each kind went to each bank.
static struct {
    int64_t at[7][Banks], acts[4];
    int64_t row[Banks]; // open; -1: none
    int64_t data_end;   // of the bus
    unsigned last_data; // kind
    bool rested[Banks];
    uint64_t refreshed[Banks];
} memory;
static Vdram_channel *dut;
struct Access {
    uint64_t came;
    uint32_t line;
    bool write;
};
static std::map<uint8_t, Access> reads;             // asked for and without a command, by id
static std::multimap<uint32_t, uint64_t> writes;    // the same: line, when
static std::deque<std::pair<uint64_t, uint8_t>> on_bus; // reads: end of data
static uint64_t done, commands[7], longest_wait, latency_sum;

static void line_place(uint32_t line, unsigned *bank, uint32_t *row)
{
    *row = (line >> BankBit) / Banks * (1 << BankBit) / RowLines; // columns that stand above the bank are below the row
    *bank = ((line >> BankBit) ^ (Hash ? *row ^ *row / Banks ^ *row / Banks / Banks : 0)) % Banks;
}

static uint32_t line_of(uint32_t row, unsigned bank, unsigned column)
{
    const uint32_t rest = row * RowLines + column, field = (bank ^ (Hash ? row ^ row / Banks ^ row / Banks / Banks : 0)) % Banks;
    return (((rest >> BankBit) * Banks + field) << BankBit) | (rest & ((1u << BankBit) - 1));
}

static void apart(const char *rule, int64_t since, unsigned clocks)
{
    if ((int64_t)cycle - since < (int64_t)(clocks * Clock))
        fail(rule, cycle - (uint64_t)since, clocks * Clock);
}

static void on_row_bus(const Command &c)
{
    const unsigned b = c.bank;
    if (c.kind == Activate) {
        if (memory.row[b] >= 0 && !memory.rested[b]) // one at rest may have been refreshed unseen
            fail("activate of an open bank", b, 0);
        apart("tRP", memory.at[Precharge][b], T.rp);
        apart("tRC", memory.at[Activate][b], T.ras + T.rp);
        apart("tRFC", memory.at[Refresh][b], T.rfc_bank ? T.rfc_bank : T.rfc);
        for (unsigned o = 0; o < Banks; o++)
            apart("tRRD", memory.at[Activate][o], o % Groups == b % Groups ? T.rrd_l : T.rrd_s);
        apart("tFAW", memory.acts[0], T.faw);
        memory.acts[0] = memory.acts[1], memory.acts[1] = memory.acts[2], memory.acts[2] = memory.acts[3], memory.acts[3] = (int64_t)cycle;
        memory.row[b] = c.row;
    } else if (c.kind == Precharge) {
        if (memory.row[b] < 0)
            fail("precharge of a closed bank", b, 0);
        apart("tRAS", memory.at[Activate][b], T.ras);
        apart("tRTP", memory.at[Read][b], T.rtp);
        apart("tWR", memory.at[Write][b], T.cwl + T.burst + T.wr);
        memory.row[b] = -1;
    } else if (c.kind == (T.rfc_bank ? Refresh : RefreshAll)) {
        for (unsigned o = T.rfc_bank ? b : 0; o < (T.rfc_bank ? b + 1 : Banks); o++) {
            if (memory.row[o] >= 0 && !memory.rested[o])
                fail("refresh of an open bank", o, 0);
            apart("tRP before a refresh", memory.at[Precharge][o], T.rp);
            apart("tRFC before a refresh", memory.at[Refresh][o], T.rfc_bank ? T.rfc_bank : T.rfc);
            memory.at[Refresh][o] = (int64_t)cycle, memory.row[o] = -1, memory.rested[o] = false;
            memory.refreshed[o]++;
        }
    } else {
        fail("no command of the row bus", c.kind, 0);
    }
    memory.at[c.kind][b] = (int64_t)cycle;
    memory.rested[b] = false;
    commands[c.kind]++;
}

// The access that such a command serves: of those to the open row of its bank the one that came first.
static void serve(const Command &c)
{
    unsigned bank;
    uint32_t row;
    if (c.kind == Write) {
        auto best = writes.end();
        for (auto w = writes.begin(); w != writes.end(); ++w) {
            line_place(w->first, &bank, &row);
            if (bank == c.bank && row == memory.row[bank] && (best == writes.end() || w->second < best->second))
                best = w;
        }
        if (best == writes.end()) {
            fail("nobody asked for this write", c.bank, 0);
            return;
        }
        longest_wait = std::max(longest_wait, cycle - best->second);
        writes.erase(best);
        return;
    }
    auto best = reads.end();
    for (auto r = reads.begin(); r != reads.end(); ++r) {
        line_place(r->second.line, &bank, &row);
        if (bank == c.bank && row == memory.row[bank] && (best == reads.end() || r->second.came < best->second.came))
            best = r;
    }
    if (best == reads.end()) {
        fail("nobody asked for this read", c.bank, 0);
        return;
    }
    longest_wait = std::max(longest_wait, cycle - best->second.came);
    on_bus.push_back({cycle + (T.cl + T.burst) * Clock, best->first});
    reads.erase(best);
}

static void on_column_bus(const Command &c)
{
    const unsigned b = c.bank;
    if ((c.kind != Read && c.kind != Write) || memory.row[b] < 0) {
        fail("column command of a closed bank", c.kind, b);
        return;
    }
    apart("tRCD", memory.at[Activate][b], T.rcd);
    for (unsigned o = 0; o < Banks; o++) {
        bool same = o % Groups == b % Groups;
        apart("tCCD", memory.at[c.kind][o], same ? T.ccd_l : T.ccd_s);
        if (c.kind == Read)
            apart("tWTR", memory.at[Write][o], T.cwl + T.burst + (same ? T.wtr_l : T.wtr_s));
    }
    int64_t begin = (int64_t)(cycle + (c.kind == Read ? T.cl : T.cwl) * Clock);
    // bursts do not meet; from read to write the bus turns around
    if (begin < memory.data_end + (c.kind == Write && memory.last_data == Read ? (int64_t)(T.rtw * Clock) : 0))
        fail("data bus", (uint64_t)begin, (uint64_t)memory.data_end);
    memory.data_end = begin + T.burst * Clock;
    memory.last_data = c.kind;
    memory.at[c.kind][b] = (int64_t)cycle;
    commands[c.kind]++;
    serve(c);
}

static uint64_t last_row_cmd, last_col_cmd;

// Every output of this cycle is what the model says.
static void compare(const model::Told &want, const Command &row, const Command &col)
{
    if (!(row == want.row) || !(col == want.col))
        fail("commands: kinds and banks of both buses", row.kind << 24 | row.bank << 16 | col.kind << 8 | col.bank,
             want.row.kind << 24 | want.row.bank << 16 | want.col.kind << 8 | want.col.bank);
    if (dut->done_valid_o != want.done || (want.done && dut->done_id_o != want.done_id))
        fail("data of a read", dut->done_valid_o << 8 | dut->done_id_o, want.done << 8 | want.done_id);
    if (dut->wrote_valid_o != want.wrote || (want.wrote && dut->wrote_id_o != want.wrote_id))
        fail("a write", dut->wrote_valid_o << 8 | dut->wrote_id_o, want.wrote << 8 | want.wrote_id);
    if (dut->busy_o != want.busy || dut->idle_o != want.idle)
        fail("busy, idle", dut->busy_o << 1 | dut->idle_o, want.busy << 1 | want.idle);
    if (dut->row_hits_o != want.hits || dut->row_misses_o != want.misses || dut->refreshes_o != want.refreshes)
        fail("hits, misses, refreshes", dut->row_hits_o << 40 | dut->row_misses_o << 16 | dut->refreshes_o,
             want.hits << 40 | want.misses << 16 | want.refreshes);
}

// The edge of `cycle`; then what it has left.
static void clock_once()
{
    model::Access came = {(bool)dut->cmd_write_i, 0, 0, dut->cmd_id_i, false, 0};
    line_place(dut->cmd_line_i, &came.bank, &came.row);
    const model::Told want = dut->rst_ni ? channel.edge(cycle, dut->cmd_valid_i ? &came : nullptr) : model::Told{}; // in reset it holds still
    dut->cycle_i = cycle;
    dut->clk_i = 1, dut->eval();
    dut->clk_i = 0, dut->eval();
    if (!dut->rst_ni) {
        cycle++;
        return;
    }
    Command row = {(unsigned)(dut->row_cmd_o >> 37), (unsigned)(dut->row_cmd_o >> 32) & 31, (uint32_t)dut->row_cmd_o};
    Command col = {(unsigned)(dut->col_cmd_o >> 37), (unsigned)(dut->col_cmd_o >> 32) & 31, 0};
    compare(want, row, col);
    if (row.kind != None || col.kind != None) { // both buses have one clock
        static uint64_t last;
        if (cycle - last < Clock && last != 0)
            fail("commands within a clock", cycle - last, Clock);
        last = cycle;
    }
    if (col.kind != None)
        on_column_bus(col);
    if (row.kind != None)
        on_row_bus(row);
    if (dut->done_valid_o) {
        done++;
        if (on_bus.empty() || on_bus.front().second != dut->done_id_o || on_bus.front().first != cycle)
            fail("done", dut->done_id_o, on_bus.empty() ? 999 : on_bus.front().second);
        if (!on_bus.empty())
            on_bus.pop_front();
    } else if (!on_bus.empty() && on_bus.front().first < cycle) {
        fail("data is late", cycle, on_bus.front().first);
        on_bus.pop_front();
    }
    if (dut->idle_o)
        std::fill(memory.rested, memory.rested + Banks, true);
    dut->cmd_valid_i = 0;
    cycle++;
    static unsigned after;
    if (failures != 0 && ++after > 200000) // what is wrong is known; an access that was taken for another would be waited for
        exit(bench_end("dram_channel"));
}

static uint8_t next_id, next_write_id;
static bool try_issue(bool write, uint32_t line)
{
    if (dut->busy_o || (!write && reads.size() + on_bus.size() >= 64))
        return false;
    dut->cmd_valid_i = 1, dut->cmd_write_i = write, dut->cmd_line_i = line, dut->cmd_id_i = next_write_id;
    next_write_id = (uint8_t)(next_write_id + 37);
    if (write) {
        writes.insert({line, cycle});
    } else {
        dut->cmd_id_i = next_id;
        reads[next_id] = {cycle, line, write};
        next_id++;
    }
    clock_once();
    return true;
}

static void drain()
{
    for (unsigned n = 0; n < 20000 && (!reads.empty() || !writes.empty() || !on_bus.empty() || !dut->idle_o); n++)
        clock_once();
    if (!reads.empty() || !writes.empty() || !on_bus.empty() || !dut->idle_o)
        fail("accesses without an end", reads.size(), writes.size());
    reads.clear(), writes.clear(), on_bus.clear();
}

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

static void reset()
{
    reads.clear(), writes.clear(), on_bus.clear();
    for (auto &kind : memory.at)
        for (int64_t &at : kind)
            at = -(int64_t)(Never / 2);
    for (int64_t &at : memory.acts)
        at = -(int64_t)(Never / 2);
    std::fill(memory.row, memory.row + Banks, -1);
    memory.data_end = -1000;
    dut->rst_ni = 0, dut->cmd_valid_i = 0;
    for (unsigned i = 0; i < 3; i++)
        clock_once();
    dut->rst_ni = 1;
    channel.~Channel();
    new (&channel) model::Channel(T, Shape);
    if (dut->done_valid_o || dut->wrote_valid_o || dut->busy_o || !dut->idle_o || dut->row_cmd_o || dut->col_cmd_o || dut->row_hits_o ||
        dut->row_misses_o || dut->refreshes_o)
        fail("outputs behind reset", dut->busy_o, 0);
}

// In the middle of whatever there is; time goes on.
static void resets()
{
    for (unsigned round = 0; round < 300; round++) {
        const uint32_t span = 1u << (2 + pick(14));
        const unsigned percent_writes = (unsigned)pick(101);
        for (unsigned n = 0; n < 20 + pick(400); n++)
            if (pick(8) != 0)
                try_issue(pick(100) < percent_writes, (uint32_t)pick(span));
            else
                clock_once();
        reset();
        cycle += pick(3) == 0 ? pick(9000) : 0;
    }
    case_done("all is as at the beginning behind a reset");
}

static void random_traffic()
{
    for (unsigned round = 0; round < 60; round++) {
        const unsigned percent_writes = (unsigned)pick(101), rows = 1 + (unsigned)pick(6), rate = 1 + (unsigned)pick(100);
        const uint32_t span = 1u << (5 + pick(12));
        for (unsigned n = 0; n < 3000; n++) {
            if (pick(100) < rate)
                try_issue(pick(100) < percent_writes, (uint32_t)(pick(span) + pick(rows) * RowLines * Banks));
            else
                clock_once();
        }
        drain();
        cycle += pick(4) == 0 ? pick(20000) : 0; // rests
    }
    case_done("every command keeps the distances of the standard", "S1.5");
}

static void bandwidth()
{
    const unsigned count = 8000, least = count * 2 * Clock, stream_most = Places == 64 ? 104 : 140; // with 16 an activate in 4 lines is not hidden
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
    if (Places == 64 && (few < least || few > least * 122 / 100)) // the bus turns, but stores go some at a time
        fail("cycles of reads with few stores", few, least);
    if (Places == 64 && (rare < least || rare > least * 122 / 100))
        fail("cycles of stores with few reads", rare, least);
    if (streams < least || streams > least * (Places == 64 ? 104 : 390) / 100)
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
        if (longest_wait < Places * 5 / 8 * 2 * Clock || longest_wait > (Places * 4 + 60 + 80) * Clock) // of the ring all that came before and all that came later, each two clocks; a refresh
            fail("longest wait", longest_wait, Places * 2 * Clock);
        drain();
    }
    case_done("no access waits without end");
}

// In a stream of one direction a lone access of the other waits for as many as the queue has places: one is not worth a turn of the bus.
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
        if (gone < Places - 1 || gone > Places + 1)
            fail(stream_writes ? "writes before a lone read" : "reads before a lone write", gone, Places);
        drain();
    }
    case_done("a lone access of the other direction waits for as many as the queue has places");
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
    Verilated::randReset(2); // what reset leaves alone holds anything
    dut = new Vdram_channel;
#ifndef OTHER_MEMORY
    reset();
    cycle = 1000;
    lone();
    bandwidth();
    age();
    lone_other();
    quiet();
    refresh();
#else
    reset();
    cycle = 1000;
#endif
    random_traffic();
    resets();
    printf("%llu activates, %llu precharges, %llu reads, %llu writes, %llu refreshes; longest wait %llu cycles\n", (unsigned long long)commands[Activate],
           (unsigned long long)commands[Precharge], (unsigned long long)commands[Read], (unsigned long long)commands[Write], (unsigned long long)commands[Refresh],
           (unsigned long long)longest_wait);
    return bench_end("dram_channel");
}
