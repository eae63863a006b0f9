// SPDX-License-Identifier: Apache-2.0
// What instructions cost by their addresses: pairs of lines of a load of one register, cycles of streams of instructions by kind, size and pattern, and those
// of a narrow unit.
#ifndef TESTS_VMEM_COSTS_H
#define TESTS_VMEM_COSTS_H
#include "directed.h"

// ---- beats of a load of one register whose successive elements stand on two lines: both are looked up together
static Vm linear(uint64_t from, unsigned size, uint64_t exec = ~0ull)
{
    static unsigned turn;
    Vm v = of_page(0, 128 + turn++ % 4 * 32, from);
    v.size = size, v.exec = exec;
    for (unsigned l = 0; l < 64; l++)
        vgpr[0][v.addr][l] += l << size;
    return v;
}

static void check_pairs(const char *what, const Vm &v, unsigned transactions, unsigned hits, unsigned misses, unsigned joined)
{
    static const char *const names[] = {"transactions", "hits", "misses", "joined"};
    const unsigned want[] = {transactions, hits, misses, joined}, of[] = {0, 3, 4, 5};
    uint64_t was[7];
    memcpy(was, count, sizeof was);
    issue(v);
    drain();
    for (unsigned i = 0; i < 4; i++)
        if (count[of[i]] - was[of[i]] != want[i])
            printf("%s: %s\n", what, names[i]), fail(what, count[of[i]] - was[of[i]], want[i]);
}

static void pairs()
{
    const uint64_t base = region_va(0);
    drain();
    invalidate(CACHE_INV_L1V, 255);
    mem.min_delay = 20, mem.spread = 1;
    auto drop = [&](unsigned at) {
        Vm v = of_page(0, 96, base + at);
        v.store = true;
        issue(v);
        drain();
    };
    auto warm = [&](unsigned n) { // loads that hit
        while (n--)
            issue(of_page(0, 96, base)), drain();
    };
    check_pairs("lines of their own", linear(base, 2), 4, 0, 4, 0);
    warm(6);
    check_pairs("no pairs before eight loads have hit", linear(base + 4, 2), 5, 4, 1, 0);
    check_pairs("nor when the last one has not", linear(base + 4, 2), 5, 5, 0, 0);
    warm(2);
    check_pairs("a pair of which the first is there, then others join", linear(base + 256 + 4, 2), 4, 1, 4, 3);
    warm(7);
    check_pairs("all there", linear(base + 4, 2), 4, 4, 0, 0);
    check_pairs("as many lanes on the second line as there can be", linear(base + 60, 2), 4, 4, 0, 0);
    drop(128);
    warm(7);
    check_pairs("one is gone: of one pair the second, of one the first", linear(base + 4, 2), 4, 4, 1, 1);
    warm(7);
    check_pairs("shorts", linear(base + 2, 1), 4, 4, 0, 0);
    check_pairs("bytes", linear(base + 49, 0), 2, 2, 0, 0);
    check_pairs("bytes on three lines behind each other", linear(base + 61, 0), 2, 2, 0, 0);
    check_pairs("lanes left out", linear(base + 12, 2, 0x0180c001f00f8001), 4, 4, 0, 0);
    check_pairs("dwords across lines are none", linear(base + 2, 2), 5, 5, 0, 0);
    issue(linear(SHARED_VA + 4096 - 128, 2)), drain();
    warm(7);
    check_pairs("nor are the last line of a page and the first of the next", linear(SHARED_VA + 4096 - 128 + 4, 2), 5, 5, 1, 0);
    warm(7);
    Vm fresh = linear(base + 4, 2);
    fresh.glc = true;
    check_pairs("nor loads that want fresh data", fresh, 5, 0, 5, 0);
    const uint64_t uncached = 0x3e0000000 | (base & (PAGES * 4096 - 1)); // the same page, marked uncached
    map_page(1, uncached, mem.pa_of(1, base), 2 | 0x20);
    issue(linear(base, 2)), issue(linear(base + 256, 2)), drain();
    warm(8);
    check_pairs("a pair of an uncached page whose lines are there", linear(uncached + 4, 2), 4, 0, 8, 0);
    for (unsigned second = 0; second < 2; second++) { // a line of a pair that cannot be read
        drop(192 + second * 64);
        warm(8);
        mem.broken = {mem.pa_of(1, base + 192 + second * 64)};
        issue(linear(base + 192 + 32, 2, 0xffff));
        if (flying.back().status != MEM_FAULT_BUS)
            fail("the bench expects no fault", flying.back().status, MEM_FAULT_BUS);
        drain();
        mem.broken.clear();
    }
    for (unsigned n = 0; n < 400; n++) { // lines come and go under them
        wait_for_registers(0);
        issue(linear(base + (rng() % 200 << n % 3), n % 3, n & 8 ? rng() : ~0ull));
        if (n % 16 == 0)
            drop(rng() % 16 * 64);
    }
    drain();
}

// Cycles of an instruction in a stream of flat ones, or of buffer loads (kind 1), that hit, with lane l of wavefront w at byte place(l).
template <typename F> static void check_cost(const char *what, Vm v, double want, F place, unsigned simds = 4)
{
    uint64_t begin = 0;
    const unsigned warm = 384, all = 512; // rows are read a little faster than they are used: so many until the slots are full
    drain();
    mem.min_delay = 20, mem.spread = 1;
    for (unsigned i = 0; i < all; i++) {
        v.wave = i % simds << 4 | (i / simds & 1);
        unsigned w = wave_index(v.wave), s = v.wave >> 4;
        if (i == warm)
            begin = cycle;
        wait_for_registers(v.wave);
        v.tag = serial_of[w] & 255;
        v.addr = (v.wave & 1) * 128 + serial_of[w]++ % 4 * 32, v.data = v.addr + 4, v.dst = v.addr + 16;
        uint64_t base = v.store || v.atomic ? region_va(w) : SHARED_VA;
        for (unsigned l = 0; l < 64; l++)
            vgpr[s][v.addr][l] = (v.kind == 1 ? 0 : base) + place(l), vgpr[s][v.addr + 1][l] = base >> 32;
        v.offen = v.kind == 1, v.rsrc[0] = base, v.rsrc[1] = base >> 32, v.rsrc[2] = 8192;
        issue(v);
    }
    double got = (double)(cycle - begin) / (all - warm);
    drain();
    printf("%-40s %6.2f cycles, want %.0f\n", what, got, want);
    if (got < want - 0.1 || got > want + 0.7)
        fail(what, (uint64_t)(got * 100), (uint64_t)(want * 100));
}

static void costs()
{
    Vm load, wide, store, add, swap;
    auto linear = [](unsigned l) { return l * 4; };
    store.store = true;
    add.atomic = true, add.atomic_op = 2, add.exec = 1;
    swap.atomic = true, swap.atomic_op = 1, swap.exec = 1ull << 40;
    // 8 rows of addresses are read in 8 cycles; coalesced addresses are no slower
    check_cost("load, successive dwords", load, 8, linear);
    check_cost("load, successive dwords from byte 4", load, 8, [](unsigned l) { return 4 + l * 4; });
    check_cost("load, one dword", load, 8, [](unsigned) { return 100; });
    check_cost("load, every second dword", load, 16, [](unsigned l) { return l * 8; });
    check_cost("load, up to 15 dwords further", load, 16, [](unsigned l) { return (l + l * l * 7 % 16) * 4; });
    check_cost("load, reversed in 16 lanes", load, 16, [](unsigned l) { return (l ^ 15) * 4; });
    load.exec = 0x8000000000000001;
    check_cost("load, two lanes far apart", load, 8, [](unsigned l) { return l * 60; });
    load.exec = 0x0000000100000003;
    check_cost("load, two lanes of a beat apart", load, 8, [](unsigned l) { return l * 60; });
    load.exec = ~0ull, load.size = 1;
    check_cost("load, successive shorts", load, 8, [](unsigned l) { return l * 2; });
    check_cost("load, shorts in every dword", load, 16, linear);
    wide.dwords = 2;
    check_cost("load x2", wide, 18, [](unsigned l) { return l * 8; });
    wide.dwords = 3;
    check_cost("load x3", wide, 16, [](unsigned l) { return l * 12; });
    check_cost("load x3, one place", wide, 16, [](unsigned) { return 100; });
    check_cost("load x3, a dword between", wide, 32, [](unsigned l) { return l * 16; });
    Vm buffer, four;
    buffer.kind = four.kind = 1, four.dwords = 4;
    // a line a cycle, and the last of an instruction beside the first of the next one; elements that begin within a line take no more,
    // since two lines are looked up at once; where dwords lie on two lines a lane position has two of them
    check_cost("buffer load, successive dwords", buffer, 4, linear);
    check_cost("buffer load, successive dwords from byte 4", buffer, 4, [](unsigned l) { return 4 + l * 4; });
    buffer.size = 1;
    check_cost("buffer load, successive shorts from byte 14", buffer, 4, [](unsigned l) { return 14 + l * 2; });
    buffer.size = 0;
    check_cost("buffer load, successive bytes from byte 5", buffer, 4, [](unsigned l) { return 5 + l; });
    buffer.size = 2;
    check_cost("buffer load, successive dwords from byte 6", buffer, 8, [](unsigned l) { return 6 + l * 4; });
    check_cost("buffer load x4", four, 16, [](unsigned l) { return l * 16; });
    check_cost("buffer load x4 from byte 4", four, 17, [](unsigned l) { return 4 + l * 16; });
    check_cost("buffer load x4 from byte 60", four, 17, [](unsigned l) { return 60 + l * 16; });
    wide.exec = 1;
    check_cost("load x3, one lane", wide, 16, [](unsigned l) { return l * 12; });
    check_cost("store", store, 16, linear);
    // the rows of addresses of one SIMD are read while the 16 of data of another are; one SIMD has one port
    Vm store4 = store, buffer4 = store;
    store4.dwords = buffer4.dwords = 4, buffer4.kind = 1;
    check_cost("store x4", store4, 16, [](unsigned l) { return l * 16; });
    check_cost("store x4 of one SIMD", store4, 24, [](unsigned l) { return l * 16; }, 1);
    check_cost("buffer store x4", buffer4, 16, [](unsigned l) { return l * 16; });
    check_cost("buffer store x4 of one SIMD", buffer4, 20, [](unsigned l) { return l * 16; }, 1);
    store.exec = 1;
    check_cost("store, one lane", store, 16, linear);
    check_cost("atomic, one lane", add, 16, linear);
    check_cost("compare and swap, one lane", swap, 32, linear);
}

// 8 rows of addresses are read in 32 cycles by 4 lanes.  A line is spread by 4 lanes and a word a cycle and two more, put together by
// one lane and a word a cycle and three more.
static void narrow_costs()
{
    Vm load, wide, store;
    auto linear = [](unsigned l) { return l * 4; };
    store.store = true, wide.dwords = 4;
    check_cost("load, successive dwords", load, LANES == 4 ? 33 : 22, linear);
    check_cost("load x4", wide, 96, [](unsigned l) { return l * 16; });
    check_cost("store", store, 76, linear);
}
#endif
