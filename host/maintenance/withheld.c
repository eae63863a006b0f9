/* SPDX-License-Identifier: Apache-2.0
 * Translations that the L2 TLB of a GPU withholds (docs/reference/tlb.md): it tells of each page once, and what becomes
 * of them is decided here: looked up again where the page has been mapped meanwhile, left until the unlock where it is
 * locked, else the owner's business or a fault.  Not responsible for: who locks pages and maps them (host/driver).
 */
#include <stdlib.h>

#include "base/log.h"
#include "firmware/cp_private.h"
#include "vm/pagetable.h"

#define PAGE 4096u

/* Of a space of which a packet is under way: none other has wavefronts. */
static struct cp_space *space_of(struct cp *cp, uint8_t vmid)
{
    for (unsigned i = 0; i < CP_JOBS; i++)
        if (cp->jobs[i].state != JOB_FREE && cp->jobs[i].state < JOB_DONE && cp->jobs[i].space->vmid == vmid)
            return cp->jobs[i].space;
    return NULL;
}

static void answer_send(struct cp *cp, uint8_t vmid, struct cp_range range, bool deny)
{
    struct msg_cp_cmd cmd = {.kind = CP_XLAT, .vmid = vmid, .id = CP_NO_JOB, .flags = deny ? XLAT_DENY : 0};
    range_name(&cmd, &range);
    free(range.list);
    sim_cmd(cp->sim, cp->gpu, &cmd);
}

static void answer(struct cp *cp, struct cp_space *space, struct cp_range range, bool deny)
{
    if (deny)
        deferred_deny(cp, space, range.va, range.bytes ? range.bytes : UINT64_MAX);
    deferred_wake(cp, space);
    if (tables_open(cp))
        tables_note(cp, (struct table_note){.kind = NOTE_XLAT, .deny = deny, .space = space, .range = range});
    else
        answer_send(cp, space->vmid, range, deny);
}

void cp_space_answer(struct cp *cp, struct cp_space *space, uint64_t va, uint64_t bytes, bool deny)
{
    answer(cp, space, (struct cp_range){.va = va, .bytes = bytes}, deny);
}

void cp_pages_answer(struct cp *cp, struct cp_space *space, const uint64_t *va, size_t count, uint64_t bytes)
{
    answer(cp, space, range_of_list(va, count, bytes, false), false);
}

void withheld_due(struct cp *cp, const struct table_note *note)
{
    answer_send(cp, note->space->vmid, note->range, note->deny);
}

/* A killed space hears no more: the kill has answered them. */
void withheld_reported(struct cp *cp, const struct msg_cp_evt *evt)
{
    struct cp_space *space = space_of(cp, evt->vmid);
    if (!space || space->killing)
        return;
    const uint64_t va = evt->va & ~(uint64_t)(PAGE - 1), entry = pagetable_lookup(space->pt, va);
    const uint32_t rights = evt->status * PTE_R; /* read, write, execute: in both from the lowest bit on */
    if (entry)
        cp_space_answer(cp, space, va, PAGE, false); /* what it allows is told by the answer */
    else if (pagetable_locked(space->pt, va))
        log_info("cp", "gpu%u: an access of vmid %u waits for locked page 0x%llx", cp->gpu, evt->vmid,
                 (unsigned long long)va);
    else if (!cp->host.withheld || !cp->host.withheld(cp->host.ctx, space->owner, cp->gpu, va, rights))
        cp_space_answer(cp, space, va, PAGE, true);
}

void withheld_answered(struct cp *cp, uint8_t status)
{
    if (status == CTL_OK)
        return;
    log_error("cp", "gpu%u: the L2 TLB has refused an answer to withheld translations (status %u)", cp->gpu, status);
    cp->answer_refused = true;
}

/* Everything is looked up again, and what fails is reported again. */
void withheld_again(struct cp *cp)
{
    if (cp->answer_refused)
        answer_send(cp, 255, (struct cp_range){0}, false);
    cp->answer_refused = false;
}
