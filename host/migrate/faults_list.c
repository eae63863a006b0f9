/* SPDX-License-Identifier: Apache-2.0
 * The list of first accesses that wait, and its clock; contract in faults_private.h.
 */
#include "migrate/faults_private.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/xalloc.h"

/* By virtual address: a page may have several. */
struct fault *fault_find(const struct faults *f, const void *owner, unsigned gpu, uint64_t va, uint64_t bytes)
{
    struct fault *x = f->first;
    while (x && (x->owner != owner || x->gpu != gpu || x->unit >= va + bytes || va >= x->unit + x->bytes))
        x = x->next;
    return x;
}

struct fault *fault_new(struct faults *f, const struct fault *like, const struct fault_place *p)
{
    struct fault **link = &f->first, *x = xzalloc(sizeof *x);
    while (*link)
        link = &(*link)->next;
    *x = *like;
    x->next = NULL;
    x->unit = p->va;
    x->page = p->page;
    x->bytes = p->bytes;
    x->at = f->host.now(f->host.ctx);
    CHECK(f->count < FAULTS_MOST, "migrate", "%u first accesses wait", f->count);
    f->count++;
    return *link = x;
}

void fault_forget(struct faults *f, struct fault *x)
{
    struct fault **link = &f->first;
    while (*link != x)
        link = &(*link)->next;
    *link = x->next;
    f->count--;
    free(x);
}

void faults_serve(struct faults *f)
{
    if (f->due)
        return;
    bool any = false;
    for (struct fault *x = f->first; x; x = x->next)
        if (x->state == FAULT_COME) {
            x->state = FAULT_SERVED;
            any = true;
        }
    f->due = any ? f->host.now(f->host.ctx) + f->cycles : 0;
    if (any)
        f->host.timer(f->host.ctx, f->due);
}
