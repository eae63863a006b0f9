/* SPDX-License-Identifier: Apache-2.0
 * Doorbells on their way: a store to a doorbell is a posted write, which the command processor hears of
 * `doorbell_cycles` later.  Not responsible for: what a queue does then (packet_ring.c), the words of doorbell pages
 * (host/driver).
 *
 * The word is only a kick and the write index in memory counts, which is read when the doorbell is here: one that is on
 * its way stands for those that follow.  So there are at most as many as queues, in the order of ringing.
 */
#include "base/check.h"
#include "firmware/cp_private.h"

void cp_doorbell(struct cp *cp, struct cp_queue *queue)
{
    CHECK(!queue->closed, "cp", "gpu%u: doorbell of queue %u, which is closed", cp->gpu, queue->args.number);
    if (queue->bell_at)
        return;
    struct cp_queue **link = &cp->bells;
    while (*link)
        link = &(*link)->next_bell;
    *link = queue;
    queue->next_bell = NULL;
    queue->bell_at = sim_now(cp->sim) + cp->config.doorbell_cycles;
    sim_timer(cp->sim, queue->bell_at, cookie_of(cp, COOKIE_BELL));
}

void bell_arrive(struct cp *cp)
{
    struct cp_queue *queue = cp->bells;
    if (!queue || queue->bell_at > sim_now(cp->sim))
        return; /* the timer of a queue that was closed */
    cp->bells = queue->next_bell;
    queue->bell_at = 0;
    queue_ring(cp, queue);
}

void bell_forget(struct cp *cp, struct cp_queue *queue)
{
    struct cp_queue **link = &cp->bells;
    while (*link && *link != queue)
        link = &(*link)->next_bell;
    if (*link)
        *link = queue->next_bell;
}
