/* SPDX-License-Identifier: Apache-2.0
 * The reference's walk: launches on dispatchers, the CU of each try, who may try, the CU that is kept, kills.
 *
 * Exact: the CU of a try, its answer, places, messages, who is refused where, which CU is kept for whom and until when.
 * Taken as seen: which dispatcher a launch begins on (it must have none), in which cycle a wavefront's resources come
 * back (it must have ended), in which cycle a dispatcher tries or finds no CU.  Of who tries it is asked that it may;
 * that nobody of a greater priority could have tried for SLACK edges already; that no other of its priority could have
 * while all of that priority have tried; that somebody tries when one could; that no dispatcher is ahead of its rate by
 * more than the 16 cycles it may make up. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "reference.h"

enum {
    SLACK = 3,
    MADE_UP = 1600,
    FRACTION = 200
}; /* hundredths of a cycle that are made up; parts of one that are rounded */

const char *ref_wrong(struct ref *r, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(r->error, sizeof r->error, format, list);
    va_end(list);
    return r->error;
}

void ref_begin(struct ref *r, const struct ref_shape *shape, struct ref_group *pool, unsigned pool_size)
{
    memset(r, 0, sizeof *r);
    memset(pool, 0, pool_size * sizeof *pool);
    r->shape = *shape;
    r->pool = pool, r->pool_size = pool_size;
}

static uint64_t bit(unsigned n)
{
    return UINT64_C(1) << n;
}

/* CUs in which a launch may still find room. */
static uint64_t open_cus(const struct ref *r, unsigned who)
{
    const struct ref_walk *w = &r->walk[who];
    return w->may & ~w->refused & ~(r->kept && r->keeper != who ? bit(r->kept_cu) : 0);
}

static bool has_group(const struct ref_walk *w)
{
    return w->present && !w->killed && w->next < w->groups;
}

/* ---- resources come back */
static uint64_t freed_cus(const struct ref_edge *e)
{
    uint64_t cus = 0;
    for (unsigned i = 0; i < e->freed_count; i++)
        cus |= bit(e->freed[i] / REF_PLACES);
    return cus;
}

static const char *take_back(struct ref *r, const struct ref_edge *e)
{
    for (unsigned i = 0; i < e->freed_count; i++) {
        const unsigned cu = e->freed[i] / REF_PLACES, wave = e->freed[i] % REF_PLACES;
        if (!r->held[cu][wave].group || !r->held[cu][wave].ended)
            return ref_wrong(r, "cu %u: place %x comes back, %s", cu, wave,
                             r->held[cu][wave].group ? "its wavefront has not ended" : "nobody has it");
        ref_pool_free(r, cu, wave);
    }
    return NULL;
}

/* ---- the CU that is kept */
static void claim(struct ref *r, const struct ref_edge *e, uint64_t freed)
{
    int owner = -1;
    uint32_t longest = r->shape.patience;
    for (unsigned i = 0; i < r->shape.dispatchers && !r->kept; i++) {
        const struct ref_walk *w = &r->walk[i];
        if (w->waits && (w->may & freed) && e->cycle - w->since >= longest)
            owner = (int)i, longest = e->cycle - w->since;
    }
    if (owner >= 0) {
        r->kept = true;
        r->keeper = (unsigned)owner;
        r->kept_cu = (unsigned)__builtin_ctzll(r->walk[owner].may & freed);
        r->kept_since = e->cycle;
        r->claims++;
    }
    if (r->kept && e->cycle - r->kept_since >= 16 * r->shape.patience) {
        r->kept = false;
        r->walk[r->keeper].since = e->cycle;
        r->claims_ended++;
    }
}

/* ---- answers, kills, launches */
/* Hundredths of a cycle that the next group takes its dispatcher. */
static int32_t group_cost(const struct ref *r, const struct ref_walk *w)
{
    struct ref_group g;
    ref_group_shape(&w->cmd, w->next, &g);
    return (int32_t)(g.waves <= 4 ? 100 * r->shape.cycles_per_group : 103 * g.waves + 2);
}

static const char *hear_answer(struct ref *r, uint64_t freed)
{
    if (!r->answer.valid)
        return NULL;
    struct ref_walk *w = &r->walk[r->answer.who];
    r->answer.valid = false;
    w->trying = false;
    if (!r->answer_ok) {
        w->refused |= bit(r->answer.cu) & ~freed;
        w->behind += group_cost(r, w);
        r->refusals++;
        return NULL;
    }
    if (w->owed > 2 || w->granted[w->owed - 1]->who != r->answer.who)
        return ref_wrong(r, "dispatcher %u: a third group is not sent", r->answer.who);
    r->grants++;
    w->waits = false;
    w->next++;
    if (r->kept && r->keeper == r->answer.who)
        r->kept = false;
    return NULL;
}

static void kill_space(struct ref *r, unsigned vmid)
{
    r->kills++;
    for (unsigned i = 0; i < r->shape.dispatchers; i++)
        if (r->walk[i].present && r->walk[i].cmd.vmid == vmid) {
            r->walk[i].killed = true;
            r->walk[i].waits = false;
            if (r->kept && r->keeper == i)
                r->kept = false;
        }
}

static const char *launch(struct ref *r, const struct ref_edge *e)
{
    struct ref_walk *w = &r->walk[e->who];
    if (e->who >= r->shape.dispatchers || (w->present && (has_group(w) || w->running || w->owed || w->trying)))
        return ref_wrong(r, "dispatcher %u has a launch already", e->who);
    memset(w, 0, sizeof *w);
    w->cmd = *e->launch;
    w->present = true;
    w->groups = (uint64_t)w->cmd.groups[0] * w->cmd.groups[1] * w->cmd.groups[2];
    w->may = ref_may_use(&w->cmd, r->shape.cus);
    w->vgprs = (w->cmd.vgprs + 3) / 4, w->sgprs = (w->cmd.sgprs + 15) / 16, w->lds = (w->cmd.lds_bytes + 511) / 512;
    w->behind = MADE_UP;
    return NULL;
}

/* ---- who tries, and where */
/* A group takes its dispatcher so many cycles; what is left of the last one's last cycle, one more. */
static uint32_t pace(const struct ref_walk *w)
{
    const unsigned waves = w->cmd.waves;
    return waves <= 4 ? 6 : (103 * waves + 2) / 100 + 3;
}

static bool could_try(const struct ref *r, const struct ref_edge *e, unsigned who)
{
    const struct ref_walk *w = &r->walk[who];
    return has_group(w) && !w->trying && w->owed < 2 && (e->reciprocals >> who & 1) && e->cycle - w->tried >= pace(w);
}

/* Counts how long each could have tried. */
static const char *count_ready(struct ref *r, const struct ref_edge *e)
{
    for (unsigned i = 0; i < r->shape.dispatchers; i++) {
        struct ref_walk *w = &r->walk[i];
        const bool found_none = e->waits >> i & 1, could = could_try(r, e, i), open = open_cus(r, i) != 0;
        if (found_none && !w->waits) {
            if (open || !has_group(w))
                return ref_wrong(r, "dispatcher %u waits though CUs %llx have not refused it", i,
                                 (unsigned long long)open_cus(r, i));
            w->waits = true;
            w->since = e->cycle;
            r->waits++;
        }
        if (w->waits != found_none)
            return ref_wrong(r, "dispatcher %u: it waits for room: %d, expected %d", i, found_none, w->waits);
        w->unnoticed = could && !open && !w->waits && e->may_ask ? w->unnoticed + 1 : 0;
        if (w->unnoticed > SLACK)
            return ref_wrong(r, "dispatcher %u has no CU left and does not notice", i);
        if (!could || !open)
            w->ready = w->passed = 0;
        else if (e->may_ask)
            w->ready++;
        if (w->ready > SLACK && e->may_ask && !e->asks)
            return ref_wrong(r, "dispatcher %u could try, and nobody does", i);
    }
    return NULL;
}

static const char *may_go_first(struct ref *r, unsigned who)
{
    for (unsigned i = 0; i < r->shape.dispatchers; i++) {
        struct ref_walk *w = &r->walk[i];
        if (i == who || w->ready <= SLACK)
            continue;
        if (w->cmd.prio > r->walk[who].cmd.prio)
            return ref_wrong(r, "dispatcher %u goes before %u, whose priority is greater", who, i);
        if (w->cmd.prio == r->walk[who].cmd.prio && ++w->passed >= r->shape.dispatchers)
            return ref_wrong(r, "dispatcher %u goes before %u, as others have %u times", who, i, w->passed);
    }
    return NULL;
}

/* The next shader engine with an open CU, and there the next of these; or the first open CU. */
static unsigned choose_cu(struct ref *r, uint64_t open)
{
    if (r->shape.fill)
        return (unsigned)__builtin_ctzll(open);
    const unsigned engines = (r->shape.cus + REF_ENGINE - 1) / REF_ENGINE;
    unsigned engine = r->engine_turn;
    while ((open >> (REF_ENGINE * engine) & 0xffff) == 0)
        engine = (engine + 1) % engines;
    unsigned cu = r->cu_turn[engine];
    while (!(open >> (REF_ENGINE * engine + cu) & 1))
        cu = (cu + 1) % REF_ENGINE;
    r->engine_turn = (engine + 1) % engines;
    r->cu_turn[engine] = (cu + 1) % REF_ENGINE;
    return REF_ENGINE * engine + cu;
}

static const char *ask(struct ref *r, const struct ref_edge *e)
{
    struct ref_walk *w = &r->walk[e->asker];
    const uint64_t open = open_cus(r, e->asker);
    if (!e->may_ask || !has_group(w) || w->trying || w->owed >= 2 || !(e->reciprocals >> e->asker & 1) || open == 0)
        return ref_wrong(r, "dispatcher %u tries: has a group %d, tries already %d, %u groups not sent, open CUs %llx",
                         e->asker, has_group(w), w->trying, w->owed, (unsigned long long)open);
    if (w->behind < -FRACTION)
        return ref_wrong(r, "dispatcher %u is ahead of its rate by %d hundredths of a cycle", e->asker, -w->behind);
    const char *wrong = may_go_first(r, e->asker);
    if (wrong)
        return wrong;
    w->behind -= group_cost(r, w);
    const unsigned cu = choose_cu(r, open);
    if (cu != e->cu)
        return ref_wrong(r, "dispatcher %u tries cu %u, expected %u of %llx", e->asker, e->cu, cu,
                         (unsigned long long)open);
    r->asked.valid = true, r->asked.who = e->asker, r->asked.cu = cu;
    w->trying = true;
    w->tried = e->cycle, w->ready = w->passed = 0;
    r->tries++;
    return NULL;
}

/* The pool's part of an edge: what was seen of its answer must be what the reference has. */
static const char *pool_edge(struct ref *r, const struct ref_edge *e, struct ref_try request)
{
    const bool at_work = r->busy || e->taken;
    if (e->taken) {
        if (r->busy || !request.valid)
            return ref_wrong(r, "the pool takes a try that nobody has asked for");
        ref_pool_begin(r, &request);
    }
    ref_pool_round(r);
    if (e->done != (at_work && !r->busy))
        return ref_wrong(r, "a try in cu %u: answered %d, expected %d", r->now.cu, e->done, at_work && !r->busy);
    if (e->done && e->ok != r->answer_ok)
        return ref_wrong(r, "dispatcher %u, cu %u: the group %s, expected the contrary", r->now.who, r->now.cu,
                         e->ok ? "is placed" : "is refused");
    return NULL;
}

const char *ref_edge(struct ref *r, const struct ref_edge *e)
{
    const uint64_t freed = freed_cus(e);
    const struct ref_try request = r->asked;
    const char *wrong = take_back(r, e);
    if (e->taken)
        r->asked.valid = false;
    for (unsigned i = 0; i < r->shape.dispatchers; i++) {
        struct ref_walk *w = &r->walk[i];
        w->refused &= ~freed;
        if (w->behind < MADE_UP)
            w->behind += 100;
    }
    claim(r, e, freed);
    wrong = wrong ? wrong : hear_answer(r, freed);
    if (e->kill)
        kill_space(r, e->vmid);
    wrong = wrong ? wrong : count_ready(r, e);
    if (!wrong && e->asks)
        wrong = ask(r, e);
    wrong = wrong ? wrong : pool_edge(r, e, request);
    if (!wrong && e->launch)
        wrong = launch(r, e);
    return wrong;
}

/* ---- what CUs are told, and tell */
const char *ref_wave(struct ref *r, unsigned cu, const struct msg_cu_cmd *seen)
{
    struct ref_walk *w = seen->launch < r->shape.dispatchers ? &r->walk[seen->launch] : NULL;
    if (!w || w->owed == 0)
        return ref_wrong(r, "cu %u: a wavefront of dispatcher %u, none of whose groups is granted", cu, seen->launch);
    struct ref_group *g = w->granted[0];
    struct msg_cu_cmd want;
    ref_message(w, g, g->sent, seen, r->shape.simds, &want);
    if (cu != g->cu || memcmp(&want, seen, sizeof want) != 0)
        return ref_wrong(r,
                         "wavefront %u of group %u,%u,%u of dispatcher %u: cu %u place %x vgpr %u sgpr %u lds %u "
                         "barrier %u exec %llx, expected %u %x %u %u %u %u %llx%s",
                         g->sent, g->id[0], g->id[1], g->id[2], seen->launch, cu, seen->wave, seen->vgpr_base,
                         seen->sgpr_base, seen->lds_base, seen->group, (unsigned long long)seen->exec, g->cu, want.wave,
                         want.vgpr_base, want.sgpr_base, want.lds_base, want.group, (unsigned long long)want.exec,
                         " (or another field)");
    r->waves++;
    if (++g->sent == g->waves) {
        w->granted[0] = w->granted[1];
        w->owed--;
    }
    return NULL;
}

const char *ref_ended(struct ref *r, unsigned cu, unsigned wave)
{
    struct ref_held *h = &r->held[cu][wave % REF_PLACES];
    if (!h->group || h->ended)
        return ref_wrong(r, "cu %u: the wavefront at %x ends, and is not there", cu, wave);
    h->ended = true;
    return NULL;
}

/* Behind a CU's acknowledgement of a kill all that killed wavefronts hold there may come back. */
void ref_acked(struct ref *r, unsigned cu, unsigned vmid)
{
    for (unsigned i = 0; i < REF_PLACES; i++) {
        struct ref_held *h = &r->held[cu][i];
        if (h->group && r->walk[h->group->who].killed && r->walk[h->group->who].cmd.vmid == vmid)
            h->ended = true;
    }
}

const char *ref_rest(struct ref *r)
{
    struct ref_rows none;
    memset(&none, 0, sizeof none);
    for (unsigned i = 0; i < r->shape.dispatchers; i++)
        if (has_group(&r->walk[i]) || r->walk[i].owed || r->walk[i].running || r->walk[i].trying)
            return ref_wrong(r, "dispatcher %u is not done", i);
    for (unsigned cu = 0; cu < r->shape.cus; cu++)
        if (memcmp(&r->cu[cu], &none, sizeof none) != 0)
            return ref_wrong(r, "cu %u: something is still taken", cu);
    return r->busy || r->kept ? ref_wrong(r, "a try or a claim is under way") : NULL;
}
