/* SPDX-License-Identifier: Apache-2.0
 * Steps and waiting; contract in advance.h.
 */
#include "bridge/run/advance.h"

#include "base/check.h"
#include "bridge/link/bundle.h"
#include "bridge/link/peers.h"
#include "bridge/link/region_wait.h"

/* ---- waiting */
static uint64_t window_of(uint64_t cycle)
{
    return cycle - cycle % PART_WINDOW;
}

/* Over idle time to `cycle`; a host not beyond where its owner may act. */
static void idle_to(struct sched *s, uint64_t cycle)
{
    if (cycle >= window_of(UINT64_MAX)) /* nothing to come and nothing to fear */
        return;
    if (s->host) {
        uint64_t active = region_active(s->region);
        cycle = active < cycle ? active : cycle;
    }
    if (window_of(cycle) > s->now)
        s->now = window_of(cycle);
}

/* Where a step must end: the owner's first event, and that or the limit. */
struct bounds {
    uint64_t event, stop;
};

static struct bounds bounds_of(const struct sched *s, uint64_t until)
{
    uint64_t act = s->act ? s->act(s->act_ctx) : UINT64_MAX;
    uint64_t event = window_of(act < until ? act : until), limit = window_of(s->limit);
    return (struct bounds){event, event < limit ? event : limit};
}

struct waiting {
    struct sched *s;
    uint64_t next, need; /* first own event; horizon that lets it run, or skips all before `until` */
    uint64_t from, hold; /* as promised */
};

/* One whose work goes on is waited for, and then rests with all others: that wait is short. */
static bool unwanted(void *ctx)
{
    const struct sched *s = ((const struct waiting *)ctx)->s;
    return s->unwanted && s->unwanted(s->act_ctx);
}

static void lost_look(struct sched *s)
{
    if (__builtin_expect(s->lost != NULL, 0) && s->lost(s->lost_ctx))
        s->stop = true;
}

/* Whether something has come that is not taken. */
static bool has_come(struct link *link)
{
    if (link->bundle)
        return bundle_more(link->bundle);
    return link->transport->peek(link) != ((const struct wire *)link->owner)->channel.tail;
}

static bool looks(void *ctx)
{
    struct waiting *w = ctx;
    struct sched *s = w->s;
    uint64_t horizon = UINT64_MAX;
    lost_look(s);
    if (s->stop || region_is_asked(s->region))
        return true;
    for (uint32_t i = 0; i < s->head_in_count; i++) {
        struct link *link = s->heads_in[i];
        uint64_t h = link->transport->horizon(link); /* before the look for messages, see bundle.h */
        if (has_come(link))
            return true;
        horizon = h < horizon ? h : horizon;
    }
    if (horizon >= w->need)
        return true;
    s->horizon = horizon;
    if (s->ordered)
        sched_pass_turn(s);
    idle_to(s, horizon < w->next ? horizon : w->next);
    uint64_t from = sched_sends_from(s), hold = sched_hold(s);
    if (from != w->from || hold != w->hold)
        sched_promise(s);
    w->from = from;
    w->hold = hold;
    return false;
}

static enum region_end wait_for_others(struct sched *s, const struct bounds *b, uint64_t next, uint64_t need)
{
    struct waiting waiting = {s, next < b->stop ? next : b->stop, need, sched_sends_from(s), sched_hold(s)};
    struct region_waiter w = {.next = next,
                              .need = need,
                              .hold = s->act ? b->stop : UINT64_MAX,
                              .look = looks,
                              .unwanted = unwanted,
                              .ctx = &waiting,
                              .in = s->heads_in,
                              .count = s->head_in_count};
    for (uint32_t i = 0; i < s->head_in_count; i++) {
        if (region_partner(s->region, s->heads_in[i]) != REGION_NONE && s->heads_in[i]->latency > w.reach)
            w.reach = s->heads_in[i]->latency;
    }
    region_messages(s->region, &w.sent, &w.received); /* all are promised: sched_promise comes before */
    return region_wait(s->region, &w);
}

/* ---- steps */
/* So many windows that the others need not wait for the promise behind them. */
static unsigned windows_of(const struct sched *s, uint64_t room)
{
    uint64_t windows = s->stretch;
    for (uint32_t i = 0; i < s->head_out_count; i++) {
        uint64_t half = s->heads_out[i]->latency / (2 * PART_WINDOW);
        windows = half < windows ? half : windows;
    }
    windows = windows ? windows : 1;
    return (unsigned)(room / PART_WINDOW < windows ? room / PART_WINDOW : windows);
}

/* Whether to go on after a step: unless somebody died. */
static bool step(struct sched *s, uint64_t from, uint64_t limit)
{
    CHECK(from >= s->now, "links", "cycle=%llu time goes back to %llu", (unsigned long long)s->now,
          (unsigned long long)from);
    s->now = from;
    sched_run(s, windows_of(s, limit - from));
    lost_look(s);
    if (s->region)
        region_set_active(s->region, sched_active(s));
    sched_promise(s);
    if (s->region == NULL || !peers_due(s->region))
        return true;
    return peers_look(s->region, s->heads_in, s->head_in_count, false) != PEERS_LOST;
}

/* The owner's turn has come: what is due there is known, and others rest where it may do more than send. */
static bool reached(const struct sched *s, uint64_t stop, uint64_t horizon)
{
    return stop < window_of(UINT64_MAX) && (s->act ? sched_rested(s, stop) : horizon >= stop);
}

/* Horizon that would be of use to one whose next event of a partition is at `next`. */
static uint64_t need_of(const struct sched *s, uint64_t next, uint64_t stop)
{
    if (next < stop)
        return next + PART_WINDOW;
    if (s->act == NULL || stop >= window_of(UINT64_MAX))
        return stop;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < s->head_in_count; i++)
        least = s->heads_in[i]->latency < least ? s->heads_in[i]->latency : least;
    return stop + (s->head_in_count ? least : 0);
}

enum sched_end sched_advance(struct sched *s, uint64_t until)
{
    static const enum sched_end ends[] = {[REGION_QUIET] = SCHED_QUIET,
                                          [REGION_ENDED] = SCHED_ENDED,
                                          [REGION_LOST] = SCHED_LOST,
                                          [REGION_UNWANTED] = SCHED_STOPPED};
    for (;;) {
        if (s->stop) {
            s->stop = false;
            return SCHED_STOPPED;
        }
        if (s->region && region_asked(s->region))
            return SCHED_ASKED;
        uint64_t horizon = window_of(sched_take(s)), own = sched_next(s);
        if (s->ordered && s->region)
            sched_pass_turn(s);
        if (s->no_skip && own != UINT64_MAX)
            own = s->now;
        const struct bounds b = bounds_of(s, until);
        uint64_t room = horizon < b.stop ? horizon : b.stop;
        if (own < room) {
            if (!step(s, own, room))
                return SCHED_LOST;
            continue;
        }
        uint64_t next = own < b.event ? own : b.event, idle = next < b.stop ? next : b.stop;
        idle_to(s, horizon < idle ? horizon : idle);
        sched_promise(s);
        if (own >= b.stop && reached(s, b.stop, horizon)) {
            s->now = s->now > b.stop ? s->now : b.stop;
            return SCHED_UNTIL;
        }
        if (next >= window_of(UINT64_MAX))
            next = UINT64_MAX;
        if (s->region == NULL)
            return next == UINT64_MAX && s->import_count == 0 ? SCHED_QUIET : SCHED_BLOCKED;
        enum region_end end = wait_for_others(s, &b, next, need_of(s, own, b.stop));
        if (end != REGION_GO)
            return ends[end];
    }
}
