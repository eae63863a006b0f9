/* SPDX-License-Identifier: Apache-2.0
 * The golden model as a whole GPU: takes the same commands and raises the same events as rtl/dispatch, executes
 * functionally and has no clock.  Work-groups run one after another, wavefronts of a group round robin.
 * Not responsible for: queues and packets (host/firmware), timing.
 */
#ifndef GANTRY_GOLDEN_H
#define GANTRY_GOLDEN_H
#include <stdbool.h>
#include <stdint.h>

#include "gantry_msg.h"

struct golden;
struct pmem;
struct gantry_cfg;

/* Called from golden_run, never from golden_cmd; may call golden_cmd. */
typedef void (*golden_event_fn)(void *ctx, const struct msg_cp_evt *evt);

struct golden *golden_new(struct pmem *memory, unsigned gpu, const struct gantry_cfg *cfg, golden_event_fn event, void *ctx);
void golden_free(struct golden *g);
/* Queue a command (copied); executed in order by golden_run, launches may overlap (a later one need not wait). */
void golden_cmd(struct golden *g, const struct msg_cp_cmd *cmd);
/* Execute up to about `budget` wavefront instructions; true while work remains (also when waves only spin). */
bool golden_run(struct golden *g, uint64_t budget);
uint64_t golden_instructions(const struct golden *g);
/* Value of s_memtime and s_memrealtime, set by the owner of the clock. */
void golden_set_time(struct golden *g, uint64_t cycle);
#endif
