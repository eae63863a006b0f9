// SPDX-License-Identifier: Apache-2.0
// Several steps of a stencil over a line; a block keeps its part and the borders in dynamic shared memory.
#include "check.h"
#define RADIUS 2
__global__ void step(const int *in, int *out, int n)
{
    extern __shared__ int part[];
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = threadIdx.x + RADIUS;
    part[at] = i < n ? in[i] : 0;
    if (threadIdx.x < RADIUS) {
        int before = i - RADIUS, behind = i + (int)blockDim.x;
        part[threadIdx.x] = before >= 0 ? in[before] : 0;
        part[at + blockDim.x] = behind < n ? in[behind] : 0;
    }
    __syncthreads();
    int sum = 0;
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum += part[at + k];
    if (i < n)
        out[i] = sum % 1000;
}

int main()
{
    const int n = 1500, block = 128, steps = 5;
    static int want[n], next[n], got[n];
    int *d[2], wrong = 0;
    for (int i = 0; i < n; i++)
        want[i] = i * 37 % 101;
    CHECK(cudaMalloc(&d[0], sizeof(want)));
    CHECK(cudaMalloc(&d[1], sizeof(want)));
    CHECK(cudaMemcpy(d[0], want, sizeof(want), cudaMemcpyHostToDevice));
    for (int s = 0; s < steps; s++) {
        step<<<(n + block - 1) / block, block, (block + 2 * RADIUS) * sizeof(int)>>>(d[s & 1], d[~s & 1], n);
        for (int i = 0; i < n; i++) {
            next[i] = 0;
            for (int k = -RADIUS; k <= RADIUS; k++)
                next[i] += i + k >= 0 && i + k < n ? want[i + k] : 0;
        }
        for (int i = 0; i < n; i++)
            want[i] = next[i] % 1000;
    }
    CHECK(cudaMemcpy(got, d[steps & 1], sizeof(got), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        wrong += got[i] != want[i];
    return verdict("stencil_shared", wrong);
}
