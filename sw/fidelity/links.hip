// SPDX-License-Identifier: Apache-2.0
// What the links carry, for sw/fidelity/links.py: copies between pinned memory of the host and a GPU, kernels that read
// and write the host's memory and that of another GPU, a chain of loads in either.  One line `NAME BYTES CYCLES` each
// (of a chain: 1, cycles of a load); data are checked. links copy BYTES | zero BYTES | peer BYTES GROUPS | chase LINES
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        const hipError_t error = (call);                                                                               \
        if (error != hipSuccess) {                                                                                     \
            fprintf(stderr, "links: %s: %s\n", #call, hipGetErrorString(error));                                       \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

namespace
{
constexpr size_t Vector = sizeof(uint4);

double now() // of the target, in cycles of a GPU of 1000 MHz
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

template <class Act> double took(Act act)
{
    const double begin = now();
    act();
    return now() - begin;
}

// Each work-group adds up one piece after the other; what it found goes to its place, so that nothing is left out.
__global__ void read_all(const uint4 *from, size_t count, unsigned *sums)
{
    unsigned sum = 0;
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        const uint4 v = from[i];
        sum += v.x + v.y + v.z + v.w;
    }
    atomicAdd(&sums[blockIdx.x], sum);
}

__global__ void write_all(uint4 *to, size_t count, unsigned value)
{
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        to[i] = make_uint4(value, value + 1, value + 2, unsigned(i));
}

__global__ void chase(const unsigned *next, unsigned steps, unsigned *end)
{
    unsigned at = 0;
    for (unsigned i = 0; i < steps; i++)
        at = next[at];
    *end = at;
}

void fail(const char *what)
{
    fprintf(stderr, "links: %s: wrong data\n", what);
    exit(1);
}

void expect(const char *what, const unsigned *words, size_t count, unsigned value)
{
    for (size_t i = 0; i < count; i += 4)
        if (words[i] != value || words[i + 1] != value + 1 || words[i + 2] != value + 2 || words[i + 3] != i / 4)
            fail(what);
}

unsigned sum_of(const std::vector<unsigned> &sums)
{
    unsigned sum = 0;
    for (const unsigned s : sums)
        sum += s;
    return sum;
}

// Cycles of what a kernel does with all bytes beyond the first quarter, so that its start and end do not count.
template <class Launch> void measured(const char *name, size_t count, Launch launch)
{
    auto run = [&](size_t n) {
        return took([&] {
            launch(n);
            CHECK(hipDeviceSynchronize());
        });
    };
    run(count); // translations are there
    const double quarter = run(count / 4), whole = run(count);
    printf("%s %zu %.0f\n", name, (count - count / 4) * Vector, whole - quarter);
}

void streams(const char *where, uint4 *far, const unsigned *seen, size_t bytes, unsigned groups)
{
    const size_t count = bytes / Vector;
    unsigned *sums;
    char name[40];
    CHECK(hipMalloc(&sums, groups * 4));
    snprintf(name, sizeof name, "%s-write", where);
    measured(name, count, [&](size_t n) { write_all<<<groups, 256>>>(far, n, 7); });
    if (seen)
        expect(name, seen, bytes / 4, 7);
    snprintf(name, sizeof name, "%s-read", where);
    measured(name, count, [&](size_t n) { read_all<<<groups, 256>>>(far, n, sums); });
    std::vector<unsigned> found(groups), wanted(groups);
    CHECK(hipMemset(sums, 0, groups * 4));
    read_all<<<groups, 256>>>(far, count / 16, sums);
    CHECK(hipMemcpy(found.data(), sums, groups * 4, hipMemcpyDeviceToHost));
    unsigned sum = 0;
    for (size_t i = 0; i < count / 16; i++)
        sum += 7 + 8 + 9 + unsigned(i);
    if (sum_of(found) != sum)
        fail(name);
    CHECK(hipFree(sums));
}

void copies(size_t bytes)
{
    unsigned *host, *gpu, *back;
    CHECK(hipHostMalloc(reinterpret_cast<void **>(&host), bytes, hipHostMallocDefault));
    CHECK(hipHostMalloc(reinterpret_cast<void **>(&back), bytes, hipHostMallocDefault));
    CHECK(hipMalloc(&gpu, bytes));
    for (size_t i = 0; i < bytes / 4; i++)
        host[i] = unsigned(i * 2654435761u);
    memset(back, 0, bytes);
    CHECK(hipMemcpy(gpu, host, 4096, hipMemcpyHostToDevice)); // the runtime gets ready
    CHECK(hipMemcpy(back, gpu, 4096, hipMemcpyDeviceToHost));
    printf("to-gpu %zu %.0f\n", bytes, took([&] { CHECK(hipMemcpy(gpu, host, bytes, hipMemcpyHostToDevice)); }));
    printf("to-host %zu %.0f\n", bytes, took([&] { CHECK(hipMemcpy(back, gpu, bytes, hipMemcpyDeviceToHost)); }));
    if (memcmp(host, back, bytes))
        fail("copies");
}

void zero(size_t bytes, unsigned groups)
{
    uint4 *host, *device;
    CHECK(hipHostMalloc(reinterpret_cast<void **>(&host), bytes, hipHostMallocMapped));
    CHECK(hipHostGetDevicePointer(reinterpret_cast<void **>(&device), host, 0));
    streams("zero-copy", device, reinterpret_cast<unsigned *>(host), bytes, groups);
}

uint4 *on_peer(size_t bytes)
{
    uint4 *far;
    CHECK(hipSetDevice(1));
    CHECK(hipMalloc(reinterpret_cast<void **>(&far), bytes));
    CHECK(hipSetDevice(0));
    CHECK(hipDeviceEnablePeerAccess(1, 0));
    return far;
}

void peer(size_t bytes, unsigned groups)
{
    uint4 *far = on_peer(bytes);
    std::vector<unsigned> seen(bytes / 4);
    streams("peer", far, nullptr, bytes, groups);
    CHECK(hipMemcpy(seen.data(), far, bytes, hipMemcpyDeviceToHost));
    expect("peer", seen.data(), bytes / 4, 7);
}

void chains(unsigned lines)
{
    std::vector<unsigned> next(lines * 16);
    for (unsigned i = 0; i < lines; i++) // each line once, far apart
        next[i * 16] = (i * 5 + 1) % lines * 16;
    unsigned *own, *end, *far = reinterpret_cast<unsigned *>(on_peer(lines * 64));
    CHECK(hipMalloc(&own, lines * 64));
    CHECK(hipMalloc(&end, 4));
    for (unsigned *at : {own, far}) {
        CHECK(hipMemcpy(at, next.data(), lines * 64, hipMemcpyHostToDevice));
        auto run = [&](unsigned steps) {
            return took([&] {
                chase<<<1, 1>>>(at, steps, end);
                CHECK(hipDeviceSynchronize());
            });
        };
        run(1);
        const double empty = run(1), whole = run(lines + 1);
        printf("%s 1 %.1f\n", at == own ? "chase-own" : "chase-peer", (whole - empty) / lines);
    }
}
} // namespace

int main(int argc, char **argv)
{
    const size_t amount = argc > 2 ? strtoul(argv[2], nullptr, 0) : 0;
    const unsigned groups = argc > 3 ? unsigned(strtoul(argv[3], nullptr, 0)) : 64;
    if (amount && !strcmp(argv[1], "copy"))
        copies(amount);
    else if (amount && !strcmp(argv[1], "zero"))
        zero(amount, groups);
    else if (amount && !strcmp(argv[1], "peer"))
        peer(amount, groups);
    else if (amount && !strcmp(argv[1], "chase"))
        chains(unsigned(amount));
    else
        return fprintf(stderr, "links: copy BYTES | zero BYTES GROUPS | peer BYTES GROUPS | chase LINES\n"), 64;
}
