// SPDX-License-Identifier: Apache-2.0
// Counters by kernel, on a machine of three partitions whose counters the test sets: kernels one after the other do not
// mix, a release belongs to its kernel, kernels that overlap share, far accesses belong to who is there, what is killed
// or was restored; in every case pieces add up to the counters.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "machine/sim_private.h"
#include "observe/kernel_counters.h"

enum { CU0, L2, HOST, PARTS };
static const char *const names[PARTS] = {"gpu0.cu0", "gpu1.l2s0", "host.memory"};
static uint64_t value[PARTS][2];

static void counters_show(struct part *part, part_counter_fn fn, void *arg)
{
    const uint64_t *v = value[(uintptr_t)part->own];
    fn(arg, part->name, "read-hit", v[0], "count");
    fn(arg, part->name, "busy", v[1], "cycles");
}

static const struct part_ops ops = {.counters = counters_show};

struct bench {
    struct sim sim;
    struct sim_gpu gpus[2];
    struct kernel_counters *k;
};

static void bench_open(struct bench *b)
{
    *b = (struct bench){.sim = {.gpus = b->gpus, .gpu_count = 2}};
    b->sim.turn = &b->sim;
    sched_init(&b->sim.sched);
    for (uintptr_t i = 0; i < PARTS; i++)
        sched_add(&b->sim.sched, part_new(&ops, names[i], 0, 0, (void *)i));
    memset(value, 0, sizeof value);
    b->sim.kernels = b->k = kernel_counters_new(&b->sim);
}

static void bench_close(struct bench *b)
{
    kernel_counters_free(b->k);
    sched_fini(&b->sim.sched);
}

static void launch(struct bench *b, unsigned gpu, uint16_t id)
{
    kernel_counters_command(b->k, gpu, &(struct msg_cp_cmd){.kind = CP_LAUNCH, .id = id, .vmid = 1});
}
static void release(struct bench *b, unsigned gpu, uint16_t id)
{
    kernel_counters_command(b->k, gpu, &(struct msg_cp_cmd){.kind = CP_CACHE, .id = id, .vmid = 1});
}
static void event(struct bench *b, unsigned gpu, uint8_t kind, uint16_t id, uint64_t start)
{
    kernel_counters_event(b->k, gpu, &(struct msg_cp_evt){.kind = kind, .id = id, .vmid = 1, .start = start});
}
static void done(struct bench *b, unsigned gpu, uint16_t id, uint64_t start)
{
    event(b, gpu, CP_EVT_LAUNCH_DONE, id, start);
    kernel_counters_settle(b->k);
}

static char told[4000];
static uint64_t sums[PARTS][2];

static void row_take(void *arg, const struct sim_kernel_counter *row)
{
    char kernel[32];
    (void)arg;
    snprintf(kernel, sizeof kernel, "%u@%llu", row->gpu, (unsigned long long)row->start);
    snprintf(told + strlen(told), sizeof told - strlen(told), "%s%s %s.%s=%llu;", row->outside ? "-" : kernel,
             row->shared ? "+" : "", row->location, row->what, (unsigned long long)row->value);
    assert_string_equal(row->unit, strcmp(row->what, "busy") == 0 ? "cycles" : "count");
    for (unsigned i = 0; i < PARTS; i++)
        if (strcmp(row->location, names[i]) == 0 && (row->outside || !row->shared))
            sums[i][strcmp(row->what, "busy") == 0] += row->value;
}

/* What it tells, and that it is all there is. */
static void expect(struct bench *b, const char *text)
{
    told[0] = 0;
    memset(sums, 0, sizeof sums);
    kernel_counters_tell(b->k, row_take, NULL);
    assert_string_equal(told, text);
    assert_memory_equal(sums, value, sizeof sums);
}

static void test_one_after_the_other(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b);
    value[CU0][0] = 3; /* before any kernel */
    launch(&b, 0, 7);
    value[CU0][0] += 10;
    value[HOST][1] += 5;
    done(&b, 0, 7, 100);
    value[CU0][1] += 2; /* between */
    launch(&b, 0, 7);   /* numbers come again */
    value[CU0][0] += 20;
    done(&b, 0, 7, 200);
    value[CU0][0] += 1;
    expect(&b, "- gpu0.cu0.read-hit=4;- gpu0.cu0.busy=2;0@100 gpu0.cu0.read-hit=10;0@100 host.memory.busy=5;"
               "0@200 gpu0.cu0.read-hit=20;");
    expect(&b, told); /* as often as one likes */
    bench_close(&b);
}

/* Cache maintenance that the host asks for when it hears of the end, under the packet's number. */
static void test_release_is_the_kernels(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b);
    launch(&b, 0, 7);
    release(&b, 0, 7); /* of another packet with that number: the kernel has not ended */
    event(&b, 0, CP_EVT_CACHE_DONE, 7, 0);
    kernel_counters_settle(b.k);
    value[CU0][0] += 10;
    event(&b, 0, CP_EVT_LAUNCH_DONE, 7, 100);
    release(&b, 1, 7); /* elsewhere */
    release(&b, 0, 8);
    release(&b, 0, 7);
    kernel_counters_settle(b.k);
    value[CU0][0] += 5; /* written back */
    event(&b, 1, CP_EVT_CACHE_DONE, 7, 0);
    kernel_counters_settle(b.k);
    event(&b, 0, CP_EVT_CACHE_DONE, 8, 0);
    kernel_counters_settle(b.k);
    value[CU0][0] += 1;
    event(&b, 0, CP_EVT_CACHE_DONE, 7, 0);
    kernel_counters_settle(b.k);
    value[CU0][0] += 2;
    expect(&b, "- gpu0.cu0.read-hit=2;0@100 gpu0.cu0.read-hit=16;");
    bench_close(&b);
}

static void test_overlap_is_shared(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b);
    launch(&b, 0, 1);
    value[CU0][0] += 1;
    launch(&b, 0, 2);
    value[CU0][0] += 10;
    done(&b, 0, 1, 100);
    value[CU0][0] += 100;
    done(&b, 0, 2, 150);
    expect(&b, "-+ gpu0.cu0.read-hit=10;0@100 gpu0.cu0.read-hit=1;0@100+ gpu0.cu0.read-hit=10;"
               "0@150 gpu0.cu0.read-hit=100;0@150+ gpu0.cu0.read-hit=10;");
    bench_close(&b);
}

/* A counter is of the kernel at its GPU; without one of whoever is there; host memory is everybody's. */
static void test_two_gpus(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b);
    launch(&b, 0, 1);
    value[L2][0] += 1; /* far accesses of GPU 0 */
    launch(&b, 1, 1);
    value[L2][0] += 10;
    value[CU0][0] += 20;
    value[HOST][0] += 40;
    done(&b, 0, 1, 100);
    value[L2][0] += 100;
    value[CU0][0] += 200; /* far accesses of GPU 1 */
    done(&b, 1, 1, 100);
    expect(&b, "-+ host.memory.read-hit=40;"
               "0@100 gpu0.cu0.read-hit=20;0@100 gpu1.l2s0.read-hit=1;0@100+ host.memory.read-hit=40;"
               "1@100 gpu0.cu0.read-hit=200;1@100 gpu1.l2s0.read-hit=110;1@100+ host.memory.read-hit=40;");
    bench_close(&b);
}

/* A killed kernel and one that runs at the end keep what they had, under the cycle of their launch. */
static void test_kill_and_unfinished(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b);
    b.sim.now = 50;
    launch(&b, 0, 1);
    value[CU0][0] += 1;
    event(&b, 1, CP_EVT_KILL_DONE, 9, 0); /* elsewhere */
    kernel_counters_settle(b.k);
    value[CU0][0] += 1;
    event(&b, 0, CP_EVT_KILL_DONE, 9, 0);
    kernel_counters_settle(b.k);
    value[CU0][0] += 5;
    b.sim.now = 70;
    launch(&b, 0, 2);
    value[CU0][0] += 7;
    expect(&b, "- gpu0.cu0.read-hit=5;0@50 gpu0.cu0.read-hit=2;0@70 gpu0.cu0.read-hit=7;");
    bench_close(&b);
}

/* What was counted before is nobody's, a kernel that is under way is known. */
static void test_restored(void **state)
{
    struct sim_pending pending[] = {{.kind = CP_CACHE, .id = 3}, {.kind = CP_LAUNCH, .vmid = 1, .id = 4}};
    struct bench b;
    (void)state;
    bench_open(&b);
    value[CU0][0] = 1000;
    b.gpus[0].pending = pending;
    b.gpus[0].pending_count = 2;
    kernel_counters_restored(b.k);
    value[CU0][0] += 10;
    done(&b, 0, 4, 33);
    expect(&b, "- gpu0.cu0.read-hit=1000;0@33 gpu0.cu0.read-hit=10;");
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_after_the_other), cmocka_unit_test(test_release_is_the_kernels),
        cmocka_unit_test(test_overlap_is_shared),   cmocka_unit_test(test_two_gpus),
        cmocka_unit_test(test_kill_and_unfinished), cmocka_unit_test(test_restored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
