// SPDX-License-Identifier: Apache-2.0
// A graph of toy partitions with random traffic (credits, bandwidth, bursts, long rests, timers) in one process and cut
// over two and three by shared memory: every partition sees the same messages in the same cycles.
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

#include "base/check.h"
#include "bridge/link/file.h"
#include "bridge/link/peers.h"
#include "bridge/link/region_wait.h"
#include "bridge/run/advance.h"

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

static uint64_t draw(struct node *n)
{
    n->state = n->state * 6364136223846793005u + 1442695040888963407u;
    uint64_t x = n->state ^ n->state >> 29;
    return x * 0x9e3779b97f4a7c15u >> 20;
}

static void note(struct node *n, uint64_t value)
{
    n->r.hash = (n->r.hash ^ value) * 0x9e3779b97f4a7c15u;
    n->r.hash ^= n->r.hash >> 29;
}

static void take(struct part *part, struct node *n, uint64_t now, const struct part_in *in)
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

static void act(struct part *part, struct node *n, uint64_t now)
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

static void node_visit(struct part *part, uint64_t from)
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

static void node_free(struct part *part)
{
    free(part->own);
}
static const struct part_ops node_ops = {.visit = node_visit, .free = node_free};

/* What leaves a replayed half. */
static bool nowhere_open(struct link *link, void *place)
{
    (void)link;
    (void)place;
    return true;
}
static void nowhere_send(struct link *link, uint64_t stamp, const void *payload)
{
    (void)stamp;
    (void)payload;
    link->sent++;
}
static void nowhere_promise(struct link *link, uint64_t stamp)
{
    link->promised = stamp;
}
static void nowhere_close(struct link *link)
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
static unsigned home(const struct cut *cut, unsigned node)
{
    return node * cut->processes / NODES;
}
static uint32_t latency_of(const struct graph *g, unsigned port)
{
    return g->latency + port * 7;
}
static uint32_t depth_of(const struct graph *g, unsigned port)
{
    return port < 3 ? CREDITS : 4 * latency_of(g, 3) + 256;
}

static void channel(struct sched *s, const struct cut *cut, const struct graph *g, struct part **parts, unsigned from,
                    unsigned out, unsigned to, unsigned in)
{
    char names[2][16];
    uint32_t bytes = out < PORTS ? WIDTH[out] : 0, latency = latency_of(g, out % PORTS),
             depth = depth_of(g, out % PORTS);
    struct carrier carrier = {&transport_shm, cut->region};
    if (cut->rings) {
        if (home(cut, from) != home(cut, to) && cut->rings[from][out] == NULL)
            cut->rings[from][out] = ring_new(bytes, depth, RING_LINE, 1);
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

static void each_channel(void (*fn)(void *ctx, unsigned from, unsigned out, unsigned to, unsigned in), void *ctx)
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
static void build_channel(void *ctx, unsigned from, unsigned out, unsigned to, unsigned in)
{
    struct build *b = ctx;
    channel(b->s, b->cut, b->g, b->parts, from, out, to, in);
}

static void graph_open(struct build *b)
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

static void graph_results(const struct build *b, struct result *results)
{
    for (unsigned i = 0; i < NODES; i++) {
        if (b->parts[i])
            results[i] = ((struct node *)b->parts[i]->own)->r;
    }
}

static uint64_t run_whole(const struct graph *g, struct result *results)
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

/* ---- cut */
struct plan {
    const struct cut *cut;
    const struct graph *g;
    struct region_link links[2 * PORTS * NODES];
    uint32_t count;
};
static void plan_channel(void *ctx, unsigned from, unsigned out, unsigned to, unsigned in)
{
    struct plan *p = ctx;
    char names[2][16];
    if (home(p->cut, from) == home(p->cut, to))
        return;
    struct region_link *l = &p->links[p->count++];
    *l = (struct region_link){.bytes = out < PORTS ? WIDTH[out] : 0,
                              .latency = latency_of(p->g, out % PORTS),
                              .depth = depth_of(p->g, out % PORTS),
                              .from = home(p->cut, from),
                              .to = home(p->cut, to)};
    snprintf(names[0], sizeof names[0], "n%u", from);
    snprintf(names[1], sizeof names[1], "n%u", to);
    link_name(l->name, names[0], out, names[1], in);
}

static const char *const PROCESSES[] = {"one", "two", "three"};

static int make_region(const struct graph *g, unsigned processes)
{
    struct cut cut = {processes, NULL, 0, NULL, NULL};
    struct plan p = {.cut = &cut, .g = g};
    each_channel(plan_channel, &p);
    struct region_plan plan = {PROCESSES, processes, p.links, p.count, REGION_NONE};
    int fd = region_create(&plan);
    assert_true(fd >= 0);
    return fd;
}

struct shared {
    struct result results[NODES];
    uint64_t active[3];
};

static void child(int fd, const struct graph *g, unsigned processes, uint32_t self, struct shared *shared)
{
    struct hello hello = hello_make("rtl", "graph", "config", g->seed);
    struct sched s;
    struct cut cut = {processes, region_open(fd, self, &hello, g->threads), self, NULL, NULL};
    struct build b = {&s, &cut, g, {NULL}};
    alarm(300);
    if (!cut.region || !peers_greet(cut.region, 60))
        _exit(2);
    graph_open(&b);
    enum sched_end end = sched_advance(&s, UINT64_MAX);
    graph_results(&b, shared->results);
    shared->active[self] = region_active(cut.region);
    sched_fini(&s);
    region_close(cut.region);
    _exit(end == SCHED_QUIET ? 0 : 10 + (int)end);
}

static void run_cut(const struct graph *g, unsigned processes, struct shared *shared)
{
    pid_t pids[3];
    int fd = make_region(g, processes);
    for (unsigned p = 0; p < processes; p++) {
        pids[p] = fork();
        assert_true(pids[p] >= 0);
        if (pids[p] == 0)
            child(fd, g, processes, p, shared);
    }
    for (unsigned p = 0; p < processes; p++) {
        int status;
        assert_int_equal(waitpid(pids[p], &status, 0), pids[p]);
        assert_int_equal(status, 0);
    }
    close(fd);
}

static void same_in_one_two_three(const struct graph *g)
{
    struct result whole[NODES];
    uint64_t active = run_whole(g, whole), received = 0;
    struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED);
    for (unsigned processes = 2; processes <= 3; processes++) {
        memset(shared, 0, sizeof *shared);
        run_cut(g, processes, shared);
        for (unsigned i = 0; i < NODES; i++) {
            const struct result *r = &shared->results[i];
            assert_true(r->hash == whole[i].hash);
            assert_int_equal(r->received, whole[i].received);
            assert_int_equal(r->sent, whole[i].sent);
            assert_int_equal(r->last, whole[i].last);
            received += r->received;
        }
        for (unsigned p = 0; p < processes; p++)
            assert_int_equal(shared->active[p], active);
    }
    assert_true(received > 2 * NODES * g->budget / 2); /* most of what was to be sent was sent */
    munmap(shared, sizeof *shared);
}

/* shows B.3: in one process and by shared memory in two and three, every partition gets the same in the same cycles. */
static void test_cut_graph_is_the_same(void **state)
{
    static const uint32_t latencies[] = {8, 9, 15, 33, 100, 256, 1024};
    (void)state;
    for (unsigned k = 0; k < sizeof latencies / sizeof latencies[0]; k++) {
        for (uint64_t seed = 1; seed <= 3; seed++) {
            struct graph g = {.latency = latencies[k], .seed = seed, .rest = 20000, .budget = 600};
            same_in_one_two_three(&g);
        }
    }
}

static bool in_between(const struct sched *s)
{
    for (uint32_t i = 0; i < s->import_count; i++) {
        if (s->imports[i]->in->transport->peek(s->imports[i]->in) != s->imports[i]->channel.tail)
            return true;
    }
    return !sched_quiet(s);
}

/* Two schedulers of one thread, run by turns: each stops where it may not go on alone. */
static void test_two_schedulers_by_turns(void **state)
{
    (void)state;
    for (uint32_t latency = 8; latency < 300; latency = latency * 2 + 1) {
        struct graph g = {.latency = latency, .seed = latency, .rest = 5000, .budget = 100};
        struct result whole[NODES], halves[NODES];
        struct ring *rings[NODES][2 * PORTS] = {{NULL}};
        struct sched s[2];
        struct cut cuts[2] = {{2, NULL, 0, NULL, rings}, {2, NULL, 1, NULL, rings}};
        struct build b[2] = {{&s[0], &cuts[0], &g, {NULL}}, {&s[1], &cuts[1], &g, {NULL}}};
        run_whole(&g, whole);
        graph_open(&b[0]);
        graph_open(&b[1]);
        do {
            assert_int_equal(sched_advance(&s[0], UINT64_MAX), SCHED_BLOCKED);
            assert_int_equal(sched_advance(&s[1], UINT64_MAX), SCHED_BLOCKED);
            int64_t apart = (int64_t)(s[0].now - s[1].now);
            assert_true(apart < 2 * (int64_t)latency + 64 && -apart < 2 * (int64_t)latency + 64);
        } while (in_between(&s[0]) || in_between(&s[1]));
        graph_results(&b[0], halves);
        graph_results(&b[1], halves);
        for (unsigned i = 0; i < NODES; i++)
            assert_memory_equal(&whole[i], &halves[i], sizeof whole[i]);
        sched_fini(&s[0]);
        sched_fini(&s[1]);
        for (unsigned i = 0; i < NODES; i++)
            for (unsigned k = 0; k < 2 * PORTS; k++)
                free(rings[i][k]);
    }
}

/* What enters either half is recorded while the whole runs; each half alone then does the same. */
static void test_halves_are_replayed(void **state)
{
    (void)state;
    for (uint32_t latency = 8; latency < 300; latency = latency * 3 + 1) {
        struct graph g = {.latency = latency, .seed = latency, .rest = 5000, .budget = 200};
        struct result whole[NODES], halves[NODES];
        char folder[] = "/tmp/gantry-links-XXXXXX", remove[64];
        assert_non_null(mkdtemp(folder));
        for (unsigned n = 0; n < 3; n++) {
            struct sched s;
            struct cut cut = {n ? 2 : 1, NULL, n ? n - 1 : 0, folder, NULL};
            struct build b = {&s, &cut, &g, {NULL}};
            graph_open(&b);
            enum sched_end end;
            while ((end = sched_advance(&s, UINT64_MAX)) == SCHED_BLOCKED && !sched_quiet(&s))
                ;
            assert_int_equal(end, n ? SCHED_BLOCKED : SCHED_QUIET);
            graph_results(&b, n ? halves : whole);
            sched_fini(&s);
        }
        for (unsigned i = 0; i < NODES; i++)
            assert_memory_equal(&whole[i], &halves[i], sizeof whole[i]);
        snprintf(remove, sizeof remove, "rm -r %s", folder);
        assert_int_equal(system(remove), 0);
    }
}

static int beyond_the_horizon(void)
{
    struct graph g = {.latency = 100, .seed = 1, .rest = 5000, .budget = 100};
    struct ring *rings[NODES][2 * PORTS] = {{NULL}};
    struct sched s;
    struct cut cut = {2, NULL, 0, NULL, rings};
    struct build b = {&s, &cut, &g, {NULL}};
    graph_open(&b);
    sched_take(&s);
    sched_run(&s, 1);
    return 0;
}

/* An owner with a loop of its own cannot run what the links have not promised. */
static void test_nobody_runs_beyond_the_horizon(void **state)
{
    int status;
    (void)state;
    pid_t pid = fork();
    if (pid == 0) {
        close(2);
        _exit(beyond_the_horizon());
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(WEXITSTATUS(status), 70);
}

static void test_cut_graph_without_skipping(void **state)
{
    (void)state;
    struct graph g = {.latency = 40, .seed = 7, .rest = 500, .budget = 60, .no_skip = true};
    same_in_one_two_three(&g);
}

/* Groups that run on two threads of each process send on links of their own. */
static void test_cut_graph_with_threads(void **state)
{
    (void)state;
    struct graph g = {.latency = 24, .seed = 8, .rest = 3000, .budget = 100, .threads = 2, .groups = 4};
    same_in_one_two_three(&g);
}

/* Rests of a billion cycles are no work: the processes do not creep through them latency by latency. */
static void test_long_rests_are_skipped(void **state)
{
    (void)state;
    struct graph g = {.latency = 8, .seed = 9, .rest = 1000000000, .budget = 60};
    uint64_t begin = peers_clock();
    same_in_one_two_three(&g);
    assert_true(peers_clock() - begin < UINT64_C(60000000000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut_graph_is_the_same),      cmocka_unit_test(test_two_schedulers_by_turns),
        cmocka_unit_test(test_halves_are_replayed),        cmocka_unit_test(test_nobody_runs_beyond_the_horizon),
        cmocka_unit_test(test_cut_graph_without_skipping), cmocka_unit_test(test_cut_graph_with_threads),
        cmocka_unit_test(test_long_rests_are_skipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
