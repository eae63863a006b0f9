/* SPDX-License-Identifier: Apache-2.0
 * For tests: a graph of toy partitions with random traffic (credits, bandwidth, bursts, long rests, timers), whole or
 * the part of it that stands in one process.
 */
#ifndef TESTS_BRIDGE_RUN_GRAPH_BENCH_H
#define TESTS_BRIDGE_RUN_GRAPH_BENCH_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bridge/link/file.h"
#include "bridge/link/region.h"
#include "bridge/run/advance.h"
#include "bridge/run/sched_links.h"

enum { NODES = 9, PORTS = 4, CREDITS = 6, TIMERS = 64 };
/* Port k of node i leads to node i + STEP[k]; ports 0 to 2 have credits coming back on in/output PORTS + k. */
static const unsigned STEP[PORTS] = {1, 2, 4, 3}, WIDTH[PORTS] = {16, 24, 64, 16};

struct result {
    uint64_t hash, received, sent, last;
};
struct graph {
    uint32_t latency;
    uint64_t seed, rest; /* cycles of a long rest */
    unsigned budget;     /* messages of each node */
    bool no_skip;
    unsigned threads, groups;
};
struct node {
    const struct graph *graph;
    uint64_t state, timer[TIMERS], far; /* 0: none */
    unsigned timers, budget, credits[PORTS], owed[PORTS];
    uint64_t numbers_out[PORTS], numbers_in[PORTS];
    struct result r;
};
struct payload {
    uint8_t kind;
    uint64_t number, rest[6];
};

static inline uint64_t draw(struct node *n)
{
    n->state = n->state * 6364136223846793005u + 1442695040888963407u;
    uint64_t x = n->state ^ n->state >> 29;
    return x * 0x9e3779b97f4a7c15u >> 20;
}

static inline void note(struct node *n, uint64_t value)
{
    n->r.hash = (n->r.hash ^ value) * 0x9e3779b97f4a7c15u;
    n->r.hash ^= n->r.hash >> 29;
}

static inline void take(struct part *part, struct node *n, uint64_t now, const struct part_in *in)
{
    n->r.last = now;
    note(n, now << 8 | in->slot);
    if (in->slot >= PORTS) {
        n->credits[in->slot - PORTS]++;
        return;
    }
    const struct payload *p = in->data;
    uint64_t number = p->number;
    PART_CHECK(number == ++n->numbers_in[in->slot], part, now, "message %llu, expected %llu",
               (unsigned long long)number, (unsigned long long)n->numbers_in[in->slot]);
    note(n, p->kind ^ (WIDTH[in->slot] >= 24 ? p->rest[0] : 0) ^ (WIDTH[in->slot] == 64 ? p->rest[5] : 0));
    n->r.received++;
    if (in->slot < 3)
        n->owed[in->slot]++;
    if (n->timers < TIMERS)
        n->timer[n->timers++] = now + 1 + draw(n) % 23;
}

static inline void act(struct part *part, struct node *n, uint64_t now)
{
    unsigned port = (unsigned)(draw(n) % PORTS), count = draw(n) % 8 == 0 ? 5 : 1; /* now and then a burst */
    while (count-- && n->budget && (port == 3 || n->credits[port])) {
        struct payload p = {(uint8_t)(draw(n) % CHANNEL_KINDS), ++n->numbers_out[port], {0}};
        p.rest[0] = draw(n);
        p.rest[5] = draw(n);
        sched_send(part, port, now, &p);
        n->budget--;
        n->r.sent++;
        if (port < 3)
            n->credits[port]--;
    }
    if (n->budget && n->far == 0 && draw(n) % 16 == 0)
        n->far = now + n->graph->rest + draw(n) % 1000;
}

static inline void node_visit(struct part *part, uint64_t from)
{
    struct node *n = part->own;
    for (uint64_t now = from; now < from + PART_WINDOW; now++) {
        for (uint32_t i = 0; i < part->due_count[now - from]; i++)
            take(part, n, now, &part->due[now - from][i]);
        for (unsigned k = 0; k < 3; k++) {
            if (n->owed[k] && draw(n) % 4 == 0) {
                n->owed[k]--;
                sched_send(part, PORTS + k, now, NULL);
            }
        }
        for (unsigned i = 0; i < n->timers;) {
            if (n->timer[i] > now) {
                i++;
                continue;
            }
            n->timer[i] = n->timer[--n->timers];
            act(part, n, now);
        }
        if (n->far && n->far <= now) {
            n->far = 0;
            act(part, n, now);
            act(part, n, now);
        }
    }
    bool owes = n->owed[0] || n->owed[1] || n->owed[2];
    part->idle = n->timers == 0 && !owes;
    if (part->idle && n->far)
        sched_wake(part->sched, part, n->far);
}

static inline void node_free(struct part *part)
{
    free(part->own);
}
static const struct part_ops node_ops = {.visit = node_visit, .free = node_free};

/* What leaves a replayed half. */
static inline bool nowhere_open(struct link *link, void *place)
{
    (void)link;
    (void)place;
    return true;
}
static inline void nowhere_send(struct link *link, uint64_t stamp, const void *payload)
{
    (void)stamp;
    (void)payload;
    link->sent++;
}
static inline void nowhere_promise(struct link *link, uint64_t stamp)
{
    link->promised = stamp;
}
static inline void nowhere_close(struct link *link)
{
    (void)link;
}
static const struct transport nowhere = {
    .name = "nowhere", .open = nowhere_open, .send = nowhere_send, .promise = nowhere_promise, .close = nowhere_close};

/* ---- the graph: who stands in which process, and all channels */
struct cut {
    unsigned processes;
    struct region *region; /* NULL: none */
    uint32_t self;
    const char *folder; /* channels that are cut are recorded there (processes 1) or replayed from there */
    struct ring *(*rings)[2 * PORTS]; /* of cut channels by sender and output: parts of one process; NULL: none */
};
static inline unsigned home(const struct cut *cut, unsigned node)
{
    return node * cut->processes / NODES;
}
static inline uint32_t latency_of(const struct graph *g, unsigned port)
{
    return g->latency + port * 7;
}
static inline uint32_t depth_of(const struct graph *g, unsigned port)
{
    return port < 3 ? CREDITS : 4 * latency_of(g, 3) + 256;
}

static inline void channel(struct sched *s, const struct cut *cut, const struct graph *g, struct part **parts,
                           unsigned from, unsigned out, unsigned to, unsigned in)
{
    char names[2][16];
    uint32_t bytes = out < PORTS ? WIDTH[out] : 0, latency = latency_of(g, out % PORTS),
             depth = depth_of(g, out % PORTS);
    struct carrier carrier = {&transport_shm, cut->region};
    if (cut->rings) {
        if (home(cut, from) != home(cut, to) && cut->rings[from][out] == NULL)
            cut->rings[from][out] = ring_new_empty(bytes, depth, RING_LINE);
        carrier = (struct carrier){&transport_inproc, cut->rings[from][out]};
    }
    snprintf(names[0], sizeof names[0], "n%u", from);
    snprintf(names[1], sizeof names[1], "n%u", to);
    struct wire *w = NULL;
    char path[128], name[LINK_NAME];
    struct hello hello = hello_make("rtl", "graph", "config", g->seed);
    struct file_place place = {path, &hello};
    link_name(name, names[0], out, names[1], in);
    if (cut->folder) {
        snprintf(path, sizeof path, "%s/%u.%u", cut->folder, from, out);
        carrier = parts[from] ? (struct carrier){&nowhere, NULL} : (struct carrier){&transport_file, &place};
    }
    if (parts[from] && parts[to])
        w = sched_connect(s, parts[from], out, parts[to], in, bytes, latency, depth);
    else if (parts[from])
        w = sched_export(s, parts[from], out, (struct far_end){names[1], in}, bytes, latency, depth, carrier);
    else if (parts[to])
        w = sched_import(s, (struct far_end){names[0], out}, parts[to], in, bytes, latency, depth, carrier);
    else
        return;
    assert_non_null(w);
    if (cut->folder && cut->processes == 1 && from * 2 / NODES != to * 2 / NODES)
        assert_true(sched_tap(s, w, name, (struct carrier){&transport_file, &place}));
    if (out == 1)
        w->channel.rate = (struct channel_rate){16, 16, 0, {0, 1, 15, 16, 17, 32, 64, 80}};
}

static inline void each_channel(void (*fn)(void *ctx, unsigned from, unsigned out, unsigned to, unsigned in), void *ctx)
{
    for (unsigned i = 0; i < NODES; i++) {
        for (unsigned k = 0; k < PORTS; k++) {
            fn(ctx, i, k, (i + STEP[k]) % NODES, k);
            if (k < 3)
                fn(ctx, (i + STEP[k]) % NODES, PORTS + k, i, PORTS + k);
        }
    }
}

struct build {
    struct sched *s;
    const struct cut *cut;
    const struct graph *g;
    struct part *parts[NODES];
};
static inline void build_channel(void *ctx, unsigned from, unsigned out, unsigned to, unsigned in)
{
    struct build *b = ctx;
    channel(b->s, b->cut, b->g, b->parts, from, out, to, in);
}

static inline void graph_open(struct build *b)
{
    sched_init(b->s);
    b->s->no_skip = b->g->no_skip;
    b->s->threads = b->g->threads;
    for (unsigned i = 0; i < NODES; i++) {
        if (home(b->cut, i) != b->cut->self)
            continue;
        char name[16];
        struct node *n = calloc(1, sizeof *n);
        *n = (struct node){.graph = b->g, .state = b->g->seed * 977 + i, .budget = b->g->budget};
        for (unsigned k = 0; k < PORTS; k++)
            n->credits[k] = CREDITS;
        n->timer[n->timers++] = 1 + i;
        n->timer[n->timers++] = 5 + 3 * i;
        snprintf(name, sizeof name, "n%u", i);
        b->parts[i] = part_new(&node_ops, name, 2 * PORTS, 2 * PORTS, n);
        b->parts[i]->group = b->g->groups ? i % b->g->groups : 0;
        b->parts[i]->idle = false;
        sched_add(b->s, b->parts[i]);
    }
    each_channel(build_channel, b);
    if (b->cut->region)
        sched_join(b->s, b->cut->region);
    assert_true(sched_start(b->s));
}

static inline void graph_results(const struct build *b, struct result *results)
{
    for (unsigned i = 0; i < NODES; i++) {
        if (b->parts[i])
            results[i] = ((struct node *)b->parts[i]->own)->r;
    }
}

static inline uint64_t run_whole(const struct graph *g, struct result *results)
{
    struct sched s;
    struct cut cut = {1, NULL, 0, NULL, NULL};
    struct build b = {&s, &cut, g, {NULL}};
    graph_open(&b);
    assert_int_equal(sched_advance(&s, UINT64_MAX), SCHED_QUIET);
    graph_results(&b, results);
    uint64_t active = sched_active(&s);
    sched_fini(&s);
    return active;
}
#endif
