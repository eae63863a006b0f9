/* SPDX-License-Identifier: Apache-2.0
 * What a machine tells of itself: counters, hashes, progress, where a wavefront belongs.
 */
#include <string.h>
#include <xxhash.h>

#include "machine/golden_part.h"
#include "machine/lockstep_tap.h"
#include "machine/memory_parts.h"
#include "machine/rtl_gpu.h"
#include "machine/rtl_groups.h"
#include "machine/sim_private.h"

unsigned sim_group(const struct sim *sim, unsigned gpu, const struct msg_cp_evt *evt, const struct msg_cp_cmd *launch,
                   uint32_t group[3])
{
    sim = sim->turn;
    const uint32_t *sgpr = sim->groups ? rtl_groups_sgprs(sim->groups, gpu, evt->cu, evt->wave) : NULL;
    const bool golden = sim->gpus[gpu].golden != NULL; /* neither: a whole GPU, inside which nobody looks */
    uint64_t number = evt->start;                      /* golden */
    unsigned at = launch->user_sgprs, known = 0;
    for (unsigned d = 0; d < 3; d++) {
        bool told = launch->sys_sgprs >> d & 1;
        group[d] = sgpr && told ? sgpr[at] : sgpr || !golden ? 0 : (uint32_t)(number % launch->groups[d]);
        number /= launch->groups[d];
        at += told;
        known |= (unsigned)((told && (sgpr || golden)) || launch->groups[d] == 1) << d;
    }
    return known;
}

void sim_counters(struct sim *sim, sim_counter_fn fn, void *arg)
{
    for (uint32_t i = 0; i < sim->sched.count; i++) {
        struct part *part = sim->sched.parts[i];
        if (part->ops->counters)
            part->ops->counters(part, fn, arg);
    }
    for (unsigned g = 0; sim->twin && g < sim->gpu_count; g++) {
        struct part *golden = sim->twin->gpus[g].golden;
        golden->ops->counters(golden, fn, arg);
    }
    if (sim->tap) {
        fn(arg, "lockstep", "compared", lockstep_tap_compared(sim->tap), "count");
        fn(arg, "lockstep", "observed", lockstep_tap_observed(sim->tap), "count");
    }
}

void sim_models(const struct sim *sim, void (*fn)(void *arg, const char *key, const char *tools), void *arg)
{
    if (sim->rtl)
        rtl_machine_models(sim->rtl, fn, arg);
}

uint64_t sim_write_hash(const struct sim *sim)
{
    uint64_t hashes[258] = {0};
    unsigned n = 0;
    for (unsigned g = 0; g < sim->gpu_count && g < 256; g++) {
        if (sim->gpus[g].store)
            hashes[n++] = store_hash(sim->gpus[g].store);
        if (sim->gpus[g].golden)
            hashes[n++] = golden_part_written(sim->gpus[g].golden);
    }
    if (sim->hostmem)
        hashes[n++] = hostmem_hash(sim->hostmem);
    if (sim->twin)
        hashes[n++] = sim_write_hash(sim->twin);
    return n ? XXH64(hashes, n * sizeof *hashes, 0) : 0;
}

uint64_t sim_groups(const struct sim *sim, unsigned gpu)
{
    const struct sim_gpu *g = &sim->gpus[gpu];
    if (sim->twin)
        return rtl_machine_ended(sim->rtl, gpu) + sim_groups(sim->twin, gpu);
    return g->golden ? golden_part_groups(g->golden) : sim->rtl ? rtl_machine_ended(sim->rtl, gpu) : 0;
}

uint64_t sim_instructions(const struct sim *sim)
{
    uint64_t sum = sim->twin ? sim_instructions(sim->twin) : 0;
    for (unsigned g = 0; g < sim->gpu_count; g++) {
        if (sim->gpus[g].golden)
            sum += golden_part_instructions(sim->gpus[g].golden);
        else if (sim->rtl && sim_has(sim, g))
            sum += rtl_machine_issued(sim->rtl, g);
    }
    return sum;
}

struct part *sim_part(const struct sim *sim, const char *name)
{
    for (uint32_t i = 0; i < sim->sched.count; i++)
        if (strcmp(sim->sched.parts[i]->name, name) == 0)
            return sim->sched.parts[i];
    return NULL;
}
