/* SPDX-License-Identifier: Apache-2.0
 * Nodes of graphs whose parameters HIP has in another order.
 */
#include "native.h"

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                                   size_t count, const struct cudaKernelNodeParams *p)
{
    hipKernelNodeParams h = {};
    const void *kernel = p ? kernel_find(p->func) : nullptr;
    if (!kernel)
        return runtime_failed(p ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidValue);
    h.func = (void *)kernel; /* two members have the names that gantry/hip.h gives their like */
    h.gantry_hip_gridDim = native(p->gridDim);
    h.gantry_hip_blockDim = native(p->blockDim);
    h.sharedMemBytes = p->sharedMemBytes;
    h.kernelParams = p->kernelParams;
    h.extra = p->extra;
    return runtime_done(hipGraphAddKernelNode(native(node), native(graph), native(before), count, &h));
}

/* Between pitched memory; arrays are linear memory that HIP does not know of. */
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                                   size_t count, const struct cudaMemcpy3DParms *p)
{
    hipMemcpy3DParms h = {};
    if (!p || p->srcArray || p->dstArray)
        return runtime_failed(p ? cudaErrorNotSupported : cudaErrorInvalidValue);
    h.srcPos = make_hipPos(p->srcPos.x, p->srcPos.y, p->srcPos.z);
    h.srcPtr = make_hipPitchedPtr(p->srcPtr.ptr, p->srcPtr.pitch, p->srcPtr.xsize, p->srcPtr.ysize);
    h.dstPos = make_hipPos(p->dstPos.x, p->dstPos.y, p->dstPos.z);
    h.dstPtr = make_hipPitchedPtr(p->dstPtr.ptr, p->dstPtr.pitch, p->dstPtr.xsize, p->dstPtr.ysize);
    h.extent = make_hipExtent(p->extent.width, p->extent.height, p->extent.depth);
    h.kind = native(p->kind);
    return runtime_done(hipGraphAddMemcpyNode(native(node), native(graph), native(before), count, &h));
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                                   size_t count, const struct cudaMemsetParams *p)
{
    hipMemsetParams h = {};
    if (!p)
        return runtime_failed(cudaErrorInvalidValue);
    h.dst = p->dst;
    h.pitch = p->pitch;
    h.value = p->value;
    h.elementSize = p->elementSize;
    h.width = p->width;
    h.height = p->height;
    return runtime_done(hipGraphAddMemsetNode(native(node), native(graph), native(before), count, &h));
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                                 const struct cudaHostNodeParams *p)
{
    hipHostNodeParams h = {};
    if (!p)
        return runtime_failed(cudaErrorInvalidValue);
    h.fn = p->fn;
    h.userData = p->userData;
    return runtime_done(hipGraphAddHostNode(native(node), native(graph), native(before), count, &h));
}
