/* SPDX-License-Identifier: Apache-2.0
 * The run-time API as C++ writes it: typed pointers, symbols and kernels by themselves instead of their addresses.
 */
#ifndef GANTRY_CUDA_OVERLOADS_H
#define GANTRY_CUDA_OVERLOADS_H
#include <gantry/surface.h>
#include <gantry/texture.h>

#define GANTRY_TYPED template <typename T> static inline __host__ cudaError_t
GANTRY_TYPED cudaMalloc(T **p, size_t size)
{
    return ::cudaMalloc((void **)(void *)p, size);
}
GANTRY_TYPED cudaMallocHost(T **p, size_t size, unsigned int flags = 0)
{
    return ::cudaHostAlloc((void **)(void *)p, size, flags);
}
GANTRY_TYPED cudaHostAlloc(T **p, size_t size, unsigned int flags)
{
    return ::cudaHostAlloc((void **)(void *)p, size, flags);
}
GANTRY_TYPED cudaMallocManaged(T **p, size_t size, unsigned int flags = 1)
{
    return ::cudaMallocManaged((void **)(void *)p, size, flags);
}
GANTRY_TYPED cudaMallocAsync(T **p, size_t size, cudaStream_t stream)
{
    return ::cudaMallocAsync((void **)(void *)p, size, stream);
}
GANTRY_TYPED cudaMallocPitch(T **p, size_t *pitch, size_t width, size_t height)
{
    return ::cudaMallocPitch((void **)(void *)p, pitch, width, height);
}
GANTRY_TYPED cudaHostGetDevicePointer(T **p, void *host, unsigned int flags)
{
    return ::cudaHostGetDevicePointer((void **)(void *)p, host, flags);
}
static inline __host__ cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags)
{
    return ::cudaEventCreateWithFlags(event, flags);
}

static inline __host__ cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                                        unsigned long long flags = 0)
{
    (void)flags;
    return ::cudaGraphInstantiate(exec, graph, NULL, NULL, 0);
}

/* Symbols: the variable, or (as up to CUDA 4) its name. The library tells one from the other. */
GANTRY_TYPED cudaMemcpyToSymbol(const T &symbol, const void *src, size_t count, size_t offset = 0,
                                enum cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return ::cudaMemcpyToSymbol((const void *)&symbol, src, count, offset, kind);
}
GANTRY_TYPED cudaMemcpyToSymbolAsync(const T &symbol, const void *src, size_t count, size_t offset = 0,
                                     enum cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0)
{
    return ::cudaMemcpyToSymbolAsync((const void *)&symbol, src, count, offset, kind, stream);
}
GANTRY_TYPED cudaMemcpyFromSymbol(void *dst, const T &symbol, size_t count, size_t offset = 0,
                                  enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return ::cudaMemcpyFromSymbol(dst, (const void *)&symbol, count, offset, kind);
}
GANTRY_TYPED cudaMemcpyFromSymbolAsync(void *dst, const T &symbol, size_t count, size_t offset = 0,
                                       enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0)
{
    return ::cudaMemcpyFromSymbolAsync(dst, (const void *)&symbol, count, offset, kind, stream);
}
GANTRY_TYPED cudaGetSymbolAddress(void **p, const T &symbol)
{
    return ::cudaGetSymbolAddress(p, (const void *)&symbol);
}
GANTRY_TYPED cudaGetSymbolSize(size_t *size, const T &symbol)
{
    return ::cudaGetSymbolSize(size, (const void *)&symbol);
}
static inline __host__ cudaError_t cudaMemcpyToSymbol(const char *symbol, const void *src, size_t count,
                                                      size_t offset = 0,
                                                      enum cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return ::cudaMemcpyToSymbol((const void *)symbol, src, count, offset, kind);
}
static inline __host__ cudaError_t cudaMemcpyFromSymbol(void *dst, const char *symbol, size_t count, size_t offset = 0,
                                                        enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return ::cudaMemcpyFromSymbol(dst, (const void *)symbol, count, offset, kind);
}
static inline __host__ cudaError_t cudaGetSymbolAddress(void **p, const char *symbol)
{
    return ::cudaGetSymbolAddress(p, (const void *)symbol);
}
static inline __host__ cudaError_t cudaGetSymbolSize(size_t *size, const char *symbol)
{
    return ::cudaGetSymbolSize(size, (const void *)symbol);
}

/* Kernels by themselves. */
GANTRY_TYPED cudaLaunchKernel(T *f, dim3 grid, dim3 block, void **args, size_t shared = 0, cudaStream_t stream = 0)
{
    return ::cudaLaunchKernel((const void *)f, grid, block, args, shared, stream);
}
GANTRY_TYPED cudaLaunchCooperativeKernel(T *f, dim3 grid, dim3 block, void **args, size_t shared = 0,
                                         cudaStream_t stream = 0)
{
    return ::cudaLaunchCooperativeKernel((const void *)f, grid, block, args, shared, stream);
}
GANTRY_TYPED cudaLaunch(T *f)
{
    return ::cudaLaunch((const void *)f);
}
GANTRY_TYPED cudaSetupArgument(T argument, size_t offset)
{
    return ::cudaSetupArgument((const void *)&argument, sizeof(T), offset);
}
GANTRY_TYPED cudaFuncGetAttributes(struct cudaFuncAttributes *a, T *f)
{
    return ::cudaFuncGetAttributes(a, (const void *)f);
}
GANTRY_TYPED cudaFuncSetAttribute(T *f, enum cudaFuncAttribute a, int value)
{
    return ::cudaFuncSetAttribute((const void *)f, a, value);
}
GANTRY_TYPED cudaFuncSetCacheConfig(T *f, enum cudaFuncCache config)
{
    return ::cudaFuncSetCacheConfig((const void *)f, config);
}
GANTRY_TYPED cudaFuncSetSharedMemConfig(T *f, enum cudaSharedMemConfig c)
{
    return ::cudaFuncSetSharedMemConfig((const void *)f, c);
}
GANTRY_TYPED cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T f, int size, size_t shared)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)f, size, shared);
}
GANTRY_TYPED cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T f, int size, size_t shared,
                                                                    unsigned int flags)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)f, size, shared, flags);
}
/* The size of a block with which most threads run at a time; the largest of several. */
template <typename F, typename T>
static inline __host__ cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, T f, F shared,
                                                                                  int limit = 0)
{
    struct cudaDeviceProp prop;
    int device = 0, most = 0;
    cudaError_t error = ::cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = ::cudaGetDeviceProperties(&prop, device);
    for (int size = limit > 0 && limit < 1024 ? limit : 1024; size > 0 && error == cudaSuccess;
         size = (size - 1) / 64 * 64) {
        int blocks = 0;
        error = ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)f, size, shared(size));
        if (blocks * size > most) {
            most = blocks * size;
            *block = size;
            *grid = blocks * prop.multiProcessorCount;
        }
    }
    return error;
}
struct gantry_shared {
    size_t bytes;
    size_t operator()(int) const { return bytes; }
};
GANTRY_TYPED cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, T f, size_t shared = 0, int limit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, f, gantry_shared{shared}, limit);
}

/* Textures of the file. */
template <class T, int d, enum cudaTextureReadMode m>
static inline __host__ cudaError_t cudaBindTexture(size_t *offset, const struct texture<T, d, m> &t, const void *p,
                                                   const struct cudaChannelFormatDesc &desc, size_t size = UINT_MAX)
{
    return ::cudaBindTexture(offset, &t, p, &desc, size);
}
template <class T, int d, enum cudaTextureReadMode m>
static inline __host__ cudaError_t cudaBindTexture(size_t *offset, const struct texture<T, d, m> &t, const void *p,
                                                   size_t size = UINT_MAX)
{
    return ::cudaBindTexture(offset, &t, p, &t.channelDesc, size);
}
template <class T, int d, enum cudaTextureReadMode m>
static inline __host__ cudaError_t cudaBindTexture2D(size_t *offset, const struct texture<T, d, m> &t, const void *p,
                                                     const struct cudaChannelFormatDesc &desc, size_t width,
                                                     size_t height, size_t pitch)
{
    return ::cudaBindTexture2D(offset, &t, p, &desc, width, height, pitch);
}
template <class T, int d, enum cudaTextureReadMode m>
static inline __host__ cudaError_t cudaBindTexture2D(size_t *offset, const struct texture<T, d, m> &t, const void *p,
                                                     size_t width, size_t height, size_t pitch)
{
    return ::cudaBindTexture2D(offset, &t, p, &t.channelDesc, width, height, pitch);
}
template <class T, int d, enum cudaTextureReadMode m>
static inline __host__ cudaError_t cudaBindTextureToArray(const struct texture<T, d, m> &t, cudaArray_const_t array,
                                                          const struct cudaChannelFormatDesc &desc)
{
    return ::cudaBindTextureToArray(&t, array, &desc);
}
template <class T, int d, enum cudaTextureReadMode m>
static inline __host__ cudaError_t cudaBindTextureToArray(const struct texture<T, d, m> &t, cudaArray_const_t array)
{
    return ::cudaBindTextureToArray(&t, array, &t.channelDesc);
}
template <class T, int d, enum cudaTextureReadMode m>
static inline __host__ cudaError_t cudaUnbindTexture(const struct texture<T, d, m> &t)
{
    return ::cudaUnbindTexture(&t);
}
template <class T, int d, enum cudaTextureReadMode m>
static inline __host__ cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const struct texture<T, d, m> &t)
{
    return ::cudaGetTextureAlignmentOffset(offset, &t);
}
template <class T, int d, enum cudaTextureReadMode m>
static inline __host__ cudaError_t cudaGetTextureReference(const struct textureReference **reference,
                                                           const struct texture<T, d, m> &t)
{
    *reference = &t;
    return cudaSuccess;
}
template <class T, int d>
static inline __host__ cudaError_t cudaBindSurfaceToArray(const struct surface<T, d> &s, cudaArray_const_t array)
{
    return ::cudaBindSurfaceToArray(&s, array, NULL);
}
template <class T, int d>
static inline __host__ cudaError_t cudaBindSurfaceToArray(const struct surface<T, d> &s, cudaArray_const_t array,
                                                          const struct cudaChannelFormatDesc &desc)
{
    return ::cudaBindSurfaceToArray(&s, array, &desc);
}
#undef GANTRY_TYPED
#endif
