/* SPDX-License-Identifier: Apache-2.0
 * The run of `gantry kernel`; see kernel_run.h.
 */
#include "cli/kernel_run.h"

#include <stdlib.h>
#include <string.h>

#include "base/kept.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "driver/local.h"

/* An image in GPU memory. */
struct placed {
    const struct object_image *image;
    uint64_t base;
};

struct run {
    struct session *session;
    struct kernel_script *script;
    struct local *local;
    struct placed *placed;
    size_t placed_count, placed_room;
    struct kernel_row *rows; /* of all launches so far */
    size_t row_count, row_room;
    const char *kernel; /* the one that runs */
    struct local_result result;
    int exit_status;
};

static enum gantry_status memory_full(const struct run *r, const char *what, uint64_t bytes)
{
    const uint64_t mib = r->session->config.cfg.gpu_vram_mib;

    if (bytes > mib << 20)
        diag(what, "GPU memory is too small: %llu bytes, gpu.vram_mib is %llu", (unsigned long long)bytes,
             (unsigned long long)mib);
    else
        diag(what, "GPU memory is full: %llu bytes do not fit", (unsigned long long)bytes);
    return STATUS_DATA;
}

static enum gantry_status image_place(struct run *r, const struct object_image *image, uint64_t *base)
{
    void *host;

    for (size_t i = 0; i < r->placed_count; i++)
        if (r->placed[i].image == image) {
            *base = r->placed[i].base;
            return STATUS_OK;
        }
    *base = local_alloc(r->local, LOCAL_VRAM, image->load_bytes, &host);
    if (!*base)
        return memory_full(r, image->place, image->load_bytes);
    r->placed = xgrow(r->placed, &r->placed_room, r->placed_count + 1, sizeof *r->placed);
    r->placed[r->placed_count++] = (struct placed){image, *base};
    return object_image_place(image, *base, host);
}

static enum gantry_status buffer_place(struct run *r, struct kernel_arg *a)
{
    void *host;

    a->address = local_alloc(r->local, LOCAL_VRAM, a->room, &host);
    if (!a->address)
        return memory_full(r, a->spec, a->room);
    a->host = host;
    if (a->content)
        memcpy(host, a->content, a->room);
    else if (a->fill) /* memory is zero */
        memset(host, a->fill, a->room);
    return STATUS_OK;
}

/* Code, buffers and argument block into GPU memory. */
static enum gantry_status launch_place(struct run *r, struct script_launch *l, struct local_dispatch *d)
{
    uint32_t block_bytes = l->kernel->kernarg_bytes ? l->kernel->kernarg_bytes : 8;
    enum gantry_status status;
    uint64_t base;
    void *host;

    *d = (struct local_dispatch){.private_bytes = l->kernel->private_bytes,
                                 .group_bytes = l->args.lds_bytes
                                                    ? ((l->kernel->group_bytes + 15) & ~15u) + l->args.lds_bytes
                                                    : l->kernel->group_bytes};
    for (unsigned i = 0; i < 3; i++) {
        d->grid[i] = l->options.grid[i];
        d->group[i] = (uint16_t)l->options.group[i];
    }
    status = image_place(r, l->kernel->image, &base);
    if (status != STATUS_OK)
        return status;
    local_code(r->local, base, l->kernel->image->bytes, l->kernel->image->size);
    d->kernel_object = base + l->kernel->descriptor;
    for (unsigned i = 0; i < l->args.count && status == STATUS_OK; i++)
        if (l->args.arg[i].kind == SPEC_BUFFER)
            status = buffer_place(r, &l->args.arg[i]);
    if (status != STATUS_OK)
        return status;
    d->kernarg = local_alloc(r->local, LOCAL_HOST, block_bytes, &host);
    if (!d->kernarg)
        return memory_full(r, "arguments", block_bytes);
    args_block(&l->args, l->kernel, &l->options, host);
    return STATUS_OK;
}

static void progress_note(void *arg, struct machine *machine)
{
    const struct run *r = arg;

    session_progress(machine, r->kernel, 0);
}

/* One line for everything but success; the exit status. */
static int outcome_explain(const struct run *r)
{
    switch (r->result.outcome) {
    case LOCAL_DONE:
        return 0;
    case LOCAL_MEMORY_FAULT:
    case LOCAL_QUEUE_ERROR:
        diag(r->kernel, "%s", r->result.text);
        return status_exit(STATUS_GUEST_FAULT);
    case LOCAL_STOPPED:
        return stop_explain(r->session);
    case LOCAL_MAX_CYCLES:
        diag("--max-cycles", "stopped after %llu target cycles",
             (unsigned long long)r->session->options.sim.max_cycles);
        return status_exit(STATUS_NO_PROGRESS);
    case LOCAL_LOST: /* told already */
        return status_exit(r->session->failure);
    case LOCAL_NO_PROGRESS:
        diag(r->kernel, "%s", *r->result.text ? r->result.text : "no progress: the kernel can never end");
        return status_exit(STATUS_NO_PROGRESS);
    }
    return status_exit(STATUS_INTERNAL);
}

/* As often as it is to be repeated, or until one does not end well. */
static enum gantry_status launch_run(struct run *r, struct script_launch *l)
{
    const struct local_watch watch = {.progress = progress_note, .arg = r, .stop = &cli_stop};
    struct local_dispatch d;
    enum gantry_status status = launch_place(r, l, &d);

    r->kernel = l->kernel->name;
    for (uint64_t n = 0; n < l->repeat && status == STATUS_OK && r->result.outcome == LOCAL_DONE; n++) {
        local_dispatch(r->local, &d, &watch, &r->result);
        if (!r->result.launched)
            continue;
        r->result.row.name = text_kept(r->kernel);
        r->rows = xgrow(r->rows, &r->row_room, r->row_count + 1, sizeof *r->rows);
        r->rows[r->row_count++] = r->result.row;
    }
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
    struct cli_options *o = &r->session->options;
    struct summary summary = {.repeatable = true};

    o->sim.unwanted = stop_asked;
    r->local = local_open(&r->session->config.cfg, &o->sim, o->gpu);
    if (r->local)
        return 0;
    if (!cli_stop)
        return status_exit(r->session->failure);
    summary.exit_status = stop_explain(r->session);
    return session_report(r->session, &summary, NULL);
}

static int launches_run(struct run *r)
{
    struct summary summary = {.repeatable = true};
    enum gantry_status status = STATUS_OK;
    struct sim *sim = machine_sim(local_machine(r->local));

    for (unsigned i = 0; i < r->script->buffer_count && status == STATUS_OK; i++)
        status = buffer_place(r, &r->script->buffers[i]);
    if (status != STATUS_OK)
        return status_exit(status);
    const uint64_t begin = sim_now(sim);
    for (unsigned i = 0; i < r->script->launch_count && status == STATUS_OK && r->result.outcome == LOCAL_DONE; i++)
        status = launch_run(r, &r->script->launches[i]);
    progress_end();
    if (status != STATUS_OK && r->row_count == 0)
        return status_exit(status);
    summary.exit_status = status == STATUS_OK ? outcome_explain(r) : status_exit(status);
    if (status == STATUS_OK && r->result.outcome == LOCAL_DONE) {
        status = results_keep(r->script);
        if (status != STATUS_OK)
            summary.exit_status = status_exit(status);
    }
    summary.rows = r->rows;
    summary.row_count = (unsigned)r->row_count;
    summary.cycles = r->session->options.sim.model == SIM_RTL ? sim_now(sim) - begin : 0;
    summary.data = local_data_hash(r->local);
    summary.complete = r->result.outcome == LOCAL_DONE || r->result.outcome == LOCAL_MEMORY_FAULT ||
                       r->result.outcome == LOCAL_QUEUE_ERROR;
    return session_report(r->session, &summary, sim);
}

int kernel_run(struct session *session, struct kernel_script *script)
{
    struct run r = {.session = session, .script = script};
    int exit_status = machine_open(&r);

    if (exit_status == 0 && r.local)
        exit_status = launches_run(&r);
    local_close(r.local);
    free(r.rows);
    free(r.placed);
    return exit_status;
}
