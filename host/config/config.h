/* SPDX-License-Identifier: Apache-2.0
 * The resolved configuration: defaults of configs/params.def, then YAML system files, then --set, then the rules
 * between keys.  Every failure prints one line with its place (file:line, --set) and key before it returns.
 * Not responsible for: what a key means (its users) and generating SystemVerilog (sw/tools/gen/gen_params.py).
 * See: docs/reference/config.md.
 */
#ifndef GANTRY_CONFIG_H
#define GANTRY_CONFIG_H
#include <stdbool.h>
#include <stdio.h>

#include "base/status.h"
#include "gantry_cfg.h"

struct config {
    struct gantry_cfg cfg; /* valid after config_finish */
    char **origin;         /* for each parameter: where its value was given, NULL for the default */
    const char *file;      /* the system file as named by the user; borrowed */
};

/* All keys at their defaults; config_fini releases. */
void config_init(struct config *config);
void config_fini(struct config *config);

/* Apply a YAML file and what it includes.  A name that is no file is looked for among the configurations that
 * come with the command (`demo`, `configs/demo.yaml`).  STATUS_MISSING, STATUS_CONFIG, STATUS_IO. */
enum gantry_status config_load(struct config *config, const char *file);
/* Apply "KEY=VALUE"; place is printed in errors, e.g. "--set". */
enum gantry_status config_set(struct config *config, const char *place, const char *setting);
/* Fill in what follows from other keys (identities, windows) and check the rules between keys. */
enum gantry_status config_finish(struct config *config);

/* Text of a key's value; false for an unknown key. */
bool config_get(const struct gantry_cfg *cfg, const char *key, char *text, size_t room);
/* "key: value" lines of all keys, in the order of the table: a system file that gives the same machine again. */
void config_print(FILE *out, const struct gantry_cfg *cfg);
/* The same as one JSON object; lines after the first begin with `indent`. */
void config_json(FILE *out, const struct gantry_cfg *cfg, const char *indent);
/* Every key that is `prefix` or below it ("gpu.l2"; "": all) with type, unit, range, default, help; false: none is. */
bool config_list(FILE *out, const char *prefix);
/* The same as a JSON list of objects. */
bool config_list_json(FILE *out, const char *prefix);

/* Every SystemVerilog constant of this configuration, derived ones (SqcCount, NocInitiators...) last. */
typedef void (*config_constant_fn)(void *arg, const char *name, uint64_t value);
void config_constants(const struct gantry_cfg *cfg, config_constant_fn fn, void *arg);
/* One constant by name; false when there is none. */
bool config_constant(const struct gantry_cfg *cfg, const char *name, uint64_t *value);

/* Folder that holds configs/, sw/tools ...: the tree, or PREFIX/share/gantry of an installed command. */
const char *config_root(void);
#endif
