/* SPDX-License-Identifier: Apache-2.0
 * What a blocked thread waits for; contract in blocked.h.
 */
#include "clients/blocked.h"

#include <linux/futex.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "clients/proc.h"

#define ARGS 6

struct call {
    unsigned long long number, arg[ARGS];
};

/* False: it is in none, or is not for us to see. */
static bool call_read(pid_t pid, pid_t tid, struct call *c)
{
    char path[96];
    struct proc_text text;
    snprintf(path, sizeof path, "/proc/%d/task/%d/syscall", (int)pid, (int)tid);
    return proc_read(path, &text) &&
           sscanf(text.line, "%llu 0x%llx 0x%llx 0x%llx 0x%llx 0x%llx 0x%llx", &c->number, &c->arg[0], &c->arg[1],
                  &c->arg[2], &c->arg[3], &c->arg[4], &c->arg[5]) == 1 + ARGS;
}

bool thread_runs(pid_t pid, pid_t tid)
{
    char path[96];
    struct proc_text text;
    snprintf(path, sizeof path, "/proc/%d/task/%d/syscall", (int)pid, (int)tid);
    return proc_read(path, &text) && strncmp(text.line, "running", strlen("running")) == 0;
}

static bool futex_waits(const struct call *c)
{
    const unsigned op = c->arg[1] & ~(unsigned)(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME);
    return c->number == SYS_futex && (op == FUTEX_WAIT || op == FUTEX_WAIT_BITSET);
}

enum blocker blocked_by(pid_t pid, pid_t tid)
{
    struct call c;
    if (!call_read(pid, tid, &c))
        return BLOCKED_OUTSIDE;
    if (futex_waits(&c) && c.arg[3] == 0)
        return BLOCKED_BY_THREAD;
    return c.number == SYS_wait4 || c.number == SYS_waitid ? BLOCKED_BY_CHILD : BLOCKED_OUTSIDE;
}

bool blocked_timed(pid_t pid, pid_t tid)
{
    struct call c;
    if (!call_read(pid, tid, &c))
        return false;
    switch (c.number) {
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
    case SYS_restart_syscall: /* one of these goes on, after the process was stopped */
        return true;
    case SYS_poll:
        return (int32_t)c.arg[2] >= 0;
    case SYS_ppoll:
    case SYS_rt_sigtimedwait:
        return c.arg[2] != 0;
    case SYS_select:
    case SYS_pselect6:
        return c.arg[4] != 0;
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
        return (int32_t)c.arg[3] >= 0;
    case SYS_epoll_pwait2:
        return c.arg[3] != 0;
    default:
        return futex_waits(&c) && c.arg[3] != 0;
    }
}
