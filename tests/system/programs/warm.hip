// SPDX-License-Identifier: Apache-2.0
// What a cache could hold from kernel to kernel: the first kernel of its own writes an array (whole lines, and one word
// of each line of another), the second reads both, the third reads the first again.  Nothing between them makes memory
// visible to the host.
#include <hip/hip_runtime.h>

#include <cstdio>

constexpr unsigned Count = 4096, Apart = 16; // words; of a line

__global__ void put(unsigned *whole, unsigned *sparse)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    whole[i] = i * 3 + 1;
    sparse[i * Apart] = i;
}

__global__ void get(const unsigned *whole, const unsigned *sparse, unsigned *sum)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    sum[i] = whole[i] + (sparse ? sparse[i * Apart] : 0);
}

int main()
{
    unsigned *whole, *sparse, *sum, out[Count], wrong = 0;
    if (hipMalloc(&whole, Count * 4) != hipSuccess || hipMalloc(&sparse, Count * Apart * 4) != hipSuccess || hipMalloc(&sum, Count * 4) != hipSuccess)
        return 2;
    put<<<Count / 256, 256>>>(whole, sparse);
    get<<<Count / 256, 256>>>(whole, sparse, sum);
    get<<<Count / 256, 256>>>(whole, nullptr, sum);
    if (hipMemcpy(out, sum, sizeof out, hipMemcpyDeviceToHost) != hipSuccess)
        return 2;
    for (unsigned i = 0; i < Count; i++)
        wrong += out[i] != i * 3 + 1;
    std::printf("warm: %u values are wrong\n", wrong);
    return wrong != 0;
}
