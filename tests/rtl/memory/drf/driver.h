// SPDX-License-Identifier: Apache-2.0
// Several GPUs: the driver as host/migrate needs it.  Page tables of every space on every GPU (host/vm), empty frames, those that were
// left, who is told what.  Also what no value shows at once: nobody asks for a frame that is no page's home or whose page is locked and
// free of accesses, and a page that goes over has in DRAM there what it had in DRAM here.  Not responsible for: what moves (moves.h).
#ifndef TESTS_DRF_DRIVER_H
#define TESTS_DRF_DRIVER_H
#include <unordered_set>

#include "counts.h"

enum : uint64_t { VramBytes = 64ull << 20, GranuleBase = 0x2000000, Granule = 0x10000, Granules = 2 /* of a GPU, for frames */ };
static struct migrate *engine;
static struct faults *firsts; // firsts.h; null: entries are always there
static bool page_withheld(void *, void *owner, unsigned g, uint64_t va, uint32_t rights);
static void move_ended(void *, struct move_fact *m);
static void build_firsts();
static struct pagetable *tables[MaxSpaces][MaxGpus];
static struct cp_space cp_spaces[MaxSpaces][MaxGpus];
static bool granule_taken[MaxGpus][Granules];
static std::unordered_map<uint64_t, uint64_t> home;       // frame of each page of VRAM, both by number
static std::unordered_map<uint64_t, uint64_t> before;     // where it was before that
static uint64_t atomic_place(uint64_t pa)                 // AtomicAtOldHome (host.h)
{
    for (auto &h : before)
        if (planted(AtomicAtOldHome) && home[h.first] == (pa >> 12))
            return h.second << 12 | (pa & 4095);
    return pa;
}

static uint64_t frame_of(uint64_t pa) { return pa >> PMEM_OWNER_SHIFT ? pmem_frame_of(memory, pa) : pa; }
static bool in_block(unsigned index) { return index >= FirstBlock && index < FirstLeaf; }
static bool in_leaf(unsigned index) { return index >= FirstLeaf && index < FirstSync; }

// ---- what the engine asks of the driver
static uint32_t flags_of(unsigned index) { return PTE_R | PTE_W | PTE_X | (uncached_page(index) ? PTE_UNCACHED : 0); }
static bool absent[MaxSpaces]; // no client has it: kills.h
static bool has_entry(unsigned n, unsigned g, uint64_t va, uint64_t bytes)
{
    for (uint64_t at = 0; at < bytes; at += 4096)
        if (pagetable_entry(tables[n][g], va + at))
            return true;
    return false;
}
// bytes 0: all views.
static size_t views(void *, uint64_t page, uint64_t bytes, struct migrate_view *to, size_t room)
{
    size_t count = 0;
    for (unsigned n = 0; n < params.spaces; n++)
        for (unsigned i = 0; i < PageCount; i++) {
            const uint64_t pa = frames[space[n].page[i].frame]->pa;
            if (absent[n])
                continue;
            if (in_block(i) ? pa >> 16 != page >> 16 || (i - FirstBlock) % 2 : pa != page)
                continue;
            for (unsigned g = 0; g < params.gpus; g++) {
                const uint64_t va = in_block(i) ? (space[n].page[i].va & ~0xffffull) + (page & 0xffff) : space[n].page[i].va;
                if (planted(LockMissesGpu) && g == (page >> 12) % params.gpus)
                    continue;
                if (firsts && bytes && !has_entry(n, g, va, bytes) && !faults_wait(firsts, &cp_spaces[n][g], g, va, bytes))
                    continue;
                if (count++ < room) {
                    to[count - 1] = {};
                    to[count - 1].pt = tables[n][g], to[count - 1].cp = cps[g], to[count - 1].space = &cp_spaces[n][g], to[count - 1].gpu = g;
                    to[count - 1].va = va;
                    to[count - 1].near = to[count - 1].far = flags_of(i);
                }
            }
        }
    return count;
}
static uint64_t freed_page; // that is freed, and nobody's until it is empty; 0: none
static bool client_ends(uint64_t page) // that has it: its page tables go
{
    for (unsigned n = 0; n < params.spaces; n++)
        for (unsigned i = 0; killed[n] && i < PageCount; i++)
            if (const uint64_t pa = frames[space[n].page[i].frame]->pa; in_block(i) ? pa >> 16 == page >> 16 : pa == page)
                return true;
    return false;
}
static const char *why_not(void *, uint64_t page, uint64_t)
{
    return !views(nullptr, page, 0, nullptr, 0) || page == freed_page ? "nobody has it" : client_ends(page) && !planted(MovesOfEnded) ? "a process that has it ends" : nullptr;
}
static void busy(void *, bool) {}
static bool pushed(void *) { return true; }
static bool holds(void *) { return false; }
static struct cp *cp_of(void *, unsigned g) { return cps[g]; }
static uint64_t now(void *) { return cycle; }
static bool settled(void *) { return false; } // the bytes are in DRAM of the bench, and compared by page_came
static uint64_t granule_take(void *, unsigned g)
{
    for (unsigned k = 0; k < Granules; k++)
        if (!granule_taken[g][k])
            return granule_taken[g][k] = true, GranuleBase + k * Granule;
    return FRAMES_NONE;
}
static void granule_give(void *, unsigned g, uint64_t at) { granule_taken[g][(at - GranuleBase) / Granule] = false; }

// ---- frames that were left, and memory that was freed, as host/memory/quarantine.c has them
struct Held {
    uint64_t frame;
    uint64_t reached; // GPUs, until their caches were told to drop what they have of it
    bool cached;      // by slices, too
    bool memory;      // freed
    uint64_t fence[MaxGpus], tables[MaxGpus];
};
static std::deque<Held> quarantine;
static void fence(Held &h)
{
    for (unsigned g = 0; g < params.gpus; g++)
        h.fence[g] = cp_shootdowns_sent(cps[g]);
}
static bool answered(const Held &h)
{
    for (unsigned g = 0; g < params.gpus; g++)
        if (cp_shootdowns_done(cps[g]) < h.fence[g] || cp_tables_done(cps[g]) < h.tables[g])
            return false;
    return !h.memory || planted(FreedWhileLinesCome) || !migrate_comes(engine, h.frame, 4096);
}
static void memory_empty(uint64_t page); // moves.h
static void release_frames()
{
    size_t n = 0;
    uint64_t reached = 0, own = 0;
    for (; n < quarantine.size() && answered(quarantine[n]); n++) {
        reached |= quarantine[n].reached;
        if (quarantine[n].reached && quarantine[n].cached)
            own |= 1ull << ((quarantine[n].frame >> PMEM_OWNER_SHIFT) - 1);
    }
    for (unsigned g = 0; g < params.gpus; g++)
        if ((reached | own) >> g & 1)
            cp_caches_drop(cps[g], own >> g & 1);
    for (size_t k = 0; k < n; k++) {
        if (quarantine[k].reached)
            fence(quarantine[k]);
        quarantine[k].reached = 0;
    }
    for (; !quarantine.empty() && !quarantine.front().reached && answered(quarantine.front()); quarantine.pop_front())
        quarantine.front().memory ? memory_empty(quarantine.front().frame) : migrate_emptied(engine, quarantine.front().frame);
}
static void put_in_quarantine(Held h)
{
    fence(h);
    for (unsigned g = 0; g < params.gpus; g++)
        h.tables[g] = cp_tables_asked(cps[g]);
    quarantine.push_back(h);
    release_frames();
}
static void frame_left(void *, uint64_t page, uint64_t frame)
{
    if (planted(NoQuarantine)) {
        migrate_emptied(engine, frame);
        return;
    }
    put_in_quarantine({frame, page ? (1ull << params.gpus) - 1 : 1ull << ((frame >> PMEM_OWNER_SHIFT) - 1), !page, false, {}, {}});
}
static void over(void *) { release_frames(); }
static void gpu_answered(void *) { release_frames(), migrate_step(engine); }

// ---- checks
// What DRAM of a frame will hold when all that was sent to it is there.
static void dram_of(uint64_t frame, uint8_t *to)
{
    memcpy(to, at(frame), 4096);
    const unsigned g = (frame >> PMEM_OWNER_SHIFT) - 1;
    for (auto &link : gpu[g].dram_out)
        for (auto &m : link.queue)
            if (m.second.write && m.second.addr >> 12 == (frame & PMEM_OFFSET_MASK) >> 12)
                for (unsigned i = 0; i < 64; i++)
                    if (m.second.mask >> i & 1)
                        to[(m.second.addr & 4095) + i] = (uint8_t)(m.second.data[i / 8] >> i % 8 * 8);
}
static void page_came(void *, uint64_t page, uint64_t to)
{
    const uint64_t from = home[page >> 12] << 12;
    uint8_t here[4096], there[4096];
    dram_of(from, here), dram_of(to, there);
    for (unsigned i = 0; i < 4096 && page != freed_page; i++)
        if (here[i] != there[i])
            fail("page", "%llx goes from %llx to %llx: byte %x was %x, is %x", (unsigned long long)page, (unsigned long long)from, (unsigned long long)to, i,
                 here[i], there[i]);
    before[page >> 12] = from >> 12, home[page >> 12] = to >> 12;
}
static const struct move *move_of(uint64_t page)
{
    struct range *r = ranges_overlap(&engine->moving, page, 4096);
    return r ? RANGE_OF(r, struct move, pages) : nullptr;
}
static void frame_asked(unsigned g, unsigned n, uint64_t pa, bool demand)
{
    if (!(pa >> PMEM_OWNER_SHIFT & 0xff) || (pa & PMEM_OFFSET_MASK) >= VramBytes - pmem_table_bytes(memory))
        return;
    const uint64_t page = pmem_page_at(memory, pa & ~4095ull);
    const auto known = home.find(page >> 12);
    if (demand && known == home.end())
        fail("frame", "GPU %u, %s %u asks for %llx, where no page is", g, name_of_initiator(n), n, (unsigned long long)pa);
    const struct move *v = move_of(page);
    if (v && known != home.end() && (v->state == STATE_FLUSH || v->state == STATE_PUSH))
        fail("locked", "GPU %u, %s %u asks for %llx, which moves", g, name_of_initiator(n), n, (unsigned long long)pa);
}

// ---- page tables
// later: what is elsewhere gets none yet.
static void entries_put(unsigned n, unsigned index, unsigned g, bool later)
{
    const Page &p = space[n].page[index];
    const uint64_t bytes = covered_by(index), first = frames[p.frame]->pa & ~(bytes - 1);
    for (uint64_t at = 0, run; at < bytes; at += run) { // as host/memory/entries.c
        const uint64_t frame = frame_of(first + at), va = first_of(p, index) + at;
        for (run = 4096; at + run < bytes && frame_of(first + at + run) == frame + run;)
            run += 4096;
        const bool none = later && frame >> PMEM_OWNER_SHIFT != g + 1;
        if (none ? pagetable_unmap(tables[n][g], va, run) : pagetable_map(tables[n][g], va, frame, run, flags_of(index)))
            fail("tables", "space %u: no room for page %u", n, index);
    }
}
static void tables_put(unsigned n, unsigned index)
{
    for (unsigned g = 0; g < params.gpus; g++)
        entries_put(n, index, g, firsts && !in_leaf(index) && frames[space[n].page[index].frame]->pa >> PMEM_OWNER_SHIFT);
}
// Entries as they come from host/vm.
static bool begun; // the machine: before, they are there at once
static void entries_come(void *, uint64_t pa, const void *from, uint32_t bytes)
{
    std::vector<uint64_t> words((const uint64_t *)from, (const uint64_t *)from + bytes / 8);
    if (planted(FragmentStays) && bytes >= 64) // entries of a block that become single ones
        for (size_t k = 0; k < words.size(); k++)
            for (size_t other = 0; other < words.size(); other++)
                if (other != k && words[k] & words[other] & Valid && (words[k] & PTE_ADDR) - (words[other] & PTE_ADDR) == (k - other) * 4096)
                    words[k] |= Fragment64K;
    if (planted(OldAddressAgain))
        for (uint64_t &w : words)
            for (auto &h : home)
                if (w & PTE_VALID && (w & PTE_ADDR) >> 12 == h.second && before.count(h.first) && h.first % 3 == 0)
                    w = (w & ~PTE_ADDR) | before[h.first] << 12;
    if (begun)
        cp_tables_write(cps[(pa >> PMEM_OWNER_SHIFT) - 1], pa, words.data(), bytes);
    for (unsigned k = 0; k < bytes / 8 && !begun; k++)
        put_entry(pa + k * 8, words[k]);
}

static void space_is_closed(void *, struct cp_space *space); // kills.h
static void space_begins(unsigned n, unsigned g)
{
    cp_spaces[n][g] = {};
    cp_spaces[n][g].owner = &cp_spaces[n][g];
    cp_spaces[n][g].pt = tables[n][g], cp_spaces[n][g].vmid = space[n].vmid;
    cp_space_open(cps[g], &cp_spaces[n][g]);
    cps[g]->jobs[n].state = JOB_RUN, cps[g]->jobs[n].space = &cp_spaces[n][g]; // a kernel of it
}

static void build_driver()
{
    memory = pmem_new(params.gpus, VramBytes, 16ull << 20);
    if (!memory)
        perror("pmem_new"), exit(2);
    pagetable_sink_set(memory, entries_come, nullptr);
    struct cp_config config = {};
    config.slots = config.engines = config.launches = config.parts = 1, config.cus = Cus;
    config.tables_base = VramBytes - pmem_table_bytes(memory), config.tables_bytes = pmem_table_bytes(memory);
    config.counters = true, config.count_page = 4096;
    config.withhold = on(Firsts) && params.seed % 2;
    struct cp_host host = {};
    host.shootdown = host.tables = gpu_answered, host.withheld = page_withheld, host.space_closed = space_is_closed;
    for (unsigned g = 0; g < params.gpus; g++)
        cps[g] = cp_new(&machine, g, &config, &host), hubs[g].g = g, ports[g + 1].owner = g + 1;
    struct migrate_host own = {};
    own.views = views, own.why_not = why_not, own.busy = busy, own.pushed = pushed, own.holds = holds, own.cp = cp_of, own.now = now, own.settled = settled;
    own.left = frame_left, own.over = over, own.moved = move_ended;
    struct frames_source source = {nullptr, Granule, granule_take, granule_give};
    engine = migrate_new(memory, &own, &source);
    struct pmem_watch watch = {nullptr, nullptr, page_came, nullptr};
    pmem_watch(memory, &watch);
    if (config.withhold)
        build_firsts();
    for (Frame *f : frames) {
        const bool block = (f->pa & PMEM_OFFSET_MASK) >> 20 == 4;
        for (unsigned k = 0; k < (block ? 16 : 1); k++)
            if (const uint64_t page = block ? (f->pa & ~0xffffull) + k * 4096 : f->pa; page >> PMEM_OWNER_SHIFT)
                home[page >> 12] = page >> 12;
    }
    for (unsigned n = 0; n < params.spaces; n++) {
        for (unsigned g = 0; g < params.gpus; g++)
            tables[n][g] = pagetable_new(memory, g);
        for (unsigned i = 0; i < PageCount; i++)
            if (!(in_block(i) && (i - FirstBlock) % 2) && !(in_leaf(i) && (i - FirstLeaf) % 3))
                tables_put(n, i);
    }
    begun = true;
    begin_counts();
    for (unsigned n = 0; n < params.spaces; n++)
        for (unsigned g = 0; g < params.gpus; g++)
            space_begins(n, g);
    place_of = frame_of;
    on_request = [](unsigned g, unsigned n, const msg_mem_req &q) { frame_asked(g, n, q.addr, true); };
    on_arrival = [](unsigned g, unsigned n, const msg_mem_req &q) {
        if (n != Cus + Sqcs && !(n > Cus + Sqcs && q.tag >> 31)) // neither a walk nor a line of a page that leaves
            frame_asked(g, n, q.addr, n < Cus + Sqcs);
    };
}
#endif
