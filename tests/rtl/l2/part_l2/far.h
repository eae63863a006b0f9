// SPDX-License-Identifier: Apache-2.0
// Cases of the bench of part_l2: a program writes DRAM beside the L2; behind CACHE_FAR another GPU reads what it has written, from the bytes of a line
// that no store has left, while this GPU keeps its lines.  Pages that move leave nothing in the L2.  Included by tb.cpp, whose traffic it uses.
#ifndef FAR_H
#define FAR_H

static uint64_t reads_as(decltype(whose) who, unsigned op, uint64_t line, uint64_t mask = 0)
{
    const auto before = whose;
    whose = who;
    const uint64_t reads = reads_by(op, line, mask);
    whose = before;
    return reads;
}

// What the program leaves of a line: other bytes wherever `mask` has none.
static void program_writes(uint64_t line, uint64_t mask = 0)
{
    for (unsigned i = 0; i < 64; i++)
        if (!(mask >> i & 1)) {
            const uint64_t at = slice_line(line) * 64 + i;
            model[at] = backing[at] = (uint8_t)(model[at] + 1 + pick(255));
        }
}

static void want_reads(const char *what, uint64_t reads, uint64_t want)
{
    if (reads != want)
        fail(what, reads, want);
}

// Line by line; own reads of what the program has written are not looked at: they may be old.
static void far_by_hand()
{
    enum { Clean, Part, Whole, Back, Kinds };
    for (unsigned kind = 0; kind < Kinds; kind++)
        for (unsigned op : {MEM_READ, MEM_READ_NC, MEM_WRITE, MEM_ATOMIC}) {
            clean();
            const uint64_t line = 40 + kind, mask = kind == Part ? 0xf0 : kind == Clean ? 0 : ~0ull;
            reads_as(Own, MEM_READ, line);
            if (mask)
                reads_as(Own, MEM_WRITE, line, mask);
            if (kind == Back)
                invalidate(CACHE_WB_L2); // clean; the mask in the memory stays
            want_reads("a line that own stores or loads have left is not found", reads_as(Far, MEM_READ, line), 0);
            const bool dirty = !Through && kind != Clean && kind != Back;
            const uint64_t cycles = invalidate(CACHE_FAR);
            if (cycles > 12)
                fail("cycles of CACHE_FAR", cycles, 12);
            program_writes(line, dirty ? mask : 0);
            checked_bytes = 0;
            want_reads("CACHE_FAR drops a line", reads_as(Own, MEM_READ, line), 0);
            checked_bytes = 64;
            if (op == MEM_WRITE) // it leaves the other bytes as old as they are
                want_reads("a store fetches", reads_as(Far, MEM_WRITE, line, 0xff00), 0);
            else
                want_reads("what another GPU asks for is not fetched again", reads_as(Far, op, line), 1);
            want_reads("behind a load or store of another GPU", reads_as(Far, MEM_READ, line), op == MEM_WRITE || (op == MEM_READ_NC && !dirty));
            want_reads("a load of this GPU behind that", reads_as(Own, MEM_READ, line), 0);
            invalidate(CACHE_WB_L2);
            same_as_backing("behind CACHE_FAR, address");
        }
}

// A whole line that is stored is as new as DRAM can be.
static void far_stores()
{
    for (auto who : {Own, Far}) {
        clean();
        reads_as(Own, MEM_READ, 5);
        invalidate(CACHE_FAR);
        reads_as(who, MEM_WRITE, 5, ~0ull);
        reads_as(who, MEM_WRITE, 6, ~0ull);
        want_reads("a whole line that was stored is fetched", reads_as(Far, MEM_READ, 5) + reads_as(Far, MEM_READ, 6), 0);
    }
}

// Fetched while CACHE_FAR comes, for this GPU: another one, also one that waits for that, gets what the program has written since.
static void far_passes_misses()
{
    for (unsigned cycles = 0; cycles < 60; cycles++) {
        clean();
        idle();
        whose = Own;
        issue(access(MEM_READ, 9), 256);
        for (unsigned i = 0; i < cycles; i++)
            clock_once(nullptr, 256);
        invalidate(CACHE_FAR);
        flying.begin()->second.bytes = 0; // it may have either, if it is still on its way
        for (unsigned i = 0; i < 64 && flying.empty(); i++)
            clock_once(nullptr, 256);
        program_writes(9);
        whose = Far;
        issue(access(MEM_READ, 9), 256);
        answered_all();
        whose = Any;
        clean();
    }
}

// Lines of pages that move go to DRAM, and to a line that is there; nothing is left of them else.
static void far_pages()
{
    for (unsigned there = 0; there < 2; there++) {
        clean();
        if (there)
            reads_as(Own, MEM_READ, 3);
        msg_mem_req q = access(MEM_WRITE, 3);
        q.mask = ~0ull;
        q.access = 16;
        for (uint64_t &word : q.data)
            word = rng();
        whose = Far;
        issue(q, 256);
        answered_all();
        whose = Any;
        same_as_backing("a line of a page that moves is not in DRAM, address");
        want_reads("reads of a line of a page that has moved", reads_as(Own, MEM_READ, 3), !there);
    }
}

// At any time: the program writes the upper half of lines, GPUs the lower one; each load of another GPU behind CACHE_FAR gets all of it.
static void far_any_time()
{
    const unsigned lines[] = {6, 64, 2500};
    for (unsigned span : lines) {
        clean();
        for (unsigned round = 0; round < 60; round++) {
            checked_bytes = 32; // of loads that the program does not wait for
            for (unsigned i = 0; i < 40; i++) {
                whose = pick(3) ? Own : Far;
                msg_mem_req q = random_request(slice_line(pick(span)));
                q.mask &= 0xffffffffull;
                if (q.op == MEM_ATOMIC && (q.addr % 64 >= 32 || !q.mask))
                    q.mask = 0, q.addr &= ~32ull;
                issue(q, 200);
            }
            for (unsigned n = 0; n < std::min(span, 200u); n++)
                program_writes(pick(span), 0xffffffffull);
            command(CACHE_FAR);
            for (unsigned i = 0; i < 50 && !evts; i++) {
                msg_mem_req q = access(MEM_READ, pick(span));
                whose = Own;
                issue(q, 200);
            }
            if (evts != 1)
                fail("CACHE_FAR is not answered", evts, 1);
            for (unsigned i = 0; i < 120; i++) {
                whose = pick(3) ? Far : Own;
                checked_bytes = whose == Far ? 64 : 32;
                issue(access(pick(4) ? MEM_READ : MEM_READ_NC, pick(span)), 200);
            }
            for (auto &f : flying)
                f.second.bytes = 32; // the program goes on
        }
        checked_bytes = 64;
        whose = Any;
        drain_all();
        invalidate(CACHE_WB_L2 | CACHE_INV_L2);
        same_as_backing("behind CACHE_FAR at any time, address");
    }
}

static void far()
{
    far_by_hand();
    far_stores();
    far_passes_misses();
    far_pages();
    far_any_time();
}
#endif
