/* SPDX-License-Identifier: Apache-2.0
 * Warm caches behind a change of models; contract in warm_caches.h.
 */
#include "machine/warm_caches.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "gantry_cfg.h"
#include "gantry_msg.h"
#include "golden/touched.h"
#include "machine/sim_private.h"
#include "target/golden_part.h"
#include "vm/pmem.h"

struct warm {
    unsigned gpus;
    struct touched **vram; /* by GPU: its lines that some golden GPU has accessed */
    uint64_t *read;        /* lines so far */
};

struct warm *warm_new(struct sim *sim)
{
    const struct sim *golden = sim->twin;
    if (sim->cfg->roi_warm == 0)
        return NULL;
    struct warm *w = xcalloc(1, sizeof *w);
    w->gpus = sim->gpu_count;
    w->vram = xcalloc(w->gpus, sizeof *w->vram);
    w->read = xcalloc(w->gpus, sizeof *w->read);
    for (unsigned g = 0; g < w->gpus; g++)
        w->vram[g] = touched_new(sim->cfg->roi_warm);
    for (unsigned g = 0; g < w->gpus; g++)
        golden_part_touch(golden->gpus[g].golden, w->vram);
    return w;
}

void warm_free(struct warm *w)
{
    if (w == NULL)
        return;
    for (unsigned g = 0; g < w->gpus; g++)
        touched_free(w->vram[g]);
    free(w->vram);
    free(w->read);
    free(w);
}

struct reading {
    struct sim *sim;
    unsigned gpu;
    uint64_t lines;
};

static void line_read(void *ctx, uint64_t at)
{
    struct reading *r = ctx;
    /* MEM_READ: unlike the host's own reads it leaves the line in the L2 */
    const struct msg_mem_req req = {.op = MEM_READ, .addr = pmem_addr(r->gpu + 1, at)};
    port_access(r->sim, &req, true, 0);
    r->lines++;
}

void warm_read(struct warm *w, struct sim *sim)
{
    for (unsigned g = 0; g < w->gpus; g++) {
        struct reading r = {sim, g, 0};
        touched_each(w->vram[g], line_read, &r);
        w->read[g] += r.lines;
        touched_clear(w->vram[g]);
    }
}

void warm_counters(const struct warm *w, sim_counter_fn fn, void *arg)
{
    for (unsigned g = 0; g < w->gpus; g++) {
        char location[32];
        snprintf(location, sizeof location, "gpu%u.roi", g);
        fn(arg, location, "warmed", w->read[g], "count");
    }
}
