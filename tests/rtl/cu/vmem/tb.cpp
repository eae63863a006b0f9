// SPDX-License-Identifier: Apache-2.0
// Bench of cu_vmem (with l1v and tlb_l1): random FLAT and MUBUF instructions of eight wavefronts, each in its own
// pages, against bytes executed in program order; random latencies, masks, strides, misaligned elements, faults,
// invalidation and remapping under traffic, addresses that nobody owns; lanes in the LDS aperture, mixed with others, against a
// model of the LDS behind its port, and so are buffer instructions between memory and the LDS.  Then transaction counts of strides, permuted and masked lanes (S4.11), cycles of streams of instructions,
// and always the order of completion of a wavefront (S1.2) and the shortest latency (C.3).  The argument `speed` prints ns a cycle instead.
// top: cu_vmem
// args: -Wno-UNUSEDPARAM --x-initial unique --x-assign unique
// mutant: -GSeedFault=4'd1
// mutant: -GSeedFault=4'd2
// mutant: -GSeedFault=4'd3
// mutant: -GSeedFault=4'd4
// mutant: -GSeedFault=4'd5
// mutant: -GSeedFault=4'd6
// mutant: -GSeedFault=4'd7
// mutant: -GSeedFaultL1=4'd1
// mutant: -GSeedFaultL1=4'd2
// mutant: -GSeedFaultL1=4'd3
// mutate: cu_vmem_request.sv: slc: issue_i.slc, => slc: 1'b0,
// mutate: pc: pc[last], => pc: pc[chosen],
// mutate: (Latency - 13) => (Latency - 15)
// mutate: (off < 32'd64 || low) => off < 32'd64
// mutate: if (hold[s] && vwr_ready_i[s][1]) begin => if (hold[s]) begin
// mutate: closes[s] = next.final_row; => closes[s] = 1'b1;
// mutate: next.lanes = 64'(joined0 | joined1) => next.lanes = 64'(joined0)
// mutate: return strict ? older : older & writes; => return older & writes;
// mutate: return strict ? older : older & writes; => return strict ? older : '0;
// mutate: return a == b; => return a.vpn == b.vpn;
// mutate: left.older[at] = 1'b0; => left.older[0] = 1'b0;
// mutate: return others == '0; => return 1'b1;
// mutate: xlat_id_o <= mem_rsp_i.tag[7:0]; => xlat_id_o <= '0;
// mutate: cu_vmem_return.sv: apart: access_i.op == L1Atomic && !access_i.tx.merged, => apart: access_i.op == L1Atomic,
// mutate: gather && !building => (gather && !building) || req.op == L1Atomic
// mutate: return same & busy; => return '0;
// mutate: return !used[word]; => return 1'b1;
// mutate: return op.atomic && op.atomic_op != 4'd1 && !in_lds; => return op.atomic && op.atomic_op != 4'd1;
// mutate: return pte[6:5] == 2'd0 && pte[55:48] != 8'd0; => return pte[6:5] == 2'd0;
// mutate: return pte[6:5] == 2'd0 && pte[55:48] != 8'd0; => return pte[6:5] == 2'd0 && pte[55:48] == 8'd1;
// mutate: tag[l] = '0; => tag[l] = tag[l][49:42] == 8'd1 ? '0 : tag[l];
// mutate: 32'(outstanding) == 32'(waiting_i) => 1'b1
// mutate: 32'(outstanding) == 32'(waiting_i) => outstanding == '0
// mutate: (tlb_fill && !tlb_inv_q) => (tlb_fill)
// mutate: tlb_inv_q <= finish || more; => tlb_inv_q <= finish;
// mutate: (inv_flags_i & CACHE_INV_TLB) != '0 && !more; => (inv_flags_i & CACHE_INV_TLB) != '0;
// mutate: (has[l] ? now[l[3:0]] : 32'd0) => now[l[3:0]]
// mutate: if ((behind & lanes16) != '0) behind = '0; => ;
// mutate: if ((behind & lanes16) != '0) behind = '0; => behind = '0;
// mutate: w < 32'(from) => w <= 32'(from)
// mutate: pairs_o <= hits == '1; => pairs_o <= 1'b1;
// mutate: pairs_o <= hits == '1; => pairs_o <= hits >= 3'd6;
// mutate: from.pair && !both && !alone[from.other] => 1'b0
// mutate: if (from.pair) alone[from.other] = 1'b0; => ;
// mutate: alone_status[from.other] != '0 => 1'b0
// mutate: from.second ? va - 64'd64 => from.second ? va
// mutate: off < 32'd64 || both => 1'b1
// mutate: SeedFault != 4'd6 ? 6'd2 : 6'd1; => 6'd1;
// mutate: if (order_count != '0) begin_instruction(); => ;
// mutate: !(data.left != '0 && data.simd == op.wave.simd) => 1'b1
// mutate: address_left == '0 && data.left == '0 => address_left == '0
// mutate: data.left != '0 && !reads[data.simd] => data.left != '0
#include "tests/rtl/case_done.h"
#include "costs.h"
#include "directed.h"
#include "more.h"
#include "tests/rtl/cu/pinned.h"

// Of the random instructions, with 16, 8 (12 misses under way) and 4 lanes: cycles; transactions, TLB hits and misses, read hits, misses
// and joined ones, writes.  Cycles of the rest of the bench.
static const uint64_t Pins[3][9] = {{1752175, 327114, 273523, 8976, 20065, 141641, 17009, 148408, 373159},
                                   {3112114, 332928, 280597, 9154, 24501, 142757, 12752, 152918, 227617},
                                   {3116944, 327522, 275650, 9088, 24446, 141122, 12351, 149603, 238575}};

static double cpu_ns()
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

static double speed(bool store, unsigned dwords)
{
    drain();
    mem.min_delay = 100, mem.spread = 1;
    for (unsigned s = 0; s < 4; s++)
        for (unsigned l = 0; l < 64; l++)
            vgpr[s][0][l] = SHARED_VA + s * 1024 + l * 4 * dwords, vgpr[s][1][l] = SHARED_VA >> 32;
    uint64_t begin = cycle, n = 20000;
    double t0 = cpu_ns();
    for (unsigned i = 0; i < n; i++) {
        Vm v;
        v.wave = i % 4 << 4, v.tag = serial_of[i % 4 * 2]++ & 255, v.addr = 0, v.data = 4, v.dst = 16, v.store = store, v.dwords = dwords;
        v.exec = 0;  // set below: the reference is not wanted here
        dut->eval();
        while (!dut->ready_o)
            tick(), dut->eval();
        tick();
        v.exec = ~0ull, v.results = 0;
        Packer p;
        for (unsigned k = 0; k < 6; k++)
            p.put(0, 32);
        p.put(0, 32), p.put(0, 14), p.put(0, 34), p.put(0, 64), p.put(0, 1);
        p.put(1, 8), p.put(v.exec, 64), p.put(v.dst, 8), p.put(v.data, 8), p.put(v.addr, 8), p.put(0, 2);
        p.put(v.dwords, 3), p.put(2, 3), p.put(0, 5), p.put(v.store, 1), p.put(0, 2), p.put(v.tag, 8), p.put(v.wave, 6);
        memcpy(dut->issue_i.data(), p.words, sizeof dut->issue_i);
        dut->valid_i = 1;
        v.issued = cycle;
        flying.push_back(v);
    }
    drain();
    printf("%s x%u: %.1f ns a cycle, %.2f cycles an instruction (bench included)\n", store ? "store" : "load", dwords, (cpu_ns() - t0) / (cycle - begin),
           (double)(cycle - begin) / n);
    return 0;
}

static void check_contents()
{
    for (unsigned w = 0; w < WAVES; w++)
        for (unsigned i = 0; i < PAGES * 4096; i++)
            if (*mem.at(mem.pa_of(1, region_va(w) + i)) != region[w][i])
                fail("memory", *mem.at(mem.pa_of(1, region_va(w) + i)), region[w][i]);
    for (unsigned i = 0; i < sizeof lds; i++)
        if (lds[i] != want_lds[i])
            fail("LDS", lds[i], want_lds[i]);
}

int main(int argc, char **argv)
{
    Verilated::randReset(2);
    Verilated::randSeed(31);
    dut = new Vcu_vmem;
    set_up();
    for (unsigned i = 0; i < sizeof lds; i++)
        lds[i] = want_lds[i] = rng();
    dut->rst_ni = 0, dut->own_gpu_i = 0;
    tick(), tick();
    dut->rst_ni = 1;
    tick();
    if (argc > 1 && !strcmp(argv[1], "speed")) {
        drain();
        double t0 = cpu_ns();
        for (int i = 0; i < 1000000; i++)
            dut->clk_i = 0, dut->eval(), dut->clk_i = 1, dut->eval();
        printf("idle %.1f ns a cycle\n", (cpu_ns() - t0) / 1e6);
        speed(false, 1), speed(true, 1), speed(false, 4);
        return 0;
    }
    for (unsigned n = 0; n < 20000 && !failures; n++) {
        stall_writes = n / 128 % 2;
        mem.spread = n / 512 % 2 ? 1 : 150;
        Vm v = random_vm(n);
        issue(v);
        if (n % 500 == 499)
            change_shared(n % 1000 == 999);
        if (n % 1500 == 1499)
            race_invalidation();
        if (n % 250 == 125)
            move_shared();
        if (mem.error)
            fail(mem.error, 0, 0);
    }
    stall_writes = false;
    drain();
    check_contents();
    case_done("random instructions", "S1.2, C.3");
    printf("%llu instructions with lanes in the LDS, %llu between memory and the LDS, %llu lines\n", (unsigned long long)flat_lds,
           (unsigned long long)buffer_lds, (unsigned long long)lines);
    printf("%llu instructions in %llu cycles; transactions %llu, TLB hit %llu miss %llu, read hit %llu miss %llu joined %llu, write %llu\n",
           (unsigned long long)completed, (unsigned long long)cycle, (unsigned long long)count[0], (unsigned long long)count[1],
           (unsigned long long)count[2], (unsigned long long)count[3], (unsigned long long)count[4], (unsigned long long)count[5],
           (unsigned long long)count[6]);
    printf("%llu cycles with rows of two SIMDs\n", (unsigned long long)two_reads);
    if (LANES == 16 && two_reads < 1000)
        fail("addresses beside data", two_reads, 1000);
    const uint64_t *pin = Pins[LANES == 16 ? 0 : LANES == 8 ? 1 : 2], random_end = cycle;
    static const char *const names[] = {"transactions", "TLB hits", "TLB misses", "read hits", "read misses", "joined", "writes"};
    for (unsigned i = 0; i < 7 && !failures; i++)
        pinned(names[i], count[i], pin[1 + i]);
    if (!failures)
        pinned("cycles", cycle, pin[0]);
    printf("slowest: %llu cycles\n", (unsigned long long)slowest);
    if (!failures)
        transaction_counts(), under_misses(), withheld(), kept_lines(), LANES == 16 ? pairs() : (void)0, bus_faults(), address_faults(), many_without_lanes();
    case_done("transactions", "S4.11");
    if (!failures)
        LANES == 16 ? costs() : narrow_costs();
    if (!failures)
        pinned("cycles after the random instructions", cycle - random_end, pin[8]);
    case_done("costs");
    if (!failures)
        more_to_come(), check_contents();
    case_done("invalidations that others follow", "S1.9");
    failures += pins_differ;
    printf("%s\n", failures ? "FAILED" : "passed");
    return failures != 0;
}
