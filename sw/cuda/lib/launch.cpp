/* SPDX-License-Identifier: Apache-2.0
 * Launches: what the compiler makes of <<<...>>>, the calls of the API, what is known of a kernel.
 */
#include "native.h"

extern "C" {
unsigned push_configuration(dim3 grid, dim3 block, size_t shared,
                            cudaStream_t stream) __asm__("__hipPushCallConfiguration");
int pop_configuration(dim3 *grid, dim3 *block, size_t *shared,
                      cudaStream_t *stream) __asm__("__hipPopCallConfiguration");
hipError_t launch(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                  cudaStream_t stream) __asm__("hipLaunchKernel");
}

unsigned push_configuration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream)
{
    static auto next = (decltype(&push_configuration))hip_function("__hipPushCallConfiguration");
    return next(grid, block, shared, stream);
}

int pop_configuration(dim3 *grid, dim3 *block, size_t *shared, cudaStream_t *stream)
{
    static auto next = (decltype(&pop_configuration))hip_function("__hipPopCallConfiguration");
    return next(grid, block, shared, stream);
}

/* HIP takes some grids and blocks that CUDA refuses. */
static bool possible(dim3 grid, dim3 block)
{
    size_t threads = (size_t)block.x * block.y * block.z;
    return grid.x && grid.y && grid.z && threads && threads <= 1024;
}

hipError_t launch(const void *function, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream)
{
    static auto next =
        (hipError_t(*)(const void *, dim3, dim3, void **, size_t, hipStream_t))hip_function("hipLaunchKernel");
    hipError_t error = possible(grid, block) ? next(function, grid, block, args, shared, native(stream))
                                             : hipErrorInvalidConfiguration;
    runtime_done(error);
    return error;
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                             cudaStream_t stream)
{
    const void *kernel = kernel_find(function);
    return kernel ? error_from_hip(launch(kernel, grid, block, args, shared, stream))
                  : runtime_failed(cudaErrorInvalidDeviceFunction);
}

/* The barrier of a grid (cooperative_groups.h) counts from zero: HIP has none for gfx803. All blocks must be on the
 * device at a time. */
cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                                        cudaStream_t stream)
{
    const void *kernel = kernel_find(function);
    int blocks = 0, device = 0;
    struct cudaDeviceProp prop;
    cudaError_t error = kernel ? cudaGetDevice(&device) : runtime_failed(cudaErrorInvalidDeviceFunction);
    if (error == cudaSuccess)
        error = cudaGetDeviceProperties(&prop, device);
    if (error == cudaSuccess)
        error =
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, (int)(block.x * block.y * block.z), shared);
    if (error == cudaSuccess && (size_t)grid.x * grid.y * grid.z > (size_t)blocks * prop.multiProcessorCount)
        error = runtime_failed(cudaErrorCooperativeLaunchTooLarge);
    if (error == cudaSuccess)
        error = variables_clear("gantry_grid_count", stream);
    return error == cudaSuccess ? error_from_hip(launch(kernel, grid, block, args, shared, stream)) : error;
}

cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared, cudaStream_t stream)
{
    return runtime_done(hipConfigureCall(native(grid), native(block), shared, native(stream)));
}

cudaError_t cudaLaunch(const void *function)
{
    const void *kernel = kernel_find(function);
    return kernel ? runtime_done(hipLaunchByPtr(kernel)) : runtime_failed(cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function)
{
    hipFuncAttributes h;
    const void *kernel = kernel_find(function);
    if (!attributes || !kernel)
        return runtime_failed(attributes ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidValue);
    hipError_t error = hipFuncGetAttributes(&h, kernel);
    if (error != hipSuccess)
        return runtime_done(error);
    *attributes = {
        h.sharedSizeBytes,      h.constSizeBytes,       h.localSizeBytes, h.maxThreadsPerBlock,           h.numRegs,
        10 * GANTRY_CUDA_MAJOR, 10 * GANTRY_CUDA_MAJOR, h.cacheModeCA,    65536 - (int)h.sharedSizeBytes, 0};
    return cudaSuccess;
}
