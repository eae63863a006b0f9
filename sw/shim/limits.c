/* SPDX-License-Identifier: Apache-2.0
 * Waits of the program until a time (POSIX threads, semaphores and futexes, on which C++'s stand): it has read that
 * time on a clock of its own (time.c), so the kernel, which knows the host's, gets as much later a time on the host's
 * clock.  A limit that has run out has been reached on the program's clock, too.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "shim.h"

#define SECOND INT64_C(1000000000)
#define SECONDS_MOST (INT64_C(1) << 32) /* a limit beyond is for ever: the kernel takes it as it is */
#define REALTIME_LEAST 100000000        /* seconds: a time of the monotonic clock lies below */

struct limit {
    const struct timespec *host; /* what the kernel is to be told */
    struct timespec room;
    int64_t left; /* ns on the program's clock, -1: it is not the program's */
};

static clockid_t clock_of(const struct timespec *time)
{
    return time->tv_sec >= REALTIME_LEAST ? CLOCK_REALTIME : CLOCK_MONOTONIC;
}

static struct limit *limit_from(struct limit *l, const struct timespec *time, clockid_t clock, void *code)
{
    *l = (struct limit){.host = time, .left = -1};
    if (!time || time->tv_sec < 0 || time->tv_sec > SECONDS_MOST || time->tv_nsec < 0 || time->tv_nsec >= SECOND ||
        !time_program((uint64_t)(uintptr_t)code))
        return l;
    l->left = time->tv_sec * SECOND + time->tv_nsec - (int64_t)(time_base(clock) + time_target());
    if (l->left < 0)
        l->left = 0;
    clock_gettime(clock, &l->room); /* ours, called from the shim: the host's clock */
    const int64_t ns = l->room.tv_nsec + l->left % SECOND;
    l->room.tv_sec += l->left / SECOND + ns / SECOND;
    l->room.tv_nsec = ns % SECOND;
    l->host = &l->room;
    return l;
}

static int limit_done(const struct limit *l, int error)
{
    if (error == ETIMEDOUT && l->left > 0)
        time_skip((uint64_t)l->left);
    return error;
}

#define CODE __builtin_return_address(0)

EXPORT int pthread_cond_timedwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex,
                                  const struct timespec *restrict time)
{
    static int (*real)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
    if (!real) /* the version that programs of this century are linked to */
        real = (int (*)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *))dlvsym(
            RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
    struct limit l;
    return limit_done(&l, real(cond, mutex, limit_from(&l, time, clock_of(time), CODE)->host));
}

EXPORT int pthread_cond_clockwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex, clockid_t clock,
                                  const struct timespec *restrict time)
{
    REAL(int, "pthread_cond_clockwait", pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
    struct limit l;
    return limit_done(&l, real(cond, mutex, clock, limit_from(&l, time, clock, CODE)->host));
}

EXPORT int sem_timedwait(sem_t *restrict sem, const struct timespec *restrict time)
{
    REAL(int, "sem_timedwait", sem_t *, const struct timespec *);
    struct limit l;
    const int status = real(sem, limit_from(&l, time, CLOCK_REALTIME, CODE)->host);
    limit_done(&l, status < 0 ? errno : 0);
    return status;
}

EXPORT int sem_clockwait(sem_t *restrict sem, clockid_t clock, const struct timespec *restrict time)
{
    REAL(int, "sem_clockwait", sem_t *, clockid_t, const struct timespec *);
    struct limit l;
    const int status = real(sem, clock, limit_from(&l, time, clock, CODE)->host);
    limit_done(&l, status < 0 ? errno : 0);
    return status;
}

/* Locks, and the end of a thread: by CLOCK_REALTIME, or by a clock that the caller names. */
#define TIMED(name, type)                                                                                              \
    EXPORT int name(type *restrict lock, const struct timespec *restrict time)                                         \
    {                                                                                                                  \
        REAL(int, #name, type *, const struct timespec *);                                                             \
        struct limit l;                                                                                                \
        return limit_done(&l, real(lock, limit_from(&l, time, CLOCK_REALTIME, CODE)->host));                           \
    }
#define CLOCKED(name, type)                                                                                            \
    EXPORT int name(type *restrict lock, clockid_t clock, const struct timespec *restrict time)                        \
    {                                                                                                                  \
        REAL(int, #name, type *, clockid_t, const struct timespec *);                                                  \
        struct limit l;                                                                                                \
        return limit_done(&l, real(lock, clock, limit_from(&l, time, clock, CODE)->host));                             \
    }
TIMED(pthread_mutex_timedlock, pthread_mutex_t)
TIMED(pthread_rwlock_timedrdlock, pthread_rwlock_t)
TIMED(pthread_rwlock_timedwrlock, pthread_rwlock_t)
CLOCKED(pthread_mutex_clocklock, pthread_mutex_t)
CLOCKED(pthread_rwlock_clockrdlock, pthread_rwlock_t)
CLOCKED(pthread_rwlock_clockwrlock, pthread_rwlock_t)

EXPORT int pthread_timedjoin_np(pthread_t thread, void **value, const struct timespec *time)
{
    REAL(int, "pthread_timedjoin_np", pthread_t, void **, const struct timespec *);
    struct limit l;
    return limit_done(&l, real(thread, value, limit_from(&l, time, CLOCK_REALTIME, CODE)->host));
}

/* As libc's, but without looking it up: sanitizers and the loader call it before they can be asked for anything. */
static long call(long number, const long a[6])
{
    register long r10 __asm__("r10") = a[3];
    register long r8 __asm__("r8") = a[4];
    register long r9 __asm__("r9") = a[5];
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    if (result >= 0 || result < -4095)
        return result;
    errno = (int)-result;
    return -1;
}

/* Futexes: std::future waits by this.  Six arguments are read whatever was given: what lies there the kernel ignores.
 */
EXPORT __attribute__((no_sanitize_address)) long syscall(long number, ...)
{
    long a[6];
    va_list more;
    va_start(more, number);
    for (unsigned i = 0; i < 6; i++)
        a[i] = va_arg(more, long);
    va_end(more);
    if (number != SYS_futex || (a[1] & FUTEX_CMD_MASK) != FUTEX_WAIT_BITSET || !a[3])
        return call(number, a);
    struct limit l;
    const clockid_t clock = a[1] & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    a[3] = (long)(uintptr_t)limit_from(&l, (const struct timespec *)(uintptr_t)a[3], clock, CODE)->host;
    const long result = call(number, a);
    limit_done(&l, result < 0 ? errno : 0);
    return result;
}
