/* SPDX-License-Identifier: Apache-2.0
 * What time it is for the program: target time (clock.program: target), on every clock that it can read, so that its
 * own timers agree with its events and with the kernel table.  1 ns is 1 cycle; code of the program takes no time.  Who
 * asks again and again with nothing in between waits for a time to come, and lets it pass.  The libraries of the ROCm
 * user space keep the host's clocks.  Not responsible for: waits with a time limit (limits.c), sleeps (clock.c).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include "shim.h"

#define SECOND UINT64_C(1000000000)
#define REALTIME_BASE (UINT64_C(946684800) * SECOND) /* 2000-01-01, 0:00 UTC: the same in every run */
#define MONOTONIC_BASE SECOND                        /* 0 means "not set" to some */
#define READS_FREE 16                                /* of a thread's reads without a driver call these take no time, */
#define READS_STEP 256                               /* so many a microsecond each, so many two, and so on */
#define STEP_MOST 10                                 /* up to a millisecond */

static const char *const host_time[] = {"libhsa-runtime64", "libhsakmt", "libamdhip64", "libamdocl64",
                                        "libamd_comgr",     "libOpenCL", "libLLVM",     "ld-linux",
                                        "libgantry_shim",   "linux-vdso"};
static bool on;
static uint64_t told;    /* target time that the driver has told last */
static uint64_t skipped; /* that passed for the program alone: before the GPUs have a clock, limits that have run out */
static __thread unsigned reads, read_calls;

void time_arm(void)
{
    const char *mode = environment_given(ENV_PROGRAM);
    sanitizer_prepare();
    on = mode && strcmp(mode, "target") == 0;
}

bool time_program(uint64_t code)
{
    uint64_t offset;
    if (on && sanitizer_there() && !(code = sanitizer_caller(code)))
        return false;
    const char *library = on ? loading_name(code, &offset) : NULL;
    for (unsigned i = 0; library && i < sizeof host_time / sizeof host_time[0]; i++)
        if (strstr(library, host_time[i]))
            return false;
    return on;
}

/* A loop that waits for a time has to end. */
static void time_passes(void)
{
    if (read_calls != shim_calls())
        reads = 0;
    if (++reads > READS_FREE) {
        const unsigned step = (reads - READS_FREE) / READS_STEP;
        clock_pass(1000u << (step < STEP_MOST ? step : STEP_MOST));
    }
    read_calls = shim_calls();
}

void time_skip(uint64_t ns)
{
    __atomic_fetch_add(&skipped, ns, __ATOMIC_RELAXED);
}

uint64_t time_target(void)
{
    const int saved = errno;
    struct shim_request request = {.op = REQ_CLOCK};
    struct shim_answer answer;
    if (!shim_busy()) { /* else in a signal handler, in a request */
        time_passes();
        uint64_t now;
        if (shim_call(&request, &answer, NULL) == 0) {
            memcpy(&now, answer.data, sizeof now);
            __atomic_store_n(&told, now, __ATOMIC_RELAXED);
        }
    }
    errno = saved;
    return __atomic_load_n(&told, __ATOMIC_RELAXED) + __atomic_load_n(&skipped, __ATOMIC_RELAXED);
}

uint64_t time_base(clockid_t clock)
{
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI:
        return REALTIME_BASE;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
        return MONOTONIC_BASE;
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID:
        return 0;
    default:
        return TIME_OTHER;
    }
}

/* The caller's code: of the program, or of a library that keeps the host's clocks. */
#define CALLER_IS_PROGRAM time_program((uint64_t)(uintptr_t)__builtin_return_address(0))

EXPORT int clock_gettime(clockid_t clock, struct timespec *now)
{
    const uint64_t base = time_base(clock);
    if (!CALLER_IS_PROGRAM || base == TIME_OTHER)
        return (int)syscall(SYS_clock_gettime, clock, now);
    const uint64_t ns = base + time_target();
    *now = (struct timespec){(time_t)(ns / SECOND), (long)(ns % SECOND)};
    return 0;
}

EXPORT int timespec_get(struct timespec *now, int base)
{
    if (base != TIME_UTC)
        return 0;
    if (!CALLER_IS_PROGRAM)
        return syscall(SYS_clock_gettime, CLOCK_REALTIME, now) == 0 ? base : 0;
    const uint64_t ns = REALTIME_BASE + time_target();
    *now = (struct timespec){(time_t)(ns / SECOND), (long)(ns % SECOND)};
    return base;
}

EXPORT int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    if (!CALLER_IS_PROGRAM)
        return (int)syscall(SYS_gettimeofday, now, zone);
    const uint64_t us = (REALTIME_BASE + time_target()) / 1000;
    *now = (struct timeval){(time_t)(us / 1000000), (suseconds_t)(us % 1000000)};
    return zone ? (int)syscall(SYS_gettimeofday, NULL, zone) : 0;
}

EXPORT time_t time(time_t *now)
{
    if (!CALLER_IS_PROGRAM)
        return (time_t)syscall(SYS_time, now);
    const time_t seconds = (time_t)((REALTIME_BASE + time_target()) / SECOND);
    if (now)
        *now = seconds;
    return seconds;
}

EXPORT clock_t clock(void)
{
    struct timespec used = {0};
    if (CALLER_IS_PROGRAM)
        return (clock_t)(time_target() / (SECOND / CLOCKS_PER_SEC));
    syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &used);
    return used.tv_sec * CLOCKS_PER_SEC + used.tv_nsec / (long)(SECOND / CLOCKS_PER_SEC);
}

EXPORT clock_t times(struct tms *used)
{
    if (!CALLER_IS_PROGRAM)
        return (clock_t)syscall(SYS_times, used);
    const clock_t ticks = (clock_t)(time_target() / (SECOND / (uint64_t)sysconf(_SC_CLK_TCK)));
    if (used)
        *used = (struct tms){.tms_utime = ticks};
    return ticks;
}

EXPORT int getrusage(__rusage_who_t who, struct rusage *used)
{
    const int status = (int)syscall(SYS_getrusage, who, used);
    if (status == 0 && who != RUSAGE_CHILDREN && CALLER_IS_PROGRAM) {
        const uint64_t us = time_target() / 1000;
        used->ru_utime = (struct timeval){(time_t)(us / 1000000), (suseconds_t)(us % 1000000)};
        used->ru_stime = (struct timeval){0};
    }
    return status;
}
