// SPDX-License-Identifier: Apache-2.0
// A machine assembled by one function in several processes (cut_channels.h, workers.h), and an owner that acts on what
// comes to it: wherever the partitions run, all have run exactly the windows before the one in which he acts, so that
// memory that he shares with them is that of one process.
//  * limit: 900
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "bridge/link/peers.h"
#include "bridge/link/region_wait.h"
#include "bridge/place/cut_channels.h"
#include "bridge/place/workers.h"
#include "bridge/run/advance.h"

enum { MOST = 5, DEPTH = 512 };

struct shared {
    _Atomic uint64_t at[MOST]; /* behind the last window that node k has run */
    uint64_t word[MOST];       /* the owner writes, node k reads */
    _Atomic uint64_t order;    /* of all visits, of nodes that take turns */
};
struct plan {
    unsigned nodes, processes;
    uint32_t of[MOST]; /* process of node k */
    uint32_t host_latency, node_latency;
    bool ordered;
    uint64_t end, pause, limit; /* nodes rest for `pause` cycles now and then; the owner looks up each `limit` cycles */
};
struct node {
    const struct plan *plan;
    struct shared *shared;
    unsigned number;
    uint64_t state, until;
};
struct machine {
    struct sched s;
    struct part *host, *parts[MOST];
    struct node nodes[MOST];
};

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 29) * 0x9e3779b97f4a7c15u;
    return x ^ x >> 32;
}

/* Busy for some windows, then at rest until its next wake-up; what it sends depends on what it gets and on the owner.
 */
static void node_visit(struct part *part, uint64_t from)
{
    struct node *n = part->own;
    if (n->plan->ordered) {
        if (!sched_in_turn(part, from))
            return;
        atomic_store(&n->shared->order, mix(atomic_load(&n->shared->order) + from + n->number));
        n->state += atomic_load(&n->shared->order);
    }
    for (unsigned c = 0; c < PART_WINDOW; c++)
        for (uint32_t i = 0; i < part->due_count[c]; i++)
            n->state = mix(n->state + from + c + *(const uint64_t *)part->due[c][i].data);
    n->state = mix(n->state + n->shared->word[n->number] + 1);
    if (n->state % 23 == 0)
        sched_send(part, 0, from + n->state % 5, &n->state);
    if (n->state % 19 == 0)
        sched_send(part, 1, from + n->state % 7, &n->state);
    part->idle = n->state % 61 == 0 || from >= n->plan->end;
    if (part->idle && from < n->plan->end)
        sched_wake(part->sched, part, from + PART_WINDOW + n->state % n->plan->pause);
    atomic_store(&n->shared->at[n->number], from + PART_WINDOW);
}

static void host_visit(struct part *part, uint64_t from)
{
    for (unsigned c = 0; c < PART_WINDOW; c++)
        PART_CHECK(part->due_count[c] == 0, part, from + c, "the owner has not taken it");
}

static const struct part_ops node_ops = {.visit = node_visit}, host_ops = {.visit = host_visit};

/* self: UINT32_MAX for the plan. */
static void assemble(struct machine *m, const struct plan *plan, struct shared *shared, uint32_t self)
{
    char name[16];
    m->host = self == 0 ? part_new(&host_ops, "host", MOST, MOST, NULL) : part_elsewhere("host", MOST, MOST, 0);
    sched_add(&m->s, m->host);
    for (unsigned k = 0; k < plan->nodes; k++) {
        snprintf(name, sizeof name, "node%u", k);
        m->nodes[k] = (struct node){.plan = plan, .shared = shared, .number = k, .state = 77 + k};
        m->parts[k] = self == plan->of[k] ? part_new(&node_ops, name, 2, 2, &m->nodes[k])
                                          : part_elsewhere(name, 2, 2, plan->of[k]);
        m->parts[k]->idle = m->parts[k]->elsewhere;
        sched_add(&m->s, m->parts[k]);
        assert_int_equal(m->parts[k]->number, k + 1);
    }
    for (unsigned k = 0; k < plan->nodes; k++) {
        sched_connect(&m->s, m->parts[k], 0, m->host, k, 8, plan->host_latency, DEPTH);
        sched_connect(&m->s, m->host, k, m->parts[k], 1, 8, plan->host_latency, DEPTH);
        sched_connect(&m->s, m->parts[k], 1, m->parts[(k + 1) % plan->nodes], 0, 8, plan->node_latency, DEPTH);
    }
    assert_int_equal(m->s.connected, 3 * plan->nodes);
}

static uint64_t first_due(void *ctx)
{
    const struct machine *m = ctx;
    uint64_t first = UINT64_MAX;
    for (unsigned k = 0; k < m->host->ins; k++) {
        const struct wire *w = m->host->in[k];
        if (w && !channel_empty(&w->channel) && channel_stamp(&w->channel, 0) < first)
            first = channel_stamp(&w->channel, 0);
    }
    return first;
}

/* The first message before `end`: what it did, and how far all nodes are; the owner leaves each a word. */
static bool act(struct machine *m, const struct plan *plan, struct shared *shared, uint64_t end, uint64_t *hash)
{
    uint64_t cycle = first_due(m);
    if (cycle >= end)
        return false;
    for (unsigned k = 0; k < plan->nodes; k++) {
        struct channel *c = &m->host->in[k]->channel;
        if (channel_empty(c) || channel_stamp(c, 0) != cycle)
            continue;
        uint64_t value;
        memcpy(&value, channel_payload(c, 0), 8);
        channel_drop(c, 1);
        if (channel_empty(c))
            m->host->waiting[0] &= ~(UINT64_C(1) << k);
        *hash = mix(*hash + cycle + value);
        if (*hash % 3 == 0)
            sched_send(m->host, k, cycle, hash);
        break;
    }
    for (unsigned k = 0; k < plan->nodes; k++) {
        *hash = mix(*hash + atomic_load(&shared->at[k]) + atomic_load(&shared->order));
        if (atomic_load(&shared->at[k]) > m->s.now) /* it has run the window of this event */
            *hash = 0;
        shared->word[k] += *hash % 1000;
    }
    return true;
}

static void add_up(uint64_t *hash, const struct machine *m, const struct plan *plan, struct shared *shared)
{
    *hash = mix(*hash + (m->s.region ? region_active(m->s.region) : sched_active(&m->s)));
    for (unsigned k = 0; k < plan->nodes; k++)
        *hash = mix(*hash + atomic_load(&shared->at[k]));
}

static uint64_t owner_in_one(struct machine *m, const struct plan *plan, struct shared *shared)
{
    uint64_t hash = 1;
    for (;;) {
        while (act(m, plan, shared, m->s.now + PART_WINDOW, &hash))
            ;
        uint64_t next = sched_next(&m->s);
        if (next == UINT64_MAX)
            break;
        m->s.now = next;
        if (first_due(m) >= next + PART_WINDOW)
            sched_run(&m->s, 1);
    }
    add_up(&hash, m, plan, shared);
    return hash;
}

static uint64_t owner_in_many(struct machine *m, const struct plan *plan, struct shared *shared)
{
    uint64_t hash = 1;
    for (m->s.limit = plan->limit;;) {
        while (act(m, plan, shared, m->s.now + PART_WINDOW, &hash))
            ;
        if (m->s.limit < m->s.now + PART_WINDOW)
            m->s.limit += plan->limit;
        enum sched_end end = sched_advance(&m->s, UINT64_MAX);
        if (end == SCHED_QUIET)
            break;
        assert_int_equal(end, SCHED_UNTIL);
    }
    add_up(&hash, m, plan, shared);
    return hash;
}

struct context {
    const struct plan *plan;
    struct shared *shared;
    int fd;
    struct hello hello;
};

static int work(void *ctx, uint32_t self, int socket)
{
    const struct context *c = ctx;
    struct machine m = {.host = NULL};
    (void)socket;
    sched_init(&m.s);
    struct region *region = region_open(c->fd, self, &c->hello, 1);
    struct cut cut = {.carrier = {&transport_shm, region}};
    m.s.cut = cut_here(&cut);
    m.s.ordered = c->plan->ordered;
    assemble(&m, c->plan, c->shared, self);
    if (cut.failed || !sched_start(&m.s) || !peers_greet(region, 60))
        return 1;
    sched_join(&m.s, region);
    bool ended = sched_advance(&m.s, UINT64_MAX) == SCHED_ENDED;
    sched_fini(&m.s);
    region_close(region);
    return ended ? 0 : 2;
}

static int region_for(const struct plan *plan)
{
    static const char *const names[] = {"owner", "first", "second", "third", "fourth", "fifth"};
    struct machine m = {.host = NULL};
    struct cut_plan links = {.links = NULL};
    sched_init(&m.s);
    m.s.cut = cut_planner(&links);
    assemble(&m, plan, NULL, UINT32_MAX);
    assert_false(links.failed);
    int fd = region_create(&(struct region_plan){names, plan->processes, links.links, links.count, 0});
    assert_true(fd >= 0 && links.count > 0);
    cut_plan_fini(&links);
    sched_fini(&m.s);
    return fd;
}

static uint64_t run_in_many(const struct plan *plan, struct shared *shared)
{
    struct machine m = {.host = NULL};
    struct context c = {plan, shared, region_for(plan), hello_make("r", "g", "c", 5)};
    sched_init(&m.s);
    struct workers *workers = workers_start(plan->processes - 1, work, &c);
    struct region *region = region_open(c.fd, 0, &c.hello, 1);
    struct cut cut = {.carrier = {&transport_shm, region}};
    m.s.cut = cut_here(&cut);
    m.s.ordered = plan->ordered;
    assemble(&m, plan, shared, 0);
    assert_true(!cut.failed && sched_start(&m.s));
    m.s.act = first_due;
    m.s.act_ctx = &m;
    m.s.act_ahead = plan->host_latency;
    assert_true(peers_greet(region, 60));
    sched_join(&m.s, region);
    uint64_t hash = owner_in_many(&m, plan, shared);
    sched_fini(&m.s);
    region_close(region);
    close(c.fd);
    for (uint32_t k = 1; k < plan->processes; k++) {
        assert_true(workers_ended(workers, k, 10000));
        assert_int_equal(workers->list[k - 1].status, 0);
    }
    workers_finish(workers, 0);
    return hash;
}

static uint64_t run(struct plan plan, unsigned processes)
{
    struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    uint64_t hash;
    plan.processes = processes;
    for (unsigned k = 0; k < plan.nodes; k++)
        plan.of[k] = processes > plan.nodes ? k + 1 : k % processes;
    if (processes > 1) {
        hash = run_in_many(&plan, shared);
    } else {
        struct machine m = {.host = NULL};
        sched_init(&m.s);
        assemble(&m, &plan, shared, 0);
        assert_true(sched_start(&m.s));
        hash = owner_in_one(&m, &plan, shared);
        sched_fini(&m.s);
    }
    munmap(shared, sizeof *shared);
    return hash;
}

static void same(const struct plan *plan)
{
    uint64_t one = run(*plan, 1);
    assert_int_not_equal(one, 0);
    for (unsigned processes = 2; processes <= plan->nodes + 1; processes++)
        assert_int_equal(run(*plan, processes), one);
}

static void test_busy(void **state)
{
    (void)state;
    same(&(struct plan){
        .nodes = 3, .host_latency = 140, .node_latency = 140, .end = 60000, .pause = 100, .limit = 7777});
}

/* Long rests: the host waits in the middle of them, and nobody is told that he may run beyond its next act. */
static void test_rests(void **state)
{
    (void)state;
    same(&(struct plan){
        .nodes = 3, .host_latency = 104, .node_latency = 200, .end = 400000, .pause = 9000, .limit = 1000});
}

/* What comes to the owner comes sooner, or later, than what nodes send each other. */
static void test_other_latencies(void **state)
{
    (void)state;
    same(&(struct plan){
        .nodes = 2, .host_latency = 100, .node_latency = 1000, .end = 60000, .pause = 400, .limit = 1u << 30});
    same(&(struct plan){.nodes = 2, .host_latency = 800, .node_latency = 16, .end = 40000, .pause = 400, .limit = 50});
}

/* Visits of all processes one after another, in the order of one process. */
static void test_turns(void **state)
{
    (void)state;
    same(&(struct plan){
        .nodes = 3, .ordered = true, .host_latency = 140, .node_latency = 140, .end = 4000, .pause = 60, .limit = 700});
    same(&(struct plan){.nodes = 2,
                        .ordered = true,
                        .host_latency = 100,
                        .node_latency = 300,
                        .end = 60000,
                        .pause = 9000,
                        .limit = 1u << 30});
}

static void test_plan(void **state)
{
    (void)state;
    struct machine m = {.host = NULL};
    struct plan plan = {.nodes = 2, .processes = 2, .of = {0, 1}, .host_latency = 140, .node_latency = 100};
    struct cut_plan links = {.links = NULL};
    char text[17], other[17];
    sched_init(&m.s);
    m.s.cut = cut_planner(&links);
    assemble(&m, &plan, NULL, UINT32_MAX);
    sched_fini(&m.s);
    assert_int_equal(links.count, 4); /* node 0 and the owner are together */
    assert_string_equal(links.links[0].name, "node0:1 -> node1:0");
    assert_string_equal(links.links[1].name, "node1:0 -> host:1");
    assert_string_equal(links.links[2].name, "host:1 -> node1:1");
    assert_string_equal(links.links[3].name, "node1:1 -> node0:0");
    assert_int_equal(links.links[1].from, 1);
    assert_int_equal(links.links[1].to, 0);
    assert_int_equal(links.links[1].latency, 140);
    cut_plan_text(&links, text);
    links.links[2].depth++;
    cut_plan_text(&links, other);
    assert_string_not_equal(text, other);
    links.links[2].depth--;
    links.links[0].to = 3;
    cut_plan_text(&links, other);
    assert_string_not_equal(text, other);
    cut_plan_fini(&links);
}

/* A link that is shorter than the window is refused before anything is started. */
static void test_short_link(void **state)
{
    (void)state;
    struct machine m = {.host = NULL};
    struct plan plan = {.nodes = 2, .processes = 2, .of = {0, 1}, .host_latency = 140, .node_latency = PART_WINDOW - 1};
    struct cut_plan links = {.links = NULL};
    sched_init(&m.s);
    m.s.cut = cut_planner(&links);
    assemble(&m, &plan, NULL, UINT32_MAX);
    assert_true(links.failed);
    assert_int_equal(links.count, 2);
    cut_plan_fini(&links);
    sched_fini(&m.s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plan),  cmocka_unit_test(test_short_link),      cmocka_unit_test(test_busy),
        cmocka_unit_test(test_rests), cmocka_unit_test(test_other_latencies), cmocka_unit_test(test_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
