/* SPDX-License-Identifier: Apache-2.0
 * For tests/system/test_shim.py: descriptors, threads and children as programs use them, by the C library alone.
 * Argument "duplicates": of the device by all ways, with numbers above 4096; "arguments": of ioctls, that are nowhere;
 * "closes": everything is closed before the device is opened for the first time; "threads": more of them at once than
 * the program may have descriptors; "exec": execveat and fexecve while the GPU is in use; "fork": after the first use.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/kfd_ioctl.h>

#define THREADS 1200
#define NEED(condition)                                                                                                \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("line %d: %s: %s\n", __LINE__, #condition, strerror(errno));                                        \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* 0, or the errno of GET_VERSION. */
static int version(int fd)
{
    struct kfd_ioctl_get_version_args a = {0};
    if (ioctl(fd, AMDKFD_IOC_GET_VERSION, &a) < 0)
        return errno;
    return a.major_version == 1 ? 0 : -1;
}

static int device_open(void)
{
    int fd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
    NEED(fd >= 0);
    return fd;
}

/* Arguments that are nowhere, and answers to where nobody may write: as from the kernel. */
static void arguments(void)
{
    int kfd = device_open();
    long page = sysconf(_SC_PAGESIZE);
    char *readable = mmap(NULL, 2 * (size_t)page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    NEED(readable != MAP_FAILED && mprotect(readable + page, (size_t)page, PROT_NONE) == 0);
    NEED(ioctl(kfd, AMDKFD_IOC_GET_VERSION, NULL) < 0 && errno == EFAULT);
    NEED(ioctl(kfd, AMDKFD_IOC_GET_VERSION, readable) < 0 && errno == EFAULT);
    NEED(ioctl(kfd, AMDKFD_IOC_ACQUIRE_VM, NULL) < 0 && errno == EFAULT);
    NEED(ioctl(kfd, AMDKFD_IOC_ACQUIRE_VM, readable + page - 4) < 0 && errno == EFAULT); /* half of it */
    NEED(version(kfd) == 0 && munmap(readable, 2 * (size_t)page) == 0);
}

static void duplicates(void)
{
    struct rlimit files = {10000, 10000};
    NEED(setrlimit(RLIMIT_NOFILE, &files) == 0);
    int kfd = device_open(), null = open("/dev/null", O_RDWR),
        copy[5] = {dup(kfd), dup2(kfd, 5000), dup3(kfd, 9999, O_CLOEXEC)};
    copy[3] = fcntl(kfd, F_DUPFD, 4500);
    copy[4] = fcntl(kfd, F_DUPFD_CLOEXEC, 8000);
    for (unsigned i = 0; i < 5; i++)
        NEED(copy[i] >= 0 && version(copy[i]) == 0);
    NEED(version(null) == ENOTTY);
    NEED(close(kfd) == 0 && version(kfd) == EBADF);
    NEED(dup2(null, copy[0]) == copy[0] && version(copy[0]) == ENOTTY); /* the number is another file's now */
    NEED(dup2(copy[1], null) == null && version(null) == 0);
    NEED(close_range(4000, 6000, 0) == 0 && version(copy[1]) == EBADF && version(copy[3]) == EBADF);
    NEED(version(copy[2]) == 0 && version(copy[4]) == 0);
    NEED(open("/dev/null", O_RDWR) == kfd && version(kfd) == ENOTTY);
    int fd = open("/dev/dri/renderD128", O_RDWR);
    uint32_t id = 0x1001;
    struct kfd_ioctl_acquire_vm_args vm = {.gpu_id = id};
    struct kfd_ioctl_alloc_memory_of_gpu_args a = {.va_addr = 0x40000000,
                                                   .size = 9 << 20,
                                                   .gpu_id = id,
                                                   .flags =
                                                       KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE};
    NEED(fd >= 0 && dup2(fd, 7777) == 7777 && close(fd) == 0);
    NEED(ioctl(copy[2], AMDKFD_IOC_ACQUIRE_VM, &vm) == 0 && ioctl(copy[2], AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &a) == 0);
    uint8_t *p =
        mmap((void *)0x40000000, 9 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, 7777, (off_t)a.mmap_offset);
    uint8_t *q = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, 7777, (off_t)a.mmap_offset + (8 << 20));
    NEED(p == (void *)0x40000000 && q != MAP_FAILED);
    p[8 << 20] = 77;
    NEED(*q == 77 && p[(9 << 20) - 1] == 0);
    NEED(mmap(NULL, 10 << 20, PROT_READ, MAP_SHARED, 7777, (off_t)a.mmap_offset) == MAP_FAILED && errno == EINVAL);
}

static void closes(void)
{
    NEED(close_range(3, ~0U, 0) == 0);
    for (int fd = 3; fd < 20000; fd++)
        NEED(close(fd) < 0 && errno == EBADF);
    closefrom(3);
    int kfd = device_open();
    NEED(kfd == 3 && version(kfd) == 0); /* as if nothing else were open */
    int null = open("/dev/null", O_RDWR);
    for (int fd = 10; fd < 20000; fd++) /* whatever stood there */
        NEED(dup2(null, fd) == fd || errno == EBADF || errno == EMFILE);
    NEED(version(kfd) == 0);
    NEED(close_range(4, ~0U, 0) == 0);
    NEED(version(kfd) == 0);
}

static pthread_barrier_t all;
static int thread_kfd;

static void *thread_main(void *arg)
{
    (void)arg;
    int first = version(thread_kfd);
    pthread_barrier_wait(&all);
    int second = version(thread_kfd);
    pthread_barrier_wait(&all);
    return (void *)(intptr_t)(first ? first : second);
}

static void threads(void)
{
    static pthread_t thread[THREADS];
    struct rlimit files;
    pthread_attr_t small;
    NEED(getrlimit(RLIMIT_NOFILE, &files) == 0);
    files.rlim_cur = 256;
    NEED(setrlimit(RLIMIT_NOFILE, &files) == 0);
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 128 << 10);
    pthread_barrier_init(&all, NULL, THREADS + 1);
    thread_kfd = device_open();
    for (unsigned i = 0; i < THREADS; i++)
        NEED(pthread_create(&thread[i], &small, thread_main, NULL) == 0);
    pthread_barrier_wait(&all);
    NEED(getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur == 256);
    for (int n = 0; n < 200; n++) /* the program's own descriptors are left to it */
        NEED(open("/dev/null", O_RDONLY) >= 0);
    pthread_barrier_wait(&all);
    for (unsigned i = 0; i < THREADS; i++) {
        void *result = NULL;
        pthread_join(thread[i], &result);
        NEED(result == NULL);
    }
}

static int ended(pid_t pid)
{
    int status = -1;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void exec(char *self)
{
    char *const argv[] = {self, "version", NULL};
    int kfd = device_open(), file = open(self, O_PATH | O_CLOEXEC);
    NEED(version(kfd) == 0 && file >= 0);
    for (unsigned way = 0; way < 4; way++) {
        pid_t pid = way == 3 ? vfork() : fork();
        if (pid == 0) {
            if (way == 0)
                execveat(file, "", argv, environ, AT_EMPTY_PATH);
            if (way == 1)
                fexecve(file, argv, environ);
            execve(self, argv, environ);
            _exit(99);
        }
        NEED(ended(pid) == 0);
    }
    NEED(version(kfd) == 0);
    execveat(file, "", argv, environ, AT_EMPTY_PATH); /* this process, too */
    exit(98);
}

/* As the kernel's driver: a descriptor of the parent is of no use, one opened anew is of a process with nothing. */
static void forks(void)
{
    int kfd = device_open();
    uint32_t id = 0x1001;
    struct kfd_ioctl_acquire_vm_args vm = {.gpu_id = id};
    struct kfd_ioctl_alloc_memory_of_gpu_args a = {
        .va_addr = 0x40000000, .size = 4096, .gpu_id = id, .flags = KFD_IOC_ALLOC_MEM_FLAGS_GTT};
    NEED(ioctl(kfd, AMDKFD_IOC_ACQUIRE_VM, &vm) == 0 && ioctl(kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &a) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct kfd_ioctl_free_memory_of_gpu_args f = {.handle = a.handle};
        NEED(version(kfd) == EBADF);
        NEED(ioctl(kfd, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &f) < 0 && errno == EBADF);
        NEED(close(kfd) == 0);
        kfd = device_open();
        NEED(version(kfd) == 0 && ioctl(kfd, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &f) < 0 && errno == EINVAL);
        _exit(0);
    }
    NEED(ended(pid) == 0 && version(kfd) == 0);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "version"))
        return version(device_open());
    if (!strcmp(what, "duplicates"))
        duplicates();
    else if (!strcmp(what, "arguments"))
        arguments();
    else if (!strcmp(what, "closes"))
        closes();
    else if (!strcmp(what, "threads"))
        threads();
    else if (!strcmp(what, "fork"))
        forks();
    else if (!strcmp(what, "exec"))
        exec(argv[0]);
    printf("descriptors %s: PASSED\n", what);
    return 0;
}
