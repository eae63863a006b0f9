/* SPDX-License-Identifier: Apache-2.0
 * Pages that are moved ahead of a GPU that asks for one after the other (key migrate.ahead).  An example: GPU 1 asks
 * for block 0 of an array, then for block 1: blocks 2 and 3 are fetched with it; then it asks for block 4: four more
 * are. What is fetched doubles from 2 up to the key's number, since each first access of a row costs the GPU a whole
 * move, and moves of one batch go behind one another at the rate of the link. Bound: AHEAD_ROWS rows are followed in a
 * run, the least lately used is forgotten.  Not responsible for: whether what lies ahead may move (faults.h).
 */
#ifndef GANTRY_MIGRATE_AHEAD_H
#define GANTRY_MIGRATE_AHEAD_H
#include <stdint.h>

#define AHEAD_ROWS 64u

/* Who asks for pages in a row. */
struct ahead_row {
    const void *owner;
    unsigned gpu;
    uint64_t next;   /* own address of the page that it will ask for, if it goes on */
    unsigned window; /* units fetched with the last one */
    uint64_t used;   /* number of the call; 0: no row */
};

/* All zero but `most`: nobody has asked. */
struct ahead {
    unsigned most; /* units, 0: nothing is fetched ahead */
    uint64_t calls;
    struct ahead_row row[AHEAD_ROWS];
};

/* This GPU has asked for the unit [page, +bytes), which moves there: so many units behind it, at most, are to come with
 * it. */
unsigned ahead_asked(struct ahead *a, const void *owner, unsigned gpu, uint64_t page, uint64_t bytes);
/* Of these so many have been fetched. */
void ahead_fetched(struct ahead *a, const void *owner, unsigned gpu, uint64_t page, uint64_t bytes, unsigned count);
#endif
