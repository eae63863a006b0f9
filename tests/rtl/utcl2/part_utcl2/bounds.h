// SPDX-License-Identifier: Apache-2.0
// Bounds of the bench of part_utcl2: how many requests have a place, how many answers wait of lookups and of walks,
// cycles of commands, turns of walks that end together, a sweep beside a fill.  Included by tb.cpp, whose traffic and
// page tables it uses. Not responsible for: answers, which take_answer compares.
#ifndef BOUNDS_H
#define BOUNDS_H

static const unsigned Slots =
    1024; // 64 CUs with 4 misses each, 16 cache groups with 32, the queue: to the next power of two

static void rest(unsigned cycles, unsigned drain)
{
    for (unsigned i = 0; i < cycles; i++)
        clock_once(nullptr, drain);
}

// Requests that find a place while no answer gets its credit: pages from `va` on, `pages` of them in turn.
static unsigned places(uint64_t va, unsigned pages)
{
    unsigned n = 0;
    for (unsigned idle = 0; idle < 60; idle++)
        if (credits)
            issue(2, va + n++ % pages * 4096, 1, 0), idle = 0;
        else
            clock_once(nullptr, 0);
    return n;
}

// Nobody takes answers.  Of hits as many are taken as have left, as wait for a credit but one place, and as stand in
// the queue. A walk's requests go no further than two places before the end of the answers: a lookup behind them finds
// one.
static void answers_wait()
{
    const uint64_t at = Far + 700 * Large;
    for (unsigned p = 0; p < 500; p++)
        map_page(2, at + p * 4096, plain_entry(0xa000 + p));
    ask(2, at);
    drain_all();
    const unsigned hits = places(at, 1), want = Depth + (Depth - 1) + Depth;
    if (hits != want)
        fail("hits that are taken while no answer is", hits, want);
    drain_all();
    command(CTL_INV, 2, at, Large, true);
    withheld = true;
    const unsigned first = places(at, 1);
    if (first != Slots)
        fail("requests of one page that have a slot or a place in the queue", first, Slots);
    withheld = false;
    rest(400, 0); // its walk has ended
    withheld = true;
    const unsigned more = places(at + 4096, 499),
                   room = Depth > 2 ? Depth + Depth - 2 : 0; // of two places one is a lookup's
    if (more != room)
        fail("answers of a walk that leave or wait while none is taken", more, room);
    withheld = false;
    drain_all();
}

// Memory answers nothing: every slot is taken by a page of its own, or is in the queue.
static void every_slot()
{
    const uint64_t at = Far + 700 * Large;
    command(CTL_INV, 2, at, Large, true);
    withheld = true;
    const unsigned taken = places(at, 500);
    if (taken != Slots)
        fail("requests that wait for walks or in the queue", taken, Slots);
    withheld = false;
    drain_all();
}

static uint64_t cycles_of_command(unsigned vmid, uint64_t va, uint64_t bytes)
{
    drain_all();
    const uint64_t from = cycle;
    command(CTL_INV, vmid, va, bytes, true);
    return cycle - from;
}

// Cycles of a command at rest: a page each and what the sweep takes to begin and to end, of a long range the sets of
// the largest store.
static void commands()
{
    const uint64_t at = Far + 702 * Large, whole = cycles_of_command(2, 0, 0), one = cycles_of_command(2, at, 4096);
    const struct {
        uint64_t pages, want;
    } cases[] = {{2, one + 1}, {100, one + 99}, {512, one + 511}, {513, one + 511}, {5000, one + 511}};
    if (whole != 2 || one != whole + 3)
        fail("cycles of an invalidation of a space, of a page", whole, one);
    for (const auto &c : cases)
        if (uint64_t took = cycles_of_command(2, at, c.pages * 4096); took != c.want)
            fail("cycles of an invalidation of so many pages", took, c.want);
}

// Walks that have ended answer in turn, however many wait for each.
static void turns()
{
    const uint64_t at = Far + 704 * Large;
    const unsigned pages = 4, each = 4;
    for (unsigned p = 0; p <= pages; p++)
        map_page(2, at + p * 4096, plain_entry(0xb000 + p));
    command(CTL_INV, 2, at, Large, true);
    ask(2, at + pages * 4096); // the tables are known
    withheld = true;
    uint32_t first = serial;
    for (unsigned n = 0; n < pages * each; n++)
        issue(2, at + n / each * 4096, 1, 256);
    rest(100, 256);
    withheld = false;
    latency_fixed = 1;
    for (unsigned i = 0; i < 400 && flying.size() > pages * each / 2; i++)
        clock_once(nullptr, 256);
    for (unsigned p = 0; p < pages; p++) {
        unsigned left = 0;
        for (unsigned n = 0; n < each; n++)
            left += (unsigned)flying.count(first + p * each + n);
        if (left < 1 || left > 3)
            fail("a walk has no turn, or more than others: requests left", left, p);
    }
    drain_all();
    latency_fixed = 0;
}

// Credits for reads come one by one: no walk reads its second table twice as long as another has not.
static void reads_in_turn()
{
    for (uint64_t n = 0; n < Walks; n++)
        map_page(2, (300 + n) << 30, plain_entry(0xd000 + n));
    command(CTL_INV, 2, 0, 0, true);
    latency_fixed = 1;
    walk_tags_of.clear();
    withheld = true;
    for (uint64_t n = 0; n < Walks; n++)
        issue(2, (300 + n) << 30, 1, 0);
    rest(40, 0); // their first reads have used all credits
    withheld = false;
    for (unsigned i = 0; i < 20000 && !flying.empty(); i++)
        clock_once(nullptr, 16);
    const std::vector<unsigned> &tags = walk_tags_of;
    if (tags.size() != 3 * Walks || std::set<unsigned>(tags.begin() + Walks, tags.begin() + 2 * Walks).size() != Walks)
        fail("reads of a walk out of turn, reads", tags.size(), 3 * Walks);
    latency_fixed = 0;
    drain_all();
}

// A page is named while the walk of another of its set ends, at each moment: what the sweep compares is not what is
// being filled, and what it names goes.
static void fill_beside_sweep()
{
    const uint64_t at = Far + 706 * Large, other = at + 513 * 4096; // both differ in bits 0 and 9: one set
    latency_fixed = 12;
    for (unsigned delay = 0; delay < 60; delay++) {
        map_page(2, at, plain_entry(0xc000 + delay));
        map_page(2, other, plain_entry(0xc100 + delay));
        map_page(2, other + 4096, plain_entry(0xc200));
        command(CTL_INV, 2, 0, 0, true);
        ask(2, at);
        ask(2, other + 4096);
        drain_all();
        changing = before_evt = true;
        previous.clear();
        issue(2, other, 1, 256);
        rest(delay, 256);
        change(2, at, 4096, plain_entry(0xc300 + delay), 0);
        command(CTL_INV, 2, at, 4096, true);
        changing = false;
        wait_all();
        ask(2, at);
        const uint64_t walks = counter(3);
        ask(2, at);
        ask(2, other);
        if (counter(3) != walks)
            fail("an entry that was filled beside a sweep of another page is gone, walks", counter(3) - walks, delay);
    }
    latency_fixed = 0;
}

static void bounds()
{
    answers_wait();
    every_slot();
    commands();
    turns();
    reads_in_turn();
    fill_beside_sweep();
}
#endif
