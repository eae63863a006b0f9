/* SPDX-License-Identifier: Apache-2.0
 * Lanes of GPUs that are simulated elsewhere; contract in external_lane.h.
 */
#include "target/external_lane.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/xalloc.h"
#include "bridge/verilated/model.h"

static_assert(sizeof(struct msg_mem_req) >= sizeof(struct msg_cp_evt) &&
                  sizeof(struct msg_mem_req) >= sizeof(struct msg_dram_req) &&
                  sizeof(struct msg_mem_req) >= sizeof(struct msg_mem_rsp),
              "the largest message that a GPU sends");

void external_lane_init(struct external_lane *l, uint32_t bytes, uint32_t places, uint32_t late)
{
    *l = (struct external_lane){
        .bytes = bytes, .bounded = places > 0, .credits = places, .places = places, .late = late};
    if (places)
        l->freed = xcalloc(places, sizeof *l->freed);
}

void external_lane_credit(struct external_lane *l, uint64_t cycle)
{
    CHECK(l->credits < l->places, "external", "cycle=%llu a credit more than places", (unsigned long long)cycle);
    l->freed[(l->next + l->credits++) % l->places] = cycle;
}

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

uint32_t external_lane_leave(struct external_lane *l, uint32_t slot, uint64_t end, const struct model_sink *sink)
{
    uint32_t left = 0;
    while (l->count && (!l->bounded || l->credits)) {
        const struct external_sent *s = &l->list[l->head];
        const uint64_t cycle = l->bounded && l->freed[l->next] > s->cycle ? l->freed[l->next] : s->cycle;
        if (cycle >= end)
            break;
        left++;
        sink->send(sink->ctx, slot, cycle, l->bytes ? s->message : NULL);
        if (l->bounded) {
            l->next = (l->next + 1) % l->places;
            l->credits--;
        }
        l->head = l->count == 1 ? 0 : l->head + 1;
        l->count--;
    }
    return left;
}

void external_lane_fini(struct external_lane *l)
{
    free(l->list);
    free(l->freed);
}
