/* SPDX-License-Identifier: Apache-2.0
 * Key migrate.hold: dispatch.  While pages move no dispatcher places a work-group: those of all GPUs are drained before
 * the first page is locked, and go on when the last one is where it stays.  Compute units are not held: one that is
 * paused answers no kill, behind which commands for pages would wait for ever.  Not responsible for: what a drain is
 * (docs/reference/control.md).
 */
#include "base/log.h"
#include "maintenance/control.h"
#include "migrate/move.h"
#include "vm/pmem.h"

static void answered(void *ctx, const struct control_result *result)
{
    struct migrate *m = ctx;
    (void)result; /* one that refuses is told by control.c: it stands for another reason, or is off */
    if (--m->hold_open)
        return;
    m->hold = PAUSE_ON;
    if (m->moves)
        m->held(m);
    else
        hold_give(m);
}

bool hold_take(struct migrate *m)
{
    if (m->hold != PAUSE_NOT || !m->host.holds(m->host.ctx) || !m->host.pushed(m->host.ctx))
        return m->hold != PAUSE_ASKED;
    m->hold = PAUSE_ASKED;
    m->hold_open = pmem_gpus(m->pm);
    for (unsigned g = 0; g < pmem_gpus(m->pm); g++)
        control_drain(m->host.cp(m->host.ctx, g), CTL_GROUP_DISPATCH, CP_ALL, answered, m);
    return false;
}

void hold_give(struct migrate *m)
{
    if (m->hold != PAUSE_ON)
        return;
    m->hold = PAUSE_NOT;
    for (unsigned g = 0; g < pmem_gpus(m->pm); g++)
        control_continue(m->host.cp(m->host.ctx, g), CTL_GROUP_DISPATCH, CP_ALL, NULL, NULL);
}
