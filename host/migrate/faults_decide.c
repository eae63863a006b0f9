/* SPDX-License-Identifier: Apache-2.0
 * What becomes of first accesses to memory without entries; contract in faults.h.  Not responsible for: who waits, and
 * for how long (faults.c).
 */
#include "migrate/faults_private.h"

#include "base/log.h"

static bool overlap(const struct fault *x, uint64_t page, uint64_t bytes)
{
    return x->page < page + bytes && page < x->page + x->bytes;
}

static void deny(struct faults *f, struct fault *x)
{
    f->sums.denied++;
    f->host.answer(f->host.ctx, x->owner, x->gpu, x->unit, x->bytes, true); /* others wait for its other pages */
    fault_forget(f, x);
}

/* Its entry is there: it has moved, or somebody else has had it mapped. */
static void there(struct faults *f, struct fault *x, const struct fault_place *p)
{
    if (x->ahead)
        f->sums.ahead++;
    else if (x->ordered)
        f->sums.moved++;
    else
        f->sums.late++;
    f->host.answer(f->host.ctx, x->owner, x->gpu, p->va, p->bytes, false);
    fault_forget(f, x);
}

static void map(struct faults *f, struct fault *x, const struct fault_place *p)
{
    const int error = f->host.map(f->host.ctx, x->owner, x->gpu, p->va, p->bytes);
    if (error) {
        log_error("migrate", "gpu%u: no entry for page 0x%llx (error %d): a memory fault", x->gpu,
                  (unsigned long long)p->page, error);
        deny(f, x);
        return;
    }
    f->sums.mapped++;
    f->host.answer(f->host.ctx, x->owner, x->gpu, p->va, p->bytes, false);
    fault_forget(f, x);
}

static bool policy_moves(struct faults *f, const struct fault *x, const struct fault_place *p)
{
    const struct fault_fact fact = {.page = p->page,
                                    .bytes = p->bytes,
                                    .home = p->home,
                                    .requester = x->gpu,
                                    .cycle = f->host.now(f->host.ctx),
                                    .engine = x->engine,
                                    .ahead = x->ahead};
    return p->moves && p->home != x->gpu && f->ops->fault && f->ops->fault(f->own, &fact) == FAULT_MOVE;
}

/* True: it is under way. */
static bool begin(struct faults *f, struct fault *x, const struct fault_place *p)
{
    const uint64_t now = f->host.now(f->host.ctx);
    const int error = f->host.add(f->host.ctx, p->page, p->bytes, x->gpu);
    if (error) {
        log_info("migrate", "%s: page 0x%llx does not go to gpu%u (error %d)", f->ops->name,
                 (unsigned long long)p->page, x->gpu, -error);
        if (f->ops->moved)
            f->ops->moved(f->own, &(struct move_fact){.page = p->page,
                                                      .bytes = p->bytes,
                                                      .from = p->home,
                                                      .to = x->gpu,
                                                      .refused = error,
                                                      .begun = now,
                                                      .ended = now});
        return false;
    }
    log_info("migrate", "%s: page 0x%llx to gpu%u: %s", f->ops->name, (unsigned long long)p->page, x->gpu,
             x->ahead ? "ahead of its accesses" : "its first access");
    x->ordered = now;
    x->state = FAULT_WAITS;
    return true;
}

/* The n-th unit behind one that has begun to move goes with it, if it lies behind it, waits for nothing else and the
 * policy wants it. */
static bool goes_along(struct faults *f, const struct fault *x, const struct fault_place *before, unsigned n)
{
    const uint64_t step = n * before->bytes;
    struct fault like = {.owner = x->owner, .gpu = x->gpu, .ahead = true, .va = before->va + step};
    struct fault_place p;
    if (!f->host.place(f->host.ctx, like.owner, like.gpu, like.va, &p) || p.mapped || p.page != before->page + step ||
        p.bytes != before->bytes || f->host.moving(f->host.ctx, p.page, p.bytes) ||
        fault_find(f, like.owner, like.gpu, p.va, p.bytes) || !policy_moves(f, &like, &p))
        return false;
    struct fault *made = fault_new(f, &like, &p);
    made->at = x->at; /* whose decision it is */
    if (begin(f, made, &p))
        return true;
    fault_forget(f, made);
    return false;
}

static unsigned go_ahead(struct faults *f, const struct fault *x, const struct fault_place *before)
{
    const unsigned most = ahead_asked(&f->ahead, x->owner, x->gpu, before->page, before->bytes);
    unsigned n = 0;
    while (n < most && goes_along(f, x, before, n + 1))
        n++;
    ahead_fetched(&f->ahead, x->owner, x->gpu, before->page, before->bytes, n);
    return n;
}

/* Its address is in another unit than when it came, since other memory is mapped there: whoever waits for a page of the
 * old one is looked up again, and what fails comes as a fault of its own. */
static bool other_unit(struct faults *f, struct fault *x, const struct fault_place *p)
{
    if (p->va == x->unit && p->bytes == x->bytes)
        return false;
    f->sums.faults -= !x->ahead;
    f->host.answer(f->host.ctx, x->owner, x->gpu, x->unit, x->bytes, false);
    fault_forget(f, x);
    return true;
}

/* How many moves have begun. */
static unsigned decide(struct faults *f, struct fault *x)
{
    struct fault_place p;
    if (!f->host.place(f->host.ctx, x->owner, x->gpu, x->va, &p)) {
        deny(f, x);
        return 0;
    }
    if (other_unit(f, x, &p))
        return 0;
    x->page = p.page; /* it may be other memory than when it came */
    if (p.mapped) {
        there(f, x, &p);
        return 0;
    }
    if (f->host.moving(f->host.ctx, p.page, p.bytes)) {
        x->state = FAULT_WAITS;
        return 0;
    }
    if (policy_moves(f, x, &p) && begin(f, x, &p))
        return 1 + go_ahead(f, x, &p);
    map(f, x, &p);
    return 0;
}

void faults_decide(struct faults *f)
{
    const uint64_t now = f->host.now(f->host.ctx);
    unsigned count = 0;
    for (struct fault *x = f->first, *next; x; x = next) {
        next = x->next;
        if (x->state != FAULT_SERVED)
            continue;
        count += decide(f, x);
    }
    for (struct fault *x = f->first; x; x = x->next)
        x->batch = x->ordered == now && x->batch == 0 ? count : x->batch;
    f->sums.batches += count > 0;
    if (count)
        f->host.go(f->host.ctx);
}

/* ---- moves that are over */
bool faults_claim(const struct faults *f, struct move_fact *m)
{
    for (const struct fault *x = f->first; x; x = x->next)
        if (x->ordered && x->gpu == m->to && overlap(x, m->page, m->bytes)) {
            m->decision = x->ordered - x->at;
            m->batch = x->batch;
            return true;
        }
    return false;
}

/* As a driver's fault that is replayed; once, since who undoes moves may go on with that. */
static void decide_again(struct faults *f, struct fault *x)
{
    x->again = true;
    x->ordered = x->batch = 0;
    x->state = FAULT_COME;
    faults_serve(f);
}

void faults_settle(struct faults *f, uint64_t page, uint64_t bytes, bool undone)
{
    for (struct fault *x = f->first, *next; x; x = next) {
        struct fault_place p;
        next = x->next;
        if (x->state != FAULT_WAITS || !overlap(x, page, bytes))
            continue;
        if (!f->host.place(f->host.ctx, x->owner, x->gpu, x->va, &p))
            deny(f, x);
        else if (other_unit(f, x, &p))
            continue;
        else if (p.mapped)
            there(f, x, &p);
        else if (f->host.moving(f->host.ctx, p.page, p.bytes))
            continue;
        else if (undone && x->ahead) /* nobody waits for it */
            fault_forget(f, x);
        else if (undone && !x->again)
            decide_again(f, x);
        else
            map(f, x, &p);
    }
}
