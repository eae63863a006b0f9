/* SPDX-License-Identifier: Apache-2.0
 * Devices: their properties, attributes and limits; callbacks of streams; memory that is more than one call of HIP.
 */
#include <cstring>

#include "native.h"

static int warp_lanes = 64;

/* Programs that were compiled with --warp32 say so when they start. */
extern "C" int gantry_cuda_warp(int lanes)
{
    return warp_lanes = lanes;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device)
{
    hipDeviceProp_t h;
    hipUUID uuid = {};
    hipError_t error = p ? hipGetDeviceProperties(&h, device) : hipErrorInvalidValue;
    int warp = warp_lanes;
    if (error != hipSuccess)
        return runtime_done(error);
    if (hipDeviceGetUuid(&uuid, device) != hipSuccess)
        uuid.bytes[15] = (char)(device + 1);
    memset(p, 0, sizeof(*p));
#include "props.inc"
    return cudaSuccess;
}

/* -1: no such attribute. */
static int attribute_value(const struct cudaDeviceProp &p, int attribute)
{
    switch (attribute) {
#include "attrs.inc"
    default:
        return -1;
    }
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    struct cudaDeviceProp p;
    cudaError_t error = value ? cudaGetDeviceProperties(&p, device) : runtime_failed(cudaErrorInvalidValue);
    if (error != cudaSuccess)
        return error;
    *value = attribute_value(p, attribute);
    return *value < 0 ? runtime_failed(cudaErrorInvalidValue) : cudaSuccess;
}

/* All devices are alike; the first that has what is asked for. */
cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop)
{
    if (!device || !prop)
        return runtime_failed(cudaErrorInvalidValue);
    *device = 0;
    return cudaSuccess;
}

static const size_t limits[] = {1024, 1 << 20, 8 << 20, 2, 2048, 64, 0};
static size_t limits_set[sizeof(limits) / sizeof(limits[0])];

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    if (!value || (unsigned)limit >= sizeof(limits) / sizeof(limits[0]))
        return runtime_failed(value ? cudaErrorUnsupportedLimit : cudaErrorInvalidValue);
    *value = limits_set[limit] ? limits_set[limit] : limits[limit];
    return cudaSuccess;
}

/* Scratch memory and the buffer of printf have the size that a kernel needs: a limit is kept and changes nothing. */
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    if ((unsigned)limit >= sizeof(limits) / sizeof(limits[0]))
        return runtime_failed(cudaErrorUnsupportedLimit);
    limits_set[limit] = value;
    return cudaSuccess;
}

cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit)
{
    return cudaDeviceGetLimit(value, limit);
}
cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value)
{
    return cudaDeviceSetLimit(limit, value);
}

namespace
{
struct call {
    cudaStreamCallback_t callback;
    cudaHostFn_t function;
    void *data;
};

void call_made(hipStream_t stream, hipError_t status, void *data)
{
    call *c = (call *)data;
    if (c->callback)
        c->callback((cudaStream_t)stream, error_from_hip(status), c->data);
    else
        c->function(c->data);
    delete c;
}

cudaError_t call_add(cudaStream_t stream, const call &c)
{
    call *copy = new call(c);
    hipError_t error = hipStreamAddCallback(native(stream), call_made, copy, 0);
    if (error != hipSuccess)
        delete copy;
    return runtime_done(error);
}
} // namespace

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data, unsigned flags)
{
    return callback && flags == 0 ? call_add(stream, {callback, nullptr, data}) : runtime_failed(cudaErrorInvalidValue);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
    return function ? call_add(stream, {nullptr, function, data}) : runtime_failed(cudaErrorInvalidValue);
}

/* gfx803 has no pages that move by themselves: managed memory is memory of the host that the device reaches. */
cudaError_t cudaMallocManaged(void **p, size_t size, unsigned flags)
{
    if (!p || size == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
        return runtime_failed(cudaErrorInvalidValue);
    return runtime_done(hipHostMalloc(p, size, hipHostMallocDefault));
}

cudaError_t cudaIpcOpenMemHandle(void **p, cudaIpcMemHandle_t handle, unsigned flags)
{
    hipIpcMemHandle_t h;
    memcpy(&h, &handle, sizeof(h));
    return runtime_done(hipIpcOpenMemHandle(p, h, flags));
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *p)
{
    hipPointerAttribute_t h;
    if (!attributes)
        return runtime_failed(cudaErrorInvalidValue);
    memset(attributes, 0, sizeof(*attributes));
    if (hipPointerGetAttributes(&h, p) != hipSuccess) {
        attributes->type = cudaMemoryTypeUnregistered;
        attributes->device = -2;
        attributes->hostPointer = (void *)p;
        return cudaSuccess;
    }
    attributes->type = h.isManaged                         ? cudaMemoryTypeManaged
                       : h.memoryType == hipMemoryTypeHost ? cudaMemoryTypeHost
                                                           : cudaMemoryTypeDevice;
    attributes->device = h.device;
    attributes->devicePointer = h.devicePointer;
    attributes->hostPointer = h.hostPointer;
    return cudaSuccess;
}
