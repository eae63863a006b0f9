/* SPDX-License-Identifier: Apache-2.0
 * Two models of the same GPUs in one machine, of which one has its turn (sim.h): the golden GPUs stand beside the RTL
 * with a scheduler of their own, on the same memory.  Time goes on from one to the other.
 * What goes over: time, the host's timers, address spaces and trap handlers.  What does not, and need not where nothing
 * is under way: registers and LDS, which a launch defines; caches and TLBs, which are dropped when an RTL L2 has
 * written back what it held.  It can be filled again with what it would have held (warm_caches.h).
 */
#include "gantry_msg.h"
#include "machine/sim_private.h"
#include "machine/warm_caches.h"

#define TOLD 0xffu          /* id of commands of a switch */
#define RESET_CYCLES 64u    /* in steps of so many what follows a reset ends */
#define SWITCH_CYCLES 4096u /* and what a switch sends is answered */

/* Run until nothing is under way; then it is a multiple of `step` cycles later: where a machine falls idle depends on
 * the windows that it runs at a stretch, and no cycle of a run may. */
static bool settle(struct sim *sim, uint64_t step)
{
    struct sim *turn = sim->turn;
    uint64_t end = turn->now;
    do
        end += step;
    while (sim_run(sim, end) == SIM_STOPPED && !sim_settled(sim));
    if (!sim_settled(sim))
        return false; /* --max-cycles: the run is over */
    turn->now = end;
    turn->sched.now = end - end % PART_WINDOW;
    return true;
}

enum sim_model sim_model_now(const struct sim *sim)
{
    return sim->turn->options.model;
}

bool sim_settled(const struct sim *sim)
{
    sim = sim->turn;
    for (unsigned g = 0; g < sim->gpu_count; g++)
        if (sim->gpus[g].pending_count)
            return false;
    return port_waiting(sim) == 0 && sched_quiet(&sim->sched);
}

/* A GPU of the model whose turn begins. */
struct told {
    struct sim *sim;
    unsigned gpu;
};

static void command_tell(void *ctx, const struct msg_cp_cmd *cmd)
{
    const struct told *t = ctx;
    struct msg_cp_cmd copy = *cmd;
    copy.id = TOLD;
    sim_cmd(t->sim, t->gpu, &copy);
}

/* What the GPU knows from its last turn and does not hold any more; golden GPUs forget translations with it. */
static void spaces_close(struct sim_gpu *known, const struct sim_gpu *now, struct told *told)
{
    for (unsigned vmid = 0; vmid < 256; vmid++) {
        const struct msg_cp_cmd root = {.kind = CP_VMID, .vmid = (uint8_t)vmid},
                                trap = {.kind = CP_TRAP, .vmid = (uint8_t)vmid};
        if (known->roots[vmid] && !now->roots[vmid])
            command_tell(told, &root);
        if (known->traps[vmid].handler && !now->traps[vmid].handler)
            command_tell(told, &trap);
    }
}

static void gpu_tell(struct sim *to, const struct sim *from, unsigned gpu)
{
    struct told told = {to, gpu};
    const struct msg_cp_cmd drop = {.kind = CP_CACHE,
                                    .vmid = UINT8_MAX, /* all */
                                    .flags = CACHE_INV_L1V | CACHE_INV_L1K | CACHE_INV_L1I | CACHE_WB_L2 |
                                             CACHE_INV_L2 | CACHE_INV_TLB};
    spaces_close(&to->gpus[gpu], &from->gpus[gpu], &told);
    spaces_tell(&from->gpus[gpu], command_tell, &told);
    command_tell(&told, &drop);
}

static void timers_move(struct sim *to, struct sim *from)
{
    while (from->timers.count) {
        const struct heap_item timer = heap_pop(&from->timers);
        sim_timer(to, timer.cycle, timer.value);
    }
}

/* What the L2s of the RTL hold back, behind packets of agent scope, goes to memory.  False: the run is over. */
static bool written_back(struct sim *sim)
{
    static const struct msg_cp_cmd write_back = {.kind = CP_CACHE, .flags = CACHE_WB_L2};
    const struct heap timers = sim->timers; /* one that becomes due meanwhile fires behind the switch */
    sim->timers = (struct heap){.limit = timers.limit};
    sim->settling = true;
    for (unsigned g = 0; g < sim->gpu_count; g++)
        command_tell(&(struct told){sim, g}, &write_back);
    const bool settled = settle(sim, SWITCH_CYCLES);
    sim->settling = !settled;
    PART_CHECK(sim->timers.count == 0, NULL, sim->now, "a timer was set during a switch of models");
    heap_fini(&sim->timers);
    sim->timers = timers;
    return settled;
}

void sim_switch(struct sim *sim, enum sim_model model)
{
    struct sim *from = sim->turn, *to = model == SIM_GOLDEN ? sim->twin : sim;
    const bool fresh = from->now == 0;
    if (from == to || (fresh && !settle(sim, RESET_CYCLES)))
        return;
    PART_CHECK(!from->running && sim_settled(sim), NULL, from->now, "models switched while something is under way");
    if (from == sim && !fresh && !written_back(sim))
        return;
    to->now = from->now > from->sched.now ? from->now : from->sched.now;
    to->sched.now = to->now - to->now % PART_WINDOW;
    to->watch_cycle = to->sched.now;
    sim->turn = to;
    to->settling = true; /* what answers is for nobody */
    for (unsigned g = 0; g < sim->gpu_count; g++)
        gpu_tell(to, from, g);
    bool settled = settle(sim, SWITCH_CYCLES);
    if (settled && to == sim && sim->warm) { /* caches are empty now */
        warm_read(sim->warm, sim);
        settled = settle(sim, SWITCH_CYCLES);
    }
    to->settling = !settled; /* else the run ends here, and what still answers is for nobody, too */
    timers_move(to, from);
}
