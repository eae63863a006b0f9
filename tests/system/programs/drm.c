/* SPDX-License-Identifier: Apache-2.0
 * For tests/sw/shim/test_drm.py: libdrm's devices as libhsakmt 6 and ROCr 6 use them, by libdrm's own interface, and
 * ioctls whose structures have other sizes than the driver's.  Argument "devices": prints what each device tells, one
 * line; "sizes": nothing behind the program's own bytes is written.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/kfd_ioctl.h>

#define WORDS 104 /* struct amdgpu_gpu_info of libdrm */
#define GUARD 0xa5a5a5a5u
#define NEED(condition)                                                                                                \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("line %d: %s: %s\n", __LINE__, #condition, strerror(errno));                                        \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

int amdgpu_device_initialize(int fd, uint32_t *major, uint32_t *minor, void **device);
int amdgpu_device_deinitialize(void *device);
int amdgpu_device_get_fd(void *device);
const char *amdgpu_get_marketing_name(void *device);
int amdgpu_query_gpu_info(void *device, uint32_t *info);
int amdgpu_bo_import(void *device, int type, uint32_t handle, void *result);

static bool same_file(int a, int b)
{
    struct stat s, t;
    NEED(fstat(a, &s) == 0 && fstat(b, &t) == 0);
    return s.st_dev == t.st_dev && s.st_ino == t.st_ino;
}

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

/* One device a node, counted; its descriptor is its own and ends with it. */
static void device(int node)
{
    char path[64];
    uint32_t major, minor, info[WORDS + 8];
    void *first, *second;
    snprintf(path, sizeof path, "/dev/dri/renderD%d", 128 + node);
    int fd = open(path, O_RDWR | O_CLOEXEC), spare = open(path, O_RDWR | O_CLOEXEC);
    NEED(fd >= 0 && spare >= 0 && amdgpu_device_initialize(fd, &major, &minor, &first) == 0 && major == 3);
    const int own = amdgpu_device_get_fd(first);
    NEED(own > 0 && own != fd && same_file(own, fd) && fcntl(own, F_GETFD) == FD_CLOEXEC);
    NEED(close(fd) == 0 && is_open(own)); /* as libhsakmt 6 does */
    NEED(amdgpu_device_initialize(spare, &major, &minor, &second) == 0 && second == first);
    NEED(amdgpu_device_deinitialize(second) == 0 && amdgpu_device_get_fd(first) == own && is_open(own));
    for (int i = 0; i < WORDS + 8; i++)
        info[i] = GUARD;
    NEED(amdgpu_query_gpu_info(first, info) == 0);
    for (int i = WORDS; i < WORDS + 8; i++)
        NEED(info[i] == GUARD);
    uint64_t clocks[3];
    memcpy(clocks, info + 4, sizeof clocks); /* flags, engine, memory */
    printf("device %d: %s: id=%x family=%u flags=%llu engine=%llu memory=%llu engines=%u arrays=%u counter=%u "
           "addresses=%x tile=%x linear=%x cus=%u bitmap=%x,%x,%x,%x bits=%u\n",
           node, amdgpu_get_marketing_name(first), info[0], info[3], (unsigned long long)clocks[0],
           (unsigned long long)clocks[1], (unsigned long long)clocks[2], info[10], info[11], info[18], info[24],
           info[25], info[33], info[81], info[83], info[87], info[91], info[95], info[100]);
    char result[16];
    NEED(amdgpu_bo_import(first, 2, 0, result) < 0); /* and does not take it for a device of libdrm's */
    NEED(amdgpu_device_deinitialize(first) == 0 && !is_open(own) && is_open(spare));
    NEED(close(spare) == 0);
}

/* The driver's device, of an ioctl with `bytes` of an argument. */
static int asked(int kfd, unsigned long code, unsigned bytes, uint32_t *argument)
{
    return ioctl(kfd, (code & ~(0x3ffful << _IOC_SIZESHIFT)) | (unsigned long)bytes << _IOC_SIZESHIFT, argument);
}

static void sizes(void)
{
    uint32_t words[256];
    const int kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
    NEED(kfd >= 0);
    const unsigned whole = sizeof(struct kfd_ioctl_get_clock_counters_args),
                   some[] = {0, 8, whole - 8, whole, 512, 1016};
    for (unsigned i = 0; i < sizeof some / sizeof some[0]; i++) {
        memset(words, 0xa5, sizeof words);
        memset(words, 0, some[i] < whole ? some[i] : whole); /* GPU 0: the host's clocks */
        NEED(asked(kfd, AMDKFD_IOC_GET_CLOCK_COUNTERS, some[i], words) == 0);
        for (unsigned n = some[i] / 4; n < 256; n++)
            NEED(words[n] == GUARD);
        for (unsigned n = whole / 4; n < 256; n++)
            NEED(words[n] == GUARD);
        struct kfd_ioctl_get_clock_counters_args told;
        memcpy(&told, words, sizeof told);
        NEED(some[i] < 8 || told.gpu_clock_counter != 0);
        NEED(some[i] < whole || told.system_clock_freq == 1000000000);
    }
    memset(words, 0xa5, sizeof words);
    NEED(asked(kfd, AMDKFD_IOC_GET_VERSION, 4, words) == 0 && words[0] == 1 && words[1] == GUARD);
    memset(words, 0, sizeof words);
    NEED(asked(kfd, AMDKFD_IOC_SMI_EVENTS, 1000, words) < 0 && errno == EINVAL); /* not served: told in the log */
}

int main(int count, char **arguments)
{
    if (count == 3 && strcmp(arguments[1], "devices") == 0) {
        for (int node = 0; node < atoi(arguments[2]); node++)
            device(node);
        const int other = open("/dev/null", O_RDWR);
        uint32_t major, minor;
        void *none;
        NEED(amdgpu_device_initialize(other, &major, &minor, &none) != 0); /* libdrm's answer */
    } else {
        sizes();
    }
    puts("drm: PASSED");
    return 0;
}
