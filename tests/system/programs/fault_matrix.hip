// SPDX-License-Identifier: Apache-2.0
// For tests/system: fault_matrix FAULT IDIOM: one kernel that goes wrong in one way, and one way of a host program to
// find out.  Whatever the runtime does, "went on" is printed if it did not end the program.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <hip/hip_runtime.h>
#include <hsa/hsa.h>
#include <linux/kfd_ioctl.h>
#include <string>
#include <sys/ioctl.h>
#include <thread>

#define CHECKED(call)                                                                                                  \
    do {                                                                                                               \
        if (hipError_t status_ = (call); status_ != hipSuccess)                                                        \
            fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(status_)), exit(2);                                   \
    } while (0)

enum fault {
    READ,
    WRITE,
    ATOMIC,
    READONLY,
    NOEXEC,
    ILLEGAL,
    TRAP,
    GROUP,
    SCRATCH,
    SCRATCH_NONE,
    SCRATCH_UNMAPPED,
    NONE
};
static const char *const faults[] = {"read", "write", "atomic",  "readonly",     "noexec",           "illegal",
                                     "trap", "group", "scratch", "scratch_none", "scratch_unmapped", "none"};
static const uint64_t nowhere = 0xdead00000;

// ---- packets that HIP itself would not send: changed in the ring before the doorbell rings
static enum fault fault = NONE;
static bool armed; // a packet of the program's own kernel comes next
static hsa_queue_t *queues[64];
static unsigned queue_count;

template <typename F> static F *next_of(const char *name)
{
    return reinterpret_cast<F *>(dlsym(RTLD_NEXT, name));
}

extern "C" hsa_status_t hsa_queue_create(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                                         void (*callback)(hsa_status_t, hsa_queue_t *, void *), void *data,
                                         uint32_t private_bytes, uint32_t group_bytes, hsa_queue_t **queue)
{
    static auto *real = next_of<decltype(hsa_queue_create)>("hsa_queue_create");
    hsa_status_t status = real(agent, size, type, callback, data, private_bytes, group_bytes, queue);
    if (status == HSA_STATUS_SUCCESS && queue_count < 64)
        queues[queue_count++] = *queue;
    return status;
}

static void packet_spoil(hsa_signal_t doorbell, uint64_t index)
{
    for (unsigned i = 0; armed && i < queue_count; i++) {
        hsa_queue_t *q = queues[i];
        auto *packet = static_cast<hsa_kernel_dispatch_packet_t *>(q->base_address) + index % q->size;
        if (q->doorbell_signal.handle != doorbell.handle || (packet->header & 255) != HSA_PACKET_TYPE_KERNEL_DISPATCH)
            continue;
        auto *inactive = reinterpret_cast<uint64_t *>(reinterpret_cast<char *>(q) + 0xc0); // of amd_queue_t
        if (fault == GROUP)
            packet->workgroup_size_x = 2048;
        if (fault == SCRATCH || fault == SCRATCH_NONE || fault == SCRATCH_UNMAPPED)
            packet->private_segment_size = 0x7ffffff0; // of a work-item
        if (fault == SCRATCH_NONE)
            *inactive = 0;
        if (fault == SCRATCH_UNMAPPED)
            *inactive = nowhere;
        armed = false;
    }
}

#define STORE(name)                                                                                                    \
    extern "C" void name(hsa_signal_t signal, hsa_signal_value_t value)                                                \
    {                                                                                                                  \
        static auto *real = next_of<decltype(name)>(#name);                                                            \
        packet_spoil(signal, static_cast<uint64_t>(value));                                                            \
        real(signal, value);                                                                                           \
    }
STORE(hsa_signal_store_relaxed)
STORE(hsa_signal_store_screlease)

// ---- kernels
__device__ static void go_wrong(enum fault what, uint32_t *where, uint32_t *out)
{
    if (what == READ)
        out[threadIdx.x] = where[threadIdx.x];
    else if (what == WRITE || what == READONLY)
        where[threadIdx.x] = 1;
    else if (what == ATOMIC)
        atomicAdd(where, 1u);
    else if (what == NOEXEC)
        asm volatile("s_setpc_b64 %0" ::"s"(where));
    else if (what == ILLEGAL)
        asm volatile(".long 0xfe000000");
    else if (what == TRAP)
        __builtin_trap();
}

__global__ void goes_wrong(enum fault what, uint32_t *where, uint32_t *out)
{
    go_wrong(what, where, out);
}

__global__ void prints_and_goes_wrong(enum fault what, uint32_t *where, uint32_t *out)
{
    if (threadIdx.x == 0)
        printf("printed by the kernel\n");
    go_wrong(what, where, out);
}

// A page of the first GPU that kernels may not write, or not execute, by the driver's own calls: HIP has none.
static uint32_t *page_alloc(bool read_only)
{
    kfd_ioctl_alloc_memory_of_gpu_args page = {};
    FILE *f = fopen("/sys/class/kfd/kfd/topology/nodes/1/gpu_id", "r");
    int fd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
    if (!f || fscanf(f, "%u", &page.gpu_id) != 1 || fd < 0)
        exit(3);
    page.va_addr = 0xfe00000000; // in the runtime's range, where it comes to last
    page.size = 4096;
    page.flags = KFD_IOC_ALLOC_MEM_FLAGS_VRAM |
                 (read_only ? KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE : KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE);
    if (ioctl(fd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &page))
        exit(3);
    kfd_ioctl_map_memory_to_gpu_args map = {};
    map.handle = page.handle;
    map.device_ids_array_ptr = reinterpret_cast<uint64_t>(&page.gpu_id);
    map.n_devices = 1;
    if (ioctl(fd, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &map))
        exit(3);
    return reinterpret_cast<uint32_t *>(page.va_addr);
}

static uint32_t *where, *out, host[1024];

static void launch(hipStream_t stream, bool print = false)
{
    armed = fault >= GROUP;
    if (print)
        prints_and_goes_wrong<<<1, 64, 0, stream>>>(fault, where, out);
    else
        goes_wrong<<<1, 64, 0, stream>>>(fault, where, out);
}

static void note(hipStream_t, hipError_t, void *)
{
    printf("called back\n");
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 64;
    const std::string idiom = argv[2];
    for (int f = 0; f <= NONE; f++)
        if (!strcmp(argv[1], faults[f]))
            fault = static_cast<enum fault>(f);
    hipStream_t stream;
    hipEvent_t event;
    CHECKED(hipStreamCreate(&stream));
    CHECKED(hipEventCreate(&event));
    CHECKED(hipMalloc(&out, sizeof host));
    CHECKED(hipMemset(out, 0, sizeof host));
    where =
        fault == READONLY || fault == NOEXEC ? page_alloc(fault == READONLY) : reinterpret_cast<uint32_t *>(nowhere);
    if (idiom == "sync") {
        launch(nullptr);
        (void)hipDeviceSynchronize();
    } else if (idiom == "stream") {
        launch(stream);
        (void)hipStreamSynchronize(stream);
    } else if (idiom == "event") {
        launch(nullptr);
        (void)hipEventRecord(event, nullptr);
        (void)hipDeviceSynchronize();
    } else if (idiom == "copy") {
        launch(stream);
        (void)hipMemcpyAsync(host, out, sizeof host, hipMemcpyDeviceToHost, stream);
        (void)hipStreamSynchronize(stream);
    } else if (idiom == "callback") {
        launch(stream);
        (void)hipStreamAddCallback(stream, note, nullptr, 0);
        (void)hipStreamSynchronize(stream);
    } else if (idiom == "printf") {
        launch(nullptr, true);
        (void)hipDeviceSynchronize();
    } else if (idiom == "thread") {
        std::thread other([&] {
            launch(stream);
            (void)hipEventRecord(event, stream);
            (void)hipEventSynchronize(event);
        });
        (void)hipDeviceSynchronize();
        other.join();
    } else {
        return 64;
    }
    printf("went on: %s\n", hipGetErrorString(hipGetLastError()));
    return 0;
}
