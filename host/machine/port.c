/* SPDX-License-Identifier: Apache-2.0
 * The host's port into memories; contract in port.h.
 */
#include "machine/port.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "gantry_cfg.h"
#include "machine/sim_private.h"
#include "saved/state_io.h"
#include "target/far_links.h"
#include "vm/pmem.h"

#define WAITING_MOST (1u << 24) /* in a saved state: against nonsense only */

/* A request that has not left yet. */
struct port_request {
    struct msg_mem_req req;
    uint64_t cookie;
    bool overlap;
};

/* One that has left; place = number of the request % PORT_DEPTH, which is its tag. */
struct port_sent {
    uint64_t cookie;
    uint64_t addr, cycle; /* for reports */
    bool answered;
    struct msg_mem_rsp rsp;
};

struct port_lane {
    struct port_request *waiting; /* ring */
    uint32_t head, count, room;
    uint32_t credits;    /* free places at the far end */
    uint32_t depth;      /* all of them */
    bool ordered;        /* the memory does what is asked in the order of requests */
    uint64_t told, left; /* requests whose answer the host has been told; that have left */
    uint64_t ready;      /* cycle at which the answer to the oldest one came, when it has */
    struct port_sent sent[PORT_DEPTH];
};

struct port {
    struct port_lane *lanes;
    unsigned count;
    uint64_t open; /* requests without an answer, all lanes */
};

/* Slots at the host: those of lane 0 of each kind. */
enum slots { ANSWERS, CREDITS };
static uint32_t in_slot(const struct sim *sim, enum slots kind, unsigned lane)
{
    return 2 * sim->gpu_count + (unsigned)kind * sim->port->count + lane;
}
static uint32_t out_slot(const struct sim *sim, enum slots kind, unsigned lane)
{
    return sim->gpu_count + (unsigned)(kind == CREDITS) * sim->port->count + lane;
}
static struct channel *channel_in(const struct sim *sim, enum slots kind, unsigned lane)
{
    return &sim->host->in[in_slot(sim, kind, lane)]->channel;
}

uint32_t port_ins(unsigned gpus)
{
    return 2 * (gpus + 1);
}
uint32_t port_outs(unsigned gpus)
{
    return 2 * (gpus + 1);
}

struct port *port_new(struct sim *sim)
{
    struct port *p = xcalloc(1, sizeof *p);
    p->count = sim->gpu_count + 1;
    p->lanes = xcalloc(p->count, sizeof *p->lanes);
    return p;
}

void port_free(struct port *p)
{
    if (p == NULL)
        return;
    for (unsigned i = 0; i < p->count; i++)
        free(p->lanes[i].waiting);
    free(p->lanes);
    free(p);
}

void port_connect(struct sim *sim, unsigned lane, struct port_end end)
{
    struct sched *s = &sim->sched;
    struct port_lane *l = &sim->port->lanes[lane];
    const uint32_t latency = sim->cfg->link_host, depth = end.credits;
    l->credits = l->depth = depth;
    l->ordered = end.ordered;
    struct wire *requests = sched_connect(s, sim->host, out_slot(sim, ANSWERS, lane), end.to, end.req_in,
                                          sizeof(struct msg_mem_req), latency, depth);
    struct wire *credits =
        sched_connect(s, end.to, end.req_credit, sim->host, in_slot(sim, CREDITS, lane), 0, latency, depth);
    if (credits)
        credits->silent = true;
    struct wire *answers = sched_connect(s, end.to, end.rsp_out, sim->host, in_slot(sim, ANSWERS, lane),
                                         sizeof(struct msg_mem_rsp), latency, depth);
    struct wire *room =
        sched_connect(s, sim->host, out_slot(sim, CREDITS, lane), end.to, end.rsp_credit, 0, latency, depth);
    if (end.bytes_per_cycle == 0)
        return;
    far_requests(requests, end.bytes_per_cycle, end.sends);
    far_answers(answers, end.bytes_per_cycle, end.answers);
    far_credits(credits, end.bytes_per_cycle, end.answers ? end.answers : answers);
    far_credits(room, end.bytes_per_cycle, end.sends ? end.sends : requests);
}

/* ---- requests leave */
static void credits_collect(struct sim *sim, unsigned lane)
{
    struct port_lane *l = &sim->port->lanes[lane];
    struct channel *from = channel_in(sim, CREDITS, lane);
    while (!channel_empty(from) && channel_stamp(from, 0) <= sim->now) {
        channel_drop(from, 1);
        l->credits++;
    }
    PART_CHECK(l->credits <= l->depth, sim->host, sim->now, "lane %u: %u credits of %u", lane, l->credits, l->depth);
}

/* Whether the first of those that wait may leave as far as answers are concerned. */
static bool head_may_leave(const struct port_lane *l)
{
    uint64_t unanswered = l->left - l->told;
    return l->count && unanswered < PORT_DEPTH && (!unanswered || l->ordered || l->waiting[l->head].overlap);
}

static void requests_send(struct sim *sim, unsigned lane)
{
    struct port_lane *l = &sim->port->lanes[lane];
    credits_collect(sim, lane);
    while (l->credits && head_may_leave(l)) {
        const struct port_request *r = &l->waiting[l->head];
        uint32_t place = (uint32_t)(l->left++ % PORT_DEPTH);
        struct msg_mem_req req = r->req;
        req.target = req.source = req.vmid = 0;
        req.gpu = UINT8_MAX; /* nobody's */
        req.tag = place;
        if (req.op == MEM_ATOMIC)
            req.mask = 0; /* of one word */
        req.user = UINT32_MAX;
        l->sent[place] = (struct port_sent){.cookie = r->cookie, .addr = req.addr, .cycle = sim->now};
        l->credits--;
        l->count--;
        l->head = (l->head + 1) & (l->room - 1);
        sched_send(sim->host, out_slot(sim, ANSWERS, lane), sim->now, &req);
    }
}

unsigned port_lane(const struct sim *sim, const struct msg_mem_req *req)
{
    unsigned owner = (unsigned)(req->addr >> PMEM_OWNER_SHIFT);
    uint64_t offset = req->addr & PMEM_OFFSET_MASK;
    bool line = req->op != MEM_ATOMIC;
    bool whole = line || ((req->size == 4 || req->size == 8) && req->addr % req->size == 0);
    bool inside = offset < pmem_vram_bytes(sim->memory); /* VRAM is whole lines */
    return owner <= sim->gpu_count && whole && inside ? owner : 0;
}

static struct port_request *waiting_add(struct port_lane *l)
{
    if (l->count == l->room) {
        uint32_t room = l->room ? 2 * l->room : 16;
        struct port_request *ring = xcalloc(room, sizeof *ring);
        for (uint32_t i = 0; i < l->count; i++)
            ring[i] = l->waiting[(l->head + i) & (l->room - 1)];
        free(l->waiting);
        l->waiting = ring;
        l->room = room;
        l->head = 0;
    }
    return &l->waiting[(l->head + l->count++) & (l->room - 1)];
}

void port_access(struct sim *sim, const struct msg_mem_req *req, bool overlap, uint64_t cookie)
{
    PART_CHECK(req->op <= MEM_ATOMIC && (req->op == MEM_ATOMIC ? req->atomic <= ATOMIC_DEC : req->addr % 64 == 0),
               sim->host, sim->now, "memory request %u of the host at 0x%llx", req->op, (unsigned long long)req->addr);
    unsigned lane = port_lane(sim, req);
    *waiting_add(&sim->port->lanes[lane]) = (struct port_request){.req = *req, .cookie = cookie, .overlap = overlap};
    sim->port->open++;
    requests_send(sim, lane);
}

/* ---- answers */
static bool oldest_answered(const struct port_lane *l)
{
    return l->told < l->left && l->sent[l->told % PORT_DEPTH].answered;
}

/* Cycle at which the lane has something to do. */
static uint64_t lane_due(const struct sim *sim, unsigned lane)
{
    const struct port_lane *l = &sim->port->lanes[lane];
    if (l->told == l->left && l->count == 0) /* perhaps of a GPU that is not there */
        return UINT64_MAX;
    if (oldest_answered(l))
        return l->ready;
    const struct channel *answers = channel_in(sim, ANSWERS, lane), *credits = channel_in(sim, CREDITS, lane);
    uint64_t due = channel_empty(answers) ? UINT64_MAX : channel_stamp(answers, 0);
    if (head_may_leave(l) && !channel_empty(credits) && channel_stamp(credits, 0) < due)
        due = channel_stamp(credits, 0);
    return due;
}

static uint64_t first_due(const struct sim *sim, unsigned *lane)
{
    uint64_t first = UINT64_MAX;
    for (unsigned i = 0; sim->port->open && i < sim->port->count; i++) {
        uint64_t due = lane_due(sim, i);
        if (due < first) {
            first = due;
            *lane = i;
        }
    }
    return first;
}

uint64_t port_due(const struct sim *sim)
{
    unsigned lane;
    return first_due(sim, &lane);
}

static void answer_take(struct sim *sim, unsigned lane)
{
    struct port_lane *l = &sim->port->lanes[lane];
    struct channel *from = channel_in(sim, ANSWERS, lane);
    struct msg_mem_rsp rsp;
    memcpy(&rsp, channel_payload(from, 0), sizeof rsp);
    channel_drop(from, 1);
    sched_send(sim->host, out_slot(sim, CREDITS, lane), sim->now, NULL);
    PART_CHECK(rsp.tag < PORT_DEPTH && (rsp.tag - l->told) % PORT_DEPTH < l->left - l->told &&
                   !l->sent[rsp.tag].answered,
               sim->host, sim->now, "lane %u: answer %u, of which nothing was asked", lane, rsp.tag);
    l->sent[rsp.tag].rsp = rsp;
    l->sent[rsp.tag].answered = true;
    l->ready = sim->now;
}

bool port_step(struct sim *sim, struct port_answer *answer)
{
    unsigned lane;
    uint64_t due = first_due(sim, &lane);
    PART_CHECK(due == sim->now, sim->host, sim->now, "memory of the host due at cycle %llu", (unsigned long long)due);
    struct port_lane *l = &sim->port->lanes[lane];
    struct channel *answers = channel_in(sim, ANSWERS, lane);
    if (!oldest_answered(l) && !channel_empty(answers) && channel_stamp(answers, 0) == sim->now)
        answer_take(sim, lane);
    if (oldest_answered(l)) {
        struct port_sent done = l->sent[l->told++ % PORT_DEPTH];
        sim->port->open--;
        done.rsp.gpu = lane ? (uint8_t)(lane - 1) : UINT8_MAX;
        requests_send(sim, lane); /* those before what the callback asks */
        *answer = (struct port_answer){.lane = lane, .cookie = done.cookie, .rsp = done.rsp};
        return true;
    }
    requests_send(sim, lane);
    return false;
}

uint64_t port_waiting(const struct sim *sim)
{
    return sim->port->open;
}

void port_report(const struct sim *sim, FILE *out)
{
    for (unsigned i = 0; i < sim->port->count; i++) {
        const struct port_lane *l = &sim->port->lanes[i];
        if (l->told == l->left)
            continue;
        const struct port_sent *s = &l->sent[l->told % PORT_DEPTH];
        fprintf(out, "  host.cp waits for %s: memory request at 0x%llx of cycle %llu, %llu under way, %u to send\n",
                channel_to(&sim->host->out[out_slot(sim, ANSWERS, i)]->channel), (unsigned long long)s->addr,
                (unsigned long long)s->cycle, (unsigned long long)(l->left - l->told), l->count);
    }
}

/* ---- state */
static void lane_save(const struct port_lane *l, struct state_writer *to)
{
    STATE_PUT(to, l->credits);
    STATE_PUT(to, l->told);
    STATE_PUT(to, l->left);
    STATE_PUT(to, l->ready);
    for (uint64_t n = l->told; n < l->left; n++) {
        const struct port_sent *s = &l->sent[n % PORT_DEPTH];
        STATE_PUT(to, s->cookie);
        STATE_PUT(to, s->addr);
        STATE_PUT(to, s->cycle);
        STATE_PUT(to, s->answered);
        if (s->answered)
            STATE_PUT(to, s->rsp);
    }
    state_put_u64(to, l->count);
    for (uint32_t i = 0; i < l->count; i++) {
        const struct port_request *r = &l->waiting[(l->head + i) & (l->room - 1)];
        STATE_PUT(to, r->req);
        STATE_PUT(to, r->cookie);
        STATE_PUT(to, r->overlap);
    }
}

static bool lane_restore(struct port_lane *l, struct state_reader *from)
{
    uint64_t count;
    if (!STATE_GET(from, l->credits) || !STATE_GET(from, l->told) || !STATE_GET(from, l->left) ||
        !STATE_GET(from, l->ready))
        return false;
    if (l->credits > l->depth || l->told > l->left || l->left - l->told > PORT_DEPTH)
        return state_refuse(from, "memory requests of the host: %llu to %llu", (unsigned long long)l->told,
                            (unsigned long long)l->left);
    for (uint64_t n = l->told; n < l->left; n++) {
        struct port_sent *s = &l->sent[n % PORT_DEPTH];
        if (!STATE_GET(from, s->cookie) || !STATE_GET(from, s->addr) || !STATE_GET(from, s->cycle) ||
            !STATE_GET(from, s->answered) || (s->answered && !STATE_GET(from, s->rsp)))
            return false;
    }
    if (!state_get_count(from, "memory requests that wait", WAITING_MOST, &count))
        return false;
    l->head = l->count = 0;
    for (; count > 0; count--) {
        struct port_request *r = waiting_add(l);
        if (!STATE_GET(from, r->req) || !STATE_GET(from, r->cookie) || !STATE_GET(from, r->overlap))
            return false;
    }
    return true;
}

void port_save(const struct port *p, struct state_writer *to)
{
    for (unsigned i = 0; i < p->count; i++)
        lane_save(&p->lanes[i], to);
}

bool port_restore(struct port *p, struct state_reader *from)
{
    p->open = 0;
    for (unsigned i = 0; i < p->count; i++) {
        if (!lane_restore(&p->lanes[i], from))
            return false;
        p->open += p->lanes[i].left - p->lanes[i].told + p->lanes[i].count;
    }
    return true;
}
