// SPDX-License-Identifier: Apache-2.0
// Everything of HIP that needs images, on hardware that has none (tests/system/test_images.py): prints the error of each call;
// the last line tells whether the device said so before and works after.
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstring>

texture<float, 1, hipReadModeElementType> reference;

__global__ void fetch(float *to) { to[threadIdx.x] = tex1Dfetch(reference, threadIdx.x); } // never runs
__global__ void add(float *to, float value) { to[threadIdx.x] += value; }

static bool refused = true;
static void tell(const char *what, hipError_t status)
{
    printf("%s: %s\n", what, hipGetErrorName(status));
    refused &= status != hipSuccess;
}

int main()
{
    const unsigned side = 16;
    float host[side * side] = {}, *linear, *pitched;
    size_t pitch, offset;
    int images = -1, width = -1;
    setvbuf(stdout, nullptr, _IONBF, 0);
    if (hipDeviceGetAttribute(&images, hipDeviceAttributeImageSupport, 0) != hipSuccess ||
        hipDeviceGetAttribute(&width, hipDeviceAttributeMaxTexture1DWidth, 0) != hipSuccess ||
        hipMalloc(&linear, sizeof host) != hipSuccess ||
        hipMallocPitch(reinterpret_cast<void **>(&pitched), &pitch, side * sizeof(float), side) != hipSuccess ||
        hipMemcpy(linear, host, sizeof host, hipMemcpyHostToDevice) != hipSuccess)
        return 2;
    printf("images %d, width %d\n", images, width);
    const hipChannelFormatDesc format = hipCreateChannelDesc(32, 0, 0, 0, hipChannelFormatKindFloat);
    hipResourceDesc resource = {};
    hipTextureDesc how = {};
    hipTextureObject_t object;
    how.readMode = hipReadModeElementType;
    resource.resType = hipResourceTypeLinear;
    resource.res.linear.devPtr = linear;
    resource.res.linear.sizeInBytes = sizeof host;
    resource.res.linear.desc = format;
    tell("texture of linear memory", hipCreateTextureObject(&object, &resource, &how, nullptr));
    resource = {};
    resource.resType = hipResourceTypePitch2D;
    resource.res.pitch2D.devPtr = pitched;
    resource.res.pitch2D.desc = format;
    resource.res.pitch2D.width = resource.res.pitch2D.height = side;
    resource.res.pitch2D.pitchInBytes = pitch;
    tell("texture of pitched memory", hipCreateTextureObject(&object, &resource, &how, nullptr));
    tell("bind", hipBindTexture(&offset, reference, linear, format, sizeof host));
    tell("bind, pitched", hipBindTexture2D(&offset, reference, pitched, format, side, side, pitch));
    hipArray *array = nullptr;
    hipArray_t volume = nullptr;
    hipMipmappedArray *levels = nullptr;
    tell("array", hipMallocArray(&array, &format, side, side, hipArrayDefault));
    tell("array of a line", hipMallocArray(&array, &format, side, 0, hipArrayDefault));
    tell("array for surfaces", hipMallocArray(&array, &format, side, side, hipArraySurfaceLoadStore));
    tell("volume", hipMalloc3DArray(&volume, &format, make_hipExtent(side, side, 4), hipArrayDefault));
    tell("layers", hipMalloc3DArray(&volume, &format, make_hipExtent(side, side, 4), hipArrayLayered));
    tell("levels", hipMallocMipmappedArray(&levels, &format, make_hipExtent(side, side, 0), 2, 0));
    HIP_ARRAY_DESCRIPTOR plan = {};
    plan.Width = plan.Height = side;
    plan.Format = HIP_AD_FORMAT_FLOAT;
    plan.NumChannels = 1;
    tell("array of a driver", hipArrayCreate(&array, &plan));
    resource = {};
    resource.resType = hipResourceTypeArray;
    resource.res.array.array = array;
    tell("texture of no array", hipCreateTextureObject(&object, &resource, &how, nullptr));
    hipSurfaceObject_t surface;
    tell("surface of no array", hipCreateSurfaceObject(&surface, &resource));
    tell("copy to no array", hipMemcpy2DToArray(array, 0, 0, host, side * 4, side * 4, side, hipMemcpyHostToDevice));
    tell("free no array", hipFreeArray(array));
    (void)hipGetLastError();
    add<<<1, side>>>(linear, 2.5f);
    bool works = hipMemcpy(host, linear, side * sizeof(float), hipMemcpyDeviceToHost) == hipSuccess;
    for (unsigned i = 0; i < side; i++)
        works &= host[i] == 2.5f;
    const bool good = images == 0 && refused && works;
    printf("images: %s\n", good ? "PASSED" : "FAILED");
    return !good;
}
