/* SPDX-License-Identifier: Apache-2.0
 * What all headers of CUDA's names stand on: qualifiers for compilers that know no device code, versions.
 */
#ifndef GANTRY_CUDA_BASE_H
#define GANTRY_CUDA_BASE_H
#include <limits.h>
#include <stddef.h>

#define GANTRY_CUDA_VERSION 11080
#define GANTRY_CUDA_MAJOR 6 /* compute capability that programs see: the first with all atomics that HIP brings */
#define GANTRY_CUDA_MINOR 0
#define CUDART_VERSION GANTRY_CUDA_VERSION
#define CUDA_VERSION GANTRY_CUDA_VERSION

#define GANTRY_ALIGN(n) __attribute__((aligned(n)))
#ifdef __cplusplus
#define GANTRY_API extern "C"
#define GANTRY_DEFAULT(value) = value
#define GANTRY_ANY (...)
#else
#define GANTRY_API extern
#define GANTRY_DEFAULT(value)
#define GANTRY_ANY ()
#endif
/* A function that cannot be had: a call is an error of the compiler that says why. */
#define GANTRY_UNAVAILABLE(type, name, reason) GANTRY_API type name GANTRY_ANY __attribute__((unavailable(reason)))

#ifdef __HIP__
#define GANTRY_NOT_ON_DEVICE(name, reason)                                                                             \
    template <typename... T> __device__ int name(T...) __attribute__((unavailable(reason)))
#endif

#if !defined(__HIP__) && !defined(__HIP_PLATFORM_AMD__)
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#endif
#ifndef __align__
#define __align__(n) __attribute__((aligned(n)))
#endif
#ifndef __grid_constant__
#define __grid_constant__
#endif
#ifndef CUDARTAPI
#define CUDARTAPI
#define CUDAAPI
#define CUDART_CB
#define CUDA_CB
#endif
#endif
