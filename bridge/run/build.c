/* SPDX-License-Identifier: Apache-2.0
 * Making a scheduler: partitions, wires, groups and the bounds that follow from them; contract in sched.h.
 */
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "bridge/link/link.h"
#include "bridge/run/sched.h"
#include "bridge/run/thread_team.h"

void sched_init(struct sched *s)
{
    memset(s, 0, sizeof *s);
    s->horizon = s->limit = UINT64_MAX;
}

static void group_fini(struct sched_group *g)
{
    free(g->parts);
    free(g->busy);
    free(g->wheel);
    free(g->outbox);
    heap_fini(&g->late);
}

static void link_free(struct link *link)
{
    if (link)
        link->transport->close(link);
    free(link);
}

static void wire_free(struct wire *w)
{
    link_free(w->in);
    link_free(w->out);
    channel_fini(&w->channel);
    free(w);
}

void sched_fini(struct sched *s)
{
    team_free(s->team);
    for (uint32_t i = 0; i < s->count; i++)
        part_free(s->parts[i]);
    for (uint32_t i = 0; i < s->other_count; i++)
        part_free(s->others[i]);
    for (uint32_t i = 0; i < s->wire_count; i++)
        wire_free(s->wires[i]);
    for (uint32_t i = 0; i < s->group_count; i++)
        group_fini(&s->groups[i]);
    free(s->parts);
    free(s->others);
    free(s->wires);
    free(s->imports);
    free(s->exports);
    free(s->heads_in);
    free(s->heads_out);
    free(s->held);
    free(s->groups);
    free(s->ready);
    memset(s, 0, sizeof *s);
}

void sched_add(struct sched *s, struct part *part)
{
    part->sched = s;
    part->number = s->added++;
    if (part->elsewhere) {
        uint32_t n = s->other_count++;
        s->others = xrealloc(s->others, s->other_count, sizeof *s->others);
        s->others[n] = part;
        return;
    }
    uint32_t n = s->count++;
    s->parts = xrealloc(s->parts, s->count, sizeof *s->parts);
    s->parts[n] = part;
}

struct wire *sched_wire(struct sched *s, struct part *from, uint32_t slot_from, struct part *to, uint32_t slot_to)
{
    PART_CHECK(!from || slot_from < from->outs, from, 0, "output %u of %u to %s", slot_from, from->outs, part_name(to));
    PART_CHECK(!to || slot_to < to->ins, to, 0, "input %u of %u from %s", slot_to, to->ins, part_name(from));
    PART_CHECK((!from || !from->out[slot_from]) && (!to || !to->in[slot_to]), from ? from : to, 0,
               "output %u or input %u of %s is connected twice", slot_from, slot_to, part_name(to));
    PART_CHECK(s->connected < SCHED_CHANNELS, from ? from : to, 0, "more than %u channels", SCHED_CHANNELS);
    struct wire *w = xzalloc(sizeof *w);
    *w = (struct wire){.from = from, .to = to, .to_slot = slot_to};
    if (from)
        from->out[slot_from] = w;
    if (to)
        to->in[slot_to] = w;
    uint32_t n = s->wire_count++;
    s->wires = xrealloc(s->wires, s->wire_count, sizeof *s->wires);
    s->wires[n] = w;
    return w;
}

struct wire *sched_connect(struct sched *s, struct part *from, uint32_t slot_from, struct part *to, uint32_t slot_to,
                           uint32_t bytes, uint32_t latency, uint32_t depth)
{
    if (from->elsewhere || to->elsewhere) {
        uint32_t number = s->connected;
        struct wire *cut = s->cut.connect(s->cut.ctx, s, from, slot_from, to, slot_to, bytes, latency, depth);
        s->connected = number + 1;
        return cut;
    }
    PART_CHECK(latency >= PART_WINDOW, from, 0, "channel to %s: latency %u is below the window", to->name, latency);
    struct wire *w = sched_wire(s, from, slot_from, to, slot_to);
    channel_init(&w->channel, s->connected++, from->name, to->name, bytes, latency, depth);
    return w;
}

static void group_add(struct sched_group *g, struct part *part)
{
    part->index = g->count++;
    g->parts = xrealloc(g->parts, g->count, sizeof *g->parts);
    g->parts[part->index] = part;
}

static void group_start(struct sched_group *g)
{
    g->words = (g->count + 63) / 64;
    g->busy = xcalloc(g->words, sizeof *g->busy);
    g->wheel = xcalloc((size_t)g->words * SCHED_WHEEL, sizeof *g->wheel);
    for (uint32_t i = 0; i < g->count; i++) {
        if (!g->parts[i]->idle)
            g->busy[i / 64] |= UINT64_C(1) << (i & 63);
    }
}

/* Written bounds of what grows with messages: wake-ups beyond the wheel (one a message, and one of each partition's
 * own) and, for groups that run at the same time, mail (what is in an outbox is not yet in its channel). */
static void bounds_set(struct sched *s)
{
    for (uint32_t i = 0; i < s->group_count; i++)
        s->groups[i].late.limit = s->groups[i].count;
    for (uint32_t i = 0; i < s->wire_count; i++) {
        const struct wire *w = s->wires[i];
        if (w->to)
            s->groups[w->to->group].late.limit += w->channel.depth;
        if (s->threads > 1 && w->crosses)
            s->groups[w->from->group].outbox_room += w->channel.depth * sched_mail_bytes(&w->channel);
    }
    for (uint32_t i = 0; i < s->group_count; i++) {
        if (s->groups[i].outbox_room)
            s->groups[i].outbox = xrealloc(NULL, s->groups[i].outbox_room, sizeof *s->groups[i].outbox);
    }
}

bool sched_start(struct sched *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->parts[i]->group >= s->group_count)
            s->group_count = s->parts[i]->group + 1;
    }
    s->groups = xcalloc(s->group_count, sizeof *s->groups);
    s->ready = xcalloc(s->group_count, sizeof *s->ready);
    for (uint32_t i = 0; i < s->count; i++)
        group_add(&s->groups[s->parts[i]->group], s->parts[i]);
    for (uint32_t i = 0; i < s->group_count; i++)
        group_start(&s->groups[i]);
    s->stretch = SCHED_STRETCH;
    for (uint32_t i = 0; i < s->wire_count; i++) {
        struct wire *w = s->wires[i];
        w->crosses = w->from && w->to && w->from->group != w->to->group;
        if (w->crosses && w->channel.latency / PART_WINDOW < s->stretch)
            s->stretch = w->channel.latency / PART_WINDOW;
    }
    bounds_set(s);
    if (s->threads > 1)
        s->team = team_new(s->threads);
    return s->threads <= 1 || s->team != NULL;
}
