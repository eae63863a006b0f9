/* SPDX-License-Identifier: Apache-2.0
 * HIP's own headers, with those of its names out of the way that CUDA's programs have in another form: vectors,
 * indices, launches, textures, functions between the lanes of a wavefront.
 */
#ifndef GANTRY_CUDA_HIP_H
#define GANTRY_CUDA_HIP_H
#include <gantry/rename.h>
#define dim3 gantry_hip_dim3
#define threadIdx gantry_hip_threadIdx
#define blockIdx gantry_hip_blockIdx
#define blockDim gantry_hip_blockDim
#define gridDim gantry_hip_gridDim
#define warpSize gantry_hip_warpSize
#define texture gantry_hip_texture
#define textureReference gantry_hip_textureReference
#define surfaceReference gantry_hip_surfaceReference
#define __shfl gantry_hip_shfl
#define __shfl_up gantry_hip_shfl_up
#define __shfl_down gantry_hip_shfl_down
#define __shfl_xor gantry_hip_shfl_xor
#define __ballot gantry_hip_ballot
#define __any gantry_hip_any
#define __all gantry_hip_all
/* Image functions are loads here (gantry/texture.h). */
#define HIP_INCLUDE_HIP_AMD_DETAIL_TEXTURE_FETCH_FUNCTIONS_H
#define HIP_INCLUDE_HIP_AMD_DETAIL_TEXTURE_INDIRECT_FUNCTIONS_H
#define HIP_INCLUDE_HIP_AMD_DETAIL_SURFACE_FUNCTIONS_H
#ifdef __HIP__
#define hipLaunchKernel gantry_hip_hipLaunchKernel
#define __hipPushCallConfiguration gantry_hip_hipPushCallConfiguration
#include <hip/hip_runtime.h>
#undef hipLaunchKernel
#undef __hipPushCallConfiguration
#undef CUDA_SUCCESS
#else
#include <hip/hip_runtime_api.h>
#endif
#undef dim3
#undef threadIdx
#undef blockIdx
#undef blockDim
#undef gridDim
#undef warpSize
#undef texture
#undef textureReference
#undef surfaceReference
#undef __shfl
#undef __shfl_up
#undef __shfl_down
#undef __shfl_xor
#undef __ballot
#undef __any
#undef __all
#include <gantry/rename_end.h>
#endif
