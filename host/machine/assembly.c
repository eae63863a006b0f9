/* SPDX-License-Identifier: Apache-2.0
 * Assembly of the machine from the configuration: host, per GPU either the golden model or the RTL partitions
 * (host/target/rtl_gpu.c), host memory and the links between GPUs.  Not responsible for: behaviour of any part.
 */
#include <stdlib.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "bridge/run/thread_team.h"
#include "bridge/verilated/rtl_part.h"
#include "config/far.h"
#include "gantry_cfg.h"
#include "machine/sim_private.h"
#include "observe/lockstep_tap.h"
#include "record/message_sink.h"
#include "target/golden_part.h"
#include "target/memory_parts.h"
#include "target/rtl_gpu.h"
#include "target/rtl_groups.h"

static struct part *golden_make(struct sim *sim, unsigned gpu, unsigned threads)
{
    char name[32];
    if (!sim_elsewhere(sim, gpu))
        return golden_part_new(sim->memory, gpu, sim->cfg, sim->golden_team, threads, sim->options.golden_slice);
    snprintf(name, sizeof name, "gpu%u.golden", gpu);
    return part_elsewhere(name, GOLDEN_INS, GOLDEN_OUTS, sim->gpus[gpu].process);
}

static struct part *hostmem_make(struct sim *sim, unsigned askers, uint32_t credits)
{
    return sim->self ? part_elsewhere("host.memory", HOSTMEM_PORTS(askers), HOSTMEM_PORTS(askers), 0)
                     : hostmem_new(sim->memory, askers, credits);
}

/* Of host memory, a lane of the host's behind those of GPUs. */
static struct port_end hostmem_end(struct part *memory, uint32_t askers, uint32_t own)
{
    return (struct port_end){.to = memory,
                             .req_in = own,
                             .req_credit = askers + own,
                             .rsp_out = own,
                             .rsp_credit = askers + own,
                             .ordered = true,
                             .credits = PORT_CREDITS};
}

static bool golden_build(struct sim *sim)
{
    unsigned threads = sim->options.threads;
    bool team = threads > 1 && sim->self != SIM_NOWHERE;
    sim->golden_team = team ? team_new(threads) : NULL;
    if (team && sim->golden_team == NULL) {
        diag("--threads", "%u host threads cannot be made", threads);
        return false;
    }
    for (unsigned g = 0; g < sim->gpu_count; g++) {
        struct part *part = golden_make(sim, g, threads);
        sched_add(&sim->sched, part);
        sim->gpus[g].golden = part->elsewhere ? NULL : part;
        sim->gpus[g].dispatch = part;
        commands_connect(sim, g, part, 0, GOLDEN_CREDITS, GOLDEN_EVENTS, GOLDEN_EVENT_DEPTH);
    }
    const unsigned lanes = sim->gpu_count + 1; /* golden GPUs have no clock: one partition answers for all memories */
    struct part *memory = hostmem_make(sim, lanes, PORT_CREDITS);
    sched_add(&sim->sched, memory);
    sim->sched.ordered = sim->place != NULL;
    for (unsigned i = 0; i < lanes; i++)
        port_connect(sim, i, hostmem_end(memory, lanes, i));
    return true;
}

/* The host's own lane of host memory comes behind those of the GPUs; their VRAM is behind far port 0. */
static void rtl_port_connect(struct sim *sim)
{
    const uint32_t credits = far_host_credits(sim->cfg), rate = sim->cfg->link_host_bytes_per_cycle;
    struct port_end memory = hostmem_end(sim->hostmem, sim->gpu_count + 1, sim->gpu_count);
    memory.credits = credits;
    memory.bytes_per_cycle = rate;
    port_connect(sim, 0, memory);
    for (unsigned g = 0; g < sim->gpu_count; g++) {
        if (!sim_has(sim, g))
            continue;
        struct part *rdma = rtl_machine_far(sim->rtl, g);
        const struct model_port *req = rtl_port(rdma, "far_req", false), *rsp = rtl_port(rdma, "far_rsp", true);
        port_connect(sim, g + 1,
                     (struct port_end){.to = rdma,
                                       .req_in = req->slot,
                                       .req_credit = req->credit_slot,
                                       .rsp_out = rsp->slot,
                                       .rsp_credit = rsp->credit_slot,
                                       .credits = credits,
                                       .bytes_per_cycle = rate,
                                       .sends = sim->gpus[g].answers,
                                       .answers = sim->gpus[g].requests});
        if (sim->options.only)
            sink_connect(&sim->sched, rdma, "others");
    }
}

static struct part *store_make(struct sim *sim, unsigned gpu)
{
    const struct gantry_cfg *cfg = sim->cfg;
    char name[32];
    snprintf(name, sizeof name, "gpu%u.store", gpu);
    if (sim_elsewhere(sim, gpu))
        return part_elsewhere(name, cfg->gpu_l2_slices, cfg->gpu_l2_slices, sim->gpus[gpu].process);
    return store_new(sim->memory, gpu, (uint64_t)cfg->gpu_vram_mib << 20, cfg->gpu_l2_slices);
}

static bool rtl_build(struct sim *sim)
{
    const struct gantry_cfg *cfg = sim->cfg;
    if (cfg->system_rtl == CFG_SYSTEM_RTL_WHOLE && sim->options.lockstep) {
        diag("--lockstep", "looks into partitions: not with system.rtl: whole");
        if (sim->options.failure)
            *sim->options.failure = STATUS_USAGE;
        return false;
    }
    for (unsigned g = 0; g < sim->gpu_count; g++) {
        if (!sim_has(sim, g)) { /* the host sees that it is silent */
            commands_connect(sim, g, sink_new(&sim->sched, "absent", 1, 2), 0, 0, 1, 1);
            continue;
        }
        sim->gpus[g].store = store_make(sim, g);
        sched_add(&sim->sched, sim->gpus[g].store);
    }
    const unsigned askers = sim->gpu_count + 1;
    sim->hostmem = hostmem_make(sim, askers, far_host_credits(cfg));
    sched_add(&sim->sched, sim->hostmem);
    sim->rtl = rtl_machine_new(sim);
    if (sim->rtl)
        rtl_port_connect(sim);
    if (sim->self == SIM_NOWHERE)
        return sim->rtl != NULL;
    if (sim->rtl && sim->options.lockstep)
        sim->tap = lockstep_tap_new(sim);
    if (sim->rtl && cfg->system_rtl == CFG_SYSTEM_RTL_PARTS)
        sim->groups = rtl_groups_new(sim);
    return sim->rtl != NULL;
}

bool machine_build(struct sim *sim)
{
    sim->gpu_count = sim->cfg->system_gpus;
    sim->gpus = xcalloc(sim->gpu_count, sizeof *sim->gpus);
    for (unsigned g = 0; g < sim->gpu_count; g++)
        sim->gpus[g].process = sim->process ? sim->process[g] : 0;
    for (unsigned g = 0; g < sim->gpu_count; g++)
        commands_init(&sim->gpus[g].commands);
    sim->host = sim_host_part(sim, sim->gpu_count);
    sim->port = port_new(sim);
    if (sim->options.model == SIM_RTL)
        return rtl_build(sim);
    return golden_build(sim);
}

void machine_free(struct sim *sim)
{
    lockstep_tap_free(sim->tap);
    rtl_groups_free(sim->groups);
    rtl_machine_free(sim->rtl);
    team_free(sim->golden_team);
}

bool machine_threads(struct sim *sim, bool together)
{
    const struct sim_options *o = &sim->options;
    together = together || o->lockstep || o->wave;
    sim->sched.threads = together || o->model == SIM_GOLDEN ? 1 : o->threads;
    if (sched_start(&sim->sched))
        return true;
    diag("--threads", "%u host threads cannot be made", o->threads);
    return false;
}

void machine_scrap(struct sim *sim)
{
    sched_fini(&sim->sched);
    machine_free(sim);
    port_free(sim->port);
    for (unsigned g = 0; g < sim->gpu_count; g++) {
        commands_fini(&sim->gpus[g].commands);
        free(sim->gpus[g].pending);
    }
    free(sim->gpus);
}
