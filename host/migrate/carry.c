/* SPDX-License-Identifier: Apache-2.0
 * How the bytes of a page come to its new place.  Golden GPUs have no caches: the host copies.  RTL GPUs carry them:
 * the lines are written back by the slices of the home, then the page-move engine of the home sends them to that of the
 * other GPU, an order for each piece of frames that lie behind one another.  An order takes one of PAGE_MOVES places at
 * the one engine and one of PAGE_SLOTS at the other, until both have reported; orders that find none wait here, in the
 * order of moves.
 */
#include <stdlib.h>

#include "base/check.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "firmware/cp.h"
#include "migrate/copy.h"
#include "migrate/move.h"
#include "vm/pmem.h"

#define LOW_FLAGS UINT64_C(0xfff)

static unsigned gpu_at(uint64_t frame)
{
    return (unsigned)(frame >> PMEM_OWNER_SHIFT) - 1;
}

static struct cp *cp_at(const struct migrate *m, uint64_t frame)
{
    return m->host.cp(m->host.ctx, gpu_at(frame));
}

static struct engine *engine_at(const struct migrate *m, uint64_t frame)
{
    return &m->engine[gpu_at(frame)];
}

/* The pages of a block may have gone different ways before. */
void pieces_make(struct move *v)
{
    const struct pmem *pm = v->owner->pm;
    v->piece = xcalloc(v->pages.bytes / MIGRATE_PAGE, sizeof *v->piece);
    for (uint64_t at = 0; at < v->pages.bytes; at += MIGRATE_PAGE) {
        struct piece *last = v->pieces ? &v->piece[v->pieces - 1] : NULL;
        const uint64_t from = pmem_frame_of(pm, v->pages.at + at);
        if (last && last->from + last->bytes == from)
            last->bytes += MIGRATE_PAGE;
        else
            v->piece[v->pieces++] =
                (struct piece){.move = v, .from = from, .to = v->to + at, .bytes = MIGRATE_PAGE, .slot = PAGE_NO_SLOT};
    }
}

void carry_copy(struct move *v)
{
    for (uint64_t at = 0; at < v->pages.bytes; at += MIGRATE_PAGE)
        copy_page(v->owner->pm, v->pages.at + at, v->to + at);
}

void carry_flush(struct move *v)
{
    for (size_t i = 0; i < v->pieces; i++)
        v->piece[i].flush = true;
    v->open = (unsigned)v->pieces;
}

void carry_push(struct move *v)
{
    v->open = v->unsent = (unsigned)v->pieces;
}

void carry_stop(struct move *v)
{
    v->open -= v->unsent;
    v->unsent = 0;
    for (size_t i = 0; i < v->pieces; i++) {
        v->open -= v->piece[i].flush;
        v->piece[i].flush = false;
    }
}

bool carry_begun(const struct move *v)
{
    for (size_t i = 0; i < v->pieces; i++)
        if (v->piece[i].left || v->piece[i].slot != PAGE_NO_SLOT)
            return true;
    return false;
}

/* ---- answers */
static void answered(struct move *v, enum move_event good)
{
    struct migrate *m = v->owner;
    if (--v->open == 0)
        m->happens(v, v->failed ? EVENT_FAILED : good);
    views_send(m);
    carry_send(m);
}

/* Pieces whose lines are written back by one command. */
struct flush {
    size_t count;
    struct piece *piece[CP_PAGES];
};

static void flushed(void *ctx, const struct page_report *r)
{
    struct flush *f = ctx;
    engine_at(f->piece[0]->move->owner, f->piece[0]->from)->flushing--;
    for (size_t i = 0; i < f->count; i++) {
        f->piece[i]->flushing = false;
        f->piece[i]->move->failed |= r->refused;
        answered(f->piece[i]->move, EVENT_FLUSHED);
    }
    free(f);
}

/* The next piece in the order of moves that is to be written back, by the GPU of `like` and as large, if there is one.
 */
static struct piece *next_flush(const struct migrate *m, const struct piece *like)
{
    for (struct move *v = m->moves; v; v = v->next)
        for (size_t i = 0; i < v->pieces; i++) {
            struct piece *p = &v->piece[i];
            if (p->flush && (like || engine_at(m, p->from)->flushing < CARRY_FLUSHES) &&
                (!like || (gpu_at(p->from) == gpu_at(like->from) && p->bytes == like->bytes)))
                return p;
        }
    return NULL;
}

/* Each command waits by itself: its pages can go while those behind it are written back.  A bounded number of
 * commands waits for answers (maintenance/page_commands.c). */
static void flush_send(struct migrate *m, struct piece *first)
{
    struct flush *f = xzalloc(sizeof *f);
    uint64_t at[CP_PAGES];
    engine_at(m, first->from)->flushing++;
    for (struct piece *p = first; p && f->count < CP_PAGES; p = next_flush(m, first)) {
        p->flush = false;
        p->flushing = true;
        at[f->count] = p->from & PMEM_OFFSET_MASK;
        f->piece[f->count++] = p;
    }
    page_flush(cp_at(m, first->from), at, f->count, first->bytes, flushed, f);
}

static bool bad(const struct page_report *r)
{
    return r->refused || r->status != MOVE_OK;
}

/* Lines may have come that it has not counted for this page, and would for the next one. */
static bool miscounted(const struct page_report *stored)
{
    return stored->refused || stored->status == MOVE_DISCARDED;
}

/* Both have told: their places are free. */
static void ended(struct piece *p)
{
    struct move *v = p->move;
    engine_at(v->owner, p->from)->leaving--;
    if (p->stored.refused) /* lines may have come of which the engine was never told */
        log_error("migrate", "gpu%u: slot %u of its page-move engine is lost", gpu_at(p->to), p->slot);
    else
        engine_at(v->owner, p->to)->slots &= ~(1u << p->slot);
    v->failed |= bad(&p->moved) || bad(&p->stored) || p->cleared;
    answered(v, EVENT_ARRIVED);
}

static void came(void *ctx, const struct page_report *r);

/* The home has sent all that it ever will.  What the other side still waits for does not come, and what has come
 * without its knowing is to be forgotten: its slot is given up. */
static void settle(struct piece *p)
{
    if (!p->left)
        return;
    if (!p->cleared && ((!p->came && bad(&p->moved)) || (p->came && miscounted(&p->stored)))) {
        p->cleared = true;
        p->came = false;
        page_store(cp_at(p->move->owner, p->to), p->slot, 0, came, p);
    } else if (p->came) {
        ended(p);
    }
}

static void left(void *ctx, const struct page_report *r)
{
    struct piece *p = ctx;
    p->left = true;
    p->moved = *r;
    settle(p);
}

static void came(void *ctx, const struct page_report *r)
{
    struct piece *p = ctx;
    p->came = true;
    p->stored = *r;
    settle(p);
}

/* ---- orders */
static void order(struct piece *p)
{
    struct migrate *m = p->move->owner;
    struct engine *home = engine_at(m, p->from), *there = engine_at(m, p->to);
    if (home->leaving == PAGE_MOVES || there->slots == (1u << PAGE_SLOTS) - 1)
        return;
    for (p->slot = 0; there->slots >> p->slot & 1;)
        p->slot++;
    there->slots |= 1u << p->slot;
    home->leaving++;
    p->move->unsent--;
    if (!p->move->sent)
        p->move->sent = m->host.now(m->host.ctx);
    const struct page_order order = {.slot = p->slot,
                                     .flags = (uint16_t)(p->move->view[0].near & LOW_FLAGS),
                                     .source = p->from & PMEM_OFFSET_MASK,
                                     .target = p->to,
                                     .bytes = p->bytes};
    page_store(cp_at(m, p->to), p->slot, p->bytes, came, p);
    page_move(cp_at(m, p->from), &order, left, p);
}

void carry_send(struct migrate *m)
{
    for (struct piece *first; (first = next_flush(m, NULL));)
        flush_send(m, first);
    for (struct move *v = m->moves; v; v = v->next) {
        for (size_t i = 0; v->unsent && i < v->pieces; i++)
            if (v->piece[i].slot == PAGE_NO_SLOT)
                order(&v->piece[i]);
    }
}

/* S1.13: as many lines, the same bytes, the same flags. */
void carry_check(const struct move *v)
{
    for (size_t i = 0; i < v->pieces; i++) {
        const struct page_report *a = &v->piece[i].moved, *b = &v->piece[i].stored;
        const uint64_t lines = v->piece[i].bytes / PAGE_LINE;
        CHECK(a->lines == lines && b->lines == lines && a->checksum == b->checksum && a->flags == b->flags &&
                  a->flags == (v->view[0].near & LOW_FLAGS),
              "migrate",
              "page %llx, %llx to %llx: %llu lines, flags %x: sent %u, sum %llx, flags %x; came %u, sum %llx, flags %x",
              (unsigned long long)v->pages.at, (unsigned long long)v->piece[i].from, (unsigned long long)v->piece[i].to,
              (unsigned long long)lines, (unsigned)(v->view[0].near & LOW_FLAGS), a->lines,
              (unsigned long long)a->checksum, a->flags, b->lines, (unsigned long long)b->checksum, b->flags);
    }
}

void carry_tell(const struct move *v, FILE *out)
{
    for (size_t i = 0; i < v->pieces && v->open; i++) {
        const struct piece *p = &v->piece[i];
        if (p->flushing)
            fprintf(out, "; gpu%u has not written 0x%llx back", gpu_at(p->from), (unsigned long long)p->from);
        else if (p->flush)
            fprintf(out, "; 0x%llx waits for caches", (unsigned long long)p->from);
        else if (p->slot == PAGE_NO_SLOT && v->unsent)
            fprintf(out, "; 0x%llx waits for an engine", (unsigned long long)p->from);
        else if (p->slot != PAGE_NO_SLOT && !p->left)
            fprintf(out, "; gpu%u has not reported 0x%llx as sent", gpu_at(p->from), (unsigned long long)p->from);
        else if (p->slot != PAGE_NO_SLOT && !p->came)
            fprintf(out, "; gpu%u has not reported 0x%llx as stored, slot %u", gpu_at(p->to), (unsigned long long)p->to,
                    p->slot);
    }
}
