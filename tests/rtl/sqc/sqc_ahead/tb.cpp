// SPDX-License-Identifier: Apache-2.0
// Bench of rtl/sqc/sqc.sv: which lines of instructions are fetched that nobody has asked for.  Requests one after the other, memory that
// answers after Latency cycles; the lines that were asked for are held against a list by hand after each.  Lines that maintenance names.
// Not responsible for: data, faults, invalidation at random (../sqc).
// top: sqc
// opt: -O0
// args: -Irtl/common -GNumSlices=4 -GIKib=4 -GKKib=2 -GTlbEntries=8 --x-initial unique
// mutate: if (Ahead && f.va[e][11:6] != '1) begin => if (Ahead) begin
// mutate: if (match) look_ahead(); => ;
// mutate: if (match) look_ahead(); => look_ahead();
// mutate: unasked[set] = unasked[set] & ~Ways'(32'd1 << way); => ;
// mutate: if (!xlat) look_ahead(); => ;
// mutate: (tlb_hit && status == MEM_OK && !hit) park(); => (tlb_hit && status == MEM_OK) park();
// mutate: if (f.send_m[e]) count_o.ahead <= 1'b1; => if (1'b0) ;
// mutate: else if (xlat && !beyond && f.primed[e]) park(); => ;
// mutate: else if (xlat && !beyond && f.primed[e]) park(); => else if (xlat && !beyond) park();
// mutate: f.primed[e]) look_ahead(); => 1'b0) look_ahead();
// mutate: !(fill_xlat_i && f.woken[e])) end_ahead(); => 1'b1) end_ahead();
// mutate: prime_va   = {prime_va_i[63:6], 6'd0}; => prime_va = 64'd0;
// mutate: '{vmid: prime_vmid_i, default: '0}; => '{vmid: 8'd1, default: '0};
// mutate: f.faulted, ahead_some, prime_some} = '0; => f.faulted, ahead_some} = '0;
// mutate: prime        <= maint_valid_i && maint_i.op == CTL_FETCH; => prime <= maint_valid_i;
// mutate: ahead_va   = next_line(f.va[e]); => ahead_va = next_line(next_line(f.va[e]));
// mutate: (Ways'(f.ahead[e]) << way) => '0
// mutate: f.faulted, ahead_some, prime_some} = '0; => f.faulted, prime_some} = '0;
// mutate: .Ahead(Ahead), => .Ahead(1'b0),
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

#include "Vsqc.h"
#include "gantry_msg.h"
#include "tests/rtl/case_done.h"

namespace {
constexpr unsigned Cus = 4, Latency = 60, Page = 4096, Line = 64;
constexpr uint64_t Frames = 1ull << 48 | 0x5000000; // physical address of page 0: pages lie in their order
Vsqc *top;
unsigned failures, answers, ahead;
uint64_t cycle;
std::multimap<uint64_t, msg_mem_rsp> replies; // by the cycle in which they come
std::vector<uint64_t> lines;                  // virtual addresses that memory was asked for since expect()
unsigned walks, vmids;                        // translations that it was asked for, in all address spaces; in which (bits)
bool refuse;                                  // translations fail

void fail(const char *what, uint64_t got, uint64_t want)
{
    if (++failures <= 10)
        printf("cycle %llu: %s: got %llx, want %llx\n", (unsigned long long)cycle, what, (unsigned long long)got, (unsigned long long)want);
}
template <class T, class P> T get(const P &port)
{
    T t;
    memcpy(&t, &port, sizeof t);
    return t;
}
template <class P, class T> void put(P &port, const T &t) { memcpy(&port, &t, sizeof t); }

void step()
{
    top->clk_i = 0;
    top->mem_rsp_valid_i = !replies.empty() && replies.begin()->first <= cycle;
    if (top->mem_rsp_valid_i)
        put(top->mem_rsp_i, replies.begin()->second), replies.erase(replies.begin());
    top->eval();
    top->clk_i = 1;
    top->eval();
    top->ifetch_req_valid_i = top->maint_valid_i = top->discard_i = 0;
    top->mem_req_credit_i = top->mem_req_valid_o;
    ahead += top->count_o >> 8;
    cycle++;
    for (unsigned c = 0; c < Cus; c++)
        if (top->ifetch_rsp_valid_o >> c & 1) {
            answers++;
            if (get<msg_ifetch_rsp>(top->ifetch_rsp_o[c]).status != MEM_OK)
                fail("status", get<msg_ifetch_rsp>(top->ifetch_rsp_o[c]).status, MEM_OK);
        }
    if (!top->mem_req_valid_o)
        return;
    const auto q = get<msg_mem_req>(top->mem_req_o);
    msg_mem_rsp a = {};
    a.op = q.op, a.tag = q.tag;
    if (q.op == MEM_XLAT)
        a.data[0] = (Frames + q.addr) | 0x1f, a.status = refuse ? MEM_FAULT_NOT_PRESENT : MEM_OK, walks++, vmids |= 1u << q.vmid; // present, cached, all rights
    else
        lines.push_back(q.addr - Frames);
    replies.emplace(cycle + Latency, a);
}

// One request for 32 bytes; what it causes is over.
void fetch(uint64_t va, unsigned cu = 0)
{
    const unsigned before = answers;
    msg_ifetch_req r = {};
    r.vmid = 1, r.va = va, r.cu = (uint8_t)cu;
    put(top->ifetch_req_i[cu], r);
    top->ifetch_req_valid_i = 1 << cu;
    for (unsigned i = 0; i < 20 * Latency && (i < 12 || !top->idle_o || !replies.empty()); i++)
        step();
    if (answers != before + 1)
        fail("answers to a fetch", answers - before, 1);
}

void expect(const char *what, std::vector<uint64_t> want)
{
    if (lines.size() != want.size())
        fail(what, lines.size(), want.size());
    for (size_t i = 0; i < want.size() && i < lines.size(); i++)
        if (lines[i] != want[i])
            fail(what, lines[i], want[i]);
    lines.clear();
}

void invalidate()
{
    msg_ctl_cmd b = {};
    b.op = CTL_INV, b.vmid = 255, b.flags = CACHE_INV_L1I | CACHE_INV_L1K | CACHE_INV_TLB;
    put(top->maint_i, b);
    top->maint_valid_i = 1;
    for (unsigned i = 0; i < 20; i++)
        step();
}

// Maintenance names a line of an address space; what it causes is over.  Answered once, at once.
void prime(uint64_t va, unsigned vmid = 1)
{
    msg_ctl_cmd b = {};
    b.op = CTL_FETCH, b.vmid = (uint8_t)vmid, b.root = va;
    put(top->maint_i, b);
    top->maint_valid_i = 1;
    unsigned done = 0;
    for (unsigned i = 0; i < 20 * Latency && (i < 12 || !top->idle_o || !replies.empty()); i++) {
        step();
        done += top->maint_done_o && i < 4 ? 1 : top->maint_done_o ? 100 : 0;
    }
    if (done != 1)
        fail("answers to maintenance", done, 1);
}

// Four other lines take the set of line n of a page.
void evict(unsigned n)
{
    for (unsigned k = 0; k < 4; k++)
        fetch((40 + k) * Page + n * Line);
    lines.clear();
}
} // namespace

int main()
{
    Verilated::randReset(2);
    top = new Vsqc;
    top->rst_ni = 0, top->own_gpu_i = 0;
    top->hold_take_i = top->hold_all_i = top->discard_i = top->maint_valid_i = top->mem_rsp_valid_i = top->mem_req_credit_i = 0;
    top->ifetch_req_valid_i = top->smem_req_valid_i = 0;
    for (unsigned i = 0; i < 4; i++)
        step();
    top->rst_ni = 1;
    step();

    const uint64_t base = 8 * Page;
    fetch(base);
    expect("a miss fetches the line behind, too", {base, base + Line});
    fetch(base + 32);
    expect("the other half of a line that was asked for: nothing", {});
    fetch(base + Line);
    expect("the first hit of a line that was fetched ahead", {base + 2 * Line});
    fetch(base + Line + 32), fetch(base + Line);
    expect("a later hit", {});
    fetch(base + 2 * Line), fetch(base + 3 * Line), fetch(base + 4 * Line);
    expect("one line after the other", {base + 3 * Line, base + 4 * Line, base + 5 * Line});
    fetch(base + 10 * Line);
    fetch(base + 9 * Line);
    expect("the line behind is there", {base + 10 * Line, base + 11 * Line, base + 9 * Line});
    fetch(base + Page - 2 * Line);
    fetch(base + Page - Line);
    expect("the last line of a page", {base + Page - 2 * Line, base + Page - Line});
    fetch(base + Page + 4 * Line);
    fetch(base + 3 * Page + 8 * Line);
    lines.clear();
    fetch(base + 2 * Page - Line); // with the next page in the TLB as well
    expect("a miss of the last line of a page", {base + 2 * Page - Line});
    fetch(base + 2 * Page + 8 * Line);
    lines.clear();
    fetch(base + 2 * Page - Line + 32);
    fetch(base + 3 * Page - Line);
    expect("a miss of another", {base + 3 * Page - Line});
    if (ahead != 10) // behind lines 0 to 4, 10, the last but one of the page, and one in each of three more
        fail("lines fetched ahead", ahead, 10);
    case_done("lines behind");

    // who has been asked for fetches nothing more, also when what lies behind has gone and its set has a line that nobody asked for
    invalidate();
    fetch(base);
    fetch(50 * Page + 15 * Line);
    evict(1);
    fetch(base + 32);
    expect("a hit of a line that was asked for", {});
    fetch(base + 4 * Line), fetch(base + 5 * Line);
    evict(6);
    fetch(base + 5 * Line);
    expect("a second hit of a line that was fetched ahead", {});
    case_done("asked for before");

    // two CUs ask for both lines before the first comes: each line is asked for once, and the one behind both
    invalidate();
    lines.clear();
    msg_ifetch_req r = {};
    r.vmid = 1, r.va = base;
    put(top->ifetch_req_i[0], r);
    r.va = base + Line, r.cu = 1;
    put(top->ifetch_req_i[1], r);
    top->ifetch_req_valid_i = 3;
    unsigned before = answers;
    for (unsigned i = 0; i < 10 * Latency; i++)
        step();
    if (answers != before + 2)
        fail("answers to two fetches", answers - before, 2);
    std::sort(lines.begin(), lines.end());
    expect("two lines at a time", {base, base + Line, base + 2 * Line});
    fetch(base + Line);
    expect("a line that was asked for while it came", {});
    fetch(base + 2 * Line);
    expect("that behind both", {base + 3 * Line});
    case_done("asked for meanwhile");

    invalidate();
    lines.clear();
    r.va = base, r.cu = 0;
    put(top->ifetch_req_i[0], r);
    top->ifetch_req_valid_i = 1;
    for (unsigned i = 0; i < Latency + 25; i++) // translation, line and the one behind are under way
        step();
    r.va = base + Line, r.cu = 1;
    put(top->ifetch_req_i[1], r);
    top->ifetch_req_valid_i = 2;
    before = answers;
    for (unsigned i = 0; i < 10 * Latency; i++)
        step();
    if (answers != before + 2)
        fail("answers to two fetches", answers - before, 2);
    expect("a line that comes already", {base, base + Line, base + 2 * Line});
    evict(2);
    fetch(base + Line);
    expect("it was asked for", {});
    case_done("comes already");

    // a line that is to be fetched when all requests have an entry is dropped with the rest; answers to these are swallowed
    fetch(base + 20 * Line);
    lines.clear();
    for (unsigned c = 0; c < Cus; c++)
        r.va = base + (30 + 4 * c) * Line, r.cu = (uint8_t)c, put(top->ifetch_req_i[c], r);
    top->ifetch_req_valid_i = 15;
    before = answers;
    for (unsigned i = 0; i < 5; i++)
        step();
    top->hold_take_i = top->hold_all_i = 1, step();
    top->discard_i = 1, step();
    for (unsigned i = 0; i < 2 * Latency; i++)
        step();
    top->hold_take_i = top->hold_all_i = 0;
    for (unsigned i = 0; i < 4 * Latency; i++)
        step();
    if (answers != before || !top->idle_o || !top->finished_o)
        fail("dropped", answers - before, 0);
    for (uint64_t line : lines)
        if ((line - base) / Line % 4 != 2)
            fail("fetched behind what was dropped", line, 0);
    case_done("dropped");
    // a line behind another for which no translation is left is not fetched, and no translation for it
    fetch(base);
    lines.clear();
    r.va = base + 50 * Line, r.cu = 0;
    put(top->ifetch_req_i[0], r);
    top->ifetch_req_valid_i = 1;
    step(), step(), step();
    top->hold_take_i = 1; // the request is in its lookup, the line behind has to wait
    for (unsigned i = 0; i < 4 * Latency; i++)
        step();
    msg_ctl_cmd tlb = {};
    tlb.op = CTL_INV, tlb.vmid = 255, tlb.flags = CACHE_INV_TLB;
    put(top->maint_i, tlb);
    top->maint_valid_i = 1, walks = 0;
    for (unsigned i = 0; i < 20; i++)
        step();
    top->hold_take_i = 0;
    for (unsigned i = 0; i < 4 * Latency; i++)
        step();
    expect("behind a line whose translation has gone", {base + 50 * Line});
    if (walks)
        fail("translations for a line behind", walks, 0);
    case_done("without a translation");

    // what is about to be launched: the line and the one behind, with their translation, in the address space that is named
    invalidate();
    lines.clear(), walks = vmids = 0, before = answers;
    prime(base + 20 * Line + 8);
    expect("a line that maintenance has named, and the one behind", {base + 20 * Line, base + 21 * Line});
    if (walks != 1 || vmids != 2 || answers != before)
        fail("translations of a line that maintenance has named", walks, 1);
    prime(base + 20 * Line);
    expect("named again", {});
    fetch(base + 20 * Line);
    expect("asked for by a wavefront: it is there", {});
    fetch(base + 21 * Line);
    expect("asked for behind it", {base + 22 * Line});
    prime(base + 20 * Line, 2);
    expect("in another address space: one page, another translation", {});
    if (walks != 2 || vmids != 6)
        fail("translations of another address space", vmids, 6);
    prime(base + Page - Line);
    expect("the last line of a page", {base + Page - Line});
    refuse = true;
    prime(base + 9 * Page);
    expect("without a translation", {});
    refuse = false;
    fetch(base + 9 * Page);
    expect("a fault of what nobody has asked for is not kept", {base + 9 * Page, base + 9 * Page + Line});
    prime(1ull << 45);
    expect("no such page", {});
    // beside requests that hold all entries it waits; with all that waits it is dropped
    invalidate();
    fetch(base);
    lines.clear();
    msg_ctl_cmd named = {};
    named.op = CTL_FETCH, named.vmid = 1, named.root = base + 40 * Line;
    put(top->maint_i, named);
    top->hold_take_i = 1, top->maint_valid_i = 1;
    for (unsigned i = 0; i < 12; i++)
        step();
    expect("while nothing is taken", {});
    top->hold_all_i = 1, step();
    top->discard_i = 1, step();
    for (unsigned i = 0; i < 2 * Latency; i++)
        step();
    top->hold_take_i = top->hold_all_i = 0;
    for (unsigned i = 0; i < 4 * Latency; i++)
        step();
    expect("dropped", {});
    if (!top->idle_o || !top->finished_o)
        fail("rest", 0, 1);
    case_done("named by maintenance", "S3.4");
    printf("%s\n", failures ? "FAILED" : "PASS");
    return failures != 0;
}
