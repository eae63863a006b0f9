// SPDX-License-Identifier: Apache-2.0
// Writes through the mapping of VRAM between kernels: what a kernel reads was changed by nobody but the program, in lines
// that the kernel before has written, too.
#include <hip/hip_runtime.h>

#include <cstdio>

constexpr unsigned Count = 1024, Rounds = 4;

__global__ void step(unsigned *value)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    value[i] = value[i] * 3 + i;
}

int main()
{
    unsigned *value, wrong = 0, expected[Count] = {};
    if (hipMalloc(&value, Count * sizeof *value) != hipSuccess || hipMemset(value, 0, Count * sizeof *value) != hipSuccess ||
        hipDeviceSynchronize() != hipSuccess)
        return 2;
    for (unsigned round = 0; round < Rounds; round++) {
        for (unsigned i = round; i < Count; i += 37)
            static_cast<volatile unsigned *>(value)[i] = expected[i] = round * 1000 + i;
        step<<<Count / 256, 256>>>(value);
        if (hipDeviceSynchronize() != hipSuccess)
            return 2;
        for (unsigned i = 0; i < Count; i++)
            expected[i] = expected[i] * 3 + i;
    }
    for (unsigned i = 0; i < Count; i++)
        wrong += static_cast<volatile unsigned *>(value)[i] != expected[i];
    std::printf("bar: %u values are wrong\n", wrong);
    return wrong != 0;
}
