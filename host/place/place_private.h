/* SPDX-License-Identifier: Apache-2.0
 * Inside of struct place, for place.c and place_ask.c.
 */
#ifndef GANTRY_PLACE_PRIVATE_H
#define GANTRY_PLACE_PRIVATE_H
#include "bridge/link/region.h"
#include "bridge/place/cut_channels.h"
#include "bridge/place/workers.h"
#include "config/placement.h"
#include "place/place.h"
#include "target/models.h"

#define PLACE_NAME 16

struct place {
    uint32_t process[PLACE_GPUS];
    uint32_t count; /* processes */
    char names[PLACE_GPUS][PLACE_NAME];
    struct models models;
    struct cut_plan plan;
    struct cut cut;
    int region_fd;
    struct region *region;
    struct workers *workers; /* of process 0 */
    uint64_t windows;        /* pmem_windows_changes that workers know */
    enum gantry_status lost;
    bool left; /* a worker that is stopped is not waited for */
    int (*work)(struct sim *sim, int socket);
};

/* place_ask.c: workers are told of slabs from now on. */
void place_watch(struct sim *sim);
#endif
