// SPDX-License-Identifier: Apache-2.0
// Invalidations of the TLB of which more are to come (CACHE_MORE): each is answered at once and stops nobody, what begins behind its answer finds the
// new page, and the last one is answered when every access that was translated before it has ended, whatever pages it names.
#ifndef TESTS_VMEM_MORE_H
#define TESTS_VMEM_MORE_H
#include "withheld.h"

static std::map<uint64_t, uint64_t> left; // pages (physical) that nobody finds any more who is issued from this cycle on
static uint64_t late_reads;               // accesses to such pages by those that were issued before

static void no_old_page(const msg_mem_req &q)
{
    if (q.op == MEM_XLAT || !left.count(q.addr >> 12))
        return;
    late_reads++;
    for (const Vm &v : flying)
        if (v.wave == (q.user & 63) && v.tag == (q.user >> 8 & 255) && v.issued > left[q.addr >> 12])
            fail("an access that was issued behind the answer goes to the old page", q.addr, left[q.addr >> 12]);
}

static uint64_t command_takes(unsigned flags)
{
    const uint64_t from = cycle;
    invalidate(flags, rng() % 2 ? 1 : 255);
    return cycle - from;
}

// A page moves, named by a command that another follows; its old place.
static uint64_t move_more(uint64_t va, uint64_t twin)
{
    const uint64_t old = move_page(va, twin), took = command_takes(CACHE_INV_TLB | CACHE_MORE);
    if (took > 6)
        fail("a command that another follows waits", took, 6);
    left[old >> 12] = cycle + 2; // an instruction that is presented now is looked up later
    return old;
}

static void last_of_all(const std::vector<uint64_t> &old)
{
    invalidate(CACHE_INV_L1V | CACHE_INV_TLB, 255);
    for (uint64_t pa : old)
        poison(pa), left.erase(pa >> 12);
}

// An access of 700 cycles is under way, a read or a store: commands are answered beside it, others find the new page, the last command waits for it.
static void last_waits(bool stores)
{
    const uint64_t mine = region_va(0), va = stores ? mine : SHARED_VA;
    issue(of_page(0x10, 0, SHARED_VA)), issue(of_page(0, 0, mine));
    drain();
    invalidate(CACHE_INV_L1V, 255);
    Vm first = of_page(stores ? 0 : 0x10, 0, va);
    first.store = stores;
    mem.min_delay = 700;
    issue(first);
    ticks(150);
    mem.min_delay = 20;
    const uint64_t begun = cycle;
    std::vector<uint64_t> old;
    for (unsigned n = 0; n < 3; n++)
        old.push_back(stores ? move_more(mine + n % 2 * 4096, mine + ALIAS + n % 2 * 4096) : move_more(SHARED_VA + n % 2 * 4096, RO_VA + n % 2 * 4096));
    mem.record = true, mem.order.clear();
    issue(of_page(0x20, 0, SHARED_VA + 256));
    ticks(350);
    mem.record = false;
    if (flying.size() != 1 || mem.order != std::vector<uint64_t>{mem.pa_of(1, SHARED_VA + 256)})
        fail("a load goes on beside an access of before, to the new page", flying.size(), mem.order.empty() ? 0 : mem.order[0]);
    last_of_all(old);
    if (cycle - begun < 450 || cycle - begun > 800)
        fail("the last command waits for an access of before the first", cycle - begun, 550);
    drain();
    if (stores && memcmp(mem.at(mem.pa_of(1, mine)), &region[0][0], 4)) { // it went to the old page, whose bytes were taken before: the bench's copy is late
        memcpy(mem.at(mem.pa_of(1, mine)), &region[0][0], 4);
        invalidate(CACHE_INV_L1V, 255);
    }
}

// A translation is under way from before the first command: it is not believed.
static void answer_of_before_more()
{
    const uint64_t page = withheld_page(false);
    mem.xlat_delay = 1500;
    issue(of_page(0, 0, page));
    ticks(150);
    mem.xlat_delay = 0;
    std::vector<uint64_t> old;
    for (unsigned n = 0; n < 3; n++)
        old.push_back(move_more(page, page));
    last_of_all(old);
    drain();
}

// The command comes in each cycle around the lookup, the miss, the answer and the fill of two loads; the one issued behind it finds the new page.
static void at_each_cycle()
{
    for (unsigned n = 0; n < 120; n++) {
        const uint64_t first = block(), second = first + 4096;
        mem.xlat_delay = n % 2 * 20;
        issue(of_page(0, 0, first));
        if (n % 3) // known
            ticks(200);
        issue(of_page(0x10, 0, first)), issue(of_page(0x20, 0, second));
        ticks(n);
        std::vector<uint64_t> old{move_page(first, first), move_page(second, second)};
        if (command_takes(CACHE_INV_TLB | CACHE_MORE) > 6)
            fail("a command that another follows waits", n, 6);
        for (uint64_t pa : old)
            left[pa >> 12] = cycle + 2;
        ticks(2);
        issue(of_page(0x30, 32, second)), issue(of_page(0x31, 128, first)); // registers of their own
        ticks(rng() % 40);
        last_of_all(old);
        mem.xlat_delay = 0;
        drain();
    }
}

// As many loads of known pages as go: cycles, with eight commands among them of which the first `more` say that others follow.
static uint64_t stream_takes(unsigned commands, unsigned more)
{
    drain();
    invalidate(CACHE_INV_TLB, 1);
    for (unsigned p = 0; p < PAGES; p++)
        issue(of_page(0x10, 0, SHARED_VA + p * 4096)), drain();
    mem.min_delay = 300, mem.spread = 1;
    const uint64_t from = cycle;
    for (unsigned n = 0; n < 400; n++) {
        const unsigned wave = n % 4 << 4 | (n / 4 & 1);
        wait_for_registers(wave);
        Vm v = of_page(wave, (wave & 1) * 128 + n / 8 % 4 * 32, SHARED_VA + n % PAGES * 4096 + n % 64 * 64);
        v.glc = true; // every one goes to memory
        issue(v);
        if (n % 40 == 20 && n / 40 < commands)
            invalidate(CACHE_INV_TLB | (n / 40 < more ? CACHE_MORE : 0), 2); // of another address space: nothing is asked for again but what waits
    }
    drain();
    mem.min_delay = 20;
    return cycle - from;
}

static void one_bubble()
{
    const uint64_t none = stream_takes(0, 0), plain = stream_takes(8, 0), list = stream_takes(8, 7);
    printf("400 loads: %llu cycles, %llu with eight invalidations, %llu where seven say that others follow\n", (unsigned long long)none,
           (unsigned long long)plain, (unsigned long long)list);
    if (plain < none + 8 * 200 || list > none + (plain - none) / 4)
        fail("cycles of a stream of loads with invalidations that others follow", list, none + (plain - none) / 4);
}

// Random instructions while pages move by lists of eight ranges.
static void random_lists()
{
    for (unsigned n = 0; n < 5000 && !failures; n++) {
        stall_writes = n / 128 % 2;
        mem.spread = n / 512 % 2 ? 1 : 150;
        issue(random_vm(n));
        if (n % 100 == 50) {
            std::vector<uint64_t> old;
            for (unsigned p = 0; p < 7; p++) {
                old.push_back(move_more(SHARED_VA + p % PAGES * 4096, RO_VA + p % PAGES * 4096));
                for (unsigned k = rng() % 3; k; k--)
                    issue(random_vm(n));
            }
            last_of_all(old);
        }
        if (mem.error)
            fail(mem.error, 0, 0);
    }
    stall_writes = false;
    drain();
}

static void more_to_come()
{
    drain();
    watch_request = no_old_page;
    mem.min_delay = 20, mem.spread = 1, mem.xlat_delay = 0;
    last_waits(false);
    last_waits(true);
    answer_of_before_more();
    at_each_cycle();
    one_bubble();
    random_lists();
    if (late_reads < 10)
        fail("accesses to old pages before the last command", late_reads, 10);
    watch_request = nullptr;
}
#endif
