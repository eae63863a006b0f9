/* SPDX-License-Identifier: Apache-2.0
 * What a partition is handed at a visit: a window of cycles and the messages of each.  Alone, because the libraries of
 * verilated partitions are built with it (bridge/verilated/model.h) and anew when it changes.
 */
#ifndef GANTRY_WINDOW_H
#define GANTRY_WINDOW_H
#include <stdint.h>

#define PART_WINDOW 8 /* cycles a visit; every channel's latency is at least this */

/* A message of the present window: input number and payload, valid until the visit ends. */
struct part_in {
    uint32_t slot;
    const void *data; /* NULL: a credit */
};
#endif
