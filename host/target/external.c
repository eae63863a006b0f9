/* SPDX-License-Identifier: Apache-2.0
 * GPUs that somebody else simulates; contract in external.h.  The shape of a model: inputs are numbered by ports, then
 * credits that come back for outputs; outputs by ports, then credits for inputs (bridge/verilated/model.h).
 */
#include "target/external.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "bridge/verilated/model.h"
#include "config/far.h"
#include "gantry_cfg.h"
#include "gantry_msg.h"
#include "machine/sim.h"
#include "target/external_lane.h"

#define ENDS 8

/* The ports of a GPU, inputs and outputs, as model_port wants them in this order. */
static const struct {
    const char *name;
    enum external_port port;
    uint8_t out, credit;
    uint32_t bytes;
} ends[ENDS] = {
    {"cp_cmd", EXTERNAL_CMD, 0, 1, sizeof(struct msg_cp_cmd)},
    {"cp_evt", EXTERNAL_EVT, 1, 0, sizeof(struct msg_cp_evt)},
    {"dram_req", EXTERNAL_DRAM_REQ, 1, 0, sizeof(struct msg_dram_req)},
    {"dram_rsp", EXTERNAL_DRAM_RSP, 0, 0, sizeof(struct msg_dram_rsp)},
    {"far_req", EXTERNAL_FAR_REQ, 1, 1, sizeof(struct msg_mem_req)},
    {"far_rsp", EXTERNAL_FAR_RSP, 0, 1, sizeof(struct msg_mem_rsp)},
    {"far_req", EXTERNAL_FAR_REQ, 0, 1, sizeof(struct msg_mem_req)},
    {"far_rsp", EXTERNAL_FAR_RSP, 1, 1, sizeof(struct msg_mem_rsp)},
};

struct external_gpu {
    struct model_api api; /* first: api is `this` */
    struct model_port ports[ENDS];
    const struct external *external;
    const struct model_api *real; /* of external->model; NULL: nobody knows it */
    void *instance;
    unsigned gpu;
    struct external_lane *lanes; /* by output number */
    uint32_t sent;               /* messages that lie in lanes */
    uint64_t windows;
    uint64_t from; /* of the window that runs, or ran last */
};

static struct external_gpu *of_api(const struct model_api *api)
{
    return (struct external_gpu *)(uintptr_t)api;
}

uint32_t external_bytes(enum external_port port)
{
    for (unsigned i = 0; i < ENDS; i++)
        if (ends[i].port == port)
            return ends[i].bytes;
    return 0;
}

bool external_has(const struct external *external, unsigned gpu)
{
    return external && gpu < 64 && external->gpus >> gpu & 1;
}

/* ---- what the machine hands over */
static void credit_back(struct external_gpu *g, const struct model_port *p, uint32_t lane, uint64_t cycle,
                        const struct model_sink *sink)
{
    if (p->credit && g->external->credits)
        g->lanes[p->credit_slot + lane].credits++;
    else if (p->credit)
        sink->send(sink->ctx, p->credit_slot + lane, cycle, NULL);
}

static void input_take(struct external_gpu *g, uint64_t cycle, const struct part_in *in, const struct model_sink *sink)
{
    const struct external *o = g->external;
    for (unsigned i = 0; i < ENDS; i++) {
        const struct model_port *p = &g->ports[i];
        const uint32_t lane = in->slot - (p->out ? p->credit_slot : p->slot);
        if (lane >= p->count || (p->out && !p->credit))
            continue;
        if (!p->out) {
            credit_back(g, p, lane, cycle, sink);
            o->take(o->ctx, g->gpu, ends[i].port, lane, cycle, in->data);
            return;
        }
        struct external_lane *l = &g->lanes[p->slot + lane];
        external_lane_credit(l, cycle);
        if (o->credits)
            o->take(o->ctx, g->gpu, ends[i].port, lane, cycle, NULL);
        return;
    }
}

/* What leaves in the window, cycle by cycle and of one cycle in the order in which a model sends: messages and credits
 * may share a link. */
static void lanes_leave(struct external_gpu *g, uint64_t from, const struct model_sink *sink)
{
    for (unsigned c = 1; c <= PART_WINDOW && g->sent; c++)
        for (unsigned i = 0; i < ENDS; i++) {
            const struct model_port *p = &g->ports[i];
            const uint32_t first = p->out ? p->slot : p->credit_slot;
            for (uint32_t slot = first; (p->out || p->credit) && slot < first + p->count; slot++)
                if (g->lanes[slot].count)
                    g->sent -= external_lane_leave(&g->lanes[slot], slot, from + c, sink);
        }
}

static bool external_step(void *model, uint64_t from, struct part_in *const *due, const uint32_t *count, bool no_skip,
                          const struct model_sink *sink)
{
    struct external_gpu *g = model;
    const struct external *o = g->external;
    bool waiting = false;
    (void)no_skip;
    g->from = from;
    for (unsigned c = 0; c < PART_WINDOW; c++)
        for (uint32_t i = 0; i < count[c]; i++)
            input_take(g, from + c, &due[c][i], sink);
    const bool idle = o->step && o->step(o->ctx, g->gpu, from);
    lanes_leave(g, from, sink);
    for (uint32_t slot = 0; g->sent && slot < g->api.outs; slot++)
        waiting |= g->lanes[slot].count > 0 && !(g->lanes[slot].bounded && !g->lanes[slot].credits);
    g->windows++;
    return idle && !waiting;
}

/* ---- what is sent */
/* Number of the output; UINT32_MAX: there is none. */
static uint32_t output_of(const struct external_gpu *g, enum external_port port, unsigned lane, bool credit)
{
    for (unsigned i = 0; i < ENDS; i++) {
        const struct model_port *p = &g->ports[i];
        if (ends[i].port == port && lane < p->count && p->out == !credit && (!credit || p->credit))
            return (credit ? p->credit_slot : p->slot) + lane;
    }
    return UINT32_MAX;
}

/* What would be a bug of the machine behind the link; NULL: nothing. */
static const char *message_wrong(const struct external_lane *l, enum external_port port, const void *message)
{
    const bool far = port == EXTERNAL_FAR_REQ || port == EXTERNAL_FAR_RSP; /* op is the first byte of both */
    if (l->count == EXTERNAL_SENT_MOST)
        return "a million messages wait for a credit";
    if (message == NULL && l->credits == 0)
        return "a credit for a message that has not arrived";
    return message && far && *(const uint8_t *)message > MEM_ATOMIC ? "no such operation on a memory" : NULL;
}

enum gantry_status external_put(struct external_gpu *g, enum external_port port, unsigned lane, uint64_t cycle,
                                const void *message, uint64_t from)
{
    const uint32_t slot = output_of(g, port, lane, message == NULL);
    char place[32];
    snprintf(place, sizeof place, "gpu%u", g->gpu);
    if (slot == UINT32_MAX || (message == NULL && !g->external->credits)) {
        diag(place, "port %d has no lane %u on which a GPU sends %s", (int)port, lane,
             message ? "messages" : "credits");
        return STATUS_USAGE;
    }
    struct external_lane *l = &g->lanes[slot];
    if (from < g->from) /* within a call of this window, of several that run at a stretch */
        from = g->from;
    if (cycle + l->late < from || cycle < l->last) {
        diag(place,
             "port %d, lane %u: cycle %" PRIu64 " is over: the machine is at %" PRIu64
             ", the message before at %" PRIu64,
             (int)port, lane, cycle, from, l->last);
        return STATUS_USAGE;
    }
    const char *wrong = message_wrong(l, port, message);
    if (wrong) {
        diag(place, "port %d, lane %u: %s", (int)port, lane, wrong);
        return STATUS_USAGE;
    }
    l->credits -= message == NULL;
    external_lane_push(l, cycle, message);
    g->sent++;
    return STATUS_OK;
}

/* ---- the rest of a model */
static void *external_create(const struct model_api *api, const char *name, uint16_t id, uint64_t seed)
{
    (void)name, (void)id, (void)seed;
    return of_api(api);
}

static void external_destroy(void *model)
{
    (void)model; /* external_free */
}

static uint64_t external_evaluated(const void *model)
{
    return ((const struct external_gpu *)model)->windows * PART_WINDOW;
}

static uint64_t external_counter(void *model, uint32_t address)
{
    const struct external_gpu *g = model;
    return g->real->counter(g->instance, address); /* without it there are no counters */
}

static void external_hold(void *model)
{
    const struct external_gpu *g = model;
    g->real->hold(g->instance);
}

static void external_release(void *model)
{
    const struct external_gpu *g = model;
    g->real->release(g->instance);
}

/* As a whole GPU shows it (rtl_part.h, RTL_ISSUED). */
static uint64_t external_shown(const void *model)
{
    const struct external_gpu *g = model;
    uint64_t instructions = 0, groups = 0;
    if (g->external->shown)
        g->external->shown(g->external->ctx, g->gpu, &instructions, &groups);
    return (instructions & ((UINT64_C(1) << 40) - 1)) | groups << 40;
}

static uint64_t external_look(void *model, uint32_t what)
{
    const struct external_gpu *g = model;
    return g->real ? g->real->look(g->instance, what) : 0;
}

static void external_observe(void *model, bool on)
{
    (void)model, (void)on; /* lock step is refused */
}

static uint32_t lanes_of(const struct gantry_cfg *cfg, enum external_port port)
{
    return port == EXTERNAL_CMD || port == EXTERNAL_EVT             ? 1
           : port == EXTERNAL_DRAM_REQ || port == EXTERNAL_DRAM_RSP ? cfg->gpu_l2_slices
                                                                    : far_ports(cfg);
}

static void lanes_make(struct external_gpu *g, const struct gantry_cfg *cfg, const struct model_port *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        const uint32_t latency = strncmp(p->name, "dram", 4) == 0 ? cfg->link_store
                                 : i && p->count > 1              ? cfg->link_gpu
                                                                  : cfg->link_host;
        const uint32_t late = latency >= 2 * PART_WINDOW ? PART_WINDOW : 0;
        const uint32_t places = i ? far_gpu_credits(cfg) : far_host_credits(cfg);
        if (p->out)
            external_lane_init(&g->lanes[p->slot + i], p->bytes, p->credit ? places : 0, late);
        else if (p->credit)
            external_lane_init(&g->lanes[p->credit_slot + i], 0, 0, late);
    }
}

struct external_gpu *external_new(const struct external *external, const struct gantry_cfg *cfg, unsigned gpu)
{
    struct external_gpu *g = xzalloc(sizeof *g);
    uint32_t number[2] = {0, 0}; /* inputs, outputs */
    static_assert(offsetof(struct external_gpu, api) == 0, "of_api");
    g->external = external;
    g->gpu = gpu;
    for (unsigned i = 0; i < ENDS; i++) {
        const uint32_t count = lanes_of(cfg, ends[i].port);
        g->ports[i] = (struct model_port){.name = ends[i].name,
                                          .out = ends[i].out,
                                          .credit = ends[i].credit,
                                          .count = (uint16_t)count,
                                          .bytes = ends[i].bytes,
                                          .slot = number[ends[i].out]};
        number[ends[i].out] += count;
    }
    for (unsigned i = 0; i < ENDS; i++) {
        if (!ends[i].credit)
            continue;
        g->ports[i].credit_slot = number[!ends[i].out];
        number[!ends[i].out] += g->ports[i].count;
    }
    g->lanes = xcalloc(number[1], sizeof *g->lanes);
    for (unsigned i = 0; i < ENDS; i++)
        lanes_make(g, cfg, &g->ports[i]);
    g->api = (struct model_api){.abi = MODEL_ABI,
                                .kind = "gpu",
                                .ports = g->ports,
                                .port_count = ENDS,
                                .ins = number[0],
                                .outs = number[1],
                                .create = external_create,
                                .destroy = external_destroy,
                                .step = external_step,
                                .evaluated = external_evaluated,
                                .counter = external_counter,
                                .shown = external_shown,
                                .look = external_look,
                                .observe = external_observe,
                                .unsavable = "it is simulated elsewhere"};
    if (external->model)
        g->real = external->model(external->ctx, gpu, &g->instance);
    if (g->real) {
        g->api.counters = g->real->counters;
        g->api.asks = g->real->asks;
        g->api.counter_count = g->real->counter_count;
    }
    if (g->real && g->real->hold && g->real->release) {
        g->api.hold = external_hold;
        g->api.release = external_release;
    }
    return g;
}

void external_free(struct external_gpu *g)
{
    for (uint32_t i = 0; g && i < g->api.outs; i++)
        external_lane_fini(&g->lanes[i]);
    if (g)
        free(g->lanes);
    free(g);
}

const struct model_api *external_api(const struct external_gpu *g)
{
    return &g->api;
}
