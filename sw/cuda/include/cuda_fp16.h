/* SPDX-License-Identifier: Apache-2.0
 * half and half2 are HIP's; functions that return a float2 return HIP's own.
 */
#ifndef GANTRY_CUDA_FP16_H
#define GANTRY_CUDA_FP16_H
#define __CUDA_FP16_H__ /* which programs ask for */
#include <cuda_runtime.h>
#ifdef __HIP__
#include <gantry/rename.h>

#include <hip/hip_fp16.h>

#include <gantry/rename_end.h>
#endif
#endif
