// SPDX-License-Identifier: Apache-2.0
// Cases of their own: invalidation under traffic, transactions by pattern of addresses, translations that take long, faults.
#ifndef TESTS_VMEM_DIRECTED_H
#define TESTS_VMEM_DIRECTED_H
#include "../../inv_pages.h"
#include "traffic.h"

static void invalidate_pages(unsigned flags, unsigned vmid, unsigned first, unsigned last)
{
    dut->inv_i = 1, dut->inv_flags_i = flags;
    put_pages(dut->inv_pages_i, vmid, first, last);
    int patience = 5000;
    do
        tick();
    while (!dut->inv_done_o && --patience);
    if (!patience)
        fail("invalidation never done", 0, 1), exit(1);
}

static void invalidate(unsigned flags, unsigned vmid)
{
    static unsigned turn; // as a range from the first page on, or from the second
    invalidate_pages(flags, vmid, ++turn % 2, 0xfffffff);
}

// The host writes the shared pages (all of them, moved to new places with `remap`): visible after an invalidation.
static void change_shared(bool remap)
{
    while (!flying.empty())
        tick();
    for (auto &b : shared_bytes)
        b = rng();
    for (unsigned p = 0; p < PAGES; p++) {
        if (remap) {
            uint64_t pa = new_page(1 + (p + rng()) % 2);
            map_page(1, SHARED_VA + p * 4096, pa, 2 | 4), map_page(1, RO_VA + p * 4096, pa, 2);
        }
        memcpy(mem.at(mem.pa_of(1, SHARED_VA + p * 4096)), &shared_bytes[p * 4096], 4096);
    }
    invalidate(remap ? CACHE_INV_L1V | CACHE_INV_TLB : CACHE_INV_L1V, rng() % 2 ? 1 : 255);
}

// A load of shared lines is under way while the host changes them and a wavefront invalidates: later loads are fresh.
static void race_invalidation()
{
    Vm v;
    v.wave = 0, v.addr = 0, v.dst = 16, v.data = 4, v.tag = serial_of[0]++ & 255;
    drain();
    vgpr[0][0][0] = (uint32_t)SHARED_VA, vgpr[0][1][0] = SHARED_VA >> 32, v.exec = 1;
    issue(v);  // the translation is there from here on
    drain();
    invalidate(CACHE_INV_L1V, 1);
    mem.min_delay = 200, mem.spread = 1;
    v.exec = (1u << MSHRS) - 1, v.tag = serial_of[0]++ & 255;  // as many lines as the cache has misses
    for (unsigned l = 0; l < 64; l++)
        vgpr[0][0][l] = SHARED_VA + l * 64 % 4096, vgpr[0][1][l] = SHARED_VA >> 32;
    issue(v);
    for (unsigned i = 0; i < 150; i++)
        tick();
    mem.min_delay = 20;
    for (unsigned i = 0; i < 4096; i++)
        shared_bytes[i] ^= 0xff, *mem.at(mem.pa_of(1, SHARED_VA + i)) ^= 0xff;
    Vm inv;
    inv.kind = 2, inv.wave = 0x10, inv.tag = serial_of[2]++ & 255, inv.addr = inv.data = inv.dst = 32;
    if (rng() % 2)
        issue(inv);
    else
        invalidate(CACHE_INV_L1V, 1);
    for (unsigned i = 0; i < 600; i++)
        tick();
    v.addr = 32, v.dst = 48, v.tag = serial_of[0]++ & 255;
    for (unsigned l = 0; l < 64; l++)
        vgpr[0][32][l] = SHARED_VA + l * 64 % 4096, vgpr[0][33][l] = SHARED_VA >> 32;
    issue(v);
    drain();
}

// Transactions of one load with lane l at byte place(l).
template <typename F> static void check_count(const char *what, unsigned dwords, uint64_t exec, unsigned want, F place, unsigned atomic_op = 99)
{
    Vm v;
    v.wave = 0, v.addr = 0, v.data = 4, v.dst = 16, v.dwords = dwords, v.exec = exec, v.tag = serial_of[0]++ & 255;
    v.atomic = atomic_op != 99, v.atomic_op = atomic_op % 16, v.glc = want & 1;
    uint64_t base = v.atomic ? region_va(0) : SHARED_VA;
    for (unsigned l = 0; l < 64; l++)
        vgpr[0][0][l] = base + place(l), vgpr[0][1][l] = base >> 32;
    drain();
    uint64_t before = count[0];
    issue(v);
    drain();
    printf("%-32s %3llu transactions, want %u\n", what, (unsigned long long)(count[0] - before), want);
    if (count[0] - before != want)
        fail(what, count[0] - before, want);
}

static void transaction_counts()
{
    for (unsigned stride = 1; stride <= 64; stride *= 2) {
        char name[32];
        snprintf(name, sizeof name, "stride %u dwords", stride);
        check_count(name, 1, ~0ull, stride < 16 ? 4 * stride : 64, [=](unsigned l) { return l * stride * 4; });
    }
    check_count("permuted in 16 lanes", 1, ~0ull, 4, [](unsigned l) { return (l ^ 11) * 4; });
    check_count("reversed", 1, ~0ull, 4, [](unsigned l) { return (63 - l) * 4; });
    check_count("same address", 1, ~0ull, 1, [](unsigned) { return 100; });
    check_count("stride 1 from byte 4", 1, ~0ull, 5, [](unsigned l) { return 4 + l * 4; });
    check_count("masked: even lanes of stride 1", 1, 0x5555555555555555, 4, [](unsigned l) { return l * 4; });
    check_count("masked: lanes 0 to 15", 1, 0xffff, 1, [](unsigned l) { return l * 4; });
    check_count("masked: one lane", 1, 1ull << 37, 1, [](unsigned l) { return l * 4; });
    check_count("masked: none", 1, 0, 0, [](unsigned l) { return l * 4; });
    check_count("x2", 2, ~0ull, 8, [](unsigned l) { return l * 8; });
    check_count("x4", 4, ~0ull, 16, [](unsigned l) { return l * 16; });
    // atomics: lanes of a line share a request, of those of one word the first
    for (unsigned stride = 1; stride <= 64; stride *= 2) {
        char name[40];
        snprintf(name, sizeof name, "add, stride %u dwords", stride);
        check_count(name, 1, ~0ull, stride < 16 ? 4 * stride : 64, [=](unsigned l) { return l * stride * 4; }, ATOMIC_ADD);
    }
    check_count("add, permuted in 16 lanes", 1, ~0ull, 4, [](unsigned l) { return (l ^ 11) * 4; }, ATOMIC_ADD);
    check_count("add, masked: every third lane", 1, 0x9249249249249249, 4, [](unsigned l) { return l * 4; }, ATOMIC_ADD);
    check_count("add, one word", 1, ~0ull, 64, [](unsigned) { return 64; }, ATOMIC_ADD);
    check_count("add, two lanes a word", 1, ~0ull, 6, [](unsigned l) { return l / 2 * 4; }, ATOMIC_ADD);
    check_count("add, one line four times", 1, ~0ull, 4, [](unsigned l) { return l % 16 * 4; }, ATOMIC_ADD);
    check_count("maximum x2", 2, ~0ull, 8, [](unsigned l) { return l * 8; }, ATOMIC_SMAX);
    check_count("maximum x2, one lane", 2, 1ull << 63, 1, [](unsigned l) { return l * 8; }, ATOMIC_SMAX);
    check_count("compare and swap", 1, ~0ull, 64, [](unsigned l) { return l * 4; }, ATOMIC_CMPSWAP);
    check_count("dword across lines", 1, 1, 2, [](unsigned) { return 62; });
}

// ---- translations that take long: who goes on meanwhile
static Vm of_page(unsigned wave, unsigned addr, uint64_t va)
{
    Vm v;
    unsigned w = wave_index(wave);
    v.wave = wave, v.addr = addr, v.data = addr + 4, v.dst = addr + 16, v.exec = 1, v.tag = serial_of[w]++ & 255;
    for (unsigned l = 0; l < 64; l++)
        vgpr[wave >> 4][addr][l] = (uint32_t)va, vgpr[wave >> 4][addr + 1][l] = va >> 32;
    return v;
}

// How many transactions, requests to the L2 TLB and writes come of these instructions before the first translation does.
static void expect_meanwhile(const char *what, const std::vector<Vm> &of, unsigned transactions, unsigned asked, unsigned writes)
{
    uint64_t was[7], xlats = mem.xlats;
    memcpy(was, count, sizeof was);
    mem.xlat_delay = 3000;
    for (const Vm &v : of)
        issue(v);
    for (unsigned i = 0; i < 800; i++)
        tick();
    mem.xlat_delay = 0;
    if (count[0] - was[0] != transactions)
        fail(what, count[0] - was[0], transactions);
    if (mem.xlats - xlats != asked)
        fail(what, mem.xlats - xlats, asked);
    if (count[6] - was[6] != writes)
        fail(what, count[6] - was[6], writes);
    drain();
}

// Reads of one page leave in order, also when the younger has the place of one that has left meanwhile.
static void order_in_a_page(uint64_t soon, uint64_t late)
{
    const uint64_t pa = mem.pa_of(1, late);
    const uint64_t asked = mem.xlats;
    invalidate(CACHE_INV_L1V, 255);
    mem.xlat_delay = 400;
    issue(of_page(0, 0, soon));
    for (unsigned i = 0; i < 400 && mem.xlats == asked; i++)
        tick();
    mem.xlat_delay = 3000;
    issue(of_page(0, 32, late));
    for (unsigned i = 0; i < 800; i++)
        tick();
    if (mem.xlats != asked + 2)
        fail("two pages are asked for", mem.xlats - asked, 2);
    issue(of_page(0, 64, late + 64));
    mem.xlat_delay = 0, mem.record = true, mem.order.clear();
    drain();
    mem.record = false;
    if (mem.order != std::vector<uint64_t>{pa, pa + 64})
        fail("reads of one page out of order", mem.order.empty() ? 0 : mem.order[0], pa);
}

static void under_misses()
{
    static uint64_t next = RO_VA + PAGES * 4096;  // pages that no TLB knows, and the known one
    auto fresh = [] {
        map_page(1, next, mem.pa_of(1, RO_VA + (next - RO_VA) % (PAGES * 4096)), 2);
        return (next += 4096) - 4096;
    };
    drain();
    mem.min_delay = 20, mem.spread = 1;
    const uint64_t mine = region_va(0), page = fresh();
    issue(of_page(0, 0, mine)), issue(of_page(0x10, 0, SHARED_VA)), issue(of_page(0x20, 0, region_va(4) + 4096));
    drain();
    expect_meanwhile("others hit", {of_page(0, 0, page), of_page(0x10, 0, SHARED_VA)}, 1, 1, 0);
    expect_meanwhile("reads of its own wavefront hit", {of_page(0, 0, fresh()), of_page(0, 32, mine)}, 1, 1, 0);
    Vm store = of_page(0, 32, mine);
    store.store = true;
    Vm first = of_page(0, 0, fresh());
    store.tag = serial_of[0]++ & 255;
    expect_meanwhile("a store passes no read of its wavefront", {first, store}, 0, 1, 0);
    Vm other = of_page(0x20, 32, region_va(4) + 4096);
    other.store = true;
    expect_meanwhile("a store passes reads of others", {of_page(0, 0, fresh()), other}, 1, 1, 1);
    order_in_a_page(fresh(), fresh());
    uint64_t twin = mine + ALIAS;
    invalidate(CACHE_INV_TLB, 1);
    issue(of_page(0, 0, mine)), issue(of_page(0x10, 0, SHARED_VA));
    drain();
    store = of_page(0, 0, twin), store.store = true;
    expect_meanwhile("a read passes no store of its wavefront", {store, of_page(0, 32, mine)}, 0, 1, 0);
    invalidate(CACHE_INV_TLB, 1);
    uint64_t same = fresh();
    expect_meanwhile("one page is asked for once", {of_page(0, 0, same), of_page(0x10, 0, same + 64), of_page(0x20, 0, same + 128)}, 0, 1, 0);
    same = fresh(); // and once for each address space
    map_page(2, same, mem.pa_of(1, same) & ~4095ull, 2);
    Vm foreign = of_page(0x10, 0, same);
    foreign.vmid = 2;
    expect_meanwhile("one page of two address spaces", {of_page(0, 0, same), foreign}, 0, 2, 0);
    std::vector<Vm> many;
    for (unsigned n = 0; n < MISSES + 2; n++)
        many.push_back(of_page(n % 4 << 4 | (n / 4 & 1), n % 2 * 32, fresh()));
    expect_meanwhile("pages asked for at a time", many, 0, MISSES, 0);
    Vm load = of_page(0, 0, fresh()), inv = of_page(0, 32, 0);
    inv.kind = 2;
    expect_meanwhile("an invalidation stays behind what waits", {load, inv}, 0, 1, 0);
}

// Which lines stay in the cache: of this GPU's memory and another's; not of the host's, nor of pages marked uncached.
static void kept_lines()
{
    static const struct { const char *what; unsigned owner, flags; bool glc, kept, slc; } Cases[] = {
        {"own memory", 1, 2, false, true}, {"memory of another GPU", 2, 2, false, true}, {"memory of the last GPU", 255, 2, false, true},
        {"memory of the host", 0, 2, false, false}, {"another GPU's, uncached", 2, 2 | 0x20, false, false}, {"own, uncached", 1, 2 | 0x20, false, false},
        {"another GPU's, glc", 2, 2, true, false}, {"own, slc", 1, 2, false, true, true}, {"own, glc and slc", 1, 2, true, false, true}};
    uint64_t va = RO_VA + 0x100000;
    mem.min_delay = 20, mem.spread = 1;
    for (auto &c : Cases) {
        uint64_t pa = new_page(c.owner);
        memcpy(mem.at(pa), &shared_bytes[(va - RO_VA) % shared_bytes.size()], 4096);
        map_page(1, va, pa, c.flags);
        for (unsigned n = 0; n < 4; n++) { // twice, then twice after an acquire
            if (n == 2) {
                invalidate(CACHE_INV_L1V, 255);
                for (unsigned i = 0; i < 64; i++) // whose line the owner has changed
                    mem.at(pa)[i] = shared_bytes[(va - RO_VA) % shared_bytes.size() + i] ^= 0x5a;
            }
            uint64_t was = mem.reads;
            Vm v = of_page(0, 0, va);
            v.glc = c.glc, v.slc = c.slc;
            issue(v);
            drain();
            bool asks = n % 2 == 0 || !c.kept;
            if (mem.reads - was != asks)
                fail(c.what, mem.reads - was, asks);
            if (asks && mem.last_access != (c.kept ? 1 : 9)) // 8: from home
                fail(c.what, mem.last_access, c.kept ? 1 : 9);
        }
        for (unsigned i = 0; i < 64; i++) { // as it was, for other pages with these bytes
            uint64_t at = (va - RO_VA) % shared_bytes.size() + i;
            shared_bytes[at] ^= 0x5a;
        }
        va += PAGES * 4096;
    }
    invalidate(CACHE_INV_L1V, 255);
}

// A translation to physical addresses that nobody owns: the fault comes with the memory's answer, of loads, stores and atomics.
static void bus_faults()
{
    const uint64_t va = 0x3f0000000;
    map_page(1, va, new_page(Memory::nobody), 2 | 4);
    for (unsigned n = 0; n < 32; n++) { // the last ones of successive dwords: pairs of lines
        Vm v;
        v.wave = 0x10, v.addr = 0, v.data = 4, v.dst = 16, v.exec = n & 8 ? 1 : 0xf00f, v.tag = serial_of[2]++ & 255;
        v.store = n % 4 == 1, v.atomic = n % 4 > 1, v.glc = n % 4 == 3, v.atomic_op = ATOMIC_ADD, v.dwords = n & 4 && !v.atomic ? 2 : 1;
        for (unsigned l = 0; l < 64; l++)
            vgpr[1][0][l] = va + (n & 16 ? 4 + l * 4 : l * 8), vgpr[1][1][l] = va >> 32;
        issue(v);
        if (flying.back().status != MEM_FAULT_BUS)
            fail("the bench expects no fault", flying.back().status, MEM_FAULT_BUS);
        drain();
    }
}

// Instructions without a lane end long before their shortest latency, so more reports wait than may: the unit, at rest then, takes
// the next instruction all the same when some have left.
static void many_without_lanes()
{
    for (unsigned n = 0; n < 200; n++) {
        Vm v;
        v.wave = n % 64, v.tag = n / 64, v.exec = 0;
        issue(v);
    }
    drain();
}

// Faults of addresses: atomics that are no multiple of their size (other lanes are performed), atomics in scratch, loads beyond the
// scratch memory of a lane, addresses anywhere without a page, also beyond 40 bits.
static void address_faults()
{
    enum { ALIGN, ATOMIC, BEYOND, FAR };
    for (unsigned n = 0; n < 400; n++) {
        unsigned what = n < 16 ? n % 4 : FAR, lane = n % 64;
        Vm v;
        v.wave = 0x10, v.addr = 0, v.data = 4, v.dst = 16, v.tag = serial_of[2]++ & 255, v.exec = what == ALIGN ? ~0ull : 1ull << lane;
        v.atomic = what < BEYOND, v.atomic_op = ATOMIC_ADD, v.glc = n & 4, v.dwords = n & 8 && v.atomic ? 2 : 1;
        v.flat_scratch = what == BEYOND ? 256 | region_va(2) >> 8 << 32 : 0;
        for (unsigned l = 0; l < 64; l++) {
            uint64_t va = region_va(2) + l * 8 + (l == lane ? v.dwords * 2 : 0);
            vgpr[1][0][l] = what == BEYOND ? 256 : what == FAR ? rng() : (uint32_t)va;
            vgpr[1][1][l] = what == ALIGN ? va >> 32 : what == FAR ? (n & 1 ? rng() : rng() & 0xff) | 0x80 : 0x20000001;
        }
        issue(v);
        Vm &want = flying.back();
        uint64_t flat = (uint64_t)vgpr[1][1][lane] << 32 | vgpr[1][0][lane];
        if (what == ATOMIC || what == BEYOND)
            want.status = FAULT_APERTURE, want.fault_va = {what == ATOMIC ? flat : region_va(2) + 256 / 4 * 256 + lane * 4};
        if (want.status != (what == ALIGN ? FAULT_ALIGN : what == FAR ? MEM_FAULT_NOT_PRESENT : FAULT_APERTURE))
            fail("the bench expects no such fault", want.status, what);
        drain();
    }
}
#endif
