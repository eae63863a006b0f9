/* SPDX-License-Identifier: Apache-2.0
 * How many target cycles to run before looking around again (requests, signals, a program that has gone): as many as
 * take some hundredths of a second here and now, be the machine small or large.  Only host time depends on it.
 */
#ifndef GANTRY_SLICE_H
#define GANTRY_SLICE_H
#include <stdint.h>

struct slice {
    uint64_t cycles; /* of the next run */
    double begun;    /* host time */
};

/* A short one first: nothing is known yet. */
#define SLICE_INIT                                                                                                     \
    {                                                                                                                  \
        .cycles = 2000                                                                                                 \
    }

void slice_begin(struct slice *slice); /* the run starts */
void slice_end(struct slice *slice);   /* it has returned */
/* Seconds of a clock that never steps. */
double host_seconds(void);
#endif
