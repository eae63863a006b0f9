// SPDX-License-Identifier: Apache-2.0
// The cache of far lines between random requesters and an engine that answers in any order: a load finds all that this GPU has
// stored before it and nothing older than the acquire that it names, one from home what home has; every message once and whole;
// what is kept is not asked for again, what must not be kept is; faults, full files, holds, discards.
// Not responsible for: the engine (../rdma), control messages as such (../part_rdma_control).
// top: rdma_cache
// opt: -O0
// args: -Irtl/common -GSets=8 -GWays=4 -GFills=12 -GDepth=8 --x-initial unique
// mutate: if (filling[s1_q.set] != '0) spoilt[s1_q.set] = 1'b1; => if (filling[s1_q.set] == 9'd1) spoilt[s1_q.set] = 1'b1;
// mutate: stamp: time_i, line => stamp: time_i + 48'd40, line
// mutate: fresh[w] = tags[w].stamp >= s1_q.tag.stamp => fresh[w] = 1'b1
// mutate: stamp: time_i, line => stamp: s1_q.tag.stamp, line
// mutate: (match == '0 || fresh == '0)) begin => match == '0) begin
// mutate: if (match == '0) way = l2_tags => way = l2_tags
// mutate: s1_req_q.op == MEM_ATOMIC) valid => s1_req_q.op == MEM_READ) valid
// mutate: line_we_q    <= s1_req_q.mask; => line_we_q <= '1;
// mutate: s1_rsp_q.status == MEM_OK && => 1'b1 &&
// mutate: free_count != '0 && !spoilt[s1_q.set] => free_count != '0
// mutate: if (filling[s1_q.set] == '0) spoilt[s1_q.set] = 1'b0; => if (filling[s1_q.set] == '1) spoilt[s1_q.set] = 1'b0;
// mutate: (tag_we_q && tag_set_q == set0) => 1'b0
// mutate: (s1_q.valid && s1_q.answer && s1_q.mark.kept && s1_q.set == set0) => 1'b0
// mutate: match = match & valid[s1_q.set]; => match = match & All;
// mutate: s2_rsp_q.tag[23:8] <= '0; => ;
// mutate: recent[s1_q.set] = l2_tags_pkg::used(recent[s1_q.set], '0, match, All); => ;
// mutate: Cw'(s1_q.valid && !s1_q.answer) => Cw'(s1_q.valid)
// mutate: Cw'(s1_q.valid) + Cw'(s2_q.valid) + Cw'(s3_q.valid) => Cw'(s1_q.valid) + Cw'(s2_q.valid)
// mutate: down_q != '0 && !hold_take_i && => down_q != '0 &&
// mutate: up_q != '0 && !hold_all_i; => up_q != '0;
// mutate: if (!hold_all_i) begin => if (1'b1) begin
// mutate: !stages && !far_rsp_valid_i && !rsp_valid && => !stages && !far_rsp_valid_i &&
// mutate: (m.access & tlb_pkg::ACCESS_HOME) == 8'd0 => 1'b1
// mutate: m.addr[55:48] != 8'd0 => 1'b1
// mutate: m.op == MEM_READ && => (m.op == MEM_READ || m.op == MEM_READ_NC) &&
#include <array>
#include <deque>
#include <map>
#include <vector>

#include "../../mem_bench.h"
#include "Vrdma_cache.h"
#include "tests/rtl/case_done.h"

namespace {
constexpr unsigned Depth = 8, Lines = 8 * 4, Fills = 12, FromHome = 8;
using Line = std::array<uint64_t, 8>;
using Addr = uint64_t;
Vrdma_cache *dut;

// Words 0 to 3 of a line belong to this GPU, 4 to 7 to others: of the first a load finds exactly what was stored before it,
// of the others a version that was there since the last invalidation before the load.
struct Home {
    Line words{};
    std::vector<std::pair<uint64_t, Line>> versions; // cycle until which it stood
};
std::map<Addr, Home> home;
std::map<Addr, Line> own; // as requests are taken in
uint64_t acquired[4] = {1, 1, 1, 1}; // cycle of the last acquire of each of four CUs
bool faulty(Addr a) { return (a >> 6) % 29 == 7; }

struct Open {
    uint64_t serial;
    msg_mem_req req;
    Line want;      // own words
    uint64_t since; // no version older than that
    bool exact;     // from home: what it was asked there is in `found`
    bool went;
    Line found;
};
std::map<uint32_t, Open> open; // by tag
struct Sent {
    uint64_t serial;
    bool may_stay;
};
std::deque<Sent> order; // requests that the engine has not seen; those that may stay and that it does not see are hits
uint64_t serial;
std::deque<std::pair<msg_mem_rsp, uint64_t>> engine; // answers that wait, in any order
unsigned req_room = Depth, rsp_owed, far_owed, back_room = Depth, hits, misses, count_hits, count_misses, answered;
bool sends = true, answers = true, host_only = false;
bool take = false, all = false; // holds
bool give_rsp = true, give_far = true; // credits come back
std::vector<uint32_t> dropped;
unsigned narrow = 40, loads = 5; // lines in use; loads that may stay, in (loads + 5) requests
unsigned moved;

Addr address()
{
    const uint64_t owner = host_only || pick(12) == 0 ? 0 : 2 + pick(2);
    return owner << 48 | pick(narrow) << 6;
}

Line &words_of(Addr a) { return home[a].words; }
void change(Addr a, const Line &to)
{
    Home &h = home[a];
    h.versions.push_back({cycle, h.words});
    h.words = to;
}

// What home does with it, when it comes there.
msg_mem_rsp served(const msg_mem_req &q, Line *found)
{
    msg_mem_rsp a = {};
    a.op = q.op, a.source = q.source, a.gpu = q.gpu, a.tag = q.tag;
    const Addr at = q.addr & ~63ull;
    if (faulty(at)) {
        a.status = MEM_FAULT_BUS;
        for (unsigned i = 0; i < 8; i++)
            a.data[i] = ~0ull;
        return a;
    }
    Line w = words_of(at);
    *found = w;
    if (q.op == MEM_READ || q.op == MEM_READ_NC)
        memcpy(a.data, w.data(), 64);
    if (q.op == MEM_WRITE) {
        for (unsigned b = 0; b < 64; b++)
            if (q.mask >> b & 1)
                reinterpret_cast<uint8_t *>(w.data())[b] = reinterpret_cast<const uint8_t *>(q.data)[b];
        change(at, w);
    }
    if (q.op == MEM_ATOMIC) { // an addition to one of the words of this GPU
        a.data[0] = w[q.addr / 8 % 8];
        w[q.addr / 8 % 8] += q.data[0];
        change(at, w);
    }
    return a;
}

msg_mem_req request()
{
    msg_mem_req r = {};
    do
        r.tag = (uint32_t)pick(3) << 24 | (uint32_t)pick(256);
    while (open.count(r.tag));
    r.addr = address();
    r.user = (uint32_t)rng(), r.vmid = (uint8_t)pick(16), r.target = 17;
    r.access = 1, r.source = (uint8_t)(pick(10) << 2 | pick(4));
    Line &mine = own[r.addr];
    switch (pick(5 + loads)) {
    case 0:
    case 1:
        r.op = MEM_WRITE;
        r.mask = pick(4) ? rng() & 0xffffffff : 0xffffffff;
        for (unsigned i = 0; i < 8; i++)
            r.data[i] = rng();
        if (!faulty(r.addr))
            for (unsigned b = 0; b < 32; b++)
                if (r.mask >> b & 1)
                    reinterpret_cast<uint8_t *>(mine.data())[b] = reinterpret_cast<const uint8_t *>(r.data)[b];
        break;
    case 2: {
        const unsigned word = (unsigned)pick(4);
        r.op = MEM_ATOMIC, r.size = 8, r.atomic = ATOMIC_ADD, r.data[0] = rng();
        if (!faulty(r.addr))
            mine[word] += r.data[0];
        r.addr += 8 * word;
        break;
    }
    case 3:
        r.op = MEM_READ_NC;
        break;
    case 4:
        r.op = MEM_READ, r.access = 1 | FromHome;
        break;
    default:
        r.op = MEM_READ;
    }
    if (r.op == MEM_READ)
        r.mask = acquired[r.source % 4];
    return r;
}

bool reads(const msg_mem_req &q) { return q.op == MEM_READ || q.op == MEM_READ_NC; }
bool may_stay(const msg_mem_req &q) { return q.op == MEM_READ && !(q.access & FromHome) && q.addr >> 48; }

void at_engine(msg_mem_req q)
{
    const uint32_t tag = q.tag & 0xff0000ffu, mark = q.tag & 0x00ffff00u;
    auto it = open.find(tag);
    if (it == open.end() || it->second.went)
        return fail("the engine is asked for nothing that was asked", q.tag, 0);
    Open &o = it->second;
    o.went = true;
    if (mark && !may_stay(o.req))
        fail("a mark on what must not be kept", mark, 0);
    msg_mem_req plain = q;
    plain.tag = tag;
    if (memcmp(&plain, &o.req, sizeof plain))
        fail("a request was changed", plain.addr, o.req.addr);
    while (!order.empty() && order.front().serial != o.serial) { // those before it are hits
        if (!order.front().may_stay)
            fail("a request was overtaken", order.front().serial, o.serial);
        order.pop_front(), hits++;
    }
    if (!order.empty())
        order.pop_front();
    misses += may_stay(o.req);
    o.exact = true;
    engine.push_back({served(q, &o.found), cycle + pick(60)});
}

void answered_one(const msg_mem_rsp &a)
{
    auto it = open.find(a.tag);
    if (it == open.end())
        return fail("an answer to nothing", a.tag, 0);
    const Open o = it->second;
    open.erase(it);
    answered++;
    if (!o.went && !may_stay(o.req))
        fail("answered here", o.req.op, MEM_READ);
    if (a.op != o.req.op || a.source != o.req.source || a.gpu != o.req.gpu)
        fail("an answer with other fields", a.op, o.req.op);
    if (faulty(o.req.addr & ~63ull)) {
        if (a.status != MEM_FAULT_BUS)
            fail("a fault without its status", a.status, MEM_FAULT_BUS);
        return;
    }
    if (a.status != MEM_OK)
        fail("status", a.status, MEM_OK);
    if (o.req.op == MEM_ATOMIC && a.data[0] != o.want[o.req.addr / 8 % 8])
        fail("old value of an atomic", a.data[0], o.want[o.req.addr / 8 % 8]);
    if (!reads(o.req))
        return;
    for (unsigned i = 0; i < 4; i++)
        if (a.data[i] != o.want[i])
            fail(o.went ? "own word of a miss" : "own word of a hit", a.data[i], o.want[i]);
    if (o.went) {
        if (memcmp(a.data, o.found.data(), 64))
            fail("not what home had", a.data[4], o.found[4]);
        return;
    }
    const Home &h = home[o.req.addr];
    bool known = !memcmp(&a.data[4], &h.words[4], 32);
    for (size_t n = h.versions.size(); n-- && !known && h.versions[n].first >= o.since;)
        known = !memcmp(&a.data[4], &h.versions[n].second[4], 32);
    if (!known)
        fail("an old line", a.data[4], h.words[4]);
}

// A CU acquires, or all of them.
void acquire(bool all_cus = false)
{
    acquired[pick(4)] = cycle;
    for (unsigned n = 0; n < 4 && all_cus; n++)
        acquired[n] = cycle;
}

void step(bool discard = false, bool discarded = false)
{
    dut->mem_req_valid_i = dut->far_rsp_valid_i = dut->mem_rsp_credit_i = dut->far_req_credit_i = 0;
    dut->time_i = cycle, dut->discard_i = discard, dut->discarded_i = discarded;
    dut->hold_take_i = take || all, dut->hold_all_i = all;
    if (sends && req_room && open.size() < 200 && pick(4)) {
        const msg_mem_req r = request();
        open[r.tag] = {++serial, r, own[r.addr & ~63ull], r.mask, false, false, {}};
        if (r.op == MEM_ATOMIC && !faulty(r.addr & ~63ull))
            open[r.tag].want[r.addr / 8 % 8] -= r.data[0];
        order.push_back({serial, may_stay(r)});
        put(dut->mem_req_i, r), dut->mem_req_valid_i = 1, req_room--;
    }
    if (answers && !engine.empty() && back_room && pick(3)) {
        const size_t k = pick(engine.size());
        if (engine[k].second <= cycle) {
            put(dut->far_rsp_i, engine[k].first), dut->far_rsp_valid_i = 1, back_room--;
            engine.erase(engine.begin() + (long)k);
        }
    }
    if (give_rsp && rsp_owed && pick(4))
        rsp_owed--, dut->mem_rsp_credit_i = 1;
    if (give_far && far_owed && pick(4))
        far_owed--, dut->far_req_credit_i = 1;
    if (pick(6) == 0) { // another GPU stores
        const Addr a = (2 + pick(2)) << 48 | pick(narrow) << 6;
        Line w = words_of(a);
        w[4 + pick(4)] = rng();
        change(a, w);
    }
    dut->eval();
    const bool rests = dut->idle_o && !discard && !discarded && !dut->mem_req_valid_i && !dut->far_rsp_valid_i &&
                       !dut->mem_rsp_credit_i && !dut->far_req_credit_i;
    dut->clk_i = 1, dut->eval(), dut->clk_i = 0, dut->eval();
    cycle++;
    const unsigned outs = dut->mem_rsp_valid_o + dut->far_req_valid_o + dut->mem_req_credit_o + dut->far_rsp_credit_o + (dut->count_o != 0);
    moved += outs;
    if (rests && outs)
        fail("rests, but something moved", outs, 0);
    req_room += dut->mem_req_credit_o, back_room += dut->far_rsp_credit_o;
    if (req_room > Depth || back_room > Depth)
        fail("credits", req_room, back_room);
    count_misses += dut->count_o >> 1, count_hits += dut->count_o & 1;
    if (dut->far_req_valid_o)
        far_owed++, at_engine(get<msg_mem_req>(dut->far_req_o));
    if (dut->mem_rsp_valid_o)
        rsp_owed++, answered_one(get<msg_mem_rsp>(dut->mem_rsp_o));
    if (rsp_owed > Depth || far_owed > Depth)
        fail("sent without a credit", rsp_owed, far_owed);
}

void steps(unsigned n)
{
    while (n--)
        step();
}

void settle()
{
    sends = false, answers = true;
    for (unsigned i = 0; i < 20000 && !open.empty(); i++)
        step();
    if (!open.empty())
        fail("requests without an answer", open.size(), 0);
    hits += (unsigned)order.size(), order.clear();
    steps(40);
    if (req_room != Depth || back_room != Depth || !dut->idle_o || !dut->rests_o)
        fail("at rest", req_room << 8 | back_room, dut->idle_o);
    if (hits != count_hits || misses != count_misses)
        fail("counted", count_hits << 16 | count_misses, hits << 16 | misses);
    sends = true;
}

// One request alone; true if the engine was asked.
bool asked(uint8_t op, Addr a, uint8_t access = 1, uint8_t cu = 0)
{
    msg_mem_req r = {};
    r.op = op, r.addr = a, r.access = access, r.tag = 5, r.source = cu;
    if (op == MEM_ATOMIC)
        r.size = 8, r.atomic = ATOMIC_ADD;
    sends = false;
    if (op == MEM_READ)
        r.mask = acquired[cu];
    open[5] = {++serial, r, own[a], r.mask, false, false, {}};
    order.push_back({serial, may_stay(r)});
    put(dut->mem_req_i, r), dut->mem_req_valid_i = 1, req_room--;
    dut->far_rsp_valid_i = dut->mem_rsp_credit_i = dut->far_req_credit_i = 0;
    dut->time_i = cycle, dut->hold_take_i = dut->hold_all_i = 0;
    dut->clk_i = 1, dut->eval(), dut->clk_i = 0, dut->eval(), cycle++;
    bool went = false;
    for (unsigned i = 0; i < 400 && open.count(5); i++) {
        step();
        went |= open.count(5) && open[5].went;
    }
    if (open.count(5))
        fail("no answer", a, op);
    settle();
    sends = false;
    return went;
}

void what_is_kept()
{
    settle();
    sends = false;
    acquire(true), step();
    const Addr first = 2ull << 48 | 0x10000000;
    auto same_set = [&](unsigned n) { // the n-th line of a set of its own (see set_of)
        for (Addr a = first;; a += 64) {
            const uint64_t line = a >> 6 & 0x3ffffffffffff;
            if ((line ^ line >> 3 ^ line >> 42) % 8 == 3 && !faulty(a) && n-- == 0)
                return a;
        }
    };
    for (unsigned n = 0; n < 4; n++)
        if (!asked(MEM_READ, same_set(n)) || asked(MEM_READ, same_set(n)))
            fail("a line is asked for once", n, 1);
    if (!asked(MEM_READ, same_set(0), 1 | FromHome) || !asked(MEM_READ_NC, same_set(0)) || asked(MEM_READ, same_set(0)))
        fail("loads from home ask, and leave the line", 0, 1);
    if (!asked(MEM_WRITE, same_set(1)) || asked(MEM_READ, same_set(1)))
        fail("a store leaves the line", 0, 1);
    if (!asked(MEM_ATOMIC, same_set(2)) || !asked(MEM_READ, same_set(2)) || asked(MEM_READ, same_set(2)))
        fail("an atomic drops it", 0, 1);
    // one more than ways, whatever was used last stays: line 0 was filled first and is used between the others
    acquire(true), step();
    for (unsigned n = 0; n < 4; n++)
        asked(MEM_READ, same_set(n));
    asked(MEM_READ, same_set(4)); // all were used: they begin anew
    for (unsigned n = 5; n < 12; n++) {
        if (asked(MEM_READ, same_set(4)))
            fail("a line in use was replaced", n, 0);
        asked(MEM_READ, same_set(n));
    }
    if (!asked(MEM_READ, 7 << 6) || !asked(MEM_READ, 7 << 6))
        fail("memory of the host is not kept", 0, 1);
    Addr bad = first;
    while (!faulty(bad))
        bad += 64;
    if (!asked(MEM_READ, bad) || !asked(MEM_READ, bad))
        fail("a fault is not kept", 0, 1);
    acquire(true), step();
    if (!asked(MEM_READ, same_set(11)) || asked(MEM_READ, same_set(11)))
        fail("an acquire makes lines old, once", 0, 1);
    acquired[1] = acquired[2] = acquired[3] = ++cycle; // others have acquired later: the line is new enough for those before
    if (asked(MEM_READ, same_set(11)))
        fail("an acquire of another CU", 1, 0);
    if (!asked(MEM_READ, same_set(11), 1, 1) || !asked(MEM_READ, same_set(10)) || asked(MEM_READ, same_set(10), 1, 1))
        fail("fetched behind an acquire, for whomever", 0, 1);
    sends = true;
    case_done("what is kept, what is not", "S1.3");
}

void still(const char *what)
{
    const unsigned before = moved;
    const bool s = sends;
    sends = false;
    steps(100);
    sends = s;
    if (moved != before)
        fail(what, moved - before, 0);
}

void holds()
{
    for (unsigned round = 0; round < 60; round++) {
        answers = round % 3 != 0;
        steps(10 + (unsigned)pick(80));
        answers = true;
        if (round % 3 == 0) { // pause
            all = true, step();
            still("moved while paused");
        } else if (round % 3 == 1) { // drain: no more is taken, what was taken ends
            take = true;
            for (unsigned i = 0; i < 5000 && (!dut->rests_o || !engine.empty()); i++)
                step();
            unsigned waiting = 0;
            for (auto &o : open)
                waiting += !o.second.went;
            if (!dut->rests_o || open.size() != Depth - req_room || waiting != open.size())
                fail("drained: open, in the queue", open.size(), Depth - req_room);
            all = true, step();
            still("moved when drained");
        } else { // discard: answers that come meanwhile are dropped, and so are lines
            sends = false;
            all = true, step();
            step(true);
            for (unsigned i = 0; i < 30; i++)
                step();
            engine.clear(); // the engine swallows the rest
            if (dut->discarded_o)
                fail("discarded before the engine", 1, 0);
            step(false, true);
            bool done = false;
            for (unsigned i = 0; i < 60 && !done; i++)
                step(), done = dut->discarded_o;
            if (!done)
                fail("no end of a discard", 0, 1);
            open.clear(), order.clear();
            for (auto &h : home) // dropped stores did not come home
                own[h.first] = h.second.words;
            for (auto &o : own)
                o.second = home[o.first].words;
            hits = count_hits, misses = count_misses;
            step();
            still("moved when discarded");
            if (req_room != Depth || back_room != Depth)
                fail("credits of discarded requests", req_room, back_room);
        }
        take = all = false, sends = true;
        steps(30);
        settle();
        give_rsp = false, steps(300); // all of them are there
        if (rsp_owed != Depth)
            fail("credits towards the crossbar", rsp_owed, Depth);
        give_rsp = true, settle();
        give_far = false, steps(300);
        if (far_owed != Depth)
            fail("credits towards the engine", far_owed, Depth);
        give_far = true, settle();
    }
    case_done("holds and discards", "S1.19, S1.20, S1.22");
}
} // namespace

int main()
{
    Verilated::randReset(2);
    dut = new Vrdma_cache;
    dut->mem_req_valid_i = dut->far_rsp_valid_i = dut->mem_rsp_credit_i = dut->far_req_credit_i = 0;
    dut->discard_i = dut->discarded_i = dut->hold_take_i = dut->hold_all_i = 0;
    dut->rst_ni = 0;
    for (int i = 0; i < 4; i++)
        dut->clk_i = 0, dut->eval(), dut->clk_i = 1, dut->eval();
    dut->rst_ni = 1, dut->clk_i = 0, dut->eval();
    for (unsigned round = 0; round < 60; round++) {
        narrow = round % 3 == 0 ? 4 : round % 3 == 1 ? 40 : 200;
        for (unsigned k = 0; k < 10; k++) {
            answers = pick(4);
            loads = pick(2) ? 5 : 200;
            steps(150);
            for (unsigned n = (unsigned)pick(3); n--;)
                acquire(pick(8) == 0), steps(20);
        }
        settle();
    }
    if (count_hits < 3000 || count_misses < 3000 || answered < 15000)
        fail("too little traffic", count_hits, count_misses);
    case_done("loads, stores and atomics among stores of others", "S1.3");
    narrow = 40;
    holds();
    what_is_kept();
    printf("%u hits, %u misses, %u answers\n", count_hits, count_misses, answered);
    return bench_end("rdma_cache");
}
