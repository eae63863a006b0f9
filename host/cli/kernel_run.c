/* SPDX-License-Identifier: Apache-2.0
 * The run of `gantry kernel`; see kernel_run.h.
 */
#include "cli/kernel_run.h"

#include "base/log.h"
#include "lib/lib_private.h"

struct run {
    struct session *session;
    struct kernel_script *script;
    struct gantry_machine *machine;
    const char *kernel; /* the one that runs */
    unsigned next;      /* of the script: what the launch that runs has beside it begins behind this one */
    int status;         /* of the launch that did not end well, else GANTRY_OK */
};

static void progress_note(void *arg, struct machine *machine)
{
    const struct run *r = arg;

    session_progress(machine, r->kernel, 0);
}

static int move_begin(struct run *r, const struct script_launch *l)
{
    return gantry_move(r->machine, l->move.buffer->address, l->move.buffer->room, l->move.to, NULL);
}

/* Pages move, and nothing else happens until they are there. */
static int move_alone(struct run *r, const struct script_launch *l)
{
    const int status = move_begin(r, l);
    return status == GANTRY_OK ? gantry_run(r->machine, UINT64_MAX, NULL, NULL) : status;
}

/* One launch, with the moves beside it: entries [first, r->next) of the script.  Those whose time has not come when it
 * is over are made then. */
static int launch_beside(struct run *r, struct gantry_launch *launch, unsigned first)
{
    uint64_t begin = 0;
    int event = GANTRY_AT_CYCLE, status = gantry_now(r->machine, &begin, NULL);
    if (status == GANTRY_OK)
        status = gantry_launch_start(launch, NULL);
    for (unsigned i = first; i < r->next && status == GANTRY_OK; i++) {
        const struct script_launch *l = &r->script->launches[i];
        if (event == GANTRY_AT_CYCLE)
            status = gantry_run(r->machine, begin + l->move.after, &event, NULL);
        if (status == GANTRY_OK)
            status = event == GANTRY_AT_CYCLE ? move_begin(r, l) : move_alone(r, l);
    }
    if (status == GANTRY_OK && event == GANTRY_AT_CYCLE)
        status = gantry_run(r->machine, UINT64_MAX, &event, NULL);
    return status;
}

/* As often as it is to be repeated, or until one does not end well (r->status); its line has been printed. */
static enum gantry_status launch_run(struct run *r, struct script_launch *l, unsigned beside)
{
    struct gantry_launch *launch = NULL;
    enum gantry_status status = lib_launch_new(r->machine, l->kernel, &l->options.shape, &l->args, &launch);

    r->kernel = l->kernel->name;
    for (uint64_t n = 0; n < l->repeat && status == STATUS_OK && r->status == GANTRY_OK; n++)
        r->status = n == 0 && beside < r->next ? launch_beside(r, launch, beside) : gantry_launch_run(launch, NULL);
    return status;
}

/* Files are written, and buffers compared: all of them are told. */
static enum gantry_status results_keep(struct kernel_script *script)
{
    enum gantry_status status = STATUS_OK;

    for (unsigned i = 0; i < script->launch_count && status == STATUS_OK; i++)
        status = args_write(&script->launches[i].args);
    for (unsigned i = 0; i < script->buffer_count && status == STATUS_OK; i++)
        status = arg_write(&script->buffers[i]);
    for (unsigned i = 0; i < script->buffer_count && (status == STATUS_OK || status == STATUS_DIFFERS); i++)
        if (arg_compare(&script->buffers[i]) != STATUS_OK)
            status = STATUS_DIFFERS;
    return status;
}

/* Asked while models are built and between slices of the golden model (sim.h). */
static bool stop_asked(void *arg)
{
    (void)arg;
    return cli_stop != 0;
}

/* Exit status, with its line and the final one when the user did not want to wait. */
static int machine_open(struct run *r)
{
    const struct local_watch watch = {.progress = progress_note, .arg = r, .stop = &cli_stop};
    struct cli_options *o = &r->session->options;
    struct summary summary = {.repeatable = true};
    enum gantry_status failure = STATUS_INTERNAL;

    o->sim.unwanted = stop_asked;
    r->machine = lib_machine_open(&r->session->config.cfg, &o->sim, o->gpu, &watch, &failure);
    if (r->machine)
        return 0;
    if (!cli_stop)
        return status_exit(failure);
    summary.exit_status = stop_explain(r->session);
    return session_report(r->session, &summary, NULL);
}

/* Of the launch that ended last. */
static int outcome_exit(const struct run *r)
{
    return r->status == GANTRY_STOPPED ? stop_explain(r->session) : status_exit((enum gantry_status)r->status);
}

static int launches_run(struct run *r)
{
    struct summary summary = {.repeatable = true};
    enum gantry_status status = STATUS_OK;

    for (unsigned i = 0; i < r->script->buffer_count && status == STATUS_OK; i++)
        status = lib_buffer_place(r->machine, &r->script->buffers[i]);
    for (unsigned beside = 0; r->next < r->script->launch_count && status == STATUS_OK && r->status == GANTRY_OK;) {
        struct script_launch *l = &r->script->launches[r->next];
        if (!l->move.buffer)
            status = launch_run(r, l, beside);
        else if (!l->move.beside)
            r->status = move_alone(r, l);
        r->next++;
        if (!l->move.beside)
            beside = r->next;
    }
    progress_end();
    lib_summary(r->machine, &summary);
    if (status != STATUS_OK && summary.row_count == 0)
        return status_exit(status);
    summary.exit_status = status == STATUS_OK ? outcome_exit(r) : status_exit(status);
    if (status == STATUS_OK && r->status == GANTRY_OK) {
        status = results_keep(r->script);
        if (status != STATUS_OK)
            summary.exit_status = status_exit(status);
    }
    return session_report(r->session, &summary, lib_sim(r->machine));
}

int kernel_run(struct session *session, struct kernel_script *script)
{
    struct run r = {.session = session, .script = script};
    int exit_status = machine_open(&r);

    if (exit_status == 0 && r.machine)
        exit_status = launches_run(&r);
    gantry_machine_free(r.machine);
    return exit_status;
}
