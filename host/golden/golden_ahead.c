/* SPDX-License-Identifier: Apache-2.0
 * Rounds of work-groups: executed, and then told (events, counts) when it is their turn.  With one thread a round is
 * told as soon as it is executed.  With several, each executes work-groups of its own, in the order of their numbers,
 * before their turn; since a round notes all that the owner of the GPU sees of it, and rounds are told in the order of
 * one thread, the owner sees the same.  What differs is when memory changes: work-groups that are not independent (that
 * wait for each other, or take what atomics return in their order) see another order of each other's accesses.
 */
#include <string.h>

#include "base/xalloc.h"
#include "golden/golden_private.h"

/* Work-groups of one meeting of the threads. */
struct ahead {
    struct golden *g;
    struct golden_group *first; /* the one whose turn it is */
};

static struct golden_group *make(const struct golden *g, struct golden_launch *l)
{
    struct golden_group *group = golden_group_new(g, l, l->made++);
    if (l->ahead)
        l->last_ahead->link = group;
    else
        l->ahead = group;
    l->last_ahead = group;
    return group;
}

struct golden_group *golden_group_start(struct golden *g, struct golden_launch *l)
{
    struct golden_group *group = l->ahead ? l->ahead : make(g, l);
    pthread_mutex_lock(&g->lock);
    bool room = !group->live || golden_scratch_take(g, group, false);
    pthread_mutex_unlock(&g->lock);
    if (!room)
        return NULL;
    if (l->waiting == group)
        l->waiting = NULL;
    l->ahead = group->link;
    group->link = NULL;
    l->next++;
    l->waves += group->waves;
    return group;
}

/* Can be executed before its turn. */
static bool unfinished(const struct golden_group *group)
{
    return group->live && !group->stuck && !group->held.on;
}

static void resume(struct golden *g, const struct golden_group *group)
{
    for (size_t n = 0; n < g->paused_count; n++)
        if (g->paused[n] == group) {
            g->paused_count--;
            memmove(&g->paused[n], &g->paused[n + 1], (g->paused_count - n) * sizeof *g->paused);
            return;
        }
}

/* The oldest that was begun, else a new one. */
static struct golden_group *next_group(struct golden *g)
{
    for (size_t n = 0; n < g->paused_count; n++) {
        struct golden_group *group = g->paused[n];
        if (group->rounds - group->told < GOLDEN_UNTOLD) {
            resume(g, group);
            return group;
        }
    }
    for (struct golden_launch *l = g->launches; l; l = l->link) {
        if (l->stalled || (!l->waiting && (l->made == l->groups || l->made - l->next >= GOLDEN_AHEAD)))
            continue;
        struct golden_group *group = l->waiting ? l->waiting : make(g, l);
        l->waiting = golden_scratch_take(g, group, true) ? NULL : group;
        if (!l->waiting)
            return group;
    }
    return NULL;
}

/* One thread's part. */
static void work(void *ctx, uint32_t n)
{
    const struct ahead *a = ctx;
    struct golden *g = a->g;
    uint64_t done = 0;
    struct golden_group *group = a->first;
    if (n) {
        pthread_mutex_lock(&g->lock);
        group = next_group(g);
        pthread_mutex_unlock(&g->lock);
    }
    g->worker[n]->in_turn = n == 0;
    while (group) {
        do {
            done += golden_group_round(g->worker[n], group);
            g->worker[n]->in_turn = false;
        } while (unfinished(group) && done < GOLDEN_SHARE);
        pthread_mutex_lock(&g->lock);
        if (unfinished(group)) {
            g->paused = xgrow(g->paused, &g->paused_room, g->paused_count + 1, sizeof *g->paused);
            g->paused[g->paused_count++] = group;
        }
        group->launch->stalled |= group->stuck;
        group = done < GOLDEN_SHARE ? next_group(g) : NULL;
        pthread_mutex_unlock(&g->lock);
    }
}

static void execute(struct golden *g, struct golden_group *group)
{
    struct ahead a = {g, group};
    if (!g->share) {
        g->worker[0]->in_turn = true;
        golden_group_round(g->worker[0], group);
        return;
    }
    resume(g, group);
    g->share(g->team, g->workers, work, &a);
}

/* Of a round that is held there are events, and no more. */
static void forget_told(struct golden_group *group)
{
    const size_t left = group->events - group->events_told;
    if (left)
        memmove(group->event, group->event + group->events_told, left * sizeof *group->event);
    group->events = left;
    group->told = group->rounds = group->events_told = 0;
}

bool golden_group_run(struct golden *g, struct golden_group *group)
{
    if (group->told == group->rounds) {
        if (group->stuck)
            return false;
        forget_told(group);
        execute(g, group);
    }
    const struct golden_round r = group->round[group->told++];
    for (unsigned n = 0; n < r.events; n++)
        g->event(g->ctx, &group->event[group->events_told++]);
    golden_writes_told(g, r.written);
    g->instructions += r.instructions;
    group->instructions += r.instructions;
    group->launch->instructions += r.instructions;
    group->left = r.live;
    group->waits = r.waited;
    return r.can_run;
}

void golden_ahead_drop(struct golden *g, struct golden_launch *l)
{
    for (size_t n = g->paused_count; n-- > 0;)
        if (g->paused[n]->launch == l)
            resume(g, g->paused[n]);
    while (l->ahead) {
        struct golden_group *group = l->ahead;
        l->ahead = group->link;
        golden_group_free(g, group);
    }
}
