// SPDX-License-Identifier: Apache-2.0
// each adds                 every device adds two vectors of its own: "each: N devices, W words are wrong"
// each held                 device 0 is held: its kernel waits for a word that the host writes, and more launches wait behind it.  Each other device ends
//                           three launches meanwhile; then the host lets device 0 go on.
// each overlap              the host computes between a launch and its end, and the kernel ends only by what the host has computed
// each asked                a kernel waits for a word that the host writes after it has asked 20 times whether the kernel has ended
// each many                 40 launches behind a kernel that waits for a word that the host writes behind the last of them
#include <cstring>
#include <vector>

#include "check.h"

constexpr unsigned Words = 1024;

__global__ void add(const uint32_t *a, const uint32_t *b, uint32_t *to)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = a[i] + b[i];
}

// Waits until *flag is not zero, and leaves what it was.
__global__ void hold(volatile uint32_t *flag, uint32_t *seen)
{
    while (*flag == 0) {
    }
    *seen = *flag;
}

struct Vectors {
    uint32_t *a, *b, *to;
    std::vector<uint32_t> host_a, host_b;

    explicit Vectors(uint32_t seed) : host_a(Words), host_b(Words)
    {
        for (unsigned i = 0; i < Words; i++)
            host_a[i] = random_next(seed), host_b[i] = random_next(seed);
        HIP_OK(hipMalloc(&a, Words * 4));
        HIP_OK(hipMalloc(&b, Words * 4));
        HIP_OK(hipMalloc(&to, Words * 4));
        HIP_OK(hipMemset(to, 0, Words * 4));
        HIP_OK(hipMemcpy(a, host_a.data(), Words * 4, hipMemcpyHostToDevice));
        HIP_OK(hipMemcpy(b, host_b.data(), Words * 4, hipMemcpyHostToDevice));
    }
    void launch() const
    {
        add<<<Words / 64, 64>>>(a, b, to);
        HIP_OK(hipGetLastError());
    }
    unsigned wrong() const
    {
        std::vector<uint32_t> got(Words);
        unsigned n = 0;
        HIP_OK(hipMemcpy(got.data(), to, Words * 4, hipMemcpyDeviceToHost));
        for (unsigned i = 0; i < Words; i++)
            n += got[i] != host_a[i] + host_b[i];
        return n;
    }
};

// A word that the host writes while a kernel waits for it; the kernel's copy is behind it.
static volatile uint32_t *flag_new()
{
    void *flag;
    HIP_OK(hipHostMalloc(&flag, 8, hipHostMallocCoherent));
    std::memset(flag, 0, 8);
    return static_cast<volatile uint32_t *>(flag);
}

static unsigned adds(int devices)
{
    unsigned wrong = 0;
    for (int d = 0; d < devices; d++) {
        HIP_OK(hipSetDevice(d));
        const Vectors v(static_cast<uint32_t>(d) + 1);
        v.launch();
        wrong += v.wrong();
    }
    return wrong;
}

static unsigned held(int devices)
{
    unsigned wrong = 0;
    std::vector<Vectors> vectors;
    for (int d = 0; d < devices; d++) {
        HIP_OK(hipSetDevice(d));
        vectors.emplace_back(static_cast<uint32_t>(d) + 1);
        HIP_OK(hipDeviceSynchronize());
    }
    volatile uint32_t *flag = flag_new();
    HIP_OK(hipSetDevice(0));
    hold<<<1, 64>>>(const_cast<uint32_t *>(flag), const_cast<uint32_t *>(flag) + 1);
    HIP_OK(hipGetLastError());
    vectors[0].launch();
    for (int d = 1; d < devices; d++) {
        HIP_OK(hipSetDevice(d));
        for (int n = 0; n < 3; n++)
            vectors[static_cast<size_t>(d)].launch();
        HIP_OK(hipDeviceSynchronize());
        wrong += vectors[static_cast<size_t>(d)].wrong();
    }
    HIP_OK(hipSetDevice(0));
    const hipError_t waits = hipStreamQuery(nullptr);
    std::printf("each: device 0 %s\n", waits == hipErrorNotReady ? "is held" : hipGetErrorString(waits));
    *flag = 1;
    HIP_OK(hipDeviceSynchronize());
    return wrong + vectors[0].wrong() + (flag[1] != 1);
}

static unsigned overlap()
{
    volatile uint32_t *flag = flag_new();
    uint32_t sum = 1;
    hold<<<1, 64>>>(const_cast<uint32_t *>(flag), const_cast<uint32_t *>(flag) + 1);
    HIP_OK(hipGetLastError());
    const hipError_t early = hipStreamQuery(nullptr);
    for (uint32_t i = 0; i < 100000; i++)
        sum = sum * 1664525u + 1013904223u;
    const hipError_t late = hipStreamQuery(nullptr);
    *flag = sum | 1;
    HIP_OK(hipDeviceSynchronize());
    return (early != hipErrorNotReady) + (late != hipErrorNotReady) + (hipStreamQuery(nullptr) != hipSuccess) + (flag[1] != (sum | 1));
}

static unsigned asked()
{
    volatile uint32_t *flag = flag_new();
    unsigned early = 0;
    hold<<<1, 64>>>(const_cast<uint32_t *>(flag), const_cast<uint32_t *>(flag) + 1);
    HIP_OK(hipGetLastError());
    for (unsigned n = 0; n < 20; n++)
        early += hipStreamQuery(nullptr) != hipErrorNotReady;
    *flag = 1;
    HIP_OK(hipDeviceSynchronize());
    return early + (flag[1] != 1);
}

static unsigned many()
{
    volatile uint32_t *flag = flag_new();
    const Vectors v(3);
    hold<<<1, 64>>>(const_cast<uint32_t *>(flag), const_cast<uint32_t *>(flag) + 1);
    HIP_OK(hipGetLastError());
    for (unsigned n = 0; n < 40; n++)
        v.launch();
    const bool waits = hipStreamQuery(nullptr) == hipErrorNotReady;
    *flag = 1;
    HIP_OK(hipDeviceSynchronize());
    return v.wrong() + !waits + (flag[1] != 1);
}

int main(int argc, char **argv)
{
    int devices = 0;
    HIP_OK(hipGetDeviceCount(&devices));
    const char *way = argc > 1 ? argv[1] : "";
    const unsigned wrong = !std::strcmp(way, "adds")    ? adds(devices)
                           : !std::strcmp(way, "held")  ? held(devices)
                           : !std::strcmp(way, "asked") ? asked()
                           : !std::strcmp(way, "many")  ? many()
                                                        : overlap();
    std::printf("each: %d devices, %u words are wrong\n", devices, wrong);
    return wrong != 0;
}
