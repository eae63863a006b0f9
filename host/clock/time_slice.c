/* SPDX-License-Identifier: Apache-2.0
 * Slices of target time; contract in time_slice.h.
 */
#include "clock/time_slice.h"

#include <time.h>

#define SLICE_MIN 1000u
#define SLICE_MAX (UINT64_C(1) << 32)
#define SLICE_LOW 0.02 /* seconds of host time: the socket is looked at this often */
#define SLICE_HIGH 0.1

double host_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void slice_begin(struct slice *slice, uint64_t now)
{
    slice->from = now;
    slice->begun = host_seconds();
}

void slice_end(struct slice *slice, uint64_t now)
{
    double seconds = host_seconds() - slice->begun;
    if (seconds < SLICE_LOW && now - slice->from >= slice->cycles && slice->cycles < SLICE_MAX)
        slice->cycles *= 2;
    else if (seconds > SLICE_HIGH && slice->cycles > SLICE_MIN)
        slice->cycles /= 2;
}
