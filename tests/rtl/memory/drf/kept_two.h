// SPDX-License-Identifier: Apache-2.0
// Several GPUs, by hand before the random episodes, when all rest: what takes a frame that is used again while somebody still has
// lines of what was there, which random episodes have too seldom, since each begins with an acquire.
#ifndef TESTS_DRF_KEPT_TWO_H
#define TESTS_DRF_KEPT_TWO_H
#include "kept.h"

static uint64_t page_of(unsigned index) { return frames[space[0].page[index].frame]->pa; }
// Frames that were left are empty when it begins.
static void move_alone(unsigned index, unsigned to)
{
    if (rest_clear(engine))
        settle();
    if (int error = migrate_now(engine, page_of(index), MIGRATE_PAGE, to))
        fail("a move by hand", "page %u to GPU %u: %d", index, to, error);
    settle();
    if (frame_of(page_of(index)) >> PMEM_OWNER_SHIFT != to + 1)
        fail("a move by hand", "page %u is not at GPU %u", index, to);
}

// Page 0 comes to GPU 1, wavefronts of both GPUs read it, it goes home; page 2 comes to the same frame.  The wavefronts, without an
// acquire, find page 2 there.
static void frame_used_again()
{
    const uint64_t was = space[0].page[0].va + 192, is = space[0].page[2].va + 192;
    move_alone(0, 1);
    const uint64_t frame = frame_of(page_of(0));
    for (unsigned a : {0u, (unsigned)Cus})
        alone(a, Inv, was), alone(a, Flat, was);
    move_alone(0, 0), move_alone(2, 1);
    if (frame_of(page_of(2)) != frame)
        fail("a frame used again", "%llx, not %llx", (unsigned long long)frame_of(page_of(2)), (unsigned long long)frame);
    uint32_t want;
    memcpy(&want, frames[space[0].page[2].frame]->value + 192, 4);
    for (unsigned a : {0u, (unsigned)Cus})
        if (uint32_t got = alone(a, Flat, is); got != want)
            fail("a frame used again", "GPU %u reads %x, want %x", a / Cus, got, want);
    case_done("a frame used again is the new page's", "S1.9, S1.14");
}

// A page goes round all GPUs, and a counter on it with it: each adds while it is under way, once each.
static void counter_goes_round()
{
    const uint64_t va = SyncVa + sync_offset(0);
    for (unsigned turn = 0; turn < 2 * params.gpus; turn++) {
        const unsigned to = (turn + 1) % params.gpus;
        if (rest_clear(engine))
            settle();
        if (int error = migrate_now(engine, page_of(FirstSync), MIGRATE_PAGE, to))
            fail("a move by hand", "page of the counter to GPU %u: %d", to, error);
        for (unsigned k = 0; k < 700; k++) // the page is locked by then, and free of accesses
            cycle_of_all();
        for (unsigned g = 0; g < params.gpus; g++) {
            Instr i;
            memset(i.data, 0, sizeof i.data);
            i.kind = Flat, i.exec = 1, i.va[0] = va, i.atomic = true, i.atomic_op = ATOMIC_ADD, i.glc = true, i.results = 1, i.purpose = Count;
            i.data[0][0] = 1, i.word[0] = 0, i.counter_page = 0;
            vectors[g * Cus].n = 0, by_hand = &i, hand = &vectors[g * Cus];
            while (by_hand)
                cycle_of_all();
        }
        settle();
    }
    case_done("a counter on a page that goes round", "S1.14");
}

// Wavefronts of both GPUs read two pages of a block, the page asked for last as by the entry of the other, if that says still that they
// are one.
static void read_block(const char *when)
{
    for (unsigned i : {FirstBlock + 1u, (unsigned)FirstBlock})
        for (unsigned a : {0u, (unsigned)Cus}) {
            uint32_t want, got = alone(a, Flat, space[0].page[i].va + 64, true);
            memcpy(&want, frames[space[0].page[i].frame]->value + 64, 4);
            if (got != want)
                fail("a page of a block", "%s, GPU %u reads page %u: %x, want %x", when, a / Cus, i, got, want);
        }
}

// A page of a block goes to another GPU and back; then the whole block goes, and is one again.
static void page_of_block()
{
    const unsigned from = (frame_of(page_of(FirstBlock)) >> PMEM_OWNER_SHIFT) - 1, to = (from + 1) % params.gpus;
    read_block("before");
    move_alone(FirstBlock, to);
    read_block("when it is elsewhere");
    move_alone(FirstBlock, from);
    if (rest_clear(engine))
        settle();
    if (int error = migrate_now(engine, page_of(FirstBlock) & ~0xffffull, MIGRATE_BLOCK, to))
        fail("a move by hand", "a block to GPU %u: %d", to, error);
    settle();
    read_block("when the block is elsewhere");
    case_done("a page of a block moves alone", "S1.14");
}

static void moves_by_hand()
{
    const uint64_t features = params.features;
    agents_pause = true, params.features &= ~(uint64_t)(Weather | Flushes);
    frame_used_again();
    counter_goes_round();
    page_of_block();
    agents_pause = false, params.features = features;
}
#endif
