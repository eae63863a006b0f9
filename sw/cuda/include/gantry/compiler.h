/* SPDX-License-Identifier: Apache-2.0
 * Macros by which programs know their compiler. After HIP's headers, which look at some of them.
 */
#ifndef GANTRY_CUDA_COMPILER_H
#define GANTRY_CUDA_COMPILER_H
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 11
#define __CUDACC_VER_MINOR__ 8
#define __CUDACC_VER_BUILD__ 0
#ifdef GANTRY_RDC
#define __CUDACC_RDC__ 1
#endif
#if defined(__HIP_DEVICE_COMPILE__) && __HIP_DEVICE_COMPILE__
#ifndef GANTRY_CUDA_ARCH
#define GANTRY_CUDA_ARCH 600
#endif
#define __CUDA_ARCH__ GANTRY_CUDA_ARCH
#endif
#endif
