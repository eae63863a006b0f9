// SPDX-License-Identifier: Apache-2.0
// Cases of the bench of part_utcl2: translations that fail and are withheld, or become faults.  What a report says, what
// answers (CTL_XLAT) to ranges, spaces and all do, that nothing else waits for what is withheld: other pages, other address
// spaces, invalidations, drains.  Included by tb.cpp.  Not responsible for: which translations the driver lets fail.
#ifndef FAILURES_H
#define FAILURES_H

static const uint64_t Locked = 1ull << 56;
static const unsigned AnySpace = 255, Space = 0x33, Other = 0x34; // Space withholds, Other does not

static void clocks(unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        clock_once(nullptr, 256);
}

// Requests for `va` under way, whoever waits for them.
static unsigned waiting(unsigned vmid, uint64_t va)
{
    unsigned n = 0;
    for (const auto &f : flying)
        n += f.second.req.vmid == vmid && f.second.req.addr >> 12 == va >> 12;
    return n;
}

static void want_waiting(const char *what, unsigned vmid, uint64_t va, unsigned count)
{
    clocks(600);
    if (waiting(vmid, va) != count)
        fail(what, waiting(vmid, va), count);
}

static void want_report(unsigned vmid, uint64_t va, unsigned access)
{
    msg_xlat_evt want = {};
    want.vmid = (uint8_t)vmid, want.access = (uint8_t)access, want.va = va & ~0xfffull;
    clocks(600);
    if (reports.size() != 1 || memcmp(&reports[0], &want, sizeof want))
        fail("report of a withheld page: reports, address", reports.size(), reports.empty() ? 0 : reports[0].va), std::exit(1);
    reports.clear();
}

static void answer(unsigned vmid, uint64_t va, uint64_t bytes, bool deny) { command(CTL_XLAT, vmid, va, bytes, true, deny ? XLAT_DENY : 0); }

static void lock_page(unsigned vmid, uint64_t va) { memory[leaf_slot(vmid, va)] = (memory[leaf_slot(vmid, va)] & ~1ull) | Locked; }
static void unlock_page(unsigned vmid, uint64_t va) { memory[leaf_slot(vmid, va)] = (memory[leaf_slot(vmid, va)] & ~Locked) | 1; }

// One page after the other: reported with the rights that are wanted, not answered, then mapped or denied.
static void one_page()
{
    for (unsigned access : {1u, 2u, 4u, 3u}) {
        const uint64_t va = Far + access * 0x5000;
        issue(Space, va + 8, access, 256);
        want_report(Space, va, access);
        issue(Space, va, 1, 256); // another walk, another report
        want_report(Space, va, 1);
        issue(Other, Far, 1, 256); // of its own table
        want_waiting("another space waits", Other, Far, 0);
        issue(Other, va, access, 256); // a fault there
        want_waiting("answered at once where nothing is withheld", Other, va, 0);
        want_waiting("withheld", Space, va, 2);
        answer(Space, va, 4096, false); // still missing: withheld again.  The second joins the first one's walk
        want_report(Space, va, access);
        if (access & 1) {
            map_page(Space, va, plain_entry(0x2000 + access));
            answer(Space, va, 4096, false);
        } else {
            answer(Space, va, 4096, true);
        }
        want_waiting("answered: left", Space, va, 0);
    }
    if (!reports.empty())
        fail("reports that nobody expects", reports.size(), 0), reports.clear();
}

// An answer is for its range and space: the page before, the page behind and the same pages of another space stay.
static void ranges()
{
    const uint64_t va = Far + 0x400000;
    new_root(Space + 2, XLAT_WITHHOLD);
    for (uint64_t p = 0; p < 20; p++) {
        issue(Space, va + (p << 12), 1, 256);
        issue(Space + 2, va + (p << 12), 1, 256);
    }
    clocks(2000);
    if (reports.size() != 40 || flying.size() != 40)
        fail("reports of 40 pages, requests", reports.size(), flying.size());
    reports.clear();
    answer(Space, va + (5ull << 12), 3 << 12, true);
    clocks(1000);
    for (uint64_t p = 0; p < 20; p++)
        if (waiting(Space, va + (p << 12)) != (p < 5 || p > 7) || waiting(Space + 2, va + (p << 12)) != 1)
            fail("denied pages 5 to 7: page, waits", p, waiting(Space, va + (p << 12)));
    for (uint64_t p = 0; p < 20; p++)
        map_page(Space + 2, va + (p << 12), plain_entry(0x3000 + p));
    command(CTL_INV, AnySpace, 0, 0, true); // an invalidation waits for none of them and answers none
    if (flying.size() != 37)
        fail("an invalidation has answered withheld requests", flying.size(), 37);
    answer(Space + 2, 0, 0, false);
    clocks(1000);
    if (flying.size() != 17)
        fail("all of one space looked up again", flying.size(), 17);
    reports.clear();
    answer(AnySpace, 0, 0, false); // all: nothing has changed
    clocks(1000);
    if (flying.size() != 17 || reports.size() != 17)
        fail("withheld again, reports", flying.size(), reports.size());
    reports.clear();
}

// A space that is ended: what is withheld is a fault, and so is what comes, locked or missing, until it is opened again.
static void ended_space()
{
    const uint64_t va = Far + 0x600000;
    map_page(Space, va, plain_entry(0x4000));
    lock_page(Space, va);
    issue(Space, va, 1, 256);
    want_report(Space, va, 1);
    answer(Space, 0, 0, true);
    wait_all(); // with the 17 of before
    issue(Space, va, 1, 256);
    issue(Space, va + 0x1000, 2, 256);
    wait_all();
    answer(Space + 2, 0, 0, false); // of another
    issue(Space, va, 1, 256);
    wait_all();
    if (!reports.empty())
        fail("reports of an ended space", reports.size(), 0);
    answer(Space, 0, 0, false);
    issue(Space, va, 1, 256);
    want_report(Space, va, 1);
    issue(Space, va + 0x1000, 4, 256);
    want_report(Space, va + 0x1000, 4);
    unlock_page(Space, va);
    answer(Space, va, 4096, false);
    want_waiting("unlocked", Space, va, 0);
    issue(Other, va, 1, 256);
    answer(AnySpace, 0, 0, true);
    wait_all();
    issue(Space, va + 0x2000, 1, 256);
    wait_all();
    new_root(Space, XLAT_WITHHOLD); // begins anew
    issue(Space, va + 0x3000, 1, 256);
    want_report(Space, va + 0x3000, 1);
    answer(AnySpace, 0, 0, false);
    want_report(Space, va + 0x3000, 1);
    answer(Space, va + 0x3000, 4096, true);
    wait_all();
}

// Locked pages are withheld whatever the space says of others; big entries around them go on.
static void locked_pages()
{
    const uint64_t va = Far + 0x800000;
    for (uint64_t p = 0; p < 16; p++)
        map_page(Other, va + (p << 12), plain_entry(0x5000 + p));
    lock_page(Other, va + 0x3000);
    for (unsigned round = 0; round < 3; round++) {
        for (uint64_t p = 0; p < 16; p++)
            issue(Other, va + (p << 12), 1, 256);
        want_waiting("a locked page", Other, va + 0x3000, round + 1);
        if (flying.size() != round + 1)
            fail("others wait for a locked page", flying.size(), round + 1);
    }
    if (reports.size() != 3)
        fail("reports of a locked page", reports.size(), 3);
    reports.clear();
    unlock_page(Other, va + 0x3000);
    answer(Other, va + 0x3000, 4096, false);
    wait_all();
    lock_page(Other, va + 0x5000);
    command(CTL_INV, Other, va + 0x5000, 4096, true);
    issue(Other, va + 0x5000, 2, 256);
    want_report(Other, va + 0x5000, 2);
    answer(Other, va + 0x5000, 4096, true); // denied, and only this request
    wait_all();
    issue(Other, va + 0x5000, 2, 256);
    want_report(Other, va + 0x5000, 2);
    unlock_page(Other, va + 0x5000);
    answer(Other, va + 0x5000, 4096, false);
    wait_all();
}

// A denied request that finds the walk of another one under way joins it, and both are denied.
static void denied_beside_a_walk()
{
    const uint64_t va = Far + 0x900000;
    const uint64_t fixed = latency_fixed;
    unsigned both = 0;
    latency_fixed = 60;
    for (uint64_t p = 0; p < 64; p++) {
        issue(Space, va + (p << 12), 1, 256);
        want_report(Space, va + (p << 12), 1);
        issue(Space, va + (p << 12), 2, 256);
        clocks((unsigned)p);
        answer(Space, va + (p << 12), 4096, true);
        clocks(600);
        const unsigned left = waiting(Space, va + (p << 12));
        if (left != reports.size() || (left && reports[0].access != 2))
            fail("a denied request is withheld again: page, waits", p, left);
        both += left == 0;
        reports.clear();
        answer(Space, va + (p << 12), 4096, true);
        wait_all();
    }
    if (!both)
        fail("no denied request has met a walk", both, 1);
    latency_fixed = fixed;
}

// What is read of the counters stays while nobody reads them.
static void counters_rest()
{
    dut->perf_en_i = 1;
    dut->perf_addr_i = 6;
    clocks(2);
    const uint64_t withheld = dut->perf_data_o;
    if (withheld < 500)
        fail("counter of withheld walks", withheld, 500);
    dut->perf_en_i = 0;
    dut->perf_addr_i = 0;
    issue(Other, Far, 1, 256);
    wait_all();
    if (dut->perf_data_o != withheld)
        fail("counters are read though nobody asks", dut->perf_data_o, withheld);
}

// As many as there is room for; meanwhile others are answered, tables invalidated, the TLB drained and paused.
static void many()
{
    const uint64_t va = Far + 0xa00000;
    const unsigned Most = 200; // of 256 slots
    for (unsigned n = 0; n < Most; n++)
        issue(Space, va + (uint64_t)(n % 150 << 12), 1, 256);
    clocks(3000);
    if (flying.size() != Most || reports.size() < 150)
        fail("withheld, reports", flying.size(), reports.size());
    reports.clear();
    uint64_t from = cycle;
    command(CTL_INV, Space, va, 4096, true);
    if (cycle - from > 20)
        fail("an invalidation waited, cycles", cycle - from, 20);
    for (unsigned n = 0; n < 300; n++)
        issue(Vmids[1 + n % 5], random_va(), 1, 256);
    for (unsigned i = 0; i < 20000 && flying.size() > Most; i++)
        clock_once(nullptr, 256);
    if (flying.size() != Most)
        fail("others wait for what is withheld", flying.size(), Most);
    tell(CTL_DRAIN, CTL_OK, CTL_STATE_PAUSED);
    answer(Space, va, 4096, true); // nothing moves while it is paused
    clocks(300);
    if (flying.size() != Most || !reports.empty())
        fail("answered while paused", flying.size(), reports.size());
    tell(0, CTL_ERROR_OUTSTANDING, CTL_STATE_PAUSED); // it is not finished now
    tell(CTL_CONTINUE, CTL_OK, CTL_STATE_RUN);
    want_waiting("denied while paused", Space, va, 0);
    for (unsigned n = 0; n < 150; n += 3)
        map_page(Space, va + ((uint64_t)n << 12), plain_entry(0x6000 + n));
    answer(Space, 0, 0, false);
    clocks(6000);
    for (unsigned n = 1; n < 150; n++)
        if ((waiting(Space, va + ((uint64_t)n << 12)) == 0) != (n % 3 == 0))
            fail("mapped every third page: page, waits", n, waiting(Space, va + ((uint64_t)n << 12)));
    reports.clear();
    tell(CTL_DISCARD, CTL_OK, CTL_STATE_PAUSED);
    flying.clear();
    tell(CTL_CONTINUE, CTL_OK, CTL_STATE_RUN);
    answer(Space, 0, 0, false);
    clocks(500);
    if (!reports.empty())
        fail("what was discarded is reported", reports.size(), 0);
    drain_all();
}

// The driver's side takes no report: walks are held until it does; an answer waits for them, and nothing is lost.
static void deaf_driver()
{
    const uint64_t va = Far + 0xc00000;
    deaf = true;
    for (unsigned n = 0; n < 12; n++)
        issue(Space, va + (uint64_t)(n << 12), 1, 256);
    clocks(2000);
    if (reports.size() != 4)
        fail("reports for four credits", reports.size(), 4);
    for (unsigned n = 0; n < 100; n++)
        issue(Vmids[1 + n % 5], random_va(), 1, 256);
    clocks(8000);
    if (flying.size() != 12)
        fail("four free walks serve the others", flying.size(), 12);
    issue(Space, va + 0x7000, 2, 256); // its walk stands there without a report: it begins its own
    clocks(500);
    tell(CTL_PAUSE, CTL_OK, CTL_STATE_PAUSED);
    deaf = false;
    clocks(500);
    if (reports.size() != 4)
        fail("reported while paused", reports.size(), 4);
    tell(CTL_CONTINUE, CTL_OK, CTL_STATE_RUN);
    deaf = true;
    clocks(200);
    for (unsigned n = 0; n < 12; n++)
        map_page(Space, va + (uint64_t)(n << 12), plain_entry(0x7000 + n));
    command(CTL_XLAT, Space, 0, 0, false, 0);
    clocks(200);
    if (evts || flying.size() != 13)
        fail("an answer has passed walks that nobody knows of", evts, flying.size());
    deaf = false;
    wait_all();
    if (evts != 1 || reports.size() != 13)
        fail("all of them are reported, then answered", evts, reports.size());
    reports.clear();
    deaf = true; // discarded before they were told
    for (unsigned n = 0; n < 20; n++)
        issue(Space, va + (uint64_t)(n << 12) + 0x40000, 1, 256);
    clocks(2000);
    tell(CTL_DISCARD, CTL_OK, CTL_STATE_PAUSED);
    flying.clear();
    deaf = false;
    tell(CTL_CONTINUE, CTL_OK, CTL_STATE_RUN);
    clocks(500);
    if (reports.size() != 4)
        fail("discarded walks are reported", reports.size(), 4);
    reports.clear();
    traffic("after a discard of walks that failed", 400, 256, 0);
}

// What the driver does with a report: the page may have been mapped since its entry was read.
static void serve_reports(unsigned vmid)
{
    while (!reports.empty()) {
        const uint64_t va = reports.back().va;
        reports.pop_back();
        if (memory[leaf_slot(vmid, va)] & 1)
            answer(vmid, va, 4096, false);
    }
}

// Until no request for the page (0: for any) is under way.
static void settle(unsigned vmid, uint64_t page)
{
    for (unsigned i = 0; i < 20000 && (page ? waiting(vmid, page) != 0 : !flying.empty()); i++) {
        clock_once(nullptr, 256);
        serve_reports(vmid);
    }
    if (page ? waiting(vmid, page) : (unsigned)flying.size())
        fail("a mapped page is withheld for good", page, flying.size()), std::exit(1);
}

// Pages are locked, mapped, unmapped and answered at random under traffic; at the end everything is.
static void at_random()
{
    const uint64_t va = Far + 0xe00000;
    for (unsigned n = 0; n < 64; n++)
        map_page(Space, va + ((uint64_t)n << 12), plain_entry(0x8000 + n));
    for (unsigned round = 0; round < 200; round++) {
        const uint64_t page = va + (pick(64) << 12), slot = leaf_slot(Space, page);
        for (unsigned n = (unsigned)pick(12); n-- > 0 && flying.size() < 180;)
            issue(Space, va + (pick(64) << 12), 1, 64 + (unsigned)pick(192));
        if (memory[slot] & 1) {
            settle(Space, page); // none has the entry in flight
            if (pick(2))
                lock_page(Space, page);
            else
                memory[slot] = 0;
            command(CTL_INV, Space, page, 4096, true);
        } else if (memory[slot] & Locked) {
            unlock_page(Space, page);
            answer(Space, page, 4096, false);
        } else if (pick(3)) {
            map_page(Space, page, plain_entry(0x8800 + (page >> 12 & 63)));
            answer(Space, page, 4096, false);
        } else {
            answer(Space, page, 4096, true);
            clocks(600); // before the page may be mapped: what was denied has its fault
        }
        serve_reports(Space);
    }
    for (unsigned n = 0; n < 64; n++)
        if (!(memory[leaf_slot(Space, va + ((uint64_t)n << 12))] & 1))
            map_page(Space, va + ((uint64_t)n << 12), plain_entry(0x9000 + n));
    answer(Space, va, 64 << 12, false);
    settle(Space, 0);
    drain_all();
}

static void failing_translations()
{
    drain_all();
    reports.clear();
    new_root(Space, XLAT_WITHHOLD);
    new_root(Other);
    map_page(Other, Far, plain_entry(0x1000));
    one_page();
    ranges();
    ended_space();
    locked_pages();
    denied_beside_a_walk();
    many();
    deaf_driver();
    at_random();
    counters_rest();
}
#endif
