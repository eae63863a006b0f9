/* SPDX-License-Identifier: Apache-2.0
 * Commands of the host with credits; contract in commands.h.
 */
#include "machine/commands.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "gantry_cfg.h"
#include "machine/sim_private.h"
#include "saved/state_io.h"

void commands_init(struct commands *c)
{
    *c = (struct commands){.credits = SIM_CMD_DEPTH};
}

void commands_fini(struct commands *c)
{
    free(c->waiting);
}

static void host_visit(struct part *part, uint64_t from)
{
    for (unsigned c = 0; c < PART_WINDOW; c++)
        PART_CHECK(part->due_count[c] == 0, part, from + c, "event was not delivered before the partitions ran");
}

static const struct part_ops host_ops = {.visit = host_visit};

struct part *sim_host_part(struct sim *sim, unsigned gpus)
{
    const uint32_t ins = 2 * gpus + port_ins(gpus), outs = gpus + port_outs(gpus);
    struct part *host =
        sim->self ? part_elsewhere("host.cp", ins, outs, 0) : part_new(&host_ops, "host.cp", ins, outs, sim);
    sched_add(&sim->sched, host);
    return host;
}

/* The host's inputs: events of GPU g at g, its credits behind those of all. */
static struct channel *credits_of(const struct sim *sim, unsigned gpu)
{
    return &sim->host->in[sim->gpu_count + gpu]->channel;
}

void commands_connect(struct sim *sim, unsigned gpu, struct part *to, uint32_t cmd_in, uint32_t credit_out,
                      uint32_t evt_out, uint32_t evt_depth)
{
    struct sched *s = &sim->sched;
    uint32_t latency = sim->cfg->link_host;
    sched_connect(s, sim->host, gpu, to, cmd_in, sizeof(struct msg_cp_cmd), latency, SIM_CMD_DEPTH);
    sched_connect(s, to, evt_out, sim->host, gpu, sizeof(struct msg_cp_evt), latency, evt_depth);
    struct wire *credits = sched_connect(s, to, credit_out, sim->host, sim->gpu_count + gpu, 0, latency, SIM_CMD_DEPTH);
    if (credits)
        credits->silent = true;
}

/* Credits that have come by now. */
static void credits_collect(struct sim *sim, unsigned gpu)
{
    struct commands *c = &sim->gpus[gpu].commands;
    struct channel *from = credits_of(sim, gpu);
    while (!channel_empty(from) && channel_stamp(from, 0) <= sim->now) {
        channel_drop(from, 1);
        c->credits++;
    }
    PART_CHECK(c->credits <= SIM_CMD_DEPTH, sim->host, sim->now, "%u credits of %u", c->credits, SIM_CMD_DEPTH);
}

static void waiting_add(struct commands *c, const struct msg_cp_cmd *cmd)
{
    if (c->count == c->room) {
        uint32_t room = c->room ? 2 * c->room : 16;
        struct msg_cp_cmd *ring = xcalloc(room, sizeof *ring);
        for (uint32_t i = 0; i < c->count; i++)
            ring[i] = c->waiting[(c->head + i) & (c->room - 1)];
        free(c->waiting);
        c->waiting = ring;
        c->room = room;
        c->head = 0;
    }
    c->waiting[(c->head + c->count++) & (c->room - 1)] = *cmd;
}

/* Those that wait, as far as there are places: also when another callback of this cycle has found the place first. */
static void waiting_leave(struct sim *sim, unsigned gpu)
{
    struct commands *c = &sim->gpus[gpu].commands;
    credits_collect(sim, gpu);
    while (c->count && c->credits) {
        c->credits--;
        c->count--;
        sim->commands_waiting--;
        sched_send(sim->host, gpu, sim->now, &c->waiting[c->head]);
        c->head = (c->head + 1) & (c->room - 1);
    }
}

void commands_send(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd)
{
    waiting_add(&sim->gpus[gpu].commands, cmd);
    sim->commands_waiting++;
    waiting_leave(sim, gpu);
}

uint64_t commands_due(const struct sim *sim)
{
    uint64_t first = UINT64_MAX;
    for (unsigned g = 0; sim->commands_waiting && g < sim->gpu_count; g++) {
        const struct channel *from = credits_of(sim, g);
        if (sim->gpus[g].commands.count && !channel_empty(from) && channel_stamp(from, 0) < first)
            first = channel_stamp(from, 0);
    }
    return first;
}

void commands_resume(struct sim *sim)
{
    for (unsigned g = 0; g < sim->gpu_count; g++)
        waiting_leave(sim, g);
}

void commands_save(const struct commands *c, struct state_writer *to)
{
    STATE_PUT(to, c->credits);
    STATE_PUT(to, c->count);
    for (uint32_t i = 0; i < c->count; i++)
        STATE_PUT(to, c->waiting[(c->head + i) & (c->room - 1)]);
}

bool commands_restore(struct commands *c, struct state_reader *from)
{
    uint32_t count;
    c->head = c->count = 0;
    bool ok = STATE_GET(from, c->credits) && STATE_GET(from, count) &&
              (c->credits <= SIM_CMD_DEPTH || state_refuse(from, "%u credits of %u", c->credits, SIM_CMD_DEPTH));
    for (struct msg_cp_cmd cmd; ok && c->count < count;) {
        ok = STATE_GET(from, cmd);
        if (ok)
            waiting_add(c, &cmd);
    }
    return ok;
}
