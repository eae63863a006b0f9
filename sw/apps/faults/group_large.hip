// SPDX-License-Identifier: Apache-2.0
// Asks for work-groups of 2048: HIP refuses, the program goes on and says so.
#include "check.h"

__global__ void fill(uint32_t *out) { out[threadIdx.x] = 1; }

int main()
{
    uint32_t *out;
    HIP_OK(hipMalloc(&out, 8192));
    fill<<<1, 2048>>>(out);
    hipError_t status = hipGetLastError();
    std::printf("group_large: %s\n", hipGetErrorString(status));
    fill<<<1, 64>>>(out);
    HIP_OK(hipDeviceSynchronize());
    return status == hipSuccess ? 1 : 0;
}
