/* SPDX-License-Identifier: Apache-2.0
 * Vectors, and the sizes of a grid.
 */
#ifndef GANTRY_VECTOR_TYPES_H
#define GANTRY_VECTOR_TYPES_H
#define __VECTOR_TYPES_H__ /* which programs ask for */
#include <gantry/base.h>
#include <gantry/vectors.h>
#ifdef __cplusplus
struct dim3 {
    unsigned int x, y, z;
    constexpr __host__ __device__ dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
    constexpr __host__ __device__ dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr __host__ __device__ operator uint3() const { return uint3{x, y, z}; }
};
#else
struct dim3 {
    unsigned int x, y, z;
};
#endif
typedef struct dim3 dim3;
#endif
