/* SPDX-License-Identifier: Apache-2.0
 * The host's side of a machine as a saved state (sim_private.h).  Not responsible for: partitions and channels
 * (bridge/run/sched_save.h), memory (host/vm/pmem_save.h), what the host model itself knows (its owner).
 */
#include <stdlib.h>

#include "base/xalloc.h"
#include "machine/port.h"
#include "machine/sim_private.h"
#include "saved/state_io.h"

#define PENDING_MOST 65536u /* against nonsense: ids of commands have 16 bits */
#define TIMERS_MOST (1u << 24)

static int timer_compare(const void *a, const void *b)
{
    const struct heap_item *x = a, *y = b;
    if (x->cycle != y->cycle)
        return x->cycle < y->cycle ? -1 : 1;
    return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* In the order in which they fire: their numbers are of this process. */
static void timers_save(const struct heap *timers, struct state_writer *to)
{
    struct heap_item *sorted = xcalloc(timers->count, sizeof *sorted);
    for (size_t i = 0; i < timers->count; i++)
        sorted[i] = timers->items[i];
    qsort(sorted, timers->count, sizeof *sorted, timer_compare);
    state_put_u64(to, timers->count);
    for (size_t i = 0; i < timers->count; i++) {
        STATE_PUT(to, sorted[i].cycle);
        STATE_PUT(to, sorted[i].value);
    }
    free(sorted);
}

static bool timers_restore(struct heap *timers, struct state_reader *from)
{
    uint64_t count, cycle, cookie;
    timers->count = 0;
    if (!state_get_count(from, "timers", TIMERS_MOST, &count))
        return false;
    for (; count > 0; count--) {
        if (!state_get_u64(from, &cycle) || !state_get_u64(from, &cookie))
            return false;
        heap_push(timers, cycle, cookie);
    }
    return true;
}

static void gpu_save(const struct sim_gpu *g, struct state_writer *to)
{
    STATE_PUT(to, g->roots);
    STATE_PUT(to, g->withholds);
    STATE_PUT(to, g->traps);
    state_put_u64(to, g->pending_count);
    for (uint32_t i = 0; i < g->pending_count; i++) {
        const struct sim_pending *p = &g->pending[i];
        const uint8_t row[] = {p->kind,    p->vmid,        p->id & 255, p->id >> 8,
                               p->faulted, p->interrupted, p->halted,   p->withheld};
        STATE_PUT(to, row);
    }
    commands_save(&g->commands, to);
}

static bool gpu_restore(struct sim_gpu *g, struct state_reader *from)
{
    uint64_t count;
    if (!STATE_GET(from, g->roots) || !STATE_GET(from, g->withholds) || !STATE_GET(from, g->traps) ||
        !state_get_count(from, "commands under way", PENDING_MOST, &count))
        return false;
    g->pending_count = 0;
    for (; count > 0; count--) {
        uint8_t row[8];
        if (!STATE_GET(from, row))
            return false;
        const struct msg_cp_cmd cmd = {.kind = row[0], .vmid = row[1], .id = (uint16_t)(row[2] | row[3] << 8)};
        pending_add(g, &cmd);
        struct sim_pending *p = &g->pending[g->pending_count - 1];
        p->faulted = row[4];
        p->interrupted = row[5];
        p->halted = row[6];
        p->withheld = row[7];
    }
    return commands_restore(&g->commands, from);
}

void sim_host_save(const struct sim *sim, uint64_t moved, struct state_writer *to)
{
    STATE_PUT(to, sim->now);
    /* since the last look: what was counted before is of whoever runs it */
    state_put_u64(to, moved - sim->watch_sent);
    STATE_PUT(to, sim->watch_cycle);
    timers_save(&sim->timers, to);
    for (unsigned g = 0; g < sim->gpu_count; g++)
        gpu_save(&sim->gpus[g], to);
    port_save(sim->port, to);
}

bool sim_host_restore(struct sim *sim, struct state_reader *from)
{
    if (!STATE_GET(from, sim->now) || !STATE_GET(from, sim->watch_sent) || !STATE_GET(from, sim->watch_cycle) ||
        !timers_restore(&sim->timers, from))
        return false;
    sim->commands_waiting = 0;
    for (unsigned g = 0; g < sim->gpu_count; g++) {
        if (!gpu_restore(&sim->gpus[g], from))
            return false;
        sim->commands_waiting += sim->gpus[g].commands.count;
    }
    return port_restore(sim->port, from);
}
