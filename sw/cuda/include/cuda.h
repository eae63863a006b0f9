/* SPDX-License-Identifier: Apache-2.0
 * The driver API.
 */
#ifndef GANTRY_CUDA_H
#define GANTRY_CUDA_H
#define __cuda_cuda_h__ /* which programs ask for */
#include <gantry/base.h>
#include <stdint.h>
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;
#include <driver_types.h>
#include <gantry/driver_names.h>
#endif
