// SPDX-License-Identifier: Apache-2.0
// Functions that are not inlined take generic pointers to shared, private and global arrays, so that their accesses are
// flat instructions; with -O0 those to their own variables are too.  Work-items of a wavefront differ in what they point to.
#include <vector>

#include "sw/apps/check.h"

constexpr unsigned Group = 64, Groups = 3;

__device__ __attribute__((noinline)) uint32_t fold(const uint32_t *from, unsigned n)
{
    uint32_t sum = 1;
    for (unsigned i = 0; i < n; i++)
        sum = sum * 31 + from[i];
    return sum;
}

__device__ __attribute__((noinline)) void fill(uint8_t *bytes, uint16_t *half, uint64_t *wide, uint32_t seed)
{
    bytes[0] = seed;
    bytes[1] = seed >> 8;
    *half = seed * 5;
    *wide = seed * 0x100000001ull;
}

__device__ __attribute__((noinline)) uint32_t count(uint32_t *where, unsigned long long *sum, uint32_t add)
{
    atomicAdd(sum, (unsigned long long)add << 30);
    return atomicAdd(where, add);
}

__global__ void generic(const uint32_t *in, uint32_t *out, uint32_t *counts, unsigned long long *sums)
{
    __shared__ uint32_t shared[Group * 4];
    __shared__ uint32_t counter[2];
    __shared__ unsigned long long sum[2];
    uint32_t own[4];
    unsigned l = threadIdx.x, i = blockIdx.x * Group + l;
    if (l < 2) {
        counter[l] = 0;
        sum[l] = 0;
    }
    __syncthreads();
    uint32_t *mine = l % 3 == 0 ? shared + 4 * l : l % 3 == 1 ? own : out + 8 * i;
    fill((uint8_t *)mine, (uint16_t *)mine + 1, (uint64_t *)(mine + 2), in[i]);
    mine[1] = l;
    uint32_t kept = fold(mine, 4);
    __syncthreads();
    // bytes written by generic stores, read directly
    uint32_t direct = l % 3 == 0 ? shared[4 * l] ^ shared[4 * l + 2] : 7;
    bool here = l & 1;
    count(here ? &counter[l >> 1 & 1] : counts + blockIdx.x, here ? &sum[l >> 1 & 1] : sums + blockIdx.x, l);
    __syncthreads();
    out[8 * i + 4] = kept;
    out[8 * i + 5] = direct;
    out[8 * i + 6] = counter[l & 1];
    out[8 * i + 7] = (uint32_t)(sum[l & 1] >> 30);
}

int main()
{
    const unsigned n = Group * Groups;
    uint32_t seed = 1, *in, *out, *counts, zero[Groups] = {};
    unsigned long long *sums, wide[Groups] = {}, got_wide[Groups];
    std::vector<uint32_t> data(n), got(8 * n), got_counts(Groups);
    for (auto &v : data)
        v = random_next(seed);
    HIP_OK(hipMalloc(&in, 4 * n));
    HIP_OK(hipMalloc(&out, 32 * n));
    HIP_OK(hipMalloc(&counts, sizeof zero));
    HIP_OK(hipMalloc(&sums, sizeof wide));
    HIP_OK(hipMemcpy(in, data.data(), 4 * n, hipMemcpyHostToDevice));
    HIP_OK(hipMemcpy(counts, zero, sizeof zero, hipMemcpyHostToDevice));
    HIP_OK(hipMemcpy(sums, wide, sizeof wide, hipMemcpyHostToDevice));
    generic<<<Groups, Group>>>(in, out, counts, sums);
    HIP_OK(hipGetLastError());
    HIP_OK(hipMemcpy(got.data(), out, 32 * n, hipMemcpyDeviceToHost));
    HIP_OK(hipMemcpy(got_counts.data(), counts, sizeof zero, hipMemcpyDeviceToHost));
    HIP_OK(hipMemcpy(got_wide, sums, sizeof wide, hipMemcpyDeviceToHost));
    unsigned wrong = 0;
    uint32_t odd[2] = {}, even = 0;
    for (unsigned l = 0; l < Group; l++)
        (l & 1 ? odd[l >> 1 & 1] : even) += l;
    for (unsigned i = 0; i < n; i++) {
        uint32_t l = i % Group, v = data[i], word[4] = {(v & 0xffff) | (v * 5) << 16, l, v, v}, sum = 1;
        for (uint32_t w : word)
            sum = sum * 31 + w;
        wrong += got[8 * i + 4] != sum || got[8 * i + 5] != (l % 3 == 0 ? word[0] ^ word[2] : 7);
        wrong += got[8 * i + 6] != odd[l & 1] || got[8 * i + 7] != odd[l & 1];
    }
    for (unsigned g = 0; g < Groups; g++)
        wrong += got_counts[g] != even || got_wide[g] != (unsigned long long)even << 30;
    return verdict("generic", wrong, n);
}
