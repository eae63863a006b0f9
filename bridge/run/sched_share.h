/* SPDX-License-Identifier: Apache-2.0
 * The state of a machine in several processes: each gives its share as bytes, and one of them makes of all shares the
 * bytes that sched_save writes of the same machine in one process.  Taken where the host acts (advance.h): all have run
 * the windows before its cycle, none has run that one; all that was sent is shown (sched_flush) and taken (sched_take).
 * Not responsible for: how shares get there (the owner), what stands outside of partitions and channels.
 */
#ifndef GANTRY_SCHED_SHARE_H
#define GANTRY_SCHED_SHARE_H
#include "bridge/run/sched.h"
#include "saved/state_io.h"

/* What this process has: of a cut channel its half.  Which partitions and channels, by their numbers in the whole
 * machine, is part of it. */
void sched_share(struct sched *s, struct state_writer *to);

/* Shares of all processes, of this one too, `count` of them, each in its buffer from what is not taken on: read up to
 * the end of the share.  They stay where they are until sched_shares_free.  NULL, *why (a text): they are not those of
 * one machine like `s` that rests at the cycle of `s`. */
struct sched_shares;
struct sched_shares *sched_shares_read(const struct sched *s, struct state_buffer *shares, uint32_t count,
                                       char why[240]);
/* The bytes of sched_save. */
void sched_shares_save(struct sched_shares *shares, struct state_writer *to);
void sched_shares_free(struct sched_shares *shares); /* NULL: nothing */

/* sched_save.c: first cycle of the last window with a visit.  Groups are numbered in each process by itself: all take
 * the latest. */
uint64_t sched_visited(const struct sched *s);
#endif
