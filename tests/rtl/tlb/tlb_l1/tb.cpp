// SPDX-License-Identifier: Apache-2.0
// Bench of tlb_l1: random fills, lookups and invalidations against a map; a hit must carry the newest entry of exactly
// this address space and page, a page just filled must hit, nothing may survive its invalidation (S3.12).  Pages from
// 4096 on lie in fragments of 64 KiB, from 65536 on of 1 MiB, from 131072 on of 2 MiB: a fill of one page is one of all of them.
// Address spaces and pages that differ in one bit are different ones, to lookups and to invalidations; an invalidation of
// pages takes every entry that has one of them, and no other.  What is found is told by a model of the sets, too.
// top: tlb_l1
// args: -Wno-UNUSEDPARAM -Wno-UNUSEDSIGNAL --x-initial unique
// mutate: vmid: vmid, first: vpn => vmid: {6'd0, vmid[1:0]}, first: vpn
// mutate: inv_covers(inv_i, kept.vmid, kept.first, kept.size)) tag[e] = 64'd0 => inv_covers(inv_i, kept.vmid, kept.first, kept.size) && e >= NumWays) tag[e] = 64'd0
// mutate: inv_covers(inv_i, kept.vmid, kept.first, kept.size) => inv_covers(inv_i, kept.vmid, kept.first, SizePage)
// mutate: pte_of_page(pte[hit_way], hit_size, lookup_vpn_i) => pte_of_page(pte[hit_way], SizePage, lookup_vpn_i)
// mutate: tag[base+w] == other ? SizeLarge => tag[base+w] == other ? SizeMib
// mutate: size: of_size, vmid => size: SizePage, vmid
// mutate: pte[11:7] >= 5'd9 ? SizeLarge => pte[11:7] >= 5'd8 ? SizeLarge
// mutate: hit ? oldest[base] : way + 32'd1; => way + 32'd1;
// mutate: lookup_valid_i && rst_ni; => lookup_valid_i;
// mutate: tag[last] == make_tag(kept.size, lookup_vmid_i, => tag[last] == make_tag(kept.size, kept.vmid,
// mutate: hit_way  = 32'(last); => hit_way  = 32'd0;
// mutate: (vpn | size_mask(size)) >= inv.first => vpn >= inv.first
#include <iterator>
#include <map>

#include "tests/rtl/case_done.h"
#include "../../inv_pages.h"
#include "../../mem_bench.h"
#include "Vtlb_l1.h"

static Vtlb_l1 *dut;
static std::map<std::pair<unsigned, unsigned>, uint64_t> entries; // newest entry by (vmid, page)
static uint64_t hits, misses;

// What is kept where: the oldest way of a set is filled, a page that is there again in its place.
struct Way {
    bool valid;
    unsigned size, vmid, first;
};
enum { Sets = 16, Ways = 4 };
static struct Set {
    Way way[Ways];
    unsigned oldest;
} kept[Sets];
static const unsigned PageBits[] = {0, 4, 8, 9};

// Set of a page in an entry of a size: of its number, of the number of its block, of that of the 2 MiB around it.
static Set &set_of(unsigned size, unsigned vpn)
{
    const unsigned n = vpn >> (size >= 2 ? 9 : PageBits[size]);
    return kept[(n ^ n >> 9 ^ n >> 16) % Sets];
}
static Way *way_of(unsigned size, unsigned vmid, unsigned vpn)
{
    for (Way &w : set_of(size, vpn).way)
        if (w.valid && w.size == size && w.vmid == vmid && w.first == vpn >> PageBits[size] << PageBits[size])
            return &w;
    return nullptr;
}

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
    bool is_kept = false;
    for (unsigned size = 0; size < 4; size++)
        is_kept |= way_of(size, vmid, vpn) != nullptr;
    if (dut->result_hit_o != is_kept)
        return fail("found, page", dut->result_hit_o, is_kept);
    if (must_hit && !dut->result_hit_o)
        return fail("a page just filled misses, page", vpn, vmid);
    (dut->result_hit_o ? hits : misses)++;
}

// Fragment of a page of these tests: by the bits of its number.
static unsigned fragment_of(unsigned vpn) { return vpn & 0x20000 ? 9 : vpn & 0x10000 ? 8 : vpn & 0x1000 ? 4 : 0; }

static void fill(unsigned vmid, unsigned vpn)
{
    unsigned f = fragment_of(vpn), pages = 1u << f;
    uint64_t pte = (rng() & 0xfffffffff000ull & ~((uint64_t)(pages - 1) << 12)) | 17 | pick(8) << 1;
    pte |= (uint64_t)(f + (f == 4 ? pick(4) : f == 9 ? pick(3) : f == 0 ? pick(4) : 0)) << 7; // between two sizes: the lesser
    dut->fill_valid_i = 1;
    dut->fill_vmid_i = (uint8_t)vmid;
    dut->fill_vpn_i = vpn;
    dut->fill_pte_i = pte | (uint64_t)(vpn & (pages - 1)) << 12;
    const unsigned size = f == 9 ? 3 : f == 8 ? 2 : f == 4;
    Set &set = set_of(size, vpn);
    if (!way_of(size, vmid, vpn))
        set.way[set.oldest++ % Ways] = {true, size, vmid, vpn & ~(pages - 1)};
    for (uint64_t p = 0; p < pages; p++)
        entries[{vmid, (unsigned)((vpn & ~(pages - 1)) | p)}] = pte | p << 12;
}

// Pages first to last, all when last is below first.
static void invalidate(unsigned vmid, unsigned first = 1, unsigned last = 0)
{
    bool whole = last < first;
    dut->inv_valid_i = 1;
    put_pages(dut->inv_i, vmid, first, last);
    for (Set &s : kept)
        for (Way &w : s.way)
            w.valid &= !((vmid == 255 || w.vmid == vmid) && (whole || ((w.first | ((1u << PageBits[w.size]) - 1)) >= first && w.first <= last)));
    for (auto it = entries.begin(); it != entries.end();) {
        unsigned page = it->first.second, mask = (1u << fragment_of(page)) - 1;
        bool named = whole || ((page | mask) >= first && (page & ~mask) <= last);
        it = (vmid == 255 || it->first.first == vmid) && named ? entries.erase(it) : std::next(it);
    }
}

static void look(unsigned vmid, unsigned vpn, bool must_hit)
{
    lookup(vmid, vpn);
    clock_once();
    check(vmid, vpn, must_hit);
}

// One entry of each size: no other address space and no other page finds it, and only
// its own address space's invalidation removes it.
static void single_bits()
{
    const unsigned vmid = 0x5a;
    for (unsigned vpn : {0x0aa0a55u, 0xaa81a55u, 0x551a500u, 0x552a5a0u}) {
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

// An invalidation of pages: those at both ends of an entry and in it take it, those beside it do not; nor in another space.
static void ranges()
{
    for (unsigned vpn : {0x0aa0a55u, 0xaa81a55u, 0x551a555u, 0x552a555u}) {
        unsigned mask = (1u << fragment_of(vpn)) - 1, first = vpn & ~mask, last = vpn | mask;
        const unsigned hits[][2] = {{first, first}, {last, last}, {first - 9, first}, {last, last + 9}, {vpn, vpn}, {0, 0xfffffff}};
        const unsigned misses[][2] = {{first - 1, first - 1}, {last + 1, last + 1}, {0, first - 1}, {last + 1, 0xfffffff}};
        invalidate(255);
        clock_once();
        fill(0x81, vpn);
        clock_once();
        for (auto &r : misses) {
            invalidate(0x81, r[0], r[1]);
            clock_once();
            look(0x81, vpn, true);
        }
        for (auto &r : hits) {
            invalidate(0x80, r[0], r[1]);
            clock_once();
            look(0x81, vpn, true);
            invalidate(r[0] & 1 ? 0x81 : 255, r[0], r[1]);
            clock_once();
            look(0x81, vpn, false);
            fill(0x81, vpn);
            clock_once();
        }
    }
}

// One cycle of reset leaves nothing.
static void reset()
{
    dut->rst_ni = 0, dut->en_i = 0;
    dut->lookup_valid_i = (uint8_t)pick(2), dut->fill_valid_i = dut->inv_valid_i = 0;
    dut->clk_i = 0, dut->eval(), dut->clk_i = 1, dut->eval(), dut->clk_i = 0, dut->eval();
    dut->rst_ni = 1, dut->lookup_valid_i = 0;
    if (dut->result_valid_o)
        fail("a result of a lookup in reset", 1, 0);
    entries.clear();
    for (Set &set : kept)
        set = {};
}

int main(int argc, char **argv)
{
    Verilated::randReset(2); // what reset leaves alone holds anything
    dut = new Vtlb_l1;
    reset();
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
            vpn = 0x10000 << pick(2) | (vpn & 3) << 9 | (unsigned)pick(512) | (vpn & 0x300000);
        if (i % 1000 == 999)
            reset();
        unsigned what = (unsigned)pick(100);
        bool filled = false;
        if (what < 40) {
            fill(vmid, vpn);
            if (pick(2))
                clock_once();
            filled = true;
        } else if (what < 42) {
            invalidate(pick(4) ? vmid : 255);
        } else if (what < 50) {
            unsigned first = vpn - (unsigned)pick((vpn < 40 ? vpn : 40) + 1);
            invalidate(pick(4) ? vmid : 255, first, first + (unsigned)pick(pick(2) ? 40 : 2));
        }
        lookup(vmid, vpn);
        clock_once();
        check(vmid, vpn, filled);
    }
    case_done("random against a map", "S3.12");
    single_bits();
    case_done("single bits");
    ranges();
    case_done("ranges");
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
    invalidate(255);
    clock_once();
    for (unsigned b = 0; b < 64; b++) {
        fill(1, 0x20000 | (b & 7) << 9 | (b >> 3) << 20 | (unsigned)pick(512));
        clock_once();
    }
    for (unsigned b = 0; b < 64; b++) {
        unsigned vpn = 0x20000 | (b & 7) << 9 | (b >> 3) << 20 | (unsigned)pick(512);
        lookup(1, vpn);
        clock_once();
        check(1, vpn, true);
    }
    case_done("as many blocks stay");
    printf("hits %llu, misses %llu\n", (unsigned long long)hits, (unsigned long long)misses);
    if (hits < 50000 || misses < 20000)
        fail("too little of one kind, hits", hits, misses);
    return bench_end("tlb_l1");
}
