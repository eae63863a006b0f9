/* SPDX-License-Identifier: Apache-2.0
 * What a run is to do on its way, at a cycle or when a kernel has ended or was killed: a checkpoint, its end; and by
 * kernels that start: its region of interest.  Kernels have the numbers of the table, in the order of their start.
 * Whoever runs the machine asks between its calls of sim_run.  NULL in place of goals: none. Not responsible for:
 * reading options (host/cli), the region itself (host/system/roi.h).
 */
#ifndef GANTRY_GOALS_H
#define GANTRY_GOALS_H
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct goals {
    const char *checkpoint;     /* folder to be made, or NULL */
    uint64_t checkpoint_kernel; /* when the one of that number has ended; 0: at checkpoint_cycle */
    uint64_t checkpoint_cycle;
    uint64_t roi_first, roi_last; /* kernels that run on the RTL, all others on the golden model; 0: all of them */
    uint64_t exit_after;          /* the run ends when the one of that number has ended; 0: it does not */
    /* so far */
    uint64_t kernels;                /* that have ended */
    bool checkpoint_over, exit_over; /* the kernel of that goal has */
    bool tried;                      /* the checkpoint was made, unless `failure` says why not */
    enum gantry_status failure;
};

/* The kernel of that number has ended, in a callback of the machine.  True: sim_stop, somebody wants to act here. */
bool goals_kernel(struct goals *g, uint64_t number);
/* Where sim_run has to stop when the caller would run to `until`. */
uint64_t goals_until(const struct goals *g, uint64_t until);
/* The checkpoint is to be made now. */
bool goals_due(const struct goals *g, uint64_t now);
/* It was made, or could not be: then the line about it was printed, and the run goes on. */
void goals_tried(struct goals *g, enum gantry_status status);
/* The run ends here. */
bool goals_ended(const struct goals *g);
#endif
