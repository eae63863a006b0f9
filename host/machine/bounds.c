/* SPDX-License-Identifier: Apache-2.0
 * Bounds of channels; contract in bounds.h.
 */
#include "machine/bounds.h"

#include "bridge/run/sched.h"
#include "gantry_cfg.h"
#include "machine/memory_parts.h"

#define EVENT_CREDITS 8 /* of a CU: EvtCredits of rtl/cu/cu_front.sv, queue of rtl/dispatch/dispatch_events.sv */

uint32_t bound_depth(const struct gantry_cfg *cfg, enum bound bound, uint32_t latency)
{
    switch (bound) {
    case BOUND_INITIATOR:
        return cfg->gpu_noc_queue;
    case BOUND_TARGET:
        return cfg->gpu_noc_target_queue;
    case BOUND_EVENTS:
        return EVENT_CREDITS;
    case BOUND_FAR:
        return FAR_DEPTH;
    case BOUND_FILLS:
        return cfg->gpu_l2_mshrs;
    case BOUND_ONE:
        return 1;
    case BOUND_PORT:
        break;
    }
    return latency + (SCHED_STRETCH + 1) * PART_WINDOW;
}
