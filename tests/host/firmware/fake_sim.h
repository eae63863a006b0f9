/* SPDX-License-Identifier: Apache-2.0
 * A machine for tests of the host model alone: the functions of host/machine/sim.h with a calendar of events. Commands
 * are recorded; a launch is "run" by a function of the test and ends after a number of cycles that the test chooses.
 * Accesses to memory take effect in the order of requests, half of their time after they were asked for.
 */
#ifndef FAKE_SIM_H
#define FAKE_SIM_H
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "machine/goals.h"
#include "machine/sim.h"
#include "vm/pmem.h"

#define FAKE_MAX 4096
#define FAKE_GPUS 8

struct fake_due {
    uint64_t at, order, cookie;
    bool timer, memory; /* memory: of a request or, when `answered`, its answer */
    bool answered;
    unsigned gpu;
    struct msg_cp_evt evt;
    struct msg_mem_req req;
    struct msg_mem_rsp rsp;
};

struct sim {
    const struct sim_host_ops *ops;
    void *ctx;
    uint64_t now, order;
    bool stop;
    struct fake_due due[FAKE_MAX];
    unsigned count;
    struct {
        uint64_t at;
        unsigned gpu;
        enum sim_model model;
        struct msg_cp_cmd cmd;
    } log[FAKE_MAX];
    unsigned logged;
    uint64_t instructions;
    struct pmem *memory;
    struct {
        uint64_t asked, answered; /* cycles; not answered yet: 0 */
        struct msg_mem_req req;
        bool early;                /* it may overtake those asked for before it */
    } access[FAKE_MAX];            /* the last ones, by their number modulo FAKE_MAX */
    unsigned accesses, open, most; /* so far; under way, and the most of them at once */
    struct goals *goals;
    const struct sim_watch *watch;
    enum sim_model model;
    unsigned switches;
    enum gantry_status saving; /* what becomes of a checkpoint */
    uint64_t saved_at;         /* cycle of the last one */
};

/* The test's: cycles that a launch takes (0: never ends); may change *evt, e.g. into a fault. */
static uint64_t (*fake_launch)(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd, struct msg_cp_evt *evt);
static uint64_t fake_latency = 100, fake_cache_cycles = 50;
static uint64_t fake_memory[FAKE_GPUS + 1] = {100, 150, 150, 150, 150, 150, 150, 150, 150}; /* one way, by owner */
static uint64_t fake_fault_at;                 /* physical address of a line that faults; 0: none */
static enum sim_result fake_end = SIM_STOPPED; /* of a run in which nothing more can happen, or that comes to its end */
static unsigned fake_stills;         /* runs while no client could have changed memory: a recording need not look */
static uint8_t fake_control_status;  /* what a component answers to signals */
static uint8_t fake_cache_status;    /* to maintenance sent from now on */
static uint64_t fake_control_cycles; /* and after how many cycles; 0: as caches */
static unsigned fake_wheres;         /* how often it was asked where wavefronts are */
static bool (*fake_start)(const struct sim_options *options); /* whether there is one; none: always */
static void (*fake_run)(struct sim *sim, uint64_t until);     /* before each run */
/* Whether the test answers a command itself; none: it never does. */
static bool (*fake_takes)(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd);

static void fake_add(struct sim *sim, struct fake_due due)
{
    assert(sim->count < FAKE_MAX);
    due.order = sim->order++;
    sim->due[sim->count++] = due;
}

struct sim *sim_new(const struct gantry_cfg *cfg, struct pmem *memory, const struct sim_options *options,
                    const struct sim_host_ops *ops, void *ctx)
{
    if (fake_start && !fake_start(options))
        return NULL;
    struct sim *sim = calloc(1, sizeof *sim);
    (void)cfg;
    sim->memory = memory;
    sim->goals = options ? options->goals : NULL;
    sim->watch = options ? options->watch : NULL;
    sim->ops = ops;
    sim->ctx = ctx;
    return sim;
}

unsigned sim_group(const struct sim *sim, unsigned gpu, const struct msg_cp_evt *evt, const struct msg_cp_cmd *launch,
                   uint32_t group[3])
{
    (void)sim, (void)gpu, (void)launch;
    group[0] = (uint32_t)evt->start;
    group[1] = group[2] = 0;
    return 5;
}

void sim_free(struct sim *sim)
{
    free(sim);
}
uint64_t sim_now(const struct sim *sim)
{
    return sim->now;
}
void sim_stop(struct sim *sim)
{
    sim->stop = true;
}
uint64_t sim_instructions(const struct sim *sim)
{
    return sim->instructions;
}

void sim_timer(struct sim *sim, uint64_t at, uint64_t cookie)
{
    assert(at >= sim->now);
    fake_add(sim, (struct fake_due){.at = at, .timer = true, .cookie = cookie});
}

void sim_cmd(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd)
{
    struct msg_cp_evt evt = {.id = cmd->id, .vmid = cmd->vmid};
    uint64_t cycles = fake_cache_cycles;
    assert(sim->logged < FAKE_MAX);
    if (sim->watch)
        sim->watch->command(sim->watch->ctx, gpu, cmd);
    sim->log[sim->logged].at = sim->now;
    sim->log[sim->logged].gpu = gpu;
    sim->log[sim->logged].model = sim->model;
    sim->log[sim->logged++].cmd = *cmd;
    if (fake_takes && fake_takes(sim, gpu, cmd))
        return;
    switch (cmd->kind) {
    case CP_LAUNCH:
        evt.kind = CP_EVT_LAUNCH_DONE;
        evt.instructions = 4;
        evt.data = (uint64_t)cmd->groups[0] * cmd->groups[1] * cmd->groups[2] * cmd->waves;
        cycles = fake_launch ? fake_launch(sim, gpu, cmd, &evt) : 1000;
        if (cycles == 0)
            return;
        evt.start = sim->now + fake_latency;
        evt.end = evt.start + cycles;
        sim->instructions += evt.instructions;
        break;
    case CP_CACHE:
        evt.kind = CP_EVT_CACHE_DONE;
        evt.status = fake_cache_status;
        break;
    case CP_XLAT:
        evt.kind = CP_EVT_XLAT_DONE;
        evt.status = fake_cache_status;
        break;
    case CP_VMID:
        evt.kind = CP_EVT_ROOT_REFUSED;
        evt.status = fake_cache_status;
        if (evt.status == CTL_OK)
            return;
        break;
    case CP_KILL:
        evt.kind = CP_EVT_KILL_DONE;
        break;
    case CP_TRAP:
        evt.kind = CP_EVT_TRAP_DONE;
        break;
    case CP_CONTROL:
        evt.kind = CP_EVT_CONTROL_DONE;
        evt.status = fake_control_status;
        evt.cu = CTL_GROUP_RDMA << 8;
        evt.wave = CTL_STATE_PAUSED;
        cycles = fake_control_cycles ? fake_control_cycles : fake_cache_cycles;
        break;
    default:
        return;
    }
    fake_add(sim, (struct fake_due){.at = sim->now + 2 * fake_latency + cycles, .gpu = gpu, .evt = evt});
}

void sim_access(struct sim *sim, const struct msg_mem_req *req, bool overlap, uint64_t cookie)
{
    unsigned owner = (unsigned)(req->addr >> PMEM_OWNER_SHIFT);
    assert(owner <= FAKE_GPUS && (req->op == MEM_ATOMIC || req->addr % 64 == 0));
    if (sim->watch)
        sim->watch->access(sim->watch->ctx, req);
    sim->access[sim->accesses % FAKE_MAX].asked = sim->now;
    sim->access[sim->accesses % FAKE_MAX].answered = 0;
    sim->access[sim->accesses % FAKE_MAX].req = *req;
    sim->access[sim->accesses % FAKE_MAX].early = overlap;
    if (++sim->open > sim->most)
        sim->most = sim->open;
    fake_add(sim, (struct fake_due){.at = sim->now + fake_memory[owner],
                                    .memory = true,
                                    .cookie = cookie,
                                    .gpu = sim->accesses++,
                                    .req = *req});
}

static void fake_serve(struct pmem *memory, const struct msg_mem_req *req, struct msg_mem_rsp *rsp)
{
    int error = fake_fault_at && req->addr - req->addr % 64 == fake_fault_at - fake_fault_at % 64;
    *rsp = (struct msg_mem_rsp){.op = req->op};
    if (!error && req->op == MEM_WRITE)
        error = pmem_write_masked(memory, req->addr, req->data, req->mask);
    else if (!error && req->op == MEM_ATOMIC)
        error = pmem_atomic(memory, req->addr, req->atomic, req->size, req->data[0], req->data[1], &rsp->data[0]);
    else if (!error)
        error = pmem_read(memory, req->addr, rsp->data, 64);
    rsp->status = error ? MEM_FAULT_BUS : MEM_OK;
}

static void fake_memory_step(struct sim *sim, struct fake_due due)
{
    if (due.answered) {
        sim->open--;
        sim->access[due.gpu % FAKE_MAX].answered = sim->now;
        sim->ops->answer(sim->ctx, sim->now, due.cookie, &due.rsp);
        return;
    }
    fake_serve(sim->memory, &due.req, &due.rsp);
    due.answered = true;
    due.at = sim->now + fake_memory[due.req.addr >> PMEM_OWNER_SHIFT];
    fake_add(sim, due);
}

uint64_t sim_groups(const struct sim *sim, unsigned gpu)
{
    (void)sim, (void)gpu;
    return 0;
}

bool sim_quiet(const struct sim *sim)
{
    for (unsigned i = 0; i < sim->count; i++)
        if (!sim->due[i].timer)
            return false;
    return true;
}

static void fake_event(struct sim *sim, const struct fake_due *due)
{
    if (sim->watch)
        sim->watch->event(sim->watch->ctx, due->gpu, &due->evt);
    sim->ops->event(sim->ctx, due->gpu, sim->now, &due->evt);
}

enum sim_result sim_run(struct sim *sim, uint64_t until)
{
    sim->stop = false;
    if (fake_run)
        fake_run(sim, until);
    while (sim->count && !sim->stop) {
        unsigned first = 0;
        for (unsigned i = 1; i < sim->count; i++)
            if (sim->due[i].at < sim->due[first].at ||
                (sim->due[i].at == sim->due[first].at && sim->due[i].order < sim->due[first].order))
                first = i;
        struct fake_due due = sim->due[first];
        if (due.at > until) {
            sim->now = until;
            break;
        }
        memmove(&sim->due[first], &sim->due[first + 1], (sim->count - first - 1) * sizeof sim->due[0]);
        sim->count--;
        sim->now = due.at > sim->now ? due.at : sim->now;
        if (due.memory)
            fake_memory_step(sim, due);
        else if (due.timer)
            sim->ops->timer(sim->ctx, sim->now, due.cookie);
        else
            fake_event(sim, &due);
    }
    return fake_end;
}

/* Only a recording looks at it (tests/system/test_replay.py). */
bool sim_settled(const struct sim *sim)
{
    return sim_quiet(sim);
}

void sim_switch(struct sim *sim, enum sim_model model)
{
    sim->model = model;
    sim->now += 10;
    sim->switches++;
}

enum sim_model sim_model_now(const struct sim *sim)
{
    return sim->model;
}

void sim_kernel(struct sim *sim, uint64_t number)
{
    if (goals_kernel(sim->goals, number))
        sim_stop(sim);
}

void sim_checkpoint(struct sim *sim)
{
    if (!goals_due(sim->goals, sim->now))
        return;
    sim->saved_at = sim->now;
    goals_tried(sim->goals, sim->saving);
}

static enum gantry_status fake_lost; /* a worker process has ended */
enum gantry_status sim_lost(struct sim *sim)
{
    (void)sim;
    return fake_lost;
}

double sim_cpu_seconds(struct sim *sim)
{
    (void)sim;
    return 0;
}

void sim_still(struct sim *sim, bool still)
{
    (void)sim;
    fake_stills += still;
}

void sim_where(struct sim *sim)
{
    (void)sim;
    fake_wheres++;
}

void sim_counters(struct sim *sim, sim_counter_fn fn, void *arg)
{
    (void)sim, (void)fn, (void)arg;
}

uint64_t sim_write_hash(const struct sim *sim)
{
    (void)sim;
    return 0;
}
#endif
