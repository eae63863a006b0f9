/* SPDX-License-Identifier: Apache-2.0
 * GPUs that somebody else simulates: the machine has their links and memories, and hands over what arrives at the GPU;
 * what the GPU sends comes back by external_send.  The links are those of a whole GPU (system.rtl: whole;
 * rtl/gpu/gpu.sv, docs/contracts.md), with the same latencies, credits and bandwidth: a model that sends each message
 * in the cycle in which the RTL would has the cycles of the RTL.  The GPU's VRAM is memory of the machine, behind
 * dram_req, or behind hostmem_serve for whoever asks it without time. Time: the machine runs windows of PART_WINDOW
 * cycles.  Of a window `take` brings all that arrives in it, then `step` is called once; what the GPU sends in the
 * window may be sent from there, or any time before the machine runs the next window.  So a user with a clock of his
 * own runs the machine for one window (sim_run up to the next multiple of PART_WINDOW), runs his model through the same
 * window, sends what came out of it, and goes on. All calls come on the thread that runs the machine.  Responsible for:
 * ports, credits, order, checks.  Not responsible for: what the messages mean (bridge/proto/messages.def).
 */
#ifndef GANTRY_MACHINE_EXTERNAL_H
#define GANTRY_MACHINE_EXTERNAL_H
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct gantry_cfg;
struct model_api;
struct external_gpu;
struct sim;
struct sim_options;

/* Lanes: one of CMD and EVT, an L2 slice each of DRAM_REQ and DRAM_RSP; of the far ports 0 is the host's, k + 1 that of
 * GPU k.  Far requests and answers go both ways: those that arrive come by `take`, those of the GPU leave by
 * external_send. */
enum external_port {
    EXTERNAL_CMD,      /* arrives: struct msg_cp_cmd */
    EXTERNAL_EVT,      /* leaves: struct msg_cp_evt */
    EXTERNAL_DRAM_REQ, /* leaves: struct msg_dram_req */
    EXTERNAL_DRAM_RSP, /* arrives: struct msg_dram_rsp */
    EXTERNAL_FAR_REQ,  /* both: struct msg_mem_req */
    EXTERNAL_FAR_RSP,  /* both: struct msg_mem_rsp */
    EXTERNAL_PORTS
};

struct external {
    uint64_t gpus; /* bit k: GPU k */
    void *ctx;     /* borrowed, as the rest, for the life of the machine */
    /* The machine is there: sim is for external_send.  False after one line (why: *status) refuses it.  May be NULL. */
    bool (*begin)(void *ctx, struct sim *sim, const struct gantry_cfg *cfg, enum gantry_status *status);
    /* It goes away, or is refused.  May be NULL. */
    void (*end)(void *ctx);
    /* A message arrives at `cycle`; it is valid during the call.  NULL: a credit, only with `credits`. */
    void (*take)(void *ctx, unsigned gpu, enum external_port port, unsigned lane, uint64_t cycle, const void *message);
    /* Run cycles [from, from + PART_WINDOW).  True: idle, so that windows in which nothing arrives are left out until
     * something arrives or is sent.  May be NULL: never idle. */
    bool (*step)(void *ctx, unsigned gpu, uint64_t from);
    /* Wavefront instructions and work-groups that have ended so far, for the final line and progress.  May be NULL. */
    void (*shown)(void *ctx, unsigned gpu, uint64_t *instructions, uint64_t *groups);
    /* The model of that GPU, which the machine asks for its counters and where its wavefronts are; *instance: of it.
     * NULL or a NULL: nobody knows. */
    const struct model_api *(*model)(void *ctx, unsigned gpu, void **instance);
    /* The model has its queues' places itself: it sends a credit (message NULL) on CMD, FAR_REQ and FAR_RSP for each
     * message taken there, and takes those for its own requests and answers.  False: a place is free again at once. */
    bool credits;
};

/* What such a machine cannot do: STATUS_USAGE or STATUS_CONFIG after one line. */
enum gantry_status external_check(const struct gantry_cfg *cfg, const struct sim_options *options);
/* GPU `gpu` of the machine is such a one. */
bool external_has(const struct external *external, unsigned gpu);

/* The GPU sends `message` (NULL: a credit) on `port` in `cycle`: from a call of its own take or step, or while the
 * machine does not run; a GPU that is not idle also from calls of others.  The cycle is at most one window (over
 * dram_req: none, unless link.store is 16 or more) before what the machine runs next, and not below that of the message
 * before on this lane.  What has no credit waits here.  STATUS_USAGE after one line: there is no such GPU, port or
 * lane, or it is too late. */
enum gantry_status external_send(struct sim *sim, unsigned gpu, enum external_port port, unsigned lane, uint64_t cycle,
                                 const void *message);
/* From a call of `step` of another GPU: this one, which was idle, is asked again from the next window on, as something
 * may reach it that the machine does not know of. */
void external_wake(struct sim *sim, unsigned gpu);
/* First cycle that the machine has not run yet, a multiple of PART_WINDOW; sim_now may lie before it. */
uint64_t external_next(const struct sim *sim);
/* Bytes of a message of that port. */
uint32_t external_bytes(enum external_port port);

/* For rtl_gpu.c: the GPU behind the shape of a model; freed after the partitions. */
struct external_gpu *external_new(const struct external *external, const struct gantry_cfg *cfg, unsigned gpu);
void external_free(struct external_gpu *gpu);
const struct model_api *external_api(const struct external_gpu *gpu);
/* Put into its queue; `from`: first cycle that the machine has not run. */
enum gantry_status external_put(struct external_gpu *gpu, enum external_port port, unsigned lane, uint64_t cycle,
                                const void *message, uint64_t from);
#endif
