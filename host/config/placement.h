/* SPDX-License-Identifier: Apache-2.0
 * Which process runs which GPU (keys place.*).  Not responsible for: processes (bridge/place, host/place/place.h).
 */
#ifndef GANTRY_PLACEMENT_H
#define GANTRY_PLACEMENT_H
#include <stddef.h>
#include <stdint.h>

#define PLACE_GPUS 64

struct gantry_cfg;

/* process[k]: that of GPU k.  NULL; or the key that is wrong, and why. */
const char *placement_read(const struct gantry_cfg *cfg, uint32_t process[PLACE_GPUS], char *why, size_t room);
#endif
