/* SPDX-License-Identifier: Apache-2.0
 * What has to leave TLBs and caches when pages or memory change hands: commands for what is under way, a note for the
 * next fence else, and the count of those that are done.  The command processor's own accesses count: it must not write
 * to a page that has a new owner.  While writes to page tables are on their way they stand behind these
 * (table_writes.h): an old entry that is still there would only be read again.
 */
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "firmware/cp_private.h"

/* Some packet is behind its acquire fence, or in it. */
static bool space_started(const struct cp *cp, const struct cp_space *space)
{
    for (unsigned i = 0; i < CP_JOBS; i++)
        if (cp->jobs[i].state > JOB_DECODE && cp->jobs[i].state < JOB_RELEASE && cp->jobs[i].space == space)
            return true;
    return space->busy;
}

bool cp_space_rests(const struct cp *cp, const struct cp_space *space)
{
    bool any = space->busy || space->killing;
    for (unsigned i = 0; i < CP_JOBS && !any; i++)
        any = cp->jobs[i].space == space && cp->jobs[i].state != JOB_FREE && cp->jobs[i].state < JOB_TELL;
    return !any;
}

static struct shootdown *shootdown_at(const struct cp *cp, size_t i)
{
    return &cp->shootdowns[cp->shootdown_first + i];
}

/* One more, to be filled in; the place is good until the next one. */
static struct shootdown *shootdown_add(struct cp *cp)
{
    size_t count = cp->shootdowns_sent++ - cp->shootdowns_done;
    cp->shootdowns =
        xgrow(cp->shootdowns, &cp->shootdown_room, cp->shootdown_first + count + 1, sizeof *cp->shootdowns);
    return shootdown_at(cp, count);
}

static void shootdown_send(struct cp *cp, struct shootdown *s)
{
    struct msg_cp_cmd cmd = {
        .kind = CP_CACHE, .vmid = s->vmid, .id = CP_SHOOTDOWN, .flags = s->flags | (s->range.more ? CACHE_MORE : 0)};
    range_name(&cmd, &s->range);
    s->number = cp->shootdown_commands++;
    sim_cmd(cp->sim, cp->gpu, &cmd);
}

/* command: the GPU has to be told. */
static void shootdown_fill(struct cp *cp, struct shootdown *s, bool command, struct shootdown what)
{
    *s = what;
    s->order = cp->access_order;
    s->command = command;
    if (command)
        shootdown_send(cp, s);
}

static struct shootdown of_pages(const struct cp_space *space, struct cp_range range)
{
    return (struct shootdown){.vmid = space->vmid, .flags = CACHE_INV_TLB, .range = range};
}

static struct shootdown of_caches(bool own)
{
    return (struct shootdown){.flags = fence_caches(own)};
}

static void shootdown(struct cp *cp, struct cp_space *space, struct cp_range range)
{
    if (tables_open(cp)) {
        *shootdown_add(cp) = (struct shootdown){.waits = true};
        tables_note(cp, (struct table_note){.kind = NOTE_SHOOT, .space = space, .range = range});
        return;
    }
    const bool started = space_started(cp, space);
    if (started || space->accesses > space->deferred)
        shootdown_fill(cp, shootdown_add(cp), started, of_pages(space, range));
    else
        free(range.list);
    space->tlb_stale |= !started;
}

void cp_space_shootdown(struct cp *cp, struct cp_space *space, uint64_t va, uint64_t bytes)
{
    shootdown(cp, space, (struct cp_range){.va = va, .bytes = bytes});
}

void cp_pages_shootdown(struct cp *cp, struct cp_space *space, const uint64_t *va, size_t count, uint64_t bytes,
                        bool more)
{
    shootdown(cp, space, range_of_list(va, count, bytes, more));
}

static bool any_started(const struct cp *cp)
{
    bool started = false;
    for (unsigned i = 0; i < CP_JOBS && !started; i++)
        started = cp->jobs[i].state != JOB_FREE && space_started(cp, cp->jobs[i].space);
    return started;
}

/* The last one waits for page tables: so does what comes behind it, since the GPU answers in the order of commands. */
static bool last_waits(const struct cp *cp)
{
    const size_t count = cp->shootdowns_sent - cp->shootdowns_done;
    return count && shootdown_at(cp, count - 1)->waits;
}

void cp_caches_drop(struct cp *cp, bool own)
{
    if (last_waits(cp)) {
        *shootdown_add(cp) = (struct shootdown){.waits = true};
        tables_note(cp, (struct table_note){.kind = NOTE_DROP, .own = own});
    } else if (any_started(cp)) {
        shootdown_fill(cp, shootdown_add(cp), true, of_caches(own));
    } else {
        cp->caches_stale = true;
    }
}

void shootdown_due(struct cp *cp, const struct table_note *note)
{
    struct shootdown *s = shootdown_at(cp, 0);
    while (!s->waits)
        s++;
    struct cp_space *space = note->space;
    const bool started = space ? space_started(cp, space) : any_started(cp);
    shootdown_fill(cp, s, started, space ? of_pages(space, note->range) : of_caches(note->own));
    if (space)
        space->tlb_stale |= !started;
    else
        cp->caches_stale |= !started;
    shootdowns_check(cp);
}

bool shootdown_flies(const struct cp *cp, uint8_t vmid)
{
    const size_t count = cp->shootdowns_sent - cp->shootdowns_done;
    for (size_t i = 0; i < count; i++) {
        const struct shootdown *s = shootdown_at(cp, i);
        if (s->command && s->flags & CACHE_INV_TLB && s->vmid == vmid)
            return true;
    }
    return false;
}

bool caches_dropped(struct cp *cp)
{
    struct msg_cp_cmd cmd = {.kind = CP_CACHE, .id = CP_DROP, .flags = fence_caches(true)};
    if (cp->caches_stale) {
        cp->caches_stale = false;
        cp->drops++;
        sim_cmd(cp->sim, cp->gpu, &cmd);
    }
    return cp->drops == 0;
}

uint64_t cp_shootdowns_sent(const struct cp *cp)
{
    return cp->shootdowns_sent;
}
uint64_t cp_shootdowns_done(const struct cp *cp)
{
    return cp->shootdowns_done;
}

/* The oldest is done: one that another follows at once, when that is. */
static bool first_done(const struct cp *cp)
{
    const size_t count = cp->shootdowns_sent - cp->shootdowns_done;
    for (size_t i = 0; i < count; i++) {
        const struct shootdown *s = shootdown_at(cp, i);
        if (s->command || s->waits)
            return false;
        if (!s->range.more)
            return access_answered(cp, s->order);
    }
    return false;
}

void shootdowns_check(struct cp *cp)
{
    while (first_done(cp)) {
        free(shootdown_at(cp, 0)->range.list);
        const size_t stay = cp->shootdowns_sent - ++cp->shootdowns_done;
        if (++cp->shootdown_first > stay) { /* moved when fewer stay than have gone */
            memmove(cp->shootdowns, shootdown_at(cp, 0), stay * sizeof *cp->shootdowns);
            cp->shootdown_first = 0;
        }
        if (cp->host.shootdown)
            cp->host.shootdown(cp->host.ctx);
    }
}

/* That of the command sent first.  One that a component has refused is not done: what it leads to has no new owner. */
void shootdown_answered(struct cp *cp, uint8_t status)
{
    const size_t count = cp->shootdowns_sent - cp->shootdowns_done;
    struct shootdown *first = NULL;
    for (size_t i = 0; i < count; i++) {
        struct shootdown *s = shootdown_at(cp, i);
        if (s->command && !s->refused && (!first || s->number < first->number))
            first = s;
        if (first && !cp->shootdowns_resent)
            break; /* those behind it were sent later */
    }
    if (!first)
        return;
    first->command = first->refused = status != CTL_OK;
    shootdowns_check(cp);
}

void shootdowns_again(struct cp *cp)
{
    const size_t count = cp->shootdowns_sent - cp->shootdowns_done;
    for (size_t i = 0; i < count; i++)
        if (shootdown_at(cp, i)->refused) {
            shootdown_at(cp, i)->refused = false;
            shootdown_at(cp, i)->range.more = false; /* what followed it has been answered */
            cp->shootdowns_resent = true;
            shootdown_send(cp, shootdown_at(cp, i));
        }
}

void shootdowns_free(struct cp *cp)
{
    for (size_t i = 0; i < cp->shootdowns_sent - cp->shootdowns_done; i++)
        free(shootdown_at(cp, i)->range.list);
    free(cp->shootdowns);
}
