/* SPDX-License-Identifier: Apache-2.0
 * The golden GPU (golden.h): command queue, launches under way, completion events.
 * Not responsible for: what a wavefront does (golden_group.c), on which thread (golden_ahead.c), memory (golden_mem.c).
 */
#include "golden/golden.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "gantry_cfg.h"
#include "golden/golden_private.h"

struct golden *golden_new(struct pmem *memory, unsigned gpu, const struct gantry_cfg *cfg, golden_event_fn event,
                          void *ctx)
{
    struct golden *g = xcalloc(1, sizeof *g);
    g->check_hazards = cfg->check_hazards;
    g->outside.on = cfg->check_lds;
    g->memory = memory;
    g->gpu = gpu;
    g->event = event;
    g->ctx = ctx;
    g->generation = 1;
    pthread_mutex_init(&g->lock, NULL);
    pthread_mutex_init(&g->window, NULL);
    golden_share(g, 1, NULL, NULL);
    return g;
}

void golden_share(struct golden *g, unsigned threads, golden_share_fn share, void *team)
{
    unsigned workers = share && !g->check_hazards && !g->outside.on && !g->touched ? threads : 1;
    g->worker = xrealloc(g->worker, workers, sizeof *g->worker);
    while (g->workers < workers)
        g->worker[g->workers++] = golden_worker_new(g);
    g->share = workers > 1 ? share : NULL;
    g->team = team;
}

static void launch_free(struct golden *g, struct golden_launch *l)
{
    golden_ahead_drop(g, l);
    for (unsigned n = 0; n < GOLDEN_IN_FLIGHT; n++)
        golden_group_free(g, l->group[n]);
    free(l);
}

void golden_free(struct golden *g)
{
    if (!g)
        return;
    while (g->launches) {
        struct golden_launch *l = g->launches;
        g->launches = l->link;
        launch_free(g, l);
    }
    for (unsigned n = 0; n < g->workers; n++)
        free(g->worker[n]);
    free(g->worker);
    free(g->paused);
    free(g->scratch);
    pthread_mutex_destroy(&g->lock);
    pthread_mutex_destroy(&g->window);
    free(g->queue);
    places_free(&g->hazards);
    outside_free(&g->outside);
    free(g);
}

void golden_cmd(struct golden *g, const struct msg_cp_cmd *cmd)
{
    g->queue = xgrow(g->queue, &g->queue_room, g->queued + 1, sizeof *g->queue);
    g->queue[g->queued++] = *cmd;
}

uint64_t golden_groups(const struct golden *g)
{
    return g->groups;
}
uint64_t golden_instructions(const struct golden *g)
{
    return g->instructions;
}

static void launch_begin(struct golden *g, const struct msg_cp_cmd *cmd)
{
    struct golden_launch *l = xcalloc(1, sizeof *l), **end = &g->launches;
    l->cmd = *cmd;
    l->groups = (uint64_t)cmd->groups[0] * cmd->groups[1] * cmd->groups[2];
    l->limit = 1;
    l->start = golden_time(g);
    g->generation++; /* code may have changed since the last launch */
    while (*end)
        end = &(*end)->link;
    *end = l;
}

static void kill_vmid(struct golden *g, unsigned vmid)
{
    for (struct golden_launch **at = &g->launches; *at;) {
        struct golden_launch *l = *at;
        if (l->cmd.vmid != vmid) {
            at = &l->link;
            continue;
        }
        *at = l->link;
        launch_free(g, l);
    }
}

static void execute_command(struct golden *g, const struct msg_cp_cmd *cmd)
{
    struct msg_cp_evt evt = {.id = cmd->id, .vmid = cmd->vmid, .start = golden_time(g), .end = golden_time(g)};
    switch (cmd->kind) {
    case CP_LAUNCH:
        launch_begin(g, cmd);
        return;
    case CP_VMID:
        g->roots[cmd->vmid] = cmd->root;
        golden_mem_flush(g);
        return;
    case CP_TRAP:
        g->tba[cmd->vmid] = cmd->root;
        g->tma[cmd->vmid] = cmd->pc;
        evt.kind = CP_EVT_TRAP_DONE;
        break;
    case CP_CACHE:
        golden_mem_flush(g);
        if (g->touched && (cmd->flags & CACHE_INV_L2))
            golden_touch_drop(g);
        evt.kind = CP_EVT_CACHE_DONE;
        break;
    case CP_FETCH: /* it has no caches */
        return;
    case CP_XLAT: /* it withholds none */
        evt.kind = CP_EVT_XLAT_DONE;
        break;
    case CP_MOVE: /* it has no engine that would move a page */
    case CP_STORE:
    case CP_COUNTS: /* nor one that counts */
        evt.kind = cmd->kind == CP_MOVE ? CP_EVT_MOVED : cmd->kind == CP_STORE ? CP_EVT_STORED : CP_EVT_COUNTED;
        evt.status = CTL_ERROR_NONE;
        evt.cu = 0xff00;
        break;
    case CP_KILL:
        kill_vmid(g, cmd->vmid);
        evt.kind = CP_EVT_KILL_DONE;
        break;
    case CP_CONTROL: /* it has no components, and nothing is under way between two instructions */
        evt.kind = CP_EVT_CONTROL_DONE;
        evt.cu = 0xff00;
        evt.wave = CTL_STATE_RUN;
        break;
    default:
        return;
    }
    g->event(g->ctx, &evt);
}

/* Work-groups that fit beside those in flight. */
static void launch_fill(struct golden *g, struct golden_launch *l)
{
    unsigned in_flight = 0;
    for (unsigned n = 0; n < GOLDEN_IN_FLIGHT; n++)
        in_flight += l->group[n] != NULL;
    for (unsigned n = 0; n < GOLDEN_IN_FLIGHT && in_flight < l->limit && l->next < l->groups; n++)
        if (!l->group[n]) {
            l->group[n] = golden_group_start(g, l);
            if (!l->group[n])
                return;
            in_flight++;
        }
}

/* One round over the work-groups of a launch; true while it can go on. */
static bool launch_run(struct golden *g, struct golden_launch *l)
{
    bool can_run = false;
    launch_fill(g, l);
    for (unsigned n = 0; n < GOLDEN_IN_FLIGHT; n++) {
        struct golden_group *group = l->group[n];
        if (!group)
            continue;
        can_run |= golden_group_run(g, group);
        if (group->left == 0) {
            golden_group_free(g, group);
            l->group[n] = NULL;
            g->groups++;
            can_run = true;
        } else if ((group->waits || group->instructions > GOLDEN_PATIENCE) && l->limit < GOLDEN_IN_FLIGHT &&
                   l->next < l->groups) {
            group->instructions = 0;
            l->limit++;
            can_run = true;
        }
    }
    return can_run;
}

static bool launch_finished(const struct golden_launch *l)
{
    for (unsigned n = 0; n < GOLDEN_IN_FLIGHT; n++)
        if (l->group[n])
            return false;
    return l->next == l->groups;
}

static void launch_done(struct golden *g, struct golden_launch *l)
{
    struct msg_cp_evt evt = {.kind = CP_EVT_LAUNCH_DONE, .id = l->cmd.id, .vmid = l->cmd.vmid};
    evt.data = l->waves;
    evt.start = l->start;
    evt.end = golden_time(g);
    evt.instructions = l->instructions;
    launch_free(g, l);
    g->event(g->ctx, &evt);
}

static void take_commands(struct golden *g)
{
    while (g->queued) {
        struct msg_cp_cmd cmd = g->queue[0];
        memmove(g->queue, g->queue + 1, --g->queued * sizeof *g->queue);
        execute_command(g, &cmd);
    }
}

bool golden_run(struct golden *g, uint64_t budget)
{
    uint64_t end = g->instructions + budget;
    bool can_run = true;
    g->turn = budget < GOLDEN_TURN ? budget : GOLDEN_TURN;
    while (can_run && g->instructions < end && !golden_clock_out(g)) {
        take_commands(g);
        can_run = false;
        for (struct golden_launch **at = &g->launches; *at;) {
            struct golden_launch *l = *at;
            can_run |= launch_run(g, l);
            if (launch_finished(l)) {
                *at = l->link;
                launch_done(g, l);
            } else {
                at = &l->link;
            }
        }
        can_run |= g->queued != 0;
    }
    return g->queued || can_run;
}
