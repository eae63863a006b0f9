// SPDX-License-Identifier: Apache-2.0
// Bench of l1v, the vector L1 cache of a CU: random reads (some with glc), stores, atomics, translations and invalidations
// against a memory in C++ that performs requests in the order of their arrival and answers late and out of order: a read
// returns what the requests before it have left, every request of the cache carries what its instruction said, credits are
// kept, idle means that nothing moves.  Some reads are pairs: of a line and of the next one.  Directed: what stays in the cache, who
// joins a miss, who sees another writer, when a pair is one answer, when pairs are wanted.
// top: l1v
// args: -Wno-UNUSEDPARAM --x-initial unique
// mutate: next_way[base] & (Ways - 1) => next_way[base] & 0
// mutate: hit2 = hit2 && bank_of(base2) != bank_of(base); => ;
// mutate: w < 32'(from) => w > 32'(from)
// mutate: fifo[fifo_read].id   = req.id2; => ;
// mutate: bank: base[0] && Banks > 1, => bank: 1'b0,
// mutate: ram_we_q[bank_of(base)] <= 1'b1; => ram_we_q <= '1;
// mutate: hits = hits + 3'(hits != '1); => hits = hits + 3'd1;
// mutate: if (!req.bypass) hits = '0; => hits = '0;
// mutate: acquired = time_i; => acquired = {32'd0, time_i[15:0]};
// mutate: req.bypass && req.op == L1Read ? tlb_pkg::ACCESS_HOME => req.bypass && req.stream ? tlb_pkg::ACCESS_HOME
// mutate: req.stream ? MEM_READ_NC : MEM_READ => req.bypass ? MEM_READ_NC : MEM_READ
#include <algorithm>
#include <deque>
#include <map>
#include <vector>

#include "tests/rtl/case_done.h"
#include "../../mem_bench.h"
#include "Vl1v.h"

#ifndef WIDE // else by what includes this
enum { Mshrs = 16, Numbers = 64 };
#endif
enum { Read, Write, Atomic, Xlat, Inv };                             // l1_op_e
enum { TagRead = 1, TagWrite = 2, TagAtomic = 3, TagXlat = 4 };      // upper byte of a request's tag
static const unsigned Lines = 256, Ways = 4, Credits = 16, Slices = 4, Gpu = 1;
static const uint64_t Own = 2ull << 48, Far = 1ull << 48, Unowned = 7ull << 48;

struct Req {
    unsigned op, id, atomic, access, vmid, user;
    bool bypass, stream, wide, pair;
    unsigned id2; // of the next line of a pair
    uint64_t addr, mask, data[8], want[8];
};
static Vl1v *dut;
static std::map<uint64_t, uint64_t> memory;              // words as the memory has them
static std::map<uint64_t, uint64_t> expected;            // and as the requests leave them
static std::deque<Req> to_send;                          // stores, atomics, translations and reads not seen in order
static std::map<unsigned, Req> reading, acknowledging;   // by transaction or slot
static std::vector<std::pair<uint64_t, msg_mem_rsp>> answers; // due cycle
static uint64_t last_drop; // time at which all lines were dropped last
static uint64_t time_of(uint64_t at) { return at + 0xfffffffff000; } // 48 bits that are all used
static unsigned credits = Credits, sent, counted[4], paired; // paired: answers with both lines of a pair
static std::map<unsigned, Req> translating;               // by number
static uint64_t delay = 20, spread = 60;
static std::map<unsigned, bool> numbers; // of reads that memory has not answered
static size_t most;                       // of these at a time
static bool directed; // requests of reads are counted, not compared

static uint64_t word(std::map<uint64_t, uint64_t> &of, uint64_t at)
{
    auto it = of.find(at);
    return it == of.end() ? of[at] = at * 0x9e3779b97f4a7c15ull : it->second;
}

static uint64_t merged(uint64_t old, uint64_t fresh, uint64_t mask)
{
    for (unsigned b = 0; b < 8; b++)
        if (mask >> b & 1)
            old = (old & ~(0xffull << 8 * b)) | (fresh & 0xffull << 8 * b);
    return old;
}

// Additions alone: which operation it is, is checked in the request.
static uint64_t add(std::map<uint64_t, uint64_t> &of, uint64_t addr, bool wide, uint64_t operand)
{
    uint64_t was = word(of, addr & ~7ull), shift = wide ? 0 : addr % 8 * 8, mask = wide ? ~0ull : 0xffffffffull << shift;
    of[addr & ~7ull] = (was & ~mask) | ((was + (operand << shift)) & mask);
    return wide ? was : (was >> shift) & 0xffffffff;
}

static void take_request(const msg_mem_req &q)
{
    sent++;
    if (credits-- == 0)
        fail("request without credit", 0, 1);
    msg_mem_rsp a = {};
    a.op = q.op, a.tag = q.tag;
    unsigned kind = q.tag >> 24;
    auto r = to_send.begin(); // reads go out once for several, or not at all: those before it were served by the cache or joined
    while (r != to_send.end() && (r->op == Read ? kind != TagRead || r->addr >> 6 != q.addr >> 6 || r->user != q.user : false))
        r = to_send.erase(r);
    if (r == to_send.end())
        return fail("a request that nobody made", q.addr, q.op);
    static const unsigned ops[] = {MEM_READ, MEM_WRITE, MEM_ATOMIC, MEM_XLAT}, tags[] = {TagRead, TagWrite, TagAtomic, TagXlat};
    msg_mem_req w = {};
    w.op = (uint8_t)(r->stream && r->op == Read ? MEM_READ_NC : ops[r->op]), w.vmid = (uint8_t)r->vmid, w.atomic = (uint8_t)r->atomic, w.size = r->wide ? 8 : 4, w.access = (uint8_t)(r->access | (r->bypass && r->op == Read ? 8 : 0)); // 8: from home
    w.user = r->user, w.addr = r->op == Read ? r->addr & ~63ull : r->addr, w.mask = r->op == Read ? last_drop : r->mask;
    w.target = (uint8_t)(r->op == Xlat ? Slices : r->addr >> 48 == Gpu + 1 ? (r->addr >> 8) % Slices : Slices + 1);
    w.tag = tags[r->op] << 24 | (r->op == Read ? (q.tag & 255) % Mshrs : r->id);
    memcpy(w.data, r->data, 64);
    if (memcmp(&w, &q, sizeof q))
        fail("fields of a request, tag, address", q.tag, q.addr);
    to_send.erase(r);
    bool owned = q.addr >> 48 != 7;
    a.status = owned ? MEM_OK : MEM_FAULT_BUS;
    if (q.op == MEM_READ || q.op == MEM_READ_NC)
        for (unsigned i = 0; i < 8; i++)
            a.data[i] = owned ? word(memory, q.addr + 8 * i) : 0;
    if (q.op == MEM_WRITE && owned)
        for (unsigned i = 0; i < 8; i++)
            memory[q.addr + 8 * i] = merged(word(memory, q.addr + 8 * i), q.data[i], q.mask >> 8 * i & 255);
    if (q.op == MEM_ATOMIC)
        a.data[0] = add(memory, q.addr, q.size == 8, q.data[0]);
    if (q.op == MEM_XLAT)
        a.data[0] = ~q.addr, a.status = (uint8_t)(q.addr >> 12 & 3);
    answers.push_back({cycle + delay + pick(spread), a});
    if (kind == TagRead && !numbers.insert({q.tag, true}).second)
        fail("two misses have one number", q.tag, 0);
    most = std::max(most, numbers.size());
}

static void outputs()
{
    if (dut->rsp_valid_o) {
        uint64_t data[8];
        memcpy(data, &dut->rsp_o, 64);
        unsigned status = dut->rsp_o[16] & 255, pair = dut->rsp_o[16] >> 8 & 1, id = dut->rsp_o[16] >> 9 & 255;
        auto it = reading.find(id);
        if (it == reading.end())
            return fail("answer of no transaction", id, 0);
        Req r = it->second;
        if (pair) { // the words before the first one are of the next line
            auto next = reading.find(r.id2);
            if (!r.pair || next == reading.end())
                return fail("two lines for one", id, r.id2);
            memcpy(r.want, next->second.want, r.addr % 64 / 4 * 4);
            reading.erase(next);
            paired++;
        }
        unsigned want = r.addr >> 48 == 7 ? MEM_FAULT_BUS : MEM_OK;
        if (status != want)
            fail("status", status, want);
        for (unsigned i = 0; i < (r.op == Atomic ? 1u : 8u) && !want; i++)
            if (data[i] != r.want[i])
                fail(r.op == Atomic ? "old value of an atomic" : "data of a read", data[i], r.want[i]);
        reading.erase(it);
    }
    if (dut->ack_valid_o) {
        auto it = acknowledging.find(dut->ack_slot_o);
        if (it == acknowledging.end())
            return fail("acknowledge of no instruction", dut->ack_slot_o, 0);
        unsigned want = it->second.op == Write && it->second.addr >> 48 == 7 ? MEM_FAULT_BUS : MEM_OK;
        if (dut->ack_status_o != want)
            fail("status of an acknowledge", dut->ack_status_o, want);
        if (it->second.op == Inv)
            last_drop = time_of(cycle - 1) & 0xffffffffffff;
        acknowledging.erase(it);
    }
    if (dut->xlat_valid_o) {
        auto it = translating.find(dut->xlat_id_o);
        if (it == translating.end())
            return fail("translation that nobody asked for", dut->xlat_id_o, 0);
        if (dut->xlat_pte_o != ~it->second.addr || dut->xlat_status_o != (it->second.addr >> 12 & 3))
            fail("translation", dut->xlat_pte_o, ~it->second.addr);
        translating.erase(it);
    }
    for (unsigned i = 0; i < 4; i++)
        counted[i] += dut->perf_o >> i & 1;
}

static void tick(const Req *r = nullptr, bool inv = false)
{
    dut->own_gpu_i = Gpu;
    dut->req_valid_i = r != nullptr, dut->inv_i = inv, dut->hold_i = 0;
    dut->time_i = time_of(cycle) & 0xffffffffffff;
    if (inv)
        last_drop = dut->time_i;
    if (r) {
        uint32_t words[23] = {};
        unsigned at = 0;
        auto field = [&](uint64_t v, unsigned bits) {
            for (unsigned i = 0; i < bits; i++, at++)
                words[at / 32] |= (uint32_t)(v >> i & 1) << at % 32;
        };
        for (uint64_t d : r->data)
            field(d, 64);
        field(r->mask, 64), field(r->addr, 64), field(r->user, 32), field(r->vmid, 8), field(r->access, 3), field(r->wide, 1);
        field(r->atomic, 4), field(r->id2, 8), field(r->pair, 1), field(r->id, 8), field(r->stream, 1), field(r->bypass, 1), field(r->op, 3);
        memcpy((void *)&dut->req_i, words, sizeof dut->req_i);
    }
    dut->mem_req_credit_i = credits < Credits && pick(4) == 0;
    credits += dut->mem_req_credit_i;
    dut->mem_rsp_valid_i = 0;
    for (auto it = answers.begin(); it != answers.end(); ++it)
        if (it->first <= cycle) {
            put(dut->mem_rsp_i, it->second);
            dut->mem_rsp_valid_i = 1;
            numbers.erase(it->second.tag);
            answers.erase(it);
            break;
        }
    bool was_ready = dut->rsp_ready_i;
    dut->rsp_ready_i = directed || pick(4) != 0;
    bool rests = dut->idle_o && !(dut->req_valid_i | dut->inv_i | dut->mem_req_credit_i | dut->mem_rsp_valid_i | (dut->rsp_ready_i & !was_ready));
    dut->clk_i = 1, dut->eval(), dut->clk_i = 0, dut->eval();
    cycle++;
    if (rests && (!dut->idle_o | dut->rsp_valid_o | dut->ack_valid_o | dut->xlat_valid_o | dut->mem_req_valid_o))
        fail("idle, but something moved", cycle, 0);
    if (dut->mem_req_valid_o)
        take_request(get<msg_mem_req>(dut->mem_req_o));
    outputs();
}

template <typename F> static void wait_until(F done)
{
    for (unsigned i = 0; !done(); i++)
        if (tick(), i > 20000)
            fail("no answer comes", reading.size(), acknowledging.size()), exit(1);
}

static void issue(Req r)
{
    wait_until([] { return dut->req_ready_o; });
    if (r.op == Read)
        for (unsigned i = 0; i < 8; i++)
            r.want[i] = word(expected, (r.addr & ~63ull) + 8 * i);
    if (r.op == Write)
        for (unsigned i = 0; i < 8; i++)
            expected[r.addr + 8 * i] = merged(word(expected, r.addr + 8 * i), r.data[i], r.mask >> 8 * i & 255);
    if (r.op == Atomic)
        r.want[0] = add(expected, r.addr, r.wide, r.data[0]);
    if (r.op == Xlat)
        translating[r.id] = r;
    if (r.op == Read || r.op == Atomic)
        reading[r.id] = r;
    if (r.op == Write || r.op == Inv)
        acknowledging[r.id] = r;
    if (r.op != Inv)
        to_send.push_back(r);
    if (r.pair) { // as two reads
        Req next = r;
        next.addr = (r.addr | 63) + 1, next.id = r.id2, next.pair = false;
        for (unsigned i = 0; i < 8; i++)
            next.want[i] = word(expected, next.addr + 8 * i);
        reading[next.id] = next;
        to_send.push_back(next);
    }
    tick(&r);
}

static void drain()
{
    for (unsigned i = 0; i < 5000 && (!reading.empty() || !acknowledging.empty() || !translating.empty()); i++)
        tick();
    if (!reading.empty() || !acknowledging.empty() || !translating.empty())
        fail("without an answer", reading.size(), acknowledging.size());
    for (unsigned i = 0; i < 100; i++)
        tick();
    if (!dut->idle_o || credits != Credits)
        fail("not idle when all is done, credits", credits, Credits);
    to_send.clear();
}

static unsigned free_id(const std::map<unsigned, Req> &of, unsigned many)
{
    wait_until([&] { return of.size() < many; });
    unsigned id = (unsigned)pick(many);
    while (of.count(id))
        id = (id + 1) % many;
    return id;
}

static Req request(unsigned op, uint64_t addr)
{
    static unsigned user;
    Req r = {};
    r.op = op, r.addr = addr, r.user = ++user * 0x10001;
    r.id = op == Read || op == Atomic ? free_id(reading, Numbers) : op == Xlat ? free_id(translating, 8) : free_id(acknowledging, 32);
    return r;
}

static void make_pair(Req &r)
{
    wait_until([] { return reading.size() <= Numbers - 2; });
    reading[r.id] = r; // so that the other number is another
    r.id2 = free_id(reading, Numbers), r.pair = true;
    reading.erase(r.id);
}

static void traffic(unsigned count, unsigned lines)
{
    for (unsigned n = 0; n < count; n++) {
        unsigned kind = (unsigned)pick(40);
        uint64_t owner = pick(8) ? Own : pick(4) ? Far : Unowned;
        Req r = request(kind < 24 ? Read : kind < 33 ? Write : kind < 37 ? Atomic : kind < 39 ? Xlat : Inv, owner | pick(lines) * 64);
        r.bypass = r.op == Read && pick(5) == 0, r.stream = r.user & 1;
        r.vmid = (unsigned)pick(256), r.access = (unsigned)pick(8);
        for (uint64_t &d : r.data)
            d = rng();
        r.mask = r.op == Write ? (pick(3) ? rng() : ~0ull) : rng();
        if (r.op == Read)
            r.addr += pick(64);
        if (r.op == Read && pick(3) == 0)
            make_pair(r);
        if (r.op == Atomic)
            r.atomic = (unsigned)pick(13), r.wide = pick(2), r.addr = (r.addr & ~(7ull << 48)) | Own | (r.wide ? pick(8) * 8 : pick(16) * 4);
        if (r.op == Xlat)
            r.addr = rng() >> 24;
        issue(r);
        if (pick(200) == 0)
            tick(nullptr, true);
        for (uint64_t i = pick(3) ? 0 : pick(30); i > 0; i--)
            tick();
    }
    drain();
}

// ---- directed: how many requests reads cost
static unsigned cost(uint64_t line, bool bypass = false)
{
    unsigned before = sent;
    Req r = request(Read, Own | line * 64);
    r.bypass = bypass;
    issue(r);
    drain();
    return sent - before;
}

static void empty()
{
    tick(nullptr, true);
    drain();
}

static void replacement()
{
    empty();
    for (unsigned n = 0; n < Lines; n++)
        cost(n);
    for (unsigned n = 0; n < Lines; n++)
        if (cost(n))
            fail("a working set of the size of the cache does not stay, line", n, Lines);
    for (unsigned b = 8; b < 42; b++) // lines whose addresses differ in one bit are different ones
        if (cost(1ull << b) != 1)
            fail("a line was taken for another, bit", b, 1);
    empty();
    for (unsigned n = 0; n < Lines; n++)
        if (cost(n) != 1)
            fail("an invalidation kept line", n, 1);
}

// Another writer changes a line: who may see the old one, and who must see the new one.
static void change(uint64_t line)
{
    for (unsigned i = 0; i < 8; i++)
        memory[(Own | line * 64) + 8 * i] = expected[(Own | line * 64) + 8 * i] = rng();
}

static void fresh_reads()
{
    empty();
    change(5);
    if (cost(5) != 1 || cost(5) != 0)
        fail("a line that was read is read again", 0, 1);
    change(5);
    if (cost(5, true) != 1) // its data are compared: the new ones
        fail("glc is served by the cache", 0, 1);
    if (cost(5) != 1)
        fail("glc keeps a line, the old or the new one", 0, 1);
    for (unsigned second = 0; second < 2; second++) { // a read is under way while the line changes: who comes then joins it or not
        empty();
        unsigned before = sent;
        issue(request(Read, Own | 9 * 64));
        for (unsigned i = 0; i < 10; i++)
            tick();
        if (second)
            change(9);
        Req r = request(Read, Own | 9 * 64);
        r.bypass = second;
        issue(r);
        drain();
        if (sent - before != 1 + second)
            fail(second ? "glc joins a miss, requests" : "a reader does not join a miss, requests", sent - before, 1 + second);
    }
    empty();
    unsigned before = sent; // behind a read with glc nobody joins either: it is not kept
    Req r = request(Read, Own | 11 * 64);
    r.bypass = true;
    issue(r);
    for (unsigned i = 0; i < 10; i++)
        tick();
    change(11);
    issue(request(Read, Own | 11 * 64));
    drain();
    if (sent - before != 2)
        fail("a reader joins one with glc, requests", sent - before, 2);
}

// A store goes to the line of the last of many misses: who comes behind it sees it, and what the miss brings is not kept.
static void store_to_a_miss()
{
    empty();
    delay = 1000;
    for (unsigned n = 0; n < Mshrs - 4; n++)
        issue(request(Read, Own | (5000 + n) * 64));
    Req w = request(Write, Own | (5000 + Mshrs - 5) * 64);
    w.mask = ~0ull, w.data[0] = rng();
    issue(w);
    issue(request(Read, w.addr));
    drain();
    delay = 20;
    if (cost(5000 + Mshrs - 6) != 0)
        fail("the line of a miss without a store is kept", 1, 0);
    issue(request(Read, w.addr));
    drain();
}

// One line a cycle: 64 bytes a clock.
static void rate()
{
    empty();
    for (unsigned n = 0; n < 32; n++)
        cost(n);
    uint64_t from = cycle;
    for (unsigned n = 0; n < 1000; n++)
        issue(request(Read, Own | n % 32 * 64));
    if (cycle - from > 1010)
        fail("cycles of 1000 hits", cycle - from, 1000);
    drain();
}

// Both lines kept and in two banks: one answer.  63 and 64 are in one.  With glc, or of an uncached page, two reads of memory.
static void pairs()
{
    static const struct { unsigned line, kept, answers, requests; bool bypass; } Cases[] = {
        {62, 3, 1, 0}, {63, 3, 2, 0}, {64, 3, 1, 0}, {4, 1, 2, 1}, {4, 2, 2, 1}, {4, 0, 2, 2}, {62, 3, 2, 2, true}, {4, 1, 2, 2, true}};
    for (auto &c : Cases)
        for (unsigned first = 0; first < 16; first++) {
            empty();
            for (unsigned i = 0; i < 2; i++)
                if (c.kept >> i & 1)
                    cost(c.line + i);
            unsigned was = paired, before = sent;
            Req r = request(Read, Own | (c.line * 64 + first * 4));
            make_pair(r);
            r.bypass = c.bypass;
            issue(r);
            drain();
            if (paired - was != (c.answers == 1) || sent - before != c.requests)
                fail("a pair, answers with both lines, line", paired - was, c.line);
        }
}

// Pairs are wanted when seven loads have hit one after the other, those with glc apart.
static void wanted()
{
    empty();
    cost(7);
    for (unsigned n = 0; n < 20; n++) {
        if (dut->pairs_o != (n >= 7))
            fail("pairs are wanted after hits", dut->pairs_o, n);
        cost(7);
        if (n == 5 || n == 12)
            cost(8, true);
    }
    cost(9);
    if (dut->pairs_o)
        fail("pairs are wanted after a miss", 1, 0);
    for (unsigned n = 0; n < 8; n++)
        cost(9);
    empty();
    if (dut->pairs_o)
        fail("pairs are wanted of an empty cache", 1, 0);
}

static void counters()
{
    empty();
    unsigned was[4];
    memcpy(was, counted, sizeof was);
    issue(request(Read, Own | 64)), issue(request(Read, Own | 64)), issue(request(Read, Own | 64));
    drain();
    cost(1);
    Req w = request(Write, Own | 64);
    w.mask = 1;
    issue(w), issue(request(Atomic, Own | 64));
    drain();
    static const unsigned want[4] = {1, 1, 2, 2}; // hit, miss, joined, store or atomic
    for (unsigned i = 0; i < 4; i++)
        if (counted[i] - was[i] != want[i])
            fail("counter", counted[i] - was[i], want[i]);
}

int main()
{
    Verilated::randReset(2); // what reset leaves alone holds anything
    dut = new Vl1v;
    for (int i = 0; i < 4; i++)
        dut->clk_i = i & 1, dut->eval();
    dut->time_i = 0, dut->clk_i = 0, dut->eval(), dut->clk_i = 1, dut->eval();
    dut->rst_ni = 1, dut->clk_i = 0, dut->eval();
    last_drop = 0; // the reset, with time_i 0
    traffic(20000, 40);
    traffic(10000, 2000);
    delay = 800;
    traffic(5000, 2000);
    traffic(5000, 250);
    delay = 20;
    if (most < (Mshrs < 64 ? Mshrs : 65))
        fail("misses under way at a time", most, Mshrs);
    case_done("traffic");
    directed = true;
    replacement();
    case_done("replacement");
    fresh_reads();
    case_done("fresh_reads");
    store_to_a_miss();
    rate();
    case_done("rate");
    pairs();
    case_done("pairs");
    wanted();
    case_done("wanted");
    counters();
    case_done("counters");
    return bench_end("l1v");
}
