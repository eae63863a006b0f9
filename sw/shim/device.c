/* SPDX-License-Identifier: Apache-2.0
 * Device files: /dev/kfd and the render nodes are descriptors from the driver; ioctl and mmap on them go to the driver.
 * Which descriptors are ours the kernel knows: a duplicate, whatever made it and whatever its number, has the inode of
 * the one that the driver gave.  Not responsible for: other files (redirect.c), what an ioctl means (host/driver).
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <linux/kfd_ioctl.h>

#include "shim.h"

#define RENDER_FIRST 128u

/* Inodes of the descriptors the driver gave, 0: none so far; [0] the kfd, [1 + n] render node n.  All are on one
 * device, that of memory files. */
static ino_t inode[1 + DEVICE_RENDER_NODES];
static dev_t device;

static void token_keep(unsigned which, int fd)
{
    struct stat s;
    if (syscall(SYS_fstat, fd, &s) == 0) {
        __atomic_store_n(&device, s.st_dev, __ATOMIC_RELAXED);
        __atomic_store_n(&inode[which], s.st_ino, __ATOMIC_RELEASE);
    }
}

/* Index into `inode`, or -1. */
static int token_of(int fd)
{
    struct stat s;
    int saved = errno, found = -1;
    if (fd >= 0 && device && syscall(SYS_fstat, fd, &s) == 0 && s.st_dev == device)
        for (unsigned i = 0; i < 1 + DEVICE_RENDER_NODES && found < 0; i++)
            if (__atomic_load_n(&inode[i], __ATOMIC_ACQUIRE) == s.st_ino)
                found = (int)i;
    errno = saved;
    return found;
}

int device_open(const char *path)
{
    static const char render[] = "/dev/dri/renderD";
    struct shim_request request = {0};
    struct shim_answer answer;
    int fd = -1;
    if (!path || strncmp(path, "/dev/", 5) != 0 || !shim_active())
        return DEVICE_NOT_OURS;
    if (strcmp(path, "/dev/kfd") == 0) {
        request.op = REQ_OPEN_KFD;
    } else if (strncmp(path, render, sizeof render - 1) == 0) {
        request.op = REQ_OPEN_DRI;
        request.index = (uint32_t)atoi(path + sizeof render - 1);
    } else {
        return DEVICE_NOT_OURS;
    }
    if (shim_call(&request, &answer, &fd) < 0)
        return -1;
    unsigned which = request.op == REQ_OPEN_KFD ? 0 : 1 + request.index - RENDER_FIRST;
    if (fd < 0 || which > DEVICE_RENDER_NODES) {
        errno = ENODEV;
        return -1;
    }
    if (request.op == REQ_OPEN_KFD) {
        clock_arm();
        clock_gpu_opened();
    }
    token_keep(which, fd);
    return fd;
}

int device_render_node(int fd)
{
    const int which = token_of(fd);
    return which > 0 ? which - 1 : -1;
}

/* The bytes of an argument from the program or to it, through the kernel, which knows what is mapped: false: EFAULT. */
static bool argument_copy(bool out, void *own, void *program, size_t bytes)
{
    struct iovec here = {own, bytes}, there = {program, bytes};
    pid_t self = getpid();
    if (bytes == 0 || (out ? process_vm_writev : process_vm_readv)(self, &here, 1, &there, 1, 0) == (ssize_t)bytes)
        return true;
    errno = EFAULT;
    return false;
}

extern void __tsan_init(void) __attribute__((weak)); /* a program with the thread sanitizer has it */
#define TSAN_LIMIT ((UINT64_C(1) << 39) - 1)         /* its application may have addresses up to here */

/* libhsakmt reserves the GPUs' addresses, all of them first, then fewer and fewer.  The thread sanitizer refuses to map
 * what is not the application's, and is at work for hours on what it has to give back. */
static void apertures_narrow(unsigned long code, void *arg)
{
    struct kfd_ioctl_get_process_apertures_new_args args;
    struct kfd_process_device_apertures one;
    if (code != AMDKFD_IOC_GET_PROCESS_APERTURES_NEW || !__tsan_init || !argument_copy(false, &args, arg, sizeof args))
        return;
    for (uint32_t i = 0; i < args.num_of_nodes; i++) {
        void *place = (char *)(uintptr_t)args.kfd_process_device_apertures_ptr + i * sizeof one;
        if (!argument_copy(false, &one, place, sizeof one) || one.gpuvm_limit < TSAN_LIMIT)
            return;
        one.gpuvm_limit = TSAN_LIMIT;
        argument_copy(true, &one, place, sizeof one);
    }
}

EXPORT int ioctl(int fd, unsigned long code, ...)
{
    REAL(int, "ioctl", int, unsigned long, ...);
    va_list more;
    va_start(more, code);
    void *arg = va_arg(more, void *);
    va_end(more);
    int which = token_of(fd);
    if (which < 0)
        return real(fd, code, arg);
    struct shim_request request = {
        .op = REQ_IOCTL, .code = (uint32_t)code, .arg = (uint64_t)(uintptr_t)arg, .bytes = _IOC_SIZE(code)};
    struct shim_answer answer;
    /* no ioctl that is served has more than that: the rest stays what it is */
    const size_t bytes = request.bytes < PROTOCOL_BYTES ? request.bytes : PROTOCOL_BYTES;
    if (which > 0) { /* nothing needs the graphics driver */
        errno = EINVAL;
        return -1;
    }
    /* as the kernel does: in and out as the code says */
    if (_IOC_DIR(code) & _IOC_WRITE && !argument_copy(false, request.data, arg, bytes))
        return -1;
    int status = shim_call(&request, &answer, NULL), error = errno;
    if (_IOC_DIR(code) & _IOC_READ && !argument_copy(true, answer.data, arg, bytes))
        return -1;
    if (status == 0)
        apertures_narrow(code, arg);
    errno = error;
    return status;
}

/* From here on the kernel alone: our mmap stands in place of the C library's. */
static void *kernel_map(void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
    return (void *)syscall(SYS_mmap, address, length, protection, flags, fd, offset);
}

/* One piece of a mapping, as long as the file goes that the driver names; 0: errno. */
static size_t piece_map(int which, uint64_t offset, void **address, size_t length, int protection, int flags)
{
    struct shim_request request = {
        .op = REQ_MMAP, .index = which ? RENDER_FIRST + (unsigned)which - 1 : 0, .arg = offset, .bytes = 8};
    struct shim_answer answer;
    struct map_place place;
    uint64_t bytes = length;
    int fd = -1;
    memcpy(request.data, &bytes, sizeof bytes);
    if (shim_call(&request, &answer, &fd) < 0)
        return 0;
    memcpy(&place, answer.data, sizeof place);
    size_t part = place.bytes < length ? place.bytes : length;
    bool whole = part == length || (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE));
    if (!whole) { /* the rest comes behind it: room for all */
        *address = kernel_map(*address, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        flags |= MAP_FIXED;
    }
    if (*address != MAP_FAILED)
        *address = kernel_map(*address, part, protection, flags, fd, (off_t)place.offset);
    int error = errno;
    syscall(SYS_close, fd);
    errno = error;
    return *address == MAP_FAILED ? 0 : part;
}

static void *device_map(int which, void *address, size_t length, int protection, int flags, uint64_t offset)
{
    size_t done = 0;
    void *begin = address;
    while (done < length) {
        void *at = done ? (char *)begin + done : address;
        size_t part = piece_map(which, offset + done, &at, length - done, protection,
                                done && !(flags & MAP_FIXED_NOREPLACE) ? flags | MAP_FIXED : flags);
        if (!part) {
            int error = errno;
            if (done)
                syscall(SYS_munmap, begin, flags & (MAP_FIXED | MAP_FIXED_NOREPLACE) ? done : length);
            errno = error;
            return MAP_FAILED;
        }
        if (!done)
            begin = at;
        done += part;
    }
    return begin;
}

#define MMAP_BODY(name, offset_type)                                                                                   \
    {                                                                                                                  \
        REAL(void *, name, void *, size_t, int, int, int, offset_type);                                                \
        int which = flags & MAP_ANONYMOUS ? -1 : token_of(fd);                                                         \
        if (which < 0 || length == 0)                                                                                  \
            return real(address, length, protection, flags, fd, offset);                                               \
        return device_map(which, address, length, protection, flags, (uint64_t)offset);                                \
    }

EXPORT void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset)
    MMAP_BODY("mmap", off_t) EXPORT
    void *mmap64(void *address, size_t length, int protection, int flags, int fd, off64_t offset)
        MMAP_BODY("mmap64", off64_t)
