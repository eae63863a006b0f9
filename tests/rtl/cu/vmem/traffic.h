// SPDX-License-Identifier: Apache-2.0
// Pages, and random instructions of eight wavefronts.
#ifndef TESTS_VMEM_TRAFFIC_H
#define TESTS_VMEM_TRAFFIC_H
#include "model.h"

static void drain()
{
    int patience = 50000;
    while (!flying.empty() && --patience)
        tick();
    if (!patience)
        fail("never done", flying.size(), 0), exit(1);
    for (int i = 0; i < 8; i++)
        tick();
    for (int i = 0; i < 60 && !credit_due.empty(); i++)
        tick();
    for (int i = 0; i < 6; i++)
        tick();
    if (!dut->idle_o)
        fail("not idle after the last completion", 0, 1);
}

static uint64_t region_va(unsigned w) { return 0x100000000 + (uint64_t)w * 0x1000000; }

static void map_page(unsigned vmid, uint64_t va, uint64_t pa, unsigned flags) { mem.table[Memory::key(vmid, va)] = pa | 0x10 | flags | 1; }

static uint64_t new_page(unsigned owner)
{
    static uint64_t next = 0x40;  // another page for each, anywhere in 36 bits
    return (uint64_t)owner << 48 | ((next += 1 + rng() % 5) * 0x9e3779b97 & 0xfffffffff) << 12;
}

static void set_up()
{
    shared_bytes.resize(PAGES * 4096);
    for (auto &b : shared_bytes)
        b = rng();
    for (unsigned p = 0; p < PAGES; p++) {
        uint64_t pa = new_page(1 + p % 2);
        memcpy(mem.at(pa), &shared_bytes[p * 4096], 4096);
        map_page(1, SHARED_VA + p * 4096, pa, 2 | 4);
        map_page(1, RO_VA + p * 4096, pa, 2);
    }
    for (unsigned w = 0; w < WAVES; w++) {
        region[w].resize(PAGES * 4096);
        for (unsigned p = 0; p < PAGES; p++) {
            uint64_t pa = new_page(rng() % 4 ? 1 : rng() % 3);
            unsigned flags = 2 | 4 | (rng() % 5 ? 0 : 0x20);
            map_page(1, region_va(w) + p * 4096, pa, flags);
            map_page(1, region_va(w) + ALIAS + p * 4096, pa, flags);
            for (unsigned i = 0; i < 4096; i++)
                region[w][p * 4096 + i] = mem.at(pa)[i] = rng();
        }
    }
}

static void random_flat(Vm &v, unsigned serial)
{
    unsigned w = wave_index(v.wave), s = v.wave >> 4;
    uint64_t base = region_va(w), span = PAGES * 4096;
    bool shared = !v.store && !v.atomic && rng() % 4 == 0, bad = rng() % 40 == 0;
    if (shared)
        base = rng() % 2 ? SHARED_VA : RO_VA;
    unsigned shape = rng() % 6, stride = 1u << rng() % 9, shift = rng() % 1024, natural = v.atomic ? v.bytes() : v.bytes() < 4 ? v.bytes() : 4;
    bool odd = !v.atomic && rng() % 6 == 0;
    // lanes of one store or atomic go to a byte by one address only: their order is that of transactions
    uint64_t alias = rng() % 2 ? 0 : v.store || v.atomic || rng() % 2 ? ~0ull : rng();
    for (unsigned l = 0; l < 64; l++) {
        uint64_t o = shape == 0 ? l * v.bytes() : shape == 1 ? l * v.bytes() + shift : shape == 2 ? l * stride : shape == 3 ? (63 - l) * v.bytes()
                     : shape == 4 ? rng() % 256 : rng() % span;
        if (!odd)
            o -= o % natural;
        o %= span - 16;
        o -= odd ? 0 : o % natural;
        uint64_t va = base + o;
        if (!shared && (alias >> l & 1))
            va += ALIAS;
        if (bad && rng() % 16 == 0)
            va = (serial & 1 && v.store ? RO_VA : BAD_VA) + o;
        if (bad && !(serial & 7) && l == 40)
            va |= 1ull << 45;
        vgpr[s][v.addr][l] = va, vgpr[s][v.addr + 1][l] = va >> 32;
    }
}

// Some or all lanes go to the LDS of the wavefront, some beyond its end, some not aligned; some to scratch, which lies in
// its own pages.
static void into_apertures(Vm &v)
{
    unsigned s = v.wave >> 4, shape = rng() % 5, far = rng() % 8 == 0, align = rng() % 4 ? v.bytes() & -v.bytes() : 1;
    uint64_t all = rng() % 2 ? ~0ull : rng() | rng(), scratch = !v.atomic && rng() % 4 == 0 ? rng() & rng() : 0;
    v.flat_scratch = 256 | (region_va(wave_index(v.wave)) >> 8) << 32;  // 64 words of 64 lanes
    for (unsigned l = 0; l < 64; l++) {
        uint32_t o = shape == 0 ? l * v.bytes() : shape == 1 ? (63 - l) * 8 : shape == 2 ? rng() % 16 : rng() % 600;
        o -= o % align;
        if (far && rng() % 8 == 0)
            o = rng() % 2 ? 0xffffffff - rng() % 32 : rng();
        if (scratch >> l & 1)
            vgpr[s][v.addr][l] = rng() % 60 * 4, vgpr[s][v.addr + 1][l] = 0x20000001;
        else if (all >> l & 1)
            vgpr[s][v.addr][l] = o, vgpr[s][v.addr + 1][l] = LDS_VA >> 32;
        else if (v.store && scratch) // scratch knows its pages by one address only: see random_flat
            vgpr[s][v.addr][l] &= ~ALIAS;
    }
    flat_lds++;
}

static void random_buffer(Vm &v)
{
    unsigned w = wave_index(v.wave), s = v.wave >> 4;
    uint64_t base = region_va(w);
    v.kind = 1, v.offen = rng() % 2, v.idxen = rng() % 2;
    v.soffset = rng() % 4 ? 0 : rng() % 64 * 4, v.offset = rng() % 16 * 4;
    bool swizzle = rng() % 2;
    unsigned stride = rng() % 2 ? 16 : 0, natural = v.bytes() < 4 ? v.bytes() : 4;
    v.rsrc[0] = base, v.rsrc[1] = (uint32_t)(base >> 32) | stride << 16 | (swizzle ? 1u << 31 : 0);
    v.rsrc[3] = (swizzle ? 1u << 19 | (rng() % 2 ? 3u : 0u) << 21 | 1u << 23 : 0);
    v.rsrc[2] = rng() % 3 ? 8192 : rng() % 2048;
    if (stride && swizzle)
        v.rsrc[2] = rng() % 3 ? 256 : rng() % 64;
    for (unsigned l = 0; l < 64; l++) {
        unsigned a = v.idxen ? rng() % 40 : rng() % (swizzle ? 32 : 1024) / natural * natural, b = rng() % 32 / natural * natural;
        vgpr[s][v.addr][l] = a, vgpr[s][v.addr + 1][l] = b;
    }
}

// Between memory and the LDS, at any dword of the allocation: lanes beyond it are not there.  A store's lanes go to different
// places by their number.
static void random_buffer_lds(Vm &v)
{
    v.lds = v.in_lds = true;
    v.lds_word = rng() % 4 ? rng() % 80 : rng() % 8 ? rng() % 200 : rng() % 0x8000;
    unsigned dwords = lds_bytes(v.wave) / 4, room = dwords > v.lds_word ? dwords - v.lds_word : 0;
    v.exec &= room < 64 ? (1ull << room) - 1 : ~0ull;
    if (v.store)
        v.offen = v.idxen = false, v.rsrc[3] |= 1u << 23, v.rsrc[1] |= 4u << 16;
    buffer_lds++;
}

static unsigned serial_of[WAVES];

// A wavefront has four blocks of registers, used in turn.
static void wait_for_registers(unsigned wave)
{
    int patience = 20000;
    for (unsigned same = 4; same >= 4 && --patience;) {
        same = 0;
        for (auto &f : flying)
            same += f.wave == wave;
        if (same >= 4)
            tick();
    }
    if (!patience)
        fail("no completion", 0, 1), exit(1);
}

// What a load has for the LDS is there when it ends: who accesses it before has no order with it.
static void wait_for_lds(unsigned wave)
{
    int patience = 20000;
    for (bool loads = true; loads && --patience;) {
        loads = false;
        for (auto &f : flying)
            loads |= f.wave == wave && f.lds && !f.store;
        if (loads)
            tick();
    }
    if (!patience)
        fail("no completion of a load into the LDS", 0, 1), exit(1);
}

static Vm random_vm(unsigned serial)
{
    Vm v;
    v.wave = rng() % 4 << 4 | rng() % 2;
    unsigned w = wave_index(v.wave), s = v.wave >> 4;
    wait_for_registers(v.wave);
    v.tag = serial_of[w] * 101 & 255; // tags count all instructions of a wavefront: two of this unit may be far apart
    unsigned base = (v.wave & 1) * 128 + serial_of[w]++ % 4 * 32;
    v.addr = base, v.data = base + 4, v.dst = base + 16;
    unsigned kind = rng() % 20;
    if (kind == 0) {
        v.kind = 2;
        return v;
    }
    v.store = kind < 7, v.atomic = kind >= 7 && kind < 10;
    v.glc = rng() % 4 == 0, v.slc = (v.tag ^ v.tag >> 1) & 1;
    v.size = v.atomic ? 2 : rng() % 3 ? 2 : rng() % 2;
    v.dwords = v.size < 2 ? 1 : v.atomic ? 1 + rng() % 2 : 1 + rng() % 4;
    v.sext = v.size < 2 && !v.store && rng() % 2;
    v.atomic_op = rng() % 13;
    v.exec = rng() % 4 ? rng() | rng() : rng() % 3 ? ~0ull : rng() % 2 ? 0 : 1ull << rng() % 64;
    for (unsigned l = 0; l < 64; l++)
        for (unsigned k = 0; k < 8; k++)
            vgpr[s][v.data + k][l] = rng() % 4 ? rng() : rng() % 4;
    if (!v.atomic && rng() % 4 == 0)
        random_buffer(v);
    else
        random_flat(v, serial);
    if (v.kind == 0 && rng() % 4 == 0)
        into_apertures(v);
    if (v.kind == 1 && v.dwords == 1 && (!v.store || v.size == 2) && rng() % 2)
        random_buffer_lds(v);
    if (v.lds || v.kind == 0)
        wait_for_lds(v.wave);
    return v;
}
#endif
