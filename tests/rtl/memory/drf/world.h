// SPDX-License-Identifier: Apache-2.0
// The memory that agents share, as they see it: address spaces, pages, frames; which byte may be used by whom (claims, so that
// there is no race), and the value that every byte has.  Responsible for: the reference, page tables and what they hold at the
// beginning.  Not responsible for: who accesses, when tables change.
//
// Spaces have equal virtual addresses and other frames, their numbers differ in few bits.  Agents claim each byte for an episode:
// one writer or any number of readers.  Two words of every shared line belong to locks instead (guard), so that lines are shared by
// who holds a lock and who does not.
#ifndef TESTS_DRF_WORLD_H
#define TESTS_DRF_WORLD_H
#include "machine.h"

enum : unsigned { MaxSpaces = 4, Locks_ = 2, CounterWords = 24, NoOne = 0 };
static const uint8_t Vmids[MaxSpaces] = {1, 5, 129, 3};
// Pages of a space: small ones behind each other, two blocks of 64 KiB, two leaves of 2 MiB of which single pages are used.
enum : unsigned { SmallPages = 11, BlockPages = 4, LeafPages = 6, SyncPages = 2, PageCount = SmallPages + BlockPages + LeafPages + SyncPages,
                  FarPages = 3, FirstFar = 5, FirstSwapped = FirstFar + FarPages, FirstBlock = SmallPages, FirstLeaf = FirstBlock + BlockPages, FirstSync = FirstLeaf + LeafPages };
static const uint64_t SmallVa = 0x100000000, BlockVa = 0x108000000, LeafVa = 0x110000000, SyncVa = 0x100100000;

struct Frame {
    uint64_t pa;
    uint8_t value[4096];
    uint32_t writer[4096], reader[4096]; // episode, NoOne; reader: the last to come
    uint16_t readers[4096];
    uint8_t guard[4096];
};
static std::vector<Frame *> frames;
static std::vector<unsigned> far_frames; // that the bench has itself: pages FirstFar on, of the host and, with one GPU, of another (two)

struct Page {
    uint64_t va;
    unsigned frame;
    unsigned users; // episodes
    bool moving;    // its entry changes: nobody may begin to use it
    uint64_t used;  // cycle in which the last episode on it ended
};
struct Space {
    uint8_t vmid;
    uint64_t root, small_table, block_table, middle_table;
    Page page[PageCount];
};
static Space space[MaxSpaces];
static unsigned lock_holder[Locks_]; // episode
struct Counter {
    uint64_t issued = 0, got = 0;
    std::vector<bool> seen;
};
static Counter counter[SyncPages][CounterWords];
static unsigned sync_offset(unsigned word) { return 64 + word * 20; } // of a counter; locks at 0 and 32
static unsigned lock_offset(unsigned lock) { return lock * 32; }

static uint64_t vram(uint64_t offset) { return 1ull << 48 | offset; }

static unsigned new_frame(uint64_t pa, Rng &rng)
{
    Frame *f = new Frame;
    memset(f, 0, sizeof *f);
    f->pa = pa;
    for (unsigned i = 0; i < 4096; i += 8) {
        uint64_t v = rng();
        memcpy(f->value + i, &v, 8);
    }
    memcpy(at(pa), f->value, 4096);
    frames.push_back(f);
    return frames.size() - 1;
}

static void put_entry(uint64_t pa, uint64_t entry) { memcpy(at(pa), &entry, 8); }

enum : uint64_t { Valid = 1, Rights = 2 | 4 | 8, Leaf = 16, Uncached = 32, Fragment64K = 4 << 7, Fragment2M = 9 << 7 };
static bool uncached_page(unsigned index) { return index == 4; }

// Entry that maps page `index` of a space to its frame; of blocks and leaves the frame names the first page of what is mapped.
static uint64_t entry_of(const Space &s, unsigned index)
{
    const Page &p = s.page[index];
    uint64_t pa = frames[p.frame]->pa, bits = Valid | Rights | Leaf | (uncached_page(index) ? (uint64_t)Uncached : 0);
    return index >= FirstLeaf && index < FirstSync ? (pa & ~0x1fffffull) | bits | Fragment2M
           : index >= FirstBlock && index < FirstLeaf ? pa | bits | Fragment64K : pa | bits;
}
// Where this entry stands; all 16 of a block are written from that of its first page on.
static uint64_t entry_place(const Space &s, unsigned index)
{
    uint64_t va = s.page[index].va;
    if (index >= FirstLeaf && index < FirstSync)
        return s.middle_table + (va >> 21 & 511) * 8;
    return (index >= FirstBlock && index < FirstLeaf ? s.block_table : s.small_table) + (va >> 12 & 511) * 8;
}

// Where the bytes are that were at this address first; with several GPUs pages move (driver.h).
static uint64_t stays(uint64_t pa) { return pa; }
static uint64_t (*place_of)(uint64_t pa) = stays;

// Frames of all kinds, and which page of which space has which; with several GPUs they are at first spread over them.
static void build_pages(Rng &rng)
{
    auto on = [](unsigned k, uint64_t offset) { return (uint64_t)(1 + k % params.gpus) << 48 | offset; };
    const bool one = params.gpus == 1;
    // lines of the shared frames meet in few sets of the slices
    std::vector<unsigned> shared, block_frames, leaf_frames;
    for (unsigned i = 0; i < 8; i++)
        shared.push_back(new_frame(on(i, 0x100000 + i * 0x3000), rng));
    unsigned odd = new_frame(on(1, 0x200000), rng), host = new_frame(0x700000, rng);
    unsigned peer = new_frame(one ? 2ull << 48 | 0x900000 : on(0, 0x208000), rng), another = new_frame(one ? 2ull << 48 | 0x904000 : on(1, 0x20c000), rng);
    unsigned far[FarPages] = {host, peer, another};
    far_frames.push_back(host);
    if (one)
        far_frames.insert(far_frames.end(), {peer, another});
    static const unsigned in_block[2] = {3, 14}, in_leaf[3] = {1, 150, 300}; // every bit that a block does not look up
    for (unsigned b = 0; b < 2; b++)
        for (unsigned k : in_block)
            block_frames.push_back(new_frame(on(b, 0x400000 + b * 0x10000 + k * 0x1000), rng));
    for (unsigned b = 0; b < 2; b++)
        for (unsigned k : in_leaf)
            leaf_frames.push_back(new_frame(on(b, 0x800000 + b * 0x200000 + k * 0x1000), rng));
    unsigned sync[SyncPages] = {new_frame(on(0, 0x300000), rng), new_frame(0xa00000, rng)};
    for (unsigned f : sync)
        memset(frames[f]->value, 0, 4096), memset(at(frames[f]->pa), 0, 4096);
    for (unsigned f : shared)
        for (unsigned i = 0; i < 4096; i++)
            if (i % 64 >= 48)
                frames[f]->guard[i] = 1 + (i % 64 >= 56);
    for (unsigned n = 0; n < params.spaces; n++)
        for (unsigned i = 0; i < PageCount; i++) {
            Page &p = space[n].page[i];
            space[n].vmid = !one && Vmids[n] >= 32 ? 9 : Vmids[n]; // as many as a command processor knows
            if (i < SmallPages)
                p.va = SmallVa + i * 0x1000, p.frame = i < 4 ? shared[(i + n) % 8] : i == 4 ? odd : i >= FirstFar && i < FirstSwapped ? far[i - FirstFar] : shared[(i + n) % 8];
            else if (i < FirstLeaf)
                p.va = BlockVa + (i - FirstBlock) / 2 * 0x10000 + in_block[(i - FirstBlock) % 2] * 0x1000, p.frame = block_frames[(i - FirstBlock + n % 2 * 2) % 4];
            else if (i < FirstSync)
                p.va = LeafVa + (i - FirstLeaf) / 3 * 0x200000 + in_leaf[(i - FirstLeaf) % 3] * 0x1000, p.frame = leaf_frames[(i - FirstLeaf + n % 2 * 3) % 6];
            else
                p.va = SyncVa + (i - FirstSync) * 0x1000, p.frame = sync[i - FirstSync];
            p.users = 0, p.moving = false;
        }
}

// Page tables in the memory of the one GPU that there is.
static void build_tables()
{
    uint64_t table = 0x4000000;
    for (unsigned n = 0; n < params.spaces; n++) {
        Space &s = space[n];
        s.root = vram(table), s.middle_table = vram(table + 0x2000), s.small_table = vram(table + 0x3000), s.block_table = vram(table + 0x4000);
        table += 0x5000;
        put_entry(s.root + (SmallVa >> 30) * 8, s.middle_table | Valid);
        put_entry(s.middle_table + (SmallVa >> 21 & 511) * 8, s.small_table | Valid);
        put_entry(s.middle_table + (BlockVa >> 21 & 511) * 8, s.block_table | Valid);
        for (unsigned i = 0; i < PageCount; i++) {
            Page &p = s.page[i];
            if (i >= FirstBlock && i < FirstLeaf) {
                uint64_t va = p.va & ~0xffffull, entry = entry_of(s, i) - (p.va & 0xf000);
                for (unsigned k = 0; k < 16; k++)
                    put_entry(s.block_table + (va >> 12 & 511) * 8 + k * 8, entry + k * 0x1000);
            } else {
                put_entry(entry_place(s, i), entry_of(s, i));
            }
        }
    }
}

// ---- virtual to real
static int page_at(unsigned n, uint64_t va)
{
    for (unsigned i = 0; i < PageCount; i++)
        if (space[n].page[i].va == (va & ~0xfffull))
            return i;
    return -1;
}

// Addresses of no page: in a table that has some, in none of the second level, in none of the first.
static uint64_t stray_va(Rng &rng, unsigned align)
{
    static const uint64_t holes[] = {SmallVa + 0x40000, LeafVa + 0x1000000, 0x4040000000};
    return holes[rng.pick(3)] + rng.pick(2 * 4096) / align * align;
}
static uint64_t strayed; // such accesses that have ended, each with a fault

// What an episode has claimed, to be given back at its end.
struct Claims {
    unsigned episode = NoOne, of_space = 0;
    struct Piece {
        unsigned frame;
        uint16_t from, bytes;
        bool write;
    };
    std::vector<Piece> pieces;
    uint32_t pages = 0; // of its space, as bits

    bool use_page(unsigned index)
    {
        Page &p = space[of_space].page[index];
        if (pages >> index & 1)
            return true;
        if (p.moving)
            return false;
        pages |= 1u << index, p.users++;
        return true;
    }
    bool allowed(const Frame &f, unsigned i, bool write, unsigned lock) const
    {
        if (f.guard[i] != lock)
            return false;
        if (lock)
            return true; // its holder is alone
        if (f.writer[i] != NoOne && f.writer[i] != episode)
            return false;
        return !write || f.readers[i] == 0 || (f.readers[i] == 1 && f.reader[i] == episode);
    }
    // All bytes or none; within one frame.
    bool claim(unsigned frame, unsigned from, unsigned bytes, bool write, unsigned lock = 0)
    {
        Frame &f = *frames[frame];
        for (unsigned i = from; i < from + bytes; i++)
            if (!allowed(f, i, write, lock))
                return false;
        for (unsigned i = from; i < from + bytes && !lock; i++) {
            if (write)
                f.writer[i] = episode;
            else
                f.readers[i]++, f.reader[i] = episode;
        }
        if (!lock)
            pieces.push_back({frame, (uint16_t)from, (uint16_t)bytes, write});
        return true;
    }
    void release()
    {
        for (auto &p : pieces)
            for (unsigned i = p.from; i < p.from + p.bytes; i++) {
                Frame &f = *frames[p.frame];
                if (p.write)
                    f.writer[i] = NoOne;
                else
                    f.readers[i]--;
            }
        pieces.clear();
        for (unsigned i = 0; i < PageCount; i++)
            if (pages >> i & 1)
                space[of_space].page[i].users--, space[of_space].page[i].used = cycle;
        pages = 0;
    }
};

// Pages that ordinary episodes may draw from; fewer when a run is shrunk.
static unsigned random_page(Rng &rng)
{
    unsigned n = params.pages < FirstSync ? params.pages : (unsigned)FirstSync;
    if (n >= FirstSwapped && rng.one_in(8))
        return FirstFar + rng.pick(FarPages);
    return rng.one_in(3) ? rng.pick(n) : rng.pick(n < 4 ? n : 4);
}
#endif
