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
    uint64_t from;   /* target cycle */
};

/* A short one first: nothing is known yet. */
#define SLICE_INIT                                                                                                     \
    {                                                                                                                  \
        .cycles = 2000                                                                                                 \
    }

/* The run starts, and has returned, at target cycle `now`: earlier than asked, when something else ended it, which says
 * nothing of what the slice would have taken. */
void slice_begin(struct slice *slice, uint64_t now);
void slice_end(struct slice *slice, uint64_t now);
/* Seconds of a clock that never steps. */
double host_seconds(void);
#endif
