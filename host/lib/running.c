/* SPDX-License-Identifier: Apache-2.0
 * Running launches and machines of the library (gantry.h): to their end, or to a cycle.
 */
#include <string.h>

#include "base/kept.h"
#include "base/xalloc.h"
#include "lib/lib_private.h"

/* The launch under way is over: its row, and its outcome with its line. */
static int launch_end(struct gantry_machine *m)
{
    struct gantry_launch *l = m->running;
    const struct local_result *r = &l->result;
    m->running = NULL;
    m->ended = r->outcome;
    if (r->launched) {
        m->rows = xgrow(m->rows, &m->row_room, m->row_count + 1, sizeof *m->rows);
        m->rows[m->row_count] = r->row;
        m->rows[m->row_count++].name = text_kept(l->kernel->name);
    }
    switch (r->outcome) {
    case LOCAL_DONE:
        return local_moved(m->local) ? GANTRY_OK : GANTRY_DATA;
    case LOCAL_MEMORY_FAULT:
    case LOCAL_QUEUE_ERROR:
        diag(l->kernel->name, "%s", r->text);
        return GANTRY_GUEST_FAULT;
    case LOCAL_STOPPED:
        return GANTRY_STOPPED;
    case LOCAL_MAX_CYCLES:
        diag("--max-cycles", "stopped after %llu target cycles", (unsigned long long)m->options.max_cycles);
        return GANTRY_NO_PROGRESS;
    case LOCAL_LOST: /* told already */
        return *m->options.failure;
    case LOCAL_NO_PROGRESS:
        diag(l->kernel->name, "%s", *r->text ? r->text : "no progress: the kernel can never end");
        return GANTRY_NO_PROGRESS;
    }
    return GANTRY_INTERNAL;
}

static int launch_send(struct gantry_launch *l, struct call *call, bool *over)
{
    struct gantry_machine *m = l->machine;
    *over = false;
    if (m->running)
        return call_refuse(call, "a launch is under way already");
    if (m->ended != LOCAL_DONE)
        return call_refuse(call, "a launch before has not ended well: this machine starts no other");
    local_code(m->local, l->base, l->kernel->image->bytes, l->kernel->image->size);
    m->running = l;
    *over = !local_begin(m->local, &l->dispatch, &l->result);
    return GANTRY_OK;
}

/* A call with a launch is one with its machine: false, refused. */
static bool both_begin(struct call *call, struct call *inner, struct gantry_launch *l, const char *function,
                       struct gantry_error *error)
{
    if (!call_begin(call, l, HANDLE_LAUNCH, function, error))
        return false;
    if (call_begin(inner, l->machine, HANDLE_MACHINE, function, call->error))
        return true;
    const struct gantry_error said = *call->error;
    call_end(call, GANTRY_USAGE);
    *call->error = said;
    return false;
}

static int both_end(struct call *call, struct call *inner, int status)
{
    call_end(inner, status);
    return call_end(call, status);
}

int gantry_launch_run(struct gantry_launch *launch, struct gantry_error *error)
{
    struct call call, inner;
    bool over;
    if (!both_begin(&call, &inner, launch, "gantry_launch_run", error))
        return GANTRY_USAGE;
    struct gantry_machine *m = launch->machine;
    int status = launch_send(launch, &inner, &over);
    if (status == GANTRY_OK) {
        if (!over)
            local_run(m->local, UINT64_MAX, &m->watch);
        status = launch_end(m);
    }
    return both_end(&call, &inner, status);
}

int gantry_launch_start(struct gantry_launch *launch, struct gantry_error *error)
{
    struct call call, inner;
    bool over;
    if (!both_begin(&call, &inner, launch, "gantry_launch_start", error))
        return GANTRY_USAGE;
    int status = launch_send(launch, &inner, &over);
    if (over)
        status = launch_end(launch->machine);
    return both_end(&call, &inner, status);
}

/* Nothing but what others do at the GPUs, or time. */
static int rest_run(struct gantry_machine *m, uint64_t until, int *event)
{
    struct machine *machine = local_machine(m->local);
    *event = GANTRY_AT_CYCLE;
    while (machine_now(machine) < until) {
        const enum machine_result end = machine_run(machine, until);
        if (m->watch.stop && *m->watch.stop)
            return GANTRY_STOPPED;
        if (end == MACHINE_NO_PROGRESS || (end == MACHINE_IDLE && local_moving(m->local))) {
            local_stuck(m->local);
            return GANTRY_NO_PROGRESS;
        }
        if (end == MACHINE_IDLE) {
            *event = GANTRY_NOTHING_LEFT;
            return local_moved(m->local) ? GANTRY_OK : GANTRY_DATA;
        }
        if (end == MACHINE_LOST)
            return *m->options.failure;
        if (end == MACHINE_MAX_CYCLES) {
            diag("--max-cycles", "stopped after %llu target cycles", (unsigned long long)m->options.max_cycles);
            return GANTRY_NO_PROGRESS;
        }
        if (m->watch.progress)
            m->watch.progress(m->watch.arg, machine);
    }
    return GANTRY_OK;
}

int gantry_run(struct gantry_machine *m, uint64_t until, int *event, struct gantry_error *error)
{
    struct call call;
    int happened = GANTRY_AT_CYCLE, status = GANTRY_OK;
    if (!call_begin(&call, m, HANDLE_MACHINE, "gantry_run", error))
        return GANTRY_USAGE;
    if (m->running == NULL) {
        status = rest_run(m, until, &happened);
    } else if (local_run(m->local, until, &m->watch)) {
        happened = GANTRY_LAUNCH_OVER;
        status = launch_end(m);
    }
    if (event)
        *event = happened;
    return call_end(&call, status);
}

int gantry_now(struct gantry_machine *m, uint64_t *cycle, struct gantry_error *error)
{
    struct call call;
    if (!call_within(&call, m, HANDLE_MACHINE, "gantry_now", error))
        return GANTRY_USAGE;
    if (cycle)
        *cycle = sim_now(lib_sim(m));
    return call_end(&call, cycle ? GANTRY_OK : call_refuse(&call, "no place for the cycle"));
}

/* ---- arguments and faults of a launch */
int gantry_launch_set(struct gantry_launch *launch, unsigned n, const void *data, uint32_t bytes,
                      struct gantry_error *error)
{
    struct call call, inner;
    if (!both_begin(&call, &inner, launch, "gantry_launch_set", error))
        return GANTRY_USAGE;
    struct kernel_arg *a = n < launch->args->count ? &launch->args->arg[n] : NULL;
    int status = GANTRY_OK;
    if (a == NULL || a->kind != SPEC_VALUE || data == NULL || bytes != a->bytes)
        status = call_refuse(&inner, "no value of so many bytes");
    else if (launch->machine->running)
        status = call_refuse(&inner, "a launch is under way");
    if (status == GANTRY_OK) {
        memcpy(a->content ? a->content : a->value, data, bytes);
        args_block(launch->args, launch->kernel, &launch->shape, launch->block);
    }
    return both_end(&call, &inner, status);
}

int gantry_launch_buffer(struct gantry_launch *launch, unsigned n, uint64_t *address, uint64_t *bytes,
                         struct gantry_error *error)
{
    struct call call, inner;
    if (!both_begin(&call, &inner, launch, "gantry_launch_buffer", error))
        return GANTRY_USAGE;
    const struct kernel_arg *a = n < launch->args->count ? &launch->args->arg[n] : NULL;
    if (a == NULL || a->kind != SPEC_BUFFER)
        return both_end(&call, &inner, call_refuse(&inner, "this argument is no buffer of the launch"));
    if (address)
        *address = a->address;
    if (bytes)
        *bytes = a->room;
    return both_end(&call, &inner, GANTRY_OK);
}

int gantry_launch_fault(struct gantry_launch *launch, struct gantry_fault *fault, struct gantry_error *error)
{
    struct call call, inner;
    if (!both_begin(&call, &inner, launch, "gantry_launch_fault", error))
        return GANTRY_USAGE;
    if (fault == NULL)
        return both_end(&call, &inner, call_refuse(&inner, "no place for the fault"));
    const struct local_result *r = &launch->result;
    memset(fault, 0, sizeof *fault);
    if (r->outcome == LOCAL_MEMORY_FAULT) {
        fault->kind = 1;
        fault->address = r->fault_va;
        fault->cause = (int)r->fault_kind;
    } else if (r->outcome == LOCAL_QUEUE_ERROR) {
        fault->kind = 2;
        fault->cause = (int)r->error;
        fault->instruction = r->instruction;
    }
    fault->pc = fault->kind ? r->pc : 0;
    return both_end(&call, &inner, GANTRY_OK);
}
