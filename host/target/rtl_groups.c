/* SPDX-License-Identifier: Apache-2.0
 * Work-groups of wavefronts; contract in rtl_groups.h.  A dispatcher sends a message a wavefront: nothing is on the
 * path of other parts.
 */
#include "target/rtl_groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "bridge/verilated/rtl_part.h"
#include "gantry_msg.h"
#include "machine/sim_private.h"
#include "saved/state_piece.h"
#include "target/rtl_gpu.h"

#define WAVES 64 /* numbers of a CU: {simd[1:0], slot[3:0]} */

struct wave_sgprs {
    uint32_t sgpr[sizeof((struct msg_cu_cmd){0}.sgpr) / 4];
};

/* The tap of one GPU's dispatcher, before that of lock step. */
struct tap {
    uint32_t first, count; /* slots of cu_cmd */
    rtl_tap_fn next;
    void *next_ctx;
    struct wave_sgprs *waves;
};

struct rtl_groups {
    unsigned gpus;
    struct tap tap[];
};

static void tap_message(void *ctx, bool out, uint32_t slot, uint64_t cycle, const void *message)
{
    struct tap *t = ctx;
    const struct msg_cu_cmd *cmd = message;
    if (out && slot - t->first < t->count && cmd->kind == CU_WAVE)
        memcpy(t->waves[(slot - t->first) * WAVES + cmd->wave % WAVES].sgpr, cmd->sgpr, sizeof cmd->sgpr);
    if (t->next)
        t->next(t->next_ctx, out, slot, cycle, message);
}

struct rtl_groups *rtl_groups_new(struct sim *sim)
{
    struct rtl_groups *groups = xcalloc(1, sizeof *groups + sim->gpu_count * sizeof groups->tap[0]);
    groups->gpus = sim->gpu_count;
    for (unsigned g = 0; g < sim->gpu_count; g++) {
        struct part *dispatch = sim->gpus[g].dispatch;
        if (!dispatch || dispatch->elsewhere)
            continue;
        const struct model_port *port = rtl_port(dispatch, "cu_cmd", true);
        struct tap *t = &groups->tap[g];
        t->first = port->slot;
        t->count = port->count;
        t->waves = xcalloc((size_t)port->count * WAVES, sizeof *t->waves);
        t->next = rtl_part_tapped(dispatch, &t->next_ctx);
        rtl_part_tap(dispatch, tap_message, t);
    }
    return groups;
}

void rtl_groups_free(struct rtl_groups *groups)
{
    for (unsigned g = 0; groups && g < groups->gpus; g++)
        free(groups->tap[g].waves);
    free(groups);
}

const uint32_t *rtl_groups_sgprs(const struct rtl_groups *groups, unsigned gpu, unsigned cu, unsigned wave)
{
    return cu < groups->tap[gpu].count ? groups->tap[gpu].waves[cu * WAVES + wave % WAVES].sgpr : NULL;
}

static size_t waves_bytes(const struct tap *t)
{
    return (size_t)t->count * WAVES * sizeof *t->waves;
}

static bool waves_restore(void *ctx, struct state_reader *from)
{
    struct tap *t = ctx;
    return state_get(from, t->waves, waves_bytes(t));
}

void rtl_groups_save(const struct rtl_groups *groups, struct state_writer *to)
{
    struct state_buffer piece;
    state_buffer_init(&piece);
    for (unsigned g = 0; g < groups->gpus; g++) {
        state_put(&piece.writer, groups->tap[g].waves, waves_bytes(&groups->tap[g]));
        state_piece_put(to, &piece);
    }
    free(piece.bytes);
}

bool rtl_groups_restore(struct rtl_groups *groups, struct state_reader *from)
{
    bool ok = true;
    for (unsigned g = 0; ok && g < groups->gpus; g++)
        ok = state_piece_get(from, groups->tap[g].waves ? waves_restore : NULL, &groups->tap[g]);
    return ok;
}
