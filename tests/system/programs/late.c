/* SPDX-License-Identifier: Apache-2.0
 * The ROCm runtime opened by dlopen while the program runs, for tests/system/test_late.py: argument 1 the scope (local,
 * global, deep), argument 2 how:
 *   once     counts agents
 *   again    three times from dlopen to dlclose, a queue used each time
 *   poll     a queue; loads its signal and its read index in loops, by functions that dlsym has given
 *   threads  eight threads, older than the runtime, SIGSEGV blocked in half of them, each with a queue of its own
 *   fault    catches a SIGSEGV of its own, once the runtime is there
 */
#include <dlfcn.h>
#include <hsa/hsa.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>

#define THREADS 8
#define FUNCTIONS(x)                                                                                                   \
    x(hsa_init) x(hsa_shut_down) x(hsa_iterate_agents) x(hsa_agent_get_info) x(hsa_queue_create) x(hsa_queue_destroy)  \
        x(hsa_queue_add_write_index_relaxed) x(hsa_queue_load_read_index_scacquire) x(hsa_signal_create)               \
            x(hsa_signal_destroy) x(hsa_signal_store_screlease) x(hsa_signal_load_scacquire)                           \
                x(hsa_signal_wait_scacquire)

#define MEMBER(name) __typeof__(name) *name##_fn;
struct runtime {
    void *library;
    FUNCTIONS(MEMBER)
    hsa_agent_t gpu;
    int agents;
};

static int flags;

static void fail(const char *what)
{
    printf("late: FAILED: %s\n", what);
    exit(1);
}

static hsa_status_t agent_found(hsa_agent_t agent, void *arg)
{
    struct runtime *r = arg;
    hsa_device_type_t type;
    r->agents++;
    if (r->hsa_agent_get_info_fn(agent, HSA_AGENT_INFO_DEVICE, &type) == HSA_STATUS_SUCCESS &&
        type == HSA_DEVICE_TYPE_GPU)
        r->gpu = agent;
    return HSA_STATUS_SUCCESS;
}

static void runtime_open(struct runtime *r)
{
    memset(r, 0, sizeof *r);
    r->library = dlopen("libhsa-runtime64.so.1", flags);
    if (!r->library)
        fail(dlerror());
#define FIND(name)                                                                                                     \
    if (!(*(void **)&r->name##_fn = dlsym(r->library, #name)))                                                         \
        fail(dlerror());
    FUNCTIONS(FIND)
    if (r->hsa_init_fn() != HSA_STATUS_SUCCESS || r->hsa_iterate_agents_fn(agent_found, r) != HSA_STATUS_SUCCESS ||
        !r->gpu.handle)
        fail("no GPU");
}

static void runtime_close(struct runtime *r)
{
    if (r->hsa_shut_down_fn() != HSA_STATUS_SUCCESS || dlclose(r->library) != 0)
        fail("close");
}

/* A barrier packet on a queue of its own. */
static void queue_use(struct runtime *r, bool poll)
{
    hsa_queue_t *q;
    hsa_signal_t done;
    if (r->hsa_queue_create_fn(r->gpu, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, UINT32_MAX, UINT32_MAX, &q) ||
        r->hsa_signal_create_fn(1, 0, NULL, &done))
        fail("queue");
    const uint64_t index = r->hsa_queue_add_write_index_relaxed_fn(q, 1);
    hsa_barrier_and_packet_t *packet = (hsa_barrier_and_packet_t *)q->base_address + (index & (q->size - 1));
    memset((char *)packet + 2, 0, sizeof *packet - 2);
    packet->completion_signal = done;
    __atomic_store_n(&packet->header, HSA_PACKET_TYPE_BARRIER_AND, __ATOMIC_RELEASE);
    r->hsa_signal_store_screlease_fn(q->doorbell_signal, (hsa_signal_value_t)index);
    if (poll) {
        while (r->hsa_signal_load_scacquire_fn(done) != 0)
            ;
        while (r->hsa_queue_load_read_index_scacquire_fn(q) != index + 1)
            ;
    } else {
        while (r->hsa_signal_wait_scacquire_fn(done, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX, HSA_WAIT_STATE_ACTIVE))
            ;
    }
    if (r->hsa_signal_destroy_fn(done) || r->hsa_queue_destroy_fn(q))
        fail("destroy");
}

static pthread_barrier_t all;

static void *thread_main(void *arg)
{
    sigset_t every;
    sigfillset(&every);
    if (arg)
        pthread_sigmask(SIG_BLOCK, &every, NULL);
    pthread_barrier_wait(&all);
    struct runtime r;
    runtime_open(&r);
    queue_use(&r, false);
    pthread_barrier_wait(&all);
    runtime_close(&r);
    return __rdtsc() ? arg : NULL; /* which traps */
}

static void threads(void)
{
    pthread_t thread[THREADS];
    pthread_barrier_init(&all, NULL, THREADS);
    for (long i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, thread_main, (void *)(i & 1)))
            fail("thread");
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
}

static sigjmp_buf back;

static void caught(int number)
{
    siglongjmp(back, number);
}

static void fault(void)
{
    struct runtime r;
    signal(SIGSEGV, caught);
    runtime_open(&r);
    queue_use(&r, false);
    if (sigsetjmp(back, 1) == 0) {
        *(volatile int *)8 = 1;
        fail("no fault");
    }
    runtime_close(&r);
}

int main(int argc, char **argv)
{
    struct runtime r;
    if (argc != 3)
        return 2;
    flags = RTLD_NOW | (*argv[1] == 'g' ? RTLD_GLOBAL : RTLD_LOCAL) | (*argv[1] == 'd' ? RTLD_DEEPBIND : 0);
    if (strcmp(argv[2], "threads") == 0) {
        threads();
    } else if (strcmp(argv[2], "fault") == 0) {
        fault();
    } else {
        for (int times = strcmp(argv[2], "again") == 0 ? 3 : 1; times; times--) {
            runtime_open(&r);
            if (strcmp(argv[2], "once") != 0)
                queue_use(&r, strcmp(argv[2], "poll") == 0);
            runtime_close(&r);
        }
    }
    printf("late: PASSED\n");
    return 0;
}
