/* SPDX-License-Identifier: Apache-2.0
 * The links of one GPU as data, from rtl/gpu/links.yaml (sw/tools/gen/gen_links.py): rtl/gpu/gpu.sv is held against the
 * same table (sw/tools/check/check_links.py).  Not responsible for: making channels (rtl_gpu.c), links between GPUs and
 * to the host.
 */
#ifndef GANTRY_LINKS_H
#define GANTRY_LINKS_H
#include <stdint.h>

#include "target/bounds.h"
#include "target/rtl_kinds.h"

/* Lane `lane` of a port of instance `instance` of a kind. */
struct gpu_end {
    enum rtl_kind kind;
    unsigned instance, lane;
};

struct gpu_link {
    const char *port; /* has the same name at both ends */
    struct gpu_end from, to;
    uint32_t latency; /* cycles */
    enum bound bound;
};

/* Every link within a GPU, in the order of their channels' ids. */
void gpu_links(const struct gantry_cfg *cfg, void (*fn)(void *arg, const struct gpu_link *link), void *arg);
/* The partition's end that lane n of port `port` of the GPU itself is. */
struct gpu_end gpu_outside(const char *port, unsigned n);
/* Most messages inside a channel with that bound; 0: one for each cycle under way. */
uint32_t gpu_bound(const struct gantry_cfg *cfg, enum bound bound);
#endif
