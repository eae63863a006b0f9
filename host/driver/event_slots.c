/* SPDX-License-Identifier: Apache-2.0
 * Slots of event pages; contract in event_slots.h.
 *
 * A slot that is written between its read and its exchange is taken with what is in it then.  One that is written
 * behind a read that found it empty has an interrupt behind it, for which there is another look.
 */
#include "driver/event_slots.h"

#include <linux/kfd_ioctl.h>

#include "base/check.h"
#include "driver/driver.h"

#define LINE 64u
#define SLOT sizeof(uint64_t)
#define LINE_SLOTS (LINE / SLOT)
#define CLIENT_SHIFT 16 /* of what an answer belongs to; below it the event, or for a read WHAT_LINE and the line */
#define WHAT_LINE 0x8000u

static_assert(EVENT_LIMIT <= WHAT_LINE, "numbers of events and lines are told apart");
static_assert(SLOTS_OPEN == EVENT_LIMIT / LINE_SLOTS + EVENT_LIMIT, "a read for each line, an exchange for each event");

/* The object with the slot of that event; NULL: it has none. */
static const struct object *slot_page(struct client *c, uint32_t id)
{
    const struct event *e = &c->events[id];
    const struct object *page = e->used && e->type == KFD_IOC_EVENT_SIGNAL ? memory_find(c, c->event_page) : NULL;
    return page && (id + 1) * SLOT <= page->bytes ? page : NULL;
}

static void ask(struct driver *d, struct client *c, const struct msg_mem_req *req, uint32_t what)
{
    CHECK(c->slots.open < SLOTS_OPEN, "driver.slots", "client %u: %u accesses", c->index, c->slots.open);
    c->slots.open++;
    d->slots_asked++;
    machine_access(d->machine, req, (uint64_t)c->index << CLIENT_SHIFT | what);
}

static void look_begin(struct driver *d, struct client *c)
{
    c->slots.again = false;
    for (uint32_t line = 0; line < EVENT_LIMIT / LINE_SLOTS; line++) {
        const struct object *page = NULL;
        for (uint32_t id = line * LINE_SLOTS; id < (line + 1) * LINE_SLOTS && !page; id++)
            page = slot_page(c, id);
        if (!page)
            continue;
        const struct msg_mem_req req = {.op = MEM_READ_NC, .addr = backing_address(page->hold->backing) + line * LINE};
        ask(d, c, &req, WHAT_LINE | line);
    }
}

void slots_look(struct driver *d, struct client *c)
{
    if (c->slots.open)
        c->slots.again = true;
    else
        look_begin(d, c);
    if (!c->slots.open) /* whoever polls may have been meant */
        machine_visible(d->machine);
}

static void line_read(struct driver *d, struct client *c, uint32_t line, const struct msg_mem_rsp *rsp)
{
    for (uint32_t i = 0; i < LINE_SLOTS; i++) {
        const uint32_t id = line * LINE_SLOTS + i;
        const struct object *page = slot_page(c, id);
        if (!page || rsp->data[i] == SLOT_EMPTY)
            continue;
        const struct msg_mem_req req = {.op = MEM_ATOMIC,
                                        .atomic = ATOMIC_SWAP,
                                        .size = SLOT,
                                        .addr = backing_address(page->hold->backing) + id * SLOT,
                                        .data = {SLOT_EMPTY}};
        ask(d, c, &req, id);
    }
}

void slots_answer(void *ctx, uint64_t what, const struct msg_mem_rsp *rsp)
{
    struct driver *d = ctx;
    struct client *c = d->clients;
    const uint32_t place = what & (WHAT_LINE - 1);
    const bool line = what & WHAT_LINE;
    while (c && c->index != what >> CLIENT_SHIFT)
        c = c->next;
    CHECK(c && c->slots.open && rsp->status == MEM_OK, "driver.slots", "answer %llx, status %u",
          (unsigned long long)what, rsp->status);
    d->slots_answered++;
    if (line && !c->ended)
        line_read(d, c, place, rsp);
    else if (!line && rsp->data[0] != SLOT_EMPTY)
        event_raise(c, place);
    c->slots.open--;
    if (!line || !c->slots.open) /* where an event is set the clock stops, and where all have been looked at */
        machine_visible(d->machine);
    if (!c->slots.open && c->slots.again && !c->ended)
        look_begin(d, c);
    quarantine_release(d);
}
