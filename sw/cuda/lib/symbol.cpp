/* SPDX-License-Identifier: Apache-2.0
 * Variables, textures and kernels of the program: what the compiler's constructors register is kept here on its way to
 * HIP, so that a variable can be asked for by its name, as up to CUDA 4, and a texture is a variable.
 */
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "native.h"

namespace
{
std::map<const void *, std::string> &variables()
{
    static std::map<const void *, std::string> table;
    return table;
}

std::map<const void *, std::string> &kernels()
{
    static std::map<const void *, std::string> table;
    return table;
}

/* A static variable has a mangled name, _ZL, length and name, and behind it a dot and more. */
bool same_name(const std::string &name, const char *text)
{
    size_t begin = 0, end = name.find('.');
    if (name.compare(0, 3, "_ZL") == 0)
        begin = name.find_first_not_of("0123456789", 3);
    return begin != name.npos && name.substr(begin, end == name.npos ? end : end - begin) == text;
}

const void *find(const std::map<const void *, std::string> &table, const void *symbol)
{
    if (!symbol || table.count(symbol))
        return symbol;
    for (const auto &entry : table)
        if (same_name(entry.second, (const char *)symbol))
            return entry.first;
    return nullptr;
}
} // namespace

void *hip_function(const char *name)
{
    static void *library = dlopen("libamdhip64.so.5", RTLD_LAZY);
    void *function = library ? dlsym(library, name) : nullptr;
    if (!function) {
        fprintf(stderr, "libcudart: libamdhip64.so.5 has no %s\n", name);
        abort();
    }
    return function;
}

const void *variable_find(const void *symbol)
{
    return find(variables(), symbol);
}
const void *kernel_find(const void *symbol)
{
    return find(kernels(), symbol);
}

cudaError_t variables_clear(const char *name, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    for (const auto &entry : variables()) {
        void *p = nullptr;
        size_t size = 0;
        if (!same_name(entry.second, name) || error != cudaSuccess)
            continue;
        error = cudaGetSymbolAddress(&p, entry.first);
        if (error == cudaSuccess)
            error = cudaGetSymbolSize(&size, entry.first);
        if (error == cudaSuccess)
            error = cudaMemsetAsync(p, 0, size, stream);
    }
    return error;
}

/* The names that the compiler calls. */
extern "C" {
void **register_fat_binary(const void *data) __asm__("__hipRegisterFatBinary");
void unregister_fat_binary(void **modules) __asm__("__hipUnregisterFatBinary");
void register_function(void **modules, const void *host, char *device, const char *name, unsigned limit, void *thread,
                       void *block, void *size, void *grid, int *warp) __asm__("__hipRegisterFunction");
void register_variable(void **modules, void *variable, char *host, char *device, int ext, size_t size, int constant,
                       int global) __asm__("__hipRegisterVar");
void register_managed(void *module, void **pointer, void *init, const char *name, size_t size,
                      unsigned align) __asm__("__hipRegisterManagedVar");
void register_texture(void **modules, void *variable, char *host, char *device, int type, int norm,
                      int ext) __asm__("__hipRegisterTexture");
void register_surface(void **modules, void *variable, char *host, char *device, int type,
                      int ext) __asm__("__hipRegisterSurface");
}

void **register_fat_binary(const void *data)
{
    static auto next = (void **(*)(const void *))hip_function("__hipRegisterFatBinary");
    return next(data);
}

void unregister_fat_binary(void **modules)
{
    static auto next = (void (*)(void **))hip_function("__hipUnregisterFatBinary");
    next(modules);
}

void register_function(void **modules, const void *host, char *device, const char *name, unsigned limit, void *thread,
                       void *block, void *size, void *grid, int *warp)
{
    static auto next = (decltype(&register_function))hip_function("__hipRegisterFunction");
    kernels()[host] = name;
    next(modules, host, device, name, limit, thread, block, size, grid, warp);
}

void register_variable(void **modules, void *variable, char *host, char *device, int ext, size_t size, int constant,
                       int global)
{
    static auto next = (decltype(&register_variable))hip_function("__hipRegisterVar");
    variables()[variable] = device;
    next(modules, variable, host, device, ext, size, constant, global);
}

void register_managed(void *module, void **pointer, void *init, const char *name, size_t size, unsigned align)
{
    static auto next = (decltype(&register_managed))hip_function("__hipRegisterManagedVar");
    variables()[pointer] = name;
    next(module, pointer, init, name, size, align);
}

void register_texture(void **modules, void *variable, char *host, char *device, int type, int norm, int ext)
{
    (void)type, (void)norm;
    register_variable(modules, variable, host, device, ext, sizeof(textureReference), 0, 0);
}

void register_surface(void **modules, void *variable, char *host, char *device, int type, int ext)
{
    (void)type;
    register_variable(modules, variable, host, device, ext, sizeof(surfaceReference), 0, 0);
}

cudaError_t cudaGetSymbolAddress(void **p, const void *symbol)
{
    const void *variable = variable_find(symbol);
    return variable ? runtime_done(hipGetSymbolAddress(p, variable)) : runtime_failed(cudaErrorInvalidSymbol);
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol)
{
    const void *variable = variable_find(symbol);
    return variable ? runtime_done(hipGetSymbolSize(size, variable)) : runtime_failed(cudaErrorInvalidSymbol);
}

/* The part of a variable that a copy is about; NULL: cause in `error`. */
static char *part_find(const void *symbol, size_t offset, size_t count, cudaError_t *error)
{
    void *p = nullptr;
    size_t size = 0;
    *error = cudaGetSymbolAddress(&p, symbol);
    if (*error == cudaSuccess)
        *error = cudaGetSymbolSize(&size, symbol);
    if (*error == cudaSuccess && (offset > size || count > size - offset))
        *error = runtime_failed(cudaErrorInvalidValue);
    return *error == cudaSuccess ? (char *)p + offset : nullptr;
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count, size_t offset,
                               enum cudaMemcpyKind kind)
{
    cudaError_t error;
    char *p = part_find(symbol, offset, count, &error);
    return p ? cudaMemcpy(p, src, count, kind) : error;
}

cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind)
{
    cudaError_t error;
    char *p = part_find(symbol, offset, count, &error);
    return p ? cudaMemcpy(dst, p, count, kind) : error;
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream)
{
    cudaError_t error;
    char *p = part_find(symbol, offset, count, &error);
    return p ? cudaMemcpyAsync(p, src, count, kind, stream) : error;
}

cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t count, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream)
{
    cudaError_t error;
    char *p = part_find(symbol, offset, count, &error);
    return p ? cudaMemcpyAsync(dst, p, count, kind, stream) : error;
}
