/* SPDX-License-Identifier: Apache-2.0
 * A lane on which a GPU that is simulated elsewhere (external.h) sends: what was sent and has not left, in order, with
 * the free places at the other end.  Not responsible for: which lanes there are, and what may be sent.
 */
#ifndef GANTRY_EXTERNAL_LANE_H
#define GANTRY_EXTERNAL_LANE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gantry_msg.h"

struct model_sink;

#define EXTERNAL_SENT_MOST (1u << 20) /* messages that wait: beyond it a model never ends to send */

struct external_lane {
    struct external_sent {
        uint64_t cycle;
        uint8_t message[sizeof(struct msg_mem_req)];
    } * list;
    size_t head, count, room;
    uint32_t bytes;   /* 0: credits */
    bool bounded;     /* by `credits` */
    uint32_t credits; /* free places at the other end; of a lane of credits: messages taken whose place is not free */
    uint32_t places, next; /* all there are; the one that is used next */
    uint64_t *freed;       /* of each, from `next` on: cycle in which its credit came */
    uint64_t last;         /* cycle of the newest message */
    uint32_t late;         /* cycles before the window by which one may be told */
};

/* places: free ones at the other end; 0: as many as one likes. */
void external_lane_init(struct external_lane *lane, uint32_t bytes, uint32_t places, uint32_t late);
/* A place is free again from `cycle` on. */
void external_lane_credit(struct external_lane *lane, uint64_t cycle);

/* message: `bytes` of it, copied; NULL: a credit. */
void external_lane_push(struct external_lane *lane, uint64_t cycle, const void *message);
/* Sends on output `slot` what may leave before cycle `end`: in the cycle of the message or of its place, whichever is
 * later.  How many. */
uint32_t external_lane_leave(struct external_lane *lane, uint32_t slot, uint64_t end, const struct model_sink *sink);
void external_lane_fini(struct external_lane *lane);
#endif
