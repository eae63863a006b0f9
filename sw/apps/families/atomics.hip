// SPDX-License-Identifier: Apache-2.0
// Atomics: every operation on 32 and 64 bits in memory and in the LDS, with and without the old value; floats and
// doubles by compare and swap; locks between groups; tickets; signed extremes; relaxed and ordered flags between
// groups.
#include <algorithm>

#include "suite.h"

constexpr unsigned Group = 128, Operations = 9; // add sub min max and or xor, then inc and dec (32 bit only)

// Operations that commute, each on an own cell, so that the last value does not depend on the order.
template <class T> __device__ static void all_operations(T *cells, T v)
{
    atomicAdd(&cells[0], v);
    atomicAdd(&cells[1], 0 - v);
    atomicMin(&cells[2], v);
    atomicMax(&cells[3], v);
    atomicAnd(&cells[4], v | 0xff);
    atomicOr(&cells[5], v & (v << 3));
    atomicXor(&cells[6], v);
}

__device__ static void inc_dec(unsigned *cells, unsigned)
{
    atomicInc(&cells[7], 100);
    atomicDec(&cells[8], 100);
}
__device__ static void inc_dec(unsigned long long *, unsigned long long) {}

template <class T> __device__ static void in_memory(const T *in, T *cells)
{
    all_operations(cells, in[global_id()]);
    inc_dec(cells, in[global_id()]);
}

template <class T> __device__ static void in_lds(const T *in, T *cells)
{
    __shared__ T mine[Operations];
    if (threadIdx.x < Operations)
        mine[threadIdx.x] = cells[threadIdx.x];
    __syncthreads();
    all_operations(mine, in[threadIdx.x]);
    inc_dec(mine, in[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x < Operations)
        cells[threadIdx.x] = mine[threadIdx.x];
}

__global__ void memory_32(const unsigned *in, unsigned *cells)
{
    in_memory(in, cells);
}
__global__ void memory_64(const unsigned long long *in, unsigned long long *cells)
{
    in_memory(in, cells);
}
__global__ void lds_32(const unsigned *in, unsigned *cells)
{
    in_lds(in, cells);
}
__global__ void lds_64(const unsigned long long *in, unsigned long long *cells)
{
    in_lds(in, cells);
}

__global__ void signed_extremes(const int *in, int *cells, const long long *in64, long long *cells64)
{
    atomicMin(&cells[0], in[global_id()]);
    atomicMax(&cells[1], in[global_id()]);
    __hip_atomic_fetch_min(&cells64[0], in64[global_id()], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    __hip_atomic_fetch_max(&cells64[1], in64[global_id()], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

// Each item gets another ticket, in memory and in the LDS; old values of the exchange form a permutation.
__global__ void tickets(unsigned *next, unsigned *taken, unsigned long long *chain, unsigned long long *links)
{
    __shared__ unsigned inside;
    if (threadIdx.x == 0)
        inside = 0;
    __syncthreads();
    const unsigned a = atomicAdd(next, 1u), b = atomicAdd(&inside, 1u);
    atomicAdd(&taken[a], 1u);
    atomicAdd(&taken[gridDim.x * Group + b], 1u);
    links[global_id()] = atomicExch(chain, static_cast<unsigned long long>(global_id()) << 32 | 1);
}

// Multiples of 1/16 below 2^20: exact in any order.
__global__ void float_sums(const float *in, float *sum, double *wide, float *lds_sum)
{
    __shared__ float mine;
    if (threadIdx.x == 0)
        mine = 0;
    __syncthreads();
    atomicAdd(sum, in[global_id()]);
    atomicAdd(wide, static_cast<double>(in[global_id()]));
    atomicAdd(&mine, in[global_id()]);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(lds_sum, mine);
}

// A lock by compare and swap around a plain sequence of a load and a store; one item a group.
__global__ void with_lock(unsigned *lock, volatile uint64_t *value)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0u, 1u))
            ;
        __threadfence();
        for (int k = 0; k < 3; k++)
            *value = *value * 3 + 1;
        __threadfence();
        atomicExch(lock, 0u);
    }
}

// Multiplication modulo a prime by compare and swap: commutes.
__global__ void products(const unsigned *in, unsigned *small, unsigned long long *large)
{
    const unsigned v = in[global_id()] % 65520 + 1;
    unsigned seen = *small, assumed;
    do {
        assumed = seen;
        seen = atomicCAS(small, assumed, assumed * v % 65521);
    } while (seen != assumed);
    unsigned long long seen64 = *large, assumed64;
    do {
        assumed64 = seen64;
        seen64 = atomicCAS(large, assumed64, assumed64 * v % 4294967291u);
    } while (seen64 != assumed64);
}

// A baton through all groups in order: release and acquire of plain data.
__global__ void baton(unsigned *turn, unsigned *data)
{
    if (threadIdx.x != 0)
        return;
    while (__hip_atomic_load(turn, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) != blockIdx.x)
        ;
    data[blockIdx.x + 1] = data[blockIdx.x] * 5 + blockIdx.x;
    __hip_atomic_store(turn, blockIdx.x + 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}

template <class T> static std::vector<T> host_operations(const std::vector<T> &in, std::vector<T> cells, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const T v = in[i];
        cells[0] += v;
        cells[1] -= v;
        cells[2] = std::min(cells[2], v);
        cells[3] = std::max(cells[3], v);
        cells[4] &= v | 0xff;
        cells[5] |= v & (v << 3);
        cells[6] ^= v;
        if (sizeof(T) == 4) {
            cells[7] = cells[7] >= 100 ? 0 : cells[7] + 1;
            cells[8] = cells[8] == 0 || cells[8] > 100 ? 100 : cells[8] - 1;
        }
    }
    return cells;
}

template <class T, class Kernel>
static void all_cells(Suite &suite, const char *name, Kernel kernel, unsigned groups, const std::vector<T> &values)
{
    Array<T> in(values), cells(std::vector<T>{5, 5, T(~0ull >> 1), 0, T(~0ull), 0, 77, 40, 30});
    const auto wanted = host_operations(values, cells.host, groups * Group);
    kernel<<<groups, Group>>>(in.gpu(), cells.gpu());
    suite.same(name, cells.get(), wanted);
}

int main(int argc, char **argv)
{
    const unsigned groups = size_argument(argc, argv, 3), n = groups * Group;
    uint32_t seed = seed_argument(argc, argv);
    Suite suite("atomics");
    const auto words = random_words(n, seed);
    std::vector<unsigned long long> longs(n);
    for (auto &v : longs)
        v = static_cast<unsigned long long>(random_next(seed)) << 32 | random_next(seed);
    all_cells<unsigned>(suite, "memory, 32 bit", memory_32, groups, words);
    all_cells<unsigned long long>(suite, "memory, 64 bit", memory_64, groups, longs);
    all_cells<unsigned>(suite, "lds, 32 bit", lds_32, 1, words);
    all_cells<unsigned long long>(suite, "lds, 64 bit", lds_64, 1, longs);
    {
        Array<int> in(std::vector<int>(words.begin(), words.end())), cells(2);
        Array<long long> in64(std::vector<long long>(longs.begin(), longs.end())), cells64(2);
        signed_extremes<<<groups, Group>>>(in.gpu(), cells.gpu(), in64.gpu(), cells64.gpu());
        suite.same(
            "signed, 32 bit", cells.get(),
            {*std::min_element(in.host.begin(), in.host.end()), *std::max_element(in.host.begin(), in.host.end())});
        suite.same("signed, 64 bit", cells64.get(),
                   {*std::min_element(in64.host.begin(), in64.host.end()),
                    *std::max_element(in64.host.begin(), in64.host.end())});
    }
    {
        Array<unsigned> next(1), taken(n + Group);
        Array<unsigned long long> chain(1, 7), links(n);
        std::vector<unsigned> wanted(n + Group, 1);
        std::fill(wanted.begin() + n, wanted.end(), groups);
        tickets<<<groups, Group>>>(next.gpu(), taken.gpu(), chain.gpu(), links.gpu());
        suite.same("tickets", taken.get(), wanted);
        std::vector<unsigned long long> all(1, 7);
        for (unsigned long long i = 0; i < n; i++)
            all.push_back(i << 32 | 1);
        links.get();
        links.host.push_back(chain.get()[0]);
        std::sort(links.host.begin(), links.host.end());
        std::sort(all.begin(), all.end());
        suite.same("exchanged", links.host, all);
    }
    {
        Array<float> in(n), sum(1), lds_sum(1);
        Array<double> wide(1);
        float wanted = 0;
        for (unsigned i = 0; i < n; i++)
            wanted += in.host[i] = static_cast<float>(static_cast<int>(words[i] % 20001) - 10000) / 16;
        in.put();
        float_sums<<<groups, Group>>>(in.gpu(), sum.gpu(), wide.gpu(), lds_sum.gpu());
        suite.same("float", sum.get(), {wanted});
        suite.same("double", wide.get(), {static_cast<double>(wanted)});
        suite.same("float in the lds", lds_sum.get(), {wanted});
    }
    {
        Array<unsigned> lock(1), small(1, 1), in(words);
        Array<uint64_t> value(1);
        Array<unsigned long long> large(1, 1);
        uint64_t wanted = 0;
        unsigned wanted_small = 1;
        unsigned long long wanted_large = 1;
        for (unsigned k = 0; k < 3 * groups; k++)
            wanted = wanted * 3 + 1;
        with_lock<<<groups, Group>>>(lock.gpu(), value.gpu());
        suite.same("lock", value.get(), {wanted});
        for (unsigned i = 0; i < Group; i++) {
            wanted_small = wanted_small * (words[i] % 65520 + 1) % 65521;
            wanted_large = wanted_large * (words[i] % 65520 + 1) % 4294967291u;
        }
        products<<<1, Group>>>(in.gpu(), small.gpu(), large.gpu());
        suite.same("products, 32 bit", small.get(), {wanted_small});
        suite.same("products, 64 bit", large.get(), {wanted_large});
    }
    {
        const unsigned runners = 6;
        Array<unsigned> turn(1), data(runners + 1, 3);
        std::vector<unsigned> wanted(1, 3);
        for (unsigned g = 0; g < runners; g++)
            wanted.push_back(wanted[g] * 5 + g);
        baton<<<runners, 64>>>(turn.gpu(), data.gpu());
        suite.same("baton", data.get(), wanted);
    }
    return suite.verdict();
}
