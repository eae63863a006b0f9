// SPDX-License-Identifier: Apache-2.0
// Blur of a grey image in 2D: 3 x 3 weights, edges clamped, bytes in and out.
#include <vector>

#include "check.h"

__host__ __device__ static int clamp_to(int v, int low, int high) { return v < low ? low : v > high ? high : v; }

__host__ __device__ static uint8_t blurred(const uint8_t *in, int width, int height, int x, int y)
{
    int sum = 8;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int weight = (dx ? 1 : 2) * (dy ? 1 : 2);
            sum += weight * in[clamp_to(y + dy, 0, height - 1) * width + clamp_to(x + dx, 0, width - 1)];
        }
    return static_cast<uint8_t>(sum / 16);
}

__global__ void blur(const uint8_t *in, uint8_t *out, int width, int height)
{
    int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    if (x < width && y < height)
        out[y * width + x] = blurred(in, width, height, x, y);
}

int main(int argc, char **argv)
{
    const int width = static_cast<int>(size_argument(argc, argv, 50)), height = width * 3 / 4 + 1;
    uint32_t seed = seed_argument(argc, argv);
    const size_t bytes = static_cast<size_t>(width) * static_cast<size_t>(height);
    std::vector<uint8_t> in(bytes), out(bytes);
    for (auto &v : in)
        v = static_cast<uint8_t>(random_next(seed));
    uint8_t *from, *to;
    HIP_OK(hipMalloc(&from, bytes));
    HIP_OK(hipMalloc(&to, bytes));
    HIP_OK(hipMemcpy(from, in.data(), bytes, hipMemcpyHostToDevice));
    dim3 groups(static_cast<unsigned>(width + 31) / 32, static_cast<unsigned>(height + 7) / 8);
    blur<<<groups, dim3(32, 8)>>>(from, to, width, height);
    HIP_OK(hipGetLastError());
    HIP_OK(hipMemcpy(out.data(), to, bytes, hipMemcpyDeviceToHost));
    unsigned wrong = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            wrong += out[static_cast<size_t>(y * width + x)] != blurred(in.data(), width, height, x, y);
    return verdict("blur", wrong, static_cast<unsigned>(bytes));
}
