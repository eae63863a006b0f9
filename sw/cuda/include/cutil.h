/* SPDX-License-Identifier: Apache-2.0
 * Macros and functions by which programs of the time of CUDA 3.2 check errors, read options and stop time.
 */
#ifndef GANTRY_CUTIL_H
#define GANTRY_CUTIL_H
#include <helper_cuda.h>
#include <helper_timer.h>
#define CUDA_SAFE_CALL(call) checkCudaErrors(call)
#define CUDA_SAFE_CALL_NO_SYNC(call) checkCudaErrors(call)
#define cutilSafeCall(call) checkCudaErrors(call)
#define cutilSafeCallNoSync(call) checkCudaErrors(call)
#define cutilCheckMsg(message) getLastCudaError(message)
#define CUT_CHECK_ERROR(message) getLastCudaError(message)
#define CUT_SAFE_CALL(call) (call)
#define cutilCheckError(call) (call)
#define CUT_DEVICE_INIT(...) gpuDeviceInit(0)
#define cutilDeviceInit(...) gpuDeviceInit(0)
#define CUT_EXIT(...) exit(0)
#define cutilExit(...) exit(0)
#define cutilDeviceSynchronize() cudaDeviceSynchronize()
#define cutilThreadSynchronize() cudaDeviceSynchronize()
#define CUT_BANK_CHECKER(array, index) array[index]
#define cutGetMaxGflopsDeviceId gpuGetMaxGflopsDeviceId
#define cutFree free
typedef bool CUTBoolean;
#define CUTTrue true
#define CUTFalse false
static inline StopWatchInterface **gantry_watch(unsigned int number)
{
    static StopWatchInterface *watches[256];
    return &watches[number % 256];
}
static inline bool cutCreateTimer(unsigned int *number)
{
    static unsigned int next;
    *number = next++;
    return sdkCreateTimer(gantry_watch(*number));
}
static inline bool cutDeleteTimer(unsigned int number)
{
    return sdkDeleteTimer(gantry_watch(number));
}
static inline bool cutStartTimer(unsigned int number)
{
    return sdkStartTimer(gantry_watch(number));
}
static inline bool cutStopTimer(unsigned int number)
{
    return sdkStopTimer(gantry_watch(number));
}
static inline bool cutResetTimer(unsigned int number)
{
    return sdkResetTimer(gantry_watch(number));
}
static inline float cutGetTimerValue(unsigned int number)
{
    return sdkGetTimerValue(gantry_watch(number));
}
static inline float cutGetAverageTimerValue(unsigned int number)
{
    return sdkGetAverageTimerValue(gantry_watch(number));
}
static inline bool cutCheckCmdLineFlag(int argc, const char **argv, const char *name)
{
    return checkCmdLineFlag(argc, argv, name);
}
static inline bool cutGetCmdLineArgumenti(int argc, const char **argv, const char *name, int *value)
{
    const char *text = gantry_option(argc, argv, name);
    if (text)
        *value = atoi(text);
    return text != NULL;
}
#endif
