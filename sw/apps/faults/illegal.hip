// SPDX-License-Identifier: Apache-2.0
// Executes a word that is no instruction of gfx803: the queue stops with an error and the runtime aborts.
#include "check.h"

__global__ void illegal(uint32_t *out)
{
    asm volatile(".long 0xbf8fbeef\n\t.long 0x7e00fe00");
    out[threadIdx.x] = 1;
}

int main()
{
    uint32_t *out;
    HIP_OK(hipMalloc(&out, 256));
    illegal<<<1, 64>>>(out);
    HIP_OK(hipDeviceSynchronize());
    std::printf("illegal: went on\n");
    return 0;
}
