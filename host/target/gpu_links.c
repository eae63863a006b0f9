/* SPDX-License-Identifier: Apache-2.0
 * Links of a GPU; contract in gpu_links.h.
 */
#include "target/gpu_links.h"

#include <string.h>

#include "base/check.h"
#include "gantry_cfg.h"
#include "gantry_links.h"

void gpu_links(const struct gantry_cfg *cfg, void (*fn)(void *arg, const struct gpu_link *link), void *arg)
{
    links_walk(cfg, fn, arg);
}

struct gpu_end gpu_outside(const char *port, unsigned n)
{
    return outside_end(port, n);
}

uint32_t gpu_bound(const struct gantry_cfg *cfg, enum bound bound)
{
    return bound_of(cfg, bound);
}
