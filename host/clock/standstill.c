/* SPDX-License-Identifier: Apache-2.0
 * Target time that stands still (standstill.h): when that is the end, and the report of who waits for what.
 */
#include "clock/standstill.h"

#include <stdio.h>
#include <string.h>

#include <linux/kfd_ioctl.h>

#include "base/log.h"
#include "clock/time_slice.h"
#include "driver/driver.h"
#include "gantry_cfg.h"
#include "migrate/migrate.h"

/* A program may be about to be woken by something that cannot be seen here, a signal for instance. */
#define DEADLOCK_SECONDS 2.0

void still_reset(struct still *s)
{
    s->since = 0;
}

/* Threads that poll in a loop of the program's own, or wait with a time limit, may end that by themselves. */
static bool waits_for_ever(const struct driver *d)
{
    for (const struct conn *conn = d->conns; conn; conn = conn->next)
        if (conn->state == CONN_PARK && (conn->request.arg >= PARK_YIELD || conn->request.index == PARK_LIMITED))
            return false;
    return true;
}

static void thread_tell(const struct driver *d, const struct conn *conn)
{
    fprintf(stderr, "  process %d thread %d ", (int)conn->pid, (int)conn->tid);
    if (conn->state == CONN_WAIT)
        event_wait_tell(d, conn, stderr);
    else if (conn->state == CONN_SLEEP)
        fprintf(stderr, "sleeps until cycle %llu\n", (unsigned long long)conn->deadline);
    else if (conn->state == CONN_HELD)
        fprintf(stderr, "waits until all other processes rest\n");
    else if (conn->state == CONN_TABLES)
        fprintf(stderr, "waits for its page tables\n");
    else if (conn->request.arg >= PARK_LOAD)
        fprintf(stderr, "polls one signal or read index\n");
    else if (conn->request.arg >= PARK_YIELD)
        fprintf(stderr, "polls with sched_yield\n");
    else
        fprintf(stderr, "polls a signal at libhsa-runtime64+0x%llx%s\n", (unsigned long long)conn->request.arg,
                conn->request.index == PARK_LIMITED ? ", with a time limit" : "");
}

static void report(struct driver *d, const char *why)
{
    fprintf(stderr, "gantry: no progress at cycle %llu: %s\n", (unsigned long long)client_cycle(d), why);
    for (const struct conn *conn = d->conns; conn; conn = conn->next)
        if (conn->client && conn->state != CONN_RUNNING)
            thread_tell(d, conn);
    rest_tell(d, stderr);
    for (unsigned g = 0; g < machine_gpus(d->machine); g++)
        cp_tell(machine_cp(d->machine, g), stderr);
    migrate_tell(d->migrate, stderr);
    sim_where(machine_sim(d->machine));
}

bool still_ended(struct driver *d, struct still *s, bool idle)
{
    double now = host_seconds();
    if (s->since == 0 || s->cycle != client_cycle(d) || s->requests != d->requests) {
        *s = (struct still){.cycle = client_cycle(d), .requests = d->requests, .since = now};
        return false;
    }
    double limit = d->cfg->clock_watchdog, still = now - s->since;
    bool late = limit > 0 && still >= limit;
    if (!machine_started(d->machine) || (!late && (!idle || still < DEADLOCK_SECONDS || !waits_for_ever(d))))
        return false;
    if (rest_outside(d)) { /* a terminal, a pipe, a debugger: whatever it is, it may come */
        still_reset(s);
        return false;
    }
    if (late) {
        char why[128];
        snprintf(why, sizeof why, "target time has stood still for %.3g s of host time (clock.watchdog)", limit);
        report(d, why);
    } else {
        report(d, "no thread can go on, and nothing can happen on any GPU");
    }
    return true;
}
