/* SPDX-License-Identifier: Apache-2.0
 * Counters by kernel (key metrics.kernels): what every counter of the machine has gained between the sending of a
 * launch and the end of its kernel, which is LAUNCH_DONE at the host or, where the host answers that with cache
 * maintenance of the same packet, the end of that.
 * Time is cut at launches and ends.  What a counter of GPU g gains in a piece belongs to the kernel that is at g; where
 * none is, to the one that is at any GPU (its far accesses); where several are, to all of them, as shared; where none
 * is at all, to no kernel.  So pieces of one counter, shared ones taken once, add up to its value.
 * Responsible for: which kernels there are, pieces, sums.  Not responsible for: reading counters without a trace
 * (bridge/verilated/rtl_part.c), what a kernel is called (firmware/cp.h, whose rows have the same GPU and start).
 */
#ifndef GANTRY_MACHINE_KERNEL_COUNTERS_H
#define GANTRY_MACHINE_KERNEL_COUNTERS_H
#include <stdbool.h>
#include <stdint.h>

#include "gantry_msg.h"
#include "machine/sim.h"

struct kernel_counters;

struct kernel_counters *kernel_counters_new(struct sim *sim);
void kernel_counters_free(struct kernel_counters *k);
/* The machine was restored: what was counted before belongs to no kernel, launches under way are known. */
void kernel_counters_restored(struct kernel_counters *k);
/* The host is about to send a command, to be told of an event, has been told of it. */
void kernel_counters_command(struct kernel_counters *k, unsigned gpu, const struct msg_cp_cmd *cmd);
void kernel_counters_event(struct kernel_counters *k, unsigned gpu, const struct msg_cp_evt *evt);
void kernel_counters_settle(struct kernel_counters *k);
/* sim_kernel_counters. */
void kernel_counters_tell(struct kernel_counters *k, sim_kernel_counter_fn fn, void *arg);
#endif
