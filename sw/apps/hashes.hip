// SPDX-License-Identifier: Apache-2.0
// Integer hash on all devices at once: one thread launches on each before it waits for the first.  argv[3]: rounds,
// argv[4]: how often each device is given the same launch.
#include <vector>

#include "check.h"

__host__ __device__ static uint32_t mix(uint32_t x, unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++) {
        x ^= x >> 16;
        x *= 0x7feb352dU;
        x ^= x >> 15;
        x *= 0x846ca68bU;
        x ^= (x << 11) + i;
    }
    return x;
}

__global__ void hash(uint32_t *out, unsigned n, unsigned first, unsigned rounds)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = mix(first + i, rounds);
}

int main(int argc, char **argv)
{
    const unsigned n = size_argument(argc, argv, 1000);
    const uint32_t seed = seed_argument(argc, argv);
    const unsigned rounds = argc > 3 ? static_cast<unsigned>(std::strtoul(argv[3], nullptr, 0)) : 32;
    const unsigned launches = argc > 4 ? static_cast<unsigned>(std::strtoul(argv[4], nullptr, 0)) : 1;
    int devices = 0;
    HIP_OK(hipGetDeviceCount(&devices));
    std::vector<uint32_t *> there(static_cast<size_t>(devices));
    for (int d = 0; d < devices; d++) {
        HIP_OK(hipSetDevice(d));
        HIP_OK(hipMalloc(&there[static_cast<size_t>(d)], n * 4));
    }
    for (int d = 0; d < devices; d++) {
        HIP_OK(hipSetDevice(d));
        for (unsigned k = 0; k < launches; k++)
            hash<<<(n + 255) / 256, 256>>>(there[static_cast<size_t>(d)], n, seed + static_cast<uint32_t>(d) * n, rounds);
        HIP_OK(hipGetLastError());
    }
    unsigned wrong = 0;
    for (int d = 0; d < devices; d++) {
        std::vector<uint32_t> out(n);
        HIP_OK(hipSetDevice(d));
        HIP_OK(hipMemcpy(out.data(), there[static_cast<size_t>(d)], n * 4, hipMemcpyDeviceToHost));
        for (unsigned i = 0; i < n; i++)
            wrong += out[i] != mix(seed + static_cast<uint32_t>(d) * n + i, rounds);
    }
    return verdict("hashes", wrong, n * static_cast<unsigned>(devices));
}
