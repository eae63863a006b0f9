/* SPDX-License-Identifier: Apache-2.0
 * Commands for pages that move; contract in page_commands.h.
 */
#include "maintenance/page_commands.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "firmware/cp_private.h"

static uint16_t page_add(struct cp *cp, struct page_command command)
{
    struct page_commands *q = &cp->pages;
    CHECK(q->count < PAGES_OPEN, "cp", "gpu%u: %zu commands for pages without an answer", cp->gpu, q->count);
    q->list = xgrow(q->list, &q->room, q->count + 1, sizeof *q->list);
    command.id = q->next_id++;
    q->list[q->count++] = command;
    return command.id;
}

void page_flush(struct cp *cp, const uint64_t *at, size_t count, uint64_t bytes, page_fn done, void *ctx)
{
    struct cp_range range = range_of_list(at, count, bytes, false);
    struct msg_cp_cmd cmd = {.kind = CP_CACHE, .id = CP_PAGE, .flags = CACHE_WB_L2 | CACHE_INV_L2};
    range_name(&cmd, &range);
    free(range.list);
    page_add(cp, (struct page_command){.kind = CP_CACHE, .slot = PAGE_NO_SLOT, .done = done, .ctx = ctx});
    sim_cmd(cp->sim, cp->gpu, &cmd);
}

static void send_view(struct cp *cp, const struct msg_cp_move *view)
{
    struct msg_cp_cmd cmd;
    static_assert(sizeof cmd == sizeof *view, "a view has the size of its message");
    memcpy(&cmd, view, sizeof cmd);
    sim_cmd(cp->sim, cp->gpu, &cmd);
}

void page_move(struct cp *cp, const struct page_order *order, page_fn done, void *ctx)
{
    const uint16_t id =
        page_add(cp, (struct page_command){.kind = CP_MOVE, .slot = order->slot, .done = done, .ctx = ctx});
    send_view(cp, &(struct msg_cp_move){.kind = CP_MOVE,
                                        .slot = order->slot,
                                        .id = id,
                                        .lines = (uint16_t)(order->bytes / PAGE_LINE),
                                        .flags = order->flags,
                                        .source = order->source,
                                        .target = order->target});
}

void page_store(struct cp *cp, uint8_t slot, uint64_t bytes, page_fn done, void *ctx)
{
    struct page_commands *q = &cp->pages;
    for (size_t i = 0; i < q->count; i++) {
        struct page_command *c = &q->list[i];
        CHECK(c->kind != CP_STORE || c->slot != slot || !c->done || !bytes, "cp", "gpu%u: slot %u has a page", cp->gpu,
              slot);
        if (c->kind == CP_STORE && c->slot == slot)
            c->done = NULL; /* the engine tells of it, or of the new one alone */
    }
    const uint16_t id = page_add(cp, (struct page_command){.kind = CP_STORE, .slot = slot, .done = done, .ctx = ctx});
    send_view(cp,
              &(struct msg_cp_move){.kind = CP_STORE, .slot = slot, .id = id, .lines = (uint16_t)(bytes / PAGE_LINE)});
}

static void tell(const struct page_command *c, const struct page_report *report)
{
    if (c->done)
        c->done(c->ctx, report);
}

static struct page_command take(struct page_commands *q, size_t at)
{
    const struct page_command c = q->list[at];
    memmove(q->list + at, q->list + at + 1, (--q->count - at) * sizeof *q->list);
    return c;
}

/* One of an earlier page_store of the slot is not told any more. */
static void forget_before(struct page_commands *q, const struct page_command *c)
{
    for (size_t i = 0; c->kind == CP_STORE && i < q->count;)
        if (q->list[i].kind == CP_STORE && q->list[i].slot == c->slot && (int16_t)(q->list[i].id - c->id) < 0)
            take(q, i);
        else
            i++;
}

void page_flushed(struct cp *cp, uint8_t status)
{
    struct page_commands *q = &cp->pages;
    size_t at = 0;
    while (at < q->count && q->list[at].kind != CP_CACHE)
        at++;
    CHECK(at < q->count, "cp", "gpu%u: the write-back of a page, which nobody has asked for", cp->gpu);
    const struct page_command c = take(q, at);
    tell(&c, &(struct page_report){.refused = status != CTL_OK, .status = status});
}

void page_reported(struct cp *cp, const struct msg_cp_evt *evt)
{
    struct page_commands *q = &cp->pages;
    struct msg_cp_evt_move told;
    const uint8_t kind = evt->kind == CP_EVT_MOVED ? CP_MOVE : CP_STORE;
    size_t at = 0;
    memcpy(&told, evt, sizeof told);
    while (at < q->count && !(q->list[at].kind == kind && q->list[at].id == evt->id))
        at++;
    CHECK(at < q->count, "cp", "gpu%u: report of page command %u, which nobody sent", cp->gpu, evt->id);
    const struct page_command c = take(q, at);
    forget_before(q, &c);
    if (!told.begun)
        log_error("cp", "gpu%u: the page-move engine has refused a command (status %u)", cp->gpu, told.status);
    tell(&c, &(struct page_report){.refused = !told.begun,
                                   .status = told.status,
                                   .flags = told.flags,
                                   .lines = told.lines,
                                   .checksum = told.checksum});
}

unsigned pages_open(const struct cp *cp)
{
    return (unsigned)cp->pages.count;
}
