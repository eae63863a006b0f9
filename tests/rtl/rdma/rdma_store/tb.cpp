// SPDX-License-Identifier: Apache-2.0
// Bench of rtl/rdma/rdma_store.sv: pages come into random slots, lines in any order, the host's command before, between or behind them; some
// slots are given up, all are discarded now and then.  Each page must be reported once, not before its last line is in DRAM, with
// status, count, checksum, flags and cycles of its own.  Carries S1.13.
// top: rdma_store
// opt: -O0
// args: -Irtl/common -GSlots=8 --x-initial unique
// mutant: -GSeedBug=1
// mutant: -GSeedBug=2
// mutant: -GSeedBug=3
// mutate: begun_q[turn]  <= 1'b0; => begun_q[turn]  <= begun_q[turn];
// mutate: if (stored_fault_i) => if (stored_fault_i && 1'b0)
#include <vector>

#include "Vrdma_store.h"
#include "tests/rtl/case_done.h"
#include "tests/rtl/rdma/move_bench.h"

namespace {
constexpr unsigned Slots = 8;

struct page {
    bool used = false, told = false, discarded = false;
    msg_ctl_move cmd;
    unsigned lines, sent = 0, stored = 0;
    uint16_t flags;
    uint64_t sum = 0, start = 0, complete = 0;
    uint8_t status = MOVE_OK;
    std::vector<unsigned> left;     // lines that have not come
};

Vrdma_store top;
page slot[Slots];
std::vector<unsigned> entered; // slots of lines that are not in DRAM
unsigned reported = 0, lines = 0, faults = 0, discards = 0, given_up = 0, late = 0;

void begin(page &p)
{
    p = {.used = true};
    p.lines = rng() % 3 ? 1 + rng() % 64 : rng() % 40 ? 2 : 1024;
    p.flags = rng() & 0xfff;
    for (unsigned n = 0; n < p.lines; n++)
        p.left.push_back(n);
}

void tell(unsigned n, unsigned count)
{
    page &p = slot[n];
    msg_ctl_move c = {};
    c.op = CTL_STORE, c.slot = n, c.move = rng(), c.lines = count;
    put(top.expect_i, c);
    top.expect_valid_i = 1;
    p.told = true, p.cmd = c;
    if (!p.sent)
        p.start = cycle;
    late += p.sent != 0;
}

void line(unsigned n)
{
    page &p = slot[n];
    const size_t k = rng() % p.left.size();
    msg_mem_move m = {};
    m.op = MEM_MOVE, m.source = 0xff, m.slot = n, m.line = p.left[k], m.flags = p.flags, m.mask = ~0ull, m.addr = rng();
    for (auto &d : m.data)
        d = rng();
    put(top.line_i, m);
    top.line_valid_i = 1;
    if (!p.sent++)
        p.start = cycle;
    p.sum += share(m.data, m.line);
    p.left.erase(p.left.begin() + k);
    entered.push_back(n), lines++;
}

void check_report()
{
    auto e = get<msg_move_evt>(top.done_o);
    page &p = slot[e.slot % Slots];
    msg_move_evt want = {};
    want.kind = CP_EVT_STORED, want.status = p.status, want.move = p.cmd.move, want.flags = p.sent ? p.flags : 0, want.slot = e.slot;
    want.lines = p.stored, want.checksum = p.sum, want.start = e.start, want.end = e.end;
    if (!p.used || !p.told || !same(e, want))
        fail("wrong report");
    if (e.status == MOVE_OK && p.cmd.lines && p.stored != p.cmd.lines)
        fail("reported before its last line is in DRAM");
    if ((!p.discarded && e.start != p.start) || e.end > cycle || e.end < p.complete)
        fail("wrong cycles in a report");
    p.used = false;
    reported++;
}

void discard() // the engine swallows what is under way
{
    for (auto &p : slot)
        if (top.done_valid_o && &p == &slot[get<msg_move_evt>(top.done_o).slot % Slots])
            continue; // its report stands already
        else if (p.used && p.told)
            p.status = MOVE_DISCARDED, p.stored = p.sent = 0, p.sum = 0, p.discarded = true, p.left.clear();
        else
            p.used = false;
    entered.clear();
    top.discard_i = 1, discards++;
}
} // namespace

int main()
{
    Verilated::randReset(2);
    const uint64_t end = 120000;
    for (cycle = 0; cycle < end; cycle++) {
        const bool busy = cycle / 5000 % 2, more = cycle < end - 10000;
        top.clk_i = 0, top.cycle_i = cycle, top.rst_ni = cycle >= 2;
        top.expect_valid_i = top.line_valid_i = top.stored_valid_i = top.discard_i = 0;
        top.done_ready_i = chance(30);
        if (cycle > 3) {
            unsigned n = rng() % Slots;
            if (!slot[n].used && more && chance(busy ? 30 : 3))
                begin(slot[n]);
            if (slot[n].used && !slot[n].told && chance(slot[n].left.empty() ? 50 : 4))
                tell(n, slot[n].lines);
            else if (slot[n].used && !slot[n].told && more && chance(1) && slot[n].stored == slot[n].sent)
                slot[n].left.clear(), tell(n, 0), given_up++; // nothing more comes
            n = rng() % Slots;
            if (slot[n].used && !slot[n].left.empty() && slot[n].status != MOVE_DISCARDED && chance(80))
                line(n);
            if (!entered.empty() && !(top.line_valid_i && entered.size() == 1) && chance(70)) {
                const size_t k = rng() % (entered.size() - (top.line_valid_i ? 1 : 0));
                page &p = slot[entered[k]];
                top.stored_valid_i = 1, top.stored_slot_i = entered[k], top.stored_fault_i = chance(1) && chance(10);
                p.stored++, p.complete = cycle;
                if (top.stored_fault_i)
                    p.status = MOVE_FAULT, faults++;
                entered.erase(entered.begin() + k);
            }
            if (!top.expect_valid_i && !top.line_valid_i && !top.stored_valid_i && more && chance(1) && chance(10))
                discard();
        }
        top.eval();
        if (cycle > 3 && top.done_valid_o) {
            if (top.idle_o)
                fail("idle, but a report waits");
            if (top.done_ready_i)
                check_report();
        }
        top.clk_i = 1;
        top.eval();
    }
    for (auto &p : slot)
        if (p.used)
            fail("a page was not reported");
    if (reported < 500 || lines < 20000 || faults < 5 || discards < 10 || given_up < 20 || late < 100)
        printf("%u pages, %u lines, %u faults, %u discards, %u given up, %u late\n", reported, lines, faults, discards, given_up, late), fail("too little traffic");
    case_done("pages come", "S1.13");
    printf("PASS %u pages, %u lines\n", reported, lines);
    return 0;
}
