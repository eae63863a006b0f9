/* SPDX-License-Identifier: Apache-2.0
 * Files: sysfs paths lead into the generated tree, device files to the driver (device.c).  All else passes through.
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
    const char *root = environment_given(ENV_ROOT);
    for (unsigned i = 0; root && i < sizeof prefixes / sizeof prefixes[0]; i++) {
        size_t length = strlen(prefixes[i].from);
        if (strncmp(path, prefixes[i].from, length) == 0 && (path[length] == 0 || path[length] == '/')) {
            snprintf(room, PATH_ROOM, "%s/%s%s", root, prefixes[i].to, path + length);
            return room;
        }
    }
    return path;
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
        if (fd != DEVICE_NOT_OURS)                                                                                     \
            return fd;                                                                                                 \
        char room[PATH_ROOM];                                                                                          \
        return real(redirect(path, room), flags, mode);                                                                \
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
        if (fd != DEVICE_NOT_OURS)                                                                                     \
            return fd;                                                                                                 \
        char room[PATH_ROOM];                                                                                          \
        return real(folder, redirect(path, room), flags, mode);                                                        \
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
