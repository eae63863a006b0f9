// SPDX-License-Identifier: Apache-2.0
// Control messages to an L2 partition during loads, stores and atomics: what a pause holds, what a drain finishes and leaves, that
// a flush ends behind its last write to DRAM, what a discard drops and finishes, maintenance beside all of them.
// What is performed is told by the order port; a load must see a value that its word had since it was asked for.
// Not responsible for: traffic as such (../part_l2), every signal in every state (tests/rtl/control/control_agent).
// top: part_l2
// args: -Wno-UNUSEDPARAM -GDepth=16 --x-initial unique
// mutate: fresh_one && !hold_take_i, last) => fresh_one, last)
// mutate: rsp_credits != 7'd0 && !hold) begin => rsp_credits != 7'd0) begin
// mutate: store_sent = store_count != 4'd0 && !hold; => store_sent = store_count != 4'd0;
// mutate: store_sent = store_sent || hold; => ;
// mutate: if (room_left && !hold) begin => if (room_left) begin
// mutate: if (dropping) rsp_count = 7'd0; => ;
// mutate: drop_left = in_count; => drop_left = 7'd0;
// mutate: hold  = hold_all_i && !dropping; => hold = hold_all_i;
// mutate: mshrs_left == 9'(Mshrs) && rsp_count == 7'd0 && store_count => mshrs_left == 9'(Mshrs) && store_count
// mutate: !began_q && !answer_q => !answer_q
// mutate: era_writes[0] == 16'd0 && era_writes[1] == 16'd0 && flush => flush
// mutate: flush ? WriteBack : maint => maint
// mutate: .flush_done_i(maint_done && flushing_q) => .flush_done_i(flush)
// mutate: maint_done_i(maint_done && !flushing_q) => maint_done_i(maint_done)
#include <array>
#include <deque>
#include <map>
#include <set>
#include <vector>

#include "../../mem_bench.h"
#include "Vpart_l2.h"
#include "tests/rtl/case_done.h"
#include "tests/rtl/control/signals.h"

namespace {
constexpr unsigned Depth = 16, Slice = 5, StoreLatency = 16, Dirty = 14, RowHits = 11, RowMisses = 12;
constexpr uint64_t Lines = 4096;
Vpart_l2 *dut;
struct Want {
    msg_mem_req req;
    std::array<size_t, 8> first; // index of the oldest value that each word may have
};
struct Order {
    uint8_t op, atomic, size, gpu;
    uint32_t user;
    uint8_t source, line, pad[6];
    uint64_t addr, mask, data[8], old[8];
};
std::map<uint32_t, Want> flying; // by tag
std::set<uint32_t> gone;         // users of requests that were dropped: none may be performed later
std::map<uint64_t, std::vector<uint64_t>> history; // by address of a word, of those that were stored to
std::map<uint64_t, std::array<uint64_t, 8>> dram;  // by address of a line
std::deque<std::pair<uint64_t, msg_dram_rsp>> dram_answers;
unsigned credits = Depth, owed;
bool skips = false, sends = true, takes = true; // answers are taken: their credits go back
uint64_t moved, performed, delivered, lines = 64;
bool stores; // most requests are some
uint32_t serial;
std::deque<msg_ctl_evt> evts;

uint64_t line_at(uint64_t n) { return (n / 4 * 64 + Slice * 4 + n % 4) * 64; }
std::vector<uint64_t> &values(uint64_t addr)
{
    auto &h = history[addr];
    if (h.empty())
        h.push_back(addr * 0x9e3779b97f4a7c15ull);
    return h;
}
std::array<uint64_t, 8> &dram_line(uint64_t addr)
{
    auto it = dram.find(addr);
    if (it == dram.end()) {
        std::array<uint64_t, 8> words;
        for (unsigned i = 0; i < 8; i++)
            words[i] = (addr + 8 * i) * 0x9e3779b97f4a7c15ull;
        it = dram.emplace(addr, words).first;
    }
    return it->second;
}

msg_mem_req request()
{
    msg_mem_req q = {};
    q.addr = line_at(pick(lines));
    q.tag = ++serial, q.user = q.tag * 7 + 1, q.source = (uint8_t)pick(80), q.gpu = 3;
    q.op = pick(stores ? 10 : 2) == 0 ? MEM_READ : pick(stores ? 20 : 4) ? MEM_WRITE : MEM_ATOMIC;
    if (q.op == MEM_WRITE)
        for (unsigned i = 0; i < 8; i++)
            q.data[i] = (uint64_t)serial << 32 | i, q.mask |= pick(2) ? 0xffull << 8 * i : 0;
    if (q.op == MEM_WRITE && pick(3) == 0)
        q.mask = ~0ull;
    if (q.op == MEM_ATOMIC)
        q.atomic = ATOMIC_ADD, q.size = 8, q.data[0] = 1 + pick(100), q.addr += pick(8) * 8;
    Want w = {q, {}};
    for (unsigned i = 0; i < 8; i++)
        w.first[i] = values((q.addr & ~63ull) + 8 * i).size() - 1;
    flying[q.tag] = w;
    return q;
}

// A store or an atomic is performed.
void order(const Order &o)
{
    performed++;
    if (gone.count(o.user))
        fail("performed after it was dropped, user", o.user, 0);
    const uint64_t line = o.addr & ~63ull;
    if (o.op == MEM_ATOMIC) {
        values(o.addr).push_back(values(o.addr).back() + o.data[0]);
        return;
    }
    for (unsigned i = 0; i < 8; i++)
        if (o.mask >> 8 * i & 0xff)
            values(line + 8 * i).push_back(o.data[i]);
}

void answered(const msg_mem_rsp &a)
{
    const auto it = flying.find(a.tag);
    if (it == flying.end())
        return fail("an answer to nothing, tag", a.tag, 0);
    const Want &w = it->second;
    if (a.op != w.req.op || a.source != w.req.source || a.gpu != w.req.gpu || a.status)
        fail("fields of an answer", a.op, w.req.op);
    for (unsigned i = 0; i < 8; i++) {
        const unsigned k = w.req.op == MEM_ATOMIC ? w.req.addr / 8 % 8 : i;
        const auto &h = values((w.req.addr & ~63ull) + 8 * k);
        bool any = w.req.op == MEM_WRITE || (w.req.op == MEM_ATOMIC && i);
        for (size_t n = w.first[k]; n < h.size() && !any; n++)
            any = h[n] == a.data[i];
        if (!any)
            fail("data of an answer", a.data[i], h.back());
    }
    flying.erase(it), delivered++;
}

void store(const msg_dram_req &r)
{
    auto &line = dram_line(r.addr);
    for (unsigned i = 0; i < 64 && r.write; i++)
        if (r.mask >> i & 1)
            ((uint8_t *)line.data())[i] = ((const uint8_t *)r.data)[i];
    if (r.write)
        return;
    msg_dram_rsp a = {};
    a.tag = r.tag;
    memcpy(a.data, line.data(), 64);
    dram_answers.push_back({cycle + StoreLatency, a});
}

void step(const msg_ctl_cmd *m = nullptr)
{
    dut->mem_req_valid_i = sends && credits && pick(4);
    if (dut->mem_req_valid_i)
        put(dut->mem_req_i, request()), credits--;
    dut->ctl_cmd_valid_i = m != nullptr;
    if (m)
        put(dut->ctl_cmd_i, *m);
    dut->mem_rsp_credit_i = takes && owed && pick(2);
    owed -= dut->mem_rsp_credit_i;
    dut->dram_rsp_valid_i = !dram_answers.empty() && dram_answers.front().first <= cycle;
    if (dut->dram_rsp_valid_i)
        put(dut->dram_rsp_i, dram_answers.front().second), dram_answers.pop_front();
    dut->cycle_i = cycle;
    const bool rests = dut->idle_o && !m && !dut->mem_req_valid_i && !dut->mem_rsp_credit_i && !dut->dram_rsp_valid_i;
    if (rests && skips) { // as the machine does
        cycle++;
        return;
    }
    dut->clk_i = 1, dut->eval(), dut->clk_i = 0, dut->eval();
    cycle++;
    const unsigned outs = dut->mem_req_credit_o + dut->mem_rsp_valid_o + dut->dram_req_valid_o + dut->obs_order_valid_o;
    moved += outs - dut->obs_order_valid_o;
    if (rests && (outs || dut->ctl_evt_valid_o))
        fail("rests, but something moved", dut->mem_req_credit_o | dut->mem_rsp_valid_o << 1 | dut->dram_req_valid_o << 2 | dut->obs_order_valid_o << 3, 0);
    credits += dut->mem_req_credit_o;
    if (dut->ctl_evt_valid_o)
        evts.push_back(get<msg_ctl_evt>(dut->ctl_evt_o));
    if (dut->dram_req_valid_o)
        store(get<msg_dram_req>(dut->dram_req_o));
    if (dut->obs_order_valid_o)
        order(get<Order>(dut->obs_order_o));
    if (dut->mem_rsp_valid_o)
        owed++, answered(get<msg_mem_rsp>(dut->mem_rsp_o));
}

void steps(unsigned n)
{
    while (n--)
        step();
}

uint64_t counter(unsigned address)
{
    const bool sent = sends, skipped = skips;
    dut->perf_en_i = 1, dut->perf_addr_i = address;
    sends = skips = false, step(), sends = sent, skips = skipped;
    dut->perf_en_i = 0;
    return dut->perf_data_o;
}

msg_ctl_evt heard(const char *what)
{
    for (unsigned i = 0; i < 60000 && evts.empty(); i++) // a slice full of dirty lines, beside traffic that replaces them
        step();
    if (evts.empty())
        fail(what, 0, 1), exit(bench_end("part_l2_control"));
    const msg_ctl_evt e = evts.front();
    evts.pop_front();
    return e;
}

// `beside`: a write-back by maintenance some cycles later, which is answered too, once.
void tell(uint8_t signals, unsigned status, unsigned state, bool beside = false)
{
    msg_ctl_cmd c = signals_message(signals, (uint16_t)pick(60000)), w = {};
    w.op = CTL_INV, w.flags = pick(2) ? CACHE_WB_L2 : CACHE_FAR, // a flush does not repeat what came last
         w.id = (uint16_t)(c.id + 1);
    const bool first = beside && pick(2);
    if (first)
        step(&w), steps((unsigned)pick(20));
    step(&c);
    if (beside && !first)
        steps((unsigned)pick(20)), step(&w);
    for (unsigned i = 0; i < 1 + beside; i++) {
        const msg_ctl_evt e = heard("signals without an answer");
        if (beside && e.op == CTL_INV && e.id == w.id && e.status == CTL_OK)
            continue;
        if (!signals_answered(e, c, status, state))
            fail("signals not answered so", e.status << 8 | e.state, status << 8 | state);
    }
}

// Nothing leaves, whatever comes; without messages nothing is evaluated.
void still(const char *what)
{
    const uint64_t before = moved;
    steps(4); // what the lookup holds is performed, its answers wait
    const uint64_t done = performed;
    const bool sent = sends;
    takes = true;
    steps(300);
    sends = false;
    for (unsigned i = 0; i < 400 && !(dram_answers.empty() && dut->idle_o); i++)
        step(); // channels finish what they have
    steps(20);
    if (moved != before || performed != done)
        fail(what, moved - before, performed - done);
    if (!dut->idle_o)
        fail("held, but it does not rest", 0, 1);
    sends = sent;
}

// What was taken is answered and in DRAM, what came from then on is where it was.
void drained(const char *what)
{
    if (flying.size() != Depth - credits)
        fail(what, flying.size(), Depth - credits);
    if (!dram_answers.empty())
        fail("drained, but DRAM has not answered", dram_answers.size(), 0);
    const uint64_t commands = counter(RowHits) + counter(RowMisses);
    still("moved when drained");
    const uint64_t later = counter(RowHits) + counter(RowMisses);
    if (later != commands)
        fail("drained, but a channel has not", later, commands);
}

void flushed()
{
    if (counter(Dirty))
        fail("flushed: dirty lines", counter(Dirty), 0);
    for (const auto &[addr, h] : history)
        if (dram_line(addr & ~63ull)[addr / 8 % 8] != h.back())
            return fail("flushed, but DRAM has not all: address", addr, h.back());
}

void settle()
{
    sends = false, takes = true;
    for (unsigned i = 0; i < 20000 && !flying.empty(); i++)
        step();
    if (!flying.empty())
        fail("requests without an answer", flying.size(), 0), exit(bench_end("part_l2_control"));
    for (unsigned i = 0; i < 1000 && (owed || !dut->idle_o); i++)
        step(); // writes wait for others, then for a while alone
    steps(20);
    if (credits != Depth || owed || !dut->idle_o)
        fail("at rest: credits", credits, Depth);
    sends = true;
}
} // namespace

int main()
{
    Verilated::randReset(2);
    dut = new Vpart_l2;
    dut->id_i = 0x300 | Slice, dut->obs_en_i = 1, dut->perf_en_i = 0, dut->ctl_cmd_valid_i = 0;
    dut->mem_req_valid_i = dut->mem_rsp_credit_i = dut->dram_rsp_valid_i = 0, dut->rst_ni = 0;
    for (int i = 0; i < 4; i++)
        dut->clk_i = 0, dut->eval(), dut->clk_i = 1, dut->eval();
    dut->rst_ni = 1, dut->clk_i = 0;
    dut->eval();
    for (unsigned round = 0; round < 300; round++) {
        lines = pick(2) ? 64 : Lines;
        skips = pick(2), stores = pick(2);
        takes = pick(3) != 0; // answers wait
        steps(20 + (unsigned)pick(300));
        const bool more = pick(2); // requests come during the operation
        switch (round % 4) {
        case 0:
            tell(CTL_PAUSE, CTL_OK, CTL_STATE_PAUSED);
            still("moved while paused");
            tell(CTL_ENABLE, CTL_ERROR_ON, CTL_STATE_PAUSED);
            if (pick(2)) { // a pause that becomes a drain, a second one of it
                tell(CTL_DRAIN, CTL_OK, CTL_STATE_PAUSED);
                drained("drained from a pause: open requests, places taken");
                tell(CTL_DRAIN | CTL_PAUSE, CTL_OK, CTL_STATE_PAUSED);
            }
            break;
        case 1:
            sends = more, takes = true;
            tell(CTL_DRAIN, CTL_OK, CTL_STATE_PAUSED, false);
            drained("drained: open requests, places taken");
            break;
        case 2:
            sends = more, takes = true;
            tell(CTL_FLUSH, CTL_OK, CTL_STATE_PAUSED);
            flushed();
            drained("flushed: open requests, places taken");
            tell(0, CTL_OK, CTL_STATE_OFF);
            tell(CTL_PAUSE, CTL_ERROR_OFF, CTL_STATE_OFF);
            tell(CTL_ENABLE, CTL_OK, CTL_STATE_RUN);
            settle();
            continue;
        default:
            if (pick(2))
                tell(CTL_PAUSE, CTL_OK, CTL_STATE_PAUSED), steps(50);
            sends = false;
            tell(CTL_DISCARD, CTL_OK, CTL_STATE_PAUSED);
            for (const auto &f : flying)
                gone.insert(f.second.req.user);
            flying.clear();
            if (credits != Depth)
                fail("credits of discarded requests", credits, Depth);
            drained("discarded: open requests, places taken");
            sends = true;
            steps(100);
            tell(CTL_FLUSH, CTL_OK, CTL_STATE_PAUSED); // what was dirty has not been lost
            flushed();
        }
        sends = true;
        tell(CTL_CONTINUE, CTL_OK, CTL_STATE_RUN);
        steps(100);
        tell(CTL_DRAIN, CTL_OK, CTL_STATE_PAUSED, false);
        tell(CTL_CONTINUE, CTL_OK, CTL_STATE_RUN, true); // with maintenance beside it
        settle();
    }
    if (delivered < 30000 || performed < 10000)
        fail("too little traffic", delivered, performed);
    case_done("control messages during traffic", "S1.19, S1.20, S1.21, S1.22");
    return bench_end("part_l2_control");
}
