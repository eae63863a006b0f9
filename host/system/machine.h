/* SPDX-License-Identifier: Apache-2.0
 * The whole machine on the host side: physical memory, the simulator behind it, one command processor a GPU, and the
 * timers that they share.  Used by `gantry run` (run.h) and `gantry kernel` (local.h).  Not responsible for: clients.
 */
#ifndef GANTRY_MACHINE_H
#define GANTRY_MACHINE_H
#include <stdbool.h>
#include <stdint.h>

#include "firmware/cp.h"
#include "machine/sim.h"

struct gantry_cfg;
struct machine;
struct pmem;

/* Memory exists at once, the simulator only after machine_start; *user is copied.  NULL with a line on stderr. */
struct machine *machine_new(const struct gantry_cfg *cfg, const struct sim_options *options,
                            const struct cp_host *user);
void machine_delete(struct machine *m);

/* 0, or -1 with a line on stderr, or without one when options.unwanted has said so.  Later calls do nothing. */
int machine_start(struct machine *m);
bool machine_started(const struct machine *m);

const struct gantry_cfg *machine_cfg(const struct machine *m);
unsigned machine_gpus(const struct machine *m);
unsigned machine_cus(const struct machine *m); /* of one GPU */
struct pmem *machine_memory(struct machine *m);
struct sim *machine_sim(struct machine *m);             /* NULL before machine_start */
struct cp *machine_cp(struct machine *m, unsigned gpu); /* NULL before machine_start */
uint64_t machine_now(const struct machine *m);          /* 0 before machine_start */
void machine_timer(struct machine *m, uint64_t at);     /* machine_run returns then */

/* A request of the user's own to a memory (sim_access), after machine_start.  Its answer comes by the function of
 * machine_answer_to, in the order of requests to one memory; `what` is 56 bits that come back with it. */
typedef void (*machine_answer_fn)(void *ctx, uint64_t what, const struct msg_mem_rsp *rsp);
void machine_answer_to(struct machine *m, machine_answer_fn fn, void *ctx);
void machine_access(struct machine *m, const struct msg_mem_req *req, uint64_t what);
/* From a callback: what a client waits for is there, so machine_run returns at this cycle, with MACHINE_UNTIL if
 * nothing else has happened. */
void machine_halt(struct machine *m);
/* Pages are moving, until it is called again: no kernel starts on a golden GPU, and the model is not changed. */
void machine_moving(struct machine *m, bool on);
/* Changes of page tables are messages to the GPUs, as after machine_start; or (false) done at once: only while nothing
 * runs. */
void machine_tables_sent(struct machine *m, bool sent);
/* Phases of page migration (phases.h): `wake` when a kernel starts, `timer` at the cycles of machine_phase_at; `fault`
 * at those of machine_fault_at.  wake and timer, or fault, may be NULL. */
struct machine_phases {
    void *ctx;
    void (*wake)(void *ctx);
    void (*timer)(void *ctx);
    void (*fault)(void *ctx);
};
void machine_phases_to(struct machine *m, const struct machine_phases *phases);
void machine_phase_at(struct machine *m, uint64_t at);
void machine_fault_at(struct machine *m, uint64_t at);
/* All kernels of this run are on RTL GPUs, which can withhold translations. */
bool machine_withholds(const struct machine *m);
/* `fn` is called at the cycles of machine_alarm: for moves of a fixed time (host/migrate). */
void machine_alarm_to(struct machine *m, void (*fn)(void *ctx), void *ctx);
void machine_alarm(struct machine *m, uint64_t at);
/* Some packet is started and not completed, a doorbell is on its way or memory has not answered. */
bool machine_working(const struct machine *m);
/* From a callback: a client may see something new, so machine_run returns at this cycle with MACHINE_VISIBLE. */
void machine_visible(struct machine *m);

/* Run until memory that a client may watch has changed, an event is raised or a user timer fires, until target cycle
 * `until`, or until nothing can happen.
 * MACHINE_UNTIL may also come earlier, so that the caller can look around (model golden, whose work takes no cycles).
 */
enum machine_result {
    MACHINE_VISIBLE,
    MACHINE_UNTIL,
    MACHINE_IDLE,
    MACHINE_MAX_CYCLES,
    MACHINE_EXIT_AFTER, /* options.goals: the run ends here, and never goes on */
    MACHINE_NO_PROGRESS,
    MACHINE_LOST
};
enum machine_result machine_run(struct machine *m, uint64_t until);
bool machine_lost(struct machine *m); /* a worker process has ended (sim_lost) */
void machine_poll(struct machine *m); /* a client may have changed memory: waiting queues look again (cp_poll) */
void machine_progress(struct machine *m, struct cp_progress *progress); /* all GPUs */
void machine_unfinished(struct machine *m); /* at the end: user.cp.kernel for every kernel that has not ended */
bool machine_busy(const struct machine *m);
/* A command processor has work, or a client has changed what one of its queues waits for. Only while the clock stands.
 */
bool machine_pending(const struct machine *m);
/* While no command processor has work of its own: what is still on its way, page tables and credits for instance,
 * arrives. It ends soon. */
void machine_settle(struct machine *m);
#endif
