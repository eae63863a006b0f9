/* SPDX-License-Identifier: Apache-2.0
 * L2 side of lock step: the order in which stores and atomics take effect.  Every request of a CU to its GPU's own
 * memory must take effect once, unchanged, before its instruction ends; an atomic must find the value that the stores
 * and atomics before it left.
 */
#include <stdio.h>
#include <string.h>

#include "lockstep/lockstep_private.h"

struct ls_atomic { /* a word of one */
    uint64_t address, found, operand, compare, expected;
};

static struct ls_shadow *shadow_of(struct lockstep *ls, uint64_t address)
{
    struct ls_shadow *s = &ls->shadow[(address / 4 * UINT64_C(0x9e3779b97f4a7c15) >> 40) % LS_HISTORY];
    if (s->address != address + 1) {
        s->address = address + 1;
        s->known = 0;
    }
    return s;
}

static void shadow_write(struct lockstep *ls, uint64_t address, uint32_t value, uint32_t mask)
{
    struct ls_shadow *s = shadow_of(ls, address);
    s->value = (s->value & ~mask) | (value & mask);
    s->known |= mask;
}

static void shadow_store(struct lockstep *ls, const struct lockstep_order *r)
{
    for (unsigned k = 0; k < 16; k++) {
        uint32_t enables = r->mask >> 4 * k & 15, mask = 0;
        for (unsigned b = 0; b < 4; b++)
            mask |= enables >> b & 1 ? UINT32_C(0xff) << 8 * b : 0;
        if (mask)
            shadow_write(ls, r->addr + 4 * k, r->data[k / 2] >> 32 * (k & 1), mask);
    }
}

/* One word of an atomic: false when the value found differs from the one that was left. */
static bool shadow_atomic_word(struct lockstep *ls, const struct lockstep_order *r, struct ls_atomic *a)
{
    bool same = true;
    a->expected = 0;
    for (unsigned k = 0; k < r->size / 4u; k++) {
        const struct ls_shadow *s = shadow_of(ls, a->address + 4 * k);
        uint32_t found = a->found >> 32 * k;
        a->expected |= (uint64_t)s->value << 32 * k;
        same = same && !((found ^ s->value) & s->known);
    }
    uint64_t now = gcn3_atomic(r->atomic, r->size, a->found, a->operand, a->compare);
    for (unsigned k = 0; k < r->size / 4u; k++)
        shadow_write(ls, a->address + 4 * k, now >> 32 * k, UINT32_MAX);
    return same;
}

/* All words; of those that differ the first is left in `a`. */
static bool shadow_atomic(struct lockstep *ls, const struct lockstep_order *r, struct ls_atomic *a)
{
    bool same = true;
    *a = (struct ls_atomic){r->addr, r->data[2], r->data[0], r->data[1], 0};
    if (!r->line)
        return shadow_atomic_word(ls, r, a);
    for (unsigned at = 0; at < 64 && (r->size == 4 || r->size == 8); at += r->size) {
        struct ls_atomic word = {.address = r->addr + at};
        if (!(r->mask >> at & 1))
            continue;
        memcpy(&word.found, (const uint8_t *)r->old + at, r->size);
        memcpy(&word.operand, (const uint8_t *)r->data + at, r->size);
        if (!shadow_atomic_word(ls, r, &word) && same) {
            same = false;
            *a = word;
        }
    }
    return same;
}

/* What a load may have found until now, and not, if it was issued then, what was there when the request left its CU. */
static void replaced(struct lockstep *ls, uint64_t cycle, const struct lockstep_order *r)
{
    const bool line = r->op != MEM_ATOMIC || r->line;
    for (unsigned k = 0; k < (line ? 16u : r->size / 4u); k++) {
        const uint64_t address = line ? (r->addr & ~UINT64_C(63)) + 4 * k : r->addr + 4 * k;
        uint32_t old = r->op == MEM_ATOMIC ? (line ? r->old[k / 2] >> 32 * (k & 1) : r->data[2] >> 32 * k) : 0;
        if (line && !(r->mask >> 4 * k & 15))
            continue;
        if (r->op != MEM_ATOMIC)
            ls_read(ls, address, &old, sizeof old);
        ls_replaced(ls, cycle, address, old);
    }
}

/* What the L2 holds from now on, until it has gone to DRAM. */
static void hold(struct lockstep *ls, uint64_t cycle, const struct lockstep_order *r)
{
    uint8_t bytes[64];
    memcpy(bytes, r->data, sizeof bytes);
    const unsigned size = r->size == 8 ? 8 : 4;
    if (r->op == MEM_ATOMIC && !r->line) {
        uint64_t now = gcn3_atomic(r->atomic, r->size, r->data[2], r->data[0], r->data[1]);
        memcpy(bytes + r->addr % 64, &now, size);
    }
    for (unsigned at = 0; r->op == MEM_ATOMIC && r->line && at < 64; at += size) { /* those of the mask count */
        uint64_t found = 0, operand = 0;
        memcpy(&found, (const uint8_t *)r->old + at, size);
        memcpy(&operand, (const uint8_t *)r->data + at, size);
        uint64_t now = gcn3_atomic(r->atomic, r->size, found, operand, 0);
        memcpy(bytes + at, &now, size);
    }
    ls_dirty_put(&ls->dirty, cycle, r->addr & ~UINT64_C(63), r->mask, bytes);
}

void lockstep_dram(struct lockstep *ls, unsigned gpu, uint64_t cycle, const struct msg_dram_req *req)
{
    if (req->write)
        ls_leaving(ls, cycle, ls_page(ls, (gpu + UINT64_C(1)) << 48 | req->addr), req->mask, req->data);
}

static bool same_request(const struct msg_mem_req *q, const struct lockstep_order *r)
{
    if (q->op != r->op || q->addr != r->addr)
        return false;
    if (r->op == MEM_ATOMIC && (q->atomic != r->atomic || q->size != r->size || (q->mask != 0) != r->line))
        return false;
    if (r->op == MEM_ATOMIC && !r->line) {
        uint64_t all = r->size == 8 ? UINT64_MAX : UINT32_MAX;
        return !((q->data[0] ^ r->data[0]) & all);
    }
    if (q->mask != r->mask)
        return false;
    for (unsigned b = 0; b < 64; b++)
        if (q->mask >> b & 1 && (q->data[b / 8] ^ r->data[b / 8]) >> 8 * (b & 7) & 255)
            return false;
    return true;
}

/* The request of a CU of this GPU that the record stands for, and whose it is. */
static struct ls_request *find_request(struct lockstep *ls, unsigned gpu, const struct lockstep_order *r,
                                       const struct ls_entry **of)
{
    struct ls_cu *cu = r->source < ls->cus ? ls->cu[gpu * ls->cus + r->source] : NULL;
    struct ls_wave *w = cu ? &cu->wave[r->user & 63] : NULL;
    for (size_t n = 0; w && w->active && n < w->count; n++) {
        struct ls_entry *e = &w->queue[(w->head + n) & (w->room - 1)];
        for (struct ls_request *q = e->tag == (r->user >> 8 & 255) ? e->requests : NULL; q; q = q->link)
            if (!q->ordered && same_request(&q->req, r)) {
                *of = e;
                return q;
            }
    }
    return NULL;
}

static void remember_order(struct lockstep *ls, uint64_t cycle, const struct lockstep_order *r)
{
    struct msg_mem_req req = {.op = MEM_WRITE, .addr = r->addr, .mask = r->mask};
    memcpy(req.data, r->data, sizeof req.data);
    ls_remember(ls, cycle, &req);
}

void lockstep_order(struct lockstep *ls, unsigned gpu, uint64_t cycle, const struct lockstep_order *record)
{
    struct lockstep_order known = *record, *r = &known;
    known.addr = ls_page(ls, record->addr);
    struct ls_atomic first;
    const struct ls_entry *entry = NULL;
    struct ls_request *q = ls->failed ? NULL : find_request(ls, gpu, r, &entry);
    struct ls_cu *cu = r->source < ls->cus ? ls->cu[gpu * ls->cus + r->source] : NULL;
    if (ls->failed)
        return;
    replaced(ls, cycle, r);
    hold(ls, cycle, r);
    if (q) {
        q->ordered = true;
        memcpy(q->old, r->line ? r->old : &r->data[2], r->line ? sizeof q->old : sizeof q->old[0]);
    }
    if (r->op == MEM_WRITE && !cu) /* of a scalar cache: nobody saw it leave */
        remember_order(ls, cycle, r);
    if (r->op != MEM_ATOMIC) {
        shadow_store(ls, r);
    } else if (!shadow_atomic(ls, r, &first) && cu) {
        char text[200];
        snprintf(text, sizeof text, "atomic %u at physical %lx found %lx, the last store or atomic left %lx", r->atomic,
                 (unsigned long)first.address, (unsigned long)first.found, (unsigned long)first.expected);
        ls_report(&cu->wave[r->user & 63], entry, cycle, text);
    }
}

void ls_compare_order(struct ls_check *c)
{
    for (const struct ls_request *q = c->entry->requests; q && !c->text[0]; q = q->link)
        if (!q->ordered && q->own)
            snprintf(c->text, sizeof c->text, "%s to physical %lx never took effect in the L2",
                     q->req.op == MEM_ATOMIC ? "atomic" : "store", (unsigned long)q->req.addr);
}
