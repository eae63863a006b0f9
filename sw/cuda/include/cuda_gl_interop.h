/* SPDX-License-Identifier: Apache-2.0
 * There is no OpenGL beside the simulated GPU: the functions are there to say so (area graphics of sw/cuda/names.tsv).
 */
#ifndef GANTRY_CUDA_GL_INTEROP_H
#define GANTRY_CUDA_GL_INTEROP_H
#include <cuda_runtime_api.h>
#endif
