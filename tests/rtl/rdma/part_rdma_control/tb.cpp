// SPDX-License-Identifier: Apache-2.0
// Control messages to the RDMA engine during traffic of a CU to the host and GPU 0 and of GPU 0 to own slices: what a pause holds, what a
// drain finishes and leaves, what a discard drops, with the answers that still come swallowed, also after later requests with the same tags.
// Not responsible for: traffic as such (../rdma), every signal in every state (tests/rtl/control/control_agent).
// top: part_rdma
// opt: -O0
// constants: shape_far
// args: -Wno-UNUSEDPARAM --x-initial unique
// mutate: far_req_room[out_port] && !hold_take_i && => far_req_room[out_port] &&
// mutate: mem_rsp_room && !lost && !hold_all_i; => mem_rsp_room && !lost;
// mutate: back_head[back_pick].gpu[7:6] != epoch_q && => 1'b0 &&
// mutate: ones = ones + Cw'(bits[p]); => ones = Cw'(bits != '0);
// mutate: old_q      <= busy_q; => old_q <= '0;
// mutate: out_go || lost_go || (dropping_q && out_valid); => out_go || lost_go;
// mutate: drained_o = sent_q == '0 && => drained_o =
// mutate: (epoch_q != 2'd0 || sent_old_q == '0) => 1'b1
// mutate: (epoch_q != 2'd0 || sent_old_q == '0) => sent_old_q == '0
#include <deque>
#include <map>
#include <set>

#include "../../mem_bench.h"
#include "Vpart_rdma.h"
#include "tests/rtl/case_done.h"
#include "tests/rtl/control/signals.h"

namespace {
#ifdef REQUESTER // ../part_rdma_requester
constexpr bool Cached = true;
#else
constexpr bool Cached = false;
#endif
#ifdef DEEP // ../part_rdma_control_deep
constexpr unsigned FarDepth = 192, HostDepth = 96; // of GPU 0, of the host
#else
constexpr unsigned FarDepth = 16, HostDepth = 16;
#endif
constexpr unsigned Own = 1, NocIn = 64;
Vpart_rdma *dut;
std::deque<msg_mem_req> at_far[2], at_slice; // at their owners: the host and GPU 0, a slice
std::map<uint32_t, uint64_t> out_open, in_open; // by tag: serial of the request
std::set<uint64_t> went;                        // serials of those that a far owner has seen and whose answer has not come out
unsigned out_room = NocIn, in_room = FarDepth, evts;
unsigned far_credit[2], rsp_credit, req_credit, far_rsp_credit; // to give back
bool answers = true, sends = true, far_takes = true; // takes: gives credits back
uint64_t serial, moved, delivered;
msg_ctl_evt last_evt;

msg_mem_req request(uint64_t owner, uint8_t tag)
{
    msg_mem_req r = {};
    r.op = MEM_READ, r.tag = tag, r.addr = owner << 48 | pick(1 << 20) << 6, r.data[0] = ++serial;
    return r;
}
msg_mem_rsp answer(const msg_mem_req &q)
{
    msg_mem_rsp a = {};
    a.op = q.op, a.source = q.source, a.gpu = q.gpu, a.tag = q.tag, a.data[0] = q.data[0];
    return a;
}

void step(bool control = false)
{
    dut->mem_req_valid_i = dut->mem_rsp_valid_i = dut->mem_rsp_credit_i = dut->mem_req_credit_i = 0;
    dut->far_req_valid_i = dut->far_rsp_valid_i = dut->far_req_credit_i = dut->far_rsp_credit_i = 0;
    dut->ctl_cmd_valid_i = control, dut->move_evt_credit_i = 0;
    if (sends && out_room && out_open.size() < 200 && pick(2)) {
        uint8_t tag;
        do
            tag = (uint8_t)pick(256);
        while (out_open.count(tag));
        const msg_mem_req r = request(Cached ? 0 : pick(2), tag);
        out_open[tag] = r.data[0], out_room--;
        put(dut->mem_req_i, r), dut->mem_req_valid_i = 1;
    }
    if (sends && in_room && in_open.size() < 200 && pick(2)) {
        uint8_t tag;
        do
            tag = (uint8_t)pick(256);
        while (in_open.count(tag));
        msg_mem_req r = request(Own + 1, tag);
        r.gpu = 0;
        in_open[tag] = r.data[0], in_room--;
        put(dut->far_req_i[1], r), dut->far_req_valid_i |= 2;
    }
    auto one = [](std::deque<msg_mem_req> &at) { // in any order
        const size_t k = pick(at.size());
        const msg_mem_req q = at[k];
        at.erase(at.begin() + (long)k);
        return answer(q);
    };
    for (unsigned p = 0; p < 2; p++)
        if (answers && !at_far[p].empty() && pick(3) == 0 && far_credit[p] < (p ? FarDepth : HostDepth))
            put(dut->far_rsp_i[p], one(at_far[p])), dut->far_rsp_valid_i |= 1 << p, far_credit[p]++;
    if (answers && !at_slice.empty() && pick(3) == 0)
        put(dut->mem_rsp_i, one(at_slice)), dut->mem_rsp_valid_i = 1;
    if (rsp_credit && pick(2))
        rsp_credit--, dut->mem_rsp_credit_i = 1;
    if (req_credit && pick(2))
        req_credit--, dut->mem_req_credit_i = 1;
    if (far_rsp_credit && pick(2))
        far_rsp_credit--, dut->far_rsp_credit_i = 2;
    static unsigned far_req[2];
    for (unsigned p = 0; p < 2; p++)
        if (far_takes && far_req[p] && pick(2))
            far_req[p]--, dut->far_req_credit_i |= 1 << p;
    const bool rests = dut->idle_o && !control && !dut->mem_req_valid_i && !dut->far_req_valid_i && !dut->far_rsp_valid_i && !dut->mem_rsp_valid_i &&
                       !dut->mem_rsp_credit_i && !dut->mem_req_credit_i && !dut->far_rsp_credit_i && !dut->far_req_credit_i;
    dut->clk_i = 1, dut->eval(), dut->clk_i = 0, dut->eval();
    cycle++;
    const unsigned outs = dut->mem_req_valid_o + dut->mem_rsp_valid_o + (dut->far_req_valid_o != 0) + (dut->far_rsp_valid_o != 0);
    moved += outs;
    if (rests && (outs || dut->mem_req_credit_o || dut->far_req_credit_o || dut->far_rsp_credit_o))
        fail("rests, but something moved", outs, 0);
    if (dut->ctl_evt_valid_o)
        evts++, last_evt = get<msg_ctl_evt>(dut->ctl_evt_o);
    out_room += dut->mem_req_credit_o, in_room += dut->far_req_credit_o >> 1 & 1;
    for (unsigned p = 0; p < 2; p++) {
        far_credit[p] -= dut->far_rsp_credit_o >> p & 1;
        if (dut->far_req_valid_o >> p & 1)
            at_far[p].push_back(get<msg_mem_req>(dut->far_req_o[p])), far_req[p]++, went.insert(at_far[p].back().data[0]);
    }
    if (dut->mem_req_valid_o)
        at_slice.push_back(get<msg_mem_req>(dut->mem_req_o)), req_credit++;
    auto arrive = [](std::map<uint32_t, uint64_t> &open, const msg_mem_rsp &a, unsigned gpu) {
        auto it = open.find(a.tag);
        if (it == open.end() || it->second != a.data[0] || a.gpu != gpu)
            return fail("an answer to nothing, or to another request", a.data[0], it == open.end() ? 0 : it->second);
        went.erase(it->second), open.erase(it), delivered++;
    };
    if (dut->mem_rsp_valid_o)
        arrive(out_open, get<msg_mem_rsp>(dut->mem_rsp_o), Own), rsp_credit++;
    if (dut->far_rsp_valid_o)
        arrive(in_open, get<msg_mem_rsp>(dut->far_rsp_o[1]), 0), far_rsp_credit++;
}

void tell(uint8_t signals, unsigned status, unsigned state)
{
    auto send = [](const msg_ctl_cmd &c) { put(dut->ctl_cmd_i, c), step(true); };
    if (!signals_told(signals, (uint16_t)pick(65536), status, state, 3000, evts, last_evt, send, [] { step(); }))
        fail("signals not answered so", evts << 16 | last_evt.status << 8 | last_evt.state, status << 8 | state);
}

void steps(unsigned n)
{
    while (n--)
        step();
}

void still(const char *what)
{
    const uint64_t before = moved;
    steps(200);
    if (moved != before)
        fail(what, moved - before, 0);
}

void settle()
{
    sends = false, answers = true;
    for (unsigned i = 0; i < 5000 && !(out_open.empty() && in_open.empty()); i++)
        step();
    if (!out_open.empty() || !in_open.empty())
        fail("requests without an answer", out_open.size(), in_open.size());
    steps(100);
    if (out_room != NocIn || in_room != FarDepth || !dut->idle_o)
        fail("credits at rest", out_room, in_room);
    sends = true;
}

// Answers from afar stay away over discard after discard: three are answered all the same, the fourth, whose epoch begins again, not before those of its
// last time have come; so they reach nobody, also where a later request has their tag.
void epochs(unsigned discards)
{
    for (unsigned n = 0; n < 9; n++) {
        sends = true, answers = false, far_takes = true;
        steps(120);
        if (at_far[0].size() + at_far[1].size() == 0)
            fail("nothing is under way at the far owners", 0, 1);
        sends = false;
        msg_ctl_cmd c = {};
        c.op = CTL_SIGNAL, c.signals = CTL_DISCARD, c.id = (uint16_t)(0x100 + n);
        evts = 0, put(dut->ctl_cmd_i, c), step(true), steps(400);
        const bool again = ++discards % 4 == 0;
        if (evts != !again)
            fail(again ? "an epoch began again before its old answers had come" : "a discard waits for answers", evts, !again);
        answers = again;
        for (unsigned i = 0; i < 3000 && !evts; i++)
            step();
        if (evts != 1 || last_evt.id != c.id || last_evt.status != CTL_OK || last_evt.state != CTL_STATE_PAUSED)
            fail("a discard is not answered so", evts << 16 | last_evt.status << 8 | last_evt.state, last_evt.id);
        out_open.clear(), in_open.clear(), went.clear();
        tell(CTL_CONTINUE, CTL_OK, CTL_STATE_RUN);
    }
    sends = false, answers = true;
    steps(3000); // the old answers come
    settle();
    case_done("epochs of discards come again", "S1.22");
}
} // namespace

int main()
{
    Verilated::randReset(2);
    dut = new Vpart_rdma;
    dut->id_i = Own << 8;
    dut->rst_ni = 0, dut->ctl_cmd_valid_i = dut->move_evt_credit_i = 0;
    sends = false;
    for (int i = 0; i < 4; i++)
        dut->clk_i = 0, dut->eval(), dut->clk_i = 1, dut->eval();
    dut->rst_ni = 1, dut->clk_i = 0;
    dut->mem_req_valid_i = dut->mem_rsp_valid_i = 0;
    dut->eval();
    moved = evts = 0;
    sends = true;
    for (unsigned round = 0; round < 80; round++) {
        answers = round % 3 != 0;
        far_takes = round % 4 != 3; // requests stand in the queue when they are discarded
        steps(20 + (unsigned)pick(150));
        switch (round % 4) {
        case 0:
            tell(CTL_PAUSE, CTL_OK, CTL_STATE_PAUSED);
            answers = true;
            still("moved while paused");
            break;
        case 1:
            answers = true;
            tell(CTL_DRAIN, CTL_OK, CTL_STATE_PAUSED);
            if (!at_far[0].empty() || !at_far[1].empty() || !at_slice.empty() || !went.empty() || in_open.size() != FarDepth - in_room ||
                (Cached ? out_open.size() < NocIn - out_room : out_open.size() != NocIn - out_room)) // the cache hands on to the engine's queue
                fail("drained: what is open, places taken", out_open.size() + in_open.size(), NocIn - out_room + FarDepth - in_room);
            still("moved when drained");
            break;
        case 2:
            answers = true;
            tell(CTL_FLUSH | CTL_PAUSE, CTL_OK, CTL_STATE_PAUSED);
            tell(0, CTL_OK, CTL_STATE_OFF);
            still("moved when off");
            tell(CTL_PAUSE, CTL_ERROR_OFF, CTL_STATE_OFF);
            tell(CTL_ENABLE, CTL_OK, CTL_STATE_RUN);
            settle();
            continue;
        default: // answers to what was discarded are still to come, and come among those to new requests with the same tags
            sends = false, answers = true; // an epoch begins again when nothing of its last time is under way
            tell(CTL_DISCARD, CTL_OK, CTL_STATE_PAUSED);
            far_takes = true;
            out_open.clear(), in_open.clear(), went.clear();
            still("moved when discarded");
            if (out_room != NocIn || in_room != FarDepth)
                fail("credits of discarded requests", out_room, in_room);
            sends = true;
        }
        tell(CTL_CONTINUE, CTL_OK, CTL_STATE_RUN);
        answers = round % 2;
        steps(100);
        settle();
    }
    if (delivered < 2000)
        fail("too little traffic", delivered, 2000);
    case_done("control messages during traffic", "S1.19, S1.20, S1.21, S1.22");
    epochs(20); // of the rounds
    return bench_end("part_rdma_control");
}
