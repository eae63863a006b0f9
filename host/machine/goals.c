/* SPDX-License-Identifier: Apache-2.0
 * Goals of a run; contract in goals.h.
 */
#include "machine/goals.h"

#include <stddef.h>

static bool checkpoint_left(const struct goals *g)
{
    return g && g->checkpoint && !g->tried;
}

bool goals_kernel(struct goals *g)
{
    if (!g)
        return false;
    g->kernels++;
    return (checkpoint_left(g) && g->kernels == g->checkpoint_kernel) || g->kernels == g->exit_after;
}

uint64_t goals_until(const struct goals *g, uint64_t until)
{
    return checkpoint_left(g) && g->checkpoint_kernel == 0 && g->checkpoint_cycle < until ? g->checkpoint_cycle : until;
}

bool goals_due(const struct goals *g, uint64_t now)
{
    return checkpoint_left(g) &&
           (g->checkpoint_kernel ? g->kernels >= g->checkpoint_kernel : now >= g->checkpoint_cycle);
}

void goals_tried(struct goals *g, enum gantry_status status)
{
    g->tried = true;
    g->failure = status;
}

bool goals_ended(const struct goals *g)
{
    return g && g->exit_after && g->kernels >= g->exit_after;
}
