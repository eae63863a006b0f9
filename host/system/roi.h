/* SPDX-License-Identifier: Apache-2.0
 * The region of interest of a run: kernels FIRST to LAST, counted as command processors start them, run on the RTL, all
 * others on the golden model.  The model changes between kernels: one that would be on the other side of a border
 * waits, and with it all others, until everything that has started has ended and the machine is settled.
 * Not responsible for: the change itself (machine/sim.h, sim_switch).
 */
#ifndef GANTRY_ROI_H
#define GANTRY_ROI_H
#include <stdbool.h>
#include <stdint.h>

#define ROI_LOOK_CYCLES 256u /* between looks whether everything has ended */

struct goals;
struct sim;

struct roi {
    struct sim *sim;      /* NULL: there is no region, all kernels run where they are */
    uint64_t first, last; /* of the region */
    uint64_t started;     /* kernels so far */
    bool waits;           /* at a border */
};

/* Begins with the model of the first kernel.  goals may be NULL or have no region. */
void roi_init(struct roi *roi, struct sim *sim, const struct goals *goals);
/* May the next kernel start?  False: it waits; *look: since now, look for the first time at once. */
bool roi_may_start(struct roi *roi, bool *look);
/* Outside of sim_run, with nothing under way: the waiting kernel may start. */
void roi_cross(struct roi *roi);
/* The kernel that has just ended has no cycles. */
bool roi_untimed(const struct roi *roi);
#endif
