// SPDX-License-Identifier: Apache-2.0
// Kernels with so much private memory that the runtime gives it for one kernel only and takes it back behind it (more than
// 140 MiB of a GPU with `lanes` places, the argument): on two streams by turns, with kernels of little and of no private
// memory between them.  Each item walks its array in an order that depends on data.  Prints its name, PASSED or FAILED.
#include <hip/hip_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define HIP(call)                                                                                                      \
    do {                                                                                                               \
        hipError_t error_ = (call);                                                                                    \
        if (error_ != hipSuccess) {                                                                                    \
            std::printf("%s: %s\n", #call, hipGetErrorString(error_));                                                 \
            std::exit(1);                                                                                              \
        }                                                                                                              \
    } while (0)

template <uint32_t Words> __device__ __host__ uint32_t walk(uint32_t seed, uint32_t steps)
{
    uint32_t array[Words], sum = 0;
    for (uint32_t i = 0; i < steps; i++)
        array[(seed + i * 977) % Words] = seed * (i + 1);
    for (uint32_t i = 0; i < steps; i++)
        sum += array[(seed + i * 977) % Words] ^ i;
    return sum;
}

template <uint32_t Words> __global__ void walks(uint32_t *out, uint32_t steps)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] += walk<Words>(i, steps);
}

__global__ void plain(uint32_t *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

int main()
{
    enum { ITEMS = 256, STEPS = 12, ROUNDS = 3 };
    constexpr uint32_t LARGE = 6000, SMALL = 40;
    hipStream_t stream[2];
    uint32_t *out[2], wrong = 0;
    for (int s = 0; s < 2; s++) {
        HIP(hipStreamCreate(&stream[s]));
        HIP(hipMalloc(&out[s], ITEMS * 4));
        HIP(hipMemset(out[s], 0, ITEMS * 4));
    }
    HIP(hipDeviceSynchronize());
    for (int round = 0; round < ROUNDS; round++)
        for (int s = 0; s < 2; s++) {
            walks<LARGE><<<ITEMS / 64, 64, 0, stream[s]>>>(out[s], STEPS);
            plain<<<ITEMS / 64, 64, 0, stream[s]>>>(out[s]);
            walks<SMALL><<<ITEMS / 64, 64, 0, stream[s]>>>(out[s], STEPS);
        }
    HIP(hipDeviceSynchronize());
    for (int s = 0; s < 2; s++) {
        std::vector<uint32_t> got(ITEMS);
        HIP(hipMemcpy(got.data(), out[s], ITEMS * 4, hipMemcpyDeviceToHost));
        for (uint32_t i = 0; i < ITEMS; i++)
            wrong += got[i] != ROUNDS * (walk<LARGE>(i, STEPS) + 1 + walk<SMALL>(i, STEPS));
    }
    std::printf("large_scratch: %s, %u wrong\n", wrong ? "FAILED" : "PASSED", wrong);
    return wrong != 0;
}
