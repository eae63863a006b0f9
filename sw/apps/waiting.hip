// SPDX-License-Identifier: Apache-2.0
// Kernels that wait: for a time, by each way HIP has to read it; for a flag of the host, which meanwhile does other work
// on the GPU; for locks, 32 in one word; for the work-group before them (a scan in one pass).
#include <chrono>
#include <cstring>
#include <vector>

#include "check.h"

#ifndef __HIP_DEVICE_COMPILE__
__device__ long long wall_clock64(); // HIP 5.2.3 declares it for device code alone
#endif

// ---- time
__device__ static long long read_clock(unsigned way)
{
    switch (way) {
    case 0:
        return clock64();
    case 1:
        return wall_clock64();
    case 2:
        return static_cast<long long>(__builtin_readcyclecounter());
    case 3:
        return static_cast<long long>(__builtin_amdgcn_s_memtime());
    case 4:
        return static_cast<long long>(__builtin_amdgcn_s_memrealtime());
    default:
        return clock();
    }
}
__global__ void wait_time(long long *out, unsigned way, long long ticks, bool sleep)
{
    const long long from = read_clock(way);
    long long to;
    do {
        if (sleep)
            __builtin_amdgcn_s_sleep(2);
        to = read_clock(way);
    } while (to - from < ticks);
    out[blockIdx.x * blockDim.x + threadIdx.x] = to - from;
}

// The wait is as long as asked for, for the kernel, for the host and for the events around it.
static unsigned times(long long ticks)
{
    long long *out, got[128];
    hipEvent_t begin, end;
    unsigned wrong = 0;
    HIP_OK(hipMalloc(&out, sizeof got));
    HIP_OK(hipEventCreate(&begin));
    HIP_OK(hipEventCreate(&end));
    for (unsigned way = 0; way < 6; way++) {
        float ms = 0;
        const auto before = std::chrono::steady_clock::now();
        HIP_OK(hipEventRecord(begin, nullptr));
        wait_time<<<2, 64>>>(out, way, ticks, way % 2);
        HIP_OK(hipGetLastError());
        HIP_OK(hipEventRecord(end, nullptr));
        HIP_OK(hipEventSynchronize(end));
        const long long ns = (std::chrono::steady_clock::now() - before) / std::chrono::nanoseconds(1);
        HIP_OK(hipEventElapsedTime(&ms, begin, end));
        HIP_OK(hipMemcpy(got, out, sizeof got, hipMemcpyDeviceToHost));
        for (const long long t : got) // a clock of 1 GHz
            wrong += t < ticks || t > ticks + 10000 || t > ns || static_cast<double>(t) > ms * 1e6 + 1;
        if (ns > 40 * ticks + 1000000) {
            std::printf("waiting: way %u: %lld ns\n", way, ns);
            wrong++;
        }
    }
    HIP_OK(hipEventDestroy(begin));
    HIP_OK(hipEventDestroy(end));
    HIP_OK(hipFree(out));
    return wrong;
}

// ---- a flag of the host
__global__ void poll(const volatile uint32_t *flag, uint32_t *seen, long long ticks)
{
    const long long from = clock64();
    while ((*seen = *flag) == 0 && clock64() - from < ticks)
        __builtin_amdgcn_s_sleep(16);
}
__global__ void add_index(uint32_t *data)
{
    data[threadIdx.x] += threadIdx.x * 3;
}

static unsigned flags()
{
    uint32_t *flag, *seen, *late, got = 0, words[64];
    hipStream_t waits, works;
    unsigned wrong = 0;
    HIP_OK(hipHostMalloc(reinterpret_cast<void **>(&flag), 256, hipHostMallocMapped | hipHostMallocCoherent));
    HIP_OK(hipMalloc(&seen, 4));
    HIP_OK(hipStreamCreateWithFlags(&waits, hipStreamNonBlocking));
    HIP_OK(hipStreamCreateWithFlags(&works, hipStreamNonBlocking));
    *flag = 0;
    poll<<<1, 1, 0, waits>>>(flag, seen, 20000000); // many times as long as the host takes
    for (unsigned round = 0; round < 3; round++) { // memory that comes and goes, copies, kernels beside it
        for (unsigned i = 0; i < 64; i++)
            words[i] = i + round;
        HIP_OK(hipMalloc(&late, sizeof words));
        HIP_OK(hipMemcpyAsync(late, words, sizeof words, hipMemcpyHostToDevice, works));
        add_index<<<1, 64, 0, works>>>(late);
        HIP_OK(hipMemcpyAsync(words, late, sizeof words, hipMemcpyDeviceToHost, works));
        HIP_OK(hipStreamSynchronize(works));
        for (unsigned i = 0; i < 64; i++)
            wrong += words[i] != 4 * i + round;
        wrong += hipStreamQuery(waits) != hipErrorNotReady;
    }
    *const_cast<volatile uint32_t *>(flag) = 0x1234;
    HIP_OK(hipStreamSynchronize(waits));
    HIP_OK(hipMemcpy(&got, seen, 4, hipMemcpyDeviceToHost));
    HIP_OK(hipFree(late));
    HIP_OK(hipFree(seen));
    HIP_OK(hipHostFree(flag));
    HIP_OK(hipStreamDestroy(waits));
    HIP_OK(hipStreamDestroy(works));
    return wrong + (got != 0x1234);
}

// ---- locks
struct Ledger {
    uint32_t locks;
    volatile uint32_t entries[32], digest[32]; // each pair under its bit
};
__global__ void take_turns(Ledger *ledger, unsigned rounds)
{
    if (threadIdx.x % 64)
        return;
    const uint32_t me = blockIdx.x * (blockDim.x / 64) + threadIdx.x / 64;
    for (unsigned round = 0; round < rounds; round++) {
        const uint32_t which = (me * 11 + round * 3) % 32, bit = 1u << which;
        while (atomicOr(&ledger->locks, bit) & bit)
            __builtin_amdgcn_s_sleep(1);
        __threadfence();
        const uint32_t count = ledger->entries[which] + 1;
        ledger->entries[which] = count;
        ledger->digest[which] = ledger->digest[which] * 5 + count;
        __threadfence();
        atomicAnd(&ledger->locks, ~bit);
    }
}

static unsigned locks(unsigned rounds)
{
    constexpr unsigned Groups = 6, Waves = 2;
    Ledger *gpu, got;
    HIP_OK(hipMalloc(&gpu, sizeof got));
    HIP_OK(hipMemset(gpu, 0, sizeof got));
    take_turns<<<Groups, Waves * 64>>>(gpu, rounds);
    HIP_OK(hipGetLastError());
    HIP_OK(hipMemcpy(&got, gpu, sizeof got, hipMemcpyDeviceToHost));
    HIP_OK(hipFree(gpu));
    unsigned wrong = got.locks != 0, total = 0;
    for (unsigned k = 0; k < 32; k++) {
        uint32_t digest = 0;
        for (uint32_t n = 1; n <= got.entries[k]; n++)
            digest = digest * 5 + n;
        wrong += digest != got.digest[k];
        total += got.entries[k];
    }
    return wrong + (total != Groups * Waves * rounds);
}

// ---- a scan in one pass
constexpr unsigned Tile = 128;
enum : uint64_t { Own = 1, Whole = 2 }; // what a group's word holds in its low half: its sum, or that of all up to it
__device__ static void publish(uint64_t *word, uint64_t what, uint32_t sum)
{
    __hip_atomic_store(word, what << 32 | sum, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
__global__ void scan(const uint32_t *in, uint32_t *out, uint64_t *state, unsigned n)
{
    __shared__ uint32_t sums[Tile];
    __shared__ uint32_t before;
    const unsigned lane = threadIdx.x, i = blockIdx.x * Tile + lane;
    sums[lane] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned step = 1; step < Tile; step *= 2) {
        const uint32_t left = lane >= step ? sums[lane - step] : 0;
        __syncthreads();
        sums[lane] += left;
        __syncthreads();
    }
    if (lane == 0) {
        uint32_t sum = 0;
        publish(&state[blockIdx.x], blockIdx.x ? Own : Whole, sums[Tile - 1]);
        for (unsigned at = blockIdx.x; at-- > 0;) {
            uint64_t word;
            do
                word = __hip_atomic_load(&state[at], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
            while (word >> 32 == 0);
            sum += static_cast<uint32_t>(word);
            if (word >> 32 == Whole)
                break;
        }
        publish(&state[blockIdx.x], Whole, sum + sums[Tile - 1]);
        before = sum;
    }
    __syncthreads();
    if (i < n)
        out[i] = before + sums[lane];
}

// shift: bytes by which the words of the groups are off their alignment.
static unsigned scans(unsigned n, uint32_t seed, unsigned shift)
{
    const unsigned groups = (n + Tile - 1) / Tile;
    std::vector<uint32_t> in(n), got(n);
    for (auto &value : in)
        value = random_next(seed) >> 16;
    uint32_t *from, *to, sum = 0;
    unsigned char *state;
    HIP_OK(hipMalloc(&from, n * 4));
    HIP_OK(hipMalloc(&to, n * 4));
    HIP_OK(hipMalloc(&state, groups * 8 + 8));
    HIP_OK(hipMemset(state, 0, groups * 8 + 8));
    HIP_OK(hipMemcpy(from, in.data(), n * 4, hipMemcpyHostToDevice));
    scan<<<groups, Tile>>>(from, to, reinterpret_cast<uint64_t *>(state + shift), n);
    HIP_OK(hipGetLastError());
    HIP_OK(hipMemcpy(got.data(), to, n * 4, hipMemcpyDeviceToHost));
    HIP_OK(hipFree(from));
    HIP_OK(hipFree(to));
    HIP_OK(hipFree(state));
    unsigned wrong = 0;
    for (unsigned i = 0; i < n; i++)
        wrong += got[i] != (sum += in[i]);
    return wrong;
}

// waiting WHAT [SIZE]: time (ticks), flag, locks (rounds of each wavefront), scan (values), scan4 (words at odd dwords)
int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    const unsigned n = argc > 2 ? size_argument(argc - 1, argv + 1, 1) : 0;
    if (!std::strcmp(what, "time"))
        return verdict("waiting", times(n ? n : 20000), 6);
    if (!std::strcmp(what, "flag"))
        return verdict("waiting", flags(), 3);
    if (!std::strcmp(what, "locks"))
        return verdict("waiting", locks(n ? n : 10), 32);
    if (!std::strncmp(what, "scan", 4))
        return verdict("waiting", scans(n ? n : 3000, 1, what[4] == '4' ? 4 : 0), n ? n : 3000);
    std::fprintf(stderr, "waiting: time, flag, locks, scan or scan4?\n");
    return 2;
}
