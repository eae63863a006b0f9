// SPDX-License-Identifier: Apache-2.0
// Bench of part_noc: random requests and answers on all ports against queues in C++: nothing lost, doubled, altered
// or misrouted, order kept between each pair of ports, credits exact, every initiator served (fairness), idle exact.
// Responsible for both directions.  Not responsible for: what targets do: they answer what they were asked, in any order.  The argument `speed` prints ns a cycle.
// top: part_noc
// opt: -O0
// args: -Wno-UNUSEDPARAM -GDepth=16 -GTargetDepth=16 --x-initial unique
// mutant: -GSeedFault=2'd1
// mutant: -GSeedFault=2'd2
// mutate: req_idle && rsp_idle => req_idle || rsp_idle
// mutate: waiting[g*8+:8] != 8'd0 && !hold_i) => waiting[g*8+:8] != 8'd0)
// mutate: dropping = dropping || count[q] != 32'd0; => dropping = dropping || count[q] > 32'd1;
#include <deque>
#include <map>
#include <vector>

#include "tests/rtl/case_done.h"
#include "../../mem_bench.h"
#include "Vpart_noc.h"

static const unsigned In = 82, Out = 18, Depth = 16;
static Vpart_noc *dut;
static std::deque<msg_mem_req> queue_req[In][Out];
static std::deque<msg_mem_rsp> queue_rsp[Out][In];
static unsigned req_credit[In], rsp_credit[Out], out_room[Out];
static std::vector<uint8_t> asked[Out]; // sources of the requests that a target has not answered
static uint64_t sent, received, served[In];
static uint32_t serial;
static unsigned evts;
static msg_ctl_evt last_evt;

static void legal_atomic(msg_mem_req &m)
{
    m.size = rng() % 2 ? 4 : 8, m.atomic = rng() % 13;
    uint64_t bytes = m.size == 8 ? 0xff : 0xf, mask = 0;
    for (unsigned i = 0; i < 64; i += m.size)
        mask |= m.mask >> i & 1 ? bytes << i : 0;
    m.mask = m.atomic == ATOMIC_CMPSWAP || rng() % 2 ? 0 : mask;
    m.addr &= m.mask ? ~63ull : ~uint64_t(m.size - 1);
}

// What no message may be without, whatever else it holds (rtl/common/stream_rules_pkg.sv).
static void make_legal(msg_mem_req &m)
{
    m.op = (uint8_t)pick(5);
    if (m.op == MEM_ATOMIC)
        legal_atomic(m);
    else if (m.op == MEM_XLAT)
        m.access = (uint8_t)(1 + pick(7));
    else
        m.addr &= ~63ull;
}
static void make_legal(msg_mem_rsp &m) { m.op = (uint8_t)pick(5), m.status = (uint8_t)pick(5); }

template <class M> static M random_message()
{
    M m;
    uint64_t *words = (uint64_t *)&m;
    for (unsigned i = 0; i < sizeof m / 8; i++)
        words[i] = rng();
    make_legal(m);
    m.tag = serial++;
    return m;
}

static unsigned check_outputs() // credits that came back
{
    unsigned credits = 0;
    for (unsigned t = 0; t < Out; t++) {
        if (bit(dut->mem_req_valid_o, t)) {
            msg_mem_req got = get<msg_mem_req>(dut->mem_req_o[t]);
            received++;
            if (got.source >= In || queue_req[got.source][t].empty()) {
                fail("request from nowhere, source", got.source, t);
                continue;
            }
            msg_mem_req want = queue_req[got.source][t].front();
            queue_req[got.source][t].pop_front();
            served[got.source]++;
            asked[t].push_back(got.source);
            if (memcmp(&got, &want, sizeof got))
                fail("request altered, tag", got.tag, want.tag);
            if (out_room[t] == 0)
                fail("request without credit to target", t, 0);
            else
                out_room[t]--;
        }
        if (bit(dut->mem_rsp_credit_o, t))
            rsp_credit[t]++, credits++;
    }
    for (unsigned i = 0; i < In; i++) {
        if (bit(dut->mem_rsp_valid_o, i)) {
            msg_mem_rsp got = get<msg_mem_rsp>(dut->mem_rsp_o[i]);
            received++;
            bool found = false;
            for (unsigned t = 0; t < Out && !found; t++) {
                if (!queue_rsp[t][i].empty() && !memcmp(&queue_rsp[t][i].front(), &got, sizeof got)) {
                    queue_rsp[t][i].pop_front();
                    found = true;
                }
            }
            if (!found)
                fail("answer unknown or out of order, tag", got.tag, i);
        }
        if (bit(dut->mem_req_credit_o, i))
            req_credit[i]++, credits++;
    }
    return credits;
}

// One clock; `load`: chance of a message on each port in 256ths, `drain`: chance of a credit from a target.
static void clock_once(unsigned load, unsigned drain, unsigned hot)
{
    clear(dut->mem_req_valid_i);
    clear(dut->mem_rsp_valid_i);
    clear(dut->mem_req_credit_i);
    bool rests = dut->idle_o && !dut->ctl_cmd_valid_i; // without an input nothing may happen
    for (unsigned i = 0; i < In; i++) {
        if (req_credit[i] && pick(256) < load) {
            rests = false;
            msg_mem_req m = random_message<msg_mem_req>();
            m.target = (uint8_t)(pick(100) < hot ? 3 : pick(Out));
            set_bit(dut->mem_req_valid_i, i);
            put(dut->mem_req_i[i], m);
            m.source = (uint8_t)i;
            queue_req[i][m.target].push_back(m);
            req_credit[i]--;
            sent++;
        }
    }
    for (unsigned t = 0; t < Out; t++) {
        if (rsp_credit[t] && !asked[t].empty() && pick(256) < load) {
            rests = false;
            msg_mem_rsp m = random_message<msg_mem_rsp>();
            std::swap(asked[t][pick(asked[t].size())], asked[t].back());
            m.source = asked[t].back();
            asked[t].pop_back();
            set_bit(dut->mem_rsp_valid_i, t);
            put(dut->mem_rsp_i[t], m);
            queue_rsp[t][m.source].push_back(m);
            rsp_credit[t]--;
            sent++;
        }
        if (out_room[t] < Depth && pick(256) < drain) {
            rests = false;
            set_bit(dut->mem_req_credit_i, t);
            out_room[t]++;
        }
    }
    dut->clk_i = 1;
    dut->eval();
    dut->clk_i = 0;
    dut->eval();
    cycle++;
    dut->ctl_cmd_valid_i = 0;
    if (dut->ctl_evt_valid_o)
        evts++, last_evt = get<msg_ctl_evt>(dut->ctl_evt_o);
    uint64_t before = received;
    unsigned credits = check_outputs();
    if (rests && (received != before || credits || !dut->idle_o))
        fail("idle, but something moved", received - before, credits);
}

static void run(const char *name, unsigned cycles, unsigned load, unsigned drain, unsigned hot)
{
    uint64_t before = received;
    for (unsigned i = 0; i < cycles; i++)
        clock_once(load, drain, hot);
    printf("%s: %.2f messages a cycle\n", name, double(received - before) / cycles);
    for (unsigned i = 0; i < 3000 && sent != received; i++)
        clock_once(0, 256, 0);
    if (sent != received)
        fail("messages lost", received, sent);
    for (unsigned i = 0; i < 3; i++)
        clock_once(0, 256, 0);
    if (!dut->idle_o)
        fail("not idle when empty", 0, 1);
    for (unsigned i = 0; i < In; i++)
        if (req_credit[i] != Depth)
            fail("credits of an initiator", req_credit[i], Depth);
}

static void tell(uint8_t signals, unsigned status, unsigned state)
{
    msg_ctl_cmd c = {};
    c.op = CTL_SIGNAL, c.signals = signals, c.id = (uint16_t)pick(65536);
    put(dut->ctl_cmd_i, c);
    dut->ctl_cmd_valid_i = 1;
    evts = 0;
    for (unsigned i = 0; i < 1000 && evts == 0; i++)
        clock_once(0, 256, 0);
    const msg_ctl_evt want = {CTL_SIGNAL, (uint8_t)status, (uint8_t)state, 0, c.id, 0};
    if (evts != 1 || memcmp(&last_evt, &want, sizeof want))
        fail("signals not answered so", evts << 16 | last_evt.status << 8 | last_evt.state, status << 8 | state);
}

// Traffic held and going on; what is discarded is gone and has given its credits back.
static void control()
{
    for (unsigned round = 0; round < 12; round++) {
        for (unsigned i = 0; i < 50; i++)
            clock_once(100, 60, 0);
        const uint8_t signals[] = {CTL_PAUSE, CTL_DRAIN, CTL_FLUSH, CTL_DISCARD};
        tell(signals[round % 4], CTL_OK, CTL_STATE_PAUSED);
        const uint64_t before = received;
        for (unsigned i = 0; i < 200; i++)
            clock_once(round % 4 == 3 ? 0 : 60, 60, 0); // up to the credits
        if (received != before)
            fail("moved while held", received - before, 0);
        if (round % 4 != 3 && !dut->idle_o)
            fail("does not rest while held", 0, 1);
        if (round % 4 == 3) {
            for (auto &row : queue_req)
                for (auto &q : row)
                    q.clear();
            for (auto &row : queue_rsp)
                for (auto &q : row)
                    q.clear();
            for (unsigned i = 0; i < In; i++)
                if (req_credit[i] != Depth)
                    fail("credits of discarded requests", req_credit[i], Depth);
            for (unsigned t = 0; t < Out; t++)
                if (rsp_credit[t] != Depth)
                    fail("credits of discarded answers", rsp_credit[t], Depth);
            sent = received;
        }
        tell(CTL_CONTINUE, CTL_OK, CTL_STATE_RUN);
        run("after a hold", 200, 100, 256, 0);
    }
}

static void speed(unsigned load)
{
    const unsigned cycles = 50000;
    uint64_t before = received;
    Stopwatch w;
    for (unsigned i = 0; i < cycles; i++) {
        clear(dut->mem_req_valid_i);
        for (unsigned k = 0; k < load; k++) {
            unsigned port = (unsigned)((i * 7 + k * 5) % In);
            set_bit(dut->mem_req_valid_i, port);
            reinterpret_cast<msg_mem_req *>(&dut->mem_req_i[port])->target = (uint8_t)((i + k) % Out);
        }
        memcpy((void *)&dut->mem_req_credit_i, (const void *)&dut->mem_req_valid_o, sizeof dut->mem_req_credit_i);
        received += (uint64_t)__builtin_popcount(dut->mem_req_valid_o);
        dut->clk_i = 1;
        dut->eval();
        dut->clk_i = 0;
        dut->eval();
    }
    printf("speed: %u requests a cycle offered, %.2f moved: %.0f ns a cycle\n", load, double(received - before) / cycles, w.ns() / cycles);
}

int main(int argc, char **argv)
{
    Verilated::randReset(2); // what reset leaves alone holds anything
    dut = new Vpart_noc;
    dut->rst_ni = 0;
    dut->ctl_cmd_valid_i = 0;
    for (int i = 0; i < 4; i++) {
        dut->clk_i = i & 1;
        dut->eval();
    }
    dut->rst_ni = 1;
    dut->clk_i = 0;
    dut->eval();
    for (unsigned i = 0; i < In; i++)
        req_credit[i] = Depth;
    for (unsigned t = 0; t < Out; t++)
        rsp_credit[t] = out_room[t] = Depth;
    if (argc > 1 && !strcmp(argv[1], "speed")) {
        for (unsigned load : {0u, 1u, 4u, 12u})
            speed(load);
        return 0;
    }
    run("light", 2000, 8, 256, 0);
    run("heavy", 3000, 200, 256, 0);
    run("slow targets", 3000, 100, 40, 0);
    case_done("traffic");
    uint64_t before[In];
    memcpy(before, served, sizeof served);
    run("one hot target", 4000, 256, 256, 100);
    uint64_t low = ~0ull, high = 0;
    for (unsigned i = 0; i < In; i++) {
        low = std::min(low, served[i] - before[i]);
        high = std::max(high, served[i] - before[i]);
    }
    printf("fairness: %llu to %llu\n", (unsigned long long)low, (unsigned long long)high);
    if (low + 20 < high)
        fail("unfair: fewest requests of an initiator", low, high);
    case_done("fairness at one hot target");
    control();
    case_done("control messages during traffic", "S1.19, S1.20, S1.22");
    return bench_end("part_noc");
}
