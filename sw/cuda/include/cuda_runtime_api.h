/* SPDX-License-Identifier: Apache-2.0
 * The run-time API for C and C++, with any compiler.
 */
#ifndef GANTRY_CUDA_RUNTIME_API_H
#define GANTRY_CUDA_RUNTIME_API_H
#define __CUDA_RUNTIME_API_H__ /* which programs ask for */
#include <driver_types.h>
#include <gantry/runtime_functions.h>
GANTRY_API const char *cudaGetErrorName(cudaError_t error);
GANTRY_API const char *cudaGetErrorString(cudaError_t error);
GANTRY_API struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f);

static __inline__ __host__ __device__ struct cudaPitchedPtr make_cudaPitchedPtr(void *d, size_t p, size_t xsz,
                                                                                size_t ysz)
{
    struct cudaPitchedPtr v = {d, p, xsz, ysz};
    return v;
}
static __inline__ __host__ __device__ struct cudaExtent make_cudaExtent(size_t w, size_t h, size_t d)
{
    struct cudaExtent v = {w, h, d};
    return v;
}
static __inline__ __host__ __device__ struct cudaPos make_cudaPos(size_t x, size_t y, size_t z)
{
    struct cudaPos v = {x, y, z};
    return v;
}
#endif
