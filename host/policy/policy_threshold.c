/* SPDX-License-Identifier: Apache-2.0
 * Policy `threshold`: a page goes to a GPU as soon as a phase ends in which the accesses of that GPU are
 * migrate.threshold for each 4 KiB more than those of all others that are known, all since it came where it is.
 */
#include "policy/habits.h"

static void *begin(const struct policy_machine *m)
{
    return habits_begin(m, sizeof(struct habits));
}

static size_t phase(void *own, const struct phase_fact *p, struct decision *out, size_t room)
{
    return habits_decide(own, habits_over_others, p, out, room);
}

const struct policy_ops policy_threshold = {.name = "threshold",
                                            .begin = begin,
                                            .end = habits_end,
                                            .count = habits_count,
                                            .phase = phase,
                                            .moved = habits_moved,
                                            .gone = habits_gone};
