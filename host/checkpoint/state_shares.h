/* SPDX-License-Identifier: Apache-2.0
 * A saved state of a machine in several processes: what each of them has, and all of it together.  Not responsible for:
 * the rest of a state (checkpoint.h), the share of partitions and channels (bridge/run/sched_share.h).
 */
#ifndef GANTRY_MACHINE_SHARE_H
#define GANTRY_MACHINE_SHARE_H
#include <stdint.h>

#include "base/status.h"
#include "saved/state.h"

struct sim;

/* In each process, at rest: what it has. */
void share_put(struct sim *sim, struct state_writer *to);

/* In process 0 of a machine in several processes, outside of sim_run: asks all.  Behind it no worker is needed: one
 * that is lost then leaves a whole state.  Failures are told: STATUS_USAGE for what cannot be saved, the class of a
 * worker that is lost; *shares is NULL then. */
struct shares;
enum gantry_status shares_collect(struct sim *sim, const char *file, struct shares **shares);
/* Of all processes: sched_graph; figures_moved. */
uint64_t shares_graph(const struct shares *shares);
uint64_t shares_moved(const struct shares *shares);
/* What sched_save and rtl_groups_save would write in one process. */
void shares_sched_save(struct shares *shares, struct state_writer *to);
void shares_groups_save(struct shares *shares, struct state_writer *to);
void shares_free(struct shares *shares);
#endif
