/* SPDX-License-Identifier: Apache-2.0
 * Shared memory and semaphore of the ROCm user space: libhsakmt keeps two system-wide names in /dev/shm for its
 * counters, which outlive a program that is killed (a semaphore even in the state it had then, so that every later
 * program would wait for it); HIP one for each event of several processes that is not destroyed.  Under a run they lie
 * in its private folder and go with it.  Other names pass through.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim.h"

/* Counters of libhsakmt; what events of several processes share (hipIpcGetEventHandle). */
static const char *const ours[] = {"hsakmt_", "hip_event"};
#define PATH_ROOM 512
#define SEMAPHORES 8

static sem_t *semaphores[SEMAPHORES]; /* made here: the C library does not know them */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Path in the private folder; false when the name is not for us. */
static bool place(const char *kind, const char *name, char path[PATH_ROOM])
{
    const char *root = environment_given(ENV_ROOT);
    if (!root || !name || !shim_active())
        return false;
    name += *name == '/';
    bool mine = false;
    for (unsigned i = 0; i < sizeof ours / sizeof ours[0]; i++)
        mine |= strncmp(name, ours[i], strlen(ours[i])) == 0;
    if (!mine || strchr(name, '/'))
        return false;
    return snprintf(path, PATH_ROOM, "%s/%s.%s", root, kind, name) < PATH_ROOM;
}

static int file_open(const char *path, int flags, mode_t mode)
{
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC | O_NOFOLLOW, mode);
}

EXPORT int shm_open(const char *name, int flags, mode_t mode)
{
    REAL(int, "shm_open", const char *, int, mode_t);
    char path[PATH_ROOM];
    return place("shm", name, path) ? file_open(path, flags, mode) : real(name, flags, mode);
}

EXPORT int shm_unlink(const char *name)
{
    REAL(int, "shm_unlink", const char *);
    char path[PATH_ROOM];
    return place("shm", name, path) ? unlink(path) : real(name);
}

static sem_t *semaphore_map(int fd)
{
    sem_t *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return s == MAP_FAILED ? SEM_FAILED : s;
}

/* Under its name only when it is whole: another process may open it at any time.  0, or -1 with errno (EEXIST). */
static int semaphore_make(const char *path, mode_t mode, unsigned value)
{
    char fresh[PATH_ROOM + 16];
    snprintf(fresh, sizeof fresh, "%s.%d", path, (int)syscall(SYS_gettid));
    int fd = file_open(fresh, O_RDWR | O_CREAT | O_TRUNC, mode);
    if (fd < 0)
        return -1;
    sem_t *s = ftruncate(fd, sizeof(sem_t)) == 0 ? semaphore_map(fd) : SEM_FAILED;
    int result = s != SEM_FAILED && sem_init(s, 1, value) == 0 ? link(fresh, path) : -1, error = errno;
    if (s != SEM_FAILED)
        munmap(s, sizeof *s);
    syscall(SYS_close, fd);
    unlink(fresh);
    errno = error;
    return result;
}

static sem_t *semaphore_keep(sem_t *s)
{
    pthread_mutex_lock(&lock);
    unsigned i = 0;
    while (i < SEMAPHORES && semaphores[i])
        i++;
    if (i < SEMAPHORES)
        semaphores[i] = s;
    pthread_mutex_unlock(&lock);
    if (i < SEMAPHORES)
        return s;
    munmap(s, sizeof *s);
    errno = EMFILE;
    return SEM_FAILED;
}

EXPORT sem_t *sem_open(const char *name, int flags, ...)
{
    REAL(sem_t *, "sem_open", const char *, int, ...);
    char path[PATH_ROOM];
    mode_t mode = 0;
    unsigned value = 0;
    if (flags & O_CREAT) {
        va_list more;
        va_start(more, flags);
        mode = va_arg(more, mode_t);
        value = va_arg(more, unsigned);
        va_end(more);
    }
    if (!place("sem", name, path))
        return real(name, flags, mode, value);
    if (flags & O_CREAT && semaphore_make(path, mode, value) < 0 && (errno != EEXIST || flags & O_EXCL))
        return SEM_FAILED;
    int fd = file_open(path, O_RDWR, 0);
    if (fd < 0)
        return SEM_FAILED;
    sem_t *s = semaphore_map(fd);
    syscall(SYS_close, fd);
    return s == SEM_FAILED ? s : semaphore_keep(s);
}

EXPORT int sem_close(sem_t *s)
{
    REAL(int, "sem_close", sem_t *);
    bool mine = false;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < SEMAPHORES && !mine; i++) {
        mine = semaphores[i] == s;
        if (mine)
            semaphores[i] = NULL;
    }
    pthread_mutex_unlock(&lock);
    return mine ? munmap(s, sizeof *s) : real(s);
}

EXPORT int sem_unlink(const char *name)
{
    REAL(int, "sem_unlink", const char *);
    char path[PATH_ROOM];
    return place("sem", name, path) ? unlink(path) : real(name);
}
