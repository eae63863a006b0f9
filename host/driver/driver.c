/* SPDX-License-Identifier: Apache-2.0
 * The emulated kernel driver as a whole: memories divided into arenas, and what the command processors report, passed
 * on to the clients they belong to.
 */
#include "driver/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "clients/source_lines.h"
#include "driver/topology.h"
#include "gantry_cfg.h"
#include "memory/lazy_entries.h"
#include "memory/nearest_allocation.h"
#include "migrate/migrate.h"
#include "system/phases.h"
#include "vm/pmem.h"

/* The slot stays written: the next interrupt finds it, which is one wake-up too many and never one too few. */
static void on_event(void *ctx, void *owner, uint32_t event_id)
{
    (void)ctx;
    event_raise(owner, event_id);
}

/* Those that are mapped at the address or next to it, on either side. */
static void near_find(const struct ranges *mapped, uint64_t address, struct near *near)
{
    static const char *const names[] = {
        [BACKING_VRAM] = "VRAM", [BACKING_GTT] = "host-memory", [BACKING_USER] = "registered-memory"};
    struct range *at = ranges_at(mapped, address);
    struct range *beside[] = {at ? at : ranges_before(mapped, address), ranges_from(mapped, address)};
    for (unsigned i = 0; i < 2; i++) {
        const struct object *o = beside[i] ? RANGE_OF(beside[i], struct mapping, range)->object : NULL;
        if (o)
            near_offer(near, address, o->va, o->bytes, o->hold ? names[o->hold->backing->kind] : "device-page");
    }
}

/* One line on stderr for what went wrong, with all that is known of it: the text so far, where in which kernel, and for
 * an address the allocation it belongs to. */
static void fault_tell(struct driver *d, const struct client *c, unsigned gpu, const struct msg_cp_evt *evt,
                       const char *kind, char *text, size_t room)
{
    char source[256] = "", process[32], place[256];
    struct near near = {0};
    if (!diag_more(kind)) {
        diag_like(kind, NULL, "%s", text);
        return;
    }
    if (evt->kind == CP_EVT_FAULT)
        source_line(c, evt->pc, source, sizeof source);
    cp_place_text(machine_cp(d->machine, gpu), evt, source, text, room); /* of a wavefront's */
    if (evt->kind != CP_EVT_HALT && evt->status >= FAULT_NOT_PRESENT && evt->status <= FAULT_BUS) {
        near_find(&c->gpu[gpu].mapped, evt->va, &near);
        near_find(&c->gpu[gpu].pages, evt->va, &near);
        near_text(&near, evt->va, place, sizeof place);
        size_t used = strlen(text);
        snprintf(text + used, room - used, "; %s", place);
    }
    snprintf(process, sizeof process, "process %d", (int)c->pid);
    diag_like(kind, d->client_count > 1 ? process : NULL, "%s", text);
}

static void on_memory_fault(void *ctx, void *owner, unsigned gpu, const struct msg_cp_evt *evt)
{
    struct driver *d = ctx;
    struct client *c = owner;
    char text[1024];
    cp_memory_fault_text(gpu, evt, text, sizeof text);
    fault_tell(d, c, gpu, evt, "memory fault", text, sizeof text);
    event_raise_fault(c, topology_gpu_id(d->cfg, gpu), evt->va, (enum fault_kind)evt->status);
}

static void on_queue_error(void *ctx, void *owner, unsigned gpu, unsigned queue, uint32_t code,
                           const struct msg_cp_evt *evt)
{
    static const struct msg_cp_evt none;
    struct driver *d = ctx;
    char text[1024];
    int n = snprintf(text, sizeof text, "queue %u stopped: ", queue);
    cp_fault_text(gpu, code, evt, text + n, sizeof text - (size_t)n);
    if (!evt) {
        cp_limit_text(machine_cp(d->machine, gpu), queue, code, text, sizeof text);
        cp_packet_text(machine_cp(d->machine, gpu), queue, text, sizeof text);
    }
    fault_tell(d, owner, gpu, evt ? evt : &none, "queue error", text, sizeof text);
}

static void on_halted(void *ctx, void *owner, unsigned gpu, const struct msg_cp_evt *evt)
{
    char text[1024];
    cp_halt_text(gpu, evt, text, sizeof text);
    fault_tell(ctx, owner, gpu, evt, "halted wavefront", text, sizeof text);
}

static void on_interrupt(void *ctx, void *owner)
{
    slots_look(ctx, owner);
}

static void on_kernel(void *ctx, void *owner, const struct kernel_row *row)
{
    struct driver *d = ctx;
    const struct client *c = owner;
    d->rows = xgrow(d->rows, &d->row_room, d->row_count + 1, sizeof *d->rows);
    d->rows[d->row_count] = *row;
    d->rows[d->row_count++].process = c->index;
    d->last_completion = MAX(d->last_completion, row->end);
}

static void on_visible(void *ctx)
{
    struct driver *d = ctx;
    d->last_completion = machine_now(d->machine); /* no kernel has ended later */
}

static void on_space_closed(void *ctx, struct cp_space *space)
{
    client_space_closed(ctx, space);
}

static void on_shootdown(void *ctx)
{
    quarantine_release(ctx);
    migrate_step(((struct driver *)ctx)->migrate);
}

static void on_tables(void *ctx)
{
    quarantine_release(ctx);
    migrate_step(((struct driver *)ctx)->migrate);
    tables_look(ctx);
}

static void on_alarm(void *ctx)
{
    migrate_alarm(ctx);
}

struct driver *driver_new(const struct gantry_cfg *cfg, const struct sim_options *options)
{
    struct driver *d = xcalloc(1, sizeof *d);
    const struct cp_host user = {.ctx = d,
                                 .event = on_event,
                                 .visible = on_visible,
                                 .memory_fault = on_memory_fault,
                                 .queue_error = on_queue_error,
                                 .halted = on_halted,
                                 .interrupt = on_interrupt,
                                 .kernel = on_kernel,
                                 .space_closed = on_space_closed,
                                 .shootdown = on_shootdown,
                                 .tables = on_tables,
                                 .withheld = lazy_withheld};
    d->cfg = cfg;
    d->gated = cfg->clock_mode == CFG_CLOCK_MODE_GATED;
    d->program_time = cfg->clock_program == CFG_CLOCK_PROGRAM_TARGET;
    d->listen_fd = d->spare_fd = d->kfd_token = NO_FILE;
    for (unsigned g = 0; g < DRIVER_GPUS; g++)
        d->dri_token[g] = NO_FILE;
    d->first_doorbell = NEVER;
    d->seed = options->seed;
    kin_init(&d->kin);
    d->slice = (struct slice)SLICE_INIT;
    d->machine = machine_new(cfg, options, &user);
    if (!d->machine || cfg->system_gpus > DRIVER_GPUS) {
        free(d);
        return NULL;
    }
    machine_answer_to(d->machine, slots_answer, d);
    struct pmem *pm = machine_memory(d->machine);
    for (unsigned g = 0; g < cfg->system_gpus; g++)
        store_init(&d->vram[g], pm, g);
    store_init(&d->gtt, pm, PMEM_GTT);
    d->migrate = moves_new(d);
    machine_alarm_to(d->machine, on_alarm, d->migrate);
    d->phases = moves_phases(d);
    return d;
}

void driver_delete(struct driver *d)
{
    if (!d)
        return;
    server_close(d);
    client_drop_all(d);
    watch_fini(&d->watch);
    kin_drop(&d->kin, d->turn);
    kin_fini(&d->kin);
    migrate_free(d->migrate);
    phases_free(d->phases);
    for (unsigned g = 0; g < DRIVER_GPUS; g++)
        store_fini(&d->vram[g]);
    store_fini(&d->gtt);
    quarantine_fini(d);
    machine_delete(d->machine);
    free(d->rows);
    free(d);
}
