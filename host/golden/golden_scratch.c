/* SPDX-License-Identifier: Apache-2.0
 * Places of work-groups in scratch memory: runs of wavefronts' slots, no two of a process at the same place while both
 * have wavefronts.  The first GOLDEN_WAVES slots are for work-groups whose turn it is, so that those which run before
 * their turn never hold them up.
 */
#include "base/xalloc.h"
#include "golden/golden_private.h"

static bool overlap(const struct golden_group *a, unsigned vmid, unsigned first, unsigned waves)
{
    return a->launch->cmd.vmid == vmid && first < a->scratch + a->waves && a->scratch < first + waves;
}

bool golden_scratch_take(struct golden *g, struct golden_group *group, bool before_turn)
{
    const struct msg_cp_cmd *cmd = &group->launch->cmd;
    if (!(cmd->sys_sgprs & 16) || !cmd->scratch_waves || group->has_scratch)
        return true;
    unsigned first = before_turn ? GOLDEN_WAVES : 0;
    for (size_t n = 0; n < g->scratch_count;) { /* behind all that it meets */
        const struct golden_group *other = g->scratch[n++];
        if (overlap(other, cmd->vmid, first, group->waves)) {
            first = other->scratch + other->waves;
            n = 0;
        }
    }
    if (first && first + group->waves > cmd->scratch_waves)
        return false;
    g->scratch = xgrow(g->scratch, &g->scratch_room, g->scratch_count + 1, sizeof *g->scratch);
    g->scratch[g->scratch_count++] = group;
    group->scratch = first;
    group->has_scratch = true;
    return true;
}

void golden_scratch_give(struct golden *g, struct golden_group *group)
{
    if (!group->has_scratch)
        return;
    pthread_mutex_lock(&g->lock);
    for (size_t n = 0; n < g->scratch_count; n++)
        if (g->scratch[n] == group) {
            g->scratch[n] = g->scratch[--g->scratch_count];
            break;
        }
    pthread_mutex_unlock(&g->lock);
    group->has_scratch = false;
}
