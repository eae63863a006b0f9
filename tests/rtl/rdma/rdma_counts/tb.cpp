// SPDX-License-Identifier: Apache-2.0
// Bench of rtl/rdma/rdma_counts.sv and rdma_counts_report.sv: 32 entries of 4 ways against a table in C++.  Exact at rest: each entry that must
// leave, which one, with what counts, in what order; saturation; reads with a limit; pages of both sizes; nothing counted while off.  Beside
// accesses a read-out has each of them once, before it or behind it.  Clocks that idle_o gives away are left out.  Carries S1.4, S1.7.
// top: counts_top
// opt: -O0
// own: tests/rtl/rdma/rdma_counts/counts_top.sv
// args: -Irtl/common --x-initial unique
// mutate: by && count != '1 => by && count != ~count_t'(1)
// mutate: by && count != '1 => by
// mutate: used_q[set_q]     <= 1'b0; => used_q[set_q]     <= used_q[set_q];
// mutate: .valid_i(access_valid_i && on_q) => .valid_i(access_valid_i)
// mutate: row_kept_q  <= writes && set_q == read_set; => row_kept_q  <= 1'b0;
// mutate: if (total(row[w].reads, row[w].writes) < least_total) => if (total(row[w].reads, row[w].writes) > least_total)
// mutate: assign stalls      = evicts && !entry_ready_i; => assign stalls      = 1'b0;
// mutate: >= least_q => > least_q
// mutate: assign out_go        = out_left_q != '0 && !evicts && entry_ready_i; => assign out_go        = out_left_q != '0 && entry_ready_i;
// mutate: before_q     <= queued - Aw'(count_go); => before_q     <= '0;
// mutate: block ? page << 4 : page => page
// mutate: set ^ folded({tag, set_t'(0)}) => set
// mutate: assign ends      = sweep_ends_q && !sweeps_q && !sweeps_row && => assign ends      = sweep_ends_q && !sweeps_q &&
// mutate: next[way].writes = bumped(next[way].writes, write_q); => next[way].writes = bumped(next[way].writes, !write_q);
// mutate: assign takes          = waits && (head.closes ? held_q == '0 && sends => assign takes          = waits && (head.closes ? sends
// mutate: message_q <= '0; => message_q.kind <= '0;
// mutate: report_valid_o = stands_q || => report_valid_o =
#include <algorithm>
#include <deque>
#include <map>
#include <vector>

#include "Vcounts_top.h"
#include "tests/rtl/case_done.h"
#include "tests/rtl/rdma/move_bench.h"

#ifndef DROP
#define DROP 0
#endif

namespace {
constexpr unsigned Sets = 8, Ways = 4, Most = 4095;
using sums = std::pair<uint64_t, uint64_t>; // reads, writes

struct slot {
    uint64_t page = 0; // number at the granule
    unsigned reads = 0, writes = 0;
    unsigned total() const { return reads + writes; }
};
struct counter { // as told
    uint64_t frame;
    unsigned reads, writes;
    bool operator==(const counter &o) const { return frame == o.frame && reads == o.reads && writes == o.writes; }
};

Vcounts_top top;
slot table_[Sets][Ways];
bool on = false, large = false;
std::deque<counter> spilled; // are to be told, in this order
std::vector<counter> told;   // since the last command
std::map<uint64_t, sums> owed; // by frame: counted, not told
uint64_t lost = 0, lost_told = 0;
bool answered = true;
msg_counted_evt answer;
uint16_t command_id = 0;
unsigned ready = 100, accesses = 0, messages = 0, alone = 0, waited = 0, evictions = 0, saturated = 0, busy_reads = 0, skipped_clocks = 0;
bool exact = true; // the table in C++ is that of the engine: no access met a read-out

uint64_t page_of(uint64_t addr) { return addr >> (large ? 16 : 12); }
uint64_t frame_of(uint64_t page) { return page << (large ? 16 : 12); }
unsigned set_of(uint64_t page)
{
    unsigned set = 0;
    for (; page; page >>= 3)
        set ^= page & 7;
    return set;
}

void count(uint64_t addr, bool write)
{
    accesses++;
    const uint64_t page = page_of(addr);
    sums &o = owed[frame_of(page)];
    (write ? o.second : o.first)++;
    if (!exact)
        return;
    slot *row = table_[set_of(page)], *at = nullptr;
    for (unsigned w = 0; w < Ways; w++)
        if (row[w].total() && row[w].page == page)
            at = &row[w];
    if (!at) {
        at = row;
        for (unsigned w = 1; w < Ways; w++)
            if (row[w].total() < at->total())
                at = &row[w];
        if (at->total() && !DROP)
            spilled.push_back({frame_of(at->page), at->reads, at->writes});
        if (at->total())
            evictions++, lost += DROP ? at->total() : 0;
        if (at->total() && DROP)
            owed.erase(frame_of(at->page));
        *at = {page};
    }
    unsigned &n = write ? at->writes : at->reads;
    saturated += n == Most;
    n += n < Most;
}

void report(const msg_move_evt &e)
{
    messages++;
    if (e.kind == CP_EVT_COUNTED) {
        memcpy(&answer, &e, sizeof e);
        msg_counted_evt want = {};
        want.kind = CP_EVT_COUNTED, want.counts = command_id;
        want.entries = answer.entries, want.below = answer.below, want.lost = answer.lost;
        if (answered || !same(answer, want))
            fail("an answer that is not asked for, or with other fields");
        answered = true;
        return;
    }
    msg_count_evt c, want = {};
    memcpy(&c, &e, sizeof c);
    if (c.kind != CP_EVT_COUNT || !c.entries || c.entries > 3)
        fail("a report of another kind, or of no entries");
    want.kind = c.kind, want.entries = c.entries;
    alone += c.entries == 1;
    for (unsigned k = 0; k < c.entries; k++) {
        want.frame[k] = c.frame[k], want.reads[k] = c.reads[k], want.writes[k] = c.writes[k];
        const counter got = {c.frame[k], c.reads[k], c.writes[k]};
        if (exact && answered) { // of no command
            if (spilled.empty() || !(spilled.front() == got))
                fail("an entry left that is not the least of its set, or with other counts");
        }
        if (exact && !spilled.empty() && spilled.front() == got) {
            spilled.pop_front();
        } else
            told.push_back(got);
        sums &o = owed[got.frame];
        if (got.reads > o.first || got.writes > o.second || got.reads > Most || got.writes > Most || !(got.reads + got.writes))
            fail("more is told than was counted");
        o.first = got.reads == Most ? 0 : o.first - got.reads, o.second = got.writes == Most ? 0 : o.second - got.writes;
        if (!o.first && !o.second)
            owed.erase(got.frame);
    }
    if (!same(c, want))
        fail("bits of a report beyond its entries");
}

// One cycle; access: one wants to leave.  True: it has.
bool tick(bool access = false, uint64_t addr = 0, bool write = false, const msg_ctl_counts *cmd = nullptr)
{
    top.clk_i = 0, top.rst_ni = cycle >= 2;
    top.report_ready_i = chance(ready);
    top.access_valid_i = 0, top.cmd_valid_i = cmd != nullptr;
    if (cmd)
        put(top.cmd_i, *cmd);
    top.eval();
    const bool goes = access && top.room_o;
    if (goes) {
        top.access_valid_i = 1, top.access_i = addr >> 12 << 1 | write;
        if (on)
            count(addr, write);
    }
    waited += access && !goes;
    top.eval();
    if (top.report_valid_o && top.report_ready_i && cycle >= 2)
        report(get<msg_move_evt>(top.report_o));
    if (goes || cmd || !top.idle_o || cycle < 2) {
        top.clk_i = 1;
        top.eval();
    } else
        skipped_clocks++;
    cycle++;
    return goes;
}

void send(uint64_t addr, bool write)
{
    for (unsigned n = 0; !tick(true, addr, write); n++)
        if (n > 10000)
            fail("an access waits for ever");
}

void settle(unsigned cycles)
{
    for (unsigned n = 0; n < cycles; n++)
        tick();
}

void command(unsigned action, unsigned least = 0)
{
    msg_ctl_counts c = {};
    c.op = CTL_COUNTS, c.page = action == COUNTS_ON ? (large ? 16 : 12) : rng(), c.counts = ++command_id, c.action = action, c.least = least;
    told.clear();
    answered = false;
    tick(false, 0, false, &c);
    on = action == COUNTS_ON || (action == COUNTS_READ && on);
}
void until_answer()
{
    for (unsigned n = 0; !answered; n++, tick())
        if (n > 20000)
            fail("a command is not answered");
}

// Nothing else happens: what the table has, in order of sets and ways.
void read_quiet(unsigned least)
{
    settle(ready < 100 ? 400 : 60);
    if (!spilled.empty())
        fail("an entry that had to leave is still there");
    command(COUNTS_READ, least);
    until_answer();
    std::vector<counter> want;
    unsigned below = 0;
    for (auto &row : table_)
        for (auto &s : row) {
            if (s.total() && s.total() >= least)
                want.push_back({frame_of(s.page), s.reads, s.writes});
            below += s.total() && s.total() < least;
            s = {};
        }
    if (exact ? !(told == want) || answer.entries != want.size() || answer.below != below : least > 1 ? false : answer.below != 0)
        fail("a read-out that is not the table");
    if (answer.lost != std::min<uint64_t>(lost - lost_told, 65535) && exact)
        fail("wrong losses");
    lost_told = lost;
    if (least <= 1 && !DROP)
        for (auto &o : owed)
            if (o.second.first || o.second.second)
                fail("something was counted and never told");
    owed.clear();
    exact = true;
}

uint64_t some(unsigned pages, unsigned spread) // an address in one of so many pages
{
    const uint64_t n = rng() % pages, gpu = 1 + n % 3;
    return gpu << 48 | (n * spread) << 12 | (n % 5 == 4 ? 0xfffull << 36 : 0) | (rng() & 0xfc0);
}

void traffic(unsigned count_, unsigned pages, unsigned spread, unsigned percent)
{
    for (unsigned n = 0; n < count_;) {
        if (chance(percent))
            send(some(pages, spread), chance(40)), n++;
        else
            tick();
    }
}

void edges() // of saturation: each counter by itself
{
    const unsigned many[] = {4093, 4094, 4095, 4096, 5000};
    for (unsigned write = 0; write < 2; write++)
        for (unsigned n = 0; n < 5; n++)
            for (unsigned k = 0; k < many[n]; k++)
                send(0x0001000000000000ull + n * 0x1000, write);
    read_quiet(0);
    if (answer.entries != 5)
        fail("five pages");
    for (unsigned n = 0; n < 5; n++) {
        const unsigned want = std::min(many[n], Most);
        const counter c = {0x0001000000000000ull + n * 0x1000, want, want};
        if (std::find(told.begin(), told.end(), c) == told.end())
            fail("wrong at the edge of saturation");
    }
    // a limit that just one of them reaches, one that none does
    send(0x0002000000000000ull, false), send(0x0002000000001000ull, true), send(0x0002000000001000ull, false);
    read_quiet(2);
    if (answer.entries != 1 || answer.below != 1)
        fail("wrong at the edge of the limit");
    send(0x0002000000000000ull, false);
    read_quiet(8191);
    if (answer.entries || answer.below != 1)
        fail("a limit above all");
}

void losses() // saturate as well
{
    for (unsigned n = 0; n < 20 && DROP; n++)
        for (unsigned page = 0; page < Ways + 1; page++) // of one set
            for (unsigned k = 0; k < 3500; k++)
                send(0x0001000000000000ull + page * 0x9000 + n * 0x100000000ull, k & 1);
    read_quiet(0);
    if (DROP && answer.lost != 65535)
        fail("losses that are too many to count");
    traffic(500, 300, 1, 100);
    read_quiet(0);
    if (answer.lost == 65535 || (DROP && !answer.lost))
        fail("losses are not cleared");
}

void read_busy() // while accesses go on: each is told once, now or by the next one
{
    const std::map<uint64_t, sums> before = owed;
    exact = false;
    spilled.clear();
    command(COUNTS_READ, 1);
    std::map<uint64_t, sums> since;
    for (unsigned n = 0; !answered; n++) {
        const uint64_t addr = some(60, 1);
        const bool write = chance(40);
        if (tick(chance(90), addr, write))
            (write ? since[frame_of(page_of(addr))].second : since[frame_of(page_of(addr))].first)++;
        if (n > 20000)
            fail("a command is not answered beside accesses");
    }
    for (auto &o : owed)
        if (o.second.first > since[o.first].first || o.second.second > since[o.first].second)
            fail("an access of before a read-out is not in it");
    read_quiet(1);
    busy_reads++;
}

void ways_of(unsigned page_bits)
{
    large = page_bits == 16;
    command(COUNTS_ON), until_answer();
    if (answer.entries || answer.below || answer.lost)
        fail("an answer with a count, of a switch");
    // as many as there is room for: nothing waits, nothing leaves
    const unsigned before = messages;
    waited = 0;
    traffic(3000, 8, large ? 16 : 1, 100);
    if (waited || messages != before)
        fail("an access waited, or an entry left, with room for all");
    read_quiet(0);
    traffic(4000, 40, 16, 60);
    read_quiet(3);
    traffic(6000, 400, 1, 90);
    read_quiet(0);
    ready = 3; // the dispatcher takes few
    traffic(1500, 400, 1, 100);
    if (!waited && !DROP)
        fail("no access has waited for a report");
    read_quiet(1);
    ready = 40;
    traffic(3000, 100, 1, 80);
    read_quiet(2);
    for (unsigned n = 0; n < 12 && !DROP; n++) {
        ready = n % 3 ? 100 : 10;
        traffic(200 + rng() % 600, 60, 1, 80);
        read_busy();
    }
    ready = 100;
    // off: what is counted stays, nothing more is
    traffic(50, 8, 16, 100);
    command(COUNTS_OFF), until_answer();
    traffic(50, 8, 16, 100);
    read_quiet(0);
    traffic(20, 8, 16, 100);
    read_quiet(0);
    if (answer.entries || answer.below)
        fail("something is counted while it is off");
}
} // namespace

int main()
{
    Verilated::randReset(2);
    for (unsigned n = 0; n < 4; n++)
        tick();
    traffic(50, 8, 1, 100); // it begins with off
    read_quiet(0);
    for (unsigned round = 0; round < 3; round++) {
        ways_of(12);
        ways_of(16);
    }
    large = false;
    command(COUNTS_ON), until_answer();
    edges();
    losses();
    if (accesses < 60000 || (!DROP && (messages < 2000 || alone < 100)) || evictions < 5000 || !saturated || (!DROP && busy_reads < 50) || skipped_clocks < 100)
        printf("%u accesses, %u messages, %u alone, %u evictions, %u skipped\n", accesses, messages, alone, evictions, skipped_clocks), fail("too little traffic");
    case_done("counters of far accesses", "S1.4, S1.7");
    printf("PASS %u accesses, %u messages, %u evictions\n", accesses, messages, evictions);
    return 0;
}
