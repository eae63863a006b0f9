/* SPDX-License-Identifier: Apache-2.0
 * RTL partitions of all GPUs; contract in rtl_gpu.h.  Crossbar ports and channel ends follow docs/contracts.md.
 */
#include "machine/rtl_gpu.h"

#include <stdlib.h>

#include "base/hugepage.h"
#include "base/xalloc.h"
#include "bridge/verilated/rtl_part.h"
#include "gantry_cfg.h"
#include "machine/bounds.h"
#include "machine/memory_parts.h"
#include "machine/models.h"
#include "machine/sim_private.h"

#define HEAP_GPU ((size_t)64 << 20) /* address space for the models of a GPU: 64 CUs take some 20 MB */

struct rtl_gpu {
    struct part **cu, **sqc, **l2;
    struct part *noc, *utcl2, *rdma, *dispatch;
};
struct rtl_machine {
    struct sim *sim;
    struct models models;
    struct wave wave;
    unsigned cus, groups, slices;
    struct rtl_gpu *gpus;
};

static struct part *part_make(struct rtl_machine *m, unsigned gpu, enum rtl_kind kind, unsigned index)
{
    struct sim *sim = m->sim;
    char name[40];
    rtl_kind_title(name, sizeof name, gpu, kind, index);
    bool wave = wave_wants(&m->wave, name);
    uint64_t seed = sim->options.seed * 1000003 + sim->sched.count;
    struct part *part = rtl_part_new(wave ? &m->models.traced[kind] : &m->models.plain[kind], name, gpu, index, seed,
                                     sim->options.no_skip);
    sched_add(&sim->sched, part);
    if (wave) {
        char *file = xasprintf("%s/%s.fst", sim->options.wave_dir ? sim->options.wave_dir : ".", name);
        if (!rtl_part_trace(part, file, m->wave.from, m->wave.to))
            fprintf(stderr, "gantry: --wave: %s: cannot be written\n", file);
        free(file);
    }
    return part;
}

static struct part **parts_make(struct rtl_machine *m, unsigned gpu, enum rtl_kind kind)
{
    unsigned count = rtl_kind_count(m->sim->cfg, kind);
    struct part **list = xcalloc(count, sizeof(struct part *));
    for (unsigned i = 0; i < count; i++)
        list[i] = part_make(m, gpu, kind, i);
    return list;
}

/* One lane of a port between RTL partitions. */
static void lane_connect(struct rtl_machine *m, struct part *a, unsigned a_lane, struct part *b, unsigned b_lane,
                         const char *name, uint32_t latency, enum bound bound)
{
    rtl_connect(&m->sim->sched, a, a_lane, b, b_lane, name, latency, bound_depth(m->sim->cfg, bound, latency));
}

/* Requests of `part` go to the crossbar as initiator `port`. */
static void connect_initiator(struct rtl_machine *m, struct rtl_gpu *g, struct part *part, unsigned port)
{
    uint32_t latency = m->sim->cfg->link_cu_noc;
    lane_connect(m, part, 0, g->noc, port, "mem_req", latency, BOUND_INITIATOR);
    lane_connect(m, g->noc, port, part, 0, "mem_rsp", latency, BOUND_PORT);
}

static void connect_target(struct rtl_machine *m, struct rtl_gpu *g, struct part *part, unsigned port)
{
    uint32_t latency = m->sim->cfg->link_noc_l2;
    lane_connect(m, g->noc, port, part, 0, "mem_req", latency, BOUND_TARGET);
    lane_connect(m, part, 0, g->noc, port, "mem_rsp", latency, BOUND_TARGET);
}

static void connect_block(struct rtl_machine *m, struct rtl_gpu *g, struct part *part, unsigned port)
{
    lane_connect(m, g->dispatch, port, part, 0, "blk_cmd", m->sim->cfg->link_dispatch, BOUND_ONE);
    lane_connect(m, part, 0, g->dispatch, port, "blk_evt", m->sim->cfg->link_dispatch, BOUND_ONE);
}

static void connect_cu(struct rtl_machine *m, struct rtl_gpu *g, unsigned i)
{
    const struct gantry_cfg *cfg = m->sim->cfg;
    unsigned group = i / cfg->gpu_sqc_cus_per_group, place = i % cfg->gpu_sqc_cus_per_group;
    static const char *const pairs[] = {"ifetch", "smem"};
    char name[16];
    lane_connect(m, g->dispatch, i, g->cu[i], 0, "cu_cmd", cfg->link_dispatch, BOUND_PORT);
    lane_connect(m, g->cu[i], 0, g->dispatch, i, "cu_evt", cfg->link_dispatch, BOUND_EVENTS);
    for (unsigned p = 0; p < 2; p++) {
        snprintf(name, sizeof name, "%s_req", pairs[p]);
        lane_connect(m, g->cu[i], 0, g->sqc[group], place, name, cfg->link_cu_sqc, BOUND_PORT);
        snprintf(name, sizeof name, "%s_rsp", pairs[p]);
        lane_connect(m, g->sqc[group], place, g->cu[i], 0, name, cfg->link_cu_sqc, BOUND_PORT);
    }
    connect_initiator(m, g, g->cu[i], i);
}

/* Between C and RTL partitions: one lane, with or without credits. */
static void connect_ends(struct sim *sim, struct part *a, uint32_t out, struct part *b, uint32_t in, uint32_t bytes,
                         uint32_t latency, enum bound bound)
{
    sched_connect(&sim->sched, a, out, b, in, bytes, latency, bound_depth(sim->cfg, bound, latency));
}

static void connect_store(struct rtl_machine *m, unsigned gpu)
{
    struct sim *sim = m->sim;
    struct part *store = sim->gpus[gpu].store;
    for (unsigned i = 0; i < m->slices; i++) {
        struct part *l2 = m->gpus[gpu].l2[i];
        connect_ends(sim, l2, rtl_port(l2, "dram_req", true)->slot, store, i, sizeof(struct msg_dram_req),
                     sim->cfg->link_store, BOUND_PORT);
        connect_ends(sim, store, i, l2, rtl_port(l2, "dram_rsp", false)->slot, sizeof(struct msg_dram_rsp),
                     sim->cfg->link_store, BOUND_FILLS);
    }
}

/* Far port 0 of every RDMA engine is the host, port k + 1 is GPU k. */
static void connect_far(struct rtl_machine *m, unsigned gpu)
{
    struct sim *sim = m->sim;
    struct part *rdma = m->gpus[gpu].rdma, *host = sim->hostmem;
    uint32_t latency = sim->cfg->link_host, credits = sim->gpu_count + 1 + gpu; /* behind the requests of all askers */
    const struct model_port *req = rtl_port(rdma, "far_req", true), *rsp = rtl_port(rdma, "far_rsp", false);
    connect_ends(sim, rdma, req->slot, host, gpu, sizeof(struct msg_mem_req), latency, BOUND_FAR);
    connect_ends(sim, host, credits, rdma, req->credit_slot, 0, latency, BOUND_FAR);
    connect_ends(sim, host, gpu, rdma, rsp->slot, sizeof(struct msg_mem_rsp), latency, BOUND_FAR);
    connect_ends(sim, rdma, rsp->credit_slot, host, credits, 0, latency, BOUND_FAR);
    host->out[gpu]->channel.rate = (struct channel_rate){
        .bytes_per_cycle = sim->cfg->gpu_rdma_bytes_per_cycle,
        .header = 16,
        .kind_at = offsetof(struct msg_mem_rsp, op),
        .payload = {[MEM_READ] = 64, [MEM_READ_NC] = 64, [MEM_ATOMIC] = 8, [MEM_XLAT] = 64},
    };
    for (unsigned other = 0; other < sim->gpu_count; other++) {
        if (other == gpu)
            continue;
        lane_connect(m, rdma, other + 1, m->gpus[other].rdma, gpu + 1, "far_req", sim->cfg->link_gpu, BOUND_FAR);
        lane_connect(m, rdma, other + 1, m->gpus[other].rdma, gpu + 1, "far_rsp", sim->cfg->link_gpu, BOUND_FAR);
    }
}

static void gpu_make(struct rtl_machine *m, unsigned gpu)
{
    struct rtl_gpu *g = &m->gpus[gpu];
    g->dispatch = part_make(m, gpu, KIND_DISPATCH, 0);
    g->cu = parts_make(m, gpu, KIND_CU);
    g->sqc = parts_make(m, gpu, KIND_SQC);
    g->noc = part_make(m, gpu, KIND_NOC, 0);
    g->l2 = parts_make(m, gpu, KIND_L2);
    g->utcl2 = part_make(m, gpu, KIND_UTCL2, 0);
    g->rdma = part_make(m, gpu, KIND_RDMA, 0);
    m->sim->gpus[gpu].dispatch = g->dispatch;
    /* CUs and their caches talk fast with each other and slowly with the rest: groups of the scheduler */
    for (unsigned i = 0; i < m->groups; i++)
        g->sqc[i]->group = 1 + gpu * m->groups + i;
    for (unsigned i = 0; i < m->cus; i++)
        g->cu[i]->group = g->sqc[i / m->sim->cfg->gpu_sqc_cus_per_group]->group;
}

static void gpu_connect(struct rtl_machine *m, unsigned gpu)
{
    struct rtl_gpu *g = &m->gpus[gpu];
    struct sim *sim = m->sim;
    const struct model_port *cmd = rtl_port(g->dispatch, "cp_cmd", false);
    commands_connect(sim, gpu, g->dispatch, cmd->slot, cmd->credit_slot, rtl_port(g->dispatch, "cp_evt", true)->slot,
                     bound_depth(sim->cfg, BOUND_PORT, sim->cfg->link_host));
    for (unsigned i = 0; i < m->cus; i++)
        connect_cu(m, g, i);
    for (unsigned i = 0; i < m->groups; i++) {
        connect_initiator(m, g, g->sqc[i], m->cus + i);
        connect_block(m, g, g->sqc[i], i);
    }
    for (unsigned i = 0; i < m->slices; i++) {
        connect_target(m, g, g->l2[i], i);
        connect_block(m, g, g->l2[i], m->groups + i);
    }
    connect_initiator(m, g, g->utcl2, m->cus + m->groups);
    connect_target(m, g, g->utcl2, m->slices);
    connect_block(m, g, g->utcl2, m->groups + m->slices);
    connect_initiator(m, g, g->rdma, m->cus + m->groups + 1);
    connect_target(m, g, g->rdma, m->slices + 1);
    connect_store(m, gpu);
    connect_far(m, gpu);
}

struct rtl_machine *rtl_machine_new(struct sim *sim)
{
    struct rtl_machine *m = xcalloc(1, sizeof *m);
    m->sim = sim;
    m->cus = rtl_kind_count(sim->cfg, KIND_CU);
    m->groups = rtl_kind_count(sim->cfg, KIND_SQC);
    m->slices = rtl_kind_count(sim->cfg, KIND_L2);
    m->gpus = xcalloc(sim->gpu_count, sizeof *m->gpus);
    if ((sim->options.wave && !wave_parse(&m->wave, sim->options.wave)) ||
        !models_load(&m->models, sim->cfg, &sim->options, &m->wave)) {
        rtl_machine_free(m);
        return NULL;
    }
    hugepage_heap(HEAP_GPU * sim->gpu_count);
    for (unsigned g = 0; g < sim->gpu_count; g++)
        gpu_make(m, g);
    for (unsigned g = 0; g < sim->gpu_count; g++)
        gpu_connect(m, g);
    return m;
}

void rtl_machine_free(struct rtl_machine *m)
{
    if (m == NULL)
        return;
    for (unsigned g = 0; g < m->sim->gpu_count; g++) {
        free(m->gpus[g].cu);
        free(m->gpus[g].sqc);
        free(m->gpus[g].l2);
    }
    models_free(&m->models);
    free(m->gpus);
    free(m);
}

unsigned rtl_machine_slices(const struct rtl_machine *m)
{
    return m->slices;
}
unsigned rtl_machine_cus(const struct rtl_machine *m)
{
    return m->cus;
}
void rtl_machine_models(const struct rtl_machine *m, void (*fn)(void *arg, const char *key, const char *tools),
                        void *arg)
{
    models_walk(&m->models, fn, arg);
}

struct part *rtl_machine_cu(const struct rtl_machine *m, unsigned gpu, unsigned cu)
{
    return m->gpus[gpu].cu[cu];
}
struct part *rtl_machine_l2(const struct rtl_machine *m, unsigned gpu, unsigned slice)
{
    return m->gpus[gpu].l2[slice];
}
struct part *rtl_machine_rdma(const struct rtl_machine *m, unsigned gpu)
{
    return m->gpus[gpu].rdma;
}
