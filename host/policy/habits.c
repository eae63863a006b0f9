/* SPDX-License-Identifier: Apache-2.0
 * What an adaptive policy remembers of pages; contract in habits.h.
 */
#include "policy/habits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/xalloc.h"
#include "migrate/frames.h"

void *habits_begin(const struct policy_machine *m, size_t bytes)
{
    CHECK(bytes >= sizeof(struct habits), "migrate", "a policy of %zu bytes", bytes);
    struct habits *h = xzalloc(bytes);
    h->m = *m;
    h->along = xcalloc((size_t)m->gpus * m->gpus, sizeof *h->along);
    uses_init(&h->uses, m->gpus);
    damping_init(&h->damping, m);
    return h;
}

void habits_end(void *habits)
{
    struct habits *h = habits;
    uses_clear(&h->uses);
    damping_fini(&h->damping);
    free(h->along);
    free(h);
}

void habits_count(void *habits, const struct page_fact *f)
{
    uses_add(&((struct habits *)habits)->uses, f);
}

void habits_moved(void *habits, const struct move_fact *m)
{
    struct habits *h = habits;
    damping_moved(&h->damping, m);
    if (!m->refused)
        uses_forget(&h->uses, m->page, m->bytes);
}

void habits_gone(void *habits, uint64_t page, uint64_t bytes)
{
    struct habits *h = habits;
    uses_forget(&h->uses, page, bytes);
    damping_gone(&h->damping, page, bytes);
}

/* ---- a phase */
typedef bool (*claim_fn)(const struct habits *h, const struct use *use, struct claim *c);

static bool damped(const struct habits *h, const struct use *use, claim_fn claim, uint64_t cycle, struct claim *c)
{
    if (damping_pinned(&h->damping, use->page.at, cycle) || !claim(h, use, c))
        return false;
    c->least <<= damping_level(&h->damping, use->page.at, cycle);
    return true;
}

static bool *along(const struct habits *h, const struct use *use, const struct claim *c)
{
    return &h->along[use->home * h->m.gpus + c->gpu];
}

static struct decision decision_of(const struct use *use, const struct claim *c)
{
    struct decision d = {.page = use->page.at, .to = c->gpu};
    snprintf(d.why, sizeof d.why, "%llu by gpu%u, %llu by others: %llu, at least %llu%s", (unsigned long long)c->weight,
             c->gpu, (unsigned long long)c->others, (unsigned long long)c->has, (unsigned long long)c->least,
             c->has < c->least ? " with others" : "");
    return d;
}

static void age(struct habits *h, uint64_t cycle)
{
    damping_sweep(&h->damping, cycle);
    if (cycle - h->halved < h->m.return_cycles)
        return;
    h->halved = cycle;
    uses_halve(&h->uses);
}

size_t habits_decide(struct habits *h, claim_fn claim, const struct phase_fact *p, struct decision *out, size_t room)
{
    size_t n = 0;
    struct claim c;
    memset(h->along, 0, (size_t)h->m.gpus * h->m.gpus * sizeof *h->along);
    for (const struct use *use = uses_first(&h->uses); use; use = uses_next(&h->uses, use->page.at))
        if (damped(h, use, claim, p->cycle, &c) && c.has >= c.least)
            *along(h, use, &c) = true;
    for (const struct use *use = uses_first(&h->uses); use && n < room; use = uses_next(&h->uses, use->page.at))
        if (damped(h, use, claim, p->cycle, &c) && *along(h, use, &c) && c.has >= c.least - c.least / 2 &&
            !damping_stays(&h->damping, use->page.at, c.gpu, p->cycle))
            out[n++] = decision_of(use, &c);
    age(h, p->cycle);
    return n;
}

uint64_t habits_threshold(const struct habits *h, const struct use *use)
{
    return use->page.bytes / FRAMES_SMALL * h->m.threshold;
}

bool habits_over_others(const struct habits *h, const struct use *use, struct claim *c)
{
    const struct use_most most = use_most(&h->uses, use, h->m.write_weight);
    *c = (struct claim){.gpu = most.gpu,
                        .weight = most.weight,
                        .others = most.others,
                        .has = most.weight - most.others,
                        .least = habits_threshold(h, use)};
    return most.weight > most.others;
}
