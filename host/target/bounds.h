/* SPDX-License-Identifier: Apache-2.0
 * The written bound of every channel of an RTL machine: how many messages can be inside at once, and why.  Responsible
 * for: their names and reasons.  Not responsible for: the numbers (rtl/gpu/links.yaml), the checks (channel.c at
 * the sender, part.c at the receiver, STREAM_BOUND of the partitions' tops for credits and requests under way).
 */
#ifndef GANTRY_BOUNDS_H
#define GANTRY_BOUNDS_H
#include <stdint.h>

struct gantry_cfg;

enum bound {
    BOUND_INITIATOR, /* credits: queue of an initiator in the crossbar, gpu.noc.queue */
    BOUND_TARGET,    /* credits: queue of a target, and of its answers in the crossbar, gpu.noc.target_queue */
    BOUND_EVENTS,    /* credits: queue of a CU's events in the dispatcher */
    BOUND_REPORTS,   /* credits: queue of the L2 TLB's reports in the dispatcher */
    BOUND_FILLS,     /* answers to reads, of which a slice has gpu.l2.mshrs under way */
    BOUND_PORT       /* a registered output sends one message a cycle, and the receiver lags by a stretch at most */
};

/* Of a channel with that latency. */
uint32_t bound_depth(const struct gantry_cfg *cfg, enum bound bound, uint32_t latency);
#endif
