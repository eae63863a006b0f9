// SPDX-License-Identifier: Apache-2.0
// A graph of toy partitions cut over two and three processes by shared memory: every partition sees the same messages
// in the same cycles as in one process.
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
#include "graph_bench.h"

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
        cmocka_unit_test(test_cut_graph_is_the_same),
        cmocka_unit_test(test_cut_graph_without_skipping),
        cmocka_unit_test(test_cut_graph_with_threads),
        cmocka_unit_test(test_long_rests_are_skipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
