/* SPDX-License-Identifier: Apache-2.0
 * The shim's own descriptors: connections that the program knows nothing of.  They lie above what it may have open, so
 * that they take none of its numbers, and what it does to all descriptors (close_range, dup2 in a loop) does not reach
 * them: to the program they are not open.  Not responsible for: descriptors of devices, which are the program's
 * (device.c).
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim.h"

#define NUMBERS (1 << 20) /* that can be hidden: the kernel's usual limit */
#define FLOOR 700         /* where the limit leaves no room above it */
#define WORD_BITS 64

static uint64_t hidden[NUMBERS / WORD_BITS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the limit while it is raised */

static bool is_hidden(int fd)
{
    return fd >= 0 && fd < NUMBERS &&
           __atomic_load_n(&hidden[fd / WORD_BITS], __ATOMIC_RELAXED) >> (fd % WORD_BITS) & 1;
}

static void mark(int fd, bool on)
{
    if (fd < 0 || fd >= NUMBERS)
        return;
    if (on)
        __atomic_fetch_or(&hidden[fd / WORD_BITS], UINT64_C(1) << (fd % WORD_BITS), __ATOMIC_RELAXED);
    else
        __atomic_fetch_and(&hidden[fd / WORD_BITS], ~(UINT64_C(1) << (fd % WORD_BITS)), __ATOMIC_RELAXED);
}

int descriptor_hide(int (*make)(void))
{
    struct rlimit files, raised;
    pthread_mutex_lock(&lock);
    bool known = getrlimit(RLIMIT_NOFILE, &files) == 0;
    raised = (struct rlimit){files.rlim_max, files.rlim_max};
    bool high = known && files.rlim_cur < files.rlim_max && setrlimit(RLIMIT_NOFILE, &raised) == 0;
    int fd = make(), up = -1, error = errno;
    if (fd >= 0 && high && files.rlim_cur < NUMBERS)
        up = fcntl(fd, F_DUPFD_CLOEXEC, (int)files.rlim_cur);
    if (fd >= 0 && up < 0)
        up = fcntl(fd, F_DUPFD_CLOEXEC, FLOOR);
    if (up >= 0) {
        syscall(SYS_close, fd);
        fd = up;
    }
    mark(fd, true);
    if (high)
        setrlimit(RLIMIT_NOFILE, &files);
    pthread_mutex_unlock(&lock);
    errno = error;
    return fd;
}

void descriptor_close(int fd)
{
    if (fd < 0)
        return;
    mark(fd, false);
    syscall(SYS_close, fd);
}

void descriptors_after_fork(void)
{
    pthread_mutex_init(&lock, NULL);
    for (unsigned word = 0; word < NUMBERS / WORD_BITS; word++)
        while (hidden[word]) /* those of the parent's threads */
            descriptor_close((int)(word * WORD_BITS) + __builtin_ctzll(hidden[word]));
}

EXPORT int close(int fd)
{
    if (is_hidden(fd)) {
        errno = EBADF;
        return -1;
    }
    REAL(int, "close", int);
    return real(fd);
}

EXPORT int dup2(int from, int to)
{
    if (is_hidden(from) || is_hidden(to)) {
        errno = EBADF;
        return -1;
    }
    REAL(int, "dup2", int, int);
    return real(from, to);
}

EXPORT int dup3(int from, int to, int flags)
{
    if (is_hidden(from) || is_hidden(to)) {
        errno = EBADF;
        return -1;
    }
    REAL(int, "dup3", int, int, int);
    return real(from, to, flags);
}

/* The first hidden number from `fd` on; NUMBERS when there is none. */
static unsigned hidden_next(unsigned fd)
{
    while (fd < NUMBERS) {
        uint64_t word = __atomic_load_n(&hidden[fd / WORD_BITS], __ATOMIC_RELAXED) >> (fd % WORD_BITS);
        if (word)
            return fd + (unsigned)__builtin_ctzll(word);
        fd = (fd / WORD_BITS + 1) * WORD_BITS;
    }
    return NUMBERS;
}

/* Piece by piece, around what is hidden. */
EXPORT int close_range(unsigned first, unsigned last, int flags)
{
    if (first > last)
        return (int)syscall(SYS_close_range, first, last, flags);
    for (unsigned from = first;;) {
        unsigned stop = hidden_next(from), to = stop < NUMBERS && stop <= last ? stop - 1 : last;
        if (stop > from || stop == NUMBERS)
            if (syscall(SYS_close_range, from, to, flags) < 0)
                return -1;
        if (stop == NUMBERS || stop >= last)
            return 0;
        from = stop + 1;
    }
}

EXPORT void closefrom(int first)
{
    close_range(first > 0 ? (unsigned)first : 0, ~0U, 0);
}
