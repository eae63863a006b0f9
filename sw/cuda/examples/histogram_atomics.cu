// SPDX-License-Identifier: Apache-2.0
// A histogram: atomics on shared memory in a block, then on global memory.
#include "check.h"
#define BINS 64
__global__ void count(const unsigned char *data, int n, unsigned *bins)
{
    __shared__ unsigned mine[BINS];
    if (threadIdx.x < BINS)
        mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&mine[data[i] % BINS], 1u);
    __syncthreads();
    if (threadIdx.x < BINS)
        atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

int main()
{
    const int n = 10000;
    static unsigned char data[n];
    unsigned *bins, got[BINS], want[BINS] = {0}, wrong = 0;
    unsigned char *source;
    for (int i = 0; i < n; i++) {
        data[i] = (i * i + i / 7) % 251;
        want[data[i] % BINS]++;
    }
    CHECK(cudaMalloc(&source, n));
    CHECK(cudaMalloc(&bins, sizeof(got)));
    CHECK(cudaMemcpy(source, data, n, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(bins, 0, sizeof(got)));
    count<<<4, 128>>>(source, n, bins);
    CHECK(cudaMemcpy(got, bins, sizeof(got), cudaMemcpyDeviceToHost));
    for (int i = 0; i < BINS; i++)
        wrong += got[i] != want[i];
    return verdict("histogram_atomics", wrong);
}
