/* SPDX-License-Identifier: Apache-2.0
 * Warnings of LDS accesses outside the allocation (check.lds), which read 0 and write nothing: one line for each place
 * in the code.  Used by the golden GPU and by lock step.  Not responsible for: noticing them (lds.c, mem.c).
 */
#ifndef GANTRY_OUTSIDE_H
#define GANTRY_OUTSIDE_H
#include "golden/places.h"
#include "isa/gcn3.h"

struct outside {
    bool on;
    struct places told;
};

/* w has just executed `inst` (8 bytes) at pc; takes w->lds_missed back. */
void outside_warn(struct outside *o, struct gcn3_wave *w, unsigned gpu, unsigned cu, unsigned wave, uint64_t pc,
                  uint64_t inst);
void outside_free(struct outside *o);
#endif
