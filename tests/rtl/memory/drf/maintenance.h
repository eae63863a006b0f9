// SPDX-License-Identifier: Apache-2.0
// Commands of the dispatcher's hub, one at a time for each block and CU as there: invalidations of CUs, cache groups, slices and
// the L2 TLB; and what is made of them while agents go on: page-table changes with their shoot-down, bursts of shoot-downs (a
// generation of the TLB comes round), pages that are locked for a while, write-backs of the L2, the last release of a run.
#ifndef TESTS_DRF_MAINTENANCE_H
#define TESTS_DRF_MAINTENANCE_H
#include "tests/rtl/inv_pages.h"
#include "world.h"

struct Command {
    unsigned flags;
    uint8_t vmid;
    uint64_t root; // of the space (CTL_ROOT), or where the range begins
    int *left;     // counted down when it is done
    uint64_t bytes = 0; // of the range; 0: all pages
    bool answer = false; // withheld translations are looked up again (CTL_XLAT)
    msg_ctl_move page = {}; // to an RDMA engine, instead of all this
};
static std::deque<Command> block_queue[MaxGpus * Blocks], cu_queue[AllCus]; // of all GPUs, numbered together
static bool block_busy[MaxGpus * Blocks], cu_busy[AllCus];
static uint64_t invalidations, remaps, storms, flushes, page_locks, reports;
static bool agents_pause, storm_pause; // no episode begins: for what is done by hand, for a storm
static bool paused() { return agents_pause || storm_pause; }

static void command_block(unsigned b, Command c) { block_queue[b].push_back(c), ++*c.left; }
static void command_cu(unsigned cu, Command c) { cu_queue[cu].push_back(c), ++*c.left; }
static unsigned block_of_group(unsigned cu) { return cu / Cus * Blocks + cu % Cus / SqcCus; } // of the caches that this CU has
static unsigned block_of_slice(unsigned g, unsigned s) { return g * Blocks + Sqcs + s; }
static const unsigned BlockUtcl2 = Sqcs + Slices, BlockRdma = BlockUtcl2 + 1; // of GPU 0

// A block is done when its answer comes; called by the links.
static void block_done(unsigned b)
{
    if (!block_busy[b])
        fail("command", "block %u answers nothing", b);
    --*block_queue[b].front().left;
    block_queue[b].pop_front(), block_busy[b] = false;
}
static void cu_done(unsigned cu)
{
    if (!cu_busy[cu])
        fail("command", "CU %u answers no invalidation", cu);
    --*cu_queue[cu].front().left;
    cu_queue[cu].pop_front(), cu_busy[cu] = false;
}

static void send_commands()
{
    for (unsigned b = 0; b < block_count(); b++)
        if (!block_busy[b] && !block_queue[b].empty()) {
            msg_ctl_cmd m = {};
            Command &c = block_queue[b].front();
            m.op = c.answer ? CTL_XLAT : c.root && !c.bytes ? CTL_ROOT : CTL_INV, m.vmid = c.vmid, m.flags = c.flags, m.root = c.root, m.bytes = c.bytes;
            if (c.page.op)
                memcpy(&m, &c.page, sizeof m);
            gpu[b / Blocks].blk_out[b % Blocks].push(m), block_busy[b] = true;
        }
    for (unsigned cu = 0; cu < cu_count(); cu++)
        if (!cu_busy[cu] && !cu_queue[cu].empty()) {
            const Command &c = cu_queue[cu].front();
            Vdrf_top *dut = gpu_of_cu(cu).dut;
            auto &pages = dut->inv_pages_i[cu % Cus];
            set_bit(dut->inv_i, cu % Cus), dut->inv_flags_i[cu % Cus] = c.flags, cu_busy[cu] = true;
            if (c.bytes)
                put_pages(pages, c.vmid, c.root >> 12, (c.root + c.bytes - 1) >> 12);
            else
                put_pages(pages, c.vmid);
        }
}

// ---- writes of tables: through far port 0, as the host's
static std::function<void(uint64_t pa, const uint64_t *words, unsigned n, int *left)> write_vram; // within a line

// ---- a script: steps one after the other, each begun when the one before is over
static std::deque<std::function<void(int *left)>> script;
static int script_left;
static void step_script()
{
    if (script_left == 0 && !script.empty()) {
        auto step = script.front();
        script.pop_front();
        step(&script_left);
    }
}

// What a shoot-down names.
struct Named {
    uint8_t vmid;
    uint64_t va, bytes; // 0: all pages ...
    uint64_t root;      // ... as CTL_ROOT does it in the L2 TLB, if not 0
};

// As the hub does it: the L2 TLB first, then what refills from it.  Every second time as the first of two ranges: the other, of a page that nobody has,
// waits for all accesses.  How many commands stand in the script behind that for the L2 TLB.
static unsigned script_shoot_down(Named k)
{
    script.push_back([=](int *left) { command_block(BlockUtcl2, {CACHE_INV_TLB, k.vmid, k.root ? k.root : k.va, left, k.bytes}); });
    const bool two = invalidations++ % 2;
    for (unsigned n = 0; n <= two; n++)
        script.push_back([=](int *left) {
            const unsigned flags = CACHE_INV_TLB | (n < two ? CACHE_MORE : 0);
            const uint64_t va = n ? 0xfffffff000 : k.va, bytes = n ? 4096 : k.bytes;
            for (unsigned c = 0; c < Cus; c++)
                command_cu(c, {flags, k.vmid, va, left, bytes});
            for (unsigned s = 0; s < Sqcs; s++)
                command_block(s, {flags, k.vmid, va, left, bytes});
        });
    return 1 + two;
}

// Bytes that an entry of a page covers: naming one of them takes it whole.
static uint64_t covered_by(unsigned index) { return index >= FirstLeaf && index < FirstSync ? 0x200000 : index >= FirstBlock && index < FirstLeaf ? 0x10000 : 0x1000; }
static uint64_t first_of(const Page &p, unsigned index) { return p.va & ~(covered_by(index) - 1); }

// Any bytes from the page (or block, leaf) of index a to that of index b, and of the first and the last at least one.
static void script_range(uint8_t vmid, unsigned n, unsigned a, unsigned b, Rng &rng)
{
    const Page *page = space[n].page;
    if (page[b].va < page[a].va)
        std::swap(a, b);
    uint64_t from = first_of(page[a], a), last = first_of(page[b], b);
    from += rng.one_in(2) ? 0 : rng.pick(covered_by(a));
    last += rng.one_in(2) ? covered_by(b) - 1 : rng.pick(covered_by(b));
    if (last < from)
        std::swap(from, last);
    if (rng.one_in(8)) // more than needed
        from -= rng.pick(0x40000), last += rng.pick(0x40000);
    script_shoot_down({vmid, from, last - from + 1, 0});
}

// The shoot-down that a change of two pages needs, in one of the ways that name them.
static void script_shoot_downs(uint8_t vmid, unsigned n, unsigned a, unsigned b, Rng &rng)
{
    switch (rng.pick(4)) {
    case 0: script_shoot_down({vmid, 0, 0, vmid != 255 && rng.one_in(3) ? space[n].root : 0}); return;
    case 1: return script_range(vmid, n, a, a, rng), script_range(vmid, n, b, b, rng);
    default: return script_range(vmid, n, a, b, rng);
    }
}

static void script_entry(unsigned n, unsigned index)
{
    Space &s = space[n];
    if (index >= FirstBlock && index < FirstLeaf)
        for (unsigned half = 0; half < 2; half++)
            script.push_back([=, &s](int *left) {
                uint64_t va = s.page[index].va, words[8];
                for (unsigned k = 0; k < 8; k++)
                    words[k] = entry_of(s, index) - (va & 0xf000) + (half * 8 + k) * 0x1000;
                write_vram(s.block_table + ((va & ~0xffffull) >> 12 & 511) * 8 + half * 64, words, 8, left);
            });
    else
        script.push_back([=, &s](int *left) {
            uint64_t word = entry_of(s, index);
            write_vram(entry_place(s, index), &word, 1, left);
        });
}

// Two pages, blocks or leaves of a space change places, if nobody uses them.
static bool swap_pages(unsigned n, Rng &rng, uint8_t vmid, unsigned extra)
{
    unsigned kind = rng.pick(4), a, b, wide = 1;
    if (kind < 2)
        a = rng.pick(4), b = rng.one_in(2) ? FirstSwapped + rng.pick(SmallPages - FirstSwapped) : (a + 1) % 4;
    else
        a = kind == 2 ? FirstBlock : FirstLeaf, wide = kind == 2 ? BlockPages / 2 : LeafPages / 2, b = a + wide;
    Page *page = space[n].page;
    for (unsigned k = 0; k < wide; k++)
        if (page[a + k].users || page[b + k].users)
            return false;
    if (extra && page[a].used + 4000 < cycle)
        return false; // nothing old of it would be left
    for (unsigned k = 0; k < wide; k++) {
        std::swap(page[a + k].frame, page[b + k].frame);
        page[a + k].moving = page[b + k].moving = true;
    }
    script_entry(n, a), script_entry(n, b);
    if (extra)
        script_shoot_down({vmid, 0, 0, 0});
    else
        script_shoot_downs(vmid, n, a, b, rng);
    for (unsigned k = 0; k < extra; k++)
        script.push_back([=](int *left) { command_block(BlockUtcl2, {CACHE_INV_TLB, vmid, 0, left}); });
    script.push_back([=](int *) {
        for (unsigned k = 0; k < wide; k++)
            page[a + k].moving = page[b + k].moving = false;
        storm_pause = false;
        remaps++;
    });
    return true;
}

// ---- locked pages (S1.10): a frame is locked in every space that has it, used or not; behind the shoot-downs no cache asks for
// it, until it is unlocked and what waits is answered
struct Mapping {
    unsigned n, index;
};
static std::vector<Mapping> locked; // entries that say so, or are about to
static uint64_t locked_frame = ~0ull; // physical page
static uint64_t wait_until;
static int *wait_left; // a step of the script that ends then

static void script_lock_entry(Mapping m, bool lock)
{
    script.push_back([=](int *left) {
        uint64_t word = entry_of(space[m.n], m.index);
        word = lock ? (word & ~(uint64_t)Valid) | 1ull << 56 : word;
        write_vram(entry_place(space[m.n], m.index), &word, 1, left);
    });
}

static void answer_page(uint8_t vmid, uint64_t va, int *left) { command_block(BlockUtcl2, {0, vmid, va & ~0xfffull, left, 4096, true}); }

static void lock_page(Rng &rng)
{
    const unsigned n = rng.pick(params.spaces), index = rng.one_in(2) ? rng.pick(4) : FirstSwapped + rng.pick(SmallPages - FirstSwapped);
    const unsigned frame = space[n].page[index].frame;
    for (unsigned m = 0; m < params.spaces; m++)
        for (unsigned i = 0; i < SmallPages; i++)
            if (space[m].page[i].frame == frame)
                locked.push_back({m, i});
    for (Mapping m : locked)
        script_lock_entry(m, true);
    for (Mapping m : locked)
        script_range(space[m.n].vmid, m.n, m.index, m.index, rng);
    const uint64_t length = rng.pick(rng.one_in(4) ? 12000 : 1500);
    script.push_back([=](int *left) {
        locked_frame = frames[frame]->pa >> 12; // no cache may ask for it
        wait_until = cycle + length, wait_left = left, ++*left;
    });
    script.push_back([](int *) { locked_frame = ~0ull; });
    for (Mapping m : locked)
        script_lock_entry(m, false);
    script.push_back([of = locked](int *left) {
        locked.clear();
        for (Mapping m : of)
            answer_page(space[m.n].vmid, space[m.n].page[m.index].va, left);
        page_locks++;
    });
}

// The driver's part: an entry that was read before the unlock is read again.
static void report(unsigned, const msg_xlat_evt &m)
{
    static int ignored;
    unsigned n = 0;
    while (n < params.spaces && space[n].vmid != m.vmid)
        n++;
    if (n == params.spaces || page_at(n, m.va) < 0 || m.va & 4095 || !m.access || m.access > 7)
        fail("report", "vmid %u, %llx, access %u: no such page", m.vmid, (unsigned long long)m.va, m.access);
    reports++;
    for (Mapping k : locked)
        if (k.n == n && space[n].page[k.index].va == m.va)
            return;
    answer_page(m.vmid, m.va, &ignored);
}

// What the hub does beside kernels, at random.
static Rng hub;
static uint64_t next_remap, next_flush, next_storm, next_lock;
static void step_maintenance()
{
    if (wait_left && cycle >= wait_until)
        --*wait_left, wait_left = nullptr;
    step_script();
    const bool one = params.gpus == 1; // else pages change in moves.h
    if (!script.empty() || script_left)
        return;
    if (one && on(Storms) && cycle >= next_storm) { // 255 more shoot-downs, so that the generation in which an entry was kept comes again
        unsigned n = hub.pick(params.spaces);
        next_storm = cycle + 100;
        if (swap_pages(n, hub, space[n].vmid, 255)) {
            storm_pause = !hub.one_in(4); // else others may replace what is old
            storms++;
            next_storm = cycle + 80000 + hub.pick(160000);
        }
    } else if (one && on(Remaps) && cycle >= next_remap) {
        next_remap = cycle + 200;
        unsigned n = hub.pick(params.spaces);
        if (swap_pages(n, hub, hub.one_in(5) ? 255 : space[n].vmid, 0))
            next_remap = cycle + 2000 + hub.pick(10000);
    } else if (one && on(PageLocks) && cycle >= next_lock) {
        next_lock = cycle + 4000 + hub.pick(20000);
        lock_page(hub);
    } else if (on(Flushes) && cycle >= next_flush) {
        next_flush = cycle + 2000 + hub.pick(12000);
        unsigned flags = hub.one_in(3) ? CACHE_WB_L2 : CACHE_WB_L2 | CACHE_INV_L2;
        for (unsigned s = 0; s < params.gpus * Slices; s++)
            if (!hub.one_in(4)) {
                static int ignored;
                command_block(block_of_slice(s / Slices, s % Slices), {flags, 0, 0, &ignored});
            }
        flushes++;
    }
}

// The last release: when all agents have ended, everything that a cache may hold back goes to memory.  `done` hears it.
static void end_of_run(bool *done)
{
    script.push_back([](int *left) {
        for (unsigned s = 0; s < params.gpus * Slices; s++)
            command_block(block_of_slice(s / Slices, s % Slices), {CACHE_WB_L2 | CACHE_INV_L2, 0, 0, left});
    });
    script.push_back([=](int *) { *done = true; });
}
#endif
