/* SPDX-License-Identifier: Apache-2.0
 * make_float4 and its kind.
 */
#ifndef GANTRY_VECTOR_FUNCTIONS_H
#define GANTRY_VECTOR_FUNCTIONS_H
#define __VECTOR_FUNCTIONS_H__ /* which programs ask for */
#include <vector_types.h>
#define GANTRY_VECTOR static __inline__ __host__ __device__
#include <gantry/vector_makers.h>
#endif
