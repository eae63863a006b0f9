/* SPDX-License-Identifier: Apache-2.0
 * libdrm's devices: those of a simulated render node are answered here, where libdrm would ask the graphics driver; all
 * others pass through.  libhsakmt and ROCr ask for the name, the description and, from version 6 on, the descriptor of
 * a device; what ROCr would import through libdrm needs interface versions of the driver that it does not tell (KFD
 * 1.12 and more), and is refused.  Numbers come from the generated sysfs tree (host/driver/topology.c).
 */
#include "gpu_info.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "driver/tiling.h"
#include "shim.h"

#define FAMILY_VI 130u       /* Volcanic Islands */
#define FIJI_A0 0x3cu        /* what the graphics driver adds to Fiji's revision */
#define COUNTER_KHZ 1000000u /* the driver names 1 GHz (GET_CLOCK_COUNTERS) */
#define VRAM_HBM 6u
#define NAME "Gantry simulated R9 Nano"

_Static_assert(sizeof(struct drm_gpu_info) == DRM_GPU_INFO_BYTES, "libdrm's");

/* As libdrm does: one device a render node, whoever opens it, with a descriptor of its own until the last one has
 * closed it.  libhsakmt 6 closes the one that it opened the device by. */
static struct drm_device {
    unsigned uses;
    int fd;
} devices[DEVICE_RENDER_NODES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct drm_device *ours(void *device)
{
    const uintptr_t at = (uintptr_t)device, first = (uintptr_t)devices;
    return at >= first && at < first + sizeof devices ? device : NULL;
}

EXPORT int amdgpu_device_initialize(int fd, uint32_t *major, uint32_t *minor, void **device);
EXPORT int amdgpu_device_deinitialize(void *device);
EXPORT int amdgpu_device_get_fd(void *device);
EXPORT const char *amdgpu_get_marketing_name(void *device);
EXPORT int amdgpu_query_gpu_info(void *device, struct drm_gpu_info *info);
EXPORT int amdgpu_bo_import(void *device, int type, uint32_t handle, void *result);

int amdgpu_device_initialize(int fd, uint32_t *major, uint32_t *minor, void **device)
{
    const int node = device_render_node(fd);
    if (node < 0) {
        NEXT(int, "amdgpu_device_initialize", int, uint32_t *, uint32_t *, void **);
        return next ? next(fd, major, minor, device) : -ENODEV;
    }
    struct drm_device *d = &devices[node];
    int error = 0;
    pthread_mutex_lock(&lock);
    if (d->uses == 0) {
        d->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
        error = d->fd < 0 ? -errno : 0;
    }
    d->uses += !error;
    pthread_mutex_unlock(&lock);
    if (error)
        return error;
    *major = 3;
    *minor = 0;
    *device = d;
    return 0;
}

int amdgpu_device_deinitialize(void *device)
{
    struct drm_device *d = ours(device);
    if (!d) {
        NEXT(int, "amdgpu_device_deinitialize", void *);
        return next ? next(device) : -ENODEV;
    }
    pthread_mutex_lock(&lock);
    const bool last = d->uses && --d->uses == 0;
    const int fd = d->fd;
    pthread_mutex_unlock(&lock);
    if (last)
        close(fd);
    return 0;
}

int amdgpu_device_get_fd(void *device)
{
    const struct drm_device *d = ours(device);
    if (d)
        return d->fd;
    NEXT(int, "amdgpu_device_get_fd", void *);
    return next ? next(device) : -ENODEV;
}

const char *amdgpu_get_marketing_name(void *device)
{
    if (ours(device))
        return NAME;
    NEXT(const char *, "amdgpu_get_marketing_name", void *);
    return next ? next(device) : NULL;
}

/* A file of the node's folder in the generated tree: "name value" lines; false: cannot be read. */
static bool tree_read(unsigned node, const char *file, char text[4096])
{
    char path[4096];
    const char *root = environment_given(ENV_ROOT);
    const int n = snprintf(path, sizeof path, "%s/kfd/topology/nodes/%u/%s", root ? root : "", node, file);
    const int fd = n < (int)sizeof path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return false;
    const ssize_t got = read(fd, text, 4095);
    syscall(SYS_close, fd);
    text[got < 0 ? 0 : got] = 0;
    return got > 0;
}

/* The value behind a name; 0: there is none. */
static uint32_t value_of(const char *text, const char *name)
{
    const size_t length = strlen(name);
    for (; text && *text; text = strchr(text, '\n'), text += text != NULL) {
        unsigned long long value;
        if (strncmp(text, name, length) == 0 && sscanf(text + length, " %llu", &value) == 1 && text[length] == ' ')
            return (uint32_t)value;
    }
    return 0;
}

static uint32_t bits(uint32_t count)
{
    return count >= 32 ? UINT32_MAX : (UINT32_C(1) << count) - 1;
}

static int describe(unsigned node, struct drm_gpu_info *info)
{
    char properties[4096], bank[4096];
    if (!tree_read(node, "properties", properties) || !tree_read(node, "mem_banks/0/properties", bank))
        return -ENODEV;
    const uint32_t simds = value_of(properties, "simd_per_cu");
    *info = (struct drm_gpu_info){.device_id = value_of(properties, "device_id"),
                                  .external_rev = FIJI_A0,
                                  .family = FAMILY_VI,
                                  .engine_khz = value_of(properties, "max_engine_clk_fcompute") * UINT64_C(1000),
                                  .memory_khz = value_of(bank, "mem_clk_max") * UINT64_C(1000),
                                  .arrays = value_of(properties, "simd_arrays_per_engine"),
                                  .counter_khz = COUNTER_KHZ,
                                  .addresses = TILING_ADDRESSES,
                                  .cus = simds ? value_of(properties, "simd_count") / simds : 0,
                                  .vram_type = VRAM_HBM,
                                  .vram_bits = value_of(bank, "width")};
    info->engines = info->arrays ? value_of(properties, "array_count") / info->arrays : 0;
    for (unsigned i = 0; i < TILING_MODES; i++)
        info->tile_modes[i] = tiling_mode(i);
    for (unsigned e = 0; e < info->engines && e < 4; e++)
        for (unsigned a = 0; a < info->arrays && a < 4; a++)
            info->cu_bitmap[e][a] = bits(value_of(properties, "cu_per_simd_array"));
    return 0;
}

int amdgpu_query_gpu_info(void *device, struct drm_gpu_info *info)
{
    const struct drm_device *d = ours(device);
    if (d)
        return info ? describe((unsigned)(d - devices) + 1, info) : -EINVAL; /* node 0 is the CPU */
    NEXT(int, "amdgpu_query_gpu_info", void *, struct drm_gpu_info *);
    return next ? next(device, info) : -ENODEV;
}

int amdgpu_bo_import(void *device, int type, uint32_t handle, void *result)
{
    if (ours(device))
        return -EOPNOTSUPP;
    NEXT(int, "amdgpu_bo_import", void *, int, uint32_t, void *);
    return next ? next(device, type, handle, result) : -ENODEV;
}
