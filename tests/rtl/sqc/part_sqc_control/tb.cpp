// SPDX-License-Identifier: Apache-2.0
// Control messages to a cache group during fetches, scalar loads, stores and operations without an access of four CUs: what a
// pause holds, what a drain finishes and leaves, what a discard drops, with the answers that still come swallowed (they hold
// what would be noticed), also after later requests with the same entries.
// Not responsible for: traffic as such (../sqc), every signal in every state (tests/rtl/control/control_agent).
// top: part_sqc
// opt: -O0
// args: -Wno-UNUSEDPARAM --x-initial unique
// mutate: f.free != '0 && !hold_take_i) begin => f.free != '0) begin
// mutate: if (!hold_all_i) answer(); => answer();
// mutate: if (hold_all_i) recall(); => ;
// mutate: f.lost[i[3:0]] = (f.wait_x => f.lost[i[3:0]] = 1'b0 && (f.wait_x
// mutate: !(miss_valid_o && miss_entry_o == i[3:0]); => 1'b1;
// mutate: && !f.lost[i[3:0]] ? i[3:0] : owner => ? i[3:0] : owner
// mutate: f.stale = f.lost; => f.stale = '0;
// mutate: for (int unsigned c = 0; c < Cus; c++) q_count[c] = 32'd0; => ;
// mutate: finished_o <= (f.free | f.lost) == '1 && => finished_o <=
// mutate: !began_q && !answer_q => !answer_q
// mutate: (i_miss_valid || k_miss_valid) && !hold_all_i; => (i_miss_valid || k_miss_valid);
// mutate: if (plain_some != '0 && !hold_take_i) begin => if (plain_some != '0) begin
// mutate: if (k_rsp_valid && !hold_all_i) begin => if (k_rsp_valid) begin
// mutate: for (int unsigned c = 0; c < Cus; c++) plain_count[c] = 32'd0; => ;
// mutate: assign finished_o = i_finished && k_finished; => assign finished_o = i_finished;
#include <deque>
#include <map>
#include <vector>

#include "../../mem_bench.h"
#include "Vpart_sqc.h"
#include "tests/rtl/case_done.h"
#include "tests/rtl/control/signals.h"

namespace {
constexpr unsigned Cus = 4, FetchRoom = 200, ScalarRoom = 14, Credits = 128;
constexpr uint64_t Stored = 3000; // page that is stored to
Vpart_sqc *dut;
struct Want {
    uint8_t op, dwords;
    uint64_t va, serial;
    uint32_t data[4];
    std::vector<size_t> first; // loads of the stored page: index of the oldest value that each dword may have
};
struct Reply {
    msg_mem_rsp rsp;
    std::vector<std::pair<uint64_t, size_t>> written; // place, index of its value
    bool lost;
};
std::map<uint64_t, Want> fetches[Cus], scalars[Cus]; // by {wave, epoch}, by tag
std::deque<msg_smem_req> parts[Cus];                 // data and store that follow it
std::vector<Reply> at_memory;
std::map<uint64_t, std::vector<uint32_t>> history; // of the stored page, by address
std::map<uint64_t, size_t> known;                  // index of the last store to it that was answered or whose answer was swallowed
unsigned owed, evts;
bool skips = false, sends = true, answers = true, credits_back = true;
uint64_t pages = 60, serial, moved, delivered, swallowed;
msg_ctl_evt last_evt;

uint64_t place(uint64_t va) { return (uint64_t)1 << 48 | ((va >> 12) + 100000) << 12 | (va & 0xfff); }
uint32_t word_at(uint64_t pa) { return (uint32_t)(pa * 2654435761u >> 7) ^ (uint32_t)pa; }
bool is_stored(uint64_t pa) { return (pa & 0xfffffffff000) >> 12 == Stored + 100000; }
std::vector<uint32_t> &values(uint64_t pa)
{
    auto &h = history[pa & ~3ull];
    if (h.empty())
        h.push_back(word_at(pa & ~3ull));
    return h;
}
size_t open_count()
{
    size_t n = 0;
    for (unsigned c = 0; c < Cus; c++)
        n += fetches[c].size() + scalars[c].size();
    return n;
}

void fetch(unsigned c)
{
    msg_ifetch_req r = {};
    r.epoch = (uint8_t)++serial, r.wave = (uint8_t)((serial >> 8) % 40), r.vmid = 1 + pick(2) * 2;
    r.va = pick(pages) << 12 | pick(128) << 5;
    fetches[c][(uint64_t)r.wave << 8 | r.epoch] = {0, 8, r.va, serial, {}, {}};
    put(dut->ifetch_req_i[c], r), dut->ifetch_req_valid_i |= 1 << c;
}

void scalar(unsigned c)
{
    msg_smem_req r = {};
    r.tag = (uint32_t)++serial, r.wave = pick(4) << 4 | pick(10), r.vmid = 1, r.dwords = 1 << pick(5);
    r.op = pick(8) == 0 ? SMEM_MEMTIME : pick(4) == 0 ? SMEM_STORE : SMEM_LOAD;
    r.va = pick(pages) << 12 | pick(1024) << 2;
    Want w = {r.op, r.dwords, r.va, serial, {}, {}};
    if (r.op == SMEM_STORE || pick(4) == 0) {
        w.va = r.va = Stored << 12 | pick(64) << 2;
        w.dwords = r.dwords = 1 << pick(3);
        for (unsigned k = 0; r.op == SMEM_LOAD && k < r.dwords; k++)
            w.first.push_back(known[place(r.va + 4 * k)]);
    }
    for (uint32_t &d : w.data)
        d = (uint32_t)rng();
    scalars[c][r.tag] = w;
    if (r.op == SMEM_STORE) {
        msg_smem_req d = {};
        d.op = SMEM_DATA, d.wave = r.wave, d.va = w.data[0] | (uint64_t)w.data[1] << 32;
        parts[c].push_back(d);
        d.dwords = 1, d.va = w.data[2] | (uint64_t)w.data[3] << 32;
        parts[c].push_back(d);
        parts[c].push_back(r);
        return;
    }
    put(dut->smem_req_i[c], r), dut->smem_req_valid_i |= 1 << c;
}

bool data_right(const Want &w, const uint32_t *data)
{
    for (unsigned i = 0; i < w.dwords; i++) {
        const uint64_t pa = place(w.va + 4 * i);
        bool any = !is_stored(pa) && data[i] == word_at(pa);
        for (size_t k = is_stored(pa) && i < w.first.size() ? w.first[i] : 0; is_stored(pa) && k < values(pa).size(); k++)
            any |= values(pa)[k] == data[i];
        if (!any)
            return false;
    }
    return true;
}

// What memory says to a request; what it performs is done at once.
Reply asked(const msg_mem_req &q)
{
    Reply r = {};
    r.rsp.op = q.op, r.rsp.tag = q.tag;
    if (q.op == MEM_XLAT) {
        r.rsp.data[0] = (place(q.addr) & ~0xfffull) | 0x13 | 8 | 4;
        return r;
    }
    for (unsigned i = 0; i < 16; i++) {
        const uint64_t pa = q.addr + 4 * i;
        if (q.op == MEM_WRITE && (q.mask >> 4 * i & 15)) {
            if (!is_stored(pa))
                fail("store to the wrong place", pa, 0);
            values(pa).push_back((uint32_t)(q.data[i / 2] >> 32 * (i % 2)));
            r.written.push_back({pa, values(pa).size() - 1});
        }
        const uint32_t word = is_stored(pa) ? values(pa).back() : word_at(pa);
        r.rsp.data[i / 2] |= (uint64_t)word << 32 * (i % 2);
    }
    return r;
}

void step(bool control = false)
{
    dut->ifetch_req_valid_i = dut->smem_req_valid_i = dut->mem_rsp_valid_i = dut->mem_req_credit_i = 0;
    dut->ctl_cmd_valid_i = control, dut->cycle_i = cycle;
    std::vector<std::pair<uint64_t, size_t>> now_known;
    for (unsigned c = 0; c < Cus; c++) {
        if (sends && fetches[c].size() < FetchRoom && pick(4) == 0)
            fetch(c);
        if (!parts[c].empty())
            put(dut->smem_req_i[c], parts[c].front()), parts[c].pop_front(), dut->smem_req_valid_i |= 1 << c;
        else if (sends && scalars[c].size() < ScalarRoom && pick(4) == 0)
            scalar(c);
    }
    if (answers && !at_memory.empty() && pick(2)) {
        const size_t k = pick(at_memory.size());
        const Reply r = at_memory[k];
        at_memory.erase(at_memory.begin() + (long)k);
        put(dut->mem_rsp_i, r.rsp), dut->mem_rsp_valid_i = 1;
        now_known = r.written, swallowed += r.lost;
    }
    if (credits_back && owed && pick(2))
        owed--, dut->mem_req_credit_i = 1;
    dut->eval();
    const bool rests = dut->idle_o && !control && !dut->ifetch_req_valid_i && !dut->smem_req_valid_i && !dut->mem_rsp_valid_i && !dut->mem_req_credit_i;
    if (rests && skips) { // as the machine does
        cycle++;
        return;
    }
    dut->clk_i = 1, dut->eval(), dut->clk_i = 0, dut->eval();
    cycle++;
    for (auto &[pa, at] : now_known) // what it has taken a later load sees
        known[pa] = std::max(known[pa], at);
    const unsigned outs = dut->mem_req_valid_o + (dut->ifetch_rsp_valid_o != 0) + (dut->smem_rsp_valid_o != 0);
    moved += outs;
    if (rests && (outs || dut->ctl_evt_valid_o))
        fail("rests, but something moved", outs, 0);
    if (dut->ctl_evt_valid_o)
        evts++, last_evt = get<msg_ctl_evt>(dut->ctl_evt_o);
    if (dut->mem_req_valid_o)
        at_memory.push_back(asked(get<msg_mem_req>(dut->mem_req_o))), owed++;
    for (unsigned c = 0; c < Cus; c++) {
        if (dut->ifetch_rsp_valid_o >> c & 1) {
            const auto a = get<msg_ifetch_rsp>(dut->ifetch_rsp_o[c]);
            const auto it = fetches[c].find((uint64_t)a.wave << 8 | a.epoch);
            if (it == fetches[c].end())
                fail("instructions for nobody", a.epoch, a.wave);
            else if (a.status || !data_right(it->second, (const uint32_t *)a.data))
                fail("instructions", a.status, it->second.va);
            if (it != fetches[c].end())
                fetches[c].erase(it), delivered++;
        }
        if (dut->smem_rsp_valid_o >> c & 1) {
            const auto a = get<msg_smem_rsp>(dut->smem_rsp_o[c]);
            const auto it = scalars[c].find(a.tag);
            if (it == scalars[c].end() || it->second.op != a.op)
                fail("an answer for nobody", a.tag, a.op);
            else if (a.status || (a.op == SMEM_LOAD && !data_right(it->second, (const uint32_t *)a.data)))
                fail("scalars", a.status, it->second.va);
            if (it != scalars[c].end())
                scalars[c].erase(it), delivered++;
        }
    }
}

bool any_part()
{
    for (auto &p : parts)
        if (!p.empty())
            return true;
    return false;
}

void steps(unsigned n)
{
    while (n--)
        step();
}

void tell(uint8_t signals, unsigned status, unsigned state)
{
    auto send = [](const msg_ctl_cmd &c) { put(dut->ctl_cmd_i, c), step(true); };
    if (!signals_told(signals, (uint16_t)pick(65536), status, state, 5000, evts, last_evt, send, [] { step(); }))
        fail("signals not answered so", evts << 16 | last_evt.status << 8 | last_evt.state, status << 8 | state), exit(1);
}

// Nothing leaves, whatever comes; messages are answered; without messages nothing is evaluated.
void still(const char *what)
{
    const uint64_t before = moved;
    const bool sent = sends;
    steps(150);
    tell(CTL_ENABLE, CTL_ERROR_ON, CTL_STATE_PAUSED);
    sends = false;
    for (unsigned i = 0; i < 600 && answers && !(at_memory.empty() && owed == 0); i++)
        step();
    steps(20);
    if (moved != before)
        fail(what, moved - before, 0);
    if (answers && credits_back && !dut->idle_o)
        fail("held, but it does not rest", 0, 1);
    sends = sent;
}

void settle()
{
    sends = false, answers = credits_back = true;
    for (unsigned i = 0; i < 20000 && open_count(); i++)
        step();
    if (open_count())
        fail("requests without an answer", open_count(), 0), exit(1);
    steps(600);
    if (!at_memory.empty() || owed || !dut->idle_o)
        fail("at rest: answers, credits", at_memory.size(), owed);
    sends = true;
}

// What was dropped: nobody waits for it, and what memory still says about it would be noticed.
void forget_all()
{
    for (unsigned c = 0; c < Cus; c++)
        fetches[c].clear(), scalars[c].clear(), parts[c].clear();
    for (Reply &r : at_memory) {
        if (r.lost)
            continue;
        r.lost = true;
        r.rsp.status = pick(2) ? MEM_FAULT_NOT_PRESENT : MEM_OK;
        for (uint64_t &d : r.rsp.data)
            d = r.rsp.op == MEM_XLAT ? (place(pick(60) << 12) & ~0xfffull) | 0x13 | 8 | 4 : rng();
    }
}

// Invalidates everything: maintenance by the same port.
void empty()
{
    msg_ctl_cmd c = {};
    c.op = CTL_INV, c.vmid = 255, c.flags = CACHE_INV_L1I | CACHE_INV_L1K | CACHE_INV_TLB, c.id = (uint16_t)pick(65536);
    put(dut->ctl_cmd_i, c);
    const bool waited = answers;
    answers = credits_back = true;
    evts = 0;
    step(true);
    for (unsigned i = 0; i < 5000 && !evts; i++)
        step();
    if (evts != 1 || last_evt.op != CTL_INV || last_evt.id != c.id || last_evt.status != CTL_OK)
        fail("maintenance not answered so", last_evt.op, CTL_INV);
    step();
    answers = waited;
}

// A drain that finishes what was taken and leaves what comes from then on where it is.
void drain(uint8_t signals)
{
    const uint64_t before = serial;
    answers = credits_back = true;
    sends = pick(2);
    tell(signals, CTL_OK, CTL_STATE_PAUSED);
    sends = true;
    if (!at_memory.empty())
        fail("drained, but memory has not answered", at_memory.size(), 0);
    uint64_t later = 0;
    for (unsigned c = 0; c < Cus; c++) {
        for (auto &f : fetches[c])
            later += f.second.serial > before;
        for (auto &s : scalars[c])
            later += s.second.serial > before;
    }
    if (later != serial - before)
        fail("taken during a drain: what came, what waits of it", serial - before, later);
}
} // namespace

int main()
{
    Verilated::randReset(2);
    dut = new Vpart_sqc;
    dut->id_i = 5, dut->perf_en_i = 0, dut->ctl_cmd_valid_i = 0;
    dut->ifetch_req_valid_i = dut->smem_req_valid_i = dut->mem_rsp_valid_i = dut->mem_req_credit_i = 0;
    dut->rst_ni = 0;
    for (int i = 0; i < 4; i++)
        dut->clk_i = 0, dut->eval(), dut->clk_i = 1, dut->eval();
    dut->rst_ni = 1, dut->clk_i = 0;
    dut->eval();
    for (unsigned round = 0; round < 240; round++) {
        skips = pick(2);
        answers = pick(3) != 0;
        pages = pick(2) ? 60 : 2; // many wait for the same
        empty();
        credits_back = pick(3) != 0; // requests to memory wait, and then stand
        answers |= !credits_back;
        steps(credits_back ? 20 + (unsigned)pick(300) : 800);
        switch (round % 4) {
        case 0:
            tell(CTL_PAUSE, CTL_OK, CTL_STATE_PAUSED);
            if (pick(2))
                answers = credits_back = true;
            still("moved while paused");
            if (pick(2))
                drain(CTL_DRAIN);
            break;
        case 1:
            drain(CTL_DRAIN);
            still("moved when drained");
            break;
        case 2:
            drain(CTL_FLUSH | CTL_PAUSE);
            tell(0, CTL_OK, CTL_STATE_OFF);
            tell(CTL_PAUSE, CTL_ERROR_OFF, CTL_STATE_OFF);
            tell(CTL_ENABLE, CTL_OK, CTL_STATE_RUN);
            settle();
            continue;
        default: // answers to what was discarded are still to come, and come among those to new requests with the same entries
            if (pick(2))
                tell(CTL_PAUSE, CTL_OK, CTL_STATE_PAUSED), steps(60);
            for (sends = false; any_part();)
                step();
            tell(CTL_DISCARD, CTL_OK, CTL_STATE_PAUSED);
            forget_all();
            answers = pick(2), sends = true;
            steps(700); // as many come as have room
            sends = false;
            if (pick(4) == 0) { // it has finished all that was not dropped
                tell(0, CTL_OK, CTL_STATE_OFF);
                tell(CTL_ENABLE, CTL_OK, CTL_STATE_RUN);
                settle();
                continue;
            }
            answers = pick(2), sends = true;
        }
        tell(CTL_CONTINUE, CTL_OK, CTL_STATE_RUN);
        steps(100);
        settle();
    }
    if (delivered < 20000 || swallowed < 200)
        fail("too little traffic", delivered, swallowed);
    case_done("control messages during traffic", "S1.19, S1.20, S1.21, S1.22");
    return bench_end("part_sqc_control");
}
