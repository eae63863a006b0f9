/* SPDX-License-Identifier: Apache-2.0
 * gantry kernel: one kernel of a code object, without ROCm, through the same packets and command processor.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "cli/cli.h"
#include "cli/kernel_args.h"
#include "cli/options.h"
#include "cli/recording.h"
#include "driver/local.h"
#include "loader/object.h"

/* A launch being prepared. */
struct launch {
    struct session *session;
    struct object *object;
    const struct object_kernel *kernel;
    struct kernel_args args;
    struct local *local;
};

/* Where FILE of "FILE[:KERNEL]" ends: all of it when that is a file, else the first colon behind a file (a kernel's
 * name may have colons, too), else the first. */
static size_t file_length(const char *word)
{
    const char *colon = access(word, F_OK) == 0 ? NULL : strchr(word, ':');
    size_t first = colon ? (size_t)(colon - word) : strlen(word);

    for (; colon; colon = strchr(colon + 1, ':')) {
        char *path = xasprintf("%.*s", (int)(colon - word), word);
        bool there = access(path, F_OK) == 0;

        free(path);
        if (there)
            return (size_t)(colon - word);
    }
    return first;
}

static enum gantry_status kernel_open(struct launch *l, const char *word)
{
    size_t length = file_length(word);
    char *path = xasprintf("%.*s", (int)length, word);
    enum gantry_status status = object_open(path, &l->object);

    if (status == STATUS_OK) {
        l->kernel = object_kernel_find(l->object, word[length] ? word + length + 1 : NULL);
        if (!l->kernel)
            status = STATUS_USAGE;
    }
    free(path);
    return status;
}

/* Grid and group against the kernel. */
static enum gantry_status shape_check(struct launch *l)
{
    struct cli_options *o = &l->session->options;
    const struct object_kernel *k = l->kernel;

    if (o->grid_dims == 0) {
        diag("kernel", "no grid: give --grid X[,Y[,Z]] in work-items");
        return STATUS_USAGE;
    }
    if (o->group_dims == 0 && k->required_group[0] == 0) {
        diag("kernel", "no work-group size: give --group X[,Y[,Z]]");
        return STATUS_USAGE;
    }
    for (unsigned i = 0; i < 3; i++) {
        if (o->group_dims == 0)
            o->group[i] = k->required_group[i];
        if (k->required_group[0] && o->group[i] != k->required_group[i]) {
            diag("--group", "kernel %s demands %u,%u,%u", k->name, k->required_group[0], k->required_group[1],
                 k->required_group[2]);
            return STATUS_USAGE;
        }
    }
    return STATUS_OK;
}

static enum gantry_status memory_full(const char *what, uint64_t bytes)
{
    diag(what, "GPU memory is full: %llu bytes do not fit", (unsigned long long)bytes);
    return STATUS_DATA;
}

/* Code, buffers and argument block into GPU memory. */
static enum gantry_status memory_fill(struct launch *l, struct local_dispatch *d)
{
    const struct object_image *image = l->kernel->image;
    uint32_t block_bytes = l->kernel->kernarg_bytes ? l->kernel->kernarg_bytes : 8;
    enum gantry_status status;
    void *host;
    uint64_t base = local_alloc(l->local, LOCAL_VRAM, image->load_bytes, &host);

    if (!base)
        return memory_full(image->place, image->load_bytes);
    status = object_image_place(image, base, host);
    if (status != STATUS_OK)
        return status;
    local_code(l->local, base, image->bytes, image->size);
    d->kernel_object = base + l->kernel->descriptor;
    for (unsigned i = 0; i < l->args.count; i++) {
        struct kernel_arg *a = &l->args.arg[i];

        if (a->kind != SPEC_BUFFER)
            continue;
        a->address = local_alloc(l->local, LOCAL_VRAM, a->room, &host);
        if (!a->address)
            return memory_full(a->spec, a->room);
        a->host = host;
        if (a->content)
            memcpy(host, a->content, a->room);
        else if (a->fill) /* memory is zero */
            memset(host, a->fill, a->room);
    }
    d->kernarg = local_alloc(l->local, LOCAL_HOST, block_bytes, &host);
    if (!d->kernarg)
        return memory_full("arguments", block_bytes);
    args_block(&l->args, l->kernel, &l->session->options, host);
    return STATUS_OK;
}

static void progress_note(void *arg, struct machine *machine)
{
    const struct launch *l = arg;

    session_progress(machine, l->kernel->name, 0);
}

/* One line for everything but success; the exit status. */
static int outcome_explain(const struct launch *l, const struct local_result *result)
{
    switch (result->outcome) {
    case LOCAL_DONE:
        return 0;
    case LOCAL_MEMORY_FAULT:
    case LOCAL_QUEUE_ERROR:
        diag(l->kernel->name, "%s", result->text);
        return status_exit(STATUS_GUEST_FAULT);
    case LOCAL_STOPPED:
        return stop_explain(l->session);
    case LOCAL_MAX_CYCLES:
        diag("--max-cycles", "stopped after %llu target cycles",
             (unsigned long long)l->session->options.sim.max_cycles);
        return status_exit(STATUS_NO_PROGRESS);
    case LOCAL_LOST: /* told already */
        return status_exit(l->session->failure);
    case LOCAL_NO_PROGRESS:
        diag(l->kernel->name, "%s", *result->text ? result->text : "no progress: the kernel can never end");
        return status_exit(STATUS_NO_PROGRESS);
    }
    return status_exit(STATUS_INTERNAL);
}

/* Asked while models are built and between slices of the golden model (sim.h). */
static bool stop_asked(void *arg)
{
    (void)arg;
    return cli_stop != 0;
}

/* The machine that the launch runs on; exit status, with its line and the final one when the user did not want to wait.
 */
static int machine_open(struct launch *l)
{
    struct cli_options *o = &l->session->options;
    struct summary summary = {.repeatable = true};

    o->sim.unwanted = stop_asked;
    l->local = local_open(&l->session->config.cfg, &o->sim, o->gpu);
    if (l->local)
        return 0;
    if (!cli_stop)
        return status_exit(l->session->failure);
    summary.exit_status = stop_explain(l->session);
    return session_report(l->session, &summary, NULL);
}

static int launch_run(struct launch *l)
{
    struct cli_options *o = &l->session->options;
    struct local_dispatch d = {.private_bytes = l->kernel->private_bytes,
                               .group_bytes = l->args.lds_bytes
                                                  ? ((l->kernel->group_bytes + 15) & ~15u) + l->args.lds_bytes
                                                  : l->kernel->group_bytes};
    struct local_watch watch = {.progress = progress_note, .arg = l, .stop = &cli_stop};
    struct summary summary = {.repeatable = true};
    struct local_result result;
    enum gantry_status status;
    struct sim *sim;
    uint64_t begin;
    int exit_status;

    for (unsigned i = 0; i < 3; i++) {
        d.grid[i] = o->grid[i];
        d.group[i] = (uint16_t)o->group[i];
    }
    status = memory_fill(l, &d);
    if (status != STATUS_OK)
        return status_exit(status);
    sim = machine_sim(local_machine(l->local));
    begin = sim_now(sim);
    local_dispatch(l->local, &d, &watch, &result);
    progress_end();
    exit_status = outcome_explain(l, &result);
    if (result.launched) {
        summary.rows = &result.row;
        summary.row_count = 1;
        snprintf(result.row.name, sizeof(result.row.name), "%s", l->kernel->name);
    }
    if (result.outcome == LOCAL_DONE) {
        status = args_write(&l->args);
        if (status != STATUS_OK)
            exit_status = status_exit(status);
    }
    summary.cycles = o->sim.model == SIM_RTL ? sim_now(sim) - begin : 0;
    summary.data = local_data_hash(l->local);
    summary.exit_status = exit_status;
    summary.complete =
        result.outcome == LOCAL_DONE || result.outcome == LOCAL_MEMORY_FAULT || result.outcome == LOCAL_QUEUE_ERROR;
    return session_report(l->session, &summary, sim);
}

int cmd_kernel(int argc, char **argv)
{
    struct session session;
    struct launch l = {.session = &session};
    enum gantry_status status = session_open(&session, "kernel", argc, argv);
    int exit_status;

    if (status == STATUS_OK && session.options.first != argc - 1) {
        if (session.options.first >= argc)
            diag("kernel",
                 "no code object: gantry kernel -c CONFIG [options] FILE[:KERNEL] --grid X --group X [--arg SPEC]...");
        else
            diag("kernel", "unexpected argument %s", argv[session.options.first + 1]);
        status = STATUS_USAGE;
    }
    if (status == STATUS_OK)
        status = kernel_open(&l, argv[session.options.first]);
    if (status == STATUS_OK)
        status = shape_check(&l);
    if (status == STATUS_OK)
        status = args_parse(&l.args, l.kernel, &session.options);
    if (status == STATUS_OK)
        status = recording_begin(&session);
    exit_status = status == STATUS_OK ? machine_open(&l) : status_exit(status);
    if (exit_status == 0)
        exit_status = launch_run(&l);
    local_close(l.local);
    args_fini(&l.args);
    object_free(l.object);
    session_close(&session);
    return exit_status;
}
