/* SPDX-License-Identifier: Apache-2.0
 * The C part.
 */
#include "three.h"
cudaError_t to_device(float *to, const float *from, size_t count)
{
    struct cudaDeviceProp prop;
    dim3 block = {64, 1, 1};
    cudaError_t error = cudaGetDeviceProperties(&prop, 0);
    if (error != cudaSuccess)
        return error;
    return prop.maxThreadsPerBlock >= (int)block.x ? cudaMemcpy(to, from, count * sizeof(*to), cudaMemcpyHostToDevice)
                                                   : cudaErrorInvalidConfiguration;
}
