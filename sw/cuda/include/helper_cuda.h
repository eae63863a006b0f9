/* SPDX-License-Identifier: Apache-2.0
 * Checks of errors and the choice of a device, with the names that programs of the CUDA samples use.
 */
#ifndef GANTRY_HELPER_CUDA_H
#define GANTRY_HELPER_CUDA_H
#include <cuda_runtime.h>
#include <helper_string.h>
static inline const char *_cudaGetErrorEnum(cudaError_t error)
{
    return cudaGetErrorName(error);
}
template <typename T> void gantry_check(T error, const char *call, const char *file, int line)
{
    if (error) {
        fprintf(stderr, "%s:%d: error %d (%s) of %s\n", file, line, (int)error, cudaGetErrorName((cudaError_t)error),
                call);
        exit(EXIT_FAILURE);
    }
}
#define checkCudaErrors(call) gantry_check((call), #call, __FILE__, __LINE__)
static inline void gantry_check_last(const char *message, const char *file, int line, bool ends)
{
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) {
        fprintf(stderr, "%s:%d: %s: error %d (%s)\n", file, line, message, (int)error, cudaGetErrorName(error));
        if (ends)
            exit(EXIT_FAILURE);
    }
}
#define getLastCudaError(message) gantry_check_last(message, __FILE__, __LINE__, true)
#define printLastCudaError(message) gantry_check_last(message, __FILE__, __LINE__, false)
static inline int _ConvertSMVer2Cores(int, int)
{
    return 64;
} /* lanes of a compute unit */
static inline const char *_ConvertSMVer2ArchName(int, int)
{
    return "GCN3";
}
static inline int gpuGetMaxGflopsDeviceId()
{
    return 0;
}
static inline int gpuDeviceInit(int device)
{
    checkCudaErrors(cudaSetDevice(device));
    return device;
}
static inline int findCudaDevice(int argc, const char **argv)
{
    return gpuDeviceInit(getCmdLineArgumentInt(argc, argv, "device"));
}
static inline bool checkCudaCapabilities(int major, int minor)
{
    struct cudaDeviceProp prop;
    checkCudaErrors(cudaGetDeviceProperties(&prop, 0));
    return prop.major > major || (prop.major == major && prop.minor >= minor);
}
#endif
