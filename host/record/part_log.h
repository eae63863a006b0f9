/* SPDX-License-Identifier: Apache-2.0
 * Messages of a partition, kept and given back.  Both stand around the partition's own visit and leave everything else
 * as it is; without them a partition costs what it did.
 */
#ifndef GANTRY_PART_LOG_H
#define GANTRY_PART_LOG_H
#include <stdbool.h>
#include <stdint.h>

#include "bridge/part/part.h"

struct journal;
struct journal_reader;
struct sched;

/* What stands around a partition's own operations: the first member of both kinds. */
struct part_shell {
    struct part_ops ops;
    const struct part_ops *inner; /* what it stands around: the partition's own, or those of another shell */
};
/* Around what is there: its operations but `visit`. */
void part_shell_put(struct part_shell *shell, struct part *part, void (*visit)(struct part *part, uint64_t from));
/* From wherever it stands. */
void part_shell_remove(struct part_shell *shell, struct part *part);

/* Which inputs: four ranges of their numbers. */
struct part_slots {
    uint32_t first[4], count[4];
};
bool part_slots_have(const struct part_slots *slots, uint32_t slot);
/* Every input of the partition. */
struct part_slots part_slots_all(const struct part *part);
/* Inputs of `rdma` that come from other GPUs: far ports above 0 (the host). */
struct part_slots part_slots_far(const struct part *rdma);

/* Keep what comes in on `slots` in stream `in` from now on; out: stream of what leaves it, or 0: nothing is kept of
 * that. The result is the part's own until part_log_free, after the last visit. */
struct part_log;
struct part_log *part_log_new(struct part *part, struct part_slots slots, struct journal *journal, unsigned in,
                              unsigned out);
void part_log_free(struct part_log *log);

/* Give `part` the messages of stream `in` at their cycles, as if they had come over channels.  After sched_start. */
struct part_feed;
struct part_feed *part_feed_new(struct part *part, struct journal_reader *reader, unsigned in);
/* Messages given so far. */
uint64_t part_feed_count(const struct part_feed *feed);
void part_feed_free(struct part_feed *feed);
#endif
