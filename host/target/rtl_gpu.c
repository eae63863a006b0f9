/* SPDX-License-Identifier: Apache-2.0
 * RTL partitions of all GPUs; contract in rtl_gpu.h.  Links within a GPU: gpu_links.h.
 */
#include "target/rtl_gpu.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/hugepage.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "bridge/verilated/rtl_part.h"
#include "config/far.h"
#include "gantry_cfg.h"
#include "machine/sim_private.h"
#include "place/boards.h"
#include "target/bounds.h"
#include "target/external.h"
#include "target/far_links.h"
#include "target/gpu_links.h"
#include "target/models.h"

#define HEAP_GPU ((size_t)64 << 20) /* address space for the models of a GPU: 64 CUs take some 20 MB */

struct rtl_gpu {
    struct part **parts[KIND_COUNT]; /* of each kind; NULL where there are none */
    struct external_gpu *external;   /* NULL: it is simulated here */
};
struct rtl_machine {
    struct sim *sim;
    struct models models;
    struct wave wave;
    struct rtl_gpu *gpus;
};

static struct part *part_make(struct rtl_machine *m, unsigned gpu, enum rtl_kind kind, unsigned index)
{
    struct sim *sim = m->sim;
    char name[40];
    rtl_kind_title(name, sizeof name, gpu, kind, index);
    if (sim_elsewhere(sim, gpu)) {
        struct part *absent = rtl_part_absent(&m->models.plain[kind], name, sim->gpus[gpu].process);
        sched_add(&sim->sched, absent);
        return absent;
    }
    bool wave = wave_wants(&m->wave, name);
    uint64_t seed = sim->options.seed * 1000003 + sim->sched.added;
    struct external_gpu *external = m->gpus[gpu].external;
    const struct library elsewhere = {.kind = rtl_kind_name(kind), .api = external ? external_api(external) : NULL};
    const struct library library = external ? elsewhere
                                            : boards_library(m->models.boards, (struct rtl_place){gpu, kind, index},
                                                             wave ? &m->models.traced[kind] : &m->models.plain[kind]);
    struct part *part = rtl_part_new(&library, name, gpu, index, seed, sim->options.no_skip);
    PART_CHECK(part, NULL, 0, "%s is not attached to its board", name);
    sched_add(&sim->sched, part);
    if (wave) {
        char *file = xasprintf("%s/%s.fst", sim->options.wave_dir ? sim->options.wave_dir : ".", name);
        unlink(file); /* of a run before, or a link that leads elsewhere */
        if (!rtl_part_trace(part, file, m->wave.from, m->wave.to))
            diag("--wave", "%s: cannot be written", file);
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

static bool whole(const struct rtl_machine *m)
{
    return m->sim->cfg->system_rtl == CFG_SYSTEM_RTL_WHOLE;
}

static struct part *end_part(const struct rtl_gpu *g, const struct gpu_end *end)
{
    return g->parts[end->kind][end->instance];
}

/* A GPU whose links are connected. */
struct connecting {
    struct rtl_machine *m;
    struct rtl_gpu *gpu;
};

static void link_connect(void *arg, const struct gpu_link *link)
{
    const struct connecting *c = arg;
    struct sim *sim = c->m->sim;
    rtl_connect(&sim->sched, end_part(c->gpu, &link->from), link->from.lane, end_part(c->gpu, &link->to), link->to.lane,
                link->port, link->latency, bound_depth(sim->cfg, link->bound, link->latency));
}

/* A lane of a port of the GPU itself. */
struct gpu_lane {
    struct part *part;
    const struct model_port *port;
    unsigned lane;
};

static struct gpu_lane outside_find(const struct rtl_machine *m, unsigned gpu, const char *name, bool out, unsigned n)
{
    struct gpu_end end = whole(m) ? (struct gpu_end){KIND_GPU, 0, n} : gpu_outside(name, n);
    struct part *part = end_part(&m->gpus[gpu], &end);
    return (struct gpu_lane){part, rtl_port(part, name, out), end.lane};
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
    for (unsigned i = 0; i < sim->cfg->gpu_l2_slices; i++) {
        struct gpu_lane req = outside_find(m, gpu, "dram_req", true, i),
                        rsp = outside_find(m, gpu, "dram_rsp", false, i);
        connect_ends(sim, req.part, req.port->slot + req.lane, store, i, sizeof(struct msg_dram_req),
                     sim->cfg->link_store, BOUND_PORT);
        connect_ends(sim, store, i, rsp.part, rsp.port->slot + rsp.lane, sizeof(struct msg_dram_rsp),
                     sim->cfg->link_store + sim->cfg->gpu_dram_path, BOUND_FILLS);
    }
}

static struct wire *connect_lane(struct rtl_machine *m, unsigned gpu, unsigned other, const char *name)
{
    struct gpu_lane from = outside_find(m, gpu, name, true, other + 1),
                    to = outside_find(m, other, name, false, gpu + 1);
    const struct gantry_cfg *cfg = m->sim->cfg;
    return rtl_connect(&m->sim->sched, from.part, from.lane, to.part, to.lane, name, cfg->link_gpu,
                       far_gpu_credits(cfg));
}

static void connect_peer(struct rtl_machine *m, unsigned gpu, unsigned other)
{
    const uint32_t rate = m->sim->cfg->link_gpu_bytes_per_cycle;
    struct wire *requests = connect_lane(m, gpu, other, "far_req"), *answers = connect_lane(m, gpu, other, "far_rsp");
    far_requests(requests, rate, NULL);
    far_answers(answers, rate, requests);
}

/* Far port 0 of every RDMA engine is the host, port k + 1 is GPU k. */
static void connect_far(struct rtl_machine *m, unsigned gpu)
{
    struct sim *sim = m->sim;
    struct part *host = sim->hostmem;
    const uint32_t latency = sim->cfg->link_host, rate = sim->cfg->link_host_bytes_per_cycle,
                   depth = far_host_credits(sim->cfg);
    const uint32_t credits = sim->gpu_count + 1 + gpu; /* behind the requests of all askers */
    struct gpu_lane req = outside_find(m, gpu, "far_req", true, 0), rsp = outside_find(m, gpu, "far_rsp", false, 0);
    struct wire *requests = sched_connect(&sim->sched, req.part, req.port->slot + req.lane, host, gpu,
                                          sizeof(struct msg_mem_req), latency, depth);
    struct wire *room =
        sched_connect(&sim->sched, host, credits, req.part, req.port->credit_slot + req.lane, 0, latency, depth);
    struct wire *answers = sched_connect(&sim->sched, host, gpu, rsp.part, rsp.port->slot + rsp.lane,
                                         sizeof(struct msg_mem_rsp), latency, depth);
    struct wire *room_back =
        sched_connect(&sim->sched, rsp.part, rsp.port->credit_slot + rsp.lane, host, credits, 0, latency, depth);
    far_requests(requests, rate, NULL);
    far_answers(answers, rate, NULL);
    far_credits(room, rate, answers);
    far_credits(room_back, rate, requests);
    sim->gpus[gpu].requests = requests;
    sim->gpus[gpu].answers = answers;
    for (unsigned other = 0; other < sim->gpu_count; other++) {
        if (other != gpu && sim_has(sim, other))
            connect_peer(m, gpu, other);
    }
}

/* CUs and their caches talk fast with each other and slowly with the rest: groups of the scheduler. */
static void group_set(struct rtl_machine *m, unsigned gpu)
{
    unsigned before = 0; /* GPUs of this process */
    if (sim_elsewhere(m->sim, gpu))
        return;
    for (unsigned g = 0; g < gpu; g++)
        before += !sim_elsewhere(m->sim, g);
    const struct rtl_gpu *g = &m->gpus[gpu];
    const unsigned groups = rtl_kind_count(m->sim->cfg, KIND_SQC), cus = rtl_kind_count(m->sim->cfg, KIND_CU);
    for (unsigned i = 0; i < groups; i++)
        g->parts[KIND_SQC][i]->group = 1 + before * groups + i;
    for (unsigned i = 0; i < cus; i++)
        g->parts[KIND_CU][i]->group = g->parts[KIND_SQC][i / m->sim->cfg->gpu_sqc_cus_per_group]->group;
}

static void gpu_make(struct rtl_machine *m, unsigned gpu)
{
    static const enum rtl_kind order[] = {KIND_DISPATCH, KIND_CU,    KIND_SQC,  KIND_NOC,
                                          KIND_L2,       KIND_UTCL2, KIND_RDMA, KIND_GPU};
    struct rtl_gpu *g = &m->gpus[gpu];
    if (external_has(m->sim->options.external, gpu))
        g->external = external_new(m->sim->options.external, m->sim->cfg, gpu);
    for (unsigned k = 0; k < KIND_COUNT; k++)
        g->parts[order[k]] = parts_make(m, gpu, order[k]);
    m->sim->gpus[gpu].dispatch = g->parts[whole(m) ? KIND_GPU : KIND_DISPATCH][0];
    group_set(m, gpu);
}

static void gpu_connect(struct rtl_machine *m, unsigned gpu)
{
    struct connecting c = {m, &m->gpus[gpu]};
    struct sim *sim = m->sim;
    struct gpu_lane cmd = outside_find(m, gpu, "cp_cmd", false, 0), evt = outside_find(m, gpu, "cp_evt", true, 0);
    commands_connect(sim, gpu, cmd.part, cmd.port->slot + cmd.lane, cmd.port->credit_slot + cmd.lane,
                     evt.port->slot + evt.lane, bound_depth(sim->cfg, BOUND_PORT, sim->cfg->link_host));
    if (!whole(m))
        gpu_links(sim->cfg, link_connect, &c);
    connect_store(m, gpu);
    connect_far(m, gpu);
}

/* What their channels hold, now that all are there. */
static void boards_tell(struct rtl_machine *m)
{
    for (unsigned g = 0; m->models.boards && g < m->sim->gpu_count; g++)
        for (unsigned k = 0; sim_has(m->sim, g) && k < KIND_COUNT; k++)
            for (unsigned i = 0; i < rtl_kind_count(m->sim->cfg, k); i++)
                boards_connected(m->models.boards, (struct rtl_place){g, k, i}, m->gpus[g].parts[k][i]);
}

struct rtl_machine *rtl_machine_new(struct sim *sim)
{
    struct rtl_machine *m = xcalloc(1, sizeof *m);
    m->sim = sim;
    m->gpus = xcalloc(sim->gpu_count, sizeof *m->gpus);
    bool ok = !sim->options.wave || wave_parse(&m->wave, sim->options.wave);
    if (ok && sim->models)
        m->models = *sim->models;
    else
        ok = ok && models_load(&m->models, sim->cfg, &sim->options, &m->wave);
    if (!ok || !boards_start(m->models.boards, sim)) {
        rtl_machine_free(m);
        return NULL;
    }
    size_t here = 0;
    for (unsigned g = 0; g < sim->gpu_count; g++)
        here += !sim_elsewhere(sim, g);
    if (here && sim->options.own_heap)
        hugepage_heap(HEAP_GPU * here);
    for (unsigned g = 0; g < sim->gpu_count; g++)
        if (sim_has(sim, g))
            gpu_make(m, g);
    for (unsigned g = 0; g < sim->gpu_count; g++)
        if (sim_has(sim, g))
            gpu_connect(m, g);
    boards_tell(m);
    return m;
}

void rtl_machine_free(struct rtl_machine *m)
{
    if (m == NULL)
        return;
    for (unsigned g = 0; g < m->sim->gpu_count; g++) {
        for (unsigned k = 0; k < KIND_COUNT; k++)
            free(m->gpus[g].parts[k]);
        external_free(m->gpus[g].external);
    }
    if (!m->sim->models)
        models_free(&m->models);
    free(m->gpus);
    free(m);
}

struct boards *rtl_machine_boards(const struct rtl_machine *m)
{
    return m ? m->models.boards : NULL;
}

unsigned rtl_machine_slices(const struct rtl_machine *m)
{
    return m->sim->cfg->gpu_l2_slices;
}
unsigned rtl_machine_cus(const struct rtl_machine *m)
{
    return m->sim->cfg->gpu_cu_count;
}
void rtl_machine_models(const struct rtl_machine *m, void (*fn)(void *arg, const char *key, const char *tools),
                        void *arg)
{
    models_walk(&m->models, fn, arg);
}

struct part *rtl_machine_cu(const struct rtl_machine *m, unsigned gpu, unsigned cu)
{
    return m->gpus[gpu].parts[KIND_CU][cu];
}
struct part *rtl_machine_l2(const struct rtl_machine *m, unsigned gpu, unsigned slice)
{
    return m->gpus[gpu].parts[KIND_L2][slice];
}

uint64_t rtl_machine_issued(const struct rtl_machine *m, unsigned gpu)
{
    uint64_t sum = 0;
    if (whole(m))
        return part_shown(m->gpus[gpu].parts[KIND_GPU][0]) & RTL_ISSUED;
    for (unsigned i = 0; i < m->sim->cfg->gpu_cu_count; i++)
        sum += part_shown(rtl_machine_cu(m, gpu, i));
    return sum;
}

uint64_t rtl_machine_ended(const struct rtl_machine *m, unsigned gpu)
{
    uint64_t shown = part_shown(m->sim->gpus[gpu].dispatch);
    return whole(m) ? shown / (RTL_ISSUED + 1) : shown;
}

uint64_t rtl_machine_look(const struct rtl_machine *m, unsigned gpu, unsigned cu, unsigned wave)
{
    if (whole(m)) /* its partitions: the dispatcher, the CUs, and so on */
        return part_look(m->gpus[gpu].parts[KIND_GPU][0], (1 + cu) << 8 | wave);
    return part_look(rtl_machine_cu(m, gpu, cu), wave);
}
struct external_gpu *rtl_machine_external(const struct rtl_machine *m, unsigned gpu)
{
    return m && gpu < m->sim->gpu_count ? m->gpus[gpu].external : NULL;
}

struct part *rtl_machine_far(const struct rtl_machine *m, unsigned gpu)
{
    return m->gpus[gpu].parts[whole(m) ? KIND_GPU : KIND_RDMA][0];
}
