/* SPDX-License-Identifier: Apache-2.0
 * The emulated kernel driver as a whole: memories divided into arenas, and what the command processors report, passed
 * on to the clients they belong to.
 */
#include "driver/driver.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "driver/topology.h"
#include "gantry_cfg.h"
#include "vm/pmem.h"

static void on_event(void *ctx, void *owner, uint32_t event_id)
{
    event_raise_mailbox(ctx, owner, event_id);
}

static void on_memory_fault(void *ctx, void *owner, unsigned gpu, const struct msg_cp_evt *evt)
{
    struct driver *d = ctx;
    struct client *c = owner;
    char text[320];
    cp_memory_fault_text(gpu, evt, text, sizeof text);
    log_info("driver", "client %u: %s", c->index, text);
    event_raise_fault(c, topology_gpu_id(d->cfg, gpu), evt->va, (enum fault_kind)evt->status);
}

static void on_queue_error(void *ctx, void *owner, unsigned gpu, unsigned queue, uint32_t code,
                           const struct msg_cp_evt *evt)
{
    const struct client *c = owner;
    char text[320];
    (void)ctx;
    cp_fault_text(gpu, code, evt, text, sizeof text);
    log_info("driver", "client %u: queue %u stopped: %s", c->index, queue, text);
}

static void on_interrupt(void *ctx, void *owner)
{
    event_raise_interrupt(ctx, owner);
}

static void on_kernel(void *ctx, void *owner, const struct kernel_row *row)
{
    struct driver *d = ctx;
    (void)owner;
    d->rows = xgrow(d->rows, &d->row_room, d->row_count + 1, sizeof *d->rows);
    d->rows[d->row_count++] = *row;
    if (row->end > d->last_completion)
        d->last_completion = row->end;
}

static void on_visible(void *ctx)
{
    struct driver *d = ctx;
    uint64_t now = machine_now(d->machine);
    if (now > d->last_completion)
        d->last_completion = now;
}

static void on_space_closed(void *ctx, struct cp_space *space)
{
    client_space_closed(ctx, space);
}

static void on_timer(void *ctx, uint64_t now, uint64_t cookie)
{
    (void)ctx, (void)now, (void)cookie; /* its only effect is that the clock stops there */
}

uint64_t client_cycle(const struct driver *d)
{
    return machine_now(d->machine);
}

struct driver *driver_new(const struct gantry_cfg *cfg, const struct sim_options *options)
{
    struct driver *d = xcalloc(1, sizeof *d);
    const struct machine_user user = {
        .cp = {.ctx = d,
               .event = on_event,
               .visible = on_visible,
               .memory_fault = on_memory_fault,
               .queue_error = on_queue_error,
               .interrupt = on_interrupt,
               .kernel = on_kernel,
               .space_closed = on_space_closed},
        .timer = on_timer,
    };
    d->cfg = cfg;
    d->gated = cfg->clock_mode == CFG_CLOCK_MODE_GATED;
    d->listen_fd = -1;
    d->vmid_used = 1;
    d->first_doorbell = NEVER;
    d->machine = machine_new(cfg, options, &user);
    if (!d->machine || cfg->system_gpus > DRIVER_GPUS) {
        free(d);
        return NULL;
    }
    struct pmem *pm = machine_memory(d->machine);
    for (unsigned g = 0; g < cfg->system_gpus; g++)
        arena_init(&d->vram[g], 0, pmem_vram_bytes(pm) - pmem_table_bytes(pm));
    arena_init(&d->gtt, 0, pmem_gtt_bytes(pm));
    return d;
}

void driver_delete(struct driver *d)
{
    if (!d)
        return;
    server_close(d);
    client_drop_all(d);
    for (unsigned b = 0; b < QUEUE_BUCKETS; b++)
        while (d->queues[b]) {
            struct queue *q = d->queues[b];
            d->queues[b] = q->bucket_next;
            free(q);
        }
    for (unsigned g = 0; g < DRIVER_GPUS; g++)
        arena_release(&d->vram[g]);
    arena_release(&d->gtt);
    machine_delete(d->machine);
    free(d->rows);
    free(d);
}
