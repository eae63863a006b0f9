// SPDX-License-Identifier: Apache-2.0
// Product of two square matrices by tiles in shared memory.
#include "check.h"
#define TILE 16
#define N 48
__global__ void product(const float *a, const float *b, float *c)
{
    __shared__ float left[TILE][TILE], right[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
    float sum = 0;
    for (int t = 0; t < N; t += TILE) {
        left[y][x] = a[row * N + t + x];
        right[y][x] = b[(t + y) * N + column];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += left[y][k] * right[k][x];
        __syncthreads();
    }
    c[row * N + column] = sum;
}

int main()
{
    static float a[N][N], b[N][N], c[N][N];
    float *d[3];
    int wrong = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = (i * 3 + j) % 7;
            b[i][j] = (i + j * 5) % 11;
        }
    for (int i = 0; i < 3; i++)
        CHECK(cudaMalloc(&d[i], sizeof(a)));
    CHECK(cudaMemcpy(d[0], a, sizeof(a), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d[1], b, sizeof(b), cudaMemcpyHostToDevice));
    dim3 grid(N / TILE, N / TILE), block(TILE, TILE);
    product<<<grid, block>>>(d[0], d[1], d[2]);
    CHECK(cudaMemcpy(c, d[2], sizeof(c), cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0;
            for (int k = 0; k < N; k++)
                sum += a[i][k] * b[k][j];
            wrong += c[i][j] != sum; // whole numbers below 2^24: exact
        }
    return verdict("tiled_product", wrong);
}
