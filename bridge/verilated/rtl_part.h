/* SPDX-License-Identifier: Apache-2.0
 * An instance of a verilated partition behind the interface of bridge/part: part_shown is what the model shows
 * without a clock.  Responsible for: stepping the model through a window, counters, observation, trace, state under the
 * key of its library.  Not responsible for: which instances exist (rtl_gpu.c).
 */
#ifndef GANTRY_RTL_PART_H
#define GANTRY_RTL_PART_H
#include "bridge/part/part.h"
#include "bridge/verilated/library.h"

struct sched;

typedef void (*rtl_observe_fn)(void *ctx, struct part *part, uint32_t port, uint32_t lane, uint64_t cycle,
                               const void *data);

/* NULL: the model could not be had (boards only; whose board it is knows why). */
struct part *rtl_part_new(const struct library *library, const char *name, unsigned gpu, unsigned index, uint64_t seed,
                          bool no_skip);
/* One that another process runs: its ports are known, it has no model. */
struct part *rtl_part_absent(const struct library *library, const char *name, uint32_t process);
/* Deliver the observation ports to fn from now on. */
void rtl_part_observe(struct part *part, rtl_observe_fn fn, void *ctx);
/* Show fn every message that is taken (out false) or sent from now on, with its cycle. */
typedef void (*rtl_tap_fn)(void *ctx, bool out, uint32_t slot, uint64_t cycle, const void *message);
void rtl_part_tap(struct part *part, rtl_tap_fn fn, void *ctx);
/* The tap that is there, for one that hands on what it sees; NULL: none. */
rtl_tap_fn rtl_part_tapped(const struct part *part, void **ctx);
/* Record cycles [from, to) into an FST file; false when the library has no tracing or the file cannot be made. */
bool rtl_part_trace(struct part *part, const char *file, uint64_t from, uint64_t to);
/* The identity that the RTL shows: {GPU, number} of its strap; of a whole GPU that of the partition `inner`, else 0. */
uint16_t rtl_part_id(struct part *part, uint32_t inner);
const struct model_api *rtl_part_api(const struct part *part);
/* part_shown of a CU: the wavefront instructions that it has issued; of the dispatcher: the work-groups that have ended
 * or were killed; of a whole GPU both: instructions in the bits of RTL_ISSUED, work-groups above them.  part_look of a
 * CU: where wavefront `what` is (docs/contracts.md); of a whole GPU: {number of the partition, wavefront}. */
#define RTL_ISSUED ((UINT64_C(1) << 40) - 1)

/* Connect lane `a_lane` of output port `name` of a to lane `b_lane` of input port `name` of b, with the credits that
 * the port has; never more than `depth` messages inside.  Both are RTL partitions. */
struct wire *rtl_connect(struct sched *s, struct part *a, unsigned a_lane, struct part *b, unsigned b_lane,
                         const char *name, uint32_t latency, uint32_t depth);
/* Port by name and direction; CHECK when it does not exist. */
const struct model_port *rtl_port(const struct part *part, const char *name, bool out);
#endif
