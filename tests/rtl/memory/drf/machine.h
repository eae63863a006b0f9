// SPDX-License-Identifier: Apache-2.0
// The memory path of each GPU and what lies between its parts: links with random delays that keep their order, credits that come back
// late.  Ports between GPUs lead from one to the other; those to the host, and to a GPU that is not there, end in the bench.
// Not responsible for: who asks for what (agents), what is right.
#ifndef TESTS_DRF_MACHINE_H
#define TESTS_DRF_MACHINE_H
#include <functional>
#include <type_traits>

#include "Vdrf_top.h"
#include "links.h"
#include "memory.h"

template <class Ref> constexpr unsigned count_of(unsigned element) { return sizeof(std::remove_reference_t<Ref>) / element; }
enum : unsigned {
    Cus = count_of<decltype(Vdrf_top::issue_i)>(sizeof(VlWide<17>)),
    SqcCus = count_of<decltype(std::declval<Vdrf_top>().fetch_i[0])>(sizeof(msg_ifetch_req)),
    Sqcs = count_of<decltype(Vdrf_top::fetch_i)>(sizeof(msg_ifetch_req)) / SqcCus,
    Slices = count_of<decltype(Vdrf_top::dram_req_o)>(sizeof(msg_dram_req)),
    FarPorts = count_of<decltype(Vdrf_top::far_req_o)>(sizeof(msg_mem_req)),
    Initiators = Cus + Sqcs + 2,
    Targets = Slices + 2,
    Blocks = Sqcs + Slices + 2,
    MaxGpus = FarPorts - 1,
    AllCus = MaxGpus * Cus,
    FarDepth = 16, // credits of the far channels: latency 100, 3 bytes a cycle (shapes)
};

// Where requests stand, for the watchdog: of each initiator to each target so far.
struct Census {
    uint64_t sent, crossed, arrived, answered;
};

struct Gpu {
    Vdrf_top *dut;
    unsigned number;
    Link<msg_mem_req> to_noc[Initiators], to_target[Targets], far_out[FarPorts], far_in[FarPorts];
    Link<msg_mem_rsp> from_target[Targets], to_initiator[Initiators], far_answer[FarPorts], far_served[FarPorts];
    Credit noc_room[Initiators], target_room[Targets], answer_room[Targets], far_out_room[FarPorts], far_in_room[FarPorts], far_answer_room[FarPorts],
        far_served_room[FarPorts];
    Link<msg_dram_req> dram_out[Slices];
    Link<msg_dram_rsp> dram_back[Slices];
    Link<msg_ifetch_req> fetch_out[Cus];
    Link<msg_ifetch_rsp> fetch_back[Cus];
    Link<msg_smem_req> smem_out[Cus];
    Link<msg_smem_rsp> smem_back[Cus];
    Link<msg_ctl_cmd> blk_out[Blocks];
    Credit blk_back[Blocks];
    Link<msg_xlat_evt> report_out[1];
    Link<msg_move_evt> moved_out[1];
    Credit report_room[1], moved_room[1];
    int far_credits[FarPorts], answer_credits[FarPorts]; // of this side: requests into the GPU, answers to it
    Census census[Initiators][Targets];
    uint64_t delivered[Initiators], dram_reads[Slices], dram_read_back[Slices];

    Gpu *peer(unsigned port) const; // that this port leads to; NULL: to the bench
    void clear_inputs();
    void take_credits();
    void take_messages();
    void take_far(unsigned port);
    void request_of(unsigned n, const msg_mem_req &q);
    void send_messages();
    void send_far(unsigned port);
    bool links_empty();
    void where_all_stands() const;
};
static Gpu gpu[MaxGpus];
static int held_initiator = -1;          // of GPU 0: its answers wait (kept.h)
inline Gpu *Gpu::peer(unsigned port) const { return port && port - 1 != number && port <= params.gpus && params.gpus > 1 ? &gpu[port - 1] : nullptr; }
// CUs and blocks of all GPUs are numbered together.
static unsigned cu_count() { return params.gpus * Cus; }
static unsigned block_count() { return params.gpus * Blocks; }
static Gpu &gpu_of_cu(unsigned cu) { return gpu[cu / Cus]; }

static const char *name_of_initiator(unsigned n) { return n < Cus ? "CU" : n < Cus + Sqcs ? "cache group" : n == Cus + Sqcs ? "walker" : "far port"; }
static const char *name_of_target(unsigned t) { return t < Slices ? "slice" : t == Slices ? "L2 TLB" : "RDMA engine"; }

inline void Gpu::where_all_stands() const
{
    using Ull = unsigned long long;
    if (params.gpus > 1)
        printf("GPU %u:\n", number);
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
static std::function<void(unsigned gpu, unsigned port, const msg_mem_rsp &)> on_far_served;
static std::function<void(unsigned cu, const msg_ifetch_rsp &)> on_fetched;
static std::function<void(unsigned cu, const msg_smem_rsp &)> on_scalar;
static std::function<void(unsigned block)> on_block;
static std::function<void(unsigned gpu, const msg_xlat_evt &)> on_report;
static std::function<void(unsigned gpu, const msg_move_evt &)> on_moved;
static std::function<void(unsigned gpu, const msg_mem_req &)> on_far; // a request leaves for another GPU
static std::function<void(uint64_t pa)> on_dram_read;
static std::function<void(unsigned gpu, unsigned initiator, const msg_mem_req &)> on_request, on_arrival; // may be empty: leaves a cache, reaches a slice

inline void Gpu::take_credits()
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
    if (moved_room[0].due())
        moved_room[0].pop(), dut->move_evt_credit_i = 1;
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

inline void Gpu::take_messages()
{
    for (unsigned n = 0; n < Initiators; n++) {
        if (to_noc[n].due())
            put(dut->noc_req_i[n], to_noc[n].pop()), set_bit(dut->noc_req_valid_i, n);
        if (to_initiator[n].due() && ((int)n != held_initiator || number)) {
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
            if (on_arrival && t < Slices)
                on_arrival(number, q.source, q);
        }
        if (from_target[t].due())
            put(dut->noc_rsp_i[t], from_target[t].pop()), set_bit(dut->noc_rsp_valid_i, t);
    }
    for (unsigned s = 0; s < Slices; s++) {
        if (dram_out[s].due()) {
            msg_dram_req q = dram_out[s].pop();
            uint8_t *p = at((number + 1ull) << 48 | q.addr);
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
    for (unsigned p = 0; p < FarPorts; p++)
        take_far(p);
    for (unsigned c = 0; c < Cus; c++) {
        if (fetch_out[c].due())
            put(dut->fetch_i[c / SqcCus][c % SqcCus], fetch_out[c].pop()), set_bit(dut->fetch_valid_i[c / SqcCus], c % SqcCus);
        if (smem_out[c].due())
            put(dut->smem_i[c / SqcCus][c % SqcCus], smem_out[c].pop()), set_bit(dut->smem_valid_i[c / SqcCus], c % SqcCus);
        if (fetch_back[c].due())
            on_fetched(number * Cus + c, fetch_back[c].pop());
        if (smem_back[c].due())
            on_scalar(number * Cus + c, smem_back[c].pop());
    }
    for (unsigned b = 0; b < Blocks; b++) {
        if (blk_out[b].due())
            put(dut->ctl_cmd_i[b], blk_out[b].pop()), set_bit(dut->ctl_cmd_valid_i, b);
        if (blk_back[b].due())
            blk_back[b].pop(), on_block(number * Blocks + b);
    }
    if (report_out[0].due())
        report_room[0].push({}), on_report(number, report_out[0].pop());
    if (moved_out[0].due())
        moved_room[0].push({}), on_moved(number, moved_out[0].pop());
}

inline void Gpu::take_far(unsigned p)
{
    if (Gpu *to = peer(p)) {
        if (far_out[p].due())
            put(to->dut->far_req_i[number + 1], far_out[p].pop()), set_bit(to->dut->far_req_valid_i, number + 1);
        if (far_served[p].due())
            put(to->dut->far_rsp_i[number + 1], far_served[p].pop()), set_bit(to->dut->far_rsp_valid_i, number + 1);
        return;
    }
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
        on_far_served(number, p, far_served[p].pop());
    }
}

inline void Gpu::request_of(unsigned n, const msg_mem_req &q)
{
    if (q.target >= Targets)
        fail("target", "%s %u names port %u for %llx", name_of_initiator(n), n, q.target, (unsigned long long)q.addr);
    if (on_request && n < Cus + Sqcs && q.op != MEM_XLAT)
        on_request(number, n, q);
    census[n][q.target].sent++;
    to_noc[n].push(q);
}

inline void Gpu::send_far(unsigned p)
{
    if (bit(dut->far_req_valid_o, p)) {
        msg_mem_req q;
        get(q, dut->far_req_o[p]);
        if (on_far && p)
            on_far(number, q);
        far_out[p].push(q);
    }
    if (bit(dut->far_rsp_valid_o, p)) {
        msg_mem_rsp r;
        get(r, dut->far_rsp_o[p]);
        far_served[p].push(r);
    }
    Gpu *to = peer(p);
    if (bit(dut->far_req_credit_o, p))
        (to ? to->far_out_room[number + 1] : far_in_room[p]).push({});
    if (bit(dut->far_rsp_credit_o, p))
        (to ? to->far_served_room[number + 1] : far_answer_room[p]).push({});
}

inline void Gpu::send_messages()
{
    msg_mem_req request;
    for (unsigned n = 0; n < Cus; n++)
        if (bit(dut->cu_req_valid_o, n))
            get(request, dut->cu_req_o[n]), request_of(n, request);
    for (unsigned n = 0; n < Sqcs; n++)
        if (bit(dut->sqc_req_valid_o, n))
            get(request, dut->sqc_req_o[n]), request_of(Cus + n, request);
    for (unsigned n = 0; n < 2; n++)
        if (bit(dut->far_in_req_valid_o, n))
            get(request, dut->far_in_req_o[n]), request_of(Cus + Sqcs + n, request);
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
                on_dram_read((number + 1ull) << 48 | q.addr);
            dram_reads[s] += !q.write;
            dram_out[s].push(q);
        }
    for (unsigned p = 0; p < FarPorts; p++)
        send_far(p);
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
    if (dut->move_evt_valid_o) {
        msg_move_evt m;
        get(m, dut->move_evt_o);
        moved_out[0].push(m);
    }
}

inline void Gpu::clear_inputs()
{
    dut->issue_valid_i = 0, dut->inv_i = 0, dut->cu_req_credit_i = 0, dut->cu_rsp_valid_i = 0, dut->sqc_req_credit_i = 0, dut->sqc_rsp_valid_i = 0;
    dut->noc_req_valid_i = 0, dut->noc_req_credit_i = 0, dut->noc_rsp_valid_i = 0, dut->target_req_valid_i = 0, dut->target_rsp_credit_i = 0;
    dut->dram_rsp_valid_i = 0, dut->far_in_req_credit_i = 0, dut->far_in_rsp_valid_i = 0, dut->far_req_credit_i = 0, dut->far_rsp_valid_i = 0;
    dut->far_req_valid_i = 0, dut->far_rsp_credit_i = 0, dut->ctl_cmd_valid_i = 0, dut->xlat_evt_credit_i = 0, dut->move_evt_credit_i = 0;
    for (unsigned s = 0; s < Sqcs; s++)
        dut->fetch_valid_i[s] = 0, dut->smem_valid_i[s] = 0;
}

inline bool Gpu::links_empty()
{
    bool empty = true;
    auto look = [&](auto &links) {
        for (auto &l : links)
            empty &= l.queue.empty();
    };
    look(to_noc), look(to_target), look(far_out), look(far_in), look(from_target), look(to_initiator), look(far_answer), look(far_served);
    look(noc_room), look(target_room), look(answer_room), look(far_out_room), look(far_in_room), look(far_answer_room), look(far_served_room);
    look(dram_out), look(dram_back), look(fetch_out), look(fetch_back), look(smem_out), look(smem_back), look(blk_out), look(blk_back), look(report_out), look(report_room);
    look(moved_out), look(moved_room);
    return empty;
}
#endif
