// SPDX-License-Identifier: Apache-2.0
// Functions between the lanes of a warp, written for any size of a warp: with --warp32 32 lanes, without 64.
#include "check.h"
#define BLOCK 128
struct result {
    int sum, up, xored, other, any, all, lane;
    unsigned long long ballot, active;
};
__global__ void work(result *out, const int *in)
{
    int t = threadIdx.x, lane = t & (warpSize - 1), v = in[t];
    result r;
    r.lane = lane;
    r.sum = v;
    for (int d = warpSize / 2; d > 0; d >>= 1)
        r.sum += __shfl_down(r.sum, d);
    r.up = __shfl_up(v, 3);
    r.xored = __shfl_xor_sync(~0u, v, 5);
    r.other = __shfl(v, lane * 7 + 1, 16);
    r.any = __any(v == 77);
    r.all = __all_sync(__activemask(), v < 1000);
    r.ballot = __ballot(v & 1);
    r.active = 0;
    if (lane % 3 == 0)
        r.active = __activemask();
    __syncwarp();
    out[t] = r;
}

int main()
{
    static result got[BLOCK], *out;
    int in[BLOCK], *source, wrong = 0;
    cudaDeviceProp prop;
    CHECK(cudaGetDeviceProperties(&prop, 0));
    int w = prop.warpSize;
    for (int i = 0; i < BLOCK; i++)
        in[i] = i * 29 % 101;
    in[100] = 2000;
    CHECK(cudaMalloc(&source, sizeof(in)));
    CHECK(cudaMalloc(&out, sizeof(got)));
    CHECK(cudaMemcpy(source, in, sizeof(in), cudaMemcpyHostToDevice));
    work<<<1, BLOCK>>>(out, source);
    CHECK(cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost));
    for (int t = 0; t < BLOCK; t++) {
        int first = t / w * w, lane = t - first, sum = 0, any = 0, all = 1;
        unsigned long long ballot = 0, thirds = 0;
        for (int k = 0; k < w; k++) {
            sum += in[first + k];
            any |= in[first + k] == 77;
            all &= in[first + k] < 1000;
            ballot |= (unsigned long long)(in[first + k] & 1) << k;
            thirds |= (unsigned long long)(k % 3 == 0) << k;
        }
        const result &r = got[t];
        wrong +=
            r.lane != lane || (lane == 0 && r.sum != sum) || r.up != in[lane < 3 ? t : t - 3] || r.xored != in[t ^ 5];
        wrong += r.other != in[t / 16 * 16 + (lane * 7 + 1) % 16] || !r.any != !any || !r.all != !all;
        wrong += r.ballot != ballot || r.active != (lane % 3 == 0 ? thirds : 0);
    }
    printf("warps of %d lanes\n", w);
    return verdict("warp_functions", wrong);
}
