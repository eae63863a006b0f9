/* SPDX-License-Identifier: Apache-2.0
 * The whole machine in a file and back: configuration, graph and model keys (a machine that differs in one is refused,
 * with what differs), partitions, messages under way, the host's side, memory; and what the user of the machine keeps
 * beside it.  Saved outside of sim_run only, at any cycle.  A restored machine goes on to the same cycles, hashes and
 * counters as the one that was saved, under any number of host threads, wherever its GPUs run (place.h), as often as
 * one likes.
 * Not saved, and refused with a reason: golden GPUs, lock step, memory of client processes that GPUs reach.
 * Not responsible for: the file (checkpoint_file.h).
 */
#ifndef GANTRY_CHECKPOINT_H
#define GANTRY_CHECKPOINT_H
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "saved/state.h"

struct sim;

/* What its user saves with it; may be NULL.  restore is called last, and false is as in state.h. */
struct sim_beside {
    void (*save)(void *ctx, struct state_writer *to);
    bool (*restore)(void *ctx, struct state_reader *from);
    void *ctx;
    bool memory; /* it saves the contents of memories, too, as far as the target needs them: the machine does not */
};

/* Failures: one line on stderr and its class: STATUS_USAGE for what cannot be saved; STATUS_IO, the disk is full for
 * example, with nothing left of the file. */
enum gantry_status sim_save(struct sim *sim, const char *file, const struct sim_beside *beside);
/* Into a machine that sim_new has made of the same configuration.  STATUS_MISSING, STATUS_IO; STATUS_DATA for a file
 * that is damaged or another machine's.  After a failure the machine can only be freed. */
enum gantry_status sim_restore(struct sim *sim, const char *file, const struct sim_beside *beside);
/* In a worker process, for process 0 (place.h), which has restored its own: GPUs of this process, and what is to be
 * known of the host.  beside: the state is one whose memories were saved beside the machine.  Failures as in
 * sim_restore. */
enum gantry_status sim_restore_here(struct sim *sim, const char *file, bool beside);
/* In a worker process: STATUS_USAGE after one line when one of its partitions cannot be saved. */
enum gantry_status sim_savable_here(struct sim *sim);
/* XXH64 over the state of the target: partitions, messages, host's side, memory.  Of a machine in one process. */
uint64_t sim_state_hash(struct sim *sim);
#endif
