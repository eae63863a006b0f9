// SPDX-License-Identifier: Apache-2.0
// Directed bench of rtl/sqc/sqc.sv: cycles of a lone hit and of a lone miss, who joins whose request, which line a set gives up, when an entry is
// given up for a withheld translation, what a store writes and drops, what s_dcache_inv drops; every field of every message.
// Not responsible for: random traffic (../sqc), lines fetched ahead (../sqc_ahead), control messages (../part_sqc_control).
// top: sqc
// opt: -O0
// args: -GAhead=0 -Irtl/common -GNumSlices=4 -GIKib=4 -GKKib=4 -GTlbEntries=8 --x-initial unique
// mutate: victim[set] = way + way_t'(1); => victim[set] = way + way_t'(2);
// mutate: f.pa[i] == pa && !f.store[i[3:0]] && !f.store[e]; => f.pa[i] == pa && 1'b0;
// mutate: if (tick == '1) begin => if (tick[8:0] == '1) begin
// mutate: ((32'(a) ^ 32'(b)) & 32'd63) == 32'd0 => 1'b1
// mutate: pulse      = 1'b1;  // looked => ;  // looked
// mutate: | (answer.op == SMEM_DCACHE_INV) => | 1'b0
// mutate: {448'd0, cycle_i} => {384'd0, cycle_i, cycle_i}
// mutate: ifetch_rsp_valid_o <= '0; => ifetch_rsp_valid_o <= ifetch_rsp_valid_o & i_count;
#include <deque>
#include <map>
#include <vector>

#include "../../mem_bench.h"
#include "Vsqc.h"
#include "tests/rtl/case_done.h"

namespace {
constexpr unsigned Cus = 4, Slices = 4, Latency = 20, Credits = 16;
constexpr uint64_t Host = 0, Own = 1;
Vsqc *dut;
struct Due {
    uint64_t at;
    msg_mem_rsp rsp;
};
std::deque<Due> replies;
std::vector<msg_mem_req> sent;               // requests to memory
std::vector<std::pair<unsigned, msg_ifetch_rsp>> fetched; // by CU
std::vector<std::pair<unsigned, msg_smem_rsp>> loaded;
std::vector<uint64_t> fetched_at, loaded_at;
std::vector<std::pair<unsigned, msg_ifetch_req>> fetch; // of the next cycle
std::vector<std::pair<unsigned, msg_smem_req>> load;
std::map<uint64_t, uint32_t> memory;
bool withhold; // translations of page 3
unsigned owed, done;
unsigned counted[8];

uint64_t entry(uint64_t page) { return (page == 6 ? Host : Own) << 48 | (page + 0x500) << 12 | 0x1f; } // page 6 is the host's
uint64_t physical(uint64_t va) { return (entry(va >> 12) & ~0xfffull & 0xfffffffffff000ull) | (va & 0xfff); }
uint32_t word(uint64_t pa)
{
    auto it = memory.find(pa);
    return it == memory.end() ? (uint32_t)(pa * 2654435761u) ^ (uint32_t)(pa >> 32) : it->second;
}

void step(const msg_ctl_cmd *maint = nullptr)
{
    dut->own_gpu_i = 0, dut->cycle_i = cycle;
    dut->ifetch_req_valid_i = dut->smem_req_valid_i = 0;
    for (auto &f : fetch)
        put(dut->ifetch_req_i[f.first], f.second), dut->ifetch_req_valid_i |= 1 << f.first;
    for (auto &l : load)
        put(dut->smem_req_i[l.first], l.second), dut->smem_req_valid_i |= 1 << l.first;
    fetch.clear(), load.clear();
    dut->maint_valid_i = maint != nullptr;
    if (maint)
        put(dut->maint_i, *maint);
    dut->mem_req_credit_i = owed != 0, owed -= owed != 0;
    dut->mem_rsp_valid_i = 0;
    for (size_t k = 0; k < replies.size(); k++)
        if (replies[k].at <= cycle) {
            put(dut->mem_rsp_i, replies[k].rsp), dut->mem_rsp_valid_i = 1;
            replies.erase(replies.begin() + (long)k);
            break;
        }
    dut->eval();
    dut->clk_i = 1, dut->eval(), dut->clk_i = 0, dut->eval();
    cycle++;
    done += dut->maint_done_o;
    for (unsigned i = 0; i < 8; i++)
        counted[i] += dut->count_o >> i & 1;
    for (unsigned c = 0; c < Cus; c++) {
        if (dut->ifetch_rsp_valid_o >> c & 1)
            fetched.push_back({c, get<msg_ifetch_rsp>(dut->ifetch_rsp_o[c])}), fetched_at.push_back(cycle);
        if (dut->smem_rsp_valid_o >> c & 1)
            loaded.push_back({c, get<msg_smem_rsp>(dut->smem_rsp_o[c])}), loaded_at.push_back(cycle);
    }
    if (!dut->mem_req_valid_o)
        return;
    const msg_mem_req q = get<msg_mem_req>(dut->mem_req_o);
    if (++owed > Credits)
        fail("sent without a credit", owed, Credits);
    sent.push_back(q);
    msg_mem_rsp a = {};
    a.op = q.op, a.tag = q.tag;
    const bool scalar = q.tag >> 5 & 1;
    msg_mem_req want = {}; // all but the address space, and the entry in the tag
    want.op = q.op, want.vmid = q.vmid, want.addr = q.addr, want.tag = (q.tag & 15) | scalar << 5 | (q.op == MEM_XLAT) << 4;
    want.access = scalar ? 1 : 4;
    if (q.op == MEM_XLAT) {
        want.target = Slices;
        a.data[0] = entry(q.addr >> 12);
        if (q.addr & 0xfff)
            fail("address of a translation", q.addr, q.addr & ~0xfffull);
    } else {
        want.target = q.addr >> 48 == Own ? (uint8_t)(q.addr >> 8 & (Slices - 1)) : Slices + 1;
        want.access |= 8; // from home; of a store nobody looks
        for (unsigned i = 0; i < 16; i++) {
            const uint64_t pa = q.addr + 4 * i;
            if (q.op == MEM_WRITE && (q.mask >> 4 * i & 15) == 15)
                memory[pa] = ((const uint32_t *)q.data)[i];
            ((uint32_t *)a.data)[i] = word(pa);
        }
        if (q.op == MEM_WRITE)
            want.mask = q.mask, memcpy(want.data, q.data, 64);
    }
    if (memcmp(&want, &q, sizeof q) || (q.op != MEM_XLAT && q.op != MEM_READ && q.op != MEM_WRITE))
        fail("fields of a request", q.addr, (uint64_t)q.tag << 32 | (uint64_t)q.target << 16 | (uint64_t)q.access << 8 | q.op);
    replies.push_back({withhold && q.op == MEM_XLAT && q.addr >> 12 == 3 ? ~0ull : cycle + Latency, a});
}

void steps(unsigned n)
{
    while (n--)
        step();
}

uint32_t next_tag;
void want_fetch(unsigned cu, uint64_t va, uint8_t wave = 7)
{
    msg_ifetch_req r = {};
    r.wave = wave, r.vmid = 5, r.va = va, r.epoch = (uint8_t)next_tag++;
    fetch.push_back({cu, r});
}
void want_load(unsigned cu, uint64_t va, unsigned dwords = 1, unsigned op = SMEM_LOAD, uint8_t wave = 0x15)
{
    msg_smem_req r = {};
    r.op = (uint8_t)op, r.wave = wave, r.vmid = 5, r.va = va, r.dwords = (uint8_t)dwords, r.tag = 0x1000 + next_tag++;
    load.push_back({cu, r});
}

// What was wanted in this cycle alone, with every field of its answer; cycles until that.
uint64_t lone()
{
    const auto f = fetch;
    const auto l = load;
    const uint64_t from = cycle;
    fetched.clear(), loaded.clear(), fetched_at.clear(), loaded_at.clear();
    step();
    for (unsigned n = 0; n < 4000 && fetched.size() < f.size(); n++)
        step();
    for (unsigned n = 0; n < 4000 && loaded.size() < l.size(); n++)
        step();
    const uint64_t took = cycle - from - 1;
    if (fetched.size() != f.size() || loaded.size() != l.size()) {
        fail("no answer", fetched.size(), loaded.size());
        return 0;
    }
    for (auto &x : f) {
        msg_ifetch_rsp w = {};
        w.wave = x.second.wave, w.epoch = x.second.epoch;
        for (unsigned i = 0; i < 8; i++)
            ((uint32_t *)w.data)[i] = word(physical(x.second.va) + 4 * i);
        bool found = false;
        for (auto &g : fetched)
            found |= g.first == x.first && !memcmp(&g.second, &w, sizeof w);
        if (!found)
            fail("answer to a fetch", fetched[0].second.data[0], w.data[0]);
    }
    for (auto &x : l) {
        msg_smem_rsp w = {};
        w.op = x.second.op, w.wave = x.second.wave, w.tag = x.second.tag;
        if (x.second.op == SMEM_LOAD || x.second.op == SMEM_STORE)
            w.dwords = x.second.dwords, w.va = x.second.va;
        bool found = false;
        for (auto &g : loaded) {
            msg_smem_rsp a = g.second;
            for (unsigned i = 0; x.second.op == SMEM_LOAD && i < x.second.dwords; i++)
                ((uint32_t *)w.data)[i] = word(physical(x.second.va + 4 * i));
            if (x.second.op == SMEM_MEMTIME)
                w.dwords = 2, w.data[0] = loaded_at[0] - 1;
            if (x.second.op == SMEM_LOAD && a.dwords <= 16) // what lies behind the dwords may be anything
                memset((uint32_t *)a.data + a.dwords, 0, 64 - 4 * a.dwords);
            if (x.second.op == SMEM_STORE)
                memset(a.data, 0, 64);
            found |= g.first == x.first && !memcmp(&a, &w, sizeof w);
        }
        if (!found)
            fail("answer to a scalar operation", loaded[0].second.data[0], w.data[0]);
    }
    return took;
}

void told(const char *what, uint64_t got, uint64_t want)
{
    if (got != want)
        fail(what, got, want);
}

unsigned reads() // of lines, since it was asked last
{
    unsigned n = 0;
    for (auto &q : sent)
        n += q.op == MEM_READ;
    sent.clear();
    return n;
}

void invalidate(uint32_t flags)
{
    msg_ctl_cmd c = {};
    c.op = CTL_INV, c.vmid = 255, c.flags = flags;
    done = 0;
    step(&c);
    steps(20);
    told("an invalidation is answered", done, 1);
}

void cycles()
{
    invalidate(CACHE_INV_L1I | CACHE_INV_L1K | CACHE_INV_TLB);
    for (unsigned kind = 0; kind < 2; kind++) {
        auto one = [&](uint64_t va) { kind ? want_load(2, va) : want_fetch(2, va); };
        memset(counted, 0, sizeof counted);
        one(0x1000);
        const uint64_t both = lone();
        one(0x1020);
        const uint64_t hit = lone();
        one(0x1040);
        const uint64_t line = lone();
        told("cycles of a hit", hit, 6);
        // it is compared 3 cycles behind the request, leaves 2 later, takes 20 and looks up again when the line is readable
        told("cycles of a line", line, 31);
        told("cycles of a translation and a line", both, 56);
        const unsigned want[4] = {3, 2, 5, 1}; // a request that looks up again counts again
        for (unsigned i = 0; i < 4; i++) {
            told("counter", counted[4 * kind + i], want[i]);
            told("counter of the other cache", counted[4 * !kind + i], 0);
        }
        steps(10);
        told("rests", dut->idle_o, 1);
    }
    case_done("cycles of lone requests");
}

// Of one page and line each CU wants something in one cycle: each asks once.
void joined()
{
    invalidate(CACHE_INV_L1I | CACHE_INV_L1K | CACHE_INV_TLB);
    sent.clear();
    for (unsigned c = 0; c < Cus; c++)
        want_fetch(c, 0x2000), want_load(c, 0x2000 + 4 * c, 2);
    lone();
    told("requests of two caches for one page and one line", sent.size(), 4);
    told("of these of lines", reads(), 2);
    for (unsigned c = 0; c < Cus; c++)
        want_fetch(c, 0x2100 + 64 * c);
    lone();
    told("four lines", reads(), 4);
    want_load(0, 0x203c, 2); // two lines, of which one is there
    lone();
    told("over the end of a line", reads(), 1);
    want_load(0, 0x603c, 2);
    lone();
    told("the host's memory is kept as well", reads(), 2);
    case_done("requests that join another's");
}

// A line takes the place of the oldest of its set, used or not.
void replaced()
{
    for (unsigned kind = 0; kind < 2; kind++) {
        invalidate(CACHE_INV_L1I | CACHE_INV_L1K);
        auto at = [&](unsigned n) { // n-th line of a set of 16
            kind ? want_load(1, 0x1080 + n * 1024) : want_fetch(1, 0x1080 + n * 1024);
            lone(), steps(5);
            return reads();
        };
        for (unsigned n = 0; n < 4; n++)
            told("a line comes", at(n), 1);
        for (unsigned n = 0; n < 4; n++)
            told("four lines of a set stay", at(n), 0);
        for (unsigned n = 4; n < 12; n++) {
            told("a new line", at(n), 1);
            for (unsigned k = n - 3; k <= n; k++)
                told("the oldest has gone, no other", at(k), 0);
        }
        told("the one before has gone", at(7), 1);
    }
    case_done("which line a set gives up");
}

// A store drops its line and those of its set modulo 64, and no others; it is written where it belongs.
void stores()
{
    invalidate(CACHE_INV_L1I | CACHE_INV_L1K);
    auto store = [](uint64_t va, unsigned dwords) {
        for (unsigned half = 0; half < 2; half++)
            want_load(0, rng(), half, SMEM_DATA, 0x23), step();
        want_load(0, va, dwords, SMEM_STORE, 0x21);
        lone();
    };
    for (unsigned dwords = 1; dwords <= 4; dwords *= 2)
        for (uint64_t at : {0x4100ull, 0x4110ull, 0x413cull, 0x4134ull}) {
            uint32_t old[24];
            for (unsigned i = 0; i < 24; i++)
                old[i] = word(physical(0x4100 + 4 * i));
            want_load(0, 0x4100), lone(), want_load(0, 0x4200), lone();
            sent.clear();
            store(at, dwords);
            unsigned writes = 0;
            for (auto &q : sent)
                writes += q.op == MEM_WRITE;
            told("writes of a store", writes, at % 64 / 4 + dwords > 16 ? 2 : 1);
            for (unsigned i = 0; i < 24; i++) {
                const unsigned k = (unsigned)(at - 0x4100) / 4;
                const bool in = i >= k && i < k + dwords;
                if (!in && word(physical(0x4100 + 4 * i)) != old[i])
                    fail("a store writes beside its dwords", i, k);
                if (in && word(physical(0x4100 + 4 * i)) == old[i])
                    fail("a store does not write", i, k);
            }
            sent.clear();
            want_load(0, 0x4100), lone();
            told("the line of a store is dropped", reads(), 1);
            want_load(0, 0x4200), lone();
            told("and no other", reads(), 0);
        }
    case_done("stores");
}

void plain()
{
    want_load(3, 0x4300), lone(), want_fetch(3, 0x4300), lone(), sent.clear();
    for (unsigned op : {SMEM_MEMTIME, SMEM_DCACHE_WB, SMEM_NONE}) {
        want_load(3, 0x4300, 0, op);
        told("cycles of an operation without an access", lone(), 1);
    }
    for (unsigned c = 0; c < Cus; c++)
        want_load(c, 0, 0, SMEM_DCACHE_WB);
    told("of all CUs at once", lone(), 1);
    want_load(3, 0x4300), lone();
    told("none of them drops a line", reads(), 0);
    want_load(3, 0, 0, SMEM_DCACHE_INV), lone(), steps(3);
    want_fetch(3, 0x4300), lone();
    told("s_dcache_inv leaves instructions", reads(), 0);
    want_load(3, 0x4300), lone();
    told("s_dcache_inv drops scalar lines", reads(), 1);
    for (uint32_t flag : {(uint32_t)CACHE_INV_L1I, (uint32_t)CACHE_INV_L1K}) {
        invalidate(flag);
        want_fetch(3, 0x4300), lone();
        told("an invalidation of instructions", reads(), flag == CACHE_INV_L1I);
        want_load(3, 0x4300), lone();
        told("of scalars", reads(), flag == CACHE_INV_L1K);
    }
    case_done("operations without an access, invalidations of one cache");
}

// Sixteen requests want a page whose translation does not come; others have an entry after 1,024 to 2,047 cycles.
void given_up()
{
    invalidate(CACHE_INV_L1I | CACHE_INV_L1K | CACHE_INV_TLB);
    withhold = true;
    for (unsigned kind = 0; kind < 2; kind++) {
        for (unsigned n = 0; n < 16; n++)
            kind ? want_load(n % 4, 0x3000 + 64 * n) : want_fetch(n % 4, 0x3000 + 64 * n), step();
        steps(100);
        sent.clear();
        kind ? want_load(1, 0x7000) : want_fetch(1, 0x7000);
        const uint64_t took = lone();
        // nobody wanted an entry before, so the clock of 1,024 cycles begins with this one: they are new in its first turn, old in its second
        if (took < 2048 + 2 * Latency || took > 2048 + 2 * Latency + 30)
            fail("cycles until an entry is given up", took, 2048);
        told("requests of that one", sent.size(), 2);
        steps(3000); // then all rests: those that wait for nothing else ask for nothing
        told("asks again", sent.size(), 2);
        told("rests", dut->idle_o, 1);
    }
    withhold = false;
    for (Due &r : replies)
        r.at = cycle;
    fetched.clear(), loaded.clear(), sent.clear();
    steps(1500);
    told("all are answered", fetched.size() << 8 | loaded.size(), 16 << 8 | 16);
    told("each line once", reads(), 32);
    case_done("entries that are given up");
}
} // namespace

int main()
{
    Verilated::randReset(2);
    dut = new Vsqc;
    dut->ifetch_req_valid_i = dut->smem_req_valid_i = dut->mem_rsp_valid_i = dut->mem_req_credit_i = dut->maint_valid_i = 0;
    dut->hold_take_i = dut->hold_all_i = dut->discard_i = 0, dut->rst_ni = 0, dut->clk_i = 0, dut->eval();
    for (unsigned n = 0; n < 2; n++) // in the first an answer of before leaves
        dut->clk_i = 1, dut->eval(), dut->clk_i = 0, dut->eval();
    dut->rst_ni = 1;
    steps(5);
    cycles();
    joined();
    replaced();
    stores();
    plain();
    given_up();
    return bench_end("sqc_cycles");
}
