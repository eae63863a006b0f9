/* SPDX-License-Identifier: Apache-2.0
 * The state of a machine of partitions and channels: time, messages under way, partitions, calendar.  Saved where no
 * window runs: outside of sched_run (and of callbacks of whoever calls it).  It says nothing of host threads: what was
 * saved under one number of them goes on under any other.
 * Not responsible for: what stands outside of the partitions (host/machine), files.
 */
#ifndef GANTRY_SCHED_SAVE_H
#define GANTRY_SCHED_SAVE_H
#include "bridge/run/sched.h"
#include "saved/state.h"

/* XXH64 over the graph: partitions with their names and ports, channels with their ends, widths, latencies, depths and
 * bandwidths.  Equal for machines that can take each other's state; of a machine in several processes the sum over
 * them. */
uint64_t sched_graph(const struct sched *s);
/* The first partition that cannot be saved, *why: the reason; NULL: all can. */
const struct part *sched_unsavable(const struct sched *s, const char **why);
void sched_save(struct sched *s, struct state_writer *to);
/* Into a started machine of the same graph, whatever it has done so far; with links one in which nothing has happened,
 * and each process takes its own out of the same bytes before any goes on: partitions, their wake-ups, messages under
 * way where the receiver of a cut channel is, what decides the next stamps where its sender is.  False: the bytes end
 * or are not of such a machine; it can then only be freed. */
bool sched_restore(struct sched *s, struct state_reader *from);
/* XXH64 over time, messages, states of partitions and calendar: not over visits, which are no state of the target. */
uint64_t sched_state_hash(struct sched *s);
#endif
