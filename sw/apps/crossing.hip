// SPDX-License-Identifier: Apache-2.0
// Two GPUs and more.  Order: what is asked for while one device is current waits for what another was told before, and
// copies that cross each other hurt nobody.  Symbols: variables and constants of a module have their own value on each.
#include <vector>

#include "check.h"

__global__ void produce(uint32_t *to, unsigned n, uint32_t value, unsigned turns)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        uint32_t x = value + i;
        for (unsigned t = 0; t < turns; t++)
            x = x * 1664525u + t;
        to[i] = x;
    }
}
__global__ void merge(uint32_t *to, const uint32_t *own, const uint32_t *far, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        to[i] += own[i] * 3 + far[i];
}
static uint32_t produced(uint32_t value, unsigned turns)
{
    for (unsigned t = 0; t < turns; t++)
        value = value * 1664525u + t;
    return value;
}

struct Side {
    uint32_t *source, *target;
    hipStream_t stream;
};

constexpr unsigned Turns = 40;

// Copies of the two at once, each asked for on its own stream.
static unsigned cross(const Side side[2], std::vector<uint32_t> &host, uint32_t value)
{
    unsigned wrong = 0;
    const size_t n = host.size();
    for (int d = 0; d < 2; d++)
        HIP_OK(hipMemcpyPeerAsync(side[d].target, d, side[1 - d].source, 1 - d, n * 4, side[d].stream));
    for (int d = 0; d < 2; d++)
        HIP_OK(hipStreamSynchronize(side[d].stream));
    for (int d = 0; d < 2; d++) {
        HIP_OK(hipMemcpy(host.data(), side[d].target, n * 4, hipMemcpyDeviceToHost));
        for (unsigned i = 0; i < n; i++)
            wrong += host[i] != produced(value + static_cast<unsigned>(1 - d) * 77 + i, Turns);
    }
    return wrong;
}

static unsigned order(unsigned n)
{
    Side side[2];
    std::vector<uint32_t> host(n);
    unsigned wrong = 0;
    for (int d = 0; d < 2; d++) {
        HIP_OK(hipSetDevice(d));
        HIP_OK(hipMalloc(&side[d].source, n * 4));
        HIP_OK(hipMalloc(&side[d].target, n * 4));
        HIP_OK(hipStreamCreate(&side[d].stream));
        HIP_OK(hipDeviceEnablePeerAccess(1 - d, 0));
    }
    for (unsigned round = 0; round < 2; round++) {
        const uint32_t value = round * 1000 + 5;
        hipEvent_t full;
        HIP_OK(hipSetDevice(0));
        HIP_OK(hipEventCreate(&full));
        produce<<<2, 64>>>(side[0].source, n, value, Turns);
        HIP_OK(hipEventRecord(full, nullptr));
        HIP_OK(hipSetDevice(1)); // from here on without a wait of the host
        produce<<<2, 64>>>(side[1].source, n, value + 77, Turns);
        HIP_OK(hipStreamWaitEvent(nullptr, full, 0));
        HIP_OK(hipMemcpyPeerAsync(side[1].target, 1, side[0].source, 0, n * 4, nullptr));
        merge<<<2, 64>>>(side[1].target, side[1].source, side[0].source, n);
        HIP_OK(hipMemcpy(host.data(), side[1].target, n * 4, hipMemcpyDeviceToHost));
        for (unsigned i = 0; i < n; i++)
            wrong += host[i] != 2 * produced(value + i, Turns) + 3 * produced(value + 77 + i, Turns);
        wrong += cross(side, host, value);
        HIP_OK(hipEventDestroy(full));
    }
    for (int d = 0; d < 2; d++) {
        HIP_OK(hipSetDevice(d));
        HIP_OK(hipFree(side[d].source));
        HIP_OK(hipFree(side[d].target));
        HIP_OK(hipStreamDestroy(side[d].stream));
    }
    return wrong;
}

constexpr unsigned Large = 64 * 1024 / 4 - 256; // what constants may take, but for those of the compiler
__constant__ uint32_t large[Large];
template <typename T> __constant__ T factor[5];
template <typename T> __device__ T last[3] = {T(1), T(2), T(3)};
static __device__ uint32_t calls;

template <typename T> __global__ void look(uint32_t *out, unsigned at)
{
    out[0] = large[at];
    out[1] = static_cast<uint32_t>(factor<T>[at % 5] * 8);
    out[2] = static_cast<uint32_t>(last<T>[at % 3] * 8);
    out[3] = atomicAdd(&calls, 1u);
    last<T>[2] += T(1); /* stays until the next launch there */
}

template <typename T> static void set(uint32_t device)
{
    T factors[5], middle = T(device) + T(0.5);
    for (unsigned i = 0; i < 5; i++)
        factors[i] = T(10 * device + i) + T(0.25);
    HIP_OK(hipMemcpyToSymbol(HIP_SYMBOL(factor<T>), factors, sizeof factors));
    HIP_OK(hipMemcpyToSymbol(HIP_SYMBOL(last<T>), &middle, sizeof middle, sizeof(T)));
}

template <typename T> static unsigned compare(uint32_t device, unsigned round, unsigned call)
{
    const unsigned at = 9001 + 11 * device + 3 * round;
    uint32_t *out, got[4], count = 0;
    HIP_OK(hipMalloc(&out, sizeof got));
    look<T><<<1, 1>>>(out, at);
    HIP_OK(hipGetLastError());
    HIP_OK(hipMemcpy(got, out, sizeof got, hipMemcpyDeviceToHost));
    HIP_OK(hipMemcpyFromSymbol(&count, HIP_SYMBOL(calls), sizeof count));
    HIP_OK(hipFree(out));
    const double wanted[] = {1, device + 0.5, 3.0 + round};
    return (got[0] != at * (device + 3)) + (got[1] != static_cast<uint32_t>((10 * device + at % 5 + 0.25) * 8)) +
           (got[2] != static_cast<uint32_t>(wanted[at % 3] * 8)) + (got[3] != 50 * device + call) + (count != 50 * device + call + 1);
}

static unsigned symbols(uint32_t devices)
{
    unsigned wrong = 0;
    std::vector<uint32_t> values(Large);
    for (uint32_t d = 0; d < devices; d++) {
        const uint32_t first = 50 * d;
        HIP_OK(hipSetDevice(static_cast<int>(d)));
        for (unsigned i = 0; i < Large; i++)
            values[i] = i * (d + 3);
        HIP_OK(hipMemcpyToSymbol(HIP_SYMBOL(large), values.data(), Large * 4));
        HIP_OK(hipMemcpyToSymbolAsync(HIP_SYMBOL(calls), &first, sizeof first, 0, hipMemcpyHostToDevice, nullptr));
        HIP_OK(hipStreamSynchronize(nullptr));
        set<float>(d);
        set<double>(d);
    }
    for (unsigned round = 0; round < 2; round++)
        for (uint32_t d = 0; d < devices; d++) {
            HIP_OK(hipSetDevice(static_cast<int>(d)));
            wrong += compare<float>(d, round, 2 * round) + compare<double>(d, round, 2 * round + 1);
        }
    return wrong;
}

int main(int argc, char **argv)
{
    const unsigned n = size_argument(argc, argv, 1500);
    int devices = 0;
    HIP_OK(hipGetDeviceCount(&devices));
    const unsigned wrong = symbols(static_cast<uint32_t>(devices)) + (devices > 1 ? order(n) : 0);
    std::printf("crossing: %d devices\n", devices);
    return verdict("crossing", wrong, n);
}
