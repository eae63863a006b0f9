// SPDX-License-Identifier: Apache-2.0
// Sorting: bitonic in the LDS (keys; records of 16 bytes), radix by 4 bits (count, scan, scatter), ranks, odd-even
// steps.
#include <algorithm>

#include "suite.h"

constexpr unsigned Group = 256, Digits = 16;

struct alignas(16) Record {
    uint64_t key;
    uint32_t value, spare;
};

template <class T, class Less> __device__ static void bitonic(T *data, unsigned n, Less less)
{
    const unsigned i = threadIdx.x;
    for (unsigned size = 2; size <= n; size *= 2)
        for (unsigned step = size / 2; step > 0; step /= 2) {
            const unsigned other = i ^ step;
            __syncthreads();
            if (other > i && less(data[other], data[i]) == !(i & size)) {
                T t = data[i];
                data[i] = data[other];
                data[other] = t;
            }
        }
    __syncthreads();
}

__global__ void sort_bitonic(uint32_t *keys)
{
    __shared__ uint32_t mine[Group];
    mine[threadIdx.x] = keys[global_id()];
    bitonic(mine, Group, [](uint32_t a, uint32_t b) { return a < b; });
    keys[global_id()] = mine[threadIdx.x];
}

__global__ void sort_records(Record *records)
{
    __shared__ Record mine[Group];
    mine[threadIdx.x] = records[global_id()];
    bitonic(mine, Group, [](const Record &a, const Record &b) { return a.key < b.key; });
    records[global_id()] = mine[threadIdx.x];
}

// Counts of each digit in each group, digit-major, so that one scan gives every group its places.
__global__ void radix_count(const uint32_t *keys, uint32_t *counts, unsigned shift)
{
    __shared__ uint32_t mine[Digits];
    if (threadIdx.x < Digits)
        mine[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&mine[keys[global_id()] >> shift & (Digits - 1)], 1u);
    __syncthreads();
    if (threadIdx.x < Digits)
        counts[threadIdx.x * gridDim.x + blockIdx.x] = mine[threadIdx.x];
}

__global__ void radix_scan(uint32_t *counts, unsigned n)
{
    __shared__ uint32_t sums[Group];
    const unsigned i = threadIdx.x;
    const uint32_t own = i < n ? counts[i] : 0;
    sums[i] = own;
    for (unsigned step = 1; step < Group; step *= 2) {
        __syncthreads();
        const uint32_t left = i >= step ? sums[i - step] : 0;
        __syncthreads();
        sums[i] += left;
    }
    if (i < n)
        counts[i] = sums[i] - own;
}

// Stable: an item's rank among those of its digit comes from ballots within the wavefront and counts of the wavefronts
// before.
__global__ void radix_scatter(const uint32_t *in, uint32_t *out, const uint32_t *places, unsigned shift)
{
    __shared__ uint32_t before[Group / 64][Digits];
    const uint32_t key = in[global_id()], digit = key >> shift & (Digits - 1);
    const unsigned wave = threadIdx.x / 64;
    uint64_t peers = ~0ull;
    for (unsigned bit = 0; bit < 4; bit++) {
        const uint64_t set = __ballot(digit >> bit & 1);
        peers &= digit >> bit & 1 ? set : ~set;
    }
    const unsigned rank = __builtin_amdgcn_mbcnt_hi(static_cast<uint32_t>(peers >> 32),
                                                    __builtin_amdgcn_mbcnt_lo(static_cast<uint32_t>(peers), 0));
    before[wave][threadIdx.x % 64 % Digits] = 0;
    __syncthreads();
    if (rank == 0)
        before[wave][digit] = static_cast<uint32_t>(__popcll(peers));
    __syncthreads();
    uint32_t place = places[digit * gridDim.x + blockIdx.x] + rank;
    for (unsigned w = 0; w < wave; w++)
        place += before[w][digit];
    out[place] = key;
}

__global__ void sort_by_rank(const int16_t *in, int16_t *out, unsigned n)
{
    if (global_id() >= n)
        return;
    unsigned rank = 0;
    for (unsigned j = 0; j < n; j++)
        rank += in[j] < in[global_id()] || (in[j] == in[global_id()] && j < global_id());
    out[rank] = in[global_id()];
}

__global__ void sort_odd_even(float *data, unsigned n)
{
    for (unsigned round = 0; round < n; round++) {
        const unsigned i = 2 * threadIdx.x + (round & 1);
        if (i + 1 < n && data[i + 1] < data[i]) {
            const float t = data[i];
            data[i] = data[i + 1];
            data[i + 1] = t;
        }
        __syncthreads();
    }
}

int main(int argc, char **argv)
{
    const unsigned groups = size_argument(argc, argv, 2), n = groups * Group;
    uint32_t seed = seed_argument(argc, argv);
    Suite suite("sorting");
    {
        Array<uint32_t> keys(random_words(n, seed));
        auto wanted = keys.host;
        for (unsigned g = 0; g < groups; g++)
            std::sort(wanted.begin() + g * Group, wanted.begin() + (g + 1) * Group);
        sort_bitonic<<<groups, Group>>>(keys.gpu());
        suite.same("bitonic", keys.get(), wanted);
    }
    {
        Array<Record> records(Group);
        for (unsigned i = 0; i < Group; i++)
            records.host[i] = {static_cast<uint64_t>(random_next(seed)) << 32 | random_next(seed), i, ~i};
        records.put();
        auto wanted = records.host;
        std::sort(wanted.begin(), wanted.end(), [](const Record &a, const Record &b) { return a.key < b.key; });
        sort_records<<<1, Group>>>(records.gpu());
        suite.same("records", records.get(), wanted);
    }
    {
        Array<uint32_t> keys(n), other(n), counts(Digits * groups);
        for (auto &k : keys.host)
            k = random_next(seed) >> 16; // 4 passes
        keys.put();
        auto wanted = keys.host;
        std::sort(wanted.begin(), wanted.end());
        uint32_t *from = keys.gpu(), *to = other.gpu();
        for (unsigned shift = 0; shift < 16; shift += 4) {
            radix_count<<<groups, Group>>>(from, counts.gpu(), shift);
            radix_scan<<<1, Group>>>(counts.gpu(), Digits * groups);
            radix_scatter<<<groups, Group>>>(from, to, counts.gpu(), shift);
            std::swap(from, to);
        }
        suite.same("radix", keys.get(), wanted);
    }
    {
        const unsigned few = 150;
        Array<int16_t> in(few), out(few);
        for (auto &v : in.host)
            v = static_cast<int16_t>(random_next(seed) % 200 - 100);
        in.put();
        auto wanted = in.host;
        std::sort(wanted.begin(), wanted.end());
        sort_by_rank<<<groups_of(few, 64), 64>>>(in.gpu(), out.gpu(), few);
        suite.same("by rank", out.get(), wanted);
    }
    {
        const unsigned few = 61;
        Array<float> data(random_reals<float>(few, seed, -1e3, 1e3));
        auto wanted = data.host;
        std::sort(wanted.begin(), wanted.end());
        sort_odd_even<<<1, 64>>>(data.gpu(), few);
        suite.same("odd-even", data.get(), wanted);
    }
    return suite.verdict();
}
