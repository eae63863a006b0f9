// SPDX-License-Identifier: Apache-2.0
// Bench of rtl/tlb/utcl2.sv: random translations over several address spaces while tables, roots and rights change and
// are invalidated, with slow, reordered walk reads and back-pressure, against a history of what each page was when.
// A request may get any value that was valid between its sending and its answer; nothing that an invalidation ended
// before it was sent; a fault that was mapped before it was sent never.  A second instance is evaluated only when it is
// not idle and must behave the same.  Not responsible for: the crossbar, L2 slices.  Carries S0.4.
// top: utcl2
// sources: build/gen/gantry_msg_pkg.sv rtl/common/pick_pkg.sv rtl/tech/ram_1r1w.sv rtl/tlb/tlb_pkg.sv rtl/tlb/utcl2.sv
// args: -Irtl/common -GEntries=64 -GWays=4 -GWalks=4 -GNumSlices=4 --x-initial unique
// mutant: -GSeedFault=3'd1
// mutant: -GSeedFault=3'd2
#include <map>
#include <vector>

#include "../../mem_bench.h"
#include "Vutcl2.h"

namespace {
constexpr unsigned Gpu = 1, Owner = Gpu + 1, Slices = 4, Depth = 16, Vmids = 4, Pages = 48;
constexpr uint64_t Never = ~0ull, OffsetBits = 0x0000fffffffff000, AddrBits = 0x00fffffffffff000;
const uint8_t vmid_of[Vmids] = {1, 2, 9, 200};
struct Value {
    uint64_t pte, from, dead; // dead: requests sent after this cycle may no longer get it
    bool replaced;
};
struct Request {
    unsigned space, page;
    uint8_t access, source, gpu;
    uint64_t sent;
    bool beyond;
};
struct Read {
    msg_mem_req req;
    uint64_t data[8];
    bool sampled;
};
std::vector<uint64_t> memory(1 << 20); // page tables, by 8 bytes
uint64_t free_page = 0x40000, root_of[Vmids], vpn_of[Pages];
bool root_set[Vmids];
std::vector<Value> history[Vmids][Pages];
std::map<uint32_t, Request> waiting;
std::vector<Read> reads;
uint32_t next_tag = 1;
uint64_t answered, counted[6], faults, reads_seen, stray;

bool chance(unsigned percent) { return pick(100) < percent; }
uint64_t &word(uint64_t pa) { return memory[(pa & 0xffffffffffff) / 8 % memory.size()]; }

uint64_t new_table(unsigned pages)
{
    uint64_t at = free_page;
    free_page += pages * 4096;
    return (uint64_t)(chance(10) ? 4 : Owner) << 48 | at; // some tables lie in far memory
}

uint64_t random_leaf(bool big)
{
    const uint64_t rights[] = {2, 6, 10, 14, 6, 6};
    uint64_t pa = rng() & (big ? 0x0000ffffffe00000 : OffsetBits);
    return (uint64_t)pick(4) << 48 | pa | pick(2) * 32 | rights[pick(6)] | 16 | 1;
}

uint64_t walk(unsigned space, uint64_t vpn)
{
    if (!root_set[space])
        return 0;
    uint64_t e = word(root_of[space] + (vpn >> 18) * 8);
    if (!(e & 1) || e & 16)
        return 0;
    e = word((e & AddrBits) + (vpn >> 9 & 511) * 8);
    if (!(e & 1))
        return 0;
    if (e & 16)
        return e | (vpn & 511) << 12;
    e = word((e & AddrBits) + (vpn & 511) * 8);
    return (e & 17) == 17 ? e : 0;
}

// After any change: the values of today.
void refresh(unsigned space)
{
    for (unsigned p = 0; p < Pages; p++) {
        uint64_t now = walk(space, vpn_of[p]);
        std::vector<Value> &h = history[space][p];
        if (!h.empty() && h.back().pte == now)
            continue;
        if (!h.empty()) {
            h.back().replaced = true;
            if (!h.back().pte)
                h.back().dead = cycle; // faults are not kept
        }
        h.push_back({now, cycle, Never, false});
    }
}

void invalidated(unsigned vmid, uint64_t before)
{
    for (unsigned s = 0; s < Vmids; s++)
        for (auto &h : history[s]) {
            if (vmid != 255 && vmid_of[s] != vmid)
                continue;
            for (size_t i = 0; i + 1 < h.size(); i++)
                if (h[i].dead == Never && h[i + 1].from <= before)
                    h[i].dead = cycle;
            while (h.size() > 64)
                h.erase(h.begin());
        }
}

void change(unsigned space)
{
    uint64_t vpn = vpn_of[pick(Pages)];
    uint64_t &top = word(root_of[space] + (vpn >> 18) * 8);
    if (!(top & 1))
        top = new_table(1) | 1;
    uint64_t &middle = word((top & AddrBits) + (vpn >> 9 & 511) * 8);
    if (chance(5)) {
        middle = chance(60) ? random_leaf(true) : 0;
    } else {
        if ((middle & 17) != 1)
            middle = new_table(1) | 1;
        word((middle & AddrBits) + (vpn & 511) * 8) = chance(75) ? random_leaf(false) : chance(50) ? 0 : rng() & ~17ull;
    }
    refresh(space);
}

uint8_t status_of(uint64_t pte, uint8_t access)
{
    if (!(pte & 1))
        return MEM_FAULT_NOT_PRESENT;
    if (access & 4 && !(pte & 8))
        return MEM_FAULT_NO_EXECUTE;
    if (access & 2 && !(pte & 4))
        return MEM_FAULT_READ_ONLY;
    return access & 1 && !(pte & 2) ? MEM_FAULT_NOT_PRESENT : MEM_OK;
}

void check_answer(const msg_mem_rsp &a)
{
    auto w = waiting.find(a.tag);
    if (w == waiting.end())
        return fail("answer that nobody waits for", a.tag, 0);
    const Request &q = w->second;
    if (a.op != MEM_XLAT || a.source != q.source || a.gpu != q.gpu)
        fail("answer to somebody else", a.source, q.source);
    bool good = q.beyond && !a.data[0] && a.status == MEM_FAULT_NOT_PRESENT;
    for (const Value &v : history[q.space][q.page])
        good = good || (!q.beyond && v.dead >= q.sent && a.data[0] == v.pte && a.status == status_of(v.pte, q.access));
    if (!good)
        fail("translation", a.data[0], q.beyond ? 0 : history[q.space][q.page].back().pte);
    faults += a.status != MEM_OK;
    answered++;
    waiting.erase(w);
}

struct Bench {
    Vutcl2 all, skipped; // the second is evaluated only when it is not idle
    bool was_idle = false;
    unsigned room = Depth, owed = 0, read_owed = 0; // requests we may send; credits that we owe
    uint64_t evaluated = 0;

    void clock(bool input)
    {
        for (int level = 0; level < 2; level++) {
            all.clk_i = level;
            all.eval();
        }
        bool quiet = was_idle && !input;
        if (!quiet) {
            for (int level = 0; level < 2; level++) {
                skipped.clk_i = level;
                skipped.eval();
            }
            evaluated++;
        }
        was_idle = skipped.idle_o;
        unsigned a = outputs(all), b = quiet ? 0 : outputs(skipped);
        if (a != b || (a & 1 && memcmp((void *)&all.mem_rsp_o, (void *)&skipped.mem_rsp_o, sizeof(msg_mem_rsp))))
            fail("skipping idle cycles changed something", b, a);
    }
    static unsigned outputs(Vutcl2 &t)
    {
        return t.mem_rsp_valid_o | t.mem_req_valid_o << 1 | t.mem_req_credit_o << 2 | t.blk_evt_valid_o << 3 | t.count_o << 4;
    }
    template <class Fn> void both(Fn fn) { fn(all), fn(skipped); }
};

Request random_request(unsigned spread)
{
    Request q = {};
    q.space = (unsigned)pick(Vmids);
    q.page = (unsigned)pick(spread);
    q.access = (const uint8_t[]){1, 2, 4, 3}[pick(4)];
    q.source = (uint8_t)pick(80);
    q.gpu = (uint8_t)pick(8);
    q.beyond = chance(1);
    q.sent = cycle;
    return q;
}

void send(Bench &b, const Request &q)
{
    msg_mem_req m = {};
    m.op = MEM_XLAT, m.vmid = vmid_of[q.space], m.access = q.access, m.source = q.source, m.gpu = q.gpu, m.tag = next_tag++;
    m.addr = vpn_of[q.page] << 12 | pick(4096) | (q.beyond ? 1ull << (40 + pick(24)) : 0);
    waiting[m.tag] = q;
    b.both([&](Vutcl2 &t) { put(t.mem_req_i, m), t.mem_req_valid_i = 1; });
    b.room--;
}

void sample(Read &r)
{
    for (unsigned i = 0; i < 8; i++)
        r.data[i] = word(r.req.addr + i * 8);
    r.sampled = true;
}

void answer_read(Bench &b)
{
    size_t k = pick(reads.size());
    Read r = reads[k];
    reads.erase(reads.begin() + (long)k);
    if (!r.sampled)
        sample(r);
    msg_mem_rsp a = {};
    a.op = MEM_READ_NC, a.tag = r.req.tag, a.source = 77;
    memcpy(a.data, r.data, sizeof a.data);
    b.both([&](Vutcl2 &t) { put(t.mem_rsp_i, a), t.mem_rsp_valid_i = 1; });
}

struct Command {
    msg_blk_cmd cmd;
    bool busy;
    uint64_t sent;
} command;

// One command at a time: a root that changes, or an invalidation.
void command_send(Bench &b)
{
    unsigned s = (unsigned)pick(Vmids);
    msg_blk_cmd c = {};
    c.vmid = chance(20) ? 255 : vmid_of[s];
    c.kind = chance(15) ? BLK_VMID : BLK_INV;
    c.flags = chance(90) ? CACHE_INV_TLB | CACHE_INV_L2 : CACHE_INV_L2;
    if (c.kind == BLK_VMID) {
        c.vmid = vmid_of[s];
        root_set[s] = !root_set[s] || chance(30);
        c.root = root_set[s] ? root_of[s] : 0;
        refresh(s);
    }
    command = {c, true, cycle};
    b.both([&](Vutcl2 &t) { put(t.blk_cmd_i, c), t.blk_cmd_valid_i = 1; });
}

void collect(Bench &b)
{
    Vutcl2 &t = b.all;
    if (t.mem_rsp_valid_o) {
        check_answer(get<msg_mem_rsp>(t.mem_rsp_o));
        if (++b.owed > Depth)
            fail("answer credit overdrawn", b.owed, Depth);
    }
    if (t.mem_req_valid_o) {
        Read r = {get<msg_mem_req>(t.mem_req_o), {}, false};
        uint64_t owner = r.req.addr >> 48;
        if (r.req.op != MEM_READ_NC || r.req.addr & 63 || r.req.target != (owner == Owner ? r.req.addr >> 8 & (Slices - 1) : Slices + 1))
            fail("table read", r.req.target, owner);
        if ((r.req.addr & OffsetBits) >= free_page)
            fail("table read outside the tables", r.req.addr, free_page);
        for (const Read &o : reads)
            stray += o.req.tag == r.req.tag;
        if (chance(50))
            sample(r);
        reads.push_back(r);
        reads_seen++;
        if (++b.read_owed > Depth)
            fail("read credit overdrawn", b.read_owed, Depth);
    }
    if (t.blk_evt_valid_o) {
        if (!command.busy || get<msg_blk_evt>(t.blk_evt_o).kind != command.cmd.kind)
            fail("event without a command", command.cmd.kind, 0);
        if (command.cmd.kind == BLK_INV && command.cmd.flags & CACHE_INV_TLB)
            invalidated(command.cmd.vmid, command.sent);
        command.busy = false;
    }
    b.room += t.mem_req_credit_o;
    for (unsigned i = 0; i < 6; i++)
        counted[i] += t.count_o >> i & 1;
}

void step(Bench &b, unsigned load, unsigned spread, unsigned drain, unsigned memory_speed, bool changes)
{
    b.both([](Vutcl2 &t) {
        t.mem_req_valid_i = t.mem_rsp_valid_i = t.blk_cmd_valid_i = t.mem_rsp_credit_i = t.mem_req_credit_i = 0;
    });
    bool input = false;
    if (changes && chance(1))
        change((unsigned)pick(Vmids));
    if (b.room && chance(load))
        send(b, random_request(spread)), input = true;
    if (!reads.empty() && chance(memory_speed))
        answer_read(b), input = true;
    if (changes && !command.busy && pick(400) == 0)
        command_send(b), input = true;
    if (b.owed && chance(drain))
        b.owed--, b.both([](Vutcl2 &t) { t.mem_rsp_credit_i = 1; }), input = true;
    if (b.read_owed && chance(drain))
        b.read_owed--, b.both([](Vutcl2 &t) { t.mem_req_credit_i = 1; }), input = true;
    b.clock(input);
    collect(b);
    cycle++;
}

void setup(Bench &b)
{
    for (unsigned p = 0; p < Pages; p++) // neighbours, some 2 MiB regions, far corners
        vpn_of[p] = p < 24 ? 0x12340 + p : p < 40 ? 0x80000 + pick(3) * 512 + pick(512) : pick(1 << 28);
    for (unsigned s = 0; s < Vmids; s++) {
        root_of[s] = (uint64_t)Owner << 48 | free_page;
        free_page += 8192;
        refresh(s);
        for (int i = 0; i < 150; i++)
            change(s);
    }
    b.both([](Vutcl2 &t) { t.own_gpu_i = Gpu, t.rst_ni = 0; });
    b.clock(true);
    b.clock(true);
    b.both([](Vutcl2 &t) { t.rst_ni = 1; });
    b.was_idle = false;
    for (unsigned s = 0; s < Vmids - 1; s++) { // the last address space begins without a root
        msg_blk_cmd c = {};
        c.kind = BLK_VMID, c.vmid = vmid_of[s], c.root = root_of[s];
        root_set[s] = true;
        refresh(s);
        command = {c, true, cycle};
        b.both([&](Vutcl2 &t) { put(t.blk_cmd_i, c), t.blk_cmd_valid_i = 1; });
        for (int i = 0; i < 2; i++)
            step(b, 0, 1, 50, 50, false);
        b.both([&](Vutcl2 &t) { put(t.blk_cmd_i, c), t.blk_cmd_valid_i = 0; });
    }
}

void drain(Bench &b)
{
    for (int i = 0; i < 5000 && (!waiting.empty() || command.busy || b.owed || b.read_owed); i++)
        step(b, 0, 1, 70, 70, false);
    step(b, 0, 1, 70, 70, false);
}

// Hits stream at one a cycle.
void check_rate(Bench &b)
{
    drain(b);
    for (int i = 0; i < 40; i++) // one page of each address space
        step(b, 30, 1, 100, 100, false);
    drain(b);
    uint64_t before = answered, start = cycle;
    Stopwatch watch;
    while (answered - before < 2000 && cycle - start < 10000)
        step(b, 100, 1, 100, 100, false);
    printf("2000 hits: %lu cycles\n", (unsigned long)(cycle - start));
    if (cycle - start > 2020)
        fail("hits do not stream", cycle - start, 2010);
}
} // namespace

int main()
{
    Verilated::randReset(2);
    Verilated::randSeed(7);
    static Bench b;
    setup(b);
    const struct {
        unsigned load, spread, drain, memory;
    } phases[] = {{100, 48, 100, 90}, {60, 6, 60, 10}, {20, 48, 60, 30}, {3, 20, 50, 20}, {100, 24, 15, 50}, {100, 48, 80, 5}};
    for (unsigned round = 0; round < 4; round++)
        for (const auto &p : phases)
            for (unsigned i = 0; i < 6000; i++)
                step(b, p.load, p.spread, p.drain, p.memory, true);
    drain(b);
    uint64_t sum = counted[0] + counted[1] + counted[2];
    if (!waiting.empty() || !b.all.idle_o)
        fail("requests without an answer", waiting.size(), 0);
    if (sum != answered || counted[4] != faults || counted[5] != reads_seen || counted[3] > counted[1] || stray)
        fail("counters", sum, answered);
    if (counted[0] < 10000 || counted[2] < 1000 || counted[3] < 5000 || faults < 1000)
        fail("too little traffic", counted[0], 10000);
    printf("%lu translations: hit %lu miss %lu merged %lu walks %lu faults %lu reads %lu; %lu of %lu cycles evaluated\n",
           (unsigned long)answered, (unsigned long)counted[0], (unsigned long)counted[1], (unsigned long)counted[2],
           (unsigned long)counted[3], (unsigned long)counted[4], (unsigned long)counted[5], (unsigned long)b.evaluated,
           (unsigned long)cycle);
    root_set[0] = root_set[0] && true;
    check_rate(b);
    return bench_end("utcl2");
}
