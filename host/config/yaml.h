/* SPDX-License-Identifier: Apache-2.0
 * Reading one YAML system file into a configuration; inside of host/config.
 */
#ifndef GANTRY_CONFIG_YAML_H
#define GANTRY_CONFIG_YAML_H
#include <stddef.h>

#include "config/config.h"

struct source;
/* Apply file `name`; outer and line: the file that includes it and where (NULL, 0 at the top). */
enum gantry_status yaml_load(struct config *config, const char *name, const struct source *outer, size_t line);
#endif
