// SPDX-License-Identifier: Apache-2.0
// Page tables of the bench of part_utcl2, in a memory of its own: pages, fragments of them and leaves of 2 MiB, of address
// spaces whose numbers differ in every bit; what a walk of them gives.  Included by tb.cpp.  Not responsible for: when
// they change (invalidations.h).
#ifndef TABLES_H
#define TABLES_H
#include <unordered_map>

static const unsigned Gpu = 2;
static const unsigned Vmids[] = {1, 3, 0x41, 0x81, 0xc1, 0xfe}; // all upper bits, equal lower ones
static std::unordered_map<uint64_t, uint64_t> memory; // entries by offset in the own VRAM
static uint64_t root_of[256], next_table = 0x10000;
static const uint64_t Nowhere = 1ull << 44; // from here on nobody owns the memory
static const uint64_t Fragment = 31ull << 7, Large = 512ull << 12;

static uint64_t owner_bits(uint64_t offset) { return (uint64_t)(Gpu + 1) << 48 | offset; }
static uint64_t entry_at(uint64_t pa) { auto it = memory.find(pa & 0xffffffffffffull); return it == memory.end() ? 0 : it->second; }
static uint64_t fragment_of(uint64_t entry) { return entry >> 7 & 31; }

// Pages that an entry stands for in a TLB of this GPU.
static uint64_t covered(uint64_t entry)
{
    uint64_t f = fragment_of(entry);
    return f >= 9 ? 512 : f >= 8 ? 256 : f >= 4 ? 16 : 1;
}

// The entry of a page; one of a leaf of 2 MiB says so by its fragment.
static uint64_t walk(unsigned vmid, uint64_t va)
{
    if (va >> 40 || !root_of[vmid])
        return 0;
    uint64_t e = entry_at(root_of[vmid] + (va >> 30 & 1023) * 8);
    if (!(e & 1) || e & 16)
        return 0;
    e = entry_at((e & 0xfffffffff000ull) + (va >> 21 & 511) * 8);
    if (!(e & 1))
        return 0;
    if (e & 16) {
        uint64_t f = fragment_of(e) > 9 ? fragment_of(e) : 9;
        return ((e & ~Fragment) | f << 7) + ((va >> 12 & 511) << 12);
    }
    e = entry_at((e & 0xfffffffff000ull) + (va >> 12 & 511) * 8);
    return e & 1 && e & 16 ? e : 0;
}

static uint64_t table_below(uint64_t slot)
{
    if (!(memory[slot] & 1)) {
        memory[slot] = owner_bits(next_table) | 1;
        next_table += 0x1000;
    }
    return memory[slot] & 0xfffffffff000ull;
}

// A leaf of 2 MiB, in place of a table if need be.
static void map_large(unsigned vmid, uint64_t va, uint64_t entry)
{
    memory[table_below((root_of[vmid] & 0xfffffffff000ull) + (va >> 30 & 1023) * 8) + (va >> 21 & 511) * 8] = entry;
}

// Place of the entry of a page in its lowest table, 0 below a leaf of 2 MiB.
static uint64_t leaf_slot(unsigned vmid, uint64_t va)
{
    uint64_t middle = table_below((root_of[vmid] & 0xfffffffff000ull) + (va >> 30 & 1023) * 8) + (va >> 21 & 511) * 8;
    return memory[middle] & 16 ? 0 : table_below(middle) + (va >> 12 & 511) * 8;
}

// The entry of va alone; the others of its fragment are single pages then.
static void map_page(unsigned vmid, uint64_t va, uint64_t entry)
{
    uint64_t slot = leaf_slot(vmid, va);
    if (!slot)
        return;
    uint64_t bytes = 8ull << fragment_of(entry_at(slot)), first = slot & ~(bytes - 1);
    for (uint64_t s = first; s < first + bytes; s += 8)
        memory[s] &= ~Fragment;
    memory[slot] = entry;
}

// 2^f aligned pages (f <= 9) with the bits of `entry`, one after the other in both address spaces.
static void map_fragment(unsigned vmid, uint64_t va, uint64_t entry, unsigned f)
{
    uint64_t bytes = 4096ull << f;
    va &= ~(bytes - 1);
    entry &= ~((bytes - 1) & ~0xfffull);
    for (uint64_t at = 0; at < bytes; at += 4096)
        map_page(vmid, va + at, entry + at);
    for (uint64_t at = 0; leaf_slot(vmid, va) && at < bytes; at += 4096)
        memory[leaf_slot(vmid, va + at)] |= (uint64_t)f << 7;
}

static uint64_t random_va() { return pick(3) << 30 | pick(5) << 21 | pick(64) << 12 | (pick(4096) & ~7ull); }
static unsigned random_vmid() { return Vmids[pick(6)]; }
static uint64_t random_entry(bool large)
{
    uint64_t page = pick(1 << 20) << (large ? 21 : 12);
    return pick(4) << 48 | page | pick(4) << 5 | 16 | (pick(8) << 1) | (pick(10) != 0);
}

static uint8_t status_of(uint64_t e, unsigned access)
{
    if (!(e & 1))
        return MEM_FAULT_NOT_PRESENT;
    if (access & 4 && !(e & 8))
        return MEM_FAULT_NO_EXECUTE;
    if (access & 2 && !(e & 4))
        return MEM_FAULT_READ_ONLY;
    if (access & 1 && !(e & 2))
        return MEM_FAULT_NOT_PRESENT;
    return MEM_OK;
}
#endif
