/* SPDX-License-Identifier: Apache-2.0
 * A scheduler whose partners are partly elsewhere: channels whose other end is reached by a link (bridge/link/link.h),
 * and running as far as all links in have promised.  Any channel may be cut: the process with the sender exports it,
 * the one with the receiver imports it, neither has the other's partition, and stamps, order and results are those of
 * one process.
 *
 * A process at cycle `now` will send no message with a stamp below now + latency: that it promises on every link out
 * after each step and before it waits, with one word for all links to one process (bridge/link/bundle.h).  It runs a
 * window when every link in has promised more than the window, after taking what has come.  Idle time is skipped at
 * most to the horizon; when all processes are idle, to the first event of any (bridge/link/region_wait.h).
 *
 * Depth of a link: what may be inside counts from the send until the receiver's partition has taken it, so the bound of
 * the channel, or, where nothing but time bounds it, one message for each cycle by which the sender can be ahead of the
 * receiver: its latency, and what the receiver's promises let the sender run ahead (the latency of the way back, over
 * all processes on it).
 *
 * Responsible for: cut channels, horizons, promises.  Not responsible for: steps and waiting (advance.h), who runs
 * where, making regions and processes (the owner).
 */
#ifndef GANTRY_RUN_LINKS_H
#define GANTRY_RUN_LINKS_H
#include <stdbool.h>
#include <stdint.h>

#include "bridge/link/link.h"
#include "bridge/link/region.h"
#include "bridge/run/sched.h"

/* The other end of a cut channel: partition and its output or input number, as the process there calls them. */
struct far_end {
    const char *part;
    uint32_t slot;
};
struct carrier {
    const struct transport *transport;
    void *place; /* of the transport, e.g. the struct region */
};

/* Output `slot` of `from` leaves to `to`; before sched_start.  The wire is the scheduler's; the link is named by both
 * ends (link_name).  NULL after one line when the transport has no such link. */
struct wire *sched_export(struct sched *s, struct part *from, uint32_t slot, struct far_end to, uint32_t bytes,
                          uint32_t latency, uint32_t depth, struct carrier carrier);
/* Input `slot` of `to` comes from `from`. */
struct wire *sched_import(struct sched *s, struct far_end from, struct part *to, uint32_t slot, uint32_t bytes,
                          uint32_t latency, uint32_t depth, struct carrier carrier);
/* A copy of all that comes to `to` over this wire, within this scheduler or by a link in, with its stamps, goes to a
 * link that ends nowhere (recording).  False after one line. */
bool sched_tap(struct sched *s, struct wire *wire, const char *name, struct carrier carrier);
/* Waits in this region from now on (sched_advance); borrowed.  After s->act is set.  All its links that enter or leave
 * this process are open in this scheduler. */
void sched_join(struct sched *s, struct region *region);

/* For owners with a loop of their own; sched_advance does all of it.
 * Takes what has come on all links in; returns and keeps (s->horizon) the first cycle that may not be run yet. */
uint64_t sched_take(struct sched *s);
/* Promises on all links out what follows from `now`, and frees what was taken of links in; after steps, after messages
 * sent or taken from outside a visit. */
void sched_promise(struct sched *s);
/* What was sent from outside a visit is shown to the others, without a promise: before they are asked what they have.
 */
void sched_flush(struct sched *s);
/* An import holds messages, or counts of them, that the next promise has to look at. */
void sched_keep(struct sched *s, struct wire *w);
/* First cycle at which the owner may act (s->act), as far as is known; nobody is let beyond its window. */
uint64_t sched_hold(const struct sched *s);
/* All processes have run the windows before `cycle`, as the links in say. */
bool sched_rested(const struct sched *s, uint64_t cycle);
/* From a visit of [from, from + PART_WINDOW): waits until all other processes have run their visits before this one
 * that ask so, too, in the order of windows, then of numbers of partitions; the rest of this visit belongs to it.  For
 * partitions that share memory beside their channels.  All processes have s->ordered set.  It promises, so nobody may
 * send meanwhile: for schedulers with one thread.  False: one of them is lost (the next step tells), or is stopped and
 * nobody wants this run any more (s->stop is set; from then on at once: s->given_up). */
bool sched_in_turn(const struct part *part, uint64_t from);
/* Publishes that nothing here runs before the next event or what may still come. */
void sched_pass_turn(const struct sched *s);
/* Links in (import_count), each with its newest horizon (link->promised), for peers_look. */
void sched_links_in(const struct sched *s, struct link **in);
/* First cycle at which this process may send a message, as promised: never above `now`. */
uint64_t sched_sends_from(const struct sched *s);
#endif
