/* SPDX-License-Identifier: Apache-2.0
 * Places in the code of which a warning was given, so that each is named once (check.hazards, check.lds).
 * Not responsible for: what is wrong there, the text (golden_hazard.c, outside.c).
 */
#ifndef GANTRY_PLACES_H
#define GANTRY_PLACES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct place {
    uint64_t pc;
    unsigned gpu;
    uint8_t vmid, rule; /* rule: by the caller's numbers, of warnings of several kinds */
};
/* All 0: none yet. */
struct places {
    struct place *place;
    size_t count, room;
};

/* True the first time that it is asked of this place, which is then remembered. */
bool places_first(struct places *p, struct place place);
void places_free(struct places *p);
#endif
