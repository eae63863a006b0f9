/* SPDX-License-Identifier: Apache-2.0
 * Memory side of lock step: loads take the RTL's data and are compared with memory (now, or what it held a short time
 * ago, so that races and caches that may be stale do not count as differences); stores and atomics of an instruction
 * are compared byte by byte with the requests that left the CU.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lockstep/lockstep_private.h"
#include "vm/pagetable.h"
#include "vm/pmem.h"

#define PAGE UINT64_C(4096)

void ls_flush(struct lockstep *ls)
{
    memset(ls->tlb, 0, sizeof ls->tlb);
}

/* Address of the page's byte, or LS_NOWHERE.  A page that is locked may have left the frame that its entry names. */
uint64_t ls_translate(struct lockstep *ls, unsigned gpu, unsigned vmid, uint64_t va)
{
    uint64_t page = va & ~(PAGE - 1);
    uint16_t space = gpu << 8 | vmid;
    if (pmem_moves(ls->memory) != ls->moves)
        ls_flush(ls);
    ls->moves = pmem_moves(ls->memory);
    struct ls_page *p = &ls->tlb[(va / PAGE ^ space) % LS_TLB];
    if (p->va != page + 1 || p->space != space) {
        uint64_t root = ls->roots[gpu * 256 + vmid];
        p->va = 0;
        p->entry = root ? pagetable_walk_entry(ls->memory, root, va) : 0;
        if (!p->entry)
            return LS_NOWHERE;
        if (!(p->entry & PTE_VALID))
            return pmem_page_before(ls->memory, (p->entry & PTE_ADDR) | (va & (PAGE - 1)));
        p->va = page + 1;
        p->space = space;
    }
    return ls_page(ls, (p->entry & PTE_ADDR) | (va & (PAGE - 1)));
}

/* The same for an access of the instruction that is compared, which notes that there is none. */
static uint64_t physical(struct ls_check *c, uint64_t va)
{
    uint64_t pa = ls_translate(c->cu->ls, c->cu->gpu, c->wave->state.vmid, va);
    c->unmapped |= pa == LS_NOWHERE;
    return pa;
}

static struct ls_word *set_of(struct lockstep *ls, uint64_t address)
{
    return ls->history[(address / 4 * UINT64_C(0x9e3779b97f4a7c15) >> 40) % LS_SETS];
}

/* NULL: not written lately. */
static struct ls_word *word_of(struct lockstep *ls, uint64_t address)
{
    struct ls_word *set = set_of(ls, address);
    for (unsigned n = 0; n < LS_WAYS; n++)
        if (set[n].address == address + 1)
            return &set[n];
    return NULL;
}

/* A word as the L2 has it: its own, memory's, or what the last request left that may still be on its way there. */
static uint32_t word_now(struct lockstep *ls, uint64_t cycle, uint64_t address)
{
    const struct ls_word *w = word_of(ls, address);
    uint32_t value = 0;
    if (w && cycle - w->cycle < LS_FLIGHT)
        return w->value[(w->next + LS_VALUES - 1) % LS_VALUES];
    ls_read(ls, address, &value, 4);
    return value;
}

static void remember_value(struct lockstep *ls, uint64_t cycle, uint64_t address, uint32_t value)
{
    struct ls_word *w = word_of(ls, address);
    if (!w) {
        w = set_of(ls, address);
        memmove(w + 1, w, (LS_WAYS - 1) * sizeof *w);
        w->address = address + 1;
        w->next = 0;
        for (unsigned n = 0; n < LS_VALUES; n++)
            w->value[n] = value;
    }
    if (w->value[(w->next + LS_VALUES - 1) % LS_VALUES] != value)
        w->value[w->next++ % LS_VALUES] = value;
    w->cycle = cycle;
}

void ls_replaced(struct lockstep *ls, uint64_t cycle, uint64_t address, uint32_t old)
{
    ls->past[ls->past_count++ % LS_PAST] = (struct ls_past){address, cycle, old};
}

/* A word of a request: its old value in memory and the one it leaves. */
static void remember_word(struct lockstep *ls, uint64_t cycle, uint64_t address, uint32_t value, uint32_t mask)
{
    uint32_t old = word_now(ls, cycle, address);
    ls_replaced(ls, cycle, address, old);
    remember_value(ls, cycle, address, old);
    remember_value(ls, cycle, address, (old & ~mask) | (value & mask));
}

static void remember_atomic(struct lockstep *ls, uint64_t cycle, const struct msg_mem_req *req, uint64_t address,
                            uint64_t operand, uint64_t compare)
{
    uint64_t old = word_now(ls, cycle, address);
    if (req->size == 8)
        old |= (uint64_t)word_now(ls, cycle, address + 4) << 32;
    uint64_t now = gcn3_atomic(req->atomic, req->size, old, operand, compare);
    remember_word(ls, cycle, address, now, UINT32_MAX);
    if (req->size == 8)
        remember_word(ls, cycle, address + 4, now >> 32, UINT32_MAX);
}

void ls_remember(struct lockstep *ls, uint64_t cycle, const struct msg_mem_req *req)
{
    if (req->op == MEM_ATOMIC && !req->mask) {
        remember_atomic(ls, cycle, req, req->addr, req->data[0], req->data[1]);
        return;
    }
    if (req->op == MEM_ATOMIC) {
        for (unsigned at = 0; at < 64 && (req->size == 4 || req->size == 8); at += req->size) {
            uint64_t operand = 0;
            memcpy(&operand, (const uint8_t *)req->data + at, req->size);
            if (req->mask >> at & 1)
                remember_atomic(ls, cycle, req, req->addr + at, operand, 0);
        }
        return;
    }
    for (unsigned k = 0; k < 16; k++) {
        uint32_t enables = req->mask >> 4 * k & 15, mask = 0;
        for (unsigned b = 0; b < 4; b++)
            mask |= enables >> b & 1 ? UINT32_C(0xff) << 8 * b : 0;
        if (mask)
            remember_word(ls, cycle, req->addr + 4 * k, req->data[k / 2] >> 32 * (k & 1), mask);
    }
}

void ls_leaving(struct lockstep *ls, uint64_t cycle, uint64_t address, uint64_t mask, const uint64_t data[8])
{
    for (unsigned k = 0; k < 16; k++)
        if (mask >> 4 * k & 15)
            remember_value(ls, cycle, address + 4 * k, word_now(ls, cycle, address + 4 * k));
    ls_dirty_written(&ls->dirty, cycle, address, mask, data);
}

/* Whether a byte was in memory at some time since `since`, though more than LS_VALUES stores came after it (atomics of
 * 64 lanes on one word).  Slow: for what the remembered values of its word do not explain. */
static bool was_there(const struct lockstep *ls, uint64_t pa, uint8_t byte, uint64_t since)
{
    for (uint64_t n = ls->past_count; n && n + LS_PAST > ls->past_count; n--) {
        const struct ls_past *p = &ls->past[(n - 1) % LS_PAST];
        if (p->cycle < since)
            return false;
        if (p->address == (pa & ~UINT64_C(3)) && (p->value >> 8 * (pa & 3) & 255) == byte)
            return true;
    }
    return false;
}

/* Whether a load may have seen these bytes: memory holds them, or did when a recent store was made; one that no cache
 * has kept (`fresh`) sees none from before its issue, but for the remembered values. */
static bool plausible(const struct ls_check *c, uint64_t pa, const void *seen, unsigned bytes, bool fresh)
{
    struct lockstep *ls = c->cu->ls;
    const uint64_t owner = pmem_frame_of(ls->memory, pa) >> 48;
    uint8_t now[64];
    if (owner && ls->blind >> (owner - 1) & 1)
        return true;
    if (ls_read(ls, pa, now, bytes) == 0 && !memcmp(now, seen, bytes))
        return true;
    for (unsigned k = 0; k < bytes; k++) {
        const struct ls_word *w = word_of(ls, (pa + k) & ~UINT64_C(3));
        uint8_t byte = ((const uint8_t *)seen)[k];
        bool found = now[k] == byte;
        for (unsigned n = 0; w && n < LS_VALUES; n++)
            found |= (w->value[n] >> 8 * ((pa + k) & 3) & 255) == byte;
        if (!found && !was_there(ls, pa + k, byte, fresh ? c->entry->issued : 0))
            return false;
    }
    return true;
}

/* The RTL's value of a destination register. */
static uint32_t rtl_word(const struct ls_check *c, unsigned reg, unsigned lane)
{
    unsigned row = c->wave->vgpr_base + reg;
    uint32_t value = c->wave->state.v[reg][lane];
    for (const struct ls_write *x = c->entry->writes; x; x = x->link)
        if (x->vector && x->row == row && x->lanes >> lane & 1)
            value = x->data[lane];
    return value;
}

static int check_fetch(void *ctx, struct gcn3_wave *w, uint64_t pc, uint64_t *inst)
{
    (void)w, (void)pc;
    *inst = ((struct ls_check *)ctx)->entry->inst;
    return 0;
}

static int check_load(void *ctx, struct gcn3_wave *w, struct gcn3_access *a)
{
    struct ls_check *c = ctx;
    (void)w;
    struct lockstep *ls = c->cu->ls;
    for (uint64_t m = a->mask; m; m &= m - 1) {
        unsigned l = __builtin_ctzll(m);
        uint32_t x[4] = {0};
        for (unsigned k = 0; k < (a->bytes + 3u) / 4; k++)
            a->data[k][l] = x[k] = a->inst->lds ? c->row[l] : rtl_word(c, a->inst->vdst + a->first + k, l);
        uint64_t pa = physical(c, a->va[l]);
        if (a->bytes < 4)
            a->data[0][l] = x[0] &= a->bytes == 1 ? 0xff : 0xffff;
        bool crosses = a->va[l] % PAGE + a->bytes > PAGE;
        if (!c->text[0] && (pa == LS_NOWHERE || (!crosses && !plausible(c, pa, x, a->bytes, a->inst->glc)))) {
            uint32_t now[4] = {0};
            ls_read(ls, pa, now, a->bytes);
            snprintf(c->text, sizeof c->text,
                     "load of lane %u from %lx (physical %lx): rtl %08x %08x, memory %08x %08x", l,
                     (unsigned long)a->va[l], (unsigned long)pa, x[0], x[1], now[0], now[1]);
        }
    }
    return 0;
}

static void put_byte(struct ls_bytes *b, uint64_t address, uint8_t value)
{
    size_t n = address * UINT64_C(0x9e3779b97f4a7c15) >> 48;
    for (;; n++) {
        n &= LS_STORE_BYTES - 1;
        if (b->address[n] == address + 1 || b->count == LS_STORE_BYTES - 1)
            break;
        if (!b->address[n]) {
            b->address[n] = address + 1;
            b->count++;
            break;
        }
    }
    b->value[n] = value;
}

static const uint8_t *get_byte(const struct ls_bytes *b, uint64_t address)
{
    size_t n = address * UINT64_C(0x9e3779b97f4a7c15) >> 48 & (LS_STORE_BYTES - 1);
    for (; b->address[n]; n = (n + 1) & (LS_STORE_BYTES - 1))
        if (b->address[n] == address + 1)
            return &b->value[n];
    return NULL;
}

static void compare_bytes(struct ls_check *c, const struct ls_bytes *rtl, const struct ls_bytes *golden)
{
    for (unsigned n = 0; n < LS_STORE_BYTES && !c->text[0]; n++) {
        uint64_t at = golden->address[n] ? golden->address[n] : rtl->address[n];
        if (!at)
            continue;
        const uint8_t *r = get_byte(rtl, at - 1), *g = get_byte(golden, at - 1);
        if (r && g && *r == *g)
            continue;
        snprintf(c->text, sizeof c->text, "store to physical %lx: rtl %s%02x golden %s%02x (%u bytes against %u)",
                 (unsigned long)(at - 1), r ? "" : "none ", r ? *r : 0, g ? "" : "none ", g ? *g : 0, rtl->count,
                 golden->count);
    }
    for (unsigned n = 0; n < LS_STORE_BYTES && !c->text[0]; n++)
        if (rtl->address[n] && !get_byte(golden, rtl->address[n] - 1))
            snprintf(c->text, sizeof c->text, "store to physical %lx: rtl %02x golden none",
                     (unsigned long)(rtl->address[n] - 1), rtl->value[n]);
}

static int check_store(void *ctx, struct gcn3_wave *w, struct gcn3_access *a)
{
    struct ls_check *c = ctx;
    (void)w;
    for (uint64_t m = a->mask; m; m &= m - 1) {
        unsigned l = __builtin_ctzll(m);
        for (unsigned k = 0; k < a->bytes; k++) {
            uint64_t pa = physical(c, a->va[l] + k);
            if (pa == LS_NOWHERE && !c->text[0])
                snprintf(c->text, sizeof c->text, "store of lane %u to %lx, which is not mapped", l,
                         (unsigned long)a->va[l]);
            put_byte(&c->golden, pa, a->data[k / 4][l] >> 8 * (k & 3));
        }
    }
    return 0;
}

void ls_compare_stores(struct ls_check *c)
{
    struct ls_bytes rtl;
    memset(&rtl, 0, sizeof rtl);
    for (const struct ls_request *r = c->entry->requests; r; r = r->link)
        for (uint64_t m = r->req.op == MEM_WRITE ? r->req.mask : 0; m; m &= m - 1) {
            unsigned b = __builtin_ctzll(m);
            put_byte(&rtl, r->req.addr + b, r->req.data[b / 8] >> 8 * (b & 7));
        }
    compare_bytes(c, &rtl, &c->golden);
}

static uint64_t lane_pair(const struct gcn3_access *a, unsigned word, unsigned lane)
{
    return a->bytes == 8 ? a->data[2 * word][lane] | (uint64_t)a->data[2 * word + 1][lane] << 32 : a->data[word][lane];
}

/* Bytes of a request's line that a lane at `pa` stands for: 0 when it has no such word left. */
static uint64_t lane_bytes(const struct gcn3_access *a, uint64_t pa, const struct ls_request *r)
{
    uint64_t bytes = (a->bytes == 8 ? UINT64_C(0xff) : UINT64_C(0xf)) << (pa & 63);
    if (!r->req.mask)
        return r->taken || r->req.addr != pa ? 0 : UINT64_MAX;
    return r->req.addr != (pa & ~UINT64_C(63)) || (r->req.mask & bytes) != bytes || r->taken & bytes ? 0 : bytes;
}

/* Whether a request is that of this lane: address, operands, and the value returned where that is known; bytes of it.
 */
static uint64_t lane_made(const struct ls_check *c, const struct gcn3_access *a, unsigned l, uint64_t pa,
                          const struct ls_request *r)
{
    uint64_t all = a->bytes == 8 ? UINT64_MAX : UINT32_MAX, back = 0, bytes = lane_bytes(a, pa, r), operand = 0,
             old = 0;
    unsigned at = r->req.mask ? pa & 63 : 0;
    if (!bytes || r->req.atomic != a->atomic_op || r->req.size != a->bytes)
        return 0;
    memcpy(&operand, (const uint8_t *)r->req.data + at, a->bytes);
    memcpy(&old, (const uint8_t *)r->old + at, a->bytes);
    if (operand != lane_pair(a, 0, l))
        return 0;
    if (a->atomic_op == ATOMIC_CMPSWAP && (r->req.mask || (r->req.data[1] & all) != lane_pair(a, 1, l)))
        return 0;
    for (unsigned k = 0; k < a->inst->vdst_w; k++)
        back |= (uint64_t)rtl_word(c, a->inst->vdst + k, l) << 32 * k;
    return !a->inst->vdst_w || !r->ordered || old == back ? bytes : 0;
}

/* Every active lane has exactly one request, or word of one. */
static int check_atomic(void *ctx, struct gcn3_wave *w, struct gcn3_access *a)
{
    struct ls_check *c = ctx;
    (void)w;
    for (uint64_t m = a->mask; m && !c->text[0]; m &= m - 1) {
        unsigned l = __builtin_ctzll(m);
        uint64_t pa = physical(c, a->va[l]);
        struct ls_request *r = c->entry->requests;
        uint64_t bytes = 0;
        while (r && !(bytes = lane_made(c, a, l, pa, r)))
            r = r->link;
        if (r)
            r->taken |= bytes;
        else
            snprintf(c->text, sizeof c->text,
                     "atomic of lane %u to %lx (physical %lx, operand %lx): no request of the RTL like it", l,
                     (unsigned long)a->va[l], (unsigned long)pa, (unsigned long)lane_pair(a, 0, l));
    }
    for (const struct ls_request *r = c->entry->requests; r && !c->text[0]; r = r->link)
        if (r->taken != (r->req.mask ? r->req.mask : UINT64_MAX))
            snprintf(c->text, sizeof c->text, "atomic %u of %lx to physical %lx: no lane of the golden model makes it",
                     r->req.atomic, (unsigned long)r->req.data[0], (unsigned long)r->req.addr);
    for (unsigned k = 0; k < a->inst->vdst_w; k++)
        for (unsigned l = 0; l < 64; l++)
            a->data[k][l] = rtl_word(c, a->inst->vdst + k, l);
    return 0;
}

/* Scalar registers as the RTL wrote them. */
static uint32_t rtl_scalar(const struct ls_check *c, unsigned code)
{
    uint32_t value = c->wave->state.s[code & 127];
    for (const struct ls_write *x = c->entry->writes; x; x = x->link)
        if (!x->vector && code >= x->row && code < x->row + x->count)
            value = x->data[code - x->row];
    return value;
}

static int check_scalar_load(void *ctx, struct gcn3_wave *w, uint64_t va, uint32_t *to, unsigned dwords)
{
    struct ls_check *c = ctx;
    (void)w;
    struct gcn3_inst inst;
    gcn3_decode(c->entry->inst, &inst);
    for (unsigned k = 0; k < dwords; k++) {
        uint64_t pa = physical(c, va + 4 * k);
        to[k] = rtl_scalar(c, inst.sdst + k);
        if (!c->text[0] && (pa == LS_NOWHERE || !plausible(c, pa, &to[k], 4, false))) {
            uint32_t now = 0;
            ls_read(c->cu->ls, pa, &now, 4);
            snprintf(c->text, sizeof c->text, "scalar load from %lx: rtl %08x, memory %08x",
                     (unsigned long)(va + 4 * k), to[k], now);
        }
    }
    return 0;
}

/* The store leaves from the scalar cache: when its instruction has ended, memory holds it, or did a short time ago. */
static int check_scalar_store(void *ctx, struct gcn3_wave *w, uint64_t va, const uint32_t *from, unsigned dwords)
{
    struct ls_check *c = ctx;
    (void)w;
    for (unsigned k = 0; k < dwords && !c->text[0]; k++) {
        uint64_t pa = physical(c, va + 4 * k);
        if (pa != LS_NOWHERE && plausible(c, pa, &from[k], 4, true))
            continue;
        uint32_t now = 0;
        ls_read(c->cu->ls, pa, &now, 4);
        snprintf(c->text, sizeof c->text, "scalar store of %08x to %lx: memory %08x", from[k],
                 (unsigned long)(va + 4 * k), now);
    }
    return 0;
}

static uint64_t check_time(void *ctx, struct gcn3_wave *w)
{
    struct ls_check *c = ctx;
    struct gcn3_inst inst;
    (void)w;
    gcn3_decode(c->entry->inst, &inst);
    return rtl_scalar(c, inst.sdst) | (uint64_t)rtl_scalar(c, inst.sdst + 1) << 32;
}

static void check_interrupt(void *ctx, struct gcn3_wave *w)
{
    (void)ctx, (void)w;
}

const struct gcn3_env ls_env = {NULL,         check_fetch,       check_load, check_store,
                                check_atomic, check_scalar_load, check_time, check_interrupt,
                                NULL,         check_scalar_store};
