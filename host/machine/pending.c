/* SPDX-License-Identifier: Apache-2.0
 * Commands that wait for their event: which there are, and whether the machine owes the host anything.  Not responsible
 * for: places for commands in a hub (commands.c).
 */
#include <string.h>

#include "base/xalloc.h"
#include "machine/sim_private.h"

void pending_add(struct sim_gpu *g, const struct msg_cp_cmd *cmd)
{
    g->pending = xgrow(g->pending, &g->pending_room, g->pending_count + 1, sizeof *g->pending);
    g->pending[g->pending_count++] = (struct sim_pending){.kind = cmd->kind, .vmid = cmd->vmid, .id = cmd->id};
}

static uint32_t pending_find(const struct sim_gpu *g, unsigned kind, unsigned id)
{
    uint32_t i = 0;
    while (i < g->pending_count && (g->pending[i].kind != kind || g->pending[i].id != id))
        i++;
    return i;
}

static void pending_remove(struct sim_gpu *g, uint32_t i)
{
    g->pending_count--;
    memmove(&g->pending[i], &g->pending[i + 1], (g->pending_count - i) * sizeof *g->pending);
}

void pending_account(struct sim_gpu *g, const struct msg_cp_evt *evt, uint64_t now)
{
    static const uint8_t command[] = {
        [CP_EVT_LAUNCH_DONE] = CP_LAUNCH, [CP_EVT_CACHE_DONE] = CP_CACHE,     [CP_EVT_KILL_DONE] = CP_KILL,
        [CP_EVT_FAULT] = CP_LAUNCH,       [CP_EVT_INTERRUPT] = CP_LAUNCH,     [CP_EVT_HALT] = CP_LAUNCH,
        [CP_EVT_TRAP_DONE] = CP_TRAP,     [CP_EVT_CONTROL_DONE] = CP_CONTROL, [CP_EVT_XLAT_DONE] = CP_XLAT,
        [CP_EVT_MOVED] = CP_MOVE,         [CP_EVT_STORED] = CP_STORE,         [CP_EVT_COUNTED] = CP_COUNTS};
    PART_CHECK(evt->kind >= CP_EVT_LAUNCH_DONE && evt->kind <= CP_EVT_COUNTED, g->dispatch, now, "event of kind %u",
               evt->kind);
    if (evt->kind == CP_EVT_XLAT) { /* of no command: launches of the space may wait for the host from now on */
        for (uint32_t k = 0; k < g->pending_count; k++)
            g->pending[k].withheld |= g->pending[k].kind == CP_LAUNCH && g->pending[k].vmid == evt->vmid;
        return;
    }
    if (evt->kind == CP_EVT_ROOT_REFUSED ||
        evt->kind == CP_EVT_COUNT) /* of a command that is not waited for; of none */
        return;
    uint32_t i = pending_find(g, command[evt->kind], evt->id);
    PART_CHECK(i < g->pending_count, g->dispatch, now, "event %u for command %u, which is not under way", evt->kind,
               evt->id);
    struct sim_pending *p = &g->pending[i];
    p->interrupted |= evt->kind == CP_EVT_INTERRUPT;
    p->halted |= evt->kind == CP_EVT_HALT;
    /* a trap handler tells the host and halts; a wavefront that only halts waits for nobody */
    p->faulted |= evt->kind == CP_EVT_FAULT || (p->halted && p->interrupted);
    if (command[evt->kind] == CP_LAUNCH && evt->kind != CP_EVT_LAUNCH_DONE)
        return;
    uint8_t vmid = g->pending[i].vmid;
    pending_remove(g, i);
    for (uint32_t k = i; evt->kind == CP_EVT_KILL_DONE && k-- > 0;) { /* launches before the kill answer no more */
        if (g->pending[k].kind == CP_LAUNCH && g->pending[k].vmid == vmid)
            pending_remove(g, k);
    }
}

bool pending_any(const struct sim *sim)
{
    bool any = false;
    for (unsigned g = 0; g < sim->gpu_count; g++) {
        for (uint32_t i = 0; i < sim->gpus[g].pending_count; i++) {
            if (sim->gpus[g].pending[i].faulted || sim->gpus[g].pending[i].withheld)
                return false;
            any = true;
        }
    }
    return any;
}
