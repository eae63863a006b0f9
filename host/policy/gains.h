/* SPDX-License-Identifier: Apache-2.0
 * An estimate of what moves have saved: far accesses that there would have been.  Nobody counts accesses to own memory,
 * so what a page was accessed from afar in the phase before its move stands for what it is accessed since: as often in
 * each phase, or in each instruction, the less of both.  What moves makes a program faster, so by time these are too
 * few; by instructions they are too many where few were executed in that phase.
 */
#ifndef GANTRY_MIGRATE_GAINS_H
#define GANTRY_MIGRATE_GAINS_H
#include "policy/uses.h"

struct gain {
    uint64_t phase; /* accesses in a phase */
    uint64_t work;  /* in 65,536 instructions */
};

struct gains {
    struct uses pages; /* that have moved: reads by work, writes by phase, of requester 0 */
    struct gain sum;
};

void gains_init(struct gains *g);
void gains_fini(struct gains *g);
/* `accesses` in a phase of so many instructions. */
struct gain gain_of(uint64_t accesses, uint64_t instructions);
/* The page has moved; NULL: nothing is known of it there. */
void gains_set(struct gains *g, uint64_t page, uint64_t bytes, const struct gain *gain);
void gains_forget(struct gains *g, uint64_t page, uint64_t bytes);
/* In so many phases and instructions. */
uint64_t gains_sum(const struct gains *g, uint64_t phases, uint64_t instructions);
#endif
