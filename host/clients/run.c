/* SPDX-License-Identifier: Apache-2.0
 * `gantry run` (run.h): serves the program until it has ended, leaves nothing behind.  Not responsible for: its start
 * (program.h), options and output of the command (host/cli, host/metrics).
 */
#include "clients/run.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "clients/janitor.h"
#include "clients/preload.h"
#include "clients/program.h"
#include "clock/process_order.h"
#include "clock/spin.h"
#include "clock/standstill.h"
#include "clock/time_slice.h"
#include "clock/wait_limits.h"
#include "driver/driver.h"
#include "driver/topology.h"
#include "gantry_cfg.h"
#include "migrate/migrate.h"
#include "system/phases.h"

#define POLL_ENDING_US 10000
#define PROGRESS_SECONDS 0.1
#define COUNT_SECONDS 0.001 /* between looks at who computes */
#define STOP_SECONDS 0.5    /* between asking a program to end and killing it */

struct run {
    struct run_options options;
    struct driver *driver;
    struct janitor janitor;
    pid_t child;
    int child_fd;  /* pidfd */
    bool unwanted; /* the program has ended, or has to: models that are missing are no failure */
    double progress_at;
    struct patience patience;
    double counted; /* host time when the CPU time of clients was counted last */
    struct pace pace;
    struct still still;
};

static bool stop_asked(const struct run *r)
{
    return program_unwanted(&r->options);
}

/* The only thread builds models or simulates (sim.h): does anybody still wait for that?  The program is not reaped
 * here. */
static bool run_unwanted(void *arg)
{
    struct run *r = arg;
    siginfo_t end;
    bool ended = waitid(P_PID, (id_t)r->child, &end, WEXITED | WNOHANG | WNOWAIT) == 0 && end.si_pid;
    r->unwanted = r->unwanted || ended || stop_asked(r);
    return r->unwanted;
}

struct run *run_new(const struct run_options *options)
{
    struct run *r = xcalloc(1, sizeof *r);
    const char *root = r->janitor.root;
    r->options = *options;
    r->options.sim.unwanted = run_unwanted;
    r->options.sim.unwanted_arg = r;
    r->child_fd = NO_FILE;
    r->patience.limit = options->cfg->clock_patience;
    patience_rested(&r->patience, host_seconds());
    if (janitor_start(&r->janitor) < 0) {
        diag(NULL, "temporary folder: %s", strerror(errno));
        free(r);
        return NULL;
    }
    r->driver = driver_new(options->cfg, &r->options.sim);
    if (!r->driver) {
        run_free(r);
        return NULL;
    }
    strcpy(r->driver->root, root);
    r->driver->ordered = r->driver->gated;
    if (topology_write(options->cfg, root) < 0 || server_open(r->driver) < 0) {
        diag(root, "%s", strerror(errno));
        run_free(r);
        return NULL;
    }
    return r;
}

void run_free(struct run *r)
{
    if (!r)
        return;
    driver_delete(r->driver);
    janitor_finish(&r->janitor);
    close(r->child_fd); /* NO_FILE: nothing happens */
    free(r);
}

struct machine *run_machine(struct run *r)
{
    return r->driver->machine;
}

static void clients_kill(struct run *r, int number)
{
    for (struct client *c = r->driver->clients; c; c = c->next)
        if (!c->ended)
            kill(c->pid, number);
}

static bool child_reap(struct run *r, struct run_report *report)
{
    if (!r->child)
        return true;
    if (waitpid(r->child, &report->wait_status, WNOHANG) != r->child)
        return false;
    r->child = 0;
    return true;
}

/* End the program whatever it does, and what it started. */
static void child_stop(struct run *r, struct run_report *report)
{
    double end = host_seconds() + STOP_SECONDS;
    kill(r->child, SIGTERM);
    while (!child_reap(r, report) && host_seconds() < end)
        server_poll(r->driver, POLL_ENDING_US, r->child_fd);
    clients_kill(r, SIGKILL);
    if (r->child > 0)
        kill(r->child, SIGKILL);
    while (!child_reap(r, report))
        server_poll(r->driver, POLL_ENDING_US, r->child_fd);
}

static void progress(struct run *r)
{
    double now = host_seconds();
    if (!r->options.progress || now < r->progress_at)
        return;
    r->progress_at = now + PROGRESS_SECONDS;
    r->options.progress(r->options.arg, r->driver->machine, (unsigned)r->driver->row_count);
}

/* A turn in which the clock runs, or somebody is answered, beside threads that go on. */
static void unrepeatable_note(struct run *r, uint64_t cycle, uint64_t answers)
{
    struct driver *d = r->driver;
    d->moved = true; /* they run on */
    if (client_cycle(d) == cycle && d->answers == answers && !machine_busy(d->machine))
        return;
    if (!d->not_repeatable)
        log_info("driver", "the clock runs beside a client from cycle %llu", (unsigned long long)cycle);
    d->not_repeatable = true;
}

static enum gate_step turn_restless(struct run *r)
{
    struct driver *d = r->driver;
    const double now = host_seconds();
    if (d->changed)
        patience_called(&r->patience, now);
    d->changed = false;
    if (now - r->counted >= COUNT_SECONDS) {
        bool anew;
        const double limit = patience_limit(&r->patience, gate_pending(d), &anew);
        if (anew)
            spin_anew(d);
        spin_count(d, limit, patience_most(&r->patience));
        r->counted = now;
    }
    const enum patience_state state = patience_look(&r->patience, now, (double)d->watch.cpu_ns * 1e-9);
    if (state != PATIENCE_LEFT)
        still_reset(&r->still); /* somebody computes */
    if (state != PATIENCE_FLOODED)
        return GATE_BUSY;
    const uint64_t cycle = client_cycle(d), answers = d->answers;
    struct conn *conn;
    d->moved = d->beside = true;
    while ((conn = order_take(d)))
        server_serve(d, conn);
    enum gate_step step = gate_advance(d);
    gate_release(d); /* the others' waits, for which there is no rest */
    unrepeatable_note(r, cycle, answers);
    return step;
}

/* All rest whose rest is needed: a turn of a process, or a step of the clock. */
static enum gate_step turn_rested(struct run *r, bool ordered)
{
    struct driver *d = r->driver;
    const bool spins = spin_any(d);
    const uint64_t cycle = client_cycle(d), answers = d->answers;
    enum gate_step step = GATE_BUSY;
    d->moved |= spins;
    d->beside = spins;
    struct conn *conn = ordered ? order_take(d) : NULL;
    if (conn)
        server_serve(d, conn);
    if (!ordered) {
        spin_rested(d);
        if (d->ordered)
            watch_host_waits(d);
        patience_rested(&r->patience, host_seconds());
        step = gate_step(d);
    }
    if (spins)
        unrepeatable_note(r, cycle, answers);
    return step;
}

/* One turn of the gated clock. */
static enum gate_step turn_gated(struct run *r)
{
    struct driver *d = r->driver;
    const bool asked = server_poll(d, r->pace.us, r->child_fd);
    if (!gate_needed(d)) {
        pace_unneeded(&r->pace);
        return GATE_BUSY;
    }
    const bool ordered = order_pending(d);
    if (!rest_reached(d, ordered ? order_next(d) : NULL)) {
        pace_restless(&r->pace, asked);
        return turn_restless(r);
    }
    const enum gate_step step = turn_rested(r, ordered);
    if (!ordered && (step == GATE_BUSY || step == GATE_IDLE) && still_ended(d, &r->still, step == GATE_IDLE))
        return GATE_NO_PROGRESS;
    pace_stepped(&r->pace, step == GATE_IDLE, client_cycle(d), d->requests);
    return step;
}

static enum gate_step turn_free(struct run *r)
{
    struct driver *d = r->driver;
    server_poll(d, r->pace.us, r->child_fd);
    enum gate_step step = gate_advance(d);
    d->moved = true; /* they run on */
    gate_release(d);
    pace_stepped(&r->pace, step == GATE_IDLE, client_cycle(d), d->requests);
    return step;
}

static void serve(struct run *r, struct run_report *report)
{
    struct driver *d = r->driver;
    while (!child_reap(r, report)) {
        enum gate_step step = d->gated ? turn_gated(r) : turn_free(r);
        progress(r);
        if (stop_asked(r))
            report->end = RUN_STOPPED;
        else if ((d->failed && !r->unwanted) || machine_lost(d->machine))
            report->end = RUN_FAILED;
        else if (step == GATE_MAX_CYCLES)
            report->end = RUN_MAX_CYCLES;
        else if (step == GATE_EXIT_AFTER)
            report->end = RUN_EXIT_AFTER;
        else if (step == GATE_NO_PROGRESS)
            report->end = RUN_NO_PROGRESS;
        if (report->end != RUN_EXITED) {
            if (stop_asked(r) && *r->options.stop == SIGALRM && machine_started(d->machine))
                sim_where(machine_sim(d->machine));
            child_stop(r, report); /* there is none any more */
        }
    }
}

/* The program has ended: the last invalidations of its unmapping, and what it left running, are carried out before
 * anything is counted.  Whether the clock ran between its last request and its end is the host's chance. */
static void drain(struct run *r, struct run_report *report)
{
    struct driver *d = r->driver;
    for (struct client *c = d->clients; c; c = c->next)
        client_end(d, c);
    enum machine_result result = MACHINE_UNTIL;
    struct slice slice = SLICE_INIT;
    while (machine_busy(d->machine) && result != MACHINE_IDLE && report->end == RUN_EXITED) {
        slice_begin(&slice, client_cycle(d));
        result = machine_run(d->machine, client_cycle(d) + slice.cycles);
        slice_end(&slice, client_cycle(d));
        if (stop_asked(r))
            report->end = RUN_STOPPED;
        else if (result == MACHINE_LOST)
            report->end = RUN_FAILED;
        else if (result == MACHINE_MAX_CYCLES)
            report->end = RUN_MAX_CYCLES;
        else if (result == MACHINE_NO_PROGRESS || (result == MACHINE_IDLE && migrate_busy(d->migrate))) {
            migrate_report(d->migrate); /* an answer for a page that moves is lost */
            phases_report(d->phases);
            report->end = RUN_NO_PROGRESS;
        } else if (result == MACHINE_EXIT_AFTER) /* the program has ended before */
            break;
    }
    CHECK(report->end != RUN_EXITED || result == MACHINE_EXIT_AFTER || !machine_busy(d->machine), "driver",
          "every process has ended, nothing can happen, and work is left at cycle %llu",
          (unsigned long long)client_cycle(d));
}

void run_program(struct run *r, struct run_report *report)
{
    struct driver *d = r->driver;
    memset(report, 0, sizeof *report);
    report->error = program_start(d, &r->options, &r->child);
    if (report->error) {
        report->end = report->error == EINTR && stop_asked(r) ? RUN_STOPPED : RUN_NOT_STARTED;
        return;
    }
    r->child_fd = (int)syscall(SYS_pidfd_open, r->child, 0);
    serve(r, report);
    server_close(d);
    drain(r, report);
    machine_unfinished(d->machine);
    client_drop_all(d);
    report->gpu_work = d->gpu_work;
    report->repeatable = d->gated && !d->not_repeatable;
    report->first_doorbell = d->first_doorbell == NEVER ? 0 : d->first_doorbell;
    report->last_completion = d->last_completion;
    report->data_hash = d->data.value;
    preload_noted(d->root, report->out_of_reach);
    report->rows = d->rows;
    report->row_count = (unsigned)d->row_count;
    report->ledger = phases_ledger(d->phases);
}
