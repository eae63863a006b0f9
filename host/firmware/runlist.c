/* SPDX-License-Identifier: Apache-2.0
 * Which queues have a hardware queue slot.  A queue keeps its slot, idle or not, until another wants it; when there are
 * more queues with work than slots they take turns, in the order in which they began to want one, as with the kernel
 * driver's scheduler.  A queue that has had its slot for a quantum while others wait starts nothing more, and leaves
 * when its packets have ended: what is at the GPU is not interrupted.  An engine serves the packets of its slots.
 * Not responsible for: what a queue does in its slot (packet_ring.c, fetch.c).
 *
 * A queue that waits for a signal, a header or its client wants no slot until a look may find that changed.  So the
 * clock runs for the turns of queues that can go on, and for no others.
 */
#include "base/check.h"
#include "firmware/cp_private.h"

bool runlist_served(const struct cp *cp, const struct cp_queue *queue)
{
    return queue->slot >= 0 && !queue->leaving && sim_now(cp->sim) >= queue->served_from;
}

static bool wants(const struct cp_queue *queue)
{
    return queue_live(queue) && (queue->rung || (queue_goes(queue) && !fetch_waits(queue)));
}

/* Nothing of it is under way. */
static bool quiet(const struct cp_queue *queue)
{
    return queue->active == 0 && queue->accesses == 0;
}

static void timer_set(struct cp *cp, uint64_t at)
{
    if (cp->runlist_at > sim_now(cp->sim) && cp->runlist_at <= at)
        return; /* one that comes earlier looks again */
    cp->runlist_at = at;
    sim_timer(cp->sim, at, cookie_of(cp, COOKIE_SLOT));
}

static void slot_give(struct cp *cp, struct cp_queue *queue, unsigned slot, uint32_t cycles)
{
    cp->slots[slot] = queue;
    queue->slot = (int)slot;
    queue->served_from = sim_now(cp->sim) + cycles;
    if (cycles)
        timer_set(cp, queue->served_from);
}

static void waiter_add(struct cp *cp, struct cp_queue *queue)
{
    struct cp_queue **link = &cp->waiters;
    while (*link)
        link = &(*link)->next_waiter;
    *link = queue;
    queue->next_waiter = NULL;
    queue->waits = true;
}

static void waiter_remove(struct cp *cp, struct cp_queue *queue)
{
    struct cp_queue **link = &cp->waiters;
    while (*link && *link != queue)
        link = &(*link)->next_waiter;
    if (*link)
        *link = queue->next_waiter;
    queue->waits = false;
}

void runlist_join(struct cp *cp, struct cp_queue *queue)
{
    queue->slot = -1;
    for (unsigned i = 0; i < cp->config.slots; i++)
        if (!cp->slots[i]) {
            slot_give(cp, queue, i, 0);
            return;
        }
}

void runlist_leave(struct cp *cp, struct cp_queue *queue)
{
    waiter_remove(cp, queue);
    if (queue->slot >= 0)
        cp->slots[queue->slot] = NULL;
    queue->slot = -1;
}

/* What was read for a launch may have changed when its turn comes again. */
static void slot_take(struct cp *cp, struct cp_queue *queue)
{
    cp->slots[queue->slot] = NULL;
    queue->slot = -1;
    queue->leaving = false;
    if (queue->fetch.state == FETCH_READY) {
        queue->fetch.state = FETCH_HELD;
        queue->fetch.look = true;
    }
    if (wants(queue))
        waiter_add(cp, queue);
}

/* One that is free, or whose queue can go; the slots have their turns.  -1: none. */
static int slot_find(struct cp *cp)
{
    for (unsigned n = 0; n < cp->config.slots; n++) {
        const unsigned slot = (cp->slot_next + n) % cp->config.slots;
        const struct cp_queue *queue = cp->slots[slot];
        if (!queue || (quiet(queue) && (queue->leaving || !wants(queue)))) {
            cp->slot_next = slot + 1;
            return (int)slot;
        }
    }
    return -1;
}

static void slots_change(struct cp *cp)
{
    for (struct cp_queue *first; (first = cp->waiters);) {
        if (!wants(first)) {
            waiter_remove(cp, first);
            continue;
        }
        const int slot = slot_find(cp);
        if (slot < 0)
            return;
        waiter_remove(cp, first);
        if (cp->slots[slot])
            slot_take(cp, cp->slots[slot]);
        slot_give(cp, first, (unsigned)slot, cp->config.map_cycles);
    }
}

static struct cp_queue *longest_served(struct cp *cp)
{
    struct cp_queue *first = NULL;
    for (unsigned i = 0; i < cp->config.slots; i++) {
        struct cp_queue *queue = cp->slots[i];
        if (queue && !queue->leaving && !queue->closed && (!first || queue->served_from < first->served_from))
            first = queue;
    }
    return first;
}

/* As many leave as wait. */
static void quanta_end(struct cp *cp)
{
    unsigned waiting = 0;
    for (const struct cp_queue *queue = cp->waiters; queue; queue = queue->next_waiter)
        waiting++;
    for (unsigned i = 0; i < cp->config.slots; i++) {
        struct cp_queue *queue = cp->slots[i];
        if (queue && queue->leaving && waiting == 0)
            queue->leaving = false;
        else if (queue && queue->leaving)
            waiting--;
    }
    for (struct cp_queue *first; waiting && (first = longest_served(cp)); waiting--) {
        const uint64_t end = first->served_from + cp->config.quantum_cycles;
        if (end > sim_now(cp->sim)) {
            timer_set(cp, end);
            return;
        }
        first->leaving = true;
    }
}

void runlist_step(struct cp *cp)
{
    for (struct cp_queue *queue = cp->queues; queue; queue = queue->next_queue)
        if (queue->slot < 0 && !queue->waits && wants(queue))
            waiter_add(cp, queue);
    slots_change(cp);
    quanta_end(cp);
    if (cp->waiters)
        slots_change(cp); /* one that has just begun to leave may be quiet */
}

bool runlist_working(const struct cp *cp)
{
    for (unsigned i = 0; i < cp->config.slots; i++)
        if (cp->slots[i] && cp->slots[i]->served_from > sim_now(cp->sim))
            return true;
    return cp->waiters != NULL;
}

unsigned runlist_engine(const struct cp *cp, const struct cp_queue *queue)
{
    CHECK(queue->slot >= 0, "cp", "gpu%u: queue %u works without a slot", cp->gpu, queue->args.number);
    return (unsigned)queue->slot % cp->config.engines;
}
