/* SPDX-License-Identifier: Apache-2.0
 * The golden model as a whole GPU: takes the same commands and raises the same events as rtl/dispatch, executes
 * functionally and has no clock but that of its instructions.  Work-groups run one after another, wavefronts of a group
 * round robin; with host threads work-groups run before their turn, and what they did is told in the same order. Not
 * responsible for: queues and packets (host/firmware), timing.
 */
#ifndef GANTRY_GOLDEN_H
#define GANTRY_GOLDEN_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "gantry_msg.h"

struct golden;
struct pmem;
struct gantry_cfg;
struct touched;

/* Called from golden_run, never from golden_cmd; may call golden_cmd. */
typedef void (*golden_event_fn)(void *ctx, const struct msg_cp_evt *evt);

struct golden *golden_new(struct pmem *memory, unsigned gpu, const struct gantry_cfg *cfg, golden_event_fn event,
                          void *ctx);
void golden_free(struct golden *g);
/* Queue a command (copied); executed in order by golden_run, launches may overlap (a later one need not wait). */
void golden_cmd(struct golden *g, const struct msg_cp_cmd *cmd);
/* Execute up to about `budget` wavefront instructions or as many cycles as golden_set_time allows, no more than
 * `budget` of one in its turn; true while work remains (also when waves only spin). */
bool golden_run(struct golden *g, uint64_t budget);
/* Call work(ctx, n) for every n below `count`, at the same time as far as there are threads; return when all have. */
typedef void (*golden_share_fn)(void *team, uint32_t count, void (*work)(void *ctx, uint32_t n), void *ctx);
/* Before the first command: work-groups are shared out among `threads` (ignored with check.hazards, whose warnings are
 * in the order of execution, and golden_touch).  Events and counts are those of one thread, each work-group for itself
 * being the same. */
void golden_share(struct golden *g, unsigned threads, golden_share_fn share, void *team);
/* Before the first command: keep in vram[k] (borrowed; touched.h) the lines of GPU k's VRAM that an L2
 * there would hold of what this GPU accesses.  Work-groups are not shared out then: lines stand in the order of one
 * thread. */
void golden_touch(struct golden *g, struct touched *const *vram);
uint64_t golden_instructions(const struct golden *g);
uint64_t golden_groups(const struct golden *g); /* work-groups that have ended */
/* Hash over the stores and atomics so far (address, size, data, order), without those to scratch memory; the same with
 * any number of threads. */
uint64_t golden_written(const struct golden *g);
/* Each wavefront that has begun and not ended: one line with place, state, PC and next instruction; at most `most`. */
void golden_where(struct golden *g, const char *name, unsigned most, FILE *out);
#define GOLDEN_RATE 64 /* wavefront instructions of the GPU that pass a cycle of its clock */
/* Before golden_run: the cycle at which it begins, and cycles, at least 1, after which it returns.  s_memtime and
 * s_memrealtime tell the cycle that has been reached (golden_clock.c), at most cycle + most - 1, and never less than
 * before. */
void golden_set_time(struct golden *g, uint64_t cycle, uint32_t most);
/* That cycle, or the last one that a wavefront has been told: events and times are not before it. */
uint64_t golden_time(const struct golden *g);
#endif
