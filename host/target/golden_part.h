/* SPDX-License-Identifier: Apache-2.0
 * The golden model as a partition: takes cp_cmd on input 0 and gives their places back at once, raises
 * cp_evt, in place of all RTL partitions of a GPU.  Responsible for: slices of execution as events in time, so that
 * waves that spin on memory hold up nobody. Not responsible for: execution (host/golden).  It has no timing: a slice of
 * instructions passes GOLDEN_SLICE_CYCLES of the clock that orders events, whatever it executes.
 */
#ifndef GANTRY_GOLDEN_PART_H
#define GANTRY_GOLDEN_PART_H
#include "bridge/part/part.h"

#define GOLDEN_SLICE 262144u
#define GOLDEN_SLICE_CYCLES 4096u
/* Events under way: a slice begins with at most GOLDEN_SLICE, an instruction raises one at most, and a slice ends with
 * the round of wavefronts in which it has used itself up. */
#define GOLDEN_EVENT_DEPTH (4 * GOLDEN_SLICE)

enum golden_out { GOLDEN_EVENTS, GOLDEN_CREDITS, GOLDEN_OUTS }; /* outputs */
#define GOLDEN_INS 1

struct gantry_cfg;
struct pmem;
struct team;
struct touched;

/* team: host threads that share out work-groups, `threads` of them; NULL: the caller's only.  Borrowed.  slice:
 * sim_options.golden_slice. */
struct part *golden_part_new(struct pmem *memory, unsigned gpu, const struct gantry_cfg *cfg, struct team *team,
                             unsigned threads, uint32_t slice);
void golden_part_touch(struct part *part, struct touched *const *vram); /* golden_touch */
uint64_t golden_part_instructions(const struct part *part);
uint64_t golden_part_groups(const struct part *part);  /* work-groups that have ended */
uint64_t golden_part_written(const struct part *part); /* golden_written */
/* Slices that ended with work left, since the start: how long waves have been running without an event. */
uint64_t golden_part_slices(const struct part *part);
#endif
