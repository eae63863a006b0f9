// SPDX-License-Identifier: Apache-2.0
// What benches of dram_channel share: the rules as tables of distances, the model beside each cycle, random traffic, resets in the middle of it.
// Who includes it names the shape (BankBit, Hash, Places, High, Low, Age) and, with OTHER_MEMORY, the banks and times.  Not responsible for: bandwidth.
#ifndef DRAM_CHANNEL_H
#define DRAM_CHANNEL_H
#include <algorithm>
#include <deque>
#include <map>
#include <vector>

#include "tests/rtl/case_done.h"
#include "../../mem_bench.h"
#include "model.h"
#include "Vdram_channel.h"

#ifndef OTHER_MEMORY
enum { Banks = 16, Groups = 4 };
static const model::Times T = {2, 7, 2, 7, 7, 17, 8, 3, 1, 1, 2, 3, 3, 4, 15, 1, 1950, 130, 80, 2};
#endif
using model::None, model::Activate, model::Precharge, model::Read, model::Write, model::Refresh, model::RefreshAll, model::Command;
static const unsigned Clock = T.ratio, RowLines = 32;
static const model::Shape Shape = {Banks, Groups, Places, High, Low, 40, Age, 8};
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

static void print_counts()
{
    printf("%llu activates, %llu precharges, %llu reads, %llu writes, %llu refreshes; longest wait %llu cycles\n", (unsigned long long)commands[Activate],
           (unsigned long long)commands[Precharge], (unsigned long long)commands[Read], (unsigned long long)commands[Write],
           (unsigned long long)(commands[Refresh] + commands[RefreshAll]), (unsigned long long)longest_wait);
}

static void start()
{
    Verilated::randReset(2); // what reset leaves alone holds anything
    dut = new Vdram_channel;
    reset();
    cycle = 1000;
}
#endif
