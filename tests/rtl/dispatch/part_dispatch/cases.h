// SPDX-License-Identifier: Apache-2.0
// Cases of the bench of part_dispatch: which CUs a mask names, room for scratch memory, kernels beside each other, rest
// of caches alone.  It uses the CUs and launches of bench.h.
#ifndef CASES_H
#define CASES_H

static msg_cp_cmd plain_launch(unsigned id, unsigned groups, uint64_t mask)
{
    msg_cp_cmd c = launch_make(id, 64, 1, 1, 64 * groups, 1, 1);
    c.vgprs = 8, c.sgprs = 16, c.lds_bytes = 0, c.scratch_wave_bytes = 0, c.scratch_waves = 0, c.cu_mask = mask;
    c.prio = 7;
    return c;
}

static void steps(unsigned n)
{
    while (n--)
        step(nullptr);
}

static unsigned live_of(unsigned cu, unsigned id)
{
    unsigned n = 0;
    for (const Wave &w : cus[cu].wave)
        n += w.live && w.cmd.pc == launches[id].cmd.pc;
    return n;
}

// A mask of one CU means that one; of many, shader engines in turn, in each of them its CUs in turn.
static void test_masks()
{
    hold = 1;
    for (unsigned cu = 0; cu < Cus; cu++) {
        send(plain_launch(23000, 3, 1ull << cu));
        for (unsigned n = 0; n < 60; n++)
            step(nullptr);
        if (live_of(cu, 23000) != 3)
            FAIL("mask of cu %u alone: %u wavefronts there", cu, live_of(cu, 23000));
        hold = 0;
        drain(2000);
        hold = 1;
    }
    const uint64_t odd = 0x8421c00100830055ull;
    unsigned named = static_cast<unsigned>(__builtin_popcountll(odd));
    send(plain_launch(23001, 2 * named, odd));
    for (unsigned n = 0; n < 400; n++)
        step(nullptr);
    for (unsigned engine = 0; engine < Cus / 16; engine++) {
        const unsigned of = odd >> (16 * engine) & 0xffff, here = named / 2; // 28 groups of 14 CUs: 7 an engine
        unsigned all = 0;
        for (unsigned cu = 16 * engine; cu < 16 * engine + 16; cu++) {
            const unsigned n = live_of(cu, 23001), least = here / static_cast<unsigned>(__builtin_popcount(of));
            if (n < least * (odd >> cu & 1) || n > (least + 1) * (odd >> cu & 1))
                FAIL("mask %llx: %u wavefronts in cu %u", (unsigned long long)odd, n, cu);
            all += n;
        }
        if (all != here)
            FAIL("mask %llx: %u wavefronts in shader engine %u", (unsigned long long)odd, all, engine);
    }
    hold = 0;
    drain(4000);
}

// Groups of few wavefronts lie on all SIMDs of their CU, whatever the number of CUs: W wavefronts each on N CUs, 8 to a CU.
static void test_simds()
{
    for (unsigned waves = 1; waves <= 3; waves++)
        for (unsigned n : {1u, 4u, 16u}) {
            hold = 1;
            const uint64_t mask = n == 1 ? 2 : n == 4 ? 0x0001000100010001ull : 0xffff;
            const unsigned groups = 8 * n / waves;
            msg_cp_cmd c = launch_make(23050, 64 * waves, 1, 1, 64 * waves * groups, 1, 1);
            c.vgprs = 8, c.sgprs = 16, c.lds_bytes = 0, c.scratch_wave_bytes = 0, c.scratch_waves = 0, c.cu_mask = mask, c.prio = 7;
            send(c);
            steps(600);
            for (unsigned cu = 0; cu < Cus; cu++) {
                unsigned on[4] = {}, all = 0;
                for (unsigned at = 0; at < std::size(cus[cu].wave); at++)
                    if (const Wave &w = cus[cu].wave[at]; w.live && w.cmd.pc == launches[23050].cmd.pc)
                        on[at >> 4]++, all++;
                for (unsigned s = 0; s < 4; s++)
                    if (on[s] * 4 + 4 <= all || on[s] * 4 >= all + 4)
                        FAIL("%u groups of %u wavefronts on %u CUs: %u, %u, %u, %u on the SIMDs of cu %u", groups, waves, n, on[0], on[1], on[2], on[3], cu);
            }
            hold = 0;
            drain(20000);
        }
}

// Scratch memory of 70 wavefronts, of CUs 1 and 2 of a mask: 32 places in CU 1, 6 in CU 2, and nowhere else.
static void test_scratch_places()
{
    hold = 1;
    msg_cp_cmd c = plain_launch(23100, 60, 0xfffffffffffffff6ull);
    c.scratch_wave_bytes = 1024, c.scratch_waves = 70;
    send(c);
    for (unsigned n = 0; n < 2000; n++)
        step(nullptr);
    if (live_of(1, 23100) != 32 || live_of(2, 23100) != 6 || launches[23100].started != 38)
        FAIL("scratch memory of 70 wavefronts: %u in cu 1, %u in cu 2, %llu in all", live_of(1, 23100), live_of(2, 23100),
             (unsigned long long)launches[23100].started);
    hold = 0;
    drain(20000);
}

// Kernels run beside each other (S3.9): one with groups for every CU, and one behind it that finds room; one that finds none does not
// hold up the next.
static void test_beside()
{
    const uint64_t groups = counter(0), waves = counter(1), blocked = counter(2), ended = counter(255);
    hold = 1;
    send(plain_launch(23200, 40, ~0ull));
    send(plain_launch(23201, 40, ~0ull));
    for (unsigned n = 0; n < 600; n++)
        step(nullptr);
    if (launches[23200].started != 40 || launches[23201].started != 40)
        FAIL("two kernels: %llu and %llu wavefronts at once", (unsigned long long)launches[23200].started, (unsigned long long)launches[23201].started);
    msg_cp_cmd whole = plain_launch(23202, 1, 1); // all the LDS of CU 0, twice
    whole.lds_bytes = Lds;
    send(whole);
    whole = plain_launch(23203, 1, 1);
    whole.lds_bytes = Lds;
    send(whole);
    send(plain_launch(23204, 10, ~0ull));
    for (unsigned n = 0; n < 600; n++)
        step(nullptr);
    if (launches[23202].started != 1 || launches[23203].started != 0 || launches[23204].started != 10)
        FAIL("a kernel that waits for room: %llu, %llu, %llu wavefronts", (unsigned long long)launches[23202].started,
             (unsigned long long)launches[23203].started, (unsigned long long)launches[23204].started);
    if (counter(0) != groups + 91 || counter(1) != waves + 91 || counter(2) != blocked + 1 || counter(255) != ended)
        FAIL("91 groups and wavefronts, one kernel without room: counters %llu %llu %llu", (unsigned long long)(counter(0) - groups),
             (unsigned long long)(counter(1) - waves), (unsigned long long)(counter(2) - blocked));
    hold = 0;
    drain(20000);
    if (counter(255) != ended + 92)
        FAIL("92 groups ended, counted are %llu", (unsigned long long)(counter(255) - ended));
}

// Which blocks each kind of maintenance reaches: instruction and scalar caches, L2 slices, the L2 TLB, CUs.
static void test_maintenance()
{
    static const struct {
        uint32_t flags;
        bool sqcs, slices, tlb, cus;
    } cases[] = {{CACHE_INV_L1V, false, false, false, true}, {CACHE_INV_L1K, true, false, false, false}, {CACHE_INV_L1I, true, false, false, false},
                 {CACHE_WB_L2, false, true, false, false},   {CACHE_INV_L2, false, true, false, false}, {CACHE_FAR, false, true, false, false},  {CACHE_INV_TLB, true, false, true, true}};
    for (auto &m : cases) {
        msg_cp_cmd c = {};
        c.kind = CP_CACHE, c.id = 0xc000, c.flags = m.flags, c.vmid = 7;
        maint_seen = 0;
        send(c);
        drain(2000);
        const Ports want = (m.sqcs ? SqcPorts : 0) | (m.slices ? SlicePorts : 0) | (m.tlb ? TlbPort : 0) | (m.cus ? CuPorts : 0);
        if (maint_seen != want)
            FAIL("flags %x: agents %llx %llx", m.flags, (unsigned long long)(maint_seen >> 64), (unsigned long long)maint_seen);
    }
    maint_seen = TlbPort | RdmaPort | SqcPorts | SlicePorts | CuPorts;
}

// Lists of 1, 2 and 8 ranges, of each kind: every component has every range, in order, and the host hears once.  A list of TLBs takes a round of messages for
// each range and one more, since the L2 TLB is one range ahead; those of one component take a round for each.
static void test_lists()
{
    const unsigned told_before = lists_told;
    unsigned count = 0, id = 0xc100;
    for (uint32_t flags : {(uint32_t)CACHE_INV_TLB, (uint32_t)(CACHE_INV_TLB | CACHE_INV_L1V | CACHE_INV_L1K | CACHE_INV_L1I), (uint32_t)CACHE_WB_L2, (uint32_t)(CACHE_WB_L2 | CACHE_INV_L2),
                           (uint32_t)(CACHE_INV_TLB | CACHE_MORE), (uint32_t)(CACHE_WB_L2 | CACHE_MORE)})
        for (unsigned pages : {1u, 2u, 8u}) {
            msg_cp_cmd c = {};
            c.kind = CP_CACHE, c.id = (uint16_t)id++, c.flags = flags, c.vmid = 7;
            maint_seen = 0;
            list_most = 0, slowest = 8;
            send(listed(c, pages)), count++;
            drain(8000);
            slowest = 50;
            const bool tlb = flags & CACHE_INV_TLB;
            if (maint_seen != (tlb ? TlbPort | SqcPorts | CuPorts : SlicePorts))
                FAIL("list with flags %x: agents %llx %llx", flags, (unsigned long long)(maint_seen >> 64), (unsigned long long)maint_seen);
            if (list_most > (pages + tlb) * 12 + 10)
                FAIL("list of %u with flags %x takes %u cycles", pages, flags, list_most);
        }
    for (unsigned pages : {1u, 2u, 8u}) {
        msg_cp_cmd c = {};
        c.kind = CP_XLAT, c.id = (uint16_t)id++, c.flags = pages & XLAT_DENY, c.vmid = 5;
        send(listed(c, pages)), count++;
        drain(8000);
    }
    if (lists_told - told_before != count || lists_full == 0)
        FAIL("%u lists of %u are told", lists_told - told_before, count);
    maint_seen = TlbPort | RdmaPort | SqcPorts | SlicePorts | CuPorts;
}

// The dispatchers' agent (S1.15): from the answer to a pause on no wavefront starts, those that run end and are told; a drain is answered when no group is
// sent in part; each goes on as if nothing had been.  At each moment of groups of 16 wavefronts.
static void test_held()
{
    unsigned in_part = 0;
    for (unsigned n = 0; n < 80; n++) {
        const unsigned items = n & 4 ? 64 : 1024; // of one wavefront: a try is all that is in hand, every fourth cycle
        msg_cp_cmd c = launch_make(24700, items, 1, 1, items * 60, 1, 1);
        c.vgprs = 8, c.sgprs = 16, c.lds_bytes = 0, c.scratch_wave_bytes = 0, c.cu_mask = ~0ull;
        const bool drains = n & 1;
        const uint64_t groups = counter(0);
        send(c);
        steps(20 + n);
        own(drains ? n & 2 ? CTL_FLUSH : CTL_DRAIN | CTL_PAUSE : CTL_PAUSE, CTL_OK, CTL_STATE_PAUSED);
        const Launch &l = launches[24700];
        if (drains && l.next_wave)
            FAIL("drained: wavefront %llu of a group is the next", (unsigned long long)l.next_wave);
        steps(20);
        if (drains && counter(0) - groups != l.next_group)
            FAIL("drained: %llu groups have a place, %llu are sent", (unsigned long long)(counter(0) - groups), (unsigned long long)l.next_group);
        in_part += l.next_wave != 0;
        msg_cp_cmd small = plain_launch(24701, 3, ~0ull), inv = {};
        inv.kind = CP_CACHE, inv.id = 0xc0ff, inv.flags = CACHE_INV_TLB, inv.vmid = 7;
        send(small), send(inv);
        steps(400);
        if (l.running || launches[24701].started || !maintenance.empty())
            FAIL("held: %llu wavefronts run, %llu of a kernel that came later, %zu commands wait", (unsigned long long)l.running,
                 (unsigned long long)launches[24701].started, maintenance.size());
        unsigned rests = 0;
        for (unsigned k = 0; k < 200; k++)
            step(nullptr), rests += dut->idle_o;
        if (rests < 50) // reports come all the time
            FAIL("held with nothing to do, and idle in %u cycles of 200", rests);
        own(CTL_CONTINUE, CTL_OK, CTL_STATE_RUN);
        drain(20000);
    }
    if (in_part < 8)
        FAIL("%u pauses of 20 in the middle of a group", in_part);
}

// What they refuse, by state; a kill of what runs while they are drained, and one while a group is sent in part, which ends behind the continue.
static void test_own_rules()
{
    own(CTL_DISCARD, CTL_ERROR_DISCARD, CTL_STATE_RUN);
    own(CTL_ENABLE, CTL_ERROR_ON, CTL_STATE_RUN);
    own(CTL_CONTINUE, CTL_ERROR_STATE, CTL_STATE_RUN);
    own(0, CTL_ERROR_STATE, CTL_STATE_RUN);
    own(CTL_DRAIN | CTL_FLUSH, CTL_ERROR_TOGETHER, CTL_STATE_RUN);
    for (unsigned drains = 0; drains < 2; drains++) {
        msg_cp_cmd c = launch_make(24710, 1024, 1, 1, 1024 * 30, 1, 1), kill = {};
        c.vgprs = 8, c.sgprs = 16, c.lds_bytes = 0, c.scratch_wave_bytes = 0, c.cu_mask = ~0ull, c.vmid = 7;
        kill.kind = CP_KILL, kill.id = 0x9ffc, kill.vmid = 7;
        send(c);
        const Launch &l = launches[24710];
        do
            step(nullptr);
        while (l.next_group < 3 || l.next_wave < 3);
        own(drains ? CTL_DRAIN : CTL_PAUSE, CTL_OK, CTL_STATE_PAUSED);
        if (!drains && l.next_wave == 0)
            FAIL("no group is sent in part");
        own(CTL_PAUSE, CTL_ERROR_STATE, CTL_STATE_PAUSED);
        own(CTL_DISCARD, CTL_ERROR_DISCARD, CTL_STATE_PAUSED);
        own(0, drains ? CTL_OK : CTL_ERROR_OUTSTANDING, drains ? CTL_STATE_OFF : CTL_STATE_PAUSED);
        if (drains) {
            own(CTL_CONTINUE, CTL_ERROR_OFF, CTL_STATE_OFF);
            own(CTL_DRAIN, CTL_ERROR_OFF, CTL_STATE_OFF);
        }
        send(kill);
        steps(600);
        if (maintenance.empty() != (drains == 1))
            FAIL("%s: the kill %s", drains ? "drained" : "paused", drains ? "waits" : "has ended");
        if (drains)
            own(CTL_ENABLE | CTL_DISCARD, CTL_OK, CTL_STATE_RUN);
        else
            own(CTL_CONTINUE, CTL_OK, CTL_STATE_RUN);
        drain(4000);
    }
}

// Control messages among launches and maintenance, more at a time than there are entries; each is told once, and none waits
// for a maintenance command that is never answered.
static void test_control()
{
    const unsigned before = controls_told;
    unsigned id = 0xd000, all = 0;
    for (unsigned n = 0; n < 4000; n++) {
        msg_cp_cmd c = {};
        if (n % 400 < 60 && pick(2) && places) {
            c.kind = CP_CONTROL, c.id = (uint16_t)id++, c.flags = (uint32_t)(pick(64) | (pick(4) ? 1 << pick(6) : pick(64)) << 8 | (pick(3) ? 0xffff : pick(20)) << 16);
            send(c), all++;
        } else if (pick(40) == 0 && places) {
            c.kind = CP_CACHE, c.id = (uint16_t)(0x8000 + n), c.flags = CACHE_INV_TLB, c.vmid = 5;
            send(c);
        } else
            step(nullptr);
    }
    drain(20000);
    if (controls_told - before != all || all < 100)
        FAIL("%u control commands told of %u", controls_told - before, all);
}

// Each agent works on a command of its own and does not answer; one command more still gets through.
static void test_entries()
{
    unsigned id = 0xe000;
    controls_asked = 0, agents_wait = true;
    for (const Group &g : agents)
        for (unsigned n = 0; g.group != CTL_GROUP_DISPATCH && n < g.count + (g.group == CTL_GROUP_NOC); n++) {
            msg_cp_cmd c = {};
            c.kind = CP_CONTROL, c.id = (uint16_t)id++, c.flags = (n ? CTL_CONTINUE : CTL_DRAIN) | (uint32_t)g.group << 8 | (g.group == CTL_GROUP_NOC ? 0 : n) << 16;
            for (unsigned i = 0; i < 100 && !places; i++)
                step(nullptr);
            send(c);
        }
    for (unsigned i = 0; i < 500; i++)
        step(nullptr);
    if (controls_asked != Agents + 1)
        FAIL("%u messages to agents that do not answer, not %u", controls_asked, Agents + 1);
    agents_wait = false;
    drain(20000);
}

// Four of greater priority take every cycle of the pool: who had to wait for them makes up for 16 cycles, for no more.
static void behind_priorities()
{
    hold = 1;
    for (unsigned k = 0; k < 4; k++) {
        msg_cp_cmd all = plain_launch(24011 + k, 300, ~0ull);
        all.prio = 9;
        send(all);
    }
    send(plain_launch(24015, 60, ~0ull));
    const Launch &late = launches[24015], *before[4];
    for (unsigned k = 0; k < 4; k++)
        before[k] = &launches[24011 + k];
    uint64_t end = 0;
    for (unsigned n = 0; n < 3000 && !end; n++) {
        step(nullptr);
        if (before[0]->started + before[1]->started + before[2]->started + before[3]->started == 4 * 300)
            end = cycle;
    }
    const unsigned then = (unsigned)late.started;
    steps(400);
    if (then || late.started != 60 || late.last_start - end != 4 * 60 - 16 + 1) // its first try comes a cycle later
        FAIL("behind greater priorities: %llu small ones in %llu cycles", (unsigned long long)late.started, (unsigned long long)(late.last_start - end));
    hold = 0;
    drain(20000);
}

// Kernels on several dispatchers: the second begins beside the first, each at its own rate while the pool has time for it, one that
// finds no dispatcher begins when another has ended.
static void test_dispatchers()
{
    hold = 1;
    send(plain_launch(24000, 1000, ~0ull));
    send(plain_launch(24001, 1, ~0ull));
    for (unsigned n = 0; n < 60; n++)
        step(nullptr);
    if (launches[24001].started != 1 || launches[24001].first_start > launches[24000].first_start + 8)
        FAIL("a kernel beside one that is being dispatched: from %llu, the first from %llu", (unsigned long long)launches[24001].first_start,
             (unsigned long long)launches[24000].first_start);
    hold = 0;
    drain(20000);
    for (unsigned kernels : {1u, 2u, 4u, 8u}) {
        const unsigned each = 120, pace = kernels <= 4 ? 4 : kernels; // a try a cycle at the pool
        hold = 1;
        for (unsigned k = 0; k < kernels; k++)
            send(plain_launch(24010 + k, each, ~0ull));
        for (unsigned n = 0; n < pace * each + 100; n++)
            step(nullptr);
        for (unsigned k = 0; k < kernels; k++) {
            const Launch &l = launches[24010 + k];
            const uint64_t took = l.last_start - l.first_start;
            if (l.started != each || took > pace * (each - 1) + 24 || took + 24 < pace * (each - 1))
                FAIL("%u kernels: %llu of %u groups in %llu cycles, %u a group", kernels, (unsigned long long)l.started, each, (unsigned long long)took, pace);
        }
        hold = 0;
        drain(20000);
    }
    // a try of 16 wavefronts holds the pool for four cycles; who had to wait makes up for that
    hold = 1;
    msg_cp_cmd large = launch_make(24019, 1024, 1, 1, 1024 * 25, 1, 1);
    large.vgprs = 8, large.sgprs = 16, large.lds_bytes = 0, large.scratch_wave_bytes = 0, large.cu_mask = ~0ull, large.prio = 7;
    send(large);
    large.id = 24017, large.pc = 0x1000ull * 24018;
    send(large);
    send(plain_launch(24018, 90, ~0ull));
    steps(600);
    const Launch &beside = launches[24018];
    if (beside.started != 90 || beside.last_start - beside.first_start > 4 * 89 + 24)
        FAIL("beside large groups: 90 small ones in %llu cycles", (unsigned long long)(beside.last_start - beside.first_start));
    hold = 0;
    drain(20000);
    if (Dispatchers > 4)
        behind_priorities();
    hold = 1;
    for (unsigned k = 0; k <= Dispatchers; k++)
        send(plain_launch(24020 + k, 20, ~0ull));
    unsigned rests = 0; // also while a launch waits for a dispatcher
    for (unsigned n = 0; n < 1000; n++)
        step(nullptr), rests += dut->idle_o;
    if (rests < 100)
        FAIL("idle in %u cycles of 1000 with nothing to do", rests);
    for (unsigned k = 0; k <= Dispatchers; k++)
        if (launches[24020 + k].started != (k < Dispatchers ? 20 : 0))
            FAIL("kernel %u on %u dispatchers: %llu wavefronts", k, Dispatchers, (unsigned long long)launches[24020 + k].started);
    hold = 0;
    drain(20000);
}

// Every place of CU 0 is taken by a kernel whose wavefronts do not end.
static void fill_cu(unsigned id)
{
    hold = 1;
    send(plain_launch(id, Simds * Slots, 1));
    for (unsigned n = 0; n < 4 * Simds * Slots + 40; n++)
        step(nullptr);
    if (live_of(0, id) != Simds * Slots)
        FAIL("%u wavefronts fill a CU", live_of(0, id));
}

// One of them ends.
static void end_one(unsigned id)
{
    for (Wave &w : cus[0].wave)
        if (w.live && w.cmd.pc == launches[id].cmd.pc) {
            w.end = cycle, hold = 0;
            for (Wave &other : cus[0].wave)
                other.end = &other == &w ? cycle : UINT64_MAX;
            return;
        }
    FAIL("nothing is left to end");
}

// Who waits goes in the order of priorities, whoever came first.
static void test_priorities()
{
    run_cycles = 1000; // who comes in stays
    fill_cu(24100);
    const unsigned priorities[] = {3, 9, 5, 0};
    for (unsigned k = 0; k < 4; k++) {
        msg_cp_cmd c = plain_launch(24101 + k, 4, 1);
        c.prio = (uint8_t)priorities[k];
        send(c);
    }
    steps(100);
    const unsigned order[] = {1, 2, 0, 3};
    for (unsigned n = 0; n < 16; n++) {
        end_one(24100);
        steps(60);
        for (unsigned k = 0; k < 4; k++) {
            const unsigned want = n < 4 * k ? 0 : n - 4 * k >= 3 ? 4 : n - 4 * k + 1;
            if (launches[24101 + order[k]].started != want)
                FAIL("place %u: kernel of priority %u has %llu wavefronts, not %u", n, priorities[order[k]],
                     (unsigned long long)launches[24101 + order[k]].started, want);
        }
    }
    for (Wave &w : cus[0].wave)
        w.end = cycle;
    drain(20000);
    run_cycles = 40;
}

// A group that needs a whole CU gets one, though small ones take every place that comes free: after Patience cycles the CU in which
// something comes free is kept for it.  When it is killed meanwhile, they go on.
static void test_patience()
{
    run_cycles = 200;
    msg_cp_cmd small = plain_launch(24200, 80 * (100 + Patience / 100), 1), big = plain_launch(24201, 1, 1);
    small.lds_bytes = 512, big.lds_bytes = Lds;
    send(small);
    steps(500);
    const uint64_t begin = cycle;
    send(big);
    while (launches[24201].started == 0 && cycle < begin + Patience + 1000)
        step(nullptr);
    if (launches[24201].started != 1 || launches[24201].first_start < begin + Patience || launches[24200].next_group >= launches[24200].cmd.groups[0])
        FAIL("a large group began %llu cycles after its launch", (unsigned long long)(launches[24201].first_start - begin));
    drain(200000);

    fill_cu(24210);
    big = plain_launch(24211, 1, 1), small = plain_launch(24212, 8, 1);
    big.vmid = 7, big.lds_bytes = Lds, big.vgprs = 256, small.vmid = 6;
    send(big), send(small);
    steps(Patience + 100);
    end_one(24210);
    steps(300);
    if (launches[24212].started != 0)
        FAIL("%llu wavefronts came into the CU that is kept for another kernel", (unsigned long long)launches[24212].started);
    msg_cp_cmd kill = {};
    kill.kind = CP_KILL, kill.id = 0x9fff, kill.vmid = 7;
    hold = 1; // who comes now stays
    send(kill);
    steps(600);
    if (launches[24212].started != 1)
        FAIL("behind the kill of the kernel that a CU was kept for: %llu wavefronts", (unsigned long long)launches[24212].started);
    for (Wave &w : cus[0].wave)
        w.end = cycle;
    run_cycles = 40, hold = 0;
    drain(20000);
}

// Of CUs that each have several things to tell the host, the next has its turn, however far it is.
static void test_turns()
{
    hold = 1;
    send(plain_launch(24600, Cus, ~0ull));
    steps(4 * Cus + 100);
    told_cus.clear();
    for (unsigned cu = 0; cu < Cus; cu += 4)
        for (const Wave &w : cus[cu].wave)
            for (unsigned n = 0; w.live && n < 3; n++)
                tell_host(cu, CU_EVT_INTERRUPT, w.cmd);
    steps(Cus + 40);
    if (told_cus.size() != 3 * Cus / 4)
        FAIL("%zu of %u interrupts are told", told_cus.size(), 3 * Cus / 4);
    for (size_t n = Cus / 4; n < told_cus.size(); n++)
        if (told_cus[n] != told_cus[n - Cus / 4])
            FAIL("interrupt %zu is of cu %u, that of cu %u would have been next", n, told_cus[n], told_cus[n - Cus / 4]);
    hold = 0;
    drain(2000);
}

// Wavefronts that end in all CUs at once are taken one a CU and cycle.
static void test_ends()
{
    hold = 1;
    send(plain_launch(24300, Cus * Simds, ~0ull));
    steps(4 * Cus * Simds + 100);
    for (Cu &c : cus)
        for (Wave &w : c.wave)
            w.end = cycle;
    hold = 0, plain_ends = true;
    const uint64_t begin = cycle;
    drain(2000);
    plain_ends = false;
    if (last_end > begin + Simds + 8)
        FAIL("%u wavefronts a CU ended in %llu cycles", Simds, (unsigned long long)(last_end - begin));
}
#endif
