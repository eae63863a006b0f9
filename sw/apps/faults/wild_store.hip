// SPDX-License-Identifier: Apache-2.0
// Stores to an address that nothing is mapped at: the runtime reports a memory access fault and aborts.
#include "check.h"

__global__ void wild_store(uint32_t *where) { where[threadIdx.x] = 1; }

int main()
{
    wild_store<<<1, 64>>>(reinterpret_cast<uint32_t *>(0xdead00000ULL));
    HIP_OK(hipDeviceSynchronize());
    std::printf("wild_store: went on\n");
    return 0;
}
