/* SPDX-License-Identifier: Apache-2.0
 * The client's side of the gated clock: finds threads that poll and makes them wait at the driver instead.  ROCr polls
 * by reading the time-stamp counter, so the counter traps; other polling is sched_yield and repeated loads of one
 * signal.  Sleeps are in target time.  Not responsible for: when the clock runs (host/clock/gate.c).
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <x86intrin.h>

#include "shim.h"

#define REPEATS_JUMP 3      /* traps at one place before the counter jumps */
#define REPEATS_PARK 6      /* and before the thread waits at the driver */
#define JUMP_TICKS 1000000u /* ends ROCr's short spins, which last 200 us */
#define YIELDS_PARK 4

static bool armed, gpu_opened;
static uint64_t jumped;                 /* ticks that the counter is ahead in the runtime's code */
static struct sigaction program_action; /* what the program wants of SIGSEGV */
static __thread bool thread_armed;
static __thread uint64_t trap_place;
static __thread unsigned trap_repeats, trap_calls;
static __thread bool limited; /* this thread waits in the runtime with a time limit */

void clock_park(uint64_t place)
{
    struct shim_request request = {.op = REQ_PARK, .arg = place, .index = limited ? PARK_LIMITED : 0};
    struct shim_answer answer;
    int saved = errno;
    if (shim_call(&request, &answer, NULL) == 0 && answer.result == PARK_FAULT)
        fault_look();
    errno = saved;
}

static bool is_runtime(const char *library)
{
    return library && strstr(library, "libhsa-runtime64");
}

static int runtime_find(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size, (void)arg;
    return is_runtime(info->dlpi_name);
}

/* A trap in the runtime: count repeats at one place with no driver call between. */
static void runtime_trap(uint64_t place, uint64_t offset)
{
    if (place != trap_place || trap_calls != shim_calls()) {
        trap_place = place;
        trap_calls = shim_calls();
        trap_repeats = 0;
        return;
    }
    if (++trap_repeats == REPEATS_JUMP) {
        __atomic_fetch_add(&jumped, JUMP_TICKS, __ATOMIC_RELAXED);
    } else if (trap_repeats >= REPEATS_PARK) {
        trap_repeats = REPEATS_PARK - 2;
        clock_park(offset);
        trap_calls = shim_calls();
    }
}

static int real_sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    REAL(int, "sigaction", int, const struct sigaction *, struct sigaction *);
    return real(number, action, old);
}

static void program_segv(int number, siginfo_t *info, void *context)
{
    if (program_action.sa_flags & SA_SIGINFO) {
        program_action.sa_sigaction(number, info, context);
    } else if (program_action.sa_handler != SIG_DFL && program_action.sa_handler != SIG_IGN) {
        program_action.sa_handler(number);
    } else {
        /* The faulting instruction runs again and ends the program as it would have ended without us. */
        struct sigaction fallback = {.sa_handler = SIG_DFL};
        real_sigaction(SIGSEGV, &fallback, NULL);
        if (info->si_code <= 0) /* sent by kill: does not come again by itself */
            raise(SIGSEGV);
    }
}

static void segv(int number, siginfo_t *info, void *context)
{
    greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
    const uint8_t *ip = (const uint8_t *)(uintptr_t)regs[REG_RIP];
    unsigned length = 0;
    if (info->si_code == SI_KERNEL) { /* general protection: the code at ip was fetched, so it is readable */
        if (ip[0] == 0x0f && ip[1] == 0x31)
            length = 2; /* rdtsc */
        else if (ip[0] == 0x0f && ip[1] == 0x01 && ip[2] == 0xf9)
            length = 3; /* rdtscp */
    }
    if (!length) {
        program_segv(number, info, context);
        return;
    }
    int saved = errno;
    uint64_t place = (uint64_t)regs[REG_RIP], offset = 0;
    bool runtime = is_runtime(loading_name(place, &offset));
    if (runtime)
        runtime_trap(place, offset);
    unsigned aux = 0;
    syscall(SYS_prctl, PR_SET_TSC, PR_TSC_ENABLE, 0, 0, 0);
    uint64_t ticks = __rdtscp(&aux);
    syscall(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
    if (runtime)
        ticks += __atomic_load_n(&jumped, __ATOMIC_RELAXED);
    else if (time_program(place))
        ticks = time_target(); /* a counter of 1 GHz */
    regs[REG_RAX] = (uint32_t)ticks;
    regs[REG_RDX] = (greg_t)(ticks >> 32);
    if (length == 3)
        regs[REG_RCX] = aux;
    regs[REG_RIP] += length;
    errno = saved;
}

static bool gated(void)
{
    const char *mode = environment_given(ENV_CLOCK);
    return mode && strcmp(mode, "gated") == 0 && shim_active();
}

static void arm(void)
{
    struct sigaction action = {.sa_sigaction = segv, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};
    real_sigaction(SIGSEGV, &action, &program_action);
    if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) == 0) {
        thread_armed = armed = true;
        time_arm();
    } else {
        real_sigaction(SIGSEGV, &program_action, NULL);
    }
}

void clock_arm(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    if (!gated() || pthread_mutex_trylock(&lock) != 0) /* another thread is about it */
        return;
    if (!armed && dl_iterate_phdr(runtime_find, NULL))
        arm();
    pthread_mutex_unlock(&lock);
}

bool clock_armed(void)
{
    return armed;
}

void clock_thread(void)
{
    if (!armed || thread_armed)
        return;
    thread_armed = true;
    prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
}

void clock_limited(bool wait)
{
    limited = wait;
}

/* The setting survives execve, and the new program has no handler.  It is the thread's in the kernel; none of it is
 * kept here, where a child of vfork would leave it to its parent. */
void clock_pause(void)
{
    if (armed)
        prctl(PR_SET_TSC, PR_TSC_ENABLE, 0, 0, 0);
}

void clock_resume(void)
{
    if (thread_armed)
        prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
}

void clock_gpu_opened(void)
{
    gpu_opened = true;
}
void clock_after_fork(void)
{
    gpu_opened = false;
}

EXPORT int sigaction(int number, const struct sigaction *restrict action, struct sigaction *restrict old)
{
    if (number != SIGSEGV || !armed)
        return real_sigaction(number, action, old);
    if (old)
        *old = program_action;
    if (action)
        program_action = *action;
    return 0;
}

EXPORT sighandler_t signal(int number, sighandler_t handler)
{
    REAL(sighandler_t, "signal", int, sighandler_t);
    if (number != SIGSEGV || !armed)
        return real(number, handler);
    sighandler_t old = program_action.sa_handler;
    program_action = (struct sigaction){.sa_handler = handler};
    return old;
}

/* A blocked SIGSEGV would turn the next trap into the program's end; traps may begin at any time, when a thread opens
 * the runtime. */
static const sigset_t *unblock(const sigset_t *set, sigset_t *room, int how)
{
    if (!set || how == SIG_UNBLOCK || !gated())
        return set;
    *room = *set;
    sigdelset(room, SIGSEGV);
    return room;
}

EXPORT int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
    REAL(int, "pthread_sigmask", int, const sigset_t *, sigset_t *);
    sigset_t room;
    return real(how, unblock(set, &room, how), old);
}

EXPORT int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
    REAL(int, "sigprocmask", int, const sigset_t *, sigset_t *);
    sigset_t room;
    return real(how, unblock(set, &room, how), old);
}

EXPORT int sched_yield(void)
{
    static __thread unsigned yields, calls;
    if (!armed || !gpu_opened)
        return (int)syscall(SYS_sched_yield);
    clock_thread();
    if (shim_calls() != calls) {
        calls = shim_calls();
        yields = 0;
    }
    if (++yields >= YIELDS_PARK) {
        clock_park(PARK_YIELD);
        yields = 0;
        calls = shim_calls();
        return 0;
    }
    return (int)syscall(SYS_sched_yield);
}

/* True when the driver has slept for us. */
static bool target_sleep(const struct timespec *time)
{
    if (!armed || !gpu_opened || !time || time->tv_sec < 0 || time->tv_nsec < 0)
        return false;
    struct shim_request request = {.op = REQ_SLEEP,
                                   .arg = (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec};
    struct shim_answer answer;
    return shim_call(&request, &answer, NULL) == 0 && answer.result == 0;
}

static int host_sleep(const struct timespec *time, struct timespec *left)
{
    REAL(int, "nanosleep", const struct timespec *, struct timespec *);
    const int status = real(time, left);
    if (status == 0)
        time_skip((uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec);
    return status;
}

void clock_pass(uint64_t ns)
{
    const struct timespec time = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    if (!target_sleep(&time))
        time_skip(ns);
}

EXPORT int nanosleep(const struct timespec *time, struct timespec *left)
{
    return target_sleep(time) ? 0 : host_sleep(time, left);
}

EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left)
{
    REAL(int, "clock_nanosleep", clockid_t, int, const struct timespec *, struct timespec *);
    const uint64_t base = time_base(clock);
    if (flags == 0) {
        if (target_sleep(time))
            return 0;
        const int error = real(clock, flags, time, left);
        if (error == 0)
            time_skip((uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec);
        return error;
    }
    if (flags != TIMER_ABSTIME || base == TIME_OTHER || !time || time->tv_sec < 0 || time->tv_sec > INT64_C(1) << 32 ||
        time->tv_nsec < 0 || time->tv_nsec > 999999999 ||
        !time_program((uint64_t)(uintptr_t)__builtin_return_address(0)))
        return real(clock, flags, time, left);
    const uint64_t until = (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec, now = base + time_target();
    if (until > now)
        clock_pass(until - now);
    return 0;
}

EXPORT int usleep(useconds_t us)
{
    struct timespec time = {us / 1000000, (long)(us % 1000000) * 1000};
    return nanosleep(&time, NULL);
}

EXPORT unsigned sleep(unsigned seconds)
{
    struct timespec time = {seconds, 0};
    return nanosleep(&time, &time) < 0 ? (unsigned)time.tv_sec : 0;
}
