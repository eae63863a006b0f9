/* SPDX-License-Identifier: Apache-2.0
 * Interrupts of wavefronts (s_sendmsg) on their way to the driver.  A program need not wait for its store to the event
 * slot before it sends the message: on hardware an interrupt takes microseconds until the host serves it, and the
 * store has landed by then.  So one is served `interrupt_cycles` after it came, and the driver looks at all slots.
 */
#include "firmware/cp_private.h"

/* Into the list, by time, with a timer of its own.  The list holds open spaces only: a closing one leaves it for good,
 * since its owner may free it as soon as the last of its wavefronts is gone. */
static void interrupt_arm(struct cp *cp, struct cp_space *space, uint64_t at)
{
    struct cp_space **link = &cp->interrupted;
    while (*link && (*link)->interrupt_at <= at) /* others may have come since the one that is armed again */
        link = &(*link)->next_interrupted;
    space->interrupt_at = at;
    space->next_interrupted = *link;
    *link = space;
    sim_timer(cp->sim, at, cookie_of(cp, COOKIE_INTERRUPT));
}

void interrupt_raise(struct cp *cp, struct cp_space *space)
{
    if (space->closing)
        return; /* of a wavefront that is about to be killed: nobody is left to be told */
    space->interrupt_last = sim_now(cp->sim) + cp->config.interrupt_cycles;
    for (const struct cp_space *s = cp->interrupted; s; s = s->next_interrupted)
        if (s == space)
            return; /* interrupt_last says that it is to be served once more */
    interrupt_arm(cp, space, space->interrupt_last);
}

void interrupt_forget(struct cp *cp, struct cp_space *space)
{
    struct cp_space **link = &cp->interrupted;
    while (*link && *link != space)
        link = &(*link)->next_interrupted;
    if (*link)
        *link = space->next_interrupted;
}

void interrupt_serve(struct cp *cp)
{
    struct cp_space *first = cp->interrupted;
    if (!first || first->interrupt_at > sim_now(cp->sim))
        return; /* the timer of a space that has been closed */
    cp->interrupted = first->next_interrupted;
    if (first->interrupt_last > first->interrupt_at)
        interrupt_arm(cp, first, first->interrupt_last);
    cp->host.interrupt(cp->host.ctx, first->owner);
}
