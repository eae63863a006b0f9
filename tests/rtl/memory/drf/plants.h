// SPDX-License-Identifier: Apache-2.0
// Faults of the host's side, chosen when a run begins (plant=NAME): of what hubs do with commands, and of what the driver tells the
// engine that moves pages.  Those of the RTL stand in faults.tsv.  test_drf_faults.py reads the names here.
#ifndef TESTS_DRF_PLANTS_H
#define TESTS_DRF_PLANTS_H
#include <cstring>

enum Plant { NoPlant, LockMissesGpu, AnsweredByArrival, FlushOfNextPage, PushBeforeFlush, NoQuarantine, DropMissesCus, ShootDownMissesCus,
             ShootDownMissesGroups, ListOfOneRange, FragmentStays, OldAddressAgain, FreedWhileLinesCome,
             WaiterForgotten, MappedWhileItMoves, KillInTheWay, MovesOfEnded, AtomicAtOldHome };
static const char *const plants[] = {
    "none",
    "lock-misses-a-gpu",           // one GPU's page tables are forgotten
    "answered-by-arrival",         // a shoot-down of a list is answered when it comes, so by another's end
    "flush-of-next-page",          // the page behind is written back
    "push-before-flush",           // slices are not asked to write back
    "no-quarantine",               // a frame that was left is empty at once
    "drop-misses-cus",             // what is left in L1Vs is not dropped before a frame is used again
    "shoot-down-misses-a-cu",      // its L1 TLB keeps the page
    "shoot-down-misses-groups",    // cache groups keep it
    "list-of-one-range",           // a list names its first page again and again
    "fragment-stays-on-neighbours", // 15 pages beside one that is locked still say that all 16 are one
    "old-address-again",           // entries lead where the page was
    "freed-while-lines-come",      // memory has its next owner before the last line of a move that was given up
    "waiter-forgotten",            // who asks first for a page that moves to another GPU is not served when it is there
    "mapped-while-it-moves",       // ... is given an entry at once, where the page was
    "kill-in-the-way",             // commands wait until a kill is over
    "moves-of-ended",              // memory of a client that ends begins to move, and its page tables go
    "atomic-at-old-home",          // a command processor counts down where the page was
};
static unsigned plant;
static bool planted(Plant p) { return plant == p; }
static bool plant_read(const char *name)
{
    for (unsigned p = 0; p < sizeof plants / sizeof *plants; p++)
        if (!strcmp(name, plants[p]))
            return plant = p, true;
    return false;
}
#endif
