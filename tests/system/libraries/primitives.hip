// SPDX-License-Identifier: Apache-2.0
// rocPRIM, compiled from its headers: device-wide reduction, scans, radix sorts, selection, and the same in a block and a wavefront.
#include <algorithm>
#include <numeric>

#include <rocprim/rocprim.hpp>

#include "suite.h"

/* Runs a rocPRIM algorithm: first for the size of its temporary memory, then in earnest. */
template <class Call> static void with_storage(Call call)
{
    size_t bytes = 0;
    HIP_OK(call(nullptr, bytes));
    Array<uint8_t> storage(bytes ? bytes : 1);
    HIP_OK(call(storage.gpu(), bytes));
    HIP_OK(hipDeviceSynchronize());
}

__global__ void block_and_wave(const int *in, int *out)
{
    using Scan = rocprim::block_scan<int, 256>;
    using Sort = rocprim::block_radix_sort<int, 256, 1>;
    using Reduce = rocprim::warp_reduce<int, 64, true>;
    __shared__ union {
        Scan::storage_type scan;
        Sort::storage_type sort;
        Reduce::storage_type reduce[4];
    } storage;
    const unsigned i = threadIdx.x;
    int sum, key[1] = {in[i]}, best;
    Scan().inclusive_scan(in[i], sum, storage.scan);
    __syncthreads();
    Sort().sort(key, storage.sort);
    __syncthreads();
    Reduce().reduce(in[i], best, storage.reduce[i / 64], rocprim::maximum<int>());
    out[i] = sum;
    out[256 + i] = key[0];
    out[512 + i] = best;
}

int main(int argc, char **argv)
{
    const unsigned n = size_argument(argc, argv, 2000);
    uint32_t seed = seed_argument(argc, argv);
    Suite suite("primitives");
    Array<unsigned> in(random_words(n, seed)), out(n), values(n), values_out(n), count(1);
    std::vector<unsigned> wanted(n);
    std::iota(values.host.begin(), values.host.end(), 0u);
    values.put();

    with_storage([&](void *t, size_t &b) { return rocprim::reduce(t, b, in.gpu(), out.gpu(), 7u, n, rocprim::plus<unsigned>()); });
    suite.same("reduce", std::vector<unsigned>(1, out.get()[0]), {std::accumulate(in.host.begin(), in.host.end(), 7u)});

    with_storage([&](void *t, size_t &b) { return rocprim::inclusive_scan(t, b, in.gpu(), out.gpu(), n, rocprim::plus<unsigned>()); });
    std::partial_sum(in.host.begin(), in.host.end(), wanted.begin());
    suite.same("inclusive scan", out.get(), wanted);

#ifndef SHORT
    with_storage([&](void *t, size_t &b) { return rocprim::exclusive_scan(t, b, in.gpu(), out.gpu(), 5u, n, rocprim::maximum<unsigned>()); });
    for (unsigned i = 0, most = 5; i < n; most = std::max(most, in.host[i++]))
        wanted[i] = most;
    suite.same("exclusive scan", out.get(), wanted);

    with_storage([&](void *t, size_t &b) { return rocprim::radix_sort_keys(t, b, in.gpu(), out.gpu(), n); });
    wanted = in.host;
    std::sort(wanted.begin(), wanted.end());
    suite.same("radix sort", out.get(), wanted);

    with_storage([&](void *t, size_t &b) { return rocprim::radix_sort_pairs_desc(t, b, in.gpu(), out.gpu(), values.gpu(), values_out.gpu(), n, 4, 20); });
    wanted = values.host;
    std::stable_sort(wanted.begin(), wanted.end(), [&](unsigned a, unsigned b) { return (in.host[a] >> 4 & 0xffff) > (in.host[b] >> 4 & 0xffff); });
    suite.same("radix sort of pairs", values_out.get(), wanted);

    auto chosen = [] __host__ __device__(unsigned v) { return v % 3 == 0; };
    with_storage([&](void *t, size_t &b) { return rocprim::select(t, b, in.gpu(), out.gpu(), count.gpu(), n, chosen); });
    wanted.clear();
    std::copy_if(in.host.begin(), in.host.end(), std::back_inserter(wanted), chosen);
    out.get();
    suite.same("select", std::vector<unsigned>(out.host.begin(), out.host.begin() + std::min(n, count.get()[0])), wanted);

    Array<double> reals(random_reals<double>(n, seed, -9, 9)), sorted(n);
    with_storage([&](void *t, size_t &b) { return rocprim::radix_sort_keys(t, b, reals.gpu(), sorted.gpu(), n); });
    auto wanted_reals = reals.host;
    std::sort(wanted_reals.begin(), wanted_reals.end());
    suite.same("radix sort of doubles", sorted.get(), wanted_reals);

    Array<int> few(256), results(768);
    for (auto &v : few.host)
        v = static_cast<int>(random_next(seed)) >> 10;
    few.put();
    std::vector<int> expected(768);
    std::partial_sum(few.host.begin(), few.host.end(), expected.begin());
    std::copy(few.host.begin(), few.host.end(), expected.begin() + 256);
    std::sort(expected.begin() + 256, expected.begin() + 512);
    for (unsigned i = 0; i < 256; i++)
        expected[512 + i] = *std::max_element(few.host.begin() + i / 64 * 64, few.host.begin() + i / 64 * 64 + 64);
    block_and_wave<<<1, 256>>>(few.gpu(), results.gpu());
    suite.same("block and wavefront", results.get(), expected);
#endif
    return suite.verdict();
}
