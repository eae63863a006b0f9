// SPDX-License-Identifier: Apache-2.0
// Functions of device code against the host: directions of rounding, bits and conversions, minima of two types,
// atomics.
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "check.h"
#define N 64
struct result {
    float up, down, zero, fused;
    double dup, dzero;
    unsigned bits, bytes, least, reversed;
    int most, sad, first;
    long long high;
};
__device__ long long lowest;
__device__ unsigned turns;

__global__ void work(result *out, const float *a, const double *d, const unsigned *u)
{
    int t = threadIdx.x, o = (t + 7) % N;
    result r;
    r.up = __fadd_ru(a[t], a[o]);
    r.down = __fmul_rd(a[t], a[o]);
    r.zero = __fsub_rz(a[t], a[o]);
    r.fused = __fmaf_ru(a[t], a[o], 0.3f);
    r.dup = __dmul_ru(d[t], d[o]);
    r.dzero = __dadd_rz(d[t], d[o]);
    r.bits = __popc(u[t]) + 100 * __clz(u[t]) + 10000 * __ffs(u[t]);
    r.bytes = __byte_perm(u[t], u[o], 0x5140);
    r.reversed = __brev(u[t]);
    r.least = min(u[t], 5);
    r.most = (int)max(a[t], 0.25);
    r.sad = (int)__usad(u[t] >> 8, u[o] >> 8, 3u) + __mul24(t, -3) + (int)__umulhi(u[t], u[o]);
    r.first = __float_as_int(a[t]) ^ __float2int_rd(a[t] * 100.0f);
    r.high = __mul64hi((long long)u[t] << 31, -(long long)u[o] << 30);
    atomicMin(&lowest, (long long)u[t] - 3000000000ll);
    atomicInc(&turns, 9);
    out[t] = r;
}

int main()
{
    static result got[N], *out;
    float a[N], *d_a;
    double d[N], *d_d;
    unsigned u[N], *d_u, turns_got;
    long long low = 0, low_got;
    int wrong = 0;
    for (int i = 0; i < N; i++) {
        a[i] = sinf(i + 0.5f) * (1 + i % 5);
        d[i] = cos(i * 0.7) / 3;
        u[i] = (i + 1) * 2654435761u;
        if ((long long)u[i] - 3000000000ll < low)
            low = (long long)u[i] - 3000000000ll;
    }
    CHECK(cudaMalloc(&out, sizeof(got)));
    CHECK(cudaMalloc(&d_a, sizeof(a)));
    CHECK(cudaMalloc(&d_d, sizeof(d)));
    CHECK(cudaMalloc(&d_u, sizeof(u)));
    CHECK(cudaMemcpy(d_a, a, sizeof(a), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_d, d, sizeof(d), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_u, u, sizeof(u), cudaMemcpyHostToDevice));
    work<<<1, N>>>(out, d_a, d_d, d_u);
    CHECK(cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpyFromSymbol(&low_got, lowest, sizeof(low_got)));
    CHECK(cudaMemcpyFromSymbol(&turns_got, turns, sizeof(turns_got)));
    for (int i = 0; i < N; i++) {
        int o = (i + 7) % N;
        volatile float x = a[i], y = a[o], sum, product, difference;
        volatile double p = d[i], q = d[o], dproduct, dsum;
        fesetround(FE_UPWARD);
        sum = x + y;
        dproduct = p * q;
        volatile float fused = fmaf(x, y, 0.3f);
        fesetround(FE_DOWNWARD);
        product = x * y;
        fesetround(FE_TOWARDZERO);
        difference = x - y;
        dsum = p + q;
        fesetround(FE_TONEAREST);
        const result &r = got[i];
        wrong += r.up != sum || r.down != product || r.zero != difference || r.fused != fused || r.dup != dproduct ||
                 r.dzero != dsum;
        unsigned v = u[i], w = u[o], reversed = 0, pattern;
        for (int k = 0; k < 32; k++)
            reversed |= (v >> k & 1) << (31 - k);
        wrong += r.bits != (unsigned)(__builtin_popcount(v) + 100 * __builtin_clz(v) + 10000 * __builtin_ffs((int)v));
        wrong += r.bytes != ((v & 255) | (w & 255) << 8 | (v >> 8 & 255) << 16 | (w >> 8 & 255) << 24) ||
                 r.reversed != reversed;
        wrong += r.least != 5 || r.most != (int)(a[i] > 0.25 ? a[i] : 0.25);
        int sad = (int)(v >> 8) - (int)(w >> 8);
        wrong += r.sad != (sad < 0 ? -sad : sad) + 3 - 3 * i + (int)((unsigned long long)v * w >> 32);
        memcpy(&pattern, &a[i], sizeof(pattern));
        wrong += r.first != ((int)pattern ^ (int)floorf(a[i] * 100.0f));
        wrong += r.high != (long long)((__int128)((long long)v << 31) * (-(long long)w << 30) >> 64);
    }
    wrong += low_got != low || turns_got != N % 10;
    return verdict("intrinsics", wrong);
}
