/* SPDX-License-Identifier: Apache-2.0
 * The run-time API as C++ sees it; in device code also the language itself. gantry-nvcc includes this before each .cu
 * file.
 */
#ifndef GANTRY_CUDA_RUNTIME_H
#define GANTRY_CUDA_RUNTIME_H
#define __CUDA_RUNTIME_H__ /* which programs ask for */
#ifdef __HIP__
#include <gantry/hip.h>
#else
#include <math.h>
#include <stdlib.h>
#include <string.h>
#endif
#include <cuda_runtime_api.h>
#include <vector_functions.h>
#ifdef __HIP__
#include <gantry/device.h>
#include <gantry/launch.h>
#include <gantry/rounding.h>
#include <gantry/warp.h>
#endif
#ifdef __cplusplus
#include <gantry/overloads.h>
#endif
#ifdef __HIP__
#include <gantry/compiler.h>
#endif
#endif
