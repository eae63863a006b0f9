/* SPDX-License-Identifier: Apache-2.0
 * Files: /dev/kfd and the render nodes are descriptors from the driver, sysfs paths lead into the generated tree,
 * ioctl and mmap on our descriptors go to the driver.  All else passes through.  Not responsible for: what an ioctl
 * means (host/driver).
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "shim.h"

#define PATH_ROOM 512
#define FDS 4096

enum fd_kind { FD_OTHER = 0, FD_KFD = 1, FD_RENDER = 2 };
static uint8_t fd_kind[FDS];

static void fd_mark(int fd, enum fd_kind kind)
{
    if (fd >= 0 && fd < FDS)
        fd_kind[fd] = (uint8_t)kind;
}

static enum fd_kind fd_kind_of(int fd)
{
    return fd >= 0 && fd < FDS ? (enum fd_kind)fd_kind[fd] : FD_OTHER;
}

/* The path to use instead: `room`, or the one given. */
static const char *redirect(const char *path, char room[PATH_ROOM])
{
    static const struct {
        const char *from, *to;
    } prefixes[] = {{"/sys/devices/virtual/kfd/kfd", "kfd"},
                    {"/sys/class/kfd/kfd", "kfd"},
                    {"/sys/module/amdgpu", "amdgpu"},
                    {"/proc/modules", "modules"}};
    if (!path || path[0] != '/' || (path[1] != 's' && path[1] != 'p'))
        return path;
    const char *root = getenv(ENV_ROOT);
    for (unsigned i = 0; root && i < sizeof prefixes / sizeof prefixes[0]; i++) {
        size_t length = strlen(prefixes[i].from);
        if (strncmp(path, prefixes[i].from, length) == 0 && (path[length] == 0 || path[length] == '/')) {
            snprintf(room, PATH_ROOM, "%s/%s%s", root, prefixes[i].to, path + length);
            return room;
        }
    }
    return path;
}

#define NOT_OURS (-2)

/* A descriptor for one of the device files, -1 with errno, or NOT_OURS. */
static int device_open(const char *path)
{
    static const char render[] = "/dev/dri/renderD";
    struct shim_request request = {0};
    struct shim_answer answer;
    int fd = -1;
    if (!path || strncmp(path, "/dev/", 5) != 0 || !shim_active())
        return NOT_OURS;
    if (strcmp(path, "/dev/kfd") == 0) {
        request.op = REQ_OPEN_KFD;
    } else if (strncmp(path, render, sizeof render - 1) == 0) {
        request.op = REQ_OPEN_DRI;
        request.index = (uint32_t)atoi(path + sizeof render - 1);
    } else {
        return NOT_OURS;
    }
    if (shim_call(&request, &answer, &fd) < 0)
        return -1;
    if (request.op == REQ_OPEN_KFD) {
        clock_arm();
        clock_gpu_opened();
    }
    fd_mark(fd, request.op == REQ_OPEN_KFD ? FD_KFD : FD_RENDER);
    return fd;
}

#define OPEN_BODY(name)                                                                                                \
    {                                                                                                                  \
        REAL(int, name, const char *, int, ...);                                                                       \
        mode_t mode = 0;                                                                                               \
        if (flags & (O_CREAT | O_TMPFILE)) {                                                                           \
            va_list more;                                                                                              \
            va_start(more, flags);                                                                                     \
            mode = va_arg(more, mode_t);                                                                               \
            va_end(more);                                                                                              \
        }                                                                                                              \
        int fd = device_open(path);                                                                                    \
        if (fd != NOT_OURS)                                                                                            \
            return fd;                                                                                                 \
        char room[PATH_ROOM];                                                                                          \
        fd = real(redirect(path, room), flags, mode);                                                                  \
        fd_mark(fd, FD_OTHER);                                                                                         \
        return fd;                                                                                                     \
    }

EXPORT int open(const char *path, int flags, ...) OPEN_BODY("open") EXPORT int open64(const char *path, int flags, ...)
    OPEN_BODY("open64") EXPORT int __open_2(const char *path, int flags);
EXPORT int __open64_2(const char *path, int flags);
int __open_2(const char *path, int flags)
{
    return open(path, flags & ~O_CREAT);
}
int __open64_2(const char *path, int flags)
{
    return open64(path, flags & ~O_CREAT);
}

#define OPENAT_BODY(name)                                                                                              \
    {                                                                                                                  \
        REAL(int, name, int, const char *, int, ...);                                                                  \
        mode_t mode = 0;                                                                                               \
        if (flags & (O_CREAT | O_TMPFILE)) {                                                                           \
            va_list more;                                                                                              \
            va_start(more, flags);                                                                                     \
            mode = va_arg(more, mode_t);                                                                               \
            va_end(more);                                                                                              \
        }                                                                                                              \
        int fd = device_open(path);                                                                                    \
        if (fd != NOT_OURS)                                                                                            \
            return fd;                                                                                                 \
        char room[PATH_ROOM];                                                                                          \
        fd = real(folder, redirect(path, room), flags, mode);                                                          \
        fd_mark(fd, FD_OTHER);                                                                                         \
        return fd;                                                                                                     \
    }

EXPORT int openat(int folder, const char *path, int flags, ...) OPENAT_BODY("openat") EXPORT
    int openat64(int folder, const char *path, int flags, ...) OPENAT_BODY("openat64")

        EXPORT FILE *fopen(const char *path, const char *mode)
{
    REAL(FILE *, "fopen", const char *, const char *);
    char room[PATH_ROOM];
    return real(redirect(path, room), mode);
}

EXPORT FILE *fopen64(const char *path, const char *mode)
{
    REAL(FILE *, "fopen64", const char *, const char *);
    char room[PATH_ROOM];
    return real(redirect(path, room), mode);
}

EXPORT DIR *opendir(const char *path)
{
    REAL(DIR *, "opendir", const char *);
    char room[PATH_ROOM];
    return real(redirect(path, room));
}

EXPORT int access(const char *path, int mode)
{
    REAL(int, "access", const char *, int);
    char room[PATH_ROOM];
    if (shim_active() && strcmp(path, "/dev/kfd") == 0)
        return 0;
    return real(redirect(path, room), mode);
}

#define STAT_BODY(name, type)                                                                                          \
    {                                                                                                                  \
        REAL(int, name, const char *, type *);                                                                         \
        char room[PATH_ROOM];                                                                                          \
        return real(redirect(path, room), to);                                                                         \
    }

EXPORT int stat(const char *restrict path, struct stat *restrict to) STAT_BODY("stat", struct stat) EXPORT
    int stat64(const char *restrict path, struct stat64 *restrict to) STAT_BODY("stat64", struct stat64) EXPORT
    int lstat(const char *restrict path, struct stat *restrict to) STAT_BODY("lstat", struct stat) EXPORT
    int lstat64(const char *restrict path, struct stat64 *restrict to) STAT_BODY("lstat64", struct stat64)

        EXPORT int close(int fd)
{
    REAL(int, "close", int);
    fd_mark(fd, FD_OTHER);
    return real(fd);
}

EXPORT int ioctl(int fd, unsigned long code, ...)
{
    REAL(int, "ioctl", int, unsigned long, ...);
    va_list more;
    va_start(more, code);
    void *arg = va_arg(more, void *);
    va_end(more);
    enum fd_kind kind = fd_kind_of(fd);
    if (kind == FD_OTHER)
        return real(fd, code, arg);
    if (kind == FD_RENDER) { /* nothing needs the graphics driver */
        errno = EINVAL;
        return -1;
    }
    struct shim_request request = {
        .op = REQ_IOCTL, .code = (uint32_t)code, .arg = (uint64_t)(uintptr_t)arg, .bytes = _IOC_SIZE(code)};
    struct shim_answer answer;
    if (request.bytes > PROTOCOL_BYTES) {
        errno = EINVAL;
        return -1;
    }
    memcpy(request.data, arg, request.bytes);
    int status = shim_call(&request, &answer, NULL);
    memcpy(arg, answer.data, request.bytes);
    return status;
}

#define MMAP_BODY(name, offset_type)                                                                                   \
    {                                                                                                                  \
        REAL(void *, name, void *, size_t, int, int, int, offset_type);                                                \
        if (fd_kind_of(fd) == FD_KFD) {                                                                                \
            struct shim_request request = {.op = REQ_MMAP, .arg = (uint64_t)offset, .bytes = 8};                       \
            struct shim_answer answer;                                                                                 \
            uint64_t bytes = length, at = 0;                                                                           \
            memcpy(request.data, &bytes, sizeof bytes);                                                                \
            if (shim_call(&request, &answer, NULL) < 0)                                                                \
                return (void *)-1;                                                                                     \
            memcpy(&at, answer.data, sizeof at);                                                                       \
            offset = (offset_type)at;                                                                                  \
        }                                                                                                              \
        return real(address, length, protection, flags, fd, offset);                                                   \
    }

EXPORT void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset)
    MMAP_BODY("mmap", off_t) EXPORT
    void *mmap64(void *address, size_t length, int protection, int flags, int fd, off64_t offset)
        MMAP_BODY("mmap64", off64_t)

    /* The runtime asks libdrm for the marketing name of a node and for nothing else; libdrm would ask the graphics
       driver. */
    static char drm_token;

EXPORT int amdgpu_device_initialize(int fd, uint32_t *major, uint32_t *minor, void **device);
EXPORT const char *amdgpu_get_marketing_name(void *device);
EXPORT int amdgpu_device_deinitialize(void *device);

int amdgpu_device_initialize(int fd, uint32_t *major, uint32_t *minor, void **device)
{
    REAL(int, "amdgpu_device_initialize", int, uint32_t *, uint32_t *, void **);
    if (fd_kind_of(fd) != FD_RENDER)
        return real ? real(fd, major, minor, device) : -ENODEV;
    *major = 3;
    *minor = 0;
    *device = &drm_token;
    return 0;
}

const char *amdgpu_get_marketing_name(void *device)
{
    REAL(const char *, "amdgpu_get_marketing_name", void *);
    return device == &drm_token ? "Gantry simulated R9 Nano" : real(device);
}

int amdgpu_device_deinitialize(void *device)
{
    REAL(int, "amdgpu_device_deinitialize", void *);
    return device == &drm_token ? 0 : real(device);
}
