/* SPDX-License-Identifier: Apache-2.0
 * What the compiler calls for <<<...>>>, with CUDA's types, and where a work-item is. Library: sw/cuda/lib/launch.cpp.
 */
#ifndef GANTRY_CUDA_LAUNCH_H
#define GANTRY_CUDA_LAUNCH_H
extern "C" hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0);
extern "C" hipError_t hipLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                                      cudaStream_t stream);

/* A name with members x, y, z that are computed when they are read. */
#define GANTRY_INDEX(name, function)                                                                                   \
    struct gantry_##name {                                                                                             \
        static __device__ inline unsigned int get_x() { return (unsigned int)function(0); }                            \
        static __device__ inline unsigned int get_y() { return (unsigned int)function(1); }                            \
        static __device__ inline unsigned int get_z() { return (unsigned int)function(2); }                            \
        __declspec(property(get = get_x)) unsigned int x;                                                              \
        __declspec(property(get = get_y)) unsigned int y;                                                              \
        __declspec(property(get = get_z)) unsigned int z;                                                              \
        __device__ inline operator uint3() const { return uint3{get_x(), get_y(), get_z()}; }                          \
        __device__ inline operator dim3() const { return dim3(get_x(), get_y(), get_z()); }                            \
    };                                                                                                                 \
    static constexpr gantry_##name name {}
GANTRY_INDEX(threadIdx, __ockl_get_local_id);
GANTRY_INDEX(blockIdx, __ockl_get_group_id);
GANTRY_INDEX(blockDim, __ockl_get_local_size);
GANTRY_INDEX(gridDim, __ockl_get_num_groups);
#undef GANTRY_INDEX
#endif
