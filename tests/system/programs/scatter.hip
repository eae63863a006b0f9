// SPDX-License-Identifier: Apache-2.0
// Device 0 alone writes 64 KiB into the memory of each other device, a pattern of its own for each; then the host reads what
// every device holds, a guard of 4 KiB on either side included.
#include <hip/hip_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define HIP_OK(call)                                                                      \
    do {                                                                                  \
        hipError_t error_ = (call);                                                       \
        if (error_ != hipSuccess) {                                                       \
            std::printf("scatter: %s: %s\n", #call, hipGetErrorString(error_));           \
            std::exit(2);                                                                 \
        }                                                                                 \
    } while (0)

constexpr unsigned Words = 64 * 1024 / 4, Guard = 1024, All = Words + 2 * Guard;

static __host__ __device__ uint32_t pattern(unsigned device, unsigned i)
{
    return (i * 2654435761u) ^ (device * 0x01010101u + 0x5bd1e995u);
}

__global__ void fill(uint32_t *to, unsigned device)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    to[Guard + i] = pattern(device, i);
}

int main()
{
    int devices = 0;
    HIP_OK(hipGetDeviceCount(&devices));
    std::vector<uint32_t *> block(static_cast<size_t>(devices));
    for (int d = 1; d < devices; d++) {
        HIP_OK(hipSetDevice(d));
        HIP_OK(hipMalloc(&block[d], All * 4));
        HIP_OK(hipMemset(block[d], 0xee, All * 4));
        HIP_OK(hipDeviceSynchronize());
    }
    HIP_OK(hipSetDevice(0));
    for (int d = 1; d < devices; d++) {
        HIP_OK(hipDeviceEnablePeerAccess(d, 0));
        fill<<<Words / 256, 256>>>(block[d], static_cast<unsigned>(d));
        HIP_OK(hipGetLastError());
    }
    HIP_OK(hipDeviceSynchronize());
    std::vector<uint32_t> out(All);
    unsigned wrong = 0;
    for (int d = 1; d < devices; d++) {
        HIP_OK(hipSetDevice(d));
        HIP_OK(hipMemcpy(out.data(), block[d], All * 4, hipMemcpyDeviceToHost));
        for (unsigned i = 0; i < All; i++) {
            bool inside = i >= Guard && i < Guard + Words;
            wrong += out[i] != (inside ? pattern(static_cast<unsigned>(d), i - Guard) : 0xeeeeeeeeu);
        }
    }
    std::printf("scatter: %d devices, %u words are wrong\n", devices, wrong);
    return wrong ? 1 : 0;
}
