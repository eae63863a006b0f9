// SPDX-License-Identifier: Apache-2.0
// Bench of part_utcl2 (L2 TLB and walker): random translations of six address spaces over page tables in a memory
// of random latency, with pages, fragments and leaves of 2 MiB, missing pages, rights, addresses beyond 40 bits, damaged
// tables; pages changed and invalidated under traffic while walks are under way; answers compared with a walk in C++
// (tables.h, invalidations.h).  What sizes, address spaces, generations, sharing, waiting and failed reads of tables must
// give is in directed.h, what is withheld in failures.h, what there is room for in bounds.h, reset in again.h.  Requirement S3.12 (an entry is found only by the address space that owns it).  `speed` prints ns a
// cycle.
// top: part_utcl2
// opt: -O0
// args: -Wno-UNUSEDPARAM -Wno-UNUSEDSIGNAL -GDepth=16 -GReqDepth=16 --x-initial unique
// mutate: tag_of(generation, vmid, tag.size, vpn) => tag_of(generation, {tag.vmid[7:2], vmid[1:0]}, tag.size, vpn)
// mutate: tag_of(generation, vmid, tag.size, vpn) => tag_of(generation, vmid, SizePage, vpn)
// mutate: tag_of(generation, vmid, tag.size, vpn) => tag_of(tag.generation, vmid, tag.size, vpn)
// mutate: pte[11:7] >= 5'd4 ? SizeBlock => pte[11:7] >= 5'd3 ? SizeBlock
// mutate: (vpn & size_mask(size)), pte[11:0] => (pte[39:12] & size_mask(size)), pte[11:0]
// mutate: (vpn & ~size_mask(size)) <= inv.last => vpn <= inv.last
// mutate: valid[row][k] = match ? 1'b0 => valid[row][k] = match && c != 1 ? 1'b0
// mutate: cmd.inv.vmid == VMID_ALL || generation[cmd.inv.vmid] == 8'd0 => cmd.inv.vmid == VMID_ALL
// mutate: cmd.step == set_t'(MostSets - 1) => cmd.step == set_t'(MostSets - 2)
// mutate: if (inv_sent && walk_stale => if (inv_sent && cmd.root_set && walk_stale
// mutate: walk[w].last  = slot; => ;
// mutate: walk[k].keep = 1'b0; => ;
// mutate: behind < Patience => 1'b1
// mutate: if (fill.valid && !page.beyond && => if (1'b0 &&
// mutate: answer_set == 64'd0 && rsp_count == 8'd0) begin => answer_set == 64'd0) begin
// mutate: inv_covers(inv, vmid, vpn, SizeLarge) => inv_covers(inv, vmid, vpn, SizePage)
// mutate: walk_free && (waited || !others_wait) => walk_free
// mutate: if ((redo_set & bit_w) != 64'd0) begin => if (1'b0) begin
// mutate: walk[w].level != LevelLeaf && (redo_set & bit_w) == 64'd0 => walk[w].level != LevelLeaf
// mutate: root_known = 256'd0; => ;
// mutate: if (root_valid_i && inv_i.vmid == walk[w].vmid) entry = root_i; => ;
// mutate: root_known[walk[w].vmid] ? root[walk[w].vmid] : 64'd0 => root[walk[w].vmid]
// mutate: known.vmid == vmid && => known.vmid[1:0] == vmid[1:0] &&
// mutate: entry[55:12] + 44'(vpn[8:0]) => entry[55:12]
// mutate: 16'd1 << write_way_i) => 16'd3 << write_way_i)
// mutate: tlb_idle && walker_idle => tlb_idle || walker_idle
// mutate: .drained_i(drained) => .drained_i(1'b1)
// mutate: in_count != 8'd0 && !hold_take_i, => in_count != 8'd0,
// mutate: if (lost_walks[6'(w)]) => if (1'b0)
// mutate: owed       = in_count; => owed = 8'd0;
// mutate: credits != 9'd0 && !hold_i) => credits != 9'd0)
// mutate: !pte[0] && !deny && => !pte[0] &&
// mutate: && !space.deny && => &&
// mutate: (space.withhold || pte_locked(pte)) => space.withhold
// mutate: access: access, => access: 8'd1,
// mutate: 64'({vpn, 12'd0}) => 64'({vpn[27:1], 13'd0})
// mutate: pte_locked(entry) ? entry : 64'd0 => 64'd0
// mutate: !answer_set[k] && !fail_set[k] && => !answer_set[k] &&
// mutate: held_count = held_count + walk[w].count; => held_count = held_count + 12'd1;
// mutate: walk[w].count = walk[w].count + 12'd1; => ;
// mutate: walk[w].deny | slot_deny[at_t'(slot)] => walk[w].deny
// mutate: deny: slot_deny[at_t'(slot)], first => deny: 1'b0, first
// mutate: if (inv_covers(cmd.inv, page.vmid, page.vpn, SizePage)) begin => if (inv_covers(cmd.inv, page.vmid, page.vpn, SizeBlock)) begin
// mutate: cmd.state == CmdTell && fail_set == 64'd0) begin => cmd.state == CmdTell) begin
// mutate: busy_q == held_count_q && => busy_q == 12'd0 &&
// mutate: walk_free | answer_set | fail_set; => walk_free | answer_set;
// mutate: slot_deny[at_t'(slot)] = 1'b0; => ;
// mutate: else if (withheld( => else if (done_pte_i[56] && withheld(
// mutate: cmd.inv.vmid == VMID_ALL || cmd.inv.vmid == v[7:0] => cmd.inv.vmid == v[7:0]
// mutate: first <= inv.last => first < inv.last
// mutate: last >= inv.first && first => last > inv.first && first
// mutate: if (perf_en_i) perf_data_o => perf_data_o
// mutate: report_credits != 8'd0 && !hold_all_i; => report_credits != 8'd0;
// mutate: < places - 8'd1; => < places;
// mutate: RspDepth > 2 ? RspDepth - 2 : 1 => RspDepth > 2 ? RspDepth - 1 : 1
// mutate: slots_t'(Slots - Depth)); => slots_t'(Slots - Depth - 1));
// mutate: cmd.state == CmdDrain && !s2.valid => cmd.state == CmdDrain && s2.valid
// mutate: turn      = 6'(w) + 6'd1; => ;
// mutate: turn     = 6'(w) + 6'd1; => turn = 6'(w);
// mutate: cmd.inv) && !(fill.valid && fill.row == row && fill.way == k[3:0]); => cmd.inv) && !(fill.valid && fill.row == row && fill.way != k[3:0]);
// mutate: behind    = 3'd0; => ;
// mutate: generation = '{default: 8'd0}; => ;
// mutate: valid      = '{default: '0}; => valid = '{default: '1};
// mutate: rsp_count_q <= rsp_count; => rsp_count_q <= 8'd0;
// mutate: dropping    = 1'b0; => ;
// mutate: & (Cached - 1); => & (Cached - 2);
// mutate: & (CachedRoots - 1); => & (CachedRoots - 2);
// mutate: 18'h3FFFF} => 18'h1FFFF}
// mutate: 9'h1FF} => 9'h0FF}
#include <deque>
#include <map>
#include <set>
#include <vector>

#include "tests/rtl/case_done.h"
#include "../../mem_bench.h"
#include "tests/rtl/outputs_hash.h"
#include "Vpart_utcl2.h"
#include "tables.h"

#ifndef DEPTH // ../part_utcl2_short: other queues
#define DEPTH 16
#endif
static const unsigned Depth = DEPTH, WalkDepth = 16, Walks = 16, Slices = 16;
static Vpart_utcl2 *dut;
struct Want {
    msg_mem_req req;
    bool settled;  // no change of the tables under way when it was sent
};
static std::map<uint32_t, Want> flying;
static std::map<std::pair<unsigned, uint64_t>, uint64_t> previous;  // entries before the change under way
static std::multimap<uint64_t, msg_mem_rsp> walk_answers;
static std::set<uint32_t> walk_tags;  // reads of tables under way: one a walk
static unsigned credits = Depth, held, walk_held, evts;
static std::vector<msg_xlat_evt> reports;   // of withheld translations, those that have come
static unsigned reports_open;               // without their credit
static bool deaf;                           // no report gets its credit
static msg_ctl_evt last_evt;
static uint64_t evt_at = ~0ull; // cycle of it: the next maintenance comes in a later one
static bool changing, before_evt;  // tables change; the invalidation for it has not been answered
static bool withheld;              // memory answers no read of a table
static std::vector<uint64_t> walk_reads_of; // addresses of the reads of tables, in order
static unsigned command_drain = 256;
static uint32_t serial;
static std::vector<unsigned> walk_tags_of;  // and their tags
static uint64_t answered, faults, walk_reads, latency_max = 60, latency_fixed;

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
    // a fragment may have become single pages: what the entry says of the pages beside it is looked at below
    uint64_t plain = a.data[0] & ~Fragment;
    bool as_now = plain == (now & ~Fragment) && a.status == status_of(now, w.req.access);
    bool as_before = plain == (before & ~Fragment) && a.status == status_of(before, w.req.access);
    if (!as_now && !as_before)
        fail("entry", a.data[0], now);
    uint64_t pages = covered(a.data[0]), page = va >> 12, first = page & ~(pages - 1);
    for (uint64_t p : {first, first + pages - 1, first + pick(pages), first + pick(pages)})
        if ((w.settled || !before_evt) && a.status == MEM_OK && (walk(w.req.vmid, p << 12) & ~Fragment) != plain + ((p - page) << 12))
            fail("an entry stands for a page that it does not map, page", p, a.data[0]);
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
    if (memcmp(&plain, &q, sizeof q) || !root_of[q.vmid] || q.tag >= Walks || !walk_tags.insert(q.tag).second)
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
    walk_reads_of.push_back(q.addr), walk_tags_of.push_back(q.tag);
}

static void saw_outputs()
{
    const uint8_t valid[] = {dut->idle_o, dut->mem_req_credit_o, dut->mem_rsp_valid_o, dut->ctl_evt_valid_o, dut->mem_req_valid_o, dut->xlat_evt_valid_o};
    saw(valid, sizeof valid);
    if (dut->mem_rsp_valid_o)
        saw(&dut->mem_rsp_o, sizeof dut->mem_rsp_o);
    if (dut->ctl_evt_valid_o)
        saw(&dut->ctl_evt_o, sizeof dut->ctl_evt_o);
    if (dut->mem_req_valid_o)
        saw(&dut->mem_req_o, sizeof dut->mem_req_o);
    if (dut->xlat_evt_valid_o)
        saw(&dut->xlat_evt_o, sizeof dut->xlat_evt_o);
    if (dut->perf_en_i)
        saw(&dut->perf_data_o, sizeof dut->perf_data_o);
}

static void clock_once(const msg_mem_req *req, unsigned drain)
{
    dut->mem_req_valid_i = req != nullptr;
    if (req)
        put(dut->mem_req_i, *req);
    dut->mem_rsp_credit_i = held > 0 && pick(256) < drain;
    held -= dut->mem_rsp_credit_i;
    dut->xlat_evt_credit_i = !deaf && reports_open > 0 && pick(256) < drain;
    reports_open -= dut->xlat_evt_credit_i;
    dut->mem_req_credit_i = walk_held > 0 && pick(256) < drain;
    walk_held -= dut->mem_req_credit_i;
    dut->mem_rsp_valid_i = !withheld && !walk_answers.empty() && walk_answers.begin()->first <= cycle;
    if (dut->mem_rsp_valid_i) {
        put(dut->mem_rsp_i, walk_answers.begin()->second);
        walk_tags.erase(walk_answers.begin()->second.tag);
        walk_answers.erase(walk_answers.begin());
    }
    bool rests = dut->idle_o && !(dut->mem_req_valid_i | dut->mem_rsp_credit_i | dut->mem_req_credit_i | dut->mem_rsp_valid_i | dut->ctl_cmd_valid_i | dut->xlat_evt_credit_i); // nothing may happen
    dut->clk_i = 1;
    dut->eval();
    dut->clk_i = 0;
    dut->eval();
    cycle++;
    dut->ctl_cmd_valid_i = 0;
    if (rests && (!dut->idle_o | dut->mem_req_credit_o | dut->mem_rsp_valid_o | dut->ctl_evt_valid_o | dut->mem_req_valid_o | dut->xlat_evt_valid_o))
        fail("idle, but something moved", cycle, 0);
    saw_outputs();
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
    if (dut->xlat_evt_valid_o) {
        if (reports_open++ == 4)
            fail("report without credit", reports_open, 0);
        reports.push_back(get<msg_xlat_evt>(dut->xlat_evt_o));
    }
    evts += dut->ctl_evt_valid_o;
    if (dut->ctl_evt_valid_o)
        last_evt = get<msg_ctl_evt>(dut->ctl_evt_o), evt_at = cycle;
    before_evt &= !dut->ctl_evt_valid_o;
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

static void wait_all()
{
    for (unsigned i = 0; i < 20000 && !flying.empty(); i++)
        clock_once(nullptr, 256);
    if (!flying.empty())
        fail("requests without answer", flying.size(), 0), std::exit(1);
}

static void drain_all()
{
    wait_all();
    for (unsigned i = 0; i < 100; i++)
        clock_once(nullptr, 256);
    if (!dut->idle_o || credits != Depth)
        fail("not idle when all is done", credits, Depth);
}

static void command(uint8_t kind, unsigned vmid, uint64_t root, uint64_t bytes, bool wait, uint32_t flags = CACHE_INV_TLB)
{
    if (cycle == evt_at)
        clock_once(nullptr, command_drain);
    msg_ctl_cmd c = {};
    c.op = kind;
    c.id = (uint16_t)++serial;
    c.vmid = (uint8_t)vmid;
    c.flags = flags | (kind == CTL_INV && serial % 2 ? CACHE_MORE : 0); // it waits for no access of anybody: the flag changes nothing
    c.root = root;
    c.bytes = bytes;
    put(dut->ctl_cmd_i, c);
    dut->ctl_cmd_valid_i = 1;
    evts = 0;
    for (unsigned i = 0; wait && i < 4000 && evts == 0; i++)
        clock_once(nullptr, command_drain);
    if (wait && (evts != 1 || last_evt.op != kind || last_evt.id != c.id || last_evt.status != CTL_OK))
        fail("command not answered so", (uint64_t)evts << 56 | (uint64_t)last_evt.op << 48 | (uint64_t)last_evt.status << 40 | last_evt.id, c.id), std::exit(1);
}

static void new_root(unsigned vmid, uint32_t flags = 0)
{
    root_of[vmid] = owner_bits(next_table);
    next_table += 0x2000;
    command(CTL_ROOT, vmid, root_of[vmid], 0, true, flags);
}

static void traffic(const char *name, unsigned count, unsigned drain, unsigned gap)
{
    uint64_t from = cycle;
    for (unsigned i = 0; i < count; i++) {
        issue(random_vmid(), pick(50) ? random_va() : rng() >> pick(30), 1u << pick(3), drain);
        while (gap && pick(gap))
            clock_once(nullptr, drain);
    }
    drain_all();
    printf("%s: %.2f a cycle\n", name, count / double(cycle - from));
}

static void speed()
{
    for (unsigned pages : {16u, 4000u}) {
        Stopwatch w;
        uint64_t from = cycle;
        for (unsigned i = 0; i < 20000; i++)
            issue(Vmids[0], (uint64_t)pick(pages) << 12, 1, 256);
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
#include "invalidations.h"
#include "control.h"
#include "counted.h"
#include "failures.h"
#include "bounds.h"
#include "again.h"

int main(int argc, char **argv)
{
    Verilated::randReset(2); // what reset leaves alone holds anything
    dut = new Vpart_utcl2;
    dut->id_i = Gpu << 8;
    dut->ctl_cmd_valid_i = 0;
    for (int i = 0; i < 4; i++) {
        dut->clk_i = i & 1;
        dut->eval();
    }
    dut->rst_ni = 1;
    dut->clk_i = 0;
    dut->eval();
    traffic("no roots", 50, 256, 0);
    case_done("no roots");
    for (unsigned vmid : {2u, 1u, 3u, 0x41u, 0x81u, 0xc1u, 0xfeu}) {
        new_root(vmid);
        for (unsigned i = 0; i < 4; i++)
            map_large(vmid, random_va(), random_entry(true));
        for (unsigned i = 0; i < 500; i++)
            map_page(vmid, random_va(), random_entry(false));
        for (unsigned i = 0; i < 40; i++)
            map_fragment(vmid, random_va(), random_entry(false), 1 + (unsigned)pick(8));
    }
    memory[(root_of[3] & 0xfffffffff000ull) + 2 * 8] |= 16;  // leaf at the root level: no translation
    if (argc > 1 && !strcmp(argv[1], "speed")) {
        speed();
        return 0;
    }
    traffic("cold and warm", 5000, 256, 0);
    traffic("slow answers", 2000, 40, 0);
    traffic("sparse", 1500, 256, 10);
    case_done("traffic", "S3.12");
    invalidations();
    case_done("changes during walks");
    spared();
    swept();
    while_withheld();
    upper_while_withheld();
    at_each_moment();
    root_at_each_moment();
    case_done("invalidations of pages and ranges", "S3.12");
    sizes();
    case_done("sizes and misses that wait");
    counted();
    case_done("counters, cycles of lone requests", "S0.21");
    directed();
    case_done("directed");
    control();
    case_done("control messages during traffic", "S1.19, S1.20, S1.22");
    failing_translations();
    case_done("failing translations that are withheld", "S1.10");
    printf("answers %llu, of these faults %llu\n", (unsigned long long)answered, (unsigned long long)faults);
    new_root(1);  // another, empty table
    traffic("after a new root", 1000, 256, 0);
    case_done("after a new root", "S3.12");
    bounds();
    case_done("places, answers that wait, cycles of commands, turns");
    reset_again();
    case_done("a reset begins anew");
    return bench_end("part_utcl2");
}
