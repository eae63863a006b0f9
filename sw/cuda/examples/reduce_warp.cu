// SPDX-License-Identifier: Apache-2.0
// A sum in the old style: the last 32 threads of a block go on without synchronisation, by volatile shared memory. Right with warps of 32 and of 64:
// the 32 threads are one warp or half of one, in lock step.
#include "check.h"
__global__ void reduce(const unsigned *in, unsigned *out)
{
    __shared__ unsigned data[256];
    unsigned t = threadIdx.x;
    data[t] = in[blockIdx.x * 512 + t] + in[blockIdx.x * 512 + 256 + t];
    __syncthreads();
    for (unsigned s = 128; s > 32; s >>= 1) {
        if (t < s)
            data[t] += data[t + s];
        __syncthreads();
    }
    if (t < 32) {
        volatile unsigned *v = data;
        v[t] += v[t + 32];
        v[t] += v[t + 16];
        v[t] += v[t + 8];
        v[t] += v[t + 4];
        v[t] += v[t + 2];
        v[t] += v[t + 1];
    }
    if (t == 0)
        out[blockIdx.x] = data[0];
}

int main()
{
    const int blocks = 6, n = blocks * 512;
    static unsigned in[n], out[blocks];
    unsigned *source, *sums, want = 0, got = 0;
    for (int i = 0; i < n; i++)
        want += in[i] = i * 2654435761u;
    CHECK(cudaMalloc(&source, sizeof(in)));
    CHECK(cudaMalloc(&sums, sizeof(out)));
    CHECK(cudaMemcpy(source, in, sizeof(in), cudaMemcpyHostToDevice));
    reduce<< <blocks, 256>> >(source, sums);
    CHECK(cudaThreadSynchronize());
    CHECK(cudaMemcpy(out, sums, sizeof(out), cudaMemcpyDeviceToHost));
    for (int i = 0; i < blocks; i++)
        got += out[i];
    int bad = verdict("reduce_warp", got != want);
    cudaThreadExit();
    return bad;
}
