/* SPDX-License-Identifier: Apache-2.0
 * VRAM beside that of somebody else; contract in external_memory.h.
 */
#include "target/external_memory.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "machine/sim_private.h"
#include "target/memory_parts.h"
#include "vm/pmem.h"

struct external_memory {
    struct sim *sim;
    struct part *store;
    struct shadow *shadow; /* what the other memory holds */
    uint64_t others, changes;
};

struct external_memory *external_memory_new(struct sim *sim, unsigned gpu)
{
    struct external_memory *m = xcalloc(1, sizeof *m);
    *m = (struct external_memory){.sim = sim, .store = sim->gpus[gpu].store, .others = UINT64_MAX};
    m->shadow = shadow_new(sim->memory, gpu, false);
    if (!m->shadow) {
        diag(NULL, "no address space for a copy of the memory of gpu%u", gpu);
        free(m);
        return NULL;
    }
    store_shadow(m->store, m->shadow);
    return m;
}

void external_memory_free(struct external_memory *m)
{
    if (!m)
        return;
    store_shadow(m->store, NULL);
    shadow_free(m->shadow);
    free(m);
}

void external_memory_changes(struct external_memory *m, shadow_patch_fn patch, void *ctx)
{
    const uint64_t changes = pmem_changes(m->sim->memory);
    if (m->others == m->sim->others && m->changes == changes)
        return;
    m->others = m->sim->others;
    m->changes = changes;
    shadow_update(m->shadow, patch, ctx);
}
