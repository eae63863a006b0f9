/* SPDX-License-Identifier: Apache-2.0
 * gantry run: an unmodified program on the simulated GPUs; its exit status passes through.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/recording.h"
#include "clients/run.h"
#include "loader/object.h"

/* Of another program, which the host model is part of: by where Gantry's own files are. */
static char *shim_of_root(void)
{
    char *path = xasprintf("%s/build/lib/libgantry_shim.so", config_root());

    if (access(path, R_OK) != 0) {
        free(path);
        path = xasprintf("%s/../../lib/libgantry_shim.so", config_root());
    }
    return path;
}

/* Next to the command (build/bin and build/lib, or PREFIX/bin and PREFIX/lib). */
static char *shim_path(void)
{
    char exe[4096];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
    char *slash, *path;

    exe[n > 0 ? n : 0] = 0;
    slash = strrchr(exe, '/');
    if (slash)
        *slash = 0;
    path = xasprintf("%s/../lib/libgantry_shim.so", exe);
    if (access(path, R_OK) != 0) {
        free(path);
        path = xasprintf("%s/../lib/gantry/libgantry_shim.so", exe);
    }
    if (access(path, R_OK) != 0) {
        free(path);
        path = shim_of_root();
    }
    return path;
}

static void progress_note(void *arg, struct machine *machine, unsigned kernels)
{
    (void)arg;
    session_progress(machine, NULL, kernels);
}

/* Exit status, with the line that explains it where the program's own does not. */
static int end_explain(const struct session *s, const struct run_report *report, const char *program)
{
    switch (report->end) {
    case RUN_EXITED:
        if (WIFSIGNALED(report->wait_status))
            return exit_of_signal(WTERMSIG(report->wait_status));
        return WEXITSTATUS(report->wait_status);
    case RUN_NOT_STARTED:
        diag(program, "%s", strerror(report->error));
        return status_exit(report->error == ENOENT || report->error == ENOTDIR ? STATUS_MISSING : STATUS_DATA);
    case RUN_STOPPED:
        return stop_explain(s);
    case RUN_MAX_CYCLES:
        diag("--max-cycles", "stopped after %llu target cycles", (unsigned long long)s->options.sim.max_cycles);
        return status_exit(STATUS_NO_PROGRESS);
    case RUN_NO_PROGRESS:
        return status_exit(STATUS_NO_PROGRESS);
    case RUN_EXIT_AFTER:
        return 0;
    case RUN_FAILED:
        break;
    }
    return status_exit(s->failure);
}

/* A program that ended by itself without any kernel: why that may be. */
static void idle_explain(const struct run_report *report, const char *program)
{
    char targets[512], path[PRELOAD_PATH];

    if (!preload_find(program, getenv("PATH"), path))
        snprintf(path, sizeof path, "%s", program);
    if (object_foreign(path, targets, sizeof(targets)))
        diag(path, "holds GPU code for %s only: compile with hipcc --offload-arch=gfx803", targets);
    else if (!report->gpu_work && report->out_of_reach[0])
        diag(NULL, "no GPU work was seen: %s, so it runs without the shim and sees no GPU", report->out_of_reach);
    else if (!report->gpu_work)
        diag(NULL, "no GPU work was seen: %s opened no GPU queue", program);
}

/* From the start of the first kernel of the region of interest to the end of the last one. */
static uint64_t region_cycles(const struct kernel_row *rows, unsigned count)
{
    uint64_t first = UINT64_MAX, last = 0;

    for (unsigned i = 0; i < count; i++) {
        if (rows[i].untimed || rows[i].unfinished)
            continue;
        first = rows[i].start < first ? rows[i].start : first;
        last = rows[i].end > last ? rows[i].end : last;
    }
    return last > first ? last - first : 0;
}

static int program_run(struct session *s, char **program)
{
    struct cli_options *o = &s->options;
    char *shim = shim_path();
    struct run_options options = {.cfg = &s->config.cfg,
                                  .sim = o->sim,
                                  .argv = program,
                                  .shim = shim,
                                  .stop = &cli_stop,
                                  .progress = progress_note,
                                  .arg = s};
    struct run_report report = {0};
    struct summary summary = {0};
    struct run *run = run_new(&options);
    struct sim *sim;
    int status;

    if (!run) {
        free(shim);
        return status_exit(STATUS_IO);
    }
    run_program(run, &report);
    progress_end();
    status = end_explain(s, &report, program[0]);
    if (report.end != RUN_NOT_STARTED) {
        sim = run_machine(run) ? machine_sim(run_machine(run)) : NULL;
        summary.rows = report.rows;
        summary.row_count = report.row_count;
        summary.ledger = report.ledger;
        summary.repeatable = report.repeatable;
        summary.data = report.data_hash;
        summary.exit_status = status;
        summary.complete = report.end == RUN_EXITED;
        if (o->goals.roi_first)
            summary.cycles = region_cycles(report.rows, report.row_count);
        else if (o->sim.model == SIM_RTL && report.last_completion > report.first_doorbell)
            summary.cycles = report.last_completion - report.first_doorbell;
        if (report.end == RUN_EXITED && report.row_count == 0)
            idle_explain(&report, program[0]);
        status = session_report(s, &summary, sim);
    }
    run_free(run);
    free(shim);
    return status;
}

int cmd_run(int argc, char **argv)
{
    struct session s;
    enum gantry_status status = session_open(&s, "run", argc, argv);
    int exit_status;

    if (status == STATUS_OK && s.options.first >= argc) {
        diag("run", "no program: gantry run -c CONFIG [options] -- PROGRAM [ARG...]");
        status = STATUS_USAGE;
    }
    if (status == STATUS_OK)
        status = recording_begin(&s);
    exit_status = status == STATUS_OK ? program_run(&s, argv + s.options.first) : status_exit(status);
    return session_close(&s, exit_status);
}
