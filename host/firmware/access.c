/* SPDX-License-Identifier: Apache-2.0
 * Accesses of the command processor to client memory; contract in access.h.
 */
#include <string.h>

#include "base/check.h"
#include "firmware/cp_private.h"
#include "vm/pmem.h"

#define LINE 64u
#define PAGE UINT64_C(4096)
#define NO_PLACE UINT32_MAX

void access_init(struct cp *cp)
{
    for (uint32_t i = 0; i < CP_ACCESSES; i++)
        cp->accesses[i].next = i + 1 < CP_ACCESSES ? i + 1 : NO_PLACE;
}

void transfer_begin(struct transfer *t, struct cp_queue *queue, struct job *job,
                    void (*done)(struct cp *cp, struct transfer *t))
{
    CHECK(t->open == 0, "cp", "a transfer begins with %u accesses under way", t->open);
    *t = (struct transfer){.queue = queue, .job = job, .done = done};
}

uint64_t access_cookie(const struct cp *cp, uint32_t place)
{
    return cookie_of(cp, (uint64_t)cp->accesses[place].generation << 16 | place);
}

void access_go(struct cp *cp, struct cp_space *space, uint32_t place, uint64_t entry, uint64_t va,
               struct msg_mem_req *req, bool early)
{
    cp->accesses[place].order = cp->access_order++;
    space->memory = access_memory(entry);
    req->addr = (entry & PTE_ADDR) + (va & (PAGE - 1));
    if (req->op != MEM_ATOMIC)
        req->addr -= req->addr % LINE;
    sim_access(cp->sim, req, early, access_cookie(cp, place));
}

bool access_awaited(struct cp *cp, const struct cp_space *space, uint64_t va)
{
    return cp->host.withheld && cp->host.withheld(cp->host.ctx, space->owner, cp->gpu, va & ~(PAGE - 1), 0);
}

/* One message, for bytes that lie in one line. */
static void access_send(struct cp *cp, struct transfer *t, uint64_t va, struct msg_mem_req *req, uint8_t *to,
                        unsigned bytes, bool early)
{
    struct cp_space *space = t->queue->space;
    const uint64_t entry = pagetable_entry(space->pt, va);
    if (!entry && !access_awaited(cp, space, va)) {
        t->fault = true;
        return;
    }
    uint32_t place = cp->access_free;
    CHECK(place != NO_PLACE && t->open < ACCESS_OWNER, "cp", "gpu%u: %u accesses of one owner, %u of all", cp->gpu,
          t->open, cp->access_count);
    struct cp_access *a = &cp->accesses[place];
    cp->access_free = a->next;
    a->transfer = t;
    a->to = to;
    a->order = UINT64_MAX;
    a->at = (uint8_t)(va % LINE);
    a->bytes = (uint8_t)bytes;
    cp->access_count++;
    space->accesses++;
    t->queue->accesses++;
    t->open++;
    if (space->deferred || !(entry & PTE_VALID))
        deferred_add(cp, space, place, va, req, early);
    else
        access_go(cp, space, place, entry, va, req, early);
}

void access_read(struct cp *cp, struct transfer *t, uint64_t va, void *to, unsigned bytes, bool early)
{
    uint8_t *at = to;
    memset(to, 0, bytes);
    while (bytes) {
        unsigned left = LINE - (unsigned)(va % LINE), n = bytes < left ? bytes : left;
        struct msg_mem_req req = {.op = MEM_READ_NC}; /* leaves no line in an L2 that clients write behind */
        access_send(cp, t, va, &req, at, n, early);
        at += n;
        va += n;
        bytes -= n;
    }
}

void access_write(struct cp *cp, struct transfer *t, uint64_t va, const void *from, unsigned bytes)
{
    const uint8_t *at = from;
    while (bytes) {
        unsigned place = (unsigned)(va % LINE), n = bytes < LINE - place ? bytes : LINE - place;
        struct msg_mem_req req = {.op = MEM_WRITE, .mask = UINT64_MAX >> (LINE - n) << place};
        memcpy((uint8_t *)req.data + place, at, n);
        access_send(cp, t, va, &req, NULL, n, false);
        at += n;
        va += n;
        bytes -= n;
    }
}

void access_count_down(struct cp *cp, struct transfer *t, uint64_t va)
{
    struct msg_mem_req req = {.op = MEM_ATOMIC, .atomic = ATOMIC_SUB, .size = 8, .data = {1}};
    access_send(cp, t, va, &req, NULL, req.size, false);
}

bool access_same(const struct cp_space *space, uint64_t a, uint64_t b)
{
    uint64_t x = pagetable_lookup(space->pt, a), y = pagetable_lookup(space->pt, b);
    return x && y && access_memory(x) == access_memory(y);
}

bool access_answered(const struct cp *cp, uint64_t order)
{
    for (uint32_t i = 0; i < CP_ACCESSES && cp->access_count; i++)
        if (cp->accesses[i].transfer && cp->accesses[i].order < order)
            return false;
    return true;
}

struct transfer *access_take(struct cp *cp, uint64_t cookie, const struct msg_mem_rsp *rsp)
{
    uint32_t place = (uint32_t)cookie & 0xffff;
    struct cp_access *a = &cp->accesses[place % CP_ACCESSES];
    CHECK(place < CP_ACCESSES && a->transfer && a->generation == (uint16_t)(cookie >> 16), "cp",
          "gpu%u: answer 0x%llx, of which nothing was asked", cp->gpu, (unsigned long long)cookie);
    struct transfer *t = a->transfer;
    if (rsp->status != MEM_OK)
        t->fault = true;
    else if (a->to)
        memcpy(a->to, (const uint8_t *)rsp->data + a->at, a->bytes);
    a->transfer = NULL;
    a->generation++;
    a->next = cp->access_free;
    cp->access_free = place;
    cp->access_count--;
    t->open--;
    return t;
}
