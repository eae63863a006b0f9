/* SPDX-License-Identifier: Apache-2.0
 * Lanes of GPUs that are simulated elsewhere; contract in external_lane.h.
 */
#include "machine/external_lane.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "bridge/verilated/model.h"

static_assert(sizeof(struct msg_mem_req) >= sizeof(struct msg_cp_evt) &&
                  sizeof(struct msg_mem_req) >= sizeof(struct msg_dram_req) &&
                  sizeof(struct msg_mem_req) >= sizeof(struct msg_mem_rsp),
              "the largest message that a GPU sends");

void external_lane_push(struct external_lane *l, uint64_t cycle, const void *message)
{
    if (l->head && l->head + l->count == l->room) { /* the places in front are used again */
        memmove(l->list, l->list + l->head, l->count * sizeof *l->list);
        l->head = 0;
    }
    l->list = xgrow(l->list, &l->room, l->head + l->count + 1, sizeof *l->list);
    struct external_sent *s = &l->list[l->head + l->count++];
    s->cycle = cycle;
    if (message)
        memcpy(s->message, message, l->bytes);
    l->last = cycle;
}

void external_lane_leave(struct external_lane *l, uint32_t slot, uint64_t end, const struct model_sink *sink)
{
    while (l->count && (!l->bounded || l->credits)) {
        const struct external_sent *s = &l->list[l->head];
        const uint64_t cycle = l->bounded && l->credited > s->cycle ? l->credited : s->cycle;
        if (cycle >= end)
            return;
        sink->send(sink->ctx, slot, cycle, l->bytes ? s->message : NULL);
        l->credits -= l->bounded;
        l->head = l->count == 1 ? 0 : l->head + 1;
        l->count--;
    }
}

void external_lane_fini(struct external_lane *l)
{
    free(l->list);
}
