// SPDX-License-Identifier: Apache-2.0
// One step of bodies that attract each other: float4, tiles in shared memory, rsqrtf; compared with doubles of the
// host.
#include <math.h>

#include "check.h"
#define N 256
#define BLOCK 64
__device__ float3 pull(float4 me, float4 other, float3 sum)
{
    float3 d = make_float3(other.x - me.x, other.y - me.y, other.z - me.z);
    float inverse = rsqrtf(d.x * d.x + d.y * d.y + d.z * d.z + 0.01f), scale = other.w * inverse * inverse * inverse;
    return make_float3(sum.x + d.x * scale, sum.y + d.y * scale, sum.z + d.z * scale);
}

__global__ void forces(const float4 *bodies, float3 *out)
{
    __shared__ float4 tile[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float4 me = bodies[i];
    float3 sum = {0, 0, 0};
    for (int t = 0; t < N; t += BLOCK) {
        tile[threadIdx.x] = bodies[t + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < BLOCK; k++)
            sum = pull(me, tile[k], sum);
        __syncthreads();
    }
    out[i] = sum;
}

int main()
{
    static float4 host[N], *bodies;
    static float3 got[N], *out;
    int wrong = 0;
    for (int i = 0; i < N; i++)
        host[i] = make_float4(sinf(i), cosf(3 * i), sinf(7 * i + 1), 1.0f + i % 3);
    CHECK(cudaMalloc(&bodies, sizeof(host)));
    CHECK(cudaMalloc(&out, sizeof(got)));
    CHECK(cudaMemcpy(bodies, host, sizeof(host), cudaMemcpyHostToDevice));
    forces<<<N / BLOCK, BLOCK>>>(bodies, out);
    CHECK(cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) {
        double x = 0, y = 0, z = 0;
        for (int k = 0; k < N; k++) {
            double dx = host[k].x - host[i].x, dy = host[k].y - host[i].y, dz = host[k].z - host[i].z;
            double scale = host[k].w / pow(dx * dx + dy * dy + dz * dz + 0.01f, 1.5);
            x += dx * scale;
            y += dy * scale;
            z += dz * scale;
        }
        double far = fabs(x - got[i].x) + fabs(y - got[i].y) + fabs(z - got[i].z), size = fabs(x) + fabs(y) + fabs(z);
        wrong += !(far <= 1e-4 * size + 1e-3);
    }
    return verdict("nbody", wrong);
}
