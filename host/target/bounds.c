/* SPDX-License-Identifier: Apache-2.0
 * Bounds of channels; contract in bounds.h.
 */
#include "target/bounds.h"

#include "bridge/run/sched.h"
#include "target/gpu_links.h"

uint32_t bound_depth(const struct gantry_cfg *cfg, enum bound bound, uint32_t latency)
{
    uint32_t places = gpu_bound(cfg, bound);
    return places ? places : latency + (SCHED_STRETCH + 1) * PART_WINDOW;
}
