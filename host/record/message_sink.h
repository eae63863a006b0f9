/* SPDX-License-Identifier: Apache-2.0
 * Where messages go whose receiver is not there: a replay of one GPU or of one partition.
 */
#ifndef GANTRY_SINK_H
#define GANTRY_SINK_H
#include <stdint.h>

struct part;
struct sched;

/* A partition that takes everything, added to the scheduler. */
struct part *sink_new(struct sched *s, const char *name, uint32_t ins, uint32_t outs);
/* Every output of an RTL partition that is connected to nothing leads to a sink of that name; before sched_start. */
void sink_connect(struct sched *s, struct part *part, const char *name);
#endif
