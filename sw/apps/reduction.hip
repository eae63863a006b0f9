// SPDX-License-Identifier: Apache-2.0
// Sum of an array: tree in LDS inside each group, one atomic addition a group.
#include <vector>

#include "check.h"

constexpr unsigned Group = 256;

__global__ void reduce(const uint32_t *in, uint32_t *sum, unsigned n)
{
    __shared__ uint32_t part[Group];
    uint32_t mine = 0;
    for (unsigned i = blockIdx.x * Group + threadIdx.x; i < n; i += gridDim.x * Group)
        mine += in[i];
    part[threadIdx.x] = mine;
    __syncthreads();
    for (unsigned step = Group / 2; step > 0; step /= 2) {
        if (threadIdx.x < step)
            part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(sum, part[0]);
}

int main(int argc, char **argv)
{
    const unsigned n = size_argument(argc, argv, 3000);
    uint32_t seed = seed_argument(argc, argv), expected = 0, got = 0;
    std::vector<uint32_t> in(n);
    for (auto &v : in)
        expected += v = random_next(seed);
    uint32_t *data, *sum;
    HIP_OK(hipMalloc(&data, n * 4));
    HIP_OK(hipMalloc(&sum, 4));
    HIP_OK(hipMemcpy(data, in.data(), n * 4, hipMemcpyHostToDevice));
    HIP_OK(hipMemset(sum, 0, 4));
    reduce<<<4, Group>>>(data, sum, n);
    HIP_OK(hipGetLastError());
    HIP_OK(hipMemcpy(&got, sum, 4, hipMemcpyDeviceToHost));
    return verdict("reduction", got != expected, 1);
}
