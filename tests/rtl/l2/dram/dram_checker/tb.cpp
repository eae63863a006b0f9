// SPDX-License-Identifier: Apache-2.0
// Bench of dram_checker: random commands, most of them at the first cycle in which they may go, some before it, against the rules in C++: as
// many checks fail in each cycle as rules are broken, and none else.  What fails does not end the run here.
// top: dram_checker
// opt: -O1
// args: -Wno-UNUSEDPARAM --x-initial unique
// cflags: -DVL_USER_STOP
// mutate: fourth[0] = fourth[1]; => fourth[0] = fourth[2];
// mutate: unsure[b] = 1'b0; => unsure[b] = unsure[b];
// mutate: fresh[o]     = now; => fresh[o]     = fresh[o];
// mutate: was_read  = col_cmd_i.kind == CmdRead; => was_read  = 1'b0;
// mutate: if (rested_i || rested) => if (rested_i)
// mutate: + t.trp + 3; => + t.trp + 4;
#include <fcntl.h>
#include <unistd.h>

#include "tests/rtl/case_done.h"
#include "../../../mem_bench.h"
#include "../model.h"
#include "Vdram_checker.h"

#ifndef OTHER_MEMORY
enum { Banks = 16, Groups = 4 };
static const model::Times T = {2, 7, 2, 7, 7, 17, 8, 3, 1, 1, 2, 3, 3, 4, 15, 1, 1950, 130, 80, 2};
#endif
using namespace model;

static Vdram_checker *dut;
static unsigned told;

void vl_stop(const char *, int, const char *) { told++; }

struct BankState {
    int64_t activated, precharged, read, written, refreshed, fresh; // when last; fresh: refreshed, seen or not
    bool open, unsure;                                              // unsure: it may have been refreshed, and closed, unseen
};
static struct Memory {
    BankState bank[Banks];
    int64_t four[4], bus_until, clock;
    bool was_read, rested;
} memory;
static uint64_t legal, broken, too_late, unseen;

static int64_t clocks(int64_t n) { return n * (int64_t)T.ratio; }

// From its last refresh on: an interval, its neighbour in turn, and what the bank takes to close.
static int64_t refresh_latest()
{
    const int64_t close = std::max({T.ras, T.rtp, T.cwl + T.burst + T.wr}) + T.rp + 3;
    return clocks(T.refi + (T.rfc_bank ? T.refi / Banks : Banks) + close);
}

// Rules that these commands break in cycle `now`; the memory takes them all the same.
static unsigned step(Memory &m, int64_t now, const Command &row, const Command &col, bool rested)
{
    unsigned wrong = 0;
    auto apart = [&](int64_t since, int64_t n) { wrong += now < since + clocks(n); };
    const int64_t latest = refresh_latest(), data = T.cwl + T.burst;
    if (row.kind != None || col.kind != None)
        apart(m.clock, 1), m.clock = now;
    if (col.kind != None) {
        BankState &b = m.bank[col.bank];
        const bool read = col.kind == Read;
        wrong += !read && col.kind != Write;
        wrong += !b.open;
        apart(b.activated, T.rcd);
        for (unsigned o = 0; o < Banks; o++) {
            const bool same = o % Groups == col.bank % Groups;
            apart(read ? m.bank[o].read : m.bank[o].written, same ? T.ccd_l : T.ccd_s);
            if (read)
                apart(m.bank[o].written, data + (same ? T.wtr_l : T.wtr_s));
        }
        const int64_t from = now + clocks(read ? T.cl : T.cwl);
        wrong += from < m.bus_until + clocks(m.was_read && col.kind == Write ? T.rtw : 0);
        m.bus_until = from + clocks(T.burst), m.was_read = read;
        wrong += now >= b.fresh + latest;
        too_late += now >= b.fresh + latest;
        b.unsure = false;
        (read ? b.read : b.written) = now;
    }
    BankState &b = m.bank[row.bank];
    if (row.kind == Activate) {
        wrong += b.open && !b.unsure;
        unseen += b.open && b.unsure;
        apart(b.precharged, T.rp), apart(b.activated, T.ras + T.rp), apart(b.refreshed, T.rfc_bank ? T.rfc_bank : T.rfc);
        for (unsigned o = 0; o < Banks; o++)
            apart(m.bank[o].activated, o % Groups == row.bank % Groups ? T.rrd_l : T.rrd_s);
        apart(m.four[0], T.faw);
        m.four[0] = m.four[1], m.four[1] = m.four[2], m.four[2] = m.four[3], m.four[3] = now;
        b.activated = now, b.open = true, b.unsure = false;
    } else if (row.kind == Precharge) {
        wrong += !b.open;
        apart(b.activated, T.ras), apart(b.read, T.rtp), apart(b.written, data + T.wr);
        b.precharged = now, b.open = false;
    } else if (row.kind != None) {
        wrong += row.kind != Refresh && row.kind != RefreshAll;
        for (unsigned o = 0; o < Banks; o++) {
            BankState &x = m.bank[o];
            if (o != row.bank && row.kind != RefreshAll)
                continue;
            wrong += x.open && !x.unsure;
            unseen += x.open && x.unsure;
            apart(x.precharged, T.rp), apart(x.refreshed, T.rfc_bank ? T.rfc_bank : T.rfc);
            wrong += now >= x.fresh + latest;
            too_late += now >= x.fresh + latest;
            x.refreshed = x.fresh = now, x.open = false;
        }
    }
    if (rested || m.rested)
        for (BankState &x : m.bank)
            x.unsure |= rested, x.fresh = now;
    m.rested = rested;
    return wrong;
}

// quiet: what fails is expected to, and its messages are not shown.
static void edge(const Command &row, const Command &col, bool rested, bool quiet)
{
    static const int shown = dup(1), nowhere = open("/dev/null", O_WRONLY);
    told = 0;
    if (quiet)
        fflush(stdout), dup2(nowhere, 1);
    dut->cycle_i = cycle, dut->rested_i = rested;
    dut->row_cmd_i = (uint64_t)row.kind << 37 | (uint64_t)row.bank << 32 | row.row;
    dut->col_cmd_i = (uint64_t)col.kind << 37 | (uint64_t)col.bank << 32 | col.row;
    dut->clk_i = 1, dut->eval(), dut->clk_i = 0, dut->eval();
    if (quiet)
        fflush(stdout), dup2(shown, 1);
}

static void reset()
{
    dut->rst_ni = 0;
    edge({(unsigned)pick(7), (unsigned)pick(Banks), 0}, {(unsigned)pick(7), (unsigned)pick(Banks), 0}, pick(2), false);
    if (told != 0)
        fail("a check fails in reset", told, 0);
    const int64_t long_ago = -(1ll << 31);
    for (BankState &b : memory.bank)
        b = {long_ago, long_ago, long_ago, long_ago, long_ago, (int64_t)cycle, false, false};
    std::fill(memory.four, memory.four + 4, long_ago);
    memory.bus_until = memory.clock = long_ago, memory.was_read = memory.rested = false;
    dut->rst_ni = 1;
    cycle++;
}

// A command for a bank in a state that it is for, as a rule.
static Command command(bool column)
{
    const unsigned bank = (unsigned)(pick(2) ? pick(Banks) : pick(3));
    const bool open = memory.bank[bank].open;
    if (column)
        return {(unsigned)(pick(50) == 0 ? pick(7) : open ? pick(2) ? Read : Write : None), bank, (uint32_t)rng()};
    return {(unsigned)(pick(100) == 0 ? pick(7) : open ? pick(4) ? None : Precharge : pick(12) ? Activate : T.rfc_bank ? Refresh : RefreshAll), bank,
            (uint32_t)rng()};
}

static void run(unsigned cycles, bool rests)
{
    for (unsigned n = 0; n < cycles; n++) {
        Command row = pick(2) ? command(false) : Command{None, 0, 0}, col = pick(2) ? command(true) : Command{None, 0, 0};
        const bool rested = rests && pick(60) == 0;
        const unsigned edge_bank = (unsigned)pick(Banks);
        const uint64_t last = (uint64_t)(memory.bank[edge_bank].fresh + refresh_latest()) + pick(5) - 2;
        const bool at_edge = pick(100) == 0 && last > cycle; // about the last cycle in which it is refreshed in time
        if (at_edge)
            cycle = last, row = {(unsigned)(T.rfc_bank ? Refresh : RefreshAll), edge_bank, 0};
        Memory trial = memory;
        unsigned wrong = step(trial, (int64_t)cycle, row, col, rested);
        if (wrong != 0 && !at_edge && pick(12) != 0) { // not now
            row = col = {None, (unsigned)pick(Banks), 0};
            trial = memory;
            wrong = step(trial, (int64_t)cycle, row, col, rested);
        }
        memory = trial;
        edge(row, col, rested, wrong != 0);
        if (told != wrong)
            fail("checks that failed", told, wrong);
        (wrong ? broken : legal) += row.kind != None || col.kind != None;
        cycle += pick(rested ? 2 : 300) == 0 ? 1 + pick(T.refi * T.ratio) : 1;
    }
}

int main()
{
    Verilated::randReset(2);
    dut = new Vdram_checker;
    dut->clk_i = 0, dut->eval();
    cycle = 5;
    for (unsigned round = 0; round < 40; round++) {
        reset();
        run(4000, false);
        run(2000, true);
    }
    case_done("as many checks fail as rules are broken");
    printf("%llu legal, %llu not; %llu refreshes too late, %llu banks that closed unseen\n", (unsigned long long)legal, (unsigned long long)broken,
           (unsigned long long)too_late, (unsigned long long)unseen);
    if (legal < 5000 || broken < 5000 || too_late < 100 || unseen < 100)
        fail("too few of a kind", legal, broken);
    dut->final();
    return bench_end("dram_checker");
}
