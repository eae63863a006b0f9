// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication with tiles in LDS and barriers.  Inputs are small integers held in floats, so that the result
// is exact whatever the order of additions.
#include <vector>

#include "check.h"

constexpr unsigned Tile = 16;

__global__ void matrix_multiply(const float *a, const float *b, float *c, unsigned n)
{
    __shared__ float ta[Tile][Tile];
    __shared__ float tb[Tile][Tile];
    unsigned row = blockIdx.y * Tile + threadIdx.y, column = blockIdx.x * Tile + threadIdx.x;
    float sum = 0;
    for (unsigned k = 0; k < n; k += Tile) {
        ta[threadIdx.y][threadIdx.x] = row < n && k + threadIdx.x < n ? a[row * n + k + threadIdx.x] : 0;
        tb[threadIdx.y][threadIdx.x] = column < n && k + threadIdx.y < n ? b[(k + threadIdx.y) * n + column] : 0;
        __syncthreads();
        for (unsigned i = 0; i < Tile; i++)
            sum += ta[threadIdx.y][i] * tb[i][threadIdx.x];
        __syncthreads();
    }
    if (row < n && column < n)
        c[row * n + column] = sum;
}

int main(int argc, char **argv)
{
    const unsigned n = size_argument(argc, argv, 40);
    uint32_t seed = seed_argument(argc, argv);
    std::vector<float> a(n * n), b(n * n), c(n * n);
    for (unsigned i = 0; i < n * n; i++) {
        a[i] = static_cast<float>(static_cast<int>(random_next(seed) % 17) - 8);
        b[i] = static_cast<float>(static_cast<int>(random_next(seed) % 17) - 8);
    }
    float *da, *db, *dc;
    const size_t bytes = static_cast<size_t>(n) * n * sizeof(float);
    HIP_OK(hipMalloc(&da, bytes));
    HIP_OK(hipMalloc(&db, bytes));
    HIP_OK(hipMalloc(&dc, bytes));
    HIP_OK(hipMemcpy(da, a.data(), bytes, hipMemcpyHostToDevice));
    HIP_OK(hipMemcpy(db, b.data(), bytes, hipMemcpyHostToDevice));
    dim3 groups((n + Tile - 1) / Tile, (n + Tile - 1) / Tile);
    matrix_multiply<<<groups, dim3(Tile, Tile)>>>(da, db, dc, n);
    HIP_OK(hipGetLastError());
    HIP_OK(hipMemcpy(c.data(), dc, bytes, hipMemcpyDeviceToHost));
    unsigned wrong = 0;
    for (unsigned y = 0; y < n; y++)
        for (unsigned x = 0; x < n; x++) {
            float sum = 0;
            for (unsigned k = 0; k < n; k++)
                sum += a[y * n + k] * b[k * n + x];
            wrong += c[y * n + x] != sum;
        }
    return verdict("matmul", wrong, n * n);
}
