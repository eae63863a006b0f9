// SPDX-License-Identifier: Apache-2.0
// Invalidations of the bench of part_utcl2: pages changed while translations of them are under way, then a command for a page,
// a range, an address space or all, under traffic; what the command must spare; walks that memory withholds meanwhile.
// Included by tb.cpp, whose traffic it uses.  Not responsible for: answers, which take_answer compares.
#ifndef INVALIDATIONS_H
#define INVALIDATIONS_H

static const uint64_t Page = 4096;

static void change(unsigned vmid, uint64_t va, uint64_t bytes, uint64_t entry, unsigned f)
{
    std::vector<uint64_t> was;
    for (uint64_t at = 0; at < bytes; at += Page)
        was.push_back(walk(vmid, va + at));
    if (f)
        map_fragment(vmid, va, entry, f);
    else
        map_page(vmid, va, entry);
    for (uint64_t at = 0; at < bytes; at += Page)
        previous.emplace(std::make_pair(vmid, (va + at) >> 12), was[at / Page]);
}

// The command for what has changed; traffic of all spaces goes on meanwhile.
static void invalidate(unsigned vmid, uint64_t va, uint64_t bytes)
{
    command(CTL_INV, vmid, va, bytes, false);
    for (unsigned n = 0; evts == 0; n++) {
        if (n == 20000)
            fail("invalidation not answered, cycles", n, 0), std::exit(1);
        if (credits && pick(3))
            issue(random_vmid(), random_va(), 1u << pick(3), command_drain);
        else
            clock_once(nullptr, command_drain);
    }
}

// One change with the command that it needs, of each kind.
static void change_round(unsigned kind)
{
    unsigned vmid = random_vmid();
    command_drain = pick(2) ? 256 : 16; // answers that pile up, with several requesters of one walk
    changing = before_evt = true;
    previous.clear();
    uint64_t asked[24], base = random_va() & ~(Page - 1), bytes = Page;
    for (uint64_t &va : asked)
        issue(vmid, va = &va > asked && pick(2) ? (&va)[-1] : pick(2) ? base : random_va(), 1, command_drain);
    for (unsigned i = (unsigned)pick(60); i > 0; i--)
        clock_once(nullptr, command_drain);
    if (kind == 0) { // one page, perhaps of a fragment
        change(vmid, base, bytes, random_entry(false), 0);
    } else if (kind == 1) { // a fragment, of a size that need not be one of the TLB's
        unsigned f = 1 + (unsigned)pick(8);
        bytes = Page << f;
        base &= ~(bytes - 1);
        change(vmid, base, bytes, random_entry(false), f);
    } else if (kind == 2) { // pages of a long range
        base &= ~(Large - 1);
        bytes = Large * (1 + pick(4));
        for (unsigned i = 0; i < 30; i++) {
            uint64_t at = (base + pick(bytes)) & ~(Page - 1);
            if (!previous.count({vmid, at >> 12}))
                change(vmid, at, Page, random_entry(false), 0);
        }
    } else { // anywhere: its address space, or all
        for (unsigned i = 0; i < 30; i++) {
            uint64_t at = random_va() & ~(Page - 1);
            if (!previous.count({vmid, at >> 12}))
                change(vmid, at, Page, random_entry(false), 0);
        }
        base = bytes = 0;
    }
    invalidate(pick(5) ? vmid : 255, base, bytes);
    command_drain = 256;
    changing = false;
    for (uint64_t va : asked) // what was walked meanwhile has left nothing of before
        issue(vmid, va, 1, 256);
    for (unsigned i = 0; i < 60; i++)
        issue(pick(3) ? vmid : random_vmid(), pick(3) ? random_va() : base + pick(bytes + 1), 1, 256);
    drain_all();
}

// Address spaces are spared, and what lies beside the range; an entry goes whole, by whatever page of it is named.
static void spared()
{
    for (unsigned f : {0u, 4u, 8u, 9u}) {
        uint64_t bytes = Page << f, at = Far + 8 * Large;
        for (unsigned vmid : {Vmids[0], Vmids[3]})
            for (uint64_t k = 0; k < 3; k++)
                map_fragment(vmid, at + k * bytes, plain_entry(0x20000 + vmid * 0x1000 + (k << f)), f);
        command(CTL_INV, 255, 0, 0, true);
        for (uint64_t named : {at + bytes, at + 2 * bytes - Page, at + bytes + (bytes / 2 & ~(Page - 1))}) {
            for (unsigned vmid : {Vmids[0], Vmids[3]})
                for (uint64_t k = 0; k < 3; k++)
                    ask(vmid, at + k * bytes);
            command(CTL_INV, Vmids[0], named, Page, true);
            uint64_t walks = counter(3);
            ask(Vmids[0], at);
            ask(Vmids[0], at + 2 * bytes);
            ask(Vmids[3], at + bytes);
            if (counter(3) != walks)
                fail("an invalidation of one page removed others, walks", counter(3) - walks, f);
            ask(Vmids[0], at + bytes);
            if (counter(3) != walks + 1)
                fail("an entry stays although a page of it was named, walks", counter(3) - walks, f);
        }
    }
}

// All sets of all stores are swept by a long range, with 0 and more pages before and behind it.
static void swept()
{
    const uint64_t at = Far + 16 * Large, pages = 600;
    for (uint64_t p = 0; p < pages + 2; p++)
        map_page(Vmids[1], at + p * Page, plain_entry(0x40000 + p));
    command(CTL_INV, 255, 0, 0, true);
    for (uint64_t p = 0; p < pages + 2; p++)
        ask(Vmids[1], at + p * Page);
    uint64_t walks = counter(3);
    command(CTL_INV, Vmids[1], at + Page, pages * Page, true);
    ask(Vmids[1], at);
    ask(Vmids[1], at + (pages + 1) * Page);
    if (counter(3) != walks)
        fail("a long range took what lies beside it, walks", counter(3) - walks, 0);
    for (uint64_t p = 1; p <= pages; p++)
        ask(Vmids[1], at + p * Page);
    if (counter(3) != walks + pages)
        fail("walks after an invalidation of a long range", counter(3) - walks, pages);
    for (uint64_t b = 0; b < 70; b++)
        map_fragment(Vmids[1], at + (8 + b) * Large, plain_entry(0x80000 + b * 512), b % 2 ? 8 : 9);
    for (uint64_t b = 0; b < 70; b++)
        ask(Vmids[1], at + (8 + b) * Large);
    walks = counter(3);
    command(CTL_INV, Vmids[1], at + 8 * Large, 70 * Large, true);
    for (uint64_t b = 0; b < 70; b++)
        ask(Vmids[1], at + (8 + b) * Large);
    if (counter(3) != walks + 70)
        fail("walks of large entries after an invalidation of them", counter(3) - walks, 70);
}

// Memory withholds reads of tables: a command is answered all the same, and what those reads bring afterwards is old.
static void while_withheld()
{
    const uint64_t at = Far + 4 * Large;
    for (unsigned round = 0; round < 24; round++) {
        unsigned f = round % 3 * 4;
        map_fragment(2, at, plain_entry(0x3000 + round * 1024), f);
        map_page(2, at + (300 + round) * Page, plain_entry(0x3900));
        command(CTL_INV, 2, at, Page << f, true);
        ask(2, at + (300 + round) * Page); // the tables are known: what is withheld is the entry itself
        withheld = true;
        changing = before_evt = true;
        previous.clear();
        const uint64_t from = at + (f && round & 2 ? 8 * Page : 0); // below and above the page that is named
        issue(2, from, 1, 256);
        issue(2, from + (f ? 5 * Page : 0), 1, 256);
        for (unsigned i = 0; i < 100; i++)
            clock_once(nullptr, 256);
        uint64_t named = f && round & 1 ? at + 7 * Page : at; // the walks look for other pages of the fragment
        change(2, named, Page, plain_entry(0x9000 + round), 0);
        command(CTL_INV, 2, named, Page, true);
        changing = withheld = false;
        drain_all();
        ask(2, named);
        ask(2, at + 5 * Page);
    }
}

// The same of an entry of a middle table, here a leaf of 2 MiB: the page-walk cache must not keep what was withheld.
static void upper_while_withheld()
{
    const uint64_t at = Far + 50 * Large, beside = Far + 51 * Large;
    for (unsigned round = 0; round < 8; round++) {
        map_large(2, at, plain_entry(0x10000 + round * 0x400));
        map_page(2, beside + round * Page, plain_entry(0x3900));
        command(CTL_INV, 2, at, Large, true);
        ask(2, beside + round * Page); // the root's entry is known: what is withheld is the middle table's
        withheld = changing = before_evt = true;
        previous.clear();
        issue(2, at, 1, 256);
        for (unsigned i = 0; i < 100; i++)
            clock_once(nullptr, 256);
        previous.emplace(std::make_pair(2u, at >> 12), walk(2, at));
        map_large(2, at, plain_entry(0x10200 + round * 0x400));
        command(CTL_INV, 2, at + round * Page, round & 1 ? Page : Large - 8 * Page, true);
        changing = withheld = false;
        drain_all();
        ask(2, at);
        ask(2, at + 77 * Page);
    }
}

// A page changes as soon as its entry was read; the command comes at each moment of what is left of the walk.
static void at_each_moment()
{
    const uint64_t at = Far + 6 * Large;
    latency_fixed = 12;
    for (unsigned kind = 0; kind < 3; kind++) {
        for (unsigned delay = 0; delay < 40; delay++) {
            map_page(2, at, plain_entry(0xa000 + delay));
            map_page(2, at + Page, plain_entry(0xb000));
            command(CTL_INV, 2, 0, 0, true);
            ask(2, at + Page); // the tables are known
            const uint64_t reads = walk_reads;
            changing = before_evt = true;
            previous.clear();
            issue(2, at, 1, 256);
            for (unsigned i = 0; i < 5000 && walk_reads == reads; i++)
                clock_once(nullptr, 256);
            if (walk_reads == reads)
                fail("no walk of a page that an invalidation took, address", at, delay);
            change(2, at, Page, plain_entry(0xc000 + delay), 0);
            for (unsigned i = 0; i < delay; i++)
                clock_once(nullptr, 256);
            command(CTL_INV, kind == 1 ? 255 : 2, kind == 2 ? at : 0, kind == 2 ? Page : 0, true);
            changing = false;
            wait_all();
            ask(2, at);
        }
    }
    latency_fixed = 0;
}

// A root comes while walks of its space begin, one a cycle: whatever root each of them begins with, nothing of the old tables is left.
static void root_at_each_moment()
{
    const unsigned space = 0x22, pages = 8;
    const uint64_t at = Far + 7 * Large;
    for (unsigned delay = 0; delay < 24; delay++) {
        new_root(space);
        for (unsigned tables = 0; tables < 2; tables++) {
            previous.clear();
            for (unsigned p = 0; tables && p < pages; p++)
                previous.emplace(std::make_pair(space, (at + p * Page) >> 12), walk(space, at + p * Page));
            if (tables)
                root_of[space] = owner_bits(next_table), next_table += 0x2000;
            for (unsigned p = 0; p < pages; p++)
                map_page(space, at + p * Page, plain_entry(0xd000 + (2 * delay + tables) * pages + p));
        }
        changing = before_evt = true;
        for (unsigned p = 0; p < pages; p++)
            issue(space, at + p * Page, 1, 256);
        for (unsigned i = 0; i < delay; i++)
            clock_once(nullptr, 256);
        command(CTL_ROOT, space, root_of[space], 0, true, 0);
        changing = false;
        wait_all();
        for (unsigned p = 0; p < pages; p++)
            ask(space, at + p * Page);
    }
}

static void invalidations()
{
    for (unsigned round = 0; round < 600; round++)
        change_round(round % 4);
}
#endif
