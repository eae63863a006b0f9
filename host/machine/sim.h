/* SPDX-License-Identifier: Apache-2.0
 * The simulated machine as the host model sees it: N GPUs (RTL partitions or the golden model behind the same
 * channels), one target clock, command and event channels, timers.  Not responsible for: queues, packets, page
 * tables (host/).  Callers use one thread, and callbacks come on it; nothing here blocks.  All times are target cycles
 * (1 cycle = 1 ns at 1 GHz). See docs/contracts.md, "The scheduler".
 */
#ifndef GANTRY_SIM_H
#define GANTRY_SIM_H
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "gantry_msg.h"

struct external;
struct gantry_cfg;
struct goals;
struct pmem;
struct record;
struct sim;

enum sim_model { SIM_RTL, SIM_GOLDEN };

/* What the host model supplies.  Every callback runs at its exact target cycle `now`, in the order
 * (cycle, GPU, sequence); of one cycle events come first, then answers of memories, then timers.  It may call sim_cmd,
 * sim_access, sim_timer and sim_stop.  `ctx` is borrowed. */
struct sim_host_ops {
    void (*event)(void *ctx, unsigned gpu, uint64_t now, const struct msg_cp_evt *evt);
    void (*timer)(void *ctx, uint64_t now, uint64_t cookie);
    /* To a sim_access with that cookie; may be NULL when there are none.  op, status and data are those of the answer:
     * MEM_OK, or MEM_FAULT_BUS with nothing done; gpu: whose VRAM it is, UINT8_MAX: host memory. */
    void (*answer)(void *ctx, uint64_t now, uint64_t cookie, const struct msg_mem_rsp *rsp);
};

/* Who looks at the border of the host: each command and memory request when it is sent, each event before the host has
 * it, at the cycle sim_now.  It changes nothing. */
struct sim_watch {
    void *ctx;
    void (*command)(void *ctx, unsigned gpu, const struct msg_cp_cmd *cmd);
    void (*access)(void *ctx, const struct msg_mem_req *req);
    void (*event)(void *ctx, unsigned gpu, const struct msg_cp_evt *evt);
};

struct sim_options {
    enum sim_model model;
    const struct sim_watch *watch; /* borrowed; NULL: nobody */
    bool both;                     /* with SIM_RTL, without record: golden GPUs beside it, for sim_switch */
    bool lockstep;       /* compare every retired instruction with the golden model; first difference: CHECK exit 70 */
    uint64_t max_cycles; /* 0: none */
    uint64_t seed;
    const char *wave;     /* SCOPE[@FROM:TO] or NULL */
    const char *wave_dir; /* folder of the .fst files */
    /* Of the host; 0 or 1: only the caller's.  No result depends on it, but with SIM_GOLDEN those of work-groups that
     * depend on each other (docs/reference/cli.md); ignored with lockstep and wave. */
    unsigned threads;
    /* Instructions that a golden GPU executes before it looks at its commands again, and a wavefront of it before the
     * next one's turn (up to 20,000); 0, and what is more: GOLDEN_SLICE.  Few: whatever never ends is soon ended. */
    uint32_t golden_slice;
    bool own_heap;         /* the process is there for this machine alone: its heap may be laid out for it */
    bool no_skip;          /* evaluate idle partitions too (for the test that skipping changes nothing) */
    struct record *record; /* record.h, borrowed: what to keep of the run; NULL: nothing.  With SIM_RTL only */
    bool record_later;     /* whoever makes the machine calls record_attach, before it runs */
    struct goals *goals;   /* goals.h, borrowed: for who runs the machine; NULL: none.  With SIM_RTL only */
    const struct external *external; /* external.h, borrowed: GPUs that somebody else simulates; NULL: none */
    unsigned only;                   /* k + 1: of all GPUs make GPU k alone; 0: all.  With SIM_RTL only */
    /* Does anybody still wait?  May be NULL.  Asked by sim_new while models are built, ten times a second: true gives
     * up; by sim_run after each slice of the golden model: true makes it return SIM_STOPPED early; and by all that
     * waits long for worker processes: when one of them is stopped, the run goes on without, as one that is lost. */
    bool (*unwanted)(void *arg);
    void *unwanted_arg;
    enum gantry_status *failure; /* the class of what made sim_new fail is left here; may be NULL */
};

enum sim_result {
    SIM_STOPPED, /* sim_stop was called, or nothing more can happen without the host (all idle, no timer) */
    SIM_MAX_CYCLES,
    SIM_LOST, /* a worker process has ended, or a board is lost (place.*): told in one line, sim_options.failure says of
               * which class */
    SIM_NO_PROGRESS, /* some partition waits for ever: the report was written to stderr */
};

/* cfg, memory and ops are borrowed for the life of the sim.  NULL with a diagnostic on stderr on error, without one
 * when unwanted. */
struct sim *sim_new(const struct gantry_cfg *cfg, struct pmem *memory, const struct sim_options *options,
                    const struct sim_host_ops *ops, void *ctx);
void sim_free(struct sim *sim);

/* Current target cycle: that of the running callback, else that at which sim_run stopped. */
uint64_t sim_now(const struct sim *sim);

/* Send a command to the dispatcher hub of `gpu`; it arrives after the host link's latency. */
void sim_cmd(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd);

/* Ask the memory that a physical address belongs to: op MEM_READ, MEM_READ_NC or MEM_WRITE (addr a multiple of 64; mask
 * and data as in a message) or MEM_ATOMIC (atomic, size, data); the other fields are ignored.  The answer, always one,
 * comes by ops->answer.  Never refused: what the memory has no place for waits at the host, in order.
 * Order, of requests to one memory (host memory, or the VRAM of one GPU): answers come in the order of requests; a
 * request takes effect after all earlier ones, but with `overlap` only after those to the same 64 bytes, so that many
 * can be under way.  Nothing is promised between different memories, or between a request and a sim_cmd: what a command
 * relies on must have been answered before the command is sent.  A write or atomic that is answered is performed: every
 * later access of a GPU to that memory finds it (what its L1 caches hold is the business of CP_CACHE). */
void sim_access(struct sim *sim, const struct msg_mem_req *req, bool overlap, uint64_t cookie);

/* Ask for timer(ctx, at, cookie); at >= sim_now.  Not cancellable: ignore a stale cookie. */
void sim_timer(struct sim *sim, uint64_t at, uint64_t cookie);

/* From a callback: make sim_run return at this cycle (RTL may have run a few cycles on; the host cannot tell). */
void sim_stop(struct sim *sim);

/* Run until sim_stop, or until `until` (UINT64_MAX: no limit), or until nothing can happen. */
enum sim_result sim_run(struct sim *sim, uint64_t until);

/* Tell on stderr where wavefronts are, once a run.  The machine must not run afterwards. */
void sim_where(struct sim *sim);

/* Work-group of the wavefront of a CP_EVT_FAULT or CP_EVT_HALT of `launch`, from the event's callback: bit d of the
 * result when group[d] is known.  One in whose dimension there are several is known when the kernel is told it. */
unsigned sim_group(const struct sim *sim, unsigned gpu, const struct msg_cp_evt *evt, const struct msg_cp_cmd *launch,
                   uint32_t group[3]);

/* Of the next sim_run: since the last one nobody but the machine has changed memory (false: or may have).  Never
 * needed: it saves a recording the search for changes. */
void sim_still(struct sim *sim, bool still);

/* With options.both: from now on this model has the GPUs (at first the RTL).  Only when sim_settled, outside of
 * sim_run. Takes some cycles, in which the model is told what the host has told the other one of address spaces and
 * trap handlers, and drops caches and TLBs.  Counters, hashes, instructions and work-groups are then those of both. */
void sim_switch(struct sim *sim, enum sim_model model);
enum sim_model sim_model_now(const struct sim *sim);
/* sim_quiet, and every command and memory request of the host has been answered. */
bool sim_settled(const struct sim *sim);
/* While the clock stands still: a worker process has ended that should not have, or a board; told in one line.
 * STATUS_OK: none. */
enum gantry_status sim_lost(struct sim *sim);

/* True when every partition is idle and no message is under way (timers do not count). */
bool sim_quiet(const struct sim *sim);

/* From a callback: the next kernel of the table has ended, the one of that number. A recording keeps that,
 * options.goals count it. */
void sim_kernel(struct sim *sim, uint64_t number);
/* Outside of sim_run: make the checkpoint that options.goals ask for, when it is due; with options.record. */
void sim_checkpoint(struct sim *sim);

/* Counters, hashes: walk all counters as (location "gpu0.cu3.valu", name, value, unit). */
typedef void (*sim_counter_fn)(void *arg, const char *location, const char *name, uint64_t value, const char *unit);
void sim_counters(struct sim *sim, sim_counter_fn fn, void *arg);
/* The run is over, sim_run is not called any more: counters of this process are read without a copy of the RTL. */
void sim_over(struct sim *sim);
/* With key metrics.kernels: the same by kernel, to be joined with the kernel table by GPU and start; only values above
 * 0. A value is of the kernel alone, or shared: of it and others that were under way with it, each of which has it.
 * outside: of no kernel, or shared by several and here once; so those with `outside` or without `shared` add up to
 * sim_counters.  Rows of one kernel stand together, in the order of sim_counters; nothing without the key. */
struct sim_kernel_counter {
    bool outside, shared;
    unsigned gpu;
    uint64_t start; /* as in the kernel table: first wavefront placed; of one that has not ended: launch */
    const char *location, *what, *unit;
    uint64_t value;
};
typedef void (*sim_kernel_counter_fn)(void *arg, const struct sim_kernel_counter *row);
void sim_kernel_counters(struct sim *sim, sim_kernel_counter_fn fn, void *arg);
/* Walk the model libraries of the RTL (none for golden GPUs): key in the cache, tools that built it. */
void sim_models(const struct sim *sim, void (*fn)(void *arg, const char *key, const char *tools), void *arg);
/* XXH64 over each memory's stream of GPU writes (address, bytes, order), memories in fixed order; of golden GPUs over
 * what each has stored (golden_written). */
uint64_t sim_write_hash(const struct sim *sim);
/* Work-groups of a GPU that have ended (or were killed) so far; for people: the RTL may be some cycles behind. */
uint64_t sim_groups(const struct sim *sim, unsigned gpu);
/* Walk the partitions on boards (key place.boards), those of each process together. */
struct sim_board {
    char part[40];       /* "gpu0.rdma" */
    char where[72];      /* "sim", "usb:SERIAL" */
    uint64_t exchanges;  /* windows in which it was asked to run */
    uint64_t bytes_sent; /* by the host, with frames and all that was sent again */
    uint64_t bytes_taken;
    uint64_t resent; /* frames */
    uint64_t cycles; /* that the target was clocked */
    double seconds;  /* of the host, in exchanges */
};
typedef void (*sim_board_fn)(void *arg, const struct sim_board *board);
void sim_boards(struct sim *sim, sim_board_fn fn, void *arg);
/* CPU time of worker processes so far, seconds. */
double sim_cpu_seconds(struct sim *sim);
/* Wavefront instructions executed so far, all GPUs. */
uint64_t sim_instructions(const struct sim *sim);
#endif
