// SPDX-License-Identifier: Apache-2.0
// Traffic of the benches of part_l2: random requests against memory in C++, the order port, answers, commands; one call of clock_once() a cycle.
// Not responsible for: what stays, what goes to DRAM, times (the other headers).
#ifndef PART_L2_BENCH_H
#define PART_L2_BENCH_H
#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <vector>

#include "tests/rtl/case_done.h"
#include "../../mem_bench.h"
#include "tests/rtl/outputs_hash.h"
#include "Vpart_l2.h"

#ifndef THROUGH
#define THROUGH false
#endif
static const bool Through = THROUGH;
static const unsigned Depth = 16, StoreLatency = 16;
static const uint64_t Bytes = 1 << 22;
static const unsigned Slice = 5, FarSource = 81;
static enum { Own, Far, Any } whose = Any; // requests come over a link (the last port of the crossbar) or not
static Vpart_l2 *dut;
static std::vector<uint8_t> model(Bytes), backing(Bytes);  // as the requester sees it; as DRAM holds it
struct Want {
    msg_mem_req req;
    uint8_t data[64];
    bool check_data;
    unsigned bytes; // of a line: checked so far (the client may write behind them, far.h)
};
static unsigned checked_bytes = 64;
static std::map<uint32_t, Want> flying;
static std::deque<msg_mem_req> waiting_order;  // stores and atomics not seen on the order port, by line in order; data[2] of an atomic: old value
static std::deque<std::pair<uint64_t, msg_dram_rsp>> store_answers;
static unsigned credits = Depth, held, evts;
static uint32_t serial;
static uint64_t done_at; // cycle of the last answer to a command
static uint64_t answered, answered_at, latency_sum, latency_most, dram_reads, dram_writes, kinds[3];  // kinds: reads, stores, atomics asked for
static std::map<uint32_t, uint64_t> sent_at;
static std::map<uint32_t, std::array<uint64_t, 8>> flying_old; // of atomics of a line, by user: the line before
struct Order {
    uint8_t op, atomic, size, gpu;
    uint32_t user;
    uint8_t source, line, pad[6];
    uint64_t addr, mask, data[8], old[8];
};

// Lines of this slice (of 16): 4 lines in each 4 KiB.
static uint64_t slice_line(uint64_t n) { return n / 4 * 64 + Slice * 4 + n % 4; }

// Memory beyond the model is only read: each word tells its address.
static void read_line(const std::vector<uint8_t> &from, uint64_t addr, void *to)
{
    if (addr < Bytes) {
        memcpy(to, &from[addr], 64);
        return;
    }
    for (uint64_t i = 0; i < 8; i++) {
        uint64_t word = (addr + i * 8) * 0x9e3779b97f4a7c15ull;
        memcpy(static_cast<uint8_t *>(to) + i * 8, &word, 8);
    }
}

static uint64_t atomic_result(const msg_mem_req &q, uint64_t old, uint64_t operand, uint64_t compare)
{
    bool wide = q.size == 8;
    uint64_t a = wide ? operand : (uint32_t)operand, c = wide ? compare : (uint32_t)compare;
    int64_t so = wide ? (int64_t)old : (int32_t)old, sa = wide ? (int64_t)a : (int32_t)a;
    switch (q.atomic) {
    case ATOMIC_SWAP: return a;
    case ATOMIC_CMPSWAP: return old == c ? a : old;
    case ATOMIC_ADD: return old + a;
    case ATOMIC_SUB: return old - a;
    case ATOMIC_SMIN: return so < sa ? old : a;
    case ATOMIC_UMIN: return old < a ? old : a;
    case ATOMIC_SMAX: return so > sa ? old : a;
    case ATOMIC_UMAX: return old > a ? old : a;
    case ATOMIC_AND: return old & a;
    case ATOMIC_OR: return old | a;
    case ATOMIC_XOR: return old ^ a;
    case ATOMIC_INC: return old >= a ? 0 : old + 1;
    default: return old == 0 || old > a ? a : old - 1;
    }
}

static void model_apply(const msg_mem_req &q, Want *w)
{
    memset(w->data, 0, 64);
    w->check_data = q.op != MEM_WRITE;
    if (q.op == MEM_READ || q.op == MEM_READ_NC)
        read_line(model, q.addr, w->data);
    if (q.op == MEM_WRITE) {
        for (unsigned i = 0; i < 64; i++)
            if (q.mask >> i & 1)
                model[q.addr + i] = ((const uint8_t *)q.data)[i];
    }
    if (q.op == MEM_ATOMIC && q.mask) {  // words of a line
        read_line(model, q.addr, w->data);
        for (unsigned i = 0; i < 64; i += q.size)
            if (q.mask >> i & 1) {
                uint64_t old = 0, operand = 0;
                memcpy(&old, &model[q.addr + i], q.size);
                memcpy(&operand, (const uint8_t *)q.data + i, q.size);
                uint64_t fresh = atomic_result(q, old, operand, 0);
                memcpy(&model[q.addr + i], &fresh, q.size);
            }
    } else if (q.op == MEM_ATOMIC) {
        uint64_t old = 0;
        memcpy(&old, &model[q.addr], q.size);
        uint64_t fresh = atomic_result(q, old, q.data[0], q.data[1]);
        memcpy(w->data, &old, 8);  // four bytes are extended by zeros
        memcpy(&model[q.addr], &fresh, q.size);
    }
}

static void take_dram(const msg_dram_req &r)
{
    if (r.addr % 64 || (r.write && r.addr >= Bytes) || r.write > 1 || r.pad0[0] || r.pad0[1] || r.pad0[2])
        return fail("address to the store", r.addr, 0);
    (r.write ? dram_writes : dram_reads)++;
    if (r.write) {
        for (unsigned i = 0; i < 64; i++)
            if (r.mask >> i & 1)
                backing[r.addr + i] = ((const uint8_t *)r.data)[i];
        return;
    }
    msg_dram_rsp a = {};
    a.tag = r.tag;
    read_line(backing, r.addr, a.data);
    store_answers.push_back({cycle + StoreLatency, a});
}

static void take_order(const Order &o)
{
    for (auto it = waiting_order.begin(); it != waiting_order.end(); ++it) {
        if (it->user != o.user) {
            if (it->addr / 64 == o.addr / 64)
                fail("order port: line out of order, address", o.addr, it->addr);
            continue;
        }
        Order want = {it->op, it->atomic, it->size, it->gpu, it->user, it->source, 0, {}, it->addr, it->mask, {}, {}};
        memcpy(want.data, it->data, 64);
        if (it->op == MEM_ATOMIC && it->target) {
            want.line = 1;
            memcpy(want.old, o.old, 64); // what is not checked
            memcpy(want.old, flying_old[it->user].data(), it->access);
        }
        if (memcmp(&want, &o, sizeof o))
            fail("order port: record differs, address", o.addr, it->addr);
        waiting_order.erase(it);
        return;
    }
    fail("order port: unknown access, user", o.user, 0);
}

static void take_answer(const msg_mem_rsp &a)
{
    auto it = flying.find(a.tag);
    if (it == flying.end())
        return fail("answer to nothing, tag", a.tag, 0);
    const Want &w = it->second;
    if (a.op != w.req.op || a.source != w.req.source || a.gpu != w.req.gpu || a.status != MEM_OK)
        fail("answer's fields, op", a.op, w.req.op);
    for (unsigned i = 0; w.req.op == MEM_WRITE && i < 8; i++)
        if (a.data[i])
            fail("answer to a store carries data", a.data[i], 0);
    unsigned bytes = w.req.op == MEM_ATOMIC && !w.req.mask ? 8 : w.bytes;
    if (w.check_data && memcmp(a.data, w.data, bytes))
        fail("data of an answer", a.data[0], *(const uint64_t *)w.data);
    latency_sum += cycle - sent_at[a.tag];
    latency_most = std::max(latency_most, cycle - sent_at[a.tag]);
    answered_at = cycle;
    sent_at.erase(a.tag);
    flying.erase(it);
    answered++;
}

static void saw_outputs()
{
    const uint8_t valid[] = {dut->idle_o, dut->mem_req_credit_o, dut->mem_rsp_valid_o, dut->ctl_evt_valid_o, dut->obs_order_valid_o, dut->dram_req_valid_o};
    saw(valid, sizeof valid);
    if (dut->mem_rsp_valid_o)
        saw(&dut->mem_rsp_o, sizeof dut->mem_rsp_o);
    if (dut->ctl_evt_valid_o)
        saw(&dut->ctl_evt_o, sizeof dut->ctl_evt_o);
    if (dut->obs_order_valid_o)
        saw(&dut->obs_order_o, sizeof dut->obs_order_o);
    if (dut->dram_req_valid_o)
        saw(&dut->dram_req_o, sizeof dut->dram_req_o);
    if (dut->perf_en_i)
        saw(&dut->perf_data_o, sizeof dut->perf_data_o);
}

static void clock_once(const msg_mem_req *req, unsigned drain)
{
    if (cycle % 4096 == 0 && !flying.empty() && cycle - sent_at[flying.begin()->first] > 60000) { // the oldest
        fail("an answer never comes, tag", flying.begin()->first, flying.size());
        exit(bench_end("part_l2"));
    }
    dut->mem_req_valid_i = req != nullptr;
    if (req)
        put(dut->mem_req_i, *req);
    dut->mem_rsp_credit_i = held > 0 && pick(256) < drain;
    held -= dut->mem_rsp_credit_i;
    dut->dram_rsp_valid_i = !store_answers.empty() && store_answers.front().first <= cycle;
    if (dut->dram_rsp_valid_i) {
        put(dut->dram_rsp_i, store_answers.front().second);
        store_answers.pop_front();
    }
    dut->cycle_i = cycle;
    bool rests = dut->idle_o && !(dut->mem_req_valid_i | dut->mem_rsp_credit_i | dut->dram_rsp_valid_i | dut->ctl_cmd_valid_i); // nothing may happen
    dut->clk_i = 1;
    dut->eval();
    dut->clk_i = 0;
    dut->eval();
    cycle++;
    dut->ctl_cmd_valid_i = 0;
    if (rests && (!dut->idle_o | dut->mem_req_credit_o | dut->mem_rsp_valid_o | dut->ctl_evt_valid_o | dut->obs_order_valid_o | dut->dram_req_valid_o))
        fail("idle, but something moved", cycle, 0);
    saw_outputs();
    credits += dut->mem_req_credit_o;
    evts += dut->ctl_evt_valid_o;
    done_at = dut->ctl_evt_valid_o ? cycle : done_at;
    if (dut->ctl_evt_valid_o && get<msg_ctl_evt>(dut->ctl_evt_o).status != CTL_OK)
        fail("command refused, status", get<msg_ctl_evt>(dut->ctl_evt_o).status, CTL_OK);
    if (dut->dram_req_valid_o)
        take_dram(get<msg_dram_req>(dut->dram_req_o));
    if (dut->obs_order_valid_o)
        take_order(get<Order>(dut->obs_order_o));
    if (dut->mem_rsp_valid_o) {
        if (held == Depth)
            fail("answer without credit", held, Depth - 1);
        held++;
        take_answer(get<msg_mem_rsp>(dut->mem_rsp_o));
    }
}

static void issue(msg_mem_req q, unsigned drain)
{
    for (unsigned i = 0; credits == 0; i++) {
        clock_once(nullptr, drain);
        if (i == 20000) {
            fail("no credit comes", flying.size(), 0);
            exit(bench_end("part_l2"));
        }
    }
    q.tag = serial++;
    q.user = q.tag * 7 + 1;
    q.source = (uint8_t)(whose == Far ? FarSource : whose == Own ? pick(FarSource) : pick(4) ? pick(FarSource) : FarSource);
    q.gpu = (uint8_t)pick(4);
    model_apply(q, &(flying[q.tag] = Want{q, {}, false, checked_bytes}));
    sent_at[q.tag] = cycle;
    kinds[q.op == MEM_WRITE ? 1 : q.op == MEM_ATOMIC ? 2 : 0]++;
    msg_mem_req record = q;
    if (q.op == MEM_ATOMIC && q.mask) {
        record.target = 1; // of the record: a line, whose old values are these
        record.access = (uint8_t)checked_bytes;
        memcpy(flying_old[q.user].data(), flying[q.tag].data, 64);
    } else if (q.op == MEM_ATOMIC) { // operand, comparison value, old value
        record.mask = (q.size == 8 ? 0xffull : 0xfull) << q.addr % 64;
        memset(record.data + 2, 0, 48);
        memcpy(record.data + 2, flying[q.tag].data, q.size);
    }
    if (q.op == MEM_WRITE || q.op == MEM_ATOMIC)
        waiting_order.push_back(record);
    credits--;
    clock_once(&q, drain);
}

static void drain_all()
{
    for (unsigned i = 0; i < 20000 && !flying.empty(); i++)
        clock_once(nullptr, 256);
    if (!flying.empty())
        fail("requests without answer", flying.size(), 0);
    for (unsigned i = 0; i < 300 || (i < 5000 && !dut->idle_o); i++)
        clock_once(nullptr, 256);
    if (!dut->idle_o)
        fail("not idle when all is done", 0, 1);
    if (credits != Depth)
        fail("credits", credits, Depth);
    if (!waiting_order.empty())
        fail("order port: accesses not seen", waiting_order.size(), 0);
}

static msg_mem_req random_request(uint64_t line)
{
    msg_mem_req q = {};
    for (uint64_t &d : q.data)
        d = pick(4) ? rng() : pick(5);
    q.addr = line * 64;
    unsigned kind = (unsigned)pick(100);
    q.op = kind < 45 ? MEM_READ : kind < 50 ? MEM_READ_NC : kind < 80 ? MEM_WRITE : MEM_ATOMIC;
    q.mask = pick(3) == 0 ? ~0ull : pick(2) ? rng() & rng() : 0xffull << (8 * pick(8));
    if (q.op == MEM_ATOMIC) {
        q.atomic = (uint8_t)pick(13);
        q.size = pick(2) ? 4 : 8;
        uint64_t bytes = q.size == 8 ? 0xff : 0xf, words = 0;
        for (unsigned i = 0; i < 64; i += q.size)
            words |= pick(2) ? bytes << i : 0;
        q.mask = q.atomic != ATOMIC_CMPSWAP && pick(2) ? words ? words : bytes << 24 : 0;
        if (!q.mask)
            q.addr += pick(64 / q.size) * q.size;
    }
    return q;
}



// The next cycle brings the slice a command: everything, or a range of physical addresses.
static void command(uint32_t flags, uint64_t first = 0, uint64_t bytes = 0)
{
    if (done_at == cycle) // the next one may come in the cycle behind the answer
        clock_once(nullptr, 256);
    msg_ctl_cmd c = {};
    c.op = CTL_INV;
    c.flags = flags;
    c.root = first;
    c.bytes = bytes;
    put(dut->ctl_cmd_i, c);
    dut->ctl_cmd_valid_i = 1;
    evts = 0;
}

// Cycles until it is answered.
static uint64_t invalidate(uint32_t flags, uint64_t first = 0, uint64_t bytes = 0)
{
    uint64_t from = cycle;
    command(flags, first, bytes);
    for (unsigned i = 0; i < 50000 && evts == 0; i++)
        clock_once(nullptr, 256);
    if (evts != 1)
        fail("command not answered", evts, 1);
    return cycle - from;
}

static void start()
{
    dut = new Vpart_l2;
    dut->id_i = 0x300 | Slice;
    dut->obs_en_i = 1, dut->ctl_cmd_valid_i = 0;
    for (int i = 0; i < 4; i++) {
        dut->clk_i = i & 1;
        dut->eval();
    }
    dut->rst_ni = 1;
    dut->clk_i = 0;
    dut->eval();
    for (auto &b : model)
        b = (uint8_t)rng();
    backing = model;
}

static void same_as_backing(const char *what)
{
    for (uint64_t i = 0; i < Bytes; i++)
        if (model[i] != backing[i])
            return fail(what, i, model[i]);
}

static void traffic(const char *name, unsigned count, unsigned lines, unsigned gap, unsigned drain)
{
    uint64_t from = cycle, done = answered, sum = latency_sum;
    for (unsigned i = 0; i < count; i++) {
        issue(random_request(slice_line(pick(lines))), drain);
        while (gap && pick(gap))
            clock_once(nullptr, drain);
    }
    drain_all();
    printf("%s: %.2f requests a cycle, latency %.0f\n", name, count / double(cycle - from - 300), double(latency_sum - sum) / (answered - done));
    if (!Through)
        invalidate(CACHE_WB_L2);
    same_as_backing("backing store differs from memory, address");
}

// A host write into DRAM is seen only after an invalidation; invalidation with reads under way loses nothing.
static void host_writes()
{
    msg_mem_req q = {};
    q.op = MEM_READ;
    for (unsigned round = 0; round < 20; round++) {
        for (unsigned i = 0; i < 12; i++) {
            q.addr = slice_line(pick(256)) * 64;
            issue(q, 256);
        }
        invalidate(CACHE_INV_L2);
        if (round % 2)
            drain_all();
        while (!flying.empty())
            clock_once(nullptr, 256);
        for (unsigned i = 0; i < 256; i++) {
            uint64_t at = slice_line(i) * 64 + pick(64);
            model[at] = backing[at] = (uint8_t)rng();
        }
        invalidate(CACHE_INV_L2);
    }
    for (unsigned i = 0; i < 256; i++) {
        q.addr = slice_line(i) * 64;
        issue(q, 256);
    }
    drain_all();
    q.op = MEM_READ;
    q.addr = slice_line(0) * 64;
    issue(q, 256);
    drain_all();
    backing[q.addr] ^= 0xff;  // without invalidation the old value stays
    issue(q, 256);
    drain_all();
    model[q.addr] ^= 0xff;
    invalidate(CACHE_WB_L2);
    invalidate(CACHE_INV_L2);
    issue(q, 256);
    drain_all();
}
#endif
