/* SPDX-License-Identifier: Apache-2.0
 * First accesses to memory without entries: who waits, and for how long; contract in faults.h.
 */
#include "migrate/faults_private.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/xalloc.h"

struct faults *faults_new(const struct faults_host *host, const struct policy_ops *ops, void *own, uint64_t cycles,
                          unsigned ahead)
{
    struct faults *f = xzalloc(sizeof *f);
    CHECK(cycles, "migrate", "a first access is decided in %llu cycles", (unsigned long long)cycles);
    *f = (struct faults){.host = *host, .ops = ops, .own = own, .cycles = cycles, .ahead = {.most = ahead}};
    return f;
}

void faults_free(struct faults *f)
{
    for (struct fault *x; f && (x = f->first);) {
        f->first = x->next;
        free(x);
    }
    free(f);
}

struct faults_sums faults_sums(const struct faults *f)
{
    return f->sums;
}

bool faults_open(const struct faults *f)
{
    return f->first;
}

void faults_tell(const struct faults *f, FILE *out)
{
    static const char *const waits[] = {
        [FAULT_COME] = "for its turn", [FAULT_SERVED] = "for the decision", [FAULT_WAITS] = "for a move of its page"};
    for (const struct fault *x = f->first; x; x = x->next)
        fprintf(out, "  gpu%u: the first access to page 0x%llx, address 0x%llx, since cycle %llu: waits %s%s\n", x->gpu,
                (unsigned long long)x->page, (unsigned long long)x->va, (unsigned long long)x->at, waits[x->state],
                x->ahead ? ", not asked for" : "");
}

bool faults_wait(const struct faults *f, const void *owner, unsigned gpu, uint64_t va, uint64_t bytes)
{
    return fault_find(f, owner, gpu, va, bytes);
}

/* ---- time */
bool faults_report(struct faults *f, void *owner, unsigned gpu, uint64_t va, bool engine)
{
    struct fault_place p;
    if (!f->host.place(f->host.ctx, owner, gpu, va, &p))
        return false;
    struct fault *known = fault_find(f, owner, gpu, p.va, p.bytes);
    if (known) { /* what comes ahead is asked for by now */
        f->sums.faults += known->ahead;
        known->ahead = false;
        return true;
    }
    const struct fault x = {.owner = owner, .gpu = gpu, .engine = engine, .va = va};
    fault_new(f, &x, &p);
    f->sums.faults++;
    faults_serve(f);
    return true;
}

void faults_timer(struct faults *f)
{
    if (!f->due || f->host.now(f->host.ctx) < f->due) /* of one that was set before */
        return;
    faults_decide(f);
    f->due = 0;
    faults_serve(f);
}

/* ---- the end of an owner */
void faults_forget(struct faults *f, const void *owner)
{
    for (struct fault *x = f->first, *next; x; x = next) {
        next = x->next;
        if (x->owner == owner)
            fault_forget(f, x);
    }
}
