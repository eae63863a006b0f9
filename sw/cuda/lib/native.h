/* SPDX-License-Identifier: Apache-2.0
 * CUDA's types and numbers as HIP has them, and back. Not responsible for: what the functions do.
 */
#ifndef GANTRY_CUDA_NATIVE_H
#define GANTRY_CUDA_NATIVE_H
#include <gantry/hip.h>

#include <cuda.h>
#include <cuda_runtime_api.h>

/* error.cpp: the error in CUDA's numbers; remembered for cudaGetLastError by the first. */
cudaError_t runtime_done(hipError_t error);
cudaError_t runtime_failed(cudaError_t error);
CUresult driver_done(hipError_t error);
cudaError_t error_from_hip(hipError_t error);

/* symbol.cpp: the variable or kernel that an address or a name means; NULL: there is none. */
const void *variable_find(const void *symbol);
const void *kernel_find(const void *symbol);
/* All variables of that name, of any file, become zero, in the order of the stream. */
cudaError_t variables_clear(const char *name, cudaStream_t stream);
/* A function of HIP's library under the name that this library has, too. */
void *hip_function(const char *name);

/* array.cpp: an array, and a copy of rows that may begin and end in arrays. */
struct cudaArray {
    char *data;
    size_t width, height, depth, pitch, slice, element; /* elements, rows, planes (at least 1); bytes */
    cudaChannelFormatDesc desc;
    unsigned flags;
};

inline hipStream_t native(cudaStream_t v)
{
    return v == (cudaStream_t)1 ? nullptr : (hipStream_t)v;
}
inline hipStream_t *native(cudaStream_t *v)
{
    return (hipStream_t *)v;
}
inline hipEvent_t native(cudaEvent_t v)
{
    return (hipEvent_t)v;
}
inline hipEvent_t *native(cudaEvent_t *v)
{
    return (hipEvent_t *)v;
}
inline hipGraph_t native(cudaGraph_t v)
{
    return (hipGraph_t)v;
}
inline hipGraph_t *native(cudaGraph_t *v)
{
    return (hipGraph_t *)v;
}
inline hipGraphExec_t native(cudaGraphExec_t v)
{
    return (hipGraphExec_t)v;
}
inline hipGraphExec_t *native(cudaGraphExec_t *v)
{
    return (hipGraphExec_t *)v;
}
inline hipGraphNode_t *native(cudaGraphNode_t *v)
{
    return (hipGraphNode_t *)v;
}
inline const hipGraphNode_t *native(const cudaGraphNode_t *v)
{
    return (const hipGraphNode_t *)v;
}
inline hipStreamCaptureMode native(cudaStreamCaptureMode v)
{
    return (hipStreamCaptureMode)v;
}
inline hipStreamCaptureStatus *native(cudaStreamCaptureStatus *v)
{
    return (hipStreamCaptureStatus *)v;
}
inline hipMemcpyKind native(cudaMemcpyKind v)
{
    return (hipMemcpyKind)v;
}
inline hipIpcMemHandle_t *native(cudaIpcMemHandle_t *v)
{
    return (hipIpcMemHandle_t *)v;
}
inline gantry_hip_dim3 native(dim3 v)
{
    return gantry_hip_dim3(v.x, v.y, v.z);
}
inline hipCtx_t native(CUcontext v)
{
    return (hipCtx_t)v;
}
inline hipCtx_t *native(CUcontext *v)
{
    return (hipCtx_t *)v;
}
inline hipModule_t native(CUmodule v)
{
    return (hipModule_t)v;
}
inline hipFunction_t native(CUfunction v)
{
    return (hipFunction_t)v;
}
inline hipFunction_t *native(CUfunction *v)
{
    return (hipFunction_t *)v;
}
inline hipFunction_attribute native(CUfunction_attribute v)
{
    return (hipFunction_attribute)v;
}
inline hipDeviceptr_t native(CUdeviceptr v)
{
    return (hipDeviceptr_t)v;
}
inline hipDeviceptr_t *native(CUdeviceptr *v)
{
    return (hipDeviceptr_t *)v;
}
template <typename T> inline T native(T v)
{
    return v;
}
#endif
