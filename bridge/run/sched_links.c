/* SPDX-License-Identifier: Apache-2.0
 * Cut channels, horizons, steps; contract in sched_links.h.
 */
#include "bridge/run/sched_links.h"

#include <sched.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "bridge/link/peers.h"
#include "bridge/link/region_wait.h"

#define TURN_LAST (UINT64_C(1) << 50) /* cycle: its turn still fits 64 bits */

static struct link *end_open(struct carrier carrier, const char *name, bool sends, uint32_t bytes, uint32_t latency,
                             uint32_t depth)
{
    struct link *link = xzalloc(sizeof *link);
    link_init(link, carrier.transport, name, sends, bytes, latency, depth);
    if (!link->transport->open(link, carrier.place)) {
        free(link);
        return NULL;
    }
    return link;
}

/* Of a bundle the fastest link stands for all: what is promised for it says most about the others. */
static void head_add(struct link ***heads, uint32_t *count, struct link *link)
{
    for (uint32_t i = 0; i < *count && link->bundle; i++) {
        if ((*heads)[i]->bundle != link->bundle)
            continue;
        if (link->latency < (*heads)[i]->latency)
            (*heads)[i] = link;
        return;
    }
    uint32_t n = (*count)++;
    *heads = xrealloc(*heads, *count, sizeof(struct link *));
    (*heads)[n] = link;
}

static void list_add(struct wire ***list, uint32_t *count, struct wire *w)
{
    uint32_t n = (*count)++;
    *list = xrealloc(*list, *count, sizeof **list);
    (*list)[n] = w;
}

struct wire *sched_export(struct sched *s, struct part *from, uint32_t slot, struct far_end to, uint32_t bytes,
                          uint32_t latency, uint32_t depth, struct carrier carrier)
{
    char name[LINK_NAME];
    PART_CHECK(latency >= PART_WINDOW, from, 0, "link to %s: latency %u is below the window", to.part, latency);
    link_name(name, from->name, slot, to.part, to.slot);
    struct link *link = end_open(carrier, name, true, bytes, latency, depth);
    if (link == NULL)
        return NULL;
    struct wire *w = sched_wire(s, from, slot, NULL, to.slot);
    channel_init_end(&w->channel, s->connected++, from->name, to.part, bytes, latency, depth, NULL);
    w->out = link;
    link->owner = w;
    list_add(&s->exports, &s->export_count, w);
    head_add(&s->heads_out, &s->head_out_count, link);
    return w;
}

struct wire *sched_import(struct sched *s, struct far_end from, struct part *to, uint32_t slot, uint32_t bytes,
                          uint32_t latency, uint32_t depth, struct carrier carrier)
{
    char name[LINK_NAME];
    PART_CHECK(latency >= PART_WINDOW, to, 0, "link from %s: latency %u is below the window", from.part, latency);
    link_name(name, from.part, from.slot, to->name, slot);
    struct link *link = end_open(carrier, name, false, bytes, latency, depth);
    if (link == NULL)
        return NULL;
    struct wire *w = sched_wire(s, NULL, from.slot, to, slot);
    channel_init_end(&w->channel, s->connected++, from.part, to->name, bytes, latency, depth, link->ring);
    w->in = link;
    link->owner = w;
    list_add(&s->imports, &s->import_count, w);
    head_add(&s->heads_in, &s->head_in_count, link);
    s->held = xrealloc(s->held, s->import_count, sizeof(struct wire *));
    s->horizon = 0;
    return w;
}

bool sched_tap(struct sched *s, struct wire *w, const char *name, struct carrier carrier)
{
    const struct channel *c = &w->channel;
    PART_CHECK(w->to && !w->out, w->to, 0, "%s: tap on a wire that leads elsewhere or has one", c->name);
    w->out = end_open(carrier, name, true, c->bytes, c->latency, c->depth);
    if (w->out == NULL)
        return false;
    w->out->owner = w;
    list_add(&s->exports, &s->export_count, w);
    head_add(&s->heads_out, &s->head_out_count, w->out);
    return true;
}

void sched_join(struct sched *s, struct region *region)
{
    s->region = region;
    s->host = region_host(region) == region_self(region);
    if (s->host && s->act)
        region_set_ahead(region, s->act_ahead);
}

void sched_keep(struct sched *s, struct wire *w)
{
    if (!w->held)
        s->held[s->held_count++] = w;
    w->held = true;
}

/* New messages of one link wake their receiver. */
static void come(void *ctx, struct link *link)
{
    struct sched *s = ctx;
    struct wire *w = link->owner;
    struct channel *c = &w->channel;
    uint64_t from = c->tail;
    link->transport->peek(link);
    if (link->arrived == from)
        return;
    sched_keep(s, w);
    channel_arrive(c, link->arrived);
    PART_CHECK(channel_stamp(c, from - c->head) >= s->now, w->to, s->now, "%s: message of cycle %llu comes too late",
               link->name, (unsigned long long)channel_stamp(c, from - c->head));
    for (uint64_t n = from; w->out && n < c->tail; n++)
        link_send(w->out, channel_stamp(c, n - c->head), channel_payload(c, n - c->head));
    if (w->silent)
        return;
    w->to->waiting[w->to_slot / 64] |= UINT64_C(1) << (w->to_slot & 63);
    for (uint64_t n = from; n < c->tail; n++)
        sched_wake(s, w->to, channel_stamp(c, n - c->head));
}

uint64_t sched_take(struct sched *s)
{
    uint64_t horizon = UINT64_MAX;
    for (uint32_t i = 0; i < s->head_in_count; i++) {
        uint64_t link = link_take_all(s->heads_in[i], come, s);
        horizon = link < horizon ? link : horizon;
    }
    s->horizon = horizon;
    return horizon;
}

/* The owner of a host may act when all is quiet, at the last cycle at
 * which anybody was active, and that may lie before `now`: the last windows of a run can be empty. */
uint64_t sched_sends_from(const struct sched *s)
{
    uint64_t active = s->host ? region_active(s->region) : UINT64_MAX;
    return active < s->now ? active : s->now;
}

uint64_t sched_hold(const struct sched *s)
{
    if (s->act == NULL)
        return UINT64_MAX;
    uint64_t own = s->act(s->act_ctx), come = s->now + s->act_ahead;
    own = s->limit < own ? s->limit : own;
    come = s->horizon < come ? s->horizon : come;
    own = come < own ? come : own;
    return own - own % PART_WINDOW;
}

bool sched_rested(const struct sched *s, uint64_t cycle)
{
    for (uint32_t i = 0; i < s->head_in_count; i++) {
        if (s->heads_in[i]->promised < cycle + s->heads_in[i]->latency)
            return false;
    }
    return true;
}

static uint64_t turn_of(uint64_t cycle, uint32_t number)
{
    return cycle / PART_WINDOW << 16 | number;
}

void sched_pass_turn(const struct sched *s)
{
    uint64_t next = sched_next(s);
    next = s->horizon < next ? s->horizon : next;
    region_set_turn(s->region, turn_of(next < TURN_LAST ? next : TURN_LAST, 0));
}

/* False: one is lost, or stopped while nobody wants this run (s->stop). */
static bool wait_for_turn(struct sched *s, uint64_t turn)
{
    const uint64_t begin = peers_clock();
    while (!region_is_turn(s->region, turn)) {
        if (peers_due(s->region)) {
            const bool still = peers_clock() - begin > PEERS_PATIENCE_NS;
            if (peers_look(s->region, s->heads_in, s->head_in_count, still) == PEERS_LOST)
                return false;
            if (still && s->unwanted && s->unwanted(s->act_ctx)) {
                s->stop = s->given_up = true;
                return false;
            }
        }
        sched_yield();
    }
    return true;
}

bool sched_in_turn(const struct part *part, uint64_t from)
{
    struct sched *s = part->sched;
    uint64_t turn = turn_of(from, part->number + 1);
    if (!s->ordered || s->region == NULL)
        return true;
    PART_CHECK(s->threads <= 1, part, from, "takes turns while %u threads send what is promised here", s->threads);
    region_set_turn(s->region, turn);
    if (region_is_turn(s->region, turn))
        return true;
    if (s->given_up)
        return false;
    if (region_active(s->region) < from + PART_WINDOW) /* a host promises by that */
        region_set_active(s->region, from + PART_WINDOW);
    sched_promise(s); /* the others may need it to get there */
    return wait_for_turn(s, turn);
}

void sched_links_in(const struct sched *s, struct link **in)
{
    for (uint32_t i = 0; i < s->import_count; i++) {
        in[i] = s->imports[i]->in;
        in[i]->promised = link_promised(in[i]);
    }
}

static void free_taken(struct sched *s)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < s->held_count; i++) {
        struct wire *w = s->held[i];
        w->in->transport->done(w->in, w->channel.head);
        w->held = w->channel.head != w->channel.tail;
        if (w->held)
            s->held[left++] = w;
    }
    s->held_count = left;
}

void sched_flush(struct sched *s)
{
    for (uint32_t i = 0; i < s->head_out_count; i++) {
        if (s->heads_out[i]->bundle)
            s->heads_out[i]->transport->promise(s->heads_out[i], 0);
    }
}

/* What the partitions have taken makes room, before a credit for it can become due at the other end: that one waits for
 * the promise. */
void sched_promise(struct sched *s)
{
    uint64_t from = sched_sends_from(s), hold = sched_hold(s);
    free_taken(s);
    for (uint32_t i = 0; i < s->head_out_count; i++) {
        struct link *link = s->heads_out[i];
        const struct link *in = ((const struct wire *)link->owner)->in; /* a tap says what is known of it */
        uint64_t own = from + link->latency < hold ? from + link->latency : hold;
        link->transport->promise(link, in ? link_promised(in) : own);
    }
    if (s->region)
        peers_beat(s->region, s->now);
}
