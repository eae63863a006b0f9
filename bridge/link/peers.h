/* SPDX-License-Identifier: Apache-2.0
 * The other processes of a region: whether they say the same, are alive, are stopped.  One line on stderr with link,
 * cycle and process, from whichever process sees it first.
 * Responsible for: looking and telling.  Not responsible for: what the run does then, ending processes (the owner).
 */
#ifndef GANTRY_PEERS_H
#define GANTRY_PEERS_H
#include <stdbool.h>
#include <stdint.h>

#include "bridge/link/region.h"

#define PEERS_LOOK_NS UINT64_C(100000000)      /* between two looks: an end is seen in twice that */
#define PEERS_PATIENCE_NS UINT64_C(3000000000) /* the run stands still for that long: is one of them stopped? */

enum peers { PEERS_WELL, PEERS_LEFT, PEERS_LOST };

/* A file descriptor that becomes readable when the process ends (pidfd_open, clone), borrowed; from now on that is
 * looked at.  Without one the process that joined is looked for by its number. */
void peers_watch(struct region *region, uint32_t process, int pidfd);
/* All have joined and say the same as this one.  False after one line: a hello differs (which one is named), a process
 * ended, or not all have come within `seconds`.  Blocks. */
bool peers_greet(struct region *region, unsigned seconds);
/* The same for who has an owner: `unwanted` is asked each PEERS_LOOK_NS, and true ends it without a line. */
bool peers_greet_wanted(struct region *region, unsigned seconds, bool (*unwanted)(void *ctx), void *ctx);
/* in: open links at whose ends this process waits, to name one.  still: the run stands still here; then it is also
 * asked whether one is stopped.  LEFT: one has left in order.  LOST: one ended otherwise, or refused this run. */
enum peers peers_look(struct region *region, struct link *const *in, uint32_t count, bool still);
/* The last look is PEERS_LOOK_NS ago: after every step, so that an end is seen without waiting too. */
bool peers_due(const struct region *region);
/* This process gives up, and has said why. */
void peers_give_up(struct region *region);
/* Target cycle of this process, for the lines of the others. */
void peers_beat(struct region *region, uint64_t cycle);
/* A process is stopped (SIGSTOP, a debugger); no such process: false. */
bool peers_is_stopped(int32_t pid);
/* First of the others that has joined, not left, and is stopped now, *pid its number; REGION_NONE: none. */
uint32_t peers_stopped(const struct region *region, int32_t *pid);
uint64_t peers_clock(void); /* ns, monotonic */
#endif
