/* SPDX-License-Identifier: Apache-2.0
 * For tests: partitions with four inputs and outputs that note that they were visited.
 */
#ifndef TESTS_BRIDGE_RUN_TOY_H
#define TESTS_BRIDGE_RUN_TOY_H
#include "bridge/run/sched.h"

static unsigned visits, freed; /* of all together */
static uint64_t visited;       /* window of the last visit */

static inline void toy_visit(struct part *part, uint64_t from)
{
    part->idle = true;
    visited = from;
    visits++;
}
static inline void toy_free(struct part *part)
{
    (void)part;
    freed++;
}
static const struct part_ops toy = {.visit = toy_visit, .free = toy_free};

static inline struct part *add(struct sched *s, const char *name, uint32_t group)
{
    struct part *part = part_new(&toy, name, 4, 4, NULL);
    part->group = group;
    sched_add(s, part);
    return part;
}
#endif
