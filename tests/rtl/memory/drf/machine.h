// SPDX-License-Identifier: Apache-2.0
// The memory path and what lies between its parts: links with random delays that keep their order, credits that come back late,
// contents of DRAM and of far memory.  One call of tick() a cycle.  Not responsible for: who asks for what (agents), what is right.
#ifndef TESTS_DRF_MACHINE_H
#define TESTS_DRF_MACHINE_H
#include <deque>
#include <functional>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "Vdrf_top.h"
#include "gantry_msg.h"
#include "params.h"

template <class Ref> constexpr unsigned count_of(unsigned element) { return sizeof(std::remove_reference_t<Ref>) / element; }
enum : unsigned {
    Cus = count_of<decltype(Vdrf_top::issue_i)>(sizeof(VlWide<17>)),
    SqcCus = count_of<decltype(std::declval<Vdrf_top>().fetch_i[0])>(sizeof(msg_ifetch_req)),
    Sqcs = count_of<decltype(Vdrf_top::fetch_i)>(sizeof(msg_ifetch_req)) / SqcCus,
    Slices = count_of<decltype(Vdrf_top::dram_req_o)>(sizeof(msg_dram_req)),
    FarPorts = count_of<decltype(Vdrf_top::far_req_o)>(sizeof(msg_mem_req)),
    Initiators = Cus + Sqcs + 2,
    Targets = Slices + 2,
    Blocks = Sqcs + Slices + 1,
    FarDepth = 16, // credits of the far channels: latency 100, 3 bytes a cycle (shapes)
};
static Vdrf_top *dut;

template <class Bits> static inline bool bit(const Bits &b, unsigned i) { return reinterpret_cast<const uint8_t *>(&b)[i / 8] >> (i % 8) & 1; }
template <class Bits> static inline void set_bit(Bits &b, unsigned i) { reinterpret_cast<uint8_t *>(&b)[i / 8] |= (uint8_t)(1u << (i % 8)); }
template <class Msg, class Port> static inline void put(Port &port, const Msg &m)
{
    static_assert(sizeof(Port) == sizeof(Msg), "message size");
    memcpy((void *)&port, &m, sizeof m);
}
template <class Msg, class Port> static inline void get(Msg &m, const Port &port)
{
    static_assert(sizeof(Port) == sizeof(Msg), "message size");
    memcpy(&m, (const void *)&port, sizeof m);
}

// ---- delays: the weather changes every few hundred cycles, for every link another way
static Rng sky;
static const unsigned Least = 8; // of every channel (docs/contracts.md)
struct Delay {
    uint64_t changes = 0, frozen = 0; // until then nothing moves: what was under way before is overtaken by whole episodes of others
    unsigned spread = 1, stops = 0, freezes = 100; // one change in so many
    uint64_t next()
    {
        if (!on(Weather))
            return Least;
        if (cycle >= changes) {
            changes = cycle + 100 + sky.pick(1500);
            spread = sky.one_in(30) ? 150 : sky.one_in(8) ? 30 : 1 + sky.pick(4);
            stops = sky.one_in(20) ? 20 : 0;
            frozen = sky.one_in(freezes) ? cycle + 200 + sky.pick(2000) : 0;
        }
        uint64_t wait = frozen > cycle ? frozen - cycle : 0;
        return Least + wait + sky.pick(spread) + (stops && sky.one_in(stops) ? sky.pick(200) : 0);
    }
};
struct Nothing {};
template <class Msg> struct Link {
    std::deque<std::pair<uint64_t, Msg>> queue;
    uint64_t last = 0;
    Delay delay;
    void push(const Msg &m)
    {
        uint64_t due = cycle + delay.next();
        last = due > last ? due : last + 1;
        queue.push_back({last, m});
    }
    bool due() const { return !queue.empty() && queue.front().first <= cycle; }
    Msg pop()
    {
        Msg m = queue.front().second;
        queue.pop_front();
        return m;
    }
};
using Credit = Link<Nothing>;

static Link<msg_mem_req> to_noc[Initiators], to_target[Targets], far_out[FarPorts], far_in[FarPorts];
static Link<msg_mem_rsp> from_target[Targets], to_initiator[Initiators], far_answer[FarPorts], far_served[FarPorts];
static int held_initiator = -1; // its answers wait (kept.h)
static Credit noc_room[Initiators], target_room[Targets], answer_room[Targets], far_out_room[FarPorts], far_in_room[FarPorts],
    far_answer_room[FarPorts], far_served_room[FarPorts];
static Link<msg_dram_req> dram_out[Slices];
static Link<msg_dram_rsp> dram_back[Slices];
static Link<msg_ifetch_req> fetch_out[Cus];
static Link<msg_ifetch_rsp> fetch_back[Cus];
static Link<msg_smem_req> smem_out[Cus];
static Link<msg_smem_rsp> smem_back[Cus];
static Link<msg_ctl_cmd> blk_out[Blocks];
static Credit blk_back[Blocks];
static Link<msg_xlat_evt> report_out[1];
static Credit report_room[1];
static uint64_t locked_frame = ~0ull; // physical page that no cache may ask for (maintenance.h)
static int far_credits[FarPorts], answer_credits[FarPorts]; // of this side: requests into the GPU, answers to it

// Where requests stand, for the watchdog: of each initiator to each target so far.
struct Census {
    uint64_t sent, crossed, arrived, answered;
};
static Census census[Initiators][Targets];
static uint64_t delivered[Initiators];
static uint64_t dram_reads[Slices], dram_read_back[Slices];

// ---- memory by physical address, owner in bits 55:48 (0 host, 1 this GPU, 2 its peer)
static std::unordered_map<uint64_t, std::vector<uint8_t>> contents;
static uint8_t *at(uint64_t pa)
{
    static uint64_t known = ~0ull;
    static uint8_t *page;
    if (pa >> 12 != known) {
        auto &p = contents[pa >> 12];
        if (p.empty())
            p.assign(4096, 0);
        known = pa >> 12, page = p.data();
    }
    return page + (pa & 4095);
}

static uint64_t atomic_result(unsigned op, unsigned size, uint64_t old, uint64_t a, uint64_t b)
{
    uint64_t m = size == 8 ? ~0ull : 0xffffffff;
    a &= m, b &= m, old &= m;
    int64_t so = size == 8 ? (int64_t)old : (int32_t)old, sa = size == 8 ? (int64_t)a : (int32_t)a;
    switch (op) {
    case ATOMIC_SWAP: return a;
    case ATOMIC_CMPSWAP: return old == b ? a : old;
    case ATOMIC_ADD: return (old + a) & m;
    case ATOMIC_SUB: return (old - a) & m;
    case ATOMIC_SMIN: return sa < so ? a : old;
    case ATOMIC_UMIN: return a < old ? a : old;
    case ATOMIC_SMAX: return sa > so ? a : old;
    case ATOMIC_UMAX: return a > old ? a : old;
    case ATOMIC_AND: return old & a;
    case ATOMIC_OR: return old | a;
    case ATOMIC_XOR: return old ^ a;
    case ATOMIC_INC: return old >= a ? 0 : old + 1;
    default: return old == 0 || old > a ? a : old - 1;
    }
}

// Far memory performs a request when it arrives.
static msg_mem_rsp perform(const msg_mem_req &q)
{
    msg_mem_rsp r = {};
    r.op = q.op, r.source = q.source, r.gpu = q.gpu, r.tag = q.tag;
    uint8_t *p = at(q.addr);
    if (q.op == MEM_READ || q.op == MEM_READ_NC) {
        memcpy(r.data, p, 64);
    } else if (q.op == MEM_WRITE) {
        for (unsigned i = 0; i < 64; i++)
            if (q.mask >> i & 1)
                p[i] = (uint8_t)(q.data[i / 8] >> i % 8 * 8);
    } else if (q.op == MEM_ATOMIC && q.mask) { // words of a line, in their places
        memcpy(r.data, p, 64);
        for (unsigned i = 0; i < 64; i += q.size)
            if (q.mask >> i & 1) {
                uint64_t old = 0, operand = 0, now;
                memcpy(&old, p + i, q.size), memcpy(&operand, (const uint8_t *)q.data + i, q.size);
                now = atomic_result(q.atomic, q.size, old, operand, 0);
                memcpy(p + i, &now, q.size);
            }
    } else if (q.op == MEM_ATOMIC) {
        uint64_t now;
        memcpy(&r.data[0], p, q.size);
        now = atomic_result(q.atomic, q.size, r.data[0], q.data[0], q.data[1]);
        memcpy(p, &now, q.size);
    } else {
        fail("far request", "operation %u of initiator %u at %llx", q.op, q.source, (unsigned long long)q.addr);
    }
    return r;
}

static const char *name_of_initiator(unsigned n) { return n < Cus ? "CU" : n < Cus + Sqcs ? "cache group" : n == Cus + Sqcs ? "walker" : "far port"; }
static const char *name_of_target(unsigned t) { return t < Slices ? "slice" : t == Slices ? "L2 TLB" : "RDMA engine"; }

static void where_all_stands()
{
    using Ull = unsigned long long;
    for (unsigned n = 0; n < Initiators; n++) {
        uint64_t back = 0;
        for (unsigned t = 0; t < Targets; t++) {
            auto &c = census[n][t];
            back += c.answered;
            if (c.sent != c.answered)
                printf("  %s %u -> %s %u: %llu before or in the crossbar, %llu between crossbar and target, %llu in the target\n", name_of_initiator(n), n,
                       name_of_target(t), t, (Ull)(c.sent - c.crossed), (Ull)(c.crossed - c.arrived), (Ull)(c.arrived - c.answered));
        }
        if (back != delivered[n])
            printf("  %s %u: %llu answers on their way back\n", name_of_initiator(n), n, (Ull)(back - delivered[n]));
    }
    for (unsigned s = 0; s < Slices; s++)
        if (dram_reads[s] != dram_read_back[s])
            printf("  slice %u waits for %llu lines of DRAM\n", s, (Ull)(dram_reads[s] - dram_read_back[s]));
    for (unsigned p = 0; p < FarPorts; p++)
        if (size_t k = far_out[p].queue.size() + far_answer[p].queue.size())
            printf("  far port %u: %zu requests or answers outside, %d credits for answers\n", p, k, answer_credits[p]);
}

// ---- what agents hear
static std::function<void(unsigned port, const msg_mem_rsp &)> on_far_served;
static std::function<void(unsigned cu, const msg_ifetch_rsp &)> on_fetched;
static std::function<void(unsigned cu, const msg_smem_rsp &)> on_scalar;
static std::function<void(unsigned block)> on_block;
static std::function<void(const msg_xlat_evt &)> on_report;
static std::function<void(uint64_t pa)> on_dram_read;

static void take_credits()
{
    for (unsigned n = 0; n < Initiators; n++)
        if (noc_room[n].due()) {
            noc_room[n].pop();
            if (n < Cus)
                set_bit(dut->cu_req_credit_i, n);
            else if (n < Cus + Sqcs)
                set_bit(dut->sqc_req_credit_i, n - Cus);
            else
                set_bit(dut->far_in_req_credit_i, n - Cus - Sqcs);
        }
    for (unsigned t = 0; t < Targets; t++) {
        if (target_room[t].due())
            target_room[t].pop(), set_bit(dut->noc_req_credit_i, t);
        if (answer_room[t].due())
            answer_room[t].pop(), set_bit(dut->target_rsp_credit_i, t);
    }
    if (report_room[0].due())
        report_room[0].pop(), dut->xlat_evt_credit_i = 1;
    for (unsigned p = 0; p < FarPorts; p++) {
        if (far_out_room[p].due())
            far_out_room[p].pop(), set_bit(dut->far_req_credit_i, p);
        if (far_served_room[p].due())
            far_served_room[p].pop(), set_bit(dut->far_rsp_credit_i, p);
        if (far_in_room[p].due())
            far_in_room[p].pop(), far_credits[p]++;
        if (far_answer_room[p].due())
            far_answer_room[p].pop(), answer_credits[p]++;
    }
}

static void take_messages()
{
    for (unsigned n = 0; n < Initiators; n++) {
        if (to_noc[n].due())
            put(dut->noc_req_i[n], to_noc[n].pop()), set_bit(dut->noc_req_valid_i, n);
        if (to_initiator[n].due() && (int)n != held_initiator) {
            msg_mem_rsp r = to_initiator[n].pop();
            delivered[n]++;
            if (n < Cus)
                put(dut->cu_rsp_i[n], r), set_bit(dut->cu_rsp_valid_i, n);
            else if (n < Cus + Sqcs)
                put(dut->sqc_rsp_i[n - Cus], r), set_bit(dut->sqc_rsp_valid_i, n - Cus);
            else
                put(dut->far_in_rsp_i[n - Cus - Sqcs], r), set_bit(dut->far_in_rsp_valid_i, n - Cus - Sqcs);
        }
    }
    for (unsigned t = 0; t < Targets; t++) {
        if (to_target[t].due()) {
            msg_mem_req q = to_target[t].pop();
            put(dut->target_req_i[t], q), set_bit(dut->target_req_valid_i, t);
            census[q.source][t].arrived++;
        }
        if (from_target[t].due())
            put(dut->noc_rsp_i[t], from_target[t].pop()), set_bit(dut->noc_rsp_valid_i, t);
    }
    for (unsigned s = 0; s < Slices; s++) {
        if (dram_out[s].due()) {
            msg_dram_req q = dram_out[s].pop();
            uint8_t *p = at(1ull << 48 | q.addr);
            if (q.write) {
                for (unsigned i = 0; i < 64; i++)
                    if (q.mask >> i & 1)
                        p[i] = (uint8_t)(q.data[i / 8] >> i % 8 * 8);
            } else {
                msg_dram_rsp r = {};
                r.tag = q.tag;
                memcpy(r.data, p, 64);
                dram_back[s].push(r);
            }
        }
        if (dram_back[s].due())
            put(dut->dram_rsp_i[s], dram_back[s].pop()), set_bit(dut->dram_rsp_valid_i, s), dram_read_back[s]++;
    }
    for (unsigned p = 0; p < FarPorts; p++) {
        if (far_in[p].due())
            put(dut->far_req_i[p], far_in[p].pop()), set_bit(dut->far_req_valid_i, p);
        if (far_out[p].due()) {
            far_answer[p].push(perform(far_out[p].pop()));
            far_out_room[p].push({});
        }
        if (far_answer[p].due() && answer_credits[p])
            put(dut->far_rsp_i[p], far_answer[p].pop()), set_bit(dut->far_rsp_valid_i, p), answer_credits[p]--;
        if (far_served[p].due()) {
            far_served_room[p].push({});
            on_far_served(p, far_served[p].pop());
        }
    }
    for (unsigned c = 0; c < Cus; c++) {
        if (fetch_out[c].due())
            put(dut->fetch_i[c / SqcCus][c % SqcCus], fetch_out[c].pop()), set_bit(dut->fetch_valid_i[c / SqcCus], c % SqcCus);
        if (smem_out[c].due())
            put(dut->smem_i[c / SqcCus][c % SqcCus], smem_out[c].pop()), set_bit(dut->smem_valid_i[c / SqcCus], c % SqcCus);
        if (fetch_back[c].due())
            on_fetched(c, fetch_back[c].pop());
        if (smem_back[c].due())
            on_scalar(c, smem_back[c].pop());
    }
    for (unsigned b = 0; b < Blocks; b++) {
        if (blk_out[b].due())
            put(dut->ctl_cmd_i[b], blk_out[b].pop()), set_bit(dut->ctl_cmd_valid_i, b);
        if (blk_back[b].due())
            blk_back[b].pop(), on_block(b);
    }
    if (report_out[0].due())
        report_room[0].push({}), on_report(report_out[0].pop());
}

template <class Port> static void request_of(unsigned n, const Port &port)
{
    msg_mem_req q;
    get(q, port);
    if (q.target >= Targets)
        fail("target", "%s %u names port %u for %llx", name_of_initiator(n), n, q.target, (unsigned long long)q.addr);
    if (n < Cus + Sqcs && q.op != MEM_XLAT && q.addr >> 12 == locked_frame)
        fail("lock", "%s %u accesses %llx, whose page is locked", name_of_initiator(n), n, (unsigned long long)q.addr);
    census[n][q.target].sent++;
    to_noc[n].push(q);
}

static void send_messages()
{
    for (unsigned n = 0; n < Cus; n++)
        if (bit(dut->cu_req_valid_o, n))
            request_of(n, dut->cu_req_o[n]);
    for (unsigned n = 0; n < Sqcs; n++)
        if (bit(dut->sqc_req_valid_o, n))
            request_of(Cus + n, dut->sqc_req_o[n]);
    for (unsigned n = 0; n < 2; n++)
        if (bit(dut->far_in_req_valid_o, n))
            request_of(Cus + Sqcs + n, dut->far_in_req_o[n]);
    for (unsigned n = 0; n < Initiators; n++) {
        if (bit(dut->noc_req_credit_o, n))
            noc_room[n].push({});
        if (bit(dut->noc_rsp_valid_o, n)) {
            msg_mem_rsp r;
            get(r, dut->noc_rsp_o[n]);
            to_initiator[n].push(r);
        }
    }
    for (unsigned t = 0; t < Targets; t++) {
        if (bit(dut->noc_req_valid_o, t)) {
            msg_mem_req q;
            get(q, dut->noc_req_o[t]);
            if (q.source >= Initiators)
                fail("source", "crossbar says that a request of port %u to %u", q.source, t);
            census[q.source][t].crossed++;
            to_target[t].push(q);
        }
        if (bit(dut->target_req_credit_o, t))
            target_room[t].push({});
        if (bit(dut->target_rsp_valid_o, t)) {
            msg_mem_rsp r;
            get(r, dut->target_rsp_o[t]);
            if (r.source >= Initiators)
                fail("source", "%s %u answers port %u", name_of_target(t), t, r.source);
            census[r.source][t].answered++;
            from_target[t].push(r);
        }
        if (bit(dut->noc_rsp_credit_o, t))
            answer_room[t].push({});
    }
    for (unsigned s = 0; s < Slices; s++)
        if (bit(dut->dram_req_valid_o, s)) {
            msg_dram_req q;
            get(q, dut->dram_req_o[s]);
            if (!q.write && on_dram_read)
                on_dram_read(q.addr);
            dram_reads[s] += !q.write;
            dram_out[s].push(q);
        }
    for (unsigned p = 0; p < FarPorts; p++) {
        if (bit(dut->far_req_valid_o, p)) {
            msg_mem_req q;
            get(q, dut->far_req_o[p]);
            far_out[p].push(q);
        }
        if (bit(dut->far_rsp_valid_o, p)) {
            msg_mem_rsp r;
            get(r, dut->far_rsp_o[p]);
            far_served[p].push(r);
        }
        if (bit(dut->far_req_credit_o, p))
            far_in_room[p].push({});
        if (bit(dut->far_rsp_credit_o, p))
            far_answer_room[p].push({});
    }
    for (unsigned c = 0; c < Cus; c++) {
        if (bit(dut->fetched_valid_o[c / SqcCus], c % SqcCus)) {
            msg_ifetch_rsp r;
            get(r, dut->fetched_o[c / SqcCus][c % SqcCus]);
            fetch_back[c].push(r);
        }
        if (bit(dut->scalar_valid_o[c / SqcCus], c % SqcCus)) {
            msg_smem_rsp r;
            get(r, dut->scalar_o[c / SqcCus][c % SqcCus]);
            smem_back[c].push(r);
        }
    }
    for (unsigned b = 0; b < Blocks; b++)
        if (bit(dut->ctl_evt_valid_o, b))
            blk_back[b].push({});
    if (dut->xlat_evt_valid_o) {
        msg_xlat_evt m;
        get(m, dut->xlat_evt_o);
        report_out[0].push(m);
    }
}

static void clear_inputs()
{
    dut->issue_valid_i = 0, dut->inv_i = 0, dut->cu_req_credit_i = 0, dut->cu_rsp_valid_i = 0, dut->sqc_req_credit_i = 0, dut->sqc_rsp_valid_i = 0;
    dut->noc_req_valid_i = 0, dut->noc_req_credit_i = 0, dut->noc_rsp_valid_i = 0, dut->target_req_valid_i = 0, dut->target_rsp_credit_i = 0;
    dut->dram_rsp_valid_i = 0, dut->far_in_req_credit_i = 0, dut->far_in_rsp_valid_i = 0, dut->far_req_credit_i = 0, dut->far_rsp_valid_i = 0;
    dut->far_req_valid_i = 0, dut->far_rsp_credit_i = 0, dut->ctl_cmd_valid_i = 0, dut->xlat_evt_credit_i = 0;
    for (unsigned s = 0; s < Sqcs; s++)
        dut->fetch_valid_i[s] = 0, dut->smem_valid_i[s] = 0;
}

static bool links_empty()
{
    bool empty = true;
    auto look = [&](auto &links) {
        for (auto &l : links)
            empty &= l.queue.empty();
    };
    look(to_noc), look(to_target), look(far_out), look(far_in), look(from_target), look(to_initiator), look(far_answer), look(far_served);
    look(noc_room), look(target_room), look(answer_room), look(far_out_room), look(far_in_room), look(far_answer_room), look(far_served_room);
    look(dram_out), look(dram_back), look(fetch_out), look(fetch_back), look(smem_out), look(smem_back), look(blk_out), look(blk_back), look(report_out), look(report_room);
    return empty;
}
#endif
