/* SPDX-License-Identifier: Apache-2.0
 * Sealed files: what was built, as sw/tools/builder/model_cache.py has sealed it (FILE.sum: XXH3 of the content, size),
 * and whom it may belong to.  Not responsible for: sealing, making anew what is damaged (models.py).
 */
#ifndef GANTRY_SEAL_H
#define GANTRY_SEAL_H
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* Root's or this user's, and nobody else may write it. */
bool seal_trusted(const struct stat *st);
/* The file at `path` for reading, close-on-exec, when it and its folder are trusted and it holds what was sealed: what
 * is read or loaded through the descriptor is what was looked at, whatever becomes of the name.  -1: *why says so. */
int seal_open(const char *path, const char **why);
#endif
