/* SPDX-License-Identifier: Apache-2.0
 * Where pages may go and where they are: empty frames of every GPU, and of each page that has left its first frame
 * whether it may come back there.  Not responsible for: the change itself (vm/pmem.h), page tables (migrate.c).
 */
#ifndef GANTRY_MIGRATE_AWAY_H
#define GANTRY_MIGRATE_AWAY_H
#include <stdbool.h>
#include <stdint.h>

#include "migrate/frames.h"
#include "vm/ranges.h"

struct pmem;

struct away {
    struct pmem *pm;
    struct frames *frames; /* by GPU */
    struct ranges pages;   /* those that are away, or whose first frame is not empty yet; by their own address */
};

void away_init(struct away *a, struct pmem *pm, const struct frames_source *source);
void away_fini(struct away *a);
/* The frame for [page, +bytes), which is not there: its own address if that is GPU `gpu`'s.  0, -ENOMEM, or -EAGAIN
 * when the own is not empty yet. */
int away_take(struct away *a, uint64_t page, uint64_t bytes, unsigned gpu, uint64_t *to);
/* It does not go there, and nothing of it has come there. */
void away_undo(struct away *a, uint64_t page, uint64_t to, uint64_t bytes);
/* Something of this one page has come to the frame `to`, or still comes, and it does not go there: nobody gets the
 * frame before it is emptied.  False: it is the first one of a page whose owner has gone, whose whole memory is
 * emptied. */
bool away_soiled(struct away *a, uint64_t page, uint64_t to);
/* The page has left this frame, which is to be emptied. */
void away_moved(struct away *a, uint64_t page, uint64_t frame);
void away_emptied(struct away *a, uint64_t frame);
/* The first page of [page, +bytes) that is away is forgotten: which one it is (*at), and the frame that it leaves.
 * False: there is none. */
bool away_drop(struct away *a, uint64_t page, uint64_t bytes, uint64_t *at, uint64_t *frame);
#endif
