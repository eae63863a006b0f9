/* SPDX-License-Identifier: Apache-2.0
 * The inactive signal of a queue: an error that stops it is told by it; and by it the client is asked for scratch
 * memory, or to take it back, and answers by a 0.  Its handle is read from amd_queue_t each time, as clients set it
 * late.  The client is asked when no packet of the queue is under way (it looks for the one that wants memory at the
 * read index, and frees what the queue had), and none starts until it has answered: so no error comes between.
 * Not responsible for: what is an error (fetch.c, address_space.c), when the client is asked (fetch.c).
 */
#include "base/check.h"
#include "base/log.h"
#include "firmware/cp_private.h"

static void stored(struct cp *cp, struct signal_work *w)
{
    (void)cp;
    w->transfer.queue->inactive.step = INACTIVE_NONE;
}

static void store(struct cp *cp, struct cp_queue *queue, uint64_t signal)
{
    struct inactive *n = &queue->inactive;
    n->step = INACTIVE_STORE;
    n->told = n->code;
    n->work.signal = signal;
    n->work.value = n->told;
    n->work.over = stored;
    signal_begin(cp, queue, NULL, &n->work);
}

/* The packet that wanted memory is read anew: the client may have changed it. */
static void answered(struct cp_queue *queue)
{
    struct inactive *n = &queue->inactive;
    n->step = INACTIVE_NONE;
    n->code = n->told = 0;
    queue->asked = 0;
    queue->once = false;
    if (queue->fetch.state == FETCH_ASK)
        queue->fetch.state = FETCH_NONE;
    queue->fetch.look = true;
}

static void value_read(struct cp *cp, struct transfer *t)
{
    struct inactive *n = &t->queue->inactive;
    (void)cp;
    n->step = INACTIVE_NONE;
    if (!t->queue->closed && !t->queue->dead && get64(n->value) == 0) /* also where its memory is gone */
        answered(t->queue);
}

/* Nobody can be told. */
static void nobody_there(struct cp *cp, struct cp_queue *queue, uint64_t signal)
{
    queue->inactive.step = INACTIVE_NONE;
    if (queue->dead) { /* the command processor's own store has failed */
        const struct msg_cp_evt fault = {.status = FAULT_NOT_PRESENT, .va = signal + SIGNAL_VALUE};
        cp->host.memory_fault(cp->host.ctx, queue->space->owner, cp->gpu, &fault);
        cp->host.visible(cp->host.ctx);
    } else if (queue->asked == CP_ERROR_SCRATCH) {
        queue_fail(cp, queue, CP_ERROR_SCRATCH, NULL);
    } else {
        answered(queue);
    }
}

static void handle_read(struct cp *cp, struct transfer *t)
{
    struct cp_queue *queue = t->queue;
    struct inactive *n = &queue->inactive;
    const uint64_t signal = get64(n->handle);
    if (queue->closed) {
        n->step = INACTIVE_NONE;
    } else if (!signal_there(queue->space, signal)) {
        nobody_there(cp, queue, signal);
    } else if (n->told == n->code) { /* it was asked before */
        n->step = INACTIVE_VALUE;
        transfer_begin(t, queue, NULL, value_read);
        access_read(cp, t, signal + SIGNAL_VALUE, n->value, sizeof n->value, true);
    } else {
        store(cp, queue, signal);
    }
}

static void inactive_begin(struct cp *cp, struct cp_queue *queue, uint32_t code)
{
    struct inactive *n = &queue->inactive;
    CHECK(n->step == INACTIVE_NONE, "cp", "gpu%u: queue %u: %x is to be told at step %u of %x", cp->gpu,
          queue->args.number, code, n->step, n->code);
    n->step = INACTIVE_HANDLE;
    n->code = code;
    transfer_begin(&n->transfer, queue, NULL, handle_read);
    access_read(cp, &n->transfer, queue_inactive(queue), n->handle, sizeof n->handle, true);
    if (n->transfer.open == 0)
        handle_read(cp, &n->transfer);
}

void inactive_ask(struct cp *cp, struct cp_queue *queue, uint32_t code)
{
    if (!queue->asked)
        log_info("cp", "gpu%u: queue %u: %s", cp->gpu, queue->args.number,
                 code == CP_ERROR_SCRATCH ? "scratch memory is asked for" : "scratch memory is to be taken back");
    queue->asked = code;
    inactive_begin(cp, queue, code);
}

bool inactive_changed(const struct cp_queue *queue)
{
    const struct cp_space *space = queue->space;
    const uint64_t signal = peek_long_for_report(space, queue_inactive(queue));
    return !signal_there(space, signal) || peek_long_for_report(space, signal + SIGNAL_VALUE) == 0;
}

void queue_fail(struct cp *cp, struct cp_queue *queue, uint32_t code, const struct msg_cp_evt *evt)
{
    if (queue->dead)
        return;
    queue->dead = true;
    queue->asked = 0;
    cp->host.queue_error(cp->host.ctx, queue->space->owner, cp->gpu, queue->args.number, code, evt);
    inactive_begin(cp, queue, code);
}
