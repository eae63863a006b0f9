/* SPDX-License-Identifier: Apache-2.0
 * Memory of the golden GPU: a software TLB over the page tables in simulated memory, and the callbacks of
 * struct gcn3_env.  No caches: every access reaches memory in program order.  Several host threads (and clients) may
 * access the same bytes: aligned elements are loaded and stored whole, by words of 4 or 8 bytes.
 */
#include <string.h>

#include "base/check.h"
#include "base/xalloc.h"
#include "golden/golden_private.h"
#include "vm/pagetable.h"
#include "vm/pmem.h"

#define PAGE_BYTES UINT64_C(4096)

static uint8_t *host_page(struct golden *g, uint64_t pa)
{
    uint64_t offset = pa & PMEM_OFFSET_MASK;
    unsigned owner = pa >> PMEM_OWNER_SHIFT & 255;
    if (owner)
        return pmem_vram(g->memory, owner - 1, offset, PAGE_BYTES);
    return offset < PMEM_WINDOW_BASE ? pmem_gtt(g->memory, offset, PAGE_BYTES) : NULL;
}

static struct golden_page *find_page(struct golden_worker *k, unsigned vmid, uint64_t va)
{
    struct golden *g = k->g;
    uint64_t page = va & ~(PAGE_BYTES - 1);
    struct golden_page *p = &k->tlb[(va / PAGE_BYTES ^ vmid) % GOLDEN_TLB];
    if (p->va == (page | 1) && p->vmid == vmid)
        return p;
    uint64_t entry = g->roots[vmid] ? pagetable_walk(g->memory, g->roots[vmid], va) : 0;
    if (!(entry & PTE_VALID))
        return NULL;
    const uint8_t *guards = pmem_guards(g->memory, (unsigned)((entry & PTE_ADDR) >> PMEM_OWNER_SHIFT) - 1);
    CHECK(!guards || guards[(entry & PTE_ADDR & PMEM_OFFSET_MASK) / PAGE_BYTES] == PMEM_OPEN, "golden",
          "vmid %u: page 0x%llx leads to frame 0x%llx, whose page moves", vmid, (unsigned long long)page,
          (unsigned long long)(entry & PTE_ADDR));
    p->va = page | 1;
    p->vmid = vmid;
    p->pa = entry & PTE_ADDR;
    p->bytes = host_page(g, p->pa);
    p->readable = entry & PTE_R;
    p->writable = entry & PTE_W;
    p->executable = entry & PTE_X;
    return p;
}

void golden_mem_flush(struct golden *g)
{
    g->flushes++;
    g->generation++;
}

void golden_worker_look(struct golden_worker *k)
{
    if (k->flushes == k->g->flushes)
        return;
    memset(k->tlb, 0, sizeof k->tlb);
    k->flushes = k->g->flushes;
}

enum right { RIGHT_READ, RIGHT_WRITE, RIGHT_EXECUTE };

static inline void get_bytes(void *to, const uint8_t *from, unsigned bytes)
{
    const uintptr_t odd = (uintptr_t)from | bytes;
    uint8_t *out = to;
    for (unsigned n = 0; n < bytes;) {
        if (odd % 8 == 0) {
            uint64_t x = __atomic_load_n((const uint64_t *)(const void *)(from + n), __ATOMIC_RELAXED);
            memcpy(out + n, &x, 8);
            n += 8;
        } else if (odd % 4 == 0) {
            uint32_t x = __atomic_load_n((const uint32_t *)(const void *)(from + n), __ATOMIC_RELAXED);
            memcpy(out + n, &x, 4);
            n += 4;
        } else if (odd % 2 == 0) {
            uint16_t x = __atomic_load_n((const uint16_t *)(const void *)(from + n), __ATOMIC_RELAXED);
            memcpy(out + n, &x, 2);
            n += 2;
        } else {
            out[n] = __atomic_load_n(from + n, __ATOMIC_RELAXED);
            n++;
        }
    }
}

static inline void put_bytes(uint8_t *to, const void *from, unsigned bytes)
{
    const uintptr_t odd = (uintptr_t)to | bytes;
    const uint8_t *in = from;
    for (unsigned n = 0; n < bytes;) {
        if (odd % 8 == 0) {
            uint64_t x;
            memcpy(&x, in + n, 8);
            __atomic_store_n((uint64_t *)(void *)(to + n), x, __ATOMIC_RELAXED);
            n += 8;
        } else if (odd % 4 == 0) {
            uint32_t x;
            memcpy(&x, in + n, 4);
            __atomic_store_n((uint32_t *)(void *)(to + n), x, __ATOMIC_RELAXED);
            n += 4;
        } else if (odd % 2 == 0) {
            uint16_t x;
            memcpy(&x, in + n, 2);
            __atomic_store_n((uint16_t *)(void *)(to + n), x, __ATOMIC_RELAXED);
            n += 2;
        } else {
            __atomic_store_n(to + n, in[n], __ATOMIC_RELAXED);
            n++;
        }
    }
}

/* Memory of a client: no host pointer, no atomic access; one thread at a time. */
static int touch_window(struct golden *g, uint64_t pa, void *buffer, unsigned bytes, bool write)
{
    pthread_mutex_lock(&g->window);
    int status = write ? pmem_write(g->memory, pa, buffer, bytes) : pmem_read(g->memory, pa, buffer, bytes);
    pthread_mutex_unlock(&g->window);
    return status < 0 ? FAULT_BUS : 0;
}

/* One piece of an access that does not cross a page. */
static int touch_page(struct golden_worker *k, unsigned vmid, uint64_t va, void *buffer, unsigned bytes,
                      enum right right)
{
    struct golden_page *p = find_page(k, vmid, va);
    uint64_t offset = va & (PAGE_BYTES - 1);
    if (!p)
        return FAULT_NOT_PRESENT;
    if (right == RIGHT_WRITE ? !p->writable : right == RIGHT_READ ? !p->readable : !p->executable)
        return right == RIGHT_WRITE ? FAULT_READ_ONLY : right == RIGHT_READ ? FAULT_NOT_PRESENT : FAULT_NO_EXECUTE;
    if (!p->bytes)
        return touch_window(k->g, p->pa + offset, buffer, bytes, right == RIGHT_WRITE);
    if (k->g->touched)
        golden_touch_access(k, p->pa + offset, bytes, right == RIGHT_WRITE);
    if (right == RIGHT_WRITE)
        put_bytes(p->bytes + offset, buffer, bytes);
    else
        get_bytes(buffer, p->bytes + offset, bytes);
    return 0;
}

static int touch(struct golden_worker *k, unsigned vmid, uint64_t va, void *buffer, unsigned bytes, enum right right)
{
    uint64_t room = PAGE_BYTES - (va & (PAGE_BYTES - 1));
    if (bytes <= room)
        return touch_page(k, vmid, va, buffer, bytes, right);
    int fault = touch_page(k, vmid, va, buffer, room, right);
    return fault ? fault : touch_page(k, vmid, va + room, (uint8_t *)buffer + room, bytes - room, right);
}

static int fetch(void *ctx, struct gcn3_wave *w, uint64_t pc, uint64_t *inst)
{
    uint32_t dword[2] = {0};
    golden_touch_begin(ctx, false);
    int fault = touch(ctx, w->vmid, pc, &dword[0], 4, RIGHT_EXECUTE);
    if (!fault)
        touch(ctx, w->vmid, pc + 4, &dword[1], 4, RIGHT_EXECUTE); /* may lie beyond the end of the program */
    *inst = dword[0] | (uint64_t)dword[1] << 32;
    return fault;
}

/* Memory that is the wavefront's own. */
static bool is_scratch(const struct gcn3_wave *w, const struct gcn3_access *a)
{
    return a->scratch && ((const struct golden_group *)w->owner)->has_scratch;
}

static int load(void *ctx, struct gcn3_wave *w, struct gcn3_access *a)
{
    golden_touch_begin(ctx, is_scratch(w, a));
    for (uint64_t m = a->mask; m; m &= m - 1) {
        unsigned l = __builtin_ctzll(m);
        uint32_t x[4] = {0};
        int fault = touch(ctx, w->vmid, a->va[l], x, a->bytes, RIGHT_READ);
        if (fault) {
            a->fault_va = a->va[l];
            return fault;
        }
        for (unsigned k = 0; k < (a->bytes + 3u) / 4; k++)
            a->data[k][l] = x[k];
    }
    return 0;
}

static int store(void *ctx, struct gcn3_wave *w, struct gcn3_access *a)
{
    const bool private = is_scratch(w, a);
    golden_touch_begin(ctx, private);
    for (uint64_t m = a->mask; m; m &= m - 1) {
        unsigned l = __builtin_ctzll(m);
        uint32_t x[4] = {a->data[0][l]};
        for (unsigned k = 1; k < (a->bytes + 3u) / 4; k++)
            x[k] = a->data[k][l];
        int fault = touch(ctx, w->vmid, a->va[l], x, a->bytes, RIGHT_WRITE);
        if (fault) {
            a->fault_va = a->va[l];
            return fault;
        }
        if (!private)
            golden_write_bytes(ctx, w->vmid, a->va[l], x, a->bytes);
    }
    return 0;
}

/* Old value of one lane's atomic; the client may act on the same word, so the update is atomic on the host too. */
static int atomic_lane(struct golden_worker *k, unsigned vmid, uint64_t va, const struct gcn3_access *a,
                       uint64_t operand, uint64_t compare, uint64_t *old)
{
    if (va % a->bytes)
        return FAULT_ALIGN;
    struct golden_page *p = find_page(k, vmid, va);
    if (!p || !p->readable)
        return FAULT_NOT_PRESENT;
    if (!p->writable)
        return FAULT_READ_ONLY;
    if (!p->bytes) {
        pthread_mutex_lock(&k->g->window);
        int status = pmem_atomic(k->g->memory, p->pa + va % PAGE_BYTES, a->atomic_op, a->bytes, operand, compare, old);
        pthread_mutex_unlock(&k->g->window);
        return status ? FAULT_BUS : 0;
    }
    if (k->g->touched)
        golden_touch_access(k, p->pa + va % PAGE_BYTES, a->bytes, false);
    uint8_t *at = p->bytes + va % PAGE_BYTES;
    if (a->bytes == 8) {
        uint64_t seen = __atomic_load_n((uint64_t *)(void *)at, __ATOMIC_RELAXED);
        while (!__atomic_compare_exchange_n((uint64_t *)(void *)at, &seen,
                                            gcn3_atomic(a->atomic_op, 8, seen, operand, compare), false,
                                            __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
        }
        *old = seen;
        return 0;
    }
    uint32_t seen = __atomic_load_n((uint32_t *)(void *)at, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n((uint32_t *)(void *)at, &seen,
                                        (uint32_t)gcn3_atomic(a->atomic_op, 4, seen, operand, compare), false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
    }
    *old = seen;
    return 0;
}

static int atomic(void *ctx, struct gcn3_wave *w, struct gcn3_access *a)
{
    bool wide = a->bytes == 8;
    golden_touch_begin(ctx, false);
    for (uint64_t m = a->mask; m; m &= m - 1) {
        unsigned l = __builtin_ctzll(m);
        uint64_t operand = a->data[0][l] | (wide ? (uint64_t)a->data[1][l] << 32 : 0), compare = 0, old = 0;
        if (a->atomic_op == MEMOP_CMPSWAP)
            compare = wide ? a->data[2][l] | (uint64_t)a->data[3][l] << 32 : a->data[1][l];
        int fault = atomic_lane(ctx, w->vmid, a->va[l], a, operand, compare, &old);
        if (fault) {
            a->fault_va = a->va[l];
            return fault;
        }
        golden_write_atomic(ctx, w->vmid, a->va[l], a, operand, compare);
        a->data[0][l] = old;
        a->data[1][l] = old >> 32;
    }
    return 0;
}

static int scalar_load(void *ctx, struct gcn3_wave *w, uint64_t va, uint32_t *to, unsigned dwords)
{
    golden_touch_begin(ctx, false);
    int fault = touch(ctx, w->vmid, va, to, 4 * dwords, RIGHT_READ);
    if (fault)
        w->fault_va = va;
    return fault;
}

static int scalar_store(void *ctx, struct gcn3_wave *w, uint64_t va, const uint32_t *from, unsigned dwords)
{
    uint32_t data[4] = {0};
    memcpy(data, from, 4 * dwords);
    golden_touch_begin(ctx, false);
    int fault = touch(ctx, w->vmid, va, data, 4 * dwords, RIGHT_WRITE);
    if (fault)
        w->fault_va = va;
    else
        golden_write_bytes(ctx, w->vmid, va, data, 4 * dwords);
    return fault;
}

static uint64_t now(void *ctx, struct gcn3_wave *w)
{
    return golden_clock_read(ctx, w);
}

static void yield(void *ctx, struct gcn3_wave *w)
{
    (void)w;
    ((struct golden_worker *)ctx)->yielded = true;
}

static void interrupt(void *ctx, struct gcn3_wave *w)
{
    struct golden_group *group = w->owner;
    (void)ctx;
    struct msg_cp_evt evt = {.kind = CP_EVT_INTERRUPT, .vmid = w->vmid, .id = group->launch->cmd.id, .pc = w->pc};
    evt.wave = w->hw_id & 63; /* {SIMD, slot}, as in golden_group.c */
    evt.data = WAVE_M0(w);
    golden_group_event(group, &evt);
}

struct golden_worker *golden_worker_new(struct golden *g)
{
    struct golden_worker *k = xcalloc(1, sizeof *k);
    k->g = g;
    k->env = (struct gcn3_env){k, fetch, load, store, atomic, scalar_load, now, interrupt, yield, scalar_store};
    return k;
}
