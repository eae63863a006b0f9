// SPDX-License-Identifier: Apache-2.0
// Memory of GPU 0 that others use: `use` initialises it there and lets GPU 1 read it again and again; `turns` lets both
// write to it in turn, kernel by kernel.  The second word is how often.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

constexpr unsigned Words = 65536, Threads = 1024; // 256 KiB
constexpr size_t Bytes = Words * sizeof(unsigned);

__global__ void fill(unsigned *to)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < Words; i += Threads)
        to[i] = i;
}

// Every line of it, so often.
__global__ void use(unsigned *to, const unsigned *from, unsigned times)
{
    unsigned id = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (unsigned n = 0; n < times; n++)
        for (unsigned i = id; i < Words / 16; i += Threads)
            sum += static_cast<const volatile unsigned *>(from)[(i + n * 64) % (Words / 16) * 16];
    to[id] = sum;
}

__global__ void add(unsigned *to, unsigned times)
{
    for (unsigned n = 0; n < times; n++)
        for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < Words / 16; i += Threads)
            atomicAdd(to + i * 16, n + 1);
}

static void good(hipError_t error)
{
    if (error != hipSuccess)
        std::exit(2);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    const bool turns = std::strcmp(argv[1], "turns") == 0;
    const unsigned times = std::atoi(argv[2]);
    static unsigned host[Words];
    unsigned *shared, *sums, wrong = 0;
    good(hipMalloc(&shared, Bytes));
    good(hipDeviceEnablePeerAccess(1, 0));
    fill<<<Threads / 256, 256>>>(shared);
    good(hipDeviceSynchronize());
    good(hipSetDevice(1));
    good(hipDeviceEnablePeerAccess(0, 0));
    good(hipMalloc(&sums, Threads * sizeof *sums));
    if (turns) {
        for (unsigned n = 0; n < times; n++) {
            good(hipSetDevice(1 - n % 2));
            add<<<Threads / 256, 256>>>(shared, 4);
            good(hipDeviceSynchronize());
        }
        good(hipMemcpy(host, shared, Bytes, hipMemcpyDeviceToHost));
        for (unsigned i = 0; i < Words; i++)
            wrong += host[i] != i + (i % 16 ? 0 : 10 * times);
    } else {
        use<<<Threads / 256, 256>>>(sums, shared, times);
        good(hipDeviceSynchronize());
        good(hipMemcpy(host, sums, Threads * sizeof *sums, hipMemcpyDeviceToHost));
        for (unsigned id = 0; id < Threads; id++) {
            unsigned sum = 0;
            for (unsigned n = 0; n < times; n++)
                for (unsigned i = id; i < Words / 16; i += Threads)
                    sum += (i + n * 64) % (Words / 16) * 16;
            wrong += host[id] != sum;
        }
    }
    std::printf("writers: %u values are wrong\n", wrong);
    return wrong != 0;
}
