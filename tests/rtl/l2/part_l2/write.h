// SPDX-License-Identifier: Apache-2.0
// Cases of the bench of part_l2: what goes to DRAM and when.  A store that is answered is in DRAM (write-through) or is not until a write-back or
// until its line is replaced (write-back); write-backs cover what was dirty, end when DRAM has it, cost nothing when nothing is dirty, and keep to their
// range; invalidations never lose a store.  Included by tb.cpp, whose traffic it uses.
#ifndef WRITE_H
#define WRITE_H

static const unsigned CountDirty = 14, CountVictims = 15, CountFlushed = 16, CountFlushes = 17;
static const unsigned Crowd = 30;           // lines of set 0 that the model has
static const uint64_t Piece = 4 * 16 * 64; // bytes of memory of which a slice of 16 has four lines

static msg_mem_req add(uint64_t line, unsigned word)
{
    msg_mem_req q = access(MEM_ATOMIC, line);
    q.atomic = ATOMIC_ADD;
    q.size = 4;
    q.addr += word * 4;
    q.mask = 0; // of one word
    q.data[0] = 3;
    return q;
}

static void store(uint64_t line, uint64_t mask)
{
    msg_mem_req q = access(MEM_WRITE, line);
    for (uint64_t &d : q.data)
        d = rng();
    q.mask = mask;
    issue(q, 256);
}

static void answered_all()
{
    while (!flying.empty())
        clock_once(nullptr, 256);
}

// Bytes of a line that DRAM has not got.
static unsigned stale(uint64_t line)
{
    unsigned n = 0;
    for (unsigned i = 0; i < 64; i++)
        n += model[slice_line(line) * 64 + i] != backing[slice_line(line) * 64 + i];
    return n;
}

static void clean()
{
    whose = Own;
    invalidate(CACHE_WB_L2 | CACHE_INV_L2);
    idle();
    if (counter(CountDirty))
        fail("dirty lines after a write-back", counter(CountDirty), 0);
}

// S0.16: with write-through DRAM has a store when it is answered.  S0.17: with write-back it is stale until a write-back.
static void stores_and_dram()
{
    clean();
    for (unsigned n = 0; n < 40; n++)
        store(n, n % 2 ? ~0ull : rng() | 1);
    answered_all();
    unsigned old = 0;
    for (unsigned n = 0; n < 40; n++)
        old += stale(n) != 0;
    uint64_t dirty = counter(CountDirty);
    if (Through ? old != 0 || dirty != 0 : old != 40 || dirty != 40)
        fail("lines that DRAM has not got, dirty", old, dirty);
    uint64_t writes = dram_writes, flushed = counter(CountFlushed), flushes = counter(CountFlushes);
    invalidate(CACHE_WB_L2);
    same_as_backing("stale after a write-back, address");
    if (dram_writes - writes != dirty || counter(CountFlushed) - flushed != dirty || counter(CountFlushes) - flushes != 1 || counter(CountDirty))
        fail("lines written by a write-back", dram_writes - writes, dirty);
    writes = dram_writes;
    invalidate(CACHE_WB_L2);
    if (dram_writes != writes)
        fail("a second write-back writes", dram_writes - writes, 0);
    // what comes over a link is in DRAM at once, over clean lines and dirty ones
    for (unsigned n = 0; n < 40; n++) {
        whose = Own;
        if (n % 4 == 1)
            store(n, 0xff);
        if (n % 4 == 2)
            reads_of(n);
        whose = Far;
        store(n, n % 3 ? 0x0f : ~0ull);
        issue(add(n, 8), 256);
    }
    answered_all();
    whose = Own;
    for (unsigned n = 0; n < 40; n++)
        if (stale(n) > (Through || n % 4 != 1 || n % 3 == 0 ? 0 : 4))
            fail("bytes of a line stored over a link that DRAM has not got", stale(n), 0);
    if (!Through && counter(CountDirty) != 10)
        fail("dirty lines after stores over a link", counter(CountDirty), 10);
    invalidate(CACHE_WB_L2);
    same_as_backing("stores over a link, address");
    // bytes that nobody stored are not written: the host's stay
    store(100, 0x00ff00ff00ff00ffull);
    answered_all();
    uint64_t at = slice_line(100) * 64 + 9;
    model[at] = backing[at] = (uint8_t)~backing[at];
    invalidate(CACHE_WB_L2 | CACHE_INV_L2);
    reads_of(100);
    same_as_backing("a write-back wrote bytes that were not dirty, address");
}

// Nothing dirty: no scan, with lines there or not.
static void clean_flush()
{
    clean();
    for (unsigned n = 0; n < 500; n++)
        reads_of(n);
    idle();
    const uint32_t ways[] = {CACHE_WB_L2, CACHE_INV_L2, CACHE_WB_L2 | CACHE_INV_L2};
    for (uint32_t flags : ways) {
        uint64_t took = invalidate(flags);
        if (took > 32)
            fail("cycles of a command on a clean slice", took, 32);
    }
    store(77, 0xff);
    answered_all();
    uint64_t took = invalidate(CACHE_WB_L2);
    if (took > 200 + 100 * 2) // of its bank, a refresh may have begun: 100 memory cycles
        fail("cycles of a write-back of one line", took, 360);
}

// S0.18: the answer comes when DRAM has the last write: of a closed row, not before it is open; of many lines, at DRAM's rate; also of victims.
static void acknowledged()
{
    close_rows();
    store(dram_line(0, 0, 0), ~0ull);
    answered_all();
    if (Through)
        return; // dram.h: the write is on its way already
    uint64_t took = invalidate(CACHE_WB_L2);
    if (took < Rcd * Clock)
        fail("cycles of a write-back to a closed row", took, Rcd * Clock);
    close_rows();
    for (unsigned n = 0; n < 1200; n++)
        store(n, ~0ull);
    answered_all();
    took = invalidate(CACHE_WB_L2);
    if (took < 1200 * 2 || took > 1200 * 4)
        fail("cycles of a write-back of 1200 lines", took, 1200 * 2);
    clean();
    for (unsigned n = 0; n < L2Ways; n++)
        store(of_set(n), ~0ull);
    answered_all();
    idle();
    cycle += 100000; // rows close at the refresh
    uint64_t victims = counter(CountVictims);
    for (unsigned n = 0; n < L2Ways; n++) // each takes the way of a dirty line
        issue(access(MEM_READ_NC, of_set(20 + n)), 256);
    took = invalidate(CACHE_WB_L2);
    answered_all();
    if (counter(CountVictims) - victims < 8)
        fail("victims that were written back", counter(CountVictims) - victims, 8);
    if (took < Rcd * Clock)
        fail("cycles of a write-back with victims under way", took, Rcd * Clock);
    same_as_backing("victims under way are not in DRAM, address");
}

// A line that is replaced goes to DRAM with its mask, before a later fetch of it.
static void victims()
{
    clean();
    for (unsigned round = 0; round < 30; round++) {
        for (unsigned n = 0; n < 3 * L2Ways; n++) {
            store(of_set(pick(Crowd)), pick(3) ? rng() : ~0ull);
            if (pick(2))
                issue(access(pick(4) ? MEM_READ : MEM_READ_NC, of_set(pick(Crowd))), 256);
        }
        answered_all();
    }
    for (unsigned n = 0; n < Crowd; n++)
        reads_of(of_set(n));
    invalidate(CACHE_WB_L2);
    same_as_backing("victims are not in DRAM, address");
}

// Ranges: what they name goes, the rest stays.
static void ranges()
{
    const unsigned pieces[] = {1, 3, 40}; // 40 pieces are more lines than there are sets
    for (unsigned count : pieces) {
        clean();
        for (unsigned n = 0; n < 400; n++)
            store(n, n % 3 ? ~0ull : 0xffff);
        for (unsigned n = 400; n < 800; n++)
            reads_of(n);
        uint64_t first = 7, dirty = counter(CountDirty), writes = dram_writes;
        invalidate(CACHE_WB_L2, first * Piece, count * Piece);
        for (unsigned n = 0; n < 400 && !Through; n++)
            if ((stale(n) == 0) != (n / 4 >= first && n / 4 < first + count))
                fail("write-back of a range, line", n, stale(n));
        if (!Through && (counter(CountDirty) != dirty - 4 * count || dram_writes - writes != 4 * count))
            fail("lines written back by a range", dram_writes - writes, 4 * count);
        for (unsigned n = 0; n < 400 && !Through; n++)
            if (n % 3 && reads_of(n))
                fail("a write-back dropped a line", n, 0);
        invalidate(CACHE_WB_L2 | CACHE_INV_L2, 100 * Piece, count * Piece);
        for (unsigned n = 400; n < 800; n++)
            if (reads_of(n) != (n / 4 >= 100 && n / 4 < 100 + count))
                fail("invalidation of a range, line", n, 0);
        invalidate(CACHE_WB_L2 | CACHE_INV_TLB, first * Piece, Piece); // the range is of virtual addresses
        if (counter(CountDirty))
            fail("dirty lines after a write-back beside one of TLB entries", counter(CountDirty), 0);
    }
}

// The first, a middle and the last line of a range, alone dirty, in a closed row: the answer comes when DRAM has it, however the slice finds its lines.
static void ranges_wait()
{
    const unsigned pieces[] = {1, 3, 40};
    const uint32_t ways[] = {CACHE_WB_L2, CACHE_WB_L2 | CACHE_INV_L2};
    const uint64_t first = 7;
    for (unsigned count : pieces)
        for (uint32_t flags : ways)
            for (uint64_t line : {4 * first, 4 * first + 2 * count, 4 * (first + count) - 1}) {
                clean();
                close_rows();
                store(line, ~0ull);
                answered_all();
                if (Through)
                    continue; // it is in DRAM, or on its way
                const uint64_t writes = dram_writes, took = invalidate(flags, first * Piece, count * Piece);
                if (took < Rcd * Clock || dram_writes - writes != 1 || stale(line))
                    fail("a write-back of a range is answered before its line is in DRAM, line", line, took);
                if (counter(CountDirty))
                    fail("dirty lines after a write-back of a range", counter(CountDirty), 0);
            }
}

// Ranges one after another, of which more is to come (CACHE_MORE): each is answered before DRAM has its line, the lines are dropped where that is
// asked for, and the last one is answered when DRAM has the lines of all, also when it names nothing that is dirty.
static void more_to_come()
{
    const uint32_t ways[] = {CACHE_WB_L2, CACHE_WB_L2 | CACHE_INV_L2};
    for (uint32_t flags : ways)
        for (unsigned count : {1u, 2u, 7u})
            for (unsigned last = 0; last < 3; last++) { // the last: a range with a dirty line, one without, everything
                clean();
                close_rows();
                for (unsigned n = 0; n < count + (last == 0); n++)
                    store(4 * n, ~0ull);
                answered_all();
                if (Through)
                    continue;
                uint64_t most = 0;
                const uint64_t writes = dram_writes, flushed = counter(CountFlushed), from = cycle;
                for (unsigned n = 0; n < count; n++)
                    most = std::max(most, invalidate(flags | CACHE_MORE, n * Piece, Piece));
                if (most > 24 || counter(CountDirty) != (last == 0))
                    fail("cycles of a command that another follows, dirty lines", most, counter(CountDirty));
                invalidate(flags, last == 2 ? 0 : (last ? 90 : count) * Piece, last == 2 ? 0 : Piece);
                if (cycle - from < Rcd * Clock || dram_writes - writes != count + (last == 0) || counter(CountFlushed) - flushed != count + (last == 0))
                    fail("the last command is answered before DRAM has the lines of all, lines", dram_writes - writes, count + (last == 0));
                for (unsigned n = 0; n < count + (last == 0); n++)
                    if (stale(4 * n) || reads_of(4 * n) != ((flags & CACHE_INV_L2) != 0))
                        fail("line of a command that another follows", 4 * n, stale(4 * n));
                same_as_backing("after commands that others follow, address");
            }
}

// An invalidation alone leaves what is dirty, and of a dirty line only that.
static void invalidation_keeps()
{
    for (unsigned range = 0; range < 3; range++) {
        clean();
        for (unsigned n = 0; n < 64; n++) {
            reads_of(n);
            store(n, 0xf0);
        }
        answered_all();
        for (unsigned n = 0; n < 64; n++) {
            uint64_t at = slice_line(n) * 64;
            backing[at + 20] = model[at + 20] = (uint8_t)rng(); // the host's
        }
        invalidate(CACHE_INV_L2, 0, range == 0 ? 0 : range == 1 ? 16 * Piece : 50 * Piece);
        if (!Through && counter(CountDirty) != 64)
            fail("dirty lines after an invalidation without write-back", counter(CountDirty), 64);
        for (unsigned n = 0; n < 64; n++)
            if (reads_of(n) != 1)
                fail("an invalidation left clean bytes of a dirty line", n, 1);
        invalidate(CACHE_WB_L2);
        same_as_backing("an invalidation lost a store, address");
    }
}

// What was being fetched when an invalidation came serves the one that asked and is not kept; of a line with dirty bytes only these are.
static void invalidation_passes_misses()
{
    for (unsigned range = 0; range < 2; range++) {
        clean();
        for (unsigned n = 1; n < 32; n += 2)
            store(n, 0xf0);
        answered_all();
        idle();
        for (unsigned n = 0; n < 32; n++)
            issue(access(MEM_READ, n), 256), issue(access(MEM_READ, 64 + n), 256);
        for (unsigned i = 0; i < 24; i++) // until the last is looked up
            clock_once(nullptr, 256);
        invalidate(CACHE_INV_L2, 0, range ? 8 * Piece : 0);
        answered_all();
        for (unsigned n = 64; n < 96; n++)
            if (reads_of(n) != !range)
                fail("a line that was being fetched beside the range of an invalidation was dropped, or kept by one of all", n, !range);
        for (unsigned n = 0; n < 32; n++) {
            uint64_t at = slice_line(n) * 64;
            backing[at + 20] = model[at + 20] = (uint8_t)rng(); // the host's
        }
        for (unsigned n = 0; n < 32; n++)
            if (reads_of(n) != 1)
                fail("a line that was being fetched at an invalidation was kept", n, 1);
        invalidate(CACHE_WB_L2);
        same_as_backing("an invalidation beside a fetch lost a store, address");
    }
}

// Commands at any time: no request is lost or sees old data, what was stored before a write-back began is in DRAM after it.
static void any_time()
{
    const unsigned lines[] = {6, 64, 3000};
    for (unsigned span : lines) {
        clean();
        whose = Any;
        bool under_way = false;
        std::vector<uint8_t> before;
        uint32_t flags = 0;
        for (unsigned i = 0; i < 12000; i++) {
            if (under_way && evts) {
                under_way = false;
                for (uint64_t at = 0; at < Bytes && (flags & (CACHE_WB_L2 | CACHE_MORE)) == CACHE_WB_L2 && !before.empty(); at++)
                    if (backing[at] != before[at]) {
                        fail("stored before a write-back began, not in DRAM, address", at, before[at]);
                        break;
                    }
                before.clear();
            }
            if (!under_way && pick(150) == 0) {
                const uint32_t kinds[] = {CACHE_WB_L2, CACHE_INV_L2, CACHE_WB_L2 | CACHE_INV_L2};
                flags = kinds[pick(3)] | (pick(3) ? 0 : CACHE_MORE);
                bool range = pick(2), quiet = !range && pick(3) == 0;
                if (quiet) { // lines of the other half only, from now to the answer
                    answered_all();
                    before = model;
                }
                command(flags, range ? pick(span / 4 + 1) * Piece : 0, range ? (1 + pick(pick(2) ? 4 : 200)) * Piece : 0);
                under_way = true;
            }
            // while a write-back is checked nobody stores: reads only
            msg_mem_req q = random_request(slice_line(pick(span)));
            if (!before.empty()) {
                q.op = pick(5) ? MEM_READ : MEM_READ_NC;
                q.addr &= ~63ull;
            }
            if (pick(4))
                issue(q, 200);
            else
                clock_once(nullptr, 200);
        }
        for (unsigned i = 0; i < 50000 && under_way && !evts; i++)
            clock_once(nullptr, 256);
        if (under_way && !evts)
            fail("command not answered under load", 0, 1);
        drain_all();
        invalidate(CACHE_WB_L2);
        same_as_backing("after commands at any time, address");
    }
}

static void write_backs()
{
    stores_and_dram();
    clean_flush();
    acknowledged();
    victims();
    ranges();
    ranges_wait();
    more_to_come();
    invalidation_keeps();
    invalidation_passes_misses();
    any_time();
}
#endif
