// SPDX-License-Identifier: Apache-2.0
// top: cu
// opt: -O0
// lib: yes
// args: -Wno-UNUSEDPARAM -Wno-UNUSEDSIGNAL --x-initial unique --x-assign unique
// own: tests/rtl/cu/front/cu_simd.sv tests/rtl/cu/front/cu_vmem.sv
// mutant: -DGANTRY_CU_FAULT=1
// mutant: -DGANTRY_CU_FAULT=2
// mutant: -DGANTRY_CU_FAULT=21
// mutant: -DGANTRY_CU_FAULT=22
// mutant: -DGANTRY_CU_FAULT=23
// mutant: -DGANTRY_CU_FAULT=28
// mutate: scalar_idle && vmem_queue_idle && none_waits => scalar_idle && vmem_queue_idle
// mutate: have[w][place]  = 1'b0; => have[w][place]  = have[w][place];
// mutate: late[at] = 1'b1 => late[at] = 1'b0
// mutate: plane[2] = plane[2] ^ carry1 => plane[2] = plane[2] ^ carry2
// mutate: some[turn]    = 1'b1 => some[turn]    = 1'b0
// mutate: internal: 1'b1, default: 1'b0 => internal: 1'b0, default: 1'b0
// mutate: where_o <= {vmid[w], pc[w]} => where_o <= {vmid[w], pc[0]}
// mutate: logic [3:0] nops[Waves] => logic [2:0] nops[Waves]
// mutate: = 8'(EvtDepth); => = 8'(EvtDepth) + 8'd1;
// mutate: killing             = 1'b0; => killing             = 1'b1;
//
// The front end alone, with stand-ins for the vector blocks: random scalar programs with branches, calls and scalar
// loads on many wavefronts against the golden model; faults, kill, invalidation, counters; traps (traps.h); turns of s_nop (nops.h), of vector memory (turns.h).  Covers cu_fetch, cu_issue,
// cu_scalar, cu_sgpr, cu_fill, cu_perf.  The mutants: waits skipped, SCC, old fetch answers, lost load data, a read port,
// scalar memory complete before its shortest latency; a credit too many and a kill that nobody asked for, which only assertions see.
#include "tests/rtl/case_done.h"
#include "tests/rtl/cu/front/late.h"
#include "tests/rtl/cu/front/nops.h"
#include "tests/rtl/cu/front/traps.h"
#include "tests/rtl/cu/front/turns.h"
#include "tests/rtl/cu/harness.h"
#include "tests/rtl/cu/pinned.h"

struct Generator {
    Random &r;
    std::string out;
    void line(const char *format, ...)
    {
        char text[200];
        va_list args;
        va_start(args, format);
        vsnprintf(text, sizeof text, format, args);
        va_end(args);
        out += std::string("  ") + text + "\n";
    }
    unsigned even() { return 16 + 2 * r.below(30); }
    unsigned any() { return 16 + r.below(60); }
    void scalar()
    {
        static const char *const two[] = {"s_add_u32", "s_addc_u32", "s_sub_u32", "s_subb_u32", "s_add_i32", "s_min_u32", "s_max_i32",
            "s_xor_b32", "s_lshl_b32", "s_ashr_i32", "s_mul_i32", "s_bfe_u32", "s_bfe_i32", "s_cselect_b32", "s_absdiff_i32"};
        static const char *const wide[] = {"s_and_b64", "s_xor_b64", "s_andn2_b64", "s_nor_b64", "s_cselect_b64"};
        static const char *const shift[] = {"s_lshl_b64", "s_lshr_b64", "s_ashr_i64", "s_bfe_u64", "s_bfe_i64"};
        unsigned a = even(), b = even(), c = even();
        switch (r.below(10)) {
        case 0: case 1: case 2: line("%s s%u, s%u, s%u", two[r.below(15)], any(), any(), any()); break;
        case 3: line("%s s%u, s%u, 0x%x", two[r.below(15)], any(), any(), r()); break;
        case 4: line("%s s[%u:%u], s[%u:%u], s[%u:%u]", wide[r.below(5)], a, a + 1, b, b + 1, c, c + 1); break;
        case 5: line("%s s[%u:%u], s[%u:%u], s%u", shift[r.below(5)], a, a + 1, b, b + 1, any()); break;
        case 6: line("s_and_saveexec_b64 s[%u:%u], s[%u:%u]", a, a + 1, b, b + 1); break;
        case 7: line("s_mov_b64 vcc, s[%u:%u]", a, a + 1); break;
        case 8: line("s_flbit_i32_b64 s%u, s[%u:%u]", any(), a, a + 1); break;
        default: line("s_cmp_gt_i32 s%u, s%u", any(), any()); break;
        }
    }
    std::string program(unsigned blocks)
    {
        static const char *const branch[] = {"scc0", "scc1", "vccz", "vccnz", "execz", "execnz"};
        for (unsigned i = 24; i < 96; i++)
            line("s_mov_b32 s%u, 0x%x", i, r());
        line("s_movk_i32 s7, %u", 1 + r.below(4));
        out += "loop:\n";
        for (unsigned k = 0; k < blocks; k++) {
            for (unsigned i = r.below(7); i-- > 0;)
                scalar();
            switch (r.below(7)) {
            case 0:
                line("s_cbranch_%s over%u", branch[r.below(6)], k);
                for (unsigned i = r.below(20); i-- > 0;)
                    scalar();
                out += "over" + std::to_string(k) + ":\n";
                break;
            case 1: line("s_load_dword s%u, s[0:1], 0x%x", 80 + r.below(16), r.below(200) * 4); goto wait;
            case 2: line("s_load_dwordx16 s[80:95], s[0:1], 0x%x", r.below(200) * 4); goto wait;
            case 3: line("s_load_dwordx4 s[84:87], s[0:1], s2"); goto wait;
            case 4: line("s_load_dwordx2 vcc, s[0:1], 0x%x", r.below(200) * 4);
            wait:
                line("s_waitcnt lgkmcnt(0)");
                line("s_xor_b32 s%u, s%u, s%u", any(), 80 + r.below(16), 80 + r.below(16));
                break;
            case 5:
                line("s_getpc_b64 s[4:5]");
                line("s_add_u32 s4, s4, %u", r.below(2) ? 12 : 16);
                line("s_addc_u32 s5, s5, 0");
                line("s_swappc_b64 s[10:11], s[4:5]");
                line("s_nop 1");
                break;
            default: line("s_sleep 1"); break;
            }
        }
        line("s_barrier");
        line("s_add_i32 s7, s7, -1");
        line("s_cmp_lg_i32 s7, 0");
        line("s_cbranch_scc1 loop");
        line("s_endpgm");
        return out;
    }
};

static void run_random(Bench &b, unsigned count)
{
    std::vector<Wave *> set;
    uint64_t pc = MemBase;
    size_t total = 0;
    b.waves.clear();
    for (unsigned n = 0; n < count; n++) {
        Generator g{b.rnd, {}};
        auto code = assemble(g.program(10));
        b.mem.put(pc, code);
        WaveSetup q;
        q.pc = pc;
        q.simd = n & 3;
        q.slot = 9 - (n >> 2);
        q.group = n & 63;
        q.sgpr_base = (n >> 2) * 112 + 16;
        q.sgpr = {0x200000 + n * 0x1000, 0, 64};
        set.push_back(b.add(q));
        pc = (pc + code.size() * 4 + 4 * b.rnd.below(60)) & ~3ull;
    }
    b.golden_mem = b.mem;
    b.golden_run(set);
    b.run(set);
    for (Wave *w : set)
        total += w->trace.size();
    std::printf("random: %u wavefronts, %zu instructions, cycle %llu\n", count, total, (unsigned long long)b.cycle);
}

// What the counters' port tells of a wavefront while counting is off: {state, VMID, PC of the next instruction}.
static uint64_t where(Bench &b, unsigned wave)
{
    b.top->perf_en_i = 0;
    b.top->perf_addr_i = wave;
    b.step();
    b.step();
    uint64_t word = b.top->perf_data_o;
    b.top->perf_en_i = 1;
    b.top->perf_addr_i = 0xff;
    return word;
}

// A wavefront that is alone in its group has barrier slot 0 in its record, too.  It starts, or ends, while one of the
// group to which the slot belongs waits there for the other.
static void run_lone(Bench &b, bool ends)
{
    b.waves.clear();
    uint64_t text = MemBase, own = MemBase + 0x1000;
    b.mem.put(text, assemble("  s_cmp_lg_u32 s0, 0\n  s_cbranch_scc0 meet\n  s_sleep 40\nmeet:\n  s_barrier\n  s_endpgm\n"));
    b.mem.put(own, assemble(ends ? "  s_sleep 12\n  s_endpgm\n" : "  s_endpgm\n"));
    b.golden_mem = b.mem;
    Wave *set[3];
    for (unsigned n = 0; n < 3; n++) {
        WaveSetup q;
        q.pc = n == 2 ? own : text;
        q.simd = n;
        q.sgpr_base = 16;
        q.group_waves = n == 2 ? 1 : 2;
        q.wave_in_group = n & 1;
        q.sgpr = {n};
        set[n] = b.add(q);
    }
    b.golden_run({set[0], set[1], set[2]});
    if (ends)
        b.launch(set[2]);
    b.launch(set[0]);
    b.launch(set[1]);
    for (unsigned i = 0; i < 400; i++)
        b.step();
    if (set[0]->done || set[1]->done || set[2]->done)
        fail("barrier: somebody has ended before the lone wavefront");
    for (unsigned n = 0; n < 2; n++) {  // used, live, decoded; at the barrier before s_endpgm, asleep before s_barrier
        uint64_t word = where(b, n << 4);
        if ((word >> 56 & 0xfe) != (n ? 0xe8 : 0xf0) || (word & 0xffffffffffff) != text + (n ? 12 : 16))
            fail("where: wavefront %u: %016llx", n << 4, (unsigned long long)word);
    }
    if (where(b, 0x31) >> 63)
        fail("where: a wavefront that does not exist");
    if (!ends)
        b.launch(set[2]);
    for (unsigned i = 0; i < 1200; i++)
        b.step();
    if (!set[2]->done || set[0]->done || set[1]->done)
        fail("barrier: the lone wavefront %s", set[2]->done ? "releases that of another group" : "has not ended");
    for (unsigned i = 0; i < 4000 && !(set[0]->done && set[1]->done); i++)
        b.step();
    if (!set[0]->done || !set[1]->done)
        fail("barrier: lost, after a lone wavefront %s", ends ? "ended" : "started");
}

static uint64_t counter(Bench &b, unsigned number)
{
    b.top->perf_addr_i = number;
    b.clock();
    b.clock();
    return b.top->perf_data_o;
}

// A kill of nobody, and an invalidation while nothing runs, are acknowledged; instructions by class add up.
static void run_commands(Bench &b)
{
    size_t before = b.events.size();
    msg_cu_cmd c{};
    c.kind = CU_KILL;
    c.vmid = 9;
    b.commands.push_back(c);
    for (unsigned i = 0; i < 200 && b.events.size() == before; i++)
        b.step();
    if (b.events.size() != before + 1 || b.events.back().kind != CU_EVT_ACK)
        fail("a kill is not acknowledged");
#ifdef PART_CU
    msg_ctl_cmd inv{};
    inv.op = CTL_INV, inv.flags = CACHE_INV_L1V, inv.id = 0x1234;
    b.controls.push_back(inv);
    for (unsigned i = 0; i < 20 && b.answers.empty(); i++)
        b.step();
    if (b.answers.size() != 1 || b.answers[0].op != CTL_INV || b.answers[0].id != 0x1234 || b.answers[0].status != CTL_OK)
        fail("an invalidation is not answered");
#else
    b.top->inv_valid_i = 1;
    b.clock();
    if (!b.top->inv_done_o)
        fail("an invalidation is not acknowledged");
    for (unsigned i = 0; i < 5; i++) // as long as a control message takes
        b.clock();
#endif
    uint64_t total = 0, sum = 0;
    for (auto &e : b.events)
        total += e.kind == CU_EVT_WAVE_DONE ? e.instructions : 0;
    for (unsigned number : {0, 1, 3, 4, 5, 6})
        sum += counter(b, number);
    if (total != sum)
        fail("counters: %llu instructions, events say %llu", (unsigned long long)sum, (unsigned long long)total);
    if (total != counter(b, 0xff))
        fail("counters: without a number %llu, events say %llu", (unsigned long long)counter(b, 0xff), (unsigned long long)total);
    if (counter(b, 2) == 0 || counter(b, 9) == 0)
        fail("counters: no scalar memory or no fetch");
}

int main()
{
    Bench b;
    b.vector_latency = 0;  // of the stand-in
    for (unsigned i = 0; i < MemBytes; i += 4) {
        uint32_t x = b.rnd();
        memcpy(&b.mem.bytes[i], &x, 4);
    }
    for (unsigned i = 0; i < 8; i++) {
        b.latency = 8 + 30 * (i & 1);
        b.jitter = i & 2 ? 0 : 60;
        run_random(b, i < 2 ? 1 : 1 + b.rnd.below(27));
    }
    pinned_case(b, "random programs", 37049, 33285);
    case_done("random programs");
    run_commands(b);
    case_done("commands");
    run_nops(b);
    pinned_case(b, "commands and s_nop", 2702, 2697);
    case_done("s_nop");
    run_late(b, false);
    run_late(b, true);
    pinned_case(b, "late answers", 923563, 209387);
    case_done("answers of fetches that are 128 jumps late");
    run_traps(b);
    pinned_case(b, "traps", 55783, 47697);
    case_done("traps");
    run_lone(b, false);
    run_lone(b, true);
    pinned_case(b, "a lone wavefront", 5233, 5233);
    case_done("a lone wavefront");
    run_vmem_turns(b);
    case_done("vector memory in turn");
    std::printf("passed: %llu register writes compared, %llu accesses complete\n", (unsigned long long)b.observed, (unsigned long long)b.completions);
    return pins_differ != 0;
}
