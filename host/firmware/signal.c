/* SPDX-License-Identifier: Apache-2.0
 * HSA signals in client memory: dependency tests, completion (timestamps, value, mailbox, event), each step after the
 * one that it relies on.  Not responsible for: fences before it (cp.c), the event itself (host/driver).
 */
#include <string.h>

#include "firmware/cp_private.h"

static_assert(SIGNAL_EVENT == SIGNAL_MAILBOX + 8 && SIGNAL_END == SIGNAL_START + 8, "read and written as one");

bool signal_there(const struct cp_space *space, uint64_t signal)
{
    return signal && pagetable_entry(space->pt, signal + SIGNAL_VALUE);
}

static void signal_finish(struct cp *cp, struct signal_work *w, bool tell)
{
    void *owner = w->transfer.queue->space->owner;
    uint64_t mailbox = get64(w->told);
    uint32_t event = get32(w->told + 8);
    w->step = SIGNAL_NONE;
    w->over(cp, w); /* w may belong to another signal now */
    if (tell && mailbox)
        cp->host.event(cp->host.ctx, owner, event);
    if (tell)
        cp->host.visible(cp->host.ctx);
}

static void signal_step(struct cp *cp, struct transfer *t);

static void signal_next(struct signal_work *w, enum signal_step step)
{
    w->step = step;
    transfer_begin(&w->transfer, w->transfer.queue, w->transfer.job, signal_step);
}

static void value_write(struct cp *cp, struct signal_work *w)
{
    if (w->count)
        access_count_down(cp, &w->transfer, w->signal + SIGNAL_VALUE);
    else
        access_write(cp, &w->transfer, w->signal + SIGNAL_VALUE, &w->value, sizeof w->value);
}

/* The step is done.  A client that has closed the queue may have freed the signal: nothing more is begun. */
static void signal_step(struct cp *cp, struct transfer *t)
{
    struct signal_work *w = (struct signal_work *)(void *)((uint8_t *)t - offsetof(struct signal_work, transfer));
    uint64_t mailbox = get64(w->told), event = get32(w->told + 8);
    while (t->open == 0 && w->step != SIGNAL_NONE) {
        bool gone = t->queue->closed || (t->job && t->job->state == JOB_LEFT);
        if (w->step == SIGNAL_STAMPS && !gone) {
            signal_next(w, SIGNAL_VALUED);
            value_write(cp, w);
        } else if (w->step == SIGNAL_VALUED && mailbox && !gone) {
            signal_next(w, SIGNAL_MAILED);
            access_write(cp, t, mailbox, &event, sizeof event);
        } else {
            signal_finish(cp, w, !gone);
        }
    }
}

void signal_begin(struct cp *cp, struct cp_queue *queue, struct job *job, struct signal_work *w)
{
    struct transfer *t = &w->transfer;
    const struct cp_space *space = queue->space;
    const uint64_t stamps[2] = {w->begin, w->end}, start = w->signal + SIGNAL_START, value = w->signal + SIGNAL_VALUE;
    w->step = SIGNAL_STAMPS;
    transfer_begin(t, queue, job, signal_step);
    access_read(cp, t, w->signal + SIGNAL_MAILBOX, w->told, sizeof w->told, true);
    if (w->stamps)
        access_write(cp, t, start, stamps, sizeof stamps);
    if (!w->stamps || (access_same(space, start, value) && access_same(space, start + 15, value))) {
        w->step = SIGNAL_VALUED; /* in their order, without waiting in between */
        value_write(cp, w);
    }
    signal_step(cp, t);
}

void signals_read(struct cp *cp, struct transfer *t, const uint8_t *packet, uint8_t values[5][8])
{
    for (unsigned i = 0; i < 5; i++) {
        uint64_t signal = get64(packet + AQL_DEPS + 8 * i);
        if (signal)
            access_read(cp, t, signal + SIGNAL_VALUE, values[i], sizeof values[i], true);
    }
}

void signals_peek(const struct cp_space *space, const uint8_t *packet, uint8_t values[5][8])
{
    for (unsigned i = 0; i < 5; i++) {
        uint64_t value = peek_long_for_report(space, get64(packet + AQL_DEPS + 8 * i) + SIGNAL_VALUE);
        memcpy(values[i], &value, sizeof values[i]);
    }
}

bool signals_satisfied(const uint8_t *packet, uint8_t values[5][8], bool any)
{
    bool all = true, one = false, some = false;
    for (unsigned i = 0; i < 5; i++) {
        if (!get64(packet + AQL_DEPS + 8 * i))
            continue;
        some = true;
        if (get64(values[i]))
            all = false;
        else
            one = true;
    }
    return !some || (any ? one : all);
}
