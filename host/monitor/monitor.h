/* SPDX-License-Identifier: Apache-2.0
 * A second opinion on pages that move: it stands at the border of the host, knows nothing of the engine (steps.c) but
 * the table steps.def, and sees commands, events, and writes to page tables as GPUs get them.  What it finds wrong ends
 * the run (CHECK) with the page's frame, how far its move was, and the cycle:
 *   - a page that some GPU has mapped without a lock when it is written back, or whose TLBs may still lead there; one
 *     that a GPU is told to lock twice; a kernel that starts with translations from before a lock;
 *   - a step that the table does not have in that state, or before what it waits for has happened: an order before the
 *     write-back's answer, a mapping before both reports, an answer to what was not asked;
 *   - an access to a frame that nobody may access then (enum pmem_guard; the golden model and partition `store` look).
 * Tests switch it on (GANTRY_MODEL_CHECK, machine.c of the driver).  While no page moves it counts commands only.
 */
#ifndef GANTRY_MONITOR_H
#define GANTRY_MONITOR_H
#include "machine/sim.h"

struct monitor;

/* Before the machine is made: frames of `pm` are guarded from now on.  `fixed`: moves take a fixed
 * time (key migrate.fixed_cycles).  NULL without memory. */
struct monitor *monitor_new(struct pmem *pm, bool fixed);
void monitor_free(struct monitor *m);
/* For sim_options.watch; borrowed from m. */
const struct sim_watch *monitor_watch(const struct monitor *m);
/* Whose golden GPUs have their pages copied by the host. */
void monitor_attach(struct monitor *m, const struct sim *sim);
#endif
