// SPDX-License-Identifier: Apache-2.0
// Two streams with copies and kernels, one waits for an event of the other; a callback; times between events.
#include "check.h"
#define N 4096
__global__ void fill(int *p, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    p[i] = value + i;
}

__global__ void add(int *to, const int *from)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] += from[i];
}

static void called(cudaStream_t stream, cudaError_t status, void *data)
{
    (void)stream;
    *(int *)data = status == cudaSuccess ? 1 : -1;
}

int main()
{
    cudaStream_t one, two;
    cudaEvent_t begin, filled, end;
    int *a, *b, *host, wrong = 0, seen = 0;
    float ms = -1;
    CHECK(cudaStreamCreate(&one));
    CHECK(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaMalloc(&a, N * sizeof(int)));
    CHECK(cudaMalloc(&b, N * sizeof(int)));
    CHECK(cudaMallocHost(&host, N * sizeof(int)));
    CHECK(cudaEventRecord(begin, one));
    fill<<<N / 256, 256, 0, one>>>(a, 100);
    CHECK(cudaEventRecord(filled, one));
    fill<<<N / 256, 256, 0, two>>>(b, 1);
    CHECK(cudaStreamWaitEvent(two, filled, 0));
    add<<<N / 256, 256, 0, two>>>(b, a);
    CHECK(cudaMemcpyAsync(host, b, N * sizeof(int), cudaMemcpyDeviceToHost, two));
    CHECK(cudaStreamAddCallback(two, called, &seen, 0));
    CHECK(cudaStreamSynchronize(two));
    CHECK(cudaEventRecord(end, one));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    for (int i = 0; i < N; i++)
        wrong += host[i] != 101 + 2 * i;
    wrong += seen != 1 || ms < 0 || cudaStreamQuery(one) != cudaSuccess;
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(two));
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaFreeHost(host));
    return verdict("streams_events", wrong);
}
