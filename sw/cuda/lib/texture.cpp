/* SPDX-License-Identifier: Apache-2.0
 * Textures: what is bound becomes a gantry_image, in the texture's own variable or, of an object, in memory of its own.
 */
#include <cstddef>

#include "native.h"

namespace
{
int channels_of(const cudaChannelFormatDesc &desc)
{
    return (desc.x != 0) + (desc.y != 0) + (desc.z != 0) + (desc.w != 0);
}
size_t element_of(const cudaChannelFormatDesc &desc)
{
    return (size_t)(desc.x + desc.y + desc.z + desc.w) / 8;
}

gantry_image image_of(const void *data, const cudaChannelFormatDesc &desc, size_t width, size_t height, size_t pitch)
{
    gantry_image image = {};
    image.data = data;
    image.width = (unsigned)width;
    image.height = (unsigned)height;
    image.depth = 1;
    image.pitch = (unsigned)pitch;
    image.slice = (unsigned)(pitch * height);
    image.bits = (unsigned char)desc.x;
    image.kind = (unsigned char)desc.f;
    image.channels = (unsigned char)channels_of(desc);
    return image;
}

gantry_image image_of_array(cudaArray_const_t array)
{
    gantry_image image = image_of(array->data, array->desc, array->width, array->height, array->pitch);
    image.depth = (unsigned)array->depth;
    image.slice = (unsigned)array->slice;
    return image;
}

/* Bytes as elements; a size that nobody gave is that of the allocation. */
size_t elements(const void *p, size_t size, size_t element)
{
    hipDeviceptr_t base = nullptr;
    size_t whole = 0;
    if (size == UINT_MAX && hipMemGetAddressRange(&base, &whole, (hipDeviceptr_t)p) == hipSuccess)
        size = whole - (size_t)((const char *)p - (const char *)base);
    return size / element;
}

cudaError_t bind(const textureReference *texture, gantry_image image)
{
    for (int axis = 0; axis < 3; axis++)
        image.address[axis] = (unsigned char)texture->addressMode[axis];
    image.filter = (unsigned char)texture->filterMode;
    image.normalized = texture->normalized != 0;
    if (!variable_find(texture))
        return runtime_failed(cudaErrorInvalidTexture);
    return cudaMemcpyToSymbol((const void *)texture, &image, sizeof(image), offsetof(textureReference, image),
                              cudaMemcpyHostToDevice);
}
} // namespace

cudaError_t cudaBindTexture(size_t *offset, const struct textureReference *texture, const void *p,
                            const struct cudaChannelFormatDesc *desc, size_t size)
{
    if (!texture || !p || !desc || element_of(*desc) == 0)
        return runtime_failed(cudaErrorInvalidValue);
    if (offset)
        *offset = 0;
    size_t width = elements(p, size, element_of(*desc));
    return bind(texture, image_of(p, *desc, width, 1, width * element_of(*desc)));
}

cudaError_t cudaBindTexture2D(size_t *offset, const struct textureReference *texture, const void *p,
                              const struct cudaChannelFormatDesc *desc, size_t width, size_t height, size_t pitch)
{
    if (!texture || !p || !desc || element_of(*desc) == 0)
        return runtime_failed(cudaErrorInvalidValue);
    if (offset)
        *offset = 0;
    return bind(texture, image_of(p, *desc, width, height, pitch));
}

cudaError_t cudaBindTextureToArray(const struct textureReference *texture, cudaArray_const_t array,
                                   const struct cudaChannelFormatDesc *desc)
{
    (void)desc; /* that of the array must be the same */
    return texture && array ? bind(texture, image_of_array(array)) : runtime_failed(cudaErrorInvalidValue);
}

cudaError_t cudaUnbindTexture(const struct textureReference *texture)
{
    return texture ? bind(texture, gantry_image{}) : runtime_failed(cudaErrorInvalidTexture);
}

cudaError_t cudaGetTextureReference(const struct textureReference **texture, const void *symbol)
{
    *texture = (const textureReference *)variable_find(symbol);
    return *texture ? cudaSuccess : runtime_failed(cudaErrorInvalidTexture);
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object, const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *texture, const struct cudaResourceViewDesc *view)
{
    gantry_image image = {};
    void *p = nullptr;
    if (!object || !resource || !texture || view)
        return runtime_failed(cudaErrorInvalidValue);
    const auto &linear = resource->res.linear;
    const auto &pitched = resource->res.pitch2D;
    if (resource->resType == cudaResourceTypeArray && resource->res.array.array)
        image = image_of_array(resource->res.array.array);
    else if (resource->resType == cudaResourceTypeLinear && element_of(linear.desc))
        image =
            image_of(linear.devPtr, linear.desc, linear.sizeInBytes / element_of(linear.desc), 1, linear.sizeInBytes);
    else if (resource->resType == cudaResourceTypePitch2D && element_of(pitched.desc))
        image = image_of(pitched.devPtr, pitched.desc, pitched.width, pitched.height, pitched.pitchInBytes);
    else
        return runtime_failed(cudaErrorInvalidValue);
    for (int axis = 0; axis < 3; axis++)
        image.address[axis] = (unsigned char)texture->addressMode[axis];
    image.filter = (unsigned char)texture->filterMode;
    image.normalized = texture->normalizedCoords != 0;
    image.read = texture->readMode == cudaReadModeNormalizedFloat;
    cudaError_t error = cudaMalloc(&p, sizeof(image));
    if (error == cudaSuccess)
        error = cudaMemcpy(p, &image, sizeof(image), cudaMemcpyHostToDevice);
    *object = (cudaTextureObject_t)p;
    return error;
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object)
{
    return cudaFree((void *)object);
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object, const struct cudaResourceDesc *resource)
{
    struct cudaTextureDesc how = {};
    if (!resource || resource->resType != cudaResourceTypeArray)
        return runtime_failed(cudaErrorInvalidValue);
    return cudaCreateTextureObject(object, resource, &how, nullptr);
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object)
{
    return cudaFree((void *)object);
}

cudaError_t cudaBindSurfaceToArray(const struct surfaceReference *surface, cudaArray_const_t array,
                                   const struct cudaChannelFormatDesc *desc)
{
    (void)desc; /* that of the array must be the same */
    if (!surface || !array || !variable_find(surface))
        return runtime_failed(cudaErrorInvalidSurface);
    gantry_image image = image_of_array(array);
    return cudaMemcpyToSymbol((const void *)surface, &image, sizeof(image), offsetof(surfaceReference, image),
                              cudaMemcpyHostToDevice);
}
