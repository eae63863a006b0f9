/* SPDX-License-Identifier: Apache-2.0
 * The table of parameters as data (generated from configs/params.def), and values as text.
 * Not responsible for: files (yaml.c), rules between keys (rules.c).
 */
#ifndef GANTRY_CONFIG_TABLE_H
#define GANTRY_CONFIG_TABLE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "gantry_cfg.h"

enum cfg_type { CFG_U32, CFG_U64, CFG_FLOAT, CFG_BOOL, CFG_STRING, CFG_ENUM, CFG_LIST };

struct cfg_param {
    const char *key;
    enum cfg_type type;
    size_t offset; /* in struct gantry_cfg */
    const char *default_text;
    uint64_t min, max; /* integers, list members */
    double fmin, fmax;
    bool pow2;
    const char *const *choices; /* enum: names, NULL-terminated */
    const char *unit;
    const char *sv; /* SystemVerilog constant or "" */
    const char *source;
    const char *help;
};

extern const struct cfg_param cfg_params[];
extern const unsigned cfg_param_count;

/* Index of a key in cfg_params, -1 if unknown. */
int param_find(const char *key);
/* Parse and store; on failure nothing is stored: an explanation without place or key in why, and STATUS_CONFIG. */
enum gantry_status param_parse(const struct cfg_param *param, struct gantry_cfg *cfg, const char *text, char *why,
                               size_t room);
void param_format(const struct cfg_param *param, const struct gantry_cfg *cfg, char *text, size_t room);
/* Type in words: "u32", "enum(a,b)". */
void param_type(const struct cfg_param *param, char *text, size_t room);
/* "1..64", "1..64, power of two", "" */
void param_range(const struct cfg_param *param, char *text, size_t room);
/* Of a key that there was once: what a user takes instead, behind "KEY: "; NULL for any other. */
const char *param_retired(const char *key);
/* Key most like the given one (for "did you mean"), or NULL. */
const char *param_nearest(const char *key);
#endif
