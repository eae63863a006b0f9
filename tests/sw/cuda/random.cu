// SPDX-License-Identifier: Apache-2.0
// curand_kernel.h over rocRAND: means of uniform and normal numbers, of both forms of a state.
#include <curand_kernel.h>
#include <math.h>

#include "check.h"
#define N 256
__global__ void draw(float *out)
{
    int t = threadIdx.x;
    curandState state;
    curandStatePhilox4_32_10_t philox;
    float sum = 0;
    curand_init(1234, t, 0, &state);
    for (int i = 0; i < 64; i++)
        sum += curand_uniform(&state);
    curand_init(5678, t, 0, &philox);
    float4 v = curand_normal4(&philox);
    float2 w = curand_normal2(&philox);
    out[t] = sum / 64;
    out[N + t] = (v.x + v.y + v.z + v.w + w.x + w.y) / 6;
}

int main()
{
    float *p, mean = 0, normal = 0;
    CHECK(cudaMallocManaged(&p, 2 * N * sizeof(float)));
    draw<<<1, N>>>(p);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < N; i++) {
        mean += p[i] / N;
        normal += p[N + i] / N;
    }
    printf("means %g %g\n", mean, normal);
    return verdict("random", !(fabsf(mean - 0.5f) < 0.02f && fabsf(normal) < 0.1f));
}
