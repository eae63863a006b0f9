// SPDX-License-Identifier: Apache-2.0
// What the program writes to memory of GPU 0, by its mapping, is what the next kernel of GPU 1 reads, though GPU 1 has read
// these lines before, and GPU 0 has them in its L2: a kernel that runs there all the time stores into their other half.
#include <hip/hip_runtime.h>

#include <cstdio>

constexpr unsigned Lines = 512, Words = 16, Half = 8, Rounds = 4;

__global__ void beside(unsigned *lines, unsigned times)
{
    for (unsigned n = 1; n <= times; n++)
        for (unsigned i = threadIdx.x; i < Lines * Half; i += blockDim.x)
            static_cast<volatile unsigned *>(lines)[i / Half * Words + Half + i % Half] = n * i;
}

__global__ void take(unsigned *to, const unsigned *lines)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = lines[i / Half * Words + i % Half] + 1;
}

int main()
{
    unsigned *lines, *to, wrong = 0, times = 60;
    if (hipMalloc(&lines, Lines * Words * sizeof *lines) != hipSuccess || hipMemset(lines, 0, Lines * Words * sizeof *lines) != hipSuccess ||
        hipDeviceSynchronize() != hipSuccess)
        return 2;
    beside<<<1, 256>>>(lines, times);
    if (hipSetDevice(1) != hipSuccess || hipDeviceEnablePeerAccess(0, 0) != hipSuccess || hipMalloc(&to, Lines * Half * sizeof *to) != hipSuccess)
        return 2;
    for (unsigned round = 0; round < Rounds; round++) {
        for (unsigned i = 0; i < Lines * Half; i++)
            static_cast<volatile unsigned *>(lines)[i / Half * Words + i % Half] = round * 100000 + i;
        take<<<Lines * Half / 256, 256>>>(to, lines);
        if (hipDeviceSynchronize() != hipSuccess)
            return 2;
        for (unsigned i = 0; i < Lines * Half; i++)
            wrong += static_cast<volatile unsigned *>(to)[i] != round * 100000 + i + 1;
    }
    if (hipSetDevice(0) != hipSuccess || hipDeviceSynchronize() != hipSuccess)
        return 2;
    for (unsigned i = 0; i < Lines * Half; i++)
        wrong += static_cast<volatile unsigned *>(lines)[i / Half * Words + Half + i % Half] != times * i;
    std::printf("far: %u values are wrong\n", wrong);
    return wrong != 0;
}
