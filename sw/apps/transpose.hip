// SPDX-License-Identifier: Apache-2.0
// Matrix transposition through a padded tile in LDS: coalesced reads and writes, no bank conflicts.
#include <vector>

#include "check.h"

constexpr unsigned Tile = 16;

__global__ void transpose(const uint32_t *from, uint32_t *to, unsigned width, unsigned height)
{
    __shared__ uint32_t tile[Tile][Tile + 1];
    unsigned x = blockIdx.x * Tile + threadIdx.x, y = blockIdx.y * Tile + threadIdx.y;
    if (x < width && y < height)
        tile[threadIdx.y][threadIdx.x] = from[y * width + x];
    __syncthreads();
    x = blockIdx.y * Tile + threadIdx.x;
    y = blockIdx.x * Tile + threadIdx.y;
    if (x < height && y < width)
        to[y * height + x] = tile[threadIdx.x][threadIdx.y];
}

int main(int argc, char **argv)
{
    const unsigned width = size_argument(argc, argv, 50), height = width + 7;
    uint32_t seed = seed_argument(argc, argv);
    std::vector<uint32_t> in(width * height), out(width * height);
    for (auto &v : in)
        v = random_next(seed);
    uint32_t *from, *to;
    HIP_OK(hipMalloc(&from, in.size() * 4));
    HIP_OK(hipMalloc(&to, in.size() * 4));
    HIP_OK(hipMemcpy(from, in.data(), in.size() * 4, hipMemcpyHostToDevice));
    transpose<<<dim3((width + Tile - 1) / Tile, (height + Tile - 1) / Tile), dim3(Tile, Tile)>>>(from, to, width, height);
    HIP_OK(hipGetLastError());
    HIP_OK(hipMemcpy(out.data(), to, in.size() * 4, hipMemcpyDeviceToHost));
    unsigned wrong = 0;
    for (unsigned y = 0; y < height; y++)
        for (unsigned x = 0; x < width; x++)
            wrong += out[x * height + y] != in[y * width + x];
    return verdict("transpose", wrong, width * height);
}
