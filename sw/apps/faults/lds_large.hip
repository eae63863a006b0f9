// SPDX-License-Identifier: Apache-2.0
// Asks for more LDS than a CU has: HIP refuses, the program goes on and says so.
#include "check.h"

extern __shared__ uint32_t room[];
__global__ void touch(uint32_t *out)
{
    room[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = room[threadIdx.x ^ 1];
}

int main()
{
    uint32_t *out;
    HIP_OK(hipMalloc(&out, 8192));
    touch<<<1, 64, 80 * 1024>>>(out);
    hipError_t status = hipGetLastError();
    std::printf("lds_large: %s\n", hipGetErrorString(status));
    touch<<<1, 64, 1024>>>(out);
    HIP_OK(hipDeviceSynchronize());
    return status == hipSuccess ? 1 : 0;
}
