/* SPDX-License-Identifier: Apache-2.0
 * The systems that come with the command, by name.
 */
#ifndef GANTRY_CONFIG_NAMES_H
#define GANTRY_CONFIG_NAMES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Path of the named system ("demo", "demo.yaml"): false when `name` is a path or none of them. */
bool system_find(const char *name, char *path, size_t room);
/* "; did you mean demo?" or "; named systems: demo, r9nano, ..." behind a name that was not found. */
void system_hint(const char *name, char *text, size_t room);
/* One a line, with what the file says at its head. */
void system_list(FILE *out);
#endif
