/* SPDX-License-Identifier: Apache-2.0
 * Warm caches behind a change of models (sim_switch): golden GPUs keep which lines of each GPU's VRAM its L2 would
 * hold, the last roi.warm of them, and these are read through the host's port when the RTL takes its turn.  Not
 * responsible for: which accesses count (golden/golden.h), the change itself (model_switch.c), caches and TLBs below
 * the L2: nothing outside of a GPU reaches those.
 */
#ifndef GANTRY_WARM_H
#define GANTRY_WARM_H
#include "machine/sim.h"

struct warm;

/* For the golden GPUs of sim->twin, which have had no command; borrowed.  NULL: roi.warm is 0. */
struct warm *warm_new(struct sim *sim);
void warm_free(struct warm *w); /* may be NULL; after its GPUs */
/* Ask for all lines of all GPUs, that used longest ago first; nobody waits for the answers. */
void warm_read(struct warm *w, struct sim *sim);
/* How many so far, of each GPU: counter `warmed` of gpuK.roi. */
void warm_counters(const struct warm *w, sim_counter_fn fn, void *arg);
#endif
