/* SPDX-License-Identifier: Apache-2.0
 * For tests of pages on RTL: a driver on RTL models with eight clients, each a process that only waits; what a client
 * asks of the driver, its queue, and the kernel that reads or writes one page again and again.
 */
#ifndef TESTS_HOST_DRIVER_PAGES_BENCH_H
#define TESTS_HOST_DRIVER_PAGES_BENCH_H
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <linux/kfd_ioctl.h>

#include "config/config.h"
#include "driver/driver.h"
#include "driver/topology.h"
#include "vm/pagetable.h"
#include "vm/pmem.h"

#define CLIENTS 8u
#define VA_QUEUE UINT64_C(0x10000000) /* ring, amd_queue_t, signal, arguments, results */
#define VA_CODE UINT64_C(0x11000000)
#define AT_AMD 0x1000u
#define AT_SIGNAL 0x2000u
#define AT_INACTIVE 0x2040u
#define AT_ARGS 0x3000u
#define AT_RESULT 0x4000u
#define QUEUE_BYTES 0x10000u
#define LANES 64u
#define PAGE 4096u
#define HEADER_SYSTEM 0x1502u /* kernel, barrier, system scope on both sides */
#define HEADER_NONE 0x0102u   /* no fences */

enum access { ACCESS_READ, ACCESS_WRITE, ACCESS_SCALAR_WRITE, ACCESS_SCALAR_READ, ACCESS_COUNT };

struct bench {
    struct config config;
    struct driver *d;
    uint32_t *ids; /* shared with the clients: what MAP and UNMAP read */
    pid_t pid[CLIENTS];
    struct client *client[CLIENTS];
    uint32_t queue[CLIENTS];
    uint64_t written[CLIENTS];
    uint16_t header; /* of the next packets */
};

/* s[0:1]: address, iterations, access, address of results, tag, mask of a tag.  Lanes stand 64 bytes apart; a
 * word read whose tag is another's stays in the results, then the last word read.  Stores are not waited for. */
static const uint32_t pages_program[] = {
    0xc00a0100, 0x00000000, 0xc00a0200, 0x00000010, 0x24020086, 0xbf8c007f, 0x7e060205, 0x32040204, 0x38060680,
    0x7e0a020a, 0x7e0c0280, 0x7e080280, 0xbe8c017e, 0xbf068107, 0xbf85000b, 0xbf068207, 0xbf850013, 0xbf068307,
    0xbf85000a, 0xdc510000, 0x04000002, 0xbf8c0070, 0x260e080b, 0x7d9a0b07, 0x000c0906, 0xbf820018, 0xdc700000,
    0x00000502, 0xbf820015, 0xc0020402, 0x00000040, 0xc0800000, 0x00000000, 0xbf8c007f, 0x7e080210, 0xbf82fff2,
    0xc0420282, 0x00000000, 0xc0420282, 0x00000080, 0xc0420282, 0x00000100, 0xc0420282, 0x00000200, 0xc0420282,
    0x00000400, 0xc0420282, 0x00000800, 0xc0840000, 0x00000000, 0x80868106, 0xbf078006, 0xbf85ffd8, 0xbf8c0070,
    0x24020082, 0x7e120209, 0x32100208, 0x38121280, 0xdc700000, 0x00000608, 0x321010ff, 0x00000100, 0x38121280,
    0xdc700000, 0x00000408, 0xbf8c0070, 0xbf810000,
};

static inline int call(struct bench *b, unsigned c, unsigned long code, void *arg)
{
    struct conn conn = {.fd = -1, .client = b->client[c], .request = {.op = REQ_IOCTL, .code = (uint32_t)code}};
    struct shim_answer answer;
    memset(&answer, 0, sizeof answer);
    conn.request.bytes = code >> 16 & 0x3fff;
    memcpy(conn.request.data, arg, conn.request.bytes);
    if (!ioctl_serve(b->d, &conn, &answer)) {
        assert_int_equal(conn.state, CONN_TABLES);
        while (!tables_written(b->d, &conn.tables))
            machine_run(b->d->machine, machine_now(b->d->machine) + 1);
        answer = conn.tables.answer;
    }
    memcpy(arg, answer.data, conn.request.bytes);
    return (int)answer.error;
}

static inline uint32_t gpu_id(const struct bench *b)
{
    return topology_gpu_id(&b->config.cfg, 0);
}

static inline int page_alloc(struct bench *b, unsigned c, uint64_t va, uint64_t bytes, uint32_t flags, uint64_t *handle)
{
    struct kfd_ioctl_alloc_memory_of_gpu_args a = {.va_addr = va, .size = bytes, .gpu_id = gpu_id(b), .flags = flags};
    int error = call(b, c, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &a);
    *handle = a.handle;
    return error;
}

static inline void page_map(struct bench *b, unsigned c, uint64_t handle, bool on)
{
    struct kfd_ioctl_map_memory_to_gpu_args a = {
        .handle = handle, .device_ids_array_ptr = (uintptr_t)b->ids, .n_devices = 1};
    b->ids[0] = gpu_id(b);
    assert_int_equal(call(b, c, on ? AMDKFD_IOC_MAP_MEMORY_TO_GPU : AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, &a), 0);
}

static inline void page_free(struct bench *b, unsigned c, uint64_t handle)
{
    struct kfd_ioctl_free_memory_of_gpu_args a = {.handle = handle};
    assert_int_equal(call(b, c, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &a), 0);
}

static inline void put(struct bench *b, unsigned c, uint64_t va, uint64_t value, unsigned bytes)
{
    assert_int_equal(pagetable_write(b->client[c]->gpu[0].pt, va, &value, bytes), 0);
}

static inline uint64_t get(struct bench *b, unsigned c, uint64_t va, unsigned bytes)
{
    uint64_t value = 0;
    assert_int_equal(pagetable_read(b->client[c]->gpu[0].pt, va, &value, bytes), 0);
    return value;
}

static inline void advance(struct bench *b, uint64_t cycles)
{
    uint64_t end = client_cycle(b->d) + cycles;
    while (client_cycle(b->d) < end) {
        enum machine_result result = machine_run(b->d->machine, end);
        assert_int_not_equal(result, MACHINE_NO_PROGRESS);
        if (result == MACHINE_IDLE)
            return;
    }
}

/* A fresh queue in the same memory, after a fault too. */
static inline void queue_renew(struct bench *b, unsigned c, bool first)
{
    struct kfd_ioctl_destroy_queue_args destroy = {.queue_id = b->queue[c]};
    if (!first)
        assert_int_equal(call(b, c, AMDKFD_IOC_DESTROY_QUEUE, &destroy), 0);
    b->written[c] = 0;
    for (unsigned i = 0; i < 64; i++)
        put(b, c, VA_QUEUE + 64 * i, 1, 2); /* INVALID */
    put(b, c, VA_QUEUE + AT_AMD + 0x50, 0, 8);
    put(b, c, VA_QUEUE + AT_AMD + 0x80, 0, 8);
    put(b, c, VA_QUEUE + AT_AMD + 0xc0, VA_QUEUE + AT_INACTIVE, 8);
    put(b, c, VA_QUEUE + AT_INACTIVE + 8, 0, 8);
    struct kfd_ioctl_create_queue_args create = {.queue_percentage = 100,
                                                 .ring_base_address = VA_QUEUE,
                                                 .write_pointer_address = VA_QUEUE + AT_AMD + 0x50,
                                                 .read_pointer_address = VA_QUEUE + AT_AMD + 0x80,
                                                 .ring_size = 0x2000,
                                                 .gpu_id = gpu_id(b),
                                                 .queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL};
    assert_int_equal(call(b, c, AMDKFD_IOC_CREATE_QUEUE, &create), 0);
    b->queue[c] = create.queue_id;
}

static inline void launch(struct bench *b, unsigned c, uint64_t va, enum access access, uint32_t iterations,
                          uint32_t tag)
{
    uint64_t slot = VA_QUEUE + b->written[c]++ % 64 * 64;
    for (unsigned i = 0; i < 2 * LANES; i++)
        put(b, c, VA_QUEUE + AT_RESULT + 4 * i, 0, 4);
    put(b, c, VA_QUEUE + AT_ARGS, va, 8);
    put(b, c, VA_QUEUE + AT_ARGS + 8, iterations, 4);
    put(b, c, VA_QUEUE + AT_ARGS + 12, access, 4);
    put(b, c, VA_QUEUE + AT_ARGS + 16, VA_QUEUE + AT_RESULT, 8);
    put(b, c, VA_QUEUE + AT_ARGS + 24, tag, 4);
    put(b, c, VA_QUEUE + AT_ARGS + 28, 0xff000000, 4);
    put(b, c, VA_QUEUE + AT_SIGNAL + 8, 1, 8);
    put(b, c, slot + 2, 1, 2);
    put(b, c, slot + 4, LANES | 1ull << 16 | 1ull << 32, 8);
    put(b, c, slot + 0xc, LANES | 1ull << 32, 8);
    put(b, c, slot + 0x14, 1, 4);
    put(b, c, slot + 0x18, 0, 8);
    put(b, c, slot + 0x20, VA_CODE, 8);
    put(b, c, slot + 0x28, VA_QUEUE + AT_ARGS, 8);
    put(b, c, slot + 0x38, VA_QUEUE + AT_SIGNAL, 8);
    put(b, c, slot, b->header, 2);
    put(b, c, VA_QUEUE + AT_AMD + 0x50, b->written[c], 8);
    struct queue *q = queue_find(b->client[c], b->queue[c]);
    cp_doorbell(machine_cp(b->d->machine, 0), q->cp);
}

static inline void client_start(struct bench *b, unsigned c)
{
    uint64_t handle;
    b->client[c] = client_get(b->d, b->pid[c]);
    assert_int_equal(client_open(b->d, b->client[c]), 0);
    assert_int_equal(client_vm_open(b->d, b->client[c], 0), 0);
    assert_int_equal(
        page_alloc(b, c, VA_QUEUE, QUEUE_BYTES,
                   KFD_IOC_ALLOC_MEM_FLAGS_GTT | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE | KFD_IOC_ALLOC_MEM_FLAGS_COHERENT,
                   &handle),
        0);
    page_map(b, c, handle, true);
    assert_int_equal(
        page_alloc(b, c, VA_CODE, 0x1000, KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE, &handle),
        0);
    page_map(b, c, handle, true);
    assert_int_equal(pagetable_write(b->client[c]->gpu[0].pt, VA_CODE + 0x100, pages_program, sizeof pages_program), 0);
    put(b, c, VA_CODE + 0x10, 0x100, 8);
    put(b, c, VA_CODE + 0x30, 3 | 3 << 6, 4); /* 16 VGPRs, 32 SGPRs */
    put(b, c, VA_CODE + 0x34, 2u << 1, 4);    /* two user SGPRs: the arguments */
    put(b, c, VA_CODE + 0x38, 8, 2);
    struct kfd_ioctl_create_event_args event = {.event_type = KFD_IOC_EVENT_MEMORY};
    assert_int_equal(call(b, c, AMDKFD_IOC_CREATE_EVENT, &event), 0);
    assert_int_equal(event.event_id, 1);
    queue_renew(b, c, true);
}

static inline int setup(void **state)
{
    static const struct sim_options options = {.model = SIM_RTL};
    struct bench *b = calloc(1, sizeof *b);
    b->header = HEADER_SYSTEM;
    config_init(&b->config);
    if (config_load(&b->config, "tiny") != STATUS_OK ||
        config_set(&b->config, "test", "gpu.vram_mib=64") != STATUS_OK || config_finish(&b->config) != STATUS_OK)
        return -1;
    b->ids = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    b->d = driver_new(&b->config.cfg, &options);
    for (unsigned c = 0; c < CLIENTS; c++) {
        b->pid[c] = fork();
        if (b->pid[c] == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); /* as in bench.h */
            for (;;)
                pause();
        }
        client_start(b, c);
    }
    *state = b;
    return 0;
}

static inline int teardown(void **state)
{
    struct bench *b = *state;
    for (unsigned c = 0; c < CLIENTS; c++) {
        kill(b->pid[c], SIGKILL);
        waitpid(b->pid[c], NULL, 0);
    }
    driver_delete(b->d);
    config_fini(&b->config);
    munmap(b->ids, 4096);
    free(b);
    return 0;
}
#endif
