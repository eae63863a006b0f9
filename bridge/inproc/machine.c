/* SPDX-License-Identifier: Apache-2.0
 * Assembly of the machine from the configuration: host, per GPU either the golden model or the RTL partitions
 * (bridge/verilated/rtl_gpu.c), host memory and the links between GPUs.  Not responsible for: behaviour of any part.
 */
#include <stdlib.h>

#include "base/xalloc.h"
#include "bridge/inproc/golden_part.h"
#include "bridge/inproc/memory_parts.h"
#include "bridge/inproc/sim_private.h"
#include "gantry_cfg.h"

struct part *sim_host_part(struct sim *sim, unsigned gpus);

static void golden_build(struct sim *sim)
{
    const struct gantry_cfg *cfg = sim->cfg;
    for (unsigned g = 0; g < sim->gpu_count; g++) {
        struct part *part = golden_part_new(sim->memory, g, cfg);
        sched_add(&sim->sched, part);
        sim->gpus[g].golden = sim->gpus[g].dispatch = part;
        sched_connect(&sim->sched, sim->host, g, part, 0, sizeof(struct msg_cp_cmd), (uint32_t)cfg->link_host);
        sched_connect(&sim->sched, part, 0, sim->host, g, sizeof(struct msg_cp_evt), (uint32_t)cfg->link_host);
    }
}

bool machine_build(struct sim *sim)
{
    sim->gpu_count = (unsigned)sim->cfg->system_gpus;
    sim->gpus = xcalloc(sim->gpu_count, sizeof *sim->gpus);
    sim_host_part(sim, sim->gpu_count);
    if (sim->options.model == SIM_GOLDEN) {
        golden_build(sim);
        return true;
    }
    fprintf(stderr, "gantry: sim: --model rtl is not built yet\n");
    return false;
}

void machine_free(struct sim *sim) { (void)sim; }
