/* SPDX-License-Identifier: Apache-2.0
 * An answer of memory, and all that may have waited for it: page tables, or its transfer, a closed queue, a closing
 * space, a shoot-down, packets.
 */
#include "firmware/cp_private.h"

void cp_answer(struct cp *cp, uint64_t cookie, const struct msg_mem_rsp *rsp)
{
    if ((cookie & 0xffffff) == COOKIE_TABLES) {
        tables_answered(cp, rsp);
        return;
    }
    struct transfer *t = access_take(cp, cookie, rsp);
    struct cp_queue *queue = t->queue;
    struct cp_space *space = queue->space;
    deferred_wake(cp, space); /* the next one may be in another memory */
    if (t->open == 0)
        t->done(cp, t);
    queue->accesses--; /* only now: until here the queue stays */
    queue_release(cp, queue);
    space->accesses--;
    space_settle(cp, space);
    shootdowns_check(cp);
    queues_step(cp);
}
