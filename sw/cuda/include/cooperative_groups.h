/* SPDX-License-Identifier: Apache-2.0
 * Cooperative groups as far as HIP 5.2 has them: thread_block, grid_group, tiles of 1 to 64 work-items, coalesced
 * groups.
 */
#ifndef GANTRY_COOPERATIVE_GROUPS_H
#define GANTRY_COOPERATIVE_GROUPS_H
#define _COOPERATIVE_GROUPS_H_ /* which programs ask for */
#include <cuda_runtime.h>
#ifdef __HIP__
#define dim3 gantry_hip_dim3
#define threadIdx gantry_hip_threadIdx
#define blockIdx gantry_hip_blockIdx
#define blockDim gantry_hip_blockDim
#define gridDim gantry_hip_gridDim
#define __shfl gantry_shfl
#define __shfl_up gantry_shfl_up
#define __shfl_down gantry_shfl_down
#define __shfl_xor gantry_shfl_xor
#include <hip/hip_cooperative_groups.h>
#undef dim3
#undef threadIdx
#undef blockIdx
#undef blockDim
#undef gridDim
#undef __shfl
#undef __shfl_up
#undef __shfl_down
#undef __shfl_xor
#endif
#endif
