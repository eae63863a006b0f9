/* SPDX-License-Identifier: Apache-2.0
 * Goals of a run; contract in goals.h.
 */
#include "machine/goals.h"

#include <stddef.h>

static bool checkpoint_left(const struct goals *g)
{
    return g && g->checkpoint && !g->tried;
}

bool goals_kernel(struct goals *g, uint64_t number)
{
    if (!g)
        return false;
    const bool save = checkpoint_left(g) && number == g->checkpoint_kernel, end = number == g->exit_after;
    g->kernels++;
    g->checkpoint_over |= save && number;
    g->exit_over |= end && number;
    return (save || end) && number;
}

uint64_t goals_until(const struct goals *g, uint64_t until)
{
    return checkpoint_left(g) && g->checkpoint_kernel == 0 && g->checkpoint_cycle < until ? g->checkpoint_cycle : until;
}

bool goals_due(const struct goals *g, uint64_t now)
{
    return checkpoint_left(g) && (g->checkpoint_kernel ? g->checkpoint_over : now >= g->checkpoint_cycle);
}

void goals_tried(struct goals *g, enum gantry_status status)
{
    g->tried = true;
    g->failure = status;
}

bool goals_ended(const struct goals *g)
{
    return g && g->exit_over;
}
