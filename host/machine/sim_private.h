/* SPDX-License-Identifier: Apache-2.0
 * Inside of a simulated machine, shared by sim.c (host side, time), machine.c (assembly) and watchdog.c (report).
 * Not responsible for: anything outside this floor, which sees sim.h only.
 */
#ifndef GANTRY_SIM_PRIVATE_H
#define GANTRY_SIM_PRIVATE_H
#include "bridge/part/part.h"
#include "bridge/run/heap.h"
#include "bridge/run/sched.h"
#include "machine/commands.h"
#include "machine/port.h"
#include "machine/sim.h"

#define SIM_WATCH_CYCLES (UINT64_C(1) << 20) /* no message, no instruction for so long: no progress */
#define SIM_NOWHERE UINT32_MAX
#define SIM_WHERE 16         /* wavefronts in a report */
#define SIM_GOLDEN_SLICES 16 /* golden slices without an event before sim_run returns to its caller */

/* A command that waits for its event. */
struct sim_pending {
    uint8_t kind, vmid;
    uint16_t id;
    bool faulted; /* a launch with a stopped wavefront, and the host knows: it ends by CP_KILL only */
    bool interrupted, halted;
    bool withheld; /* a launch of a space of which the host has been told that translations are: it may wait for the
                      host */
};

/* Trap handler of an address space, and its memory; 0: none. */
struct sim_trap {
    uint64_t handler, memory;
};

/* What the machine holds for one GPU. */
struct sim_gpu {
    uint32_t process;      /* that runs it (sim.process) */
    struct part *golden;   /* golden model, or NULL */
    struct part *dispatch; /* takes cp_cmd: the dispatch partition, or the golden one */
    struct part *store;
    struct wire *requests, *answers; /* RTL: to host memory and from it; the host's own take the same links */
    struct sim_pending *pending;     /* in the order of sending */
    uint32_t pending_count;
    size_t pending_room;
    struct commands commands;
    uint64_t roots[256];    /* page table by VMID, 0: none */
    uint8_t withholds[256]; /* XLAT_WITHHOLD of it */
    struct sim_trap traps[256];
};

struct sim {
    const struct gantry_cfg *cfg;
    struct pmem *memory;
    struct sim_options options;
    const struct sim_host_ops *ops;
    void *ctx;
    struct sched sched;
    struct part *host; /* the host model: cp_evt of GPU g at input g, cp_cmd at output g; commands.c knows the credits,
                          port.c what lies behind them */
    struct part *hostmem; /* NULL with the golden model */
    struct sim_gpu *gpus;
    unsigned gpu_count;
    uint32_t self;               /* this process; SIM_NOWHERE: only the links are looked for */
    const uint32_t *process;     /* of each GPU, borrowed; NULL: all run here */
    struct place *place;         /* place.h; NULL: all run here */
    uint64_t rest_active;        /* placed.c: region_active when all rested last */
    const struct models *models; /* libraries that are loaded, borrowed; NULL: the machine loads them */
    struct port *port;           /* sim_access */
    struct heap timers;
    uint32_t commands_waiting; /* for a place in a hub, all GPUs */
    bool over;                 /* sim_over */
    uint64_t now;              /* of the host */
    bool stop, where_told;
    bool running;                     /* inside of sim_run: nothing can be saved */
    bool still;                       /* sim_still */
    uint64_t others;                  /* how often others may have changed memory: external_memory.h */
    uint64_t watch_sent, watch_cycle; /* watchdog: messages and instructions, cycle of the last look */
    struct sim *twin, *turn;          /* options.both: golden GPUs, else NULL; whose turn it is: this one or its twin */
    struct warm *warm;                /* options.both with roi.warm above 0, else NULL */
    bool settling;                    /* inside of sim_switch: nobody is told of events */
    struct rtl_machine *rtl;          /* NULL with the golden model */
    struct lockstep_tap *tap;         /* --lockstep, else NULL */
    struct rtl_groups *groups;        /* NULL with the golden model, and of whole GPUs */
    struct kernel_counters *kernels;  /* metrics.kernels, in process 0, else NULL */
    struct team *golden_team;         /* host threads of golden GPUs; NULL: one */
};

/* pending.c: a command is sent; an event has come for one (anything else is our own bug); some command waits for its
 * event, and not only because the host has not yet answered a fault. */
void pending_add(struct sim_gpu *g, const struct msg_cp_cmd *cmd);
void pending_account(struct sim_gpu *g, const struct msg_cp_evt *evt, uint64_t now);
bool pending_any(const struct sim *sim);
/* sim_state.c: the host's side as a saved state: its time, timers, commands, address spaces, watchdog; moved: of all
 * processes (figures_moved).  Restored, watch_sent is what had moved since the watchdog's last look: the caller knows
 * when all that is counted is there. */
void sim_host_save(const struct sim *sim, uint64_t moved, struct state_writer *to);
bool sim_host_restore(struct sim *sim, struct state_reader *from);
/* spaces.c: a command is sent; the commands by which a model that knows nothing of it learns the same. */
void spaces_note(struct sim_gpu *g, const struct msg_cp_cmd *cmd);
void spaces_tell(const struct sim_gpu *g, void (*tell)(void *ctx, const struct msg_cp_cmd *cmd), void *ctx);
/* The partition that stands for the host model, added to the scheduler; it runs in process 0. */
struct part *sim_host_part(struct sim *sim, unsigned gpus);
/* Build partitions and channels from sim->cfg.  False with a diagnostic on stderr. */
bool machine_build(struct sim *sim);
/* Calendar and host threads: it can run.  together: one thread, since somebody looks into many partitions at once, as
 * lock step and waves do; golden GPUs share out work-groups instead.  False with a diagnostic on stderr. */
bool machine_threads(struct sim *sim, bool together);
void machine_free(struct sim *sim);
/* All of what machine_build has made. */
void machine_scrap(struct sim *sim);
/* GPU `gpu` is there: all are, but with sim_options.only. */
static inline bool sim_has(const struct sim *sim, unsigned gpu)
{
    return sim->options.only == 0 || sim->options.only == gpu + 1;
}
/* It runs in another process (its partitions are there by name only). */
static inline bool sim_elsewhere(const struct sim *sim, unsigned gpu)
{
    return sim->gpus[gpu].process != sim->self;
}
/* The partition of that name, or NULL. */
struct part *sim_part(const struct sim *sim, const char *name);
/* host_events.c: cycle of the host's first event, answer of a memory, timer or command that gets its place, UINT64_MAX
 * without one, *gpu: that sent the event, else gpu_count; of these only those of the host's own; all of the window at
 * sched.now are served, not beyond `until`: true when sim_run ends with that (*end); how far the partitions may run for
 * `until`; nothing is ready and no timer set: an end, or a machine that waits for itself. */
uint64_t events_next(const struct sim *sim, unsigned *gpu);
uint64_t events_alarm(const struct sim *sim);
bool events_serve(struct sim *sim, uint64_t until, enum sim_result *end);
uint64_t events_limit(const struct sim *sim, uint64_t until);
enum sim_result run_dry(struct sim *sim);
/* placed.c: sim_run and sim_quiet of a machine in several processes; sched.act of process 0. */
enum sim_result placed_run(struct sim *sim, uint64_t until);
bool placed_quiet(struct sim *sim);
uint64_t placed_act(void *ctx);
bool placed_unwanted(void *ctx);
/* It has moved nothing for SIM_WATCH_CYCLES, and somebody waits: reported.  Looks once in so many cycles. */
bool watchdog_turning(struct sim *sim);
/* Where the wavefronts of a GPU of this process are. */
void watchdog_gpu(struct sim *sim, unsigned gpu, FILE *out);
/* Of this process. */
void watchdog_parts(struct sim *sim, FILE *out);
/* Who waits for whom, with cycles. */
void watchdog_report(struct sim *sim, FILE *out, const char *why);
/* Where the wavefronts of golden GPUs are; once a run. */
void watchdog_where(struct sim *sim, FILE *out);
/* One of the two where lines of this thread go (base/log.h); why NULL: watchdog_where. */
void watchdog_tell(struct sim *sim, const char *why);
/* All messages sent so far by partitions of this process. */
uint64_t watchdog_sent(const struct sim *sim);
#endif
