// SPDX-License-Identifier: Apache-2.0
// Work on every device and copies between neighbours: device d adds d + 1 to the block it gets from device d - 1, so
// that the block has passed through all of them in the end.  With one device it goes round once.
#include <vector>

#include "check.h"

__global__ void add_to_all(uint32_t *data, unsigned n, uint32_t what)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = data[i] * 3 + what;
}

int main(int argc, char **argv)
{
    const unsigned n = size_argument(argc, argv, 1000);
    uint32_t seed = seed_argument(argc, argv);
    int devices = 0;
    HIP_OK(hipGetDeviceCount(&devices));
    std::vector<uint32_t> in(n), out(n);
    for (auto &v : in)
        v = random_next(seed);
    std::vector<uint32_t *> block(static_cast<size_t>(devices));
    for (int d = 0; d < devices; d++) {
        HIP_OK(hipSetDevice(d));
        HIP_OK(hipMalloc(&block[static_cast<size_t>(d)], n * 4));
    }
    HIP_OK(hipSetDevice(0));
    HIP_OK(hipMemcpy(block[0], in.data(), n * 4, hipMemcpyHostToDevice));
    for (int d = 0; d < devices; d++) {
        uint32_t *mine = block[static_cast<size_t>(d)];
        HIP_OK(hipSetDevice(d));
        if (d > 0)
            HIP_OK(hipMemcpyPeer(mine, d, block[static_cast<size_t>(d - 1)], d - 1, n * 4));
        add_to_all<<<(n + 255) / 256, 256>>>(mine, n, static_cast<uint32_t>(d + 1));
        HIP_OK(hipGetLastError());
        HIP_OK(hipDeviceSynchronize());
    }
    HIP_OK(hipMemcpy(out.data(), block.back(), n * 4, hipMemcpyDeviceToHost));
    unsigned wrong = 0;
    for (unsigned i = 0; i < n; i++) {
        uint32_t expected = in[i];
        for (int d = 0; d < devices; d++)
            expected = expected * 3 + static_cast<uint32_t>(d + 1);
        wrong += out[i] != expected;
    }
    std::printf("peer: %d devices\n", devices);
    return verdict("peer", wrong, n);
}
