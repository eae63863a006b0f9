// SPDX-License-Identifier: Apache-2.0
// Variables of the device by symbol: the object, and its name as up to CUDA 4.
#include "check.h"
__constant__ float weights[4];
static __constant__ int shift = 5;
__device__ int total;
__device__ float4 last;
__global__ void apply(const float *in, float *out, int n)
{
    int i = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 4; k++)
        sum += in[(i + k) % n] * weights[k];
    out[i] = sum + shift;
    atomicAdd(&total, 1);
    if (i == n - 1)
        last = make_float4(i, sum, shift, weights[0]);
}

int main()
{
    const int n = 100;
    float in[n], got[n], w[4] = {1, 2, 0, 0}, more[2] = {3, 4}, *source, *out;
    int wrong = 0, seven = 7, count = 0;
    size_t size = 0;
    void *address = NULL;
    float4 v;
    for (int i = 0; i < n; i++)
        in[i] = i % 9;
    CHECK(cudaMalloc(&source, sizeof(in)));
    CHECK(cudaMalloc(&out, sizeof(in)));
    CHECK(cudaMemcpy(source, in, sizeof(in), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyToSymbol(weights, w, sizeof(w)));
    CHECK(cudaMemcpyToSymbol("weights", more, sizeof(more), 2 * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyToSymbol(shift, &seven, sizeof(int)));
    apply<<<1, n>>>(source, out, n);
    CHECK(cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpyFromSymbol(&count, total, sizeof(int)));
    CHECK(cudaMemcpyFromSymbol(&v, "last", sizeof(v), 0, cudaMemcpyDeviceToHost));
    CHECK(cudaGetSymbolAddress(&address, weights));
    CHECK(cudaGetSymbolSize(&size, weights));
    for (int i = 0; i < n; i++) {
        float sum = 7;
        for (int k = 0; k < 4; k++)
            sum += in[(i + k) % n] * (k + 1);
        wrong += got[i] != sum;
    }
    wrong +=
        count != n || size != sizeof(w) || !address || v.x != n - 1 || v.y != got[n - 1] - 7 || v.z != 7 || v.w != 1;
    wrong +=
        cudaMemcpyToSymbol("nothing", w, 4) != cudaErrorInvalidSymbol || cudaGetLastError() != cudaErrorInvalidSymbol;
    wrong += cudaMemcpyToSymbol(weights, w, sizeof(w), 4) != cudaErrorInvalidValue ||
             cudaGetLastError() != cudaErrorInvalidValue;
    return verdict("constant_symbol", wrong);
}
