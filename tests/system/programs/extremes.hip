// SPDX-License-Identifier: Apache-2.0
// For tests/system/test_extremes.py: a mixed set of short kernels whose results do not depend on the machine's sizes and
// times, compared with the CPU's: scattered loads and stores, byte stores, atomics (tickets, 64 bit, compare and swap),
// LDS with a barrier and LDS atomics, scalar loads by a chain, code longer than a small instruction cache, doubles and
// transcendentals, and on the last device the first device's and the host's memory: loads, stores, atomics, while the
// first device works on the last one's.  A group has 64 work-items, so that the smallest CU takes it, or 256 with "256".
#include <algorithm>
#include <cstring>
#include <vector>

#include "../../../sw/apps/check.h"

constexpr unsigned Items = 2048, Spread = 67, Chain = 512;

__device__ static unsigned item()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

// Every item reads lines far apart, writes a word elsewhere and a byte somewhere else.
__global__ void scatter(const unsigned *in, unsigned *out, unsigned char *bytes)
{
    unsigned i = item(), sum = 0;
    for (unsigned k = 0; k < 4; k++)
        sum = sum * 5 + in[(i * Spread + k * 1031) % (4 * Items)];
    out[(i * 17) % Items] = sum;
    bytes[(i * 97) % Items] = static_cast<unsigned char>(sum >> 5);
}

// cells: 0 tickets, 1 sum, 2 most, 3 sum by compare and swap; wide: a 64-bit sum.
__global__ void atomics(const unsigned *in, unsigned *cells, unsigned long long *wide, unsigned *slots)
{
    unsigned v = in[item()];
    slots[atomicAdd(&cells[0], 1)] += 3;
    atomicAdd(&cells[1], v);
    atomicMax(&cells[2], v);
    atomicAdd(wide, static_cast<unsigned long long>(v) << 8);
    if (threadIdx.x % 64 == 0) {
        unsigned old = cells[3], seen;
        while ((seen = atomicCAS(&cells[3], old, old + v)) != old)
            old = seen;
    }
}

// Sum and histogram of a group in the LDS (at most 1 KiB).
__global__ void local(const unsigned *in, unsigned *sums, unsigned *counts)
{
    __shared__ unsigned part[64], bins[16];
    unsigned t = threadIdx.x;
    if (t < 64)
        part[t] = 0;
    if (t < 16)
        bins[t] = 0;
    __syncthreads();
    atomicAdd(&bins[in[item()] & 15], 1);
    atomicAdd(&part[(t * 5) & 63], in[item()]);
    __syncthreads();
    if (t < 16)
        atomicAdd(&counts[t], bins[t]);
    unsigned sum = 0;
    for (unsigned k = 0; k < 64; k += 8)
        sum += part[(t + k) & 63];
    atomicAdd(&sums[t & 7], sum);
}

// One address for all items: scalar loads, each the index of the next.
__global__ void chain(const unsigned *__restrict__ next, unsigned *out)
{
    unsigned at = blockIdx.x;
    for (unsigned k = 0; k < 24; k++)
        at = next[at];
    if (threadIdx.x == 0)
        out[blockIdx.x] = at;
}

__host__ __device__ static unsigned mixed(unsigned x, unsigned step)
{
    return (x ^ (x >> 7)) * (2 * step + 0x9e3779b1u) + step;
}

// A few KiB of straight code, twice.
__global__ void straight(const unsigned *in, unsigned *out)
{
    unsigned x = in[item()];
    for (unsigned twice = 0; twice < 2; twice++) {
#pragma unroll
        for (unsigned step = 0; step < 160; step++)
            x = mixed(x, step);
    }
    out[item()] = x;
}

// Slow instructions whose results are exact, and a clock that does not go back.
__global__ void slow(const unsigned *in, double *out, unsigned *later)
{
    long long begin = clock64();
    unsigned v = in[item()] & 0xffff;
    double d = (v + 1) * 0.5;
    d = d * d + 3.0;
    float f = __fsqrt_rn(static_cast<float>(v * v & 0xffff));
    out[item()] = d + (f >= 0.0f ? 1.0 : 0.0);
    later[item()] = clock64() >= begin;
}

// Loads, stores and atomics in memory that another device or the host owns.
__global__ void far(const unsigned *in, unsigned *out, unsigned *cells)
{
    unsigned i = item();
    out[(i * 33) % Items] = in[(i * Spread) % (4 * Items)] + 1;
    if (i % 16 == 0)
        atomicAdd(&cells[i % 64 / 16], in[i]);
}

static unsigned wrong, checked;

template <class T> static void compare(const char *what, const std::vector<T> &want, const T *got)
{
    unsigned bad = 0;
    for (size_t i = 0; i < want.size(); i++)
        bad += want[i] != got[i];
    if (bad)
        std::printf("extremes: %s: %u of %zu wrong\n", what, bad, want.size());
    wrong += bad;
    checked += static_cast<unsigned>(want.size());
}

template <class T> static void compare_device(const char *what, const std::vector<T> &want, const T *device)
{
    std::vector<T> got(want.size());
    HIP_OK(hipMemcpy(got.data(), device, want.size() * sizeof(T), hipMemcpyDeviceToHost));
    compare(what, want, got.data());
}

template <class T> static T *memory(size_t count)
{
    T *p;
    HIP_OK(hipMalloc(&p, count * sizeof(T)));
    HIP_OK(hipMemset(p, 0, count * sizeof(T)));
    return p;
}

static unsigned group = 64;
#define LAUNCH(kernel, ...)                                   \
    do {                                                      \
        kernel<<<Items / group, group>>>(__VA_ARGS__);        \
        HIP_OK(hipGetLastError());                            \
    } while (0)

static void check_near(const std::vector<unsigned> &in, const unsigned *device)
{
    unsigned *out = memory<unsigned>(Items), *cells = memory<unsigned>(4), *slots = memory<unsigned>(Items);
    unsigned *sums = memory<unsigned>(8), *counts = memory<unsigned>(16), *mix = memory<unsigned>(Items);
    unsigned *later = memory<unsigned>(Items), *ends = memory<unsigned>(Items / group);
    auto *bytes = memory<unsigned char>(Items);
    auto *wide = memory<unsigned long long>(1);
    auto *reals = memory<double>(Items);
    LAUNCH(scatter, device, out, bytes);
    LAUNCH(atomics, device, cells, wide, slots);
    LAUNCH(local, device, sums, counts);
    LAUNCH(straight, device, mix);
    LAUNCH(slow, device, reals, later);
    std::vector<unsigned> next(Chain), last(Items / group);
    for (unsigned i = 0; i < Chain; i++)
        next[i] = (i * 5 + 1 + i / 7) % Chain;
    unsigned *links = memory<unsigned>(Chain);
    HIP_OK(hipMemcpy(links, next.data(), Chain * 4, hipMemcpyHostToDevice));
    LAUNCH(chain, links, ends);
    HIP_OK(hipDeviceSynchronize());

    std::vector<unsigned> scattered(Items), finals(4), totals(8), bins(16), mixes(Items), once(Items, 3), yes(Items, 1);
    std::vector<unsigned char> low(Items);
    std::vector<unsigned long long> total(1);
    std::vector<double> values(Items);
    for (unsigned i = 0; i < Items; i++) {
        unsigned sum = 0, x = in[i];
        for (unsigned k = 0; k < 4; k++)
            sum = sum * 5 + in[(i * Spread + k * 1031) % (4 * Items)];
        scattered[(i * 17) % Items] = sum;
        low[(i * 97) % Items] = static_cast<unsigned char>(sum >> 5);
        finals[0]++;
        finals[1] += x;
        finals[2] = std::max(finals[2], x);
        total[0] += static_cast<unsigned long long>(x) << 8;
        if (i % 64 == 0)
            finals[3] += x;
        bins[x & 15]++;
        double d = ((x & 0xffff) + 1) * 0.5;
        values[i] = d * d + 4.0;
        for (unsigned twice = 0; twice < 2; twice++) {
            for (unsigned step = 0; step < 160; step++)
                x = mixed(x, step);
        }
        mixes[i] = x;
    }
    for (unsigned first = 0; first < Items; first += group) {
        unsigned part[64] = {}, at = first / group;
        for (unsigned t = 0; t < group; t++)
            part[t * 5 & 63] += in[first + t];
        for (unsigned t = 0; t < group; t++) {
            for (unsigned k = 0; k < 64; k += 8)
                totals[t & 7] += part[(t + k) & 63];
        }
        for (unsigned k = 0; k < 24; k++)
            at = next[at];
        last[first / group] = at;
    }
    compare_device("scatter", scattered, out);
    compare_device("bytes", low, bytes);
    compare_device("atomics", finals, cells);
    compare_device("64-bit atomics", total, wide);
    compare_device("tickets", once, slots);
    compare_device("lds sums", totals, sums);
    compare_device("lds counts", bins, counts);
    compare_device("straight code", mixes, mix);
    compare_device("doubles", values, reals);
    compare_device("clock", yes, later);
    compare_device("chain", last, ends);
}

static void far_expect(const std::vector<unsigned> &in, std::vector<unsigned> &out, std::vector<unsigned> &cells)
{
    for (unsigned i = 0; i < Items; i++) {
        out[(i * 33) % Items] = in[(i * Spread) % (4 * Items)] + 1;
        if (i % 16 == 0)
            cells[i % 64 / 16] += in[i];
    }
}

int main(int argc, char **argv)
{
    group = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : group;
    int devices = 0;
    HIP_OK(hipGetDeviceCount(&devices));
    uint32_t seed = 7;
    std::vector<unsigned> in(4 * Items), out(Items), cells(4);
    for (auto &v : in)
        v = random_next(seed);
    const int ends[2] = {0, devices - 1};
    const unsigned count = devices > 1 ? 2 : 1;
    unsigned *data[2], *results[2], *sums[2];
    for (unsigned d = 0; d < count; d++) {
        HIP_OK(hipSetDevice(ends[d]));
        data[d] = memory<unsigned>(in.size());
        results[d] = memory<unsigned>(Items);
        sums[d] = memory<unsigned>(4);
        HIP_OK(hipMemcpy(data[d], in.data(), in.size() * 4, hipMemcpyHostToDevice));
        if (count > 1)
            HIP_OK(hipDeviceEnablePeerAccess(ends[1 - d], 0));
    }
    far_expect(in, out, cells);
    for (unsigned d = 0; d < count && count > 1; d++) { // both directions at once
        HIP_OK(hipSetDevice(ends[d]));
        LAUNCH(far, data[1 - d], results[1 - d], sums[1 - d]);
    }
    for (unsigned d = 0; d < count; d++) {
        HIP_OK(hipSetDevice(ends[d]));
        HIP_OK(hipDeviceSynchronize());
    }
    for (unsigned d = 0; d < count && count > 1; d++) {
        compare_device("far stores", out, results[d]);
        compare_device("far atomics", cells, sums[d]);
    }
    unsigned *host;
    HIP_OK(hipSetDevice(ends[count - 1]));
    HIP_OK(hipHostMalloc(&host, (in.size() + Items + 4) * 4, 0));
    std::memcpy(host, in.data(), in.size() * 4);
    std::memset(host + in.size(), 0, (Items + 4) * 4);
    LAUNCH(far, host, host + in.size(), host + in.size() + Items);
    HIP_OK(hipDeviceSynchronize());
    compare("host stores", out, host + in.size());
    compare("host atomics", cells, host + in.size() + Items);
    check_near(in, data[count - 1]);
    return verdict("extremes", wrong, checked);
}
