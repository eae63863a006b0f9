/* SPDX-License-Identifier: Apache-2.0
 * First accesses to memory without entries; contract in faults.h.
 */
#include "migrate/faults.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "migrate/ahead.h"

enum fault_state {
    FAULT_COME,   /* behind those that are being decided */
    FAULT_SERVED, /* is being decided */
    FAULT_WAITS,  /* for the end of a move of its page */
};

struct fault {
    struct fault *next; /* in the order in which they came */
    void *owner;
    unsigned gpu;
    bool engine, ahead;         /* as of struct fault_fact */
    uint64_t va;                /* that was asked for */
    uint64_t unit, page, bytes; /* its unit: virtual address, own address, size */
    uint64_t at;                /* cycle of the report */
    enum fault_state state;
    uint64_t ordered; /* cycle at which its own move began; 0: it has none */
    unsigned batch;   /* moves that began with it */
    bool again;       /* it is decided a second time, since what it waited for was undone */
};

struct faults {
    struct faults_host host;
    const struct policy_ops *ops;
    void *own;
    uint64_t cycles;
    uint64_t due; /* cycle of the timer that counts; 0: none */
    struct fault *first;
    unsigned count; /* of them, at most FAULTS_MOST */
    struct ahead ahead;
    struct faults_sums sums;
};

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

static bool overlap(const struct fault *x, uint64_t page, uint64_t bytes)
{
    return x->page < page + bytes && page < x->page + x->bytes;
}

/* By virtual address: a page may have several. */
static struct fault *fault_find(const struct faults *f, const void *owner, unsigned gpu, uint64_t va, uint64_t bytes)
{
    struct fault *x = f->first;
    while (x && (x->owner != owner || x->gpu != gpu || x->unit >= va + bytes || va >= x->unit + x->bytes))
        x = x->next;
    return x;
}

bool faults_wait(const struct faults *f, const void *owner, unsigned gpu, uint64_t va, uint64_t bytes)
{
    return fault_find(f, owner, gpu, va, bytes);
}

/* ---- time */
/* All that have come are served from now on. */
static void serve(struct faults *f)
{
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

static struct fault *fault_new(struct faults *f, const struct fault *like, const struct fault_place *p)
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
    if (!f->due)
        serve(f);
    return true;
}

/* ---- what becomes of one */
static void forget(struct faults *f, struct fault *x)
{
    struct fault **link = &f->first;
    while (*link != x)
        link = &(*link)->next;
    *link = x->next;
    f->count--;
    free(x);
}

static void deny(struct faults *f, struct fault *x)
{
    f->sums.denied++;
    f->host.answer(f->host.ctx, x->owner, x->gpu, x->unit, x->bytes, true); /* others wait for its other pages */
    forget(f, x);
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
    forget(f, x);
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
    forget(f, x);
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
        faults_wait(f, like.owner, like.gpu, p.va, p.bytes) || !policy_moves(f, &like, &p))
        return false;
    struct fault *made = fault_new(f, &like, &p);
    made->at = x->at; /* whose decision it is */
    if (begin(f, made, &p))
        return true;
    forget(f, made);
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
    forget(f, x);
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

static void batch(struct faults *f)
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

void faults_timer(struct faults *f)
{
    if (!f->due || f->host.now(f->host.ctx) < f->due) /* of one that was set before */
        return;
    batch(f);
    serve(f);
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
    if (!f->due)
        serve(f);
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
            forget(f, x);
        else if (undone && !x->again)
            decide_again(f, x);
        else
            map(f, x, &p);
    }
}

void faults_forget(struct faults *f, const void *owner)
{
    for (struct fault *x = f->first, *next; x; x = next) {
        next = x->next;
        if (x->owner == owner)
            forget(f, x);
    }
}
