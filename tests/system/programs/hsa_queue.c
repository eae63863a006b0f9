/* SPDX-License-Identifier: Apache-2.0
 * A raw HSA client, for tests/system: argument "barrier" sends barrier-AND and barrier-OR packets and waits for their
 * signals; "packet", "vendor", "group", "lds", "dims", "code" send one bad packet to the last GPU, print the error that
 * the queue's callback receives and use queues of all GPUs meanwhile; "trap FILE" runs a kernel of a code object that
 * traps, destroys its queue and runs another; "many" drains eight queues; "turns" forty that wait for each other;
 * "full" wraps a ring of 64 packets; "l2 FILE back" (or through) runs a kernel that stores into VRAM, with no release
 * and with one, and looks into VRAM by its mapping, beside the L2.  Exit 0 when all is as it should be.
 */
#include <fcntl.h>
#include <hsa/amd_hsa_signal.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        hsa_status_t status_ = (call);                                                                                 \
        if (status_ != HSA_STATUS_SUCCESS) {                                                                           \
            fprintf(stderr, "%s: 0x%x\n", #call, (unsigned)status_);                                                   \
            exit(2);                                                                                                   \
        }                                                                                                              \
    } while (0)

static hsa_agent_t gpus[8];
static int gpu_count;
static volatile hsa_status_t queue_error;

static hsa_status_t agent_found(hsa_agent_t agent, void *data)
{
    hsa_device_type_t type;
    (void)data;
    OK(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
    if (type == HSA_DEVICE_TYPE_GPU && gpu_count < 8)
        gpus[gpu_count++] = agent;
    return HSA_STATUS_SUCCESS;
}

static void on_error(hsa_status_t status, hsa_queue_t *queue, void *data)
{
    (void)queue, (void)data;
    queue_error = status;
}

static hsa_queue_t *queue_make(hsa_agent_t gpu, uint32_t size)
{
    hsa_queue_t *queue;
    OK(hsa_queue_create(gpu, size, HSA_QUEUE_TYPE_MULTI, on_error, NULL, UINT32_MAX, UINT32_MAX, &queue));
    return queue;
}

static hsa_queue_t *profiled(hsa_queue_t *queue)
{
    OK(hsa_amd_profiling_set_profiler_enabled(queue, 1));
    return queue;
}

/* Puts 64 bytes into the next slot, header last, and rings the doorbell. */
static void submit(hsa_queue_t *queue, const void *packet, uint16_t header)
{
    uint64_t index = hsa_queue_add_write_index_relaxed(queue, 1);
    while (index - hsa_queue_load_read_index_scacquire(queue) >= queue->size)
        ;
    char *slot = (char *)queue->base_address + (index & (queue->size - 1)) * 64;
    memcpy(slot + 2, (const char *)packet + 2, 62);
    __atomic_store_n((uint16_t *)(void *)slot, header, __ATOMIC_RELEASE);
    hsa_signal_store_screlease(queue->doorbell_signal, (hsa_signal_value_t)index);
}

#define HEADER(type, barrier) ((uint16_t)((type) | (barrier) << 8 | 2 << 9 | 2 << 11))

static void wait_zero(hsa_signal_t signal)
{
    while (hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX, HSA_WAIT_STATE_BLOCKED) != 0)
        ;
}

static hsa_signal_t signal_make(int64_t value)
{
    hsa_signal_t signal;
    OK(hsa_signal_create(value, 0, NULL, &signal));
    return signal;
}

/* Target cycles that the packet with this completion signal took, as the command processor wrote them. */
static const amd_signal_t *times(hsa_signal_t signal)
{
    return (const amd_signal_t *)(uintptr_t)signal.handle;
}

/* A packet ends when it began or later, and after the one that it waited for. */
static int times_wrong(const amd_signal_t *before, const amd_signal_t *after)
{
    return after->end_ts == 0 || after->start_ts > after->end_ts || (before && before->end_ts > after->end_ts);
}

static int test_barrier(hsa_agent_t gpu)
{
    hsa_queue_t *one = profiled(queue_make(gpu, 64)), *two = profiled(queue_make(gpu, 64));
    hsa_signal_t first = signal_make(1), second = signal_make(1), third = signal_make(1), never = signal_make(1);
    hsa_barrier_and_packet_t and = {.dep_signal = {first, second}, .completion_signal = third};
    hsa_barrier_or_packet_t or = {.dep_signal = {never, first}, .completion_signal = second};
    hsa_barrier_and_packet_t plain = {.completion_signal = first};
    submit(one, &and, HEADER(HSA_PACKET_TYPE_BARRIER_AND, 0));
    submit(two, & or, HEADER(HSA_PACKET_TYPE_BARRIER_OR, 0));
    if (hsa_signal_load_scacquire(third) != 1)
        return 1;
    hsa_queue_t *start = profiled(queue_make(gpu, 64)), *plainly = queue_make(gpu, 64);
    submit(start, &plain, HEADER(HSA_PACKET_TYPE_BARRIER_AND, 1));
    wait_zero(third);
    if (times_wrong(NULL, times(first)) || times_wrong(times(first), times(second)) ||
        times_wrong(times(second), times(third)))
        return 1;
    hsa_signal_t untimed = signal_make(1);
    hsa_barrier_and_packet_t last = {.completion_signal = untimed};
    submit(plainly, &last, HEADER(HSA_PACKET_TYPE_BARRIER_AND, 1));
    wait_zero(untimed);
    if (times(untimed)->start_ts || times(untimed)->end_ts)
        return 1;
    return hsa_signal_load_scacquire(first) || hsa_signal_load_scacquire(second) ||
           hsa_signal_load_scacquire(never) != 1;
}

/* Queues of every GPU, drained in any order. */
static int test_many(void)
{
    hsa_queue_t *queues[8];
    hsa_signal_t done = signal_make(8 * 20);
    for (int q = 0; q < 8; q++)
        queues[q] = queue_make(gpus[q % gpu_count], 64);
    hsa_barrier_and_packet_t packet = {.completion_signal = done};
    for (int i = 0; i < 20; i++)
        for (int q = 7; q >= 0; q--)
            submit(queues[q], &packet, HEADER(HSA_PACKET_TYPE_BARRIER_AND, i & 1));
    wait_zero(done);
    for (int q = 0; q < 8; q += 2)
        OK(hsa_queue_destroy(queues[q]));
    return 0;
}

/* More queues than the GPU has slots for: each packet waits for one of the next queue, so no queue that waits may keep
 * its slot; and before it are packets that wait for nothing. */
static int test_turns(hsa_agent_t gpu)
{
    enum { QUEUES = 40, PLAIN = 5 };
    hsa_signal_t done[QUEUES + 1] = {{0}}, plain = signal_make(QUEUES * PLAIN);
    hsa_barrier_and_packet_t packet = {.completion_signal = plain};
    hsa_queue_t *queues[QUEUES];
    for (int q = 0; q < QUEUES; q++) {
        queues[q] = queue_make(gpu, 64);
        done[q] = signal_make(1);
    }
    for (int q = 0; q < QUEUES; q++) {
        hsa_barrier_and_packet_t waits = {.dep_signal = {done[q + 1]}, .completion_signal = done[q]};
        for (int i = 0; i < PLAIN; i++)
            submit(queues[q], &packet, HEADER(HSA_PACKET_TYPE_BARRIER_AND, i & 1));
        submit(queues[q], &waits, HEADER(HSA_PACKET_TYPE_BARRIER_AND, 1));
    }
    wait_zero(done[0]);
    for (int q = 0; q < QUEUES; q++) {
        if (hsa_signal_load_scacquire(done[q]))
            return 1;
        OK(hsa_queue_destroy(queues[q]));
    }
    return hsa_signal_load_scacquire(plain) != 0;
}

static int test_full(hsa_agent_t gpu)
{
    hsa_queue_t *queue = queue_make(gpu, 64);
    hsa_signal_t done = signal_make(300);
    hsa_barrier_and_packet_t packet = {.completion_signal = done};
    for (int i = 0; i < 300; i++)
        submit(queue, &packet, HEADER(HSA_PACKET_TYPE_BARRIER_AND, 1));
    wait_zero(done);
    return hsa_queue_load_read_index_scacquire(queue) != 300;
}

static int test_error(hsa_agent_t gpu, const char *kind)
{
    hsa_queue_t *queue = queue_make(gpu, 64), *others[8];
    for (int g = 0; g < gpu_count; g++)
        others[g] = queue_make(gpus[g], 64);
    hsa_kernel_dispatch_packet_t packet = {.setup = 3,
                                           .workgroup_size_x = 64,
                                           .workgroup_size_y = 1,
                                           .workgroup_size_z = 1,
                                           .grid_size_x = 64,
                                           .grid_size_y = 1,
                                           .grid_size_z = 1};
    static char descriptor[64] __attribute__((aligned(64)));
    hsa_amd_memory_pool_t none = {0};
    (void)none;
    uint16_t header = HEADER(HSA_PACKET_TYPE_KERNEL_DISPATCH, 1);
    void *kernel = NULL;
    OK(hsa_amd_memory_lock(descriptor, sizeof descriptor, &gpu, 1, &kernel));
    packet.kernel_object = (uint64_t)(uintptr_t)kernel;
    if (strcmp(kind, "packet") == 0)
        header = HEADER(HSA_PACKET_TYPE_AGENT_DISPATCH, 1);
    else if (strcmp(kind, "vendor") == 0) {
        const uint32_t dispatch_direct = 0xc0031500; /* PM4 that no queue of AQL packets is sent */
        memcpy(&packet, &dispatch_direct, sizeof dispatch_direct);
        header = (uint16_t)dispatch_direct;
    } else if (strcmp(kind, "group") == 0)
        packet.workgroup_size_x = packet.grid_size_x = 2048;
    else if (strcmp(kind, "lds") == 0)
        packet.group_segment_size = 80 * 1024;
    else if (strcmp(kind, "dims") == 0)
        packet.grid_size_y = 0;
    else if (strcmp(kind, "code") == 0)
        packet.kernel_object = 0x7000000000;
    else
        return 2;
    submit(queue, &packet, header);
    hsa_signal_t done = signal_make(gpu_count);
    hsa_barrier_and_packet_t barrier = {.completion_signal = done};
    for (int g = 0; g < gpu_count; g++) /* the process's other queues go on, there and elsewhere */
        submit(others[g], &barrier, HEADER(HSA_PACKET_TYPE_BARRIER_AND, 1));
    wait_zero(done);
    hsa_signal_t pause = signal_make(1);
    while (queue_error == HSA_STATUS_SUCCESS)
        hsa_signal_wait_relaxed(pause, HSA_SIGNAL_CONDITION_EQ, 0, 1000000, HSA_WAIT_STATE_BLOCKED);
    const char *text = "";
    hsa_status_string(queue_error, &text);
    printf("queue error 0x%x %s\n", (unsigned)queue_error, text);
    return 0;
}

static hsa_executable_t executable_load(hsa_agent_t gpu, const char *path)
{
    hsa_code_object_reader_t reader;
    hsa_executable_t executable;
    int fd = open(path, O_RDONLY);
    OK(hsa_code_object_reader_create_from_file(fd, &reader));
    OK(hsa_executable_create_alt(HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL, &executable));
    OK(hsa_executable_load_agent_code_object(executable, gpu, reader, NULL, NULL));
    OK(hsa_executable_freeze(executable, NULL));
    return executable;
}

/* Starts 64 x 8 items of a kernel without arguments. */
static void kernel_start(hsa_queue_t *queue, hsa_agent_t gpu, hsa_executable_t executable, const char *name,
                         hsa_signal_t done)
{
    hsa_executable_symbol_t symbol;
    hsa_kernel_dispatch_packet_t packet = {.setup = 1,
                                           .workgroup_size_x = 64,
                                           .workgroup_size_y = 1,
                                           .workgroup_size_z = 1,
                                           .grid_size_x = 512,
                                           .grid_size_y = 1,
                                           .grid_size_z = 1,
                                           .completion_signal = done};
    OK(hsa_executable_get_symbol_by_name(executable, name, &gpu, &symbol));
    OK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &packet.kernel_object));
    submit(queue, &packet, HEADER(HSA_PACKET_TYPE_KERNEL_DISPATCH, 1));
}

/* The program outlives a trap: its queue stops with an error, is destroyed with the wavefronts that halted in it, and
 * other queues go on, the one that was there and a new one. */
static int test_trap(hsa_agent_t gpu, const char *path)
{
    hsa_queue_t *queue = queue_make(gpu, 64), *other = queue_make(gpu, 64);
    hsa_executable_t executable = executable_load(gpu, path);
    hsa_signal_t never = signal_make(1), first = signal_make(1), second = signal_make(1), pause = signal_make(1);
    kernel_start(queue, gpu, executable, "traps.kd", never);
    while (queue_error == HSA_STATUS_SUCCESS)
        hsa_signal_wait_relaxed(pause, HSA_SIGNAL_CONDITION_EQ, 0, 1000000, HSA_WAIT_STATE_BLOCKED);
    printf("queue error 0x%x\n", (unsigned)queue_error);
    kernel_start(other, gpu, executable, "ends.kd", first); /* beside the halted wavefronts */
    wait_zero(first);
    OK(hsa_queue_destroy(queue));
    queue = queue_make(gpu, 64);
    kernel_start(queue, gpu, executable, "ends.kd", second);
    wait_zero(second);
    return hsa_signal_load_scacquire(never) != 1;
}

static hsa_status_t pool_found(hsa_amd_memory_pool_t pool, void *data)
{
    hsa_amd_segment_t segment;
    uint32_t flags = 0;
    OK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment));
    if (segment != HSA_AMD_SEGMENT_GLOBAL)
        return HSA_STATUS_SUCCESS;
    OK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags));
    if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED)
        *(hsa_amd_memory_pool_t *)data = pool;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t cpu_found(hsa_agent_t agent, void *data)
{
    hsa_device_type_t type;
    OK(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
    if (type == HSA_DEVICE_TYPE_CPU)
        *(hsa_agent_t *)data = agent;
    return HSA_STATUS_SUCCESS;
}

enum { ITEMS = 512 };

/* Words of VRAM, as DRAM holds them, that are not `want`. */
static int others(const volatile uint32_t *words, uint32_t want)
{
    int n = 0;
    for (int i = 0; i < ITEMS; i++)
        n += words[i] != want;
    return n;
}

/* Item i of kernel "stores" writes the second word that it is given to words[i]: no release, then DRAM is stale with a
 * write-back L2 and is not with a write-through one; a barrier packet of system scope, then it is not.  After a host's
 * write a kernel of system scope leaves its own words alone. */
static int test_l2(hsa_agent_t gpu, const char *path, bool back)
{
    hsa_queue_t *queue = queue_make(gpu, 64);
    hsa_executable_t executable = executable_load(gpu, path);
    hsa_executable_symbol_t symbol;
    hsa_amd_memory_pool_t vram = {0};
    hsa_agent_t cpu = {0};
    uint32_t *words, *arguments;
    OK(hsa_iterate_agents(cpu_found, &cpu));
    OK(hsa_amd_agent_iterate_memory_pools(gpu, pool_found, &vram));
    OK(hsa_amd_memory_pool_allocate(vram, ITEMS * 4, 0, (void **)&words));
    OK(hsa_amd_memory_pool_allocate(vram, 4096, 0, (void **)&arguments));
    OK(hsa_amd_agents_allow_access(1, &cpu, NULL, words));
    OK(hsa_amd_agents_allow_access(1, &cpu, NULL, arguments));
    OK(hsa_executable_get_symbol_by_name(executable, "stores.kd", &gpu, &symbol));
    memset(words, 0, ITEMS * 4);
    memcpy(arguments, &words, 8);
    int wrong = 0;
    for (uint32_t round = 1; round < 4; round++) {
        hsa_signal_t stored = signal_make(1), released = signal_make(1);
        hsa_kernel_dispatch_packet_t packet = {.setup = 1,
                                               .workgroup_size_x = 64,
                                               .workgroup_size_y = 1,
                                               .workgroup_size_z = 1,
                                               .grid_size_x = ITEMS,
                                               .grid_size_y = 1,
                                               .grid_size_z = 1,
                                               .kernarg_address = arguments,
                                               .completion_signal = stored};
        hsa_barrier_and_packet_t barrier = {.completion_signal = released};
        arguments[2] = round * 0x01010101;
        OK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &packet.kernel_object));
        const uint16_t none =
            HSA_PACKET_TYPE_KERNEL_DISPATCH | 1 << 8 | (round == 3 ? 2 : 1) << 9 | (round == 3 ? 2 : 0) << 11;
        submit(queue, &packet, none);
        wait_zero(stored);
        const int stale = others(words, round * 0x01010101);
        if (round < 3 && back ? stale != ITEMS : stale != 0)
            wrong = 1;
        submit(queue, &barrier, HEADER(HSA_PACKET_TYPE_BARRIER_AND, 1));
        wait_zero(released);
        const int left = others(words, round * 0x01010101);
        wrong |= left != 0;
        printf("round %u: %d words stale after the kernel, %d after the barrier\n", (unsigned)round, stale, left);
    }
    return wrong;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "barrier";
    int status = 0;
    OK(hsa_init());
    OK(hsa_iterate_agents(agent_found, NULL));
    if (gpu_count == 0)
        return 3;
    if (strcmp(what, "barrier") == 0)
        for (int g = 0; g < gpu_count; g++)
            status |= test_barrier(gpus[g]);
    else if (strcmp(what, "many") == 0)
        status = test_many();
    else if (strcmp(what, "turns") == 0)
        status = test_turns(gpus[0]);
    else if (strcmp(what, "full") == 0)
        status = test_full(gpus[gpu_count - 1]);
    else if (strcmp(what, "trap") == 0 && argc > 2)
        status = test_trap(gpus[0], argv[2]);
    else if (strcmp(what, "l2") == 0 && argc > 3)
        status = test_l2(gpus[0], argv[2], strcmp(argv[3], "back") == 0);
    else
        status = test_error(gpus[gpu_count - 1], what);
    printf("hsa_queue %s: %s\n", what, status ? "FAILED" : "PASSED");
    return status;
}
