// SPDX-License-Identifier: Apache-2.0
// Sum of two vectors, the length as the first argument.
#include "check.h"
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 5000, wrong = 0;
    size_t bytes = n * sizeof(float);
    float *host = (float *)malloc(3 * bytes), *a, *b, *c;
    for (int i = 0; i < n; i++) {
        host[i] = i;
        host[n + i] = 0.5f * i;
    }
    CHECK(cudaMalloc(&a, bytes));
    CHECK(cudaMalloc(&b, bytes));
    CHECK(cudaMalloc((void **)&c, bytes));
    CHECK(cudaMemcpy(a, host, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b, host + n, bytes, cudaMemcpyHostToDevice));
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host + 2 * n, c, bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        wrong += host[2 * n + i] != 1.5f * i;
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(c));
    free(host);
    return verdict("vector_add", wrong);
}
