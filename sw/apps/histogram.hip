// SPDX-License-Identifier: Apache-2.0
// Histogram of bytes: LDS atomics inside a group, global atomics at its end.
#include <vector>

#include "check.h"

constexpr unsigned Bins = 256;

__global__ void histogram(const uint8_t *in, uint32_t *bins, unsigned n)
{
    __shared__ uint32_t mine[Bins];
    mine[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[in[i]], 1u);
    __syncthreads();
    if (mine[threadIdx.x])
        atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

int main(int argc, char **argv)
{
    const unsigned n = size_argument(argc, argv, 4000);
    uint32_t seed = seed_argument(argc, argv);
    std::vector<uint8_t> in(n);
    std::vector<uint32_t> expected(Bins), got(Bins);
    for (auto &v : in) {
        v = static_cast<uint8_t>(random_next(seed) & random_next(seed));
        expected[v]++;
    }
    uint8_t *data;
    uint32_t *bins;
    HIP_OK(hipMalloc(&data, n));
    HIP_OK(hipMalloc(&bins, Bins * 4));
    HIP_OK(hipMemcpy(data, in.data(), n, hipMemcpyHostToDevice));
    HIP_OK(hipMemset(bins, 0, Bins * 4));
    histogram<<<3, Bins>>>(data, bins, n);
    HIP_OK(hipGetLastError());
    HIP_OK(hipMemcpy(got.data(), bins, Bins * 4, hipMemcpyDeviceToHost));
    unsigned wrong = 0;
    for (unsigned i = 0; i < Bins; i++)
        wrong += got[i] != expected[i];
    return verdict("histogram", wrong, Bins);
}
