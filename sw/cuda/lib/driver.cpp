/* SPDX-License-Identifier: Apache-2.0
 * What of the driver API is more than one call of HIP: modules, launches, errors.
 */
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "native.h"

extern "C" const char *gantry_driver_error(int number, int text);

/* libcudart keeps the table; here for the functions that both libraries have. */
CUresult driver_done(hipError_t error)
{
    cudaError_t number = error_from_hip(error);
    return gantry_driver_error(number, 0) ? (CUresult)number
           : number == cudaErrorUnknown   ? CUDA_ERROR_UNKNOWN
                                          : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorName(CUresult error, const char **text)
{
    *text = gantry_driver_error(error, 0);
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text)
{
    *text = gantry_driver_error(error, 1);
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    cudaError_t error = cudaDeviceGetAttribute(value, (enum cudaDeviceAttr)attribute, device);
    cudaGetLastError();
    return (CUresult)error;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
    struct cudaDeviceProp prop;
    cudaError_t error = cudaGetDeviceProperties(&prop, device);
    cudaGetLastError();
    if (error == cudaSuccess)
        *uuid = prop.uuid;
    return (CUresult)error;
}

CUresult cuMemAllocManaged(CUdeviceptr *p, size_t bytes, unsigned flags)
{
    cudaError_t error = cudaMallocManaged((void **)p, bytes, flags);
    cudaGetLastError();
    return (CUresult)error;
}

namespace
{
/* Why bytes are no module for gfx803: PTX is text, a cubin an ELF file for machine 190. */
CUresult image_check(const unsigned char *image, size_t size)
{
    static const unsigned char elf[] = {0x7f, 'E', 'L', 'F'};
    size_t blank = 0;
    while (blank < size && blank < 64 && strchr(" \t\r\n", image[blank]) && image[blank])
        blank++;
    if (size > blank + 2 &&
        ((image[blank] == '/' && (image[blank + 1] == '/' || image[blank + 1] == '*')) || image[blank] == '.'))
        return CUDA_ERROR_INVALID_PTX;
    if (size >= 20 && memcmp(image, elf, sizeof(elf)) == 0 && image[18] == 190)
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    return CUDA_SUCCESS;
}

struct call_state {
    dim3 block = {1, 1, 1};
    unsigned shared = 0;
    std::vector<char> params;
};

/* A launch in the form of CUDA 3 is described by several calls before it. */
call_state &state_of(CUfunction function)
{
    static std::mutex lock;
    static std::map<CUfunction, call_state> states;
    std::lock_guard<std::mutex> hold(lock);
    return states[function];
}

CUresult param_set(CUfunction function, int offset, const void *p, size_t bytes)
{
    call_state &state = state_of(function);
    if (offset < 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (state.params.size() < offset + bytes)
        state.params.resize(offset + bytes);
    memcpy(state.params.data() + offset, p, bytes);
    return CUDA_SUCCESS;
}
} // namespace

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    CUresult error = module && image ? image_check((const unsigned char *)image, 64) : CUDA_ERROR_INVALID_VALUE;
    return error == CUDA_SUCCESS ? driver_done(hipModuleLoadData((hipModule_t *)module, image)) : error;
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned, CUjit_option *, void **)
{
    return cuModuleLoadData(module, image);
}
CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image)
{
    return cuModuleLoadData(module, image);
}

CUresult cuModuleLoad(CUmodule *module, const char *name)
{
    unsigned char head[64] = {};
    FILE *file = module && name ? fopen(name, "rb") : nullptr;
    if (!file)
        return module && name ? CUDA_ERROR_FILE_NOT_FOUND : CUDA_ERROR_INVALID_VALUE;
    size_t size = fread(head, 1, sizeof(head), file);
    fclose(file);
    CUresult error = image_check(head, size);
    return error == CUDA_SUCCESS ? driver_done(hipModuleLoad((hipModule_t *)module, name)) : error;
}

CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                        unsigned bz, unsigned shared, CUstream stream, void **params, void **extra)
{
    void *config[8] = {};
    /* HIP ends the list with another number. */
    for (unsigned i = 0; extra && i < 7; i++) {
        config[i] = extra[i] == CU_LAUNCH_PARAM_END && i % 2 == 0 ? HIP_LAUNCH_PARAM_END : extra[i];
        if (config[i] == HIP_LAUNCH_PARAM_END)
            break;
    }
    return driver_done(hipModuleLaunchKernel(native(function), gx, gy, gz, bx, by, bz, shared, native(stream), params,
                                             extra ? config : nullptr));
}

CUresult cuFuncSetBlockShape(CUfunction function, int x, int y, int z)
{
    if (x <= 0 || y <= 0 || z <= 0)
        return CUDA_ERROR_INVALID_VALUE;
    state_of(function).block = dim3((unsigned)x, (unsigned)y, (unsigned)z);
    return CUDA_SUCCESS;
}

CUresult cuFuncSetSharedSize(CUfunction function, unsigned bytes)
{
    state_of(function).shared = bytes;
    return CUDA_SUCCESS;
}

CUresult cuParamSetSize(CUfunction function, unsigned bytes)
{
    state_of(function).params.resize(bytes);
    return CUDA_SUCCESS;
}

CUresult cuParamSeti(CUfunction function, int offset, unsigned value)
{
    return param_set(function, offset, &value, sizeof(value));
}
CUresult cuParamSetf(CUfunction function, int offset, float value)
{
    return param_set(function, offset, &value, sizeof(value));
}
CUresult cuParamSetv(CUfunction function, int offset, void *p, unsigned bytes)
{
    return param_set(function, offset, p, bytes);
}

CUresult cuLaunchGridAsync(CUfunction function, int width, int height, CUstream stream)
{
    call_state &state = state_of(function);
    size_t size = state.params.size();
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, state.params.data(), CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    if (width <= 0 || height <= 0)
        return CUDA_ERROR_INVALID_VALUE;
    return cuLaunchKernel(function, (unsigned)width, (unsigned)height, 1, state.block.x, state.block.y, state.block.z,
                          state.shared, stream, nullptr, extra);
}

CUresult cuLaunchGrid(CUfunction function, int width, int height)
{
    return cuLaunchGridAsync(function, width, height, nullptr);
}
CUresult cuLaunch(CUfunction function)
{
    return cuLaunchGridAsync(function, 1, 1, nullptr);
}
