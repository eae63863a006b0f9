// SPDX-License-Identifier: Apache-2.0
// What a toy model does: enough of a GPU that messages go every way that they go in the RTL, in as few lines as that
// takes.  A message is taken in the cycle in which it is due, or as soon as there is room behind it; one word, in which
// cycle, place and bytes of everything that comes in are mixed, makes states and counters differ when inputs do.
// Addresses are physical: no toy reads a page table.  A wavefront does what its scalar registers say (struct toy_work).
// One message of one partition can be planted wrong (toy_plant).  Not responsible for: ports, tables (toy_library.h);
// the work of a compute unit (toy_waves.h).
#ifndef TOY_PARTS_H
#define TOY_PARTS_H
#include "bridge/part/window.h"
#include "gantry_msg.h"
#include "saved/state_io.h"
#include "toy_library.h"
#include "vm/pmem.h"

#define TOY_QUEUE 128u // messages that wait in one partition
#define TOY_OUTS 128u  // output slots
#define TOY_WAVES 64u  // numbers of a CU
#define TOY_CUS 8u
#define TOY_LAUNCHES 4u
#define TOY_CREDITS 4u // messages behind one output with credits: fewer than every channel's depth

// User scalar registers of a wavefront.
enum toy_op {
    TOY_END,       // nothing
    TOY_WRITE,     // `count` lines from `to` on, all of them {value}; those of group g come behind those of g - 1
    TOY_COPY,      // the same with what is read, line by line, from `from` on
    TOY_ATOMIC,    // adds `value` at `to`, `count` times
    TOY_FAULT,     // CU_EVT_FAULT of kind `value` at `to`; stays
    TOY_INTERRUPT, // CU_EVT_INTERRUPT with `value`, then its end
    TOY_HALT,      // CU_EVT_HALT; stays
    TOY_HANG,      // never ends and sends nothing; shows state `value`, after `count` looks (rtl_where.c)
    TOY_BUG,       // an assertion of the model fails
};
struct toy_work {
    uint32_t op, count;
    uint64_t to, from;
    uint32_t value, zero;
};

// The nth message (from 0) of output `port` of partition `part` is wrong.
enum toy_how { TOY_FLIP, TOY_LATE, TOY_LOSE, TOY_AGAIN, TOY_ASIDE };
static struct {
    const char *part, *port;
    unsigned nth;
    enum toy_how how;    // a bit more or less, a cycle late, never, twice, on the lane beside
    unsigned byte, mask; // TOY_FLIP
} toy_plant;

struct toy_message {
    uint32_t slot, zero;
    uint64_t data[sizeof(struct msg_cu_cmd) / 8];
};
struct toy_wave {
    uint32_t stage, done, looked, zero;
    uint64_t line[8];
    struct msg_cu_cmd cmd;
};
struct toy_launch {
    struct msg_cp_cmd cmd;
    uint32_t used, placed, done, total;
    uint64_t start, instructions;
};
// All of a model between two steps; equal bytes for equal states.
struct toy_state {
    uint64_t word, taken, evaluated, issued, ended, planted;
    uint64_t sent[TOY_OUTS]; // cycle of the last message, plus one
    uint32_t owed[TOY_OUTS]; // credits
    uint32_t pending, holds; // holds: `held` is under way
    uint32_t lane, acks;     // of `held`; answers to `asked` that are missing
    struct toy_message queue[TOY_QUEUE], again;
    struct msg_mem_req held;
    struct msg_cp_cmd asked;
    struct toy_wave waves[TOY_WAVES];
    struct toy_launch launches[TOY_LAUNCHES];
    uint8_t placed[TOY_CUS][TOY_WAVES];
    uint32_t next_cu, zero;
};
struct toy {
    const struct toy_kind *kind;
    char name[40];
    unsigned gpu, place;
    uint64_t seed, now; // now: of the tick under way
    bool observed;
    const struct model_sink *sink;
    struct toy_state s;
};

static void (*toy_bug)(const char *name, uint64_t cycle, const char *text);
static struct toy *toy_models[64]; // the living, for tests
static unsigned toy_created;

static const struct model_port *toy_port(const struct toy *t, const char *name, bool out)
{
    for (uint32_t i = 0; i < t->kind->api.port_count; i++)
        if (t->kind->ports[i].out == out && strcmp(t->kind->ports[i].name, name) == 0)
            return &t->kind->ports[i];
    fprintf(stderr, "toy: %s has no port %s\n", t->name, name);
    abort();
}

static void toy_mix(struct toy_state *s, const void *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        s->word = (s->word ^ ((const uint8_t *)data)[i]) * UINT64_C(0x100000001b3);
    s->word ^= s->word >> 29;
}

// There is room for a message in this cycle.
static bool toy_free(const struct toy *t, const struct model_port *port, uint32_t lane)
{
    const uint32_t slot = port->slot + lane;
    return t->s.sent[slot] <= t->now && (!port->credit || t->s.owed[slot] < TOY_CREDITS);
}

static void toy_emit(struct toy *t, const struct model_port *port, uint32_t lane, const void *message)
{
    const uint32_t slot = port->slot + lane;
    t->s.sent[slot] = t->now + 1;
    t->s.owed[slot] += port->credit;
    t->sink->send(t->sink->ctx, slot, t->now, message);
}

// The planted one; false: it does not go now.
static bool toy_planted(struct toy *t, const struct model_port *port, uint32_t *lane, struct toy_message *m, bool *lost)
{
    if (!toy_plant.part || strcmp(toy_plant.part, t->name) != 0 || strcmp(toy_plant.port, port->name) != 0 ||
        t->s.planted++ != toy_plant.nth)
        return true;
    switch (toy_plant.how) {
    case TOY_FLIP:
        ((uint8_t *)m->data)[toy_plant.byte] ^= (uint8_t)toy_plant.mask;
        break;
    case TOY_LOSE:
        *lost = true;
        break;
    case TOY_AGAIN:
        t->s.again = *m;
        t->s.again.slot = port->slot + *lane + 1;
        break;
    case TOY_ASIDE:
        *lane ^= 1;
        break;
    case TOY_LATE:
        return false;
    }
    return true;
}

static bool toy_send(struct toy *t, const char *name, uint32_t lane, const void *message)
{
    const struct model_port *port = toy_port(t, name, true);
    struct toy_message m = {0};
    bool lost = false;
    if (!toy_free(t, port, lane))
        return false;
    memcpy(m.data, message, port->bytes);
    if (!toy_planted(t, port, &lane, &m, &lost))
        return false;
    if (!lost)
        toy_emit(t, port, lane, m.data);
    return true;
}

static void toy_send_again(struct toy *t)
{
    const struct toy_message m = t->s.again;
    for (uint32_t i = 0; m.slot && i < t->kind->api.port_count; i++) {
        const struct model_port *port = &t->kind->ports[i];
        const uint32_t lane = m.slot - 1 - port->slot;
        if (!port->out || lane >= port->count || !toy_free(t, port, lane))
            continue;
        memset(&t->s.again, 0, sizeof t->s.again);
        toy_emit(t, port, lane, m.data);
    }
}

// ---- memory side
static unsigned toy_target(const struct toy *t, uint64_t addr)
{
    return addr >> PMEM_OWNER_SHIFT == t->gpu + 1u ? (unsigned)(addr >> 6) % t->kind->slices : t->kind->slices + 1;
}

static bool toy_noc(struct toy *t, const char *port, uint32_t lane, void *data)
{
    struct msg_mem_req *req = data;
    if (strcmp(port, "mem_rsp") == 0)
        return toy_send(t, port, ((struct msg_mem_rsp *)data)->source, data);
    struct msg_mem_req on = *req;
    on.source = (uint8_t)lane;
    return toy_send(t, port, on.target, &on);
}

static struct msg_mem_rsp toy_answer(const struct msg_mem_req *req)
{
    return (struct msg_mem_rsp){.op = req->op, .source = req->source, .gpu = req->gpu, .tag = req->tag};
}

static bool toy_l2(struct toy *t, const char *port, uint32_t lane, void *data)
{
    (void)lane;
    if (strcmp(port, "dram_rsp") == 0) {
        struct msg_mem_rsp rsp = toy_answer(&t->s.held);
        struct msg_dram_req back = {.write = 1, .addr = t->s.held.addr & PMEM_OFFSET_MASK & ~UINT64_C(63)};
        memcpy(rsp.data, ((struct msg_dram_rsp *)data)->data, 64);
        if (t->s.held.op == MEM_ATOMIC) {
            const unsigned at = (unsigned)(t->s.held.addr & 63);
            uint64_t old = 0, sum;
            memcpy(&old, (uint8_t *)rsp.data + at, t->s.held.size);
            sum = old + t->s.held.data[0];
            memcpy((uint8_t *)back.data + at, &sum, t->s.held.size);
            back.mask = ((UINT64_C(1) << t->s.held.size) - 1) << at;
            rsp = toy_answer(&t->s.held);
            rsp.data[0] = old;
            if (!toy_free(t, toy_port(t, "mem_rsp", true), 0) || !toy_send(t, "dram_req", 0, &back))
                return false;
        }
        if (!toy_send(t, "mem_rsp", 0, &rsp))
            return false;
        t->s.holds = false;
        return true;
    }
    struct msg_mem_req *req = data;
    struct msg_dram_req ask = {.write = req->op == MEM_WRITE, .addr = req->addr & PMEM_OFFSET_MASK & ~UINT64_C(63)};
    if (t->s.holds)
        return false;
    if (ask.write) {
        const struct msg_mem_rsp rsp = toy_answer(req);
        ask.mask = req->mask;
        memcpy(ask.data, req->data, 64);
        return toy_free(t, toy_port(t, "mem_rsp", true), 0) && toy_send(t, "dram_req", 0, &ask) &&
               toy_send(t, "mem_rsp", 0, &rsp);
    }
    if (!toy_send(t, "dram_req", 0, &ask))
        return false;
    t->s.held = *req;
    t->s.holds = true;
    return true;
}

// One request of others is inside at a time; those of this GPU keep their source on the way.
static bool toy_rdma(struct toy *t, const char *port, uint32_t lane, void *data)
{
    struct msg_mem_req on = *(struct msg_mem_req *)data;
    struct msg_mem_rsp rsp = *(struct msg_mem_rsp *)data;
    if (strcmp(port, "mem_req") == 0) {
        on.gpu = (uint8_t)t->gpu;
        return toy_send(t, "far_req", (uint32_t)(on.addr >> PMEM_OWNER_SHIFT), &on);
    }
    if (strcmp(port, "far_rsp") == 0)
        return toy_send(t, "mem_rsp", 0, data);
    if (strcmp(port, "far_req") == 0) {
        if (t->s.holds)
            return false;
        on.target = (uint8_t)toy_target(t, on.addr);
        if (!toy_send(t, "mem_req", 0, &on))
            return false;
        t->s.held = *(struct msg_mem_req *)data;
        t->s.lane = lane;
        t->s.holds = true;
        return true;
    }
    rsp.source = t->s.held.source;
    if (!toy_send(t, "far_rsp", t->s.lane, &rsp))
        return false;
    t->s.holds = false;
    return true;
}

static bool toy_caches(struct toy *t, const char *port, uint32_t lane, void *data)
{
    if (strcmp(port, "ifetch_req") == 0) {
        const struct msg_ifetch_req *req = data;
        return toy_send(t, "ifetch_rsp", lane, &(struct msg_ifetch_rsp){.wave = req->wave, .epoch = req->epoch});
    }
    if (strcmp(port, "mem_req") == 0) { // the L2 TLB: every address is that of itself
        struct msg_mem_rsp rsp = toy_answer(data);
        rsp.data[0] = ((struct msg_mem_req *)data)->addr;
        return toy_send(t, "mem_rsp", lane, &rsp);
    }
    return false;
}

#include "../observe/toy_waves.h"

// ---- every model
static bool toy_take(struct toy *t, const struct model_port *port, uint32_t lane, void *data)
{
    const char *kind = t->kind->api.kind, *name = port->name;
    if (strcmp(name, "ctl_cmd") == 0)
        return toy_send(t, "ctl_evt", lane, &(struct msg_ctl_evt){.op = ((struct msg_ctl_cmd *)data)->op});
    if (strcmp(kind, "gpu") == 0)
        return toy_whole(t, name, lane, data);
    if (strcmp(kind, "cu") == 0)
        return toy_cu(t, name, data);
    if (strcmp(kind, "dispatch") == 0)
        return toy_dispatch(t, name, lane, data);
    if (strcmp(kind, "noc") == 0)
        return toy_noc(t, name, lane, data);
    if (strcmp(kind, "l2") == 0)
        return toy_l2(t, name, lane, data);
    if (strcmp(kind, "rdma") == 0)
        return toy_rdma(t, name, lane, data);
    return toy_caches(t, name, lane, data);
}

static const struct model_port *toy_input(const struct toy *t, uint32_t slot, bool credit)
{
    for (uint32_t i = 0; i < t->kind->api.port_count; i++) {
        const struct model_port *p = &t->kind->ports[i];
        if (credit ? p->out && p->credit && slot - p->credit_slot < p->count : !p->out && slot - p->slot < p->count)
            return p;
    }
    fprintf(stderr, "toy: %s has no input %u\n", t->name, slot);
    abort();
}

static void toy_arrive(struct toy *t, const struct part_in *in)
{
    struct toy_state *s = &t->s;
    const struct model_port *port = toy_input(t, in->slot, in->data == NULL);
    toy_mix(s, &t->now, sizeof t->now);
    toy_mix(s, &in->slot, sizeof in->slot);
    s->taken++;
    if (!in->data) {
        s->owed[port->slot + in->slot - port->credit_slot]--;
        return;
    }
    toy_mix(s, in->data, port->bytes);
    if (s->pending == TOY_QUEUE) {
        fprintf(stderr, "toy: %s: too many messages\n", t->name);
        abort();
    }
    struct toy_message *m = &s->queue[s->pending++];
    memset(m, 0, sizeof *m);
    m->slot = in->slot;
    memcpy(m->data, in->data, port->bytes);
}

// The oldest message of each input that can go on; a credit goes back for it.
static void toy_serve(struct toy *t)
{
    struct toy_state *s = &t->s;
    bool stuck[TOY_QUEUE] = {false};
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->pending; i++) {
        struct toy_message m = s->queue[i];
        const struct model_port *port = toy_input(t, m.slot, false);
        const bool go = !stuck[m.slot % TOY_QUEUE] && toy_take(t, port, m.slot - port->slot, m.data);
        stuck[m.slot % TOY_QUEUE] = true; // one in a cycle
        if (!go)
            s->queue[kept++] = m;
        else if (port->credit)
            t->sink->send(t->sink->ctx, port->credit_slot + m.slot - port->slot, t->now, NULL);
    }
    memset(&s->queue[kept], 0, (s->pending - kept) * sizeof *s->queue);
    s->pending = kept;
}

static bool toy_idle(const struct toy *t)
{
    return t->s.pending == 0 && t->s.again.slot == 0 && !toy_works(t);
}

static bool toy_step(void *model, uint64_t from, struct part_in *const *due, const uint32_t *count, bool no_skip,
                     const struct model_sink *sink)
{
    struct toy *t = model;
    t->sink = sink;
    for (uint32_t c = 0; c < PART_WINDOW; c++) {
        t->now = from + c;
        for (uint32_t i = 0; i < count[c]; i++)
            toy_arrive(t, &due[c][i]);
        t->s.evaluated += no_skip || count[c] || !toy_idle(t);
        toy_send_again(t);
        toy_serve(t);
        toy_work(t);
    }
    return toy_idle(t);
}

static void *toy_create(const char *name, uint16_t id, uint64_t seed, bool traced)
{
    struct toy *t = xcalloc(1, sizeof *t);
    char kind[16] = "gpu";
    const char *dot = strchr(name, '.');
    if (dot)
        snprintf(kind, sizeof kind, "%.*s", (int)strcspn(dot + 1, "0123456789"), dot + 1);
    if (strcmp(kind, "l") == 0)
        snprintf(kind, sizeof kind, "l2");
    if (strncmp(name + (dot ? dot + 1 - name : 0), "utcl2", 5) == 0)
        snprintf(kind, sizeof kind, "utcl2");
    t->kind = toy_newest[traced][toy_kind_number(kind)];
    snprintf(t->name, sizeof t->name, "%s", name);
    t->gpu = id >> 8;
    t->place = id & 255;
    t->seed = seed;
    if (t->kind->api.outs > TOY_OUTS || t->kind->cus > TOY_CUS)
        abort();
    for (unsigned i = 0; i < 64; i++)
        if (!toy_models[i] && t) {
            toy_models[i] = t;
            break;
        }
    toy_created++;
    return t;
}

static void *toy_create_plain(const struct model_api *api, const char *name, uint16_t id, uint64_t seed)
{
    (void)api;
    return toy_create(name, id, seed, false);
}

static void *toy_create_traced(const struct model_api *api, const char *name, uint16_t id, uint64_t seed)
{
    (void)api;
    return toy_create(name, id, seed, true);
}

static void toy_destroy(void *model)
{
    for (unsigned i = 0; i < 64; i++)
        if (toy_models[i] == model)
            toy_models[i] = NULL;
    free(model);
}

static inline struct toy *toy_named(const char *name)
{
    for (unsigned i = 0; i < 64; i++)
        if (toy_models[i] && strcmp(toy_models[i]->name, name) == 0)
            return toy_models[i];
    return NULL;
}

static uint64_t toy_evaluated(const void *model)
{
    return ((const struct toy *)model)->s.evaluated;
}

// Counter n of a kind: n above what has come in.
static uint64_t toy_counter(void *model, uint32_t address)
{
    return 1000 * ((struct toy *)model)->s.taken + address;
}

static uint64_t toy_progress(const void *model)
{
    const struct toy *t = model;
    if (strcmp(t->kind->api.kind, "gpu") == 0)
        return t->s.ended << 40 | t->s.issued;
    return strcmp(t->kind->api.kind, "dispatch") == 0 ? t->s.ended : t->s.issued;
}

static void toy_observe(void *model, bool on)
{
    ((struct toy *)model)->observed = on;
}

// Not a wave: who was to be traced, and when.
static bool toy_trace(void *model, const char *file, uint64_t from, uint64_t to)
{
    FILE *out = fopen(file, "we");
    if (out)
        fprintf(out, "%s %llu %llu\n", ((struct toy *)model)->name, (unsigned long long)from, (unsigned long long)to);
    return out && fclose(out) == 0;
}

static void toy_save(void *model, struct state_writer *to)
{
    STATE_PUT(to, ((struct toy *)model)->s);
}

static bool toy_restore(void *model, struct state_reader *from)
{
    struct toy_state *s = &((struct toy *)model)->s;
    return STATE_GET(from, *s) && (s->pending <= TOY_QUEUE || state_refuse(from, "toy: %u messages", s->pending));
}

static void toy_set_bug(void (*bug)(const char *name, uint64_t cycle, const char *text))
{
    toy_bug = bug;
}

static const struct model_api toy_api = {.create = toy_create_plain,
                                         .destroy = toy_destroy,
                                         .step = toy_step,
                                         .evaluated = toy_evaluated,
                                         .counter = toy_counter,
                                         .shown = toy_progress,
                                         .look = toy_look,
                                         .observe = toy_observe,
                                         .save = toy_save,
                                         .restore = toy_restore,
                                         .set_bug = toy_set_bug};
#endif
