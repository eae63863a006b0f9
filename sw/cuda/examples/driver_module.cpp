// SPDX-License-Identifier: Apache-2.0
// The driver API from a C++ file: a module, its variable, both forms of a launch. Argument: the module
// (module_kernels.fatbin).
#include <cstdio>
#include <cstdlib>

#include <cuda.h>
#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        CUresult error = (call);                                                                                       \
        const char *name = "?";                                                                                        \
        if (error != CUDA_SUCCESS) {                                                                                   \
            cuGetErrorName(error, &name);                                                                              \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, name);                                                \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

int main(int argc, char **argv)
{
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction scale;
    CUdeviceptr p, variable;
    size_t size = 0;
    int n = 300, got[300], wrong = 0, three = 3, lanes = 0, count = 0;
    float by = 2.0f;
    CHECK(cuInit(0));
    CHECK(cuDeviceGetCount(&count));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDeviceGetAttribute(&lanes, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device));
    CHECK(cuCtxCreate(&context, 0, device));
    CHECK(cuModuleLoad(&module, argc > 1 ? argv[1] : "module_kernels.fatbin"));
    CHECK(cuModuleGetFunction(&scale, module, "scale"));
    CHECK(cuModuleGetGlobal(&variable, &size, module, "factor"));
    CHECK(cuMemcpyHtoD(variable, &three, sizeof(three)));
    for (int i = 0; i < n; i++)
        got[i] = i;
    CHECK(cuMemAlloc(&p, sizeof(got)));
    CHECK(cuMemcpyHtoD(p, got, sizeof(got)));
    void *params[] = {&p, &n, &by};
    CHECK(cuLaunchKernel(scale, 3, 1, 1, 128, 1, 1, 0, NULL, params, NULL));
    CHECK(cuFuncSetBlockShape(scale, 128, 1, 1)); // the form of CUDA 3
    CHECK(cuParamSetv(scale, 0, &p, sizeof(p)));
    CHECK(cuParamSeti(scale, 8, n));
    CHECK(cuParamSetf(scale, 12, 0.5f));
    CHECK(cuParamSetSize(scale, 16));
    CHECK(cuLaunchGrid(scale, 3, 1));
    CHECK(cuCtxSynchronize());
    CHECK(cuMemcpyDtoH(got, p, sizeof(got)));
    for (int i = 0; i < n; i++)
        wrong += got[i] != i * 2 * 3 / 2 * 3;
    wrong += lanes != 64 || count < 1 || size != sizeof(int);
    wrong += cuModuleGetFunction(&scale, module, "none") != CUDA_ERROR_NOT_FOUND;
    wrong += cuModuleLoadData(&module, "//\n.version 7.0\n") != CUDA_ERROR_INVALID_PTX;
    wrong += cuModuleLoad(&module, "/nonexistent") != CUDA_ERROR_FILE_NOT_FOUND;
    CHECK(cuMemFree(p));
    CHECK(cuCtxDestroy(context));
    printf("driver_module: %s (%d wrong)\n", wrong ? "FAILED" : "PASSED", wrong);
    return wrong != 0;
}
