/* SPDX-License-Identifier: Apache-2.0
 * Wake-ups of a calendar as a list that does not say how the calendar keeps them: for saved states.  Not responsible
 * for: keeping them (sched.h).
 */
#ifndef GANTRY_DUES_H
#define GANTRY_DUES_H
#include <stddef.h>
#include <stdint.h>

#include "bridge/run/sched.h"
#include "saved/state.h"

struct due {
    uint64_t window, number; /* of the partition */
};
/* In any order, some maybe twice; the list is its owner's to free. */
struct dues {
    struct due *list;
    size_t count, room;
};

void dues_add(struct dues *dues, struct due due);
/* All that stand in the calendar of `s`, in its wheels or beyond. */
void dues_collect(struct dues *dues, const struct sched *s);
/* As a sorted set, behind its size; sorts the list. */
void dues_save(struct dues *dues, struct state_writer *to);
#endif
