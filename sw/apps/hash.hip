// SPDX-License-Identifier: Apache-2.0
// Integer hash: many rounds of shifts, xors and multiplications on each item; hardly any memory traffic.
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

__global__ void hash(const uint32_t *in, uint32_t *out, unsigned n, unsigned rounds)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = mix(in[i], rounds);
}

int main(int argc, char **argv)
{
    const unsigned n = size_argument(argc, argv, 1000), rounds = 32;
    uint32_t seed = seed_argument(argc, argv);
    std::vector<uint32_t> in(n), out(n);
    for (auto &v : in)
        v = random_next(seed);
    uint32_t *from, *to;
    HIP_OK(hipMalloc(&from, n * 4));
    HIP_OK(hipMalloc(&to, n * 4));
    HIP_OK(hipMemcpy(from, in.data(), n * 4, hipMemcpyHostToDevice));
    hash<<<(n + 127) / 128, 128>>>(from, to, n, rounds);
    HIP_OK(hipGetLastError());
    HIP_OK(hipMemcpy(out.data(), to, n * 4, hipMemcpyDeviceToHost));
    unsigned wrong = 0;
    for (unsigned i = 0; i < n; i++)
        wrong += out[i] != mix(in[i], rounds);
    return verdict("hash", wrong, n);
}
