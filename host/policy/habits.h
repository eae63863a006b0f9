/* SPDX-License-Identifier: Apache-2.0
 * What an adaptive policy remembers of pages, the same for all: who has used each from afar since it came where it is,
 * halved every migrate.return_cycles, so use of long ago counts for little; and its damping.  It stands first in what a
 * policy has of its own, so habits_end, habits_count, habits_moved and habits_gone may be a policy's own functions
 * (policy.h).  Not responsible for: which use speaks for a move (policy_NAME.c).
 */
#ifndef GANTRY_MIGRATE_HABITS_H
#define GANTRY_MIGRATE_HABITS_H
#include "policy/damping.h"
#include "policy/policy.h"
#include "policy/uses.h"

struct habits {
    struct policy_machine m;
    struct uses uses; /* a page that has moved begins anew */
    uint64_t halved;  /* cycle of the last time */
    struct damping damping;
    bool *along; /* by home, and GPU that uses it: some page goes (habits_decide's) */
};

/* A policy's own, of `bytes`, all zero behind the habits; habits_end frees it. */
void *habits_begin(const struct policy_machine *m, size_t bytes);
void habits_end(void *habits);
void habits_count(void *habits, const struct page_fact *f);
void habits_moved(void *habits, const struct move_fact *m);
void habits_gone(void *habits, uint64_t page, uint64_t bytes);

/* What speaks for the move of a page, by the policy. */
struct claim {
    unsigned gpu;            /* to which it would go */
    uint64_t weight, others; /* for people: accesses by that GPU, by others */
    uint64_t has, least;     /* it goes if it has at least so much, before damping */
};

/* All pages whose claims are good, by their addresses: those that are not pinned and have what it takes; with them
 * pages from the same GPU's memory to the same GPU which have half of it: who has come back to some will come back to
 * these, and a batch costs less than two.  False from `claim`: nothing speaks for it.  Called once in each phase. */
size_t habits_decide(struct habits *h, bool (*claim)(const struct habits *h, const struct use *use, struct claim *c),
                     const struct phase_fact *p, struct decision *out, size_t room);
/* A claim: what one GPU has accessed it more often than all others that are known together; migrate.threshold for each
 * 4 KiB is enough. */
bool habits_over_others(const struct habits *h, const struct use *use, struct claim *c);
/* Key migrate.threshold is accesses for each 4 KiB: those for all of a page. */
uint64_t habits_threshold(const struct habits *h, const struct use *use);
#endif
