/* SPDX-License-Identifier: Apache-2.0
 * Entries of page tables of a page that moves, on every GPU that has it mapped.
 */
#include "base/check.h"
#include "firmware/cp.h"
#include "migrate/move.h"
#include "vm/pagetable.h"
#include "vm/pmem.h"

void views_unlock(struct move *v)
{
    for (size_t i = 0; i < v->count; i++) {
        struct migrate_view *w = &v->view[i];
        CHECK(pagetable_lock(w->pt, w->va, v->pages.bytes, false) == 0, "migrate", "gpu%u: va=%llx", w->gpu,
              (unsigned long long)w->va);
        w->shoot = false;
        w->answer = w->space;
    }
    v->fenced = false;
}

/* Whose entries are written on the first access. */
static bool is_fresh(const struct migrate_view *w, uint64_t bytes)
{
    for (uint64_t at = 0; at < bytes; at += MIGRATE_PAGE)
        if (pagetable_entry(w->pt, w->va + at))
            return false;
    return true;
}

bool views_lock(struct move *v)
{
    for (size_t i = 0; i < v->count; i++)
        v->view[i].fresh = is_fresh(&v->view[i], v->pages.bytes);
    for (size_t i = 0; i < v->count; i++)
        if (pagetable_lock(v->view[i].pt, v->view[i].va, v->pages.bytes, true) < 0) {
            views_unlock(v);
            return false;
        }
    for (size_t i = 0; i < v->count; i++)
        v->view[i].shoot = v->view[i].space && !v->view[i].fresh;
    v->fenced = false;
    return true;
}

void views_map(struct move *v)
{
    for (size_t i = 0; i < v->count; i++) {
        struct migrate_view *w = &v->view[i];
        const bool near = v->to >> PMEM_OWNER_SHIFT == w->gpu + 1;
        const int error = pagetable_map(w->pt, w->va, v->to, v->pages.bytes, near ? w->near : w->far);
        CHECK(error == 0 || w->fresh, "migrate", "gpu%u: va=%llx", w->gpu, (unsigned long long)w->va);
        w->answer = w->space;
    }
    v->fenced = false;
}

/* What is on its way by now is what is waited for: shoot-downs only where entries have been taken away. */
static void fence(struct move *v)
{
    v->fenced = true;
    for (size_t i = 0; i < v->count; i++) {
        struct migrate_view *w = &v->view[i];
        w->tables = w->cp ? cp_tables_asked(w->cp) : 0;
        w->shootdowns = w->cp && v->state == STATE_LOCK ? cp_shootdowns_sent(w->cp) : 0;
    }
}

bool views_written(const struct move *v)
{
    for (size_t i = 0; i < v->count; i++)
        if (v->view[i].cp && cp_tables_done(v->view[i].cp) < v->view[i].tables)
            return false;
    return v->fenced;
}

bool views_answered(const struct move *v)
{
    for (size_t i = 0; i < v->count; i++) {
        const struct migrate_view *w = &v->view[i];
        if (w->cp && (cp_tables_done(w->cp) < w->tables || cp_shootdowns_done(w->cp) < w->shootdowns))
            return false;
    }
    return v->fenced;
}

/* Pages of one address space of which the same is to be told its GPU. */
struct list {
    const struct migrate_view *of;
    uint64_t bytes, va[CP_PAGES];
    size_t count;
};

static bool belongs(const struct list *l, const struct migrate_view *w, uint64_t bytes)
{
    return !l->of || (l->of->space == w->space && l->of->cp == w->cp && l->bytes == bytes);
}

static void add(struct list *l, const struct migrate_view *w, uint64_t bytes)
{
    l->of = w;
    l->bytes = bytes;
    l->va[l->count++] = w->va;
}

/* What its batch, or the dispatchers, still keep is told nobody: what is sent now would not be waited for. */
static bool begun(const struct move *v)
{
    return v->state != STATE_NEW;
}

/* Of the same address space more are wanted. */
static bool more_wanted(const struct migrate *m, const struct list *l)
{
    for (const struct move *v = m->moves; v; v = v->next)
        for (size_t i = 0; begun(v) && i < v->count; i++)
            if (v->view[i].shoot && v->view[i].space == l->of->space && v->view[i].cp == l->of->cp)
                return true;
    return false;
}

/* The next list of those that are wanted; not wanted any more then. */
static bool take(struct migrate *m, struct list *l, bool shoot)
{
    *l = (struct list){0};
    for (struct move *v = m->moves; v && l->count < CP_PAGES; v = v->next)
        for (size_t i = 0; begun(v) && i < v->count && l->count < CP_PAGES; i++) {
            struct migrate_view *w = &v->view[i];
            bool *wanted = shoot ? &w->shoot : &w->answer;
            if (!*wanted || !belongs(l, w, v->pages.bytes))
                continue;
            *wanted = false;
            add(l, w, v->pages.bytes);
        }
    return l->count;
}

void views_send(struct migrate *m)
{
    struct list l;
    while (take(m, &l, true))
        cp_pages_shootdown(l.of->cp, l.of->space, l.va, l.count, l.bytes, more_wanted(m, &l));
    while (take(m, &l, false))
        cp_pages_answer(l.of->cp, l.of->space, l.va, l.count, l.bytes);
    for (struct move *v = m->moves; v; v = v->next)
        if (begun(v) && !v->fenced)
            fence(v);
}

void views_tell(const struct move *v, FILE *out)
{
    for (size_t i = 0; i < v->count; i++) {
        const struct migrate_view *w = &v->view[i];
        if (w->cp && cp_tables_done(w->cp) < w->tables)
            fprintf(out, "; gpu%u has not answered a write to its page tables", w->gpu);
        else if (w->cp && cp_shootdowns_done(w->cp) < w->shootdowns)
            fprintf(out, "; gpu%u has not answered the shoot-down of 0x%llx", w->gpu, (unsigned long long)w->va);
    }
}

bool views_meet_kernels(const struct move *v)
{
    for (size_t i = 0; i < v->count; i++)
        if (v->view[i].space && !cp_space_rests(v->view[i].cp, v->view[i].space))
            return true;
    return false;
}
