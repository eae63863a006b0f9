/* SPDX-License-Identifier: Apache-2.0
 * Errors: CUDA's numbers, names and texts, and the last one of each thread. HIP forgets an error at the next call that
 * succeeds; CUDA keeps it.
 */
#include <cstring>

#include "native.h"

namespace
{
struct row {
    const char *runtime, *driver;
    int number, hip;
    const char *text;
};
const row rows[] = {
#define X(runtime, driver, number, hip, text) {runtime, driver, number, (int)hip, text},
#include "errors.inc"
#undef X
};
thread_local cudaError_t last = cudaSuccess;

const row *row_of(int number)
{
    for (const row &r : rows)
        if (r.number == number)
            return &r;
    return nullptr;
}

int number_from_hip(hipError_t error)
{
    if (error == hipErrorRuntimeMemory)
        return cudaErrorMemoryAllocation;
    for (const row &r : rows)
        if (r.hip == (int)error)
            return r.number;
    return cudaErrorUnknown;
}
} // namespace

cudaError_t error_from_hip(hipError_t error)
{
    int number = number_from_hip(error);
    return row_of(number)->runtime ? (cudaError_t)number : cudaErrorUnknown;
}

cudaError_t runtime_failed(cudaError_t error)
{
    if (error != cudaSuccess && error != cudaErrorNotReady)
        last = error;
    return error;
}

cudaError_t runtime_done(hipError_t error)
{
    return runtime_failed(error_from_hip(error));
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = last;
    last = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError(void)
{
    return last;
}

const char *cudaGetErrorName(cudaError_t error)
{
    const row *r = row_of(error);
    return r && r->runtime ? r->runtime : "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
    const row *r = row_of(error);
    return r && r->runtime ? r->text : "unrecognized error code";
}

/* For libcuda, which has no table of its own. */
extern "C" const char *gantry_driver_error(int number, int text)
{
    const row *r = row_of(number);
    return !r || !r->driver ? nullptr : text ? r->text : r->driver;
}
