// SPDX-License-Identifier: Apache-2.0
// Bench of part_utcl2 (L2 TLB and walker): random translations of three address spaces over page tables in a memory
// of random latency, with 4 KiB and 2 MiB leaves, missing pages, rights, addresses beyond 40 bits, damaged tables;
// pages changed and address spaces invalidated while walks are under way; answers compared with a walk in C++.  What
// address spaces, generations, sharing and failed reads of tables must give is in directed.h.
// Requirement S3.12 (an entry is found only by the address space that owns it).  `speed` prints ns a cycle.
// top: part_utcl2
// sources: build/gen/gantry_msg_pkg.sv rtl/common/stream_rules_pkg.sv build/gen/gantry_cfg_pkg.sv rtl/common/pick_pkg.sv rtl/tlb/tlb_pkg.sv rtl/tech/ram_1r1w.sv rtl/tlb/utcl2_walker.sv rtl/tlb/utcl2_tlb.sv rtl/gpu/part_utcl2.sv
// args: -Wno-UNUSEDPARAM -GDepth=16 -GReqDepth=16 --x-initial unique
// mutant: -GSeedFault=3'd1
// mutant: -GSeedFault=3'd2
// mutant: -GSeedFault=3'd3
// mutant: -GSeedFault=3'd5
// mutate: rtl/tlb/utcl2_tlb.sv: answer_set == 64'd0 && rsp_count == 32'd0) begin => answer_set == 64'd0) begin
// mutate: rtl/tlb/utcl2_tlb.sv: free_low   = slot[6] ? free_low => free_low   = slot[6] || slot == 32'd63 ? free_low
// mutate: rtl/gpu/part_utcl2.sv: tlb_idle && walker_idle => tlb_idle || walker_idle
#include <deque>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "tests/rtl/case_done.h"
#include "../../mem_bench.h"
#include "Vpart_utcl2.h"

#ifndef DEPTH // ../part_utcl2_short: other queues
#define DEPTH 16
#endif
static const unsigned Depth = DEPTH, WalkDepth = 16, Gpu = 2, Slices = 16;
static Vpart_utcl2 *dut;
static std::unordered_map<uint64_t, uint64_t> memory;  // entries by offset in the own VRAM
static uint64_t root_of[256], next_table = 0x10000;
struct Want {
    msg_mem_req req;
    bool settled;  // no change of the tables under way when it was sent
};
static std::map<uint32_t, Want> flying;
static std::map<std::pair<unsigned, uint64_t>, uint64_t> previous;  // entries before the change under way
static std::multimap<uint64_t, msg_mem_rsp> walk_answers;
static std::set<uint32_t> walk_tags;  // reads of tables under way: one a walk
static unsigned credits = Depth, held, walk_held, evts;
static bool changing, before_evt;  // tables change; the invalidation for it has not been answered
static unsigned command_drain = 256;
static uint32_t serial;
static uint64_t answered, faults, walk_reads, latency_max = 60, latency_fixed;
static const uint64_t Nowhere = 1ull << 44;  // from here on nobody owns the memory

static uint64_t owner_bits(uint64_t offset) { return (uint64_t)(Gpu + 1) << 48 | offset; }
static uint64_t entry_at(uint64_t pa) { auto it = memory.find(pa & 0xffffffffffffull); return it == memory.end() ? 0 : it->second; }

static uint64_t walk(unsigned vmid, uint64_t va)
{
    if (va >> 40 || !root_of[vmid])
        return 0;
    uint64_t e = entry_at(root_of[vmid] + (va >> 30 & 1023) * 8);
    if (!(e & 1) || e & 16)
        return 0;
    e = entry_at((e & 0xfffffffff000ull) + (va >> 21 & 511) * 8);
    if (!(e & 1))
        return 0;
    if (e & 16)
        return e + ((va >> 12 & 511) << 12);
    e = entry_at((e & 0xfffffffff000ull) + (va >> 12 & 511) * 8);
    return e & 1 && e & 16 ? e : 0;
}

static uint64_t table_below(uint64_t slot)
{
    if (!(memory[slot] & 1)) {
        memory[slot] = owner_bits(next_table) | 1;
        next_table += 0x1000;
    }
    return memory[slot] & 0xfffffffff000ull;
}

static void map_page(unsigned vmid, uint64_t va, uint64_t entry, bool large)
{
    uint64_t first = table_below((root_of[vmid] & 0xfffffffff000ull) + (va >> 30 & 1023) * 8) + (va >> 21 & 511) * 8;
    if (large)
        memory[first] = entry;
    else if (!(memory[first] & 16))
        memory[table_below(first) + (va >> 12 & 511) * 8] = entry;
}

static uint64_t random_va() { return pick(3) << 30 | pick(5) << 21 | pick(40) << 12 | (pick(4096) & ~7ull); }
static uint64_t random_entry(bool large)
{
    uint64_t page = pick(1 << 20) << (large ? 21 : 12);
    return pick(4) << 48 | page | pick(4) << 5 | 16 | (pick(8) << 1) | (pick(10) != 0);
}

static uint8_t status_of(uint64_t e, unsigned access)
{
    if (!(e & 1))
        return MEM_FAULT_NOT_PRESENT;
    if (access & 4 && !(e & 8))
        return MEM_FAULT_NO_EXECUTE;
    if (access & 2 && !(e & 4))
        return MEM_FAULT_READ_ONLY;
    if (access & 1 && !(e & 2))
        return MEM_FAULT_NOT_PRESENT;
    return MEM_OK;
}

static void take_answer(const msg_mem_rsp &a)
{
    auto it = flying.find(a.tag);
    if (it == flying.end())
        return fail("answer to nothing, tag", a.tag, 0);
    const Want &w = it->second;
    uint64_t va = w.req.addr, now = walk(w.req.vmid, va), before = now;
    auto old = previous.find({w.req.vmid, va >> 12});
    for (unsigned i = 1; i < 8; i++)
        if (a.data[i])
            fail("data beside the entry", a.data[i], 0);
    if (!w.settled && before_evt && old != previous.end())
        before = old->second;
    bool as_now = a.data[0] == now && a.status == status_of(now, w.req.access);
    bool as_before = a.data[0] == before && a.status == status_of(before, w.req.access);
    if (!as_now && !as_before)
        fail("entry", a.data[0], now);
    if (a.op != MEM_XLAT || a.source != w.req.source || a.gpu != w.req.gpu)
        fail("answer's fields", a.source, w.req.source);
    faults += a.status != MEM_OK;
    flying.erase(it);
    answered++;
}

static void take_walk(const msg_mem_req &q)
{
    if (q.op != MEM_READ_NC || q.target != (q.addr >> 8) % Slices || q.addr % 64 || q.addr >> 48 != Gpu + 1)
        fail("walker's request, address", q.addr, q.target);
    msg_mem_req plain = {};
    plain.op = q.op, plain.target = q.target, plain.vmid = q.vmid, plain.tag = q.tag, plain.addr = q.addr, plain.gpu = Gpu;
    if (memcmp(&plain, &q, sizeof q) || !root_of[q.vmid] || q.tag >= 16 || !walk_tags.insert(q.tag).second)
        fail("walker's request, other fields, tag", q.tag, q.vmid);
    msg_mem_rsp a = {};
    a.op = q.op;
    a.tag = q.tag;
    bool there = (q.addr & 0xffffffffffffull) < Nowhere;
    a.status = there ? MEM_OK : MEM_FAULT_BUS;
    for (unsigned i = 0; i < 8; i++)
        a.data[i] = there ? entry_at(q.addr + i * 8) : owner_bits(0x7000) | 31;
    walk_answers.insert({cycle + (latency_fixed ? latency_fixed : 4 + pick(latency_max)), a});
    walk_held++;
    walk_reads++;
}

static void clock_once(const msg_mem_req *req, unsigned drain)
{
    dut->mem_req_valid_i = req != nullptr;
    if (req)
        put(dut->mem_req_i, *req);
    dut->mem_rsp_credit_i = held > 0 && pick(256) < drain;
    held -= dut->mem_rsp_credit_i;
    dut->mem_req_credit_i = walk_held > 0 && pick(256) < drain;
    walk_held -= dut->mem_req_credit_i;
    dut->mem_rsp_valid_i = !walk_answers.empty() && walk_answers.begin()->first <= cycle;
    if (dut->mem_rsp_valid_i) {
        put(dut->mem_rsp_i, walk_answers.begin()->second);
        walk_tags.erase(walk_answers.begin()->second.tag);
        walk_answers.erase(walk_answers.begin());
    }
    bool rests = dut->idle_o && !(dut->mem_req_valid_i | dut->mem_rsp_credit_i | dut->mem_req_credit_i | dut->mem_rsp_valid_i | dut->blk_cmd_valid_i); // nothing may happen
    dut->clk_i = 1;
    dut->eval();
    dut->clk_i = 0;
    dut->eval();
    cycle++;
    dut->blk_cmd_valid_i = 0;
    if (rests && (!dut->idle_o | dut->mem_req_credit_o | dut->mem_rsp_valid_o | dut->blk_evt_valid_o | dut->mem_req_valid_o))
        fail("idle, but something moved", cycle, 0);
    credits += dut->mem_req_credit_o;
    if (dut->mem_req_valid_o) {
        if (walk_held == WalkDepth)
            fail("walk without credit", walk_held, 0);
        take_walk(get<msg_mem_req>(dut->mem_req_o));
    }
    if (dut->mem_rsp_valid_o) {
        if (held == Depth)
            fail("answer without credit", held, 0);
        held++;
        take_answer(get<msg_mem_rsp>(dut->mem_rsp_o));
    }
    evts += dut->blk_evt_valid_o;
    before_evt &= !dut->blk_evt_valid_o;
}

static void issue(unsigned vmid, uint64_t va, unsigned access, unsigned drain)
{
    for (unsigned n = 0; credits == 0; n++) {
        if (n == 100000)
            fail("no room for a request, cycles", n, 0), std::exit(1);
        clock_once(nullptr, drain);
    }
    msg_mem_req q = {};
    q.op = MEM_XLAT;
    q.vmid = (uint8_t)vmid;
    q.addr = va;
    q.access = (uint8_t)access;
    q.tag = serial++;
    q.source = (uint8_t)pick(82);
    q.gpu = (uint8_t)pick(4);
    flying[q.tag] = {q, !changing};
    credits--;
    clock_once(&q, drain);
}

static void drain_all()
{
    for (unsigned i = 0; i < 20000 && !flying.empty(); i++)
        clock_once(nullptr, 256);
    if (!flying.empty())
        fail("requests without answer", flying.size(), 0);
    for (unsigned i = 0; i < 100; i++)
        clock_once(nullptr, 256);
    if (!dut->idle_o || credits != Depth)
        fail("not idle when all is done", credits, Depth);
}

static void command(uint8_t kind, unsigned vmid, uint64_t root, bool wait)
{
    msg_blk_cmd c = {};
    c.kind = kind;
    c.vmid = (uint8_t)vmid;
    c.flags = CACHE_INV_TLB;
    c.root = root;
    put(dut->blk_cmd_i, c);
    dut->blk_cmd_valid_i = 1;
    evts = 0;
    for (unsigned i = 0; wait && i < 4000 && evts == 0; i++)
        clock_once(nullptr, command_drain);
    if (wait && evts != 1)
        fail("command not answered", evts, 1);
}

static void new_root(unsigned vmid)
{
    root_of[vmid] = owner_bits(next_table);
    next_table += 0x2000;
    command(BLK_VMID, vmid, root_of[vmid], true);
}

static void traffic(const char *name, unsigned count, unsigned drain, unsigned gap)
{
    uint64_t from = cycle;
    for (unsigned i = 0; i < count; i++) {
        issue(1 + (unsigned)pick(3), pick(50) ? random_va() : rng() >> pick(30), 1u << pick(3), drain);
        while (gap && pick(gap))
            clock_once(nullptr, drain);
    }
    drain_all();
    printf("%s: %.2f a cycle\n", name, count / double(cycle - from));
}

// Change pages of one space while translations of it are under way, invalidate, go on.
static void change_round(bool all)
{
    unsigned vmid = 1 + (unsigned)pick(3);
    command_drain = pick(2) ? 256 : 16;  // answers that pile up, with several requesters of one walk
    changing = before_evt = true;
    previous.clear();
    uint64_t asked[24];
    for (uint64_t &va : asked)
        issue(vmid, va = &va > asked && pick(2) ? (&va)[-1] : random_va(), 1, command_drain);
    for (unsigned i = (unsigned)pick(60); i > 0; i--)
        clock_once(nullptr, command_drain);
    for (unsigned i = 0; i < 30; i++) {
        uint64_t va = random_va();
        uint64_t was = walk(vmid, va);
        map_page(vmid, va, random_entry(false), false);
        if (walk(vmid, va) != was)
            previous.emplace(std::make_pair(vmid, va >> 12), was);
    }
    command(BLK_INV, all ? 255 : vmid, 0, true);
    command_drain = 256;
    changing = false;
    for (uint64_t va : asked) // what was walked meanwhile has left nothing of before
        issue(vmid, va, 1, 256);
    for (unsigned i = 0; i < 60; i++)
        issue(pick(3) ? vmid : 1 + (unsigned)pick(3), random_va(), 1, 256);
    drain_all();
}

static void speed()
{
    for (unsigned pages : {16u, 4000u}) {
        Stopwatch w;
        uint64_t from = cycle;
        for (unsigned i = 0; i < 20000; i++)
            issue(1, (uint64_t)pick(pages) << 12, 1, 256);
        printf("speed: %u pages: %.0f ns a cycle with the bench, %.2f requests a cycle\n", pages, w.ns() / double(cycle - from), 20000 / double(cycle - from));
        drain_all();
    }
    Stopwatch w;
    for (unsigned i = 0; i < 100000; i++) {
        dut->clk_i = 1;
        dut->eval();
        dut->clk_i = 0;
        dut->eval();
    }
    printf("speed: idle: %.0f ns a cycle\n", w.ns() / 100000);
}

#include "directed.h"

int main(int argc, char **argv)
{
    Verilated::randReset(2); // what reset leaves alone holds anything
    dut = new Vpart_utcl2;
    dut->id_i = Gpu << 8;
    for (int i = 0; i < 4; i++) {
        dut->clk_i = i & 1;
        dut->eval();
    }
    dut->rst_ni = 1;
    dut->clk_i = 0;
    dut->eval();
    traffic("no roots", 50, 256, 0);
    case_done("no roots");
    for (unsigned vmid = 1; vmid <= 3; vmid++) {
        new_root(vmid);
        for (unsigned i = 0; i < 4; i++)
            map_page(vmid, random_va(), random_entry(true), true);
        for (unsigned i = 0; i < 500; i++)
            map_page(vmid, random_va(), random_entry(false), false);
    }
    memory[(root_of[2] & 0xfffffffff000ull) + 2 * 8] |= 16;  // leaf at the root level: no translation
    if (argc > 1 && !strcmp(argv[1], "speed")) {
        speed();
        return 0;
    }
    traffic("cold and warm", 5000, 256, 0);
    traffic("slow answers", 2000, 40, 0);
    traffic("sparse", 1500, 256, 10);
    case_done("traffic", "S3.12");
    for (unsigned round = 0; round < 300; round++)
        change_round(round % 4 == 3);
    case_done("changes during walks");
    directed();
    case_done("directed");
    printf("answers %llu, of these faults %llu\n", (unsigned long long)answered, (unsigned long long)faults);
    new_root(1);  // another, empty table
    traffic("after a new root", 1000, 256, 0);
    case_done("after a new root", "S3.12");
    return bench_end("part_utcl2");
}
