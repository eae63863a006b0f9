// SPDX-License-Identifier: Apache-2.0
// Pins COUNT pages of its own memory, lets a kernel write into one of them, unpins all of them at once while a kernel of
// another stream runs, then ends that: every shoot-down is a command for the GPU, more of them than it has places for.
// usage: unpin COUNT
#include <hip/hip_runtime.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        if (auto status_ = (call)) {                                                                                   \
            std::fprintf(stderr, "%s: %d\n", #call, (int)status_);                                                     \
            std::exit(2);                                                                                              \
        }                                                                                                              \
    } while (0)

__global__ void wait_for(volatile int *begun, volatile int *go)
{
    if (threadIdx.x == 0)
        *begun = 1;
    __threadfence_system();
    while (*go == 0)
        __builtin_amdgcn_s_sleep(10);
}

__global__ void fill(int *to, int value) { to[threadIdx.x] = value + threadIdx.x; }

static hsa_status_t gpu_of(hsa_agent_t agent, void *data)
{
    hsa_device_type_t type;
    hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
    if (type != HSA_DEVICE_TYPE_GPU)
        return HSA_STATUS_SUCCESS;
    *static_cast<hsa_agent_t *>(data) = agent;
    return HSA_STATUS_INFO_BREAK;
}

int main(int, char **argv)
{
    const int count = std::atoi(argv[1]);
    volatile int *flags;
    hsa_agent_t gpu;
    hipStream_t other;
    OK(hipSetDevice(0));
    OK(hipHostMalloc((void **)&flags, 4096, hipHostMallocCoherent));
    OK(hipStreamCreateWithFlags(&other, hipStreamNonBlocking));
    hsa_iterate_agents(gpu_of, &gpu);
    std::vector<char *> page(count);
    std::vector<void *> seen(count);
    for (int i = 0; i < count; i++) {
        page[i] = static_cast<char *>(aligned_alloc(4096, 8192)); /* a page between two: no two in one range */
        OK(hsa_amd_memory_lock(page[i], 4096, &gpu, 1, &seen[i]));
    }
    fill<<<1, 64>>>(static_cast<int *>(seen[count - 1]), 1000);
    OK(hipDeviceSynchronize());
    flags[0] = flags[1] = 0;
    wait_for<<<1, 64, 0, other>>>(flags, flags + 1);
    while (flags[0] == 0)
        usleep(10);
    for (int i = 0; i < count; i++)
        OK(hsa_amd_memory_unlock(page[i]));
    flags[1] = 1;
    OK(hipStreamSynchronize(other));
    for (int i = 0; i < 64; i++)
        if (reinterpret_cast<int *>(page[count - 1])[i] != 1000 + i)
            return 1;
    std::printf("unpin %d: PASSED\n", count);
    return 0;
}
