/* SPDX-License-Identifier: Apache-2.0
 * Arrays as linear memory of the device, and copies with two and three dimensions.
 */
#include <new>

#include "native.h"

namespace
{
/* One end of a copy: its first byte, and how far rows and planes are apart. */
struct end {
    char *data;
    size_t pitch, slice;
};

end end_of(cudaArray_const_t array, const cudaPos &at, const cudaPitchedPtr &p)
{
    if (array)
        return {array->data + at.z * array->slice + at.y * array->pitch + at.x * array->element, array->pitch,
                array->slice};
    size_t slice = p.pitch * (p.ysize ? p.ysize : 1);
    return {(char *)p.ptr + at.z * slice + at.y * p.pitch + at.x, p.pitch, slice};
}

cudaError_t rows_copy(const end &dst, const end &src, size_t bytes, size_t height, size_t depth, cudaMemcpyKind kind,
                      cudaStream_t stream, bool wait)
{
    cudaError_t error = cudaSuccess;
    for (size_t z = 0; z < depth && error == cudaSuccess && bytes && height; z++) {
        char *to = dst.data + z * dst.slice;
        const char *from = src.data + z * src.slice;
        error = wait ? cudaMemcpy2D(to, dst.pitch, from, src.pitch, bytes, height, kind)
                     : cudaMemcpy2DAsync(to, dst.pitch, from, src.pitch, bytes, height, kind, stream);
    }
    return error;
}

cudaError_t copy_3d(const cudaMemcpy3DParms *p, cudaStream_t stream, bool wait)
{
    if (!p)
        return runtime_failed(cudaErrorInvalidValue);
    size_t element = p->srcArray ? p->srcArray->element : p->dstArray ? p->dstArray->element : 1;
    end dst = end_of(p->dstArray, p->dstPos, p->dstPtr), src = end_of(p->srcArray, p->srcPos, p->srcPtr);
    return rows_copy(dst, src, p->extent.width * element, p->extent.height, p->extent.depth, p->kind, stream, wait);
}

/* COUNT bytes in the order of rows, from byte X of row Y on. */
cudaError_t run_copy(cudaArray_const_t array, size_t x, size_t y, char *linear, size_t count, cudaMemcpyKind kind,
                     bool into)
{
    size_t row = array->width * array->element;
    cudaError_t error = cudaSuccess;
    if (x > row || y * row + x + count > row * array->height * array->depth)
        return runtime_failed(cudaErrorInvalidValue);
    while (count && error == cudaSuccess) {
        size_t part = row - x < count ? row - x : count;
        char *at = array->data + y * array->pitch + x;
        error = into ? cudaMemcpy(at, linear, part, kind) : cudaMemcpy(linear, at, part, kind);
        linear += part;
        count -= part;
        x = 0;
        y++;
    }
    return error;
}
} // namespace

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
                              unsigned flags)
{
    size_t element = desc ? (size_t)(desc->x + desc->y + desc->z + desc->w) / 8 : 0;
    if (!array || element == 0 || extent.width == 0 || (flags & (cudaArrayLayered | cudaArrayCubemap)))
        return runtime_failed(cudaErrorInvalidValue);
    cudaArray_t made = new (std::nothrow) cudaArray{};
    if (!made)
        return runtime_failed(cudaErrorMemoryAllocation);
    *made = {nullptr, extent.width, extent.height ? extent.height : 1, extent.depth ? extent.depth : 1, 0, 0, element,
             *desc,   flags};
    made->pitch = (made->width * element + 63) & ~(size_t)63;
    made->slice = made->pitch * made->height;
    cudaError_t error = cudaMalloc((void **)&made->data, made->slice * made->depth);
    if (error != cudaSuccess) {
        delete made;
        return error;
    }
    *array = made;
    return cudaSuccess;
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width, size_t height,
                            unsigned flags)
{
    return cudaMalloc3DArray(array, desc, {width, height, 0}, flags);
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
    cudaError_t error = array ? cudaFree(array->data) : cudaSuccess;
    delete array;
    return error;
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned *flags,
                             cudaArray_t array)
{
    if (!array)
        return runtime_failed(cudaErrorInvalidResourceHandle);
    if (desc)
        *desc = array->desc;
    if (extent)
        *extent = {array->width, array->height, array->depth};
    if (flags)
        *flags = array->flags;
    return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array)
{
    return cudaArrayGetInfo(desc, nullptr, nullptr, (cudaArray_t)array);
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f)
{
    return {x, y, z, w, f};
}

cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t count,
                              enum cudaMemcpyKind kind)
{
    return dst ? run_copy(dst, x, y, (char *)src, count, kind, true) : runtime_failed(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t x, size_t y, size_t count,
                                enum cudaMemcpyKind kind)
{
    return src ? run_copy(src, x, y, (char *)dst, count, kind, false) : runtime_failed(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t spitch, size_t width,
                                size_t height, enum cudaMemcpyKind kind)
{
    if (!dst)
        return runtime_failed(cudaErrorInvalidResourceHandle);
    return cudaMemcpy2D(dst->data + y * dst->pitch + x, dst->pitch, src, spitch, width, height, kind);
}

cudaError_t cudaMemcpy2DFromArray(void *dst, size_t dpitch, cudaArray_const_t src, size_t x, size_t y, size_t width,
                                  size_t height, enum cudaMemcpyKind kind)
{
    if (!src)
        return runtime_failed(cudaErrorInvalidResourceHandle);
    return cudaMemcpy2D(dst, dpitch, src->data + y * src->pitch + x, src->pitch, width, height, kind);
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p)
{
    return copy_3d(p, nullptr, true);
}
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    return copy_3d(p, stream, false);
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *p, struct cudaExtent extent)
{
    if (!p)
        return runtime_failed(cudaErrorInvalidValue);
    *p = {nullptr, 0, extent.width, extent.height};
    return cudaMallocPitch(&p->ptr, &p->pitch, extent.width, extent.height * extent.depth);
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int value, struct cudaExtent extent)
{
    cudaError_t error = cudaSuccess;
    for (size_t z = 0; z < extent.depth && error == cudaSuccess; z++)
        error = cudaMemset2D((char *)p.ptr + z * p.pitch * p.ysize, p.pitch, value, extent.width, extent.height);
    return error;
}
