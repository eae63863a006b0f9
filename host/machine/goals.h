/* SPDX-License-Identifier: Apache-2.0
 * What a run of RTL is to do on its way, counted in kernels that have ended (rows of the kernel table) or in cycles: a
 * checkpoint, its end.  Whoever runs the machine asks between its calls of sim_run.  NULL in place of goals: none.
 * Not responsible for: reading options (host/cli), the region of interest (host/driver/region.h).
 */
#ifndef GANTRY_GOALS_H
#define GANTRY_GOALS_H
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct recorded;
struct sim;

struct goals {
    const char *checkpoint;     /* folder to be made, or NULL */
    uint64_t checkpoint_kernel; /* when so many have ended; 0: at checkpoint_cycle */
    uint64_t checkpoint_cycle;
    uint64_t exit_after; /* the run ends when so many have ended; 0: it does not */
    /* so far */
    uint64_t kernels;
    bool tried; /* the checkpoint was made, unless `failure` says why not */
    enum gantry_status failure;
};

/* A kernel has ended, in a callback of the machine.  True: sim_stop, somebody wants to act here. */
bool goals_kernel(struct goals *g);
/* Where sim_run has to stop when the caller would run to `until`. */
uint64_t goals_until(const struct goals *g, uint64_t until);
/* The checkpoint is to be made now, by goals_save. */
bool goals_due(const struct goals *g, uint64_t now);
/* Once; failures (recorded_save) are printed and kept: the run goes on. */
void goals_save(struct goals *g, struct sim *sim, const struct recorded *place, const char *recording);
/* It cannot be made: the line about it was printed. */
void goals_lost(struct goals *g, enum gantry_status why);
/* The run ends here. */
bool goals_ended(const struct goals *g);
#endif
