// SPDX-License-Identifier: Apache-2.0
// Bench of tlb_l1: random fills, lookups and invalidations against a map; a hit must carry the newest entry of exactly
// this address space and page, a page just filled must hit, nothing may survive its invalidation (S3.12).  Pages from
// 4096 on lie in blocks of 64 KiB, from 65536 on in blocks of 1 MiB: a fill of one page is one of all 16 or 256.
// Address spaces and pages that differ in one bit are different ones, to lookups and to invalidations.
// top: tlb_l1
// sources: build/gen/gantry_msg_pkg.sv rtl/tlb/tlb_pkg.sv rtl/tlb/tlb_l1.sv
// args: -Wno-UNUSEDPARAM --x-initial unique
// mutant: -GSeedFault=2'd1
// mutant: -GSeedFault=2'd2
// mutant: -GSeedFault=2'd3
// mutate: rtl/tlb/tlb_l1.sv: found[19:16] = lookup_vpn_i[7:4] => found[19:16] = found[19:16]
#include <map>

#include "tests/rtl/case_done.h"
#include "../../mem_bench.h"
#include "Vtlb_l1.h"

static Vtlb_l1 *dut;
static std::map<std::pair<unsigned, unsigned>, uint64_t> entries; // newest entry by (vmid, page)
static uint64_t hits, misses;

static void clock_once()
{
    bool valid = dut->lookup_valid_i || dut->fill_valid_i || dut->inv_valid_i || dut->result_valid_o;
    dut->en_i = valid || rng() & 1;
    dut->clk_i = 1;
    dut->eval();
    dut->clk_i = 0;
    dut->eval();
    cycle++;
    dut->lookup_valid_i = dut->fill_valid_i = dut->inv_valid_i = 0;
}

static void lookup(unsigned vmid, unsigned vpn)
{
    dut->lookup_valid_i = 1;
    dut->lookup_vmid_i = (uint8_t)vmid;
    dut->lookup_vpn_i = vpn;
}

static void check(unsigned vmid, unsigned vpn, bool must_hit)
{
    auto it = entries.find({vmid, vpn});
    if (!dut->result_valid_o)
        return fail("no result", 0, 1);
    if (dut->result_hit_o && it == entries.end())
        return fail("hit of a page that was never filled, page", vpn, vmid);
    if (dut->result_hit_o && dut->result_pte_o != it->second)
        return fail("entry", dut->result_pte_o, it->second);
    if (must_hit && !dut->result_hit_o)
        return fail("a page just filled misses, page", vpn, vmid);
    (dut->result_hit_o ? hits : misses)++;
}

static void fill(unsigned vmid, unsigned vpn)
{
    uint64_t pte = (rng() & 0xfffffffffff000ull) | 17 | pick(8) << 1;
    dut->fill_valid_i = 1;
    dut->fill_vmid_i = (uint8_t)vmid;
    dut->fill_vpn_i = vpn;
    dut->fill_pte_i = pte;
    if (vpn & 0x10000) {
        dut->fill_pte_i = pte = (pte & ~0xff000ull) | (uint64_t)(vpn & 255) << 12 | (8 + pick(2)) << 7;
        for (uint64_t p = 0; p < 256; p++)
            entries[{vmid, (unsigned)((vpn & ~255u) | p)}] = (pte & ~0xff000ull) | p << 12;
        return;
    }
    if (vpn & 0x1000) {
        dut->fill_pte_i = pte = (pte & ~0xf000ull) | (vpn & 15) << 12 | (4 + pick(4)) << 7;
        for (uint64_t p = 0; p < 16; p++)
            entries[{vmid, (unsigned)((vpn & ~15u) | p)}] = (pte & ~0xf000ull) | p << 12;
        return;
    }
    entries[{vmid, vpn}] = pte;
}

static void invalidate(unsigned vmid)
{
    dut->inv_valid_i = 1;
    dut->inv_vmid_i = (uint8_t)vmid;
    for (auto it = entries.begin(); it != entries.end();)
        it = vmid == 255 || it->first.first == vmid ? entries.erase(it) : std::next(it);
}

static void look(unsigned vmid, unsigned vpn, bool must_hit)
{
    lookup(vmid, vpn);
    clock_once();
    check(vmid, vpn, must_hit);
}

// One entry of a page, of a block of 16 and of one of 256: no other address space and no other page finds it, and only
// its own address space's invalidation removes it.
static void single_bits()
{
    const unsigned vmid = 0x5a;
    for (unsigned vpn : {0x0aa0a55u, 0xaaa1a55u, 0x551a500u}) {
        invalidate(255);
        clock_once();
        fill(vmid, vpn);
        clock_once();
        for (unsigned b = 0; b < 8; b++) {
            look(vmid ^ 1u << b, vpn, false);
            invalidate(vmid ^ 1u << b);
            clock_once();
            look(vmid, vpn, true);
        }
        for (unsigned b = 0; b < 28; b++)
            look(vmid, vpn ^ 1u << b, false); // check() knows what is mapped
        look(vmid, vpn, true);
        invalidate(vmid);
        clock_once();
        look(vmid, vpn, false);
    }
}

int main(int argc, char **argv)
{
    Verilated::randReset(2); // what reset leaves alone holds anything
    dut = new Vtlb_l1;
    clock_once();
    clock_once();
    dut->rst_ni = 1;
    if (argc > 1 && !strcmp(argv[1], "speed")) {
        for (unsigned busy : {0u, 1u}) {
            Stopwatch w;
            for (unsigned i = 0; i < 200000; i++) {
                if (busy)
                    lookup(1, i & 63);
                clock_once();
            }
            printf("speed: %s %.0f ns a cycle\n", busy ? "busy" : "idle", w.ns() / 200000);
        }
        return 0;
    }
    for (unsigned i = 0; i < 200000; i++) {
        unsigned vmid = 1 + (unsigned)pick(3), vpn = (unsigned)(pick(40) | pick(3) << 20);
        if (pick(2))
            vpn = 0x1000 | (vpn & 7) << 4 | (unsigned)pick(16) | (vpn & 0x300000);
        else if (pick(2))
            vpn = 0x10000 | (vpn & 3) << 8 | (unsigned)pick(256) | (vpn & 0x300000);
        unsigned what = (unsigned)pick(100);
        bool filled = false;
        if (what < 40) {
            fill(vmid, vpn);
            if (pick(2))
                clock_once();
            filled = true;
        } else if (what < 42) {
            invalidate(pick(4) ? vmid : 255);
        }
        lookup(vmid, vpn);
        clock_once();
        check(vmid, vpn, filled);
    }
    case_done("random against a map", "S3.12");
    single_bits();
    case_done("single bits");
    // a working set of the size of the table, each set filled evenly, stays
    invalidate(255);
    clock_once();
    for (unsigned p = 0; p < 64; p++) {
        fill(1, p);
        clock_once();
    }
    for (unsigned p = 0; p < 64; p++) {
        lookup(1, p);
        clock_once();
        check(1, p, true);
    }
    case_done("a working set of its size stays");
    // so do as many blocks, whatever page of them was filled
    invalidate(255);
    clock_once();
    for (unsigned b = 0; b < 64; b++) {
        fill(1, 0x1000 | b << 4 | (unsigned)pick(16));
        clock_once();
    }
    for (unsigned p = 0; p < 64 * 16; p++) {
        lookup(1, 0x1000 | p);
        clock_once();
        check(1, 0x1000 | p, true);
    }
    invalidate(255);
    clock_once();
    for (unsigned b = 0; b < 64; b++) {
        fill(1, 0x10000 | b << 8 | (unsigned)pick(256));
        clock_once();
    }
    for (unsigned p = 0; p < 64 * 256; p += 1 + (unsigned)pick(7)) {
        lookup(1, 0x10000 | p);
        clock_once();
        check(1, 0x10000 | p, true);
    }
    case_done("as many blocks stay");
    printf("hits %llu, misses %llu\n", (unsigned long long)hits, (unsigned long long)misses);
    if (hits < 50000 || misses < 20000)
        fail("too little of one kind, hits", hits, misses);
    return bench_end("tlb_l1");
}
