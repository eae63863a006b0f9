/* SPDX-License-Identifier: Apache-2.0
 * What the driver's tests share: a fake machine of three GPUs, this process and another one as its clients, and calls
 * as a client makes them.
 */
#ifndef TESTS_HOST_DRIVER_BENCH_H
#define TESTS_HOST_DRIVER_BENCH_H
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <linux/kfd_ioctl.h>

#include "../firmware/fake_sim.h"
#include "base/log.h"
#include "config/config.h"
#include "driver/doorbell.h"
#include "driver/driver.h"
#include "driver/topology.h"
#include "vm/pagetable.h"
#include "vm/pmem.h"

#define GPUS 3u
#define FLAGS_VRAM                                                                                                     \
    (KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE | KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE)
#define FLAGS_GTT (KFD_IOC_ALLOC_MEM_FLAGS_GTT | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE | KFD_IOC_ALLOC_MEM_FLAGS_COHERENT)

struct bench {
    struct config config;
    struct driver *d;
    struct client *client[2];
    uint64_t ring[2];   /* GTT buffer of each client, mapped on all GPUs */
    pid_t other;        /* process of client 1 */
    struct goals goals; /* of the machine, which has not begun */
};

static inline int call(struct bench *b, unsigned client, unsigned long code, void *arg)
{
    struct conn conn = {.fd = -1, .client = b->client[client], .request = {.op = REQ_IOCTL, .code = (uint32_t)code}};
    struct shim_answer answer;
    memset(&answer, 0, sizeof answer);
    conn.request.bytes = code >> 16 & 0x3fff;
    memcpy(conn.request.data, arg, conn.request.bytes);
    if (!ioctl_serve(b->d, &conn, &answer)) {
        if (conn.state != CONN_TABLES)
            return -2;                              /* waits */
        while (!tables_written(b->d, &conn.tables)) /* the clock runs for nothing else */
            machine_run(b->d->machine, machine_now(b->d->machine) + 1);
        answer = conn.tables.answer;
    }
    memcpy(arg, answer.data, conn.request.bytes);
    assert_int_equal(answer.result, answer.error ? -1 : 0);
    return (int)answer.error;
}

/* Until all that page tables hold is written; nothing else is waited for. */
static inline void tables_settle(struct bench *b)
{
    for (unsigned g = 0; machine_started(b->d->machine) && g < GPUS; g++)
        while (cp_tables_done(machine_cp(b->d->machine, g)) < cp_tables_asked(machine_cp(b->d->machine, g)))
            machine_run(b->d->machine, machine_now(b->d->machine) + 1);
}

#ifndef BENCH_VRAM
#define BENCH_VRAM "gpu.vram_mib=64"
#endif
#ifndef BENCH_MORE /* one more setting */
#define BENCH_MORE BENCH_VRAM
#endif

static inline uint32_t id_of(unsigned gpu)
{
    return 0x1001 * (gpu + 1);
}

static inline uint64_t alloc(struct bench *b, unsigned client, unsigned gpu, uint64_t va, uint64_t bytes,
                             uint32_t flags, int error)
{
    struct kfd_ioctl_alloc_memory_of_gpu_args a = {.va_addr = va, .size = bytes, .gpu_id = id_of(gpu), .flags = flags};
    assert_int_equal(call(b, client, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &a), error);
    return a.handle;
}

static inline int map(struct bench *b, unsigned client, uint64_t handle, uint32_t gpus, bool on)
{
    static uint32_t ids[GPUS];
    uint32_t n = 0;
    for (unsigned g = 0; g < GPUS; g++)
        if (gpus >> g & 1)
            ids[n++] = id_of(g);
    struct kfd_ioctl_map_memory_to_gpu_args a = {
        .handle = handle, .device_ids_array_ptr = (uintptr_t)ids, .n_devices = n};
    int error = call(b, client, on ? AMDKFD_IOC_MAP_MEMORY_TO_GPU : AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, &a);
    assert_true(error || a.n_success == n);
    return error;
}

static inline int queue_new(struct bench *b, unsigned client, unsigned gpu, uint32_t *id, uint64_t *offset)
{
    struct kfd_ioctl_create_queue_args a = {.queue_percentage = 100,
                                            .ring_base_address = b->ring[client],
                                            .write_pointer_address = b->ring[client] + 0x1050,
                                            .read_pointer_address = b->ring[client] + 0x1080,
                                            .ring_size = 0x2000,
                                            .gpu_id = id_of(gpu),
                                            .queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL};
    int error = call(b, client, AMDKFD_IOC_CREATE_QUEUE, &a);
    *id = a.queue_id;
    *offset = a.doorbell_offset;
    return error;
}

static inline int queue_end(struct bench *b, unsigned client, uint32_t id)
{
    struct kfd_ioctl_destroy_queue_args a = {.queue_id = id};
    return call(b, client, AMDKFD_IOC_DESTROY_QUEUE, &a);
}

static inline int setup(void **state)
{
    log_left_out(); /* lines are counted anew */
    struct bench *b = calloc(1, sizeof *b);
    const struct sim_options options = {.model = SIM_RTL, .goals = &b->goals};
    config_init(&b->config);
    config_set(&b->config, "test", "system.gpus=3");
    config_set(&b->config, "test", BENCH_VRAM);
    config_set(&b->config, "test", BENCH_MORE);
    config_set(&b->config, "test", "host.gtt_mib=64");
    config_set(&b->config, "test", "driver.queues=24");
    if (config_finish(&b->config) != STATUS_OK)
        return -1;
    b->d = driver_new(&b->config.cfg, &options);
    b->other = fork();
    if (b->other == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); /* a test that aborts leaves nobody who holds its output */
        for (;;)
            pause();
    }
    for (unsigned c = 0; c < 2; c++) {
        b->client[c] = client_get(b->d, c ? b->other : getpid());
        assert_int_equal(client_open(b->d, b->client[c]), 0);
        for (unsigned g = 0; g < GPUS; g++)
            assert_int_equal(client_vm_open(b->d, b->client[c], g), 0);
        b->ring[c] = 0x10000000;
        struct kfd_ioctl_alloc_memory_of_gpu_args a = {
            .va_addr = b->ring[c], .size = 0x10000, .gpu_id = id_of(0), .flags = FLAGS_GTT};
        assert_int_equal(memory_alloc(b->d, b->client[c], &a), 0);
        struct object *o = memory_find(b->client[c], a.handle);
        for (unsigned g = 0; g < GPUS; g++)
            pagetable_map(b->client[c]->gpu[g].pt, o->va, pmem_addr(0, o->hold->backing->offset), o->bytes,
                          PTE_R | PTE_W);
    }
    *state = b;
    return 0;
}

static inline int teardown(void **state)
{
    struct bench *b = *state;
    driver_delete(b->d);
    kill(b->other, SIGKILL);
    waitpid(b->other, NULL, 0);
    config_fini(&b->config);
    free(b);
    return 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
#endif
