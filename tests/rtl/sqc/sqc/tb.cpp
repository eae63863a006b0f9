// SPDX-License-Identifier: Apache-2.0
// Bench of rtl/sqc/sqc.sv: four CUs fetch instructions and load scalars at random from a few hundred pages of nine
// address spaces whose numbers differ in one bit, and store scalars to five pages that they all load from: a load sees each store that was answered before; crossbar answers come late and out of order. Data must be those of the page at some time between
// request and answer; after an acknowledged invalidation no older contents may appear, no page of an older translation is accessed and no such access is under way; one that another follows (CACHE_MORE) is answered at once: what comes in later has the new contents, the next one waits for all. Carries S0.5, S3.12.
// top: sqc
// opt: -O0
// args: -Irtl/common -GNumSlices=4 -GIKib=4 -GKKib=2 -GTlbEntries=8 --x-initial unique
// mutate: f.stale = f.stale | f.wait_m; => f.stale = f.stale;
// mutate: forget(set_of(f.va[e])); => set = set;
// mutate: if (waiting != '0) give_up(); => ;
// mutate: ((waiting & ~slow) != '0) => (waiting != '0)
// mutate: if (fill_xlat_i) p_ready = p_count; => ;
// mutate: p_port[slot] = f.port[e]; => p_port[slot] = 2'd1;
// mutate: if (Scalar) p_data[slot] = f.data[e]; => ;
// mutate: plain_some[c] && !(k_rsp_valid && k_rsp_port == c[1:0]) => plain_some[c]
// mutate: 16'hffff : f.old) & (f.send_m | f.wait_m) => 16'hffff : f.old) & f.wait_m
// mutate: tlb_taken && i_drained && k_drained => tlb_taken && i_drained
// mutate: (maint_i.flags & 32'(CACHE_MORE)) == '0); => 1'b1);
// mutate: maint_i.root, maint_i.bytes) => maint_i.root, maint_i.bytes == 64'd0 ? 64'd0 : 64'd4096)
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <random>
#include <vector>

#include "tests/rtl/case_done.h"
#include "gantry_msg.h"

#ifndef ENOUGH
#define ENOUGH 15000 // answers
#endif
#ifdef PART // ../part_sqc: its top and the default configuration
#include "Vpart_sqc.h"
using Top = Vpart_sqc;
static void name_gpu(Top &top) { top.id_i = 5; } // of GPU 0
// Ports of maintenance.
#define MAINT_VALID ctl_cmd_valid_i
#define MAINT ctl_cmd_i
#define MAINT_DONE ctl_evt_valid_o
constexpr unsigned Slices = 16, Credits = 256; // keys gpu.l2.slices, gpu.noc.queue
#else
#include "Vsqc.h"
using Top = Vsqc;
#define MAINT_VALID maint_valid_i
#define MAINT maint_i
#define MAINT_DONE maint_done_o
static void name_gpu(Top &top) { top.own_gpu_i = 0, top.hold_take_i = top.hold_all_i = top.discard_i = 0; }
constexpr unsigned Slices = 4, Credits = 16;
#endif

namespace {
constexpr unsigned Cus = 4, Pages = 96;
std::mt19937_64 rng(777);
uint64_t cycle = 0;
uint32_t version = 0;       // contents of all memory change at once ...
uint64_t remap = 0;         // ... and so do translations

[[noreturn]] void fail(const char *what)
{
    printf("FAIL cycle %lu: %s\n", (unsigned long)cycle, what);
    exit(1);
}
// Address space 1 and those that differ from it in one bit; 1 and 3 more often.
unsigned random_vmid() { return rng() % 10 < 7 ? 1 + (rng() & 2) : 1 ^ 1u << rng() % 8; }
unsigned space_of(unsigned vmid) { return vmid == 1 ? 0 : 1 + __builtin_ctz(vmid ^ 1); }

bool chance(unsigned percent) { return rng() % 100 < percent; }
template <class T, class P> T get(const P &port)
{
    T t;
    memcpy(&t, &port, sizeof t);
    return t;
}
template <class P, class T> void put(P &port, const T &t) { memcpy(&port, &t, sizeof t); }

// page 7 is not mapped; page 9 has no execute right
// Pages that are stored to; the last one is read only.
constexpr unsigned Stored = 212, StoredPages = 5;
bool late_page(uint64_t va) { return va >> 12 == 3 || va >> 12 == Stored; } // whose translations are withheld at times
bool is_stored(uint64_t va) { return va >> 12 >= Stored && va >> 12 < Stored + StoredPages; }
std::map<uint64_t, std::vector<uint32_t>> history; // by physical address: values so far, the first one's cycle is 0
std::map<uint64_t, size_t> answered;               // index in it of the last store that was answered

uint64_t translate(unsigned vmid, uint64_t va)
{
    uint64_t page = va >> 12;
    if (va >> 40)
        return 0;
    if (is_stored(va))
        return (uint64_t)1 << 48 | (page + 100000) << 12 | 0x13 | (page == Stored + StoredPages - 1 ? 0 : 4);
    if (page % Pages == 7)
        return 0;
    return (uint64_t)1 << 48 | (page * 2 + (1 + space_of(vmid)) * 500 + remap * 5000) << 12 | 0x13 | (page % Pages == 9 ? 0 : 8);
}
uint32_t word_at(uint64_t pa, uint32_t when) { return (uint32_t)(pa * 2654435761u) ^ when << 24 ^ (uint32_t)(pa >> 20); }

std::vector<uint32_t> &values(uint64_t pa)
{
    auto &h = history[pa];
    if (h.empty())
        h.push_back(word_at(pa, 0));
    return h;
}
uint64_t place(uint64_t va) { return (translate(1, va) & 0xfffffffff000) | (va & 0xffc); }

struct Want {
    unsigned vmid, dwords;
    uint64_t va, at;
    uint32_t oldest;        // contents may be of any version from here on
    uint64_t oldest_map;
    bool mem_time, store;
    unsigned wave;
    uint32_t data[4];          // stored
    std::vector<size_t> first; // loads of stored pages: index of the oldest value that each dword may have
};
struct Reply {
    msg_mem_rsp rsp;
    uint64_t due, addr; // addr 0: of a translation
};
// Translations (remap) of which a physical page is; pages that are stored to are of all.
bool before(uint64_t pa, uint64_t map) { return pa && !is_stored(((pa & 0xffffffffffff) >> 12) - 100000 << 12) && (pa & 0xffffffffffff) >> 12 < map * 5000; }
bool older(uint64_t pa) { return before(pa, remap); }

// Every dword is that of some moment since `oldest`: lines of one answer may be of different moments.
bool matches(const Want &w, const uint32_t *data, unsigned dwords)
{
    for (unsigned i = 0; i < w.first.size(); i++) {
        auto &h = values(place(w.va + 4 * i));
        bool any = false;
        for (size_t k = w.first[i]; k < h.size(); k++)
            any |= h[k] == data[i];
        if (!any)
            return false;
    }
    if (!w.first.empty())
        return true;
    for (unsigned i = 0; i < dwords; i++) {
        bool any = false;
        uint64_t keep = remap, va = w.va + 4 * i;
        for (remap = w.oldest_map; remap <= keep && !any; remap++) {
            uint64_t pa = (translate(w.vmid, va) & 0xfffffffff000) | (va & 0xfff);
            for (uint32_t u = w.oldest; !any && u <= version; u++)
                any = data[i] == word_at(pa, u);
        }
        remap = keep;
        if (!any)
            return false;
    }
    return true;
}

#ifdef PART
// Hits and misses of lines, then of translations; of instructions, then of scalars.  A line is looked for when its
// translation is there (a store looks for none); of several that miss the same one asks.
void check_counters(Top &top, const uint64_t (&asked)[2][2])
{
    uint64_t n[9];
    top.perf_en_i = 1;
    for (unsigned i = 0; i < 9; i++) {
        top.perf_addr_i = i;
        top.clk_i = 0, top.eval(), top.clk_i = 1, top.eval();
        n[i] = top.perf_data_o;
    }
    for (unsigned k = 0; k < 2; k++) {
        const uint64_t *c = n + 4 * k;
        if (c[0] == 0 || c[1] < asked[1][k] - (k ? 0 : n[8]) || n[8] < 500 || c[3] < asked[0][k] || (k ? c[0] + c[1] >= c[2] : c[0] + c[1] != c[2]))
            printf("hits %lu, misses %lu (asked for %lu), translations: hits %lu, misses %lu (%lu)\n", c[0], c[1], asked[1][k], c[2], c[3],
                   asked[0][k]), fail("counters");
    }
}
#else
void check_counters(Top &, const uint64_t (&)[2][2]) {}
#endif
} // namespace

int main()
{
    Verilated::randReset(2); // what reset leaves alone holds anything
    Top top;
    uint64_t asked[2][2] = {}; // translations, lines: for instructions, scalars
    std::map<uint64_t, Want> fetches, loads; // by {cu, wave, epoch} and {cu, tag}
    std::deque<Reply> replies;
    unsigned owed = 0, in_flight[Cus] = {}, scalar_flight[Cus] = {};
    uint32_t tag = 0, valid_version = 0;
    uint64_t valid_map = 0, done = 0, faults = 0;
    bool inv_pending = false, inv_more = false; // inv_more: another command follows
    uint64_t inv_done = 0, inv_from = 0, mores = 0, mores_beside = 0; // mores_beside: of these, beside an access of before
    uint64_t waited_map = 0; // accesses by translations before this one have ended
    std::deque<msg_smem_req> stores[Cus][4]; // of a SIMD: data, then the store
    uint64_t stored = 0, loaded = 0, withheld = 0, others = 0;
    const uint64_t traffic = 128000;
    for (cycle = 0; cycle < traffic + 12000; cycle++) {
        unsigned load = cycle / 20000 % 3 == 0 ? 60 : cycle / 20000 % 3 == 1 ? 10 : 1;
        const bool narrow = cycle / 4000 % 12 == 2; // a busy crossbar: what is translated waits to be sent
        const bool stalls = cycle < traffic && cycle / 16000 % 3 == 2; // all translations come when it is over: nothing is to be done until then
        const bool withholds = cycle / 4000 % 12 == 5; // translations of two pages come when it is over
        unsigned spread = !withholds && cycle / 5000 % 2 ? Pages : 4;
        top.clk_i = 0;
        name_gpu(top);
        top.cycle_i = cycle;
        top.rst_ni = cycle >= 2;
        top.ifetch_req_valid_i = top.smem_req_valid_i = top.mem_rsp_valid_i = top.mem_req_credit_i = top.MAINT_VALID = 0;
        bool input = false;
        for (unsigned c = 0; cycle > 3 && c < Cus; c++) {
            const bool more = cycle < traffic && !(stalls && cycle % 16000 > 500); // later only what has begun
            if (more && in_flight[c] < 80 && chance(load)) {
                msg_ifetch_req r = {};
                r.wave = in_flight[c] % 40;
                r.epoch = tag++;
                r.vmid = random_vmid();
                r.va = (rng() % spread) << 12 | (rng() % 128) << 5 | (uint64_t)chance(2) << 44;
                if (fetches.count((uint64_t)c << 32 | r.wave << 8 | r.epoch))
                    continue;
                fetches[(uint64_t)c << 32 | r.wave << 8 | r.epoch] = {r.vmid, 8, r.va, cycle, valid_version, valid_map, false};
                put(top.ifetch_req_i[c], r);
                top.ifetch_req_valid_i |= 1 << c;
                in_flight[c]++;
                input = true;
            }
            auto &queue = stores[c][rng() % 4];
            if (!queue.empty() && chance(70)) {
                put(top.smem_req_i[c], queue.front());
                queue.pop_front();
                top.smem_req_valid_i |= 1 << c;
                input = true;
                continue;
            }
            if (more && queue.empty() && scalar_flight[c] < 14 && chance(load) && chance(30)) {
                msg_smem_req r = {}, d = {};
                Want w = {};
                w.vmid = r.vmid = random_vmid();
                w.dwords = r.dwords = 1 << rng() % 3;
                w.va = r.va = chance(3) ? 7 << 12 : (Stored + rng() % StoredPages) << 12 | (chance(90) ? rng() % 128 : 1016 + rng() % 8) << 2;
                if (w.va >> 12 == Stored + StoredPages - 2) // the end of a store may not lie on the page that is read only
                    w.va = r.va = w.va & ~0xf00ull;
                w.store = true;
                for (unsigned k = 0; k < 4; k++)
                    w.data[k] = rng();
                r.wave = (&queue - stores[c]) << 4 | rng() % 10;
                r.tag = tag++;
                d.wave = w.wave = r.wave;
                d.op = SMEM_DATA;
                d.va = w.data[0] | (uint64_t)w.data[1] << 32;
                queue.push_back(d);
                d.dwords = 1;
                d.va = w.data[2] | (uint64_t)w.data[3] << 32;
                queue.push_back(d);
                r.op = SMEM_STORE;
                queue.push_back(r);
                loads[(uint64_t)c << 32 | r.tag] = w;
                scalar_flight[c]++;
                continue;
            }
            if (more && scalar_flight[c] < 14 && chance(load)) {
                msg_smem_req r = {};
                r.op = chance(5) ? SMEM_MEMTIME : SMEM_LOAD;
                r.wave = rng() % 40;
                r.vmid = random_vmid();
                r.dwords = 1 << rng() % 5;
                r.tag = tag++;
                r.va = (rng() % spread) << 12 | (rng() % 1024) << 2 | (uint64_t)chance(2) << 40;
                if (r.op == SMEM_LOAD && chance(60))
                    r.va = (Stored + rng() % 2) << 12 | (rng() % 128) << 2;
                Want w = {r.vmid, r.dwords, r.va, cycle, valid_version, valid_map, r.op == SMEM_MEMTIME};
                w.wave = r.wave;
                for (unsigned k = 0; is_stored(r.va) && k < r.dwords; k++)
                    w.first.push_back(answered[place(r.va + 4 * k)]);
                loads[(uint64_t)c << 32 | r.tag] = w;
                put(top.smem_req_i[c], r);
                top.smem_req_valid_i |= 1 << c;
                scalar_flight[c]++;
                input = true;
            }
        }
        if (!inv_pending && !stalls && cycle > 100 && cycle > inv_done + 1 && // in the cycle of an answer the agent is busy
             (inv_more ? chance(10) : chance(1) && (narrow || chance(25)))) { // memory and tables change, then everything is invalidated
            version++;
            remap += chance(inv_more ? 80 : 30);
            inv_more = chance(inv_more ? 70 : 30);
            inv_from = cycle;
            msg_ctl_cmd b = {};
            b.op = CTL_INV;
            b.vmid = 255;
            b.flags = CACHE_INV_L1I | CACHE_INV_L1K | CACHE_INV_TLB | (inv_more ? CACHE_MORE : 0);
            b.bytes = chance(50) ? 1ull << 40 : 0; // as a range, or as all pages
            put(top.MAINT, b);
            top.MAINT_VALID = 1;
            inv_pending = input = true;
        }
        if (!replies.empty() && chance(70)) {
            std::vector<size_t> due; // the first six of those that may come
            for (size_t k = 0; k < replies.size() && due.size() < 6; k++)
                if (replies[k].due <= cycle)
                    due.push_back(k);
            if (!due.empty()) {
                const size_t k = due[rng() % due.size()];
                put(top.mem_rsp_i, replies[k].rsp);
                top.mem_rsp_valid_i = 1;
                replies.erase(replies.begin() + k);
                input = true;
            }
        }
        if (owed && chance(narrow ? 4 : 60))
            owed--, top.mem_req_credit_i = 1, input = true;
        top.eval();
        bool idle = top.idle_o && !input && cycle > 4;
        top.clk_i = 1;
        top.eval();
        if (cycle <= 3)
            continue;
        if (idle && (top.ifetch_rsp_valid_o | top.smem_rsp_valid_o | top.mem_req_valid_o | top.MAINT_DONE))
            fail("idle, but an output moved");
        if (cycle % 4000 == 3000)
            others = 0;
        if (stalls && cycle % 16000 > 15900 && !input && !top.idle_o)
            fail("everything waits for translations, but it does not rest");
        if (withholds && cycle % 4000 == 3999) { // who wants another page does not wait for that one
            if (others < 15)
                fail("requests wait for the page of others, which is withheld");
        }
        if (top.MAINT_DONE) {
            inv_pending = false, inv_done = cycle;
            bool beside = false;
            for (auto &r : replies)
                beside |= older(r.addr);
            if (beside && !inv_more)
                fail("invalidated, but an access that was translated before is under way");
            if (inv_more && cycle > inv_from + 2)
                fail("a command that another follows waits");
            mores += inv_more, mores_beside += inv_more && beside;
            if (!inv_more)
                waited_map = remap;
            valid_version = version;
            valid_map = remap;
        }
        if (top.mem_req_valid_o) {
            auto q = get<msg_mem_req>(top.mem_req_o);
            msg_mem_rsp a = {};
            a.op = q.op;
            a.tag = q.tag;
            asked[q.op != MEM_XLAT][q.tag >> 5 & 1] += q.op != MEM_WRITE;
            if (q.op == MEM_XLAT) {
                if (q.target != Slices)
                    fail("translation sent to a slice");
                uint64_t pte = translate(q.vmid, q.addr);
                a.status = !pte ? MEM_FAULT_NOT_PRESENT : (q.access & 4) && !(pte & 8) ? MEM_FAULT_NO_EXECUTE : MEM_OK;
                a.data[0] = a.status == MEM_OK ? pte : 0;
            } else {
                if (!inv_pending && !inv_more && older(q.addr))
                    fail("access by a translation from before the invalidation");
                if (before(q.addr, waited_map))
                    fail("access by a translation from before one that has waited");
                if (q.op == MEM_READ && q.access != (q.tag >> 5 & 1 ? 9 : 12)) // right, and from home
                    fail("access of a line request");
                if (q.addr % 64 || q.target != (q.addr >> 8) % Slices)
                    fail("line request to the wrong place");
                for (unsigned i = 0; i < 16; i++) {
                    uint64_t pa = (q.addr & 0xffffffffffff) + 4 * i;
                    bool own = is_stored((pa >> 12) - 100000 << 12);
                    if (q.op == MEM_WRITE && (q.mask >> 4 * i & 15)) {
                        if (!own || (q.mask >> 4 * i & 15) != 15)
                            fail("store to the wrong place");
                        values(pa).push_back(((const uint32_t *)q.data)[i]);
                    }
                    ((uint32_t *)a.data)[i] = own ? values(pa).back() : word_at(pa, version);
                }
            }
            const bool late = q.op == MEM_XLAT && (stalls || (withholds && late_page(q.addr)));
            replies.push_back({a, late ? (stalls ? (cycle / 16000 + 1) * 16000 : (cycle / 4000 + 1) * 4000) : cycle + 5 + rng() % 60, q.op == MEM_XLAT ? 0 : q.addr});
            withheld += late;
            if (++owed > Credits)
                fail("credit overdrawn");
        }
        for (unsigned c = 0; c < Cus; c++) {
            if (top.ifetch_rsp_valid_o >> c & 1) {
                auto a = get<msg_ifetch_rsp>(top.ifetch_rsp_o[c]);
                auto w = fetches.find((uint64_t)c << 32 | a.wave << 8 | a.epoch);
                if (w == fetches.end())
                    fail("unexpected instruction answer");
                unsigned page = (w->second.va >> 12) % Pages;
                bool beyond = w->second.va >> 40, bad = beyond || page == 7 || page == 9;
                if (bad != (a.status != 0) || (page == 9 && !beyond && a.status != MEM_FAULT_NO_EXECUTE))
                    fail("wrong status of a fetch");
                if (!bad && !matches(w->second, (const uint32_t *)a.data, 8))
                    fail("wrong instruction bytes");
                faults += bad;
                others += !late_page(w->second.va), done++;
                fetches.erase(w);
                in_flight[c]--;
            }
            if (top.smem_rsp_valid_o >> c & 1) {
                auto a = get<msg_smem_rsp>(top.smem_rsp_o[c]);
                auto w = loads.find((uint64_t)c << 32 | a.tag);
                if (w == loads.end() || a.wave != w->second.wave)
                    fail("unexpected scalar answer");
                const uint64_t end = w->second.va + 4 * w->second.dwords - 1;
                unsigned first = (w->second.va >> 12) % Pages, last = (end >> 12) % Pages;
                bool bad = first == 7 || last == 7 || w->second.va >> 40;
                const bool second = !w->second.store && last == 7 && first != 7 && !(w->second.va >> 40); // only its end lies there
                if (a.status && a.va != (second ? end & ~0xfffull : w->second.va))
                    fail("address of a scalar access that failed");
                if (w->second.store) {
                    unsigned expected = first == 7 ? MEM_FAULT_NOT_PRESENT : w->second.va >> 12 == Stored + StoredPages - 1 ? MEM_FAULT_READ_ONLY : MEM_OK;
                    if (a.status != expected || a.op != SMEM_STORE)
                        fail("wrong status of a scalar store");
                    for (unsigned k = 0; a.status == MEM_OK && k < w->second.dwords; k++) {
                        uint64_t pa = place(w->second.va + 4 * k);
                        auto &h = values(pa);
                        size_t at = h.size() - 1;
                        while (at && h[at] != w->second.data[k])
                            at--;
                        if (!at)
                            fail("a scalar store was answered but not performed");
                        answered[pa] = std::max(answered[pa], at);
                    }
                    stored++;
                } else if (w->second.mem_time) {
                    if (a.data[0] < w->second.at || a.data[0] > cycle)
                        fail("wrong time");
                } else if (bad != (a.status != 0)) {
                    fail("wrong status of a scalar load");
                } else if (!bad && (a.dwords != w->second.dwords || !matches(w->second, (const uint32_t *)a.data, a.dwords))) {
                    fail("wrong scalar data");
                }
                loaded += !w->second.first.empty();
                others += !late_page(w->second.va), done++;
                loads.erase(w);
                scalar_flight[c]--;
            }
        }
    }
    if (!fetches.empty() || !loads.empty() || !top.idle_o)
        fail("requests left without an answer");
    if (withheld == 0 || done < ENOUGH || faults < ENOUGH / 200 || stored < ENOUGH / 12 || loaded < ENOUGH / 12)
        printf("%lu answers, %lu faults\n", (unsigned long)done, (unsigned long)faults), fail("too little traffic");
    if (mores < 100 || mores_beside < 20)
        printf("%lu commands that another follows, %lu beside an access of before\n", (unsigned long)mores, (unsigned long)mores_beside), fail("too few");
    case_done("traffic with invalidations", "S0.5, S1.9, S3.12");
    check_counters(top, asked);
    case_done("counters");
    printf("PASS %lu answers, %lu fetch faults, %u versions, %lu stores, %lu loads of what they wrote\n", (unsigned long)done,
           (unsigned long)faults, version, (unsigned long)stored, (unsigned long)loaded);
    return 0;
}
