/* SPDX-License-Identifier: Apache-2.0
 * Phases of page migration; contract in phase.h.
 */
#include "policy/phase.h"

#include <errno.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "policy/gains.h"
#include "policy/uses.h"

#define FARTHEST 7u /* 2^7 periods */
#define NO_TIMER 0u /* no phase begins at cycle 0 */

enum phase_state {
    PHASE_OFF,      /* no timer: nothing runs */
    PHASE_BETWEEN,  /* timer: the next phase */
    PHASE_READING,  /* counters come */
    PHASE_DECIDING, /* timer: the policy's time */
};

/* What the policy wants, and what became of it. */
struct wish {
    struct decision decision;
    uint64_t bytes;
    uint64_t left;    /* bytes that are under way */
    struct gain gain; /* far accesses that are near then */
};

struct phase {
    struct phase_host host;
    const struct policy_ops *ops;
    void *own;
    struct phase_settings settings;
    unsigned gpus;
    enum phase_state state;
    uint64_t due;        /* cycle of the timer that counts; others are old */
    unsigned farther;    /* phases are 2^farther periods apart */
    unsigned passed;     /* periods since the last one */
    bool counts, *reads; /* GPUs count; by GPU: not read yet */
    unsigned open;       /* GPUs that are not */
    struct uses uses;    /* since the last phase */
    struct phase_fact fact;
    struct decision *out;
    struct wish *wish;
    size_t wishes;
    unsigned batch;    /* of them, that have begun to move */
    uint64_t ordered;  /* cycle at which they did */
    uint64_t executed; /* instructions, when counters were read last */
    uint64_t work;     /* of the phase: since they were read before */
    uint64_t seen;     /* cycle up to which what was gained is counted */
    struct gains gains;
    struct phase_sums sums;
};

struct phase *phase_new(const struct phase_host *host, const struct policy_ops *ops, const struct policy_machine *m,
                        const struct phase_settings *settings)
{
    struct phase *p = xzalloc(sizeof *p);
    CHECK(settings->period && settings->decision, "migrate", "phases of %llu cycles, decisions in %llu",
          (unsigned long long)settings->period, (unsigned long long)settings->decision);
    p->host = *host;
    p->ops = ops;
    p->own = ops->begin(m);
    p->settings = *settings;
    p->gpus = m->gpus;
    p->reads = xcalloc(m->gpus, sizeof *p->reads);
    p->out = xcalloc(PHASE_MOST, sizeof *p->out);
    p->wish = xcalloc(PHASE_MOST, sizeof *p->wish);
    uses_init(&p->uses, m->gpus);
    gains_init(&p->gains);
    return p;
}

void phase_free(struct phase *p)
{
    if (!p)
        return;
    p->ops->end(p->own);
    uses_clear(&p->uses);
    gains_fini(&p->gains);
    free(p->reads);
    free(p->out);
    free(p->wish);
    free(p);
}

void *phase_policy(struct phase *p)
{
    return p->own;
}

static uint64_t gained(const struct phase *p, uint64_t work)
{
    return gains_sum(&p->gains, (p->host.now(p->host.ctx) - p->seen) / p->settings.period, work);
}

struct phase_sums phase_sums(const struct phase *p)
{
    struct phase_sums sums = p->sums;
    if (p->counts)
        sums.gained += gained(p, p->host.executed(p->host.ctx) - p->executed);
    return sums;
}

/* ---- time */
static void timer(struct phase *p, enum phase_state state, uint64_t at)
{
    p->state = state;
    p->due = at;
    p->host.timer(p->host.ctx, at);
}

static void off(struct phase *p)
{
    p->state = PHASE_OFF;
    p->due = NO_TIMER;
}

/* The next multiple of the period. */
static uint64_t boundary(const struct phase *p)
{
    const uint64_t periods = p->host.now(p->host.ctx) / p->settings.period;
    return (periods + 1) * p->settings.period;
}

static void next(struct phase *p)
{
    if (p->host.needed(p->host.ctx))
        timer(p, PHASE_BETWEEN, boundary(p));
    else
        off(p);
}

static bool counting(struct phase *p)
{
    for (unsigned g = 0; g < p->gpus && !p->counts; g++)
        if (p->host.counts_set(p->host.ctx, g) < 0)
            return false; /* golden GPUs do not count; they may be others later */
    return p->counts = true;
}

void phase_wake(struct phase *p)
{
    p->farther = 0;
    if (!counting(p))
        return;
    if (p->state == PHASE_OFF) {
        p->seen = p->host.now(p->host.ctx);
        timer(p, PHASE_BETWEEN, boundary(p));
    }
}

/* ---- counters */
void phase_count(struct phase *p, unsigned gpu, uint64_t frame, uint64_t reads, uint64_t writes)
{
    struct page_fact f = {.requester = gpu, .reads = reads, .writes = writes};
    f.bytes = p->host.unit(p->host.ctx, p->host.page(p->host.ctx, frame, &f.home), &f.page);
    p->sums.reads += reads;
    p->sums.writes += writes;
    if (f.bytes == 0 || f.home >= p->gpus || f.home == gpu)
        p->sums.strays += reads + writes;
    else if (!uses_add(&p->uses, &f))
        p->sums.lost += reads + writes;
    if (p->state == PHASE_OFF && p->counts) { /* it runs, though for a long time nothing was counted */
        p->farther = 0;
        next(p);
    }
}

/* ---- a phase */
static void tell_policy(struct phase *p)
{
    for (struct use *u = uses_first(&p->uses); u; u = uses_next(&p->uses, u->page.at))
        for (unsigned g = 0; g < p->gpus; g++)
            if (u->by[g].reads | u->by[g].writes)
                p->ops->count(p->own, &(struct page_fact){.page = u->page.at,
                                                          .bytes = u->page.bytes,
                                                          .home = u->home,
                                                          .requester = g,
                                                          .reads = u->by[g].reads,
                                                          .writes = u->by[g].writes});
}

/* What is known of the page, which the policy has heard of now or before. */
static struct wish wish_of(struct phase *p, const struct decision *d)
{
    uint64_t page;
    struct wish w = {.decision = *d, .bytes = p->host.unit(p->host.ctx, d->page, &page)};
    const struct use *u = uses_find(&p->uses, d->page);
    CHECK(d->to < p->gpus && (w.bytes == 0 || page == d->page), "migrate", "policy %s: page %llx to gpu%u",
          p->ops->name, (unsigned long long)d->page, d->to);
    w.gain = gain_of(u ? u->by[d->to].reads + u->by[d->to].writes : 0, p->work);
    return w;
}

static void decide(struct phase *p)
{
    tell_policy(p);
    const size_t count = p->ops->phase(p->own, &p->fact, p->out, PHASE_MOST);
    CHECK(count <= PHASE_MOST, "migrate", "policy %s: %zu decisions", p->ops->name, count);
    for (p->wishes = 0; p->wishes < count; p->wishes++)
        p->wish[p->wishes] = wish_of(p, &p->out[p->wishes]);
    p->sums.decided += count;
    uses_clear(&p->uses);
    if (count)
        timer(p, PHASE_DECIDING, p->host.now(p->host.ctx) + p->settings.decision);
    else
        next(p);
}

void phase_read(struct phase *p, unsigned gpu, uint32_t lost)
{
    p->sums.lost += lost;
    if (p->state != PHASE_READING || !p->reads[gpu])
        return;
    p->reads[gpu] = false;
    if (--p->open)
        return;
    if (p->uses.pages.count) {
        p->sums.phases++;
        p->farther = 0;
        decide(p);
        return;
    }
    p->farther += p->farther < FARTHEST;
    next(p);
}

/* Stuck, or long without a far access: nothing that has to be looked at. */
static bool stands(struct phase *p)
{
    const uint64_t executed = p->host.executed(p->host.ctx);
    p->work = executed - p->executed;
    p->sums.gained += gained(p, p->work);
    p->executed = executed;
    p->seen = p->host.now(p->host.ctx);
    return p->farther == FARTHEST && p->work == 0;
}

static void begin(struct phase *p)
{
    if (!p->host.needed(p->host.ctx)) {
        off(p);
        return;
    }
    if (++p->passed < 1u << p->farther) {
        next(p);
        return;
    }
    p->passed = 0;
    if (stands(p)) {
        off(p);
        return;
    }
    if (p->host.moving(p->host.ctx)) {
        next(p);
        return;
    }
    p->fact.cycle = p->host.now(p->host.ctx);
    p->fact.number++;
    p->state = PHASE_READING;
    p->due = NO_TIMER;
    p->open = p->gpus;
    for (unsigned g = 0; g < p->gpus; g++)
        p->reads[g] = true;
    for (unsigned g = 0; g < p->gpus; g++)
        if (p->host.counts_read(p->host.ctx, g) < 0)
            phase_read(p, g, 0);
}

static void refuse(struct phase *p, const struct wish *w, int error)
{
    const uint64_t now = p->host.now(p->host.ctx);
    p->sums.refused++;
    log_info("migrate", "%s: page 0x%llx does not go to gpu%u (error %d)", p->ops->name,
             (unsigned long long)w->decision.page, w->decision.to, -error);
    if (p->ops->moved && w->bytes) /* of memory that is nobody's it has heard */
        p->ops->moved(p->own, &(struct move_fact){.page = w->decision.page,
                                                  .bytes = w->bytes,
                                                  .to = w->decision.to,
                                                  .refused = error,
                                                  .begun = now,
                                                  .ended = now});
}

/* All go together. */
static void batch(struct phase *p)
{
    p->ordered = p->host.now(p->host.ctx);
    p->batch = 0;
    for (size_t i = 0; i < p->wishes; i++) {
        struct wish *w = &p->wish[i];
        const int error = w->bytes ? p->host.add(p->host.ctx, w->decision.page, w->bytes, w->decision.to) : -EPERM;
        if (error) {
            refuse(p, w, error);
            continue;
        }
        w->left = w->bytes;
        p->batch++;
        log_info("migrate", "%s: page 0x%llx to gpu%u: %s", p->ops->name, (unsigned long long)w->decision.page,
                 w->decision.to, w->decision.why);
    }
    p->sums.batches += p->batch > 0;
    if (p->batch)
        p->host.go(p->host.ctx);
}

void phase_timer(struct phase *p)
{
    if (p->host.now(p->host.ctx) != p->due)
        return;
    if (p->state == PHASE_BETWEEN) {
        begin(p);
    } else if (p->state == PHASE_DECIDING) {
        if (p->host.needed(p->host.ctx) && !p->host.moving(p->host.ctx))
            batch(p);
        next(p);
    }
}

/* ---- what became of it */
static struct wish *wish_at(struct phase *p, uint64_t page)
{
    for (size_t i = 0; i < p->wishes; i++)
        if (p->wish[i].left && page - p->wish[i].decision.page < p->wish[i].bytes)
            return &p->wish[i];
    return NULL;
}

bool phase_moved(struct phase *p, struct move_fact *m)
{
    struct wish *w = wish_at(p, m->page);
    if (w) {
        m->batch = p->batch;
        m->decision = p->ordered - p->fact.cycle;
    }
    if (p->ops->moved)
        p->ops->moved(p->own, m);
    if (!m->refused)
        gains_set(&p->gains, m->page, m->bytes, w ? &w->gain : NULL);
    if (w) {
        w->left -= m->bytes < w->left ? m->bytes : w->left;
        w->gain = (struct gain){0}; /* of a block that goes page by page they are counted once */
    }
    return w;
}

void phase_gone(struct phase *p, uint64_t page, uint64_t bytes)
{
    uses_forget(&p->uses, page, bytes);
    gains_forget(&p->gains, page, bytes);
    for (size_t i = 0; i < p->wishes; i++) /* decided, and not begun: it is another page then */
        if (p->wish[i].decision.page < page + bytes && page < p->wish[i].decision.page + p->wish[i].bytes)
            p->wish[i].bytes = p->wish[i].left ? p->wish[i].bytes : 0;
    if (p->ops->gone)
        p->ops->gone(p->own, page, bytes);
}
