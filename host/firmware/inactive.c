/* SPDX-License-Identifier: Apache-2.0
 * The inactive signal of a queue: an error that stops it is told by it, and scratch memory is asked for.  Its handle is
 * read from amd_queue_t each time, as clients set it late.  Not responsible for: what is an error (fetch.c, space.c).
 */
#include "firmware/cp_private.h"

static void inactive_begin(struct cp *cp, struct cp_queue *queue);

/* Told; what came meanwhile (an error, while scratch was asked for) is told next. */
static void inactive_over(struct cp *cp, struct cp_queue *queue, bool there)
{
    struct inactive *n = &queue->inactive;
    n->step = INACTIVE_NONE;
    if (queue->closed)
        return;
    if (n->code != n->told) {
        inactive_begin(cp, queue);
    } else if (!queue->dead) {
        n->asked(cp, queue, there);
    }
}

static void stored(struct cp *cp, struct signal_work *w)
{
    inactive_over(cp, w->transfer.queue, true);
}

static void store(struct cp *cp, struct cp_queue *queue)
{
    struct inactive *n = &queue->inactive;
    n->step = INACTIVE_STORE;
    n->work.signal = get64(n->handle);
    n->work.value = n->told;
    n->work.over = stored;
    queue->scratch_asked = n->told == CP_ERROR_SCRATCH && !queue->dead;
    signal_begin(cp, queue, NULL, &n->work);
}

/* A request is repeated when the client has changed the signal and the memory still does not suffice. */
static void value_read(struct cp *cp, struct transfer *t)
{
    struct inactive *n = &t->queue->inactive;
    if (t->queue->closed || n->code != n->told || get64(n->value) == CP_ERROR_SCRATCH)
        inactive_over(cp, t->queue, true);
    else
        store(cp, t->queue);
}

static void handle_read(struct cp *cp, struct transfer *t)
{
    struct cp_queue *queue = t->queue;
    struct inactive *n = &queue->inactive;
    const uint64_t signal = get64(n->handle);
    n->told = n->code;
    if (queue->closed) {
        inactive_over(cp, queue, false);
    } else if (!signal_there(queue->space, signal)) {
        if (queue->dead) { /* the command processor's own store has failed */
            const struct msg_cp_evt fault = {.status = FAULT_NOT_PRESENT, .va = signal + SIGNAL_VALUE};
            cp->host.memory_fault(cp->host.ctx, queue->space->owner, cp->gpu, &fault);
            cp->host.visible(cp->host.ctx);
        }
        inactive_over(cp, queue, false);
    } else if (queue->scratch_asked && !queue->dead) {
        n->step = INACTIVE_VALUE;
        transfer_begin(t, queue, NULL, value_read);
        access_read(cp, t, signal + SIGNAL_VALUE, n->value, sizeof n->value, true);
    } else {
        store(cp, queue);
    }
}

static void inactive_begin(struct cp *cp, struct cp_queue *queue)
{
    struct inactive *n = &queue->inactive;
    n->step = INACTIVE_HANDLE;
    transfer_begin(&n->transfer, queue, NULL, handle_read);
    access_read(cp, &n->transfer, queue_inactive(queue), n->handle, sizeof n->handle, true);
    if (n->transfer.open == 0)
        handle_read(cp, &n->transfer);
}

static void tell(struct cp *cp, struct cp_queue *queue, uint32_t code)
{
    queue->inactive.code = code;
    if (queue->inactive.step == INACTIVE_NONE)
        inactive_begin(cp, queue);
}

void scratch_ask(struct cp *cp, struct cp_queue *queue,
                 void (*asked)(struct cp *cp, struct cp_queue *queue, bool there))
{
    queue->inactive.asked = asked;
    tell(cp, queue, CP_ERROR_SCRATCH);
}

void queue_fail(struct cp *cp, struct cp_queue *queue, uint32_t code, const struct msg_cp_evt *evt)
{
    if (queue->dead)
        return;
    queue->dead = true;
    cp->host.queue_error(cp->host.ctx, queue->space->owner, cp->gpu, queue->args.number, code, evt);
    tell(cp, queue, code);
}
