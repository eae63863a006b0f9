// SPDX-License-Identifier: Apache-2.0
// Bench of rtl/rdma/rdma_push.sv: random pages leave, up to four under way, with slow slices that answer in any order, a slow link, faults, holds and
// discards.  Every line of each page must leave once, in order, at its address and with all fields, no sooner than `Every` cycles behind the one before;
// reports come in the order of the moves, each with status, count, checksum, flags and cycles, and no sooner than the last acknowledgement.  Carries S1.12.
// top: rdma_push
// opt: -O0
// args: -Irtl/common -GNumSlices=8 -GMoves=4 -GLines=32 -GEvery=3 --x-initial unique
// mutant: -GSeedBug=1
// mutant: -GSeedBug=2
// mutant: -GSeedBug=3
// mutant: -GSeedBug=4
// mutate: old_q        <= used_q + => old_q        <= 0 * used_q +
// mutate: wait_q           <= Ew'(Every - 1); => wait_q           <= Ew'(Every - 2);
#include <deque>
#include <map>
#include <vector>

#include "Vrdma_push.h"
#include "tests/rtl/case_done.h"
#include "tests/rtl/rdma/move_bench.h"

namespace {
constexpr unsigned Own = 3, Moves = 4, Every = 3, Slices = 8;

struct move {
    msg_ctl_move cmd;
    unsigned number, pushed = 0, acked = 0;
    uint8_t status = MOVE_OK;
    uint64_t sum = 0, start = 0;
    std::map<unsigned, msg_mem_rsp> line; // as read
};

Vrdma_push top;
std::deque<move> moves;             // not reported, oldest first
std::deque<msg_mem_req> reads;      // not answered, of these the first `dropped` are of a discarded move
std::map<uint32_t, std::pair<unsigned, unsigned>> asked; // place -> {move, line}
std::vector<uint8_t> acks;          // of which move, to come
unsigned begun = 0, reported = 0, lines = 0, faults = 0, discards = 0, held = 0;
uint64_t last_push = 0;

move *of(unsigned number)
{
    for (auto &m : moves)
        if (m.number == number)
            return &m;
    return nullptr;
}

void begin_some(bool more)
{
    if (!more || moves.size() == Moves || !chance(3))
        return;
    msg_ctl_move c = {};
    c.op = CTL_MOVE, c.slot = rng(), c.move = rng(), c.flags = rng() & 0xfff;
    c.lines = rng() % 4 ? 1 + rng() % 70 : rng() % 50 ? 64 : 1024;
    c.source = (rng() & 0xffffffffffff) & ~0xfffull, c.target = (1 + rng() % 2) << 48 | ((rng() & 0xffffffffffff) & ~0xffffull);
    put(top.start_i, c);
    top.start_valid_i = 1;
    moves.push_back({.cmd = c, .number = begun++});
}

// Lines are asked for in the order of the moves: the next one.
unsigned number = 0, line = 0;
bool next_read()
{
    while (number < begun && (!of(number) || of(number)->status == MOVE_DISCARDED))
        number++, line = 0;
    return number < begun;
}

void check_read()
{
    next_read();
    auto q = get<msg_mem_req>(top.read_o);
    move *m = of(number);
    msg_mem_req want = {};
    if (!m)
        fail("a line is read for nobody");
    want.op = MEM_READ_NC, want.addr = (Own + 1ull) << 48 | (m->cmd.source + 64 * line), want.target = want.addr >> 8 & (Slices - 1), want.tag = q.tag;
    if (!same(q, want) || q.tag >> 31 != 1 || asked.count(q.tag))
        fail("a read is wrong");
    asked[q.tag] = {number, line};
    reads.push_back(q);
    if (++line == m->cmd.lines)
        number++, line = 0;
}

void check_push()
{
    auto p = get<msg_mem_move>(top.push_o);
    move *m = nullptr;
    for (auto &each : moves) {
        while (each.line.count(each.pushed) && each.line[each.pushed].status) // is not sent
            each.pushed++;
        if (!m && each.pushed < each.cmd.lines && each.status != MOVE_DISCARDED)
            m = &each;
    }
    if (!m)
        fail("a line is sent for nobody");
    if (!m->line.count(m->pushed))
        fail("a line is sent that was not read");
    msg_mem_move want = {};
    want.op = MEM_MOVE, want.source = 0xff, want.move = m->number % Moves, want.slot = m->cmd.slot, want.line = m->pushed, want.flags = m->cmd.flags;
    want.addr = m->cmd.target + 64ull * m->pushed, want.mask = ~0ull;
    memcpy(want.data, m->line[m->pushed].data, 64);
    if (!same(p, want))
        fail("a line that is sent is wrong");
    if (cycle - last_push < Every)
        fail("lines leave faster than the link takes them");
    last_push = cycle;
    m->sum += share(m->line[m->pushed].data, m->pushed);
    m->pushed++, lines++;
    acks.push_back(m->number % Moves);
}

void check_report()
{
    auto e = get<msg_move_evt>(top.done_o);
    if (moves.empty())
        fail("report of nobody");
    move &m = moves.front();
    msg_move_evt want = {};
    unsigned lost = 0;
    for (auto &l : m.line)
        lost += l.second.status != 0;
    want.kind = CP_EVT_MOVED, want.status = m.status, want.move = m.cmd.move, want.flags = m.cmd.flags, want.slot = m.cmd.slot;
    want.lines = m.status == MOVE_DISCARDED ? e.lines : m.acked + lost, want.checksum = m.status == MOVE_DISCARDED ? e.checksum : m.sum;
    want.start = e.start, want.end = e.end;
    if (!same(e, want) || (m.status != MOVE_DISCARDED && want.lines != m.cmd.lines))
        fail("wrong report");
    if (e.start < m.start || e.end < e.start || e.end > cycle)
        fail("wrong cycles in a report");
    moves.pop_front();
    reported++;
}

void discard()
{
    for (auto &m : moves)
        m.status = MOVE_DISCARDED;
    acks.clear(); // swallowed by the engine
    top.discard_i = 1;
    discards++;
}
} // namespace

int main()
{
    Verilated::randReset(2);
    top.own_gpu_i = Own;
    const uint64_t end = 150000;
    unsigned hold = 0, full = 0;
    bool quiet = false;
    for (cycle = 0; cycle < end; cycle++) {
        const bool slow = cycle / 8000 % 3 == 1, more = cycle < end - 20000;
        top.clk_i = 0, top.cycle_i = cycle, top.rst_ni = cycle >= 2;
        top.start_valid_i = top.line_valid_i = top.ack_valid_i = top.discard_i = 0;
        top.read_ready_i = chance(slow ? 20 : 90), top.push_ready_i = chance(slow ? 10 : 90), top.done_ready_i = chance(30);
        if (cycle > 3) {
            if (hold && --hold == 0)
                top.hold_take_i = top.hold_all_i = 0;
            if (!hold && chance(1) && chance(20)) { // a pause, or a discard, which holds all as well
                hold = 1 + rng() % 60, held++;
                top.hold_take_i = 1, top.hold_all_i = rng() % 2;
                if (rng() % 4 == 0)
                    top.hold_all_i = 1, discard();
            }
            if (!top.discard_i)
                begin_some(more);
            if (!reads.empty() && chance(slow ? 20 : 90)) {
                const size_t k = rng() % std::min<size_t>(reads.size(), 12);
                const auto [number, line] = asked[reads[k].tag];
                msg_mem_rsp a = {};
                a.op = MEM_READ_NC, a.tag = reads[k].tag, a.status = chance(1) && chance(30) ? MEM_FAULT_BUS : MEM_OK;
                for (auto &d : a.data)
                    d = rng() % 5 ? rng() : 0;
                put(top.line_i, a);
                top.line_valid_i = 1;
                asked.erase(reads[k].tag);
                reads.erase(reads.begin() + k);
                if (move *m = of(number); m && m->status != MOVE_DISCARDED) {
                    m->line[line] = a;
                    if (a.status)
                        m->status = MOVE_FAULT, faults++;
                }
            }
            if (!acks.empty() && !top.hold_all_i && chance(slow ? 30 : 80)) {
                const size_t k = rng() % acks.size();
                top.ack_valid_i = 1, top.ack_move_i = acks[k], top.ack_fault_i = chance(1) && chance(10);
                for (auto &m : moves)
                    if (m.number % Moves == acks[k]) {
                        m.acked++;
                        if (top.ack_fault_i)
                            m.status = MOVE_FAULT;
                    }
                acks.erase(acks.begin() + k);
            }
        }
        top.eval();
        const bool idle = top.idle_o && cycle > 4;
        if (cycle > 3) {
            if (idle && ((top.read_valid_o && top.read_ready_i) || (top.push_valid_o && top.push_ready_i) || top.done_valid_o))
                fail("idle, but something moves");
            if ((top.hold_take_i && top.read_valid_o) || (top.hold_all_i && top.push_valid_o))
                fail("sent while it is held");
            if (top.start_valid_i)
                moves.back().start = cycle;
            if (top.done_valid_o && top.done_ready_i)
                check_report();
            if (top.push_valid_o && top.push_ready_i)
                check_push();
            if (top.read_valid_o && top.read_ready_i)
                check_read();
            full += !top.read_valid_o && !top.hold_take_i && !top.start_valid_i && next_read(); // no place
            quiet = top.rests_o;
        }
        top.clk_i = 1;
        top.eval();
    }
    if (!moves.empty() || !reads.empty() || !quiet || !top.idle_o)
        fail("a move did not end");
    if (reported < 500 || lines < 10000 || faults < 10 || discards < 10 || held < 100 || full < 10)
        printf("%u moves, %u lines, %u faults, %u discards, %u holds, %u full\n", reported, lines, faults, discards, held, full), fail("too little traffic");
    case_done("pages leave", "S1.12");
    printf("PASS %u moves, %u lines\n", reported, lines);
    return 0;
}
