/* SPDX-License-Identifier: Apache-2.0
 * --wave SCOPE[@FROM:TO]: which RTL partitions are recorded, and when.  Not responsible for: recording (rtl_part.h).
 */
#ifndef GANTRY_WAVE_H
#define GANTRY_WAVE_H
#include <stdbool.h>
#include <stdint.h>

struct gantry_cfg;

struct wave {
    char scope[64];    /* "": nothing is recorded */
    uint64_t from, to; /* cycles [from, to) */
};

/* Reads the option's text; false with one line on stderr. */
bool wave_parse(struct wave *wave, const char *text);
/* The partition of that name is in the scope. */
bool wave_wants(const struct wave *wave, const char *name);
/* The text is right and names a part of such a machine; else false with one line on stderr. */
bool wave_check(const struct gantry_cfg *cfg, const char *text);
#endif
