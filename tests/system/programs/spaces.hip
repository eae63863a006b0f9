// SPDX-License-Identifier: Apache-2.0
// One of several processes that use the same virtual addresses: `spaces N` works N into 4,096 words in place, through
// memory, for long enough that processes started together overlap, and compares with the CPU.  Prints the address of the
// words, PASSED or FAILED.
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

__device__ __host__ uint32_t step(uint32_t value, uint32_t number, uint32_t round)
{
    return (value ^ number * 2654435761u) * 1664525u + round;
}

__global__ void works(volatile uint32_t *words, uint32_t number, uint32_t rounds)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    for (uint32_t r = 0; r < rounds; r++)
        words[i] = step(words[i], number, r);
}

int main(int argc, char **argv)
{
    enum { ITEMS = 4096, ROUNDS = 40 };
    const uint32_t number = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 0;
    std::vector<uint32_t> words(ITEMS);
    uint32_t *device, wrong = 0;
    for (uint32_t i = 0; i < ITEMS; i++)
        words[i] = i * number;
    HIP(hipMalloc(&device, ITEMS * 4));
    HIP(hipMemcpy(device, words.data(), ITEMS * 4, hipMemcpyHostToDevice));
    works<<<ITEMS / 256, 256>>>(device, number, ROUNDS);
    HIP(hipDeviceSynchronize());
    HIP(hipMemcpy(words.data(), device, ITEMS * 4, hipMemcpyDeviceToHost));
    for (uint32_t i = 0; i < ITEMS; i++) {
        uint32_t want = i * number;
        for (uint32_t r = 0; r < ROUNDS; r++)
            want = step(want, number, r);
        wrong += words[i] != want;
    }
    std::printf("spaces %u at %p: %s, %u wrong\n", number, (void *)device, wrong ? "FAILED" : "PASSED", wrong);
    return wrong != 0;
}
