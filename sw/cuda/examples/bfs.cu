// SPDX-License-Identifier: Apache-2.0
// Breadth-first search: one launch for each level, a flag that says whether there is another.
#include "check.h"
#define N 1000
#define DEGREE 4
__global__ void level(const int *targets, int *depth, int now, int *more)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N || depth[i] != now)
        return;
    for (int k = 0; k < DEGREE; k++)
        if (atomicCAS(&depth[targets[i * DEGREE + k]], -1, now + 1) == -1)
            *more = 1;
}

int main()
{
    static int targets[N * DEGREE], want[N], got[N], queue[N];
    int *d_targets, *d_depth, *d_more, more = 1, wrong = 0, tail = 1;
    for (int i = 0; i < N * DEGREE; i++)
        targets[i] = (i * 193 + i / DEGREE * 7 + 11) % N;
    for (int i = 0; i < N; i++)
        want[i] = got[i] = i ? -1 : 0;
    for (int head = 0; head < tail; head++)
        for (int k = 0; k < DEGREE; k++) {
            int to = targets[queue[head] * DEGREE + k];
            if (want[to] < 0) {
                want[to] = want[queue[head]] + 1;
                queue[tail++] = to;
            }
        }
    CHECK(cudaMalloc(&d_targets, sizeof(targets)));
    CHECK(cudaMalloc(&d_depth, sizeof(got)));
    CHECK(cudaMalloc(&d_more, sizeof(int)));
    CHECK(cudaMemcpy(d_targets, targets, sizeof(targets), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_depth, got, sizeof(got), cudaMemcpyHostToDevice));
    for (int now = 0; more; now++) {
        CHECK(cudaMemset(d_more, 0, sizeof(int)));
        level<<<(N + 255) / 256, 256>>>(d_targets, d_depth, now, d_more);
        CHECK(cudaMemcpy(&more, d_more, sizeof(int), cudaMemcpyDeviceToHost));
    }
    CHECK(cudaMemcpy(got, d_depth, sizeof(got), cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        wrong += got[i] != want[i];
    return verdict("bfs", wrong);
}
